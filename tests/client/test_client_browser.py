"""Browsing: messages seen and left, locked, marked, taken."""

from __future__ import annotations

import gc
import threading

import pytest

import libremq
from libremq import Queue, QueueManager
from libremq.mqi import constants as C


@pytest.fixture
def queue(queue_manager: QueueManager) -> Queue:
    queue_manager.define_local("Q")
    queue = queue_manager.queue("Q")
    for number in range(4):
        queue.put(str(number), correlation_id="even" if number % 2 == 0 else "odd")
    return queue


def test_browsing_shows_everything_and_takes_nothing(queue: Queue) -> None:
    assert [message.text for message in queue.browse()] == ["0", "1", "2", "3"]
    assert [message.text for message in queue.browse()] == ["0", "1", "2", "3"]
    assert queue.depth == 4


def test_browsing_by_id(queue: Queue) -> None:
    assert [message.text for message in queue.browse(correlation_id="odd")] == ["1", "3"]


def test_two_browsers_have_their_own_places(queue: Queue) -> None:
    first, second = queue.browse(), queue.browse()
    assert next(first).text == next(second).text == "0"
    assert next(first).text == "1"
    assert next(second).text == "1"


def test_a_browser_takes_the_message_under_its_cursor(queue: Queue) -> None:
    with queue.browse(take=True) as browser:
        for message in browser:
            if message.text in ("1", "3"):
                assert browser.take().text == message.text
        with pytest.raises(libremq.NoMessageAvailable) as caught:
            browser.take()
        assert caught.value.reason == C.MQRC_NO_MSG_UNDER_CURSOR
    assert [message.text for message in queue] == ["0", "2"]


def test_what_a_browser_takes_in_a_transaction_comes_back(queue_manager: QueueManager, queue: Queue) -> None:
    with pytest.raises(KeyError), queue_manager.transaction(), queue.browse(take=True) as browser:
        next(browser)
        browser.take()
        raise KeyError
    assert queue.depth == 4


def test_taking_has_to_be_asked_for(queue: Queue) -> None:
    with queue.browse() as browser:
        next(browser)
        with pytest.raises(libremq.NotOpenFor, match="take=True"):
            browser.take()


def test_a_lock_keeps_the_message_from_others(queue: Queue) -> None:
    with queue.browse(lock=True) as browser:
        next(browser)
        assert queue.get().text == "1"
        next(browser)  # the lock moves on with the cursor
        assert queue.get().text == "0"
    assert [message.text for message in queue] == ["2", "3"]


def test_cooperating_browsers_share_the_work(queue: Queue) -> None:
    first, second = queue.browse(mark=True), queue.browse(mark=True)
    seen = [next(first).text, next(second).text, next(first).text, next(second).text]
    assert sorted(seen) == ["0", "1", "2", "3"]
    assert list(first) == list(second) == []


def test_a_browser_can_wait_for_more(queue: Queue) -> None:
    with queue.browse(wait=60) as browser:
        for _ in range(4):
            next(browser)
        putter = threading.Thread(target=queue.put, args=("late",))
        putter.start()
        assert next(browser).text == "late"
        putter.join(60)


def test_a_closed_browser_is_at_its_end(queue: Queue) -> None:
    browser = queue.browse(take=True)
    next(browser)
    browser.close()
    assert list(browser) == []
    with pytest.raises(libremq.NoMessageAvailable):
        browser.take()


def test_a_browser_that_is_dropped_gives_its_lock_back(queue: Queue) -> None:
    next(queue.browse(lock=True))
    gc.collect()
    assert [message.text for message in queue] == ["0", "1", "2", "3"]


def test_browsing_sees_properties_and_selectors_work(queue_manager: QueueManager) -> None:
    queue_manager.define_local("P")
    queue_manager.put("P", "a", properties={"n": 1})
    queue_manager.put("P", "b", properties={"n": 2})
    found = list(queue_manager.queue("P", selector="n = 2").browse())
    assert [(message.text, message.properties) for message in found] == [("b", {"n": 2})]
