"""The marts: small tables for reports, each made from conformed tables of the same day.

    build(spark, root)                  # the days whose conformed tables changed
    table(spark, root, "top_queues")    # one of them as a DataFrame

Each mart is a function from DataFrames to a DataFrame in `marts_queries`; here they are listed and kept up to date.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pyspark.sql.types import StructType

from libremq.pipeline.storage import Root
from libremq.pipeline.tables import conformed, marts_queries
from libremq.pipeline.tables.conformed_rows import no_rows, stored_rows
from libremq.pipeline.tables.conformed_store import Day, Store, Written, at_once, batches, description_mark
from libremq.pipeline.tables.subjects import subject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

VERSION = 1
"""Raise it when a mart is made differently: all days are then made again."""

_SCHEMA = "_schema.json"
"""The columns beside the rows: to plan a mart only to learn its columns takes a second."""


@dataclass(frozen=True, slots=True)
class Mart:
    """A mart: the conformed tables it reads and the function that makes it of them, given in that order."""

    name: str
    title: str
    sources: tuple[str, ...]
    make: Callable[..., DataFrame]


MARTS: dict[str, Mart] = {
    mart.name: mart
    for mart in (
        Mart("top_queues", "Queues of a day by messages and by processor time", ("queue_accounting", "queue"),
             marts_queries.top_queues),
        Mart("top_tasks", "Applications of a day by processor time, calls and log data",
             ("task_accounting", "queue_accounting"), marts_queries.top_tasks),
        Mart("busiest_intervals", "Intervals of a day in which most was done, by measure",
             ("queue_manager_interval",), marts_queries.busiest_intervals),
        Mart("hour_profile", "What was done in each hour of a day", ("queue_manager_interval",),
             marts_queries.hour_profile),
        Mart("log_rate", "Log data of a day: volume, peak and usual rate", ("log",), marts_queries.log_rate),
        Mart("cost", "Processor time for each message and transaction of a day",
             ("task_accounting", "queue_accounting", "task_summary", "dispatcher", "adapter", "ssl_task", "channel"),
             marts_queries.cost),
    )
}  # fmt: skip
"""Every mart by name."""


def build(
    spark: SparkSession,
    root: Root,
    *,
    days: Sequence[Day] | None = None,
    tell: Callable[[str], None] | None = None,
) -> conformed.BuildReport:
    """Bring the marts up to the conformed tables; without `days`, those days that changed since they were made.

    What was broken off is due again, and one build at a time is let in, as with the conformed tables.
    """
    tell = tell or (lambda _: None)
    store = Store(root)
    layer, description = store.marts, f"{VERSION}-{description_mark()}"
    now = store.conformed.day_marks()
    if not now and not layer.day_marks():
        return conformed.BuildReport((), {})
    with layer.building():
        wanted = layer.days_due(now, description) if days is None else tuple(days)
        if not wanted:
            return conformed.BuildReport((), {})
        layer.clear_left_over(MARTS)
        sources = {source for mart in MARTS.values() for source in mart.sources}
        rows = dict.fromkeys(MARTS, 0)
        for batch in batches(wanted, lambda day: sum(store.conformed.bytes_of(each, [day]) for each in sources)):
            written = _build_days(spark, store, batch, tell)
            layer.commit(batch, written, now, description)
            for name, parts in written.items():
                rows[name] += sum(part.rows for part in parts.values())
    return conformed.BuildReport(wanted, rows)


def _build_days(
    spark: SparkSession, store: Store, days: Sequence[Day], tell: Callable[[str], None]
) -> dict[str, Written]:
    told = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    build = store.marts.new_build()

    def build_one(mart: Mart) -> Written:
        size = sum(store.conformed.bytes_of(source, days) for source in mart.sources)
        if not size:
            return {}
        tell(f"building {mart.name} of {told}")
        session = conformed.session_for(spark, size)
        sources = [conformed.table(session, store.root, source, days=days) for source in mart.sources]
        made, few = mart.make(*sources), size < conformed.FEW_BYTES
        (store.marts.place / mart.name / _SCHEMA).write(made.schema.json().encode())
        if not few:
            made = made.repartition(conformed.tasks_for(size), "day", "qmgr")
        return store.marts.write(mart.name, build, made, few=few)

    return dict(zip(MARTS, at_once(build_one, list(MARTS.values()))))


def schema(spark: SparkSession, name: str) -> StructType:
    """The columns of a mart."""
    mart = _mart(name)
    return mart.make(
        *(no_rows(spark, cast(StructType, StructType.fromDDL(subject(each).ddl))) for each in mart.sources)
    ).schema


def table(spark: SparkSession, root: Root, name: str) -> DataFrame:
    """A mart as a DataFrame: empty, with its columns, if there is nothing to tell."""
    store, mart = Store(root), _mart(name)
    kept = store.marts.place / mart.name / _SCHEMA
    told = StructType.fromJson(json.loads(kept.read())) if store.marts.parts(name) else None
    return stored_rows(spark, store.marts, mart.name, told or schema(spark, name))


def _mart(name: str) -> Mart:
    try:
        return MARTS[name]
    except KeyError:
        raise ValueError(f"no mart {name!r}; there are {', '.join(MARTS)}") from None
