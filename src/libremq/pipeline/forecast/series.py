"""What is forecast, as data: each measure with its table, expression, step to a day, unit and limit.

A limit is either in the table itself (the size of a page set), or a fact of the site (what the log devices take), or a
fixed share. How much of it may be used is the threshold of the rule that judges the same thing, so a site that changes
the rule's threshold moves the forecast's limit too. Nothing here needs Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from libremq.pipeline.models.channels.chinit_storage import STORAGE_GUIDE
from libremq.pipeline.models.logs.log_devices import PLANNED_SHARE
from libremq.pipeline.rules.site_facts import SiteFacts

Daily = Literal["max", "p95"]

CHINIT_REGION_MB = 1501.0
"""31-bit storage of the channel initiator in the published example [L3822]: a start where the site tells none."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Where a limit comes from. Of `column`, `fact` and `fixed` the first that is known counts."""

    words: str
    """What the limit is, as a sentence goes on: `half of what the log devices take`."""
    share: float = 1.0
    """How much of it may be used."""
    column: str | None = None
    """Spark SQL over the table, in the unit of the measure."""
    fact: str | None = None
    """Setting of the site, see `rules.settings`."""
    fact_kind: str = ""
    """The kind of object that the fact belongs to, if not to the queue manager."""
    fixed: float | None = None
    fixed_words: str = ""
    """What to say if the fixed one counts."""
    rule: str | None = None
    """The rule that judges the same; a threshold that the site gave it goes before `share`."""
    rule_gives: Literal["percent", "limit"] = "percent"


@dataclass(frozen=True, slots=True)
class Measure:
    """One kind of series: a queue manager has one of it for each object."""

    name: str
    title: str
    """For people; `{object}` stands for the object."""
    table: str
    value: str
    """Spark SQL over the conformed table, one number for each row."""
    unit: str
    limit: Limit | None = None
    object: str | None = None
    """Column that tells the objects apart."""
    daily: Daily = "max"
    """What stands for a day: its highest interval, or the value that 95 of 100 of its hours stay below."""
    added_up: bool = False
    """Rows of one interval are added first, as those of tasks are; the value is then for each second."""
    also: tuple[tuple[str, str], ...] = ()
    """Further tables and expressions whose rows are added up with these."""


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            "log_rate", "log rate", "log", "log_mb_per_second", "MB/s",
            Limit(
                "half of what the log devices take", PLANNED_SHARE, fact="log_mb_per_second_max",
                rule="log-rate-over-plan", rule_gives="limit",
            ),
        ),
        Measure(
            "log_writer_busy", "log writer busy", "log", "log_writer_busy_pct", "%",
            Limit("the log writer saturated", 0.95, fixed=100.0, rule="log-writer-saturated"),
        ),
        Measure(
            "page_set_used", "page set {object} in use", "page_set", "used_pages * 4096 / 1048576.0", "MB",
            Limit("the share of its size at which it expands", 0.90, column="size_mb", rule="page-set-expanding"),
            object="page_set",
        ),
        Measure(
            "cf_entries", "entries of CF structure {object}", "cf_structure", "entries_used_high", "entries",
            Limit(
                "the full threshold of its entries", 0.80, fact="structure_entries_max", fact_kind="structure",
                rule="structure-entries-high",
            ),
            object="cf_structure",
        ),
        Measure(
            "cf_elements", "elements of CF structure {object}", "cf_structure", "elements_used_high", "elements",
            Limit(
                "the full threshold of its elements", 0.80, fact="structure_elements_max", fact_kind="structure",
                rule="structure-elements-high",
            ),
            object="cf_structure",
        ),
        Measure(
            "smds_used", "shared message data set of {object}", "smds", "used_blocks_high", "blocks",
            Limit("the usable share of its blocks", 0.80, column="data_blocks", rule="smds-filling-up"),
            object="cf_structure",
        ),
        Measure(
            "chinit_storage_31", "31-bit storage of the channel initiator", "channel_initiator", "storage_31_mb", "MB",
            Limit(
                "the guide for its 31-bit storage", STORAGE_GUIDE, fact="chinit_region_mb", fixed=CHINIT_REGION_MB,
                fixed_words=f"(assumed: a region of {CHINIT_REGION_MB:.0f} MB as in the published example; give the"
                " site fact chinit_region_mb, used and free of CSQX004I together)",
                rule="chinit-storage-31-high",
            ),
        ),
        Measure(
            "chinit_storage_64", "64-bit storage of the channel initiator", "channel_initiator", "storage_64_pct", "%",
            Limit("the guide for its 64-bit storage", STORAGE_GUIDE, fixed=100.0, rule="chinit-storage-64-high"),
        ),
        Measure(
            "channels", "current channels", "channel_initiator", "current_channels_high", "channels",
            Limit(
                "nearly MAXCHL", 0.90, column="current_channels_limit", rule="chinit-channels-near-maximum",
            ),
        ),
        Measure(
            "chinit_cpu", "processor use of the channel initiator", "queue_manager_interval",
            "(dispatcher_cpu_us + adapter_cpu_us + coalesce(ssl_task_cpu_us, 0)) / 1000000.0 / interval_seconds",
            "processors", Limit("all processors of the system", fact="processors"), daily="p95",
        ),
        Measure(
            "mqi_cpu", "processor use of MQI calls", "queue_accounting", "mqi_cpu_us / 1000000.0", "processors",
            Limit("all processors of the system", fact="processors"), daily="p95", added_up=True,
            also=(("task_accounting", "own_mqi_cpu_us / 1000000.0"),),
        ),
        Measure(
            "dispatcher_busiest", "busiest dispatcher", "queue_manager_interval", "dispatcher_busiest_pct", "%",
            Limit("a dispatcher saturated", 0.80, fixed=100.0, rule="dispatcher-saturated"), daily="p95",
        ),
        Measure(
            "ssl_task_busiest", "busiest TLS task", "queue_manager_interval", "ssl_task_busiest_pct", "%",
            Limit("a TLS task saturated", 0.90, fixed=100.0, rule="ssl-task-saturated"), daily="p95",
        ),
        Measure(
            "queue_manager_storage_31", "31-bit storage of the queue manager", "storage", "user_31_pct", "%",
            Limit("the guide for its 31-bit region", 0.80, fixed=100.0, rule="storage-region-31-high"),
        ),
        Measure("message_rate", "messages put", "queue_manager_interval", "messages_put_per_second", "messages/s"),
    )
}  # fmt: skip
"""Every measure by name."""


@dataclass(frozen=True, slots=True)
class KnownLimit:
    value: float
    words: str
    source: str


def limit_of(
    measure: Measure, site: SiteFacts, qmgr: str, object_name: str, in_table: float | None
) -> KnownLimit | str | None:
    """The limit of one series; what the site would have to tell if it is not known; None if there cannot be one.

    >>> facts = SiteFacts.of({"site": {"log_mb_per_second_max": 112}})
    >>> limit_of(MEASURES["log_rate"], facts, "QM01", "", None).value
    56.0
    """
    rule = measure.limit
    if rule is None:
        return None
    own = site.thresholds.get(rule.rule or "")
    told = f"threshold of rule {rule.rule} set by the site"
    if own is not None and rule.rule_gives == "limit":
        return KnownLimit(own, "the site's own threshold", told)
    share = rule.share if own is None else own / 100.0
    part = f"{100 * share:g} % of " if share != 1 else ""
    more = f", {told}" if own is not None else ""
    if rule.column is not None and in_table is not None:
        return KnownLimit(share * in_table, rule.words, f"{part}{measure.table}.{rule.column}{more}")
    fact = site.value(rule.fact, qmgr, rule.fact_kind, object_name) if rule.fact is not None else None
    if isinstance(fact, float):
        return KnownLimit(share * fact, rule.words, f"{part}{fact:g}, site fact {rule.fact}{more}")
    if rule.fixed is not None:
        return KnownLimit(
            share * rule.fixed, rule.words, f"{part}{rule.fixed:g} {measure.unit} {rule.fixed_words}".strip() + more
        )
    if rule.fact is not None:
        return f"give the site fact {rule.fact}" + (f" of the {rule.fact_kind}" if rule.fact_kind else "")
    return f"{measure.table}.{rule.column} was not recorded"
