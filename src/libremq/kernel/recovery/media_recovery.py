"""Media recovery: make an object anew from its last image and the log behind it. The files it had are not looked at.

A local queue is made in a folder of its own, beside the one it has. The log is read without the lock as far as it goes,
then, under the lock, the little that has come since; only then does the new store take the place of the old one, and
the next checkpoint says so. Until that is complete a restart finds all as it was before, so recovery can fail or be cut
short anywhere, and is simply done again. Units of work that are not ended keep their messages.

Non-persistent messages of the queue are gone: no log knows them.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.catalogue import from_record
from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.kernel.recovery.catalogue_recovery import DefinitionHistory, records
from libremq.kernel.state import journal
from libremq.kernel.state.journal import MediaRow
from libremq.kernel.state.media_image import (
    CATALOGUE,
    MediaResult,
    await_checkpoint,
    check_linear,
    checkpoint,
    select,
    selects_catalogue,
)
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import PUT
from libremq.log import Record, RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.store.handle_file import HandlePosition
from libremq.store.queue_store import QueueStore
from libremq.store.space_handles import GET_PENDING, LINKED, PERSISTENT, PRIORITY_MASK, PUT_PENDING
from libremq.store.store_errors import StoreDamaged, StoreFull
from libremq.store.stored_message import Message, from_image

if TYPE_CHECKING:
    from libremq.kernel.running import RunningQueueManager
    from libremq.kernel.state.core import Core


class QueueHistory:
    """Repeats in an empty store what the log says of one queue, from the LSN on where its media recovery begins.

    A slot is put or got by one unfinished unit of work at most, so the handles say all about units of work.
    """

    def __init__(self, store: QueueStore, start: int) -> None:
        self.store = store
        self.at = start  # where to read on
        self.is_whole = False  # the image has been read to its end, or the queue began empty
        self._start = start
        self._id_bytes = store.queue_id.to_bytes(4, "little")
        # Unfinished units of work: the slots that they put or got, in order
        self._units: dict[int, dict[int, None]] = {}

    def apply(self, record: Record) -> None:
        """Repeat one record, the next in the log. StoreDamaged if it cannot have happened."""
        kind, payload = record.type, record.payload
        if self.at == self._start:
            self._begin(record)
        elif kind in (RecordType.PUT, RecordType.GET, RecordType.COMPENSATION):
            if payload[:4] == self._id_bytes:
                self._message(record)
        elif kind == RecordType.COMMIT:
            for slot in self._units.pop(record.txn, {}):
                self._commit(slot)
        elif kind == RecordType.BACKOUT:
            for slot in reversed(self._units.pop(record.txn, {})):
                self._undo(slot, None)
        elif kind == RecordType.MEDIA_IMAGE:
            if not self.is_whole:
                self._image(record)
        elif kind == RecordType.OBJECT:
            self._object(record)
        self.at = record.next_lsn

    def _begin(self, record: Record) -> None:
        """An image, or the record that made the queue: then it is empty."""
        header = {}
        if record.lsn == self._start and record.type == RecordType.MEDIA_IMAGE:
            header = journal.read_media_header(record.payload)
        elif record.lsn == self._start and record.type == RecordType.OBJECT:
            header = journal.read_json(record.payload)
        if header.get("id") != self.store.queue_id or "object" not in header:
            raise self._damaged(record, "is neither an image of the queue nor its creation")
        if record.type == RecordType.MEDIA_IMAGE:
            self._image(record)
            self.store.next_sequence = max(self.store.next_sequence, header["next_sequence"])
        else:
            self.is_whole = True

    def _image(self, record: Record) -> None:
        header = journal.read_media_header(record.payload)
        if record.lsn != self._start and header["first"] != self._start:
            return  # of another object, or a later one that was cut short
        for row in journal.read_media_rows(record.payload):
            self._row(row, record.lsn)
        self.is_whole = bool(record.flags & journal.MEDIA_LAST)

    def _row(self, row: MediaRow, lsn: int) -> None:
        store = self.store
        put_by = row.unit if row.flags & PUT_PENDING else 0
        self._insert(
            from_image(row.image), lsn, row.flags & PRIORITY_MASK, row.expiry_ms, put_by, row.slot, row.sequence
        )
        if row.backout_count:
            store.set_backout_count(row.slot, row.backout_count)
        if not put_by:
            store.link(row.slot)
            if row.flags & GET_PENDING:
                store.unlink(row.slot, row.unit)
        if row.unit:
            self._units.setdefault(row.unit, {})[row.slot] = None

    def _insert(
        self, message: Message, lsn: int, priority: int, expiry_ms: int, unit: int, slot: int, sequence: int
    ) -> None:
        message.lsn = lsn
        self.store.make_room(message, True)
        self.store.insert(message, priority, True, expiry_ms, unit, slot=slot, sequence=sequence)

    def _message(self, record: Record) -> None:
        store, txn = self.store, record.txn
        if record.type == RecordType.PUT:
            put = journal.read_put(record.payload)
            self._insert(from_image(put.image), record.lsn, put.priority, put.expiry_ms, txn, put.slot, put.sequence)
            if txn:
                self._units.setdefault(txn, {})[put.slot] = None
            else:
                store.link(put.slot)
        elif record.type == RecordType.GET:
            get = journal.read_get(record.payload)
            self._check(record, get.slot, get.sequence, linked=True)
            store.unlink(get.slot, txn)
            if txn:
                self._units.setdefault(txn, {})[get.slot] = None
            else:
                store.remove(get.slot)
        else:
            undo = journal.read_undo(record.payload)
            self._check(record, undo.slot, undo.sequence, linked=False)
            if undo.slot not in self._units.get(txn, {}):
                raise self._damaged(record, f"undoes what transaction {txn} has not done in slot {undo.slot}")
            del self._units[txn][undo.slot]
            self._undo(undo.slot, undo.backout_count if undo.sequence else None)

    def _check(self, record: Record, slot: int, sequence: int, *, linked: bool) -> None:
        handles = self.store.handles
        wanted = PERSISTENT | LINKED if linked else PERSISTENT
        if (
            slot >= len(handles)
            or (sequence and handles.sequence[slot] != sequence)
            or handles.flags[slot] & (PERSISTENT | LINKED) != wanted
        ):
            raise self._damaged(record, f"speaks of message {sequence} in slot {slot}, which is not there")

    def _commit(self, slot: int) -> None:
        if self.store.handles.flags[slot] & PUT_PENDING:
            self.store.link(slot)
        else:
            self.store.remove(slot)

    def _undo(self, slot: int, backouts: int | None) -> None:
        """Undo what a unit of work did; the backout count is then what is known of it, or one more."""
        store = self.store
        if store.handles.flags[slot] & PUT_PENDING:
            store.remove(slot)
        else:
            if backouts is None:
                backouts = store.backout_count(slot) + 1
            if backouts:
                store.set_backout_count(slot, backouts)
            store.link(slot)

    def _object(self, record: Record) -> None:
        value = journal.read_json(record.payload)
        if value.get("id") != self.store.queue_id:
            return
        if value["op"] == "clear":
            for slot in list(self.store.chains):
                self.store.unlink(slot)
                self.store.remove(slot)
        elif value["op"] == "delete":
            raise self._damaged(record, "says that it was deleted")

    def _damaged(self, record: Record, what: str) -> StoreDamaged:
        return StoreDamaged(
            self.store.name, self.store.folder, f"log record {record.lsn} {what}, so media recovery is not possible",
            "Restore the queue manager's folder from a backup, or delete the queue",
        )  # fmt: skip

    def pending(self) -> dict[int, set[tuple[bool, int]]]:
        """Of each unfinished unit of work: its slots, and whether it put them."""
        flags = self.store.handles.flags
        return {
            unit: {(bool(flags[slot] & PUT_PENDING), slot) for slot in slots}
            for unit, slots in self._units.items()
            if slots
        }


class QueueRecovery:
    """The recovery of one local queue: `read` without the lock, then `finish` under it; or `give_up`."""

    def __init__(self, core: Core, definition: LocalQueue) -> None:
        """Under the lock."""
        self._core = core
        self._definition = definition
        self._id, self._old_folder = core.queue_files[definition.name]
        check_not_open(core, definition)
        if self._id in core.recovering:
            raise mq_error(C.MQRC_OBJECT_IN_USE, definition.name, "media recovery of it is under way already")
        self._folder = core.recovering[self._id] = core.folder_for(definition.name)
        store = core.new_store(definition.name, self._id, self._folder)
        store.load(HandlePosition())
        self._history = QueueHistory(store, core.media.get((definition.kind, definition.name), 0))
        try:
            core.log.force()
        except BaseException:
            self.give_up()
            raise

    def read(self) -> None:
        """Read the log as far as it is on disk. Needs no lock."""
        history = self._history
        if history.at < self._core.log.durable:
            for record in records(self._core, history.at, self._definition.name):
                history.apply(record)

    def finish(self) -> None:
        """Read the rest and use the new store from now on. A checkpoint should follow; none may be under way."""
        core, definition, history = self._core, self._definition, self._history
        assert core.checkpoint is None
        if core.queue_files.get(definition.name, (0, ""))[0] != self._id:
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, definition.name, "it was deleted during its media recovery")
        check_not_open(core, definition)
        core.log.force()
        self.read()
        self._check()
        store = history.store
        store.recovered()
        queue = core.queues.get(definition.name)
        if queue is None:
            queue = QueueState(definition, self._id, self._folder, store)
            queue.statistics = core.resting_statistics.pop(self._id, queue.statistics)
            core.queues[definition.name] = core.queues_by_id[self._id] = queue
        else:
            queue.store.close()
            queue.store, queue.folder = store, self._folder
            queue.damage = None
            queue.coop_marks.clear()
        for unit in core.units.values():
            unit.operations = [one for one in unit.operations if one.lsn or one.queue is not queue]
        core.queue_files[definition.name] = (self._id, self._folder)
        core.dropped_folders.append(self._old_folder)
        core.positions.pop(self._id, None)
        core.damaged.pop(self._id, None)
        core.catalogue_changed = True
        del core.recovering[self._id]
        core.on_return({queue: ()})

    def _check(self) -> None:
        """What is unfinished in the log must be what the queue manager knows to be unfinished."""
        history = self._history
        known: dict[int, set[tuple[bool, int]]] = {}
        for unit in self._core.units.values():
            for kind, queue, slot, lsn in unit.operations:
                if lsn and queue.id == self._id:
                    known.setdefault(unit.id, set()).add((kind == PUT, slot))
        if not history.is_whole or history.pending() != known:
            raise StoreDamaged(
                self._definition.name, self._core.log.folder,
                "its last media image is not complete" if not history.is_whole else
                "the log does not agree with the units of work that are not ended",
                "Restore the queue manager's folder from a backup, or delete the queue",
            )  # fmt: skip

    def give_up(self) -> None:
        """It failed: all is as it was before."""
        if self._core.recovering.pop(self._id, None) is not None:
            self._history.store.close()
            try:
                self._core.files.remove_folder(f"{self._core.folder}/queues/{self._folder}")
            except OSError:
                pass  # the next start removes it


def check_not_open(core: Core, definition: LocalQueue) -> None:
    queue = core.queues.get(definition.name)
    if queue is not None and queue.open_handles:
        raise mq_error(C.MQRC_OBJECT_IN_USE, definition.name, "it is open; end its users first")


# At start


def recover_damaged(core: Core) -> None:
    """Make damaged queues anew, if the log has what that takes; the others stay damaged. A checkpoint should follow."""
    if not core.log.config.linear:
        return
    names = {queue_id: name for name, (queue_id, _) in core.queue_files.items()}
    for queue_id in sorted(core.damaged.keys() & names.keys()):
        definition = core.catalogue.find_queue(names[queue_id])
        assert isinstance(definition, LocalQueue)
        recovery = QueueRecovery(core, definition)
        try:
            recovery.finish()
        except (StoreDamaged, StoreFull, OSError) as error:
            recovery.give_up()
            core.say(amq(7473, definition.name, error))
        except BaseException:
            recovery.give_up()
            raise
        else:
            core.say(amq(7474, definition.name))


# rcrmqobj


def recover_objects(
    manager: RunningQueueManager, type_name: str, pattern: str, lock: AbstractContextManager[object] | None = None
) -> list[MediaResult]:
    """Make the objects that are meant anew from the log, and take a checkpoint. One that fails does not stop others.

    A local queue must not be open. Its non-persistent messages are gone afterwards. MQError on a circular log.
    """
    lock = lock or nullcontext()
    core = manager.core
    results: list[MediaResult] = []
    with lock:
        check_linear(core)
        chosen = select(core, type_name, pattern)
    for obj in chosen:
        lsn = core.media.get((obj.kind, obj.name), 0)
        try:
            if isinstance(obj, LocalQueue):
                _recover_queue(manager, obj, lock)
            else:
                _recover_definition(core, obj, lock)
        except (MQError, StoreDamaged, StoreFull, OSError) as error:
            results.append(MediaResult(obj.kind, obj.name, lsn, str(error)))
        else:
            results.append(MediaResult(obj.kind, obj.name, lsn))
    with lock:
        if selects_catalogue(type_name):
            core.catalogue_changed = True  # it is written from memory, and made anew from the log at a start
            results.append(MediaResult(CATALOGUE, core.qmgr_name, min(core.media.values())))
    if results:
        checkpoint(manager, lock)
    return results


def _recover_queue(manager: RunningQueueManager, definition: LocalQueue, lock: AbstractContextManager[object]) -> None:
    core = manager.core
    with lock:
        if core.catalogue.find_queue(definition.name) is not definition:
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, definition.name, "it was deleted")
        recovery = QueueRecovery(core, definition)
    try:
        try:
            recovery.read()
        except StoreDamaged:
            pass  # the last page may have been read while it was written: what is really damaged will be met again
        with lock:
            await_checkpoint(manager)
            recovery.finish()
    except BaseException:
        with lock:
            recovery.give_up()
        raise


def _recover_definition(core: Core, obj: MQObject, lock: AbstractContextManager[object]) -> None:
    key = obj.kind, obj.name
    with lock:
        core.log.force()
        history = DefinitionHistory()
        for record in records(core, core.media[key], obj.name):
            history.apply(record)
        if key not in history.entries:
            raise StoreDamaged(
                obj.name, core.log.folder, f"the log has no {obj.kind} of this name",
                "Restore the queue manager's folder from a backup",
            )  # fmt: skip
        core.catalogue.install(from_record(history.entries[key]["object"]))
        core.catalogue_changed = True
