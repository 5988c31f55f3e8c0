"""Hypothesis profiles for all tests: the same examples every time, or with LIBREMQ_HYPOTHESIS=explore new ones."""

from __future__ import annotations

import os

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
