"""Message headers with a variable part: names and values, object names, distribution records.

They differ from the fixed headers in `headers` only in what follows their fixed part; `pack` works out the
lengths and offsets. Folders of an MQRFH2 are kept as text here; `rfh2` reads what is inside them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from libremq.mqi import constants as C
from libremq.mqi.descriptors import MQOR
from libremq.mqi.layout import (
    MQBYTE24,
    MQBYTE32,
    MQCHAR4,
    MQCHAR8,
    MQLONG,
    Structure,
)
from libremq.mqi.variable import VariableStructure, codec_of


class MQRFH(
    VariableStructure,
    error=C.MQRC_RFH_ERROR,
    versions={1: (32, "Flags")},
    extra=("NameValueString",),
    computed=("StrucLength",),
):
    """Rules and formatting header, version 1: one string of names and values."""

    StrucId: MQCHAR4 = C.MQRFH_STRUC_ID
    Version: MQLONG = C.MQRFH_VERSION_1
    StrucLength: MQLONG = C.MQRFH_STRUC_LENGTH_FIXED
    Encoding: MQLONG = C.MQENC_NATIVE
    CodedCharSetId: MQLONG = C.MQCCSI_UNDEFINED
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQRFH_NONE

    NameValueString: str = ""

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        text = self.NameValueString.encode(charset)
        blank = " ".encode(charset)
        return text.ljust(len(text) + -len(text) % 4, blank), {}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        if len(data) > start:
            self.NameValueString = data[start:].decode(charset).rstrip(" \0")


class MQRFH2(
    VariableStructure,
    error=C.MQRC_RFH_ERROR,
    versions={2: (36, "NameValueCCSID")},
    extra=("NameValueData",),
    computed=("StrucLength",),
):
    """Rules and formatting header, version 2: folders of properties, each a piece of XML-like text."""

    StrucId: MQCHAR4 = C.MQRFH_STRUC_ID
    Version: MQLONG = C.MQRFH_VERSION_2
    StrucLength: MQLONG = C.MQRFH_STRUC_LENGTH_FIXED_2
    Encoding: MQLONG = C.MQENC_NATIVE
    CodedCharSetId: MQLONG = C.MQCCSI_INHERIT
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQRFH_NONE
    NameValueCCSID: MQLONG = 1208

    NameValueData: Sequence[str] = ()

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        codec = codec_of(self.NameValueCCSID, "utf-8", big_endian)
        length_of = struct.Struct(">i" if big_endian else "<i")
        parts = []
        for folder in self.NameValueData:
            text = folder.encode(codec)
            while len(text) % 4:  # at most three blanks in UTF-8, one in UTF-16
                text += " ".encode(codec)
            parts.append(length_of.pack(len(text)) + text)
        return b"".join(parts), {}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        codec = codec_of(self.NameValueCCSID, "utf-8", big_endian)
        length_of = struct.Struct(">i" if big_endian else "<i")
        folders: list[str] = []
        while start < len(data):
            (length,) = length_of.unpack_from(data, start)
            end = start + 4 + length
            if length < 0 or end > len(data):
                raise ValueError(f"folder {len(folders) + 1} reaches past the end of the header")
            folders.append(data[start + 4 : end].decode(codec).rstrip(" \0"))
            start = end
        if folders:
            self.NameValueData = folders


class MQRMH(
    VariableStructure,
    error=C.MQRC_RMH_ERROR,
    versions={1: (108, "DataLogicalOffset2")},
    extra=("SrcEnv", "SrcName", "DestEnv", "DestName"),
    computed=(
        "StrucLength",
        "SrcEnvLength",
        "SrcEnvOffset",
        "SrcNameLength",
        "SrcNameOffset",
        "DestEnvLength",
        "DestEnvOffset",
        "DestNameLength",
        "DestNameOffset",
    ),
):
    """Reference message header: names an object that a message exit carries beside the message."""

    StrucId: MQCHAR4 = C.MQRMH_STRUC_ID
    Version: MQLONG = C.MQRMH_VERSION_1
    StrucLength: MQLONG = 0
    Encoding: MQLONG = C.MQENC_NATIVE
    CodedCharSetId: MQLONG = C.MQCCSI_UNDEFINED
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQRMHF_NOT_LAST
    ObjectType: MQCHAR8 = "        "
    ObjectInstanceId: MQBYTE24 = C.MQOII_NONE
    SrcEnvLength: MQLONG = 0
    SrcEnvOffset: MQLONG = 0
    SrcNameLength: MQLONG = 0
    SrcNameOffset: MQLONG = 0
    DestEnvLength: MQLONG = 0
    DestEnvOffset: MQLONG = 0
    DestNameLength: MQLONG = 0
    DestNameOffset: MQLONG = 0
    DataLogicalLength: MQLONG = 0
    DataLogicalOffset: MQLONG = 0
    DataLogicalOffset2: MQLONG = 0

    SrcEnv: str = ""
    SrcName: str = ""
    DestEnv: str = ""
    DestName: str = ""

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        tail = b""
        computed = {}
        for name in ("SrcEnv", "SrcName", "DestEnv", "DestName"):
            text = getattr(self, name).encode(charset)
            computed[name + "Length"] = len(text)
            computed[name + "Offset"] = start + len(tail) if text else 0
            tail += text
        return tail.ljust(len(tail) + -len(tail) % 4, b"\0"), computed

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        for name in ("SrcEnv", "SrcName", "DestEnv", "DestName"):
            length = getattr(self, name + "Length")
            offset = getattr(self, name + "Offset")
            if length:
                if length < 0 or offset < start or offset + length > len(data):
                    raise ValueError(f"{name} lies outside the header")
                setattr(self, name, data[offset : offset + length].decode(charset).rstrip(" \0"))


class MQPMR(Structure, error=C.MQRC_PUT_MSG_RECORDS_ERROR):
    """What differs between the destinations of a distribution list.

    In bytes a record holds only the fields that PutMsgRecFields (MQPMRF_*) selects, in this order; `pack_record`
    and `unpack_record` do that.
    """

    MsgId: MQBYTE24 = C.MQMI_NONE
    CorrelId: MQBYTE24 = C.MQCI_NONE
    GroupId: MQBYTE24 = C.MQGI_NONE
    Feedback: MQLONG = C.MQFB_NONE
    AccountingToken: MQBYTE32 = C.MQACT_NONE

    def pack_record(self, fields: int, *, big_endian: bool = False) -> bytes:
        whole = self.pack(big_endian=big_endian)
        return b"".join(whole[start:end] for start, end in _pmr_parts(fields))

    @classmethod
    def unpack_record(cls, data: bytes, offset: int = 0, *, fields: int, big_endian: bool = False) -> MQPMR:
        whole = bytearray(cls.size())
        for start, end in _pmr_parts(fields):
            part = data[offset : offset + end - start]
            if len(part) < end - start:
                raise cls._invalid("the record is cut short")
            whole[start:end] = part
            offset += end - start
        return cls.unpack(whole, big_endian=big_endian)

    @staticmethod
    def record_size(fields: int) -> int:
        return sum(end - start for start, end in _pmr_parts(fields))


_PMR_PARTS = (
    (C.MQPMRF_MSG_ID, 0, 24),
    (C.MQPMRF_CORREL_ID, 24, 48),
    (C.MQPMRF_GROUP_ID, 48, 72),
    (C.MQPMRF_FEEDBACK, 72, 76),
    (C.MQPMRF_ACCOUNTING_TOKEN, 76, 108),
)


def _pmr_parts(fields: int) -> list[tuple[int, int]]:
    return [(start, end) for flag, start, end in _PMR_PARTS if fields & flag]


class MQDH(
    VariableStructure,
    error=C.MQRC_DH_ERROR,
    versions={1: (48, "PutMsgRecOffset")},
    extra=("ObjectRecords", "PutMsgRecords"),
    computed=("StrucLength", "RecsPresent", "ObjectRecOffset", "PutMsgRecOffset"),
):
    """Distribution header: the destinations one transmitted message still has to reach."""

    StrucId: MQCHAR4 = C.MQDH_STRUC_ID
    Version: MQLONG = C.MQDH_VERSION_1
    StrucLength: MQLONG = 0
    Encoding: MQLONG = 0
    CodedCharSetId: MQLONG = C.MQCCSI_UNDEFINED
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQDHF_NONE
    PutMsgRecFields: MQLONG = C.MQPMRF_NONE
    RecsPresent: MQLONG = 0
    ObjectRecOffset: MQLONG = 0
    PutMsgRecOffset: MQLONG = 0

    ObjectRecords: Sequence[MQOR] = ()
    PutMsgRecords: Sequence[MQPMR] = ()

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        count = len(self.ObjectRecords)
        if self.PutMsgRecords and len(self.PutMsgRecords) != count:
            raise ValueError(f"{count} object records, but {len(self.PutMsgRecords)} put message records")
        objects = b"".join(record.pack(charset=charset, fill=fill) for record in self.ObjectRecords)
        puts = b"".join(
            record.pack_record(self.PutMsgRecFields, big_endian=big_endian) for record in self.PutMsgRecords
        )
        return objects + puts, {
            "RecsPresent": count,
            "ObjectRecOffset": start if objects else 0,
            "PutMsgRecOffset": start + len(objects) if puts else 0,
        }

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        count, fields = self.RecsPresent, self.PutMsgRecFields
        size = MQPMR.record_size(fields)
        if count < 0 or (count and self.ObjectRecOffset < start):
            raise ValueError("the object records lie outside the header")
        if self.ObjectRecOffset + count * MQOR.size() > len(data):
            raise ValueError("the object records reach past the end of the header")
        if count:
            self.ObjectRecords = [
                MQOR.unpack(data, self.ObjectRecOffset + number * MQOR.size(), charset=charset)
                for number in range(count)
            ]
        if count and self.PutMsgRecOffset:
            if self.PutMsgRecOffset < start or self.PutMsgRecOffset + count * size > len(data):
                raise ValueError("the put message records lie outside the header")
            self.PutMsgRecords = [
                MQPMR.unpack_record(data, self.PutMsgRecOffset + number * size, fields=fields, big_endian=big_endian)
                for number in range(count)
            ]
