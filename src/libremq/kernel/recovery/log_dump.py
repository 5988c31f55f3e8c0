"""The log in words: what each line of a dump says about queues, messages, objects and units of work.

A payload is decoded as restart would decode it; one that cannot be is shown by its length with the reason, so that a
damaged log and one of a later release can be looked at too. Message data and properties belong to applications and
stay hidden unless somebody asks for them. `describe` gives a flat dictionary, good as a line of JSON; `render` turns
it into text.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from libremq.common.files.file_layer import Files
from libremq.common.printable_text import printable_in_a_line
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.state import journal, parts_of_puts
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.state.unit_of_work import BATCH_XID, GET, PUT
from libremq.log.log_dump_reader import DumpEnd, DumpExtent, DumpGap, DumpLine, DumpStart
from libremq.log.records import Record, RecordType
from libremq.mqi import constants as C
from libremq.store.store_errors import StoreDamaged
from libremq.store.stored_message import ImageDamaged, from_image, without_data

DATA_SHOWN_MAX = 256
"""Bytes of a message or an unknown payload that are shown when data is asked for."""

_REASONS_OF_GETS = {journal.GOT: "got", journal.EXPIRED: "expired"}
_UNDONE = {journal.UNDO_PUT: "PUT", journal.UNDO_GET: "GET"}
_OPERATIONS = {PUT: "PUT", GET: "GET"}
_PERSISTENCE = {
    C.MQPER_NOT_PERSISTENT: "not persistent",
    C.MQPER_PERSISTENT: "persistent",
    C.MQPER_PERSISTENCE_AS_Q_DEF: "as queue definition",
}
_ROW_BYTES = 16
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Facts = dict[str, Any]


def queue_names(files: Files, folder: str) -> dict[int, str]:
    """The names of local queues by id, from the newest catalogue in a queue manager's folder that can be read."""
    try:
        found = [name.partition(".")[2] for name in files.list(folder) if name.startswith(catalogue_file.NAME + ".")]
    except OSError:
        return {}
    for generation in sorted((int(part) for part in found if part.isdecimal() and part.isascii()), reverse=True):
        try:
            objects = catalogue_file.read(files, folder, generation)["objects"]
            return {entry["id"]: str(entry["object"]["name"]) for entry in objects if "id" in entry}
        except (StoreDamaged, OSError, ValueError, KeyError, TypeError):
            continue
    return {}


def _shown(record: Mapping[str, Any]) -> Facts:
    """The attributes of a definition; that there is a password, but not which."""
    table = TABLES.get(record["kind"])
    secret = {row.keyword for row in table if row.secret or row.discreet} if table is not None else set()
    return {keyword: "***" if keyword in secret and value else value for keyword, value in record["attributes"].items()}


class LogFormatter:
    """Describes the lines of one dump, in their order: it learns names of queues from the object records it sees."""

    def __init__(self, names: dict[int, str] | None = None, *, show_data: bool = False) -> None:
        self._names = dict(names or {})
        self._show_data = show_data
        self._decoders: dict[int, Callable[[Record], Facts]] = {
            RecordType.PUT: self._put,
            RecordType.GET: self._get,
            RecordType.COMMIT: _commit,
            RecordType.BACKOUT: _nothing,
            RecordType.PREPARE: _prepare,
            RecordType.COMPENSATION: self._compensation,
            RecordType.OBJECT: self._object,
            RecordType.CHECKPOINT: self._checkpoint,
            RecordType.CHECKPOINT_START: _nothing,
            RecordType.FILLER: _nothing,
            RecordType.SOFT_IMAGE: self._soft_image,
            RecordType.MEDIA_IMAGE: self._media_image,
            RecordType.PUT_PART: self._put_part,
        }

    def describe(self, line: DumpLine) -> Facts:
        """What a line says, as plain JSON types; `line` tells its kind."""
        if isinstance(line, DumpStart):
            facts = asdict(line)
            facts["extents"] = [{"lsn": lsn, "file": file} for lsn, file in line.extents]
            return {"line": "log", **facts}
        if isinstance(line, DumpExtent):
            return {"line": "extent", **asdict(line)}
        if isinstance(line, DumpGap):
            return {"line": "gap", **asdict(line)}
        if isinstance(line, DumpEnd):
            return {"line": "end", **asdict(line)}
        return self._record(line)

    def _record(self, record: Record) -> Facts:
        facts: Facts = {
            "line": "record",
            "lsn": record.lsn,
            "next_lsn": record.next_lsn,
            "type": _type_name(record.type),
            "flags": record.flags,
            "transaction": record.txn,
            "previous_lsn": record.prev_lsn,
            "payload_bytes": len(record.payload),
        }
        decode = self._decoders.get(record.type)
        try:
            if decode is not None:
                return facts | decode(record)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, struct.error) as error:
            facts["not_decoded"] = f"{type(error).__name__}: {error}"
        return facts | self._bytes("payload", record.payload)

    # ---- payloads ----

    def _queue(self, queue_id: int) -> Facts:
        return {"queue": self._names.get(queue_id, ""), "queue_id": queue_id}

    def _bytes(self, name: str, data: bytes) -> Facts:
        if not self._show_data or not data:
            return {}
        return {f"{name}_hex": data[:DATA_SHOWN_MAX].hex(), f"{name}_cut": len(data) > DATA_SHOWN_MAX}

    def _put(self, record: Record) -> Facts:
        put = journal.read_put(record.payload)
        facts = self._queue(put.queue_id) | {
            "slot": put.slot,
            "sequence": put.sequence,
            "priority": put.priority,
            "expiry_ms": put.expiry_ms,
        }
        named = parts_of_puts.read_put_in_parts(put) if put.flags & parts_of_puts.IN_PARTS else None
        try:
            message = from_image(put.image) if named is None else without_data(named.rest)
        except (ImageDamaged, struct.error) as error:
            return facts | {"image_bytes": len(put.image), "image_damaged": str(error)}
        md = message.md
        if named is not None:
            facts |= {"parts": len(named.lsns), "first_part": named.lsns[0], "last_part": named.lsns[-1]}
        return {
            **facts,
            "message_id": md.MsgId.hex(),
            "correlation_id": md.CorrelId.hex(),
            "format": md.Format.strip(),
            "persistence": _PERSISTENCE.get(md.Persistence, str(md.Persistence)),
            "backout_count": md.BackoutCount,
            "put_application": md.PutApplName.strip(),
            "put_date": md.PutDate,
            "put_time": md.PutTime,
            "properties_bytes": len(message.properties),
            "data_bytes": len(message.data) if named is None else named.length,
            **self._bytes("properties", message.properties),
            **self._bytes("data", message.data),
        }

    def _put_part(self, record: Record) -> Facts:
        """Of which message it is the put says, which comes behind it in the same transaction."""
        part = parts_of_puts.read_part(record.payload)
        facts = {"part": part.number, "first_part": part.first or record.lsn, "data_bytes": len(part.data)}
        return facts | self._bytes("data", part.data)

    def _get(self, record: Record) -> Facts:
        get = journal.read_get(record.payload)
        why = _REASONS_OF_GETS.get(get.why, str(get.why))
        return self._queue(get.queue_id) | {"slot": get.slot, "sequence": get.sequence, "why": why}

    def _compensation(self, record: Record) -> Facts:
        undo = journal.read_undo(record.payload)
        return self._queue(undo.queue_id) | {
            "slot": undo.slot,
            "sequence": undo.sequence,
            "undone": _UNDONE.get(undo.operation, str(undo.operation)),
            "undoes_lsn": undo.undoes,
            "backout_count": undo.backout_count,
        }

    def _object(self, record: Record) -> Facts:
        value = journal.read_json(record.payload)
        if value["op"] == "set":
            made = value["object"]
            if "id" in value:
                self._names[int(value["id"])] = str(made["name"])
            facts = {"operation": "set", "object_type": made["kind"], "object": made["name"]}
            facts |= {name: value[name] for name in ("id", "folder") if name in value}
            return facts | {"attributes": _shown(made)}
        if value["op"] == "clear":
            name = self._names.get(value["id"], "")
            return {"operation": "clear", "object_type": "QLOCAL", "object": name, "id": value["id"]}
        if value.get("id"):
            self._names[int(value["id"])] = str(value["name"])
        facts = {"operation": value["op"], "object_type": value["kind"], "object": value["name"]}
        return facts | ({"id": value["id"]} if value.get("id") else {})

    def _soft_image(self, record: Record) -> Facts:
        """What a unit of work has done so far: its older records are not needed any more."""
        image = journal.read_soft(record.lsn, record.payload)
        return {
            "prepared": image.prepared,
            **_xid(image.xid),
            "operations": [
                {
                    "operation": _OPERATIONS.get(done.operation, str(done.operation)),
                    **self._queue(done.queue_id),
                    "slot": done.slot,
                    "sequence": done.sequence,
                    "lsn": done.lsn,
                }
                for done in image.operations
            ],
        }

    def _media_image(self, record: Record) -> Facts:
        """A part of an image: whose it is, which part, and how many messages are in it."""
        header = journal.read_media_header(record.payload)
        rows = [(row.sequence, len(row.image)) for row in journal.read_media_rows(record.payload)]
        made = header.get("object")
        if made is not None and "id" in header:
            self._names[int(header["id"])] = str(header["name"])
        facts: Facts = {
            "operation": "image of",
            "object_type": header["kind"],
            "object": header["name"],
            "first_part": header["first"] or record.lsn,
            "last_part": bool(record.flags & journal.MEDIA_LAST),
            **{name: header[name] for name in ("id", "folder", "next_sequence") if name in header},
            "messages": len(rows),
            "message_bytes": sum(length for _, length in rows),
        }
        if rows:
            facts |= {"first_sequence": rows[0][0], "last_sequence": rows[-1][0]}
        return facts | ({"attributes": _shown(made)} if made is not None else {})

    def _checkpoint(self, record: Record) -> Facts:
        """Every key of the record, as a later release may add some; queues and units of work in a readable form."""
        value = dict(journal.read_json(record.payload))
        queues = value.pop("queues", {})
        transactions = value.pop("transactions", {})
        return {
            "checkpoint": value,
            "transactions": [
                {
                    "transaction": int(number),
                    "first_lsn": state[0],
                    "last_lsn": state[1],
                    "prepared_xid": state[2],
                    **_owner("".join(state[3:4])),
                }
                for number, state in transactions.items()
            ],
            "queues": [
                self._queue(int(number)) | {"generation": at[0], "handle_file_bytes": at[1]}
                for number, at in queues.items()
            ],
        }

    # ---- text ----

    def render(self, line: DumpLine) -> str:
        """A line of the dump as text, perhaps over several lines, without a line end."""
        facts = self.describe(line)
        kind = facts.pop("line")
        if kind == "log":
            return "\n".join(_log_text(facts))
        if kind == "extent":
            return f"EXTENT {facts['file']} - LSN {facts['lsn']}"
        if kind == "gap":
            return _gap_text(facts)
        if kind == "end":
            where = f", {printable_in_a_line(facts['file'])}" if facts["file"] else ""
            return f"{'DAMAGE' if facts['damaged'] else 'END'} - LSN {facts['lsn']}{where}: {facts['why']}"
        return "\n".join(_record_text(facts))


def _type_name(number: int) -> str:
    try:
        return RecordType(number).name
    except ValueError:
        return f"TYPE {number}"


def _nothing(record: Record) -> Facts:
    return {}


def _commit(record: Record) -> Facts:
    """A channel's commit says which batch it was the end of."""
    entry = journal.read_commit(record.payload)
    if entry is None:
        return {}
    made = entry["object"]
    facts = {"operation": "set", "object_type": made["kind"], "object": made["name"]}
    return facts | {"attributes": _shown(made)}


def _prepare(record: Record) -> Facts:
    prepared = journal.read_prepare(record.payload, record.flags)
    return _xid(prepared.xid) | _owner(prepared.owner)


def _owner(user: str) -> Facts:
    """The user that began a branch, where the log says so."""
    return {"owner": user} if user else {}


def _xid(xid: bytes) -> Facts:
    """That of a batch of a message channel says which one it is."""
    facts: Facts = {"xid": xid.hex()}
    return facts | {"batch": asdict(BatchIdentity.of_xid(xid))} if xid.startswith(BATCH_XID) else facts


def _log_text(facts: Facts) -> Iterator[str]:
    yield f"LOG {printable_in_a_line(facts['folder'])} - id {facts['log_id'] or 'unknown'}"
    if facts["problem"]:
        yield f"  The control file cannot be used: {facts['problem']}. The extents speak for themselves."
    else:
        yield f"  {facts['type']}, opened {facts['epoch']} times, on disk at least up to LSN {facts['durable']}"
        media = f", media LSN {facts['media']}" if facts["media"] else ""
        yield f"  head LSN {facts['head']}, checkpoint LSN {facts['checkpoint'] or 'none'}{media}"
    yield f"  {len(facts['extents'])} extents of {facts['extent_bytes']} bytes:"
    for extent in facts["extents"]:
        yield f"    {extent['file']} from LSN {extent['lsn']}"


def _gap_text(facts: Facts) -> str:
    where = f", {printable_in_a_line(facts['file'])}" if facts["file"] else ""
    word = "DAMAGE" if facts["damaged"] else "GAP"
    return f"{word} - LSN {facts['from_lsn']} to {facts['to_lsn']}{where}: {facts['why']}"


_HEAD = ("lsn", "next_lsn", "type", "flags", "transaction", "previous_lsn", "payload_bytes")


def _record_text(facts: Facts) -> Iterator[str]:
    yield f"RECORD {facts['type']} - LSN {facts['lsn']}, next {facts['next_lsn']}"
    chain = f"transaction {facts['transaction']}, previous LSN {facts['previous_lsn'] or 'none'}"
    flags = f", flags {facts['flags']}" if facts["flags"] else ""
    yield f"  {chain if facts['transaction'] else 'no transaction'}{flags}, payload {facts['payload_bytes']} bytes"
    rest = {name: value for name, value in facts.items() if name not in _HEAD}
    if "queue_id" in rest:
        name = printable_in_a_line(rest.pop("queue")) or "name not known"
        places = [f"{key} {rest.pop(key)}" for key in ("slot", "sequence") if key in rest]
        yield f"  queue {name} (id {rest.pop('queue_id')}), {', '.join(places)}"
    if "object_type" in rest:
        named = (rest.pop(key) for key in ("operation", "object_type", "object"))
        yield "  " + " ".join(printable_in_a_line(str(word)) for word in named)
    if "expiry_ms" in rest:
        rest["expires"] = _moment(rest.pop("expiry_ms"))
    hidden = [name.removesuffix("_hex") for name in rest if name.endswith("_hex")]
    dumps = {name: (bytes.fromhex(rest.pop(f"{name}_hex")), rest.pop(f"{name}_cut")) for name in hidden}
    short = {name: value for name, value in rest.items() if not isinstance(value, (dict, list)) and value != ""}
    if short:
        yield f"  {_words(short)}"
    for name, value in rest.items():
        if isinstance(value, dict) and value:
            yield f"  {name}: {_words(value)}"
        elif isinstance(value, list) and value:
            yield f"  {name}:"
            yield from (f"    {_words(item)}" for item in value)
    for name, (data, cut) in dumps.items():
        yield f"  {name}{', the first bytes' if cut else ''}:"
        yield from _hex_rows(data)


def _words(facts: Facts) -> str:
    pairs = (
        (printable_in_a_line(str(name)).replace("_", " "), printable_in_a_line(_word(value)))
        for name, value in facts.items()
    )
    return ", ".join(f"{name} {value}" for name, value in pairs)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value or "none"
    return str(value) if isinstance(value, int) else json.dumps(value)


def _moment(milliseconds: int) -> str:
    if milliseconds == 0:
        return "never"
    try:
        return (_EPOCH + timedelta(milliseconds=milliseconds)).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError):
        return f"{milliseconds} ms after 1970"


def _hex_rows(data: bytes) -> Iterator[str]:
    for offset in range(0, len(data), _ROW_BYTES):
        row = data[offset : offset + _ROW_BYTES]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield f"    {offset:04x}  {row.hex(' '):<{_ROW_BYTES * 3 - 1}}  {text}"
