"""How many active logs, how large, and what their set-up does to the rate they take.

Advice such as "at least four logs" is a rule and lives with the rules; here is what such a rule compares with.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, chosen, larger, ratio, rounded_down, rounded_up, smaller
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import KB, MB, SECONDS_PER_HOUR

ACTIVE_LOGS_MIN: Final = 4
"""Fewer are advised against [L615]."""
ACTIVE_LOG_HOURS: Final = 24
"""What the active logs should hold between them [L584]."""
FILL_MINUTES_MIN: Final = 30
"""A log that fills faster at the peak is too small [L631]."""

TRACKS_PER_CYLINDER: Final = 15
TRACK_BYTES: Final = 56_664
"""Raw capacity of a 3390 track. With 4 KB blocks 12 fit, which is 49,152 bytes."""
TRACK_BYTES_IN_4K_BLOCKS: Final = 12 * 4 * KB

SINGLE_LOGGING_GAIN_MIN: Final = 0.05
SINGLE_LOGGING_GAIN_MAX: Final = 0.50
"""Persistent work on redundant DASD [L602]."""

UNFORMATTED_RATE_LOSS: Final = 0.50
UNFORMATTED_RESPONSE_GROWTH: Final = 0.33
UNFORMATTED_THROUGHPUT_LOSS: Final = 0.25
"""First use of a log that was not pre-formatted; the last two for one thread [L671]."""

EIGHT_BYTE_RBA_GROWTH: Final = 0.07
"""1 KB requests with 4 KB replies [L683]."""
EIGHT_BYTE_RBA_GROWTH_64K_REPLY: Final = 0.02

ZHYPERLINK_RATE_GAIN: Final = 3.0
"""Peak log rate against asynchronous writes on a quiet system [L693]."""
ZHYPERLINK_RATE_GAIN_OVERLOADED_PATHS: Final = 5.9
"""The same, coming from overloaded channel paths [L701]."""


@model("log", "R-LOG-02", "L584-L615", "hours")
def active_log_hours(active_logs: Quantity, log_mb: Quantity, log_mb_per_hour: Quantity) -> Any:
    """Hours of logging that all active logs hold [L584] (R-LOG-02)."""
    return ratio(active_logs * log_mb, log_mb_per_hour)


@model("log", "R-LOG-02", "L584-L615", "logs")
def active_logs_needed(
    log_mb: Quantity,
    log_mb_per_hour: Quantity,
    hours: Quantity = ACTIVE_LOG_HOURS,
    logs_min: Quantity = ACTIVE_LOGS_MIN,
) -> Any:
    """Active logs that hold this many hours of logging, never below the least advised [L584, L615] (R-LOG-02)."""
    return larger(logs_min, rounded_up(log_mb_per_hour * hours / log_mb))


@model("log", "R-LOG-03", "L615", "seconds")
def log_fill_seconds(log_mb: Quantity, log_mb_per_second: Quantity) -> Any:
    """Time in which one log fills at this rate [L615] (R-LOG-03)."""
    return ratio(log_mb, log_mb_per_second)


@model("log", "R-LOG-03", "L615", "seconds")
def log_archive_seconds(log_mb: Quantity, archive_mb_per_second: Quantity, mount_seconds: Quantity = 0) -> Any:
    """Time to copy one filled log to its archive, with the tape mount if there is one [L615] (R-LOG-03)."""
    return ratio(log_mb + mount_seconds * archive_mb_per_second, archive_mb_per_second)


@model("log", "R-LOG-04", "L631", "MB")
def log_mb_for_fill_time(log_mb_per_second: Quantity, fill_minutes: Quantity = FILL_MINUTES_MIN) -> Any:
    """Smallest log that lasts this long at the peak rate [L631] (R-LOG-04)."""
    return log_mb_per_second * fill_minutes * 60


@model("log", "R-LOG-05", "L633", "cylinders", derived=True)
def log_cylinders(log_bytes: Quantity, track_bytes: Quantity = TRACK_BYTES_IN_4K_BLOCKS) -> Any:
    """3390 cylinders that a log of this size takes in 4 KB blocks [L619, L633] (R-LOG-05, X-21)."""
    return rounded_up(log_bytes / (track_bytes * TRACKS_PER_CYLINDER))


@model("log", "R-LOG-06", "L619-L627", "tracks", derived=True)
def log_tracks(log_bytes: Quantity, track_bytes: Quantity = TRACK_BYTES_IN_4K_BLOCKS) -> Any:
    """3390 tracks that a log of this size takes in 4 KB blocks [L619, L625] (R-LOG-06, X-21)."""
    return rounded_up(log_bytes / track_bytes)


@model("log", "R-LOG-06", "L619", "MB", derived=True)
def log_mb_in_tracks(tracks: Quantity, track_bytes: Quantity = TRACK_BYTES) -> Any:
    """Size of a log of so many 3390 tracks, by their raw capacity [L619] (R-LOG-06, X-21)."""
    return tracks * track_bytes / MB


@model("log", "R-LOG-11", "L643", "volumes", derived=True)
def log_volumes_without_neighbours(active_logs: Quantity, copies: Quantity = 2) -> Any:
    """Volumes on which no two logs next to each other in the ring share one [L643] (R-LOG-11).

    A ring of even length needs two volumes a copy, an odd one three.
    """
    is_even = active_logs - 2 * rounded_down(active_logs / 2) == 0
    return copies * smaller(active_logs, chosen(is_even, 2, 3))


@model("log", "R-LOG-13", "L602", "MB/s")
def single_logging_mb_per_second(
    dual_logging_mb_per_second: Quantity, gain_fraction: Quantity = SINGLE_LOGGING_GAIN_MAX
) -> Any:
    """Highest log rate after going from dual to single logging on redundant DASD [L602] (R-LOG-13)."""
    return dual_logging_mb_per_second * (1 + gain_fraction)


@model("log", "R-LOG-15", "L657-L665", "allocation units")
def striped_archive_quantity(quantity: Quantity, stripes: Quantity) -> Any:
    """PRIQTY or SECQTY of a striped archive, which is allocated once for each stripe [L657] (R-LOG-15)."""
    return rounded_up(quantity / stripes)


@model("log", "R-LOG-16", "L671", "MB/s")
def unformatted_log_mb_per_second(log_mb_per_second: Quantity, loss_fraction: Quantity = UNFORMATTED_RATE_LOSS) -> Any:
    """Lowest peak rate while a log that was not pre-formatted is used for the first time [L671] (R-LOG-16)."""
    return log_mb_per_second * (1 - loss_fraction)


@model("log", "R-LOG-16", "L671", "seconds")
def unformatted_log_response_seconds(
    response_seconds: Quantity, growth_fraction: Quantity = UNFORMATTED_RESPONSE_GROWTH
) -> Any:
    """Response time of one thread on a log that was not pre-formatted [L671] (R-LOG-16)."""
    return response_seconds * (1 + growth_fraction)


@model("log", "R-LOG-16", "L671", "transactions/s")
def unformatted_log_transactions_per_second(
    transactions_per_second: Quantity, loss_fraction: Quantity = UNFORMATTED_THROUGHPUT_LOSS
) -> Any:
    """Throughput of one thread on a log that was not pre-formatted [L671] (R-LOG-16)."""
    return transactions_per_second * (1 - loss_fraction)


@model("log", "R-LOG-17", "L683", "bytes")
def log_bytes_with_8_byte_rba(
    log_bytes_with_6_byte_rba: Quantity, growth_fraction: Quantity = EIGHT_BYTE_RBA_GROWTH
) -> Any:
    """Log volume after the change from 6-byte to 8-byte log addresses [L683] (R-LOG-17)."""
    return log_bytes_with_6_byte_rba * (1 + growth_fraction)


@model("log", "R-LOG-18", "L693-L701", "MB/s")
def zhyperlink_log_mb_per_second_max(
    asynchronous_mb_per_second: Quantity, gain: Quantity = ZHYPERLINK_RATE_GAIN
) -> Any:
    """Highest log rate to hope for from zHyperLink writes instead of asynchronous ones [L693] (R-LOG-18)."""
    return asynchronous_mb_per_second * gain


@model("log", "R-LOG-20", "L1217-L1219", "MB/h")
def log_mb_per_hour_from_fill(log_mb: Quantity, hours_to_fill: Quantity) -> Any:
    """Log rate told from how long a log took to fill [L1217] (R-LOG-20)."""
    return ratio(log_mb, hours_to_fill)


@model("log", "R-LOG-20", "L1217-L1219", "MB/h")
def log_mb_per_hour(log_bytes_per_second: Quantity) -> Any:
    """Log rate in the unit in which backups are planned [L1217] (R-LOG-20)."""
    return log_bytes_per_second * SECONDS_PER_HOUR / MB
