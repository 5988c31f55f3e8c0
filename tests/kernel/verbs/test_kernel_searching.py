"""Searches in slices: what a get finds is what it would have found in one go, whatever happens between its slices."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.kernel.verbs import expiry
from libremq.kernel.verbs.matching import Wanted, is_marked, reach
from libremq.kernel.verbs.searching import Search
from libremq.log import Log, LogConfig, LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQPMO
from libremq.store.space_handles import IN_USE
from libremq.store.store_errors import damaged_queue

IDS = [bytes(24), *(bytes([number]) * 24 for number in range(1, 4))]
SELECTORS = ["", "", "colour = 'red'", "size > 3 AND colour <> 'red'", "JMSPriority > 4", "colour IS NULL"]
WAYS = (
    0, 0, C.MQGMO_SYNCPOINT, C.MQGMO_BROWSE_FIRST, C.MQGMO_BROWSE_NEXT, C.MQGMO_BROWSE_NEXT,
    C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK, C.MQGMO_BROWSE_NEXT | C.MQGMO_LOCK,
    C.MQGMO_BROWSE_NEXT | C.MQGMO_UNMARKED_BROWSE_MSG | C.MQGMO_MARK_BROWSE_CO_OP,
    C.MQGMO_ALL_MSGS_AVAILABLE, C.MQGMO_LOGICAL_ORDER, C.MQGMO_LOGICAL_ORDER | C.MQGMO_ALL_MSGS_AVAILABLE,
    C.MQGMO_COMPLETE_MSG | C.MQGMO_SYNCPOINT, C.MQGMO_ALL_SEGMENTS_AVAILABLE,
    C.MQGMO_BROWSE_FIRST | C.MQGMO_LOGICAL_ORDER, C.MQGMO_BROWSE_NEXT | C.MQGMO_LOGICAL_ORDER,
    C.MQGMO_BROWSE_NEXT | C.MQGMO_COMPLETE_MSG, C.MQGMO_BROWSE_FIRST | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_LOCK,
    C.MQGMO_BROWSE_NEXT | C.MQGMO_UNMARKED_BROWSE_MSG | C.MQGMO_MARK_BROWSE_HANDLE, C.MQGMO_MSG_UNDER_CURSOR,
    C.MQGMO_BROWSE_MSG_UNDER_CURSOR | C.MQGMO_LOCK, C.MQGMO_SYNCPOINT | C.MQGMO_LOGICAL_ORDER,
)  # fmt: skip
MATCHES = (0, 0, C.MQMO_MATCH_CORREL_ID, C.MQMO_MATCH_MSG_ID, 3, C.MQMO_MATCH_GROUP_ID, C.MQMO_MATCH_MSG_SEQ_NUMBER)


class Searches(Session):
    """Applications that put to one queue and look for messages there, a message or two in a slice."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.queue("Q", MAXDEPTH=1000)
        self.state: QueueState = self.core.local_queue(self.core.catalogue.queues["Q"])  # type: ignore[arg-type]
        self.inputs = [self._input() for _ in range(6)]
        self.putter = self.qm.connect("bob", "putter")
        self.core.turns.slice = self.random.choice((1, 10, 20))
        self.reports = seed % 4 == 0  # on messages that expire, to the same queue: they come in the middle of a slice
        self.searches: list[Waiter] = []
        self.ended = 0
        self.interrupted = 0

    def _input(self) -> tuple[int, int]:
        hconn = self.qm.connect("alice", "getter")
        options = C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_CO_OP
        od = MQOD(Version=4, ObjectName="Q", SelectionString=self.random.choice(SELECTORS))
        return hconn, self.qm.open(hconn, od, options)

    # What applications do

    def begin(self) -> None:
        choose = self.random.choice
        hconn, hobj = choose(self.inputs)
        if self.qm.handle(hconn, hobj).waiters:
            return  # one call at a time
        md = MQMD(Version=2, MsgId=choose(IDS), CorrelId=choose(IDS), GroupId=choose(IDS), MsgSeqNumber=choose((1, 2)))
        gmo = MQGMO(Version=3, Options=choose(WAYS), MatchOptions=choose(MATCHES))
        if self.random.random() < 0.4:
            gmo.Options, gmo.WaitInterval = gmo.Options | C.MQGMO_WAIT, choose((40, 5000, C.MQWI_UNLIMITED))
        result = self.qm.get(hconn, hobj, md, gmo)
        if isinstance(result, Waiter):
            self.searches.append(result)
            self.interrupted += result.unfinished

    def _put(self, options: int) -> None:
        choose = self.random.choice
        md = MQMD(Version=2, MsgId=choose(IDS[1:]), CorrelId=choose(IDS), Priority=choose((0, 0, 5)))
        md.Persistence = choose((C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT))
        if self.random.random() < 0.4:
            md.GroupId, md.MsgSeqNumber, md.MsgFlags = choose(IDS[1:]), choose((1, 2)), choose((8, 24, 10, 14, 30))
            md.Offset = choose((0, 4)) if md.MsgFlags & 2 else 0
            if self._is_there(md):
                return  # nobody who waits hears that one of two with the same number in a group is gone
        if self.random.random() < 0.15:
            md.Expiry, md.ReplyToQ = choose((1, 3)), "Q"
            md.Report = C.MQRO_EXPIRATION if self.reports else 0
        pmo = MQPMO(Version=3, Options=options)
        connection = self.qm.connection(self.putter)
        pmo.NewMsgHandle = hmsg = connection.message_handles.create()
        for name, value in (("colour", choose(("red", "blue", None))), ("size", choose((1, 7)))):
            if value is not None:
                connection.message_handles.get(hmsg).properties[name] = value
        self.qm.put1(self.putter, MQOD(ObjectName="Q"), md, pmo, b"data")

    def _is_there(self, md: MQMD) -> bool:
        store = self.state.store
        there = (store.descriptor(slot) for slot, flags in enumerate(store.handles.flags) if flags & IN_USE)
        number = md.GroupId, md.MsgSeqNumber, md.Offset
        return any((one.GroupId, one.MsgSeqNumber, one.Offset) == number for one in there)

    def put_now(self) -> None:
        self._put(C.MQPMO_NO_SYNCPOINT)

    def put_in_unit(self) -> None:
        self._put(C.MQPMO_SYNCPOINT)

    def end_unit(self) -> None:
        hconn = self.random.choice([self.putter, *(hconn for hconn, _ in self.inputs)])
        self.random.choice((self.qm.commit, self.qm.backout))(hconn)

    def take(self, options: int = C.MQGMO_NO_SYNCPOINT) -> None:
        """From anywhere on the queue."""
        slots = list(self.state.store.chains)
        hconn, hobj = self.random.choice(self.inputs)
        if slots and not self.qm.handle(hconn, hobj).waiters:
            gmo = MQGMO(Version=3, Options=options, MatchOptions=C.MQMO_MATCH_MSG_TOKEN)
            gmo.MsgToken = self.state.token(self.random.choice(slots))
            result = self.qm.get(hconn, hobj, MQMD(Version=2), gmo)
            if isinstance(result, Waiter):
                self.searches.append(result)

    def take_in_unit(self) -> None:
        self.take(C.MQGMO_SYNCPOINT)

    def unlock(self) -> None:
        hconn, hobj = self.random.choice(self.inputs)
        self.qm.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_UNLOCK))

    def unmark(self) -> None:
        hconn, hobj = self.random.choice(self.inputs)
        options = C.MQGMO_BROWSE_MSG_UNDER_CURSOR | C.MQGMO_UNMARK_BROWSE_CO_OP
        self.qm.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=options))

    def reopen(self) -> None:
        closed = self.random.choice(self.inputs)
        self.random.choice((lambda: self.qm.close(*closed), lambda: self.qm.disconnect(closed[0])))()
        self.inputs.remove(closed)
        self.inputs.append(self._input())

    def cancel(self) -> None:
        if self.core.waiters:
            self.qm.cancel(self.random.choice(sorted(self.core.waiters, key=lambda one: one.number)))

    def later(self) -> None:
        self.clock.advance(0.06)
        self.core.wait_clock.run(self.clock.monotonic())

    def step(self) -> None:
        with suppress(MQError):
            self.random.choice([
                self.begin, self.begin, self.begin, self.put_now, self.put_now, self.put_now, self.put_now,
                self.put_in_unit, self.put_in_unit, self.end_unit, self.take, self.take_in_unit, self.unlock,
                self.unmark, self.reopen, self.cancel, self.later,
            ])()  # fmt: skip

    # What they must see

    def first_that_fits(self, waiter: Waiter) -> int | None:
        """By looking at everything there is at this moment; nothing is changed by it."""
        handle, queue, store = waiter.handle, self.state, self.state.store
        wanted = Wanted(handle, waiter.md, waiter.gmo)
        after = None
        if wanted.options & C.MQGMO_BROWSE_NEXT and wanted.current is None:
            after = handle.group_cursor if wanted.options & C.MQGMO_LOGICAL_ORDER else handle.cursor
        now_ms = int(self.clock.now() * 1000)
        for slot in store.chains:
            md = store.descriptor(slot)
            if (
                (after is None or queue.delivery_order(slot) > (-after.priority, after.sequence))
                and not 0 < store.handles.expiry_ms[slot] <= now_ms
                and queue.locks.get(slot, handle) is handle
                and not (wanted.unmarked and is_marked(self.core, handle, queue, slot))
                and wanted.fits(md)
                and (wanted.token is None or queue.token(slot) == wanted.token)
                and wanted.selects(store.message(slot))
                and reach(self.core, handle, queue).accepts(slot, wanted.options, wanted.current)
            ):
                return store.handles.sequence[slot]
        return None

    def turn(self) -> None:
        """One slice of what has more to do: whoever comes to an end with it has found what there was."""
        before = {waiter: self.first_that_fits(waiter) for waiter in self.core.waiters if waiter.unfinished}
        self.qm.next_turn()
        served = [waiter for waiter in before if waiter.result is not None]
        for waiter, expected in before.items():
            if waiter in served:
                found = int.from_bytes(waiter.gmo.MsgToken[:8], "little")
                assert found == expected or len(served) > 1 or self.reports, "another one was before it"
                self.ended += 1
            elif not waiter.unfinished and (waiter.error is None or waiter.error.reason == C.MQRC_NO_MSG_AVAILABLE):
                assert self.first_that_fits(waiter) is None, f"it was there: {waiter.gmo} {waiter.md}"
                self.ended += 1

    def check(self) -> None:
        """Nobody waits for what is there, and who is through with the queue does not watch it."""
        for waiter in self.core.waiters:
            if not waiter.unfinished:
                assert self.first_that_fits(waiter) is None, f"{waiter.gmo} {waiter.md}"
        under_way = [waiter for waiter in self.core.waiters if waiter.turn is not None]
        assert len(self.state.watchers) == len(under_way)
        assert all(waiter.turn in self.core.turns for waiter in under_way if waiter.turn is not None)


@pytest.mark.parametrize("seed", range(40))
def test_a_search_in_slices_finds_what_one_in_one_go_finds(seed: int) -> None:
    searches = Searches(seed)
    for _ in range(400):
        searches.step()
        searches.check()
        if searches.core.turns and searches.random.random() < 0.7:
            searches.turn()
            searches.check()
    while searches.core.turns:
        searches.turn()
        searches.check()
    assert searches.interrupted > 5 and searches.ended > 5


# What one call does at most


class Deep(Session):
    """A queue with many messages, and one who looks for something on it."""

    def __init__(self, count: int = 1000, **fields: Any) -> None:
        super().__init__(LogConfig(file_pages=4096))
        self.queue("Q", MAXDEPTH=100_000)
        self.queue("OTHER")
        self.qm.alter("QMGR", "", {"MAXHANDS": 5000})
        self.out = self.open("Q", C.MQOO_OUTPUT)
        self.hmsg = self.qm.connection(self.hconn).message_handles.create()
        for number in range(count):
            self.put_one("blue", str(number).encode(), **fields)

    def put_one(self, colour: str, data: bytes = b"", options: int = C.MQPMO_NO_SYNCPOINT, **fields: Any) -> None:
        self.qm.connection(self.hconn).message_handles.get(self.hmsg).properties["colour"] = colour
        pmo = MQPMO(Version=3, Options=options, NewMsgHandle=self.hmsg)
        self.qm.put(self.hconn, self.out, MQMD(Version=2, **fields), pmo, data)

    def state_of(self, name: str) -> QueueState:
        return self.core.queues[name]

    def select(self, text: str = "colour = 'red'", options: int = C.MQOO_INPUT_SHARED) -> int:
        return self.qm.open(self.hconn, MQOD(Version=4, ObjectName="Q", SelectionString=text), options)

    def look(self, hobj: int, options: int = C.MQGMO_NO_SYNCPOINT, wait_ms: int = 0, **match: Any) -> Got | Waiter:
        options |= C.MQGMO_NO_PROPERTIES | (C.MQGMO_WAIT if wait_ms else 0)
        return self.qm.get(self.hconn, hobj, MQMD(Version=2, **match), MQGMO(Options=options, WaitInterval=wait_ms))

    def a_slice(self) -> None:
        """Of what is left to do, if there is something."""
        if self.core.turns:
            self.qm.next_turn()

    def to_the_end(self) -> int:
        """All that is left to do; how many slices that took."""
        count = 0
        while self.core.turns:
            self.qm.next_turn()
            count += 1
        return count


@pytest.mark.parametrize("options", [0, C.MQGMO_SYNCPOINT, C.MQGMO_BROWSE_FIRST, C.MQGMO_BROWSE_NEXT])
def test_a_long_search_gives_way(options: int) -> None:
    deep = Deep()
    deep.put_one("red", b"at last")
    hobj = deep.select(options=C.MQOO_INPUT_SHARED | C.MQOO_BROWSE)
    waiter = deep.look(hobj, options)
    assert isinstance(waiter, Waiter) and waiter.unfinished
    assert deep.qm.next_deadline() <= deep.clock.monotonic(), "the clock is to go on with it"
    deep.put("OTHER", b"meanwhile")
    assert deep.get("OTHER")[1] == b"meanwhile"
    assert deep.to_the_end() > 3
    assert waiter.result is not None and waiter.result.data == b"at last"
    assert not deep.state_of("Q").watchers and not deep.state_of("Q").waiters


@pytest.mark.parametrize(
    "selector",
    [
        " OR ".join(f"JMSPriority = {number}" for number in range(10, 500)),
        " OR ".join(f"colour = '{number}'" for number in range(500)),
        "colour LIKE '%" + "b_" * 500 + "x%'",
    ],
    ids=["descriptor", "property", "pattern"],
)
def test_a_long_selector_is_worth_more_than_a_look(selector: str) -> None:
    deep = Deep(0)
    for _ in range(100):
        deep.put_one("b" * 500)
    assert isinstance(deep.look(deep.select(selector)), Waiter)
    assert deep.to_the_end() > 4


@pytest.mark.parametrize("field", ["MsgId", "CorrelId"])
def test_the_index_that_the_first_get_by_id_needs_is_made_in_slices(field: str) -> None:
    def an_id(number: int) -> dict[str, Any]:
        return {field: number.to_bytes(24, "big")}

    deep = Deep(0)
    for number in range(500):
        deep.put("Q", str(number).encode(), Priority=number % 3, **an_id(number))
    deep.core.turns.slice = 50
    hobj = deep.open_input("Q")
    waiters = [deep.look(hobj, **an_id(number)) for number in (499, 7, 1000)]
    assert all(isinstance(waiter, Waiter) and waiter.unfinished for waiter in waiters)
    for number in (498, 7):  # one in the part that is made, and one that is not
        deep.qm.next_turn()
        assert deep.get("Q")[1] is not None
        deep.put("Q", b"new", Priority=number % 3, **an_id(2000 + number))
    assert deep.to_the_end() > 3
    found = [waiter.result.data if waiter.result is not None else None for waiter in waiters]  # type: ignore[union-attr]
    assert found == [b"499", b"7", None]
    assert isinstance(deep.look(hobj, **an_id(2007)), Got), "it is there now"
    assert not deep.core.turns


@pytest.mark.parametrize("options", [0, C.MQGMO_BROWSE_FIRST, C.MQGMO_BROWSE_NEXT])
def test_many_messages_with_one_id_are_looked_at_in_slices(options: int) -> None:
    """And none of them is kept in mind for the slices that follow."""
    deep = Deep(0)
    for number in range(1500):
        deep.put_one("blue", CorrelId=IDS[1 + number % 2], Priority=number % 2)
    deep.put_one("red", b"of another", CorrelId=IDS[2])
    deep.put_one("red", b"at last", CorrelId=IDS[1])
    hobj = deep.select(options=C.MQOO_INPUT_SHARED | C.MQOO_BROWSE)
    waiter = deep.look(hobj, options, CorrelId=IDS[1])
    assert isinstance(waiter, Waiter) and isinstance(waiter.search, Search)
    slices = 0
    while deep.core.turns:
        deep.qm.next_turn()
        slices += 1
        assert not waiter.search._again
    assert slices > 3 and waiter.result is not None and waiter.result.data == b"at last"


def test_a_browse_by_id_goes_on_from_where_it_was() -> None:
    deep = Deep(0)
    for number in range(300):
        deep.put("Q", str(number).encode(), CorrelId=IDS[1 + number % 2], Priority=4 - number // 100)
    hobj = deep.open("Q", C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    seen, taken = [], 0
    while True:
        try:
            got = deep.look(hobj, C.MQGMO_BROWSE_NEXT, CorrelId=IDS[1])
        except MQError as error:
            assert error.reason == C.MQRC_NO_MSG_AVAILABLE
            break
        if isinstance(got, Waiter):
            deep.to_the_end()
            assert got.result is not None
            got = got.result
        seen.append(int(got.data))
        if seen[-1] % 7 == 0:
            deep.look(hobj, C.MQGMO_MSG_UNDER_CURSOR)
            taken += 1
    assert seen == list(range(0, 300, 2)) and taken


def test_a_search_that_finds_nothing_ends(deep: Deep) -> None:
    waiter = deep.look(deep.select())
    assert isinstance(waiter, Waiter) and waiter.unfinished
    deep.to_the_end()
    assert waiter.error is not None and waiter.error.reason == C.MQRC_NO_MSG_AVAILABLE


def test_a_search_whose_time_is_over_still_finds_what_was_there(deep: Deep) -> None:
    """The wait is for messages that are not there yet."""
    deep.put_one("red", b"at last")
    waiter = deep.look(deep.select(), wait_ms=100)
    assert isinstance(waiter, Waiter)
    deep.clock.advance(1)
    deep.qm.tick()
    assert not waiter.done
    deep.to_the_end()
    assert waiter.result is not None and waiter.result.data == b"at last"


def test_a_search_whose_time_is_over_does_not_wait(deep: Deep) -> None:
    waiter = deep.look(deep.select(), wait_ms=100)
    assert isinstance(waiter, Waiter)
    deep.clock.advance(1)
    deep.qm.tick()
    deep.to_the_end()
    assert waiter.error is not None and waiter.error.reason == C.MQRC_NO_MSG_AVAILABLE


def test_what_comes_to_a_waiting_get_is_looked_at_and_nothing_else(deep: Deep) -> None:
    waiter = deep.look(deep.select(), wait_ms=60_000)
    assert isinstance(waiter, Waiter)
    deep.to_the_end()
    assert not waiter.done and not waiter.unfinished
    deep.put_one("green")
    assert not deep.core.turns, "nothing but the one that came"
    deep.put_one("red", b"it", C.MQPMO_SYNCPOINT)
    deep.qm.commit(deep.hconn)
    assert waiter.result is not None and waiter.result.data == b"it"


def test_a_commit_of_many_serves_those_who_select_in_slices() -> None:
    deep = Deep(0)
    waiters = [deep.look(deep.select(f"colour = 'c{number}'"), wait_ms=60_000) for number in range(50)]
    for number in range(100):
        deep.put_one(f"c{number}", str(number).encode(), C.MQPMO_SYNCPOINT)
    deep.qm.commit(deep.hconn)
    done = [waiter.done for waiter in waiters if isinstance(waiter, Waiter)]
    assert len(done) == 50 and not all(done), "not in one go"
    deep.put("OTHER", b"meanwhile")
    assert deep.to_the_end() > 1
    found = [waiter.result.data for waiter in waiters if isinstance(waiter, Waiter) and waiter.result is not None]
    assert found == [str(number).encode() for number in range(50)]


def test_a_message_is_not_offered_to_any_number_of_those_who_select() -> None:
    deep = Deep(0)
    waiters = [deep.look(deep.select(f"colour = 'c{number}'"), wait_ms=60_000) for number in range(1000)]
    deep.put_one("c7", b"it")
    assert sum(waiter.done for waiter in waiters if isinstance(waiter, Waiter)) == 0
    assert deep.to_the_end() > 1
    seventh = waiters[7]
    assert isinstance(seventh, Waiter) and seventh.result is not None and seventh.result.data == b"it"


def test_what_takes_any_does_not_overtake_who_was_asked_before() -> None:
    """Whoever wants a certain message is asked first, however long that takes."""
    deep = Deep(0)
    first = deep.look(deep.select("colour = 'red'"), wait_ms=60_000)
    taker = deep.look(deep.open_input("Q"), wait_ms=60_000)
    others = [deep.look(deep.select(f"colour = 'c{number}'"), wait_ms=60_000) for number in range(1000)]
    deep.put_one("red", b"it")
    assert isinstance(taker, Waiter) and isinstance(first, Waiter) and not taker.done and not first.done
    deep.to_the_end()
    assert first.result is not None and first.result.data == b"it" and not taker.done
    deep.put_one("green", b"other")
    deep.to_the_end()
    assert taker.result is not None and taker.result.data == b"other" and len(others) == 1000


def test_a_get_discards_no_more_than_a_slice() -> None:
    deep = Deep(500, Expiry=1)
    deep.put_one("blue", b"at last")
    deep.clock.advance(1)
    waiter = deep.look(deep.open_input("Q"))
    assert isinstance(waiter, Waiter) and waiter.unfinished
    assert 400 < deep.depth("Q") < 501
    late = deep.look(deep.open_input("Q"))
    assert isinstance(late, Waiter)
    deep.to_the_end()
    found = [one.result.data if one.result is not None else one.error.reason for one in (late, waiter) if one.done]  # type: ignore[union-attr]
    assert sorted(map(str, found)) == [str(C.MQRC_NO_MSG_AVAILABLE), str(b"at last")]


@pytest.mark.parametrize("match", [{}, {"MsgId": IDS[1]}, {"CorrelId": IDS[1]}])
def test_no_search_discards_more_than_a_slice(match: dict[str, Any]) -> None:
    deep = Deep(0)
    for _ in range(500):
        deep.put("Q", b"over", Expiry=1, MsgId=IDS[1], CorrelId=IDS[1])
    deep.put("Q", b"at last", MsgId=IDS[1], CorrelId=IDS[1])
    deep.clock.advance(1)
    waiter = deep.look(deep.open("Q", C.MQOO_BROWSE), C.MQGMO_BROWSE_FIRST, **match)
    assert isinstance(waiter, Waiter) and deep.depth("Q") > 400
    deep.to_the_end()
    assert waiter.result is not None and waiter.result.data == b"at last" and deep.depth("Q") == 1


def test_a_message_from_hand_to_hand_overtakes_none() -> None:
    """While expired messages are cleared away, an older one may still be found behind them."""
    deep = Deep(500, Expiry=1)
    deep.put_one("blue", b"older")
    deep.clock.advance(1)
    waiter = deep.look(deep.open_input("Q"), wait_ms=60_000)
    deep.put("Q", b"newer")
    deep.to_the_end()
    assert isinstance(waiter, Waiter) and waiter.result is not None and waiter.result.data == b"older"


def test_the_clock_scans_in_slices() -> None:
    deep = Deep(500, Expiry=1)
    deep.clock.advance(expiry.SCAN_INTERVAL_S)
    deep.qm.tick()
    assert 400 < deep.depth("Q") < 500
    assert deep.to_the_end() > 3
    assert deep.depth("Q") == 0


def test_a_channel_that_empties_a_queue_is_told_to_look_again() -> None:
    deep = Deep(500, Expiry=1)
    deep.put_one("blue", b"at last")
    deep.clock.advance(1)
    hobj, told = deep.open_input("Q"), [0]
    deep.state_of("Q").notified = lambda: told.append(1)
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_NO_PROPERTIES)
    found = None
    while found is None:
        asked = len(told)
        found = deep.qm.get_if_found(deep.hconn, hobj, MQMD(Version=2), gmo)
        deep.to_the_end()
        assert found is not None or len(told) == asked + 1
    assert found.data == b"at last" and len(told) > 3


def test_a_consumer_goes_on_where_it_was() -> None:
    deep = Deep()
    deep.put_one("red", b"at last")
    hobj, woken = deep.select(), [0]
    deep.qm.connection(deep.hconn).wake = lambda: woken.append(1)
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_WAIT | C.MQGMO_NO_PROPERTIES, WaitInterval=10)
    deep.qm.callback(deep.hconn, C.MQOP_REGISTER, MQCBD(), lambda *args: None, hobj, MQMD(Version=2), gmo)
    deep.qm.control(deep.hconn, C.MQOP_START)
    delivery, calls = deep.qm.next_delivery(deep.hconn), 1
    while delivery is None:
        asked = len(woken)
        deep.to_the_end()
        assert len(woken) == asked + 1, "it is told to ask again"
        deep.clock.advance(0.02)
        deep.core.wait_clock.run(deep.clock.monotonic())  # nothing came for so long: but it is still looking
        delivery, calls = deep.qm.next_delivery(deep.hconn), calls + 1
    assert delivery.data == b"at last" and calls > 3
    assert not deep.state_of("Q").watchers


@pytest.mark.parametrize("operation", [C.MQOP_STOP, C.MQOP_SUSPEND])
def test_a_consumer_that_is_stopped_looks_no_further(deep: Deep, operation: int) -> None:
    hobj = deep.select()
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT)
    deep.qm.callback(deep.hconn, C.MQOP_REGISTER, MQCBD(), lambda *args: None, hobj, MQMD(Version=2), gmo)
    deep.qm.control(deep.hconn, C.MQOP_START)
    assert deep.qm.next_delivery(deep.hconn) is None and deep.state_of("Q").watchers
    deep.qm.control(deep.hconn, operation)
    assert not deep.state_of("Q").watchers


@pytest.mark.parametrize("end", ["close", "cancel", "disconnect", "inhibit", "end"])
def test_a_search_that_is_given_up_leaves_nothing_behind(deep: Deep, end: str) -> None:
    hobj = deep.select()
    waiter = deep.look(hobj)
    assert isinstance(waiter, Waiter)
    if end == "close":
        deep.close(hobj)
    elif end == "cancel":
        deep.qm.cancel(waiter)
    elif end == "disconnect":
        deep.qm.disconnect(deep.hconn)
    elif end == "inhibit":
        deep.qm.alter("QLOCAL", "Q", {"GET": "DISABLED"})
    else:
        deep.qm.end()
    assert waiter.done and not deep.core.turns
    queue = deep.state_of("Q")
    assert not queue.watchers and not queue.waiters and not any(queue.cursors.values())


def test_a_search_that_fails_says_so(deep: Deep) -> None:
    """A slice that meets damage ends the get, and nothing but the get."""
    waiter = deep.look(deep.select())
    assert isinstance(waiter, Waiter)
    queue = deep.state_of("Q")
    queue.damage = damaged_queue("Q", "qm/queues/Q", "for the test")
    deep.to_the_end()
    assert waiter.error is not None and waiter.error.reason == C.MQRC_OBJECT_DAMAGED
    deep.put("OTHER", b"others go on")


def test_a_full_log_ends_a_search_and_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """To discard a persistent message needs room in the log. What the search has not come to is there for the next."""
    deep = Deep(300, Expiry=1, Persistence=C.MQPER_PERSISTENT)
    deep.put_one("red", b"at last", Persistence=C.MQPER_PERSISTENT)
    deep.clock.advance(1)
    hobj = deep.select()
    waiter = deep.look(hobj)
    assert isinstance(waiter, Waiter)

    def full(log: Log, *args: Any, **kwargs: Any) -> int:
        raise LogFull("for the test")

    with monkeypatch.context() as patched:
        patched.setattr(Log, "append", full)
        deep.to_the_end()
    assert waiter.error is not None and waiter.error.reason == C.MQRC_RESOURCE_PROBLEM
    again = deep.look(hobj)
    deep.to_the_end()
    assert isinstance(again, Waiter) and again.result is not None and again.result.data == b"at last"


def test_a_report_on_a_segment_is_no_segment() -> None:
    """It has the flags and the place of the segment and no data: whoever puts segments together must not go round."""
    deep = Deep(0)
    flags = C.MQMF_SEGMENT | C.MQMF_MSG_IN_GROUP
    deep.put("Q", b"data", Expiry=1, Report=C.MQRO_EXPIRATION, ReplyToQ="Q", GroupId=IDS[1], MsgFlags=flags)
    deep.clock.advance(1)
    deep.qm.scan_expired()
    assert deep.depth("Q") == 1
    for options in (C.MQGMO_COMPLETE_MSG | C.MQGMO_SYNCPOINT, C.MQGMO_ALL_MSGS_AVAILABLE):
        with pytest.raises(MQError) as caught:
            deep.look(deep.open_input("Q"), options)
        assert caught.value.reason == C.MQRC_NO_MSG_AVAILABLE


# Groups, of which every message that comes may change what may be got


GROUP: dict[str, Any] = {"GroupId": IDS[1], "MsgFlags": C.MQMF_MSG_IN_GROUP}
LAST = C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_MSG_IN_GROUP


@pytest.mark.parametrize(
    "options",
    [
        C.MQGMO_ALL_MSGS_AVAILABLE,
        C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_LOGICAL_ORDER,
        C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE,
    ],
)
def test_who_waits_for_a_group_keeps_each_message_of_it_in_mind_once(options: int) -> None:
    deep = Deep(0)
    waiter = deep.look(deep.open_input("Q"), options, wait_ms=60_000)
    assert isinstance(waiter, Waiter) and isinstance(waiter.search, Search)
    for number in range(1, 501):
        flags = LAST if number == 500 else C.MQMF_MSG_IN_GROUP
        deep.put_one("blue", str(number).encode(), GroupId=IDS[1], MsgSeqNumber=number, MsgFlags=flags)
        deep.a_slice()
        assert len(waiter.search._again) <= number
    deep.to_the_end()
    assert waiter.result is not None and waiter.result.data == b"1"


@pytest.mark.parametrize("options", [C.MQGMO_COMPLETE_MSG, C.MQGMO_ALL_SEGMENTS_AVAILABLE, C.MQGMO_ALL_MSGS_AVAILABLE])
def test_who_waits_for_a_message_keeps_each_segment_of_it_in_mind_once(options: int) -> None:
    deep = Deep(0)
    waiter = deep.look(deep.open_input("Q"), options, wait_ms=60_000)
    assert isinstance(waiter, Waiter) and isinstance(waiter.search, Search)
    for number in range(500):
        flags = C.MQMF_SEGMENT | (C.MQMF_LAST_SEGMENT if number == 499 else 0)
        deep.put_one("blue", b"x", GroupId=IDS[1], Offset=number, MsgFlags=flags)
        deep.a_slice()
        assert len(waiter.search._again) <= number + 1
    deep.to_the_end()
    assert waiter.result is not None and set(waiter.result.data) == {ord("x")}


def test_what_has_gone_is_not_kept_in_mind() -> None:
    """A group that is never whole, and of which messages come and go."""
    deep = Deep(0)
    hobj = deep.open_input("Q")
    waiter = deep.look(hobj, C.MQGMO_ALL_MSGS_AVAILABLE, wait_ms=60_000)
    assert isinstance(waiter, Waiter) and isinstance(waiter.search, Search)
    for number in range(2, 302):
        deep.put_one("blue", MsgSeqNumber=number, **GROUP)
    for _ in range(700):
        deep.put_one("blue", MsgSeqNumber=1000, MsgId=IDS[2], **GROUP)
        assert isinstance(deep.look(hobj, MsgId=IDS[2]), Got)
        deep.a_slice()
        assert len(waiter.search._again) <= 2 * 301 + 1
    deep.put_one("blue", MsgSeqNumber=302, GroupId=IDS[1], MsgFlags=LAST)
    deep.put_one("blue", b"first", MsgSeqNumber=1, **GROUP)
    deep.to_the_end()
    assert waiter.result is not None


def test_that_a_group_is_not_there_is_found_out_once_for_all_its_messages() -> None:
    deep = Deep(0)
    waiter = deep.look(deep.open_input("Q"), C.MQGMO_ALL_MSGS_AVAILABLE, wait_ms=60_000)
    for number in range(2, 502):
        deep.put_one("blue", MsgSeqNumber=number, **GROUP)
    assert deep.to_the_end() < 10 and isinstance(waiter, Waiter) and not waiter.done


def test_the_second_of_two_first_segments_is_no_beginning() -> None:
    deep = Deep(0)
    for number in (2, 3):
        deep.put_one("blue", b"x", GroupId=IDS[1], MsgId=IDS[number], MsgFlags=C.MQMF_SEGMENT)
    deep.put_one("blue", b"y", GroupId=IDS[1], Offset=1, MsgFlags=C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT)
    hobj = deep.open_input("Q")
    with pytest.raises(MQError) as caught:
        deep.look(hobj, C.MQGMO_COMPLETE_MSG, MsgId=IDS[3])
    assert caught.value.reason == C.MQRC_NO_MSG_AVAILABLE
    got = deep.look(hobj, C.MQGMO_COMPLETE_MSG, MsgId=IDS[2])
    assert isinstance(got, Got) and got.data == b"xy"


def test_a_message_of_no_group_is_there_although_a_group_with_its_id_is_not() -> None:
    deep = Deep(0)
    deep.put_one("blue", b"of a group", MsgSeqNumber=1, **GROUP)
    deep.put_one("blue", b"alone", GroupId=IDS[1], MsgFlags=C.MQMF_SEGMENTATION_ALLOWED)
    got = deep.look(deep.open_input("Q"), C.MQGMO_ALL_MSGS_AVAILABLE)
    assert isinstance(got, Got) and got.data == b"alone"


@pytest.mark.parametrize("event", ["expired", "locked", "got", "in a unit of work"])
def test_the_second_of_two_with_one_number_may_make_the_group_whole(event: str) -> None:
    """The search has looked at the group when the first of them was there."""
    deep = Deep(0)
    deep.put_one("blue", b"first", MsgSeqNumber=1, MsgId=IDS[2], Expiry=10 if event == "expired" else -1, **GROUP)
    deep.put_one("blue", b"second", MsgSeqNumber=1, GroupId=IDS[1], MsgFlags=LAST)
    deep.core.turns.slice = 1
    waiter = deep.look(deep.open_input("Q"), C.MQGMO_ALL_MSGS_AVAILABLE)
    assert isinstance(waiter, Waiter) and waiter.unfinished
    deep.core.turns.slice = 2000
    other = deep.open("Q", C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    if event == "expired":
        deep.clock.advance(2)
    elif event == "locked":
        assert isinstance(deep.look(other, C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK), Got)
    else:
        options = C.MQGMO_NO_SYNCPOINT if event == "got" else C.MQGMO_SYNCPOINT
        assert isinstance(deep.look(other, options, MsgId=IDS[2]), Got)
    deep.to_the_end()
    assert waiter.result is not None and waiter.result.data == b"second"


def test_who_waits_does_not_rely_on_what_a_group_was() -> None:
    """It hears of what comes, not of what goes. When many come, it looks at what is behind them, too."""
    deep = Deep(0)
    deep.put_one("blue", b"first", MsgSeqNumber=1, MsgId=IDS[2], Priority=0, **GROUP)
    deep.put_one("blue", b"second", MsgSeqNumber=1, Priority=0, GroupId=IDS[1], MsgFlags=LAST)
    waiter = deep.look(deep.open_input("Q"), C.MQGMO_ALL_MSGS_AVAILABLE, wait_ms=60_000)
    assert isinstance(waiter, Waiter) and not waiter.unfinished
    assert isinstance(deep.look(deep.open_input("Q"), MsgId=IDS[2]), Got)
    fields: dict[str, Any] = {"GroupId": IDS[3], "MsgFlags": C.MQMF_MSG_IN_GROUP, "Priority": 5}
    for number in range(2, 30):
        deep.put_one("blue", b"", C.MQPMO_SYNCPOINT, MsgSeqNumber=number, **fields)
    deep.qm.commit(deep.hconn)
    deep.to_the_end()
    assert waiter.result is not None and waiter.result.data == b"second"


@pytest.mark.parametrize("back", ["put", "commit", "backout", "unlock"])
def test_what_comes_back_makes_a_group_whole(back: str) -> None:
    """The search has looked at the group when one of it was missing, and is not through with the others."""
    deep = Deep(0)
    other = deep.open("Q", C.MQOO_BROWSE | C.MQOO_INPUT_SHARED)
    if back in ("backout", "unlock"):
        deep.put_one("blue", b"1", MsgSeqNumber=1, MsgId=IDS[2], **GROUP)
        deep.look(other, C.MQGMO_SYNCPOINT if back == "backout" else C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK)
    elif back == "commit":
        deep.put_one("blue", b"1", C.MQPMO_SYNCPOINT, MsgSeqNumber=1, **GROUP)
    deep.put_one("blue", b"2", MsgSeqNumber=2, **GROUP)
    deep.put_one("blue", b"3", MsgSeqNumber=3, GroupId=IDS[1], MsgFlags=LAST)
    deep.core.turns.slice = 1
    waiter = deep.look(deep.open_input("Q"), C.MQGMO_ALL_MSGS_AVAILABLE)
    assert isinstance(waiter, Waiter) and waiter.unfinished
    if back == "unlock":
        deep.qm.next_turn()  # the first told nothing of the group
    if back == "put":
        deep.put_one("blue", b"1", MsgSeqNumber=1, **GROUP)
    elif back == "commit":
        deep.qm.commit(deep.hconn)
    elif back == "backout":
        deep.qm.backout(deep.hconn)
    else:
        deep.qm.get(deep.hconn, other, MQMD(Version=2), MQGMO(Options=C.MQGMO_UNLOCK))
    deep.to_the_end()
    assert waiter.result is not None and waiter.result.data == (b"2" if back == "put" else b"1")


def test_a_browse_in_logical_order_passes_a_group_without_looking_at_the_whole_for_each() -> None:
    deep = Deep(0)
    for number in range(200, 0, -1):
        flags = LAST if number == 200 else C.MQMF_MSG_IN_GROUP
        deep.put_one("blue", str(number).encode(), GroupId=IDS[1], MsgSeqNumber=number, MsgFlags=flags)
    deep.put_one("blue", b"behind")
    hobj, seen = deep.open("Q", C.MQOO_BROWSE), []
    for _ in range(201):
        got = deep.look(hobj, C.MQGMO_BROWSE_NEXT | C.MQGMO_LOGICAL_ORDER)
        if isinstance(got, Waiter):
            assert deep.to_the_end() == 1
            assert got.result is not None
            got = got.result
        seen.append(got.data)
    assert seen == [*(str(number).encode() for number in range(1, 201)), b"behind"]


@pytest.fixture
def deep() -> Deep:
    return Deep()
