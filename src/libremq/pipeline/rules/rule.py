"""One rule: what it looks at, when it speaks, what it says, and the two cases that prove it.

A rule is data. Its condition, its figure (`value`) and its limit (`threshold`) are expressions of the language in
`expressions`; its advice is a text with such expressions in braces. What it needs follows from these texts: columns of
its subject, columns of another subject (dotted), or facts of the site that no record carries (see `settings`).
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from libremq.pipeline.rules.expressions import Expression, parse

Severity = Literal["info", "warning", "severe"]
SEVERITIES: tuple[Severity, ...] = ("severe", "warning", "info")

Row = Mapping[str, Any]
Case = Row | tuple[Row, ...]
"""Inputs by name; for a rule over several rows, those rows in order of time."""

OVER = ("", "interval", "day", "queue manager", "object", "object and day")
"""Which rows a condition sees at once: one, or all of a queue manager's interval, day, life, or of one object."""

_OWN = ("value", "threshold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    id: str
    subject: str
    severity: Severity
    when: str
    """The condition; may name `value` and `threshold`."""
    advice: str
    fact: str
    """Where the fact files state it, such as R-BP-06; `own` for what we add ourselves."""
    lines: str
    """Lines of the source, such as L1071; `own` likewise."""
    fires: Case
    quiet: Case
    value: str = ""
    threshold: float | str | None = None
    """A number that a site may change, or an expression."""
    over: str = ""
    derived: bool = False
    """Computed from the source's figures, not stated by it."""

    def expressions(self) -> dict[str, Expression]:
        """Condition, value and threshold, as far as the rule has them."""
        texts = {"when": self.when, "value": self.value, "threshold": self._threshold_text()}
        return {name: parse(text) for name, text in texts.items() if text}

    def _threshold_text(self) -> str:
        return "" if self.threshold is None else str(self.threshold)

    @property
    def inputs(self) -> tuple[str, ...]:
        """All names its condition, value and threshold use, in order of appearance."""
        found = [name for expression in self.expressions().values() for name in expression.names]
        return tuple(dict.fromkeys(name for name in found if name not in _OWN))

    @property
    def needed(self) -> tuple[str, ...]:
        """The inputs without which it cannot be evaluated; the others may be unknown."""
        needed = {
            name
            for expression in self.expressions().values()
            for name in expression.names
            if name not in expression.optional
        }
        return tuple(name for name in self.inputs if name in needed)

    @property
    def told(self) -> tuple[str, ...]:
        """Names that only the advice uses: the advice says `unknown` where one is missing."""
        found = [name for piece in pieces(self.advice) if piece.expression for name in piece.expression.names]
        return tuple(dict.fromkeys(name for name in found if name not in (*_OWN, *self.inputs)))

    @property
    def weighed(self) -> tuple[str, ...]:
        """Names that only tell whether there is enough to judge, or whether the row contradicts the rule."""
        from libremq.pipeline.rules.demands import contrary_of, count_of, time_of

        weighing = (time_of(self), count_of(self), contrary_of(self))
        found = [name for expression in weighing if expression for name in expression.names]
        return tuple(dict.fromkeys(name for name in found if name not in (*_OWN, *self.inputs, *self.told)))

    @property
    def other_subjects(self) -> tuple[str, ...]:
        """Subjects whose columns it borrows."""
        return tuple(dict.fromkeys(n.split(".")[0] for n in (*self.inputs, *self.told) if "." in n))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of one case."""

    fires: bool | None
    """None: not known, an input is missing, or there is too little to judge."""
    value: Any
    threshold: Any
    advice: str
    too_little: bool = False
    contradicted: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, or an expression and how to print it."""

    text: str
    expression: Expression | None = None
    form: str = ""


@cache
def pieces(advice: str) -> tuple[Piece, ...]:
    """An advice text taken apart. Forms are `.1f` and `,.0f`; none is for words."""
    parts: list[Piece] = []
    for text, field, form, _ in string.Formatter().parse(advice):
        if text:
            parts.append(Piece(text))
        if field is not None:
            assert form in ("", None) or form.lstrip(",").startswith("."), advice
            parts.append(Piece("", parse(field), form or ""))
    return tuple(parts)


def judge(rule: Rule, case: Case, threshold: float | None = None) -> Verdict:
    """Evaluate a rule on plain values; `threshold` is the site's own, in place of the rule's."""
    from libremq.pipeline.rules.demands import contrary_of, count_of, time_of

    rows: Sequence[Row] = case if isinstance(case, tuple) else (case,)
    values: dict[str, Any] = dict(rows[0])
    expressions = rule.expressions()
    for name in ("threshold", "value"):
        if name in expressions:
            values[name] = expressions[name].on(values, rows)
        if name == "threshold" and threshold is not None:
            values[name] = threshold
    fires = expressions["when"].on(values, rows)
    advice = "".join(piece.text or _printed(piece, values, rows) for piece in pieces(rule.advice))
    time, count, contrary = time_of(rule), count_of(rule), contrary_of(rule)
    too_little = time is not None and not time.on(values, rows)
    too_little |= fires is not False and count is not None and not count.on(values, rows)
    contradicted = fires is True and contrary is not None and contrary.on(values, rows) is True
    if too_little:
        fires = None
    elif contradicted:
        fires = False
    return Verdict(fires, values.get("value"), values.get("threshold"), advice, too_little, contradicted)


def _printed(piece: Piece, values: Row, rows: Sequence[Row]) -> str:
    assert piece.expression is not None
    value = piece.expression.on(values, rows)
    return "unknown" if value is None else format(value, piece.form)
