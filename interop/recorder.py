"""A pytest plugin for the processes that run tests: each outcome is a line of JSON in the file INTEROP_OUTCOMES.

A line is also written when a test begins, so that a test that never ended is known by name.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

_path = os.environ.get("INTEROP_OUTCOMES", os.devnull)


def _write(**line: str) -> None:
    with open(_path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    _write(name=nodeid, state="begun")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    if report.skipped:
        _write(name=item.nodeid, state="skipped", why=report.longrepr[2] if report.longrepr else "")
    elif report.failed:
        short = call.excinfo.exconly() if call.excinfo else ""
        _write(name=item.nodeid, state="failed", why=f"{report.longreprtext}\n{short}")
    elif report.when == "call":
        _write(name=item.nodeid, state="passed")
    return report
