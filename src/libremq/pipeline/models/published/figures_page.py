"""The page that sets our figures beside the source's: `python -m libremq.pipeline.models.published.figures_page`.

It goes to docs/pipeline/models.md. Made from the fixtures, each of which is also a test: what the page says holds, or
the tests fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.models.published.fixture import Fixture
from libremq.pipeline.models.published.fixtures_part1 import FIXTURES_PART_1
from libremq.pipeline.models.published.fixtures_part2 import FIXTURES_PART_2
from libremq.pipeline.models.published.fixtures_part3 import FIXTURES_PART_3
from libremq.pipeline.models.registry import Model

FIXTURES: tuple[Fixture, ...] = (*FIXTURES_PART_1, *FIXTURES_PART_2, *FIXTURES_PART_3)

_NOTABLE = 0.05
_HEADING = (
    "| Model | Inputs | Source | Ours | Unit | Difference | Allowed | Fact | Lines |",
    "|---|---|---:|---:|---|---:|---:|---|---|",
)


def models_page() -> str:
    """The whole page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    derived = sum(model.derived for model in known_models().values())
    with_figures = len({fixture.model for fixture in FIXTURES})
    yield "# Models and the figures of the source"
    yield ""
    yield "<!-- Made from the data: python -m libremq.pipeline.models.published.figures_page"
    yield "     > docs/pipeline/models.md -->"
    yield ""
    yield (
        f"{len(known_models())} models, {len(FIXTURES)} figures of the source that {with_figures} of them give back."
        f" `L1234` is the line of the source, `R-...` and `T-...` the fact. {derived} models are **derived**: computed"
        " from the source's figures (a line between two points, a constant found from a table), not stated by it. A"
        " figure marked *derived* was worked out from others of the source."
    )
    yield ""
    yield (
        "The difference is ours less the source's, as a share of the source's. *Allowed* is what the test lets pass:"
        " the rounding of the source, or what was found when the model was checked. Figures which the source's own"
        " arithmetic contradicts are left out, or stand corrected with a note. The other models are plain ratios,"
        " counts and stated factors, of which the source prints no example; they are listed under each subject."
    )
    yield ""
    yield "| Subject | Models | With figures | Figures | Largest difference |"
    yield "|---|---:|---:|---:|---:|"
    for subject in _subjects():
        own, figures = _models_of(subject), _figures_of(subject)
        count = len({fixture.model for fixture in figures})
        link = f"[{_words(subject)}](#{_words(subject).replace(' ', '-')})"
        yield f"| {link} | {len(own)} | {count} | {len(figures)} | {_largest(figures)} |"
    yield ""
    yield f"## Where we differ by more than {_NOTABLE:.0%}"
    yield ""
    yield (
        "All within what is allowed: the source rounds, measured again under other conditions, or the model is one line"
        " through several points."
    )
    yield ""
    yield from _HEADING
    notable = [
        fixture for fixture in FIXTURES if fixture.relation == "equal" and abs(fixture.difference or 0) > _NOTABLE
    ]
    yield from map(_row, sorted(notable, key=lambda fixture: _place(known_models()[fixture.model])))
    for subject in _subjects():
        yield from _subject(subject)


def _subject(subject: str) -> Iterator[str]:
    models, figures = _models_of(subject), _figures_of(subject)
    yield ""
    yield f"## {_words(subject)}"
    if figures:
        yield ""
        yield f"<details><summary>{len(figures)} figures</summary>"
        yield ""
        yield from _HEADING
        yield from (_row(fixture) for model in models for fixture in figures if fixture.model == model.name)
        yield ""
        yield "</details>"
    known = {fixture.model for fixture in figures}
    others = [model for model in models if model.name not in known]
    if others:
        yield ""
        yield f"Without a figure to compare with: {', '.join(map(_named, others))}."


def _row(fixture: Fixture) -> str:
    model = known_models()[fixture.model]
    inputs = ", ".join(f"{name} {_number(value)}" for name, value in fixture.inputs.items())
    relation = "" if fixture.relation == "equal" else f"{fixture.relation} "
    source = f"{relation}{_number(fixture.source)}" + (" *derived*" if fixture.derived else "")
    if fixture.note:
        source += f" ({fixture.note})"
    name = f"`{model.name}`" + (" **derived**" if model.derived else "")
    cells = (name, inputs, source, _number(fixture.ours), model.unit, _difference(fixture), _allowed(fixture))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (*cells, model.fact, fixture.lines)) + " |"


def _subjects() -> list[str]:
    """In the order in which the source comes to them."""
    subjects = {model.subject for model in known_models().values()}
    return sorted(subjects, key=lambda subject: (_place(_models_of(subject)[0]), subject))


def _models_of(subject: str) -> list[Model]:
    of_subject = (model for model in known_models().values() if model.subject == subject)
    return sorted(of_subject, key=lambda each: (_place(each), each.name))


def _figures_of(subject: str) -> list[Fixture]:
    return [fixture for fixture in FIXTURES if known_models()[fixture.model].subject == subject]


def _place(model: Model) -> int:
    found = re.search(r"L(\d+)", model.lines)
    assert found is not None, model.name
    return int(found.group(1))


def _named(model: Model) -> str:
    return f"`{model.name}` ({'derived, ' if model.derived else ''}{model.fact}, {model.lines})"


def _words(subject: str) -> str:
    return subject.replace("_", " ")


def _number(value: Any) -> str:
    """A figure that prints the same wherever it was computed: six digits, or as many as it has before the point."""
    if value is None or isinstance(value, str):
        return value or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if abs(value - round(value)) < 1e-9 * max(1.0, abs(value)):
        return f"{round(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1e5 else f"{value:.6g}"


def _share(value: float) -> str:
    """A share in percent; what rounds to nothing is nothing."""
    text = f"{100 * value:+.2f} %"
    return "0" if text in ("+0.00 %", "-0.00 %") else text


def _difference(fixture: Fixture) -> str:
    if fixture.relation != "equal":
        return "holds" if fixture.agrees(fixture.ours) else "FAILS"
    if fixture.difference is None:
        return "0" if fixture.agrees(fixture.ours) else "FAILS"
    return _share(fixture.difference)


def _allowed(fixture: Fixture) -> str:
    parts = [f"{100 * fixture.tolerance:.4g} %"] if fixture.tolerance else []
    parts += [f"{fixture.within:.4g} {known_models()[fixture.model].unit}"] if fixture.within else []
    return " or ".join(parts) or "0"


def _largest(figures: Sequence[Fixture]) -> str:
    shares = [fixture.difference or 0.0 for fixture in figures if fixture.relation == "equal"]
    return _share(max(shares, key=abs)) if shares else "-"


if __name__ == "__main__":
    print(models_page(), end="")
