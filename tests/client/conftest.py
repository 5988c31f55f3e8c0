"""The tests of the Python API and the raw verbs run over all three bindings: one set of tests, three URLs.

A test that is about the embedded binding itself says so with `pytestmark = pytest.mark.embedded`, or makes its own
queue manager.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq import QueueManager
from libremq.testing import temporary_queue_manager
from libremq.testing.serving import served_queue_manager

BINDINGS = ("embedded", "local", "mq")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "binding" in metafunc.fixturenames:
        only = metafunc.definition.get_closest_marker("embedded") is not None
        metafunc.parametrize("binding", BINDINGS[:1] if only else BINDINGS, indirect=True)


@pytest.fixture
def binding(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def queue_manager(binding: str, tmp_path: Path) -> Iterator[QueueManager]:
    """A fresh queue manager named QM1, over one of the bindings."""
    if binding == "embedded":
        with temporary_queue_manager(folder=tmp_path / "libremq") as qm:
            yield qm
    else:
        with served_queue_manager(folder=tmp_path / "libremq") as served, libremq.connect(served.url(binding)) as qm:
            yield qm
