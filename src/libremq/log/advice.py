"""What the figures of a log tell a person to do. The rules are data; to add one is to add a row.

Each rule has an id, a condition on the figures, and a text in which the figures are filled in. Nothing here acts.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from libremq.log.log_statistics import LogStatistics
from libremq.log.pages import PAGE_BYTES

SLOW_WRITE_US = 10_000
"""A write in tens of milliseconds is a matter for whoever looks after the storage."""

BUFFER_NEAR_PERCENT = 80
"""A largest write of this share of the buffer means that the buffer has been full, or nearly."""


class Finding(NamedTuple):
    """Something worth doing. `values` are the figures that the text was made with."""

    id: str
    text: str
    values: dict[str, Any]


class _Rule(NamedTuple):
    id: str
    applies: Callable[[dict[str, Any]], bool]
    text: str


_RULES = (
    _Rule(
        "SECONDARIES_IN_USE",
        lambda v: v["file_count"] > v["primary_files"],
        "The active log has {file_count} extents, more than its {primary_files} primaries. Secondaries are made when "
        "they are needed, which makes somebody wait: set LogPrimaryFiles={file_count} and restart.",
    ),
    _Rule(
        "BUFFER_NEARLY_FULL",
        lambda v: v["write_size_max"] * 100 >= v["buffer_bytes"] * BUFFER_NEAR_PERCENT,
        "The largest write was {write_size_max} bytes, and the log buffer has {buffer_bytes}. Units of work wait for a "
        "full buffer: set LogBufferPages={buffer_pages_advised} and restart.",
    ),
    _Rule(
        "SLOW_WRITE",
        lambda v: v["write_time_max_us"] >= SLOW_WRITE_US,
        "A write to the log took {write_time_max_ms:.1f} ms, at {moment} UTC; the "
        "average is {write_time_long_us} microseconds. Look at the device of the log together with those who run it.",
    ),
    _Rule(
        "PUTS_OUTSIDE_SYNCPOINT",
        lambda v: v["puts_outside_syncpoint"] > 0,
        "{puts_outside_syncpoint} persistent messages were put outside syncpoint. Each waits for a force of its own: "
        "put several in one unit of work (MQPMO_SYNCPOINT).",
    ),
)


def findings(statistics: LogStatistics, *, puts_outside_syncpoint: int = 0) -> list[Finding]:
    """What to do about a log with these figures; nothing if all is well.

    `puts_outside_syncpoint` counts persistent ones; the log cannot tell them from others, the queue manager can.
    """
    values: dict[str, Any] = {
        "file_count": statistics.file_count,
        "primary_files": statistics.primary_files,
        "write_size_max": statistics.write_size_max,
        "buffer_bytes": statistics.buffer_bytes,
        "buffer_pages_advised": min(4096, 2 * statistics.buffer_bytes // PAGE_BYTES),
        "write_time_max_us": statistics.write_time_max_us,
        "write_time_max_ms": statistics.write_time_max_us / 1000,
        "write_time_max_at": statistics.write_time_max_at,
        "write_time_long_us": statistics.write_time_long_us,
        "puts_outside_syncpoint": puts_outside_syncpoint,
    }
    moment = datetime.fromtimestamp(statistics.write_time_max_at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return [
        Finding(rule.id, rule.text.format(**values, moment=moment), values) for rule in _RULES if rule.applies(values)
    ]
