"""Whom a call has woken is told when the call is over; what happens outside a call is told at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Waiter
from libremq.kernel.state.woken import Woken
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQPMO


def test_outside_a_call_there_is_no_later_moment() -> None:
    woken, told = Woken(), list[str]()
    woken.add(None)
    woken.add(lambda: told.append("now"))
    assert told == ["now"]


def test_what_a_call_wakes_is_told_at_its_end_in_order_and_once() -> None:
    woken, told = Woken(), list[str]()
    woken.in_call = True
    for name in "abc":
        woken.add(lambda name=name: told.append(name))  # type: ignore[misc]
    assert told == []
    woken.end_call()
    woken.end_call()
    assert told == ["a", "b", "c"]


def test_one_that_fails_costs_the_others_nothing() -> None:
    """A wait that is never told of its end lasts for ever."""
    woken, told = Woken(), list[str]()

    def fails() -> None:
        raise ValueError("for a test")

    woken.in_call = True
    woken.add(fails)
    woken.add(lambda: told.append("the next"))
    with pytest.raises(ValueError, match="for a test"):
        woken.end_call()
    woken.end_call()
    assert told == ["the next"]


def test_who_is_told_may_wake_others() -> None:
    """By then the call is over: they are told at once."""
    woken, told = Woken(), list[str]()
    woken.in_call = True
    woken.add(lambda: woken.add(lambda: told.append("another")))
    woken.end_call()
    assert told == ["another"]


class Site(Session):
    """QM1 with a get that waits on Q, and what the queue manager was doing as the getter was told."""

    def __init__(self) -> None:
        super().__init__()
        self.queue("Q")
        self.told: list[bool] = []
        self.getter = self.qm.connect("bob", "getter")
        self.hobj = self.qm.open(self.getter, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)

    def listen(self) -> None:
        self.told.append(self.core.woken.in_call)

    def wait(self, interval: int = C.MQWI_UNLIMITED) -> Waiter:
        gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT | C.MQGMO_FAIL_IF_QUIESCING, WaitInterval=interval)
        waiter = self.qm.get(self.getter, self.hobj, MQMD(Version=2), gmo)
        assert isinstance(waiter, Waiter)
        waiter.notify = self.listen
        return waiter


@pytest.fixture
def site() -> Site:
    return Site()


def commits(site: Site) -> None:
    site.put("Q", syncpoint=True)
    assert not site.told
    site.qm.commit(site.hconn)


def closes(site: Site) -> None:
    site.qm.close(site.getter, site.hobj)


def is_disconnected(site: Site) -> None:
    site.qm.disconnect(site.getter)


def inhibits(site: Site) -> None:
    site.qm.alter("QLOCAL", "Q", {"GET": "DISABLED"})


def puts(site: Site) -> None:
    site.put("Q")


@pytest.mark.parametrize("call", [puts, commits, closes, is_disconnected, inhibits], ids=lambda call: call.__name__)
def test_a_get_that_waits_is_told_after_the_call_that_ended_its_wait(site: Site, call: Callable[[Site], None]) -> None:
    waiter = site.wait()
    call(site)
    assert waiter.done and site.told == [False]


@pytest.mark.parametrize("end", ["cancel", "quiesce", "fail", "end"])
def test_a_wait_that_no_call_ends_is_told_of_all_the_same(site: Site, end: str) -> None:
    waiter = site.wait()
    if end == "cancel":
        site.qm.cancel(waiter)
    elif end == "quiesce":
        site.qm.end_waits()
    elif end == "fail":
        site.qm.fail("for a test")
    else:
        site.qm.end()
    assert waiter.done and site.told == [False]


def test_a_wait_that_runs_out_is_told_of_by_the_clock(site: Site) -> None:
    waiter = site.wait(interval=500)
    site.clock.advance(0.4)
    site.qm.tick()
    assert not waiter.done and not site.told
    site.clock.advance(0.2)
    site.qm.tick()
    assert waiter.error is not None and waiter.error.reason == C.MQRC_NO_MSG_AVAILABLE
    assert site.told == [False]


def test_a_queue_manager_that_fails_inside_a_call_tells_at_once(site: Site) -> None:
    site.wait()
    site.files.fail("write", "qm/log/*", times=None)
    with pytest.raises(MQError):
        for _ in range(100_000):
            site.put("REPLIES" if site.told else "Q", b"x" * 100_000, Persistence=C.MQPER_PERSISTENT)
    site.qm.fail("for a test")  # unless it has already
    assert len(site.told) == 1 and not site.core.woken.in_call


def test_a_consumer_and_a_channel_hear_of_a_message_after_the_put(site: Site) -> None:
    told: list[tuple[str, bool]] = []
    woken = site.core.woken
    consumer = site.qm.connect("carol", "consumer", wake=lambda: told.append(("consumer", woken.in_call)))
    hobj = site.qm.open(consumer, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT)
    site.qm.callback(consumer, C.MQOP_REGISTER, MQCBD(), print, hobj, MQMD(Version=2), gmo)
    site.qm.control(consumer, C.MQOP_START)
    queue = site.qm.handle(consumer, hobj).queue
    assert queue is not None
    queue.notified = lambda: told.append(("channel", woken.in_call))
    told.clear()
    site.put("Q")
    assert told == [("consumer", False), ("channel", False)]


def test_a_command_inside_a_call_tells_when_that_is_over(site: Site) -> None:
    """The command server runs at the end of a call: what its own calls wake waits for the outer one."""
    in_commands: list[int] = []

    def serve() -> bool:
        pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        site.qm.put1(site.hconn, MQOD(ObjectName="Q"), MQMD(Version=2), pmo, b"")
        in_commands.append(len(site.told))
        return False

    site.wait()
    site.qm.set_command_server(serve)
    site.qm.tick()
    assert in_commands == [0] and site.told == [False]
