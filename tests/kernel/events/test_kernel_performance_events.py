"""Performance events: which puts and gets make one, what it says, and which others it turns on and off."""

from __future__ import annotations

import pytest
from helper_events import PERFM_EVENT, Events

from libremq.host import lifecycle
from libremq.kernel.events import queue_manager_events
from libremq.kernel.state.waiting_gets import Waiter
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD

HIGH, LOW, FULL = C.MQRC_Q_DEPTH_HIGH, C.MQRC_Q_DEPTH_LOW, C.MQRC_Q_FULL
SLOW, OK = C.MQRC_Q_SERVICE_INTERVAL_HIGH, C.MQRC_Q_SERVICE_INTERVAL_OK
ON, OFF = C.MQEVR_ENABLED, C.MQEVR_DISABLED


class Watched(Events):
    """A queue WORK for 10 messages: 8 are many, 2 are few."""

    def __init__(self, perfmev: str = "ENABLED", **attributes: object) -> None:
        super().__init__(PERFMEV=perfmev)
        usual: dict[str, object] = {"MAXDEPTH": 10, "QDEPTHHI": 80, "QDEPTHLO": 20, "QDPMAXEV": "DISABLED"}
        self.queue("WORK", **usual | attributes)
        self.hobj = self.open("WORK", C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT)

    def puts(self, count: int, *, syncpoint: bool = False) -> list[int]:
        """The reasons of the events that come of it."""
        for _ in range(count):
            try:
                self.put("WORK", b"x", syncpoint=syncpoint)
            except MQError as error:
                assert error.reason == C.MQRC_Q_FULL
        return self.reasons(PERFM_EVENT)

    def gets(self, count: int, *, syncpoint: bool = False) -> list[int]:
        for _ in range(count):
            self.get(self.hobj, syncpoint=syncpoint)
        return self.reasons(PERFM_EVENT)

    def switches(self) -> tuple[int, int, int]:
        """Which of high, low and full is on."""
        return self.attribute("WORK", "qdphiev"), self.attribute("WORK", "qdploev"), self.attribute("WORK", "qdpmaxev")


def statistics(seconds: int, high: int, put: int, got: int) -> list[tuple[int, object]]:
    return [
        (C.MQCA_Q_MGR_NAME, "QM1"),
        (C.MQCA_BASE_OBJECT_NAME, "WORK"),
        (C.MQIA_TIME_SINCE_RESET, seconds),
        (C.MQIA_HIGH_Q_DEPTH, high),
        (C.MQIA_MSG_ENQ_COUNT, put),
        (C.MQIA_MSG_DEQ_COUNT, got),
    ]


# Depth


def test_depth_high_says_what_happened_since_the_start() -> None:
    session = Watched(QDPHIEV="ENABLED")
    session.clock.advance(5)
    for _ in range(7):
        session.put("WORK")
    assert session.events(PERFM_EVENT) == []
    session.clock.advance(2.5)
    session.put("WORK")
    event = session.event(PERFM_EVENT)
    assert event.reason == HIGH
    assert event.parameters == statistics(7, 8, 8, 0)
    assert (event.header.Version, event.header.MsgSeqNumber, event.header.Control) == (1, 1, C.MQCFC_LAST)
    assert event.md.CorrelId == bytes(24)


def test_names_in_events_have_their_full_length() -> None:
    session = Watched(QDPHIEV="ENABLED", MAXDEPTH=1)
    session.put("WORK")
    raw = session.event(PERFM_EVENT).raw
    assert [one.StringLength for one in raw[:2]] == [48, 48]  # type: ignore[union-attr]


def test_an_event_resets_the_statistics() -> None:
    session = Watched(QDPHIEV="ENABLED")
    session.puts(8)
    session.clock.advance(3)
    for _ in range(6):
        session.get(session.hobj)
    event = session.event(PERFM_EVENT)
    assert event.reason == LOW
    assert event.parameters == statistics(3, 8, 0, 6)


# Each step: puts (+) or gets (-), the events that come of it, and then which of high, low and full is on
SWINGS: dict[str, list[tuple[int, list[int], tuple[int, int, int]]]] = {
    "high, low, high": [
        (+7, [], (ON, OFF, OFF)),
        (+1, [HIGH], (OFF, ON, ON)),
        (-1, [], (OFF, ON, ON)),
        (+2, [], (OFF, ON, ON)),
        (-6, [], (OFF, ON, ON)),
        (-1, [LOW], (ON, OFF, ON)),
        (-1, [], (ON, OFF, ON)),
        (+6, [], (ON, OFF, ON)),
        (+1, [HIGH], (OFF, ON, ON)),
    ],
    "high, full, low": [
        (+10, [HIGH], (OFF, ON, ON)),
        (+1, [FULL], (OFF, ON, OFF)),
        (+3, [], (OFF, ON, OFF)),
        (-7, [], (OFF, ON, OFF)),
        (-1, [LOW], (ON, OFF, ON)),
        (+6, [HIGH], (OFF, ON, ON)),
        (+3, [FULL], (OFF, ON, OFF)),
    ],
}


@pytest.mark.parametrize("name", SWINGS)
def test_depth_events_turn_each_other_on_and_off(name: str) -> None:
    session = Watched(QDPHIEV="ENABLED")
    for number, (count, reasons, switches) in enumerate(SWINGS[name]):
        made = session.puts(count) if count > 0 else session.gets(-count)
        assert (made, session.switches()) == (reasons, switches), f"step {number}"


def test_full_alone_turns_on_low_but_not_high() -> None:
    session = Watched(QDPMAXEV="ENABLED")
    assert session.puts(10) == []
    assert session.puts(1) == [FULL]
    assert session.switches() == (OFF, ON, OFF)


def test_switches_survive_a_restart() -> None:
    session = Watched(QDPHIEV="ENABLED")
    assert session.puts(8) == [HIGH]
    files, clock = session.core.files, session.clock
    session.core.log.force()
    session.qm.abandon()
    again = lifecycle.start(files, "qm", "QM1", clock)
    work = again.core.catalogue.queues["WORK"]
    assert (work.qdphiev, work.qdploev) == (OFF, ON)  # type: ignore[union-attr]


def test_uncommitted_puts_count_and_make_the_event_at_once() -> None:
    session = Watched(QDPHIEV="ENABLED")
    assert session.puts(8, syncpoint=True) == [HIGH]
    session.qm.backout(session.hconn)
    assert session.reasons(PERFM_EVENT) == [], "a backout is no get"
    assert session.puts(2) == []
    assert session.gets(1) == [LOW]


def test_uncommitted_gets_do_not_count_as_depth() -> None:
    session = Watched(QDPLOEV="ENABLED")
    assert session.puts(8) == []
    assert session.gets(6, syncpoint=True) == [LOW]
    session.qm.backout(session.hconn)
    assert session.reasons(PERFM_EVENT) == [], "a backout is no put"
    assert session.switches() == (ON, OFF, ON)
    assert session.puts(1) == [HIGH], "the depth is 9 again"


def test_nothing_without_perfmev() -> None:
    session = Watched("DISABLED", QDPHIEV="ENABLED", QDPMAXEV="ENABLED", QDPLOEV="ENABLED", QSVCIEV="HIGH", QSVCINT=1)
    assert session.puts(12) == []
    session.clock.advance(60)
    assert session.gets(10) == []
    assert session.switches() == (ON, ON, ON)


def test_nothing_where_the_queue_has_them_off() -> None:
    session = Watched()
    assert session.puts(12) == []
    session.clock.advance(60)
    assert session.gets(10) == []


def test_clear_is_a_get_operation() -> None:
    session = Watched(QDPLOEV="ENABLED")
    session.puts(5)
    session.close(session.hobj)
    session.qm.clear("WORK")
    event = session.event(PERFM_EVENT)
    assert (event.reason, event.parameters) == (LOW, statistics(0, 5, 5, 5))


def test_expiry_makes_no_depth_low_event() -> None:
    session = Watched(QDPLOEV="ENABLED")
    for _ in range(4):
        session.put("WORK", Expiry=10)
    session.clock.advance(2)
    assert session.qm.scan_expired() == 4
    assert session.reasons(PERFM_EVENT) == []
    assert queue_manager_events.reset_queue_statistics(session.core, "WORK").dequeued == 4


def test_a_temporary_dynamic_queue_has_depth_events_too() -> None:
    session = Watched()
    session.qm.define("QMODEL", "MODEL", {"DEFTYPE": "TEMPDYN", "MAXDEPTH": 10, "QDPHIEV": "ENABLED"})
    od = MQOD(ObjectName="MODEL", DynamicQName="TEMP")
    session.qm.open(session.hconn, od, C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT)
    for _ in range(9):
        session.put("TEMP", Persistence=0)
    event = session.event(PERFM_EVENT)
    assert (event.reason, event[C.MQCA_BASE_OBJECT_NAME]) == (HIGH, "TEMP")


# Service intervals. Steps: advance the clock by so many ms, then put or get; the events that come of it


SERVICE: dict[str, tuple[str, list[tuple[int, str, list[int]]]]] = {
    "one message, late, then in time": (
        "HIGH",
        [(0, "put", []), (1001, "get", [SLOW]), (9000, "put", []), (1000, "get", [OK]), (0, "put", []), (5, "get", [])],
    ),
    "a put cannot make an OK event": ("OK", [(0, "put", []), (900, "put", []), (900, "get", []), (900, "get", [OK])]),
    "a put can make a high event": (
        "HIGH",
        [
            (0, "put", []),
            (400, "put", []),
            (700, "put", [SLOW]),
            (100, "get", []),
            (1200, "get", []),
            (800, "get", [OK]),
        ],
    ),
    "an empty queue has all the time": ("HIGH", [(0, "put", []), (1, "get", []), (99999, "put", []), (1, "get", [])]),
    "none": ("NONE", [(0, "put", []), (5000, "get", [])]),
}


@pytest.mark.parametrize("name", SERVICE)
def test_service_intervals(name: str) -> None:
    switch, steps = SERVICE[name]
    session = Watched(QSVCIEV=switch, QSVCINT=1000)
    for number, (milliseconds, verb, reasons) in enumerate(steps):
        session.clock.advance(milliseconds / 1000)
        made = session.puts(1) if verb == "put" else session.gets(1)
        assert made == reasons, f"step {number}"


def test_service_interval_event_says_what_happened() -> None:
    session = Watched(QSVCIEV="HIGH", QSVCINT=2000)
    session.puts(3)
    session.clock.advance(12)
    session.get(session.hobj)
    event = session.event(PERFM_EVENT)
    assert (event.reason, event.parameters) == (SLOW, statistics(12, 3, 3, 1))
    assert session.attribute("WORK", "qsvciev") == C.MQQSIE_OK


def test_the_service_timer_starts_anew_with_a_backed_out_get() -> None:
    session = Watched(QSVCIEV="HIGH", QSVCINT=1000)
    session.clock.advance(100)
    assert session.puts(1) == []
    assert session.gets(1, syncpoint=True) == []
    session.qm.backout(session.hconn)
    assert session.gets(1) == []


def test_messages_on_a_queue_at_the_start_are_late_from_then_on() -> None:
    session = Watched(QSVCIEV="HIGH", QSVCINT=1000)
    session.put("WORK", Persistence=1)
    session.put("WORK", Persistence=1)
    session.qm.end()
    session.clock.advance(3600)
    session.qm = lifecycle.start(session.core.files, "qm", "QM1", session.clock)
    session.core = session.qm.core
    session.hconn = session.qm.connect()
    session.hobj = session.open_input("WORK")
    session.clock.advance(1.5)
    event_free = session.reasons(PERFM_EVENT)
    session.get(session.hobj)
    event = session.event(PERFM_EVENT)
    assert event_free == [] and (event.reason, event.parameters) == (SLOW, statistics(1, 2, 0, 1))


def test_a_service_interval_that_is_turned_on_begins_then() -> None:
    session = Watched(QSVCINT=1000)
    session.puts(2)
    session.clock.advance(100)
    session.qm.alter("QLOCAL", "WORK", {"QSVCIEV": "HIGH"})
    assert session.gets(1) == []
    session.clock.advance(2)
    assert session.gets(1) == [SLOW]


def test_what_was_before_performance_events_were_turned_on_does_not_count() -> None:
    session = Watched(perfmev="DISABLED", QSVCIEV="HIGH", QSVCINT=1000)
    session.puts(2)
    session.clock.advance(100)
    session.qm.alter("QMGR", "", {"PERFMEV": "ENABLED"})
    assert session.gets(1) == []
    session.clock.advance(2)
    assert session.gets(1) == [SLOW]


def test_a_message_from_hand_to_hand_was_served_in_time() -> None:
    session = Watched(QSVCIEV="OK", QSVCINT=1000)
    session.clock.advance(50)
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=1000)
    waiter = session.qm.get(session.hconn, session.hobj, MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter)
    session.put("WORK", b"quick")
    assert waiter.result is not None and waiter.result.data == b"quick"
    event = session.event(PERFM_EVENT)
    assert (event.reason, event.parameters) == (OK, statistics(50, 0, 1, 1))


# RESET QSTATS


def test_reset_queue_statistics_returns_the_figures_and_begins_anew() -> None:
    session = Watched("DISABLED")
    session.puts(5)
    session.gets(2)
    session.puts(1, syncpoint=True)
    session.qm.backout(session.hconn)
    session.clock.advance(9)
    assert queue_manager_events.reset_queue_statistics(session.core, "WORK") == (9, 5, 6, 2)
    session.clock.advance(1)
    assert queue_manager_events.reset_queue_statistics(session.core, "WORK") == (1, 3, 0, 0)


def test_a_queue_that_was_made_later_counts_from_then_on() -> None:
    session = Watched("DISABLED")
    session.clock.advance(100)
    session.qm.define("QLOCAL", "LATE", {})
    session.clock.advance(3)
    assert queue_manager_events.reset_queue_statistics(session.core, "LATE") == (3, 0, 0, 0)


def test_statistics_outlast_the_unloading_of_an_idle_queue() -> None:
    session = Watched("DISABLED")
    session.put("WORK", Persistence=1)
    session.close(session.hobj)
    for _ in range(4):
        session.qm.checkpoint()
    assert "WORK" not in session.core.queues
    session.clock.advance(4)
    assert queue_manager_events.reset_queue_statistics(session.core, "WORK") == (4, 1, 1, 0)


def test_high_depth_of_a_loaded_queue_counts_what_was_on_it() -> None:
    session = Watched("DISABLED")
    for _ in range(3):
        session.put("WORK", Persistence=1)
    session.close(session.hobj)
    for _ in range(4):
        session.qm.checkpoint()
    queue_manager_events.reset_queue_statistics(session.core, "WORK")
    session.hobj = session.open_input("WORK")
    session.gets(3)
    assert queue_manager_events.reset_queue_statistics(session.core, "WORK").high_depth == 3


def test_reset_of_an_unknown_queue_is_refused() -> None:
    with pytest.raises(MQError) as caught:
        queue_manager_events.reset_queue_statistics(Watched().core, "NO.SUCH")
    assert caught.value.reason == C.MQRC_UNKNOWN_OBJECT_NAME
