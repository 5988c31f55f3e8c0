"""What DISPLAY shows of what was found: the attributes asked for, of the things that a filter lets through.

A full name without a list of attributes shows all; a generic name then shows the key fields only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from libremq.admin.command import ALL, Command, Filter, Row
from libremq.admin.command_lookup import attributes
from libremq.admin.steps import LOOKED_AT, Steps
from libremq.kernel.objects.attributes import Attribute, Kind, Value, convert
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

Values = tuple[tuple[Attribute, Value], ...]
ValuesOf = Callable[[frozenset[str] | None], Values]
"""Values that are asked for: those of some attributes, or all. Most of what a filter looks at is never shown."""
Found = tuple[str, "Values | ValuesOf"]
"""A thing that DISPLAY has found: its kind, and its values."""

_TEXT_OPERATORS = (C.MQCFOP_LIKE, C.MQCFOP_NOT_LIKE)
_LIST_OPERATORS = (C.MQCFOP_CONTAINS, C.MQCFOP_EXCLUDES, C.MQCFOP_CONTAINS_GEN, C.MQCFOP_EXCLUDES_GEN)
OPERATORS: dict[str, int] = {
    "LT": C.MQCFOP_LESS, "EQ": C.MQCFOP_EQUAL, "LE": C.MQCFOP_NOT_GREATER, "GT": C.MQCFOP_GREATER,
    "NE": C.MQCFOP_NOT_EQUAL, "GE": C.MQCFOP_NOT_LESS, "CT": C.MQCFOP_CONTAINS, "EX": C.MQCFOP_EXCLUDES,
    "LK": C.MQCFOP_LIKE, "NL": C.MQCFOP_NOT_LIKE, "CTG": C.MQCFOP_CONTAINS_GEN, "EXG": C.MQCFOP_EXCLUDES_GEN,
}  # fmt: skip
_NUMBERS = {
    Kind.INTEGER: Kind.INTEGER, Kind.INTEGER_LIST: Kind.INTEGER, Kind.ENUM: Kind.ENUM, Kind.ENUM_LIST: Kind.ENUM,
}  # fmt: skip
_LISTS = (Kind.ENUM_LIST, Kind.NAME_LIST, Kind.TEXT_LIST)
_WHOLE_NUMBER = re.compile("[-+]?[0-9]{1,19}")


def shown(
    command: Command,
    found: Iterable[Found | None],
    *,
    keys: Sequence[str],
    groups: dict[str, frozenset[str]] | None = None,
    all_by_default: bool | None = None,
    brief: Sequence[str] = (),
) -> Steps[list[Row]]:
    """The rows of a DISPLAY, in steps. `found` has kind and values of each thing, and None for one that is passed over.

    `keys` always come, first.
    """
    wanted = _wanted(command, groups or {})
    if not command.requested:
        everything = not command.name.endswith("*") if all_by_default is None else all_by_default
    else:
        everything = ALL in wanted
    matches = _matcher(command.where, command.spec.table)
    if command.where is not None:
        wanted = wanted | {command.where.keyword}
    first_words = frozenset(keys)
    pick = None if everything else frozenset(wanted if command.requested else wanted | set(brief)) | first_words
    rows: list[Row] = []
    for number, one in enumerate(found, 1):
        if one is not None:
            kind, source = one
            if matches(source):
                values = _of(source, pick)
                if pick is not None:
                    first = tuple(pair for key in keys for pair in values if pair[0].keyword == key)
                    values = first + tuple(pair for pair in values if pair[0].keyword not in first_words)
                rows.append(Row(kind, values))
        if number % LOOKED_AT == 0:
            yield
    return rows


def _of(source: Values | ValuesOf, keywords: frozenset[str] | None) -> Values:
    """The values of these attributes; None: of all."""
    if callable(source):
        return source(keywords)
    return source if keywords is None else tuple(pair for pair in source if pair[0].keyword in keywords)


def _wanted(command: Command, groups: dict[str, frozenset[str]]) -> set[str]:
    known = {
        keyword: row.keyword
        for row in (*attributes(command.spec.table), *command.spec.options)
        for keyword in (row.keyword, *row.synonyms)
    }
    wanted: set[str] = set()
    for word in command.requested:
        if word == ALL:
            wanted.add(word)
        elif word in groups:
            wanted |= groups[word]
        elif word in known:
            wanted.add(known[word])
        elif word not in command.spec.groups:
            raise mq_error(
                C.MQRCCF_PARM_SYNTAX_ERROR, command.name, f"{word} is not an attribute that {command.spec.words} shows"
            )
    return wanted


def _matcher(where: Filter | None, table: str) -> Callable[[Values | ValuesOf], bool]:
    if where is None:
        return lambda source: True
    row = next(
        (one for one in attributes(table) if where.keyword in (one.keyword, *one.synonyms)),
        None,
    )
    if row is None:
        raise mq_error(C.MQRCCF_FILTER_ERROR, "", f"WHERE: {where.keyword} is not an attribute that is shown")
    _check_operator(row, where)
    # Once: the row of another type of object may have fewer words (DEFTYPE of a model queue), and compares all the same
    operand = _operand(row, where)
    looked_at = frozenset((row.keyword,))
    return lambda source: any(_fits(one, value, where.operator, operand) for one, value in _of(source, looked_at))


def _check_operator(row: Attribute, where: Filter) -> None:
    if where.operator not in OPERATORS.values():
        raise mq_error(C.MQRCCF_FILTER_ERROR, "", f"WHERE: {where.operator} is not an operator")
    is_list = row.kind in _LISTS
    if (where.operator in _LIST_OPERATORS) != is_list:
        what = "a list: use CT, EX, CTG or EXG" if is_list else "no list: use LT, EQ, LE, GT, NE, GE, LK or NL"
        raise mq_error(C.MQRCCF_FILTER_ERROR, "", f"WHERE: {row.keyword} is {what}")
    if where.operator in _TEXT_OPERATORS:
        if row.is_integer or row.kind is Kind.BYTES:
            raise mq_error(C.MQRCCF_FILTER_ERROR, "", f"WHERE: LK and NL are for text, and {row.keyword} is none")
        if not str(where.value).endswith("*"):
            raise mq_error(C.MQRCCF_FILTER_ERROR, "", "WHERE: LK and NL take a generic name: an asterisk at the end")


def _operand(row: Attribute, where: Filter) -> Value:
    """The value to compare with, in MQI form."""
    value = where.value
    if row.kind in _NUMBERS:
        one = _single(row)
        if one.kind is Kind.INTEGER and isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
            return int(value)  # also beyond the range: GT(-1) is no error
        if one.kind is Kind.INTEGER and type(value) is int:
            return value
        return convert(one, value)
    if row.kind is Kind.BYTES and isinstance(value, str):
        try:
            return bytes.fromhex(value)
        except ValueError:
            raise mq_error(C.MQRCCF_FILTER_ERROR, "", f"WHERE: {row.keyword} is hexadecimal") from None
    if isinstance(value, bytes):
        return value
    return str(value).rstrip(" ")


def _single(row: Attribute) -> Attribute:
    """One of the values, where it has several."""
    kind = _NUMBERS[row.kind]
    return row if kind is row.kind else replace(row, kind=kind, default=0)


def _fits(row: Attribute, value: Value, operator: int, operand: Value) -> bool:
    if isinstance(value, tuple) and row.kind not in _LISTS:
        value = value[0]  # an indicator, of late and over a longer time: the recent figure counts
    if isinstance(value, tuple):
        if operator in (C.MQCFOP_CONTAINS, C.MQCFOP_EXCLUDES):
            return (operand in value) == (operator == C.MQCFOP_CONTAINS)
        start = str(operand).rstrip("*")
        return any(str(item).startswith(start) for item in value) == (operator == C.MQCFOP_CONTAINS_GEN)
    if operator in _TEXT_OPERATORS:
        return str(value).startswith(str(operand)[:-1]) == (operator == C.MQCFOP_LIKE)
    if type(value) is not type(operand):
        return False
    if operator == C.MQCFOP_EQUAL:
        return value == operand
    if operator == C.MQCFOP_NOT_EQUAL:
        return value != operand
    less = value < operand  # type: ignore[operator]
    if operator == C.MQCFOP_LESS:
        return less
    if operator == C.MQCFOP_NOT_LESS:
        return not less
    greater = value > operand  # type: ignore[operator]
    return greater if operator == C.MQCFOP_GREATER else not greater
