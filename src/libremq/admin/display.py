"""What DISPLAY shows of what was found: the attributes asked for, of the things that a filter lets through.

A full name without a list of attributes shows all; a generic name then shows the key fields only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from libremq.admin.command import ALL, Command, Filter, Row
from libremq.admin.command_lookup import attributes
from libremq.kernel.objects.attributes import Attribute, Kind, Value, convert
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

Values = tuple[tuple[Attribute, Value], ...]

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


def shown(
    command: Command,
    found: Iterable[tuple[str, Values]],
    *,
    keys: Sequence[str],
    groups: dict[str, frozenset[str]] | None = None,
    all_by_default: bool | None = None,
    brief: Sequence[str] = (),
) -> list[Row]:
    """The rows of a DISPLAY. `found` has kind and all values of each thing; `keys` always come, first."""
    wanted = _wanted(command, groups or {})
    if not command.requested:
        everything = not command.name.endswith("*") if all_by_default is None else all_by_default
    else:
        everything = ALL in wanted
    matches = _matcher(command.where, command.spec.table)
    if command.where is not None:
        wanted = wanted | {command.where.keyword}
    rows: list[Row] = []
    for kind, values in found:
        if not matches(values):
            continue
        if everything:
            rows.append(Row(kind, values))
            continue
        pick = wanted if command.requested else wanted | set(brief)
        first = tuple(pair for key in keys for pair in values if pair[0].keyword == key)
        rest = tuple(pair for pair in values if pair[0].keyword in pick and pair[0].keyword not in keys)
        rows.append(Row(kind, first + rest))
    return rows


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


def _matcher(where: Filter | None, table: str) -> Callable[[Values], bool]:
    if where is None:
        return lambda values: True
    row = next(
        (one for one in attributes(table) if where.keyword in (one.keyword, *one.synonyms)),
        None,
    )
    if row is None:
        raise mq_error(C.MQRCCF_FILTER_ERROR, "", f"WHERE: {where.keyword} is not an attribute that is shown")
    _check_operator(row, where)
    return lambda values: any(one.keyword == row.keyword and _fits(one, value, where) for one, value in values)


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
    _operand(row, where)


def _operand(row: Attribute, where: Filter) -> Value:
    """The value to compare with, in MQI form."""
    value = where.value
    if row.kind in _NUMBERS:
        one = _single(row)
        if one.kind is Kind.INTEGER and isinstance(value, str) and value.lstrip("-").isdigit():
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


def _fits(row: Attribute, value: Value, where: Filter) -> bool:
    operand, operator = _operand(row, where), where.operator
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
