"""A queue's store against a naive model of it: a short run of tests/model, for whoever changes the store.

And that its blocks are free again when their messages are gone.
"""

from __future__ import annotations

from helper_store import checkpointed, opened, put, take
from hypothesis import settings
from test_model_store import STEPS, StoreMachine

from libremq.store.space_handles import FRAGMENTED
from libremq.testing.faulty_files import FaultyFiles


class _Machine(StoreMachine):
    """A class of its own: what is set for its cases is not set for those of the long run."""


TestStore = _Machine.TestCase
TestStore.settings = settings(settings.default, max_examples=30, stateful_step_count=STEPS)


def test_the_blocks_of_a_message_in_pieces_are_free_again() -> None:
    store = opened(FaultyFiles(), persistent_buffer_bytes=1)
    slots = [put(store, b"one block %02d" % number) for number in range(12)]
    put(store, b"the last one")
    for number, slot in enumerate(slots):
        if number % 3:
            take(store, slot)  # no gap has three blocks
    large = put(store, bytes(1000))
    put(store, b"and another")
    assert store.handles.flags[large] & FRAGMENTED
    blocks = len(store._fragments[large])
    before = store.space.used_blocks()
    take(store, large)
    assert store.space.used_blocks() == before - blocks


def test_blocks_that_do_not_lie_together_are_all_free_again() -> None:
    store = opened(FaultyFiles(), persistent_buffer_bytes=1)
    slots = [put(store, b"one block %02d" % number) for number in range(5)]
    checkpointed(store)
    before = store.space.used_blocks()
    for slot in slots[::2]:
        take(store, slot)
    checkpointed(store)
    assert store.space.used_blocks() == before - 3
