"""The system objects that have come since the release which a queue manager is of: made at its next start.

They are once completed for each level (`kernel.objects.system_objects`), so what an administrator deletes afterwards
stays deleted.
"""

from __future__ import annotations

from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.system_objects import ADDED, RULES_LEVEL, SYSTEM_LEVEL, SYSTEM_OBJECTS, supplied_rules
from libremq.kernel.state import object_changes
from libremq.kernel.state.core import Core
from libremq.log import LogFull


def complete_system_objects(core: Core) -> None:
    """Give the queue manager of an earlier release the system objects that have come since.

    Without room in the log it does without them until its next start.
    """
    catalogue = core.catalogue
    qmgr = catalogue.qmgr
    before = to_record(qmgr)
    missing = {one for level, added in ADDED.items() if level > qmgr.system_level for one in added}
    if not missing:
        return
    defined: list[str] = []
    try:
        for kind, name, attributes in SYSTEM_OBJECTS:
            if (kind, name) not in missing:
                continue
            holder = catalogue.holder(kind, name)
            if holder is None:
                # As supplied, whatever became of the default object of the type
                supplied = {row.keyword: row.default for row in TABLES[kind] if row.alterable}
                object_changes.define(core, kind, name, {**supplied, **attributes})
                defined.append(name)
            elif holder.kind != kind:
                core.say(amq(7479, name, holder.kind))
        if qmgr.system_level < RULES_LEVEL:
            # The rules come with the release that follows them: without, privileged users could use any channel
            for rule in supplied_rules(core.clock.now()):
                if catalogue.find(rule.kind, rule.name) is None:
                    object_changes.install_record(core, rule)
        qmgr.system_level = SYSTEM_LEVEL
        object_changes.log_object(core, qmgr, before)
    except LogFull as error:
        core.say(amq(7480, error))
    if defined:
        core.say(amq(7481, qmgr.name, ", ".join(defined)))
