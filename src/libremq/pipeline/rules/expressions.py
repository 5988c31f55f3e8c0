"""The language of conditions: a small part of Python's expressions, with two meanings.

`parse` accepts arithmetic, comparisons, `and`/`or`/`not`, `x if c else y`, `in` a list of constants, the functions
named below and the models by their names; it refuses the rest, so a rule can compute and do nothing else. The same
tree is then worked out on plain values or turned into a Spark column, and both agree: what is unknown (None, NULL)
stays unknown through arithmetic, `and`/`or` follow three-valued logic, and a division by zero is unknown.

Rules over several rows use the functions of `AGGREGATES`; a dotted name (`log.written_mb`) is a column of another
subject at the same queue manager and interval.
"""

from __future__ import annotations

import ast
import fnmatch
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

FUNCTIONS = ("min", "max", "abs", "ceil", "floor", "known", "either", "matches")
"""`known(x)`: is it there; `either(x, y)`: x, or y where x is unknown; `matches(x, 'SYSTEM.*')`: by shell pattern."""

AGGREGATES = ("sum", "mean", "highest", "lowest", "count", "days", "distinct", "share", "first", "last", "trend")
"""`count(c)` and `share(c)` are of the rows where c holds, `count()` of all; `days()` is on how many dates rows are;
`distinct` counts different values; `trend` is the slope per day."""

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class ExpressionError(ValueError):
    """The text is outside the language."""


class Algebra(Protocol):
    """What an expression needs of the values it is worked out on."""

    def constant(self, value: Any) -> Any: ...
    def name(self, name: str) -> Any: ...
    def arithmetic(self, operator: str, one: Any, other: Any) -> Any: ...
    def compare(self, operator: str, one: Any, other: Any) -> Any: ...
    def among(self, value: Any, choices: Sequence[Any]) -> Any: ...
    def every(self, parts: Sequence[Any]) -> Any: ...
    def some(self, parts: Sequence[Any]) -> Any: ...
    def opposite(self, value: Any) -> Any: ...
    def chosen(self, condition: Any, then: Any, otherwise: Any) -> Any: ...
    def matching(self, value: Any, pattern: str) -> Any: ...
    def function(self, name: str, arguments: Sequence[Any]) -> Any: ...
    def model(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any: ...
    def aggregate(self, name: str, argument: ast.expr | None) -> Any: ...


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed text with the names it uses."""

    text: str
    tree: ast.expr
    names: tuple[str, ...]
    """Inputs in order of appearance; dotted for another subject's column."""
    optional: frozenset[str]
    """Those that stand only inside `either` or `known`, hence may be missing."""
    models: tuple[str, ...]
    aggregates: bool

    def on(self, values: Mapping[str, Any], rows: Sequence[Mapping[str, Any]] = ()) -> Any:
        """The result on plain values; `rows` are what the aggregates run over."""
        return work_out(self.tree, PlainAlgebra(values, rows))


@cache
def parse(text: str) -> Expression:
    """The expression of a text; ExpressionError says what in it is not allowed."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"{text!r}: {error.msg}") from error
    found = _Found(text)
    found.check(tree)
    optional = frozenset(name for name, needed in found.names.items() if not needed)
    return Expression(text, tree, tuple(found.names), optional, tuple(found.models), found.aggregates)


class _Found:
    """Walks a tree, refuses what is not in the language and notes what the expression needs."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.names: dict[str, bool] = {}
        """Each name, and whether the expression can do nothing without it."""
        self.models: dict[str, None] = {}
        self.aggregates = False

    def _name(self, name: str, needed: bool) -> None:
        self.names[name] = self.names.get(name, False) or needed

    def check(self, node: ast.expr, *, inside: bool = False, needed: bool = True) -> None:
        def down(*nodes: ast.expr) -> None:
            for each in nodes:
                self.check(each, inside=inside, needed=needed)

        match node:
            case ast.Constant(value=value) if value is None or isinstance(value, (bool, int, float, str)):
                pass
            case ast.Name(id=name):
                self._name(name, needed)
            case ast.Attribute(value=ast.Name(id=subject), attr=name):
                self._name(f"{subject}.{name}", needed)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
                down(left, right)
            case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
                down(operand)
            case ast.BoolOp(values=values):
                down(*values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                down(test, body, orelse)
            case ast.Compare(left=left, ops=operators, comparators=others):
                for comparison, other in zip(operators, others):
                    if isinstance(comparison, (ast.In, ast.NotIn)):
                        if not isinstance(other, ast.Tuple) or not all(isinstance(e, ast.Constant) for e in other.elts):
                            raise ExpressionError(f"{self._text!r}: `in` takes a list of constants")
                    elif type(comparison) in _COMPARISONS:
                        down(other)
                    else:
                        raise ExpressionError(f"{self._text!r}: {type(comparison).__name__} is not in the language")
                down(left)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
                self._check_call(name, arguments, keywords)
                if name in AGGREGATES:
                    if inside:
                        raise ExpressionError(f"{self._text!r}: {name} inside another aggregate")
                    self.aggregates = True
                    for each in arguments:
                        self.check(each, inside=True, needed=needed)
                elif name in ("either", "known"):
                    for each in arguments:
                        self.check(each, inside=inside, needed=False)
                else:
                    down(*arguments, *(keyword.value for keyword in keywords))
            case _:
                raise ExpressionError(f"{self._text!r}: {type(node).__name__} is not in the language")

    def _check_call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> None:
        if name in FUNCTIONS or name in AGGREGATES:
            counted = {"count": (0, 1), "days": (0,)}.get(name, (1,)) if name in AGGREGATES else ()
            if keywords or (counted and len(arguments) not in counted) or not (counted or arguments):
                raise ExpressionError(f"{self._text!r}: {name} is called wrongly")
            if name in ("min", "max") and len(arguments) < 2:
                raise ExpressionError(f"{self._text!r}: {name} compares two values or more")
            if name == "matches" and not (
                len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and isinstance(arguments[1].value, str)
            ):
                raise ExpressionError(f"{self._text!r}: the pattern of `matches` is a constant")
            return
        from libremq.pipeline.models.loaded_models import known_models

        if name not in known_models():
            raise ExpressionError(f"{self._text!r}: {name} is neither a function nor a model")
        if any(keyword.arg is None for keyword in keywords):
            raise ExpressionError(f"{self._text!r}: ** is not in the language")
        self.models[name] = None


def work_out(node: ast.expr, algebra: Algebra) -> Any:
    """Walk a checked tree with the operations of one kind of value."""
    match node:
        case ast.Constant(value=value):
            return algebra.constant(value)
        case ast.Name(id=name):
            return algebra.name(name)
        case ast.Attribute(value=ast.Name(id=subject), attr=name):
            return algebra.name(f"{subject}.{name}")
        case ast.BinOp(left=left, op=operator, right=right):
            return algebra.arithmetic(_ARITHMETIC[type(operator)], work_out(left, algebra), work_out(right, algebra))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return algebra.arithmetic("-", algebra.constant(0), work_out(operand, algebra))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return algebra.opposite(work_out(operand, algebra))
        case ast.BoolOp(op=ast.And(), values=values):
            return algebra.every([work_out(each, algebra) for each in values])
        case ast.BoolOp(op=ast.Or(), values=values):
            return algebra.some([work_out(each, algebra) for each in values])
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return algebra.chosen(work_out(test, algebra), work_out(body, algebra), work_out(orelse, algebra))
        case ast.Compare(left=left, ops=operators, comparators=others):
            return _comparison(left, operators, others, algebra)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            if name in AGGREGATES:
                return algebra.aggregate(name, arguments[0] if arguments else None)
            if name == "matches":
                assert isinstance(arguments[1], ast.Constant)
                return algebra.matching(work_out(arguments[0], algebra), str(arguments[1].value))
            values = [work_out(each, algebra) for each in arguments]
            if name in FUNCTIONS:
                return algebra.function(name, values)
            named = {str(keyword.arg): work_out(keyword.value, algebra) for keyword in keywords}
            return algebra.model(name, values, named)
    raise AssertionError(ast.dump(node))


def _comparison(left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr], algebra: Algebra) -> Any:
    parts = []
    before = work_out(left, algebra)
    for operator, other in zip(operators, others):
        if isinstance(operator, (ast.In, ast.NotIn)):
            assert isinstance(other, ast.Tuple)
            found = algebra.among(before, [e.value for e in other.elts if isinstance(e, ast.Constant)])
            parts.append(found if isinstance(operator, ast.In) else algebra.opposite(found))
        else:
            after = work_out(other, algebra)
            parts.append(algebra.compare(_COMPARISONS[type(operator)], before, after))
            before = after
    return parts[0] if len(parts) == 1 else algebra.every(parts)


class PlainAlgebra:
    """Numbers, words and flags of Python; None is what is not known."""

    def __init__(self, values: Mapping[str, Any], rows: Sequence[Mapping[str, Any]] = ()) -> None:
        self._values = values
        self._rows = rows

    def constant(self, value: Any) -> Any:
        return value

    def name(self, name: str) -> Any:
        return self._values.get(name)

    def arithmetic(self, operator: str, one: Any, other: Any) -> Any:
        if one is None or other is None:
            return None
        match operator:
            case "+":
                return one + other
            case "-":
                return one - other
            case "*":
                return one * other
            case "/":
                return one / other if other else None
            case _:
                return one % other if other else None

    def compare(self, operator: str, one: Any, other: Any) -> bool | None:
        if one is None or other is None:
            return None
        match operator:
            case "<":
                return bool(one < other)
            case "<=":
                return bool(one <= other)
            case ">":
                return bool(one > other)
            case ">=":
                return bool(one >= other)
            case "==":
                return bool(one == other)
            case _:
                return bool(one != other)

    def among(self, value: Any, choices: Sequence[Any]) -> bool | None:
        return None if value is None else value in choices

    def every(self, parts: Sequence[Any]) -> bool | None:
        if any(part is False for part in parts):
            return False
        return None if any(part is None for part in parts) else True

    def some(self, parts: Sequence[Any]) -> bool | None:
        if any(part is True for part in parts):
            return True
        return None if any(part is None for part in parts) else False

    def opposite(self, value: Any) -> bool | None:
        return None if value is None else not value

    def chosen(self, condition: Any, then: Any, otherwise: Any) -> Any:
        return then if condition else otherwise

    def matching(self, value: Any, pattern: str) -> bool | None:
        return None if value is None else fnmatch.fnmatchcase(value, pattern)

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        match name:
            case "known":
                return all(argument is not None for argument in arguments)
            case "either":
                return next((argument for argument in arguments if argument is not None), None)
        if any(argument is None for argument in arguments):
            return None
        match name:
            case "min":
                return min(arguments)
            case "max":
                return max(arguments)
            case "abs":
                return abs(arguments[0])
            case "ceil":
                return math.ceil(arguments[0])
            case _:
                return math.floor(arguments[0])

    def model(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        from libremq.pipeline.models.loaded_models import known_models

        if any(argument is None for argument in [*arguments, *keywords.values()]):
            return None
        try:
            return known_models()[name].function(*arguments, **keywords)
        except ZeroDivisionError:
            return None

    def aggregate(self, name: str, argument: ast.expr | None) -> Any:
        if argument is None:
            days = {math.floor(row.get("day", index)) for index, row in enumerate(self._rows)}
            return len(self._rows) if name == "count" else len(days)
        worked = [work_out(argument, PlainAlgebra({**self._values, **row})) for row in self._rows]
        values = [value for value in worked if value is not None]
        if name == "count":
            return sum(1 for value in values if value)
        if not values:
            return None
        match name:
            case "sum":
                return sum(values)
            case "mean":
                return sum(values) / len(values)
            case "highest":
                return max(values)
            case "lowest":
                return min(values)
            case "share":
                return sum(1 for value in values if value) / len(values)
            case "first":
                return values[0]
            case "last":
                return values[-1]
            case "distinct":
                return len(set(values))
            case _:
                return self._slope(worked)

    def _slope(self, worked: Sequence[Any]) -> float | None:
        points = [
            (float(row.get("day", index)), value)
            for index, (row, value) in enumerate(zip(self._rows, worked))
            if value is not None
        ]
        if len(points) < 2:
            return None
        days = sum(day for day, _ in points) / len(points)
        values = sum(value for _, value in points) / len(points)
        over = sum((day - days) ** 2 for day, _ in points)
        return sum((day - days) * (value - values) for day, value in points) / over if over else None
