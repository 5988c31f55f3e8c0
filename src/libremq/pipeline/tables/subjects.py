"""The conformed tables: every subject with its columns, and the overview row of a queue manager's interval.

What the figures rest on. MQ sets its SMF 115 counters to zero after each interval, so a counter here is that of its own
interval; sixteen intervals in a row of one queue manager show it (the same small counts come back in each idle one).
Water marks are of the interval too. Only the count of page set expansions runs since the start of the queue manager, as
DISPLAY USAGE shows it; its change is worked out. Task and queue accounting covers the time between the two stamps in
the record, channel accounting the interval or the part of it for which the channel ran. The class 1 record covers the
whole life of its task, which may be hours.
"""

from __future__ import annotations

from libremq.pipeline.tables.subjects_accounting import QUEUE_ACCOUNTING, TASK_ACCOUNTING, TASK_SUMMARY
from libremq.pipeline.tables.subjects_channels import ADAPTER, CHANNEL, CHANNEL_INITIATOR, DISPATCHER, DNS, SSL_TASK
from libremq.pipeline.tables.subjects_log import LOG, PAGE_BYTES
from libremq.pipeline.tables.subjects_queue_manager import (
    BUFFER_POOL,
    DATA_MANAGER,
    LOCK,
    MESSAGE_MANAGER,
    PAGE_SET,
    QUEUE,
    STORAGE,
    STORAGE_POOL,
    TOPIC,
)
from libremq.pipeline.tables.subjects_schema import (
    COMMON_COLUMNS,
    Column,
    Kind,
    Subject,
    derived,
    pct,
    per,
    rolled,
    with_rates,
)
from libremq.pipeline.tables.subjects_sharing import CF_STRUCTURE, DB2, SMDS

__all__ = [
    "COMMON_COLUMNS",
    "PAGE_BYTES",
    "SUBJECTS",
    "Column",
    "Kind",
    "Subject",
    "column",
    "subject",
    "subjects_reading",
]

QUEUE_MANAGER_INTERVAL = Subject(
    "queue_manager_interval",
    "One queue manager in one interval: the row to read first",
    "interval",
    with_rates(
        (
            rolled("opens", "only", "message_manager.opens", "MQOPEN calls"),
            rolled("closes", "only", "message_manager.closes", "MQCLOSE calls"),
            rolled("gets", "only", "message_manager.gets", "MQGET calls"),
            rolled("puts", "only", "message_manager.puts", "MQPUT calls"),
            rolled("put1s", "only", "message_manager.put1s", "MQPUT1 calls"),
            rolled("mqi_calls", "only", "message_manager.mqi_calls", "MQI calls of all kinds"),
            rolled("messages_put", "only", "message_manager.messages_put", "messages put"),
            rolled("persistent_puts", "only", "message_manager.persistent_puts", "persistent messages put"),
            rolled("persistent_put_bytes", "only", "message_manager.persistent_put_bytes", "bytes of those"),
            rolled("nonpersistent_puts", "only", "message_manager.nonpersistent_puts", "nonpersistent messages put"),
            rolled("nonpersistent_put_bytes", "only", "message_manager.nonpersistent_put_bytes", "bytes of those"),
            rolled("gets_from_disk", "only", "data_manager.gets_from_disk", "messages read from page sets"),
            rolled("object_creates", "only", "data_manager.object_creates", "objects created"),
            rolled("log_bytes", "only", "log.log_bytes", "log data made, one copy"),
            rolled("log_bytes_written", "only", "log.log_bytes_written", "bytes written to the log, both copies"),
            rolled("log_writes", "only", "log.log_writes", "log writes, both copies"),
            rolled("log_requests", "only", "log.log_requests", "requests to the log"),
            rolled("no_log_buffer_waits", "only", "log.no_log_buffer_waits", "waits for a log buffer"),
            rolled("checkpoints", "only", "log.checkpoints", "checkpoints"),
            rolled("log_writer_busy_pct", "only", "log.log_writer_busy_pct", "log writer at work", "double", "gauge"),
            rolled("buffer_pools", "sum", "buffer_pool.1", "buffer pools", as_kind="gauge"),
            rolled("buffers", "sum", "buffer_pool.buffers", "buffers of all pools", as_kind="gauge"),
            rolled(
                "stealable_lowest_pct", "min", "buffer_pool.stealable_lowest_pct", "worst of all pools", "double", "low"
            ),
            rolled("pages_read", "sum", "buffer_pool.pages_read", "pages read from page sets"),
            rolled("pages_written", "sum", "buffer_pool.pages_written", "pages written to page sets"),
            rolled("no_buffer_suspensions", "sum", "buffer_pool.no_buffer_suspensions", "waits for a buffer"),
            rolled(
                "synchronous_write_limit_hits", "sum", "buffer_pool.synchronous_write_limit_hits", "pools over 95 %"
            ),
            rolled("page_sets", "sum", "page_set.1", "page sets", as_kind="gauge"),
            rolled("page_set_used_highest_pct", "max", "page_set.used_pct", "fullest page set", "double", "high"),
            rolled("page_set_full_events", "sum", "page_set.full_events", "times a page set was full"),
            rolled("lock_requests", "only", "lock.lock_requests", "requests for a lock"),
            rolled("db2_requests", "only", "db2.requests", "requests to Db2"),
            rolled("cf_calls", "sum", "cf_structure.calls", "calls to the coupling facility"),
            rolled("cf_redrives", "sum", "cf_structure.redrives", "calls made again"),
            rolled(
                "cf_structure_full_events", "sum", "cf_structure.structure_full_events", "times a structure was full"
            ),
            rolled("smds_ios", "sum", "smds.write_ios + read_ios + other_read_ios", "shared message data set I/O"),
            rolled("storage_failures", "only", "storage.storage_failures", "requests for storage that failed"),
            rolled("short_on_storage_events", "only", "storage.short_on_storage_events", "times storage was short"),
            rolled("publishes", "only", "topic.publishes", "publications"),
            rolled(
                "current_channels_high", "max", "channel_initiator.current_channels_high", "channels", as_kind="high"
            ),
            rolled("active_channels_high", "max", "channel_initiator.active_channels_high", "active", as_kind="high"),
            rolled("dispatcher_busiest_pct", "max", "dispatcher.busy_pct", "busiest dispatcher", "double", "high"),
            rolled(
                "dispatcher_cpu_us", "sum", "dispatcher.cpu_us", "processor time of dispatchers", as_kind="duration"
            ),
            rolled("adapter_busiest_pct", "max", "adapter.busy_pct", "busiest adapter", "double", "high"),
            rolled("adapter_cpu_us", "sum", "adapter.cpu_us", "processor time of adapters", as_kind="duration"),
            rolled("ssl_task_busiest_pct", "max", "ssl_task.busy_pct", "busiest TLS task", "double", "high"),
            rolled("ssl_task_cpu_us", "sum", "ssl_task.cpu_us", "processor time of TLS tasks", as_kind="duration"),
            rolled("channel_messages", "sum", "channel.messages", "messages over channels and client calls"),
            rolled("channel_bytes", "sum", "channel.bytes_sent + bytes_received", "bytes over channels"),
            derived("log_mb_per_second", per("log_bytes / 1048576.0", "interval_seconds"), "log data made, one copy"),
            derived(
                "persistent_put_pct",
                pct("persistent_puts", "persistent_puts + nonpersistent_puts"),
                "share of persistent messages",
            ),
            derived("log_bytes_per_message", per("log_bytes", "messages_put"), "log data for each message put"),
        )
    ),
)

SUBJECTS: dict[str, Subject] = {
    entry.name: entry
    for entry in (
        QUEUE_MANAGER_INTERVAL,
        MESSAGE_MANAGER,
        DATA_MANAGER,
        BUFFER_POOL,
        PAGE_SET,
        LOG,
        LOCK,
        DB2,
        CF_STRUCTURE,
        SMDS,
        STORAGE,
        STORAGE_POOL,
        TOPIC,
        QUEUE,
        CHANNEL_INITIATOR,
        DISPATCHER,
        ADAPTER,
        SSL_TASK,
        DNS,
        CHANNEL,
        TASK_ACCOUNTING,
        QUEUE_ACCOUNTING,
        TASK_SUMMARY,
    )
}
"""Every conformed table by name."""


def subject(name: str) -> Subject:
    """The subject of that name.

    >>> subject("buffer_pool").column("stealable_lowest_pct").expression
    '100.0 * try_divide(stealable_lowest_buffers, buffers)'
    """
    try:
        return SUBJECTS[name]
    except KeyError:
        raise ValueError(f"no table {name!r}; there are {', '.join(SUBJECTS)}") from None


def column(path: str) -> Column:
    """A column by table and name, as rules write it: `buffer_pool.pages_read`."""
    table, _, name = path.partition(".")
    return subject(table).column(name)


def subjects_reading(structure: str) -> tuple[Subject, ...]:
    """The subjects that need a raw table."""
    return tuple(entry for entry in SUBJECTS.values() if structure in entry.structures)
