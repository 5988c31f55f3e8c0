"""How a channel begins and ends: initial data, user id, credentials, MQCONN, conversations, status.

The client offers values in its initial data; the answer has the agreed ones and says in flags what was corrected. If
anything was, the client sends its data once more. Everything after it is in the byte order of the queue manager.
Message channels begin in the same way, and have more to agree on.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from libremq.mqi import constants as C
from libremq.wire.protocol import (
    CAP1_CLIENT,
    CAP2_OFFERED,
    CAP3_MSG_PROP,
    CCSID,
    ERR1_BATCH_SIZE,
    ERR1_HEARTBEAT,
    ERR1_MAX_MSG,
    ERR1_MAX_TRANSMISSION,
    ERR1_SEQUENCE_WRAP,
    ERR2_HEADER_COMPRESSION,
    ERR2_MESSAGE_COMPRESSION,
    FAP_LEVEL,
    MAX_MESSAGE,
    MAX_SEGMENT,
    MIN_SEGMENT,
    OURS,
    PRODUCT_CLIENT,
    ProtocolError,
    Status,
)

_ID = "4sBBBBHHIII20sBBH48sIHBB2s16sHIiBBHIII12s48s20s12s"
_ID_BYTES = 240
_ID_LENGTHS = (240, 208, 102)  # of levels 11, 9 and 4; a client may send a shorter form than its level allows
_ID_LEVEL_3_BYTES = 44
_ID_SHARED_BYTES = 208  # the shortest form that can ask for shared conversations
_ID_STRUCTS = {False: struct.Struct("<" + _ID), True: struct.Struct(">" + _ID)}
_ID_COMPRESSION_BYTES = 122  # the shortest form that has the lists of compression
_UNUSED = 0xFF  # a place in these lists
_NO_COMPRESSION = (C.MQCOMPRESS_NONE,)
_ALGORITHMS = b"\0\0" + b"\xff\xff" * 9  # passwords as they are: protect them with TLS
SEQUENCE_WRAP = 999_999_999
_EFL_END = 102  # the offset behind EFLLength, which counts what follows it


@dataclass(frozen=True, slots=True)
class InitialData:
    """The ID structure, as far as channels need it."""

    channel: str
    queue_manager: str = ""
    fap_level: int = FAP_LEVEL
    capabilities: tuple[int, int, int] = (CAP1_CLIENT, CAP2_OFFERED, CAP3_MSG_PROP)
    refused: tuple[int, int, int] = (0, 0, 0)
    errors: tuple[int, int] = (0, 0)
    max_segment: int = MAX_SEGMENT
    max_message: int = MAX_MESSAGE
    heartbeat_s: int = 300
    sharing: int = 10
    product: str = PRODUCT_CLIENT
    queue_manager_id: str = ""
    ccsid: int = CCSID
    process: int = 0
    length: int = _ID_BYTES
    """Of the structure: an answer is in the form of the question."""

    batch_size: int = 0
    sequence_wrap: int = SEQUENCE_WRAP
    header_compression: tuple[int, ...] = _NO_COMPRESSION
    """MQCOMPRESS_*, best first; in an answer the one that was agreed. MQCOMPRESS_ANY must be spelled out."""

    message_compression: tuple[int, ...] = _NO_COMPRESSION

    @property
    def ours(self) -> bool:
        """Is the other end a LibreMQ?"""
        return self.product.startswith(OURS)


def pack_initial(data: InitialData) -> bytes:
    one, two, three = data.capabilities
    whole = _ID_STRUCTS[False].pack(
        b"ID  ", data.fap_level, one, data.refused[0], data.errors[0], 0, data.batch_size, data.max_segment,
        data.max_message, data.sequence_wrap, _text(data.channel, 20), two, data.refused[1], data.ccsid,
        _text(data.queue_manager, 48), data.heartbeat_s, data.length - _EFL_END, data.errors[1], 0,
        _pack_compression(data.header_compression, 2), _pack_compression(data.message_compression, 16), 0, 0,
        data.sharing, three, data.refused[2], 0, data.process & 0xFFFFFFFF, 0, 0, _text(data.product, 12),
        _text(data.queue_manager_id, 48), _ALGORITHMS, bytes(12),
    )  # fmt: skip
    return whole[: data.length]


def _pack_compression(values: tuple[int, ...], places: int) -> bytes:
    return bytes(values[:places]).ljust(places, bytes([_UNUSED]))


def _unpack_compression(raw: bytes) -> tuple[int, ...]:
    return tuple(dict.fromkeys(value for value in raw if value != _UNUSED)) or _NO_COMPRESSION


def unpack_initial(body: bytes, *, big_endian: bool = False, charset: str = "latin-1") -> InitialData:
    """The fields that are there: a shorter form is that of an older level."""
    if len(body) < _ID_LEVEL_3_BYTES or body[:4] != "ID  ".encode(charset):
        raise ProtocolError(Status.PROTOCOL_ID_ERROR, "the first segment holds no initial data")
    if len(body) < _ID_LENGTHS[-1]:
        raise ProtocolError(Status.FAP_LEVEL, f"level {body[4]} of the protocol; the lowest that is served is 4")
    length = next(length for length in _ID_LENGTHS if length <= len(body))
    values = _ID_STRUCTS[big_endian].unpack(body[:length].ljust(_ID_BYTES, b"\0"))
    text = [value.decode(charset).split("\0")[0].rstrip() if isinstance(value, bytes) else "" for value in values]
    return InitialData(
        channel=text[10],
        queue_manager=text[14],
        fap_level=values[1],
        capabilities=(values[2], values[11], values[24]),
        refused=(values[3], values[12], values[25]),
        errors=(values[4], values[17]),
        max_segment=values[7],
        max_message=values[8],
        heartbeat_s=values[15],
        sharing=values[23] if length >= _ID_SHARED_BYTES else 0,
        product=text[30],
        queue_manager_id=text[31],
        ccsid=values[13],
        process=values[27],
        length=length,
        batch_size=values[6],
        sequence_wrap=values[9],
        header_compression=_unpack_compression(values[19]) if length >= _ID_COMPRESSION_BYTES else _NO_COMPRESSION,
        message_compression=_unpack_compression(values[20]) if length >= _ID_COMPRESSION_BYTES else _NO_COMPRESSION,
    )


def agree(offered: InitialData, own: InitialData) -> InitialData:
    """The queue manager's answer to what a client offered."""
    errors = 0
    max_segment = min(max(offered.max_segment, MIN_SEGMENT), own.max_segment)
    if max_segment != offered.max_segment:
        errors |= ERR1_MAX_TRANSMISSION
    max_message = min(offered.max_message, own.max_message) if offered.max_message else own.max_message
    if max_message != offered.max_message:
        errors |= ERR1_MAX_MSG
    # The higher of both; none at all only if both want none
    heartbeat_s = max(offered.heartbeat_s, own.heartbeat_s)
    if heartbeat_s != offered.heartbeat_s:
        errors |= ERR1_HEARTBEAT
    wanted, mine = offered.capabilities, own.capabilities
    return replace(
        own,
        channel=offered.channel,
        fap_level=min(offered.fap_level, own.fap_level),
        capabilities=(wanted[0] & mine[0], wanted[1] & mine[1], wanted[2] & mine[2]),
        refused=(wanted[0] & ~mine[0], wanted[1] & ~mine[1], wanted[2] & ~mine[2]),
        errors=(errors, 0),
        max_segment=max_segment,
        max_message=max_message,
        heartbeat_s=heartbeat_s,
        sharing=max(0, min(offered.sharing, own.sharing)),
        length=offered.length,
    )


def settled(agreed: InitialData) -> InitialData:
    """The same without the flags of what had to be corrected."""
    return replace(agreed, refused=(0, 0, 0), errors=(0, 0))


def agree_message_channel(offered: InitialData, own: InitialData) -> InitialData:
    """The answer of the end of a message channel that was called.

    Both ends must count alike: if ERR1_SEQUENCE_WRAP is set in the answer, no more than the answer and a status of
    WRAP_VALUE_ERROR may follow it.
    """
    answer = agree(offered, own)
    errors, errors2 = answer.errors
    batch_size = min(offered.batch_size, own.batch_size) or max(offered.batch_size, own.batch_size)
    if batch_size != offered.batch_size:
        errors |= ERR1_BATCH_SIZE
    if offered.sequence_wrap != own.sequence_wrap:
        errors |= ERR1_SEQUENCE_WRAP
    header = _first_common(offered.header_compression, own.header_compression)
    if header not in offered.header_compression:
        errors2 |= ERR2_HEADER_COMPRESSION
    message = _first_common(offered.message_compression, own.message_compression)
    if message not in offered.message_compression:
        errors2 |= ERR2_MESSAGE_COMPRESSION
    return replace(
        answer,
        errors=(errors, errors2),
        sharing=0,
        batch_size=batch_size,
        header_compression=(header,),
        message_compression=(message,),
    )


def check_message_channel_answer(offered: InitialData, answer: InitialData) -> None:
    """ProtocolError if the other end answered with what nobody can have agreed to."""
    if answer.sequence_wrap != offered.sequence_wrap or answer.errors[0] & ERR1_SEQUENCE_WRAP:
        raise ProtocolError(
            Status.WRAP_VALUE_ERROR,
            f"SEQWRAP is {offered.sequence_wrap} here and {answer.sequence_wrap} at the other end; they must be equal",
        )
    none = C.MQCOMPRESS_NONE
    values = {
        "FapLevel": (answer.fap_level, 4 <= answer.fap_level <= offered.fap_level),
        "MaxTransmissionSize": (answer.max_segment, MIN_SEGMENT <= answer.max_segment <= offered.max_segment),
        "MaxMsgSize": (answer.max_message, 0 < answer.max_message <= (offered.max_message or answer.max_message)),
        "HeartbeatInterval": (answer.heartbeat_s, answer.heartbeat_s >= offered.heartbeat_s),
        "MaxMsgsPerBatch": (answer.batch_size, 0 < answer.batch_size <= offered.batch_size),
        "ConversationsPerSocket": (answer.sharing, answer.sharing == 0),
        "HdrCompList": (answer.header_compression, {*answer.header_compression} <= {none, *offered.header_compression}),
        "MsgCompList": (
            answer.message_compression, {*answer.message_compression} <= {none, *offered.message_compression},
        ),
    }  # fmt: skip
    for name, (value, possible) in values.items():
        if not possible:
            raise ProtocolError(Status.NEGOTIATION_FAILED, f"the other end answered {name} with {value}")


def _first_common(offered: tuple[int, ...], own: tuple[int, ...]) -> int:
    return next((value for value in offered if value in own), C.MQCOMPRESS_NONE)


def corrected(answer: InitialData) -> bool:
    """Does the answer ask the client to send its data again?"""
    return bool(any(answer.errors) or any(answer.refused))


def _text(value: str, length: int) -> bytes:
    return value.encode("latin-1", "replace")[:length].ljust(length)


# USERID_DATA and CONAUTH_INFO

_UID = struct.Struct("4s12s12s64sBB38s")
_CAUT = {False: struct.Struct("<4sIIIII"), True: struct.Struct(">4sIIIII")}
_AUTH_USER_PASSWORD = 1
_CAUT17_EXTRA = 8
CREDENTIAL_BYTES_MAX = 4096


def pack_user(user: str) -> bytes:
    return _UID.pack(b"UID ", _text(user.upper(), 12), b" " * 12, _text(user, 64), 0, 0, bytes(38))


def unpack_user(body: bytes, charset: str = "latin-1") -> str:
    if len(body) < 28 or body[:4] != "UID ".encode(charset):
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a segment for the user id without one")
    raw = body[28:92] if len(body) >= 92 else body[4:16]
    return raw.decode(charset).split("\0")[0].rstrip()


def pack_credentials(user: str, password: str) -> bytes:
    name, secret = user.encode(), password.encode()
    return (
        _CAUT[False].pack(b"CAUT", _AUTH_USER_PASSWORD, len(name), len(secret), len(name), len(secret)) + name + secret
    )


def unpack_credentials(body: bytes, *, big_endian: bool = False, charset: str = "latin-1") -> tuple[str, str]:
    """User id and password: UTF-8, or in the code page of the segment."""
    if len(body) < 24:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "credentials that are cut short")
    eye_catcher, _, _, _, user_length, password_length = _CAUT[big_endian].unpack_from(body)
    if user_length > CREDENTIAL_BYTES_MAX or password_length > CREDENTIAL_BYTES_MAX:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "credentials that are too long")
    if eye_catcher != "CAUT".encode(charset):
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a segment for credentials without them")
    start = 24
    if (
        len(body) != 24 + user_length + password_length
        and len(body) >= 24 + _CAUT17_EXTRA + user_length + password_length
    ):
        start += _CAUT17_EXTRA  # the longer header of later levels
    end = start + user_length
    if len(body) < end + password_length:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "credentials that are cut short")
    user, password = body[start:end], body[end : end + password_length]
    if charset == "latin-1":
        try:
            return user.decode(), password.decode()
        except UnicodeDecodeError:
            pass
    return user.decode(charset), password.decode(charset)


# MQCONN

_CONN = "48s28si32sII"
_CONN_STRUCTS = {False: struct.Struct("<" + _CONN), True: struct.Struct(">" + _CONN)}
_FCNO = {False: struct.Struct("<4sII128s"), True: struct.Struct(">4sII128s")}
_CONN_SIZE_MAX = 472
_BALANCE = struct.pack("<IiI", 0, -1, 0)
CONN_BYTES = 120
CONNX = 3
RECONNECTABLE = 4
COMMANDS_ONLY = 0x4C00
"""Ours: no connection of an application, only commands of administration."""


@dataclass(frozen=True, slots=True)
class Connect:
    """The body of MQCONN, and of its reply."""

    queue_manager: str
    application: str
    application_type: int
    options: int = CONNX
    connect_options: int = 0
    tag: bytes = b""  # in the reply: the connection id

    @property
    def reconnectable(self) -> bool:
        return bool(self.options & RECONNECTABLE)


def pack_connect(connect: Connect, queue_manager_id: str = "", size: int = 332) -> bytes:
    """In the form of level 13, or in another one: it is recognised by its size."""
    size = min(size, _CONN_SIZE_MAX)
    parts = [
        _CONN_STRUCTS[False].pack(
            _text(connect.queue_manager, 48), _text(connect.application, 28), connect.application_type, bytes(32),
            connect.options, connect.connect_options & 0xFFFFFFFF,
        )
    ]  # fmt: skip
    if size >= 260:
        version = 3 if size >= 460 else 2 if size >= 332 else 1
        parts.append(_FCNO[False].pack(b"FCNO", version, 0, connect.tag.ljust(128, b"\0")[:128]))
    if size >= 460:
        # The tag by which the connection could be taken over: that of the connection id
        parts.append((b"MQCT" + connect.tag if connect.tag else b"").ljust(128, b"\0")[:128])
    if size >= 472:
        parts.append(_BALANCE)
    if size >= 332:
        parts += bytes(24), _text(queue_manager_id, 48)
    return b"".join(parts).ljust(size, b"\0")


def unpack_connect(body: bytes, offset: int, *, big_endian: bool = False, charset: str = "latin-1") -> Connect:
    if len(body) < offset + CONN_BYTES:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "an MQCONN that is cut short")
    name, application, kind, _, options, connect_options = _CONN_STRUCTS[big_endian].unpack_from(body, offset)
    tag = b""
    offset += CONN_BYTES
    if len(body) >= offset + 140:
        tag = _FCNO[big_endian].unpack_from(body, offset)[3]
    return Connect(
        name.decode(charset).split("\0")[0].rstrip(),
        application.decode(charset).split("\0")[0].rstrip(),
        kind,
        options,
        connect_options,
        tag,
    )


# SOCKET_ACTION and STATUS_DATA

_ACTION = {False: struct.Struct("<IIIII"), True: struct.Struct(">IIIII")}
_STATUS = {False: struct.Struct("<II"), True: struct.Struct(">II")}


def pack_action(conversation: int, action: int) -> bytes:
    return _ACTION[False].pack(conversation, 0, action, 0, 0)


def unpack_action(body: bytes, *, big_endian: bool = False) -> tuple[int, int]:
    """Conversation and type."""
    if len(body) < 20:
        raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, "a socket action that is cut short")
    conversation, _, action, _, _ = _ACTION[big_endian].unpack_from(body)
    return conversation, action


def pack_status(code: int) -> bytes:
    return _STATUS[False].pack(8, code)


def unpack_status(body: bytes, *, big_endian: bool = False) -> int:
    """The code; 0 if everything is well."""
    if len(body) < 8:
        return 0
    return int(_STATUS[big_endian].unpack_from(body)[1])


# Explanations: what an error was about, in words, ahead of the reply that has its reason code. Ours

_PING = struct.Struct("<I")


def pack_explanation(object_name: str, detail: str) -> bytes:
    text = f"{object_name}\0{detail}".encode("utf-8", "backslashreplace")[:4096]
    return _PING.pack(len(text)) + text


def unpack_explanation(body: bytes) -> tuple[str, str]:
    name, _, detail = body[4:].decode("utf-8", "replace").partition("\0")
    return name, detail
