"""What two LibreMQs say to each other beyond the public layouts: texts and records of MQOPEN, put records, MQCB.

Both ends read and write it here, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQPMR, MQRR
from libremq.wire import calls
from libremq.wire.descriptor import pack_md, unpack_md
from libremq.wire.protocol import ProtocolError, Status
from libremq.wire.wire_structures import GMO, PMO

_TEXTS = ("ObjectString", "SelectionString", "ResObjectString")


# MQOPEN: what does not fit into the MQOD of the wire


def open_texts(od: MQOD, records: Sequence[MQOR]) -> dict[str, Any]:
    """For the client: the texts and object records that go with an MQOD."""
    more: dict[str, Any] = {name: getattr(od, name) for name in _TEXTS if getattr(od, name)}
    if records:
        more["records"] = [[record.ObjectName, record.ObjectQMgrName] for record in records]
    return more


def read_texts(od: MQOD, more: dict[str, Any]) -> list[MQOR]:
    """Put the texts where they belong; the object records. MQError if they are none."""
    for name in _TEXTS:
        if isinstance(more.get(name), str):
            setattr(od, name, more[name])
    records = more.get("records", [])
    if not isinstance(records, list) or len(records) > calls.RECORDS_MAX:
        raise mq_error(
            C.MQRC_RECS_PRESENT_ERROR, od.ObjectName, "the object records are not a list of a sensible length"
        )
    made: list[MQOR] = []
    for record in records:
        if not (isinstance(record, list) and len(record) == 2 and all(isinstance(name, str) for name in record)):
            raise mq_error(C.MQRC_OBJECT_RECORDS_ERROR, od.ObjectName, "an object record has two names")
        made.append(MQOR(ObjectName=record[0], ObjectQMgrName=record[1]))
    return made


def read_responses(more: dict[str, Any]) -> list[MQRR]:
    try:
        return [MQRR(CompCode=int(code), Reason=int(reason)) for code, reason in more.get("responses", [])]
    except (TypeError, ValueError, OverflowError):
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "response records that are none") from None


_RECORD_FIELDS = (("MsgId", 24), ("CorrelId", 24), ("GroupId", 24), ("AccountingToken", 32))
RECORD_BYTES = 108


def record_bytes(record: MQPMR) -> bytes:
    parts = [getattr(record, name) for name, _ in _RECORD_FIELDS]
    for part, (name, length) in zip(parts, _RECORD_FIELDS, strict=True):
        if not isinstance(part, bytes) or len(part) != length:
            raise ValueError(f"{name} of a put message record has {length} bytes")
    if not isinstance(record.Feedback, int) or not -(1 << 31) <= record.Feedback < 1 << 31:
        raise ValueError("Feedback of a put message record has 32 bits")
    return b"".join(parts) + (record.Feedback & 0xFFFFFFFF).to_bytes(4, "little")


def read_record(raw: bytes) -> MQPMR:
    if len(raw) < RECORD_BYTES:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a put message record that is cut short")
    record, offset = MQPMR(), 0
    for name, length in _RECORD_FIELDS:
        setattr(record, name, raw[offset : offset + length])
        offset += length
    record.Feedback = int.from_bytes(raw[offset : offset + 4], "little", signed=True)
    return record


def put_list_call(hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR]) -> bytes:
    """For the client: MQPUT with put message records."""
    parts = [record_bytes(record) for record in records]
    blob = pack_md(md) + PMO.pack(pmo) + b"".join(parts) + data
    return calls.pack_extension("put_list", {"records": len(parts)}, blob, hobj=hobj)


def read_put_list(blob: bytes, records: Sequence[MQPMR]) -> tuple[MQMD, MQPMO]:
    """For the client: what the put has filled."""
    md, offset = unpack_md(blob, 0)
    pmo, offset = PMO.unpack(blob, offset)
    for record in records:
        filled = read_record(blob[offset : offset + RECORD_BYTES])
        record.__dict__.update(filled.__dict__)
        offset += RECORD_BYTES
    return md, pmo


def callback_call(operation: int, cbd: MQCBD, hobj: int, md: MQMD, gmo: MQGMO, *, function: bool) -> bytes:
    """For the client: MQCB."""
    blob = cbd.pack() + pack_md(md) + GMO.pack(gmo)
    return calls.pack_extension("callback", {"operation": operation, "function": function}, blob, hobj=hobj)


def read_callback(blob: bytes) -> tuple[MQCBD, MQMD, MQGMO]:
    """For the queue manager: the structures of MQCB. MQError if the first is no MQCBD."""
    if len(blob) < MQCBD.size():
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "an MQCB that is cut short")
    cbd = MQCBD.unpack(blob)
    md, offset = unpack_md(blob, MQCBD.size())
    return cbd, md, GMO.unpack(blob, offset)[0]
