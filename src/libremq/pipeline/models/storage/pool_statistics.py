"""What the statistics of a buffer pool say: stealable pages, I/O rates, pages read twice, contention.

The fields are those of QPST. Sizing a pool, and the share of it that stayed free, are in `buffer_pools`.
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio, rounded_up
from libremq.pipeline.models.registry import model

FREE_SHARE = 0.15


@model("pool_statistics", "R-BP-6", "L6820", "I/Os/s")
def pool_io_per_second(qpstrio: Quantity, qpstwio: Quantity, interval_seconds: Quantity) -> Any:
    """How much page set I/O does the pool do? [L6820] R-BP-6."""
    return ratio(1.0 * (qpstrio + qpstwio), interval_seconds)


@model("pool_statistics", "R-BP-5", "L6816", "pages/s")
def pool_pages_read_per_second(qpstrio: Quantity, interval_seconds: Quantity) -> Any:
    """How many pages does the pool read back? None in a pool of short-lived messages. [L6816] R-BP-5."""
    return ratio(1.0 * qpstrio, interval_seconds)


@model("pool_statistics", "R-BP-7", "L6821-L6826", "times")
def pages_read_per_page_written(qpstrio: Quantity, qpsttpw: Quantity) -> Any:
    """How often is a written page read back? Much over 1: gets by id, browsing, selectors. [L6821] R-BP-7."""
    return ratio(1.0 * qpstrio, qpsttpw)


@model("pool_statistics", "R-BP-8", "L6694, L6725", "pages", derived=True)
def pages_of_message(message_bytes: Quantity, header_bytes: Quantity, usable_page_bytes: Quantity) -> Any:
    """How many buffers does a message hold, each starting on its own page? [L6694] R-BP-8."""
    return rounded_up(ratio(message_bytes + header_bytes, usable_page_bytes))


@model("pool_statistics", "R-BP-8", "L6725", "buffers", derived=True)
def buffers_for_high_water(high_water_pages: Quantity, free_share: Quantity = FREE_SHARE) -> Any:
    """How many buffers hold short-lived messages at their peak and stay 15 percent free? [L6725] R-BP-8."""
    return rounded_up(high_water_pages / (1 - free_share))


@model("pool_statistics", "R-BP-9", "L6855-L6856", "times")
def steal_contention(qpststla: Quantity, qpststl: Quantity) -> Any:
    """How often did taking a page meet contention, for each page taken? [L6855] R-BP-9."""
    return ratio(1.0 * qpststla, qpststl)


@model("pool_statistics", "R-BP-10", "L6860", "times")
def pages_looked_up_per_new_page(qpstgetp: Quantity, qpstgetn: Quantity) -> Any:
    """How many pages are looked at for each new one? A jump: browsing, or gets by id. [L6860] R-BP-10."""
    return ratio(1.0 * qpstgetp, qpstgetn)


@model("pool_statistics", "R-BP-13", "L6834-L6850", "pages per write", derived=True)
def pages_per_page_set_write(qpsttpw: Quantity, qpstwio: Quantity) -> Any:
    """How many pages does a write to a page set carry? [L6834] R-BP-13."""
    return ratio(1.0 * qpsttpw, qpstwio)
