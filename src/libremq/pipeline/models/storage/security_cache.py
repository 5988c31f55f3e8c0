"""The cache of users and what they may do: its storage, and when a user leaves it."""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, larger, rounded_up
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import KB

USER_KB: Final = 8.8
"""With the first queue [L2319]."""
USER_REAL_KB: Final = 4.66
"""The part of it that is typically backed by real storage [L2392]."""
QUEUE_BYTES: Final = 405
TIMEOUT_MINUTES: Final = 54
INTERVAL_MINUTES: Final = 12


@model("security", "R-VST-01", "L2319-L2323", "KB")
def security_cache_kb(
    users: Quantity, queues_per_user: Quantity = 1, user_kb: Quantity = USER_KB, queue_bytes: Quantity = QUEUE_BYTES
) -> Any:
    """Storage of the users in the cache; taken 1 MB at a time [L2319] (R-VST-01)."""
    return users * (user_kb + larger(0, queues_per_user - 1) * queue_bytes / KB)


@model("security", "R-VST-01", "L2391-L2392", "KB")
def security_cache_real_kb(users: Quantity, real_kb: Quantity = USER_REAL_KB) -> Any:
    """Real storage behind the users in the cache, one queue each [L2392] (R-VST-01)."""
    return users * real_kb


@model("security", "R-VST-02", "L2284-L2298", "minutes")
def user_discard_minute(
    last_use_minute: Quantity,
    timeout_minutes: Quantity = TIMEOUT_MINUTES,
    interval_minutes: Quantity = INTERVAL_MINUTES,
) -> Any:
    """When a user leaves the cache: at the first sweep after the timeout, sweeps counted from 0 [L2284] (R-VST-02)."""
    return rounded_up((last_use_minute + timeout_minutes) / interval_minutes) * interval_minutes


@model("security", "R-VST-02", "L2284-L2298", "minutes")
def user_discard_minutes_max(
    timeout_minutes: Quantity = TIMEOUT_MINUTES, interval_minutes: Quantity = INTERVAL_MINUTES
) -> Any:
    """Longest time a user stays in the cache after the last use [L2284] (R-VST-02)."""
    return timeout_minutes + interval_minutes
