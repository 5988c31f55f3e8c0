"""An answer as people read it in a terminal: what is known, figures, findings, tables, and what to give for more."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from libremq.pipeline.plain_text import shown
from libremq.pipeline.questions.answer import Answer, Measured, Shown, Used, WorkedOut
from libremq.pipeline.questions.question import Question, Rows
from libremq.pipeline.questions.question_inputs import INPUTS
from libremq.pipeline.rules.settings import SETTINGS
from libremq.pipeline.rules.site_facts import Value

WIDTH = 100
_LABEL = 46
_HEADER = 14
_CELL = 32
_MADE_BY_TABLES = ("table ", "column ", "value ")


def answer_text(answer: Answer) -> str:
    """The whole answer."""
    asked = answer.question
    blocks = [
        [asked.text, f"({asked.id}; source {asked.source}, {asked.lines})"],
        [line for text in asked.known for line in _wrapped(text, "")],
        list(_figures(answer)),
        list(_findings(answer)),
        *(list(_table(part, answer.with_tables)) for part in answer.shown),
        list(_lacking(answer)),
        list(_to_give(answer)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def command_line(asked: Question, values: Mapping[str, Value] | None = None) -> str:
    """How to ask it, with the inputs given; without any, with the examples."""
    told = values if values is not None else {name: INPUTS[name].example for name in asked.inputs}
    words = [f"{name}={_argument(value)}" for name, value in told.items()]
    return " ".join(["libremq pipeline ask", asked.id, *(f"'{word}'" if " " in word else word for word in words)])


def _argument(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _figures(answer: Answer) -> Iterator[str]:
    worked = [figure for figure in answer.figures if not figure.missing]
    if worked:
        yield "Figures"
    for figure in worked:
        yield from _figure_lines(figure)
    used: dict[str, Used] = {name: each for figure in worked for name, each in figure.inputs.items()}
    if used:
        yield "Worked out from"
        for name, each in used.items():
            described = INPUTS[name]
            origin = {"given": "given", "site": "fact of the site"}.get(each.origin, f"measured, {each.origin}")
            left = f"  {name} = {figure_text(each.value, _unit(name))}"
            yield f"{left.ljust(_LABEL)}  {described.meaning} ({origin})"
    for table, measured in answer.measured.items():
        yield f"  {_held(table, measured)}"


def _figure_lines(figure: WorkedOut) -> Iterator[str]:
    facts = ", ".join(figure.figure.facts)
    source = f"[{facts}{', derived' if figure.figure.derived else ''}]" if facts else ""
    value = figure.figure.otherwise if figure.value is None else figure_text(figure.value, figure.figure.unit)
    yield f"  {figure.figure.label.ljust(_LABEL)}  {value.ljust(28)}  {source}".rstrip()
    for remark in figure.extrapolated:
        yield f"    {remark}"


def _held(table: str, measured: Measured) -> str:
    if not measured.rows:
        return f"Table {table} has no rows for it."
    managers = "1 queue manager" if measured.queue_managers == 1 else f"{measured.queue_managers} queue managers"
    spanned = f", {shown(measured.start)} to {shown(measured.end)}" if measured.start and measured.end else ""
    return f"Table {table}: {measured.rows:,} rows of {managers}{spanned}."


def _findings(answer: Answer) -> Iterator[str]:
    judgement = answer.judgement
    if judgement.findings:
        yield "Findings"
    for found in judgement.findings:
        place = ", ".join(filter(None, (found["qmgr"], _object(found)))) or "the site"
        yield f"  {found['severity'].upper()} {place}{_when(found)}  [{found['rule']}]"
        yield from _wrapped(found["advice"], "    ", mark=False)
    if judgement.evaluated and not judgement.findings:
        number = len(judgement.evaluated)
        rules = "The one rule" if number == 1 else f"The {number} rules"
        yield f"{rules} that could be evaluated found nothing wrong."


def _object(found: Mapping[str, Any]) -> str:
    return f"{_words(found['subject'].removeprefix('site_'))} {found['object']}" if found.get("object") else ""


def _when(found: Mapping[str, Any]) -> str:
    if not found.get("last"):
        return ""
    if found["times"] == 1:
        return f", {shown(found['last'])}"
    return f", {found['times']:,} times, last {shown(found['last'])}"


def _table(part: Shown, with_tables: bool) -> Iterator[str]:
    asked = part.asked
    if not part.there:
        if with_tables:
            yield f"Table {asked.table} is not there, or lacks columns: its rows cannot be shown."
        return
    condition = f" where {asked.where}" if asked.where else ""
    if not part.rows:
        yield f"Table {asked.table} has no rows{condition}."
        return
    each = f", by {', '.join(_words(name) for name in asked.by)}" if asked.by else ""
    yield f"Table {asked.table}{condition}{each}{_ordered(asked)}"
    names = list(part.rows[0])
    cells = [[_cell(row[name]) for name in names] for row in part.rows]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    headers = [_header(name, width) for name, width in zip(names, widths)]
    widths = [max(width, *(len(line) for line in lines)) for width, lines in zip(widths, headers)]
    height = max(len(lines) for lines in headers)
    padded = [[""] * (height - len(lines)) + lines for lines in headers]
    numeric = [all(_is_number(row[name]) for row in part.rows) for name in names]
    for line in [[lines[place] for lines in padded] for place in range(height)]:
        yield _line(line, widths, numeric)
    for line in cells:
        yield _line(line, widths, numeric)


def _ordered(asked: Rows) -> str:
    """What the rows are ordered by, where that is one of the columns shown."""
    lowest = asked.order.startswith("0 - ")
    order = asked.order.removeprefix("0 - ")
    by = next((_words(name) for name, text in asked.expressions().items() if text == order), "")
    return f"; {'lowest' if lowest else 'highest'} {by} first" if by else ""


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    placed = (c.rjust(width) if right else c.ljust(width) for c, width, right in zip(cells, widths, numeric))
    return ("  " + "  ".join(placed)).rstrip()


def _header(name: str, width: int) -> list[str]:
    """The name on as many lines as its column is narrow."""
    return textwrap.wrap(_words(name), max(width, _HEADER)) or [""]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cell(value: Any) -> str:
    text = "-" if value is None else shown(value)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _lacking(answer: Answer) -> Iterator[str]:
    lacking = answer.judgement.lacking
    if not lacking:
        return
    number = len(lacking)
    yield f"Not evaluated ({number} {'rule' if number == 1 else 'rules'})"
    for rule, lacks in lacking.items():
        wanted = [each.removeprefix("site fact ") for each in lacks if not each.startswith(_MADE_BY_TABLES)]
        others = [each for each in lacks if each.startswith(_MADE_BY_TABLES)]
        reasons = [*([f"give {', '.join(wanted)}"] if wanted else []), *(f"lacks {each}" for each in others)]
        yield from _wrapped(f"{rule}: {'; '.join(reasons) or 'its table has no rows'}", "  ", mark=False)


def _to_give(answer: Answer) -> Iterator[str]:
    """Every input that would have answered more, and how to give them."""
    missing = answer.missing
    facts = [
        each.removeprefix("site fact ")
        for lacks in answer.judgement.lacking.values()
        for each in lacks
        if each.startswith("site fact ")
    ]
    if missing:
        labels = "; ".join(figure.figure.label for figure in answer.figures if figure.missing)
        yield from _wrapped(f"Not worked out: {labels}.", "", mark=False)
    names = list(dict.fromkeys((*missing, *facts)))
    if not names:
        return
    yield "Give, as name=value" + (" or in the site's facts" if facts else "") + ":"
    for name in names:
        described = INPUTS.get(name) or SETTINGS[name]
        unit = "yes or no" if described.kind == "flag" else described.unit
        table = INPUTS[name].table if name in missing else ""
        hint = f"; or the table {table}" if table else ""
        yield from _wrapped(f"{name} ({unit}): {described.meaning}{hint}", "  ", mark=False)
    if missing:
        yield "For example:"
        yield from _continued(command_line(answer.question, {name: INPUTS[name].example for name in missing}))


def _continued(command: str) -> Iterator[str]:
    lines = textwrap.wrap(command, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    for place, line in enumerate(lines):
        yield ("  " if place == 0 else "    ") + line + (" \\" if place < len(lines) - 1 else "")


def _wrapped(text: str, indent: str, *, mark: bool = True) -> list[str]:
    first = f"{indent}- " if mark else indent
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=indent + "  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _unit(name: str) -> str:
    described = INPUTS[name]
    return described.unit if described.kind == "number" else ""


_LARGER: dict[str, tuple[tuple[str, int], ...]] = {
    "bytes": (("GB", 1 << 30), ("MB", 1 << 20)),
    "KB": (("GB", 1 << 20), ("MB", 1 << 10)),
    "MB": (("GB", 1 << 10),),
    "seconds": (("hours", 3600), ("minutes", 60)),
    "us": (("s", 1_000_000), ("ms", 1000)),
    "CPU us": (("s", 1_000_000), ("ms", 1000)),
}
_LARGE = 4
"""From so many of a larger unit on, it is told besides."""


def figure_text(value: Any, unit: str = "") -> str:
    """A value with its unit; a large one in a larger unit besides.

    >>> figure_text(16200.0, "MB"), figure_text(7.5, "MB/s")
    ('16,200 MB (15.8 GB)', '7.5 MB/s')
    """
    text = shown(value)
    if not unit or not isinstance(value, (int, float)) or isinstance(value, bool):
        return text
    for name, size in _LARGER.get(unit, ()):
        if abs(value) >= _LARGE * size:
            return f"{text} {unit} ({shown(value / size)} {name})"
    return f"{text} {unit}"
