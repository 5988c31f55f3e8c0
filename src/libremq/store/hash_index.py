"""The slots of a queue by the hash of one id, made when the first get by such an id comes.

Buckets of doubly linked slots, in sequence order. A bucket holds one priority only, because a get must find the highest
priority first. An index of a deep queue is made in parts: it has the slots before `rest` in delivery order, and of what
is linked and unlinked meanwhile just that part; the chains see to it.
"""

from __future__ import annotations

from array import array

from libremq.store.space_handles import NONE, PRIORITY_MASK, HandleTable

_BUCKETS_MIN = 256
_SPREAD = 0x9E3779B1  # keeps the priorities of one id in different buckets


class HashIndex:
    """An equal hash still needs a look at the id."""

    __slots__ = ("_count", "_flags", "_head", "_mask", "_next", "_prev", "_sequence", "_tail", "hashes", "rest")

    def __init__(self, handles: HandleTable, hashes: array[int]) -> None:
        self.hashes = hashes
        self._flags = handles.flags
        self._sequence = handles.sequence
        self.begin(NONE, 0)

    def begin(self, rest: int, expected: int) -> None:
        """Have none of them, and so many to come, from this slot on."""
        buckets = _BUCKETS_MIN
        while buckets < expected:
            buckets *= 2
        self._mask = buckets - 1
        self._head = array("i", [NONE]) * buckets
        self._tail = array("i", [NONE]) * buckets
        self._next = array("i", [NONE]) * len(self.hashes)
        self._prev = array("i", [NONE]) * len(self.hashes)
        self._count = 0
        self.rest = rest

    @property
    def crowded(self) -> bool:
        return self._count > 2 * (self._mask + 1)

    def _bucket(self, slot: int) -> int:
        return (self.hashes[slot] + (self._flags[slot] & PRIORITY_MASK) * _SPREAD) & self._mask

    def add(self, slot: int) -> None:
        if slot >= len(self._next):
            grow = array("i", [NONE]) * (len(self.hashes) - len(self._next))
            self._next.extend(grow)
            self._prev.extend(grow)
        bucket = self._bucket(slot)
        sequence = self._sequence
        number = sequence[slot]
        after = NONE
        before = self._tail[bucket]
        if before != NONE and sequence[before] > number:
            # A backout or a late commit: its place is mostly the very front, else near the end
            head = self._head[bucket]
            if sequence[head] > number:
                before, after = NONE, head
            else:
                while sequence[before] > number:
                    before, after = self._prev[before], before
        self._prev[slot] = before
        self._next[slot] = after
        if before == NONE:
            self._head[bucket] = slot
        else:
            self._next[before] = slot
        if after == NONE:
            self._tail[bucket] = slot
        else:
            self._prev[after] = slot
        self._count += 1

    def discard(self, slot: int) -> None:
        bucket = self._bucket(slot)
        before, after = self._prev[slot], self._next[slot]
        if before == NONE:
            self._head[bucket] = after
        else:
            self._next[before] = after
        if after == NONE:
            self._tail[bucket] = before
        else:
            self._prev[after] = before
        self._count -= 1

    def first(self, value: int, priority: int) -> int:
        """The first slot whose id has this hash, of this priority, or NONE."""
        return self._from(self._head[(value + priority * _SPREAD) & self._mask], value, priority)

    def after(self, slot: int) -> int:
        """The one that follows a slot of the index, with the same hash and priority, or NONE."""
        return self._from(self._next[slot], self.hashes[slot], self._flags[slot] & PRIORITY_MASK)

    def _from(self, slot: int, value: int, priority: int) -> int:
        hashes, flags, following = self.hashes, self._flags, self._next
        while slot != NONE and (hashes[slot] != value or flags[slot] & PRIORITY_MASK != priority):
            slot = following[slot]
        return slot
