"""Space handles: what a queue keeps in memory for each message, wherever its data lies.

A handle is a row in a table of typed arrays, some 50 bytes instead of a Python object of several hundred; its
row number, the slot, is what log records and chains use. Fields: the sequence number that orders the chain,
hashes of message and correlation id, expiry, flags, length of the image, first block in the queue file, and the
unit of work that has put or got it and not ended yet.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from operator import itemgetter

from libremq.common.checksum import crc32
from libremq.speed import compiled

NONE = -1

# Flags of a handle. The low four bits are the priority, which is also the number of its chain.
PRIORITY_MASK = 0x0F
IN_USE = 0x10
PERSISTENT = 0x20
LINKED = 0x40  # in its chain, so that a get can find it
PUT_PENDING = 0x80  # put by a unit of work that has not ended
GET_PENDING = 0x100  # got by a unit of work that has not ended
GROUPED = 0x200  # has a group id: the queue's group table knows it
FRAGMENTED = 0x400  # its blocks are not adjacent: the queue's fragment table lists them
SAVED_FLAGS = PRIORITY_MASK | IN_USE | PERSISTENT | PUT_PENDING | GET_PENDING | GROUPED | FRAGMENTED

NEVER = 0  # expiry of a message that does not expire


class HandleTable:
    """Rows of space handles. Freed rows are used again, the latest first, so the table stays dense."""

    __slots__ = (
        "block", "correl_hash", "expiry_ms", "flags", "free_slots", "length", "message_hash",
        "next", "prev", "sequence", "unit",
    )  # fmt: skip

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.next = array("i")
        self.prev = array("i")
        self.sequence = array("q")
        self.message_hash = array("I")
        self.correl_hash = array("I")
        self.expiry_ms = array("q")
        self.flags = array("H")
        self.length = array("I")
        self.block = array("i")
        self.unit = array("q")
        self.free_slots = array("i")

    def __len__(self) -> int:
        return len(self.flags)

    def new_slot(self) -> int:
        if self.free_slots:
            return self.free_slots.pop()
        slot = len(self.flags)
        self._append_row()
        return slot

    def new_slots(self, count: int) -> list[int]:
        """So many, the same that `new_slot` would give one after the other."""
        free = self.free_slots
        left = max(0, len(free) - count)
        slots = free[left:].tolist()
        slots.reverse()
        del free[left:]
        if len(slots) < count:
            rows = len(self.flags)
            end = rows + count - len(slots)
            self.extend_to(end)
            slots += range(rows, end)
        return slots

    def take_slot(self, slot: int) -> None:
        """Have exactly this row, as a log record says; the free rows are counted again after the replay."""
        while slot >= len(self.flags):
            self._append_row()

    def extend_to(self, rows: int) -> None:
        """Have at least this many rows, at once: for the load of a deep queue."""
        more = rows - len(self.flags)
        for column, empty in (
            (self.next, NONE), (self.prev, NONE), (self.sequence, 0), (self.message_hash, 0), (self.correl_hash, 0),
            (self.expiry_ms, NEVER), (self.flags, 0), (self.length, 0), (self.block, NONE), (self.unit, 0),
        ):  # fmt: skip
            column.extend(array(column.typecode, [empty]) * more)

    def _append_row(self) -> None:
        self.next.append(NONE)
        self.prev.append(NONE)
        self.sequence.append(0)
        self.message_hash.append(0)
        self.correl_hash.append(0)
        self.expiry_ms.append(NEVER)
        self.flags.append(0)
        self.length.append(0)
        self.block.append(NONE)
        self.unit.append(0)

    def free_slot(self, slot: int) -> None:
        self.flags[slot] = 0
        self.block[slot] = NONE
        self.unit[slot] = 0
        self.free_slots.append(slot)

    def recount_free(self) -> None:
        """After a replay, which takes rows by number: the free list, lowest row to be used first."""
        flags = self.flags
        self.free_slots = array("i", (slot for slot in range(len(flags) - 1, -1, -1) if not flags[slot]))


@compiled
def fill_rows(
    slots: list[int],
    ids: list[bytes],
    state: int,
    sequence: int,
    expiry: int,
    unit: int,
    flags: array[int],
    sequences: array[int],
    message_hashes: array[int],
    correlation_hashes: array[int],
    expiries: array[int],
    units: array[int],
) -> None:
    """Rows of messages that differ in MsgId, CorrelId and sequence number only: the first has this one."""
    for slot, both in zip(slots, ids, strict=True):
        flags[slot] = state
        sequences[slot] = sequence
        sequence += 1
        message_hashes[slot] = crc32(both[:24])
        correlation_hashes[slot] = crc32(both[24:])
        expiries[slot] = expiry
    if unit:
        for slot in slots:
            units[slot] = unit


# slot, sequence, message hash, correlation hash, expiry, flags, length, block, unit of work
Row = tuple[int, int, int, int, int, int, int, int, int]


class HandleSnapshot:
    """What rows held at one moment, a copy of each column.

    Rows that lie close together are copied with what is between them, and the whole table as it is: a few memory
    moves, which take a fraction of the time that picking values takes.
    """

    __slots__ = ("_columns", "_slots")

    def __init__(self, handles: HandleTable, slots: Sequence[int] | None = None) -> None:
        """Of these slots, which rise, or of all."""
        columns = (
            handles.sequence, handles.message_hash, handles.correl_hash, handles.expiry_ms, handles.flags,
            handles.length, handles.block, handles.unit,
        )  # fmt: skip
        self._slots: Sequence[int]
        self._columns: list[Sequence[int]]
        if slots is None or (slots and slots[-1] - slots[0] < 4 * len(slots)):
            first, end = (0, len(handles)) if slots is None else (slots[0], slots[-1] + 1)
            self._slots = range(first, end)
            self._columns = [column[first:end] for column in columns]
        else:
            self._slots = slots
            # More than one, or none: a single slot is close to itself
            pick = itemgetter(*slots) if slots else lambda column: ()
            self._columns = [pick(column) for column in columns]

    def rows(self) -> Iterator[Row]:
        """Slots that rise, with their values; perhaps others between them."""
        return zip(self._slots, *self._columns)
