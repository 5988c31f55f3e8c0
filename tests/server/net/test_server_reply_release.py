"""Replies leave when the log is forced as far as they depend on it, and not before (contract 2)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from libremq.log import Log, LogConfig
from libremq.log import RecordType as R
from libremq.server.net.reply_release import ReplyRelease
from libremq.testing.faulty_files import FaultyFiles


class OneLink:
    """A link with replies by the position that they depend on."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.held: list[int] = []
        self.left: list[int] = []

    def release(self, durable: int) -> bool:
        for lsn in [lsn for lsn in self.held if lsn < durable]:
            assert self.log.durable > lsn, "a reply left, and what it tells of is not on disk"
            self.held.remove(lsn)
            self.left.append(lsn)
        return bool(self.held)


class Rig:
    def __init__(self) -> None:
        self.files = FaultyFiles()
        self.log = Log.create(self.files, "log", LogConfig(3, 2, 64, buffer_pages=20))
        self.failures: list[str] = []
        self.raised: list[BaseException] = []
        self.replies = ReplyRelease(self.log, self.failures.append)

    def link(self) -> OneLink:
        return OneLink(self.log)

    def call(self, link: OneLink, data: bytes = b"a message") -> int:
        """A call that logs something, and whose reply depends on that."""
        self.replies.heard_of(link)
        lsn = self.log.append(R.PUT, 0, 0, (data,))
        link.held.append(lsn)
        self.replies.hold(link, lsn)
        self.replies.served()
        return lsn

    async def until(self, done: Callable[[], bool]) -> None:
        while not done():
            await asyncio.sleep(0)
            if self.raised:
                raise self.raised[0]


def run(work: Callable[[Rig], Awaitable[None]]) -> Rig:
    rig = Rig()

    async def whole() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: rig.raised.append(context["exception"]))
        rig.replies.start(loop, "QM1")
        try:
            await work(rig)
        finally:
            rig.replies.stop()
            await asyncio.to_thread(rig.replies.join)

    asyncio.run(whole())
    return rig


@pytest.mark.parametrize("slow", [False, True], ids=["the loop forces", "the logger thread forces"])
def test_a_reply_leaves_when_its_record_is_on_disk(slow: bool) -> None:
    async def work(rig: Rig) -> None:
        rig.replies._force_s = 1.0 if slow else 0.0
        one, other = rig.link(), rig.link()
        lsns = [rig.call(one), rig.call(other), rig.call(one)]
        assert not one.left and not other.left and rig.log.durable <= lsns[0]
        await rig.until(lambda: not one.held and not other.held)
        assert one.left == [lsns[0], lsns[2]] and other.left == [lsns[1]]

    assert not run(work).failures


def test_one_force_serves_all_that_gathered() -> None:
    async def work(rig: Rig) -> None:
        rig.replies._force_s = 1.0
        before = rig.log.statistics().forces
        links = [rig.link() for _ in range(50)]
        for link in links:
            rig.call(link)
        await rig.until(lambda: not any(link.held for link in links))
        assert rig.log.statistics().forces == before + 1

    run(work)


def test_a_link_that_is_alone_is_answered_before_the_loop_turns() -> None:
    async def work(rig: Rig) -> None:
        link = rig.link()
        for _ in range(20):
            rig.call(link)
            await rig.until(lambda: not link.held)
        rig.replies._force_s = 0.0  # whatever a busy machine took for the forces so far
        rig.call(link)
        assert not link.held

    run(work)


def test_when_the_log_cannot_be_forced_no_reply_leaves() -> None:
    async def work(rig: Rig) -> None:
        link = rig.link()
        rig.files.fail("sync", times=None)
        rig.files.fail("write", times=None)
        rig.call(link)
        await rig.until(lambda: bool(rig.failures))
        assert not link.left

    assert len(run(work).failures) == 1


def test_a_link_that_is_gone_gets_nothing_more() -> None:
    async def work(rig: Rig) -> None:
        gone, there = rig.link(), rig.link()
        rig.call(gone)
        rig.call(there)
        rig.replies.forget(gone)
        await rig.until(lambda: not there.held)
        assert not gone.left

    run(work)


def _who_forces(rig: Rig) -> set[int]:
    """The threads that force from now on."""
    threads: set[int] = set()
    force = rig.replies._force_now

    def noted(lsn: int) -> str | None:
        threads.add(threading.get_ident())
        return force(lsn)

    rig.replies._force_now = noted  # type: ignore[method-assign]
    return threads


@pytest.mark.parametrize("calls", [1, 20], ids=["at first", "alone"])
def test_the_loop_does_not_write_much_by_itself(calls: int) -> None:
    """However quick the device was so far: others are served while the logger thread writes."""

    async def work(rig: Rig) -> None:
        link = rig.link()
        for _ in range(calls):
            rig.call(link)
            await rig.until(lambda: not link.held)
        rig.replies._force_s = 0.0
        threads = _who_forces(rig)
        rig.call(link, bytes(200_000))
        assert link.held, "the loop goes on"
        await rig.until(lambda: not link.held)
        assert threads and threading.get_ident() not in threads

    assert not run(work).failures


def test_what_no_reply_depends_on_does_not_stay_gathered() -> None:
    """A large put under syncpoint: the next put of whoever comes is not to write it out first."""

    async def work(rig: Rig) -> None:
        threads = _who_forces(rig)
        lsn = rig.log.append(R.PUT, 7, 0, (b"small",))
        rig.replies.relieve()
        await asyncio.sleep(0.01)
        assert not threads, "there is room in the buffer"
        lsn = rig.log.append(R.PUT, 7, lsn, (bytes(200_000),))
        assert rig.log.pressure
        rig.replies.relieve()
        rig.replies.relieve()
        await rig.until(lambda: rig.log.durable > lsn)
        assert threading.get_ident() not in threads and not rig.log.pressure
        link = rig.link()
        rig.call(link)
        await rig.until(lambda: not link.held)

    assert not run(work).failures
