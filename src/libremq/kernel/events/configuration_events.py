"""Configuration events: an object was made, changed or deleted, or its definition was asked for.

Each carries who did it and all attributes of the object, as PCF parameters straight from the attribute table. A
change makes two messages with one correlation id: the object before, then after. What the queue manager changes of
itself (triggering that turns itself off, depth events) is no event, nor is a temporary dynamic queue.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from libremq.kernel.events.command_events import context_parameters
from libremq.kernel.events.event_messages import CONFIG_EVENT, number, put_event, text
from libremq.kernel.objects.attributes import Attribute, Source
from libremq.kernel.objects.object_base import DefinedObject, date_and_time
from libremq.kernel.objects.object_types import LocalQueue, MQObject, QueueManagerObject, new_object
from libremq.kernel.objects.security_records import ChannelAuthentication
from libremq.kernel.state.core import Core
from libremq.kernel.state.event_state import EventContext
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFBS, MQCFIL, MQCFSL, PCFParameter


def image(core: Core, kind: str, name: str) -> MQObject | None:
    """The object as it is before a command; None if there is none, or if nobody will ask."""
    if not core.catalogue.qmgr.configev and kind.upper() != "QMGR":
        return None
    found = core.catalogue.find(kind, name)
    return None if found is None else copy_of(found)


def copy_of(obj: MQObject) -> MQObject:
    """The object as it is now: the original is changed in place."""
    return new_object(type(obj), obj.name, dict(obj.__dict__))


def object_changed(
    core: Core, before: MQObject | None, after: MQObject | None, context: EventContext | None = None
) -> None:
    """An object is there that was not (`before` is None), is changed, or is gone (`after` is None).

    `before` must be a copy (`image`, `copy_of`). Without a context it is the one of `core.events.on_behalf_of`.
    """
    shown = after or before
    if shown is None or not _enabled(core, before) or _is_exempt(shown):
        return
    correlation_id = core.identifiers.next_id()
    if before is not None and after is not None:
        reason = C.MQRC_CONFIG_CHANGE_OBJECT
        _put(core, reason, before, context, correlation_id, last=False)
        _put(core, reason, after, context, correlation_id, sequence=2)
    else:
        reason = C.MQRC_CONFIG_DELETE_OBJECT if after is None else C.MQRC_CONFIG_CREATE_OBJECT
        _put(core, reason, shown, context, correlation_id)


def refresh_objects(
    core: Core, objects: Iterable[MQObject], context: EventContext | None = None, minutes: int = 0
) -> int:
    """REFRESH QMGR TYPE(CONFIGEV): an event for each of the objects; how many there were.

    `minutes`: only for those that were changed within them, or of which nobody knows when; 0: for all.
    """
    if not core.catalogue.qmgr.configev:
        return 0
    since = date_and_time(max(0.0, core.clock.now() - minutes * 60))
    count = 0
    for obj in objects:
        if minutes and _was_changed_before(obj, since):
            continue
        _put(core, C.MQRC_CONFIG_REFRESH_OBJECT, obj, context, core.identifiers.next_id())
        count += 1
    return count


def _was_changed_before(obj: MQObject, since: tuple[str, str]) -> bool:
    """By its ALTDATE and ALTTIME, which authority records do not have."""
    return isinstance(obj, DefinedObject | ChannelAuthentication) and (obj.altdate, obj.alttime) < since


def _enabled(core: Core, before: MQObject | None) -> bool:
    """The command that turns these events on or off is told of, too."""
    return bool(core.catalogue.qmgr.configev or (isinstance(before, QueueManagerObject) and before.configev))


def _is_exempt(obj: MQObject) -> bool:
    return isinstance(obj, LocalQueue) and (obj.is_temporary or obj.name == CONFIG_EVENT)


def _put(
    core: Core,
    reason: int,
    obj: MQObject,
    context: EventContext | None,
    correlation_id: bytes,
    *,
    sequence: int = 1,
    last: bool = True,
) -> None:
    parameters = [*context_parameters(core, context or core.events.context), *object_parameters(obj)]
    put_event(core, CONFIG_EVENT, reason, parameters, sequence=sequence, last=last, correlation_id=correlation_id)


def object_parameters(obj: MQObject) -> list[PCFParameter]:
    """The type of the object, its name, and all its attributes but those that are counted at run time."""
    rows = [row for row in obj.table if row.source is not Source.LIVE]
    names = [row for row in rows if row.slot == "name"]
    others = [row for row in rows if row.slot != "name"]
    return [number(C.MQIACF_OBJECT_TYPE, obj.object_type), *(_parameter(obj, row) for row in [*names, *others])]


def _parameter(obj: MQObject, row: Attribute) -> PCFParameter:
    value = getattr(obj, row.slot)
    if isinstance(value, tuple):
        if row.is_integer:
            return MQCFIL(Parameter=row.selector, Values=cast("tuple[int, ...]", value))
        return MQCFSL(
            Parameter=row.selector, Strings=[one.ljust(row.max_length) for one in cast("tuple[str, ...]", value)]
        )
    if isinstance(value, str):
        return text(row.selector, value, row.max_length, secret=row.secret)
    if isinstance(value, bytes):
        return MQCFBS(Parameter=row.selector, String=value)
    return number(row.selector, value)
