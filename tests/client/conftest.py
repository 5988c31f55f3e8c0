"""The tests of the Python API and the raw verbs run over all three bindings: one set of tests, three URLs.

A test takes `queue_manager`, or `start` if it wants a certain one or starts it again. Two marks say that a test is for
fewer bindings, and the test says why: `embedded`, about the queue manager inside the application's own process;
`on_this_machine`, not for TCP.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from client_starting import Start

import libremq
from libremq import QueueManager
from libremq.testing import temporary_queue_manager
from libremq.testing.serving import served_queue_manager

BINDINGS = {"embedded": ("embedded",), "on_this_machine": ("embedded", "local"), "": ("embedded", "local", "mq")}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "binding" in metafunc.fixturenames:
        mark = next((mark for mark in BINDINGS if mark and metafunc.definition.get_closest_marker(mark)), "")
        metafunc.parametrize("binding", BINDINGS[mark], indirect=True)


@pytest.fixture
def binding(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def start(binding: str, tmp_path: Path) -> Start:
    """Starts a queue manager named QM1 for a `with` block, made if it is not there, and connects over the binding.

    `files`, `clock` and `log_config` are those of the queue manager, the other arguments those of `connect`.
    """

    @contextmanager
    def started(files: Any = None, clock: Any = None, log_config: Any = None, **given: Any) -> Iterator[QueueManager]:
        folder = tmp_path / "libremq"
        if binding == "embedded" and not given:
            with temporary_queue_manager(folder=folder, files=files, clock=clock, log_config=log_config) as qm:
                yield qm
        elif binding == "embedded":
            with libremq.connect(f"embedded:QM1?create=1&data={folder}", log_config=log_config, **given) as qm:
                yield qm
        else:
            with (
                served_queue_manager(folder=folder, files=files, clock=clock, log_config=log_config) as served,
                libremq.connect(served.url(binding), **given) as qm,
            ):
                yield qm

    return started


@pytest.fixture
def queue_manager(start: Start) -> Iterator[QueueManager]:
    """A fresh queue manager named QM1, over one of the bindings."""
    with start() as qm:
        yield qm
