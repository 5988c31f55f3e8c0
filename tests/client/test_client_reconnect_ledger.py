"""Reconnection by the books: nothing acknowledged is lost, nothing is doubled, wherever a connection is cut."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helper_proxy import Where
from helper_site import LIMIT_S, Site, until

import libremq
from libremq import MQError, QueueManager
from libremq.mqi import constants as C

TOLD = (C.MQRC_BACKED_OUT, C.MQRC_CALL_INTERRUPTED)


class Ledger:
    """What an application was told about what it put and got."""

    def __init__(self) -> None:
        self.put: list[str] = []
        self.maybe_put: list[str] = []
        self.got: list[str] = []
        self.maybe_got: list[str] = []
        """Of units of work in doubt."""

    def check(self, left: list[str]) -> None:
        """What is left on the queue must be in accord with it."""
        assert len(set(left)) == len(left), "doubled"
        assert len(set(self.got)) == len(self.got), "got twice"
        there = set(left)
        assert not there & set(self.got), "got, and still there"
        missing = set(self.put) - there - set(self.got) - set(self.maybe_got)
        assert not missing, f"lost: {missing}"
        strange = there - set(self.put) - set(self.maybe_put)
        assert not strange, f"nobody was told of these: {strange}"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Site(tmp_path) as found:
        yield found


def run(ledger: Ledger, puts: list[str], work: Callable[[list[str]], object]) -> None:
    """One unit of work, or one call: what it puts is known, what it gets it adds to the list."""
    got: list[str] = []
    try:
        work(got)
    except MQError as error:
        assert error.reason in TOLD, error
        if error.reason == C.MQRC_CALL_INTERRUPTED:
            ledger.maybe_put += puts
            ledger.maybe_got += got
    else:
        ledger.put += puts
        ledger.got += got


def session(qm: QueueManager, ledger: Ledger, name: str) -> None:
    """Every verb, once or more."""
    queue = qm.queue("Q")

    def exchange(got: list[str]) -> None:
        with qm.transaction():
            got.append(queue.get(LIMIT_S).text)
            queue.put(f"{name}3")
            qm.put("Q", f"{name}4")

    def take(got: list[str]) -> None:
        with qm.transaction():
            got += [message.text for message in queue.get_many(2, LIMIT_S)]

    run(ledger, [f"{name}0"], lambda got: queue.put(f"{name}0"))
    run(ledger, [f"{name}1"], lambda got: queue.put(f"{name}1"))
    run(ledger, [f"{name}2"], lambda got: qm.put("Q", f"{name}2"))
    run(ledger, [f"{name}3", f"{name}4"], exchange)
    many = [f"{name}{number}" for number in range(5, 9)]
    run(ledger, many, lambda got: queue.put_many(many))
    seen = [message.text for message in queue.browse()]
    assert len(set(seen)) == len(seen)
    assert set(ledger.put) - set(ledger.got) - set(ledger.maybe_got) <= set(seen)
    run(ledger, [], take)
    assert queue.depth <= 9
    with qm.dynamic_queue() as replies:
        run(Ledger(), ["x"], lambda got: replies.put("x", persistent=False))
    queue.close()


@pytest.mark.parametrize("where", ["request", "reply"])
def test_a_session_that_is_cut_at_every_point(site: Site, where: Where) -> None:
    with site.connect() as qm:
        site.proxy.arm(where, 10_000)
        session(qm, Ledger(), "count")
        points = site.proxy.calls
        site.proxy.disarm()
    assert points > 20
    for point in range(1, points + 1):
        # What is sent without waiting for a reply may come in one piece, and then there are fewer points than before
        assert any(cut_at(site, where, point) for _ in range(10)), point


def cut_at(site: Site, where: Where, point: int) -> bool:
    """A session with one cut, if it gets there, and a look at the books."""
    with site.direct() as other:
        other.clear("Q")
    ledger = Ledger()
    cuts = site.proxy.cuts
    with site.connect() as qm:
        site.proxy.arm(where, point)
        session(qm, ledger, f"{point}.")
        reached = site.proxy.calls >= point
        site.proxy.disarm()
    assert site.proxy.cuts == cuts + reached
    ledger.check(site.texts())
    return reached


def test_threads_that_are_cut_while_the_queue_manager_restarts(site: Site) -> None:
    """Each thread moves messages from Q to OUT and puts new ones; all the while connections are cut."""
    rng = random.Random(5)
    ledgers = [Ledger() for _ in range(4)]
    moved = [Ledger() for _ in ledgers]
    problems: list[BaseException] = []
    stop = threading.Event()

    def work(number: int) -> None:
        ledger, moves = ledgers[number], moved[number]
        count = 0
        try:
            queue, out = qm.queue("Q"), qm.queue("OUT")
            while not stop.is_set():
                count += 1
                text = f"{number}.{count}"
                run(ledger, [text], lambda got: queue.put(text))  # noqa: B023
                taken: list[str] = []
                try:
                    with qm.transaction():
                        message = queue.get_or_none()
                        if message is not None:
                            taken.append(message.text)
                            out.put(message.text)
                except MQError as error:
                    assert error.reason in TOLD, error
                    if error.reason == C.MQRC_CALL_INTERRUPTED:
                        moves.maybe_put += taken
                else:
                    moves.put += taken
        except BaseException as error:
            problems.append(error)

    with site.connect() as qm:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(len(ledgers))]
        for thread in threads:
            thread.start()
        for turn in range(12):
            before = sum(len(ledger.put) for ledger in ledgers)
            until(lambda: problems or sum(len(ledger.put) for ledger in ledgers) > before + 20)  # noqa: B023
            if turn % 4 == 3:
                site.restart()
            elif rng.random() < 0.5:
                site.proxy.cut_all()
            else:
                site.proxy.arm("reply", rng.randrange(1, 20))
        stop.set()
        for thread in threads:
            thread.join(LIMIT_S)
            assert not thread.is_alive()
    assert not problems, problems
    left, out = site.texts(), site.texts("OUT")
    both = left + out
    assert len(set(both)) == len(both), "doubled"
    put = {text for ledger in ledgers for text in ledger.put}
    maybe = {text for ledger in ledgers for text in ledger.maybe_put}
    assert put <= set(both), "lost"
    assert set(both) <= put | maybe
    assert {text for moves in moved for text in moves.put} <= set(out)


def test_a_consumer_that_is_cut_moves_each_message_once(site: Site) -> None:
    rng = random.Random(7)
    count = 120
    with site.direct() as other:
        other.queue("Q").put_many([str(number) for number in range(count)])
    calls: list[str] = []

    def move(message: libremq.Message) -> None:
        calls.append(message.text)
        qm.queue("OUT").put(message.text)

    with site.connect() as qm, qm.queue("Q").consume(move) as consumer:
        for _ in range(6):
            before = len(calls)
            until(lambda: len(calls) > min(before + 10, count - 1) or not consumer.running)  # noqa: B023
            if rng.random() < 0.3:
                site.restart()
            else:
                site.proxy.cut_all()
        with site.direct() as other:
            out = other.queue("OUT")
            until(lambda: out.depth == count or not consumer.running)
    assert sorted(site.texts("OUT"), key=int) == [str(number) for number in range(count)]
    assert site.texts() == []
    assert len(calls) >= count
