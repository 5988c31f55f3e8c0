"""A search of one client that takes many slices: the calls of the others come in between, and it is answered itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing.serving import Served, served_queue_manager

MANY = 400


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """With slices of one message each: what is looked at takes hundreds of them."""
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("DEEP.Q")
            qm.define_local("OTHER.Q")
            with qm.queue("DEEP.Q") as queue:
                queue.put_many([str(number) for number in range(MANY)], persistent=False)
        served.embedded.manager.core.turns.slice = 1
        yield served


class Look(threading.Thread):
    """Looks for what is not there."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.reason = 0

    def run(self) -> None:
        with libremq.connect(self.url) as qm, qm.queue("DEEP.Q", selector="colour = 'red'") as queue:
            try:
                queue.get()
            except MQError as error:
                self.reason = error.reason


@pytest.mark.parametrize("binding", ["mq", "local"])
def test_calls_of_others_come_between_the_slices(served: Served, binding: str) -> None:
    turns = served.embedded.manager.core.turns
    with libremq.connect(served.url(binding)) as qm, qm.queue("OTHER.Q") as other:
        other.put("before")
        look = Look(served.url(binding))
        look.start()
        while not turns and look.is_alive():
            look.join(0.0005)
        other.put("meanwhile")
        assert turns, "the search was under way before the call, and is still"
        look.join()
        assert look.reason == C.MQRC_NO_MSG_AVAILABLE
        assert [message.text for message in other.get_many(5)] == ["before", "meanwhile"]
