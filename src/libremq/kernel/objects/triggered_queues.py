"""Which queues an initiation queue serves: kept with the definitions, so that no open has to look through them all.

Here are the local queues with TRIGGER on, by the name in their INITQ. The catalogue tells of every definition that it
takes in, changes or lets go, whoever asked for that: a command, MQSET, restart, or a change that is undone.
"""

from __future__ import annotations

from collections.abc import Collection

from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.mqi.constants import MQTC_ON


class TriggeredQueues:
    """The queues that trigger, by initiation queue."""

    __slots__ = ("_served", "_where")

    def __init__(self) -> None:
        self._served: dict[str, dict[str, LocalQueue]] = {}  # by INITQ, then by name
        self._where: dict[str, str] = {}  # by name: the INITQ under which it is there

    def served_by(self, initiation_queue: str) -> Collection[LocalQueue]:
        """The queues that name it, in no order that means anything."""
        return self._served.get(initiation_queue, {}).values()

    def changed(self, definition: MQObject) -> None:
        """A queue was defined or altered."""
        name = definition.name
        if name in self._where:
            self.removed(name)
        if isinstance(definition, LocalQueue) and definition.trigger == MQTC_ON and definition.initq:
            self._served.setdefault(definition.initq, {})[name] = definition
            self._where[name] = definition.initq

    def removed(self, name: str) -> None:
        """No queue of this name is there any more."""
        initiation_queue = self._where.pop(name, "")
        if initiation_queue:
            served = self._served[initiation_queue]
            del served[name]
            if not served:
                del self._served[initiation_queue]
