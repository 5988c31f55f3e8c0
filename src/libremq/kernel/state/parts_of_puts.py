"""A long persistent message is logged in parts: what that is for, and what the records say.

One record of 100 MB holds up everybody: whoever logs something behind it has to wait until all of it is on disk. So the
data of a long message (`LONG_BYTES`) is logged in parts of a megabyte, records PUT_PART, while others have the kernel
and the log in between (`kernel.verbs.long_puts`). Then comes the PUT, which has a flag, the LSNs of its parts, and all
of the message but its data. A put is decided by its PUT, and not before.

Parts and PUT are records of one unit of work: the one in which the message is put or, outside syncpoint, one of its
own, which ends with a COMMIT just behind the PUT. So what keeps the records of a unit of work in the log keeps the
parts until it has ended:

- A checkpoint names the unit of work with its first record, and the head of the log stays there. So parts are in the
  log whenever a replay comes to their PUT: one that began behind the PUT does not come to it, and has the message from
  the queue file.
- A unit of work of which parts are logged, and no PUT yet, is not moved out of the way by a soft image (`log_room`).
- Media recovery of a queue reads from an image of the queue on. If one was begun between parts and PUT, the parts are
  not used: the PUT has all of the message then (`LoggedData.serves`).
- Parts without a PUT (the queue manager was killed, the put refused at the end, its application gone) mean nothing.

A replay notes the PUT, and reads its parts when the message enters its store (`whole_image`): those of a message that
was got before the end of the log are never read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from libremq.common.checksum import crc32
from libremq.kernel.state.journal import PutRecord, put_head
from libremq.log import Record, RecordType
from libremq.store.stored_message import ImageDamaged, LongMessage, joined_image

if TYPE_CHECKING:
    from libremq.kernel.state.connection import Connection
    from libremq.kernel.state.core import Core
    from libremq.kernel.state.queue_state import QueueState
    from libremq.kernel.state.unit_of_work import UnitOfWork

LONG_BYTES = 4 << 20
"""Data of so many bytes is logged in parts. Less is written within some ten milliseconds, which is what everybody may
be made to wait, and a put in parts costs as many turns as it has parts, and a unit of work."""
PART_BYTES = 1 << 20
"""A part: copied and summed within a millisecond, and half of what the log's buffer has by default."""

IN_PARTS = 1
"""Flag of the message in a PUT record: its data is in the parts that the record names."""

_PART = struct.Struct("<QI")  # LSN of the first part (0 in that one), number of this one; then data
_NAMED = struct.Struct(
    "<IIQ"
)  # count of the parts, checksum and length of the data; then LSNs, and the rest of the image
_LSN_BYTES = 8
PART_OVERHEAD = 64 + 4096
"""What a part may take of the log beyond its data: headers, and what a force leaves of a page."""


class PutUnderWay(Protocol):
    """A put whose data is being logged."""

    connection: Connection

    def end(self) -> None:
        """Nobody goes on with it."""


class Part(NamedTuple):
    first: int  # LSN of the first part; 0: this is it
    number: int
    data: bytes


class PutInParts(NamedTuple):
    """What a PUT record says in place of the data."""

    checksum: int
    length: int
    lsns: tuple[int, ...]
    rest: bytes  # the image without the data


class LoggedData:
    """The data of a message that is to be put, as far as it is logged."""

    __slots__ = ("checksum", "data", "logged_bytes", "lsns", "unit")

    def __init__(self, data: bytes, unit: UnitOfWork) -> None:
        self.data = data
        self.unit = unit
        self.lsns: list[int] = []
        self.logged_bytes = 0
        self.checksum = 0  # of what is logged

    def log_part(self, core: Core) -> None:
        """Log the next one. LogFull, with nothing changed, if there is no room for it."""
        unit, start = self.unit, self.logged_bytes
        part = self.data[start : start + core.part_bytes]
        head = _PART.pack(self.lsns[0] if self.lsns else 0, len(self.lsns))
        lsn = core.log.append(RecordType.PUT_PART, unit.id, unit.last_lsn, (head, part), keep=core.keep_for(unit, 0))
        core.note_logged(unit, lsn, 0)
        self.lsns.append(lsn)
        self.checksum = crc32(part, self.checksum)
        self.logged_bytes += len(part)

    @property
    def is_complete(self) -> bool:
        return self.logged_bytes == len(self.data)

    def serves(self, core: Core, queue: QueueState, unit: UnitOfWork | None) -> bool:
        """May a PUT on this queue in this unit of work name the parts?"""
        return (
            self.is_complete
            and unit is self.unit
            and core.units.get(unit.id) is unit
            and max(core.images_begun.get(queue.id, 0), core.media.get(_key(queue), 0)) < self.lsns[0]
        )


def _key(queue: QueueState) -> tuple[str, str]:
    return queue.definition.kind, queue.name


def put_parts(
    queue_id: int, slot: int, sequence: int, priority: int, expiry_ms: int, message: LongMessage, logged: LoggedData
) -> tuple[bytes, ...]:
    """The payload of a PUT record that names parts."""
    named = _NAMED.pack(len(logged.lsns), logged.checksum, logged.logged_bytes)
    lsns = b"".join([lsn.to_bytes(_LSN_BYTES, "little") for lsn in logged.lsns])
    head = put_head(queue_id, slot, sequence, priority, IN_PARTS, expiry_ms)
    return head, named, lsns, *message.image_parts_without_data()


def read_part(payload: bytes) -> Part:
    first, number = _PART.unpack_from(payload)
    return Part(first, number, payload[_PART.size :])


def read_put_in_parts(put: PutRecord) -> PutInParts:
    """What a PUT record with the flag IN_PARTS says. ValueError if that cannot be."""
    count, checksum, length = _NAMED.unpack_from(put.image)
    end = _NAMED.size + count * _LSN_BYTES
    if not count or end > len(put.image):
        raise ValueError(f"{count} parts are named in {len(put.image)} bytes")
    lsns = struct.unpack_from(f"<{count}Q", put.image, _NAMED.size)
    return PutInParts(checksum, length, lsns, put.image[end:])


def whole_image(put: PutRecord, txn: int, read: Callable[[int], Record]) -> bytes:
    """The image of a message that was put in parts. `read` gives the record at an LSN.

    ImageDamaged if what is there is not the data that was logged for it.
    """
    named = read_put_in_parts(put)
    data: list[bytes] = []
    for number, lsn in enumerate(named.lsns):
        record = read(lsn)
        if record.type != RecordType.PUT_PART or record.txn != txn:
            raise ImageDamaged(f"the record at LSN {lsn} is no part of a message of transaction {txn}")
        part = read_part(record.payload)
        if part.number != number or part.first != (named.lsns[0] if number else 0):
            raise ImageDamaged(f"the record at LSN {lsn} is another part than number {number} of the message")
        data.append(part.data)
    return joined_image(named.rest, data, _check(data, named))


def _check(data: Sequence[bytes], named: PutInParts) -> int:
    """The length of it all."""
    checksum, length = 0, 0
    for piece in data:
        checksum = crc32(piece, checksum)
        length += len(piece)
    if (length, checksum) != (named.length, named.checksum):
        raise ImageDamaged(f"{len(data)} parts have {length} bytes, not the {named.length} that were put, or others")
    return length
