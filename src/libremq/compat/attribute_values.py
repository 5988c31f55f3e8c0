"""MQINQ and MQSET: attributes by selector, text at the full length that its attribute has.

In C all text of a call is in one buffer, each value padded to its length, so both sides must know the lengths: here
they are those of the attribute tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from libremq.compat import connection_handles
from libremq.kernel.objects.attribute_tables import char_length
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

_LENGTHS = {C.MQCA_CLUS_CHL_NAME: C.MQ_OBJECT_NAME_LENGTH}
"""Where the packages reckon with more room than the attribute takes."""


def length_of(selector: int) -> int:
    """The bytes that the text of an attribute takes in the buffer of a call."""
    return _LENGTHS.get(selector) or char_length(selector)


def is_integer(selector: int) -> bool:
    return C.MQIA_FIRST <= selector <= C.MQIA_LAST


def inquire(hconn: int, hobj: int, selectors: Sequence[int]) -> tuple[list[int], bytes, int]:
    """The integers and the text of the attributes, each in the order of the selectors, and the reason of a warning."""
    values, reason = connection_handles.find(hconn).MQINQ(hobj, selectors)
    integers: list[int] = []
    characters = bytearray()
    for selector, value in zip(selectors, values):
        if isinstance(value, int):
            integers.append(value)
        else:
            characters += value.encode("utf-8").ljust(length_of(selector))
    return integers, bytes(characters), reason


def set_values(hconn: int, hobj: int, selectors: Sequence[int], integers: Sequence[int], characters: bytes) -> None:
    """Change the attributes: the integers in the order of their selectors, the text cut by the lengths of its own."""
    values: dict[int, int | str] = {}
    left = list(integers)
    position = 0
    for selector in selectors:
        if is_integer(selector):
            if not left:
                raise mq_error(C.MQRC_INT_ATTR_COUNT_ERROR, detail=f"no value is left for selector {selector}")
            values[selector] = left.pop(0)
            continue
        length = length_of(selector)
        value = characters[position : position + length]
        position += length
        values[selector] = value.partition(b"\0")[0].rstrip(b" ").decode("utf-8", "replace")
    connection_handles.find(hconn).MQSET(hobj, values)
