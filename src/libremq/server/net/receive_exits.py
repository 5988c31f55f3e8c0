"""What comes for an agent with receive exits: they see each segment before anything is made of it.

A segment is known by its length alone until then: what is behind it may be for the exits to make out. So many are taken
in a turn (`turn_budget`); what is left of a read stays here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from libremq.server.net.turn_budget import FLOWS_A_TURN
from libremq.wire.segments import TSH_BYTES, Flow, SegmentReader


class RawSegments:
    """Bytes in front of the receive exits of one link."""

    __slots__ = ("_raw", "has_more")

    def __init__(self) -> None:
        self._raw = b""  # a segment that has begun
        self.has_more = False  # and whole ones, for the next turn

    @property
    def held_bytes(self) -> int:
        return len(self._raw)

    def clear(self) -> None:
        self._raw, self.has_more = b"", False

    def feed(
        self, data: bytes, through_exits: Callable[[bytes], bytes | None], reader: SegmentReader, flows: deque[Flow]
    ) -> None:
        """Add to `flows` what has come. `through_exits` returns None when an exit has ended the channel."""
        data = self._raw + data
        start, left = 0, FLOWS_A_TURN
        self.has_more = False
        while len(data) - start >= TSH_BYTES:
            if not left:
                self.has_more = True
                break
            left -= 1
            length = int.from_bytes(data[start + 4 : start + 8], "big")
            if length > reader.max_segment or length < TSH_BYTES:
                flows += reader.feed(data[start:])  # which says what is wrong with it
                return
            if len(data) - start < length:
                break
            segment = through_exits(data[start : start + length])
            start += length
            if segment is None:
                return
            flows += reader.feed(segment)
        self._raw = data[start:]
