"""Compression in hardware for archive logs and SMF: what the peak gains, what reading back costs."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, Word, interpolated, looked_up, ratio, scaled
from libremq.pipeline.models.registry import model

# Dual log and archive, 3906-7E1, DS8870, FICON 16S: percent more than uncompressed, by message KB [L5130-L5136].
THROUGHPUT_GAIN_MAX = ((4.0, 0.0), (32.0, 4.0), (1024.0, 72.0), (4096.0, 94.0))
TCB_INCREASE_MAX = ((4.0, 4.0), (32.0, 4.0), (1024.0, 7.0), (4096.0, 10.0))

# RECOVER CFSTRUCT of 4 GB, MQ 9.3, 8561-7A1 with three processors, single log and archive [L5138-L5148].
RECOVERY_MB_PER_SECOND = {"active": 370.0, "archive": 60.0, "compressed archive": 18.0}
RECOVERY_CPU_MS_PER_MB = {"archive": 1.7, "compressed archive": 2.4}

SMF_FACTORS = {"data sets": 1.0, "log streams": 2.0, "compressed log streams": 2.0 * 3.8}


@model("archive_compression", "R-119", "L5121-L5136", "percent", derived=True)
def compressed_archive_gain_pct_max(message_kb: Quantity) -> Any:
    """How much more may be logged at the peak with compressed archives? [L5134] R-119, T-18."""
    return interpolated(message_kb, THROUGHPUT_GAIN_MAX, level_below=True, level_above=True)


@model("archive_compression", "R-119", "L5130-L5136", "percent", derived=True)
def compressed_archive_tcb_pct_max(message_kb: Quantity) -> Any:
    """How much more TCB time may the queue manager take with compressed archives? [L5133] R-119, T-18."""
    return interpolated(message_kb, TCB_INCREASE_MAX, level_below=True, level_above=True)


@model("archive_compression", "R-120", "L5138-L5148", "MB/s")
def log_read_mb_per_second(source: Word) -> Any:
    """How fast does recovery read "active", "archive", "compressed archive" logs? [L5140] R-119, T-19."""
    return looked_up(source, RECOVERY_MB_PER_SECOND)


@model("archive_compression", "R-120", "L5138-L5148", "seconds", derived=True)
def log_read_seconds(log_mb: Quantity, source: Word) -> Any:
    """How long does recovery take to read so much log? [L5140] R-120."""
    return ratio(1.0 * log_mb, log_read_mb_per_second(source))


@model("archive_compression", "R-119", "L5138-L5148", "seconds")
def log_read_cpu_seconds(log_mb: Quantity, source: Word) -> Any:
    """What CPU does recovery take for so much "archive" or "compressed archive"? [L5142] R-119, T-19."""
    return scaled(log_mb / 1000.0, looked_up(source, RECOVERY_CPU_MS_PER_MB))


@model("archive_compression", "R-123", "L5242-L5254", "records/s")
def smf_records_per_second_max(data_set_records_per_second: Quantity, target: Word) -> Any:
    """What can SMF take: "data sets", "log streams", "compressed log streams"? [L5254] R-123."""
    return scaled(data_set_records_per_second, looked_up(target, SMF_FACTORS))
