"""The handle file: batches in pieces, new generations, and what a full disk leaves behind."""

from __future__ import annotations

import errno

import pytest

from libremq.store import handle_file
from libremq.store.handle_file import ENTRY, Entry, HandleFile, HandlePosition
from libremq.store.store_errors import StoreDamaged
from libremq.testing.faulty_files import FaultyFiles

FOLDER = "qm/queues/Q"
LOG_ID = b"12345678"


def _entry(slot: int, sequence: int) -> Entry:
    return (slot, sequence, slot * 3, slot * 5, 0, 0x30, 0, 400, slot + 1, 0)


def _opened(files: FaultyFiles) -> HandleFile:
    return HandleFile(files, FOLDER, 7, "Q", LOG_ID)


def _loaded(files: FaultyFiles, position: HandlePosition) -> tuple[dict[int, Entry], dict[int, list[int]], int]:
    rows: dict[int, Entry] = {}
    fragments: dict[int, list[int]] = {}
    next_sequence = 0
    for batch in _opened(files).load(position):
        for row in ENTRY.iter_unpack(batch.entries):
            rows[row[0]] = row
        fragments.update(batch.fragments)
        next_sequence = batch.next_sequence
    return rows, fragments, next_sequence


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 8, 9])
def test_a_batch_of_any_size_comes_back_whole(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle_file, "_PIECE_ENTRIES", 4)
    monkeypatch.setattr(handle_file, "_WRITE_ENTRIES", 4)
    files = FaultyFiles()
    written = _opened(files)
    first = [_entry(slot, slot + 10) for slot in range(count)]
    written.append(count, iter(first), {2: [5, 9, 3]}, 50, renew=False)
    position = written.append(1, [_entry(1, 99)], {}, 100, renew=False)
    rows, fragments, next_sequence = _loaded(files, position)
    assert rows == {**{row[0]: row for row in first}, 1: _entry(1, 99)}
    assert fragments == {2: [5, 9, 3]}
    assert next_sequence == 100


@pytest.mark.parametrize("at", [0, 30, 60, 200, 420])
def test_a_changed_byte_is_noticed_in_any_piece(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle_file, "_PIECE_ENTRIES", 4)
    monkeypatch.setattr(handle_file, "_WRITE_ENTRIES", 4)
    files = FaultyFiles()
    position = _opened(files).append(9, [_entry(slot, slot) for slot in range(9)], {}, 10, renew=False)
    path = f"{FOLDER}/handles.000001"
    files.overwrite(path, at, bytes([files.content(path)[at] ^ 1]))
    with pytest.raises(StoreDamaged):
        _loaded(files, position)


def test_a_renewal_that_found_no_space_leaves_the_old_generation_in_use() -> None:
    files = FaultyFiles()
    written = _opened(files)
    written.append(2, [_entry(0, 1), _entry(1, 2)], {}, 3, renew=False)
    files.set_free_space(10)
    with pytest.raises(OSError) as caught:
        written.append(2, [_entry(0, 1), _entry(1, 2)], {}, 3, renew=True)
    assert caught.value.errno == errno.ENOSPC
    files.set_free_space(None)
    position = written.append(1, [_entry(2, 3)], {}, 4, renew=False)
    assert position.generation == 1
    assert sorted(_loaded(files, position)[0]) == [0, 1, 2]
    renewed = written.append(1, [_entry(2, 3)], {}, 4, renew=True)
    assert renewed.generation == 2
    assert sorted(_loaded(files, renewed)[0]) == [2]
