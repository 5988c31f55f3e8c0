"""The definitions of a queue manager for those who only read them: administration, channels, the server.

It is the catalogue, without the ways to change it. A definition is changed by a command, which is checked, logged and
told as an event: DEFINE, ALTER, DELETE and SET of the queue manager, never behind its back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from libremq.kernel.objects.object_types import AnyQueue, ChannelState, ChannelSync, MQObject, QueueManagerObject


class Definitions(Protocol):
    """Every object by name. To be read under the kernel's lock where more than one look at it has to agree."""

    @property
    def qmgr(self) -> QueueManagerObject: ...

    @property
    def queues(self) -> Mapping[str, AnyQueue]: ...

    @property
    def channels(self) -> Mapping[str, MQObject]: ...

    @property
    def chlauths(self) -> Mapping[str, MQObject]: ...

    @property
    def chlauths_version(self) -> int:
        """Counts their changes."""

    @property
    def channel_syncs(self) -> Mapping[str, ChannelSync]: ...

    @property
    def channel_states(self) -> Mapping[str, ChannelState]: ...

    def find(self, kind: str, name: str) -> MQObject | None: ...

    def find_queue(self, name: str) -> AnyQueue | None: ...

    def holder(self, kind: str, name: str) -> MQObject | None: ...

    def select(self, kind: str, pattern: str = "*") -> list[MQObject]: ...

    def __iter__(self) -> Iterator[MQObject]: ...
