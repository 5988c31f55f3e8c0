"""How much of one link is served in a turn of the event loop, and how much comes of a link that has not logged in.

The kernel runs one call at a time, so what one peer sends is everybody's wait. A link that has more to say than a turn
allows is not read from, and goes on in the next turn, behind all others that have something to say. Segments count, not
only bytes: a heartbeat has 28 bytes and costs as much as a call. Who has not logged in has little to say: what goes
beyond that is no log-in, and the link is closed.
"""

from __future__ import annotations

from libremq.wire.protocol import ProtocolError, Status

FLOWS_A_TURN = 64
"""Flows of a link that are run, segments that are taken apart: some milliseconds."""
BYTES_A_TURN = 64 << 10
"""Bytes of a link after which others have their turn. Less than a read brings: a loop that found that reads on."""
EARLY_FLOWS_MAX = 100
"""Flows before the log-in, however often it is tried."""
EARLY_BYTES_MAX = 128 << 10
"""And their bytes: twice as long as the longest flow that is taken from who has not logged in."""


class EarlyAllowance:
    """What is left of it, of one link."""

    __slots__ = ("_bytes", "_flows")

    def __init__(self) -> None:
        self._flows = EARLY_FLOWS_MAX
        self._bytes = EARLY_BYTES_MAX

    def spend(self, size: int) -> None:
        """A flow came with so many bytes. ProtocolError if that is more than is allowed."""
        self._flows -= 1
        self._bytes -= size
        if self._flows < 0:
            raise ProtocolError(Status.PROTOCOL_GENERAL, f"it has not logged in, and sent over {EARLY_FLOWS_MAX} flows")
        if self._bytes < 0:
            raise ProtocolError(Status.PROTOCOL_GENERAL, f"it has not logged in, and sent over {EARLY_BYTES_MAX} bytes")
