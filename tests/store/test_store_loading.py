"""Damage that a load finds: a clear error with the ways out, and nothing of the queue in memory."""

from __future__ import annotations

import random
import struct
import zlib

import pytest
from helper_store import FOLDER, QUEUE_FILE, checkpointed, contents, opened, put, take

from libremq.store.handle_file import ENTRY, HandleFile, HandlePosition
from libremq.store.queue_store import LogGate, QueueStore
from libremq.store.space_handles import FRAGMENTED, IN_USE, NONE, PERSISTENT
from libremq.store.store_errors import StoreDamaged
from libremq.testing.faulty_files import FaultyFiles

HANDLES = f"{FOLDER}/handles.000001"
GROUP = b"group".ljust(24, b".")


def _saved() -> tuple[FaultyFiles, HandlePosition, list[bytes]]:
    files = FaultyFiles()
    store = opened(files)
    for number in range(6):
        put(store, b"message %d" % number * 60, group_id=GROUP if number % 2 else bytes(24))
    checkpointed(store)
    take(store, store.chains.first_of_all())
    position = checkpointed(store)
    return files, position, contents(store)


def _unloaded(files: FaultyFiles) -> QueueStore:
    return QueueStore(files, FOLDER, 3, "Q", LogGate(lambda: 1, lambda lsn: None))


def _refuses(files: FaultyFiles, position: HandlePosition, path: str) -> None:
    """The load says what is damaged and what can be done, and leaves an empty store that may be loaded again."""
    store = _unloaded(files)
    with pytest.raises(StoreDamaged) as caught:
        store.load(position)
    text = str(caught.value)
    assert (caught.value.object_name, caught.value.path) == ("Q", path)
    assert text.startswith(f"Q: {path}: ")
    assert all(way in text for way in ("rcrmqobj -t ql Q", "linear", "backup", "delete the queue"))
    _is_empty(store)


def _is_empty(store: QueueStore) -> None:
    assert store.is_empty and store.depth == 0 and len(store.handles) == 0 and store.position == HandlePosition()
    assert not store.groups and not store._group_ids and not store._fragments and not store._saved_count
    assert store.space.file_blocks == 1 and store.next_sequence == 1 and not store.needs_checkpoint


@pytest.mark.parametrize("path", [HANDLES, QUEUE_FILE])
def test_a_missing_file(path: str) -> None:
    files, position, _ = _saved()
    files.remove(path)
    _refuses(files, position, path)


@pytest.mark.parametrize("path", [HANDLES, QUEUE_FILE])
def test_a_file_of_another_queue(path: str) -> None:
    files, position, _ = _saved()
    files.overwrite(path, 9, b"\x55")
    _refuses(files, position, path)


@pytest.mark.parametrize("size", [0, 10, 40, 200])
def test_a_handle_file_that_is_cut_off(size: int) -> None:
    files, position, _ = _saved()
    files.open(HANDLES).truncate(size)
    _refuses(files, position, HANDLES)


def test_a_queue_file_that_is_cut_off() -> None:
    files, position, _ = _saved()
    files.open(QUEUE_FILE).truncate(1024)
    _refuses(files, position, QUEUE_FILE)


def test_every_bit_of_the_handle_file_counts() -> None:
    files, position, _ = _saved()
    chance = random.Random(4)
    for at in chance.sample(range(position.length), 60):
        damaged = files.copy()
        damaged.overwrite(HANDLES, at, bytes([files.content(HANDLES)[at] ^ 1 << chance.randrange(8)]))
        _refuses(damaged, position, HANDLES)


def test_a_position_inside_a_batch() -> None:
    files, position, _ = _saved()
    _refuses(files, HandlePosition(position.generation, position.length - 1), HANDLES)


def test_a_damaged_message_that_the_load_must_read() -> None:
    """Messages of a group are read for their group id, half-way through the load."""
    files, position, _ = _saved()
    content = files.content(QUEUE_FILE)
    at = content.index(b"message 5")
    files.overwrite(QUEUE_FILE, at, b"M")
    _refuses(files, position, QUEUE_FILE)


@pytest.mark.parametrize(
    "entry",
    [
        (1, 9, 0, 0, 0, IN_USE | PERSISTENT, 0, 500, 99, 0),
        (1, 9, 0, 0, 0, IN_USE | PERSISTENT, 0, 500, 0, 0),
        (1, 9, 0, 0, 0, IN_USE | PERSISTENT, 0, 500, NONE, 0),
        (1, 9, 0, 0, 0, IN_USE | PERSISTENT | FRAGMENTED, 0, 500, NONE, 0),
    ],
    ids=["behind the end", "the header", "no block", "scattered without a list"],
)
def test_a_handle_that_cannot_be_right_although_its_checksum_is(entry: tuple[int, ...]) -> None:
    files, position, _ = _saved()
    file = HandleFile(files, FOLDER, 3, "Q", bytes(8))
    list(file.load(position))
    assert len(entry) == 10
    _refuses(files, file.append(1, [entry], {}, 20, renew=False), QUEUE_FILE)


def test_two_handles_that_claim_one_block() -> None:
    files, position, _ = _saved()
    file = HandleFile(files, FOLDER, 3, "Q", bytes(8))
    rows = {row[0]: row for batch in file.load(position) for row in ENTRY.iter_unpack(batch.entries)}
    other = next(row for row in rows.values() if row[5])
    twin = (40, 99, *other[2:])
    _refuses(files, file.append(1, [twin], {}, 100, renew=False), QUEUE_FILE)


def test_an_error_of_the_device_leaves_nothing_behind_either() -> None:
    files, position, expected = _saved()
    store = _unloaded(files)
    for path in ("*/handles.*", "*/q"):
        files.fail("read", path)
        with pytest.raises(OSError):
            store.load(position)
        _is_empty(store)
    store.load(position)
    store.recovered()
    assert contents(store) == expected


def test_a_newer_version_is_refused_and_not_touched() -> None:
    files, position, _ = _saved()
    header = bytearray(files.content(HANDLES)[:28])
    header[4:6] = (2).to_bytes(2, "little")
    header[24:28] = struct.pack("<I", zlib.crc32(header[:24]))
    files.overwrite(HANDLES, 0, bytes(header))
    before = files.operations
    _refuses(files, position, HANDLES)
    assert files.operations == before


def test_damage_to_a_message_is_found_when_it_is_read() -> None:
    files, position, _ = _saved()
    at = files.content(QUEUE_FILE).index(b"message 2")
    files.overwrite(QUEUE_FILE, at, b"M")
    store = opened(files, position)
    slot = store.chains.first_of_all()
    assert store.message(slot).data.startswith(b"message 1")
    with pytest.raises(StoreDamaged, match="rcrmqobj -t ql Q"):
        store.message(store.chains.after(slot))
