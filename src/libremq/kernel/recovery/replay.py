"""The replay of the log: for each type of record one row that says what it changes, and for whom it counts.

Restart, a backup queue manager, media recovery of a queue and that of definitions repeat the same records onto
something of their own: a `Replay` each, with what differs in its methods. What a record means is the same for all, and
is said here once. To all of them a queue is a `NettedQueue`, where puts wait for their gets beside the store until
`settle` (netting.py).

A record of a type that has no row, with a flag or an operation that is not known, or that cannot be read, ends the
replay with `UnknownRecord`: a later release may have meant what must not be left out (contract 7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Flag, auto
from typing import Any, ClassVar, NamedTuple, TypeVar

from libremq.kernel.objects.catalogue import from_record
from libremq.kernel.objects.object_types import MQObject
from libremq.kernel.recovery import record_contents as contents
from libremq.kernel.recovery.netting import Done, NettedQueue, ReplayedUnit
from libremq.kernel.state import journal
from libremq.kernel.state.journal import (
    CheckpointState,
    ObjectChange,
    SoftImage,
)
from libremq.kernel.state.parts_of_puts import whole_image
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import GET, PREPARED, PUT
from libremq.log import LogError, LogFailed, Record, RecordFields, RecordType, new_record
from libremq.store.store_errors import StoreDamaged, damaged_queue
from libremq.store.stored_message import IMAGE_OVERHEAD, IMAGE_VERSION, IMAGE_VERSION_AT, Message

T = TypeVar("T")


class Purpose(Flag):
    """What the log is replayed for."""

    RESTART = auto()
    BACKUP = auto()
    QUEUE = auto()
    """Media recovery of one local queue."""
    DEFINITIONS = auto()
    """Media recovery of an object's definition, or of the whole catalogue."""


Redo = Callable[["Replay", Record], None]
RedoFields = Callable[["Replay", RecordFields], None]


class Replay:
    """What the log is repeated onto. The methods are for those to fill in whom it concerns."""

    purpose: ClassVar[Purpose]
    waiting_bytes_max: ClassVar[int] = 32 * 1024 * 1024
    """So much of messages may wait beside the stores."""

    def __init__(self, log_folder: str) -> None:
        self.log_folder = log_folder
        self.units: dict[int, ReplayedUnit] = {}
        """Those that are not ended, by their transaction id."""
        self.nets: dict[int, NettedQueue] = {}
        """The queues whose messages were put or got, by their ids."""
        self._count_at = 0  # up to this LSN the log cannot have put more than may wait
        self._rules: list[Redo] = [_refuse] * 256
        self._quick: list[RedoFields | None] = [None] * 256
        for number, row in ROWS.items():
            counts = bool(self.purpose & row.counts)
            self._rules[number] = row.redo if counts else _nothing
            self._quick[number] = row.quick if counts else None

    def apply(self, record: Record) -> None:
        """Repeat one record, the next in the log. StoreDamaged if it cannot have happened, or is not understood."""
        if record.flags:
            row = ROWS.get(record.type)
            if row is None or record.flags & ~row.flags:
                raise unknown_record(self.log_folder, record)
        self._rules[record.type](self, record)

    def settle(self) -> None:
        """The replay is over: have in the stores what waits beside them."""
        for net in self.nets.values():
            net.settle(self)

    def relieve(self, lsn: int) -> None:
        """Everything up to this LSN is repeated. If too much waits, have the older half in the stores, or more."""
        if lsn < self._count_at:
            return
        while (size := sum(net.size for net in self.nets.values())) > self.waiting_bytes_max // 2:
            for net in self.nets.values():
                net.settle(self, (len(net.waiting) + 1) // 2)
        self._count_at = lsn + self.waiting_bytes_max - size

    def read(self, reader: Callable[[Record], T], record: Record) -> T:
        """What the payload says."""
        try:
            return reader(record)
        except contents.UNREADABLE as error:
            raise contents.unreadable(self.log_folder, record, error) from error

    def definition(self, made: dict[str, Any], record: Record) -> MQObject:
        """The object whose definition is in the payload."""
        return self.read(lambda _: from_record(made), record)

    # Queues and units of work

    def queue(self, queue_id: int) -> QueueState | None:
        """The queue with this id; None if this is not about it."""
        return None

    def netted(self, queue_id: int) -> NettedQueue | None:
        """The same, with what waits for it."""
        net = self.nets.get(queue_id)
        if net is None:
            queue = self.queue(queue_id)
            if queue is not None:
                net = self.nets[queue_id] = NettedQueue(queue)
        return net

    def unit(self, txn: int) -> ReplayedUnit:
        """The unit of work, begun now if it is not known."""
        unit = self.units.get(txn)
        if unit is None:
            unit = self.units[txn] = ReplayedUnit()
        return unit

    def ended(self, txn: int, lsn: int) -> Sequence[Done]:
        """The record at this LSN ends a unit of work: what that has done, here."""
        unit = self.units.pop(txn, None)
        return () if unit is None else unit.operations

    def passed(self, txn: int) -> None:
        """There was a unit of work with this id, and nothing of it is in the log but its end."""

    def image_at(self, lsn: int, queue: QueueState) -> bytes:
        """The image of the message that was put in parts by the record at this LSN."""
        try:
            record = self.read_at(lsn)
            return whole_image(contents.put_of(record), record.txn, self.read_at)
        except LogFailed:
            raise
        except (*contents.UNREADABLE, LogError) as error:
            what = f"of the message that log record {lsn} has put the parts cannot be used: {error}"
            raise damaged_queue(queue.name, queue.store.folder, what) from error

    def read_at(self, lsn: int) -> Record:
        """A record that may be before those that are repeated."""
        raise AssertionError("a replay of definitions has no messages")

    def make_room(self, queue: QueueState, message: Message) -> None:
        queue.store.make_room(message, True)

    def impossible(self, queue: QueueState, record: Record, what: str) -> StoreDamaged:
        """A record says of a queue what cannot have happened to it as it is."""
        return StoreDamaged(
            queue.name, queue.store.folder, f"log record {record.lsn} {what}",
            "Keep all files and restore log and data from one backup",
        )  # fmt: skip

    # Objects

    def define(self, change: ObjectChange, record: Record) -> None:
        """An object was made or changed."""

    def delete(self, change: ObjectChange, record: Record) -> None:
        """An object was deleted."""

    def install_sync(self, made: dict[str, Any], record: Record) -> None:
        """The sync record of a channel, which came with the commit of a batch."""

    def image(self, record: Record) -> None:
        """A part of a media image."""

    def checkpoint(self, state: CheckpointState) -> None:
        """A checkpoint was complete."""


# What a record says, as far as this release understands it


def unknown_record(folder: str, record: Record) -> contents.UnknownRecord:
    """Of a type that has no row, or with a flag that its row does not have."""
    if record.type in ROWS:
        return contents.UnknownRecord(
            folder, record, f"({contents.name_of(record)}) has flags {record.flags}, not all known here"
        )
    return contents.UnknownRecord(folder, record, f"has type {record.type}, which this release does not know")


_read_put_head, _read_get = journal.read_put_head, journal.read_get_fields
_PUT_BYTES_MIN = journal.PUT_HEAD_BYTES + IMAGE_OVERHEAD
_IMAGE_VERSION_AT = journal.PUT_HEAD_BYTES + IMAGE_VERSION_AT


def read_checkpoint(folder: str, record: Record) -> CheckpointState:
    """The state that a checkpoint record describes, with which a restart or a backup begins."""
    if record.type not in ROWS or record.flags:
        raise unknown_record(folder, record)
    try:
        contents.check_known("type", contents.name_of(record), (RecordType.CHECKPOINT.name,))
        return contents.checkpoint_of(record)
    except contents.UNREADABLE as error:
        raise contents.unreadable(folder, record, error) from error


# What a record changes


def _nothing(replay: Replay, record: Record) -> None:
    """It does not count here."""


def _refuse(replay: Replay, record: Record) -> None:
    raise unknown_record(replay.log_folder, record)


# The rules of put, get and commit spell out what others have methods for: nearly all records are of these types


def _redo_put(replay: Replay, record: RecordFields) -> None:
    lsn, _, _, _, txn, _, payload = record
    try:
        queue_id, slot, sequence, _, flags, _ = _read_put_head(payload)
        if flags or len(payload) < _PUT_BYTES_MIN or payload[_IMAGE_VERSION_AT] != IMAGE_VERSION:
            contents.put_of(new_record(record))
    except contents.UNREADABLE as error:
        raise contents.unreadable(replay.log_folder, new_record(record), error) from error
    net = replay.nets.get(queue_id) or replay.netted(queue_id)
    if net is None:
        return
    queue = net.queue
    if queue.damage is None:
        store, waiting = net.store, net.waiting
        used = store.handles.flags
        if slot in waiting or (slot < len(used) and used[slot]):
            raise damaged_queue(queue.name, store.folder, f"the log puts a message in slot {slot}, which is in use")
        if sequence >= store.next_sequence:
            store.next_sequence = sequence + 1
        waiting[slot] = sequence, lsn, payload
        if txn:
            net.held[slot] = txn
    if txn:
        unit = replay.units.get(txn) or replay.unit(txn)
        unit.operations.append((PUT, queue, slot, lsn))
        if not unit.last_lsn:
            unit.first_lsn = lsn
        unit.last_lsn = lsn


def _redo_part(replay: Replay, record: Record) -> None:
    """It is a record of the unit of work, which the log is needed for; the put that names it reads it."""
    replay.read(contents.part_of, record)
    replay.unit(record.txn).logged(record.lsn)


def _redo_get(replay: Replay, record: RecordFields) -> None:
    lsn, _, _, _, txn, _, payload = record
    try:
        queue_id, slot, sequence, why = _read_get(payload)
        if why:
            contents.check_known("reason", why, (journal.GOT, journal.EXPIRED))
    except contents.UNREADABLE as error:
        raise contents.unreadable(replay.log_folder, new_record(record), error) from error
    net = replay.nets.get(queue_id) or replay.netted(queue_id)
    if net is None:
        return
    queue = net.queue
    if queue.damage is None:
        found = net.waiting.get(slot)
        if found is not None and txn and found[0] == sequence and slot not in net.held:
            net.held[slot] = -txn
        elif net.has(slot, sequence, linked=True):
            net.get(slot, txn)
        else:
            raise _not_there(replay, queue, slot, sequence, new_record(record))
    if txn:
        unit = replay.units.get(txn) or replay.unit(txn)
        unit.operations.append((GET, queue, slot, lsn))
        if not unit.last_lsn:
            unit.first_lsn = lsn
        unit.last_lsn = lsn


def _redo_commit(replay: Replay, record: RecordFields) -> None:
    lsn, _, _, _, txn, prev_lsn, payload = record
    if payload:
        sync = replay.read(contents.sync_of, new_record(record))
        if sync is not None:
            replay.install_sync(sync, new_record(record))
            if not prev_lsn:
                # Nothing else was logged of it: its messages were not persistent
                replay.passed(txn)
                return
    last = net = None
    for kind, queue, slot, _ in replay.ended(txn, lsn):
        if queue is not last:
            last, net = queue, None if queue.out_of_use else replay.netted(queue.id)
        if net is None:
            continue
        if slot in net.waiting:
            del net.held[slot]
            if kind != PUT:
                del net.waiting[slot]
                if net.backout_counts:
                    net.backout_counts.pop(slot, None)
        elif kind == PUT:
            net.store.link(slot)
        else:
            net.store.remove(slot)


def _not_there(replay: Replay, queue: QueueState, slot: int, sequence: int, record: Record) -> StoreDamaged:
    """Assertion in pair with the writing of the record: the log speaks of the message that is in the slot."""
    return replay.impossible(queue, record, f"speaks of message {sequence} in slot {slot}, which is not there")


def _redo_undo(replay: Replay, record: Record) -> None:
    undo = replay.read(contents.undo_of, record)
    net = replay.netted(undo.queue_id)
    if net is None:
        return
    queue = net.queue
    unit = replay.unit(record.txn)
    if queue.damage is None and not net.has(undo.slot, undo.sequence, linked=False):
        raise _not_there(replay, queue, undo.slot, undo.sequence, record)
    operation = _take_back(unit, queue, undo.slot)
    if queue.damage is None:
        if operation is None or operation[0] != undo.operation:
            raise replay.impossible(
                queue, record, f"undoes what transaction {record.txn} has not done in slot {undo.slot}"
            )
        _undo(net, operation, undo.backout_count if undo.sequence else None)
    unit.logged(record.lsn)


def _take_back(unit: ReplayedUnit, queue: QueueState, slot: int) -> Done | None:
    """Take out what the unit of work did in a slot: one thing at a time, and what is undone is at the end, or near."""
    operations = unit.operations
    for at in range(len(operations) - 1, -1, -1):
        if operations[at][2] == slot and operations[at][1] is queue:
            return operations.pop(at)
    return None


def _undo(net: NettedQueue, operation: Done, backouts: int | None) -> None:
    """Undo it in its queue; the backout count is then what the log says, or one more."""
    kind, _, slot, _ = operation
    if kind == PUT:
        net.remove(slot)
        return
    if backouts is None:
        backouts = net.backout_count(slot) + 1
    if backouts:
        net.set_backout_count(slot, backouts)
    net.link(slot)


def _redo_backout(replay: Replay, record: Record) -> None:
    """Each operation was undone with a record of its own, but for those of a queue that nobody could change."""
    replay.read(contents.check_empty, record)
    for operation in reversed(replay.ended(record.txn, record.lsn)):
        queue = operation[1]
        net = None if queue.out_of_use else replay.netted(queue.id)
        if net is not None:
            _undo(net, operation, None)


def _redo_prepare(replay: Replay, record: Record) -> None:
    unit = replay.unit(record.txn)
    prepared = replay.read(contents.prepare_of, record)
    unit.xid, unit.owner, unit.state = prepared.xid, prepared.owner, PREPARED
    unit.logged(record.lsn)


def _redo_soft_image(replay: Replay, record: Record) -> None:
    """What it says has been replayed, or read back; only where it is logged is new."""
    image = replay.read(contents.soft_of, record)
    unit = replay.unit(record.txn)
    operations = _soft_operations(replay, image)
    known = [(kind, queue.id, slot) for kind, queue, slot, lsn in unit.operations if lsn]
    if known != [(kind, queue.id, slot) for kind, queue, slot, _ in operations]:
        raise StoreDamaged(
            f"transaction {record.txn}", replay.log_folder,
            f"log record {record.lsn} does not say of it what the records before it do",
            "Keep all files and restore log and data from one backup",
        )  # fmt: skip
    unit.operations = operations
    unit.first_lsn = unit.last_lsn = record.lsn


def _soft_operations(replay: Replay, image: SoftImage) -> list[Done]:
    found = ((one, replay.queue(one.queue_id)) for one in image.operations)
    return [(one.operation, queue, one.slot, one.lsn) for one, queue in found if queue is not None]


def _redo_object(replay: Replay, record: Record) -> None:
    change = replay.read(contents.change_of, record)
    if change.op == journal.SET:
        replay.define(change, record)
    elif change.op == journal.DELETE:
        replay.nets.pop(change.id, None)
        replay.delete(change, record)
    else:
        net = replay.netted(change.id)
        if net is not None and net.queue.damage is None:
            net.clear()


def _redo_image(replay: Replay, record: Record) -> None:
    replay.image(record)


def _redo_checkpoint_start(replay: Replay, record: Record) -> None:
    """It only says where the checkpoint began that is complete with a later record."""
    replay.read(contents.check_empty, record)


def _redo_checkpoint(replay: Replay, record: Record) -> None:
    replay.checkpoint(replay.read(contents.checkpoint_of, record))


# Back along the chain of a unit of work that was not ended at the checkpoint


class UnitReader:
    """Reads a unit of work back, the last record first: what it did and has not undone."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.undone: set[int] = set()  # LSNs of operations
        self.operations: list[Done] = []  # the last first

    def apply(self, record: Record) -> None:
        row = ROWS.get(record.type)
        if row is None or record.flags & ~row.flags:
            raise unknown_record(self.replay.log_folder, record)
        if row.read_back is None:
            raise StoreDamaged(
                f"transaction {record.txn}", self.replay.log_folder,
                f"the record at LSN {record.lsn} ({contents.name_of(record)}) cannot be part of what is not ended",
                "Keep all files and restore log and data from one backup",
            )  # fmt: skip
        row.read_back(self, record)

    def did(self, kind: int, queue_id: int, slot: int, lsn: int) -> None:
        if lsn in self.undone:
            return  # the queue may have been deleted since
        queue = self.replay.queue(queue_id)
        if queue is not None:
            self.operations.append((kind, queue, slot, lsn))


def _back_to_put(reader: UnitReader, record: Record) -> None:
    put = reader.replay.read(contents.put_of, record)
    reader.did(PUT, put.queue_id, put.slot, record.lsn)


def _back_to_get(reader: UnitReader, record: Record) -> None:
    get = reader.replay.read(contents.get_of, record)
    reader.did(GET, get.queue_id, get.slot, record.lsn)


def _back_to_undo(reader: UnitReader, record: Record) -> None:
    reader.undone.add(reader.replay.read(contents.undo_of, record).undoes)


def _back_to_soft_image(reader: UnitReader, record: Record) -> None:
    for one in reversed(reader.replay.read(contents.soft_of, record).operations):
        reader.did(one.operation, one.queue_id, one.slot, one.lsn)


def _back_over(reader: UnitReader, record: Record) -> None:
    """It adds nothing to what the unit of work did."""


# The table


class Row(NamedTuple):
    """One type of record."""

    type: RecordType
    redo: Redo
    """What it changes."""
    counts: Purpose
    """Whom that concerns; all others only have to know the type."""
    read_back: Callable[[UnitReader, Record], None] | None = None
    """What it adds to a unit of work that is read back along its chain; None: it is not part of such a chain."""
    names_queue: bool = False
    """Its payload begins with the id of a queue: media recovery of one queue need not look at those of others."""
    flags: int = 0
    """Flags that the record may have."""
    quick: RedoFields | None = None
    """The same as `redo`, for a record without flags: it does not need the names of the fields."""


_WHOLE = Purpose.RESTART | Purpose.BACKUP
_MESSAGES = _WHOLE | Purpose.QUEUE
_ALL = _MESSAGES | Purpose.DEFINITIONS

ROWS: dict[int, Row] = {
    row.type: row
    for row in (
        Row(RecordType.PUT, _redo_put, _MESSAGES, _back_to_put, names_queue=True, quick=_redo_put),
        Row(RecordType.GET, _redo_get, _MESSAGES, _back_to_get, names_queue=True, quick=_redo_get),
        Row(RecordType.COMPENSATION, _redo_undo, _MESSAGES, _back_to_undo, names_queue=True),
        Row(RecordType.PREPARE, _redo_prepare, _WHOLE, _back_over, flags=journal.PREPARED_BY_USER),
        Row(RecordType.SOFT_IMAGE, _redo_soft_image, _WHOLE, _back_to_soft_image),
        Row(RecordType.COMMIT, _redo_commit, _ALL, quick=_redo_commit),
        Row(RecordType.BACKOUT, _redo_backout, _MESSAGES),
        Row(RecordType.OBJECT, _redo_object, _ALL),
        Row(RecordType.MEDIA_IMAGE, _redo_image, _ALL, flags=journal.MEDIA_LAST | journal.MEDIA_GOES_ON),
        Row(RecordType.CHECKPOINT_START, _redo_checkpoint_start, _WHOLE),
        Row(RecordType.CHECKPOINT, _redo_checkpoint, Purpose.BACKUP),
        Row(RecordType.FILLER, _nothing, Purpose(0)),
        Row(RecordType.PUT_PART, _redo_part, _WHOLE, _back_over),
    )
}
"""By type. A type without a row is not known; see `docs/internals/log-format.md` for what each says."""

OF_ONE_QUEUE = frozenset(row.type for row in ROWS.values() if row.names_queue)
