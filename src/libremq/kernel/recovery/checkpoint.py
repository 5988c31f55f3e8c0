"""Checkpoints: bring the files up to the log, so that a restart need not go back further.

A checkpoint is fuzzy: applications go on while it is taken. At its beginning, under the kernel's lock, a record
CHECKPOINT_START marks the place from which a restart replays. What the files lack at that moment is captured queue by
queue, some at a time under the lock: every queue as it was at the beginning, for one that is to change before its turn
has come is captured first, by whoever changes it. Replay knows no position for each queue, so nothing else would do.
Writing it all takes no lock. The end is a CHECKPOINT record that names what was written.

The order is what makes it safe: log forced up to the start, then queue files and handle files, then the catalogue, then
the record, then checkpoint file and control file. Only after that is anything freed that the checkpoint before
described. A crash in between leaves the one before in force, with all that it needs. So does a disk that is full: what
is written until the record is new files, new blocks and what is behind the end of a file (disk_room.py goes on there).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from libremq.common.files.queue_manager_files import CHECKPOINT
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.object_types import LocalQueue, MQObject, new_object
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.state.failure_reasons import is_final, is_full_disk
from libremq.kernel.state.journal import CheckpointState, TransactionState
from libremq.kernel.state.unit_of_work import PREPARED, UnitOfWork
from libremq.log import RecordType, SlotFile
from libremq.mqi import constants as C
from libremq.store import tidying
from libremq.store.handle_file import HandlePosition
from libremq.store.store_checkpoint import StoreCheckpoint
from libremq.store.store_errors import StoreDamaged, StoreFull, failed_sync

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState

MAGIC = b"LMQCHK\0\0"
VERSION = 1
_PAUSE_BYTES = 1 << 20
_MANY = 64  # queues that are written one after the other before that takes long
_SMALLEST_ROOM = 8 * 4096  # of the log: a few forced pages around a record
QUEUES_AT_ONCE = 10
"""So many are captured under the lock at once, or ended; one with many changes counts as several."""
_CHANGES_OF_A_QUEUE = 500
_LOOKED_AT_AT_ONCE = 200


class Checkpoint:
    """One checkpoint, from the moment of its capture on.

    `begin` under the lock, and `capture_some` until there is no more; `write` without it, `record` under it, `settle`
    without, `complete` under it, or each step of `completing`; or `give_up` under it, from wherever it failed.
    """

    def __init__(self, core: Core, checkpoint_file: SlotFile | None, clean: bool) -> None:
        self._core = core
        self._checkpoint_file = checkpoint_file
        self._clean = clean
        self._left: dict[int, QueueState] = {}  # by id: queues that are still to be captured, as they were
        self._trouble: Exception | None = None  # of a capture for somebody who had other things to do
        self._stores: list[tuple[QueueState, StoreCheckpoint]] = []
        self._damaged: list[tuple[QueueState, StoreDamaged]] = []
        self._written: dict[int, HandlePosition] = {}
        self._catalogue: _Definitions | None = None
        self._dropped: list[str] = []
        self._state = CheckpointState(0, 0, 0, 0)
        self._told = False  # a record may name what was written
        self.head = 0
        """A restart needs nothing before this LSN."""
        self._media = 0
        self.lsn = 0
        """Of its record."""

    @classmethod
    def begin(
        cls, core: Core, checkpoint_file: SlotFile | None, *, clean: bool = False, at_once: bool = True
    ) -> Checkpoint:
        """Capture what the files lack now. `clean`: the queue manager ends in good order.

        Not `at_once`: whoever calls goes on with `capture_some`, before anything else.
        """
        assert core.checkpoint is None
        checkpoint = cls(core, checkpoint_file, clean)
        start, end = core.checkpoint_start
        if end != core.log.end_of_records:
            start = core.log.append(RecordType.CHECKPOINT_START, 0, 0, (), reserve=True)
            core.checkpoint_start = start, core.log.end_of_records
        # Else one was given up there, and nothing was logged since: attempts without end must not use up the reserve
        checkpoint._begin(start, at_once)
        return checkpoint

    @classmethod
    def of_backup(cls, core: Core, redo: int) -> Checkpoint:
        """One of a backup queue manager, which has replayed the log up to the record at `redo` and must not write it.

        It is written and completed as any other; in between `state` and `head` go to a file instead of the log.
        """
        checkpoint = cls(core, None, False)
        checkpoint._begin(redo, True)
        return checkpoint

    def _begin(self, redo: int, at_once: bool) -> None:
        core = self._core
        core.checkpoint = self
        try:
            self._mark()
            if core.catalogue_changed:
                self._catalogue = _definitions(core)
                core.catalogue_generation += 1
                core.catalogue_changed = False
            self._dropped = list(core.dropped_folders)
            self._state = _state(core, redo)
            self.head = min([redo, *(one.first_lsn for one in self._state.transactions.values())])
            # Of this moment: what is recorded after it counts with the next checkpoint, which saves it
            self._media = min(core.media.values(), default=0)
            while at_once and self.capture_some():
                pass
        except BaseException:
            self.give_up()
            raise

    def _mark(self) -> None:
        """Note the queues that a capture is for. None of them changes from now on before it is captured."""
        for queue in self._core.queues.values():
            if not queue.recoverable or queue.damage is not None:
                continue
            store = queue.store
            if store.needs_checkpoint or (self._clean and store.nonpersistent_count):
                store.before_change = partial(self._capture_first, queue)
                self._left[queue.id] = queue
            elif tidying.may_be_tidied(store):
                self._left[queue.id] = queue

    def capture_some(self) -> bool:
        """Capture some of the queues that are left, under the lock; False if that is all of them."""
        cost = 0
        while self._left and cost < QUEUES_AT_ONCE:
            queue = next(iter(self._left.values()))
            cost += 1 + queue.store.change_count // _CHANGES_OF_A_QUEUE
            try:
                self._capture(queue)
            except StoreDamaged as error:
                self._core.note_damage(queue, error)
                self._damaged.append((queue, error))
        if self._trouble is not None:
            raise self._trouble
        return bool(self._left)

    def _capture_first(self, queue: QueueState) -> None:
        """Somebody is about to change the queue. What goes wrong is not his trouble: it is for the checkpoint."""
        try:
            self._capture(queue)
        except StoreDamaged as error:
            self._damaged.append((queue, error))
        except (StoreFull, OSError) as error:
            self._trouble = error

    def _capture(self, queue: QueueState) -> None:
        del self._left[queue.id]
        store = queue.store
        is_marked, store.before_change = store.before_change is not None, None
        if queue.deleted:
            return  # nobody has changed it before, and a replay comes to its deletion
        if queue.damage is not None:
            self._damaged.append((queue, queue.damage))  # found since
            return
        if not is_marked:
            if not store.needs_checkpoint:
                tidying.tidy(store)
            return  # it was clean: what has changed since is for the next one
        high = queue.definition.npmclass == C.MQNPM_CLASS_HIGH
        captured = store.capture(keep_nonpersistent=self._clean and high)
        if captured is not None:
            self._stores.append((queue, captured))
            if captured.has_nonpersistent:
                self._state.nonpersistent.append(queue.id)

    def write(self, pause: Callable[[], None] = lambda: None) -> None:
        """Bring it all to disk. `pause` is called now and then, so that others get at the disk in between."""
        assert not self._left
        core = self._core
        core.log.force(self._state.redo)
        sizes = [captured.bytes for _, captured in self._stores]
        total, written = sum(sizes), 0
        core.reserve.want(total)
        makes_files = any(captured.makes_files for _, captured in self._stores)
        batch: list[Callable[[], None]] = []
        for (queue, captured), size in zip(self._stores, sizes, strict=True):
            if written > _PAUSE_BYTES:
                self._write_all(batch)
                pause()
                written, batch = 0, []
            written += size
            batch.append(partial(self._write_one, queue, captured))
        self._write_all(batch)
        if makes_files:
            _sync_folder(core, "queues")
        if self._catalogue is not None:
            generation = self._state.catalogue_generation
            total += catalogue_file.write(core.files, core.folder, generation, self._catalogue.content())
        core.reserve.want(total)

    def _write_all(self, batch: list[Callable[[], None]]) -> None:
        """A few one after the other, in their order; many side by side, as each of them waits for the disk."""
        if len(batch) < _MANY:
            for write in batch:
                write()
            return
        trouble: list[Exception] = []

        def unless_in_trouble(write: Callable[[], None]) -> None:
            if not trouble:
                try:
                    write()
                except Exception as error:
                    trouble.append(error)

        self._core.side_by_side(partial(unless_in_trouble, write) for write in batch)
        if trouble:
            # Several may have failed at once: a disk that is full must not hide that a sync failed, which is the end
            raise next((error for error in trouble if is_final(error)), trouble[0])

    def _write_one(self, queue: QueueState, captured: StoreCheckpoint) -> None:
        try:
            self._written[queue.id] = captured.write()
        except StoreDamaged as error:
            self._damaged.append((queue, error))

    def state(self) -> CheckpointState:
        """What a restart begins with, once all is written."""
        core = self._core
        self._told = True
        for queue, error in self._damaged:
            # Its saved state is that of the checkpoint before, and what has happened to it since will leave the log
            core.note_damage(queue, error)
            self._state.damaged[queue.id] = error.what
        self._state.queues.update(self._written)
        return self._state

    def parts(self) -> Sequence[bytes]:
        """That for the log. With many queues it takes a while, and needs no lock."""
        return self._state.parts()

    def record(self, parts: Sequence[bytes] | None = None) -> None:
        """Log that it is written, and where. LogFull if there is no room even for that."""
        core = self._core
        if parts is None:
            parts = self.state().parts()
        core.checkpoint_bytes = max(core.checkpoint_bytes, 2 * len(parts[0]) + _SMALLEST_ROOM)
        self.lsn = core.log.append(RecordType.CHECKPOINT, 0, 0, parts, reserve=True)

    def settle(self) -> None:
        """From the end of this on a restart begins here."""
        log = self._core.log
        log.force(self.lsn)
        if self._checkpoint_file is not None:
            try:
                self._checkpoint_file.write(self.lsn.to_bytes(8, "little"))
            except OSError as error:
                if is_full_disk(error):
                    raise
                raise failed_sync(CHECKPOINT, error) from error
        if self._media > log.media and log.config.linear:
            log.set_media(self._media)
        log.record_checkpoint(self.lsn, self.head)

    def complete(self) -> None:
        """Free what only the checkpoint before needed."""
        for _ in self.completing():
            pass

    def completing(self) -> Iterator[None]:
        """The same in steps, each under the lock. Until the last is done this checkpoint is under way."""
        core = self._core
        for number, (queue, captured) in enumerate(self._stores, 1):
            captured.done()
            if queue.id in core.queues_by_id and queue.id in self._written:
                core.positions[queue.id] = self._written[queue.id]
            if number % QUEUES_AT_ONCE == 0:
                yield
        try:
            catalogue_file.drop_others(core.files, core.folder, self._state.catalogue_generation)
            for folder in self._dropped:
                core.files.remove_folder(f"{core.folder}/queues/{folder}")
                del core.dropped_folders[folder]
                yield
        except OSError as error:
            # Nothing needs them, and the next checkpoint tries again
            core.say(amq(7478, core.qmgr_name, error))
        yield from _unload_idle(core)
        core.checkpoint = None

    def give_up(self, error: BaseException | None = None) -> None:
        """It failed: the checkpoint before stays in force, and the next one has all the work of this one.

        If there was no room for it, what it has written gives way: the next one may need less, and must find that.
        """
        core = self._core
        core.checkpoint = None
        for queue in self._left.values():
            queue.store.before_change = None
        self._left = {}
        give_back = error is not None and is_full_disk(error) and not self._told
        for _, captured in self._stores:
            captured.failed(give_back=give_back)
        if self._catalogue is not None:
            core.catalogue_changed = True


def take(
    core: Core,
    checkpoint_file: SlotFile | None,
    *,
    clean: bool = False,
    settled: Callable[[], None] = lambda: None,
) -> int:
    """Take a checkpoint now, from beginning to end; the LSN of its record.

    `settled` is called when it is in force and nothing is freed yet that the one before needs.
    """
    checkpoint = Checkpoint.begin(core, checkpoint_file, clean=clean)
    try:
        checkpoint.write()
        checkpoint.record()
        checkpoint.settle()
        settled()
    except BaseException as error:
        checkpoint.give_up(error)
        raise
    checkpoint.complete()
    return checkpoint.lsn


class _Definitions(NamedTuple):
    """The catalogue of one moment: copies of its objects, with id and folder of queues, and where their media begin."""

    log_id: str
    next_queue_id: int
    objects: list[tuple[MQObject, tuple[int, str] | None, int | None]]

    def content(self) -> dict[str, Any]:
        """For the file."""
        return {"log_id": self.log_id, "next_queue_id": self.next_queue_id, "objects": map(_entry, self.objects)}


def _definitions(core: Core) -> _Definitions:
    """A copy costs a tenth of what an entry for the file does, and that needs no lock."""
    linear = core.log.config.linear
    objects: list[tuple[MQObject, tuple[int, str] | None, int | None]] = []
    for obj in core.catalogue:
        place = None
        if isinstance(obj, LocalQueue):
            if obj.is_temporary:
                continue
            place = core.queue_files[obj.name]
        copy = new_object(type(obj), obj.name, obj.__dict__)
        objects.append((copy, place, core.media.get((obj.kind, obj.name), 0) if linear else None))
    return _Definitions(core.log.log_id.hex(), core.next_queue_id, objects)


def _entry(one: tuple[MQObject, tuple[int, str] | None, int | None]) -> dict[str, Any]:
    obj, place, media = one
    entry: dict[str, Any] = {"object": to_record(obj)}
    if place is not None:
        entry["id"], entry["folder"] = place
    if media is not None:
        entry["media"] = media
    return entry


def _sync_folder(core: Core, name: str) -> None:
    path = f"{core.folder}/{name}"
    try:
        core.files.sync_folder(path)
    except OSError as error:
        raise failed_sync(path, error) from error


def _state(core: Core, redo: int) -> CheckpointState:
    return CheckpointState(
        redo=redo,
        catalogue_generation=core.catalogue_generation,
        next_transaction=core.next_unit,
        next_message=core.identifiers.run,
        transactions={unit.id: _unfinished(unit) for unit in core.units.values() if unit.is_logged},
        queues=dict(core.positions),
        damaged=dict(core.damaged),
        folders=dict(core.queue_files.elsewhere),
    )


def _unfinished(unit: UnitOfWork) -> TransactionState:
    if unit.state != PREPARED:
        return TransactionState(unit.first_lsn, unit.last_lsn)
    return TransactionState(unit.first_lsn, unit.last_lsn, unit.xid.hex(), unit.owner)


def _unload_idle(core: Core) -> Iterator[None]:
    """Unload in two phases: unreferenced at one checkpoint, marked; still so at the next, gone from memory.

    In steps, with a look at the units of work in each.
    """
    idle: set[str] = set()
    queues = list(core.queues.values())
    for first in range(0, len(queues), _LOOKED_AT_AT_ONCE):
        busy = {operation.queue for unit in core.units.values() for operation in unit.operations}
        for queue in queues[first : first + _LOOKED_AT_AT_ONCE]:
            if queue.deleted or queue in busy or not _is_idle(queue):
                continue
            if queue.name not in core.idle_queues:
                idle.add(queue.name)
                continue
            del core.queues[queue.name], core.queues_by_id[queue.id]
            core.resting_statistics[queue.id] = queue.statistics
            core.resting_sequences[queue.id] = queue.store.next_sequence
            queue.store.close()
        yield
    core.idle_queues = idle


def _is_idle(queue: QueueState) -> bool:
    """Nobody has it open, and all that it holds is on disk."""
    store = queue.store
    if queue.open_handles or not queue.recoverable or queue.damage is not None or store.needs_checkpoint:
        return False
    return store.nonpersistent_count == 0
