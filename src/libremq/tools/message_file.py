"""Messages in a file: a text that people can read and change, or JSON lines for programs. Nothing of one is lost.

    * LibreMQ message file, version 1
    N 1
    A FMT MQSTR
    A MSI 414D5120514D31...
    R 52464820...                 properties, as an MQRFH2 in hexadecimal
    T "what the message says\\n"   data as text, in the notation of JSON
    X 00FF10                      data in hexadecimal; T and X lines add up

`N` begins a message, `A` sets a field of its descriptor (those that are not there have MQ's defaults), `*` makes a
comment. The form of a file is seen from its first line. Formats are described in docs/reference/control-commands.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD

FIRST_LINE = "* LibreMQ message file, version "
VERSION = 1
FORMS = ("text", "json")
DATA_BYTES = 64
"""Of data in an X or T line, if nothing else is asked for."""
_LINE_MAX = 400 << 20
"""Bytes: a message of 100 MB, whichever way it is written."""
_BYTES = {"MsgId": 24, "CorrelId": 24, "AccountingToken": 32, "GroupId": 24}

# Names in the file, and the fields of the descriptor
FIELDS = {
    "RPT": "Report", "MST": "MsgType", "EXP": "Expiry", "FDB": "Feedback", "ENC": "Encoding", "CCS": "CodedCharSetId",
    "FMT": "Format", "PRI": "Priority", "PER": "Persistence", "MSI": "MsgId", "COI": "CorrelId", "BOC": "BackoutCount",
    "RTQ": "ReplyToQ", "RTM": "ReplyToQMgr", "USR": "UserIdentifier", "ACC": "AccountingToken",
    "AID": "ApplIdentityData", "PAT": "PutApplType", "PAN": "PutApplName", "PTD": "PutDate", "PTT": "PutTime",
    "AOD": "ApplOriginData", "GRP": "GroupId", "MSQ": "MsgSeqNumber", "OFF": "Offset", "MSF": "MsgFlags",
    "ORL": "OriginalLength",
}  # fmt: skip
_NAMES = {field: name for name, field in FIELDS.items()}


class MessageFileError(ValueError):
    """A file that is no message file, or a line in it that makes no sense; the text names the line."""


class FiledMessage(NamedTuple):
    """A message as a file holds it."""

    md: MQMD
    data: bytes
    properties: bytes = b""
    """Its properties as an MQRFH2, with the descriptor of what follows as that of the data; empty if it has none."""


class FileOptions(NamedTuple):
    """How messages are written."""

    form: str = "text"
    text: bool = False
    """Data as text where it is text."""
    columns: bool = False
    """A comment with what is printable beside hexadecimal data."""
    header: bool = True
    numbers: bool = True
    """The number of each message after its N."""
    descriptor: bool = True
    width: int = DATA_BYTES


# Writing


def first_lines(options: FileOptions, source: str) -> str:
    """What a file begins with."""
    if options.form == "json" or not options.header:
        return ""
    return f"{FIRST_LINE}{VERSION}\n* {source}\n"


def written(message: FiledMessage, number: int, options: FileOptions, comments: Iterable[str] = ()) -> str:
    """The text of one message, to be appended to a file."""
    if options.form == "json":
        return json.dumps(_to_json(message, options), ensure_ascii=False) + "\n"
    lines = [f"N {number}" if options.numbers else "N"]
    lines += [f"* {comment}" for comment in comments]
    if options.descriptor:
        lines += [f"A {name} {_value_text(getattr(message.md, field))}".rstrip() for name, field in FIELDS.items()]
    if message.properties:
        lines.append(f"R {message.properties.hex().upper()}")
    lines += _data_lines(message.data, options)
    return "\n".join(lines) + "\n"


def _data_lines(data: bytes, options: FileOptions) -> Iterator[str]:
    text = _as_text(data) if options.text else None
    if text is not None:
        for row in text.splitlines(keepends=True):
            yield f"T {json.dumps(row, ensure_ascii=False)}"
        return
    for at in range(0, len(data), options.width):
        part = data[at : at + options.width]
        line = f"X {part.hex().upper()}"
        if options.columns:
            line += " * " + "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        yield line


def _as_text(data: bytes) -> str | None:
    """The data as text, if it is nothing else."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if all(one.isprintable() or one in "\t\r\n" for one in text) else None


def _value_text(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, int):
        return str(value)
    text = str(value).rstrip(" \0")
    plain = text == "" or (text.isprintable() and text == text.strip() and text[0] != '"')
    return text if plain else json.dumps(text)


def _to_json(message: FiledMessage, options: FileOptions) -> dict[str, Any]:
    found: dict[str, Any] = {"libremq_message": VERSION}
    if options.descriptor:
        for field in FIELDS.values():
            value = getattr(message.md, field)
            found[field] = value.hex() if isinstance(value, bytes) else value
    if message.properties:
        found["properties"] = message.properties.hex()
    text = _as_text(message.data) if options.text else None
    if text is not None:
        found["text"] = text
    else:
        found["data"] = message.data.hex()
    return found


# Reading


def read_messages(lines: Iterable[bytes]) -> Iterator[FiledMessage]:
    """The messages of a file, one after the other. MessageFileError for the first line that cannot be used."""
    numbered = enumerate(lines, 1)
    for number, line in numbered:
        if not line.strip():
            continue
        start = line.removeprefix(b"\xef\xbb\xbf").lstrip()
        rest = _chained((number, start), numbered)
        yield from _read_json(rest) if start.startswith(b"{") else _read_text(rest)
        return


def _chained(first: tuple[int, bytes], rest: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, str]]:
    yield first[0], _decoded(first[0], first[1])
    for number, line in rest:
        yield number, _decoded(number, line)


def _decoded(number: int, line: bytes) -> str:
    if len(line) > _LINE_MAX:
        raise MessageFileError(f"line {number} is longer than any message")
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise MessageFileError(f"line {number} is no UTF-8 text; this is no message file") from None


def _read_text(lines: Iterator[tuple[int, str]]) -> Iterator[FiledMessage]:
    md: MQMD | None = None
    data = bytearray()
    properties = b""
    first = True
    for number, line in lines:
        if first and line.startswith("* LibreMQ message file") and line != f"{FIRST_LINE}{VERSION}":
            raise MessageFileError(f"line {number}: this release reads version {VERSION} of message files")
        if first and line[:1] not in ("*", "N"):
            raise MessageFileError(f"line {number}: this is no message file: it begins with {line[:20]!r}")
        first = False
        kind, _, rest = line.partition(" ")
        if not line.strip() or line.startswith("*"):
            continue
        if kind == "N":
            if md is not None:
                yield FiledMessage(md, bytes(data), properties)
            md, data, properties = MQMD(Version=C.MQMD_VERSION_2), bytearray(), b""
        elif md is None:
            raise MessageFileError(f"line {number}: {kind[:10]} before the first N, which begins a message")
        elif kind == "A":
            _set(md, number, *_named(number, rest))
        elif kind == "R":
            properties = _hexadecimal(number, rest)
        elif kind == "X":
            data += _hexadecimal(number, rest.partition("*")[0])
        elif kind == "T":
            data += _quoted(number, rest).encode("utf-8", "surrogatepass")
        else:
            raise MessageFileError(f"line {number}: {kind[:10]!r} is not known; a line begins with N, A, R, X, T or *")
    if md is not None:
        yield FiledMessage(md, bytes(data), properties)


def _named(number: int, rest: str) -> tuple[str, str]:
    name, _, value = rest.partition(" ")
    field = FIELDS.get(name.upper())
    if field is None:
        raise MessageFileError(f"line {number}: {name[:20]!r} is no field; use one of {', '.join(FIELDS)}")
    value = value.strip()
    return field, _quoted(number, value) if value.startswith('"') else value


def _quoted(number: int, text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, str):
        raise MessageFileError(f"line {number}: text stands in quotes as JSON has them, not as {text[:20]!r}")
    return value


def _hexadecimal(number: int, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise MessageFileError(f"line {number}: {text[:20]!r}... is no hexadecimal data") from None


def _set(md: MQMD, number: int, field: str, value: object) -> None:
    """A field of the descriptor from its text, or from JSON."""
    default = getattr(md, field)
    try:
        if field in _BYTES:
            given: object = bytes.fromhex(str(value)).ljust(_BYTES[field], b"\0")
            if len(given) > _BYTES[field]:  # type: ignore[arg-type]
                raise ValueError(f"more than {_BYTES[field]} bytes")
        elif isinstance(default, int):
            given = int(str(value))
            if not -(2**31) <= given < 2**31:
                raise ValueError("beyond every number of a descriptor")
        else:
            given = str(value)
        setattr(md, field, given)
    except (ValueError, TypeError, MQError) as error:
        text = error.detail if isinstance(error, MQError) else str(error)
        shown = f"{_NAMES[field]} ({field}) cannot be {str(value)[:40]!r}"
        raise MessageFileError(f"line {number}: {shown}: {text}") from None


def _read_json(lines: Iterator[tuple[int, str]]) -> Iterator[FiledMessage]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise MessageFileError(f"line {number} is no JSON: {error}") from None
        if not isinstance(found, dict) or found.get("libremq_message") != VERSION:
            raise MessageFileError(f'line {number}: a message of version {VERSION} has "libremq_message": {VERSION}')
        md = MQMD(Version=C.MQMD_VERSION_2)
        data, properties = b"", b""
        for key, value in found.items():
            if key in _NAMES:
                _set(md, number, key, value)
            elif key == "text":
                data = str(value).encode("utf-8", "surrogatepass")
            elif key == "data":
                data = _hexadecimal(number, str(value))
            elif key == "properties":
                properties = _hexadecimal(number, str(value))
            elif key != "libremq_message":
                raise MessageFileError(f"line {number}: {key[:20]!r} is no field of a message")
        yield FiledMessage(md, data, properties)
