"""One plan: what it must be told, the steps that work its answer out, and what to say with it.

Plans are data, as rules are. A step is an expression of the rules' language over inputs and earlier steps, with the
models by name; so each figure can be printed with its formula and the lines of the source it rests on. A step for which
an optional input is missing is left out and says what to give; only the answer must come out.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from libremq.pipeline.rules.expressions import ExpressionError, parse

Value = float | bool | str
Kind = Literal["number", "flag", "word", "address"]

NUMBER_MAX = 1e18
"""Nothing that is planned here is larger, and sums of it stay finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One thing a plan is told. The same name means the same in every plan, so that plans can share a file."""

    name: str
    unit: str
    meaning: str
    kind: Kind = "number"
    lowest: float = 0.0
    highest: float = NUMBER_MAX
    positive: bool = False
    """More than 0."""
    whole: bool = False
    choices: tuple[str, ...] = ()
    """The words that are understood; empty if any word is."""
    measured: str = ""
    """How to take it from a conformed table: `log: highest(log_mb_per_second)`."""
    default: Value | None = None
    optional: bool = False

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def required(self) -> bool:
        return self.default is None and not self.optional

    @property
    def table(self) -> str:
        return self.measured.partition(":")[0]

    @property
    def aggregate(self) -> str:
        return self.measured.partition(":")[2].strip()


@dataclass(frozen=True, slots=True)
class Step:
    """One figure on the way to the answer, or beside it."""

    name: str
    label: str
    expression: str
    unit: str
    nothing: str = "the source has no figure for these inputs"
    """What it means if all inputs are there and no figure comes out."""


@dataclass(frozen=True, slots=True)
class Margin:
    """The headroom that the source advises; `{name}` is filled in."""

    text: str
    fact: str
    lines: str


NO_MARGIN = Margin("The source states no margin for this: add what your site thinks right.", "", "")


@dataclass(frozen=True, slots=True)
class Watch:
    """Something to keep an eye on: always, or where an expression over inputs and steps holds."""

    text: str
    source: str
    """Fact and lines, such as `R-LOG-07 L621-L623`."""
    when: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    name: str
    title: str
    """The question, in a few words."""
    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    answer: str
    """The step that is the answer."""
    words: tuple[str, ...]
    """The answer in sentences; one whose figures are not all known is left out, except for the first."""
    margin: Margin = NO_MARGIN
    watch: tuple[Watch, ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()
    """Optional inputs of which one of these groups must be there."""
    example: str = ""
    """Arguments of a command line that works."""

    def input(self, name: str) -> Input | None:
        return next((each for each in self.inputs if each.name == name), None)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for step in self.steps for name in parse(step.expression).models))

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.table for each in self.inputs if each.measured))


def names_in(text: str) -> list[str]:
    """The names that a sentence wants filled in."""
    return [name for _, name, _, _ in string.Formatter().parse(text) if name]


def problems(plan: Plan) -> list[str]:
    """What is wrong with a plan's data; nothing, in a good one."""
    found: list[str] = []
    known = [each.name for each in plan.inputs]
    found += [f"input {name} twice" for name in set(known) if known.count(name) > 1]
    for step in plan.steps:
        try:
            names = parse(step.expression).names
        except ExpressionError as error:
            found.append(str(error))
            continue
        found += [
            f"step {step.name} uses {name}, which is no input or earlier step" for name in names if name not in known
        ]
        if step.name in known:
            found.append(f"step {step.name} has the name of something else")
        known.append(step.name)
    if plan.answer not in {step.name for step in plan.steps}:
        found.append(f"no step {plan.answer}")
    said = [*plan.words, plan.margin.text, *(each.text for each in plan.watch)]
    found += [f"words use {name}, which is not known" for text in said for name in names_in(text) if name not in known]
    for each in plan.watch:
        if each.when:
            found += [f"a watch uses {name}" for name in parse(each.when).names if name not in known]
    used = {name for step in plan.steps for name in parse(step.expression).names}
    used |= {name for text in said for name in names_in(text)}
    used |= {name for each in plan.watch if each.when for name in parse(each.when).names}
    found += [f"input {each.name} is not used" for each in plan.inputs if each.name not in used]
    for group in plan.needs:
        found += [f"needs {name}, which is no optional input" for name in group if not _is_optional(plan, name)]
    return found + _problems_of_inputs(plan.inputs)


def _is_optional(plan: Plan, name: str) -> bool:
    each = plan.input(name)
    return each is not None and each.optional


def _problems_of_inputs(inputs: Sequence[Input]) -> list[str]:
    from libremq.pipeline.rules.rule_catalogue import columns_of

    found: list[str] = []
    for each in inputs:
        if each.default is not None and each.optional:
            found.append(f"{each.name} is optional and has a default")
        if each.choices and each.default is not None and each.default not in each.choices:
            found.append(f"{each.name}: the default is no choice")
        if each.measured:
            parsed = parse(each.aggregate)
            if not parsed.aggregates:
                found.append(f"{each.name} is measured without an aggregate")
            columns = columns_of(each.table)
            found += [f"{each.table} has no column {name}" for name in parsed.names if name not in columns]
    return found


def filled_in(text: str, told: Mapping[str, str]) -> str:
    """A sentence with its figures."""
    return string.Formatter().vformat(text, (), told)
