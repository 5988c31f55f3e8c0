"""Data conversion, as MQGET does it for MQGMO_CONVERT: a message in the character set and encoding one asks for.

A message is a chain: MQ headers, each naming the format, CCSID and encoding of what follows it, then a body. The
chain is walked once, and the result is a message of the same formats in the other representation. It is all or
nothing: what cannot be converted comes back as it was, with a warning and the reason, and then its descriptor
still describes it. Nothing here raises for bad data, and nothing here does I/O.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from libremq.common.ccsid import codec
from libremq.kernel.conversion.convert_headers import HEADERS, MQTM, MQTMC2
from libremq.kernel.conversion.convert_pcf import convert_pcf
from libremq.kernel.conversion.convert_text import NotConverted, Part, Representation, Text
from libremq.mqi.constants import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQCCSI_INHERIT,
    MQCCSI_Q_MGR,
    MQCCSI_UNDEFINED,
    MQDCC_DEFAULT_CONVERSION,
    MQDCC_FILL_TARGET_BUFFER,
    MQDCC_NONE,
    MQDCC_SOURCE_ENC_FACTOR,
    MQDCC_SOURCE_ENC_MASK,
    MQDCC_TARGET_ENC_FACTOR,
    MQDCC_TARGET_ENC_MASK,
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQENC_NATIVE,
    MQRC_CONVERTED_MSG_TOO_BIG,
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_DBCS_ERROR,
    MQRC_FORMAT_ERROR,
    MQRC_NONE,
    MQRC_NOT_CONVERTED,
    MQRC_OPTIONS_ERROR,
    MQRC_PARTIALLY_CONVERTED,
    MQRC_TRUNCATED_MSG_ACCEPTED,
)

Q_MGR_CCSID_DEFAULT = 1208

_TEXT_FORMATS = frozenset({"MQSTR", "MQCMD1", "MQCMD2"})
_PCF_FORMATS = frozenset({"MQADMIN", "MQEVENT", "MQPCF"})
_IMS_VAR_STRING = "MQIMSVS"
_IMS_STRING_LENGTH_MAX = 0x7FFF
_TRIGGER = "MQTRIG"
_ENCODING_UNDEFINED = 0


@dataclass(frozen=True, slots=True)
class Converted:
    """A message after conversion: its data, and the CCSID and Encoding that its descriptor must have now."""

    data: bytes
    ccsid: int
    encoding: int
    comp_code: int
    reason: int


@dataclass(frozen=True, slots=True)
class ConvertedCharacters:
    """What `convert_characters` made; on MQCC_FAILED there is no data."""

    data: bytes
    comp_code: int
    reason: int


def native_encoding() -> int:
    """The Encoding of this queue manager: little-endian integers and packed decimals, IEEE floating point."""
    return MQENC_NATIVE


def integers_big_endian(encoding: int) -> bool:
    """Whether the binary integers of an Encoding have their most significant byte first."""
    return encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_NORMAL


def convert(
    data: bytes,
    format: str,
    source_encoding: int,
    source_ccsid: int,
    target_encoding: int,
    target_ccsid: int,
    *,
    buffer_length: int | None = None,
    accept_truncated: bool = False,
    truncated: bool = False,
    q_mgr_ccsid: int = Q_MGR_CCSID_DEFAULT,
) -> Converted:
    """Convert the data of a message whose descriptor has `format`, `source_encoding` and `source_ccsid`.

    `truncated` says that `data` is only the front of what the format promises (it was cut to the buffer, or it is
    in a report message): then as much as there is gets converted. A result longer than `buffer_length` is refused
    with MQRC_CONVERTED_MSG_TOO_BIG, or cut with MQRC_TRUNCATED_MSG_ACCEPTED if `accept_truncated` or `truncated`.
    MQCCSI_Q_MGR, on either side, stands for `q_mgr_ccsid`.
    """
    source = Representation(q_mgr_ccsid if source_ccsid == MQCCSI_Q_MGR else source_ccsid, source_encoding)
    target = Representation(q_mgr_ccsid if target_ccsid == MQCCSI_Q_MGR else target_ccsid, target_encoding)
    format = format.partition("\0")[0].rstrip(" ")
    unchanged = Converted(data, source_ccsid, source_encoding, MQCC_OK, MQRC_NONE)
    if not data or buffer_length == 0:
        return unchanged
    if source == target and format not in HEADERS and format not in _PCF_FORMATS:
        return unchanged
    message = _Message(data, target, truncated, Representation(q_mgr_ccsid, native_encoding()))
    try:
        message.convert(format, source)
    except NotConverted as error:
        if source == target and (error.reason == MQRC_FORMAT_ERROR or (format in HEADERS and not message.new)):
            return unchanged  # it is as asked for already, only not what its format says
        return Converted(data, source_ccsid, source_encoding, MQCC_WARNING, error.reason)
    new = bytes(message.new)
    reason = MQRC_PARTIALLY_CONVERTED if message.partially else MQRC_NONE
    if buffer_length is not None and len(new) > buffer_length:
        if not accept_truncated and not truncated:
            return Converted(data, source_ccsid, source_encoding, MQCC_WARNING, MQRC_CONVERTED_MSG_TOO_BIG)
        new = message.cut(buffer_length)
        reason = MQRC_TRUNCATED_MSG_ACCEPTED
    return Converted(new, message.first.ccsid, message.first.encoding, MQCC_WARNING if reason else MQCC_OK, reason)


class _Message:
    """One message being converted into `new`."""

    def __init__(self, data: bytes, target: Representation, truncated: bool, q_mgr: Representation) -> None:
        self.data = data
        self.target = target
        self.truncated = truncated
        self.new = bytearray()
        self.first = target  # the representation of the first part, for the descriptor
        self.partially = False
        self._q_mgr = q_mgr
        self._body_text: Text | None = None
        self._body_at = 0
        self._described_at: int | None = None  # where in `new` the last header has its Encoding
        self._described_order = ""

    def convert(self, format: str, source: Representation) -> None:
        at = 0
        target = self.target
        if format in HEADERS:
            target = self.first = self._target_for_headers(source)
        # A truncated message may end in the first eight bytes of a header, too few to know it by.
        while len(self.data) - at >= (8 if self.truncated and at else 1) and format in HEADERS:
            header = HEADERS[format]
            part = Part(source, target)
            layout, cut = header.measure(part, self.data, at, self.truncated)
            self._describe(target)
            start = len(self.new)
            self.new += header.convert(part, layout, cut)
            at += len(cut.data)
            if header.describes is None or len(cut.data) < layout.length:
                return
            format = part.text.read(cut.data[header.describes + 8 : header.describes + 16])
            if header.describes_format_only:
                self.target = target
                self._described_at = None
                continue
            self._described_at = start + header.describes
            self._described_order = part.target_order
            source = _described(part, cut.data, header.describes)
        if at == len(self.data) or (at > 0 and (format == "" or format in HEADERS)):
            # Nothing follows, or something that is not converted: describe it as it is.
            self._describe(source, inherited_only=True)
            self.new += self.data[at:]
            return
        self._describe(self.target)
        self._body_at = len(self.new)
        self.new += self._convert_body(self.data[at:], format, Part(source, self.target))

    def cut(self, length: int) -> bytes:
        """The front of `new`, without a part of a character at the end of a text."""
        if self._body_text is None or length <= self._body_at:
            return bytes(self.new[:length])
        body = self._body_text.cut(bytes(self.new[self._body_at :]), length - self._body_at)
        return bytes(self.new[: self._body_at]) + body

    def _target_for_headers(self, source: Representation) -> Representation:
        """UTF-16 does not fit in the fields of headers: they go to the set of the queue manager instead."""
        wanted = codec(self.target.ccsid)
        if wanted is None or wanted.fits_headers or source == self.target:
            return self.target
        self.partially = True
        return self._q_mgr

    def _describe(self, following: Representation, *, inherited_only: bool = False) -> None:
        """Write into the last header what follows it; with `inherited_only`, only where it said "as myself"."""
        at = self._described_at
        if at is None:
            return
        order = self._described_order
        encoding, ccsid = struct.unpack_from(order + "ii", self.new, at)
        if not inherited_only:
            encoding, ccsid = following.encoding, following.ccsid
        elif ccsid == MQCCSI_INHERIT:
            ccsid = following.ccsid
        struct.pack_into(order + "ii", self.new, at, encoding, ccsid)

    def _convert_body(self, data: bytes, format: str, part: Part) -> bytes:
        if format in _TEXT_FORMATS:
            self._body_text = part.text
            return part.text.head(data) if self.truncated else part.text(data)
        if format in _PCF_FORMATS:
            return convert_pcf(data, part, truncated=self.truncated)
        if format == _TRIGGER:
            return _convert_trigger(data, part, self.truncated)
        if format == _IMS_VAR_STRING:
            return _convert_ims_strings(data, part, self.truncated)
        if part.source == part.target:
            return data
        raise NotConverted(MQRC_FORMAT_ERROR)


def _described(part: Part, data: bytes, at: int) -> Representation:
    """What a header says about the data behind it. Fields left at 0 say nothing: then it is like the header."""
    encoding = part.read_integer(data, at)
    ccsid = part.read_integer(data, at + 4)
    return Representation(
        part.source.ccsid if ccsid in (MQCCSI_INHERIT, MQCCSI_UNDEFINED) else ccsid,
        part.source.encoding if encoding == _ENCODING_UNDEFINED else encoding,
    )


def _convert_trigger(data: bytes, part: Part, truncated: bool) -> bytes:
    """MQTM, or its form in characters, MQTMC2; nothing may follow."""
    header = MQTMC2 if part.text.read(data[:4]) == MQTMC2.struc_id else MQTM
    layout, cut = header.measure(part, data, 0, truncated)
    if len(cut.data) < len(data):
        raise NotConverted(MQRC_FORMAT_ERROR)
    return bytes(header.convert(part, layout, cut))


def _convert_ims_strings(data: bytes, part: Part, truncated: bool) -> bytes:
    """Strings of the form llzzccc: a length of two bytes that counts itself, two bytes of flags, characters."""
    new = bytearray()
    at = 0
    while at < len(data):
        if len(data) - at < 4:
            if not truncated:
                raise NotConverted(MQRC_FORMAT_ERROR)
            new += data[at:]
            break
        (length,) = struct.unpack_from(part.source_order + "h", data, at)
        end = at + length
        if length < 4 or (end > len(data) and not truncated):
            raise NotConverted(MQRC_FORMAT_ERROR)
        old = data[at + 4 : end]
        text = part.text.head(old) if end > len(data) else part.text(old)
        new_length = length + len(text) - len(old)
        if new_length > _IMS_STRING_LENGTH_MAX:
            raise NotConverted(MQRC_CONVERTED_STRING_TOO_BIG)
        new += struct.pack(part.target_order + "h", new_length) + data[at + 2 : at + 4] + text
        at = end
    return bytes(new)


def convert_characters(
    data: bytes,
    source_ccsid: int,
    target_ccsid: int,
    options: int = MQDCC_NONE,
    *,
    target_length: int | None = None,
    q_mgr_ccsid: int = Q_MGR_CCSID_DEFAULT,
) -> ConvertedCharacters:
    """Convert a string, as the MQXCNVC call does for exits and applications.

    A string that does not fit in `target_length` bytes is cut, with MQRC_CONVERTED_MSG_TOO_BIG. With
    MQDCC_FILL_TARGET_BUFFER the result has that length exactly: blanks are added, or trailing blanks and what
    follows a null are given up first. UTF-16 needs its byte order in the options (MQDCC_SOURCE_ENC_*,
    MQDCC_TARGET_ENC_*). MQDCC_DEFAULT_CONVERSION is allowed, but no default character sets are defined here.
    """
    known = MQDCC_DEFAULT_CONVERSION | MQDCC_FILL_TARGET_BUFFER | MQDCC_SOURCE_ENC_MASK | MQDCC_TARGET_ENC_MASK
    fill = bool(options & MQDCC_FILL_TARGET_BUFFER)
    if options & ~known or (fill and target_length is None):
        return ConvertedCharacters(b"", MQCC_FAILED, MQRC_OPTIONS_ERROR)
    try:
        part = Part(
            Representation(
                q_mgr_ccsid if source_ccsid == MQCCSI_Q_MGR else source_ccsid,
                (options & MQDCC_SOURCE_ENC_MASK) // MQDCC_SOURCE_ENC_FACTOR,
            ),
            Representation(
                q_mgr_ccsid if target_ccsid == MQCCSI_Q_MGR else target_ccsid,
                (options & MQDCC_TARGET_ENC_MASK) // MQDCC_TARGET_ENC_FACTOR,
            ),
        )
        text = part.text
        new = text(data)
        if target_length is not None and len(new) > target_length and fill:
            new = text.significant(data)
    except NotConverted as error:
        # Exits and applications are told what kind of data it was; MQGET says only that it failed.
        reason = MQRC_DBCS_ERROR if error.reason == MQRC_NOT_CONVERTED else error.reason
        return ConvertedCharacters(b"", MQCC_FAILED, reason)
    if target_length is not None and len(new) > target_length:
        return ConvertedCharacters(text.cut(new, target_length), MQCC_WARNING, MQRC_CONVERTED_MSG_TOO_BIG)
    return ConvertedCharacters(text.pad(new, target_length) if fill and target_length else new, MQCC_OK, MQRC_NONE)
