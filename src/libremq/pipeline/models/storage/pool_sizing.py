"""Buffer pools: starting sizes, how full they got, and what the deferred write process has to move."""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, chosen, known_where, larger, ratio, rounded_down, rounded_up
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import MB, PAGE_BYTES

TEST_POOL_PAGES: Final = 1050
PRODUCTION_POOL_PAGES: Final = (50_000, 20_000, 50_000, 20_000)
"""System, long-lived, short-lived, everything else [L1010-L1015]."""

OVERSIZE_FACTOR: Final = 1.05

DEFERRED_WRITE_START_FRACTION: Final = 0.85
DEFERRED_WRITE_STOP_FRACTION: Final = 0.75
SYNCHRONOUS_WRITE_FRACTION: Final = 0.95
"""Full pool shares between which the deferred write process works [L1101-L1103]."""
PAGES_PER_WRITE: Final = 16
PARALLEL_WRITES: Final = 64
"""V8 and later, for each pool [L1112-L1114]."""
DEFERRED_WRITE_MB_PER_SECOND: Final = 300
"""Low end of 300 to 600, DS8870 [L1150]."""

OBJECT_BYTES: Final = 2660
"""A local queue in pool 0, waste included [L2404]."""
OBJECTS_PER_PAGE: Final = 2
MEASURED_OBJECTS: Final = 14_484
MEASURED_OBJECT_PAGES: Final = 1230
CONSTRAINED_SPARE_FRACTION: Final = 0.20


@model("buffer_pool", "R-BP-01", "L1010-L1015", "pages")
def starting_pool_pages_production(pool: Quantity) -> Any:
    """Pages to begin with in production, for pools 0 to 3 [L1010] (R-BP-01, T-10)."""
    system, long_lived, short_lived, rest = PRODUCTION_POOL_PAGES
    pages = chosen(pool == 0, system, chosen(pool == 1, long_lived, chosen(pool == 2, short_lived, rest)))
    return known_where(pool <= 3, pages)


@model("buffer_pool", "R-BP-01", "L1010-L1015", "pages")
def starting_pool_pages_test(pool: Quantity) -> Any:
    """Pages to begin with on a test system, for pools 0 to 3 [L1010] (R-BP-01, T-10)."""
    return known_where(pool <= 3, TEST_POOL_PAGES)


@model("buffer_pool", "R-BP-02", "L1037", "pages")
def object_pages_by_count(objects: Quantity, objects_per_page: Quantity = OBJECTS_PER_PAGE) -> Any:
    """Pages of pool 0 for the objects, half a page each: the generous estimate [L1037] (R-BP-02, X-06)."""
    return rounded_up(objects / objects_per_page)


@model("buffer_pool", "R-VST-05", "L2404", "pages")
def object_pages_by_bytes(objects: Quantity, object_bytes: Quantity = OBJECT_BYTES) -> Any:
    """Pages of pool 0 for local queues by their measured storage: the largest estimate [L2404] (R-VST-05, X-06)."""
    return rounded_up(objects * object_bytes / PAGE_BYTES)


@model("buffer_pool", "R-BP-15", "L1735", "pages")
def object_pages_by_measured_use(objects: Quantity) -> Any:
    """Pages of pool 0 for the objects as one system used them: the smallest estimate [L1735] (R-BP-15, X-06)."""
    return rounded_up(objects * (MEASURED_OBJECT_PAGES / MEASURED_OBJECTS))


@model("buffer_pool", "R-BP-15", "L2406", "pages")
def constrained_pool_0_pages(
    active_object_pages: Quantity, spare_fraction: Quantity = CONSTRAINED_SPARE_FRACTION
) -> Any:
    """Pages of pool 0 where storage is short: the active objects and a fifth [L2406] (R-BP-15)."""
    return rounded_up(active_object_pages * (1 + spare_fraction))


@model("buffer_pool", "R-BP-06", "L1071", "percent")
def pool_lowest_free_pct(lowest_stealable_pages: Quantity, pool_pages: Quantity) -> Any:
    """Least share of a pool that was free in the interval, QPSTCBSL of QPSTNBUF [L1071] (R-BP-06)."""
    return ratio(lowest_stealable_pages * 100, pool_pages)


@model("buffer_pool", "R-BP-08", "L1075", "percent")
def pool_highest_used_pct(lowest_stealable_pages: Quantity, pool_pages: Quantity) -> Any:
    """Largest share of a pool that was in use in the interval [L1075] (R-BP-08)."""
    return ratio((pool_pages - lowest_stealable_pages) * 100, pool_pages)


@model("buffer_pool", "R-BP-10", "L1120-L1124", "pages")
def oversized_pool_pages(page_set_pages: Quantity, factor: Quantity = OVERSIZE_FACTOR) -> Any:
    """Pages of a pool that holds its one page set whole [L1120] (R-BP-10)."""
    return rounded_up(page_set_pages * factor)


@model("buffer_pool", "R-BP-13", "L1101-L1136", "pages")
def deferred_write_start_pages(pool_pages: Quantity, fraction: Quantity = DEFERRED_WRITE_START_FRACTION) -> Any:
    """Used pages at which the deferred write process starts [L1101, L1136] (R-BP-13)."""
    return pool_pages * fraction


@model("buffer_pool", "F-BP-02", "L1101-L1103", "pages")
def deferred_write_stop_pages(pool_pages: Quantity, fraction: Quantity = DEFERRED_WRITE_STOP_FRACTION) -> Any:
    """Used pages below which the deferred write process stops [L1101] (F-BP-02)."""
    return pool_pages * fraction


@model("buffer_pool", "F-BP-02", "L1101-L1103", "pages")
def synchronous_write_pages(pool_pages: Quantity, fraction: Quantity = SYNCHRONOUS_WRITE_FRACTION) -> Any:
    """Used pages from which a put has to wait for page set writes [L1103] (F-BP-02)."""
    return pool_pages * fraction


@model("buffer_pool", "F-BP-03", "L1112-L1114", "pages")
def deferred_write_pages_in_flight(
    pages_per_write: Quantity = PAGES_PER_WRITE, parallel_writes: Quantity = PARALLEL_WRITES
) -> Any:
    """Pages of one pool that the deferred write process has on their way at most [L1112] (F-BP-03)."""
    return pages_per_write * parallel_writes


@model("buffer_pool", "R-BP-11", "L1150-L1152", "seconds")
def deferred_write_seconds(page_bytes: Quantity, write_mb_per_second: Quantity = DEFERRED_WRITE_MB_PER_SECOND) -> Any:
    """Time in which a checkpoint's pages are written, and persistent work suffers [L1150] (R-BP-11)."""
    return ratio(page_bytes / MB, write_mb_per_second)


@model("buffer_pool", "R-BP-12", "L1138-L1146", "bytes")
def checkpoint_page_bytes(log_bytes: Quantity, log_bytes_per_message: Quantity) -> Any:
    """Page bytes that one log's messages make due at the second checkpoint [L1140] (R-BP-12).

    A small message logs little and still writes a whole page; for larger ones the size of the log is the bound.
    """
    messages_per_page_logged = rounded_down(PAGE_BYTES / log_bytes_per_message)
    return log_bytes * larger(1, messages_per_page_logged)
