"""What a rule needs before it speaks, and what would contradict it.

A figure means nothing out of too little: a rate of an interval of 0.74 s, a share of three calls, a day of 43 minutes,
a pool that nobody used. Each rule has a demand: so many seconds of records, so many of what it counts, a queue manager
that has run for so long. Which it is follows from what the rule looks at (its sort), unless it is named in `OWN`.
Rows that do not meet it are counted as too little to judge, and the rule stays silent.

A record may also show the contrary of what a rule concludes from one of its columns. `CONTRADICTIONS` has these pairs;
a row on which one holds is counted as contradicted, and the rule stays silent as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from libremq.pipeline.rules.expressions import Expression, ExpressionError, parse
from libremq.pipeline.rules.settings import SITE_SUBJECTS

if TYPE_CHECKING:
    from libremq.pipeline.rules.rule import Rule
    from libremq.pipeline.tables.subjects import Column

Sort = Literal["rate", "share", "event", "mark", "state", "day", "history", "unused"]

SORTS: dict[Sort, str] = {
    "rate": "something per second, or the part of the time that something took",
    "share": "a part of a number of events, or a mean over them",
    "event": "something that should not happen at all",
    "mark": "a high or low water mark",
    "state": "how something is set or stands, or a fact of the site",
    "day": "what a day comes to",
    "history": "what happened over many days",
    "unused": "that something is not needed, which only time and load can show",
}

RATE_SECONDS = 50.0
"""A STATIME of one minute gives 59.8 s; what is shorter was cut off or is of a start. The same as in
`conformed_intervals`, which needs Spark."""
SHARE_COUNT = 100.0
DAY_SECONDS = 6 * 3600.0
"""A quarter of a day: less of it is not what the day was like."""
UNUSED_SECONDS = 5 * 86_400.0
"""A working week, so that its peak is in it."""
STARTED_SECONDS = 1800.0
"""For so long after a start a queue manager fills its pools and reads its log."""

_COVERED = "sum(interval_seconds)"
_COVERED_BY_MANY = "mean(interval_seconds) * distinct(interval_start)"
"""Seconds of records in a group in which an interval has a row for each of many objects."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a rule needs to speak; 0 is nothing."""

    sort: Sort
    seconds: float = 0.0
    """Of records: in the interval of the row, or together where a rule sees many."""
    base: str = ""
    """What is counted, as an expression."""
    count: float = 0.0
    settled: float = 0.0
    """Since the start of the queue manager, where that was seen."""

    def time(self, over: str, *, many: bool = False) -> Expression | None:
        """The condition under which the records are long enough, and far enough from a start.

        What is not known does not stand in the way.
        """
        parts = []
        if not over:
            if self.seconds:
                parts.append(f"either(interval_seconds, {self.seconds}) >= {self.seconds}")
            if self.sort in ("rate", "share"):
                parts.append("either(interval_kind, 'normal') not in ('start-up', 'shut-down')")
            if self.settled:
                parts.append(f"either(seconds_since_start, {self.settled}) >= {self.settled}")
        elif self.seconds:
            covered = "highest(interval_seconds)" if over == "interval" else _COVERED_BY_MANY if many else _COVERED
            parts.append(f"either({covered}, {self.seconds}) >= {self.seconds}")
        return parse(" and ".join(parts)) if parts else None

    def counted(self) -> Expression | None:
        """The condition under which there are enough events. Without them a rule may find nothing wrong, but not
        something."""
        return parse(f"either({self.base}, {self.count}) >= {self.count}") if self.base else None

    @property
    def words(self) -> str:
        """In words, such as `50 s of records, 100 of lock_requests`."""
        parts = []
        if self.seconds:
            hours = self.seconds / 3600
            length = (
                f"{self.seconds:g} s" if hours < 1 else f"{hours:g} hours" if hours < 48 else f"{hours / 24:g} days"
            )
            parts.append(f"{length} of records")
        if self.base:
            parts.append(f"{self.count:,.0f} of {self.base}")
        if self.settled:
            parts.append(f"{self.settled / 60:g} minutes since the start of the queue manager")
        if self.sort in ("rate", "share"):
            parts.append("an interval that is neither of a start-up nor of a shut-down")
        return ", ".join(parts) or "one record"


DEFAULTS: dict[Sort, Demand] = {
    "rate": Demand("rate", seconds=RATE_SECONDS),
    "share": Demand("share", count=SHARE_COUNT),
    "event": Demand("event"),
    "mark": Demand("mark"),
    "state": Demand("state"),
    "day": Demand("day", seconds=DAY_SECONDS),
    "history": Demand("history", seconds=DAY_SECONDS),
    "unused": Demand("unused", seconds=UNUSED_SECONDS),
}

OWN: dict[str, Demand] = {
    "log-checkpoints-often": Demand("rate", 600.0, "checkpoints", 3.0, STARTED_SECONDS),
    "log-data-set-fills-fast": Demand("rate", 300.0, "log_pages_filled", 10_000.0),
    "log-archiving-slower-than-filling": Demand("rate", 300.0, "log_pages_filled", 10_000.0),
    "log-active-logs-exhausted": Demand("rate", 300.0, "log_pages_filled", 10_000.0),
    "log-writer-saturated": Demand("rate", RATE_SECONDS, "log_writes", 1_000.0),
    "log-writer-spins": Demand("rate", RATE_SECONDS, "log_writes", 1_000.0),
    "log-dual-at-limit": Demand("rate", RATE_SECONDS, "log_writes", 1_000.0),
    "log-archiving-cost": Demand("rate", RATE_SECONDS, "log_writes", 1_000.0),
    "db2-undefined-queue-opens": Demand("rate", RATE_SECONDS, "reads", 1_000.0, STARTED_SECONDS),
    "temporary-queues-many": Demand("rate", RATE_SECONDS, "object_creates", 1_000.0),
    "pool-reads-in-critical-pool": Demand("event", settled=STARTED_SECONDS, base="pages_read", count=100.0),
    "pool-newly-used-buffers": Demand("event", settled=STARTED_SECONDS),
    "pool-contention-ratio": Demand("share", base="buffers_stolen", count=SHARE_COUNT),
    "pool-pages-read-again": Demand("day", DAY_SECONDS, "sum(pages_read)", 1_000.0),
    "pool-half-unused": Demand(
        "unused", UNUSED_SECONDS, "sum(old_page_requests + new_page_requests + page_updates)", 1_000_000.0
    ),
    "dispatchers-idle": Demand("unused", UNUSED_SECONDS, "sum(requests)", 100_000.0),
    "chinit-large-maxchl-few-channels": Demand("unused", UNUSED_SECONDS, "highest(current_channels_high)", 10.0),
    "pools-more-than-four": Demand("state"),
    # A unit of work is large because there are few commits.
    "task-units-of-work-large": Demand("share"),
    "log-single-copy-without-redundancy": Demand("state"),
}
"""Demands that do not follow from what the rule looks at."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """When another column shows that it cannot be as the rule says."""

    when: str
    reason: str


CONTRADICTIONS: dict[str, Contradiction] = {
    "pool-synchronous-write-limit": Contradiction(
        "either(stealable_lowest_pct, stealable_pct) > 20",
        "the pool was never over 80 % full by its own count of free buffers",
    ),
    "pool-no-free-buffer": Contradiction(
        "either(stealable_lowest_pct, stealable_pct) > 5", "the pool always had free buffers by its own count"
    ),
    "pool-contention-for-buffers": Contradiction(
        "either(stealable_lowest_pct, stealable_pct) > 50", "half of the pool was always free: it is not too small"
    ),
    "pool-contention-ratio": Contradiction(
        "either(stealable_lowest_pct, stealable_pct) > 50", "half of the pool was always free: it is not too small"
    ),
    "pool-deferred-writes-in-critical-pool": Contradiction(
        "either(stealable_lowest_pct, stealable_pct) > 25",
        "deferred writing begins at 85 % full, which the pool never was: a checkpoint wrote",
    ),
    "pool-nearly-full": Contradiction("stealable_pct < stealable_lowest_pct", "fewer buffers were free at the end"),
    "pool-pages-read-again": Contradiction(
        f"lowest(seconds_since_start) < {STARTED_SECONDS}",
        "a start is in it: what it read to fill its pools is no reading again",
    ),
    "pool-more-searching-than-storing": Contradiction(
        f"lowest(seconds_since_start) < {STARTED_SECONDS}",
        "a start is in it, after which all pages are new to the pool",
    ),
    "page-set-larger-pool-would-help": Contradiction(
        "buffer_pool.stealable_lowest_pct > 20", "the pool was never over 80 % full"
    ),
    "log-checkpoints-often": Contradiction(
        "requests_per_checkpoint < 10000",
        "so few log requests do not reach a LOGLOAD in use: a start, a log switch or a command caused the checkpoints",
    ),
    "log-writer-saturated": Contradiction(
        "log_io_busy_pct < 5 and log_writes_per_second < 10", "the log was hardly written"
    ),
    "log-dual-at-limit": Contradiction("log_writes_per_second < 10", "the log was hardly written"),
    "log-archiving-cost": Contradiction("log_writes_per_second < 10", "the log was hardly written"),
    "log-zhyperlink-capable-not-enabled": Contradiction("log_writes_per_second < 10", "the log was hardly written"),
    "log-zhyperwrite-not-enabled": Contradiction("log_writes_per_second < 10", "the log was hardly written"),
    "calls-persistence-questioned": Contradiction("persistent_puts < 1000", "hardly a persistent message was put"),
    "db2-undefined-queue-opens": Contradiction(
        "message_manager.opens + message_manager.put1s < reads / 10",
        "far fewer queues were opened: the reads have another cause, such as the start of the queue manager",
    ),
    "structure-full": Contradiction(
        "structure_used_pct(entries_used_high, structure_entries_max) < 50 and"
        " structure_used_pct(elements_used_high, structure_elements_max) < 50",
        "half of the structure was always free",
    ),
    "smds-full": Contradiction("used_high_pct < 50", "half of the data set was always free"),
    "dispatcher-saturated": Contradiction("requests < 100", "hardly a request was worked off"),
    "ssl-task-saturated": Contradiction("requests < 100", "hardly a request was worked off"),
    "dns-busy": Contradiction("requests < 10", "hardly a name was looked up"),
}
"""By rule: pairs of columns that cannot both be right, or of which one explains the other away."""


def demand_of(rule: Rule) -> Demand:
    """What the rule needs: its own demand, or that of its sort."""
    if rule.id in OWN:
        return OWN[rule.id]
    sort = sort_of(rule)
    if sort != "share":
        return DEFAULTS[sort]
    base = "" if _guarded(rule) else _base(rule)
    return Demand("share", base=base, count=SHARE_COUNT if base else 0.0)


def sort_of(rule: Rule) -> Sort:
    """What kind of statement it is, by the columns that it compares."""
    if rule.subject in SITE_SUBJECTS:
        return "state"
    if rule.over in ("day", "object and day"):
        return "day"
    if rule.over in ("object", "queue manager"):
        return "history"
    looked_at = rule.expressions()["value" if rule.value else "when"]
    columns = {column.name: column for name in looked_at.names for column in _roots(rule, name)}
    if "interval_seconds" in columns:
        return "rate"
    kinds = {column.kind for column in columns.values()}
    divides = "/" in looked_at.text or any("try_divide" in (c.expression or "") for c in _columns(rule, looked_at))
    if kinds & {"high", "low"}:
        return "mark"
    if divides and kinds & {"counter", "duration", "cumulative"}:
        return "share"
    return "event" if kinds & {"counter", "cumulative", "duration"} else "state"


def _columns(rule: Rule, expression: Expression) -> Iterator[Column]:
    for name in expression.names:
        column = _column(rule, name)
        if column is not None:
            yield column


def _column(rule: Rule, name: str) -> Column | None:
    from libremq.pipeline.tables.subjects import subject

    table, _, plain = name.rpartition(".")
    try:
        return subject(table or rule.subject).column(plain)
    except KeyError:
        return None


def _roots(rule: Rule, name: str) -> Iterator[Column]:
    """The recorded columns that a column is worked out from."""
    column = _column(rule, name)
    if column is None:
        return
    if column.expression is None:
        yield column
        return
    table = name.rpartition(".")[0]
    for inner in re.findall(r"[a-z_]\w*", column.expression):
        if inner != column.name:
            yield from _roots(rule, f"{table}.{inner}" if table else inner)


def _guarded(rule: Rule) -> bool:
    """Does its condition ask for a number of events itself, as `gets > 1000`?"""
    for node in ast.walk(rule.expressions()["when"].tree):
        match node:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant(value=limit)]
            ):
                column = _column(rule, name)
                counts = column is not None and column.kind in ("counter", "derived", "high")
                if counts and name != rule.value and isinstance(limit, int | float) and limit >= 10:
                    return True
            case _:
                pass
    return False


def _base(rule: Rule) -> str:
    """What a share is of: what its value is divided by."""
    text = rule.value
    column = _column(rule, text)
    if column is not None and column.expression:
        match = re.fullmatch(r"(?:100\.0 \* )?try_divide\((.*), ([a-z0-9_ +]+)\)", column.expression)
        text = match[2] if match else ""
    else:
        tree = rule.expressions()["value"].tree if rule.value else None
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
            text = ast.unparse(tree.right)
        else:
            text = ""
    try:
        names = parse(text).names if text else ()
    except ExpressionError:
        return ""
    found = [_column(rule, name) for name in names]
    return text if found and all(each is not None and each.kind in ("counter", "derived") for each in found) else ""


def contradiction_of(rule: Rule) -> Contradiction | None:
    return CONTRADICTIONS.get(rule.id)


def time_of(rule: Rule) -> Expression | None:
    """The condition of time under which the rule may speak; None: always."""
    from libremq.pipeline.rules.rule_catalogue import object_columns

    many = rule.over in ("queue manager", "day") and bool(object_columns(rule.subject))
    return demand_of(rule).time(rule.over, many=many)


def count_of(rule: Rule) -> Expression | None:
    """The condition of number, likewise."""
    return demand_of(rule).counted()


def contrary_of(rule: Rule) -> Expression | None:
    """The condition under which its own row contradicts it."""
    found = contradiction_of(rule)
    return parse(found.when) if found else None
