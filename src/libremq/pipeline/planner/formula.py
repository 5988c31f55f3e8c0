"""The formula of a model as text, taken from the model itself, so that what is printed is what was computed."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from libremq.pipeline.models.loaded_models import known_models

_WORDS = {"larger": "max", "smaller": "min", "rounded_up": "ceil", "rounded_down": "floor"}
TABLE_SHOWN_MAX = 8
"""Entries of a table that are printed; of a longer one the lines of the source must do."""


@dataclass(frozen=True, slots=True)
class Formula:
    signature: str
    """The name with its parameters, and what those are unless told."""
    lines: tuple[str, ...]
    """The last one is the result."""
    constants: Mapping[str, str]
    parts: tuple[Formula, ...] = ()
    """Of other models and of functions of its module that it calls."""

    def as_text(self) -> str:
        """The result, and after it what the names in it stand for."""
        *before, result = self.lines
        named = list(before)
        constants = dict(self.constants)
        for part in self._all_parts():
            *inner, own = part.lines
            named += [f"{part.signature} = {own}", *inner]
            constants |= part.constants
        named += [f"{name} = {value}" for name, value in constants.items()]
        text = f"{self.signature} = {result}" + (f", where {'; '.join(dict.fromkeys(named))}" if named else "")
        return re.sub(r"\b_(?=[a-z])", "", text)  # that a function is private is no news to the reader

    def _all_parts(self) -> Iterator[Formula]:
        for part in self.parts:
            yield part
            yield from part._all_parts()


@cache
def formula_of(model: str) -> Formula:
    """The formula of the model of that name."""
    return _formula(model, inspect.unwrap(known_models()[model].function))


def _formula(name: str, function: Callable[..., Any]) -> Formula:
    parameters = [
        each.name if each.default is each.empty else f"{each.name}={_shown(each.default)}"
        for each in inspect.signature(function).parameters.values()
    ]
    signature = f"{name}({', '.join(parameters)})"
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except OSError:  # installed without its source
        return Formula(signature, ("(its source is not installed)",), {})
    assert isinstance(tree, ast.FunctionDef)
    body = [statement for statement in tree.body if not _is_docstring(statement)]
    names = dict.fromkeys(node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name))
    around = {each: function.__globals__[each] for each in names if each in function.__globals__}
    constants = {each: _shown(value) for each, value in around.items() if _is_constant(value)}
    called = {each: value for each, value in around.items() if inspect.isfunction(value) and _is_part(each)}
    parts = [_formula(each, value) for each, value in called.items()]
    lines = tuple(_line(_Plain().visit(statement)) for statement in body)
    return Formula(signature, lines, constants, tuple(parts))


class _Plain(ast.NodeTransformer):
    """Our words for arithmetic on numbers and columns alike, back into those that everyone reads."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        match node.func.id, node.args:
            case "ratio", [part, whole]:
                return ast.BinOp(part, ast.Div(), whole)
            case (("chosen" | "worded"), [condition, then, otherwise]):
                return ast.IfExp(condition, then, otherwise)
            case "scaled", [value, factor]:
                return ast.BinOp(value, ast.Mult(), factor)
            case name, _ if name in _WORDS:
                node.func = ast.Name(_WORDS[name], ast.Load())
        return node


def _line(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Return) and statement.value is not None:
        return ast.unparse(statement.value)
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return f"{ast.unparse(statement.target)} = {ast.unparse(statement.value)}"
    return " ".join(ast.unparse(statement).split())


def _is_part(name: str) -> bool:
    """Is it for us to explain: another model, or a function of a model's own module?"""
    return name.startswith("_") or name in known_models()


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_constant(value: Any) -> bool:
    return isinstance(value, (int, float, dict, tuple)) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (dict, tuple)) and (len(value) > TABLE_SHOWN_MAX or _is_deep(value)):
        return "a table of the source"
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_shown(each)}' for key, each in value.items())}}}"
    return repr(value)


def _is_deep(value: dict[Any, Any] | tuple[Any, ...]) -> bool:
    """Has it tables in its tables?"""
    inside = value.values() if isinstance(value, dict) else value
    return any(isinstance(part, tuple) and any(isinstance(each, tuple) for each in part) for part in inside)
