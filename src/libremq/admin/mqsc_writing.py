"""From an `Outcome` to what runmqsc prints: messages, and attributes in two columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from libremq.admin.command import Outcome, Row
from libremq.admin.command_lookup import is_bare
from libremq.common.printable_text import dotted
from libremq.kernel.objects.attributes import Attribute, Kind, Value
from libremq.mqi import constants as C

INDENT = " " * 3
_COLUMN = 40


def value_text(row: Attribute, value: Value) -> str:
    """A value as MQSC writes it between the parentheses."""
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, tuple):
        return ",".join(value_text(row, item) for item in value)
    if isinstance(value, int):
        return " " if value == C.MQMON_NOT_AVAILABLE and is_counted(row) else row.word(value)
    return dotted(value)  # applications choose their names freely


def is_counted(row: Attribute) -> bool:
    """A figure that is never negative, so that -1 says that it is not known."""
    return row.kind in (Kind.INTEGER, Kind.INTEGER_LIST) and row.low >= 0 and not row.words


def attribute_text(row: Attribute, value: Value) -> str:
    if is_bare(row) and isinstance(value, int):
        return row.word(value)
    return f"{row.keyword}({value_text(row, value) or ' '})"


def row_lines(row: Row) -> Iterable[str]:
    """Two attributes a line; one that is too long for its column stands alone."""
    first = ""
    for attribute, value in row:
        text = attribute_text(attribute, value)
        if not first:
            first = text
        elif len(first) < _COLUMN:
            yield f"{INDENT}{first.ljust(_COLUMN)}{text}"
            first = ""
        else:
            yield INDENT + first
            first = text
    if first:
        yield INDENT + first


def outcome_lines(outcome: Outcome) -> Iterator[list[str]]:
    """The lines, those of each thing shown together."""
    if not outcome.rows:
        yield [message.line for message in outcome.messages]
        return
    heading = outcome.messages[0].line
    for row in outcome.rows:
        yield [heading, *row_lines(row)]
