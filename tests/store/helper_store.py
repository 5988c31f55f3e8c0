"""A queue's store on its own: no queue manager, and a log of which everything is on disk."""

from __future__ import annotations

from libremq.common.files.file_layer import Files
from libremq.mqi.structs import MQMD
from libremq.store.handle_file import HandlePosition
from libremq.store.queue_store import LogGate, QueueStore, StoreLimits
from libremq.store.store_checkpoint import StoreCheckpoint
from libremq.store.stored_message import Message

FOLDER = "data/queues/Q"
QUEUE_FILE = FOLDER + "/q"


def opened(files: Files, position: HandlePosition | None = None, *, folder: str = FOLDER, **limits: int) -> QueueStore:
    """The store as a checkpoint left it; an empty one without a position."""
    files.make_folder(folder.rsplit("/", 1)[0])
    gate = LogGate(lambda: 1 << 60, lambda lsn: None)
    store = QueueStore(files, folder, 3, "Q", gate, StoreLimits(**limits))
    store.load(position or HandlePosition())
    store.recovered()
    return store


def put(store: QueueStore, data: bytes, *, persistent: bool = True, unit: int = 0, group_id: bytes = bytes(24)) -> int:
    message = Message(MQMD(Version=2, MsgId=data[:24].ljust(24, b"."), GroupId=group_id), b"", data)
    store.make_room(message, persistent)
    slot = store.insert(message, 4, persistent, unit=unit)
    if not unit:
        store.link(slot)
    return slot


def take(store: QueueStore, slot: int) -> bytes:
    data = store.message(slot).data
    store.unlink(slot)
    store.remove(slot)
    return data


def captured(store: QueueStore, *, keep_nonpersistent: bool = False) -> StoreCheckpoint:
    checkpoint = store.capture(keep_nonpersistent=keep_nonpersistent)
    assert checkpoint is not None
    return checkpoint


def checkpointed(store: QueueStore) -> HandlePosition:
    checkpoint = captured(store)
    position = checkpoint.write()
    checkpoint.done()
    return position


def contents(store: QueueStore) -> list[bytes]:
    return [store.message(slot).data for slot in store.chains]
