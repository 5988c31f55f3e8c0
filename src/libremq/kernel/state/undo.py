"""Undo what a unit of work has done, the last operation first, with a log record for each: its compensation.

There is always room for these, unless the disk itself is full. Then an undo stops between two operations, and goes on
there: what is undone is out of the unit of work, the rest still in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.kernel.state import journal
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import GET, PUT, UnitOfWork
from libremq.log import RecordType as R
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core


def undo_behind(core: Core, unit: UnitOfWork, mark: int, counted: bool, returned: dict[QueueState, list[int]]) -> None:
    """Undo the operations behind the mark; `returned`: the queues that got messages back, and which."""
    while len(unit.operations) > mark:
        kind, queue, slot, lsn = unit.operations[-1]
        if queue.damage is not None:
            _note(core, unit, kind, queue, slot, lsn)
        elif not queue.deleted:
            _undo(core, unit, kind, queue, slot, lsn, counted)
            if kind == GET:
                returned.setdefault(queue, []).append(slot)
        unit.operations.pop()


def _undo(core: Core, unit: UnitOfWork, kind: int, queue: QueueState, slot: int, lsn: int, counted: bool) -> None:
    store = queue.store
    backouts = store.backout_count(slot) + counted if kind == GET else 0
    _note(core, unit, kind, queue, slot, lsn, store.handles.sequence[slot], backouts)
    if kind == PUT:
        store.remove(slot)
    else:
        if counted:
            store.set_backout_count(slot, backouts)
        queue.link(slot)


def _note(
    core: Core,
    unit: UnitOfWork,
    kind: int,
    queue: QueueState,
    slot: int,
    lsn: int,
    sequence: int = 0,
    backouts: int = 0,
) -> None:
    """Log that an operation is undone. Also of a damaged queue: media recovery repeats what the log says."""
    if lsn and not queue.deleted:
        operation = journal.UNDO_PUT if kind == PUT else journal.UNDO_GET
        parts = journal.undo_parts(queue.id, slot, sequence, operation, backouts, lsn)
        unit.logged(core.log.append(R.COMPENSATION, unit.id, unit.last_lsn, parts, reserve=True))
        unit.undo_bytes -= journal.UNDO_BYTES
        core.undo_bytes -= journal.UNDO_BYTES


def half_undone(core: Core) -> MQError:
    """For whoever wants to go on with a unit of work whose backout has begun."""
    return mq_error(C.MQRC_BACKED_OUT, core.qmgr_name, "a part of it is backed out already; begin it again")
