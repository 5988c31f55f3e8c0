"""The pytest plugin: ask for `queue_manager` and get a fresh embedded one, gone after the test.

pytest loads this at start through the entry point `libremq`, so nothing of LibreMQ is imported before a test asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager


@pytest.fixture
def queue_manager(tmp_path: Path) -> Iterator[QueueManager]:
    """A fresh embedded queue manager named QM1 with a small log, in a temporary folder; ended after the test."""
    from libremq.testing.queue_managers import temporary_queue_manager

    with temporary_queue_manager(folder=tmp_path / "libremq") as qm:
        yield qm
