"""What a report says, as plain data: everything the page, the Markdown and the JSON show, and nothing of how.

No Spark and no markup here. All times are UTC. Lists are bounded by whoever fills them; `..._in_all` says how many
there were, so that a reader is told what was left off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

FORMAT = 1
"""Of the JSON; raised when a field changes its meaning or goes."""

Cell = str | float | int | bool | datetime | None
Severity = str
"""`severe`, `warning` or `info`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One series over time. A value of None is a gap; `low` and `high` are an interval around the values."""

    name: str
    times: tuple[datetime, ...]
    values: tuple[float | None, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """A level that should not be passed."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class LineChart:
    id: str
    title: str
    reading: str
    """One sentence: what to see in it."""
    unit: str
    lines: tuple[Line, ...]
    limits: tuple[Limit, ...] = ()
    marks: tuple[tuple[datetime, str], ...] = ()
    """Moments with a text, such as the day on which a limit is reached."""
    top: float | None = None
    """Where the axis ends, if not with the highest value."""
    kind: Literal["lines"] = "lines"


@dataclass(frozen=True, slots=True)
class Bars:
    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars from the top, the largest first; several `bars` are stacked."""

    id: str
    title: str
    reading: str
    unit: str
    names: tuple[str, ...]
    bars: tuple[Bars, ...]
    kind: Literal["bars"] = "bars"


@dataclass(frozen=True, slots=True)
class HeatMap:
    id: str
    title: str
    reading: str
    unit: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    """By row, then column."""
    kind: Literal["heat"] = "heat"


Chart = LineChart | BarChart | HeatMap


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    rows_in_all: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Charts and tables of one matter. Without either, `notes` say why."""

    id: str
    title: str
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Concerned:
    """One queue manager and object on which a rule fired, with its worst interval."""

    qmgr: str | None
    object: str | None
    intervals: int
    first: datetime | None
    last: datetime | None
    worst: datetime | None
    value: float | None
    threshold: float | None
    advice: str
    evidence: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """All findings of one rule."""

    rule: str
    title: str
    severity: Severity
    subject: str
    advice: str
    """That of the worst interval, with its figures."""
    intervals: int
    objects_in_all: int
    queue_managers: tuple[str, ...]
    queue_managers_in_all: int
    first: datetime | None
    last: datetime | None
    concerned: tuple[Concerned, ...]
    """The worst first."""
    condition: str
    measured: str
    fact: str
    source_lines: str
    derived: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """An input that rules had to do without."""

    kind: str
    """`site fact`, `table`, `column` or `value`."""
    name: str
    meaning: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of the rules."""

    evaluated: int = 0
    not_evaluated: int = 0
    no_rows: int = 0
    missing: tuple[Missing, ...] = ()
    """The input that silences most rules first."""
    too_little: int = 0
    """Rules that had too little to judge by on every row."""
    rows_too_little: int = 0
    rows_contradicted: int = 0
    """Rows on which another column showed the contrary of what a rule would have said."""


@dataclass(frozen=True, slots=True)
class Found:
    made: bool
    """False: nobody evaluated the rules yet, so nothing is known, good or bad."""
    groups: tuple[FindingGroup, ...] = ()
    coverage: Coverage = Coverage()
    note: str = ""

    def of(self, severity: Severity) -> tuple[FindingGroup, ...]:
        return tuple(group for group in self.groups if group.severity == severity)


@dataclass(frozen=True, slots=True)
class Overview:
    """The size of what was looked at."""

    queue_managers: int = 0
    systems: int = 0
    first: datetime | None = None
    last: datetime | None = None
    intervals: int = 0
    messages_put: float | None = None
    log_gb: float | None = None
    channel_messages: float | None = None
    dumps: int = 0
    records: int = 0
    records_quarantined: int = 0

    @property
    def days(self) -> float:
        return (self.last - self.first).total_seconds() / 86400 if self.first and self.last else 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do, and the rule that asks for it."""

    rule: str
    severity: Severity
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    paragraphs: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    title: str
    made_at: datetime
    overview: Overview
    summary: Summary
    found: Found
    sections: tuple[Section, ...] = ()

    @property
    def charts(self) -> tuple[Chart, ...]:
        return tuple(chart for section in self.sections for chart in section.charts)


def as_dict(report: Report) -> dict[str, Any]:
    """The report as JSON has it: times as `2026-03-02T10:30:00Z`, figures that are no numbers as null."""
    return {"format": FORMAT, **_plain(report)}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return _utc_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value


def _utc_text(moment: datetime) -> str:
    whole = moment.astimezone(UTC) if moment.tzinfo else moment
    return whole.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
