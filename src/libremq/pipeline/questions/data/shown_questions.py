"""Rows that several questions show: the tables analysts look at first."""

from __future__ import annotations

from libremq.pipeline.questions.question import Rows

_INTERVAL = ("qmgr", "interval_start")

LOG_PEAKS = Rows(
    "log",
    (*_INTERVAL, "log_mb_per_second", "log_writer_busy_pct", "log_io_busy_pct", "copy1_average_io_us", "log_copies"),
    "log_mb_per_second",
)
LOG_WRITES = Rows(
    "log",
    (
        *_INTERVAL,
        "log_mb_per_second",
        "copy1_single_page_average_io_us",
        "copy1_multi_page_average_io_us",
        "copy2_single_page_average_io_us",
        "copy2_multi_page_average_io_us",
        "pages_per_log_write",
        "log_writer_busy_pct",
    ),
    "log_writer_busy_pct",
)
CHECKPOINTS = Rows(
    "log",
    (*_INTERVAL, "checkpoints", "checkpoints_per_hour", "requests_per_checkpoint", "log_mb_per_second"),
    "checkpoints_per_hour",
)
LOG_READS = Rows(
    "log",
    (*_INTERVAL, "reads_from_buffers", "reads_from_active_log", "reads_from_archive_log", "reads_delayed"),
    "reads_from_archive_log + reads_from_active_log",
)
POOLS = Rows(
    "buffer_pool",
    (
        "buffers = highest(buffers)",
        "lowest_free_pct = lowest(stealable_lowest_pct)",
        "highest_used_pct = highest(used_highest_pct)",
        "deferred_write_starts",
        "synchronous_write_limit_hits",
        "pages_read",
        "steal_contentions",
        "no_buffer_suspensions",
    ),
    "0 - lowest(stealable_lowest_pct)",
    by=("qmgr", "buffer_pool"),
)
PAGE_SETS = Rows(
    "page_set",
    (
        "size_mb = highest(size_mb)",
        "highest_used_pct = highest(used_pct)",
        "last_used_pct = last(used_pct)",
        "full_events",
        "immediate_write_pages",
        "read_pages",
        "ios_per_second_high = highest(ios_per_second)",
    ),
    "highest(used_pct)",
    by=("qmgr", "page_set", "buffer_pool"),
)
DEEP_QUEUES = Rows(
    "queue",
    (
        "depth_high = highest(depth_high)",
        "messages_put",
        "mean_bytes = sum(bytes_put) / sum(messages_put)",
        "longest_bytes = highest(message_bytes_max)",
        "oldest_message_seconds = highest(oldest_message_seconds)",
    ),
    "highest(depth_high)",
    by=("qmgr", "queue", "page_set", "buffer_pool"),
)
STRUCTURES = Rows(
    "cf_structure",
    (
        "entries_used_high = highest(entries_used_high)",
        "elements_used_high = highest(elements_used_high)",
        "elements_per_entry = highest(elements_used_high) / highest(entries_used_high)",
        "structure_full_events",
        "calls_per_second_high = highest(calls_per_second)",
    ),
    "highest(elements_used_high)",
    by=("qmgr", "cf_structure"),
)
STRUCTURE_CALLS = Rows(
    "cf_structure",
    (
        "calls",
        "single_call_us = sum(single_call_us) / sum(single_calls)",
        "multiple_call_us = sum(multiple_call_us) / sum(multiple_calls)",
        "slowest_interval_us = highest(single_call_average_us)",
        "redrive_pct = 100 * sum(redrives) / sum(calls)",
    ),
    "sum(calls)",
    by=("qmgr", "cf_structure"),
)
SMDS = Rows(
    "smds",
    (
        "buffers = highest(buffers)",
        "buffer_bytes = highest(buffer_bytes)",
        "fewest_free = lowest(buffers_free_low)",
        "pool_waits",
        "reads_saved_pct = 100 * sum(reads_saved) / sum(reads_requested)",
        "used_high_pct = highest(used_high_pct)",
    ),
    "sum(pool_waits)",
    by=("qmgr", "cf_structure"),
)
DB2 = Rows(
    "db2",
    (
        "server_tasks = highest(server_tasks)",
        "requests",
        "thread_us = sum(thread_us) / sum(requests)",
        "request_queue_high = highest(request_queue_high)",
        "deadlocks",
        "requeues",
        "blob_inserts",
    ),
    "sum(requests)",
    by=("qmgr",),
)
INITIATORS = Rows(
    "channel_initiator",
    (
        "current_high = highest(current_channels_high)",
        "current_limit = highest(current_channels_limit)",
        "active_high = highest(active_channels_high)",
        "storage_31_mb = highest(storage_31_mb)",
        "storage_64_pct = highest(storage_64_pct)",
    ),
    "highest(current_channels_high)",
    by=("qmgr",),
)
CHANNELS = Rows(
    "channel",
    (
        "messages",
        "mean_bytes = sum(message_bytes) / sum(messages)",
        "persistent_pct = 100 * sum(persistent_messages) / sum(messages)",
        "batches",
        "messages_per_batch = sum(messages) / sum(batches)",
        "batch_size = highest(batch_size)",
        "batch_interval_ms = highest(batch_interval_ms)",
        "full_batch_pct = 100 * sum(full_batches) / sum(batches)",
    ),
    "sum(messages)",
    by=("qmgr", "channel", "channel_type"),
)
COMMITS = Rows(
    "task_accounting",
    (
        "commit_calls",
        "commit_us = sum(commit_elapsed_us) / sum(commit_calls)",
        "commit_cpu_us = sum(commit_cpu_us) / sum(commit_calls)",
        "log_forces_per_commit = sum(log_forces) / sum(commit_calls)",
        "log_force_us = sum(log_force_us) / sum(log_forces)",
    ),
    "sum(commit_elapsed_us)",
    by=("qmgr", "task_name"),
)
GETS = Rows(
    "queue_accounting",
    (
        "get_calls",
        "get_us = sum(get_elapsed_us) / sum(get_calls)",
        "get_cpu_us = sum(get_cpu_us) / sum(get_calls)",
        "failed_pct = 100 * sum(gets_failed) / sum(get_calls)",
        "skipped_per_get = sum(messages_skipped) / sum(get_calls)",
        "cf_requests_per_get = sum(get_cf_requests) / sum(get_calls)",
        "specific_gets = sum(gets_specific)",
        "depth_high = highest(depth_high)",
    ),
    "sum(get_elapsed_us)",
    by=("qmgr", "queue", "task_name", "index_type"),
)
SERVERS = Rows(
    "queue_accounting",
    (
        "gets_destructive",
        "get_us = sum(get_elapsed_us) / sum(get_calls)",
        "put_calls = sum(put_calls + put1_calls)",
        "put_us = sum(put_elapsed_us) / sum(put_calls)",
        "depth_high = highest(depth_high)",
    ),
    "sum(gets_destructive)",
    by=("qmgr", "queue", "task_name"),
)
CALLS = Rows(
    "message_manager",
    (
        *_INTERVAL,
        "messages_put_per_second",
        "persistent_put_pct",
        "persistent_message_bytes",
        "nonpersistent_message_bytes",
        "gets_per_put",
        "opens_per_message",
    ),
    "messages_put_per_second",
)
