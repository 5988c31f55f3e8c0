"""Types of message properties: which MQTYPE a Python value has, and which type converts to which.

The table of conversions is MQ's: to a wider number, to a string from everything, and from a string to what it
spells. Nothing loses information: an INT32 does not become an INT16 even when its value would fit.
"""

from __future__ import annotations

import struct

from libremq.mqi.constants import (
    MQRC_PROP_CONV_NOT_SUPPORTED,
    MQRC_PROP_NUMBER_FORMAT_ERROR,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_TYPE_ERROR,
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import PropertyValue, round_float, text_value, value_text

INTEGER_TYPES = {MQTYPE_INT8: "b", MQTYPE_INT16: "h", MQTYPE_INT32: "i", MQTYPE_INT64: "q"}
"""The integer types and their struct codes."""
FLOAT_TYPES = {MQTYPE_FLOAT32: "f", MQTYPE_FLOAT64: "d"}
PROPERTY_TYPES = frozenset(
    {MQTYPE_NULL, MQTYPE_BOOLEAN, MQTYPE_BYTE_STRING, MQTYPE_STRING, *INTEGER_TYPES, *FLOAT_TYPES}
)

_FIXED_LENGTHS = {
    MQTYPE_NULL: 0,
    MQTYPE_BOOLEAN: 4,  # MQBOOL is an MQLONG
    **{mqtype: struct.calcsize(code) for mqtype, code in INTEGER_TYPES.items()},
    **{mqtype: struct.calcsize(code) for mqtype, code in FLOAT_TYPES.items()},
}
_INT32_LIMIT = 1 << 31
_INT64_LIMIT = 1 << 63


def _type_error(detail: str) -> MQError:
    return mq_error(MQRC_PROPERTY_TYPE_ERROR, detail=detail)


def infer_type(value: object) -> int:
    """The MQTYPE_* that a Python value gets when nobody names one."""
    if value is None:
        return MQTYPE_NULL
    if isinstance(value, bool):
        return MQTYPE_BOOLEAN
    if isinstance(value, str):
        return MQTYPE_STRING
    if isinstance(value, int):
        if -_INT32_LIMIT <= value < _INT32_LIMIT:
            return MQTYPE_INT32
        if -_INT64_LIMIT <= value < _INT64_LIMIT:
            return MQTYPE_INT64
        raise _type_error("the integer does not fit 64 bits")
    if isinstance(value, float):
        return MQTYPE_FLOAT64
    if isinstance(value, bytes | bytearray | memoryview):
        return MQTYPE_BYTE_STRING
    raise _type_error(f"a property is str, bytes, bool, int, float or None, not {type(value).__name__}")


def check_value(value: object, mqtype: int) -> PropertyValue:
    """`value` in the form a property of `mqtype` keeps it; MQRC_PROPERTY_TYPE_ERROR if they do not go together."""
    if mqtype == MQTYPE_STRING and isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise mq_error(MQRC_PROP_VALUE_NOT_CONVERTED, detail="the string has half a surrogate pair in it") from None
        return value
    if mqtype in INTEGER_TYPES and isinstance(value, int):
        limit = 1 << (8 * _FIXED_LENGTHS[mqtype] - 1)
        if not -limit <= value < limit:
            raise _type_error(f"{str(value)[:24]} does not fit {8 * _FIXED_LENGTHS[mqtype]} bits")
        return int(value)
    if mqtype == MQTYPE_BOOLEAN and isinstance(value, int):
        return value != 0
    if mqtype in FLOAT_TYPES and isinstance(value, int | float):
        try:
            return round_float(float(value), mqtype)
        except OverflowError:
            raise _type_error("the number does not fit a float") from None
    if mqtype == MQTYPE_BYTE_STRING and isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if mqtype == MQTYPE_NULL:
        return None
    if mqtype not in PROPERTY_TYPES:
        raise _type_error(f"{mqtype} is not an MQTYPE of a property")
    raise _type_error(f"a {type(value).__name__} is not a value of MQTYPE {mqtype}")


def value_length(value: PropertyValue, mqtype: int) -> int:
    """The bytes that a value takes in a buffer; a string in UTF-8."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode())
    if isinstance(value, bytes):
        return len(value)
    return _FIXED_LENGTHS[mqtype]


def convert(value: PropertyValue, actual: int, wanted: int) -> PropertyValue:
    """`value` of type `actual` as a value of type `wanted`, by MQ's rules for MQIMPO_CONVERT_TYPE."""
    if actual == wanted:
        return value
    if wanted not in PROPERTY_TYPES:
        raise _type_error(f"{wanted} is not an MQTYPE of a property")
    if actual == MQTYPE_STRING and isinstance(value, str):
        if wanted in (MQTYPE_BYTE_STRING, MQTYPE_NULL):
            raise _unsupported(actual, wanted)
        converted = text_value(value, wanted)
        if converted is None:
            raise mq_error(MQRC_PROP_NUMBER_FORMAT_ERROR, detail=f"'{value[:40]}' is not of MQTYPE {wanted}")
        return converted
    if wanted == MQTYPE_STRING and isinstance(value, bytes | int | float):
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        return value_text(value).upper() if isinstance(value, bytes) else value_text(value)
    if wanted in INTEGER_TYPES and isinstance(value, int) and (actual == MQTYPE_BOOLEAN or actual < wanted):
        return int(value)
    if wanted == MQTYPE_FLOAT64 and actual == MQTYPE_FLOAT32:
        return value
    raise _unsupported(actual, wanted)


def _unsupported(actual: int, wanted: int) -> MQError:
    return mq_error(MQRC_PROP_CONV_NOT_SUPPORTED, detail=f"MQTYPE {actual} does not convert to MQTYPE {wanted}")
