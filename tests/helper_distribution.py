"""How a parallel run spreads tests over its workers: file by file, what takes longest first, Spark on one worker.

A file stays together, so that what its tests share is made once. So do all tests that use Spark: a session is seconds
of processor time and gigabytes, and Java is fast only once it is warm. They begin first, and the files that start
processes or crash a queue manager thousands of times next; the small ones fill the gaps at the end.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling

_SPARK = "spark"
_ROOT = Path(__file__).parents[1]
_SPARK_HELPERS = ("helper_spark", "helper_smf_spark")
_SPARK_FOLDERS = ("tests/pipeline/", "tests/commands/")
_LONG = ("tests/crash/", "tests/commands/", "tests/test_", "tests/server/", "tests/transcripts/", "tests/model/")


@cache
def scope_of(file: str) -> str:
    """What goes to the same worker as the tests of this file: they alone, or all that use Spark."""
    if not file.startswith(_SPARK_FOLDERS):
        return file
    text = (_ROOT / file).read_text("utf-8")
    return _SPARK if any(helper in text for helper in _SPARK_HELPERS) else file


def in_turn(items: list[pytest.Item]) -> None:
    """Sort them so that what takes longest comes first."""
    scopes = {item: scope_of(item.nodeid.split("::", 1)[0]) for item in items}
    tests = Counter(scopes.values())
    items.sort(key=lambda item: _turn(scopes[item], tests[scopes[item]]))


def _turn(scope: str, tests: int) -> tuple[int, int, str]:
    if scope == _SPARK:
        return 0, 0, scope
    return (1 if scope.startswith(_LONG) else 2), -tests, scope


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """The scheduler of xdist that keeps scopes together: ours, in the order in which the tests are."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid.split("::", 1)[0])
