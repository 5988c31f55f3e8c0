"""A read that brings something else than what is on the disk, once: nothing is damaged, and nothing wrong is used."""

from __future__ import annotations

import pytest
from helper_store import FOLDER, QUEUE_FILE, checkpointed, contents, opened, put

from libremq.common.files.file_layer import Files
from libremq.mqi.structs import MQMD
from libremq.store import handle_file
from libremq.store.handle_file import HandlePosition
from libremq.store.queue_store import QueueStore
from libremq.store.space_map import BLOCK_BYTES
from libremq.store.store_errors import READS, StoreDamaged
from libremq.testing.faulty_files import FaultyFiles

_HANDLES = f"{FOLDER}/handles.000001"
_MESSAGES = [b"message %d " % number * 50 for number in range(12)]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> FaultyFiles:
    monkeypatch.setattr(handle_file, "_PIECE_ENTRIES", 5)  # several pieces
    return FaultyFiles()


def _saved(files: Files) -> HandlePosition:
    store = opened(files)
    for data in _MESSAGES:
        put(store, data)
    position = checkpointed(store)
    store.close()
    return position


def _reads(files: FaultyFiles, position: HandlePosition, path: str) -> int:
    """How many reads of the file a load and a look at all messages take."""
    files.fail("misread", path, after=1000, times=1)
    counted = files._failures[-1]
    contents(opened(files, position))
    files.heal()
    return 1000 - counted.after


@pytest.mark.parametrize("path", [_HANDLES, QUEUE_FILE])
@pytest.mark.parametrize("times", [1, READS - 1])
def test_a_misread_anywhere_is_read_again(files: FaultyFiles, path: str, times: int) -> None:
    position = _saved(files)
    reads = _reads(files, position, path)
    assert reads >= 3  # the header, the first message, and what lies behind it
    for number in range(reads):
        files.fail("misread", path, after=number, times=times)
        assert contents(opened(files, position)) == _MESSAGES, f"read {number}"
        files.heal()


@pytest.mark.parametrize("path", [_HANDLES, QUEUE_FILE])
def test_what_is_read_wrong_every_time_is_damaged(files: FaultyFiles, path: str) -> None:
    position = _saved(files)
    for number in range(_reads(files, position, path)):
        files.fail("misread", path, after=number, times=None)
        with pytest.raises(StoreDamaged):
            contents(opened(files, position))
        files.heal()


def test_what_was_checked_is_what_is_used(files: FaultyFiles) -> None:
    """Pieces of a batch are read a second time: a bit that turned in between must not become a message."""
    position = _saved(files)
    found: list[object] = []
    for number in range(_reads(files, position, _HANDLES)):
        files.fail("misread", _HANDLES, after=number, times=1)
        store: QueueStore = opened(files, position)
        found.append([store.descriptor(slot).MsgId for slot in store.chains])
        files.heal()
    assert all(ids == [MQMD(MsgId=data[:24]).MsgId for data in _MESSAGES] for ids in found)


def test_a_whole_message_in_the_place_of_another_is_damage(files: FaultyFiles) -> None:
    """Its checksum is right, and it is not the one: a write that went astray."""
    position = _saved(files)
    store = opened(files, position)
    first, second = (store.handles.block[slot] * BLOCK_BYTES for slot in list(store.chains)[:2])
    length = store.handles.length[next(iter(store.chains))]
    store.close()
    files.overwrite(QUEUE_FILE, first, files.content(QUEUE_FILE)[second : second + length])
    with pytest.raises(StoreDamaged, match="another message is there"):
        contents(opened(files, position))
