"""Restart: from the last checkpoint and the log back to the state that was promised.

Replay repeats history from the checkpoint on, committed or not. Units of work that were unfinished at the checkpoint
are read back along their chains first, so that a commit or backout met later knows what it ends. What is unfinished
at the end of the log is undone with compensation records if it is not prepared; prepared ones wait for their
transaction manager. An interrupted restart is simply done again: the compensation records are part of history then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.catalogue import from_record
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.recovery import catalogue_file, catalogue_recovery
from libremq.kernel.recovery.replay_progress import Progress
from libremq.kernel.state import journal
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import is_full_disk
from libremq.kernel.state.journal import CheckpointState, SoftImage, TransactionState
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import ACTIVE, GET, PREPARED, PUT, Operation, UnitOfWork
from libremq.log import Record, RecordType
from libremq.store.space_handles import LINKED, PERSISTENT
from libremq.store.store_errors import StoreDamaged, StoreFull
from libremq.store.stored_message import StoredMessage

Say = Callable[[str], None]


class Records(Protocol):
    """The log, as far as a replay needs it."""

    def read(self, lsn: int) -> Record: ...

    def scan(self, from_lsn: int) -> Iterable[Record]: ...


class Restart:
    """One restart of one queue manager. The core is empty when it begins."""

    def __init__(self, core: Core, say: Say) -> None:
        self.core = core
        self.say = say
        self.log: Records = core.log
        self.progress = Progress(say, core, 0)
        self.backed_out = 0
        self.last_lsn = 0
        self.recovering: dict[int, QueueState] = {}
        self._disk_full = False

    def run(self, state: CheckpointState) -> None:
        """Bring the core to the state that was promised, and back out what nobody will finish."""
        self.replay(state)
        self.undo()

    def replay(self, state: CheckpointState) -> None:
        """Load what the checkpoint describes and repeat what the log says has happened since."""
        core = self.core
        self._load_catalogue(state)
        core.positions = dict(state.queues)
        core.damaged = dict(state.damaged)
        core.next_unit = state.next_transaction
        for unit_id, transaction in state.transactions.items():
            self._rebuild(unit_id, transaction)
        for queue_id in state.nonpersistent:
            # Loaded now, so that the checkpoint of this start drops them from the saved state: a crash loses them
            self._queue(queue_id)
        self.progress = Progress(self.say, core, state.redo)
        for record in self.log.scan(state.redo):
            self.last_lsn = record.lsn
            if state.replayed and record.lsn == state.redo:
                continue
            self.redo(record)
            self.progress.next(record.lsn)
        self.say(amq(7229, self.progress.records, core.qmgr_name, ""))
        self.say(amq(7230, core.qmgr_name))

    def undo(self) -> None:
        """Back out the units of work that are not prepared."""
        core = self.core
        for queue in self.recovering.values():
            if queue.damage is None:
                queue.store.recovered()
        self._count_undo_bytes()
        for unit in core.active_units():
            self.backed_out += 1
            core.backout(unit)
        self.say(amq(7231, self.backed_out, core.qmgr_name, len(core.units)))
        self.say(amq(7232, core.qmgr_name))

    def _count_undo_bytes(self) -> None:
        """What the units of work need of the log that are not ended."""
        core = self.core
        for unit in core.units.values():
            unit.undo_bytes = journal.END_BYTES + journal.UNDO_BYTES * sum(1 for one in unit.operations if one.lsn)
        core.undo_bytes = sum(unit.undo_bytes for unit in core.units.values())

    def _load_catalogue(self, state: CheckpointState) -> None:
        core = self.core
        rebuilt = False
        try:
            content = catalogue_file.read(core.files, core.folder, state.catalogue_generation)
        except catalogue_file.OtherVersion:
            raise
        except StoreDamaged as error:
            if not core.log.config.linear:
                raise
            content, rebuilt = catalogue_recovery.rebuild(core, state, error), True
        if content["log_id"] != core.log.log_id.hex():
            raise StoreDamaged(
                "object catalogue", catalogue_file.path_of(core.folder, state.catalogue_generation),
                "it belongs to another queue manager", "Restore the queue manager's folder from a backup",
            )  # fmt: skip
        core.catalogue_generation = state.catalogue_generation
        core.catalogue_changed = rebuilt
        core.next_queue_id = content["next_queue_id"]
        for entry in content["objects"]:
            self._install(entry, entry.get("media", 0))

    def _install(self, entry: dict[str, Any], media: int) -> None:
        core = self.core
        obj = core.catalogue.install(from_record(entry["object"]))
        if isinstance(obj, LocalQueue) and core.queue_files.get(obj.name, (0, ""))[0] != entry["id"]:
            # Only of a new queue: the files of others are where the checkpoint says, also if they were to move
            core.queue_files[obj.name] = (entry["id"], entry["folder"])
            core.next_queue_id = max(core.next_queue_id, entry["id"] + 1)
        if core.log.config.linear:
            core.media.setdefault((obj.kind, obj.name), media)

    def _queue(self, queue_id: int) -> QueueState:
        """The queue of a log record, loaded as the checkpoint left it."""
        queue = self.core.queues_by_id.get(queue_id)
        if queue is None:
            for name, (known, folder) in self.core.queue_files.items():
                if known == queue_id:
                    definition = self.core.catalogue.find_queue(name)
                    assert isinstance(definition, LocalQueue)
                    queue = self.core._new_state(definition, queue_id, folder)
                    self.recovering[queue_id] = queue
                    self.core.load(queue)
                    break
            else:
                raise StoreDamaged(
                    f"queue {queue_id}", self.core.folder, "the log names a queue that the catalogue does not know",
                    "Log and data are not of the same moment: restore both from one backup",
                )  # fmt: skip
        return queue

    # Units of work that were unfinished at the checkpoint

    def _rebuild(self, unit_id: int, transaction: TransactionState) -> None:
        """Read a unit of work back along its chain: what it did and has not undone."""
        unit = UnitOfWork(unit_id)
        unit.first_lsn, unit.last_lsn = transaction.first_lsn, transaction.last_lsn
        unit.xid = bytes.fromhex(transaction.prepared_xid)
        unit.state = PREPARED if unit.xid else ACTIVE
        undone: set[int] = set()
        operations: list[Operation] = []
        lsn = transaction.last_lsn
        while lsn:
            record = self.log.read(lsn)
            if record.type == RecordType.SOFT_IMAGE:
                image = journal.read_soft(lsn, record.payload)
                operations += [one for one in self._soft_operations(image)[::-1] if one.lsn not in undone]
            elif record.type == RecordType.COMPENSATION:
                undone.add(journal.read_undo(record.payload).undoes)
            elif record.type == RecordType.PUT and lsn not in undone:
                put = journal.read_put(record.payload)
                operations.append(Operation(PUT, self._queue(put.queue_id), put.slot, lsn))
            elif record.type == RecordType.GET and lsn not in undone:
                get = journal.read_get(record.payload)
                operations.append(Operation(GET, self._queue(get.queue_id), get.slot, lsn))
            lsn = record.prev_lsn
        unit.operations = operations[::-1]
        unit.message_count = len(operations)
        self.core.units[unit_id] = unit

    def _soft_operations(self, image: SoftImage) -> list[Operation]:
        return [Operation(one.operation, self._queue(one.queue_id), one.slot, one.lsn) for one in image.operations]

    # Replay

    def _unit(self, unit_id: int) -> UnitOfWork:
        core = self.core
        unit = core.units.get(unit_id)
        if unit is None:
            unit = core.units[unit_id] = UnitOfWork(unit_id)
            core.next_unit = max(core.next_unit, unit_id + 1)
        return unit

    def redo(self, record: Record) -> None:
        """Repeat what a record says. A queue to which it cannot have happened is damaged; the others go on."""
        try:
            self._redo(record)
        except StoreDamaged as error:
            queue = self.core.queues.get(error.object_name)
            if queue is None:
                raise
            self.core.note_damage(queue, error)
            self._redo(record)  # once more, for its unit of work and the other queues

    def _redo(self, record: Record) -> None:
        kind = record.type
        if kind == RecordType.PUT:
            self._redo_put(record)
        elif kind == RecordType.GET:
            self._redo_get(record)
        elif kind == RecordType.COMMIT:
            self._redo_commit(record)
        elif kind == RecordType.BACKOUT:
            del self.core.units[record.txn]
        elif kind == RecordType.COMPENSATION:
            self._redo_undo(record)
        elif kind == RecordType.PREPARE:
            unit = self._unit(record.txn)
            unit.xid, unit.state = record.payload, PREPARED
            unit.logged(record.lsn)
        elif kind == RecordType.OBJECT:
            self._redo_object(record)
        elif kind == RecordType.SOFT_IMAGE:
            self._redo_soft_image(record)
        elif kind == RecordType.MEDIA_IMAGE and record.flags & journal.MEDIA_LAST:
            self._redo_media_image(record)

    def _redo_put(self, record: Record) -> None:
        put = journal.read_put(record.payload)
        queue = self._queue(put.queue_id)
        if queue.damage is None:
            message = StoredMessage(put.image)
            message.lsn = record.lsn
            self._make_room(queue, message)
            queue.store.insert(
                message, put.priority, True, put.expiry_ms, record.txn, slot=put.slot, sequence=put.sequence
            )  # fmt: skip
        if record.txn:
            unit = self._unit(record.txn)
            unit.operations.append(Operation(PUT, queue, put.slot, record.lsn))
            unit.message_count += 1
            unit.logged(record.lsn)
        elif queue.damage is None:
            queue.store.link(put.slot)

    def _make_room(self, queue: QueueState, message: StoredMessage) -> None:
        """On a full disk what is replayed stays in memory: the log holds it, and limits how much it can be."""
        if not self._disk_full:
            try:
                queue.store.make_room(message, True)
            except StoreFull as error:
                if not is_full_disk(error):
                    raise
                self._disk_full = True

    def _redo_get(self, record: Record) -> None:
        get = journal.read_get(record.payload)
        queue = self._queue(get.queue_id)
        if queue.damage is None:
            self._check_slot(queue, get.slot, get.sequence, record, LINKED)
            queue.store.unlink(get.slot, record.txn)
        if record.txn:
            unit = self._unit(record.txn)
            unit.operations.append(Operation(GET, queue, get.slot, record.lsn))
            unit.message_count += 1
            unit.logged(record.lsn)
        elif queue.damage is None:
            queue.store.remove(get.slot)

    def _redo_commit(self, record: Record) -> None:
        core = self.core
        entry = journal.read_commit(record.payload)
        if entry is not None:
            core.install_sync(from_record(entry["object"]), record.lsn)
            if not record.prev_lsn:
                # Nothing else was logged of it: its messages were not persistent
                core.next_unit = max(core.next_unit, record.txn + 1)
                return
        unit = core.units.pop(record.txn)
        for kind, queue, slot, _ in unit.operations:
            if queue.out_of_use:
                continue
            if kind == PUT:
                queue.store.link(slot)
            else:
                queue.store.remove(slot)

    def _redo_undo(self, record: Record) -> None:
        undo = journal.read_undo(record.payload)
        queue = self._queue(undo.queue_id)
        unit = self._unit(record.txn)
        if queue.damage is None:
            self._check_slot(queue, undo.slot, undo.sequence, record, 0)
        if queue.damage is not None:
            pass
        elif undo.operation == journal.UNDO_PUT:
            queue.store.remove(undo.slot)
        else:
            backouts = undo.backout_count if undo.sequence else queue.store.backout_count(undo.slot) + 1
            if backouts:
                queue.store.set_backout_count(undo.slot, backouts)
            queue.store.link(undo.slot)
        unit.operations = [operation for operation in unit.operations if operation.lsn != undo.undoes]
        unit.logged(record.lsn)

    def _redo_soft_image(self, record: Record) -> None:
        """What it says has been replayed, or read back; only where it is logged is new."""
        image = journal.read_soft(record.lsn, record.payload)
        unit = self._unit(record.txn)
        operations = self._soft_operations(image)
        known = [(kind, queue.id, slot) for kind, queue, slot, lsn in unit.operations if lsn]
        if known != [(kind, queue.id, slot) for kind, queue, slot, _ in operations]:
            raise StoreDamaged(
                f"transaction {record.txn}", self.core.log.folder,
                f"log record {record.lsn} does not say of it what the records before it do",
                "Keep all files and restore log and data from one backup",
            )  # fmt: skip
        unit.operations = operations
        unit.first_lsn = unit.last_lsn = record.lsn

    def _redo_media_image(self, record: Record) -> None:
        header = journal.read_media_header(record.payload)
        self.core.media[header["kind"], header["name"]] = header["first"] or record.lsn
        self.core.catalogue_changed = True

    def _check_slot(self, queue: QueueState, slot: int, sequence: int, record: Record, linked: int) -> None:
        """Assertion in pair with the writing of the record: the log speaks of the message that is in the slot."""
        handles = queue.store.handles
        if (
            slot >= len(handles)
            or (sequence and handles.sequence[slot] != sequence)
            or handles.flags[slot] & (PERSISTENT | LINKED) != PERSISTENT | linked
        ):
            raise StoreDamaged(
                queue.name, queue.store.folder, f"log record {record.lsn} speaks of message {sequence} in slot {slot}, "
                "which is not there", "Keep all files and restore log and data from one backup",
            )  # fmt: skip

    def _redo_object(self, record: Record) -> None:
        value = journal.read_json(record.payload)
        core = self.core
        if value["op"] == "clear":
            cleared = self._queue(value["id"])
            store = cleared.store
            if cleared.damage is not None:
                return
            for slot in list(store.chains):
                store.unlink(slot)
                store.remove(slot)
            return
        core.catalogue_changed = True
        if value["op"] == "set":
            self._install(value, record.lsn)
            return
        queue = core.queues_by_id.get(value["id"])
        core.catalogue.delete(value["kind"], value["name"])
        core.media.pop((value["kind"], value["name"]), None)
        if queue is not None:
            core.drop_queue(queue)
            self.recovering.pop(queue.id, None)
        elif value["id"]:
            _, folder = core.queue_files.pop(value["name"])
            core.positions.pop(value["id"], None)
            core.damaged.pop(value["id"], None)
            core.dropped_folders.append(folder)
