"""Checkpoints: bring the files up to the log, so that a restart need not go back further.

The order is what makes them safe: log forced, then queue files and handle files, then the catalogue, then the
checkpoint record that names them all, then checkpoint file and control file. Only after that is anything freed
that the checkpoint before described. A crash in between leaves the one before in force, with all that it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.kernel import catalogue_file
from libremq.kernel.definitions import to_record
from libremq.kernel.journal import CheckpointState, TransactionState
from libremq.kernel.objects import LocalQueue
from libremq.kernel.units import PREPARED
from libremq.log import RecordType, SlotFile
from libremq.mqi import constants as C
from libremq.store.handles import IN_USE, PERSISTENT

if TYPE_CHECKING:
    from libremq.kernel.core import Core
    from libremq.kernel.queues import QueueState

FILE_NAME = "amqalchk.fil"
MAGIC = b"LMQCHK\0\0"
VERSION = 1
RECORDS_MAX = 50_000
WAIT_S = 30 * 60
RECORDS_MIN = 100
_SMALLEST_ROOM = 8 * 4096  # of the log: a few forced pages around a record


def take(core: Core, checkpoint_file: SlotFile | None, *, clean: bool = False) -> int:
    """Take a checkpoint now; the LSN of its record. `clean`: the queue manager ends in good order."""
    core.log.force()
    kept: list[int] = []
    for queue in core.queues.values():
        if queue.recoverable:
            high = queue.definition.npmclass == C.MQNPM_CLASS_HIGH
            if queue.store.checkpoint(keep_nonpersistent=clean and high):
                kept.append(queue.id)
            if queue.store.position.generation:
                core.positions[queue.id] = queue.store.position
    if core.catalogue_changed:
        write_catalogue(core)
    parts = _state(core, kept).parts()
    core.checkpoint_bytes = max(core.checkpoint_bytes, 2 * len(parts[0]) + _SMALLEST_ROOM)
    lsn = core.log.append(RecordType.CHECKPOINT, 0, 0, parts, reserve=True)
    core.log.force(lsn)
    if checkpoint_file is not None:
        checkpoint_file.write(lsn.to_bytes(8, "little"))
    core.log.record_checkpoint(lsn, min([lsn, *(unit.first_lsn for unit in core.units.values() if unit.is_logged)]))
    _release(core)
    return lsn


def frees_log(core: Core) -> bool:
    """Would a checkpoint now free an extent? Not while the oldest unit of work began in the first one."""
    log = core.log
    head = min([log.tail, *(unit.first_lsn for unit in core.units.values() if unit.is_logged)])
    return head // log.config.extent_bytes > log.head // log.config.extent_bytes


def write_catalogue(core: Core) -> None:
    objects = []
    for obj in core.catalogue:
        if isinstance(obj, LocalQueue):
            if obj.is_temporary:
                continue
            queue_id, folder = core.queue_files[obj.name]
            objects.append({"object": to_record(obj), "id": queue_id, "folder": folder})
        else:
            objects.append({"object": to_record(obj)})
    content = {"log_id": core.log.log_id.hex(), "next_queue_id": core.next_queue_id, "objects": objects}
    catalogue_file.write(core.files, core.folder, core.catalogue_generation + 1, content)
    core.catalogue_generation += 1
    core.catalogue_changed = False


def _state(core: Core, kept: list[int]) -> CheckpointState:
    return CheckpointState(
        catalogue_generation=core.catalogue_generation,
        next_transaction=core.next_unit,
        next_message=core.identifiers.run,
        transactions={
            unit.id: TransactionState(
                unit.first_lsn, unit.last_lsn, unit.xid.hex() if unit.state == PREPARED else ""
            )
            for unit in core.units.values()
            if unit.is_logged
        },
        queues=dict(core.positions),
        nonpersistent=kept,
    )


def _release(core: Core) -> None:
    """The checkpoint is complete: free what only the one before needed."""
    for queue in core.queues.values():
        if queue.recoverable:
            queue.store.checkpoint_done()
    catalogue_file.drop_others(core.files, core.folder, core.catalogue_generation)
    for folder in core.dropped_folders:
        core.files.remove_folder(f"{core.folder}/queues/{folder}")
    core.dropped_folders = []
    _unload_idle(core)


def _unload_idle(core: Core) -> None:
    """Unload in two phases: unreferenced at one checkpoint, marked; still so at the next, gone from memory."""
    idle = {queue.name for queue in core.queues.values() if _is_idle(core, queue)}
    for name in idle & core.idle_queues:
        queue = core.queues.pop(name)
        del core.queues_by_id[queue.id]
        queue.store.close()
    core.idle_queues = idle - core.idle_queues


def _is_idle(core: Core, queue: QueueState) -> bool:
    """Nobody has it open, no unit of work touches it, and all that it holds is on disk."""
    store = queue.store
    if queue.open_handles or not queue.recoverable or store.needs_checkpoint or core.has_uncommitted(queue):
        return False
    return all(not flags & IN_USE or flags & PERSISTENT for flags in store.handles.flags)
