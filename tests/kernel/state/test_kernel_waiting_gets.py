"""Waiting gets: nobody waits for a message that is there, and the right one is served, however it was found."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from zlib import crc32

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import GENERAL, Got, Waiter
from libremq.kernel.verbs.matching import Wanted
from libremq.kernel.verbs.searching import Search
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.store.stored_message import Message

IDS = [bytes(24), *(bytes([number]) * 24 for number in range(1, 4))]
SELECTORS = ["", "", "", "colour = 'red'", "MQMD.Priority > 4", f"JMSCorrelationID = 'ID:{IDS[1].hex()}'"]


class Waits(Session):
    """Applications that put to one queue and wait there, also through an alias."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.queue("Q", MAXDEPTH=1000)
        self.qm.define("QALIAS", "ALIAS", {"TARGQ": "Q"})
        self.state = self.core.local_queue(self.core.catalogue.queues["Q"])  # type: ignore[arg-type]
        self.inputs = [self._input() for _ in range(6)]
        self.putter = self.qm.connect("bob", "putter")
        self.waiters: list[Waiter] = []

    def _input(self) -> tuple[int, int]:
        hconn = self.qm.connect("alice", "getter")
        options = C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_CO_OP
        name = self.random.choice(("Q", "Q", "ALIAS"))
        od = MQOD(Version=4, ObjectName=name, SelectionString=self.random.choice(SELECTORS))
        return hconn, self.qm.open(hconn, od, options)

    def step(self) -> None:
        with suppress(MQError):
            self.random.choice([
                self.wait, self.wait, self.wait, self.put_one, self.put_one, self.put_in_unit, self.end_unit,
                self.get_in_unit, self.unlock, self.reopen, self.cancel, self.inhibit, self.later,
            ])()  # fmt: skip

    def wait(self) -> None:
        choose = self.random.choice
        hconn, hobj = choose(self.inputs)
        if self.qm.handle(hconn, hobj).waiters:
            return  # one call at a time
        options = choose((
            0, 0, 0, C.MQGMO_BROWSE_FIRST, C.MQGMO_BROWSE_NEXT, C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK,
            C.MQGMO_ALL_MSGS_AVAILABLE, C.MQGMO_LOGICAL_ORDER, C.MQGMO_SYNCPOINT,
        ))  # fmt: skip
        md = MQMD(Version=2, MsgId=choose(IDS), CorrelId=choose(IDS))
        gmo = MQGMO(Version=2, Options=options | C.MQGMO_WAIT, WaitInterval=choose((50, 5000, C.MQWI_UNLIMITED)))
        gmo.MatchOptions = choose((0, C.MQMO_MATCH_MSG_ID, C.MQMO_MATCH_CORREL_ID, 3, C.MQMO_MATCH_GROUP_ID))
        result = self.qm.get(hconn, hobj, md, gmo)
        if isinstance(result, Waiter):
            self.waiters.append(result)

    def _put(self, options: int) -> None:
        choose = self.random.choice
        md = MQMD(Version=2, MsgId=choose(IDS[1:]), CorrelId=choose(IDS), Priority=choose((0, 9)))
        if self.random.random() < 0.2:
            md.GroupId, md.MsgSeqNumber, md.MsgFlags = IDS[3], choose((1, 2)), choose((8, 24))
        self.qm.put1(self.putter, MQOD(ObjectName="Q"), md, MQPMO(Options=options), b"data")

    def put_one(self) -> None:
        self._put(C.MQPMO_NO_SYNCPOINT)

    def put_in_unit(self) -> None:
        self._put(C.MQPMO_SYNCPOINT)

    def end_unit(self) -> None:
        hconn = self.random.choice([self.putter, *(hconn for hconn, _ in self.inputs)])
        self.random.choice((self.qm.commit, self.qm.backout))(hconn)

    def get_in_unit(self) -> None:
        hconn, hobj = self.random.choice(self.inputs)
        self.qm.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_SYNCPOINT))

    def unlock(self) -> None:
        hconn, hobj = self.random.choice(self.inputs)
        self.qm.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_UNLOCK))

    def reopen(self) -> None:
        closed = self.random.choice(self.inputs)
        self.random.choice((lambda: self.qm.close(*closed), lambda: self.qm.disconnect(closed[0])))()
        self.inputs.remove(closed)
        self.inputs.append(self._input())

    def cancel(self) -> None:
        if self.core.waiters:
            self.qm.cancel(self.random.choice(sorted(self.core.waiters, key=lambda one: one.number)))

    def inhibit(self) -> None:
        kind, name = self.random.choice((("QLOCAL", "Q"), ("QALIAS", "ALIAS")))
        inhibited = {waiter for waiter in self.core.waiters if name in ("Q", waiter.handle.object_name)}
        self.qm.alter(kind, name, {"GET": "DISABLED"})
        assert all(waiter.error and waiter.error.reason == C.MQRC_GET_INHIBITED for waiter in inhibited)
        self.qm.alter(kind, name, {"GET": "ENABLED"})

    def later(self) -> None:
        self.clock.advance(0.03)
        self.qm.tick()

    def check(self) -> None:
        """What is indexed is what waits, and nobody waits for what is there."""
        waiting = {waiter for waiter in self.waiters if not waiter.done}
        assert waiting == self.core.waiters == set(self.state.waiters)
        kept = self.state.waiters
        placed = [*kept._takers, *kept._others, *(one for place in kept._by_ids.values() for one in place)]
        assert set(placed) == waiting and len(placed) == len(waiting) and all(kept._by_ids.values())
        handles = [self.qm.handle(*one) for one in self.inputs]
        assert {waiter for handle in handles for waiter in handle.waiters} == waiting
        timed = sum(waiter.deadline is not None for waiter in waiting)
        assert len(self.core.wait_clock) == timed + 2, "and the expiry scan and the timed checkpoint"
        through = {handle for handle in handles if handle.object_name == "ALIAS"}
        assert self.core.alias_handles.get("ALIAS", set()) == through
        for waiter in waiting:
            assert not self._finds(waiter), f"{waiter.gmo} {waiter.md}"

    def _finds(self, waiter: Waiter) -> bool:
        return Search(self.core, waiter.handle, self.state, waiter.md, waiter.gmo).go_on(1_000_000) >= 0


@pytest.mark.parametrize("seed", range(25))
def test_nobody_waits_for_what_is_there(seed: int) -> None:
    waits = Waits(seed)
    for _ in range(250):
        waits.step()
        waits.check()


@pytest.mark.parametrize("seed", range(10))
def test_those_who_may_want_a_message_come_in_turn(seed: int) -> None:
    """Against a walk over all of them in the order of rank, the latest first."""
    waits = Waits(seed)
    for _ in range(60):
        waits.inputs.append(waits._input())
        waits.wait()
    everybody = waits.state.waiters.everybody()
    latest_first = list(waits.state.waiters)[::-1]
    assert everybody == sorted(latest_first, key=lambda one: one.rank)
    for message_id in IDS[1:]:
        for correl_id in IDS:
            md = MQMD(Version=2, MsgId=message_id, CorrelId=correl_id)

            def may_want(waiter: Waiter, md: MQMD = md) -> bool:
                wanted = Wanted(waiter.handle, waiter.md, waiter.gmo)
                return waiter.ids is None or (wanted.fits(md) and wanted.selects(Message(md, b"", b"")))

            hashes = [(crc32(message_id), crc32(correl_id))]
            expected = [waiter for waiter in everybody if may_want(waiter)]
            found = [waiter for waiter in _as_if_served(waits, hashes) if may_want(waiter)]
            assert found == expected


def _as_if_served(waits: Waits, hashes: list[tuple[int, int]]) -> Iterator[Waiter]:
    """Give them out as if each of those who take anything had got something; they are put back behind it."""
    served: list[Waiter] = []
    for waiter in waits.state.waiters.in_turn(hashes):
        yield waiter
        if waiter in waits.state.waiters._takers:
            del waits.state.waiters._takers[waiter]
            waiter.result = Got(b"", 0)
            served.append(waiter)
    for waiter in reversed(served):
        waiter.result = None
        waits.state.waiters._takers[waiter] = None


def test_of_those_who_take_anything_the_latest_gets_it() -> None:
    session = Session()
    session.queue("Q")
    waiters = []
    for _ in range(3):
        hobj = session.open_input("Q")
        result = session.qm.get(session.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_WAIT, WaitInterval=1000))
        assert isinstance(result, Waiter) and result.rank == GENERAL
        waiters.append(result)
    session.put("Q", b"one")
    session.put("Q", b"two", syncpoint=True)
    session.qm.commit(session.hconn)
    assert [waiter.result.data if waiter.result else None for waiter in waiters] == [None, b"two", b"one"]


def test_the_lock_that_a_close_releases_lets_the_next_one_have_the_message() -> None:
    session = Session()
    session.queue("Q")
    session.put("Q", b"locked")
    browser = session.open("Q", C.MQOO_BROWSE)
    session.qm.get(session.hconn, browser, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK))
    waiter = session.qm.get(
        session.hconn, session.open_input("Q"), MQMD(), MQGMO(Options=C.MQGMO_WAIT, WaitInterval=1000)
    )
    assert isinstance(waiter, Waiter)
    session.close(browser)
    assert waiter.result is not None and waiter.result.data == b"locked"
