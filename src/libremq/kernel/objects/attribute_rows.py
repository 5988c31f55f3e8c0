"""Short ways to write an `Attribute` row, for tables that are long.

One function for each kind of value; what they do not take by position (types, reasons, ...) is passed on by name. The
objects that these rows describe cannot be opened, so none of the attributes is for MQINQ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from libremq.kernel.objects.attributes import Attribute, Kind, Source
from libremq.mqi import constants as mq


def text(keyword: str, selector: int, length: int, about: str, default: str = "", **more: Any) -> Attribute:
    """Text of up to so many bytes."""
    return Attribute(keyword, selector, Kind.STRING, default, max_length=length, inquirable=False, about=about, **more)


def name(keyword: str, selector: int, length: int, about: str, default: str = "", **more: Any) -> Attribute:
    """The name of an object, or blank."""
    return Attribute(keyword, selector, Kind.NAME, default, max_length=length, inquirable=False, about=about, **more)


def identity(keyword: str, selector: int, length: int, about: str) -> Attribute:
    """The name of the object itself."""
    return name(keyword, selector, length, about, source=Source.FIXED, python_name="name")


def texts(keyword: str, selector: int, length: int, items: int, about: str, **more: Any) -> Attribute:
    """A list of texts of up to so many bytes each."""
    return Attribute(
        keyword, selector, Kind.TEXT_LIST, (), max_length=length, max_items=items, inquirable=False, about=about, **more
    )


def number(keyword: str, selector: int, default: int, low: int, high: int, about: str, **more: Any) -> Attribute:
    """An integer, perhaps with `words` for some values."""
    return Attribute(
        keyword, selector, Kind.INTEGER, default, low=low, high=high, inquirable=False, about=about, **more
    )


def choice(keyword: str, selector: int, default: int, words: Mapping[str, int], about: str, **more: Any) -> Attribute:
    """One of some words."""
    return Attribute(keyword, selector, Kind.ENUM, default, words=words, inquirable=False, about=about, **more)


def choices(
    keyword: str, selector: int, default: tuple[int, ...], words: Mapping[str, int], items: int, about: str, **more: Any
) -> Attribute:
    """Some of some words."""
    return Attribute(
        keyword, selector, Kind.ENUM_LIST, default, words=words, max_items=items, inquirable=False, about=about, **more
    )


def octets(keyword: str, selector: int, length: int, about: str, **more: Any) -> Attribute:
    """Bytes, shown as hexadecimal digits."""
    return Attribute(keyword, selector, Kind.BYTES, b"", max_length=length, inquirable=False, about=about, **more)


def numbers(keyword: str, selector: int, items: int, about: str, **more: Any) -> Attribute:
    """So many integers."""
    return Attribute(
        keyword, selector, Kind.INTEGER_LIST, (), high=999999999, max_items=items, inquirable=False, about=about, **more
    )


NO_SELECTOR = 0  # of what PCF has no parameter for

ALTDATE = text("ALTDATE", mq.MQCA_ALTERATION_DATE, mq.MQ_DATE_LENGTH, "date of the last change", source=Source.SYSTEM)
ALTTIME = text("ALTTIME", mq.MQCA_ALTERATION_TIME, mq.MQ_TIME_LENGTH, "time of the last change", source=Source.SYSTEM)
