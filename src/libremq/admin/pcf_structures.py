"""PCF messages as the command server takes them: checked structure by structure, each fault with MQ's own reason.

`mqi.pcf` reads PCF from anybody and says that it is wrong; a command server says what is wrong, with an MQRCCF reason
and the parameter that it is about. Nothing here knows what a command means.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import (
    MQCFBF,
    MQCFBS,
    MQCFGR,
    MQCFH,
    MQCFIF,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    PCFParameter,
)

GROUP_DEPTH_MAX = 8
THINGS_MAX = 2000
"""So many parameters and values of lists a command has at most: they are read in one go. The longest needs some 300."""
_HEADER_BYTES = C.MQCFH_STRUC_LENGTH


class BadPCF(MQError):
    """A PCF command that is refused: with the id of the parameter (or the value of a list) that is wrong, if any."""

    def __init__(self, reason: int, detail: str, parameter: int = 0, *, about: int = C.MQIACF_PARAMETER_ID) -> None:
        super().__init__(reason, C.MQCC_FAILED, "", detail)
        self.parameter = parameter
        self.about = about  # what the parameter is: MQIACF_PARAMETER_ID or MQIACF_SELECTOR

    def __reduce__(self) -> tuple[type[BadPCF], tuple[int, str, int]]:
        return BadPCF, (self.reason, self.detail, self.parameter)


class _Shape(NamedTuple):
    """A type of structure. Behind `fixed` bytes come values: `count_at` tells how many, `size_at` their length."""

    read: type[PCFParameter]
    fixed: int
    length: int
    """Reason for a StrucLength that does not fit."""
    unknown: int
    """Reason for a parameter id that the command does not take in this structure."""
    twice: int
    count_at: int = 0
    wrong_count: int = 0
    size_at: int = 0
    wrong_size: int = 0
    size: int = 1
    """Bytes of one value, where the structure does not say."""


_INTEGER = (C.MQRCCF_CFIN_LENGTH_ERROR, C.MQRCCF_CFIN_PARM_ID_ERROR, C.MQRCCF_CFIN_DUPLICATE_PARM)
_INTEGERS = (C.MQRCCF_CFIL_LENGTH_ERROR, C.MQRCCF_CFIL_PARM_ID_ERROR, C.MQRCCF_CFIL_DUPLICATE_VALUE)
_STRING = (C.MQRCCF_CFST_LENGTH_ERROR, C.MQRCCF_CFST_PARM_ID_ERROR, C.MQRCCF_CFST_DUPLICATE_PARM)
_STRINGS = (C.MQRCCF_CFSL_LENGTH_ERROR, C.MQRCCF_CFSL_PARM_ID_ERROR, C.MQRCCF_CFSL_DUPLICATE_PARM)
_BYTES = (C.MQRCCF_CFBS_LENGTH_ERROR, C.MQRCCF_CFBS_PARM_ID_ERROR, C.MQRCCF_CFBS_DUPLICATE_PARM)
_INTEGER_FILTER = (C.MQRCCF_CFIF_LENGTH_ERROR, C.MQRCCF_CFIF_PARM_ID_ERROR, C.MQRCCF_TOO_MANY_FILTERS)
_STRING_FILTER = (C.MQRCCF_CFSF_LENGTH_ERROR, C.MQRCCF_CFSF_PARM_ID_ERROR, C.MQRCCF_TOO_MANY_FILTERS)
_BYTES_FILTER = (C.MQRCCF_CFBF_LENGTH_ERROR, C.MQRCCF_CFBF_PARM_ID_ERROR, C.MQRCCF_TOO_MANY_FILTERS)
_GROUP = (C.MQRCCF_CFGR_LENGTH_ERROR, C.MQRCCF_CFGR_PARM_ID_ERROR, C.MQRCCF_CFGR_PARM_ID_ERROR)
_SHAPES: dict[int, _Shape] = {
    C.MQCFT_INTEGER: _Shape(MQCFIN, 16, *_INTEGER),
    C.MQCFT_INTEGER64: _Shape(MQCFIN64, 24, *_INTEGER),
    C.MQCFT_INTEGER_LIST: _Shape(MQCFIL, 16, *_INTEGERS, 12, C.MQRCCF_CFIL_COUNT_ERROR, size=4),
    C.MQCFT_INTEGER64_LIST: _Shape(MQCFIL64, 16, *_INTEGERS, 12, C.MQRCCF_CFIL_COUNT_ERROR, size=8),
    C.MQCFT_STRING: _Shape(MQCFST, 20, *_STRING, size_at=16, wrong_size=C.MQRCCF_CFST_STRING_LENGTH_ERR),
    C.MQCFT_STRING_LIST: _Shape(
        MQCFSL, 24, *_STRINGS, 16, C.MQRCCF_CFSL_COUNT_ERROR, 20, C.MQRCCF_CFSL_STRING_LENGTH_ERR
    ),
    C.MQCFT_BYTE_STRING: _Shape(MQCFBS, 16, *_BYTES, size_at=12, wrong_size=C.MQRCCF_CFBS_STRING_LENGTH_ERR),
    C.MQCFT_INTEGER_FILTER: _Shape(MQCFIF, 20, *_INTEGER_FILTER),
    C.MQCFT_STRING_FILTER: _Shape(MQCFSF, 24, *_STRING_FILTER, size_at=20, wrong_size=C.MQRCCF_CFSF_FILTER_VAL_LEN_ERR),
    C.MQCFT_BYTE_STRING_FILTER: _Shape(
        MQCFBF, 20, *_BYTES_FILTER, size_at=16, wrong_size=C.MQRCCF_CFBF_FILTER_VAL_LEN_ERR
    ),
    C.MQCFT_GROUP: _Shape(MQCFGR, 16, *_GROUP),
}


def unknown_parameter(parameter: PCFParameter, words: str) -> BadPCF:
    """The command does not take this id, or not in a structure of this type."""
    shape = _SHAPES[parameter.Type]
    detail = f"{words} takes no parameter {parameter.Parameter} in an {shape.read.__name__}"
    return BadPCF(shape.unknown, detail, parameter.Parameter)


def given_twice(parameter: PCFParameter) -> BadPCF:
    detail = f"parameter {parameter.Parameter} is given twice"
    return BadPCF(_SHAPES[parameter.Type].twice, detail, parameter.Parameter)


def command_code(data: bytes, *, big_endian: bool) -> int:
    """What a message says that it is, for the header of an answer, however wrong the rest may be."""
    if len(data) < _HEADER_BYTES:
        return C.MQCMD_NONE
    code: int = struct.unpack_from(">i" if big_endian else "<i", data, 12)[0]
    return code


def read_header(data: bytes, *, big_endian: bool) -> MQCFH:
    if len(data) < _HEADER_BYTES:
        raise BadPCF(C.MQRCCF_MSG_LENGTH_ERROR, f"{len(data)} bytes are too few for an MQCFH")
    values = struct.unpack_from(">9i" if big_endian else "<9i", data)
    kind, length, version, command, number, control, comp_code, reason, count = values
    header = MQCFH(
        Type=kind, Version=version, Command=command, MsgSeqNumber=number, Control=control, CompCode=comp_code,
        Reason=reason, ParameterCount=count,
    )  # fmt: skip
    for right, wrong, said in (
        (kind in (C.MQCFT_COMMAND, C.MQCFT_COMMAND_XR), C.MQRCCF_CFH_TYPE_ERROR, f"Type {kind} is no command"),
        (length == _HEADER_BYTES, C.MQRCCF_CFH_LENGTH_ERROR, f"StrucLength of the MQCFH is {length}"),
        (1 <= version <= C.MQCFH_CURRENT_VERSION, C.MQRCCF_CFH_VERSION_ERROR, f"MQCFH version {version}"),
        (number == 1, C.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR, f"MsgSeqNumber {number}: a command is one message"),
        (control == C.MQCFC_LAST, C.MQRCCF_CFH_CONTROL_ERROR, f"Control {control}: a command is one message"),
        (count >= 0, C.MQRCCF_CFH_PARM_COUNT_ERROR, f"ParameterCount {count}"),
    ):
        if not right:
            raise BadPCF(wrong, said)
    return header


def read_parameters(data: bytes, header: MQCFH, *, big_endian: bool, charset: str) -> list[PCFParameter]:
    """Everything behind the header; the count there and the length of the message must agree with it."""
    reader = _Reader(data, big_endian, charset)
    found = reader.read(header.ParameterCount)
    if reader.at != len(data):
        raise BadPCF(
            C.MQRCCF_MSG_LENGTH_ERROR,
            f"{len(data) - reader.at} bytes are left behind {header.ParameterCount} parameters",
        )
    return found


class _Reader:
    def __init__(self, data: bytes, big_endian: bool, charset: str) -> None:
        self.at = _HEADER_BYTES
        self._data = data
        self._big_endian = big_endian
        self._charset = charset
        self._order = ">" if big_endian else "<"
        self._left = THINGS_MAX

    def read(self, count: int, depth: int = 0) -> list[PCFParameter]:
        return [self._one(depth) for _ in range(self._possible(count))]

    def _possible(self, count: int) -> int:
        """No structure is shorter than 16 bytes: so a wild count ends here, not in a long loop."""
        if count < 0 or 16 * count > len(self._data) - self.at:
            raise BadPCF(C.MQRCCF_MSG_LENGTH_ERROR, f"the message ends before its {count} parameters do")
        return count

    def _integer(self, offset: int) -> int:
        value: int = struct.unpack_from(self._order + "i", self._data, self.at + offset)[0]
        return value

    def _one(self, depth: int) -> PCFParameter:
        left = len(self._data) - self.at
        if left < 12:
            raise BadPCF(C.MQRCCF_MSG_LENGTH_ERROR, "the message ends in the middle of a parameter")
        kind, length, parameter = self._integer(0), self._integer(4), self._integer(8)
        shape = _SHAPES.get(kind)
        if shape is None:
            raise BadPCF(C.MQRCCF_STRUCTURE_TYPE_ERROR, f"there is no parameter structure of type {kind}")
        name = shape.read.__name__
        self._count(1, parameter)
        if length < shape.fixed or length > left or length % 4:
            raise BadPCF(shape.length, f"StrucLength {length} of an {name}; {left} bytes are left", parameter)
        if shape.read is MQCFGR:
            return self._group(shape, length, parameter, depth)
        self._check_values(shape, name, length, parameter)
        try:
            found = shape.read.unpack(self._data, self.at, big_endian=self._big_endian, charset=self._charset)
        except MQError as error:  # only the text is left to be wrong
            raise BadPCF(C.MQRCCF_CCSID_ERROR, f"{name}: {error.detail}", parameter) from error
        self.at += length
        return found

    def _check_values(self, shape: _Shape, name: str, length: int, parameter: int) -> None:
        count = size = 1
        if shape.count_at:
            count = self._integer(shape.count_at)
            if count < 0:
                raise BadPCF(shape.wrong_count, f"{name} with a count of {count}", parameter)
            size = shape.size
        if shape.size_at:
            size = self._integer(shape.size_at)
            if size < 0:
                raise BadPCF(shape.wrong_size, f"{name} with strings of {size} bytes", parameter)
        if not shape.count_at and not shape.size_at:
            if length != shape.fixed:
                raise BadPCF(shape.length, f"StrucLength {length} of an {name}, which has {shape.fixed}", parameter)
        elif count * size > length - shape.fixed:
            wrong = shape.wrong_size if shape.size_at else shape.wrong_count
            raise BadPCF(wrong, f"{count} values of {size} bytes in an {name} of {length}", parameter)
        elif shape.count_at:
            self._count(count, parameter)

    def _count(self, things: int, parameter: int) -> None:
        self._left -= things
        if self._left < 0:
            what = f"a command has {THINGS_MAX} parameters and values of lists at most"
            raise BadPCF(C.MQRCCF_PARM_COUNT_TOO_BIG, what, parameter)

    def _group(self, shape: _Shape, length: int, parameter: int, depth: int) -> MQCFGR:
        if length != shape.fixed:
            raise BadPCF(shape.length, f"StrucLength {length} of an MQCFGR, which has {shape.fixed}", parameter)
        count = self._integer(12)
        self.at += length
        if depth >= GROUP_DEPTH_MAX or count < 0 or 16 * count > len(self._data) - self.at:
            raise BadPCF(C.MQRCCF_CFGR_PARM_COUNT_ERROR, f"a group of {count} parameters", parameter)
        return MQCFGR(Parameter=parameter, Parameters=self.read(count, depth + 1))
