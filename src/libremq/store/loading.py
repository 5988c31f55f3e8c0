"""Loading a queue's store: the state that a checkpoint described, from its handle file.

Handles are read straight into their rows; space map, chains and groups are derived from them. What does not fit
together is damage, and the store is then left empty, as if nobody had asked.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from libremq.store.handle_file import ENTRY, ENTRY_SLOT, HandlePosition
from libremq.store.space_handles import FRAGMENTED, GET_PENDING, GROUPED, PERSISTENT, PUT_PENDING
from libremq.store.space_map import NONPERSISTENT as NONPERSISTENT_DATA
from libremq.store.space_map import PERSISTENT as PERSISTENT_DATA
from libremq.store.space_map import blocks_for

if TYPE_CHECKING:
    from libremq.store.queue_store import QueueStore


def load(store: QueueStore, position: HandlePosition) -> None:
    """Fill an empty store; the log is replayed onto it."""
    if position.generation:
        for batch in store._handle_file.load(position):
            _load_entries(store, batch.entries)
            store._fragments.update(batch.fragments)
            store.next_sequence = batch.next_sequence
    if not any(store.handles.flags):
        store._file.renew()
        return
    _load_space(store)
    _load_chains(store)


def _load_entries(store: QueueStore, entries: bytes) -> None:
    """Fill the rows straight from the file: a list of a million entries would take several times their memory."""
    if not entries:
        return
    handles, backout_counts, fragments = store.handles, store._backout_counts, store._fragments
    handles.extend_to(1 + max(slot for (slot,) in ENTRY_SLOT.iter_unpack(entries)))
    for row in ENTRY.iter_unpack(entries):
        slot, sequence, message_hash, correl_hash, expiry_ms, flags, backouts, length, block, unit = row
        handles.sequence[slot] = sequence
        handles.message_hash[slot] = message_hash
        handles.correl_hash[slot] = correl_hash
        handles.expiry_ms[slot] = expiry_ms
        handles.flags[slot] = flags
        handles.length[slot] = length
        handles.block[slot] = block
        handles.unit[slot] = unit
        if backouts:
            backout_counts[slot] = backouts
        elif backout_counts:
            backout_counts.pop(slot, None)
        if fragments and not flags & FRAGMENTED:
            fragments.pop(slot, None)


def _load_space(store: QueueStore) -> None:
    """The space map is what the handles say; two that claim one block, or one outside the file, are damage."""
    handles, space = store.handles, store.space
    saved = bytearray(len(handles))
    used = [0, 0]
    file_blocks = store._file.size_blocks() + 1
    for slot, flags in enumerate(handles.flags):
        if not flags:
            continue
        persistent = bool(flags & PERSISTENT)
        code = PERSISTENT_DATA if persistent else NONPERSISTENT_DATA
        block, count = handles.block[slot], blocks_for(handles.length[slot])
        if flags & FRAGMENTED:
            blocks = store._fragments.get(slot, [])
            fine = len(blocks) == count and all(space.claim(part, 1, code, file_blocks) for part in blocks)
        else:
            fine = space.claim(block, count, code, file_blocks)
        if not fine:
            raise store._file.damaged_block(block, f"handle {slot} points outside the file or into another message")
        saved[slot] = 1
        used[persistent] += 1
        store._message_blocks += count
    space.back(file_blocks - 1)
    store._saved, store._saved_count, store._used = saved, sum(used), used


def _load_chains(store: QueueStore) -> None:
    handles = store.handles
    sequence = handles.sequence
    linked = array("i")
    latest, in_order = 0, True
    for slot, flags in enumerate(handles.flags):
        if flags & GROUPED:
            store._group_ids[slot] = store.descriptor(slot).GroupId
        if flags & PUT_PENDING:
            store.pending_puts += 1
        elif flags and not flags & GET_PENDING:
            linked.append(slot)
            in_order = in_order and sequence[slot] > latest
            latest = sequence[slot]
    if not in_order:
        linked = array("i", sorted(linked, key=sequence.__getitem__))
    store.chains.link_in_order(linked)
    if store._group_ids:
        for slot in linked:
            if slot in store._group_ids:
                store.groups.setdefault(store._group_ids[slot], []).append(slot)
