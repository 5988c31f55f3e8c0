"""What the disks under the log carry: bounds by device, single and dual, stripes, zHPF, mirrored writes, saturation."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import (
    Flag,
    Quantity,
    Word,
    chosen,
    interpolated,
    larger,
    looked_up,
    ratio,
    scaled,
)
from libremq.pipeline.models.registry import model

PLANNED_SHARE = 0.50

# MB/s of log data, dual logging, one message a commit on put and get, by message KB [L4983-L5003]. The rows before
# DS8870 are of other MQ releases and machines: do not compare them with the later ones [L5001].
LOG_RATES = {
    "RVA-T82": ((1.0, 2.3), (5.0, 2.8)),
    "ESS E20 ESCON": ((1.0, 5.3), (5.0, 7.1)),
    "ESS F20 ESCON": ((1.0, 7.1), (5.0, 10.2), (1024.0, 11.3)),
    "ESS F20 FICON": ((1.0, 7.4), (5.0, 13.0), (1024.0, 15.6)),
    "ESS 800": ((1.0, 10.0), (5.0, 16.5), (1024.0, 24.0)),
    "DS8000 RAID 5": ((1.0, 14.9), (5.0, 36.0), (1024.0, 68.1)),
    "DS8000 RAID 10": ((1.0, 15.6), (5.0, 36.1), (1024.0, 68.6)),
    "DS8800 RAID 5": ((1.0, 32.1), (5.0, 62.4), (1024.0, 128.7)),
    "DS8870 RAID 5, 4 stripes": ((1.0, 47.8), (5.0, 98.5), (1024.0, 215.0)),
    "DS8870 RAID 5, 4 stripes, zHPF": ((1.0, 64.7), (5.0, 136.4), (1024.0, 337.5)),
    "DS8900F RAID 5, 4 stripes": ((1.0, 95.0), (5.0, 193.0), (1024.0, 404.0)),
    "DS8900F RAID 5, 4 stripes, zHPF": ((1.0, 112.0), (5.0, 243.0), (1024.0, 445.0)),
}
SINGLE_GAIN = ((1.0, 0.05), (1024.0, 0.50))
SINGLE_GAIN_CONSTRAINED = 0.80
STRIPED_GAIN_MAX = 0.50
STRIPED_FROM_BYTES = 64 * 1024
ZHPF_FACTORS = {"channel path": 2.0, "disk": 1.17, "large and striped": 1.55}


@model("log_device", "R-110", "L4983-L5003", "MB/s", derived=True)
def log_device_mb_per_second_max(device: Word, message_kb: Quantity) -> Any:
    """How much persistent data can a device log at its peak, dual logging? [L4985] R-110, T-17.

    Straight lines between 1 KB, 5 KB and 1 MB, which is cautious between the last two.
    """
    answer: Any = None
    for name, points in LOG_RATES.items():
        answer = chosen(device == name, interpolated(message_kb, points, level_below=True, level_above=True), answer)
    return answer


@model("log_device", "R-110", "L5003", "MB/s")
def log_device_mb_per_second_planned(peak_mb_per_second: Quantity, share: Quantity = PLANNED_SHARE) -> Any:
    """How much of the peak should a plan use? [L5003] R-110."""
    return peak_mb_per_second * share


@model("log_device", "R-111", "L5007", "MB/s", derived=True)
def single_log_mb_per_second_max(dual_mb_per_second: Quantity, message_kb: Quantity) -> Any:
    """How much more does single logging carry: a twentieth at 1 KB, half as much again at 1 MB? [L5007] R-111."""
    return dual_mb_per_second * (1 + interpolated(message_kb, SINGLE_GAIN, level_below=True, level_above=True))


@model("log_device", "R-111", "L5007", "MB/s")
def single_log_mb_per_second_constrained(dual_mb_per_second: Quantity, gain: Quantity = SINGLE_GAIN_CONSTRAINED) -> Any:
    """How much may single logging carry where the disks hold dual logging back? [L5007] R-111."""
    return dual_mb_per_second * (1 + gain)


@model("log_device", "R-112", "L5011-L5023", "MB/s")
def striped_log_mb_per_second_max(
    unstriped_mb_per_second: Quantity, message_bytes: Quantity, gain: Quantity = STRIPED_GAIN_MAX
) -> Any:
    """How much may a striped log carry on DS8900F? Messages below 64 KB gain nothing sure. [L5023] R-112."""
    return unstriped_mb_per_second * chosen(message_bytes >= STRIPED_FROM_BYTES, 1 + gain, 1.0)


@model("log_device", "R-113", "L5013", "seconds", derived=True)
def active_logs_full_seconds(
    active_logs_mb: Quantity, log_mb_per_second: Quantity, archive_mb_per_second: Quantity
) -> Any:
    """When are all active logs full, if logging outruns archiving? None: it does not. [L5013] R-113."""
    return ratio(1.0 * active_logs_mb, larger(log_mb_per_second - archive_mb_per_second, 0))


@model("log_device", "R-114", "L5045-L5047", "MB/s")
def zhpf_log_mb_per_second_max(mb_per_second: Quantity, bound: Word) -> Any:
    """What does zHPF make of a rate held by "channel path", "disk", or "large and striped"? [L5045] R-114."""
    return scaled(mb_per_second, looked_up(bound, ZHPF_FACTORS))


@model("log_device", "R-117", "L5691-L5697, L5781-L5787", "MB")
def written_mb_per_logged_mb(active_copies: Quantity, archive_copies: Quantity, mirrored: Flag = False) -> Any:
    """How much is written for each MB logged, over active and archive copies and mirrors? [L5691] R-117."""
    return active_copies * chosen(mirrored, 2, 1) + archive_copies


@model("log_device", "R-117", "L5691-L5697, L5781-L5787", "MB/s")
def written_mb_per_second(
    logged_mb_per_second: Quantity, active_copies: Quantity, archive_copies: Quantity, mirrored: Flag = False
) -> Any:
    """How much must the disks write for a log rate? [L5697] R-117."""
    return logged_mb_per_second * written_mb_per_logged_mb(active_copies, archive_copies, mirrored)


@model("log_device", "R-118", "L5761", "percent")
def cache_bypass_pct(bypassed_writes_per_second: Quantity, io_per_second: Quantity) -> Any:
    """Which share of I/O went past the write cache (DFWBP)? Over 1 the cache is full. [L5761] R-118."""
    return ratio(100.0 * bypassed_writes_per_second, io_per_second)


@model("log_device", "R-121", "L5202-L5228", "times")
def log_copy_skew(copy2_io_us: Quantity, copy1_io_us: Quantity) -> Any:
    """How much slower is the second copy of the log than the first? [L5204] R-121."""
    return ratio(1.0 * copy2_io_us, copy1_io_us)


@model("log_device", "T-20", "L5202-L5228", "seconds", derived=True)
def log_io_seconds(
    single_page_writes: Quantity, single_page_us: Quantity, multi_page_writes: Quantity, multi_page_us: Quantity
) -> Any:
    """How long was a log copy busy with I/O in an interval? [L5204] T-20, R-116."""
    return (single_page_writes * single_page_us + multi_page_writes * multi_page_us) / 1000000.0


@model("log_device", "T-20", "L5202-L5228, L5600-L5606", "percent", derived=True)
def log_io_busy_pct(io_seconds: Quantity, interval_seconds: Quantity) -> Any:
    """How busy was a log copy with I/O? Near 100 the log is the bound. [L5600] R-116, T-20."""
    return ratio(100.0 * io_seconds, interval_seconds)
