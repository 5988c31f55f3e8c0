"""Trouble that no record shows: the site's facts alone, or together with healthy records, reveal it."""

from __future__ import annotations

from libremq.pipeline.generator.interval import Interval
from libremq.pipeline.generator.sickness import Sickness, sickness


def unchanged(interval: Interval, hours: float) -> None:
    """The records are those of a healthy queue manager."""


def _known_by_facts(name: str, title: str, raises: str, rules: str, **facts: float | bool | str) -> Sickness:
    return sickness(name, title, raises, rules=rules, facts=facts, from_start=True)(unchanged)


TRACE_LEFT_ON = _known_by_facts(
    "trace-left-on",
    "someone left the global trace on in production",
    "R-TR-10",
    "global-trace-on",
    global_trace=True,
)

BACKUPS_RARE = _known_by_facts(
    "backups-rare",
    "page sets are backed up once a week",
    "R-PS-08",
    "page-set-backup-too-rare log-backup-interval-too-long",
    page_set_backup_hours=168,
)

LOGS_FEW = _known_by_facts(
    "logs-few",
    "two active logs of each copy: what is older is on tape",
    "R-LOG-02 R-LOG-21",
    "active-logs-few active-logs-below-three-checkpoints log-active-logs-hold-less-than-a-day",
    active_logs=2,
    page_set_backup_hours=1,
)

MEMLIMIT_SMALL = _known_by_facts(
    "memlimit-small",
    "MEMLIMIT of the channel initiator is half of the least",
    "R-49",
    "memlimit-too-small memlimit-below-need",
    chinit_memlimit_mb=1024,
)

STATISTICS_LOST = _known_by_facts(
    "statistics-lost",
    "SMF loses records: CSQW133E came up",
    "R-123",
    "trace-data-lost",
    csqw133e_count=12,
)
