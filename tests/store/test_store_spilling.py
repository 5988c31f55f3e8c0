"""Runs of messages: what `messages` and `remove_run` do for several is what `message` and `remove` do for each."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest
from helper_store import QUEUE_FILE, captured, checkpointed, contents, opened, put, take

from libremq.mqi.structs import MQMD
from libremq.store.queue_store import QueueStore
from libremq.store.space_handles import FRAGMENTED, NONE
from libremq.store.store_checkpoint import StoreCheckpoint
from libremq.store.stored_message import Message, Origin
from libremq.testing.faulty_files import FaultyFiles


def _opened(files: FaultyFiles) -> QueueStore:
    return opened(files, persistent_buffer_bytes=6000, nonpersistent_buffer_bytes=6000)


def _checkpointed(store: QueueStore) -> None:
    if store.needs_checkpoint:
        checkpointed(store)


def _filled(files: FaultyFiles, seed: int, count: int = 60) -> QueueStore:
    """Messages of all kinds, some in the file and some in memory, with gaps where others were."""
    rng = random.Random(seed)
    store = _opened(files)
    persistent = bool(seed % 2)
    for number in range(count):
        md = MQMD(Version=2, MsgId=b"%024d" % number, CorrelId=rng.randbytes(24))
        odd = rng.randrange(12)
        message = Message(
            md, b"properties" if odd == 0 else b"", rng.randbytes(rng.choice((0, 100, 200, 900, 70_000))),
            Origin("eve", proven=False) if odd == 1 else None,
        )  # fmt: skip
        store.make_room(message, persistent)
        store.link(store.insert(message, 4, persistent))
        if rng.randrange(6) == 0:
            slot = rng.choice(list(store.chains))
            store.unlink(slot)
            store.remove(slot)
        if rng.randrange(25) == 0:
            _checkpointed(store)
    return store


def _all_of(message: Message) -> tuple[Any, ...]:
    return message.to_image(), message.data, message.properties, message.origin, message.md, message.weight


def _state(store: QueueStore) -> dict[str, Any]:
    handles = store.handles
    return {
        "handles": [(list(handles.flags), list(handles.block), list(handles.unit))],
        "free": sorted(handles.free_slots),
        "space": (bytes(store.space._map), store.space.free_blocks),
        "later": sorted(block for first, count in store._release_later for block in range(first, first + count)),
        "buffers": [sorted(buffer) for buffer in store._buffers],
        "latest": store._latest_slot,
        "bytes": (store._buffer_bytes, store._used, store._message_blocks, sorted(store._changed)),
    }


@pytest.mark.parametrize("seed", range(12))
def test_messages_of_a_run(seed: int) -> None:
    store = _filled(FaultyFiles(), seed)
    slots = list(store.chains)
    lengths = set()
    at = 0
    while at < len(slots):
        found = store.messages(slots[at:])
        alone = [store.message(slot) for slot in slots[at : at + len(found)]]
        assert found and list(map(_all_of, found)) == list(map(_all_of, alone))
        lengths.add(len(found))
        at += len(found)
    assert max(lengths) > 2


@pytest.mark.parametrize("seed", range(12))
def test_a_run_that_is_removed(seed: int) -> None:
    """Also while a checkpoint holds some of them, and where its rows are saved."""
    at_once, each = (_filled(FaultyFiles(), seed) for _ in range(2))
    rng = random.Random(seed)
    if seed % 3 == 0:
        for store in (at_once, each):
            _checkpointed(store)
    checkpoints = [captured(store) for store in (at_once, each)] if at_once.needs_checkpoint and seed % 4 == 1 else []
    slots = list(at_once.chains)[: rng.randrange(1, 40)]
    assert any(at_once.handles.block[slot] != NONE for slot in slots)
    if rng.randrange(2):
        at_once.message(slots[0]), each.message(slots[0])
    at_once.unlink_run(slots)
    at_once.remove_run(slots)
    for slot in slots:
        each.unlink(slot)
        each.remove(slot)
    assert _state(at_once) == _state(each)
    for checkpoint in checkpoints:
        checkpoint.write()
        checkpoint.done()
    assert contents(at_once) == contents(each)


@pytest.mark.parametrize("seed", range(12))
def test_a_run_that_is_removed_captures_a_checkpoint_first(seed: int) -> None:
    """As the first change since the checkpoint began: what is in flight and what has changed is another behind it."""
    at_once, each = (_filled(FaultyFiles(), seed) for _ in range(2))
    slots = list(at_once.chains)[:12]
    checkpoints: list[StoreCheckpoint] = []

    def capture_first(store: QueueStore) -> None:
        store.before_change = None
        checkpoints.append(captured(store))

    for store in (at_once, each):
        store.unlink_run(slots, unit=7)
        if seed % 3 == 0:
            _checkpointed(store)
            store.set_backout_count(list(store.chains)[-1], 1)
        if not seed % 2:
            put(store, b"one that is persistent")
        store.before_change = partial(capture_first, store)
    at_once.remove_run(slots)
    for slot in slots:
        each.remove(slot)
    assert _state(at_once) == _state(each) and len(checkpoints) == 2
    for checkpoint in checkpoints:
        checkpoint.write()
        checkpoint.done()
    assert _state(at_once) == _state(each)
    assert contents(at_once) == contents(each)


def test_messages_before_a_damaged_one_are_read() -> None:
    files = FaultyFiles()
    store = _opened(files)
    slots = [put(store, b"%03d" % number * 100) for number in range(40)]
    checkpointed(store)
    store.read_ahead.forget()
    file = files.open(QUEUE_FILE)
    at = store.handles.block[slots[5]] * 512 + 400
    file.write(at, bytes([file.read(at, 1)[0] ^ 1]))
    found = store.messages(slots)
    assert [one.data for one in found] == [b"%03d" % number * 100 for number in range(5)]


def test_another_message_in_the_place_of_one_ends_a_run() -> None:
    files = FaultyFiles()
    store = _opened(files)
    slots = [put(store, b"%03d" % number * 100) for number in range(40)]
    checkpointed(store)
    store.read_ahead.forget()
    file = files.open(QUEUE_FILE)
    block, other = store.handles.block[slots[3]], store.handles.block[slots[7]]
    size = (other - block) // 4 * 512
    file.write(block * 512, file.read(other * 512, size))
    assert [one.data[:3] for one in store.messages(slots)] == [b"000", b"001", b"002"]


def test_a_message_in_pieces_is_put_together() -> None:
    store = opened(FaultyFiles(), persistent_buffer_bytes=1)
    slots = [put(store, b"one block %02d" % number) for number in range(12)]
    put(store, b"the last one")
    for number, slot in enumerate(slots):
        if number % 3:
            take(store, slot)  # no gap has three blocks
    large = put(store, bytes(1000))
    after = [put(store, b"behind it %d" % number) for number in range(3)]
    checkpointed(store)
    assert store.handles.flags[large] & FRAGMENTED
    assert [one.data for one in store.messages([large, *after])][:1] == [bytes(1000)]
    assert [one.data for one in store.messages([after[0], large])] == [b"behind it 0"]
