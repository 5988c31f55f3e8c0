"""The programmable command format: commands, replies, events and statistics as lists of parameters.

A message is an MQCFH and then parameters, each with a type, a length and a parameter id; a group (MQCFGR)
holds further parameters. `pack_message` and `unpack_message` do whole messages, `pack_parameters` and
`unpack_parameters` lists of them. Lengths and counts are worked out when packing and checked when unpacking,
since a PCF message can come from anyone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.layout import (
    MQCHAR4,
    MQCHAR8,
    MQINT64,
    MQLONG,
    Buffer,
    Structure,
    nested,
)
from libremq.mqi.variable import VariableStructure, codec_of

GROUP_DEPTH_MAX = 32
_HEAD_LITTLE = struct.Struct("<ii")  # Type, StrucLength
_HEAD_BIG = struct.Struct(">ii")


def _padded(data: bytes) -> bytes:
    """Every PCF structure ends on a multiple of four bytes."""
    return data.ljust(len(data) + -len(data) % 4, b"\0")


def _cut(data: bytes, start: int, length: int) -> bytes:
    if length < 0 or start + length > len(data):
        raise ValueError(f"{length} bytes at {start} do not fit in a structure of {len(data)}")
    return data[start : start + length]


class MQCFH(
    Structure,
    error=C.MQRC_CFH_ERROR,
    versions={1: (36, "ParameterCount"), 2: (36, "ParameterCount"), 3: (36, "ParameterCount")},
    computed=(
        "StrucLength",
        "ParameterCount",
    ),
):
    """The head of a PCF message: its command or reply, and how many parameters follow."""

    Type: MQLONG = C.MQCFT_COMMAND
    StrucLength: MQLONG = C.MQCFH_STRUC_LENGTH
    Version: MQLONG = C.MQCFH_VERSION_1
    Command: MQLONG = C.MQCMD_NONE
    MsgSeqNumber: MQLONG = 1
    Control: MQLONG = C.MQCFC_LAST
    CompCode: MQLONG = C.MQCC_OK
    Reason: MQLONG = C.MQRC_NONE
    ParameterCount: MQLONG = 0


class MQCFIN(Structure, error=C.MQRC_CFIN_ERROR, computed=("StrucLength",)):
    """A parameter that is an integer."""

    Type: MQLONG = C.MQCFT_INTEGER
    StrucLength: MQLONG = C.MQCFIN_STRUC_LENGTH
    Parameter: MQLONG = 0
    Value: MQLONG = 0


class MQCFIN64(Structure, error=C.MQRC_CFIN_ERROR, computed=("StrucLength",)):
    """A parameter that is a 64-bit integer."""

    Type: MQLONG = C.MQCFT_INTEGER64
    StrucLength: MQLONG = C.MQCFIN64_STRUC_LENGTH
    Parameter: MQLONG = 0
    Reserved: MQLONG = 0
    Value: MQINT64 = 0


class MQCFIF(Structure, error=C.MQRC_CFIF_ERROR, computed=("StrucLength",)):
    """A filter on an integer parameter."""

    Type: MQLONG = C.MQCFT_INTEGER_FILTER
    StrucLength: MQLONG = C.MQCFIF_STRUC_LENGTH
    Parameter: MQLONG = 0
    Operator: MQLONG = 0
    FilterValue: MQLONG = 0


class MQCFST(
    VariableStructure,
    error=C.MQRC_CFST_ERROR,
    extra=("String",),
    computed=(
        "StrucLength",
        "StringLength",
    ),
):
    """A parameter that is text."""

    Type: MQLONG = C.MQCFT_STRING
    StrucLength: MQLONG = C.MQCFST_STRUC_LENGTH_FIXED
    Parameter: MQLONG = 0
    CodedCharSetId: MQLONG = C.MQCCSI_DEFAULT
    StringLength: MQLONG = 0

    String: str = ""

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        text = self.String.encode(codec_of(self.CodedCharSetId, charset, big_endian))
        return _padded(text), {"StringLength": len(text)}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        text = _cut(data, start, self.StringLength)
        self.String = text.decode(codec_of(self.CodedCharSetId, charset, big_endian)).rstrip(" \0")


class MQCFBS(
    VariableStructure,
    error=C.MQRC_CFBS_ERROR,
    extra=("String",),
    computed=(
        "StrucLength",
        "StringLength",
    ),
):
    """A parameter that is a string of bytes."""

    Type: MQLONG = C.MQCFT_BYTE_STRING
    StrucLength: MQLONG = C.MQCFBS_STRUC_LENGTH_FIXED
    Parameter: MQLONG = 0
    StringLength: MQLONG = 0

    String: bytes = b""

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        return _padded(self.String), {"StringLength": len(self.String)}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        self.String = _cut(data, start, self.StringLength)


class MQCFIL(
    VariableStructure,
    error=C.MQRC_CFIL_ERROR,
    extra=("Values",),
    computed=(
        "StrucLength",
        "Count",
    ),
):
    """A parameter that is a list of integers."""

    Type: MQLONG = C.MQCFT_INTEGER_LIST
    StrucLength: MQLONG = C.MQCFIL_STRUC_LENGTH_FIXED
    Parameter: MQLONG = 0
    Count: MQLONG = 0

    Values: Sequence[int] = ()

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        count = len(self.Values)
        return struct.pack(f"{'>' if big_endian else '<'}{count}i", *self.Values), {"Count": count}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        values = _cut(data, start, 4 * self.Count)
        self.Values = struct.unpack(f"{'>' if big_endian else '<'}{self.Count}i", values)


class MQCFIL64(
    VariableStructure,
    error=C.MQRC_CFIL_ERROR,
    extra=("Values",),
    computed=(
        "StrucLength",
        "Count",
    ),
):
    """A parameter that is a list of 64-bit integers."""

    Type: MQLONG = C.MQCFT_INTEGER64_LIST
    StrucLength: MQLONG = C.MQCFIL64_STRUC_LENGTH_FIXED
    Parameter: MQLONG = 0
    Count: MQLONG = 0

    Values: Sequence[int] = ()

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        count = len(self.Values)
        return struct.pack(f"{'>' if big_endian else '<'}{count}q", *self.Values), {"Count": count}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        values = _cut(data, start, 8 * self.Count)
        self.Values = struct.unpack(f"{'>' if big_endian else '<'}{self.Count}q", values)


class MQCFSL(
    VariableStructure,
    error=C.MQRC_CFSL_ERROR,
    extra=("Strings",),
    computed=(
        "StrucLength",
        "Count",
        "StringLength",
    ),
):
    """A parameter that is a list of texts, all filled with blanks to one length."""

    Type: MQLONG = C.MQCFT_STRING_LIST
    StrucLength: MQLONG = C.MQCFSL_STRUC_LENGTH_FIXED
    Parameter: MQLONG = 0
    CodedCharSetId: MQLONG = C.MQCCSI_DEFAULT
    Count: MQLONG = 0
    StringLength: MQLONG = 0

    Strings: Sequence[str] = ()

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        codec = codec_of(self.CodedCharSetId, charset, big_endian)
        texts = [text.encode(codec) for text in self.Strings]
        length = max(map(len, texts), default=0)
        blank = " ".encode(codec)
        joined = b"".join(text + blank * ((length - len(text)) // len(blank)) for text in texts)
        return _padded(joined), {"Count": len(texts), "StringLength": length}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        codec = codec_of(self.CodedCharSetId, charset, big_endian)
        count, length = self.Count, self.StringLength
        if count < 0 or length < 0 or (length == 0 and count > len(data)):
            raise ValueError(f"{count} strings of {length} bytes")
        texts = _cut(data, start, count * length)
        self.Strings = [
            texts[number * length : (number + 1) * length].decode(codec).rstrip(" \0") for number in range(count)
        ]


class MQCFSF(
    VariableStructure,
    error=C.MQRC_CFSF_ERROR,
    extra=("FilterValue",),
    computed=(
        "StrucLength",
        "FilterValueLength",
    ),
):
    """A filter on a text parameter."""

    Type: MQLONG = C.MQCFT_STRING_FILTER
    StrucLength: MQLONG = C.MQCFSF_STRUC_LENGTH_FIXED
    Parameter: MQLONG = 0
    Operator: MQLONG = 0
    CodedCharSetId: MQLONG = C.MQCCSI_DEFAULT
    FilterValueLength: MQLONG = 0

    FilterValue: str = ""

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        text = self.FilterValue.encode(codec_of(self.CodedCharSetId, charset, big_endian))
        return _padded(text), {"FilterValueLength": len(text)}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        text = _cut(data, start, self.FilterValueLength)
        self.FilterValue = text.decode(codec_of(self.CodedCharSetId, charset, big_endian)).rstrip(" \0")


class MQCFBF(
    VariableStructure,
    error=C.MQRC_CFBF_ERROR,
    extra=("FilterValue",),
    computed=(
        "StrucLength",
        "FilterValueLength",
    ),
):
    """A filter on a parameter that is a string of bytes."""

    Type: MQLONG = C.MQCFT_BYTE_STRING_FILTER
    StrucLength: MQLONG = C.MQCFBF_STRUC_LENGTH_FIXED
    Parameter: MQLONG = 0
    Operator: MQLONG = 0
    FilterValueLength: MQLONG = 0

    FilterValue: bytes = b""

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        return _padded(self.FilterValue), {"FilterValueLength": len(self.FilterValue)}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        self.FilterValue = _cut(data, start, self.FilterValueLength)


class MQCFGR(
    Structure,
    error=C.MQRC_CFGR_ERROR,
    extra=("Parameters",),
    computed=(
        "StrucLength",
        "ParameterCount",
    ),
):
    """A group: a parameter that holds parameters. Its StrucLength covers only its own 16 bytes."""

    Type: MQLONG = C.MQCFT_GROUP
    StrucLength: MQLONG = C.MQCFGR_STRUC_LENGTH
    Parameter: MQLONG = 0
    ParameterCount: MQLONG = 0

    Parameters: Sequence[PCFParameter] = ()

    def pack(
        self,
        *,
        version: int | None = None,
        big_endian: bool = False,
        charset: str = "latin-1",
        fill: bytes = b" ",
    ) -> bytes:
        """The group and all it holds."""
        computed = {"StrucLength": C.MQCFGR_STRUC_LENGTH, "ParameterCount": len(self.Parameters)}
        head = self._pack_fixed(version, big_endian, charset, fill, computed)
        return head + pack_parameters(self.Parameters, big_endian=big_endian, charset=charset)

    @classmethod
    def unpack(cls, data: Buffer, offset: int = 0, *, big_endian: bool = False, charset: str = "latin-1") -> MQCFGR:
        """The group and all it holds."""
        return cls.unpack_group(data, offset, big_endian=big_endian, charset=charset)[0]

    @classmethod
    def unpack_group(
        cls,
        data: Buffer,
        offset: int = 0,
        *,
        big_endian: bool = False,
        charset: str = "latin-1",
        depth: int = 0,
    ) -> tuple[MQCFGR, int]:
        """The group and all it holds, and the offset behind it."""
        group, end = cls._unpack_fixed(data, offset, big_endian, charset)
        if depth >= GROUP_DEPTH_MAX:
            raise cls._invalid(f"groups are nested more than {GROUP_DEPTH_MAX} deep")
        group.Parameters, end = unpack_parameters(
            data, end, group.ParameterCount, big_endian=big_endian, charset=charset, depth=depth + 1
        )
        return group, end


PCFParameter: TypeAlias = (
    MQCFIN | MQCFIN64 | MQCFIF | MQCFST | MQCFBS | MQCFIL | MQCFIL64 | MQCFSL | MQCFSF | MQCFBF | MQCFGR
)

_PARAMETER_OF_TYPE: dict[int, type[PCFParameter]] = {
    C.MQCFT_INTEGER: MQCFIN,
    C.MQCFT_INTEGER64: MQCFIN64,
    C.MQCFT_INTEGER_FILTER: MQCFIF,
    C.MQCFT_STRING: MQCFST,
    C.MQCFT_BYTE_STRING: MQCFBS,
    C.MQCFT_INTEGER_LIST: MQCFIL,
    C.MQCFT_INTEGER64_LIST: MQCFIL64,
    C.MQCFT_STRING_LIST: MQCFSL,
    C.MQCFT_STRING_FILTER: MQCFSF,
    C.MQCFT_BYTE_STRING_FILTER: MQCFBF,
    C.MQCFT_GROUP: MQCFGR,
}


class MQEPH(
    VariableStructure,
    error=C.MQRC_EPH_ERROR,
    versions={1: (68, "PCFHeader")},
    extra=("Parameters",),
    computed=("StrucLength",),
):
    """Embedded PCF header: PCF parameters in front of other message data."""

    StrucId: MQCHAR4 = C.MQEPH_STRUC_ID
    Version: MQLONG = C.MQEPH_VERSION_1
    StrucLength: MQLONG = C.MQEPH_STRUC_LENGTH_FIXED
    Encoding: MQLONG = 0
    CodedCharSetId: MQLONG = C.MQCCSI_UNDEFINED
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQEPH_NONE
    PCFHeader: MQCFH = nested(MQCFH)

    Parameters: Sequence[PCFParameter] = ()

    def _pack_tail(self, start: int, big_endian: bool, charset: str, fill: bytes) -> tuple[bytes, dict[str, int]]:
        # The count stands in the nested header, which `_pack_fixed` packs from this very attribute.
        self.PCFHeader.ParameterCount = len(self.Parameters)
        return pack_parameters(self.Parameters, big_endian=big_endian, charset=charset), {}

    def _unpack_tail(self, data: bytes, start: int, big_endian: bool, charset: str) -> None:
        count = self.PCFHeader.ParameterCount
        self.Parameters, _ = unpack_parameters(data, start, count, big_endian=big_endian, charset=charset)


def _pcf_error(problem: str) -> MQError:
    return mq_error(C.MQRC_PCF_ERROR, detail=problem)


def pack_parameters(parameters: Iterable[PCFParameter], *, big_endian: bool = False, charset: str = "latin-1") -> bytes:
    return b"".join(parameter.pack(big_endian=big_endian, charset=charset) for parameter in parameters)


def unpack_parameters(
    data: Buffer,
    offset: int,
    count: int,
    *,
    big_endian: bool = False,
    charset: str = "latin-1",
    depth: int = 0,
) -> tuple[list[PCFParameter], int]:
    """`count` parameters from `offset` on, and the offset behind them. A group counts as one."""
    parameters: list[PCFParameter] = []
    if count < 0:
        raise _pcf_error(f"a parameter count of {count}")
    for number in range(1, count + 1):
        head = bytes(data[offset : offset + 8])
        if len(head) < 8:
            raise _pcf_error(f"the data ends before parameter {number} of {count}")
        kind, length = (_HEAD_BIG if big_endian else _HEAD_LITTLE).unpack(head)
        parameter_class = _PARAMETER_OF_TYPE.get(kind)
        if parameter_class is None:
            raise _pcf_error(f"parameter {number} of {count} has the unknown type {kind}")
        if parameter_class is MQCFGR:
            group, offset = MQCFGR.unpack_group(data, offset, big_endian=big_endian, charset=charset, depth=depth)
            parameters.append(group)
        else:
            parameters.append(parameter_class.unpack(data, offset, big_endian=big_endian, charset=charset))
            if length > len(data) - offset:
                raise _pcf_error(f"parameter {number} of {count} reaches past the end of the data")
            offset += length
    return parameters, offset


def pack_message(
    header: MQCFH, parameters: Sequence[PCFParameter], *, big_endian: bool = False, charset: str = "latin-1"
) -> bytes:
    """A whole PCF message; the count in the header is set from the list."""
    head = header.copy()
    head.ParameterCount = len(parameters)
    return head.pack(big_endian=big_endian, charset=charset) + pack_parameters(
        parameters, big_endian=big_endian, charset=charset
    )


def unpack_message(
    data: Buffer, offset: int = 0, *, big_endian: bool = False, charset: str = "latin-1"
) -> tuple[MQCFH, list[PCFParameter]]:
    """The header and the parameters of a PCF message."""
    header = MQCFH.unpack(data, offset, big_endian=big_endian, charset=charset)
    start = offset + header.StrucLength
    parameters, _ = unpack_parameters(data, start, header.ParameterCount, big_endian=big_endian, charset=charset)
    return header, parameters
