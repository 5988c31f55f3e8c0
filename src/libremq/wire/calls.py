"""The bodies of the calls: what follows the header of MQOPEN, MQPUT, MQGET and the others, and of their replies.

An API header comes first: the length of the longest reply, completion code, reason, object handle. Message handles are
the client's own business: between two LibreMQs the handle fields of MQPMO and MQGMO say instead how many bytes of
encoded properties lie before the data.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO, MQSTS
from libremq.wire.descriptor import VERSION_2, pack_md, unpack_md
from libremq.wire.protocol import ProtocolError, Status
from libremq.wire.wire_structures import GMO, OD, PMO

API_BYTES = 16
_API = {False: struct.Struct("<iii"), True: struct.Struct(">iii")}
_API_OUT = struct.Struct("<iii")
_REPLY_LENGTH = struct.Struct(">I")
_INT = {False: struct.Struct("<i"), True: struct.Struct(">i")}
_INT_OUT = struct.Struct("<i")
_HEADER_COUNTED = 28  # a reply's length is counted with a header without conversation ids
_FOPA = struct.Struct("<4sIIiiii")
_FOPA_BYTES = 28
_NO_DEFAULTS = (-1, -1, 0, 0)  # as a request leaves them open
_FOPA_MORE = b" " * 48 + bytes(8)  # no queue for messages whose protection fails, no policy
_CHARV = {False: struct.Struct("<IIIIi"), True: struct.Struct(">IIIIi")}
_CHARVS = ((336, "ObjectString"), (356, "SelectionString"))  # of an MQOD, and where they are in it
_UTF_8 = 1208
_INQ = {False: struct.Struct("<III"), True: struct.Struct(">III")}
SELECTORS_MAX = 512
RECORDS_MAX = 10_000
TEXT_MAX = 65_536
JSON_MAX = 2 << 20  # of a request: enough for the names of all records of a distribution list


class Api(NamedTuple):
    comp_code: int
    reason: int
    hobj: int


def pack_api(comp_code: int, reason: int, hobj: int, body_bytes: int = 0) -> bytes:
    """The header of a call whose body has that many bytes more."""
    return _REPLY_LENGTH.pack(_HEADER_COUNTED + API_BYTES + body_bytes) + _API_OUT.pack(comp_code, reason, hobj)


def unpack_api(body: bytes, big_endian: bool = False) -> Api:
    if len(body) < API_BYTES:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a call without its header")
    return Api(*_API[big_endian].unpack_from(body, 4))


def _int(body: bytes, offset: int, big_endian: bool) -> int:
    if len(body) < offset + 4:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a call that is cut short")
    return int(_INT[big_endian].unpack_from(body, offset)[0])


# MQPUT: API, MD, PMO, DataLength, data


_ID_AT = API_BYTES + 48  # MsgId and CorrelId, in every call that begins with an MQMD
_IDS_END = _ID_AT + 48


def pack_put(hobj: int, md: MQMD, pmo: MQPMO, data: bytes) -> bytes:
    fixed = pack_md(md) + PMO.pack(pmo)
    return pack_api(0, 0, hobj, len(fixed) + 4) + fixed + _INT_OUT.pack(len(data)) + data


def unpack_put(body: bytes, big_endian: bool = False, charset: str = "latin-1") -> tuple[int, MQMD, MQPMO, bytes]:
    hobj = unpack_api(body, big_endian).hobj
    md, offset = unpack_md(body, API_BYTES, big_endian=big_endian, charset=charset)
    pmo, offset = PMO.unpack(body, offset, big_endian=big_endian, charset=charset)
    return hobj, md, pmo, _data(body, offset, big_endian)


def unpack_put_front(
    front: bytes, total: int, big_endian: bool = False, charset: str = "latin-1"
) -> tuple[int, MQMD, MQPMO, slice]:
    """The same of a call of which only the front is there, of so many bytes in all; and where its data is."""
    hobj = unpack_api(front, big_endian).hobj
    md, offset = unpack_md(front, API_BYTES, big_endian=big_endian, charset=charset)
    pmo, offset = PMO.unpack(front, offset, big_endian=big_endian, charset=charset)
    return hobj, md, pmo, _data_place(front, offset, big_endian, total)


FRONT_BYTES = 4096
"""So much of a put has all that comes before its data."""


def _data(body: bytes, offset: int, big_endian: bool) -> bytes:
    return body[_data_place(body, offset, big_endian, len(body))]


def _data_place(body: bytes, offset: int, big_endian: bool, total: int) -> slice:
    length = _int(body, offset, big_endian)
    start = offset + 4
    if length < 0 or start + length > total:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"data of {length} bytes; {total - start} came")
    return slice(start, start + length)


def pack_put_reply(comp_code: int, reason: int, hobj: int, md: MQMD, pmo: MQPMO, length: int) -> bytes:
    fixed = pack_md(md) + PMO.pack(pmo)
    return pack_api(comp_code, reason, hobj, len(fixed) + 4) + fixed + _INT_OUT.pack(length)


def message_id_of(body: bytes, before: int = 0) -> bytes:
    """The MsgId in a call or reply that begins with an MQMD, or has so many bytes before that."""
    if len(body) < _IDS_END + before:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a reply without a descriptor")
    return body[_ID_AT + before : _ID_AT + before + 24]


def unpack_put_reply(body: bytes) -> tuple[MQMD, MQPMO]:
    md, offset = unpack_md(body, API_BYTES)
    return md, PMO.unpack(body, offset)[0]


# MQPUT1: API, OD, MD, PMO, DataLength, data, and behind it what the OD refers to


OD_BYTES = 168
"""Of an MQOD of version 1, which is what most calls have."""


def pack_put1(od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> bytes:
    fixed = OD.pack(od) + pack_md(md) + PMO.pack(pmo)
    return pack_api(0, 0, -1, len(fixed) + 4) + fixed + _INT_OUT.pack(len(data)) + data


def unpack_put1(body: bytes, big_endian: bool = False, charset: str = "latin-1") -> tuple[MQOD, MQMD, MQPMO, bytes]:
    unpack_api(body, big_endian)
    od, offset = OD.unpack(body, API_BYTES, big_endian=big_endian, charset=charset)
    md, offset = unpack_md(body, offset, big_endian=big_endian, charset=charset)
    pmo, offset = PMO.unpack(body, offset, big_endian=big_endian, charset=charset)
    return od, md, pmo, _data(body, offset, big_endian)


def unpack_put1_front(
    front: bytes, total: int, big_endian: bool = False, charset: str = "latin-1"
) -> tuple[MQOD, MQMD, MQPMO, slice]:
    """As `unpack_put_front`."""
    unpack_api(front, big_endian)
    od, offset = OD.unpack(front, API_BYTES, big_endian=big_endian, charset=charset)
    md, offset = unpack_md(front, offset, big_endian=big_endian, charset=charset)
    pmo, offset = PMO.unpack(front, offset, big_endian=big_endian, charset=charset)
    return od, md, pmo, _data_place(front, offset, big_endian, total)


def pack_put1_reply(comp_code: int, reason: int, od: MQOD, md: MQMD, pmo: MQPMO, length: int) -> bytes:
    fixed = OD.pack(od) + pack_md(md) + PMO.pack(pmo)
    return pack_api(comp_code, reason, -1, len(fixed) + 4) + fixed + _INT_OUT.pack(length)


def unpack_put1_reply(body: bytes) -> tuple[MQOD, MQMD, MQPMO]:
    od, offset = OD.unpack(body, API_BYTES)
    md, offset = unpack_md(body, offset)
    return od, md, PMO.unpack(body, offset)[0]


# MQGET: API, MD, GMO, length of the buffer; the reply has the length of the message, and the data

ANY_LENGTH = -(1 << 31)
"""As the length of the buffer: a message of any length. Ours."""


def pack_get(hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int) -> bytes:
    fixed = pack_md(md) + GMO.pack(gmo)
    return pack_api(0, 0, hobj, len(fixed) + 4) + fixed + _INT_OUT.pack(buffer_length)


def unpack_get(body: bytes, big_endian: bool = False, charset: str = "latin-1") -> tuple[int, MQMD, MQGMO, int]:
    hobj = unpack_api(body, big_endian).hobj
    md, offset = unpack_md(body, API_BYTES, big_endian=big_endian, charset=charset)
    gmo, offset = GMO.unpack(body, offset, big_endian=big_endian, charset=charset)
    return hobj, md, gmo, _int(body, offset, big_endian)


def pack_get_reply(comp_code: int, reason: int, hobj: int, md: MQMD, gmo: MQGMO, length: int, data: bytes) -> bytes:
    """`length` is that of the whole message, without encoded properties; `data` has these before it."""
    fixed = pack_md(md) + GMO.pack(gmo)
    return pack_api(comp_code, reason, hobj, len(fixed) + 4 + len(data)) + fixed + _INT_OUT.pack(length) + data


def pack_plain_get_reply(hobj: int, body: bytes, gmo: MQGMO, data: bytes, properties: bytes) -> bytes:
    """The same for a descriptor of version 2 that is there as bytes."""
    fixed = VERSION_2 + body + GMO.pack(gmo)
    api = pack_api(0, 0, hobj, len(fixed) + 4 + len(properties) + len(data))
    return b"".join((api, fixed, _INT_OUT.pack(len(data)), properties, data))


def unpack_get_reply(body: bytes) -> tuple[MQMD, MQGMO, int, bytes]:
    md, offset = unpack_md(body, API_BYTES)
    gmo, offset = GMO.unpack(body, offset)
    return md, gmo, _int(body, offset, False), body[offset + 4 :]


# MQOPEN: API, OD, options, FOPA, and behind it texts and object records as JSON (ours)


def pack_open(
    hobj: int, od: MQOD, options: int, more: dict[str, Any] | None = None, *, comp_code: int = 0, reason: int = 0,
    attributes_bytes: int = _FOPA_BYTES, defaults: tuple[int, int, int, int] = _NO_DEFAULTS,
) -> bytes:  # fmt: skip
    """`attributes_bytes`: the form of the FOPA, which is 28 or 84 bytes long, or not there at all. `defaults`: what
    a reply has in it, DEFPSIST, DEFPRESP, DEFREADA and PROPCTL.
    """
    attributes = b""
    if attributes_bytes:
        attributes = _FOPA.pack(b"FOPA", 1 if attributes_bytes == _FOPA_BYTES else 2, attributes_bytes, *defaults)
        if attributes_bytes > _FOPA_BYTES:
            attributes += _FOPA_MORE
    fixed = OD.pack(od) + _INT_OUT.pack(options - (1 << 32) if options >= 1 << 31 else options) + attributes
    rest = json.dumps(more).encode() if more else b""
    return pack_api(comp_code, reason, hobj, len(fixed) + len(rest)) + fixed + rest


def unpack_open(body: bytes, big_endian: bool = False, charset: str = "latin-1") -> tuple[MQOD, int, dict[str, Any]]:
    """The descriptor, the options, and what else there is: texts and records."""
    unpack_api(body, big_endian)
    od, offset = _unpack_od(body, big_endian, charset)
    options = _int(body, offset, big_endian)
    rest = body[offset + 4 + _FOPA_BYTES :]
    if rest[:1] != b"{":
        return od, options, {}
    if len(rest) > JSON_MAX:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"{len(rest)} bytes behind an MQOD")
    return od, options, unpack_json(rest)


def _unpack_od(body: bytes, big_endian: bool, charset: str) -> tuple[MQOD, int]:
    od, offset = OD.unpack(body, API_BYTES, big_endian=big_endian, charset=charset)
    return od, _read_texts(od, body, offset, big_endian, charset) if od.Version >= 4 else offset


def _read_texts(od: MQOD, body: bytes, end: int, big_endian: bool, charset: str) -> int:
    """What the MQCHARVs of another product's MQOD refer to, between it and the options; the offset behind it."""
    for at, name in _CHARVS:
        _, start, _, length, ccsid = _CHARV[big_endian].unpack_from(body, API_BYTES + at)
        if not length:
            continue
        start += API_BYTES
        if start < API_BYTES + OD.size(4) or start + length > len(body) or length > TEXT_MAX:
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"the text of {name} is not where the MQOD says")
        text = body[start : start + length]
        setattr(od, name, text.decode("utf-8", "replace") if ccsid == _UTF_8 else text.decode(charset))
        end = max(end, start + length)
    return end + -(end - API_BYTES) % 4


def open_defaults(body: bytes, big_endian: bool = False) -> tuple[int, int, int, int]:
    """Of the reply to an MQOPEN: DEFPSIST, DEFPRESP, DEFREADA and PROPCTL; -1 where the object has none."""
    at = OD.unpack(body, API_BYTES, big_endian=big_endian)[1] + 4
    if body[at : at + 4] != b"FOPA" or len(body) < at + _FOPA_BYTES:
        return _NO_DEFAULTS
    _, _, _, persistence, response, read_ahead, properties = _FOPA.unpack_from(body, at)
    return persistence, response, read_ahead, properties


def open_attributes_bytes(body: bytes, big_endian: bool = False, charset: str = "latin-1") -> int:
    """In which form an MQOPEN has its FOPA, and so wants it in the reply: for `pack_open`."""
    at = _unpack_od(body, big_endian, charset)[1] + 4
    if body[at : at + 4] != "FOPA".encode(charset):
        return 0
    return _FOPA_BYTES if _int(body, at + 4, big_endian) < 2 else _FOPA_BYTES + len(_FOPA_MORE)


# MQCLOSE, MQINQ, MQSET


def pack_close(hobj: int, options: int) -> bytes:
    return pack_api(0, 0, hobj, 4) + _INT_OUT.pack(options)


def unpack_close(body: bytes, big_endian: bool = False) -> tuple[int, int]:
    return unpack_api(body, big_endian).hobj, _int(body, API_BYTES, big_endian)


def pack_inquire(
    hobj: int, selectors: Sequence[int], ints: Sequence[int] = (), chars: bytes = b"", *, comp_code: int = 0,
    reason: int = 0, int_count: int = 0, char_length: int = 0,
) -> bytes:  # fmt: skip
    """MQINQ, its reply and MQSET. A request of MQINQ names the counts only."""
    counts = struct.pack("<III", len(selectors), int_count or len(ints), char_length or len(chars))
    rest = counts + struct.pack(f"<{len(selectors)}i{len(ints)}i", *selectors, *ints) + chars
    return pack_api(comp_code, reason, hobj, len(rest)) + rest


def inquire_room(body: bytes, big_endian: bool = False) -> tuple[int, int]:
    """For how many integers and characters a client has room, as an MQINQ says that `unpack_inquire` has read."""
    _, int_count, char_length = _INQ[big_endian].unpack_from(body, API_BYTES)
    return int_count, char_length


def unpack_inquire(body: bytes, big_endian: bool = False, *, values: bool) -> tuple[int, list[int], list[int], bytes]:
    """hobj, selectors, and if they are there the values: integers and characters."""
    hobj = unpack_api(body, big_endian).hobj
    if len(body) < API_BYTES + 12:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a call that is cut short")
    count, int_count, char_length = _INQ[big_endian].unpack_from(body, API_BYTES)
    if count > SELECTORS_MAX or (values and int_count > SELECTORS_MAX):
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"{count} selectors are too many")
    order = ">" if big_endian else "<"
    offset = API_BYTES + 12
    taken = count + (int_count if values else 0)
    if len(body) < offset + 4 * taken:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "selectors that are cut short")
    numbers = list(struct.unpack_from(f"{order}{taken}i", body, offset))
    chars = body[offset + 4 * taken :][:char_length] if values else b""
    return hobj, numbers[:count], numbers[count:], chars


# MQSTAT: API, type, MQSTS; the reply has no type. The layout behind the API header is ours


def pack_stat(kind: int, sts: MQSTS) -> bytes:
    body = _INT_OUT.pack(kind) + sts.pack()
    return pack_api(0, 0, -1, len(body)) + body


def unpack_stat(body: bytes, big_endian: bool = False) -> tuple[int, MQSTS]:
    """MQError if what follows is no MQSTS."""
    unpack_api(body, big_endian)
    return _int(body, API_BYTES, big_endian), MQSTS.unpack(body, API_BYTES + 4, big_endian=big_endian)


def pack_stat_reply(sts: MQSTS) -> bytes:
    body = sts.pack()
    return pack_api(0, 0, -1, len(body)) + body


def unpack_stat_reply(body: bytes, big_endian: bool = False) -> MQSTS:
    """MQError if what follows is no MQSTS."""
    return MQSTS.unpack(body, API_BYTES, big_endian=big_endian)


# Ours: calls without a public layout

_MAGIC = b"LMQX"
_EXTENSION = struct.Struct("<4sII")


def pack_extension(
    name: str, value: dict[str, Any], blob: bytes = b"", *, comp_code: int = 0, reason: int = 0, hobj: int = 0
) -> bytes:
    """API, magic, version, length of the JSON text, the text, bytes."""
    text = _json({"call": name, **value}).encode()
    return (
        pack_api(comp_code, reason, hobj, 12 + len(text) + len(blob))
        + _EXTENSION.pack(_MAGIC, 1, len(text))
        + text
        + blob
    )


def _json(value: object, depth: int = 4) -> str:
    """Large values in pieces: while the encoder runs it has the interpreter's lock, and no other thread goes on."""
    if depth and isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_json(item, depth - 1)}" for key, item in value.items()) + "}"
    if depth and isinstance(value, list):
        return "[" + ", ".join(_json(item, depth - 1) for item in value) + "]"
    return json.dumps(value)


def unpack_extension(body: bytes, text_max: int | None = None) -> tuple[dict[str, Any], bytes]:
    """The value and the bytes. Whoever serves many sets a limit to the text, which is not quickly read."""
    start = API_BYTES + 12
    if len(body) < start or body[API_BYTES : API_BYTES + 4] != _MAGIC:
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "an extension of another product")
    _, version, length = _EXTENSION.unpack_from(body, API_BYTES)
    if version != 1 or length > len(body) - start or (text_max is not None and length > text_max):
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"an extension of version {version} and {length} bytes")
    return unpack_json(body[start : start + length]), body[start + length :]


def unpack_json(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a part that should be JSON is not")
    return value
