"""The reference for netting: each record is repeated in the store of its queue, in full, before the next one is read.

The messages alone are repeated in another way than a `Restart` does; for definitions and the like it is asked.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.recovery.netting import ReplayedUnit
from libremq.kernel.recovery.restart import Restart
from libremq.kernel.state import journal
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import GET, PUT
from libremq.log import Record, RecordFields, RecordType
from libremq.store.space_handles import FRAGMENTED
from libremq.store.stored_message import from_image


class PlainRestart(Restart):
    """A restart that holds nothing back."""

    def redo(self, run: list[RecordFields]) -> None:
        for fields in run:
            record = Record(*fields)
            rule = {
                RecordType.PUT: self._put, RecordType.GET: self._get, RecordType.COMPENSATION: self._compensation,
                RecordType.COMMIT: self._commit, RecordType.BACKOUT: self._backout, RecordType.OBJECT: self._object,
            }.get(RecordType(record.type), self.apply)  # fmt: skip
            rule(record)

    def _unit(self, record: Record) -> ReplayedUnit:
        unit = self.unit(record.txn)
        unit.logged(record.lsn)
        return unit

    def _put(self, record: Record) -> None:
        put = journal.read_put(record.payload)
        queue = self.queue(put.queue_id)
        message = from_image(self.image_at(record.lsn, queue) if put.flags else put.image)
        message.lsn = record.lsn
        self.make_room(queue, message)
        store = queue.store
        store.insert(message, put.priority, True, put.expiry_ms, record.txn, slot=put.slot, sequence=put.sequence)
        if record.txn:
            self._unit(record).operations.append((PUT, queue, put.slot, record.lsn))
        else:
            store.link(put.slot)

    def _get(self, record: Record) -> None:
        get = journal.read_get(record.payload)
        queue = self.queue(get.queue_id)
        assert queue.store.handles.sequence[get.slot] == get.sequence
        queue.store.unlink(get.slot, record.txn)
        if record.txn:
            self._unit(record).operations.append((GET, queue, get.slot, record.lsn))
        else:
            queue.store.remove(get.slot)

    def _compensation(self, record: Record) -> None:
        undo = journal.read_undo(record.payload)
        queue = self.queue(undo.queue_id)
        unit = self._unit(record)
        (at,) = [at for at, done in enumerate(unit.operations) if done[1:3] == (queue, undo.slot)]
        kind, _, slot, _ = unit.operations.pop(at)
        assert kind == undo.operation and undo.sequence
        if kind == PUT:
            queue.store.remove(slot)
        else:
            if undo.backout_count:
                queue.store.set_backout_count(slot, undo.backout_count)
            queue.store.link(slot)

    def _commit(self, record: Record) -> None:
        assert not record.payload  # no channel runs here
        for kind, queue, slot, _ in self.units.pop(record.txn).operations:
            if queue.deleted:
                continue
            if kind == PUT:
                queue.store.link(slot)
            else:
                queue.store.remove(slot)

    def _backout(self, record: Record) -> None:
        assert all(queue.deleted for _, queue, _, _ in self.units.pop(record.txn).operations)

    def _object(self, record: Record) -> None:
        change = journal.read_object(record.payload)
        if change.op != journal.CLEAR:
            self.apply(record)
            return
        queue = self.queue(change.id)
        for slot in list(queue.store.chains):
            queue.store.unlink(slot)
            queue.store.remove(slot)


def state_of(core: Core) -> dict[str, Any]:
    """All that a restart has made, but for where in memory or in its file the data of a message lies."""
    return {
        "objects": [to_record(obj) for obj in core.catalogue],
        "files": {name: core.queue_files[name] for name in core.queue_files},
        "dropped": list(core.dropped_folders),
        "media": core.media,
        "damaged": core.damaged,
        "next unit": core.next_unit,
        "units": {
            unit.id: (
                unit.state, unit.xid, unit.owner, unit.first_lsn, unit.last_lsn, unit.message_count, unit.undo_bytes,
                [(kind, queue.id, slot, lsn) for kind, queue, slot, lsn in unit.operations],
            )
            for unit in core.units.values()
        },
        "undo": core.undo_bytes,
        "queues": {queue.name: _queue(queue) for queue in core.queues.values()},
    }  # fmt: skip


def _queue(queue: QueueState) -> dict[str, Any]:
    store, handles = queue.store, queue.store.handles
    groups = defaultdict(set)
    for group_id, slots in store.groups.items():
        groups[group_id].update(slots)
    return {
        "id": (queue.id, queue.folder, queue.damage),
        "depth": (store.depth, store.used_count, store.nonpersistent_count, store.pending_puts),
        "order": list(store.chains),
        "next": store.next_sequence,
        "groups": dict(groups),
        "messages": {
            slot: (
                handles.sequence[slot], flags & ~FRAGMENTED, handles.unit[slot], handles.expiry_ms[slot],
                handles.message_hash[slot], handles.correl_hash[slot], store.backout_count(slot), store.group_of(slot),
                store.message(slot).to_image(),
            )
            for slot, flags in enumerate(handles.flags)
            if flags
        },
    }  # fmt: skip
