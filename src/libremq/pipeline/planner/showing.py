"""A worked-out plan for people and for programs. The answer comes first, then all that it rests on."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.planner.formula import formula_of
from libremq.pipeline.planner.plan import Margin, filled_in, names_in
from libremq.pipeline.planner.working import Figure, Known, Worked

WIDTH = 110
_NUMBERED = ("level", "release", "pool")
"""Units of numbers that count nothing."""


def number_shown(value: float) -> str:
    """A number as people write it: whole ones with commas, others to four figures."""
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def told(value: Any, unit: str) -> str:
    """A value with its unit; long times and large sizes also in a handier one."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if unit in _NUMBERED:
        return f"{value:.0f}"
    return " ".join(part for part in (number_shown(value), _of(value, unit)) if part) + _handier(value, unit)


def _of(value: float, unit: str) -> str:
    """The unit as it is said of so many: one page, two pages."""
    if value != 1 or len(unit) <= 2 or "/" in unit or not unit.endswith("s"):
        return unit
    return f"{unit[:-3]}y" if unit.endswith("ies") else unit[: -2 if unit.endswith("sses") else -1]


def _handier(value: float, unit: str) -> str:
    size = abs(value)
    if unit in ("seconds", "CPU seconds") and size >= 120:
        hours = unit == "seconds" and size >= 7200
        return f" ({number_shown(value / 3600)} hours)" if hours else f" ({number_shown(value / 60)} minutes)"
    if unit in ("us", "CPU us", "CF CPU us") and size >= 100_000:
        return f" ({number_shown(value / 1_000_000)} seconds)"
    steps = {"bytes": 0, "KB": 1, "MB": 2}
    if unit in steps:
        power = steps[unit]
        while size >= 10 * 1024 and power < 3:
            size /= 1024
            power += 1
        if power > steps[unit]:
            return f" ({number_shown(size if value >= 0 else -size)} {('bytes', 'KB', 'MB', 'GB')[power]})"
    return ""


# For people


def as_text(worked: Worked) -> str:
    """The answer for a terminal."""
    return "\n".join(_lines(worked)) + "\n"


def answer_in_words(worked: Worked) -> str:
    """The sentences of the answer that can be said."""
    values = worked.values
    first, *others = worked.plan.words
    said = [first, *(text for text in others if all(values.get(name) is not None for name in names_in(text)))]
    return " ".join(_filled(worked, text) for text in said)


def _filled(worked: Worked, text: str) -> str:
    units = {each.input.name: each.input.unit for each in worked.known}
    units |= {figure.step.name: figure.step.unit for figure in worked.figures}
    beyond = {figure.step.name for figure in worked.figures if figure.extrapolated}
    words = {name: told(worked.values.get(name), units.get(name, "")) for name in names_in(text)}
    return filled_in(text, {name: f"{each}, extrapolated," if name in beyond else each for name, each in words.items()})


def _lines(worked: Worked) -> Iterator[str]:
    plan = worked.plan
    yield f"{plan.title} (plan {plan.name})"
    yield ""
    yield from textwrap.wrap(answer_in_words(worked), WIDTH)
    yield ""
    yield "Inputs"
    rows = [(each.input.name, _given(each), each.origin, each.input.meaning) for each in worked.known]
    yield from ("  " + line for line in _table(rows))
    yield ""
    yield "How it was worked out"
    for number, figure in enumerate((each for each in worked.figures if each.value is not None), start=1):
        yield from _step(number, figure)
    left = [figure for figure in worked.figures if figure.value is None]
    if left:
        yield ""
        yield "Not worked out"
        for figure in left:
            groups = [" or ".join("--" + name.replace("_", "-") for name in group) for group in figure.missing]
            reason = f"give {', '.join(groups)}" if groups else figure.step.nothing
            yield from _wrapped(f"{figure.step.label}: {reason}", "  - ")
    yield ""
    yield "Margin"
    yield from _wrapped(_margin(worked, plan.margin), "  ")
    if worked.watch:
        yield ""
        yield "Watch"
        for each in worked.watch:
            yield from _wrapped(f"{_filled(worked, each.text)} [{each.source}]", "  - ")


def _given(each: Known) -> str:
    """The value of an input; an address as messages print it."""
    return f"{int(each.value):012X}" if each.input.kind == "address" else told(each.value, each.input.unit)


def _margin(worked: Worked, margin: Margin) -> str:
    source = f" [{margin.fact} {margin.lines}]" if margin.fact else ""
    return _filled(worked, margin.text) + source


def _step(number: int, figure: Figure) -> Iterator[str]:
    step = figure.step
    yield from _wrapped(f"{number}. {step.label}: {told(figure.value, step.unit)}", "  ")
    for remark in figure.extrapolated:
        yield from _wrapped(remark, "       ")
    yield from _wrapped(f"{step.name} = {step.expression}", "       ")
    for name in figure.models:
        model = known_models()[name]
        derived = " (derived)" if model.derived else ""
        yield from _wrapped(f"[{model.fact} {model.lines}]{derived} {formula_of(name).as_text()}", "         ")


def _wrapped(text: str, indent: str) -> list[str]:
    further = " " * len(indent) + ("" if indent.endswith("- ") else "  ")
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    if not rows:
        return ["(none)"]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


# For programs


def as_dict(worked: Worked) -> dict[str, Any]:
    """The same for JSON."""
    plan = worked.plan
    return {
        "plan": plan.name,
        "title": plan.title,
        "answer": {
            "name": plan.answer,
            "value": worked.answer.value,
            "unit": worked.answer.step.unit,
            "text": answer_in_words(worked),
        },
        "inputs": [
            {
                "name": each.input.name,
                "value": each.value,
                "unit": each.input.unit,
                "meaning": each.input.meaning,
                "from": each.origin,
            }
            for each in worked.known
        ],
        "steps": [_step_as_dict(figure) for figure in worked.figures],
        "margin": {
            "text": _filled(worked, plan.margin.text),
            "fact": plan.margin.fact,
            "lines": plan.margin.lines,
        },
        "watch": [{"text": _filled(worked, each.text), "source": each.source} for each in worked.watch],
    }


def _step_as_dict(figure: Figure) -> dict[str, Any]:
    models = [known_models()[name] for name in figure.models]
    return {
        "name": figure.step.name,
        "label": figure.step.label,
        "value": figure.value,
        "unit": figure.step.unit,
        "expression": figure.step.expression,
        "derived": any(model.derived for model in models),
        "models": [
            {
                "name": model.name,
                "fact": model.fact,
                "lines": model.lines,
                "derived": model.derived,
                "formula": formula_of(model.name).as_text(),
            }
            for model in models
        ],
        "extrapolated": list(figure.extrapolated),
        "missing": [" or ".join(group) for group in figure.missing],
    }


def as_json(worked: Worked) -> str:
    return json.dumps(as_dict(worked), indent=2) + "\n"
