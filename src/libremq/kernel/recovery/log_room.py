"""Room in a log that fills: who has to give way.

A unit of work needs its records until it ends, and a restart reads back to the oldest. One that stays open while others
go on would hold the head of the log for ever. In turn, as a checkpoint begins or when an append finds no room:

- *Pull-up*: a small one in an old extent is logged once more near the tail (a soft image: queue, slot and sequence of
  each operation), and holds the log no longer.
- Where the log is full up to its reserve, the oldest unit of work is rolled *forward* in the same way if it is
  prepared, since only its transaction manager may decide; any other is rolled *back*, and its owner hears of it with
  its next call. One at a time, until a checkpoint can move the head.
"""

from __future__ import annotations

import itertools

from libremq.common.messages.amq_messages import amq
from libremq.kernel.state import journal
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import PREPARED, UnitOfWork
from libremq.log import RecordType
from libremq.log.records import RECORD_HEADER_BYTES

_FILLER_BYTES = 64 * 1024
_SHARE_OF_OTHERS = 3  # quarters of what applications have at most
PULL_UP_OPERATIONS = 32
"""A unit of work with at most so many logged operations is pulled up rather than rolled back."""


def logged_units(core: Core) -> list[UnitOfWork]:
    """Units of work that the log is needed for, the oldest first."""
    return sorted((unit for unit in core.units.values() if unit.is_logged), key=lambda unit: unit.first_lsn)


def frees_log(core: Core) -> bool:
    """Would a checkpoint now free an extent? Not while the oldest unit of work began in the first one."""
    log = core.log
    head = min([log.tail, *(unit.first_lsn for unit in core.units.values() if unit.is_logged)])
    return head // log.config.extent_bytes > log.head // log.config.extent_bytes


def leaves_room(core: Core, more: int = 0) -> bool:
    """Is there room in the log for so many bytes that are no application's work?

    Such things leave a part of the log to applications: where it is full, the oldest unit of work is rolled back, and
    an image or an advanced log is no reason for that.
    """
    space = core.log.space()
    return space.used_bytes + more <= space.limit_bytes * _SHARE_OF_OTHERS // 4


def soft_image(core: Core, unit: UnitOfWork) -> int:
    """Log once more, in one record, what the unit of work has done: its older records are not needed then.

    The messages themselves are in the queue files from the next checkpoint on.
    """
    logged = [operation for operation in unit.operations if operation.lsn]
    rows = (
        (queue.id, slot, queue.store.handles.sequence[slot] if not queue.out_of_use else 0, kind)
        for kind, queue, slot, _ in logged
    )
    parts = journal.soft_parts(unit.xid, unit.state == PREPARED, rows)
    lsn = core.log.append(RecordType.SOFT_IMAGE, unit.id, 0, parts, reserve=True)
    numbers = itertools.count(lsn + 1)
    unit.operations = [one._replace(lsn=next(numbers)) if one.lsn else one for one in unit.operations]
    unit.first_lsn = unit.last_lsn = lsn
    return lsn


def pull_up(core: Core) -> int:
    """Before a checkpoint: move small units of work out of the way once the log is half full. How many were moved."""
    log = core.log
    space = log.space()
    if 2 * space.used_bytes < space.capacity_bytes:
        return 0
    moved = 0
    extent_bytes = log.config.extent_bytes
    for unit in logged_units(core):
        if unit.first_lsn // extent_bytes >= log.tail // extent_bytes:
            break
        operations = sum(1 for operation in unit.operations if operation.lsn)
        if operations > PULL_UP_OPERATIONS or unit.parts_under_way:
            break  # the log cannot be let go before it, so those behind it need not be moved
        soft_image(core, unit)
        moved += 1
    return moved


def advance(core: Core) -> int:
    """Have the log go on in the next extent, so that this one can be archived: fill what is left of it.

    Returns the LSN of the last record that does so. There must be room for them (`leaves_room`).
    """
    log = core.log
    extent_bytes, current = log.config.extent_bytes, log.tail // log.config.extent_bytes
    lsn = 0
    while log.tail // extent_bytes == current:
        size = min(_FILLER_BYTES, log.left_in_extent) - RECORD_HEADER_BYTES
        lsn = log.append(RecordType.FILLER, 0, 0, (bytes(max(0, size)),), keep=core.kept_bytes)
        if log.pressure:
            log.force(lsn)
    return lsn


def give_way(core: Core) -> None:
    """The log is full: have the oldest unit of work release its head."""
    oldest = logged_units(core)[0]
    if oldest.state == PREPARED:
        soft_image(core, oldest)
        whom = "the answer of its channel's partner" if oldest.is_batch else "its transaction manager"
        how = f"rolled forward to release log space: it is prepared and waits for {whom}."
        core.say(amq(7469, oldest.xid.hex(), core.qmgr_name, how))
        return
    owners = [one for one in core.connections.values() if oldest in (one.unit, one.xa_unit)]
    for connection in owners:
        connection.backed_out = True
    if oldest.xid and not owners:
        core.branches.note_rolled_back(oldest)
    core.backout(oldest)  # LogFull: there is no room even for that, and it stays with its connection until there is
    for connection in owners:
        connection.unit = connection.xa_unit = None
    whose = f", of application {owners[-1].application!r}" if owners else ""
    how = f"rolled back to release log space: it was the oldest, with {oldest.message_count} messages{whose}. "
    core.say(amq(7469, oldest.id, core.qmgr_name, f"{how}Commit sooner, or enlarge the log."))
