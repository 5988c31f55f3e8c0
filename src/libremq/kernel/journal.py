"""What the kernel writes in the log: the payloads of its records, encoded and decoded in one place.

A put carries the message image and the slot it takes; a get only queue, slot and sequence number, the space
handle. The sequence number is there to be checked: a replay that meets another message in the slot stops. Object
changes and checkpoints are JSON: rare, and readable in a dump. Layout: docs/internals/log-format.md.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

from libremq.store.handle_file import HandlePosition

_PUT = struct.Struct("<IIqBBxxq")  # queue id, slot, sequence, priority, flags, expiry in ms; then the image
_GET = struct.Struct("<IIqB")  # queue id, slot, sequence, why
_UNDO = struct.Struct("<IIqBxxxIQ")  # queue id, slot, sequence, operation undone, backout count, LSN of what it undoes

# What ending a unit of work may take of the log, with a share of page headers: for each operation its compensation,
# and a page each, since a force ends one, for the prepare record and the last one
UNDO_BYTES = 68
END_BYTES = 2 * 4096

GOT = 0
EXPIRED = 1

UNDO_PUT = 0
UNDO_GET = 1


@dataclass(frozen=True, slots=True)
class PutRecord:
    queue_id: int
    slot: int
    sequence: int
    priority: int
    expiry_ms: int
    image: bytes


@dataclass(frozen=True, slots=True)
class GetRecord:
    queue_id: int
    slot: int
    sequence: int
    why: int


@dataclass(frozen=True, slots=True)
class UndoRecord:
    queue_id: int
    slot: int
    sequence: int
    operation: int
    backout_count: int
    undoes: int


def put_parts(
    queue_id: int, slot: int, sequence: int, priority: int, expiry_ms: int, image_parts: tuple[bytes, ...]
) -> tuple[bytes, ...]:
    return _PUT.pack(queue_id, slot, sequence, priority, 0, expiry_ms), *image_parts


def read_put(payload: bytes) -> PutRecord:
    queue_id, slot, sequence, priority, _, expiry_ms = _PUT.unpack_from(payload)
    return PutRecord(queue_id, slot, sequence, priority, expiry_ms, payload[_PUT.size :])


def get_parts(queue_id: int, slot: int, sequence: int, why: int = GOT) -> tuple[bytes]:
    return (_GET.pack(queue_id, slot, sequence, why),)


def read_get(payload: bytes) -> GetRecord:
    return GetRecord(*_GET.unpack(payload))


def undo_parts(queue_id: int, slot: int, sequence: int, operation: int, backouts: int, undoes: int) -> tuple[bytes]:
    return (_UNDO.pack(queue_id, slot, sequence, operation, backouts, undoes),)


def read_undo(payload: bytes) -> UndoRecord:
    return UndoRecord(*_UNDO.unpack(payload))


def json_parts(value: Any) -> tuple[bytes]:
    return (json.dumps(value, separators=(",", ":")).encode(),)


def read_json(payload: bytes) -> Any:
    return json.loads(payload)


@dataclass
class TransactionState:
    """An unfinished unit of work as a checkpoint saw it."""

    first_lsn: int
    last_lsn: int
    prepared_xid: str = ""  # hexadecimal; empty if it is not prepared


@dataclass
class CheckpointState:
    """Where a restart begins: what the files hold, and which units of work were unfinished."""

    catalogue_generation: int
    next_transaction: int
    next_message: int
    transactions: dict[int, TransactionState] = field(default_factory=dict)
    queues: dict[int, HandlePosition] = field(default_factory=dict)
    nonpersistent: list[int] = field(default_factory=list)  # queues whose non-persistent messages were saved too

    def parts(self) -> tuple[bytes]:
        return json_parts(
            {
                "catalogue": self.catalogue_generation,
                "next_transaction": self.next_transaction,
                "next_message": self.next_message,
                "transactions": {
                    str(txn): [state.first_lsn, state.last_lsn, state.prepared_xid]
                    for txn, state in self.transactions.items()
                },
                "queues": {str(queue): [at.generation, at.length] for queue, at in self.queues.items()},
                "nonpersistent": self.nonpersistent,
            }
        )

    @classmethod
    def read(cls, payload: bytes) -> CheckpointState:
        value = read_json(payload)
        return cls(
            value["catalogue"],
            value["next_transaction"],
            value["next_message"],
            {int(txn): TransactionState(*state) for txn, state in value["transactions"].items()},
            {int(queue): HandlePosition(*at) for queue, at in value["queues"].items()},
            value["nonpersistent"],
        )
