"""One question: its words, and what answers it.

An answer has up to four parts: findings of rules, figures worked out by models (expressions of the rules' language over
inputs, see `inputs`), rows of tables, and what is known without measuring. All of it is data; `problems` finds what
does not fit the rules, models, columns and inputs there are.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.questions.question_inputs import INPUTS
from libremq.pipeline.rules.expressions import ExpressionError, parse
from libremq.pipeline.rules.rule_catalogue import BY_ID, columns_of
from libremq.pipeline.rules.settings import SETTINGS


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure to work out."""

    label: str
    expression: str
    stated_unit: str = ""
    """Only where the expression is more than one call of a model, which has its own unit."""
    otherwise: str = "not known for such inputs"
    """What it means when all inputs are there and the model has no answer."""

    @property
    def unit(self) -> str:
        return self.stated_unit or self.unit_of_model

    @property
    def unit_of_model(self) -> str:
        """The unit of the one model it is a call of; nothing for other expressions."""
        tree = parse(self.expression).tree
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in known_models():
            return known_models()[tree.func.id].unit
        return ""

    @property
    def derived(self) -> bool:
        """Whether a model in it was computed from the source's figures and is not stated by it."""
        return any(known_models()[name].derived for name in parse(self.expression).models)

    @property
    def facts(self) -> tuple[str, ...]:
        """Where the fact files state its models."""
        return tuple(dict.fromkeys(known_models()[name].fact for name in parse(self.expression).models))


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a conformed table, those with the highest `order` first."""

    table: str
    columns: tuple[str, ...]
    """Names of columns, or `name = expression`. In groups a bare name is the sum."""
    order: str
    by: tuple[str, ...] = ()
    """The columns that make a group; without them each row stands for itself."""
    where: str = ""
    limit: int = 10

    def expressions(self) -> dict[str, str]:
        """What is shown, by name, the columns of the group first."""
        shown = {name: name for name in self.by}
        for column in self.columns:
            name, given, expression = column.partition("=")
            plain = f"sum({name.strip()})" if self.by else name.strip()
            shown[name.strip()] = expression.strip() if given else plain
        return shown


@dataclass(frozen=True, kw_only=True)
class Question:
    id: str
    text: str
    source: str
    """Where the fact files ask it: part and number, such as 1/Q-06."""
    lines: str
    """Lines of the source it rests on."""
    rules: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    rows: tuple[Rows, ...] = ()
    known: tuple[str, ...] = ()
    """What holds without measuring, or that no record tells, in our words."""

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names its figures use, in order of appearance."""
        return tuple(dict.fromkeys(name for figure in self.figures for name in parse(figure.expression).names))

    @cached_property
    def measured(self) -> tuple[str, ...]:
        """Those of its inputs that tables may tell."""
        return tuple(name for name in self.inputs if INPUTS[name].measured)

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """Facts of the site that its figures and rules use."""
        names = [*self.inputs, *(name for rule in self.rules for name in BY_ID[rule].needed)]
        return tuple(dict.fromkeys(name for name in names if name in SETTINGS))

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Conformed tables it reads, those its rules borrow from included."""
        names = [rows.table for rows in self.rows]
        names += [INPUTS[name].table for name in self.measured]
        names += [table for rule in self.rules for table in (BY_ID[rule].subject, *BY_ID[rule].other_subjects)]
        return tuple(name for name in dict.fromkeys(names) if not name.startswith("site"))

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Models that its figures call."""
        return tuple(dict.fromkeys(name for figure in self.figures for name in parse(figure.expression).models))


def problems(question: Question) -> list[str]:
    """What is wrong with a question's data; nothing, in a good one."""
    found = [f"no rule {rule}" for rule in question.rules if rule not in BY_ID]
    for figure in question.figures:
        try:
            found += _figure_problems(figure)
        except ExpressionError as error:
            found.append(str(error))
    for rows in question.rows:
        found += _rows_problems(rows)
    if not (question.rules or question.figures or question.rows or question.known):
        found.append("nothing answers it")
    labels = [figure.label for figure in question.figures]
    found += [f"two figures are called {label!r}" for label in set(labels) if labels.count(label) > 1]
    return found


def _figure_problems(figure: Figure) -> list[str]:
    parsed = parse(figure.expression)
    found = [f"{name} is not described in inputs" for name in parsed.names if name not in INPUTS]
    if not figure.unit:
        found.append(f"{figure.label!r} has no unit")
    if figure.unit_of_model and figure.stated_unit:
        found.append(f"{figure.label!r} has the unit of its model, {figure.unit_of_model}: state none")
    return found


def _rows_problems(rows: Rows) -> list[str]:
    columns = columns_of(rows.table)
    found = []
    for text in (*rows.expressions().values(), rows.order, rows.where or "0"):
        found += [f"{rows.table} has no column {name}" for name in parse(text).names if name not in columns]
    told = [text for name, text in rows.expressions().items() if name not in rows.by]
    if rows.by:
        found += [f"{text!r} is not the same in a group" for text in told if not parse(text).aggregates]
    elif any(parse(text).aggregates for text in (*told, rows.order)):
        found.append(f"an aggregate over {rows.table} without a group")
    return found
