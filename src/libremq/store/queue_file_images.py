"""Message images on their way to the queue file: first they get blocks, then they are written.

The two are apart because a checkpoint gives out blocks under the queue manager's lock and writes without it. Until
the write is done the blocks may be taken back, which leaves the message where it was, in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from libremq.common.files.file_layer import File
from libremq.store.space_handles import FRAGMENTED, NONE, PERSISTENT
from libremq.store.space_map import BLOCK_BYTES, blocks_for
from libremq.store.space_map import NONPERSISTENT as NONPERSISTENT_DATA
from libremq.store.space_map import PERSISTENT as PERSISTENT_DATA
from libremq.store.store_errors import StoreFull
from libremq.store.stored_message import Message

if TYPE_CHECKING:
    from libremq.store.queue_store import QueueStore

_WRITE_BYTES = 1024 * 1024  # adjacent images go out in one write, up to about this size
_PACED_BYTES = 4 * _WRITE_BYTES
"""So much of a long image is written at once by a checkpoint, and synced: else the disk takes all of it in one go at
the end, and what others have to log waits behind it."""

Run = tuple[int, int]  # first block, number of blocks


class Image(NamedTuple):
    """A message and the blocks that it was given: adjacent ones from `block` on, or those listed in `scattered`."""

    slot: int
    message: Message
    block: int
    scattered: list[int] | None

    def runs(self) -> list[Run]:
        if self.scattered is not None:
            return [(block, 1) for block in self.scattered]
        return [(self.block, blocks_for(self.message.weight))]


def place(store: QueueStore, buffered: Iterable[tuple[int, Message]], images: list[Image]) -> None:
    """Give messages blocks if they have none, and add them to `images`; `take_back` those if this fails half-way."""
    handles, space = store.handles, store.space
    for slot, message in buffered:
        state = handles.flags[slot]
        if handles.block[slot] != NONE or state & FRAGMENTED:
            continue
        length = message.weight
        count = blocks_for(length)
        code = PERSISTENT_DATA if state & PERSISTENT else NONPERSISTENT_DATA
        if count > 1 and _better_scattered(store, count):
            blocks = space.allocate_scattered(count, code)
            images.append(Image(slot, message, NONE, blocks))
            store._fragments[slot] = blocks
            handles.flags[slot] = state | FRAGMENTED
        else:
            block = space.allocate_run(count, code)
            if block < 0:
                raise StoreFull(f"{store.name}: the queue file has reached the largest size that there is")
            images.append(Image(slot, message, block, None))
            handles.block[slot] = block
        handles.length[slot] = length


def _better_scattered(store: QueueStore, count: int) -> bool:
    """Use single blocks when no gap is long enough, and yet half of the file is free, or it is at its limit."""
    space = store.space
    grown = space.file_blocks + count
    half_free = space.free_blocks >= count and 2 * space.free_blocks > space.file_blocks
    at_limit = space.free_blocks > 0 and space.blocks_wanted < grown <= space.blocks_max
    return (half_free or at_limit) and not space.has_gap(count)


def take_back(store: QueueStore, images: Iterable[Image]) -> list[Image]:
    """Free the blocks of images that were not written, and give those whose messages are still there.

    A message that was removed since has its blocks in the list of those to be released later: off that list.
    """
    handles = store.handles
    there: list[Image] = []
    gone: set[Run] = set()
    for image in images:
        slot = image.slot
        if image.scattered is not None:
            named = store._fragments.get(slot) is image.scattered
        else:
            named = slot < len(handles) and handles.block[slot] == image.block
        if named:
            store._fragments.pop(slot, None)
            handles.flags[slot] &= ~FRAGMENTED
            handles.block[slot] = NONE
            there.append(image)
        else:
            gone.update(image.runs())
        for first, count in image.runs():
            store.space.release(first, count)
    if gone:
        store._release_later = [run for run in store._release_later if run not in gone]
    return there


def write(file: File, images: Iterable[Image], *, sync: Callable[[], None] | None = None) -> None:
    """Write images to their blocks; adjacent ones go out together. `sync`: for the file, on the way of long ones."""
    first, at, size = NONE, NONE, 0
    pieces: list[bytes] = []
    for _, message, block, scattered in images:
        if scattered is not None:
            data = message.to_image()
            for index, part in enumerate(scattered):
                file.write(part * BLOCK_BYTES, data[index * BLOCK_BYTES : (index + 1) * BLOCK_BYTES])
            continue
        if block != at or size >= _WRITE_BYTES or message.weight > _PACED_BYTES:
            if pieces:
                file.write(first * BLOCK_BYTES, b"".join(pieces))
            first, size, pieces = block, 0, []
        if message.weight > _PACED_BYTES:
            _write_long(file, message, block * BLOCK_BYTES, sync)
            at = NONE
            continue
        room = blocks_for(message.weight) * BLOCK_BYTES
        at = block + room // BLOCK_BYTES
        size += room
        pieces += message.image_parts()
        pieces.append(bytes(room - message.weight))
    if pieces:
        file.write(first * BLOCK_BYTES, b"".join(pieces))


def _write_long(file: File, message: Message, offset: int, sync: Callable[[], None] | None) -> None:
    """Piece by piece, and nothing is joined for it. What is left of its last block is nobody's."""
    unsynced = 0
    for part in message.image_parts():
        view = memoryview(part)
        for start in range(0, len(view), _WRITE_BYTES):
            piece = view[start : start + _WRITE_BYTES]
            file.write(offset, piece)
            offset += len(piece)
            unsynced += len(piece)
            if sync is not None and unsynced >= _PACED_BYTES:
                sync()
                unsynced = 0
    if offset % BLOCK_BYTES:
        file.write(offset, bytes(BLOCK_BYTES - offset % BLOCK_BYTES))
