"""What an attribute of an object is, and how a value given for it is checked.

An `Attribute` is one row of data: MQSC keyword, MQI selector, kind, permitted values, default, and what
may be done with it. The rows live in `attribute_tables*.py`; MQSC, PCF, MQINQ, MQSET, the catalogue and
the reference page are all views of them. Inside the queue manager a value is always in its MQI form: an
int (enumerations too), a str without trailing blanks, bytes, or a tuple of ints or strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from libremq.common.names.object_names import is_object_name
from libremq.mqi.constants import (
    MQRCCF_ATTR_VALUE_ERROR,
    MQRCCF_ATTR_VALUE_FIXED,
    MQRCCF_CFBS_STRING_LENGTH_ERR,
    MQRCCF_CFIN_DUPLICATE_PARM,
    MQRCCF_CFIN_PARM_ID_ERROR,
    MQRCCF_CFSL_COUNT_ERROR,
    MQRCCF_CFST_DUPLICATE_PARM,
    MQRCCF_CFST_STRING_LENGTH_ERR,
)
from libremq.mqi.errors import mq_error

Value = int | str | bytes | tuple[int, ...] | tuple[str, ...]
GivenValue = int | str | bytes | Sequence[int] | Sequence[str]


class Kind(Enum):
    INTEGER = "integer"
    ENUM = "enum"
    STRING = "string"
    NAME = "name"  # a string that must follow the rules for object names, or be blank
    ENUM_LIST = "list of enum"
    INTEGER_LIST = "list of integers"  # only counted, never given
    NAME_LIST = "list of names"
    TEXT_LIST = "list of texts"
    BYTES = "bytes"  # hexadecimal digits in MQSC, a byte string in PCF


class Source(Enum):
    """Where the value of an attribute comes from."""

    DEFINED = "defined"  # part of the definition
    SYSTEM = "system"  # kept with the definition, but set by the queue manager only
    FIXED = "fixed"  # follows from the object: its name, its type, the number of its names
    LIVE = "live"  # counted at run time, never stored


class Effect(Enum):
    """Who acts on an attribute. A test looks for whoever does, and finds nobody where nobody should."""

    ACTS = "acts"  # the queue manager
    FOR_OTHERS = "kept for others"  # applications and administrators; MQ itself does nothing with it
    NOT_YET = "kept, no effect yet"


_HIDDEN = "xxxxxx"


@dataclass(frozen=True, slots=True)
class Attribute:
    keyword: str
    selector: int  # also the identifier in PCF; 0 if it has none
    kind: Kind
    default: Value
    low: int = 0
    high: int = 0
    words: Mapping[str, int] = field(default_factory=dict)
    max_length: int = 0
    max_items: int = 0
    source: Source = Source.DEFINED
    inquirable: bool = True
    set_reason: int = 0  # reason MQSET gives for a bad value; 0 where MQSET may not set the attribute
    value_reason: int = MQRCCF_ATTR_VALUE_ERROR  # reason a command gives for a value that is not permitted
    secret: bool = False  # a password: kept with the definition, never shown and never dumped
    discreet: bool = False  # has a password among its parts: shown without it, never dumped nor repeated
    alone: str = "NONE"  # the word that excludes all others of a list of words
    synonyms: tuple[str, ...] = ()
    types: tuple[str, ...] = ()  # object types it applies to
    default_by_type: Mapping[str, Value] = field(default_factory=dict)
    about: str = ""
    python_name: str = ""
    effect: Effect = Effect.ACTS
    idle_types: tuple[str, ...] = ()  # object types of those for which nobody acts on it yet

    @property
    def slot(self) -> str:
        """Name of the Python attribute that holds the value in an object."""
        return self.python_name or self.keyword.lower()

    @property
    def alterable(self) -> bool:
        return self.source is Source.DEFINED

    @property
    def stored(self) -> bool:
        return self.source is Source.DEFINED or self.source is Source.SYSTEM

    @property
    def settable(self) -> bool:
        return self.set_reason != 0

    @property
    def is_integer(self) -> bool:
        return self.kind in (Kind.INTEGER, Kind.ENUM, Kind.ENUM_LIST, Kind.INTEGER_LIST)

    def shown(self, value: Value) -> Value:
        """The value as others may see it: of SSLCRYP (driver; token; password; ...) without the password, as in MQ."""
        if not self.discreet or not isinstance(value, str):
            return value
        parts = value.split(";")
        return ";".join([*parts[:2], _HIDDEN if parts[2] else "", *parts[3:]]) if len(parts) > 2 else value

    def word(self, value: int) -> str:
        """The MQSC spelling of an integer value: its word where it has one, else the digits."""
        for word, number in self.words.items():
            if number == value:
                return word
        return str(value)

    def permitted(self) -> str:
        """The permitted values in words, for error messages and the reference page."""
        if self.kind is Kind.ENUM:
            return ", ".join(self.words)
        if self.kind is Kind.INTEGER:
            span = f"{self.low} to {self.high}"
            return f"{span} or {', '.join(self.words)}" if self.words else span
        if self.kind is Kind.ENUM_LIST:
            return f"up to {self.max_items} of {', '.join(self.words)}"
        if self.kind is Kind.INTEGER_LIST:
            return f"up to {self.max_items} of {self.low} to {self.high}"
        if self.kind is Kind.NAME_LIST:
            return f"up to {self.max_items} object names of 1 to {self.max_length} characters"
        if self.kind is Kind.TEXT_LIST:
            return f"up to {self.max_items} texts of 1 to {self.max_length} bytes"
        if self.kind is Kind.BYTES:
            return f"up to {2 * self.max_length} hexadecimal digits"
        if self.kind is Kind.NAME:
            return f"an object name of up to {self.max_length} characters (letters, digits, . / _ %), or blank"
        return f"up to {self.max_length} bytes of text"


class AttributeTable:
    """The attributes of one object type, in display order, found by keyword, synonym or selector.

    Of an idle type nothing acts yet: its objects are kept, and that is all.
    """

    def __init__(self, object_type: str, rows: Sequence[Attribute], *, idle: bool = False) -> None:
        self.object_type = object_type
        self.idle = idle
        self.rows: tuple[Attribute, ...] = tuple(
            self._row(row) for row in rows if not row.types or object_type in row.types
        )
        self.by_selector: dict[int, Attribute] = {row.selector: row for row in self.rows if row.selector}
        self.by_keyword: dict[str, Attribute] = {}
        for row in self.rows:
            for keyword in (row.keyword, *row.synonyms):
                self.by_keyword[keyword] = row
        # Pairs, not rows, where speed counts: copying and recording definitions.
        self.defined_slots: tuple[str, ...] = tuple(row.slot for row in self.rows if row.alterable)
        self.stored: tuple[tuple[str, str], ...] = tuple((row.keyword, row.slot) for row in self.rows if row.stored)
        # A record has all of them in this order, unless another release wrote it. Lists are read one by one.
        stored = [row for row in self.rows if row.stored]
        self.record_keywords: tuple[str, ...] = tuple(row.keyword for row in stored)
        types = (type(row.default) for row in stored)
        self.record_types: list[type] = [list if one is tuple else one for one in types]
        self.record_slots: tuple[str, ...] = tuple(row.slot for row in stored)
        self.record_lists: tuple[Attribute, ...] = tuple(row for row in stored if isinstance(row.default, tuple))
        self.defaults: dict[str, Value] = {row.slot: row.default for row in self.rows if row.stored}
        self.name_length: int = max((row.max_length for row in self.rows if row.slot == "name"), default=0)

    def _row(self, row: Attribute) -> Attribute:
        """As it is for this type; most types share it."""
        default, effect = row.default_by_type.get(self.object_type, row.default), self._effect(row)
        if default is row.default and effect is row.effect:
            return row
        return replace(row, default=default, effect=effect)

    def _effect(self, row: Attribute) -> Effect:
        idle = self.idle or self.object_type in row.idle_types
        return Effect.NOT_YET if idle and row.alterable and row.effect is Effect.ACTS else row.effect

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, keyword: str, object_name: str = "") -> Attribute:
        """The attribute of this keyword, in upper or lower case; unknown ones are refused."""
        row = self.by_keyword.get(keyword) or self.by_keyword.get(keyword.upper())
        if row is None:
            raise mq_error(
                MQRCCF_CFIN_PARM_ID_ERROR,
                object_name=object_name,
                detail=f"{keyword.upper()} is not an attribute of {self.object_type}",
            )
        return row

    def convert_all(self, given: Mapping[str, GivenValue], object_name: str = "") -> dict[str, Value]:
        """Check every given attribute; the result maps Python names to MQI values.

        The first bad one raises, before anything was changed anywhere.
        """
        values: dict[str, Value] = {}
        for keyword, value in given.items():
            row = self.find(keyword, object_name)
            if not row.alterable:
                raise mq_error(
                    MQRCCF_ATTR_VALUE_FIXED,
                    object_name=object_name,
                    detail=f"{row.keyword} of {self.object_type} is set by the queue manager",
                )
            if row.slot in values:
                raise mq_error(
                    MQRCCF_CFIN_DUPLICATE_PARM if row.is_integer else MQRCCF_CFST_DUPLICATE_PARM,
                    object_name=object_name,
                    detail=f"{row.keyword} is given twice ({', '.join((row.keyword, *row.synonyms))} are one)",
                )
            values[row.slot] = convert(row, value, object_name)
        return values


def _refuse(row: Attribute, value: object, object_name: str, reason: int = 0, why: str = "") -> Exception:
    """`why`: what is wrong with it, where the permitted values do not tell."""
    shown = "***" if row.secret or row.discreet else _written(row, value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    detail = f"{row.keyword}({shown}): {why and why + '; '}permitted is {row.permitted()}"
    return mq_error(reason or row.value_reason, object_name=object_name, detail=detail)


def _written(row: Attribute, value: object) -> str:
    """A value that was given, as MQSC writes it."""
    if not isinstance(value, (tuple, list)):
        return str(value)
    items = (row.word(item) if type(item) is int else str(item) for item in value)
    return ",".join(item if item.strip() and "," not in item else f"'{item or ' '}'" for item in items)


def clean_text(value: str) -> str:
    """Text as MQ compares it: nothing after a null, no trailing blanks."""
    return value.split("\0", 1)[0].rstrip(" ")


def _convert_integer(row: Attribute, value: object, object_name: str) -> int:
    if isinstance(value, str):
        word = value.strip().upper()
        number = row.words.get(word)
        if number is not None:
            return number
        # MQSC hands numbers over as digits; an enumeration has words only.
        digits = word[1:] if word[:1] in ("-", "+") else word
        if row.kind is not Kind.INTEGER or not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
            raise _refuse(row, value, object_name)
        value = int(word)
    # True and False read as "yes" and "no", but DISABLED is 1 for some attributes: refused, not guessed.
    if type(value) is not int:
        raise _refuse(row, value, object_name)
    if value in row.words.values() or (row.kind is Kind.INTEGER and row.low <= value <= row.high):
        return value
    raise _refuse(row, value, object_name)


def _convert_text(row: Attribute, value: object, object_name: str) -> str:
    if not isinstance(value, str):
        raise _refuse(row, value, object_name)
    text = clean_text(value)
    if len(text) > row.max_length or not text.isascii():
        # MQ counts bytes, because the value travels in a field of fixed size.
        try:
            length = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            raise _refuse(row, ascii(value), object_name) from None
        if length > row.max_length:
            raise _refuse(row, value, object_name, MQRCCF_CFST_STRING_LENGTH_ERR)
    if row.kind in (Kind.NAME, Kind.NAME_LIST) and text and not is_object_name(text):
        raise _refuse(row, value, object_name)
    return text


def _convert_bytes(row: Attribute, value: object, object_name: str) -> bytes:
    if isinstance(value, str):
        try:
            value = bytes.fromhex(value.strip())
        except ValueError:
            raise _refuse(row, value, object_name) from None
    if not isinstance(value, bytes):
        raise _refuse(row, value, object_name)
    if len(value) > row.max_length:
        raise _refuse(row, value.hex(), object_name, MQRCCF_CFBS_STRING_LENGTH_ERR)
    return value


def convert(row: Attribute, value: GivenValue, object_name: str = "") -> Value:
    """The MQI form of a value given as MQSC word, digits, MQI value or text; a bad one raises.

    Lists are sequences, or one string with commas.
    """
    if row.kind is Kind.INTEGER or row.kind is Kind.ENUM:
        return _convert_integer(row, value, object_name)
    if row.kind is Kind.STRING or row.kind is Kind.NAME:
        return _convert_text(row, value, object_name)
    if row.kind is Kind.BYTES:
        return _convert_bytes(row, value, object_name)
    items: list[object]
    if isinstance(value, str):
        items = [item.strip() for item in value.split(",") if item.strip()]
    elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        items = list(value)
    elif row.is_integer:
        items = [value]
    else:
        raise _refuse(row, value, object_name)
    if len(items) > row.max_items:
        raise _refuse(row, f"{len(items)} values", object_name, MQRCCF_CFSL_COUNT_ERROR)
    if row.kind is Kind.INTEGER_LIST:
        whole = replace(row, kind=Kind.INTEGER)
        return tuple(_convert_integer(whole, item, object_name) for item in items)
    if row.kind is Kind.ENUM_LIST:
        numbers = tuple(_convert_integer(row, item, object_name) for item in items)
        # One word excludes the others, and a list of nothing or of repeats means nothing.
        alone = row.words.get(row.alone)
        if not numbers:
            raise _refuse(row, value, object_name, why="nothing is given")
        if len(set(numbers)) != len(numbers):
            twice = next(number for number in numbers if numbers.count(number) > 1)
            raise _refuse(row, value, object_name, why=f"{row.word(twice)} is given twice")
        if len(numbers) > 1 and alone in numbers:
            raise _refuse(row, value, object_name, why=f"{row.alone} cannot be given with others")
        return numbers
    texts = tuple(_convert_text(row, item, object_name) for item in items)
    if not any(texts):
        return ()  # one blank is how MQSC says: none
    if "" in texts:
        raise _refuse(row, value, object_name, why=f"a blank is no {'name' if row.kind is Kind.NAME_LIST else 'text'}")
    return texts
