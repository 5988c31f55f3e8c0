"""Giving back what a queue no longer needs: the end of its file, and the memory of handles that were many once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.store.space_map import BLOCK_BYTES

if TYPE_CHECKING:
    from libremq.store.queue_store import QueueStore

KEPT_HANDLES = 1024
"""Of an empty queue: the memory of more is given back."""
# A file is cut when it is larger than needed by both of these
OVERSIZE_BYTES = 16 * 1024
_OVERSIZE_PERCENT = 1


def may_be_tidied(store: QueueStore) -> bool:
    """Is there anything for `tidy`?"""
    return may_shrink(store) or _has_spare_handles(store)


def may_shrink(store: QueueStore) -> bool:
    """Are there blocks in the file that nobody needs, or will after the next checkpoint?"""
    return bool(store._release_later) or store.space.free_blocks * BLOCK_BYTES > OVERSIZE_BYTES


def _has_spare_handles(store: QueueStore) -> bool:
    return store.is_empty and len(store.handles) > KEPT_HANDLES


def tidy(store: QueueStore) -> None:
    """Cut an oversized file, and give back the memory of an empty queue. No checkpoint is in progress."""
    if not store._changed:
        # What was removed since the last checkpoint is not in it, else the slot would have changed
        store.space.release_all(store._release_later)
    cut_if_oversized(store)
    if not store._saved_count and _has_spare_handles(store):
        # A deep one had some 50 bytes a message
        store.handles.clear()
        store.chains.clear()
        store._saved = bytearray()
        store._changed = set()


def cut_if_oversized(store: QueueStore) -> None:
    if store.space.free_blocks * BLOCK_BYTES <= OVERSIZE_BYTES:
        return
    actual, required = store.space.file_blocks, store.space.required_blocks()
    excess = (actual - required) * BLOCK_BYTES
    if excess > OVERSIZE_BYTES and excess * 100 > required * BLOCK_BYTES * _OVERSIZE_PERCENT:
        try:
            store._file.truncate(required)
        except OSError:
            return  # it stays as large as it is; the next checkpoint tries again
        store.space.shrink(required)
