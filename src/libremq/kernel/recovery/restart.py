"""Restart: from the last checkpoint and the log back to the state that was promised.

Replay repeats history from the checkpoint on, committed or not. Units of work that were unfinished at the checkpoint
are read back along their chains first, so that a commit or backout met later knows what it ends. What is unfinished
at the end of the log is undone with compensation records if it is not prepared; prepared ones wait for their
transaction manager. An interrupted restart is simply done again: the compensation records are part of history then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.kernel.recovery import catalogue_file, catalogue_recovery
from libremq.kernel.recovery.netting import Done, ReplayedUnit
from libremq.kernel.recovery.record_contents import image_header
from libremq.kernel.recovery.replay import Purpose, Replay, UnitReader
from libremq.kernel.recovery.replay_progress import Progress
from libremq.kernel.state import journal
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import is_full_disk
from libremq.kernel.state.journal import CheckpointState, ObjectChange, TransactionState
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import ACTIVE, PREPARED
from libremq.log import Record, RecordFields, new_record
from libremq.mqi.errors import MQError
from libremq.store.store_errors import StoreDamaged, StoreFull
from libremq.store.stored_message import Message

Say = Callable[[str], None]


class Records(Protocol):
    """The log, as far as a replay needs it."""

    def read(self, lsn: int) -> Record: ...

    def runs(self, from_lsn: int) -> Iterable[list[RecordFields]]: ...


class Restart(Replay):
    """One restart of one queue manager. The core is empty when it begins."""

    purpose = Purpose.RESTART

    def __init__(self, core: Core, say: Say) -> None:
        super().__init__(core.log.folder)
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
            self.queue(queue_id)
        self.progress = Progress(self.say, core, state.redo)
        for run in self.log.runs(state.redo):
            self.last_lsn = run[-1][0]
            if state.replayed and run[0][0] == state.redo:
                del run[0]
            self.redo(run)
            self.relieve(self.last_lsn)
            self.progress.next(len(run), self.last_lsn)
        self.settle()
        core.units.update((unit_id, unit.left(unit_id)) for unit_id, unit in self.units.items())
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
        for unit in core.prepared_units():
            core.branches.add(unit)
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
            content = catalogue_file.load(core.files, core.folder, state.catalogue_generation)
        except catalogue_file.OtherVersion:
            raise
        except StoreDamaged as error:
            if not core.log.config.linear:
                raise
            content, rebuilt = catalogue_recovery.rebuild(core, state, error), True
        if content.log_id != core.log.log_id.hex():
            raise StoreDamaged(
                "object catalogue", catalogue_file.path_of(core.folder, state.catalogue_generation),
                "it belongs to another queue manager", "Restore the queue manager's folder from a backup",
            )  # fmt: skip
        core.catalogue_generation = state.catalogue_generation
        core.catalogue_changed = rebuilt
        core.next_queue_id = content.next_queue_id
        for made, queue_id, folder, media in content.entries:
            self._install(made, queue_id, folder, media)

    def _install(self, made: MQObject, queue_id: int, folder: str, media: int) -> None:
        core = self.core
        obj = core.catalogue.install(made)
        if isinstance(obj, LocalQueue) and core.queue_files.get(obj.name, (0, ""))[0] != queue_id:
            # Only of a new queue: the files of others are where the checkpoint says, also if they were to move
            core.queue_files.place(obj.name, queue_id, folder)
            core.next_queue_id = max(core.next_queue_id, queue_id + 1)
        if core.log.config.linear:
            core.media.setdefault((obj.kind, obj.name), media)

    def queue(self, queue_id: int) -> QueueState:
        """The queue of a log record, loaded as the checkpoint left it."""
        return self.core.queues_by_id.get(queue_id) or self._load(queue_id)

    def _load(self, queue_id: int) -> QueueState:
        core = self.core
        name = core.queue_files.name_of(queue_id)
        if name is None:
            raise StoreDamaged(
                f"queue {queue_id}", core.folder, "the log names a queue that the catalogue does not know",
                "Log and data are not of the same moment: restore both from one backup",
            )  # fmt: skip
        definition = core.catalogue.find_queue(name)
        assert isinstance(definition, LocalQueue)
        queue = self.recovering[queue_id] = core._new_state(definition, *core.queue_files[name])
        core.load(queue)
        return queue

    # Units of work

    def _rebuild(self, unit_id: int, transaction: TransactionState) -> None:
        """Read a unit of work back that was unfinished at the checkpoint: what it did and has not undone."""
        unit = ReplayedUnit()
        unit.first_lsn, unit.last_lsn = transaction.first_lsn, transaction.last_lsn
        unit.xid, unit.owner = bytes.fromhex(transaction.prepared_xid), transaction.owner
        unit.state = PREPARED if unit.xid else ACTIVE
        reader = UnitReader(self)
        lsn = transaction.last_lsn
        while lsn:
            record = self.log.read(lsn)
            reader.apply(record)
            lsn = record.prev_lsn
        unit.operations = reader.operations[::-1]
        self.units[unit_id] = unit

    def unit(self, txn: int) -> ReplayedUnit:
        if txn not in self.units:
            self.passed(txn)
        return super().unit(txn)

    def passed(self, txn: int) -> None:
        self.core.next_unit = max(self.core.next_unit, txn + 1)

    def ended(self, txn: int, lsn: int) -> Sequence[Done]:
        if txn not in self.units:
            raise self._not_possible(lsn, f"ends transaction {txn}, which has not begun")
        return super().ended(txn, lsn)

    def _not_possible(self, lsn: int, what: str) -> StoreDamaged:
        return StoreDamaged(
            f"log record {lsn}", self.log_folder, f"the record at LSN {lsn} {what}",
            "Keep all files and restore log and data from one backup",
        )  # fmt: skip

    # Replay

    def read_at(self, lsn: int) -> Record:
        return self.log.read(lsn)

    def redo(self, run: list[RecordFields]) -> None:
        """Repeat what records say. A queue to which it cannot have happened is damaged; the others go on."""
        quick = self._quick
        for record in run:
            rule = quick[record[2]]
            try:
                if rule is None or record[3]:
                    self.apply(new_record(record))
                else:
                    rule(self, record)
            except StoreDamaged as error:
                self._note(error)
                self.apply(new_record(record))  # once more, for its unit of work and the other queues

    def _note(self, error: StoreDamaged) -> None:
        """If it is about a queue, that is damaged; else the start is refused."""
        queue = self.core.queues.get(error.object_name)
        if queue is None:
            raise error
        self.core.note_damage(queue, error)

    def settle(self) -> None:
        try:
            super().settle()
        except StoreDamaged as error:
            self._note(error)
            self.settle()

    def relieve(self, lsn: int) -> None:
        try:
            super().relieve(lsn)
        except StoreDamaged as error:
            self._note(error)
            self.relieve(lsn)

    def make_room(self, queue: QueueState, message: Message) -> None:
        """On a full disk what is replayed stays in memory: the log holds it, and limits how much it can be."""
        if not self._disk_full:
            try:
                super().make_room(queue, message)
            except StoreFull as error:
                if not is_full_disk(error):
                    raise
                self._disk_full = True

    # Objects

    def define(self, change: ObjectChange, record: Record) -> None:
        self.core.catalogue_changed = True
        self._install(self.definition(change.object, record), change.id, change.folder, record.lsn)

    def install_sync(self, made: dict[str, Any], record: Record) -> None:
        self.core.install_sync(self.definition(made, record), record.lsn)

    def delete(self, change: ObjectChange, record: Record) -> None:
        core = self.core
        core.catalogue_changed = True
        try:
            core.catalogue.delete(change.kind, change.name)
        except MQError as error:
            raise self._not_possible(record.lsn, f"deletes {change.kind} {change.name}: {error}") from error
        core.media.pop((change.kind, change.name), None)
        queue = core.queues_by_id.get(change.id)
        if queue is not None:
            core.drop_queue(queue)
            self.recovering.pop(queue.id, None)
        elif change.id:
            core.dropped_folders[core.queue_files[change.name][1]] = None
            core.queue_files.forget(change.name)
            core.positions.pop(change.id, None)
            core.damaged.pop(change.id, None)

    def image(self, record: Record) -> None:
        """It counts from its last part on: media recovery begins with it then."""
        if record.flags & journal.MEDIA_LAST:
            header = self.read(image_header, record)
            self.core.media[header["kind"], header["name"]] = header["first"] or record.lsn
            self.core.catalogue_changed = True
