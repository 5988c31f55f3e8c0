"""Hypothesis profiles for all tests: the same examples every time, or with LIBREMQ_HYPOTHESIS=explore new ones.

And one line at the end of a run: how many crash points were tried. The crash tests say so with `record_property`, which
travels with their reports, also from the workers of a parallel run.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, settings

_COMMON = {
    "deadline": None,
    "print_blob": True,
    "report_multiple_bugs": False,
    "suppress_health_check": list(HealthCheck),
    "database": None,
}

settings.register_profile("ci", derandomize=True, **_COMMON)
settings.register_profile("explore", derandomize=False, **_COMMON)
settings.load_profile(os.environ.get("LIBREMQ_HYPOTHESIS", "ci"))

_COUNTED = {"crash_points": "crash points tried", "restarts": "disk states restarted"}


def pytest_terminal_summary(terminalreporter: Any) -> None:
    counts: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                counts.update({name: value for name, value in report.user_properties if name in _COUNTED})
    if counts:
        terminalreporter.write_line(", ".join(f"{text}: {counts[name]:,}" for name, text in _COUNTED.items()))
