"""What a compiled selector is made of: closures that compute one operator with three-valued logic.

Each function takes the closures of its operands and returns one that, given a message, answers a value: True,
False or None (unknown) for a condition, and None for a NULL operand. Values of unlike types are never equal and
never ordered; a boolean is not a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libremq.kernel.properties.message_properties import Properties
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQMD

Evaluate = Callable[[MQMD, Properties | None], PropertyValue]

_EXACT_MAX = 1 << 63


def always(value: PropertyValue) -> Evaluate:
    return lambda md, properties: value


def all_true(terms: list[Evaluate]) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        answer: PropertyValue = True
        for term in terms:
            value = term(md, properties)
            if value is False:
                return False
            if value is not True:
                answer = None
        return answer

    return evaluate


def any_true(terms: list[Evaluate]) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        answer: PropertyValue = False
        for term in terms:
            value = term(md, properties)
            if value is True:
                return True
            if value is not False:
                answer = None
        return answer

    return evaluate


def negation(inner: Evaluate, turned: bool) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        value = inner(md, properties)
        return value is not turned if value is True or value is False else None

    return evaluate


def identifier_equal(field: str, key: bytes, zero_is_null: bool) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        value: bytes = getattr(md, field)
        if value == key:
            return True
        return None if zero_is_null and not any(value) else False

    return evaluate


def equality(left: Evaluate, right: Evaluate, constant: PropertyValue) -> Evaluate:
    """left = right; `constant` is the value of the right side when that is known, else None."""
    if isinstance(constant, str | bytes):  # equal to its own kind only, so Python's == says it all
        expected = constant

        def compare_constant(md: MQMD, properties: Properties | None) -> PropertyValue:
            value = left(md, properties)
            return None if value is None else value == expected

        return compare_constant

    def compare(md: MQMD, properties: Properties | None) -> PropertyValue:
        one = left(md, properties)
        other = right(md, properties)
        if one is None or other is None:
            return None
        # True is not 1 here, though it is in Python.
        return one == other and isinstance(one, bool) is isinstance(other, bool)

    return compare


def relation(operator: str, left: Evaluate, right: Evaluate) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        one = left(md, properties)
        other = right(md, properties)
        if one is None or other is None:
            return None
        if type(one) not in _NUMBER_TYPES or type(other) not in _NUMBER_TYPES:
            return False
        return compare(one, other)

    compare = _RELATIONS[operator]
    return evaluate


_NUMBER_TYPES = (int, float)
_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


def membership(value_of: Evaluate, literals: frozenset[PropertyValue]) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        value = value_of(md, properties)
        return None if value is None else not isinstance(value, bool) and value in literals

    return evaluate


def likeness(value_of: Evaluate, matcher: Callable[[str], bool]) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        value = value_of(md, properties)
        if value is None:
            return None
        return isinstance(value, str) and matcher(value)

    return evaluate


def sign(inner: Evaluate, negative: bool) -> Evaluate:
    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        value = inner(md, properties)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return -value if negative else value

    return evaluate


def calculation(first: Evaluate, steps: list[tuple[str, Evaluate]]) -> Evaluate:
    """A chain from left to right. NULL, and what is not a number, and division by zero make it NULL."""

    def evaluate(md: MQMD, properties: Properties | None) -> PropertyValue:
        total = first(md, properties)
        if isinstance(total, bool) or not isinstance(total, int | float):
            return None
        for operator, operand in steps:
            value = operand(md, properties)
            if isinstance(value, bool) or not isinstance(value, int | float):
                return None
            if operator == "+":
                total = total + value
            elif operator == "-":
                total = total - value
            elif operator == "*":
                total = total * value
            elif value == 0:
                return None
            elif isinstance(total, int) and isinstance(value, int):
                quotient = abs(total) // abs(value)
                total = quotient if (total < 0) == (value < 0) else -quotient
            else:
                total = total / value
            if isinstance(total, int) and not -_EXACT_MAX <= total < _EXACT_MAX:
                total = float(total)  # keeps a long product from growing without end
        return total

    return evaluate
