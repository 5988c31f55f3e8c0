"""An answer: figures, findings and rows, with what was lacking, as data that JSON can hold.

How it reads in a terminal is in `text`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from libremq.pipeline.questions.question import Figure, Question, Rows
from libremq.pipeline.questions.question_inputs import INPUTS


@dataclass(frozen=True, slots=True)
class Used:
    """A value that a figure was worked out from."""

    value: Any
    origin: str
    """`given`, `site`, or the table that told it."""


@dataclass(frozen=True, slots=True)
class WorkedOut:
    """One figure, or why there is none."""

    figure: Figure
    value: Any
    inputs: Mapping[str, Used]
    missing: tuple[str, ...] = ()
    """Inputs that nobody gave and no table told."""
    extrapolated: tuple[str, ...] = ()
    """Models used beyond what was measured, in words."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a table held when inputs were taken from it."""

    rows: int
    queue_managers: int
    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules of the question said."""

    findings: tuple[Mapping[str, Any], ...] = ()
    """The latest of each rule and object, worst first, with the number of `times` and the `first` of them."""
    evaluated: tuple[str, ...] = ()
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Rules that were not evaluated, with what they lacked; nothing where their table has no rows."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Rows of one table."""

    asked: Rows
    there: bool
    """Whether the table was there, with the columns asked for."""
    rows: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    question: Question
    figures: tuple[WorkedOut, ...] = ()
    judgement: Judgement = Judgement()
    shown: tuple[Shown, ...] = ()
    measured: Mapping[str, Measured] = field(default_factory=dict)
    """By table."""
    with_tables: bool = False
    """Whether there were any tables at all."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Inputs to give for the figures that could not be worked out."""
        return tuple(dict.fromkeys(name for figure in self.figures for name in figure.missing))

    def as_text(self) -> str:
        """The answer for a terminal."""
        from libremq.pipeline.questions.question_text import answer_text

        return answer_text(self)

    def as_dict(self) -> dict[str, Any]:
        """The answer for JSON: times as ISO text, numbers as numbers."""
        content: dict[str, Any] = {
            "question": self.question.id,
            "text": self.question.text,
            "source": self.question.source,
            "lines": self.question.lines,
            "known": list(self.question.known),
            "figures": [_figure(each) for each in self.figures],
            "missing": [
                {"name": name, "unit": INPUTS[name].unit, "meaning": INPUTS[name].meaning} for name in self.missing
            ],
            "findings": [dict(found) for found in self.judgement.findings],
            "evaluated": list(self.judgement.evaluated),
            "not_evaluated": {rule: list(lacks) for rule, lacks in self.judgement.lacking.items()},
            "tables": [
                {"table": each.asked.table, "there": each.there, "rows": [dict(row) for row in each.rows]}
                for each in self.shown
            ],
            "measured": {
                table: {"rows": m.rows, "queue_managers": m.queue_managers, "start": m.start, "end": m.end}
                for table, m in self.measured.items()
            },
        }
        made: dict[str, Any] = plain(content)
        return made


def _figure(worked: WorkedOut) -> dict[str, Any]:
    return {
        "label": worked.figure.label,
        "value": worked.value,
        "unit": worked.figure.unit,
        "expression": worked.figure.expression,
        "facts": worked.figure.facts,
        "derived": worked.figure.derived,
        "inputs": {
            name: {"value": used.value, "unit": INPUTS[name].unit, "origin": used.origin}
            for name, used in worked.inputs.items()
        },
        "missing": worked.missing,
        "extrapolated": list(worked.extrapolated),
    }


def plain(value: Any) -> Any:
    """The same as JSON has it; a number that is none (infinite, not a number) is null."""
    match value:
        case dict():
            return {str(name): plain(each) for name, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
        case datetime() | date():
            return value.isoformat()
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case float() if not math.isfinite(value):
            return None
        case bytes() | bytearray():
            return value.hex()
    return value
