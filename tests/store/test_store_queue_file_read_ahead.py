"""What is read ahead of a queue file is what lies there: also when blocks are written again, or read wrong once."""

from __future__ import annotations

import random

import pytest
from helper_store import QUEUE_FILE, captured, checkpointed, opened, put, take

from libremq.store.queue_file_read_ahead import WINDOW_BYTES
from libremq.testing.faulty_files import FaultyFiles

_COUNT = 200


def _data(number: int) -> bytes:
    """All have the same message id: and length: by these nobody can tell that it is another."""
    return b"id".ljust(24) + random.Random(number).randbytes(700)


def _reads(files: FaultyFiles) -> int:
    """Reads of the queue file since the fault was planted that counts them."""
    return 10_000 - files._failures[-1].after


def test_messages_that_lie_together_take_few_reads() -> None:
    files = FaultyFiles()
    store = opened(files, persistent_buffer_bytes=1)
    slots = [put(store, _data(number)) for number in range(_COUNT)]
    put(store, b"writes the one before")
    files.fail("misread", QUEUE_FILE, after=10_000, times=1)
    for number, slot in enumerate(slots):
        assert store.message(slot).data == _data(number)
    most = _COUNT * 2048 // WINDOW_BYTES + 10
    assert 0 < _reads(files) <= most < _COUNT // 4


class _Window:
    """A store whose messages 2 to 19 were read along with message 1; then message 5 went, and others came."""

    def __init__(self, persistent_buffer_bytes: int) -> None:
        self.store = store = opened(FaultyFiles(), persistent_buffer_bytes=persistent_buffer_bytes)
        self.messages = {put(store, _data(number)): number for number in range(20)}
        slots = list(self.messages)
        for number in range(90, 96):
            self.messages[put(store, _data(number))] = number
        for slot in slots[:2]:
            self.read(slot)
        self.hole = store.handles.block[slots[5]]
        take(store, slots[5])
        del self.messages[slots[5]]
        self.follow = slots[2:5]

    def read(self, slot: int) -> None:
        assert self.store.message(slot).data == _data(self.messages[slot])

    def come(self) -> None:
        for number in range(100, 108):
            self.messages[put(self.store, _data(number))] = number

    def read_what_is_in_the_hole(self) -> None:
        (slot,) = (slot for slot in self.messages if self.store.handles.block[slot] == self.hole)
        assert not self.store._buffers[1].get(slot)
        self.read(slot)


def test_blocks_that_are_written_again_are_read_again() -> None:
    window = _Window(persistent_buffer_bytes=1)
    window.come()
    window.read_what_is_in_the_hole()


def test_blocks_that_a_checkpoint_writes_are_read_again() -> None:
    window = _Window(persistent_buffer_bytes=5_000)
    checkpointed(window.store)
    window.store._buffers[1].clear()  # what has blocks may go, as the next messages would make it
    window.read_what_is_in_the_hole()


def test_nothing_is_read_ahead_of_a_checkpoint_that_is_to_write_it() -> None:
    window = _Window(persistent_buffer_bytes=5_000)
    checkpoint = captured(window.store)
    for slot in window.follow:
        window.read(slot)
    checkpoint.write()
    checkpoint.done()
    window.store._buffers[1].clear()
    window.read_what_is_in_the_hole()


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_and_goes_a_message_is_itself(seed: int) -> None:
    """Messages come and go and are read in any order, checkpoints among them; none is ever another one's bytes."""
    chance = random.Random(seed)
    store = opened(FaultyFiles(), persistent_buffer_bytes=8_000)
    there: dict[int, int] = {}
    for number in range(600):
        there[put(store, _data(number))] = number
        if chance.random() < 0.3:
            start = chance.randrange(max(1, len(there) - 12))
            for slot in list(there)[start : start + 3]:
                assert store.message(slot).data == _data(there[slot])
        while there and chance.random() < 0.45:
            slot = chance.choice(list(there))
            assert store.message(slot).data == _data(there.pop(slot))
            take(store, slot)
        if chance.random() < 0.03:
            captured = store.capture()
            if captured is not None:
                captured.write()
                for slot in list(there)[:5]:
                    assert store.message(slot).data == _data(there[slot])
                captured.done()
    for slot, number in there.items():
        assert store.message(slot).data == _data(number)
