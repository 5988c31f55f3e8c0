"""Triggering: which events put a trigger message on the initiation queue, and what it says."""

from __future__ import annotations

from typing import Any

import pytest
from helper_qmgr import Session

from libremq.common.dead_letter_header import strip
from libremq.host import lifecycle
from libremq.kernel.state.waiting_gets import Waiter
from libremq.kernel.verbs import triggers
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQTM

INITQ = "INIT"


class Triggered(Session):
    """A queue manager with a queue WORK, a process to serve it and a trigger monitor."""

    def __init__(self, *, monitor: bool = True, **attributes: Any) -> None:
        super().__init__()
        self.queue(INITQ, DEFPRTY=3, DEFPSIST="YES")
        self.qm.define(
            "PROCESS", "SERVE", {"APPLICID": "/bin/serve", "APPLTYPE": "UNIX", "ENVRDATA": "&", "USERDATA": "quick"}
        )
        usual = {"TRIGGER": "TRIGGER", "TRIGTYPE": "FIRST", "INITQ": INITQ, "PROCESS": "SERVE", "TRIGDATA": "t"}
        self.queue("WORK", **usual | attributes)
        self.monitor = self.open_input(INITQ) if monitor else 0

    def trigger_messages(self) -> int:
        """How many came since the last time."""
        count = self.depth(INITQ)
        for _ in range(count):
            self.get(self.monitor)
        return count

    def work(self) -> Any:
        return self.core.catalogue.queues["WORK"]


def test_trigger_message_says_what_to_start() -> None:
    session = Triggered()
    session.put("WORK", b"job")
    md, data = session.get(session.monitor)
    assert len(data) == 684 and data[:8] == b"TM  \x01\0\0\0"
    trigger = MQTM.unpack(data)
    assert (trigger.QName, trigger.ProcessName, trigger.TriggerData) == ("WORK", "SERVE", "t")
    assert (trigger.ApplType, trigger.ApplId) == (C.MQAT_UNIX, "/bin/serve")
    assert (trigger.EnvData, trigger.UserData) == ("&", "quick")
    assert (md.Format, md.MsgType, md.Encoding) == ("MQTRIG", C.MQMT_DATAGRAM, C.MQENC_NATIVE)
    assert (md.Priority, md.Persistence) == (3, C.MQPER_NOT_PERSISTENT), "never persistent, whatever DEFPSIST says"
    assert (md.PutApplType, md.PutApplName, md.ReplyToQMgr) == (C.MQAT_QMGR, "QM1", "QM1")


# FIRST


def test_first_triggers_once_until_the_queue_is_empty_again() -> None:
    session = Triggered()
    for _ in range(3):
        session.put("WORK")
    assert session.trigger_messages() == 1
    server = session.open_input("WORK")
    for _ in range(3):
        session.get(server)
    session.close(server)
    assert session.trigger_messages() == 0
    session.put("WORK")
    assert session.trigger_messages() == 1


@pytest.mark.parametrize("kind", ["FIRST", "DEPTH"])
def test_first_and_depth_are_silent_while_somebody_serves_the_queue(kind: str) -> None:
    session = Triggered(TRIGTYPE=kind)
    server = session.open_input("WORK")
    session.put("WORK")
    assert session.trigger_messages() == 0
    session.close(server)
    assert session.trigger_messages() == 1, "the server left a message behind"


def test_only_the_last_server_to_leave_triggers() -> None:
    session = Triggered()
    first, second = session.open_input("WORK"), session.open_input("WORK")
    session.put("WORK")
    session.close(first)
    assert session.trigger_messages() == 0
    session.close(second)
    assert session.trigger_messages() == 1


def test_first_reminds_after_the_trigger_interval() -> None:
    session = Triggered()
    session.qm.alter("QMGR", "", {"TRIGINT": 5000})
    session.put("WORK")
    session.clock.advance(4)
    session.put("WORK")
    assert session.trigger_messages() == 1
    session.clock.advance(1)
    session.put("WORK")
    assert session.trigger_messages() == 1
    session.put("WORK")
    assert session.trigger_messages() == 0, "the interval begins anew with each trigger message"


def test_the_trigger_interval_does_not_end_with_a_clock_that_is_set() -> None:
    session = Triggered()
    session.qm.alter("QMGR", "", {"TRIGINT": 5000})
    session.put("WORK")
    assert session.trigger_messages() == 1
    session.clock.set_back(20 * 365 * 86400)
    session.clock.advance(5)
    session.put("WORK")
    assert session.trigger_messages() == 1, "else there would be none for 20 years"
    session.clock.set_back(-20 * 365 * 86400)
    session.put("WORK")
    assert session.trigger_messages() == 0


# EVERY and DEPTH


def test_every_triggers_for_each_message_even_while_served() -> None:
    session = Triggered(TRIGTYPE="EVERY")
    session.put("WORK")
    server = session.open_input("WORK")
    session.put("WORK")
    session.put("WORK")
    assert session.trigger_messages() == 3
    session.close(server)
    assert session.trigger_messages() == 0, "closing is no arrival"


def test_depth_triggers_at_its_depth_and_turns_itself_off() -> None:
    session = Triggered(TRIGTYPE="DEPTH", TRIGDPTH=3)
    session.put("WORK")
    session.put("WORK")
    assert session.trigger_messages() == 0
    session.put("WORK")
    assert session.trigger_messages() == 1
    assert session.work().trigger == C.MQTC_OFF
    session.put("WORK")
    assert session.trigger_messages() == 0
    session.qm.alter("QLOCAL", "WORK", {"TRIGGER": "TRIGGER"})
    assert session.trigger_messages() == 1, "deep enough already when it is turned on"


def test_trigger_turned_off_by_depth_stays_off_after_a_restart() -> None:
    session = Triggered(TRIGTYPE="DEPTH", TRIGDPTH=1)
    session.put("WORK", Persistence=1)
    session.qm.force(session.core.log.tail - 1)
    files = session.core.files
    session.qm.abandon()
    restarted = lifecycle.start(files, "qm", "QM1", session.clock)
    assert restarted.core.catalogue.queues["WORK"].trigger == C.MQTC_OFF  # type: ignore[union-attr]


# Units of work


def test_messages_count_when_they_are_committed() -> None:
    session = Triggered(TRIGTYPE="EVERY")
    session.put("WORK", syncpoint=True)
    session.put("WORK", syncpoint=True)
    assert session.trigger_messages() == 0
    session.qm.commit(session.hconn)
    assert session.trigger_messages() == 2


@pytest.mark.parametrize(("kind", "again"), [("FIRST", 1), ("EVERY", 0)])
def test_get_backed_out_after_the_server_has_left(kind: str, again: int) -> None:
    session = Triggered(TRIGTYPE=kind)
    session.put("WORK")
    assert session.trigger_messages() == 1
    server = session.open_input("WORK")
    session.get(server, syncpoint=True)
    session.close(server)
    assert session.trigger_messages() == 0, "nothing to see while the get is undecided"
    session.qm.backout(session.hconn)
    session.trigger_messages()
    triggers.gets_backed_out(session.core, session.core.queues["WORK"])
    assert session.trigger_messages() == again, "a message that comes back is no arrival, but it waits for a server"


# Priority


@pytest.mark.parametrize("sequence", ["PRIORITY", "FIFO"])
def test_only_messages_of_the_trigger_priority_count(sequence: str) -> None:
    session = Triggered(TRIGMPRI=5, MSGDLVSQ=sequence)
    session.put("WORK", Priority=4)
    assert session.trigger_messages() == 0
    session.put("WORK", Priority=5)
    assert session.trigger_messages() == 1
    session.put("WORK", Priority=9)
    assert session.trigger_messages() == 0


@pytest.mark.parametrize("sequence", ["PRIORITY", "FIFO"])
def test_depth_counts_by_priority_too(sequence: str) -> None:
    session = Triggered(TRIGTYPE="DEPTH", TRIGDPTH=2, TRIGMPRI=5, MSGDLVSQ=sequence)
    for priority in (0, 7, 0, 4):
        session.put("WORK", Priority=priority)
    assert session.trigger_messages() == 0
    session.put("WORK", Priority=5)
    assert session.trigger_messages() == 1


# What must be there


@pytest.mark.parametrize(
    "attributes",
    [
        {"TRIGGER": "NOTRIGGER"},
        {"TRIGTYPE": "NONE"},
        {"PROCESS": ""},
        {"PROCESS": "UNKNOWN"},
        {"INITQ": ""},
        {"INITQ": "UNKNOWN"},
        {"INITQ": "WORK"},
        {"GET": "DISABLED"},
    ],
    ids=str,
)
def test_no_trigger_message_without(attributes: dict[str, Any]) -> None:
    session = Triggered(**attributes)
    session.put("WORK")
    assert session.depth(INITQ) == 0 and session.depth("WORK") == 1


@pytest.mark.parametrize("attributes", [{"GET": "DISABLED"}, {"PUT": "DISABLED"}], ids=str)
def test_initiation_queue_must_take_and_give(attributes: dict[str, str]) -> None:
    session = Triggered()
    session.qm.alter("QLOCAL", INITQ, attributes)
    session.put("WORK")
    assert session.depth(INITQ) == 0
    session.qm.alter("QLOCAL", INITQ, {"GET": "ENABLED", "PUT": "ENABLED"})
    assert session.trigger_messages() == 1


def test_transmission_queue_needs_no_process() -> None:
    session = Triggered(USAGE="XMITQ", PROCESS="", TRIGDATA="TO.QM2")
    session.put("TARGET", qmgr="WORK")
    trigger = MQTM.unpack(session.get(session.monitor)[1])
    assert (trigger.QName, trigger.ProcessName, trigger.TriggerData) == ("WORK", "", "TO.QM2")
    assert (trigger.ApplType, trigger.ApplId) == (C.MQAT_UNKNOWN, "")


# Looking again


@pytest.mark.parametrize("kind", ["FIRST", "EVERY", "DEPTH"])
def test_monitor_that_comes_late_finds_the_work(kind: str) -> None:
    session = Triggered(monitor=False, TRIGTYPE=kind, TRIGDPTH=2)
    session.put("WORK")
    session.put("WORK")
    assert session.depth(INITQ) == 0
    session.monitor = session.open_input(INITQ)
    assert session.trigger_messages() == 1
    session.open_input(INITQ)
    assert session.trigger_messages() == 0, "only the first monitor is news"


def test_every_queue_of_a_monitor_is_looked_at() -> None:
    session = Triggered(monitor=False)
    session.qm.define("QLOCAL", "WORK2", {}, like="WORK")
    session.qm.define("QLOCAL", "IDLE", {}, like="WORK")
    session.put("WORK")
    session.put("WORK2")
    session.monitor = session.open_input(INITQ)
    names = {MQTM.unpack(session.get(session.monitor)[1]).QName for _ in range(session.depth(INITQ))}
    assert names == {"WORK", "WORK2"}


def test_turning_triggering_on_by_mqset() -> None:
    session = Triggered(TRIGGER="NOTRIGGER")
    session.put("WORK")
    hobj = session.open("WORK", C.MQOO_SET)
    session.qm.set(session.hconn, hobj, {C.MQIA_TRIGGER_CONTROL: C.MQTC_ON})
    assert session.trigger_messages() == 1


def test_turning_gets_on_by_mqset() -> None:
    session = Triggered(GET="DISABLED")
    session.put("WORK")
    hobj = session.open("WORK", C.MQOO_SET)
    session.qm.set(session.hconn, hobj, {C.MQIA_INHIBIT_GET: C.MQQA_GET_ALLOWED})
    assert session.trigger_messages() == 1


# Trouble on the way


def test_full_initiation_queue_sends_the_trigger_message_to_the_dead_letter_queue() -> None:
    session = Triggered()
    session.queue("DLQ")
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    session.qm.alter("QLOCAL", INITQ, {"MAXDEPTH": 0})
    session.put("WORK")
    assert session.depth("WORK") == 1
    md, data = session.get("DLQ")
    header, rest = strip(data)
    assert (header.Reason, header.DestQName, header.Format) == (C.MQRC_Q_FULL, INITQ, "MQTRIG")
    assert MQTM.unpack(rest).QName == "WORK"
    assert md.Persistence == C.MQPER_NOT_PERSISTENT


def test_triggered_dead_letter_queue_does_not_feed_itself() -> None:
    session = Triggered(TRIGTYPE="EVERY")
    session.qm.alter("QMGR", "", {"DEADQ": "WORK"})
    session.qm.alter("QLOCAL", INITQ, {"MAXDEPTH": 0})
    session.put("WORK")
    assert session.depth("WORK") == 2, "the message, and its trigger message that found no room"


def test_two_queues_that_trigger_each_other_come_to_rest() -> None:
    session = Triggered(monitor=False, TRIGTYPE="EVERY")
    session.qm.alter("QLOCAL", INITQ, {"TRIGGER": "TRIGGER", "TRIGTYPE": "EVERY", "INITQ": "WORK", "PROCESS": "SERVE"})
    session.open_input(INITQ)
    session.open_input("WORK")
    session.put("WORK")
    assert (session.depth("WORK"), session.depth(INITQ)) == (2, 1)


def test_trigger_message_reaches_a_waiting_monitor() -> None:
    session = Triggered()
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=C.MQWI_UNLIMITED)
    waiter = session.qm.get(session.hconn, session.monitor, MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter)
    session.put("WORK")
    assert waiter.result is not None and MQTM.unpack(waiter.result.data).QName == "WORK"


def test_concerns_knows_keywords_and_selectors() -> None:
    assert triggers.concerns(["descr", "trigger"])
    assert triggers.concerns([C.MQIA_INHIBIT_GET])
    assert not triggers.concerns(["DESCR", "MAXDEPTH", C.MQIA_MAX_Q_DEPTH])
