"""Chains and their hash index against sorted lists: messages come, go and come back, also with equal hashes."""

from __future__ import annotations

import random

import pytest

from libremq.store.chains import Chains
from libremq.store.hash_index import HashIndex
from libremq.store.space_handles import IN_USE, NONE, PRIORITY_MASK, HandleTable


class Rows:
    """A handle table with chains over it, and beside them a plain dictionary of what is linked."""

    def __init__(self, ids: int) -> None:
        self.handles = HandleTable()
        self.chains = Chains(self.handles)
        self.linked: dict[int, tuple[int, int]] = {}
        self.waiting: list[int] = []
        self._ids = ids

    def make(self, priority: int, identifier: int) -> int:
        slot = self.handles.new_slot()
        self.handles.flags[slot] = IN_USE | priority
        self.handles.sequence[slot] = slot + 1
        self.handles.message_hash[slot] = self.handles.correl_hash[slot] = identifier % self._ids
        return slot

    def link(self, slot: int) -> None:
        self.chains.link(slot)
        self.linked[slot] = -(self.handles.flags[slot] & PRIORITY_MASK), self.handles.sequence[slot]

    def unlink(self, slot: int) -> None:
        self.chains.unlink(slot)
        del self.linked[slot]
        self.waiting.append(slot)

    def agree(self) -> None:
        order = sorted(self.linked, key=lambda slot: self.linked[slot])
        assert list(self.chains) == order
        assert len(self.chains) == sum(self.chains.counts) == len(order)
        assert self.chains.first_of_all() == (order[0] if order else NONE)
        assert [self.chains.after(slot) for slot in order] == [*order[1:], NONE][: len(order)]
        for value in range(self._ids):
            wanted = [slot for slot in order if self.handles.message_hash[slot] == value]
            for index in (self.chains.by_message(), self.chains.by_correlation()):
                assert found(self.chains, index, value) == wanted


def found(chains: Chains, index: HashIndex, value: int) -> list[int]:
    """All that an index, finished first, has for a hash."""
    while index.rest != NONE:
        assert chains.index_some(index, 3)
    slots = []
    slot = chains.first_with(index, value)
    while slot != NONE:
        slots.append(slot)
        slot = chains.after_with(index, slot)
    return slots


@pytest.mark.parametrize("seed", range(20))
def test_an_index_is_made_in_parts_while_messages_come_and_go(seed: int) -> None:
    rng = random.Random(seed)
    rows = Rows(ids=3)
    for _ in range(rng.choice((0, 1, 50, 400))):
        rows.link(rows.make(rng.choice((0, 4, 9)), rng.randrange(100)))
    index = rows.chains.by_message()
    while index.rest != NONE:
        rows.chains.index_some(index, rng.randrange(4))
        for _ in range(rng.randrange(3)):
            kind = rng.random()
            if kind < 0.3:
                rows.link(rows.make(rng.choice((0, 4, 9)), rng.randrange(100)))
            elif kind < 0.7 and rows.linked:
                rows.unlink(index.rest if rng.random() < 0.3 and index.rest != NONE else rng.choice(list(rows.linked)))
            elif rows.waiting:
                rows.link(rows.waiting.pop(rng.randrange(len(rows.waiting))))
        assert rows.chains.by_message() is index
    rows.agree()


def test_an_index_that_is_crowded_is_made_anew_with_more_buckets() -> None:
    rows = Rows(ids=3)
    rows.agree()
    index = rows.chains.by_message()
    for _ in range(600):
        rows.link(rows.make(4, 0))
    assert index.rest == NONE and index.crowded
    assert rows.chains.by_message() is index and index.rest != NONE and not index.crowded
    rows.agree()


@pytest.mark.parametrize("seed", range(8))
def test_chains_are_sorted_lists(seed: int) -> None:
    rng = random.Random(seed)
    rows = Rows(ids=5)
    for step in range(300):
        kind = rng.random()
        if kind < 0.5 or not rows.linked:
            rows.link(rows.make(rng.choice((0, 4, 4, 9)), rng.randrange(100)))
        elif kind < 0.8:
            rows.unlink(rng.choice(list(rows.linked)))
        elif rows.waiting:
            rows.link(rows.waiting.pop(rng.randrange(len(rows.waiting))))
        if step % 10 == 0:
            rows.agree()
    rows.agree()


@pytest.mark.parametrize("gone", range(4))
def test_one_goes_and_comes_back_in_its_place(gone: int) -> None:
    rows = Rows(ids=1)
    slots = [rows.make(4, 0) for _ in range(4)]
    for slot in slots:
        rows.link(slot)
    rows.agree()
    rows.unlink(slots[gone])
    rows.agree()
    rows.link(slots[gone])
    rows.agree()


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_run_is_linked_and_unlinked_as_its_members_are(seed: int, indexed: bool) -> None:
    rng = random.Random(seed)
    both = [Rows(5), Rows(5)]
    for _ in range(60):
        priority, count = rng.randrange(3), rng.randrange(1, 6)
        if rng.random() < 0.55:
            made = [[rows.make(priority, number) for number in range(count)] for rows in both]
            if indexed:
                for rows in both:
                    rows.chains.by_message()
            both[0].chains.link_run(made[0])
            for slot in made[1]:
                both[1].chains.link(slot)
        else:
            slots: list[int] = []
            slot = both[0].chains.first(priority)
            while slot != NONE and len(slots) < count:
                slots.append(slot)
                slot = both[0].handles.next[slot]
            if not slots:
                continue
            both[0].chains.unlink_run(slots)
            for slot in slots:
                both[1].chains.unlink(slot)
            if rng.random() < 0.5:  # they come back, in front of the others
                both[0].chains.link_run(slots)
                for slot in slots:
                    both[1].chains.link(slot)
        one, other = (rows.chains for rows in both)
        assert list(one) == list(other) and one.counts == other.counts and one.count == other.count
        assert one.first_of_all() == other.first_of_all()
        assert one.handles.next == other.handles.next and one.handles.prev == other.handles.prev
        assert one.handles.flags == other.handles.flags
