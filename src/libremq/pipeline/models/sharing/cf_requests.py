"""Requests to the coupling facility: duplexing, asynchronous calls, and reads driven again for a larger buffer.

What the source measured at two load levels only (4.4 us at 20 % busy, 9.9 us at 70 %) is no formula and not here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, chosen, ratio, rounded_up, smaller
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import KB

DUPLEX_US_PER_KM: Final = 22.5
"""Middle of 200 to 250 us for 10 km [L2813]."""
DUPLEX_PRIMARY_FACTOR: Final = 2.0


@dataclass(frozen=True, slots=True)
class DuplexEffect:
    """What duplexing did in one measurement, as shares (2084-303, local request and reply in syncpoint)."""

    structures: str
    link: str
    persistent: bool
    message_bytes: int
    throughput_loss: float | None = None
    cpu_growth: float | None = None


DUPLEX_EFFECTS: Final = (
    DuplexEffect("CSQ_ADMIN", "ICP", False, 1 * KB, throughput_loss=0.30),
    DuplexEffect("CSQ_ADMIN", "ICP", False, 32 * KB, throughput_loss=0.20),
    DuplexEffect("CSQ_ADMIN", "ICP", True, 1 * KB, throughput_loss=0.25),
    DuplexEffect("CSQ_ADMIN", "ICP", True, 32 * KB, throughput_loss=0.12),
    DuplexEffect("CSQ_ADMIN", "CFP", False, 1 * KB, throughput_loss=0.18),
    DuplexEffect("CSQ_ADMIN", "CFP", False, 63 * KB, throughput_loss=0.18),
    DuplexEffect("both", "", False, 1 * KB, throughput_loss=0.40, cpu_growth=0.30),
    DuplexEffect("both", "", False, 10 * KB, throughput_loss=0.50),
    DuplexEffect("both", "", False, 32 * KB, cpu_growth=0.25),
    DuplexEffect("both", "", True, 1 * KB, throughput_loss=0.0, cpu_growth=0.15),
    DuplexEffect("both", "", True, 32 * KB, throughput_loss=0.10, cpu_growth=0.12),
)
"""[L2826-L2867]: coefficients for the two models that follow them."""

BUFFER_BYTES_FIRST: Final = 4 * KB
BUFFER_BYTES_MAX: Final = 63 * KB
BUFFER_BYTES_SMALL: Final = (256, 512, 1024, 2048)
SHRINK_AFTER_V6: Final = 1
SHRINK_AFTER: Final = 10
"""Gets in a row with too large a buffer before it shrinks, V6, and V7 and later [L2944-L2960]."""
REDRIVE_COST_GROWTH: Final = 0.035
"""3 to 4 % against one size, two gets in five of the other (V6, z10) [L2968-L2991]."""


@model("cf_request", "R-CF-15", "L2813", "us")
def duplex_distance_us(distance_km: Quantity, us_per_km: Quantity = DUPLEX_US_PER_KM) -> Any:
    """What the distance between duplexed coupling facilities adds to each update [L2813] (R-CF-15)."""
    return distance_km * us_per_km


@model("cf_request", "R-CF-15", "L2822", "CF CPU us")
def duplexed_primary_cf_us(simplex_cf_us: Quantity, factor: Quantity = DUPLEX_PRIMARY_FACTOR) -> Any:
    """CPU of the primary's facility for updates once duplexed; the other needs nearly as much [L2822] (R-CF-15)."""
    return simplex_cf_us * factor


@model("cf_request", "R-CF-15", "L2826-L2867", "transactions/s")
def duplexed_transactions_per_second(transactions_per_second: Quantity, loss_fraction: Quantity = 0.40) -> Any:
    """Throughput once duplexed; by default both structures, 1 KB non-persistent [L2862] (R-CF-15, T-29)."""
    return transactions_per_second * (1 - loss_fraction)


@model("cf_request", "R-CF-15", "L2826-L2867", "CPU us")
def duplexed_cpu_us(cpu_us: Quantity, growth_fraction: Quantity = 0.30) -> Any:
    """Cost of a transaction once duplexed; by default both structures, 1 KB non-persistent [L2862] (R-CF-15, T-29)."""
    return cpu_us * (1 + growth_fraction)


@model("cf_request", "R-CF-14", "L2883-L2885", "percent")
def asynchronous_pct(synchronous_requests: Quantity, asynchronous_requests: Quantity) -> Any:
    """Share of requests that went asynchronously; a rising one tells of a facility short of CPU [L2883] (R-CF-14)."""
    return ratio(asynchronous_requests * 100, synchronous_requests + asynchronous_requests)


@model("cf_request", "R-CF-16", "L2930-L2933", "bytes")
def get_buffer_bytes(message_bytes: Quantity) -> Any:
    """Buffer into which a get reads a message of this size, headers counted, up to 63 KB [L2931] (R-CF-16, F-CF-10)."""
    large = smaller(BUFFER_BYTES_MAX, rounded_up(message_bytes / (4 * KB)) * (4 * KB))
    buffer: Quantity = large
    for small_bytes in reversed(BUFFER_BYTES_SMALL):
        buffer = chosen(message_bytes <= small_bytes, small_bytes, buffer)
    return buffer


@model("cf_request", "R-CF-16", "L2923-L2933", "redrives")
def get_redrives(buffer_bytes: Quantity, message_bytes: Quantity) -> Any:
    """Is a get driven again: 1 if the message does not fit the buffer, else 0 [L2923] (R-CF-16, F-CF-10)."""
    return chosen(message_bytes > buffer_bytes, 1, 0)


def redriven_gets(message_sizes: Iterable[float], shrink_after: int = SHRINK_AFTER) -> list[int]:
    """Which gets of a series (from 1) are driven again, as the buffer follows the sizes [L2935-L2960] (R-CF-16, T-31).

    Each get depends on those before it, so this works on a series and not on a column.
    """
    buffer_bytes: float = BUFFER_BYTES_FIRST
    too_large = 0
    redriven = []
    for number, message_bytes in enumerate(message_sizes, start=1):
        fitting = float(get_buffer_bytes(message_bytes))
        if get_redrives(buffer_bytes, message_bytes):
            redriven.append(number)
            buffer_bytes, too_large = fitting, 0
            continue
        too_large = too_large + 1 if fitting < buffer_bytes else 0
        if too_large >= shrink_after:
            buffer_bytes, too_large = fitting, 0
    return redriven


@model("cf_request", "R-CF-16", "L2918-L2985", "redrives")
def redrives_per_1000_gets(single_redrives: Quantity, multiple_redrives: Quantity, gets: Quantity) -> Any:
    """Gets driven again out of a thousand, from QESTRSEC and QESTRMEC [L2920] (R-CF-16)."""
    return ratio((single_redrives + multiple_redrives) * 1000, gets)


@model("cf_request", "R-CF-16", "L2968-L2991", "CPU us")
def redriven_transaction_us(transaction_us: Quantity, growth_fraction: Quantity = REDRIVE_COST_GROWTH) -> Any:
    """Cost of a transaction whose sizes straddle a buffer boundary [L2968] (R-CF-16, T-31)."""
    return transaction_us * (1 + growth_fraction)
