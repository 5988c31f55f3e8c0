"""How a subject's table is described: its columns as data, each with type, source, kind and meaning.

Nothing here needs Spark. A column is either taken from a field of a raw structure (`qpst.qpstnbuf`, an element of a
table of fields as `qjst.qjstioci[0][1]`), rolled up from another subject (`log.checkpoints`, with how), or worked out
from columns of the same table by a Spark SQL expression. `conformed` builds the tables from these descriptions; rules,
questions and reports look the names up here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["key", "text", "flag", "time", "counter", "cumulative", "high", "low", "gauge", "duration", "derived"]
"""What a value is, hence what may be done with it.

`counter` counts this interval only and may be added up. `cumulative` counts since the queue manager started: the table
has its change since the interval before, beside it. `high` and `low` are water marks of the interval: take the maximum
or minimum, never a sum. `gauge` is the state at the end of the interval. `duration` is microseconds spent in the
interval unless the name says otherwise, and may be added up.
"""

Grain = Literal["interval", "task"]
Rollup = Literal["only", "sum", "max", "min"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a subject."""

    name: str
    type: str
    """As Spark's DDL writes it."""
    kind: Kind
    meaning: str
    source: str | None = None
    """Field of a raw structure, or column of another subject when there is a rollup."""
    expression: str | None = None
    """Spark SQL over columns of the same table; null wherever an input is null or a divisor is zero."""
    enum: str | None = None
    """The list of the layout that turns the recorded code into words."""
    rollup: Rollup | None = None

    @property
    def additive(self) -> bool:
        return self.kind == "counter" or (self.kind == "duration" and not self.name.startswith("longest_"))

    @property
    def structure(self) -> str | None:
        """The raw table it comes from."""
        return self.source.partition(".")[0] if self.source and not self.rollup else None

    @property
    def field(self) -> str | None:
        """The raw column it comes from, without its place in a table of fields."""
        return self.source.partition(".")[2].partition("[")[0] if self.source else None

    @property
    def indexes(self) -> tuple[int, ...]:
        return tuple(int(index) for index in re.findall(r"\[(\d+)\]", self.source or ""))


@dataclass(frozen=True, slots=True)
class Subject:
    """A conformed table: one row per queue manager, interval and the key columns named here."""

    name: str
    title: str
    grain: Grain
    columns: tuple[Column, ...]
    keys: tuple[str, ...] = field(init=False)
    structures: tuple[str, ...] = field(init=False)
    """Raw tables read, the one that makes the rows first."""

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        doubled = {name for name in names if names.count(name) > 1}
        assert not doubled, f"{self.name}: {sorted(doubled)}"
        object.__setattr__(self, "keys", tuple(column.name for column in self.columns if column.kind == "key"))
        found = dict.fromkeys(column.structure for column in self.columns if column.structure)
        object.__setattr__(self, "structures", tuple(found))

    def column(self, name: str) -> Column:
        """The column of that name, one of the common ones included."""
        for column in (*COMMON_COLUMNS, *self.columns):
            if column.name == name:
                return column
        raise KeyError(f"table {self.name} has no column {name!r}")

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """Common columns first, as the table has them."""
        return (*COMMON_COLUMNS, *self.columns)

    @property
    def ddl(self) -> str:
        return ", ".join(f"{column.name} {column.type}" for column in self.all_columns)


def key(name: str, source: str, meaning: str, kind: str = "int") -> Column:
    return Column(name, kind, "key", meaning, source)


def text(name: str, source: str, meaning: str, enum: str | None = None) -> Column:
    return Column(name, "string", "text", meaning, source, enum=enum)


def flag(name: str, source: str, meaning: str) -> Column:
    return Column(name, "boolean", "flag", meaning, source)


def time(name: str, source: str, meaning: str) -> Column:
    return Column(name, "timestamp", "time", meaning, source)


def count(name: str, source: str, meaning: str) -> Column:
    return Column(name, "bigint", "counter", meaning, source)


def cumulative(name: str, source: str, meaning: str) -> Column:
    return Column(name, "bigint", "cumulative", meaning, source)


def gauge(name: str, source: str, meaning: str) -> Column:
    return Column(name, "bigint", "gauge", meaning, source)


def high(name: str, source: str, meaning: str) -> Column:
    return Column(name, "bigint", "high", meaning, source)


def low(name: str, source: str, meaning: str) -> Column:
    return Column(name, "bigint", "low", meaning, source)


def usec(name: str, source: str, meaning: str) -> Column:
    """A duration; the name ends in `_us`."""
    assert name.endswith("_us"), name
    return Column(name, "bigint", "duration", meaning, source)


def longest(name: str, source: str, meaning: str) -> Column:
    """The longest single duration of the interval, a water mark."""
    assert name.endswith("_us"), name
    return Column(name, "bigint", "high", meaning, source)


def derived(name: str, expression: str, meaning: str, kind: str = "double") -> Column:
    return Column(name, kind, "derived", meaning, expression=expression)


def per(part: str, whole: str) -> str:
    """SQL of a quotient that is null where nothing is there to divide by."""
    return f"try_divide({part}, {whole})"


def pct(part: str, whole: str) -> str:
    return f"100.0 * try_divide({part}, {whole})"


def average(name: str, total: str, events: str, meaning: str) -> Column:
    return derived(name, per(total, events), meaning)


def rolled(
    name: str, how: Rollup, source: str, meaning: str, kind: str = "bigint", as_kind: Kind = "counter"
) -> Column:
    """A column of another subject brought to one row per interval."""
    return Column(name, kind, as_kind, meaning, source, rollup=how)


def with_rates(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns, and for each counter its rate: the counter's name with `_per_second` behind."""
    listed = tuple(columns)
    rates = [
        derived(f"{column.name}_per_second", per(column.name, "interval_seconds"), f"{column.name}, each second")
        for column in listed
        if column.kind == "counter"
    ]
    changes = [
        Column(f"{column.name}_change", "bigint", "counter", f"{column.name}, change since the interval before")
        for column in listed
        if column.kind == "cumulative"
    ]
    return (*listed, *changes, *rates)


COMMON_COLUMNS: tuple[Column, ...] = (
    Column("day", "date", "key", "day (UTC) on which the interval starts; a partition of the table"),
    Column("qmgr", "string", "key", "queue manager; a partition of the table"),
    Column("system", "string", "key", "z/OS system that wrote the record"),
    Column("interval_start", "timestamp", "key", "start of the interval (UTC), the same in all tables of one interval"),
    Column("interval_end", "timestamp", "time", "end of the interval (UTC)"),
    Column("interval_seconds", "double", "duration", "length of the interval"),
    Column("interval_kind", "string", "text", "start-up, shut-down, short or normal, by the intervals around it"),
    Column(
        "seconds_since_start",
        "double",
        "gauge",
        "since the latest start of the queue manager, or time without records, of the last 12 hours",
    ),
    Column(
        "suspicious",
        "array<string>",
        "text",
        "columns whose recorded values cannot be and are null here, each with the reason",
    ),
    Column("utc_offset_minutes", "int", "gauge", "local time of the system minus UTC; null where no record tells"),
    Column("qsg", "string", "text", "queue-sharing group, from 10.0.0 on"),
    Column("release", "string", "text", "release of the queue manager as recorded"),
)
"""What every conformed table starts with."""
