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
from libremq.kernel.recovery.record_contents import image_header, image_rows
from libremq.kernel.recovery.replay import OF_ONE_QUEUE, Purpose, Replay
from libremq.kernel.state import journal
from libremq.kernel.state.image_in_parts import is_recoverable
from libremq.kernel.state.journal import MediaRow, ObjectChange
from libremq.kernel.state.media_image import (
    CATALOGUE,
    MediaResult,
    await_checkpoint,
    check_linear,
    checkpoint,
    not_recoverable,
    select,
    selects_catalogue,
)
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import GET, PUT
from libremq.log import Log, Record, RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.store.handle_file import HandlePosition
from libremq.store.queue_store import QueueStore
from libremq.store.space_handles import GET_PENDING, PRIORITY_MASK, PUT_PENDING
from libremq.store.store_errors import StoreDamaged, StoreFull
from libremq.store.stored_message import StoredMessage

if TYPE_CHECKING:
    from libremq.kernel.running import RunningQueueManager
    from libremq.kernel.state.core import Core

_ALL_SLOTS = 2**32


class QueueHistory(Replay):
    """Repeats in an empty store what the log says of one queue, from the LSN on where its media recovery begins."""

    purpose = Purpose.QUEUE

    def __init__(self, queue: QueueState, start: int, log: Log) -> None:
        super().__init__(log.folder)
        self._log = log
        self.at = start  # where to read on
        self.is_whole = False  # the image has been read to its end, or the queue began empty
        self._queue = queue
        self._start = start
        self._id_bytes = queue.id.to_bytes(4, "little")
        self._described = 0  # slots before this one are, as far as the image has been read
        self._sequence_end = 0  # of the messages that the image describes
        self._held: set[int] = set()  # slots of the image that are not in their chains yet

    @property
    def store(self) -> QueueStore:
        return self._queue.store

    def repeat(self, record: Record) -> None:
        """Repeat one record, the next in the log. StoreDamaged if it cannot have happened, or is not understood."""
        if self.at == self._start:
            self._begin(record)
        elif self._is_of_queue(record) and (self.is_whole or self._concerns(record)):
            self.apply(record)
            self.relieve(record.lsn)
        self.at = record.next_lsn

    def _is_of_queue(self, record: Record) -> bool:
        return record.type not in OF_ONE_QUEUE or record.payload[:4] == self._id_bytes or bool(record.flags)

    def _concerns(self, record: Record) -> bool:
        """While the image is not whole: not what is about a message that it has not described yet.

        Others may find the message in its chain, where it is put when one is about it, or the image is whole.
        """
        if record.type == RecordType.OBJECT:
            self._link_held()  # it may clear the queue
            return True
        if record.type == RecordType.GET:
            get = self.read(lambda one: journal.read_get(one.payload), record)
            slot, sequence = get.slot, get.sequence
        elif record.type == RecordType.COMPENSATION:
            undo = self.read(lambda one: journal.read_undo(one.payload), record)
            slot, sequence = undo.slot, undo.sequence
        else:
            return True
        if sequence < self._sequence_end and slot >= self._described:
            return False
        if slot in self._held:
            self._held.discard(slot)
            self.store.link(slot)
        return True

    def _link_held(self) -> None:
        """In the order of their numbers: the place of each is behind the one before, as far as it goes."""
        handles, latest = self.store.handles, dict[int, int]()
        for slot in sorted(self._held, key=handles.sequence.__getitem__):
            chain = handles.flags[slot] & PRIORITY_MASK
            before = latest.get(chain)
            if before is not None:
                handles.prev[slot], handles.next[slot] = before, handles.next[before]
            self.store.link(slot)
            latest[chain] = slot
        self._held.clear()

    def _begin(self, record: Record) -> None:
        """An image, or the record that made the queue: then it is empty."""
        if record.lsn != self._start or record.type not in (RecordType.MEDIA_IMAGE, RecordType.OBJECT):
            raise self._no_beginning(record)
        if record.type == RecordType.OBJECT:
            self.apply(record)
        else:
            header = self.read(image_header, record)
            if header["first"] or header.get("id") != self._queue.id:
                raise self._no_beginning(record)
            if header.get("bare"):
                raise self.impossible(self._queue, record, "is an image without messages (IMGRCOVQ(NO))")
            self._sequence_end = header["next_sequence"]
            self.apply(record)
            self.store.next_sequence = max(self.store.next_sequence, header["next_sequence"])

    def _no_beginning(self, record: Record) -> StoreDamaged:
        return self.impossible(self._queue, record, "is neither an image of the queue nor its creation")

    def read_at(self, lsn: int) -> Record:
        return self._log.read(lsn)

    def queue(self, queue_id: int) -> QueueState | None:
        return self._queue if queue_id == self._queue.id else None

    def image(self, record: Record) -> None:
        if self.is_whole:
            return
        header = self.read(image_header, record)
        if record.lsn != self._start and header["first"] != self._start:
            return  # of another object, or a later one that was cut short
        for row in self.read(image_rows, record):
            self._insert(row, record.lsn)
        self._described = header.get("upto", _ALL_SLOTS)  # one without is of one moment
        self.is_whole = bool(record.flags & journal.MEDIA_LAST)
        if self.is_whole:
            self._link_held()

    def _insert(self, row: MediaRow, lsn: int) -> None:
        """A message of the image, in the state that it had: perhaps put or got by a unit of work."""
        store, slot = self.store, row.slot
        put_by = row.unit if row.flags & PUT_PENDING else 0
        message = StoredMessage(row.image)
        message.lsn = lsn
        self.make_room(self._queue, message)
        store.insert(
            message, row.flags & PRIORITY_MASK, True, row.expiry_ms, put_by, slot=slot, sequence=row.sequence
        )  # fmt: skip
        if row.backout_count:
            store.set_backout_count(slot, row.backout_count)
        if row.flags & GET_PENDING:
            store.link(slot)
            store.unlink(slot, row.unit)
        elif not put_by:
            self._held.add(slot)
        if row.unit:
            self.unit(row.unit).operations.append((PUT if put_by else GET, self._queue, slot, lsn))

    def define(self, change: ObjectChange, record: Record) -> None:
        """Where its media recovery begins, that is the creation of the queue. Changes of definitions do not count."""
        if record.lsn == self._start:
            if change.id != self._queue.id:
                raise self._no_beginning(record)
            self.is_whole = True

    def delete(self, change: ObjectChange, record: Record) -> None:
        if record.lsn == self._start:
            raise self._no_beginning(record)
        if change.id == self._queue.id:
            raise self.impossible(self._queue, record, "says that it was deleted")

    def impossible(self, queue: QueueState, record: Record, what: str) -> StoreDamaged:
        return StoreDamaged(
            queue.name, queue.store.folder, f"log record {record.lsn} {what}, so media recovery is not possible",
            "Restore the queue manager's folder from a backup, or delete the queue",
        )  # fmt: skip

    def pending(self) -> dict[int, set[tuple[bool, int]]]:
        """Of each unfinished unit of work: its slots, and whether it put them."""
        return {
            txn: {(kind == PUT, slot) for kind, _, slot, _ in unit.operations}
            for txn, unit in self.units.items()
            if unit.operations
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
        self._queue = QueueState(definition, self._id, self._folder, store)
        media = core.media.get((definition.kind, definition.name), 0)
        self._history = QueueHistory(self._queue, media, core.log)
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
                history.repeat(record)

    def finish(self) -> None:
        """Read the rest and use the new store from now on. A checkpoint should follow; none may be under way."""
        core, definition, history = self._core, self._definition, self._history
        assert core.checkpoint is None
        if core.queue_files.get(definition.name, (0, ""))[0] != self._id:
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, definition.name, "it was deleted during its media recovery")
        check_not_open(core, definition)
        core.log.force()
        self.read()
        self._history.settle()
        self._check()
        store = history.store
        store.recovered()
        queue = core.queues.get(definition.name)
        if queue is None:
            queue = self._queue
            queue.statistics = core.resting_statistics.pop(self._id, queue.statistics)
            core.queues[definition.name] = core.queues_by_id[self._id] = queue
            core.go_on_counting(queue)
        else:
            store.next_sequence = max(store.next_sequence, queue.store.next_sequence)
            queue.store.close()
            queue.store, queue.folder = store, self._folder
            queue.damage = None
            queue.coop_marks.clear()
        for unit in core.units.values():
            unit.operations = [one for one in unit.operations if one.lsn or one.queue is not queue]
        core.queue_files.place(definition.name, self._id, self._folder)
        core.dropped_folders[self._old_folder] = None
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
    for queue_id in sorted(core.damaged):
        name = core.queue_files.name_of(queue_id)
        if name is None:
            continue
        definition = core.catalogue.find_queue(name)
        assert isinstance(definition, LocalQueue)
        if not is_recoverable(core, definition):
            core.say(amq(7473, name, not_recoverable(definition)))
            continue
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
        if not is_recoverable(core, obj):
            results.append(MediaResult(obj.kind, obj.name, lsn, not_recoverable(obj)))
            continue
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
        history = DefinitionHistory(core.log.folder)
        for record in records(core, core.media[key], obj.name):
            history.apply(record)
        if key not in history.entries:
            raise StoreDamaged(
                obj.name, core.log.folder, f"the log has no {obj.kind} of this name",
                "Restore the queue manager's folder from a backup",
            )  # fmt: skip
        core.catalogue.install(from_record(history.entries[key]["object"]))
        core.catalogue_changed = True
