"""Message chains: the order in which a queue gives out its messages.

Ten chains, one a priority, each a doubly linked list through the handle table, in sequence-number order. Only
messages that a get may take are linked: a message put or got under syncpoint is out of its chain until the unit
of work ends, so that a search never walks over it. The sequence number puts it back in its place.

Searching by message or correlation id goes through an index, one a field (`hash_index`). To make one of a deep queue
takes long, so whoever needs it goes on with it for as long as it may.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from libremq.store.hash_index import HashIndex
from libremq.store.space_handles import LINKED, NONE, PRIORITY_MASK, HandleTable

CHAINS = 10


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

    # Searching by id

    def by_message(self) -> HashIndex:
        """The index by message id; while its `rest` is not NONE, it is to be gone on with."""
        index = self._by_message
        if index is None or index.crowded:
            index = self._by_message = self._begun(index, self.handles.message_hash)
        return index

    def by_correlation(self) -> HashIndex:
        index = self._by_correlation
        if index is None or index.crowded:
            index = self._by_correlation = self._begun(index, self.handles.correl_hash)
        return index

    def _begun(self, index: HashIndex | None, hashes: array[int]) -> HashIndex:
        """A new one, or the same with more buckets: a search that is under way may hold it."""
        index = index or HashIndex(self.handles, hashes)
        index.begin(self.first_of_all(), self.count)
        return index

    def index_some(self, index: HashIndex, most: int) -> int:
        """Go on with an index: so many slots at most; how many it were."""
        slot, done = index.rest, 0
        while slot != NONE and done < most:
            index.add(slot)
            slot = index.rest = self.after(slot)
            done += 1
        return done

    def first_with(self, index: HashIndex, value: int, below: int = CHAINS) -> int:
        """The first slot with this hash, in delivery order, of the chains below a priority, or NONE."""
        filled = self._filled & (1 << below) - 1
        while filled:
            priority = filled.bit_length() - 1
            slot = index.first(value, priority)
            if slot != NONE:
                return slot
            filled ^= 1 << priority
        return NONE

    def after_with(self, index: HashIndex, slot: int) -> int:
        """The linked slot that follows this linked one in delivery order and has the same hash, or NONE."""
        following = index.after(slot)
        if following != NONE:
            return following
        return self.first_with(index, index.hashes[slot], self.handles.flags[slot] & PRIORITY_MASK)

    def _is_before(self, slot: int, other: int) -> bool:
        """In delivery order, both linked or about to be."""
        flags, sequence = self.handles.flags, self.handles.sequence
        priority, its = flags[slot] & PRIORITY_MASK, flags[other] & PRIORITY_MASK
        return sequence[slot] < sequence[other] if priority == its else priority > its

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
        for index in (self._by_message, self._by_correlation):
            if index is not None and (index.rest == NONE or self._is_before(slot, index.rest)):
                index.add(slot)

    def link_run(self, slots: Sequence[int]) -> None:
        """The same for several of one priority whose sequence numbers rise."""
        handles = self.handles
        flags, following, previous = handles.flags, handles.next, handles.prev
        first = slots[0]
        priority = flags[first] & PRIORITY_MASK
        before = self._tail[priority]
        if self._has_index or (before != NONE and handles.sequence[before] > handles.sequence[first]):
            for slot in slots:
                self.link(slot)
            return
        if before == NONE:
            self._filled |= 1 << priority
            self._head[priority] = first
        else:
            following[before] = first
        for slot in slots:
            state = flags[slot]
            assert not state & LINKED
            flags[slot] = state | LINKED
            previous[slot] = before
            if slot != first:
                following[before] = slot
            before = slot
        following[before] = NONE
        self._tail[priority] = before
        self.counts[priority] += len(slots)
        self.count += len(slots)

    def unlink_run(self, slots: Sequence[int]) -> None:
        """Take the first ones of a chain out of it, in their order: the same as `unlink` for each."""
        if self._has_index:
            for slot in slots:
                self.unlink(slot)
            return
        handles = self.handles
        flags, previous = handles.flags, handles.prev
        priority = flags[slots[0]] & PRIORITY_MASK
        assert self._head[priority] == slots[0]
        for slot in slots:
            state = flags[slot]
            assert state & LINKED
            flags[slot] = state ^ LINKED
            previous[slot] = NONE
        after = handles.next[slots[-1]]
        self._head[priority] = after
        if after == NONE:
            self._tail[priority] = NONE
            self._filled &= ~(1 << priority)
        else:
            previous[after] = NONE
        self.counts[priority] -= len(slots)
        self.count -= len(slots)

    @property
    def _has_index(self) -> bool:
        return self._by_message is not None or self._by_correlation is not None

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
        for index in (self._by_message, self._by_correlation):
            if index is not None:
                if slot == index.rest:
                    index.rest = self.after(slot)
                elif index.rest == NONE or self._is_before(slot, index.rest):
                    index.discard(slot)
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
