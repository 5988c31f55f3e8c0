"""Two periods side by side: before and after a change, this month and last.

    compare(spark, root, Period.of("2026-03-01..2026-03-14"), Period.of("2026-03-15..2026-03-28"), site)

Rules are evaluated on each period by itself, and findings are new, gone, worse, better or as they were. Figures are
compared by their days, and a difference that the days' own ups and downs explain is called noise.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Literal

from libremq.pipeline.plain_text import shown
from libremq.pipeline.rules.rule import SEVERITIES
from libremq.pipeline.rules.site_facts import SiteFacts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from libremq.pipeline.findings import Findings

DAYS_MIN = 3
"""Of fewer days nobody can say how much a day differs from another."""
CONFIDENCE = 0.95
WORSE = 0.10
"""How much farther from its threshold a finding has to be to be worse."""

FIGURES: dict[str, tuple[str, str]] = {
    "messages put": ("messages_put_per_second", "messages/s"),
    "MQI calls": ("mqi_calls_per_second", "calls/s"),
    "log data": ("log_mb_per_second", "MB/s"),
    "log writer at work": ("log_writer_busy_pct", "%"),
    "pages read from page sets": ("pages_read_per_second", "pages/s"),
    "lowest share of free buffers": ("stealable_lowest_pct", "%"),
    "fullest page set": ("page_set_used_highest_pct", "%"),
    "calls to coupling facilities": ("cf_calls_per_second", "calls/s"),
    "channel messages": ("channel_messages_per_second", "messages/s"),
    "busiest dispatcher": ("dispatcher_busiest_pct", "%"),
    "processor time of dispatchers": ("dispatcher_cpu_us / 1000000.0 / interval_seconds", "processors"),
    "processor time of adapters": ("adapter_cpu_us / 1000000.0 / interval_seconds", "processors"),
}
"""What is compared, of the table `queue_manager_interval`: an expression, and its unit."""

Change = Literal["new", "worse", "better", "as before", "gone"]
Verdict = Literal["more", "less", "noise", "too little to judge"]


@dataclass(frozen=True, slots=True)
class Period:
    """Days in UTC, both ends included."""

    first: date
    last: date

    @classmethod
    def of(cls, text: str) -> Period:
        """A period as it is written: `2026-03-01..2026-03-14`, or one day. ValueError says what is wrong.

        >>> Period.of("2026-03-01..2026-03-02").days
        ('2026-03-01', '2026-03-02')
        """
        first, dots, last = text.partition("..")
        try:
            period = cls(date.fromisoformat(first.strip()), date.fromisoformat((last if dots else first).strip()))
        except ValueError:
            raise ValueError(f"{text}: a period is written as 2026-03-01..2026-03-14") from None
        if period.last < period.first:
            raise ValueError(f"{text}: its end is before its beginning")
        return period

    @property
    def days(self) -> tuple[str, ...]:
        count = (self.last - self.first).days + 1
        return tuple((self.first + timedelta(days=day)).isoformat() for day in range(count))

    def __str__(self) -> str:
        return f"{self.first} to {self.last}" if self.first != self.last else f"{self.first}"


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found about one object in one period."""

    rule: str
    severity: str
    qmgr: str | None
    object: str | None
    times: int
    value: float | None
    threshold: float | None
    advice: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.rule, self.qmgr or "", self.object or ""

    @property
    def distance(self) -> float | None:
        if self.value is None or self.threshold is None:
            return None
        return abs(self.value - self.threshold)


@dataclass(frozen=True, slots=True)
class FindingChange:
    change: Change
    before: Found | None
    after: Found | None

    @property
    def found(self) -> Found:
        one = self.after or self.before
        assert one is not None
        return one


@dataclass(frozen=True, slots=True)
class FigureChange:
    qmgr: str
    figure: str
    unit: str
    before: float
    after: float
    days_before: int
    days_after: int
    verdict: Verdict

    @property
    def percent(self) -> float | None:
        return 100.0 * (self.after - self.before) / self.before if self.before else None


@dataclass(frozen=True, slots=True)
class Comparison:
    before: Period
    after: Period
    findings: tuple[FindingChange, ...]
    figures: tuple[FigureChange, ...]
    alone: tuple[str, ...] = ()
    """Queue managers with records in one of the periods only: nothing of theirs is compared."""

    def as_dict(self) -> dict[str, Any]:
        made = asdict(self)
        for figure, plain in zip(self.figures, made["figures"]):
            plain["percent"] = figure.percent
        return made


def compare(
    spark: SparkSession, root: str | os.PathLike[str], before: Period, after: Period, site: SiteFacts | None = None
) -> Comparison:
    """Both periods of the tables below a root."""
    found, days, names = [], [], []
    for period in (before, after):
        tables = _tables(spark, root, period)
        overview = tables["queue_manager_interval"]
        names.append({row["qmgr"] for row in overview.select("qmgr").distinct().collect()})
        found.append(_found(tables, site, spark))
        days.append(_days(overview))
    alone = names[0] ^ names[1]
    paired = [[each for each in part if each.qmgr not in alone] for part in found]
    return Comparison(before, after, findings_compared(*paired), figures_compared(*days), tuple(sorted(alone)))


def findings_of(
    spark: SparkSession, root: str | os.PathLike[str], period: Period, site: SiteFacts | None = None
) -> Findings:
    """What the rules find in a period alone. Nothing is kept: that of all days stays where it is."""
    from libremq.pipeline.findings import Findings
    from libremq.pipeline.rules.rule_evaluation import evaluate

    made = evaluate(_tables(spark, root, period), site, spark=spark)
    return Findings(made.findings, made.coverage_frame())


def _tables(spark: SparkSession, root: str | os.PathLike[str], period: Period) -> dict[str, DataFrame]:
    from libremq.pipeline.tables import conformed
    from libremq.pipeline.tables.subjects import SUBJECTS

    return {name: conformed.table(spark, root, name, days=period.days) for name in SUBJECTS}


def _found(tables: Mapping[str, DataFrame], site: SiteFacts | None, spark: SparkSession) -> list[Found]:
    from libremq.pipeline.findings import grouped
    from libremq.pipeline.rules.rule_evaluation import evaluate

    rows = grouped(evaluate(tables, site, spark=spark).findings).collect()
    return [
        Found(
            *(row[name] for name in ("rule", "severity", "qmgr", "object", "intervals")),
            *(row["worst"][name] for name in ("value", "threshold", "advice")),
        )
        for row in rows
    ]


Days = Mapping[tuple[str, str], Sequence[float]]
"""Daily means by queue manager and figure."""


def _days(overview: DataFrame) -> Days:
    from pyspark.sql import functions as F

    from libremq.pipeline.tables.conformed_intervals import telling

    weighed = [
        F.try_divide(
            F.sum(F.expr(expression) * F.col("interval_seconds")),
            F.sum(F.when(F.expr(expression).isNotNull(), F.col("interval_seconds"))),
        ).alias(name)
        for name, (expression, _) in FIGURES.items()
    ]
    found: dict[tuple[str, str], list[float]] = {}
    for row in overview.where(telling(overview)).groupBy("qmgr", "day").agg(*weighed).orderBy("qmgr", "day").collect():
        for name in FIGURES:
            if row[name] is not None:
                found.setdefault((row["qmgr"], name), []).append(row[name])
    return found


def findings_compared(before: Iterable[Found], after: Iterable[Found]) -> tuple[FindingChange, ...]:
    """New ones first, then worse, gone, better, as before; the severe first within each."""
    old, new = ({each.key: each for each in found} for found in (before, after))
    changes = [FindingChange(_change(old.get(key), new.get(key)), old.get(key), new.get(key)) for key in {**old, **new}]
    order = ("new", "worse", "gone", "better", "as before")
    ranks: dict[str, int] = {severity: place for place, severity in enumerate(SEVERITIES)}
    return tuple(
        sorted(changes, key=lambda each: (order.index(each.change), ranks.get(each.found.severity, 9), each.found.key))
    )


def _change(before: Found | None, after: Found | None) -> Change:
    if before is None:
        return "new"
    if after is None:
        return "gone"
    one, other = before.distance, after.distance
    if one is None or other is None or math.isclose(one, other, rel_tol=WORSE):
        return "as before"
    return "worse" if other > one else "better"


def figures_compared(before: Days, after: Days) -> tuple[FigureChange, ...]:
    """Of each queue manager and figure that both periods have: the means of the days, and what the difference is."""
    changes = []
    for key in sorted(set(before) & set(after)):
        one, other = before[key], after[key]
        qmgr, name = key
        means = (sum(one) / len(one), sum(other) / len(other))
        if any(means):
            changes.append(
                FigureChange(qmgr, name, FIGURES[name][1], *means, len(one), len(other), _verdict(one, other))
            )
    return tuple(changes)


def _verdict(before: Sequence[float], after: Sequence[float]) -> Verdict:
    """Welch's test on the days: it does not ask that both periods have ups and downs of one size."""
    if min(len(before), len(after)) < DAYS_MIN:
        return "too little to judge"
    if len({*before}) == 1 and len({*after}) == 1:
        return "noise" if before[0] == after[0] else "more" if after[0] > before[0] else "less"
    from scipy import stats  # type: ignore[import-untyped,unused-ignore]

    test = stats.ttest_ind(after, before, equal_var=False)
    if not test.pvalue < 1 - CONFIDENCE:
        return "noise"
    return "more" if test.statistic > 0 else "less"


def as_lines(comparison: Comparison) -> Iterator[str]:
    """For a terminal."""
    yield f"{comparison.before} against {comparison.after} (days in UTC)"
    if comparison.alone:
        yield f"Recorded in one of them only, and not compared: {', '.join(comparison.alone)}"
    yield ""
    counts = dict.fromkeys(("new", "worse", "gone", "better", "as before"), 0)
    for each in comparison.findings:
        counts[each.change] += 1
    yield "Findings: " + ", ".join(f"{count} {change}" for change, count in counts.items())
    for each in comparison.findings:
        if each.change != "as before":
            yield from _finding_lines(each)
    yield ""
    yield "Figures (means of days)" if comparison.figures else "No figures that both periods have."
    for figure in comparison.figures:
        percent = f"{figure.percent:+.0f} %" if figure.percent is not None else "from nothing"
        yield (
            f"  {figure.qmgr} {figure.figure}: {shown(figure.before)} to {shown(figure.after)} {figure.unit},"
            f" {percent}: {figure.verdict}"
        )


def _finding_lines(each: FindingChange) -> Iterator[str]:
    found = each.found
    where = " ".join(part for part in (found.qmgr, found.object) if part) or "the site"
    yield f"  {each.change.upper():<7} {found.severity} {where}: {found.rule}"
    if each.before and each.after:
        yield f"          worst {shown(each.before.value)} before, {shown(each.after.value)} after"
    else:
        yield f"          {found.advice}"
