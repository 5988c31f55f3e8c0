"""How long the page set utilities run and what CPU they take, by size (3-way 8561-7G1, DS8900F).

With zHPF the CPU stays and the time shrinks: pass the `_ZHPF` constant.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity
from libremq.pipeline.models.registry import model

FORMAT_CPU_PER_GB: Final = 0.35
FORMAT_SECONDS_PER_GB: Final = 15.0
FORMAT_SECONDS_PER_GB_ZHPF: Final = 10.0
COPYPAGE_CPU_PER_GB: Final = 0.91
COPYPAGE_SECONDS_PER_GB: Final = 11.3
RESETPAGE_CPU_PER_GB: Final = 1.25
RESETPAGE_SECONDS_PER_GB: Final = 23.0
RESETPAGE_FORCE_CPU_PER_GB: Final = 1.16
RESETPAGE_FORCE_SECONDS_PER_GB: Final = 37.5
RESETPAGE_FORCE_SECONDS_PER_GB_ZHPF: Final = 24.25
"""Published for 4 GB: 40 s and 97 s with zHPF [L1905, L1951]."""


@model("utility", "R-UT-01", "L1898-L1905", "CPU seconds")
def format_cpu_seconds(page_set_gb: Quantity, cpu_seconds_per_gb: Quantity = FORMAT_CPU_PER_GB) -> Any:
    """CPU to FORMAT a page set [L1898] (R-UT-01)."""
    return page_set_gb * cpu_seconds_per_gb


@model("utility", "R-UT-01", "L1898-L1905", "seconds")
def format_seconds(page_set_gb: Quantity, seconds_per_gb: Quantity = FORMAT_SECONDS_PER_GB) -> Any:
    """Time to FORMAT a page set [L1898] (R-UT-01)."""
    return page_set_gb * seconds_per_gb


@model("utility", "R-UT-02", "L1913-L1918", "CPU seconds")
def copypage_cpu_seconds(page_set_gb: Quantity, cpu_seconds_per_gb: Quantity = COPYPAGE_CPU_PER_GB) -> Any:
    """CPU of COPYPAGE, however many messages there are [L1913] (R-UT-02)."""
    return page_set_gb * cpu_seconds_per_gb


@model("utility", "R-UT-02", "L1913-L1918", "seconds")
def copypage_seconds(page_set_gb: Quantity, seconds_per_gb: Quantity = COPYPAGE_SECONDS_PER_GB) -> Any:
    """Time of COPYPAGE [L1913] (R-UT-02)."""
    return page_set_gb * seconds_per_gb


@model("utility", "R-UT-03", "L1931-L1936", "CPU seconds")
def resetpage_cpu_seconds(page_set_gb: Quantity, cpu_seconds_per_gb: Quantity = RESETPAGE_CPU_PER_GB) -> Any:
    """CPU of RESETPAGE to a second page set [L1931] (R-UT-03)."""
    return page_set_gb * cpu_seconds_per_gb


@model("utility", "R-UT-03", "L1931-L1936", "seconds")
def resetpage_seconds(page_set_gb: Quantity, seconds_per_gb: Quantity = RESETPAGE_SECONDS_PER_GB) -> Any:
    """Time of RESETPAGE to a second page set [L1931] (R-UT-03)."""
    return page_set_gb * seconds_per_gb


@model("utility", "R-UT-04", "L1944-L1951", "CPU seconds")
def resetpage_force_cpu_seconds(
    page_set_gb: Quantity, cpu_seconds_per_gb: Quantity = RESETPAGE_FORCE_CPU_PER_GB
) -> Any:
    """CPU of RESETPAGE FORCE, in place [L1944] (R-UT-04)."""
    return page_set_gb * cpu_seconds_per_gb


@model("utility", "R-UT-04", "L1944-L1951", "seconds")
def resetpage_force_seconds(page_set_gb: Quantity, seconds_per_gb: Quantity = RESETPAGE_FORCE_SECONDS_PER_GB) -> Any:
    """Time of RESETPAGE FORCE, in place [L1944] (R-UT-04)."""
    return page_set_gb * seconds_per_gb
