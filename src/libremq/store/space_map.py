"""The space map: which 512-byte blocks of a queue file are in use.

Two bits a block: free and not backed by the file yet (10), free inside the file (11), non-persistent data (00),
persistent data (01). In memory each code takes a byte, because `bytearray.find` then looks for a run of free
blocks at the speed of memchr, and a million 1 KiB messages still cost only some 3 MB of map. The map is never
written: it is the complement of the space handles, and restart derives it from them.
"""

from __future__ import annotations

BLOCK_BYTES = 512

NONPERSISTENT = 0b00
PERSISTENT = 0b01
FREE_UNBACKED = 0b10
FREE = 0b11


def blocks_for(length: int) -> int:
    return (length + BLOCK_BYTES - 1) // BLOCK_BYTES


class SpaceMap:
    """Blocks of one queue file. Block 0 is the file's header and never free."""

    __slots__ = ("_cursor", "_largest_gap", "_map", "blocks_max", "blocks_wanted", "free_blocks")

    def __init__(self, blocks_max: int = 2**31 - 1) -> None:
        self._map = bytearray([PERSISTENT])
        self._cursor = 1
        self._largest_gap = 0  # no run of more than this many free blocks is inside the file
        self.free_blocks = 0
        self.blocks_max = blocks_max
        self.blocks_wanted = blocks_max  # rather use single blocks than have more

    @property
    def file_blocks(self) -> int:
        """Blocks that the file has, header included."""
        return len(self._map)

    def code(self, block: int) -> int:
        return self._map[block] if block < len(self._map) else FREE_UNBACKED

    def used_blocks(self) -> int:
        return len(self._map) - self.free_blocks

    def allocate_run(self, count: int, code: int) -> int:
        """The first of `count` adjacent blocks: a gap in the file if there is one, else new blocks at its end.

        Returns -1 if the file may not grow that far.
        """
        space = self._map
        if count <= self.free_blocks and count <= self._largest_gap:
            run = bytes([FREE]) * count
            first = space.find(run, self._cursor)
            if first < 0:
                first = space.find(run)
            if first >= 0:
                space[first : first + count] = bytes([code]) * count
                self._cursor = first + count
                self.free_blocks -= count
                return first
            self._largest_gap = count - 1
        first = len(space)
        if first + count > self.blocks_max:
            return -1
        space.extend(bytes([code]) * count)
        return first

    def allocate_scattered(self, count: int, code: int) -> list[int]:
        """`count` blocks wherever they are free, lowest first, and new ones at the end if there are not enough."""
        found = min(count, self.free_blocks)
        blocks: list[int] = []
        at = 0
        for _ in range(found):
            at = self._map.find(FREE, at)
            self._map[at] = code
            blocks.append(at)
        self.free_blocks -= found
        first = len(self._map)
        assert first + count - found <= self.blocks_max
        self._map.extend(bytes([code]) * (count - found))
        return [*blocks, *range(first, len(self._map))]

    def has_gap(self, count: int) -> bool:
        """Is there a run of `count` free blocks inside the file?"""
        if count > self._largest_gap:
            return False
        run = bytes([FREE]) * count
        if self._map.find(run, self._cursor) >= 0 or self._map.find(run) >= 0:
            return True
        self._largest_gap = count - 1
        return False

    def claim(self, first: int, count: int, code: int, file_blocks: int) -> bool:
        """Mark blocks that a restart found in use; False if they are not all free blocks of the file."""
        end = first + count
        if first < 1 or end > file_blocks:
            return False
        grow = end - len(self._map)
        if grow > 0:
            self._map.extend(bytes([FREE]) * grow)
            self.free_blocks += grow
        if self._map[first:end] != bytes([FREE]) * count:
            return False
        self._map[first:end] = bytes([code]) * count
        self.free_blocks -= count
        self._largest_gap = len(self._map)
        return True

    def back(self, file_blocks: int) -> None:
        """After a restart: the file has this many blocks, and those that nobody claimed are free inside it."""
        grow = file_blocks - len(self._map)
        if grow > 0:
            self._map.extend(bytes([FREE]) * grow)
            self.free_blocks += grow
            self._largest_gap = len(self._map)

    def release(self, first: int, count: int) -> None:
        self._map[first : first + count] = bytes([FREE]) * count
        self.free_blocks += count
        self._largest_gap = len(self._map)  # the gap may have joined others: look again next time
        if first < self._cursor:
            self._cursor = first

    def release_all(self, runs: list[tuple[int, int]]) -> None:
        """Release many runs at once, and take them off the list."""
        space, cursor, total = self._map, self._cursor, 0
        try:
            while runs:
                first, count = runs.pop()
                total += count
                if count == 1:
                    space[first] = FREE
                else:
                    space[first : first + count] = bytes([FREE]) * count
                if first < cursor:
                    cursor = first
        finally:
            self.free_blocks += total
            self._largest_gap = len(space)
            self._cursor = cursor

    def required_blocks(self) -> int:
        """Blocks up to and including the last one in use."""
        if self._map[-1] != FREE:
            return len(self._map)
        return len(self._map.rstrip(bytes([FREE])))

    def shrink(self, blocks: int) -> None:
        """Forget the free blocks from `blocks` on; they are no longer backed by the file."""
        assert self.required_blocks() <= blocks
        self.free_blocks -= len(self._map) - blocks
        del self._map[blocks:]
        self._cursor = min(self._cursor, blocks)
