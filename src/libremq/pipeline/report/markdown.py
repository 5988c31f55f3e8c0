"""The report as Markdown: the same words and tables without the charts, for mail, tickets and version control.

Text from dumps is escaped, so that a queue called `*|<b>` stays that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from libremq.pipeline.plain_text import shown
from libremq.pipeline.report.content import FindingGroup, Report, Section, Table
from libremq.pipeline.report.wording import counted, day_and_time, figure_of, listed, visible
from libremq.pipeline.rules.rule import SEVERITIES

ROWS_MAX = 20
"""Rows of a table: a page is read, not sorted."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def as_markdown(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {escaped(report.title)}"
    yield ""
    yield f"Made {day_and_time(report.made_at)} UTC. Times are UTC unless said otherwise."
    yield ""
    yield "## Summary"
    for paragraph in report.summary.paragraphs:
        yield ""
        yield escaped(paragraph)
    if report.summary.steps:
        yield ""
        yield "### What to do first"
        yield ""
        for place, step in enumerate(report.summary.steps, start=1):
            yield f"{place}. **{escaped(step.title)}** ({escaped(step.severity)}). {escaped(step.text)}"
    yield ""
    yield "## Findings"
    yield ""
    if not report.found.made:
        yield escaped(report.found.note)
    elif not report.found.groups:
        yield "No rule found anything wrong."
    for severity in SEVERITIES:
        for group in report.found.of(severity):
            yield from _finding(group)
    for section in report.sections:
        yield from _section(section)
    if report.found.made:
        yield from _coverage(report)


def _finding(group: FindingGroup) -> Iterator[str]:
    yield f"### {escaped(group.severity.capitalize())}: {escaped(group.title)}"
    yield ""
    yield escaped(group.advice)
    yield ""
    where = f" on {listed([escaped(name) for name in group.queue_managers[:8]], group.queue_managers_in_all)}"
    when = f", {shown(group.first)} to {shown(group.last)}" if group.first else ""
    yield f"Found in {counted(group.intervals, 'interval')}{where if group.queue_managers else ''}{when}."
    yield ""
    rows = [
        (
            each.qmgr,
            each.object,
            each.intervals,
            each.value,
            each.threshold,
            each.worst,
            "; ".join(f"{name} = {figure_of(value)}" for name, value in each.evidence.items()),
        )
        for each in group.concerned
    ]
    yield from _rows(("Queue manager", "Object", "Intervals", "Worst", "Threshold", "Worst at", "Evidence"), rows)
    if group.objects_in_all > len(rows):
        yield ""
        yield f"The {len(rows)} worst of {shown(group.objects_in_all)} are listed."
    source = "our own rule" if group.fact == "own" else f"{group.fact}, {group.source_lines}"
    yield ""
    yield f"Rule {escaped(group.rule)}. Source: {escaped(source)}{' (derived)' if group.derived else ''}."
    yield ""


def _section(section: Section) -> Iterator[str]:
    yield ""
    yield f"## {escaped(section.title)}"
    yield ""
    for note in section.notes:
        yield escaped(note)
        yield ""
    for chart in section.charts:
        yield f"- **{escaped(chart.title)}.** {escaped(chart.reading)}"
    for table in section.tables:
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    yield ""
    yield f"### {escaped(table.title)}"
    yield ""
    titles = [f"{column.title} ({column.unit})" if column.unit else column.title for column in table.columns]
    yield from _rows(titles, table.rows[:ROWS_MAX])
    if table.rows_in_all > ROWS_MAX:
        yield ""
        yield f"{min(ROWS_MAX, len(table.rows))} of {shown(table.rows_in_all)} are listed."
    if table.note:
        yield ""
        yield escaped(table.note)


def _coverage(report: Report) -> Iterator[str]:
    coverage = report.found.coverage
    yield ""
    yield "## What was not judged"
    yield ""
    yield (
        f"{counted(coverage.evaluated, 'rule')} evaluated, {shown(coverage.not_evaluated)} not evaluated,"
        f" {shown(coverage.no_rows)} without rows, {shown(coverage.too_little)} with too little to judge by."
    )
    if coverage.rows_too_little or coverage.rows_contradicted:
        yield ""
        yield (
            f"On {counted(coverage.rows_too_little, 'row')} a rule had too little to judge by; on"
            f" {shown(coverage.rows_contradicted)} another figure showed the contrary of what it would have said."
        )
    yield ""
    rows = [(each.kind, each.name, len(each.rules), each.meaning) for each in coverage.missing]
    yield from _rows(("Kind", "Name", "Rules", "Meaning"), rows)


def _rows(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(escaped(title) for title in titles)} |"
    yield f"|{'---|' * len(titles)}"
    for row in rows:
        yield f"| {' | '.join('' if value is None else escaped(shown(value)) for value in row)} |"


def escaped(text: str) -> str:
    """Text that Markdown leaves as it is, on one line.

    >>> escaped("A|B*\\nC")
    'A\\\\|B\\\\* C'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))
