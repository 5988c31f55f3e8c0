"""Reading a queue's messages from its file one after the other, which is how they are got, with few reads.

Messages that left the buffer together lie together, in the order in which they are got. Whoever reads one that lies
right behind the one read before gets a window: what lies behind it is read along, and kept for the next ones. What is
kept is forgotten when blocks are written (`forget`), and nothing is kept while a checkpoint may write some.
"""

from __future__ import annotations

from libremq.store.queue_file import QueueFile
from libremq.store.space_handles import NONE
from libremq.store.space_map import BLOCK_BYTES, blocks_for

WINDOW_BYTES = 32 * 1024


class ReadAhead:
    """The window of one queue file."""

    __slots__ = ("_file", "_first", "_next", "_window")

    def __init__(self, file: QueueFile) -> None:
        self._file = file
        self._window = b""
        self._first = 0  # where it begins, in bytes
        self._next = NONE  # the block behind the message that was read last

    def read(self, block: int, length: int, *, may_keep: bool) -> bytes:
        """A message image of adjacent blocks."""
        at = block * BLOCK_BYTES - self._first
        if 0 <= at <= len(self._window) - length:
            self._next = block + blocks_for(length)
            return self._window[at : at + length]
        follows, self._next = block == self._next, block + blocks_for(length)
        if may_keep and follows and length < WINDOW_BYTES:
            window = self._file.read(block, length, more=WINDOW_BYTES - length)
            self._window, self._first = window, block * BLOCK_BYTES
            return window[:length]
        return self._file.read(block, length)

    def forget(self) -> None:
        """Blocks are written, or something that was read is not what it should be."""
        self._window = b""
