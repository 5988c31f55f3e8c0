"""The tests of the asyncio API run over all bindings: one set of tests, three URLs.

`url` is that of a fresh queue manager with two queues; `control` is a blocking connection to it, to look from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq import QueueManager
from libremq.log import LogConfig
from libremq.testing.serving import served_queue_manager

BINDINGS = ("embedded", "local", "mq")


@pytest.fixture(params=BINDINGS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "embedded":
        yield f"embedded:QM1?create=1&data={tmp_path}"
    else:
        with served_queue_manager(folder=tmp_path) as served:
            yield served.url(request.param)


@pytest.fixture
def control(url: str) -> Iterator[QueueManager]:
    config = LogConfig(file_pages=1024) if url.startswith("embedded:") else None
    with libremq.connect(url, log_config=config) as qm:
        qm.define_local("IN")
        qm.define_local("OUT")
        yield qm
