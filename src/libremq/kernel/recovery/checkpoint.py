"""Checkpoints: bring the files up to the log, so that a restart need not go back further.

A checkpoint is fuzzy: applications go on while it is taken. At its beginning, under the kernel's lock, a record
CHECKPOINT_START marks the place from which a restart replays, and what the files lack at that moment is captured.
Writing it all takes no lock. The end is a CHECKPOINT record that names what was written.

The order is what makes it safe: log forced up to the start, then queue files and handle files, then the catalogue, then
the record, then checkpoint file and control file. Only after that is anything freed that the checkpoint before
described. A crash in between leaves the one before in force, with all that it needs. So does a disk that is full: what
is written until the record is new files, new blocks and what is behind the end of a file (disk_room.py goes on there).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import fold
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.state.failure_reasons import is_full_disk
from libremq.kernel.state.journal import CheckpointState, TransactionState
from libremq.kernel.state.unit_of_work import PREPARED
from libremq.log import RecordType, SlotFile
from libremq.mqi import constants as C
from libremq.store.handle_file import HandlePosition
from libremq.store.store_checkpoint import StoreCheckpoint
from libremq.store.store_errors import StoreDamaged

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState

MAGIC = b"LMQCHK\0\0"
VERSION = 1
_PAUSE_BYTES = 1 << 20
_SMALLEST_ROOM = 8 * 4096  # of the log: a few forced pages around a record


class Checkpoint:
    """One checkpoint, from the moment of its capture on.

    `begin` under the lock, `write` without it, `record` under it, `settle` without, `complete` under it; or `give_up`
    under it, from wherever it failed.
    """

    def __init__(self, core: Core, checkpoint_file: SlotFile | None, clean: bool) -> None:
        self._core = core
        self._checkpoint_file = checkpoint_file
        self._clean = clean
        self._stores: list[tuple[QueueState, StoreCheckpoint]] = []
        self._damaged: list[tuple[QueueState, StoreDamaged]] = []
        self._written: dict[int, HandlePosition] = {}
        self._catalogue: dict[str, Any] | None = None
        self._dropped: list[str] = []
        self._state = CheckpointState(0, 0, 0, 0)
        self._told = False  # a record may name what was written
        self.head = 0
        """A restart needs nothing before this LSN."""
        self._media = 0
        self.lsn = 0
        """Of its record."""

    @classmethod
    def begin(cls, core: Core, checkpoint_file: SlotFile | None, *, clean: bool = False) -> Checkpoint:
        """Capture what the files lack now. `clean`: the queue manager ends in good order."""
        assert core.checkpoint is None
        checkpoint = cls(core, checkpoint_file, clean)
        start, end = core.checkpoint_start
        if end != core.log.end_of_records:
            start = core.log.append(RecordType.CHECKPOINT_START, 0, 0, (), reserve=True)
            core.checkpoint_start = start, core.log.end_of_records
        # Else one was given up there, and nothing was logged since: attempts without end must not use up the reserve
        checkpoint._begin(start)
        return checkpoint

    @classmethod
    def of_backup(cls, core: Core, redo: int) -> Checkpoint:
        """One of a backup queue manager, which has replayed the log up to the record at `redo` and must not write it.

        It is written and completed as any other; in between `state` and `head` go to a file instead of the log.
        """
        checkpoint = cls(core, None, False)
        checkpoint._begin(redo)
        return checkpoint

    def _begin(self, redo: int) -> None:
        self._core.checkpoint = self
        try:
            self._capture(redo)
        except BaseException:
            self.give_up()
            raise

    def _capture(self, redo: int) -> None:
        core = self._core
        kept: list[int] = []
        for queue in list(core.queues.values()):
            if not queue.recoverable or queue.damage is not None:
                continue
            high = queue.definition.npmclass == C.MQNPM_CLASS_HIGH
            try:
                captured = queue.store.capture(keep_nonpersistent=self._clean and high)
            except StoreDamaged as error:
                core.note_damage(queue, error)
                continue
            if captured is not None:
                self._stores.append((queue, captured))
                if captured.has_nonpersistent:
                    kept.append(queue.id)
        if core.catalogue_changed:
            self._catalogue = catalogue_content(core)
            core.catalogue_generation += 1
            core.catalogue_changed = False
        self._dropped = list(core.dropped_folders)
        self._state = _state(core, redo, kept)
        self.head = min([redo, *(one.first_lsn for one in self._state.transactions.values())])
        # Of this moment: what is recorded after it counts with the next checkpoint, which saves it
        self._media = min(core.media.values(), default=0)

    def write(self, pause: Callable[[], None] = lambda: None) -> None:
        """Bring it all to disk. `pause` is called now and then, so that others get at the disk in between."""
        core = self._core
        core.log.force(self._state.redo)
        sizes = [captured.bytes for _, captured in self._stores]
        total, written = sum(sizes), 0
        core.reserve.want(total)
        for (queue, captured), size in zip(self._stores, sizes, strict=True):
            if written > _PAUSE_BYTES:
                pause()
                written = 0
            written += size
            try:
                self._written[queue.id] = captured.write()
            except StoreDamaged as error:
                self._damaged.append((queue, error))
        if self._catalogue is not None:
            generation = self._state.catalogue_generation
            total += catalogue_file.write(core.files, core.folder, generation, self._catalogue)
        core.reserve.want(total)

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

    def record(self) -> None:
        """Log that it is written, and where. LogFull if there is no room even for that."""
        core = self._core
        parts = self.state().parts()
        core.checkpoint_bytes = max(core.checkpoint_bytes, 2 * len(parts[0]) + _SMALLEST_ROOM)
        self.lsn = core.log.append(RecordType.CHECKPOINT, 0, 0, parts, reserve=True)

    def settle(self) -> None:
        """From the end of this on a restart begins here."""
        log = self._core.log
        log.force(self.lsn)
        if self._checkpoint_file is not None:
            self._checkpoint_file.write(self.lsn.to_bytes(8, "little"))
        if self._media > log.media and log.config.linear:
            log.set_media(self._media)
        log.record_checkpoint(self.lsn, self.head)

    def complete(self) -> None:
        """Free what only the checkpoint before needed."""
        core = self._core
        core.checkpoint = None
        for queue, captured in self._stores:
            captured.done()
            if queue.id in core.queues_by_id and queue.id in self._written:
                core.positions[queue.id] = self._written[queue.id]
        try:
            catalogue_file.drop_others(core.files, core.folder, self._state.catalogue_generation)
            for folder in self._dropped:
                core.files.remove_folder(f"{core.folder}/queues/{folder}")
                del core.dropped_folders[folder]
        except OSError as error:
            # Nothing needs them, and the next checkpoint tries again
            core.say(amq(7478, core.qmgr_name, error))
        _unload_idle(core)

    def give_up(self, error: BaseException | None = None) -> None:
        """It failed: the checkpoint before stays in force, and the next one has all the work of this one.

        If there was no room for it, what it has written gives way: the next one may need less, and must find that.
        """
        core = self._core
        core.checkpoint = None
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


def catalogue_content(core: Core) -> dict[str, Any]:
    objects = []
    for obj in core.catalogue:
        entry: dict[str, Any] = {"object": to_record(obj)}
        if isinstance(obj, LocalQueue):
            if obj.is_temporary:
                continue
            entry["id"], entry["folder"] = core.queue_files[obj.name]
        if core.log.config.linear:
            entry["media"] = core.media.get((obj.kind, obj.name), 0)
        objects.append(entry)
    return {"log_id": core.log.log_id.hex(), "next_queue_id": core.next_queue_id, "objects": objects}


def _state(core: Core, redo: int, kept: list[int]) -> CheckpointState:
    return CheckpointState(
        redo=redo,
        catalogue_generation=core.catalogue_generation,
        next_transaction=core.next_unit,
        next_message=core.identifiers.run,
        transactions={
            unit.id: TransactionState(unit.first_lsn, unit.last_lsn, unit.xid.hex() if unit.state == PREPARED else "")
            for unit in core.units.values()
            if unit.is_logged
        },
        queues=dict(core.positions),
        nonpersistent=kept,
        damaged=dict(core.damaged),
        folders={queue_id: folder for name, (queue_id, folder) in core.queue_files.items() if folder != fold(name)},
    )


def _unload_idle(core: Core) -> None:
    """Unload in two phases: unreferenced at one checkpoint, marked; still so at the next, gone from memory."""
    busy = {operation.queue for unit in core.units.values() for operation in unit.operations}
    idle = {queue.name for queue in core.queues.values() if queue not in busy and _is_idle(queue)}
    for name in idle & core.idle_queues:
        queue = core.queues.pop(name)
        del core.queues_by_id[queue.id]
        core.resting_statistics[queue.id] = queue.statistics
        queue.store.close()
    core.idle_queues = idle - core.idle_queues


def _is_idle(queue: QueueState) -> bool:
    """Nobody has it open, and all that it holds is on disk."""
    store = queue.store
    if queue.open_handles or not queue.recoverable or queue.damage is not None or store.needs_checkpoint:
        return False
    return store.nonpersistent_count == 0
