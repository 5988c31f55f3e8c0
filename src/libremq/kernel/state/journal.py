"""What the kernel writes in the log: the payloads of its records, encoded and decoded in one place.

A put carries the message image and the slot it takes; a get only queue, slot and sequence number, the space
handle. The sequence number is there to be checked: a replay that meets another message in the slot stops. Object
changes and checkpoints are JSON: rare, and readable in a dump. Layout: docs/internals/log-format.md.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from libremq.speed import compiled
from libremq.store.handle_file import HandlePosition

_PUT = struct.Struct("<IIqBBxxq")  # queue id, slot, sequence, priority, flags, expiry in ms; then the image
_GET = struct.Struct("<IIqB")  # queue id, slot, sequence, why
_SOFT = struct.Struct("<IIqB")  # queue id, slot, sequence, operation
_UNDO = struct.Struct("<IIqBxxxIQ")  # queue id, slot, sequence, operation undone, backout count, LSN of what it undoes
_MEDIA_ROW = struct.Struct("<IqHIqqI")  # slot, sequence, flags, backout count, expiry in ms, unit of work, image length

# What ending a unit of work may take of the log, with a share of page headers: for each operation its compensation,
# and a page each, since a force ends one, for the prepare record and the last one; with an XID and a sync record
UNDO_BYTES = 68
SYNC_BYTES = 1536
END_BYTES = 2 * 4096 + SYNC_BYTES

GOT = 0
EXPIRED = 1

UNDO_PUT = 0
UNDO_GET = 1


SET = "set"
DELETE = "delete"
CLEAR = "clear"


class PutRecord(NamedTuple):
    queue_id: int
    slot: int
    sequence: int
    priority: int
    flags: int  # IN_PARTS, or none
    expiry_ms: int
    image: bytes


class GetRecord(NamedTuple):
    queue_id: int
    slot: int
    sequence: int
    why: int


class UndoRecord(NamedTuple):
    queue_id: int
    slot: int
    sequence: int  # 0: not known, as the queue was damaged; then the backout count is not either
    operation: int
    backout_count: int
    undoes: int


def put_parts(
    queue_id: int, slot: int, sequence: int, priority: int, expiry_ms: int, image_parts: tuple[bytes, ...]
) -> tuple[bytes, ...]:
    return _PUT.pack(queue_id, slot, sequence, priority, 0, expiry_ms), *image_parts


put_head = _PUT.pack
"""What the payload of a put record begins with: queue id, slot, sequence, priority, flags, expiry in ms."""

PUT_HEAD_BYTES = _PUT.size
"""In the payload of a put record, before the image."""

read_put_head = _PUT.unpack_from
"""What that says: the fields of a `PutRecord` but for the image."""


@compiled
def put_run_parts(
    queue_id: int,
    slots: list[int],
    sequence: int,
    priority: int,
    expiry_ms: int,
    fronts: list[bytes],
    data: list[bytes],
) -> list[tuple[bytes, ...]]:
    """Of messages that follow each other, the first with this sequence number: `put_parts` for each."""
    pack = _PUT.pack
    return [
        (pack(queue_id, slot, number, priority, 0, expiry_ms), front, content)
        for slot, number, front, content in zip(slots, count(sequence), fronts, data)
    ]


def read_put(payload: bytes) -> PutRecord:
    queue_id, slot, sequence, priority, flags, expiry_ms = _PUT.unpack_from(payload)
    return PutRecord(queue_id, slot, sequence, priority, flags, expiry_ms, payload[_PUT.size :])


def get_parts(queue_id: int, slot: int, sequence: int, why: int = GOT) -> tuple[bytes]:
    return (_GET.pack(queue_id, slot, sequence, why),)


read_get_fields = _GET.unpack
"""The fields of a `GetRecord`."""


def get_run_parts(queue_id: int, slots: Sequence[int], sequences: Sequence[int]) -> list[tuple[bytes, ...]]:
    """`get_parts` for each, of one queue; `sequences` by slot."""
    pack = _GET.pack
    return [(pack(queue_id, slot, sequences[slot], GOT),) for slot in slots]


def read_get(payload: bytes) -> GetRecord:
    return GetRecord(*read_get_fields(payload))


def undo_parts(queue_id: int, slot: int, sequence: int, operation: int, backouts: int, undoes: int) -> tuple[bytes]:
    return (_UNDO.pack(queue_id, slot, sequence, operation, backouts, undoes),)


def read_undo(payload: bytes) -> UndoRecord:
    return UndoRecord(*_UNDO.unpack(payload))


PREPARED_BY_USER = 1
"""Flag of a PREPARE record that says whose branch it is; without it the payload is the XID alone."""


class PrepareRecord(NamedTuple):
    xid: bytes
    owner: str  # blank: nobody's


def prepare_parts(xid: bytes, owner: str) -> tuple[bytes]:
    """With an owner the record has the flag PREPARED_BY_USER."""
    if not owner:
        return (xid,)
    name = owner.encode()
    return (bytes((len(name),)) + name + xid,)


def read_prepare(payload: bytes, flags: int) -> PrepareRecord:
    if not flags & PREPARED_BY_USER:
        return PrepareRecord(payload, "")
    at = 1 + payload[0]
    if at > len(payload):
        raise ValueError(f"the name of a user with {payload[0]} bytes in a record of {len(payload)}")
    return PrepareRecord(payload[at:], payload[1:at].decode())


def json_parts(value: Any) -> tuple[bytes]:
    return (json.dumps(value, separators=(",", ":")).encode(),)


def read_json(payload: bytes) -> Any:
    return json.loads(payload)


class ObjectChange(NamedTuple):
    """What was done to an object: `set` has the whole of it, with `id` and `folder` of a local queue."""

    op: str
    object: dict[str, Any] = {}
    kind: str = ""
    name: str = ""
    id: int = 0  # of a local queue
    folder: str = ""


def set_parts(made: dict[str, Any], queue_id: int = 0, folder: str = "") -> tuple[bytes]:
    """An object was made or changed; a local queue has an id and a folder."""
    place: dict[str, Any] = {"id": queue_id, "folder": folder} if queue_id else {}
    return json_parts({"op": SET, "object": made, **place})


def delete_parts(kind: str, name: str, queue_id: int) -> tuple[bytes]:
    return json_parts({"op": DELETE, "kind": kind, "name": name, "id": queue_id})


def clear_parts(queue_id: int) -> tuple[bytes]:
    """All messages of a queue are gone."""
    return json_parts({"op": CLEAR, "id": queue_id})


def read_object(payload: bytes) -> ObjectChange:
    return ObjectChange(**read_json(payload))


def commit_parts(sync: dict[str, Any]) -> tuple[bytes]:
    """What the commit of a batch says besides: the sync record of its channel."""
    return json_parts({"object": sync})


def read_commit(payload: bytes) -> dict[str, Any] | None:
    """The sync record, if there is one, as an entry of the catalogue: `object` has it."""
    entry: dict[str, Any] | None = read_json(payload) if payload else None
    return entry


@dataclass(frozen=True, slots=True)
class SoftOperation:
    """An operation of an unfinished unit of work, in its soft image."""

    queue_id: int
    slot: int
    sequence: int
    operation: int
    lsn: int  # a place inside the image, so that each operation has one of its own: what a compensation undoes


@dataclass(frozen=True, slots=True)
class SoftImage:
    """All that an unfinished unit of work has done, in one record, in place of those that it logged before."""

    xid: bytes
    prepared: bool
    operations: list[SoftOperation]


def soft_parts(xid: bytes, prepared: bool, operations: Iterable[tuple[int, int, int, int]]) -> tuple[bytes]:
    """Operations are queue id, slot, sequence and kind; in the order in which they were done."""
    packed = b"".join([_SOFT.pack(*operation) for operation in operations])
    return (bytes((prepared, len(xid))) + xid + packed,)


def read_soft(lsn: int, payload: bytes) -> SoftImage:
    prepared, start = bool(payload[0]), 2 + payload[1]
    operations = []
    for number, (queue_id, slot, sequence, kind) in enumerate(_SOFT.iter_unpack(payload[start:]), start=1):
        operations.append(SoftOperation(queue_id, slot, sequence, kind, lsn + number))
    return SoftImage(payload[2:start], prepared, operations)


MEDIA_LAST = 1
"""Flag of the record with the last part of a media image: only then is the image complete."""
MEDIA_GOES_ON = 2
"""Flag of every part but the first: between it and the part before, anything may have happened to the object."""


class MediaRow(NamedTuple):
    """A persistent message in a media image; `unit` has put or got it, as the flags say, and was not ended."""

    slot: int
    sequence: int
    flags: int
    backout_count: int
    expiry_ms: int
    unit: int
    image: bytes


def media_row_parts(
    slot: int,
    sequence: int,
    flags: int,
    backout_count: int,
    expiry_ms: int,
    unit: int,
    image_parts: tuple[bytes, ...],
) -> tuple[bytes, ...]:
    length = sum(map(len, image_parts))
    return _MEDIA_ROW.pack(slot, sequence, flags, backout_count, expiry_ms, unit, length), *image_parts


def media_parts(header: dict[str, Any], rows: Iterable[bytes] = ()) -> tuple[bytes, ...]:
    """A part of a media image: JSON behind its length, then rows.

    Every part has `kind`, `name` and `first`, the LSN of the first part (0 in that one). The first part has the
    `object`; that of a local queue `id`, `folder` and `next_sequence` too. Parts of a local queue say `upto`, the slot
    before which all are described; an image without messages is `bare`.
    """
    (content,) = json_parts(header)
    return len(content).to_bytes(4, "little"), content, *rows


def read_media_header(payload: bytes) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(payload[4 : 4 + int.from_bytes(payload[:4], "little")])
    return header


def read_media_rows(payload: bytes) -> Iterator[MediaRow]:
    at = 4 + int.from_bytes(payload[:4], "little")
    while at < len(payload):
        slot, sequence, flags, backout_count, expiry_ms, unit, length = _MEDIA_ROW.unpack_from(payload, at)
        at += _MEDIA_ROW.size
        yield MediaRow(slot, sequence, flags, backout_count, expiry_ms, unit, payload[at : at + length])
        at += length


_CHECKPOINT_KEYS = {
    "redo", "catalogue", "next_transaction", "next_message", "transactions", "queues", "nonpersistent", "damaged",
    "folders", "replayed",
}  # fmt: skip


@dataclass
class TransactionState:
    """An unfinished unit of work as a checkpoint saw it."""

    first_lsn: int
    last_lsn: int
    prepared_xid: str = ""  # hexadecimal; empty if it is not prepared
    owner: str = ""  # of a prepared branch: the user that began it

    def row(self) -> list[int | str]:
        """As the checkpoint has it: without an owner as releases wrote it that knew none."""
        row: list[int | str] = [self.first_lsn, self.last_lsn, self.prepared_xid]
        return [*row, self.owner] if self.owner else row


@dataclass
class CheckpointState:
    """Where a restart begins: what the files hold, and which units of work were unfinished."""

    redo: int  # the replay begins with the record at this LSN
    catalogue_generation: int
    next_transaction: int
    next_message: int
    transactions: dict[int, TransactionState] = field(default_factory=dict)
    queues: dict[int, HandlePosition] = field(default_factory=dict)
    nonpersistent: list[int] = field(default_factory=list)  # queues whose non-persistent messages were saved too
    damaged: dict[int, str] = field(default_factory=dict)  # queues that cannot be used, and why
    folders: dict[int, str] = field(default_factory=dict)  # of queues that are not in the one named after them
    replayed: bool = False  # a backup's: the record at `redo` is done already

    def parts(self) -> tuple[bytes]:
        return json_parts(
            {
                "redo": self.redo,
                "catalogue": self.catalogue_generation,
                "next_transaction": self.next_transaction,
                "next_message": self.next_message,
                "transactions": {str(txn): state.row() for txn, state in self.transactions.items()},
                "queues": {str(queue): [at.generation, at.length] for queue, at in self.queues.items()},
                "nonpersistent": self.nonpersistent,
                "damaged": {str(queue): why for queue, why in self.damaged.items()},
                "folders": {str(queue): folder for queue, folder in self.folders.items()},
                "replayed": self.replayed,
            }
        )

    @classmethod
    def read(cls, payload: bytes) -> CheckpointState:
        value = read_json(payload)
        unknown = sorted(value.keys() - _CHECKPOINT_KEYS)
        if unknown:
            raise ValueError(f"{', '.join(unknown)} in a checkpoint")
        return cls(
            value["redo"],
            value["catalogue"],
            value["next_transaction"],
            value["next_message"],
            {int(txn): TransactionState(*state) for txn, state in value["transactions"].items()},
            {int(queue): HandlePosition(*at) for queue, at in value["queues"].items()},
            value["nonpersistent"],
            {int(queue): why for queue, why in value["damaged"].items()},
            {int(queue): folder for queue, folder in value["folders"].items()},
            value["replayed"],
        )
