"""What a link of a client and one of a partner have in common: who it is, what it holds, and what it may still do.

Both read segments, hold what is not complete, have turns, and belong to a stranger until somebody has logged in.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from libremq.common.messages.amq_messages import AmqMessage
from libremq.server.net.strangers import Stranger
from libremq.server.net.turn_budget import EarlyAllowance
from libremq.server.net.unfinished_flows import UnfinishedFlow, relieve
from libremq.wire.protocol import MAX_SEGMENT
from libremq.wire.segments import SegmentReader

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

UNKNOWN_BYTES = 1 << 16
"""What is kept of who was not let in yet: what is for all must not be filled by nobody."""


class ServedLink(asyncio.Protocol):
    """A socket that the event loop serves."""

    __slots__ = ("_buffered", "_early", "_goes_on", "_reader", "_unfinished", "event_loop", "peer", "stranger")

    def __init__(self, event_loop: EventLoop, peer: str, reader: SegmentReader | None = None) -> None:
        self.event_loop = event_loop
        self.peer = peer  # its address and port, as `accept` said; it may be gone by the time that anybody asks
        self.stranger: Stranger | None = None  # until somebody has logged in, if it was accepted from elsewhere
        self._reader = reader or SegmentReader(MAX_SEGMENT, UNKNOWN_BYTES)
        self._buffered = 0
        self._goes_on = False  # it has its next turn soon
        self._early = EarlyAllowance()
        self._unfinished = UnfinishedFlow()

    def _no_stranger(self) -> None:
        """Somebody has logged in, or it is over."""
        if self.stranger is not None:
            self.stranger.leave()
            self.stranger = None

    @property
    def held_bytes(self) -> int:
        """What it holds, as it was counted last."""
        return self._buffered

    def _count_held(self, held: int) -> None:
        """It holds so much now. If that is too much for all together, somebody gives way."""
        self.event_loop.buffered_bytes += held - self._buffered
        more, self._buffered = held > self._buffered, held
        if more:
            relieve(self.event_loop)

    def _let_go(self) -> None:
        """What it holds counts no longer: it is over, or somebody else has it."""
        self.event_loop.buffered_bytes -= self._buffered
        self._buffered = 0

    def _is_late(self, raw_bytes: int, now: float) -> bool:
        return self._unfinished.is_late(self._reader, raw_bytes, now, self.event_loop.limits.flow_s)

    def give_way(self, message: AmqMessage) -> None:
        """It holds more than any other, and there is too little memory for all: it ends. The message says so."""
        self._let_go()
        self._reader = SegmentReader(MAX_SEGMENT, UNKNOWN_BYTES)
