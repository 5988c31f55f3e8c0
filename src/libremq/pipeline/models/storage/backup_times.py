"""How often to back up page sets and structures, and how long it takes to come back from a copy."""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, chosen, larger, ratio, rounded_down, smaller
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.storage.read_rates import (
    PLANNING_MB_PER_SECOND,
    RESTART_FORWARD_BYTES_PER_SECOND,
    STRUCTURE_RECOVERY_MB_PER_SECOND,
)
from libremq.pipeline.models.units import GB, KB, MB, SECONDS_PER_HOUR

MESSAGE_OVERHEAD_KB: Final = 1.3
RECEIVED_BATCH_KB: Final = 1.4
SENT_BATCH_KB: Final = 2.5
"""Log data beside the message, for planning backups [L934-L938]."""

FUZZY_CHECKPOINTS: Final = 3
"""A copy taken while the queue manager ran may need so many more checkpoints of log [L1421]."""

MAXARCH_MAX: Final = 1000
LOG_BYTES_MAX: Final = 4 * GB

STRUCTURE_BACKUP_CPU_US: Final = 2.5
"""For each 1 KB message, at most, 8561-703 [L2716]."""
STRUCTURE_BACKUP_MB_PER_SECOND: Final = 290
STRUCTURE_BACKUP_MB_PER_SECOND_SMDS: Final = 13
"""Messages held in shared message data sets [L2718]."""
STRUCTURE_RESTORE_MESSAGES_PER_SECOND: Final = 100_000
"""1 KB messages from a copy on an active log, DS8900F [L2731]."""


@model("recovery", "R-REC-01", "L1164-L1166", "hours")
def page_set_backup_interval_hours(
    restart_seconds: Quantity, log_mb_per_hour: Quantity, read_mb_per_second: Quantity = PLANNING_MB_PER_SECOND
) -> Any:
    """Longest time between page set backups that lets restart keep its target [L1164] (R-REC-01)."""
    return ratio(restart_seconds * read_mb_per_second, log_mb_per_hour)


@model("recovery", "R-REC-02", "L1168-L1176", "MB/h")
def local_log_mb_per_hour(
    messages_per_second: Quantity, message_bytes: Quantity, overhead_kb: Quantity = MESSAGE_OVERHEAD_KB
) -> Any:
    """Log data an hour of persistent messages put and got locally [L1168] (R-REC-02)."""
    return messages_per_second * (message_bytes + overhead_kb * KB) * SECONDS_PER_HOUR / MB


@model("recovery", "R-REC-03", "L1196-L1207", "MB/h")
def channel_request_reply_log_mb_per_hour(
    pairs_per_second: Quantity,
    message_bytes: Quantity,
    overhead_kb: Quantity = MESSAGE_OVERHEAD_KB,
    received_batch_kb: Quantity = RECEIVED_BATCH_KB,
    sent_batch_kb: Quantity = SENT_BATCH_KB,
) -> Any:
    """Log data an hour of persistent requests received and replies sent, one a batch [L1196] (R-REC-03)."""
    pair_bytes = 2 * (message_bytes + overhead_kb * KB) + (received_batch_kb + sent_batch_kb) * KB
    return pairs_per_second * pair_bytes * SECONDS_PER_HOUR / MB


@model("recovery", "R-REC-04", "L1180-L1182", "GB")
def log_gb_since_backup(interval_hours: Quantity, log_mb_per_hour: Quantity) -> Any:
    """Log data to keep and replay for this time between backups [L1182] (R-REC-04)."""
    return interval_hours * log_mb_per_hour * MB / GB


@model("recovery", "R-REC-05", "L1184-L1188", "hours", derived=True)
def effective_backup_interval_hours(
    restart_seconds: Quantity,
    log_mb_per_hour: Quantity,
    active_log_mb: Quantity,
    read_mb_per_second: Quantity = PLANNING_MB_PER_SECOND,
) -> Any:
    """The same if recovery shall also find all it needs in the active logs [L1184] (R-REC-05)."""
    by_target = restart_seconds * read_mb_per_second
    return ratio(smaller(by_target, active_log_mb), log_mb_per_hour)


@model("recovery", "R-REC-06", "L922-L926", "seconds")
def total_recovery_seconds(reaction_seconds: Quantity, restore_seconds: Quantity, restart_seconds: Quantity) -> Any:
    """From the failure to the end of restart: noticing, restoring, restarting [L922] (R-REC-06)."""
    return reaction_seconds + restore_seconds + restart_seconds


@model("recovery", "R-REC-09", "L1418-L1426", "seconds")
def media_recovery_seconds(
    failure_rba: Quantity,
    backup_rba: Quantity = 0,
    fuzzy_log_bytes: Quantity = 0,
    read_bytes_per_second: Quantity = RESTART_FORWARD_BYTES_PER_SECOND,
) -> Any:
    """Time to read the log since a page set's copy; one made anew needs it from 0 [L1418] (R-REC-09, R-RST-10)."""
    return ratio(failure_rba - backup_rba + fuzzy_log_bytes, read_bytes_per_second)


@model("recovery", "R-REC-09", "L1421", "bytes")
def fuzzy_backup_log_bytes(checkpoint_log_bytes: Quantity, checkpoints: Quantity = FUZZY_CHECKPOINTS) -> Any:
    """Log before the backup's address that a copy taken while running may need [L1421] (R-REC-09)."""
    return checkpoint_log_bytes * checkpoints


@model("recovery", "R-REC-10", "L1194", "days")
def days_between_backups(interval_hours: Quantity, application_hours_per_day: Quantity) -> Any:
    """Whole days between backups, counting the hours in which work is done; below one, as it is [L1194] (R-REC-10)."""
    days = interval_hours / application_hours_per_day
    return chosen(days >= 1, rounded_down(days), days)


@model("recovery", "R-REC-11", "L2731-L2741", "hours")
def structure_backup_interval_hours(
    replay_seconds: Quantity,
    log_mb_per_second: Quantity,
    read_mb_per_second: Quantity = STRUCTURE_RECOVERY_MB_PER_SECOND,
) -> Any:
    """Longest time between structure backups; the busiest queue manager's log decides [L2731] (R-REC-11, R-REC-16)."""
    return ratio(replay_seconds * read_mb_per_second / SECONDS_PER_HOUR, log_mb_per_second)


@model("recovery", "R-REC-11", "L2731", "GB")
def log_gb_replayed(replay_seconds: Quantity, read_mb_per_second: Quantity = STRUCTURE_RECOVERY_MB_PER_SECOND) -> Any:
    """Log data that structure recovery reads backward in this time [L2731] (R-REC-11)."""
    return replay_seconds * read_mb_per_second * MB / GB


@model("recovery", "R-REC-16", "L2725", "seconds")
def structure_replay_seconds(
    longest_log_bytes: Quantity, read_mb_per_second: Quantity = STRUCTURE_RECOVERY_MB_PER_SECOND
) -> Any:
    """Time to replay a structure's changes; all logs are read at once, the longest decides [L2725] (R-REC-16)."""
    return ratio(longest_log_bytes / MB, read_mb_per_second)


@model("recovery", "R-REC-13", "L2756", "bytes")
def backup_storage_bytes(maxarch: Quantity, active_logs: Quantity, log_bytes: Quantity = LOG_BYTES_MAX) -> Any:
    """Storage configured for a structure backup, recorded archives and active logs [L2756] (R-REC-13).

    An upper bound: what is in an active log and in its archive counts twice here.
    """
    return (maxarch + active_logs) * log_bytes


@model("recovery", "R-REC-13", "L2752-L2753", "bytes")
def recorded_archive_bytes(maxarch: Quantity = MAXARCH_MAX, log_bytes: Quantity = LOG_BYTES_MAX) -> Any:
    """Largest structure backup that recorded archives alone can bring back [L2753] (R-REC-13)."""
    return maxarch * log_bytes


@model("recovery", "R-REC-13", "L2753", "logs")
def archive_only_logs(maxarch: Quantity, active_logs: Quantity) -> Any:
    """Recorded archives whose data no active log has; the current log is not archived yet [L2753] (R-REC-13)."""
    return larger(0, maxarch - (active_logs - 1))


@model("recovery", "R-REC-14", "L2716", "CPU seconds")
def structure_backup_cpu_seconds(messages: Quantity, cpu_us: Quantity = STRUCTURE_BACKUP_CPU_US) -> Any:
    """CPU of a structure backup at most, wherever the messages are held [L2716] (R-REC-14)."""
    return messages * cpu_us / 1_000_000


@model("recovery", "R-REC-14", "L2718", "seconds")
def structure_backup_seconds(backup_mb: Quantity, mb_per_second: Quantity = STRUCTURE_BACKUP_MB_PER_SECOND) -> Any:
    """Time of a structure backup; data held in SMDS goes far slower [L2718] (R-REC-14)."""
    return ratio(backup_mb, mb_per_second)


@model("recovery", "R-REC-14", "L2731", "seconds")
def structure_restore_seconds(
    messages: Quantity, messages_per_second: Quantity = STRUCTURE_RESTORE_MESSAGES_PER_SECOND
) -> Any:
    """Time to bring a structure's copy back from an active log, before the replay [L2731] (R-REC-14)."""
    return ratio(messages, messages_per_second)
