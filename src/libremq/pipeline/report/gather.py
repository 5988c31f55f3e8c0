"""Fill a report from the tables of a site.

    gather(spark, "site")                    # the tables as they are; nothing is built
    write(report, "report.html")

First the overview, which tells the time that is covered; then the parts beside each other, since most of the time of
a small Spark job is planning. Around twenty jobs, and what they bring back does not grow with the site.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from libremq.pipeline.report.content import Report
from libremq.pipeline.report.words import summary
from libremq.pipeline.rules.site_facts import SiteFacts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from libremq.pipeline.forecast.result import SeriesForecast

TITLE = "MQ for z/OS: findings, load and outlook"
PARTS_AT_ONCE = 4


def gather(
    spark: SparkSession,
    root: str | os.PathLike[str],
    site: SiteFacts | None = None,
    *,
    title: str = TITLE,
    made_at: datetime | None = None,
    tell: Callable[[str], None] | None = None,
) -> Report:
    """The report of the tables below `root`. What was not recorded or not made yet is said in it."""
    from libremq.pipeline.report.parts import (
        forecasts_part,
        found_part,
        hours_part,
        initiator_part,
        log_part,
        overview_part,
        pools_part,
        queues_part,
        records_part,
        space_part,
    )
    from libremq.pipeline.report.parts.source_part import Source

    tell = tell or (lambda _: None)
    tell("looking at the queue managers")
    source = Source(spark, root, site or SiteFacts())
    looked = overview_part.look(source)
    source = replace(source, first=looked.overview.first, last=looked.overview.last)
    parts = (
        pools_part.look,
        log_part.look,
        initiator_part.look,
        queues_part.look_at_queues,
        queues_part.look_at_applications,
        hours_part.look,
        space_part.look,
        records_part.look,
    )
    tell("reading findings and figures")
    with ThreadPoolExecutor(PARTS_AT_ONCE) as pool:
        findings_made = pool.submit(found_part.look, source)
        forecast_made = pool.submit(_forecasts, spark, root)
        sections = [running.result() for running in [pool.submit(look, source) for look in parts]]
        findings, predicted = findings_made.result(), forecast_made.result()
    sections = [*sections, forecasts_part.section(predicted), looked.section]
    return Report(
        title=title,
        made_at=made_at or datetime.now(UTC),
        overview=looked.overview,
        summary=summary(looked.overview, findings, sections, forecasts_part.nearest(predicted)),
        found=findings,
        sections=tuple(sections),
    )


def _forecasts(spark: SparkSession, root: str | os.PathLike[str]) -> list[SeriesForecast]:
    """What the last forecast said; nothing if there was none."""
    from libremq.pipeline.forecast.build import load

    return load(spark, root)
