"""One commit serves any number of waiting gets: they are answered some at a time, and all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.net import event_loop
from libremq.testing.serving import Served, served_queue_manager

MANY = 40


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(event_loop.EventLoop.settle, "__defaults__", (3,))
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("WAITED.Q")
        yield served


class Getters:
    """So many that wait, each in a thread, and what came of it."""

    def __init__(self, url: str) -> None:
        self.found: list[str] = []
        self._url = url
        self._threads = [threading.Thread(target=self._get) for _ in range(MANY)]

    def _get(self) -> None:
        with libremq.connect(self._url) as qm, qm.queue("WAITED.Q") as queue:
            try:
                self.found.append(queue.get(wait=60).text)
            except MQError as error:
                self.found.append(str(error.reason))

    def start(self, served: Served) -> None:
        for thread in self._threads:
            thread.start()
        waiters = served.embedded.manager.core.waiters
        while len(waiters) < MANY and any(thread.is_alive() for thread in self._threads):
            self._threads[0].join(0.001)

    def join(self) -> list[str]:
        for thread in self._threads:
            thread.join()
        return sorted(self.found)


def test_all_that_a_commit_has_served_are_answered(served: Served) -> None:
    getters = Getters(served.url("local"))
    getters.start(served)
    with libremq.connect(served.url("local")) as qm, qm.transaction(), qm.queue("WAITED.Q") as queue:
        queue.put_many([f"{number:03}" for number in range(MANY)])
    assert getters.join() == [f"{number:03}" for number in range(MANY)]


def test_all_that_wait_hear_of_the_end(served: Served) -> None:
    getters = Getters(served.url("local"))
    getters.start(served)
    served.run(served.event_loop.end("immediate"))
    assert set(getters.join()) == {str(C.MQRC_Q_MGR_QUIESCING)}, "each has its answer before its socket is closed"
