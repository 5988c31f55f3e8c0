"""Hypothesis profiles for all tests: the same examples every time, or with LIBREMQ_HYPOTHESIS=explore new ones.

With LIBREMQ_HYPOTHESIS=notice an example that fails is not made smaller: planted bugs need no explanation.

And a few tables at the end of a run: how many crash points were tried, and what became of faults and flipped bits. The
crash tests say so with `record_property`, which travels with their reports, also from the workers of a parallel run.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from helper_distribution import ByFile, in_turn

_COMMON = {
    "deadline": None,
    "print_blob": True,
    "report_multiple_bugs": False,
    "suppress_health_check": list(HealthCheck),
    "database": None,
}

settings.register_profile("ci", derandomize=True, **_COMMON)
settings.register_profile("notice", derandomize=True, phases=[Phase.explicit, Phase.generate], **_COMMON)
settings.register_profile("explore", derandomize=False, max_examples=300, **_COMMON)
settings.load_profile(os.environ.get("LIBREMQ_HYPOTHESIS", "ci"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # So does a shell start what runs in its background; the programs that tests interrupt would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Without bytecode every process that a test starts compiles what it imports
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_file: Path | None = None

_DETAILS = "LIBREMQ_CRASH" in os.environ
"""The rows of the tables too, and not only their totals."""


def pytest_xdist_auto_num_workers() -> int:
    """Five for two processors: many tests wait for processes and sockets, and Spark is on one worker only."""
    return (os.cpu_count() or 1) * 5 // 2


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was imported and collected stays: 22,000 tests that no collection of garbage needs to look at again.

    Tests of what a garbage collection does call for one each; with all that in the way it took a second.
    """
    _look_away()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """The same for what the files before this one have left: modules, caches, reports."""
    global _file
    if item.path != _file:
        _file = item.path
        _look_away()


def _look_away() -> None:
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        in_turn(items)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The crash tests' books: crash points by configuration, and outcomes of faults and damage by kind."""
    points: dict[str, set[str]] = {}
    counts: dict[str, Counter[str]] = {}
    tables: dict[str, dict[str, Counter[str]]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") != "call":
                continue
            for name, value in report.user_properties:
                if name == "crash_points":
                    row = value["configuration"]
                    keys = value.pop("points")
                    points.setdefault(row, set()).update(keys[at : at + 16] for at in range(0, len(keys), 16))
                    counts.setdefault(row, Counter()).update({k: v for k, v in value.items() if k != "configuration"})
                elif name == "outcomes":
                    table = tables.setdefault(value["table"], {})
                    for row, outcomes in value["rows"].items():
                        table.setdefault(row, Counter()).update(outcomes)
    write = terminalreporter.write_line
    if points:
        write("crash points tried: distinct moments; of them in a restart; disk states; of them restarted")
        for row in sorted(points):
            found = counts[row]
            write(_row(row, [len(points[row]), found["in_restarts"], found["states"], found["restarts"]]))
        total = sum(counts.values(), Counter[str]())
        number = sum(len(found) for found in points.values())
        write(_row("crash points tried", [number, total["in_restarts"], total["states"], total["restarts"]]))
    for title, table in sorted(tables.items()):
        write(f"{title}: {_counts(sum(table.values(), Counter[str]()))}")
        for row in sorted(table) if _DETAILS else ():
            write(f"  {row:<34} {_counts(table[row])}")


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(found.items()))


def _row(name: str, numbers: list[int]) -> str:
    return f"  {name:<32} " + " ".join(f"{number:>10,}" for number in numbers)
