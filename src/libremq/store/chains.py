"""Message chains: the order in which a queue gives out its messages.

Ten chains, one a priority, each a doubly linked list through the handle table, in sequence-number order. Only
messages that a get may take are linked: a message put or got under syncpoint is out of its chain until the unit
of work ends, so that a search never walks over it. The sequence number puts it back in its place.

Searching by message or correlation id goes through a hash index made when the first such get comes: buckets of
doubly linked slots, in chain order, one index a field. A bucket holds one priority only, because a get must find
the highest priority first.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from libremq.store.space_handles import LINKED, NONE, PRIORITY_MASK, HandleTable

CHAINS = 10
_BUCKETS_MIN = 256
_SPREAD = 0x9E3779B1  # keeps the priorities of one id in different buckets


class HashIndex:
    """Slots by the hash of one id. Bucket = hash and priority; within it the slots are in sequence order."""

    __slots__ = ("_count", "_flags", "_hashes", "_head", "_mask", "_next", "_prev", "_sequence", "_tail")

    def __init__(self, handles: HandleTable, hashes: array[int], slots: Iterable[int], expected: int) -> None:
        self._hashes = hashes
        self._flags = handles.flags
        self._sequence = handles.sequence
        buckets = _BUCKETS_MIN
        while buckets < expected:
            buckets *= 2
        self._mask = buckets - 1
        self._head = array("i", [NONE]) * buckets
        self._tail = array("i", [NONE]) * buckets
        self._next = array("i", [NONE]) * len(hashes)
        self._prev = array("i", [NONE]) * len(hashes)
        self._count = 0
        for slot in slots:
            self.add(slot)

    @property
    def crowded(self) -> bool:
        return self._count > 2 * (self._mask + 1)

    def _bucket(self, slot: int) -> int:
        return (self._hashes[slot] + (self._flags[slot] & PRIORITY_MASK) * _SPREAD) & self._mask

    def add(self, slot: int) -> None:
        if slot >= len(self._next):
            grow = array("i", [NONE]) * (len(self._hashes) - len(self._next))
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

    def find(self, value: int, priority: int) -> Iterator[int]:
        """Slots whose id has this hash, of this priority, in sequence order."""
        hashes, flags = self._hashes, self._flags
        slot = self._head[(value + priority * _SPREAD) & self._mask]
        while slot != NONE:
            after = self._next[slot]
            if hashes[slot] == value and flags[slot] & PRIORITY_MASK == priority:
                yield slot
            slot = after


class Chains:
    """The chains of one queue, over its handle table."""

    __slots__ = ("_by_correlation", "_by_message", "_filled", "_head", "_tail", "count", "counts", "handles")

    def __init__(self, handles: HandleTable) -> None:
        self.handles = handles
        self.clear()

    def clear(self) -> None:
        self._head = [NONE] * CHAINS
        self._tail = [NONE] * CHAINS
        self.counts = [0] * CHAINS  # messages of each chain
        self.count = 0  # and of all
        self._filled = 0  # a bit for each chain that has messages: the highest is where a get begins
        self._by_message: HashIndex | None = None
        self._by_correlation: HashIndex | None = None

    def __len__(self) -> int:
        return self.count

    # Walking

    def first(self, priority: int) -> int:
        return self._head[priority]

    def __iter__(self) -> Iterator[int]:
        """Every slot in delivery order. The current slot may be unlinked while the loop runs."""
        following = self.handles.next
        for priority in range(CHAINS - 1, -1, -1):
            slot = self._head[priority]
            while slot != NONE:
                after = following[slot]
                yield slot
                slot = after

    def after(self, slot: int) -> int:
        """The linked slot that follows this linked one in delivery order, or NONE."""
        following = self.handles.next[slot]
        if following != NONE:
            return following
        return self.first_below(self.handles.flags[slot] & PRIORITY_MASK)

    def first_below(self, priority: int) -> int:
        """The first slot of the chains under this priority."""
        filled = self._filled & (1 << priority) - 1
        return self._head[filled.bit_length() - 1] if filled else NONE

    def first_of_all(self) -> int:
        filled = self._filled
        return self._head[filled.bit_length() - 1] if filled else NONE

    def find_message(self, value: int) -> Iterator[int]:
        """Slots whose message id has this hash, in delivery order (an equal hash still needs a look at the id)."""
        index = self._by_message
        if index is None or index.crowded:
            index = self._by_message = HashIndex(self.handles, self.handles.message_hash, self, len(self))
        return self._find(index, value)

    def find_correlation(self, value: int) -> Iterator[int]:
        index = self._by_correlation
        if index is None or index.crowded:
            index = self._by_correlation = HashIndex(self.handles, self.handles.correl_hash, self, len(self))
        return self._find(index, value)

    def _find(self, index: HashIndex, value: int) -> Iterator[int]:
        for priority in range(CHAINS - 1, -1, -1):
            if self.counts[priority]:
                yield from index.find(value, priority)

    # Linking

    def link(self, slot: int) -> None:
        """Put the slot in its chain, at the place of its sequence number."""
        handles = self.handles
        flags, following, previous = handles.flags, handles.next, handles.prev
        state = flags[slot]
        assert not state & LINKED
        priority = state & PRIORITY_MASK
        before, after = self._tail[priority], NONE
        if before == NONE:
            self._filled |= 1 << priority
        elif handles.sequence[before] > handles.sequence[slot]:
            before, after = self._place(slot, priority)
        previous[slot] = before
        following[slot] = after
        if before == NONE:
            self._head[priority] = slot
        else:
            following[before] = slot
        if after == NONE:
            self._tail[priority] = slot
        else:
            previous[after] = slot
        flags[slot] = state | LINKED
        self.counts[priority] += 1
        self.count += 1
        if self._by_message is not None:
            self._by_message.add(slot)
        if self._by_correlation is not None:
            self._by_correlation.add(slot)

    def link_in_order(self, slots: Iterable[int]) -> None:
        """Link slots whose sequence numbers rise, into empty chains: the load of a queue."""
        following, previous, flags = self.handles.next, self.handles.prev, self.handles.flags
        for slot in slots:
            priority = flags[slot] & PRIORITY_MASK
            last = self._tail[priority]
            previous[slot] = last
            following[slot] = NONE
            if last == NONE:
                self._head[priority] = slot
            else:
                following[last] = slot
            self._tail[priority] = slot
            flags[slot] |= LINKED
            self.counts[priority] += 1
        self.count = sum(self.counts)
        self._filled = sum(1 << priority for priority in range(CHAINS) if self.counts[priority])

    def _place(self, slot: int, priority: int) -> tuple[int, int]:
        """The neighbours between which a slot belongs that is not the last. The front is O(1); so is where it was."""
        handles = self.handles
        sequence = handles.sequence
        number = sequence[slot]
        head, tail = self._head[priority], self._tail[priority]
        if number < sequence[head]:
            return NONE, head
        before, after = handles.prev[slot], handles.next[slot]
        if (
            before != NONE
            and after != NONE
            and before < len(handles)
            and after < len(handles)
            and handles.flags[before] & (LINKED | PRIORITY_MASK) == LINKED | priority
            and handles.next[before] == after
            and sequence[before] < number < sequence[after]
        ):
            return before, after
        # Walk from both ends at once: the place is nearly always close to one of them
        forward, backward = head, tail
        while True:
            if sequence[forward] > number:
                return handles.prev[forward], forward
            if sequence[backward] < number:
                return backward, handles.next[backward]
            forward = handles.next[forward]
            backward = handles.prev[backward]

    def unlink(self, slot: int) -> None:
        """Take the slot out of its chain; it remembers its neighbours, for the way back."""
        handles = self.handles
        flags = handles.flags
        state = flags[slot]
        assert state & LINKED
        priority = state & PRIORITY_MASK
        before, after = handles.prev[slot], handles.next[slot]
        if before == NONE:
            self._head[priority] = after
            if after == NONE:
                self._filled &= ~(1 << priority)
        else:
            handles.next[before] = after
        if after == NONE:
            self._tail[priority] = before
        else:
            handles.prev[after] = before
        flags[slot] = state & ~LINKED
        self.counts[priority] -= 1
        self.count -= 1
        if self._by_message is not None:
            self._by_message.discard(slot)
        if self._by_correlation is not None:
            self._by_correlation.discard(slot)
