"""Server-connection channels that were stopped by command: they take no clients until they are started.

The set is what the catalogue says: STOP CHANNEL outlives the queue manager, as it does for message channels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet

from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.channel_state_record import ChannelState
from libremq.kernel.objects.object_types import ServerConnection
from libremq.kernel.units import channel_state_changes
from libremq.mqi import constants as C


class StoppedChannels(MutableSet[str]):
    """Changes are made under the kernel's lock, and logged. MQError if that cannot be done."""

    def __init__(self, manager: QueueManager) -> None:
        self._manager = manager

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> set[str]:  # type: ignore[override]
        return set(names)  # what set operations give is no longer what the catalogue says

    def __contains__(self, name: object) -> bool:
        found = self._manager.definitions.channel_states.get(name) if isinstance(name, str) else None
        return found is not None and found.status == C.MQCHS_STOPPED

    def __iter__(self) -> Iterator[str]:
        definitions = self._manager.definitions
        return (
            name
            for name in sorted(definitions.channel_states)
            if name in self and isinstance(definitions.channels.get(name), ServerConnection)
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, name: str) -> None:
        channel_state_changes.keep(self._manager, ChannelState.make(name, C.MQCHS_STOPPED))

    def discard(self, name: str) -> None:
        channel_state_changes.forget(self._manager, name)
