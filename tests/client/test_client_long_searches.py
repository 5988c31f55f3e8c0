"""Gets that have much to look at, over all bindings: they find what they ask for, in however many slices."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from client_starting import Start

from libremq import Message, QueueManager
from libremq.mqi.errors import NoMessageAvailable

MANY = 1500


@pytest.fixture
def queue_manager(start: Start) -> Iterator[QueueManager]:
    with start() as qm:
        qm.define_local("DEEP.Q", MAXDEPTH=10_000)
        qm.define_local("OTHER.Q")
        with qm.queue("DEEP.Q") as queue:
            queue.put_many([str(number) for number in range(MANY)], persistent=False)
        yield qm


def test_a_message_is_found_behind_many(queue_manager: QueueManager) -> None:
    with queue_manager.queue("DEEP.Q", selector="colour = 'red'") as queue:
        with pytest.raises(NoMessageAvailable):
            queue.get()
        for number in range(3):
            queue.put(f"red {number}", properties={"colour": "red"})
        assert [message.text for message in queue.browse()] == ["red 0", "red 1", "red 2"]
        assert queue.get().text == "red 0"
        assert [message.text for message in queue.get_many(5)] == ["red 1", "red 2"]
        assert queue.depth == MANY


def test_a_wait_begun_with_a_long_look_is_served(queue_manager: QueueManager) -> None:
    found: list[str] = []

    def wait() -> None:
        with queue_manager.queue("DEEP.Q", selector="colour = 'red'") as queue:
            found.append(queue.get(wait=60).text)

    waiting = threading.Thread(target=wait)
    waiting.start()
    with queue_manager.queue("DEEP.Q") as queue:
        queue.put("came meanwhile", properties={"colour": "red"})
    waiting.join()
    assert found == ["came meanwhile"]


def test_a_consumer_finds_what_is_behind_many(queue_manager: QueueManager) -> None:
    came = threading.Event()
    found: list[str] = []

    def consume(message: Message) -> None:
        found.append(message.text)
        came.set()

    with queue_manager.queue("DEEP.Q") as queue:
        queue.put("at last", properties={"colour": "red"})
    with queue_manager.queue("DEEP.Q", selector="colour = 'red'") as queue, queue.consume(consume):
        assert came.wait(120)
    assert found == ["at last"]
