"""Message properties: Python values on both sides, with the lengths in bytes that C has.

A string is a str, cut at the length the caller gives (-1: to its end); a boolean comes back as an int, a null as None.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.compat import connection_handles, outcome
from libremq.compat.packed_structures import check_numbers, check_size, read, text
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQIMPO, MQPD, MQSMPO


class Inquired(NamedTuple):
    """A property as MQINQMP found it. The value is None for a null, and if the call failed."""

    value: PropertyValue
    data_length: int
    name: str
    comp_code: int
    reason: int


def MQSETMP(
    hconn: int, hmsg: int, smpo: bytes, name: bytes, pd: bytes, type: int, value: object, length: int
) -> tuple[int, int]:
    """(cc, rc)."""
    smpo_data, pd_data, property_name = check_size(smpo, MQSMPO), check_size(pd, MQPD), text(name)
    check_numbers(hconn, hmsg, type, length)

    def call() -> None:
        connection_handles.find(hconn).MQSETMP(
            hmsg, read(MQSMPO, smpo_data), property_name, read(MQPD, pd_data), type, _given(value, type, length)
        )

    return outcome.of(call)


def _given(value: object, type: int, length: int) -> object:
    """The value of a property as the caller means it."""
    if type == C.MQTYPE_NULL:
        return None
    if type == C.MQTYPE_STRING and isinstance(value, str | bytes | bytearray):
        data = value.encode() if isinstance(value, str) else bytes(value)
        data = data.partition(b"\0")[0] if length == C.MQVL_NULL_TERMINATED else data[:length]
        return data.decode("utf-8", "replace")
    if type == C.MQTYPE_BYTE_STRING and isinstance(value, bytes | bytearray | memoryview):
        return bytes(value) if length == C.MQVL_NULL_TERMINATED else bytes(value)[:length]
    if type == C.MQTYPE_BOOLEAN and isinstance(value, int):
        return bool(value)
    if type in (C.MQTYPE_FLOAT32, C.MQTYPE_FLOAT64) and isinstance(value, int | float):
        return float(value)
    if type in (C.MQTYPE_STRING, C.MQTYPE_BYTE_STRING) or not isinstance(value, int):
        raise mq_error(C.MQRC_PROPERTY_TYPE_ERROR, detail=f"{value!r} is no value of MQTYPE {type}")
    return int(value)


def inquire(hconn: int, hmsg: int, impo: MQIMPO, name: str, pd: MQPD, type: int, length: int) -> Inquired:
    """MQINQMP, the structures read already."""

    def call() -> Inquired:
        found = connection_handles.find(hconn).MQINQMP(hmsg, impo, name, pd, type, length)
        value = int(found.value) if isinstance(found.value, bool) else found.value
        return Inquired(value, found.data_length, found.returned_name, found.comp_code, found.reason)

    found, comp_code, reason = outcome.run(call, Inquired(None, 0, "", C.MQCC_OK, C.MQRC_NONE))
    return found if comp_code == C.MQCC_OK else found._replace(comp_code=comp_code, reason=reason)
