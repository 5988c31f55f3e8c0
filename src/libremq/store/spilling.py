"""Messages that leave the buffers of a queue for its file, as the buffers are full, and how they are read there.

What a checkpoint writes is not dropped from memory here, but goes the same way (queue_file_images.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from libremq.common.checksum import crc32
from libremq.store import queue_file_images, tidying
from libremq.store.queue_file_images import Image
from libremq.store.space_handles import FRAGMENTED, PERSISTENT
from libremq.store.space_map import BLOCK_BYTES, blocks_for
from libremq.store.store_errors import READS, StoreDamaged, failed_write
from libremq.store.stored_message import ImageDamaged, Message, from_image, plain_images

if TYPE_CHECKING:
    from libremq.store.queue_store import QueueStore

_RUN_BLOCKS = (64 << 10) // BLOCK_BYTES
"""Of the file that are read for a run: about what a getter takes in one go."""


def spill(store: QueueStore, persistent: bool, limit: int) -> None:
    """Write the buffer's messages to the file, all that the log permits, and drop them from memory."""
    buffer = store._buffers[persistent]
    slots: Iterable[int] = buffer
    if persistent:
        if store._buffer_bytes[1] > 4 * limit:
            # One unit of work has filled the buffer several times over and nobody forced the log for it
            store._log.force(max(message.lsn for message in buffer.values()))
        durable = store._spilled_at = store._log.durable()
        # The buffer is in the order of the log: the first that is not on disk yet ends the search
        slots = takewhile(lambda slot: buffer[slot].lsn < durable, buffer)
    slots = list(slots)
    placed: list[Image] = []
    try:
        store.read_ahead.forget()
        queue_file_images.place(store, ((slot, buffer[slot]) for slot in slots), placed)
        if placed:
            queue_file_images.write(store._file.for_writing(), placed)
    except BaseException as error:
        # The messages are still in the buffer: only the space is given back
        queue_file_images.take_back(store, placed)
        store._spilled_at = -1  # the next put must not be taken because this one has tried
        if isinstance(error, OSError):
            if store.in_progress is None:
                tidying.cut_if_oversized(store)  # what was written of them is of use to others
            raise failed_write(store.name, "write to", error) from error
        raise
    for slot in slots:
        message = buffer.pop(slot)
        store._buffer_bytes[persistent] -= message.weight
    store.spilled_messages += len(slots)


def put_back(store: QueueStore, unwritten: Iterable[Image]) -> None:
    """Have these messages in their buffers again, oldest first, if they were dropped because they had blocks."""
    flags = store.handles.flags
    for persistent, buffer in enumerate(store._buffers):
        dropped = {
            image.slot: image.message
            for image in unwritten
            if image.slot not in buffer and bool(flags[image.slot] & PERSISTENT) == persistent
        }
        if dropped:
            rest = buffer.copy()
            buffer.clear()
            buffer.update(dropped)
            buffer.update(rest)
            store._buffer_bytes[persistent] += sum(message.weight for message in dropped.values())


def read(store: QueueStore, slot: int, state: int) -> Message:
    """From the file; StoreDamaged, for good, if it is not there however often it is read."""
    for _ in range(READS - 1):
        try:
            return _read_once(store, slot, state)
        except StoreDamaged:
            store.read_ahead.forget()
    return _read_once(store, slot, state)


def _read_once(store: QueueStore, slot: int, state: int) -> Message:
    length = store.handles.length[slot]
    if state & FRAGMENTED:
        blocks = store._fragments[slot]
        image = b"".join(
            store._file.read(block, min(BLOCK_BYTES, length - index * BLOCK_BYTES))
            for index, block in enumerate(blocks)
        )
    else:
        image = store.read_ahead.read(store.handles.block[slot], length, may_keep=store.in_progress is None)
    try:
        message = from_image(image)
    except ImageDamaged as error:
        raise store._file.damaged_block(store.handles.block[slot], str(error)) from None
    message_id, correlation_id, _ = message.ids()
    hashes = store.handles.message_hash[slot], store.handles.correl_hash[slot]
    if (crc32(message_id), crc32(correlation_id)) != hashes:
        raise store._file.damaged_block(store.handles.block[slot], "another message is there")
    return message


def read_run(store: QueueStore, slots: Sequence[int]) -> list[Message]:
    """The first of these, as far as they lie one behind the other in the file and have neither properties nor origin.

    None if it takes `read` to tell.
    """
    handles = store.handles
    blocks, lengths, flags = handles.block, handles.length, handles.flags
    first = end = blocks[slots[0]]
    adjacent: list[int] = []
    for slot in slots:
        state = flags[slot]
        after = end + blocks_for(lengths[slot])
        if blocks[slot] != end or state & FRAGMENTED or after - first > _RUN_BLOCKS:
            break
        adjacent.append(slot)
        end = after
    if len(adjacent) < 2:
        return []
    sizes = [lengths[slot] for slot in adjacent]
    try:
        data = store._file.read(first, (blocks[adjacent[-1]] - first) * BLOCK_BYTES + sizes[-1])
    except StoreDamaged:
        return []
    offsets = [(blocks[slot] - first) * BLOCK_BYTES for slot in adjacent]
    message_hashes = [handles.message_hash[slot] for slot in adjacent]
    correlation_hashes = [handles.correl_hash[slot] for slot in adjacent]
    images = plain_images(data, offsets, sizes, message_hashes, correlation_hashes)
    return [Message.of_bytes(body, content) for body, content in images]
