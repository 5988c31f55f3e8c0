"""Fuzzy checkpoints: what verbs may do between capture, write and end, and what each outcome leaves."""

from __future__ import annotations

import errno
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from helper_store import FOLDER, QUEUE_FILE, captured, checkpointed, contents, opened, put, take

from libremq.common.files.file_layer import RealFiles
from libremq.store import queue_file_images, store_checkpoint
from libremq.store.handle_file import HandlePosition
from libremq.store.queue_store import QueueStore
from libremq.store.space_map import FREE
from libremq.store.store_errors import StoreFull
from libremq.testing.faulty_files import FaultyFile, FaultyFiles

ONE_BLOCK, TWO_BLOCKS = b"x" * 40, b"y" * 600
NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class StoppingFiles(FaultyFiles):
    """Files that do something of the test's before a write, or when one is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.before_write: Callable[[str], None] = lambda path: None
        self.on_open: Callable[[str], None] = lambda path: None

    def open(self, path: str, *, create: bool = False) -> FaultyFile:
        file = super().open(path, create=create)
        self.on_open(path)
        return file

    def _write(self, number: int, path: str, offset: int, data: bytes) -> None:
        self.before_write(path)
        super()._write(number, path, offset, data)


def everything(store: QueueStore) -> tuple[object, ...]:
    """The state of a store as a later checkpoint or verb could notice it."""
    handles = store.handles
    return (
        list(store.chains), list(handles.flags), list(handles.block), dict(store._fragments), sorted(store._changed),
        bytes(store._saved).rstrip(b"\0"), store._saved_count, list(store._release_later), store.space.used_blocks(),
        [dict(buffer) for buffer in store._buffers], list(store._buffer_bytes), store._in_flight, store.position,
    )  # fmt: skip


# Capture


def test_nothing_changed_nothing_captured() -> None:
    store = opened(FaultyFiles())
    assert store.capture() is None
    put(store, b"not persistent", persistent=False)
    assert store.capture() is None and not store.needs_checkpoint
    put(store, b"persistent")
    checkpointed(store)
    assert store.capture() is None and not store.needs_checkpoint


def test_a_capture_does_nothing_with_the_disk_not_even_for_a_new_queue() -> None:
    """It runs under the queue manager's lock, for thousands of new queues perhaps."""
    files = StoppingFiles()
    store = opened(files)
    writes: list[str] = []
    files.before_write = writes.append
    for _ in range(2):
        put(store, ONE_BLOCK)
        writes.clear()
        before = files.operations
        checkpoint = captured(store)
        assert files.operations == before and writes == []
        checkpoint.write()
        assert set(writes) == {QUEUE_FILE, f"{FOLDER}/handles.000001"}
        checkpoint.done()


def test_a_verb_that_writes_out_its_buffer_before_the_checkpoint_does_makes_the_file_once() -> None:
    """Whoever comes second must not begin it anew: what is in it is on disk by then, and nowhere else."""
    files = FaultyFiles()
    store = opened(files, nonpersistent_buffer_bytes=1000)
    put(store, ONE_BLOCK)
    checkpoint = captured(store)
    for number in range(8):
        put(store, b"%d" % number * 300, persistent=False)
    assert store.spilled_messages
    position = checkpoint.write()
    checkpoint.done()
    assert contents(store) == [ONE_BLOCK, *(b"%d" % number * 300 for number in range(8))]
    for after_power_cut in files.disk_states(random.Random(1), 20):
        assert contents(opened(after_power_cut, position)) == [ONE_BLOCK]


def test_a_verb_waits_while_the_checkpoint_makes_the_file() -> None:
    files = StoppingFiles()
    store = opened(files, nonpersistent_buffer_bytes=1000)
    put(store, ONE_BLOCK)
    checkpoint = captured(store)
    making, made = threading.Event(), threading.Event()

    def stop(path: str) -> None:
        if threading.current_thread() is writer:
            making.set()
            made.wait(60)

    files.on_open = stop  # before it is emptied and given its header
    writer = threading.Thread(target=checkpoint.write)
    writer.start()
    assert making.wait(60)
    spiller = threading.Thread(target=lambda: [put(store, b"%d" % n * 300, persistent=False) for n in range(8)])
    spiller.start()
    spiller.join(0.2)  # whoever does not wait is through by then, if not it is no worse
    made.set()
    writer.join()
    spiller.join()
    checkpoint.done()
    assert contents(store) == [ONE_BLOCK, *(b"%d" % number * 300 for number in range(8))]


class SyncsOf(FaultyFiles):
    """Files that note what is synced."""

    def __init__(self) -> None:
        super().__init__()
        self.syncs: list[str] = []

    def _count(self, what: str) -> None:
        if what.startswith("sync"):
            self.syncs.append(what.split()[-1])
        super()._count(what)


def test_a_new_queue_costs_as_few_syncs_as_can_be() -> None:
    files = SyncsOf()
    store = opened(files)
    put(store, ONE_BLOCK)
    checkpoint = captured(store)
    assert checkpoint.makes_files  # so whoever takes it syncs the folder above, once for all queues
    checkpoint.write()
    assert files.syncs == [QUEUE_FILE, f"{FOLDER}/handles.000001", FOLDER]


def test_a_capture_that_finds_the_file_full_changes_nothing() -> None:
    store = opened(FaultyFiles(), file_blocks_max=4)
    kept = put(store, ONE_BLOCK)
    position = checkpointed(store)
    take(store, kept)
    for data in (b"a", b"b", TWO_BLOCKS):
        put(store, data)
    before = everything(store)
    with pytest.raises(StoreFull, match="largest size"):
        store.capture()
    assert everything(store) == before and store.in_progress is None
    assert store.position == position
    assert contents(store) == [b"a", b"b", TWO_BLOCKS]
    take(store, store.chains.first_of_all())
    take(store, store.chains.first_of_all())
    checkpointed(store)
    assert contents(store) == [TWO_BLOCKS]


@pytest.mark.parametrize("kind", ["create", "write"])
def test_a_checkpoint_that_cannot_make_the_queue_file_changes_nothing(kind: str) -> None:
    files = FaultyFiles()
    store = opened(files)
    put(store, ONE_BLOCK)
    checkpoint = captured(store)
    files.fail(kind, "*/q", NO_SPACE)
    with pytest.raises(StoreFull):
        checkpoint.write()
    checkpoint.failed()
    files.heal()
    assert store.in_progress is None and contents(store) == [ONE_BLOCK] and store.space.used_blocks() == 1
    position = checkpointed(store)
    assert contents(opened(files, position)) == [ONE_BLOCK]


def test_an_interrupt_anywhere_in_a_capture_leaves_the_store_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raised by every call that a capture makes in turn; the checkpoint after it must be as good as any."""

    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    targets = [
        (queue_file_images, "place"), (store_checkpoint, "HandleSnapshot"),
        (store_checkpoint.StoreCheckpoint, "_note_saved"), (store_checkpoint.StoreCheckpoint, "_place_images"),
    ]  # fmt: skip
    for owner, name in targets:
        files = FaultyFiles()
        store = opened(files)
        gone, stays = put(store, ONE_BLOCK), put(store, TWO_BLOCKS)
        checkpointed(store)
        take(store, gone)
        put(store, b"new")
        before = everything(store)
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                store.capture()
        assert everything(store) == before, name
        position = checkpointed(store)
        assert contents(opened(files, position)) == contents(store) == [TWO_BLOCKS, b"new"]
        assert store.handles.flags[stays]


def test_a_capture_that_nobody_took_is_given_up_by_the_next() -> None:
    files = FaultyFiles()
    store = opened(files)
    put(store, ONE_BLOCK)
    captured(store)
    put(store, b"more")
    position = checkpointed(store)
    assert contents(opened(files, position)) == [ONE_BLOCK, b"more"]


def test_a_second_capture_while_the_first_is_written_is_refused() -> None:
    store = opened(FaultyFiles())
    put(store, ONE_BLOCK)
    captured(store).write()
    with pytest.raises(AssertionError):
        store.capture()


# Verbs between capture and end


def test_a_restart_finds_the_state_of_the_capture_and_nothing_later() -> None:
    files = FaultyFiles()
    store = opened(files)
    first, second = put(store, b"first"), put(store, b"second")
    checkpoint = captured(store)
    take(store, first)
    put(store, b"third")
    store.unlink(second, 7)
    store.set_backout_count(second, 3)
    position = checkpoint.write()
    put(store, b"fourth")
    again = opened(files, position)
    assert contents(again) == [b"first", b"second"]
    assert again.backout_count(second) == 0 and again.next_sequence == 3
    checkpoint.done()
    store.link(second)
    assert contents(opened(files, checkpointed(store))) == [b"second", b"third", b"fourth"]


def test_a_captured_message_is_read_from_memory_until_its_image_is_in_the_file() -> None:
    store = opened(FaultyFiles(), persistent_buffer_bytes=1000)
    slots = [put(store, b"%d" % number) for number in range(2)]
    checkpoint = captured(store)
    put(store, b"makes the others spill" * 30)
    assert store.spilled_messages == 2 and store._buffer_bytes[1] < 1100
    assert [store.message(slot).data for slot in slots] == [b"0", b"1"]
    assert store.descriptor(slots[0]).MsgId == b"0".ljust(24, b".")
    checkpoint.write()
    assert take(store, slots[0]) == b"0"
    checkpoint.done()
    assert store.message(slots[1]).data == b"1" and not store._in_flight


def test_a_slot_used_again_does_not_show_the_captured_message() -> None:
    store = opened(FaultyFiles(), persistent_buffer_bytes=1)
    slot = put(store, b"captured")
    checkpoint = captured(store)
    take(store, slot)
    assert put(store, b"another") == slot
    put(store, b"makes it spill")
    assert store.message(slot).data == b"another"
    checkpoint.write()
    assert store.message(slot).data == b"another"
    checkpoint.done()
    assert contents(store) == [b"another", b"makes it spill"]


def test_blocks_of_a_message_removed_after_the_capture_wait_for_the_next_checkpoint() -> None:
    store = opened(FaultyFiles())
    slot = put(store, ONE_BLOCK)
    checkpoint = captured(store)
    block = store.handles.block[slot]
    take(store, slot)
    checkpoint.write()
    checkpoint.done()
    assert store.space.code(block) != FREE, "the checkpoint that is complete now describes it"
    checkpointed(store)
    assert store.space.code(block) == FREE


def test_blocks_of_a_message_removed_before_the_capture_are_free_when_it_is_done() -> None:
    store = opened(FaultyFiles())
    slot = put(store, ONE_BLOCK)
    put(store, ONE_BLOCK)
    checkpointed(store)
    block = store.handles.block[slot]
    take(store, slot)
    checkpoint = captured(store)
    checkpoint.write()
    assert store.space.code(block) != FREE
    checkpoint.done()
    assert store.space.code(block) == FREE


def test_a_kept_nonpersistent_message_got_before_the_checkpoint_of_the_start_is_complete_is_not_overwritten() -> None:
    """The checkpoint of the orderly end still describes it, and a crash would go back there."""
    files = FaultyFiles()
    store = opened(files)
    put(store, b"kept", persistent=False)
    checkpoint = captured(store, keep_nonpersistent=True)
    assert checkpoint.has_nonpersistent
    position = checkpoint.write()
    checkpoint.done()
    store.close()
    again = opened(files, position, persistent_buffer_bytes=1)
    slot = again.chains.first_of_all()
    checkpoint = captured(again)
    assert not checkpoint.has_nonpersistent
    assert take(again, slot) == b"kept"
    put(again, b"wants a block")
    put(again, b"makes it spill")
    checkpoint.write()
    assert contents(opened(files.copy(), position)) == [b"kept"], "a crash now would need it"
    checkpoint.done()
    assert contents(again) == [b"wants a block", b"makes it spill"]


def test_blocks_that_no_checkpoint_needs_do_not_wait_for_the_next_change() -> None:
    files = FaultyFiles()
    store = opened(files)
    put(store, b"kept", persistent=False)
    checkpoint = captured(store, keep_nonpersistent=True)
    again = opened(files, checkpoint.write())
    checkpoint = captured(again)
    take(again, again.chains.first_of_all())
    checkpoint.write()
    checkpoint.done()
    assert not again.needs_checkpoint and again.space.used_blocks() == 1


def test_a_queue_manager_that_goes_on_after_an_orderly_end_drops_the_kept_messages() -> None:
    files = FaultyFiles()
    store = opened(files)
    put(store, b"kept", persistent=False)
    checkpoint = captured(store, keep_nonpersistent=True)
    checkpoint.write()
    checkpoint.done()
    position = checkpointed(store)
    assert contents(opened(files.copy(), position)) == []
    assert contents(store) == [b"kept"]


def test_a_spill_during_the_write_is_synced_by_the_next_checkpoint() -> None:
    files = FaultyFiles()
    store = opened(files, persistent_buffer_bytes=1)
    put(store, b"captured")
    checkpoint = captured(store)
    checkpoint.write()
    put(store, b"spilled later")
    last = put(store, b"makes it spill")
    checkpoint.done()
    assert any("write q" in operation for operation in files.unsynced())
    take(store, last)  # so that the next checkpoint has nothing of its own to write to the file
    position = checkpointed(store)
    lost = next(files.disk_states())
    assert contents(opened(lost, position)) == [b"captured", b"spilled later"]


def test_a_spill_before_a_failure_is_synced_by_the_next_checkpoint() -> None:
    files = FaultyFiles()
    store = opened(files, persistent_buffer_bytes=1)
    put(store, b"spilled")
    take(store, put(store, b"makes it spill"))
    captured(store).failed()
    position = checkpointed(store)
    assert contents(opened(next(files.disk_states()), position)) == [b"spilled"]


def test_a_file_without_news_is_not_synced_again() -> None:
    files = FaultyFiles()
    store = opened(files)
    slot = put(store, ONE_BLOCK)
    checkpointed(store)
    store.set_backout_count(slot, 1)
    files.fail("sync", "*/q")
    position = checkpointed(store)
    assert opened(files, position).backout_count(slot) == 1


def test_a_file_of_nonpersistent_messages_is_cut_although_there_is_nothing_to_save() -> None:
    store = opened(FaultyFiles(), nonpersistent_buffer_bytes=1)
    slots = [put(store, TWO_BLOCKS, persistent=False) for _ in range(60)]
    for slot in slots:
        take(store, slot)
    assert store.capture() is None
    assert store.space.file_blocks == store._file.size_blocks() == 1


def test_an_emptied_queue_gives_its_memory_back_when_the_checkpoint_is_done() -> None:
    store = opened(FaultyFiles())
    slots = [put(store, b"%d" % number) for number in range(1100)]
    checkpointed(store)
    for slot in slots:
        take(store, slot)
    assert store.is_empty
    checkpoint = captured(store)
    checkpoint.write()
    assert len(store.handles) == 1100
    checkpoint.done()
    assert len(store.handles) == 0 and store.is_empty
    put(store, b"and on")
    assert checkpointed(store).generation and contents(store) == [b"and on"]


def test_counts_know_every_state_of_a_message() -> None:
    store = opened(FaultyFiles())
    assert store.is_empty and store.used_count == 0
    pending = put(store, b"in a unit of work", unit=5)
    assert not store.is_empty and (store.used_count, store.nonpersistent_count) == (1, 0)
    got = put(store, b"got", persistent=False)
    store.unlink(got, 6)
    assert (store.used_count, store.nonpersistent_count) == (2, 1)
    store.remove(pending)
    store.remove(got)
    assert store.is_empty and store.nonpersistent_count == 0


# A real thread


def test_verbs_go_on_while_another_thread_writes(tmp_path: Path) -> None:
    """Puts, gets and spills under a lock, checkpoints beside them; each completed one is what its capture saw."""
    chance = random.Random(11)
    files, folder = RealFiles(), f"{tmp_path}/queues/Q"
    store = opened(files, folder=folder, persistent_buffer_bytes=3000, nonpersistent_buffer_bytes=2000)
    lock = threading.Lock()
    finished = threading.Event()
    trouble: list[BaseException] = []
    checks = 0

    def checkpoints() -> None:
        nonlocal checks
        try:
            while not finished.is_set() or not checks:
                with lock:
                    checkpoint = store.capture()
                    expected = [
                        (slot, store.message(slot).data) for slot in store.chains if store.handles.flags[slot] & 0x20
                    ]
                if checkpoint is None:
                    continue
                position = checkpoint.write()
                again = opened(files, position, folder=folder)
                assert [(slot, again.message(slot).data) for slot in again.chains] == expected
                again.close()
                with lock:
                    if checks % 4 == 3:
                        checkpoint.failed()
                    else:
                        checkpoint.done()
                checks += 1
        except BaseException as error:
            trouble.append(error)
            raise

    thread = threading.Thread(target=checkpoints)
    thread.start()
    there: dict[int, bytes] = {}
    for number in range(500_000):
        if trouble or checks >= 25:
            break
        with lock:
            if there and chance.random() < (0.48 if len(there) < 150 else 0.6):
                slot = chance.choice(list(there))
                assert take(store, slot) == there.pop(slot)
            else:
                data = b"%d " % number * chance.choice([1, 20, 200])
                there[put(store, data, persistent=chance.random() < 0.7)] = data
    finished.set()
    thread.join(60)
    assert not trouble and not thread.is_alive() and checks
    assert {slot: store.message(slot).data for slot in store.chains} == there
    store.close()


def test_a_thread_is_held_in_the_middle_of_its_write() -> None:
    """The write stops at the queue file; meanwhile the captured messages are read, removed, and spilled."""
    files = StoppingFiles()
    store = opened(files, persistent_buffer_bytes=2000)
    take(store, put(store, b"before"))
    put(store, b"made with it")
    checkpointed(store)
    take(store, store.chains.first_of_all())
    slots = [put(store, b"%d" % number) for number in range(4)]
    checkpoint = captured(store)
    stopped, go_on = threading.Event(), threading.Event()

    def hold(path: str) -> None:
        if threading.current_thread() is thread and path == QUEUE_FILE and not stopped.is_set():
            stopped.set()
            assert go_on.wait(30)

    files.before_write = hold
    positions: list[HandlePosition] = []
    thread = threading.Thread(target=lambda: positions.append(checkpoint.write()))
    thread.start()
    assert stopped.wait(30)
    assert take(store, slots[1]) == b"1"
    later = [put(store, b"later %d" % number + b"." * 500) for number in range(6)]
    assert store.spilled_messages >= 3
    assert [store.message(slot).data for slot in (slots[0], slots[2], slots[3])] == [b"0", b"2", b"3"]
    go_on.set()
    thread.join(30)
    assert contents(opened(files.copy(), positions[0])) == [b"0", b"1", b"2", b"3"]
    checkpoint.done()
    assert take(store, later[0]).startswith(b"later 0")
    position = checkpointed(store)
    assert contents(opened(files, position)) == contents(store)


# Captured by whoever changes it first


@pytest.mark.parametrize("change", ["remove", "remove_run"])
def test_what_goes_just_after_its_capture_is_for_the_next_checkpoint(change: str) -> None:
    """The queue's turn comes when a message leaves it: the capture has it still, and nothing of what happens then."""
    files = FaultyFiles()
    store = opened(files)
    gone, stays = put(store, ONE_BLOCK), put(store, TWO_BLOCKS)
    checkpointed(store)
    put(store, ONE_BLOCK)
    store.unlink(gone)
    found = []

    def capture() -> None:
        store.before_change = None
        found.append(captured(store))

    store.before_change = capture
    if change == "remove":
        store.remove(gone)
    else:
        store.remove_run([gone])
    (current,) = found
    position = current.write()
    current.done()
    assert len(contents(opened(files.copy(), position))) == 3
    assert store.needs_checkpoint, "that it is gone is not on disk yet"
    after = checkpointed(store)
    assert contents(opened(files.copy(), after)) == [TWO_BLOCKS, ONE_BLOCK]
    assert stays != gone


@pytest.mark.parametrize("change", ["remove", "remove_run"])
def test_a_message_that_goes_just_after_its_capture_is_not_in_flight(change: str) -> None:
    """Else whoever gets its slot next, and has left the buffer, would be taken for it."""
    store = opened(FaultyFiles())
    gone = put(store, ONE_BLOCK)
    store.unlink(gone)
    found = []

    def capture() -> None:
        store.before_change = None
        found.append(captured(store))

    store.before_change = capture
    if change == "remove":
        store.remove(gone)
    else:
        store.remove_run([gone])
    assert not store._in_flight
    found[0].write()
    found[0].done()


def test_a_long_message_is_synced_on_its_way_to_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the disk has others' writes in between. A short one before it and one behind it are where they belong."""
    monkeypatch.setattr(queue_file_images, "_WRITE_BYTES", 1000)
    monkeypatch.setattr(queue_file_images, "_PACED_BYTES", 4000)
    files = FaultyFiles()
    store = opened(files)
    long = bytes(range(256)) * 79 + b"end"
    messages = [ONE_BLOCK, long, TWO_BLOCKS, long + bytes(300), long[:3000]]
    for data in messages:
        put(store, data)
    current, sizes = captured(store), list[int]()
    synced = FaultyFile.sync

    def noted(file: FaultyFile) -> None:
        sizes.append(sum(len(data) for data in messages))
        synced(file)

    monkeypatch.setattr(FaultyFile, "sync", noted)
    position = current.write()
    current.done()
    assert len(sizes) > 10
    assert contents(opened(files.copy(), position)) == messages
