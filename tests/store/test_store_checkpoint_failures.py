"""Checkpoints that do not come to their end: failed writes, given up, the power gone, the store closed meanwhile."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest
from helper_store import FOLDER, QUEUE_FILE, captured, checkpointed, contents, opened, put, take

from libremq.common.files.file_layer import RealFiles
from libremq.store import queue_file_images
from libremq.store.handle_file import HandlePosition
from libremq.store.queue_store import QueueStore
from libremq.store.space_handles import FRAGMENTED, NONE
from libremq.store.store_errors import StoreFailed, StoreFull
from libremq.testing.faulty_files import FaultyFile, FaultyFiles, PowerCut

TWO_BLOCKS = b"y" * 600
ONE_BLOCK = b"x" * 40
NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _with_a_past(files: FaultyFiles, **limits: int) -> tuple[QueueStore, HandlePosition, list[bytes]]:
    """A store with a completed checkpoint and changes since: a get, a put, a scattered message among them."""
    store = opened(files, **limits)
    slots = [put(store, b"old %d" % number) for number in range(12)]
    position = checkpointed(store)
    for slot in slots[::2]:
        take(store, slot)
    put(store, b"new" * 10)
    put(store, TWO_BLOCKS * 2)
    return store, position, [b"old %d" % number for number in range(12)]


@pytest.mark.parametrize("path", ["*/q", "*/handles.*"])
def test_a_write_that_fails_leaves_the_checkpoint_before_in_force(path: str) -> None:
    files = FaultyFiles()
    store, position, old = _with_a_past(files)
    now = contents(store)
    files.fail("write", path, NO_SPACE)
    checkpoint = captured(store)
    with pytest.raises((OSError, StoreFull)):
        checkpoint.write()
    assert contents(store) == now
    checkpoint.failed()
    assert store.position == position and store.needs_checkpoint and store.in_progress is None
    assert contents(store) == now
    assert contents(opened(files.copy(), position)) == old
    position = checkpointed(store)
    assert contents(opened(files, position)) == now


def test_a_failed_sync_is_no_lack_of_space() -> None:
    files = FaultyFiles()
    store, _, _ = _with_a_past(files)
    for path in ("*/q", "*/handles.*"):
        files.fail("sync", path)
        checkpoint = captured(store)
        with pytest.raises(StoreFailed):
            checkpoint.write()
        checkpoint.failed()


def test_a_failed_sync_on_the_way_of_a_long_message_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next sync would claim success for what is lost by then, of other messages, too."""
    monkeypatch.setattr(queue_file_images, "_PACED_BYTES", 1000)
    monkeypatch.setattr(queue_file_images, "_WRITE_BYTES", 500)
    files = FaultyFiles()
    store = opened(files)
    put(store, b"long" * 1000)
    checkpoint = captured(store)
    files.fail("sync", "*/q")
    with pytest.raises(StoreFailed):
        checkpoint.write()
    checkpoint.failed()


def test_spilled_and_not_written_is_back_in_the_buffer_after_a_failure() -> None:
    files = FaultyFiles()
    store = opened(files, persistent_buffer_bytes=1000)
    slots = [put(store, b"%d" % number) for number in range(2)]
    checkpoint = captured(store)
    free = store.space.free_blocks
    put(store, b"z" * 600)
    files.fail("write", "*/q", NO_SPACE)
    with pytest.raises(StoreFull):
        checkpoint.write()
    checkpoint.failed()
    assert next(iter(store._buffers[1].values())).data == b"0", "the oldest are first to leave again"
    assert store._buffer_bytes[1] == sum(message.weight for message in store._buffers[1].values())
    assert all(store.handles.block[slot] == NONE for slot in slots)
    assert store.space.free_blocks == free + 2
    assert contents(opened(files, checkpointed(store))) == [b"0", b"1", b"z" * 600]


def test_failures_one_after_the_other_use_no_space_up() -> None:
    """Messages come and go while each attempt is under way: their blocks must not pile up."""
    files = FaultyFiles()
    store = opened(files)
    put(store, b"stays")
    checkpointed(store)
    sizes = []
    for _ in range(5):
        slot = put(store, TWO_BLOCKS)
        checkpoint = captured(store)
        take(store, slot)
        files.fail("write", "*/q", NO_SPACE)
        with pytest.raises(StoreFull):
            checkpoint.write()
        checkpoint.failed()
        sizes.append(store.space.used_blocks())
    assert set(sizes) == {2}
    assert contents(opened(files, checkpointed(store))) == [b"stays"]
    assert store.space.used_blocks() == 2


def test_given_up_after_the_write_it_goes_on_behind_what_is_there() -> None:
    """Perhaps the record is on the disk after all: both states must stay whole until a later one is complete."""
    files = FaultyFiles()
    store, position, old = _with_a_past(files, persistent_buffer_bytes=600)
    seen = contents(store)
    checkpoint = captured(store)
    written = checkpoint.write()
    take(store, store.chains.first_of_all())
    checkpoint.failed()
    assert store.position == written
    take(store, list(store.chains)[-1])
    for number in range(20):
        put(store, b"later %d" % number)
    assert contents(opened(files.copy(), position)) == old
    assert contents(opened(files.copy(), written)) == seen
    now = contents(store)
    position = checkpointed(store)
    assert contents(opened(files, position)) == now == contents(store)


def _renewing(files: FaultyFiles) -> tuple[QueueStore, HandlePosition]:
    """A store whose next checkpoint begins a new generation of the handle file."""
    store = opened(files)
    kept = [put(store, b"kept %d" % number) for number in range(3)]
    for _ in range(3):
        slots = [put(store, b"passing") for _ in range(500)]
        checkpointed(store)
        for slot in slots:
            take(store, slot)
    position = checkpointed(store)
    store.set_backout_count(kept[1], 2)
    return store, position


def _generations(files: FaultyFiles) -> list[str]:
    return [name for name in files.list(FOLDER) if name.startswith("handles")]


def test_the_old_generation_goes_when_the_new_one_is_named_by_a_record() -> None:
    files = FaultyFiles()
    store, position = _renewing(files)
    old = f"handles.{position.generation:06d}"
    checkpoint = captured(store)
    put(store, b"not in it")
    written = checkpoint.write()
    assert written.generation == position.generation + 1
    assert old in _generations(files)
    checkpoint.done()
    assert _generations(files) == [f"handles.{written.generation:06d}"]
    again = opened(files, written)
    assert contents(again) == [b"kept 0", b"kept 1", b"kept 2"]
    assert [again.backout_count(slot) for slot in again.chains] == [0, 2, 0]


def test_a_new_generation_that_no_record_names_does_not_replace_the_old_one() -> None:
    files = FaultyFiles()
    store, position = _renewing(files)
    checkpoint = captured(store)
    written = checkpoint.write()
    checkpoint.failed()
    assert contents(opened(files.copy(), position)) == contents(opened(files.copy(), written)) == contents(store)
    put(store, b"one more")
    final = checkpointed(store)
    assert final.generation == written.generation and final.length > written.length
    assert _generations(files) == [f"handles.{final.generation:06d}"]
    assert contents(opened(files, final)) == contents(store)


def test_a_new_generation_cut_short_is_begun_again() -> None:
    files = FaultyFiles()
    store, position = _renewing(files)
    files.fail("write", "*/handles.*", NO_SPACE, after=1)
    checkpoint = captured(store)
    with pytest.raises(OSError):
        checkpoint.write()
    checkpoint.failed()
    assert store.position == position
    assert contents(opened(files, checkpointed(store))) == contents(store)


def test_a_generation_that_cannot_be_removed_does_not_spoil_the_checkpoint() -> None:
    files = FaultyFiles()
    store, position = _renewing(files)
    checkpoint = captured(store)
    written = checkpoint.write()
    files.fail("remove", "*/handles.*")
    checkpoint.done()
    assert len(_generations(files)) == 2 and not store.needs_checkpoint
    put(store, b"more")
    assert checkpointed(store).generation == written.generation > position.generation
    assert len(_generations(files)) == 1


def test_done_without_a_written_batch_is_a_failure() -> None:
    files = FaultyFiles()
    store, position, old = _with_a_past(files)
    captured(store).done()
    assert store.needs_checkpoint and store.position == position
    assert contents(opened(files.copy(), position)) == old


def test_the_data_is_not_written_before_the_log() -> None:
    store = opened(FaultyFiles())
    slot = put(store, b"logged")
    store.message(slot).lsn = 1 << 61
    checkpoint = captured(store)
    with pytest.raises(AssertionError, match="log"):
        checkpoint.write()


# The power goes


@pytest.mark.parametrize("outcome", ["done", "failed"])
def test_the_power_may_go_at_every_operation(outcome: str) -> None:
    """Verbs run after every step; whatever reached the disk, the state that a record names is there."""

    def workload(files: FaultyFiles, states: list[tuple[HandlePosition, list[bytes]]]) -> None:
        store, position, old = _with_a_past(files, persistent_buffer_bytes=700)
        states[:] = [(position, old)]
        seen = contents(store)
        checkpoint = captured(store)
        take(store, store.chains.first_of_all())
        put(store, TWO_BLOCKS)
        written = checkpoint.write()
        states.append((written, seen))
        put(store, b"between")
        put(store, TWO_BLOCKS)
        if outcome == "done":
            states.pop(0)
            checkpoint.done()
        else:
            checkpoint.failed()
        for number in range(6):
            put(store, b"after %d" % number)
            take(store, store.chains.first_of_all())
        states.append((HandlePosition(), []))
        position, now = checkpointed(store), contents(store)
        states[:] = [(position, now)]

    files = FaultyFiles()
    workload(files, [])
    for crash_at in range(1, files.operations + 1):
        crashed = FaultyFiles()
        crashed.crash_at = crash_at
        states: list[tuple[HandlePosition, list[bytes]]] = []
        with pytest.raises(PowerCut):
            workload(crashed, states)
        for disk in crashed.disk_states(random.Random(crash_at), limit=6):
            for position, expected in states:
                if position.generation:
                    assert contents(opened(disk.copy(), position)) == expected, (crash_at, disk.label)


# Closing


class WatchedFile(FaultyFile):
    __slots__ = ()

    def close(self) -> None:
        assert isinstance(self._files, CountingFiles)
        self._files.closed.append(self.path)


class CountingFiles(FaultyFiles):
    """Files that know which of them were closed."""

    def __init__(self) -> None:
        super().__init__()
        self.closed: list[str] = []

    def open(self, path: str, *, create: bool = False) -> FaultyFile:
        return WatchedFile(self, super().open(path, create=create)._number, path)


@pytest.mark.parametrize("outcome", ["done", "failed"])
@pytest.mark.parametrize("moment", ["captured", "written"])
def test_a_store_closed_while_a_checkpoint_is_in_progress_closes_its_files_afterwards(
    moment: str, outcome: str
) -> None:
    files = CountingFiles()
    store = opened(files)
    put(store, ONE_BLOCK)
    checkpointed(store)
    put(store, TWO_BLOCKS)
    checkpoint = captured(store)
    if moment == "captured":
        store.close()
        checkpoint.write()
    else:
        checkpoint.write()
        store.close()
    assert files.closed == []
    before = files.operations
    getattr(checkpoint, outcome)()
    assert sorted(files.closed) == [f"{FOLDER}/handles.000001", QUEUE_FILE]
    assert files.operations == before, "a closed store may be a deleted queue: its files are not touched"
    getattr(checkpoint, outcome)()
    assert len(files.closed) == 2


def test_a_real_descriptor_is_not_closed_under_the_writer(tmp_path: Path) -> None:
    """A closed one could be given to another file, which would then be written to."""
    folder = f"{tmp_path}/queues/Q"
    store = opened(RealFiles(), folder=folder)
    put(store, ONE_BLOCK)
    checkpointed(store)
    put(store, TWO_BLOCKS)
    checkpoint = captured(store)
    store.close()
    bystander = tmp_path / "bystander"
    descriptors = [os.open(bystander, os.O_RDWR | os.O_CREAT, 0o600) for _ in range(4)]
    position = checkpoint.write()
    checkpoint.done()
    for descriptor in descriptors:
        os.close(descriptor)
    assert bystander.read_bytes() == b""
    assert contents(opened(RealFiles(), position, folder=folder)) == [ONE_BLOCK, TWO_BLOCKS]


def test_a_scattered_message_can_be_captured_and_taken_back() -> None:
    files = FaultyFiles()
    store = opened(files, persistent_buffer_bytes=1)
    slots = [put(store, b"one block") for _ in range(12)]
    put(store, b"the last one")
    for number, slot in enumerate(slots):
        if number % 3:
            take(store, slot)
    store._buffer_limits = (1 << 20, 1 << 20)
    large = put(store, TWO_BLOCKS * 2)
    free = store.space.free_blocks
    checkpoint = captured(store)
    assert store.handles.flags[large] & FRAGMENTED and store.handles.block[large] == NONE
    assert store.message(large).data == TWO_BLOCKS * 2
    files.fail("write", "*/q", NO_SPACE, after=1)
    with pytest.raises(StoreFull):
        checkpoint.write()
    checkpoint.failed()
    assert not store.handles.flags[large] & FRAGMENTED and store.space.free_blocks == free
    assert contents(opened(files, checkpointed(store))) == contents(store)


@pytest.mark.parametrize("path", ["*/q", "*/handles.*", "none"])
@pytest.mark.parametrize("renewed", [False, True], ids=["appended", "renewed"])
def test_what_no_record_can_name_gives_its_space_back(path: str, renewed: bool) -> None:
    """Also what was written whole: another queue's checkpoint may have found no room."""
    files = FaultyFiles()
    store = opened(files)
    slots = [put(store, b"%d" % number) for number in range(3000)]
    position = checkpointed(store)
    old = contents(store)
    for slot in slots[:2900] if renewed else slots[:10]:
        take(store, slot)
    for number in range(50):
        put(store, b"%d" % number + b"n" * 5000)
    now, sizes = contents(store), _sizes(files)
    files.fail("write", path, NO_SPACE)
    checkpoint = captured(store)
    if path == "none":
        checkpoint.write()
    else:
        with pytest.raises((OSError, StoreFull)):
            checkpoint.write()
    late = put(store, b"late")
    take(store, next(iter(store.chains)))
    checkpoint.failed(give_back=True)
    assert store.position == position
    assert all(size <= sizes[name] for name, size in _sizes(files).items()), (_sizes(files), sizes)
    for disk in (files.copy(), *files.disk_states(random.Random(path), 12)):
        assert contents(opened(disk, position)) == old
    assert contents(store) == [*now[1:], store.message(late).data]
    position = checkpointed(store)
    for disk in (files.copy(), *files.disk_states(random.Random(path), 12)):
        assert contents(opened(disk, position)) == contents(store)


def _sizes(files: FaultyFiles) -> dict[str, int]:
    return {name: len(files.content(f"{FOLDER}/{name}")) for name in files.list(FOLDER)}


def test_the_checkpoint_of_an_emptied_queue_needs_next_to_no_space() -> None:
    files = FaultyFiles()
    store = opened(files)
    slots = [put(store, b"%d" % number + b"n" * 600) for number in range(5000)]
    checkpointed(store)
    full = sum(_sizes(files).values())
    for slot in slots:
        take(store, slot)
    files.set_free_space(100)
    position = checkpointed(store)
    assert sum(_sizes(files).values()) < full / 100
    assert contents(opened(files, position)) == []
