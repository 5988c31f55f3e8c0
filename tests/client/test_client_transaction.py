"""Transactions: all or nothing, one for each thread, and nothing lost when many threads share a queue manager."""

from __future__ import annotations

import gc
import random
import sys
import threading
from types import FrameType

import pytest
from client_starting import Start

import libremq
from libremq import QueueManager
from libremq.mqi import constants as C

THREADS = 6
MESSAGES = 60


@pytest.fixture
def qm(queue_manager: QueueManager) -> QueueManager:
    queue_manager.define_local("IN")
    queue_manager.define_local("OUT")
    return queue_manager


def texts(qm: QueueManager, queue: str) -> list[str]:
    return [message.text for message in qm.queue(queue).browse()]


def test_what_is_put_shows_after_the_block(qm: QueueManager) -> None:
    with qm.transaction():
        qm.queue("OUT").put("one")
        qm.put("OUT", "two")
        assert texts(qm, "OUT") == []
    assert texts(qm, "OUT") == ["one", "two"]


def test_an_exception_undoes_puts_and_gets(qm: QueueManager) -> None:
    qm.put("IN", "order")
    with pytest.raises(ZeroDivisionError), qm.transaction():
        qm.put("OUT", qm.queue("IN").get().data)
        _ = 1 / 0
    assert texts(qm, "OUT") == []
    message = qm.queue("IN").get()
    assert (message.text, message.backout_count) == ("order", 1)


def test_commit_and_backout_inside_the_block_end_one_unit_and_begin_the_next(qm: QueueManager) -> None:
    out = qm.queue("OUT")
    with qm.transaction() as transaction:
        out.put("kept")
        transaction.commit()
        out.put("undone")
        transaction.backout()
        out.put("kept too")
    assert texts(qm, "OUT") == ["kept", "kept too"]


def test_a_transaction_inside_another_is_refused_and_the_outer_one_goes_on(qm: QueueManager) -> None:
    with qm.transaction():
        qm.put("OUT", "outer")
        with pytest.raises(libremq.UnitOfWorkError) as caught, qm.transaction():
            pass
        assert caught.value.reason == C.MQRC_UOW_IN_PROGRESS
    assert texts(qm, "OUT") == ["outer"]


def test_after_a_transaction_puts_are_immediate_again(qm: QueueManager) -> None:
    with qm.transaction():
        pass
    qm.put("OUT", "now")
    assert texts(qm, "OUT") == ["now"]


def test_commit_outside_the_block_is_refused(qm: QueueManager) -> None:
    transaction = qm.transaction()
    with pytest.raises(libremq.UnitOfWorkError):
        transaction.commit()
    with transaction:
        pass
    with pytest.raises(libremq.UnitOfWorkError):
        transaction.backout()


def test_a_transaction_belongs_to_its_thread(qm: QueueManager) -> None:
    refused: list[int] = []

    def meddle(transaction: libremq.Transaction) -> None:
        qm.put("OUT", "mine, at once")
        try:
            transaction.commit()
        except libremq.UnitOfWorkError as error:
            refused.append(error.reason)

    with qm.transaction() as transaction:
        qm.put("OUT", "theirs, later")
        thread = threading.Thread(target=meddle, args=(transaction,))
        thread.start()
        thread.join(60)
        assert texts(qm, "OUT") == ["mine, at once"]
    assert refused == [C.MQRC_UOW_NOT_AVAILABLE]
    assert sorted(texts(qm, "OUT")) == ["mine, at once", "theirs, later"]


def test_too_many_messages_in_one_unit_of_work(qm: QueueManager) -> None:
    qm.alter("qmgr", maxumsgs=3)
    with pytest.raises(libremq.LimitReached), qm.transaction():
        for number in range(4):
            qm.put("OUT", str(number))
    assert texts(qm, "OUT") == []


def test_closing_in_the_middle_backs_out(start: Start) -> None:
    with start() as qm:
        qm.define_local("Q")
        with pytest.raises(libremq.HandleError), qm.transaction():
            qm.put("Q", "never", persistent=True)
            qm.close()
    with start() as qm:
        assert texts(qm, "Q") == []


def test_the_first_error_is_the_one_to_hear_of(queue_manager: QueueManager) -> None:
    with queue_manager as qm, pytest.raises(KeyError) as caught, qm.transaction():
        qm.close()
        raise KeyError("why it failed")
    assert "the backout could not be confirmed" in caught.value.__notes__[0]


def test_the_raw_verbs_take_part(qm: QueueManager) -> None:
    from libremq.mqi.structs import MQMD, MQOD, MQPMO

    with pytest.raises(KeyError), qm.transaction():
        qm.mqi.MQPUT1(MQOD(ObjectName="OUT"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"x")
        raise KeyError
    assert texts(qm, "OUT") == []


def test_threads_that_move_messages_in_transactions_lose_and_double_nothing(qm: QueueManager) -> None:
    source, target = qm.queue("IN"), qm.queue("OUT")
    everything = [f"{number}" for number in range(THREADS * MESSAGES)]
    failures: list[BaseException] = []

    def put(part: list[str]) -> None:
        for text in part:
            source.put(text, persistent=text.endswith("7"))

    def move(seed: int) -> None:
        dice = random.Random(seed)
        while True:
            try:
                with qm.transaction():
                    message = source.get(wait=0.2)
                    target.put(message.data, persistent=message.persistent, format="MQSTR")
                    if dice.random() < 0.2:
                        raise InterruptedError
            except InterruptedError:
                continue
            except libremq.NoMessageAvailable:
                return

    def run(work: object, argument: object) -> None:
        try:
            work(argument)  # type: ignore[operator]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(put, everything[index::THREADS])) for index in range(THREADS)]
    threads += [threading.Thread(target=run, args=(move, index)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []
    left = [message.data.decode() for message in source]  # a mover may have given up while others still put
    assert sorted([message.data.decode() for message in target] + left) == sorted(everything)


def test_the_connection_of_a_thread_ends_with_it(qm: QueueManager) -> None:
    for _ in range(5):
        thread = threading.Thread(target=lambda: qm.put("OUT", "x"))
        thread.start()
        thread.join(60)
    assert qm.queue("OUT").depth == 5
    assert qm.statistics().connections == 1


def test_a_thread_that_dies_in_the_middle_leaves_nothing_behind(qm: QueueManager) -> None:
    def die() -> None:
        transaction = qm.transaction()
        transaction.__enter__()
        qm.put("OUT", "x")

    thread = threading.Thread(target=die)
    thread.start()
    thread.join(60)
    assert texts(qm, "OUT") == []
    assert qm.statistics().units_of_work == 0


def test_an_interrupt_at_the_very_end_of_the_block_backs_the_transaction_out(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q")
    queue = queue_manager.queue("Q")

    def interrupt_the_exit(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code.co_qualname == "Transaction.__exit__":
            sys.setprofile(None)
            raise KeyboardInterrupt

    def program() -> None:
        with queue_manager.transaction():
            queue.put("in the transaction", persistent=True)
            sys.setprofile(interrupt_the_exit)

    try:
        program()
    except KeyboardInterrupt:
        pass
    else:
        pytest.fail("the interrupt did not come")
    gc.collect()
    queue.put("after it", persistent=True)
    assert [message.text for message in queue.browse()] == ["after it"]
    with queue_manager.transaction():
        queue.put("in the next one", persistent=True)
    assert [message.text for message in queue] == ["after it", "in the next one"]
