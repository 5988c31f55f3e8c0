"""COMPHDR and COMPMSG: messages that take fewer bytes on their way from one queue manager to another.

What the bytes look like is ours, and stands in docs/internals/protocol.md: a compressed header has its length in front
(two bytes), compressed data the length that it will have again (four bytes), little-endian always. A part that would
not get shorter stays as it is, which the flags of the message say. Nothing here remembers a message: each can be
expanded by itself. Whatever comes in, no more is expanded than the channel takes (MAXMSGL).

Microseconds to compress and to expand, and bytes that are left, of 2048 bytes of JSON, of 2048 bytes of a record whose
fields are padded with blanks and zeros, and of an MQXQH of 428 bytes; on one core of a small server:

                JSON                records             MQXQH
    SYSTEM                                              9 / 2 / 123
    RLE         7 / - / 2048        29 / 18 / 722
    ZLIBFAST    10 / 6 / 460        6 / 3 / 82
    ZLIBHIGH    15 / 5 / 415        9 / 3 / 65
    LZ4FAST     3 / 2 / 658         2 / 2 / 67
    LZ4HIGH     8 / 2 / 610         5 / 2 / 64
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterable
from time import perf_counter

from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD1, MQXQH
from libremq.wire.protocol import COMPRESSED, HEADER_COMPRESSED, MESSAGE_COMPRESSED, ProtocolError, Status

try:
    from lz4 import block as _block
except ImportError:  # the extra `lz4`: without it these two are not offered
    _block = None

HEADER_BYTES = MQXQH.size()
_SHORT = 48  # bytes of data that are not worth a try
_HEADER_LENGTH = struct.Struct("<H")
_LENGTH = struct.Struct("<I")


def offered_header(definition: Iterable[int]) -> tuple[int, ...]:
    """COMPHDR of a definition as initial data has it."""
    return tuple(value for value in definition if value in (C.MQCOMPRESS_NONE, C.MQCOMPRESS_SYSTEM)) or _NONE


def offered_message(definition: Iterable[int]) -> tuple[int, ...]:
    """COMPMSG of a definition as initial data has it: without what this installation lacks, and ANY spelled out."""
    wanted = tuple(definition)
    if C.MQCOMPRESS_ANY in wanted:
        wanted = _ANY
    return tuple(value for value in wanted if value in _MESSAGE) or _NONE


class Compressor:
    """Does what the two ends of a channel have agreed on."""

    __slots__ = ("active", "flags", "header", "last", "message", "microseconds", "percent")

    def __init__(self, header: int = C.MQCOMPRESS_NONE, message: int = C.MQCOMPRESS_NONE) -> None:
        if header not in (C.MQCOMPRESS_NONE, C.MQCOMPRESS_SYSTEM) or message not in _MESSAGE:
            raise ProtocolError(
                Status.NEGOTIATION_FAILED, f"compression {header} of headers and {message} of messages is not known"
            )
        self.header, self.message = header, message
        self.flags = (HEADER_COMPRESSED if header else 0) | (MESSAGE_COMPRESSED if message else 0)
        """Which parts may be compressed: the `compression` of `unpack_message`."""
        self.active = self.flags != 0
        self.last = 0
        """Which parts of the latest message were compressed."""
        self.microseconds = 0.0
        """Of the latest message: COMPTIME."""
        self.percent = 0.0
        """Of the latest message, by how much it was shorter: COMPRATE."""

    def compress(self, data: bytes) -> tuple[bytes, int]:
        """A message, MQXQH first, as it is to travel, and which of its parts are compressed."""
        if not self.active or len(data) < HEADER_BYTES:
            self.last, self.microseconds, self.percent = 0, 0.0, 0.0
            return data, 0
        began = perf_counter()
        flags = 0
        parts = [data[:HEADER_BYTES], data[HEADER_BYTES:]]
        if self.header:
            small = _compress_header(parts[0])
            if len(small) + _HEADER_LENGTH.size < HEADER_BYTES:
                parts[0] = _HEADER_LENGTH.pack(len(small)) + small
                flags |= HEADER_COMPRESSED
        length = len(parts[1])
        if self.message and length >= _SHORT:
            small = _MESSAGE[self.message][0](parts[1])
            if len(small) + _LENGTH.size < length:
                parts[1] = _LENGTH.pack(length) + small
                flags |= MESSAGE_COMPRESSED
        self.last = flags
        packed = b"".join(parts) if flags else data
        self._note(began, len(packed), len(data))
        return packed, flags

    def decompress(self, data: bytes, flags: int, max_bytes: int) -> bytes:
        """The message again. ProtocolError if it is none, or longer than `max_bytes`."""
        if not flags & COMPRESSED:
            self.microseconds = self.percent = 0.0
            return data
        if flags & COMPRESSED & ~self.flags:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a message is compressed; that was not agreed")
        began = perf_counter()
        at = HEADER_BYTES
        header = data[:at]
        if flags & HEADER_COMPRESSED:
            if len(data) < _HEADER_LENGTH.size:
                raise _cut_short("header")
            at = _HEADER_LENGTH.size + _HEADER_LENGTH.unpack_from(data)[0]
            header = _expand_header(data[_HEADER_LENGTH.size : at])
        if len(data) < at:
            raise _cut_short("header")
        rest = data[at:]
        length = len(rest)
        if flags & MESSAGE_COMPRESSED:
            if length < _LENGTH.size:
                raise _cut_short("data")
            (length,) = _LENGTH.unpack_from(rest)
        if HEADER_BYTES + length > max_bytes:
            raise ProtocolError(
                Status.MESSAGE_LENGTH_ERROR,
                f"a message would be expanded to {HEADER_BYTES + length} bytes; the channel takes {max_bytes}",
            )
        if flags & MESSAGE_COMPRESSED:
            rest = _MESSAGE[self.message][1](rest[_LENGTH.size :], length)
            if len(rest) != length:
                raise _garbage(f"{length} bytes were promised and {len(rest)} are in it")
        whole = header + rest
        self._note(began, len(data), len(whole))
        return whole

    @property
    def header_shown(self) -> tuple[int, int]:
        """COMPHDR of DISPLAY CHSTATUS: agreed on, and of the latest message."""
        return self.header, self.header if self.last & HEADER_COMPRESSED else C.MQCOMPRESS_NONE

    @property
    def message_shown(self) -> tuple[int, int]:
        return self.message, self.message if self.last & MESSAGE_COMPRESSED else C.MQCOMPRESS_NONE

    def _note(self, began: float, small: int, large: int) -> None:
        self.microseconds = (perf_counter() - began) * 1e6
        self.percent = 100 * (large - small) / large


def _cut_short(part: str) -> ProtocolError:
    return ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"the compressed {part} of a message is cut short")


def _garbage(why: object) -> ProtocolError:
    return ProtocolError(Status.PROTOCOL_INVALID_DATA, f"the compressed data of a message cannot be expanded: {why}")


# SYSTEM: deflate without a frame, that knows an empty MQXQH already

DICTIONARY = MQXQH(
    MsgDesc=MQMD1(MsgType=C.MQMT_DATAGRAM, Format=C.MQFMT_STRING, CodedCharSetId=1208, Encoding=546)
).pack(big_endian=False, charset="latin-1")
"""Both ends must have the same: it is part of the protocol, and a test holds it."""
_deflate = zlib.compressobj(6, zlib.DEFLATED, -10, 4, zdict=DICTIONARY)


def _compress_header(header: bytes) -> bytes:
    deflate = _deflate.copy()
    return deflate.compress(header) + deflate.flush()


def _expand_header(small: bytes) -> bytes:
    inflate = zlib.decompressobj(-15, zdict=DICTIONARY)
    try:
        header = inflate.decompress(small, HEADER_BYTES + 1)
    except zlib.error as error:
        raise _garbage(error) from None
    if len(header) != HEADER_BYTES or not inflate.eof or inflate.unused_data:
        raise _garbage(f"its header is not one of {HEADER_BYTES} bytes")
    return header


# RLE: pieces of (length of what is as it was, length of a run, byte of the run), then what is as it was

_PIECE = struct.Struct("<HHB")
_PIECE_MAX = 0xFFFF
_RUN_MIN = 8  # bytes: a shorter one is not worth its piece, and would cost the other end time
# Of neighbours that were combined by exclusive or, a run of equal bytes leaves zeros. Written as a literal, since the
# search for literals is twenty times as fast as that for a repetition
_ZEROS = re.compile(rb"\0\0\0\0\0\0\0+")


def _compress_runs(data: bytes) -> bytes:
    length = len(data)
    neighbours = int.from_bytes(data[1:], "little") ^ int.from_bytes(data[:-1], "little")
    pieces: list[bytes] = []
    at = 0
    for found in _ZEROS.finditer(neighbours.to_bytes(length - 1, "little")):
        start, end = found.span()
        end += 1
        at = _copy_pieces(data, at, start, pieces)
        byte = data[start]
        while end - start > _PIECE_MAX:
            # What is left is never too short for a run
            count = min(_PIECE_MAX, end - start - _RUN_MIN)
            pieces += _PIECE.pack(start - at, count, byte), data[at:start]
            start += count
            at = start
        pieces += _PIECE.pack(start - at, end - start, byte), data[at:start]
        at = end
    at = _copy_pieces(data, at, length, pieces)
    if at < length:
        pieces += _PIECE.pack(length - at, 0, 0), data[at:]
    return b"".join(pieces)


def _copy_pieces(data: bytes, at: int, end: int, pieces: list[bytes]) -> int:
    """What is too long for one piece, up to the beginning of the last."""
    while end - at > _PIECE_MAX:
        pieces += _PIECE.pack(_PIECE_MAX, 0, 0), data[at : at + _PIECE_MAX]
        at += _PIECE_MAX
    return at


def _expand_runs(small: bytes, length: int) -> bytes:
    pieces: list[bytes] = []
    unpack, size, end = _PIECE.unpack_from, _PIECE.size, len(small)
    at = came = 0
    while at < end:
        if end - at < size:
            raise _cut_short("data")
        copied, run, byte = unpack(small, at)
        at += size + copied
        came += copied + run
        if at > end:
            raise _cut_short("data")
        if came > length or (run < _RUN_MIN and (run or (copied < _PIECE_MAX and at < end) or not copied)):
            raise _garbage(f"a piece of {copied} bytes and a run of {run}")
        pieces.append(small[at - copied : at])
        if run:
            pieces.append(bytes((byte,)) * run)
    return b"".join(pieces)


# ZLIBFAST, ZLIBHIGH


def _expand_zlib(small: bytes, length: int) -> bytes:
    inflate = zlib.decompressobj()
    try:
        data = inflate.decompress(small, length + 1)
    except zlib.error as error:
        raise _garbage(error) from None
    if not inflate.eof or inflate.unused_data:
        raise _garbage("it is cut short, or goes on behind its end")
    return data


# LZ4FAST, LZ4HIGH: one block

_LZ4_RATIO_MAX = 255


def _expand_lz4(small: bytes, length: int) -> bytes:
    if length > _LZ4_RATIO_MAX * len(small):  # the room is taken before anything is looked at
        raise _garbage(f"{len(small)} bytes cannot hold {length}")
    try:
        data = _block.decompress(small, uncompressed_size=length)
    except (_block.LZ4BlockError, ValueError, MemoryError) as error:
        raise _garbage(error) from None
    return bytes(data)


def _lz4(**options: object) -> tuple[Callable[[bytes], bytes], Callable[[bytes, int], bytes]]:
    return lambda data: _block.compress(data, store_size=False, **options), _expand_lz4


_NONE = (C.MQCOMPRESS_NONE,)
_MESSAGE: dict[int, tuple[Callable[[bytes], bytes], Callable[[bytes, int], bytes]]] = {
    C.MQCOMPRESS_NONE: (lambda data: data, lambda data, length: data),
    C.MQCOMPRESS_RLE: (_compress_runs, _expand_runs),
    C.MQCOMPRESS_ZLIBFAST: (lambda data: zlib.compress(data, 1), _expand_zlib),
    C.MQCOMPRESS_ZLIBHIGH: (lambda data: zlib.compress(data, 9), _expand_zlib),
}
"""How data gets smaller and is expanded again; what is not here is not offered."""
if _block is not None:
    _MESSAGE[C.MQCOMPRESS_LZ4FAST] = _lz4()
    _MESSAGE[C.MQCOMPRESS_LZ4HIGH] = _lz4(mode="high_compression")

# What ANY stands for: what costs least for what it saves first
_ANY = (
    C.MQCOMPRESS_LZ4FAST,
    C.MQCOMPRESS_ZLIBFAST,
    C.MQCOMPRESS_LZ4HIGH,
    C.MQCOMPRESS_ZLIBHIGH,
    C.MQCOMPRESS_RLE,
    C.MQCOMPRESS_NONE,
)
