"""What the payload of each type of log record says, as far as this release understands it.

Whoever replays the log asks here before anything is changed: a payload with a flag, an operation or a kind that is
not known, or that cannot be taken apart, is a ValueError or another of UNREADABLE.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from libremq.kernel.state import journal, parts_of_puts
from libremq.kernel.state.journal import (
    CheckpointState,
    GetRecord,
    MediaRow,
    ObjectChange,
    PrepareRecord,
    PutRecord,
    SoftImage,
    UndoRecord,
)
from libremq.kernel.state.unit_of_work import GET, PUT
from libremq.log import Record, RecordType
from libremq.store.store_errors import StoreDamaged
from libremq.store.stored_message import check_image

UNREADABLE = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, struct.error)
"""What decoding a payload raises that is not what it should be; RecordError of a definition is a ValueError."""


class UnknownRecord(StoreDamaged):
    """A log record that this release does not understand: nothing may be done as if it were not there."""

    def __init__(self, folder: str, record: Record, what: str) -> None:
        super().__init__(
            f"log record {record.lsn}", folder, f"the record at LSN {record.lsn} {what}",
            "A later release wrote it, most likely: use that one. Nothing was changed; dmpmqlog shows the record",
        )  # fmt: skip


def unreadable(folder: str, record: Record, error: BaseException) -> UnknownRecord:
    what = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    return UnknownRecord(folder, record, f"({name_of(record)}) says what this release does not understand: {what}")


def name_of(record: Record) -> str:
    return RecordType(record.type).name


def check_known(what: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise ValueError(f"{what} {value!r}; known are {', '.join(map(repr, known))}")


def check_empty(record: Record) -> None:
    if record.payload:
        raise ValueError(f"{len(record.payload)} bytes where there should be none")


def put_of(record: Record) -> PutRecord:
    put = journal.read_put(record.payload)
    if put.flags & ~parts_of_puts.IN_PARTS:
        raise ValueError(f"flags {put.flags} of the message")
    if put.flags and not record.txn:
        raise ValueError("a message in parts that was put in no unit of work")
    check_image(parts_of_puts.read_put_in_parts(put).rest if put.flags else put.image)
    return put


def part_of(record: Record) -> parts_of_puts.Part:
    part = parts_of_puts.read_part(record.payload)
    if not record.txn or bool(part.number) != bool(part.first):
        raise ValueError(f"part {part.number} of a message, behind {part.first}, in transaction {record.txn}")
    return part


def get_of(record: Record) -> GetRecord:
    get = journal.read_get(record.payload)
    if get.why != journal.GOT:
        check_known("reason", get.why, (journal.GOT, journal.EXPIRED))
    return get


def undo_of(record: Record) -> UndoRecord:
    undo = journal.read_undo(record.payload)
    check_known("operation undone", undo.operation, (journal.UNDO_PUT, journal.UNDO_GET))
    return undo


def prepare_of(record: Record) -> PrepareRecord:
    return journal.read_prepare(record.payload, record.flags)


def soft_of(record: Record) -> SoftImage:
    image = journal.read_soft(record.lsn, record.payload)
    for one in image.operations:
        check_known("operation", one.operation, (PUT, GET))
    return image


def sync_of(record: Record) -> dict[str, Any] | None:
    """The sync record that is committed with a batch, if there is one."""
    entry = journal.read_commit(record.payload)
    if entry is None:
        return None
    made: dict[str, Any] = entry["object"]
    check_known("kind", made["kind"], ("CHSYNC",))
    return made


def change_of(record: Record) -> ObjectChange:
    change = journal.read_object(record.payload)
    check_known("operation", change.op, (journal.SET, journal.DELETE, journal.CLEAR))
    if [type(value) for value in (change.kind, change.name, change.id, change.folder)] != [str, str, int, str]:
        raise ValueError(f"an object that cannot be: {change}")
    if change.op == journal.SET and (change.object["kind"] == "QLOCAL") != bool(change.id and change.folder):
        raise ValueError(f"id {change.id} and folder {change.folder!r} of a {change.object['kind']}")
    return change


_IMAGE_PART: dict[str, type] = {"kind": str, "name": str, "first": int}
_FIRST_PART: dict[str, type] = {**_IMAGE_PART, "object": dict}
_FIRST_PART_OF_QUEUE: dict[str, type] = {**_FIRST_PART, "id": int, "next_sequence": int}


def image_header(record: Record) -> dict[str, Any]:
    """Of a part of a media image: whose it is, and which part."""
    header = journal.read_media_header(record.payload)
    expected = _IMAGE_PART
    if not header["first"]:
        expected = _FIRST_PART_OF_QUEUE if header["kind"] == "QLOCAL" else _FIRST_PART
    for key, wanted in expected.items():
        if type(header[key]) is not wanted:
            raise ValueError(f"{key} {header[key]!r} of an image")
    return header


def image_rows(record: Record) -> list[MediaRow]:
    """Of a part of a media image: the messages in it."""
    rows = list(journal.read_media_rows(record.payload))
    for row in rows:
        check_image(row.image)
    return rows


def checkpoint_of(record: Record) -> CheckpointState:
    return CheckpointState.read(record.payload)
