"""The pytest plugin: ask for `queue_manager` and get a fresh embedded one, gone after the test.

pytest loads this at start through the entry point `libremq`, on every machine that has LibreMQ and in every test suite
there: so nothing of LibreMQ is imported before a test asks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager


class _AsTheyAre(MetaPathFinder):
    """Our modules are loaded as without pytest.

    It would parse, rewrite and compile all modules of whatever brings a plugin, so that their asserts explain
    themselves; for some 300 that is seconds, in each run where no bytecode is written.
    """

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is None or not name.startswith("libremq."):
            return None
        return PathFinder.find_spec(name, path, target)


sys.meta_path.insert(0, _AsTheyAre())


@pytest.fixture
def queue_manager(tmp_path: Path) -> Iterator[QueueManager]:
    """A fresh embedded queue manager named QM1 with a small log, in a temporary folder; ended after the test.

    It does not wait for the disk, see `temporary_queue_manager`.
    """
    from libremq.testing.queue_managers import temporary_queue_manager

    with temporary_queue_manager(folder=tmp_path / "libremq") as qm:
        yield qm
