"""Asynchronous consumers: start, suspend, resume, stop, and what happens when their function fails."""

from __future__ import annotations

import queue as standard
import threading

import pytest
from client_starting import Start

import libremq
from libremq import Message, Queue, QueueManager
from libremq.mqi import constants as C
from libremq.testing import FaultyFiles

PATIENCE = 60


@pytest.fixture
def queue(queue_manager: QueueManager) -> Queue:
    queue_manager.define_local("IN")
    queue_manager.define_local("OUT")
    return queue_manager.queue("IN")


class Inbox:
    """Collects what a consumer is given; the test waits for it."""

    def __init__(self) -> None:
        self.arrived: standard.Queue[Message] = standard.Queue()

    def __call__(self, message: Message) -> None:
        self.arrived.put(message)

    def next(self) -> str:
        return self.arrived.get(timeout=PATIENCE).text


def test_every_message_is_delivered_in_order(queue: Queue) -> None:
    inbox = Inbox()
    queue.put("waiting already", properties={"colour": "red"})
    with queue.consume(inbox):
        first = inbox.arrived.get(timeout=PATIENCE)
        assert (first.text, first.properties) == ("waiting already", {"colour": "red"})
        for number in range(20):
            queue.put(str(number))
        assert [inbox.next() for _ in range(20)] == [str(number) for number in range(20)]
    assert queue.depth == 0


def test_messages_that_a_function_puts_are_in_one_transaction_with_the_one_it_got(
    queue_manager: QueueManager, queue: Queue
) -> None:
    failed = threading.Event()

    def forward(message: Message) -> None:
        queue_manager.put("OUT", message.data)
        if message.backout_count == 0:
            raise ValueError("the first time it goes wrong")

    def again(error: BaseException, message: Message) -> None:
        assert isinstance(error, ValueError)
        assert [message.text for message in queue_manager.queue("OUT").browse()] == []
        failed.set()

    out = queue_manager.queue("OUT")
    with queue.consume(forward, on_error=again) as consumer:
        queue.put("order")
        assert out.get(wait=PATIENCE).data == b"order"
        assert failed.is_set()
        assert consumer.error is None
    assert (queue.depth, out.depth) == (0, 0)


def test_an_exception_stops_the_consumer_and_the_message_stays(queue: Queue) -> None:
    def refuse(message: Message) -> None:
        raise ValueError("not this one")

    consumer = queue.consume(refuse)
    queue.put("poison")
    with pytest.raises(ValueError, match="not this one"):
        consumer.wait(PATIENCE)
    assert not consumer.running
    assert isinstance(consumer.error, ValueError)
    message = queue.get()
    assert (message.text, message.backout_count) == ("poison", 1)
    consumer.close()


def test_the_end_of_the_block_raises_what_the_function_raised(queue: Queue) -> None:
    called = threading.Event()

    def refuse(message: Message) -> None:
        called.set()
        raise ValueError("not this one")

    with pytest.raises(ValueError, match="not this one"), queue.consume(refuse):
        queue.put("poison")
        assert called.wait(PATIENCE)


def test_a_consumer_that_failed_can_be_started_again(queue: Queue) -> None:
    inbox = Inbox()
    broken = [True]

    def sometimes(message: Message) -> None:
        if broken:
            broken.pop()
            raise ValueError
        inbox(message)

    queue.put("x")
    with queue.consume(sometimes) as consumer:
        with pytest.raises(ValueError):
            consumer.wait(PATIENCE)
        consumer.start()
        assert consumer.error is None
        assert inbox.next() == "x"


def test_an_error_in_on_error_stops_it(queue: Queue) -> None:
    def refuse(message: Message) -> None:
        raise ValueError("first")

    def worse(error: BaseException, message: Message) -> None:
        raise KeyError("second")

    queue.put("x")
    with pytest.raises(KeyError) as caught, queue.consume(refuse, on_error=worse) as consumer:
        consumer.wait(PATIENCE)
    assert isinstance(caught.value.__context__, ValueError)
    assert queue.depth == 1


def test_without_a_transaction_the_message_is_gone(queue: Queue) -> None:
    def refuse(message: Message) -> None:
        raise ValueError

    queue.put("x")
    with pytest.raises(ValueError), queue.consume(refuse, transaction=False) as consumer:
        consumer.wait(PATIENCE)
    assert queue.depth == 0


def test_suspend_and_resume(queue: Queue) -> None:
    inbox = Inbox()
    with queue.consume(inbox) as consumer:
        queue.put("before")
        assert inbox.next() == "before"
        consumer.suspend()
        queue.put("meanwhile")
        assert consumer.running
        assert queue.depth == 1  # delivered by nobody: a put never runs a consumer itself
        consumer.resume()
        assert inbox.next() == "meanwhile"


def test_nothing_is_delivered_before_the_start_and_after_the_stop(queue: Queue) -> None:
    inbox = Inbox()
    with queue.consume(inbox, start=False) as consumer:
        queue.put("one")
        assert not consumer.running
        consumer.start()
        assert inbox.next() == "one"
        consumer.stop()
        queue.put("two")
        assert queue.depth == 1
        consumer.start()
        assert inbox.next() == "two"
    queue.put("three")
    assert queue.get().text == "three"


def test_a_function_may_stop_its_consumer(queue: Queue) -> None:
    for number in range(5):
        queue.put(str(number))
    seen: list[str] = []

    def until_two(message: Message) -> None:
        seen.append(message.text)
        if message.text == "2":
            consumer.stop()

    consumer = queue.consume(until_two, start=False)
    consumer.start()
    assert consumer.wait(PATIENCE)
    consumer.close()
    assert seen == ["0", "1", "2"]
    assert [message.text for message in queue] == ["3", "4"]


def test_a_function_may_close_its_consumer_and_its_work_is_committed(queue_manager: QueueManager, queue: Queue) -> None:
    queue.put("x")

    def last(message: Message) -> None:
        queue_manager.put("OUT", message.data)
        consumer.close()

    consumer = queue.consume(last, start=False)
    consumer.start()
    assert queue_manager.queue("OUT").get(wait=PATIENCE).data == b"x"
    assert consumer.wait(PATIENCE)
    assert queue.get_or_none() is None
    with pytest.raises(libremq.HandleError):
        consumer.start()


def test_several_consumers_share_a_queue(queue: Queue) -> None:
    inboxes = [Inbox(), Inbox(), Inbox()]
    everything: standard.Queue[str] = standard.Queue()
    consumers = [queue.consume(lambda message: everything.put(message.text)) for _ in inboxes]
    for number in range(30):
        queue.put(str(number))
    assert sorted(int(everything.get(timeout=PATIENCE)) for _ in range(30)) == list(range(30))
    for consumer in consumers:
        consumer.close()


def test_a_consumer_chooses_by_id_and_selector(queue_manager: QueueManager, queue: Queue) -> None:
    inbox = Inbox()
    queue.put("no", correlation_id="b", properties={"n": 1})
    queue.put("not either", correlation_id="a", properties={"n": 0})
    queue.put("yes", correlation_id="a", properties={"n": 1})
    with queue_manager.queue("IN", selector="n = 1").consume(inbox, correlation_id="a"):
        assert inbox.next() == "yes"
    assert queue.depth == 2


def test_a_queue_that_cannot_be_read_any_more_stops_the_consumer(queue: Queue) -> None:
    with pytest.raises(libremq.GetInhibited), queue.consume(Inbox()) as consumer:
        queue.set(get="disabled")
        queue.put("x")
        consumer.wait(PATIENCE)


def test_a_consumer_goes_on_when_gets_are_allowed_again(queue: Queue) -> None:
    inbox = Inbox()
    consumer = queue.consume(inbox)
    queue.set(get="disabled")
    with pytest.raises(libremq.GetInhibited):
        consumer.wait(PATIENCE)
    queue.set(get="enabled")
    consumer.start()
    queue.put("x")
    assert inbox.next() == "x"
    consumer.close()


def test_starting_twice_is_refused(queue: Queue) -> None:
    with queue.consume(Inbox()) as consumer:
        with pytest.raises(libremq.CallInProgress):
            consumer.start()
        assert not consumer.wait(0)


def test_what_cannot_be_called_is_refused(queue_manager: QueueManager, queue: Queue) -> None:
    with pytest.raises(libremq.MQError) as caught:
        queue.consume("print")  # type: ignore[arg-type]
    assert caught.value.reason == C.MQRC_CALLBACK_ROUTINE_ERROR


def test_an_unknown_queue_leaves_no_connection_behind(queue_manager: QueueManager) -> None:
    with pytest.raises(libremq.UnknownObject):
        queue_manager.queue("NOTHING").consume(Inbox())
    assert queue_manager.statistics().connections == 1


def test_a_transaction_inside_the_function_is_refused(queue_manager: QueueManager, queue: Queue) -> None:
    def nested(message: Message) -> None:
        with queue_manager.transaction():
            pass

    queue.put("x")
    with pytest.raises(libremq.UnitOfWorkError), queue.consume(nested) as consumer:
        consumer.wait(PATIENCE)


def test_closing_the_queue_manager_stops_its_consumers(start: Start) -> None:
    with start() as qm:
        qm.define_local("Q")
        inbox = Inbox()
        consumer = qm.queue("Q").consume(inbox)
        qm.put("Q", "x")
        assert inbox.next() == "x"
    assert not consumer.running
    assert consumer.wait(0)


def test_a_queue_manager_that_fails_tells_its_consumers(start: Start) -> None:
    files = FaultyFiles()
    with start(files=files) as qm:
        qm.define_local("Q")
        consumer = qm.queue("Q").consume(Inbox())
        files.fail("sync")
        with pytest.raises(libremq.ConnectionBroken):
            qm.put("Q", "x", persistent=True)
        with pytest.raises(libremq.ConnectionBroken):
            consumer.wait(PATIENCE)
        consumer.close()


def test_what_a_consumer_looks_like(queue: Queue) -> None:
    consumer = queue.consume(Inbox())
    assert repr(consumer) == "<Consumer of IN, running>"
    consumer.stop()
    assert repr(consumer) == "<Consumer of IN, stopped>"
    consumer.close()
    assert repr(consumer) == "<Consumer of IN, closed>"
