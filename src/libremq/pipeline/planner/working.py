"""Work a plan out: settle where each input comes from, then take the steps one after the other."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libremq.pipeline.planner.plan import Input, Plan, Step, Value, Watch
from libremq.pipeline.planner.reading import PlanError
from libremq.pipeline.rules import expressions
from libremq.pipeline.rules.expressions import parse
from libremq.pipeline.rules.measured_ranges import extrapolations

Missing = tuple[tuple[str, ...], ...]
"""Inputs that are missing: of each group one is needed."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where values come from, in words, and the values by the name of their input."""

    origin: str
    values: Mapping[str, Value]
    origins: Mapping[str, str] = field(default_factory=dict)
    """More words for single values."""


@dataclass(frozen=True, slots=True)
class Known:
    """The value of an input, and where it came from."""

    input: Input
    value: Value
    origin: str


@dataclass(frozen=True, slots=True)
class Figure:
    """What a step came to: a value with the models it rests on, or None with the inputs that were missing for it."""

    step: Step
    value: Any
    models: tuple[str, ...] = ()
    missing: Missing = ()
    extrapolated: tuple[str, ...] = ()
    """Models used beyond what was measured, in words."""


@dataclass(frozen=True, slots=True)
class Worked:
    """A plan that was worked out."""

    plan: Plan
    known: tuple[Known, ...]
    figures: tuple[Figure, ...]
    watch: tuple[Watch, ...]
    """Those that hold."""

    @property
    def values(self) -> dict[str, Any]:
        """Inputs and figures by name; what is not known is None."""
        inputs: dict[str, Any] = {each.input.name: each.value for each in self.known}
        return inputs | {figure.step.name: figure.value for figure in self.figures}

    @property
    def answer(self) -> Figure:
        return next(figure for figure in self.figures if figure.step.name == self.plan.answer)


def work_out(plan: Plan, *sources: Source) -> Worked:
    """Work out a plan from its sources, the first going before the others; defaults come last.

    PlanError if something is missing or the answer cannot be worked out.
    """
    known = _settled(plan, sources)
    _check(plan, {each.input.name for each in known})
    values: dict[str, Any] = {each.input.name: each.value for each in known}
    lacking: dict[str, Missing] = {}
    figures: list[Figure] = []
    for step in plan.steps:
        figure = _figure(step, values, lacking)
        figures.append(figure)
        values[step.name] = figure.value
        lacking[step.name] = figure.missing
    watch = tuple(each for each in plan.watch if not each.when or parse(each.when).on(values))
    worked = Worked(plan, known, tuple(figures), watch)
    answer = worked.answer
    if answer.value is None:
        lacks = ", ".join(" or ".join(group) for group in answer.missing)
        raise PlanError(f"plan {plan.name} has no answer: {f'it lacks {lacks}' if lacks else answer.step.nothing}")
    return worked


def not_asked(plan: Plan, known: Collection[str]) -> set[str]:
    """Inputs that nobody has to look for, as what is known stands for them.

    Where a plan takes either of two groups of inputs and one is given, a later source must not bring in the other: who
    gives a message size and a rate wants that planned, not the log rate which the tables tell.
    """
    chosen = [set(group) for group in plan.needs if set(group) <= set(known)]
    if not chosen:
        return set()
    return {name for group in plan.needs for name in group} - set().union(*chosen)


def _settled(plan: Plan, sources: Sequence[Source]) -> tuple[Known, ...]:
    found: dict[str, tuple[Value, str]] = {}
    for source in sources:
        known = {*found, *not_asked(plan, found)}
        for name in source.values.keys() - known:
            found[name] = (source.values[name], source.origins.get(name, source.origin))
    settled = []
    for each in plan.inputs:
        if each.name in found:
            settled.append(Known(each, *found[each.name]))
        elif each.default is not None:
            settled.append(Known(each, each.default, "default"))
    return tuple(settled)


def _check(plan: Plan, known: set[str]) -> None:
    missing = [each for each in plan.inputs if each.required and each.name not in known]
    wanted = [f"{each.option} ({', '.join(filter(None, (each.meaning, each.unit)))})" for each in missing]
    if plan.needs and not any(known.issuperset(group) for group in plan.needs):
        options = {each.name: each.option for each in plan.inputs}
        wanted.append(", or ".join(" and ".join(options[name] for name in group) for group in plan.needs))
        missing += [each for each in plan.inputs if any(each.name in group for group in plan.needs)]
    if wanted:
        tables = dict.fromkeys(each.table for each in missing if each.measured and each.name not in known)
        measure = f"; --tables would measure some of it, in table {', '.join(tables)}" if tables else ""
        raise PlanError(f"plan {plan.name} needs {'; '.join(wanted)}{measure}")


def _figure(step: Step, values: Mapping[str, Any], lacking: Mapping[str, Missing]) -> Figure:
    expression = parse(step.expression)
    try:
        value = expression.on(values)
        models = tuple(dict.fromkeys(_models_taken(expression.tree, values)))
    except (OverflowError, ValueError) as error:
        raise PlanError(f"{step.label} ({step.name}) cannot be worked out from such numbers") from error
    if value is not None:
        return Figure(step, value, models, extrapolated=extrapolations(expression.tree, values))
    missing: dict[tuple[str, ...], None] = {}
    alternatives: list[str] = []
    for name in expression.names:
        if values.get(name) is not None:
            continue
        if name in lacking:
            missing |= dict.fromkeys(lacking[name])
        elif name in expression.optional:
            alternatives.append(name)
        else:
            missing[name,] = None
    if alternatives:
        missing[tuple(alternatives)] = None
    return Figure(step, None, missing=tuple(missing))


def _models_taken(node: ast.expr, values: Mapping[str, Any]) -> Iterator[str]:
    """Models that the value rests on: not those of the branch that was not taken."""
    algebra = expressions.PlainAlgebra(values)
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield from _models_taken(test, values)
            yield from _models_taken(body if expressions.work_out(test, algebra) else orelse, values)
        case ast.Call(func=ast.Name(id="either"), args=choices):
            for choice in choices:
                if expressions.work_out(choice, algebra) is not None:
                    yield from _models_taken(choice, values)
                    return
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords):
            if name not in expressions.FUNCTIONS:
                yield name
            for argument in (*arguments, *(keyword.value for keyword in keywords)):
                yield from _models_taken(argument, values)
        case _:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from _models_taken(child, values)
