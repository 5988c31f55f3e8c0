"""All rules in one list, and what the engine must know of their subjects: keys, objects, how two of them join."""

from __future__ import annotations

from libremq.pipeline.rules.data import (
    applications_rules,
    buffer_pools_rules,
    channel_initiator_rules,
    channels_rules,
    log_rules,
    page_sets_rules,
    sharing_rules,
    site_channels_rules,
    site_log_rules,
    site_other_rules,
    site_sharing_rules,
)
from libremq.pipeline.rules.rule import Rule
from libremq.pipeline.rules.settings import SITE_SUBJECTS
from libremq.pipeline.tables.subjects_schema import COMMON_COLUMNS

RULES: tuple[Rule, ...] = (
    *buffer_pools_rules.RULES,
    *page_sets_rules.RULES,
    *log_rules.RULES,
    *applications_rules.RULES,
    *sharing_rules.RULES,
    *channel_initiator_rules.RULES,
    *channels_rules.RULES,
    *site_log_rules.RULES,
    *site_sharing_rules.RULES,
    *site_channels_rules.RULES,
    *site_other_rules.RULES,
)

BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}

OBJECT_OF: dict[str, str] = {
    "buffer_pool": "pool",
    "page_set": "page_set",
    "cf_structure": "structure",
    "smds": "structure",
    "channel": "channel",
    "queue": "queue",
    "queue_accounting": "queue",
    **{subject: kind for subject, kind in SITE_SUBJECTS.items() if kind},
}
"""Whose facts in the site file belong to a row of the table."""

_OBJECT_COLUMNS: dict[str, tuple[str, ...]] = {
    "buffer_pool": ("buffer_pool",),
    "page_set": ("page_set",),
    "cf_structure": ("cf_structure",),
    "smds": ("cf_structure",),
    "channel": ("channel",),
    "queue": ("queue",),
    "queue_accounting": ("queue",),
    "task_accounting": ("task_name",),
    "task_summary": ("connection_name",),
    "dispatcher": ("position",),
    "adapter": ("position",),
    "ssl_task": ("position",),
    "dns": ("position",),
    "storage_pool": ("pool_name",),
}

_INTERVAL = (("system", "system"), ("qmgr", "qmgr"), ("interval_start", "interval_start"))

_JOINS: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("page_set", "buffer_pool"): (*_INTERVAL, ("buffer_pool", "buffer_pool")),
    ("queue_accounting", "task_accounting"): (
        *_INTERVAL,
        ("task", "task"),
        ("accounting_start", "accounting_start"),
        ("accounting_end", "accounting_end"),
    ),
}

_ONE_ROW = (
    "queue_manager_interval",
    "message_manager",
    "data_manager",
    "log",
    "lock",
    "db2",
    "storage",
    "topic",
    "channel_initiator",
)
"""Subjects with one row per queue manager and interval: any other may borrow from them."""


def object_columns(subject: str) -> tuple[str, ...]:
    """The columns that say which object a row is about."""
    return _OBJECT_COLUMNS.get(subject, ())


def setting_kind(subject: str) -> str | None:
    """The kind of object in the site file whose facts belong to the subject's rows."""
    return OBJECT_OF.get(subject)


def joins_of(subject: str, other: str) -> tuple[tuple[str, str], ...]:
    """Pairs of columns, ours and theirs, that find the row to borrow from. ValueError where there is no single one."""
    if (subject, other) in _JOINS:
        return _JOINS[subject, other]
    if other in _ONE_ROW:
        return _INTERVAL
    raise ValueError(f"a row of {subject} has no single row of {other} beside it")


def columns_of(subject: str) -> frozenset[str]:
    """The columns rules about the subject may name."""
    from libremq.pipeline.tables.subjects import SUBJECTS

    if subject in SITE_SUBJECTS:
        return frozenset({"qmgr", "object"})
    names = {column.name for column in (*COMMON_COLUMNS, *SUBJECTS[subject].columns)}
    return frozenset(names | {"object"})
