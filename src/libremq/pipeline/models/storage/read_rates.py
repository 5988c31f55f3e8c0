"""How fast logs and page sets were read or restored, by device and condition.

Defaults only, and the source contradicts itself: restart read backward faster than forward in one place, slower in
another. Every model that reads takes the rate as an argument; measure yours.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import GB, MB, PAGE_BYTES

RESTART_FORWARD_BYTES_PER_SECOND: Final = 800 * MB
"""Active log at restart, DS8900F [L1380]."""
RESTART_BACKWARD_BYTES_PER_SECOND: Final = 1200 * MB
STRUCTURE_RECOVERY_MB_PER_SECOND: Final = 450
"""Active log backward, DS8900F, 8561-703, z/OS 2.5 [L2731]."""
STRUCTURE_RECOVERY_ARCHIVE_MB_PER_SECOND: Final = 60
"""The same from archive logs [L2733]."""
PLANNING_MB_PER_SECOND: Final = 60
"""Used for page set backup intervals [L1178, L1213]."""
PLANNING_MB_PER_SECOND_DS8900F: Final = 100
"""More than this, says the advice on page sets [L943]."""

PAGE_READ_SECONDS: Final = 140e-6
"""One page, serially, DS8900F [L1404]."""
PAGE_READ_SECONDS_DS8870: Final = 233e-6
"""On 2964-703 [L1855]."""
ZHPF_PAGE_READ_GAIN: Final = 1.5
"""Read rate with zHPF against without [L1406]."""

DFDSS_GB_PER_MINUTE: Final = 8.0
REPRO_GB_PER_MINUTE: Final = 3.5
REPRO_GB_PER_MINUTE_ZHPF: Final = 5.2
"""Restoring a page set, DS8900F [L925]."""


@model("recovery", "R-REC-07", "L925", "seconds")
def page_set_restore_seconds(page_set_bytes: Quantity, gb_per_minute: Quantity = DFDSS_GB_PER_MINUTE) -> Any:
    """Time to bring back a page set's copy; REPRO is slower than the DFDSS default [L925] (R-REC-07)."""
    return page_set_bytes / GB / gb_per_minute * 60


@model("restart", "R-RST-02", "L1404", "pages/s")
def page_reads_per_second(page_seconds: Quantity = PAGE_READ_SECONDS) -> Any:
    """Pages a second that serial reads of the page sets get [L1404] (R-RST-02)."""
    return 1 / page_seconds


@model("restart", "R-RST-02", "L1404", "MB/s")
def page_read_mb_per_second(page_seconds: Quantity = PAGE_READ_SECONDS) -> Any:
    """Data rate of serial page reads [L1404] (R-RST-02)."""
    return PAGE_BYTES / page_seconds / MB


@model("restart", "R-RST-02", "L1406", "seconds")
def page_read_seconds_with_zhpf(
    page_seconds: Quantity = PAGE_READ_SECONDS, gain: Quantity = ZHPF_PAGE_READ_GAIN
) -> Any:
    """Time of one serial page read under zHPF [L1406] (R-RST-02, T-32)."""
    return page_seconds / gain
