"""Queue manager events: start and stop, authority, inhibited queues, names that lead nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from helper_events import PERFM_EVENT, QMGR_EVENT, Event, Events
from helper_qmgr import Session

from libremq.common.names.host_name import host_name
from libremq.host import lifecycle
from libremq.kernel.events import queue_manager_events
from libremq.kernel.state.waiting_gets import Waiter
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQOR, MQPMO
from libremq.store.stored_message import Message

QM = (C.MQCA_Q_MGR_NAME, "QM1")
APPLICATION = [(C.MQIA_APPL_TYPE, C.MQAT_UNIX), (C.MQCACF_APPL_NAME, "teller")]


def refused(call: Any, *arguments: Any, **more: Any) -> int:
    with pytest.raises(MQError) as caught:
        call(*arguments, **more)
    return caught.value.reason


# Start and stop


def all_events(session: Session) -> list[Event]:
    return Events.events(session, QMGR_EVENT)  # type: ignore[arg-type]


def restarted(session: Session) -> Session:
    session.qm = lifecycle.start(session.core.files, "qm", "QM1", session.clock)
    session.core = session.qm.core
    session.hconn = session.qm.connect("alice", "teller")
    return session


def test_a_start_is_an_event_by_default() -> None:
    (event,) = all_events(Session())
    assert event.reason == C.MQRC_Q_MGR_ACTIVE
    assert event.parameters == [
        QM,
        (C.MQIACF_REASON_QUALIFIER, C.MQRQ_FAILOVER_NOT_PERMITTED),
        (C.MQCACF_HOST_NAME, host_name()),
    ]


@pytest.mark.parametrize(("quiescing", "qualifier"), [(True, C.MQRQ_Q_MGR_QUIESCING), (False, C.MQRQ_Q_MGR_STOPPING)])
def test_a_stop_is_an_event_that_stays_on_a_persistent_event_queue(quiescing: bool, qualifier: int) -> None:
    session = Session()
    session.qm.alter("QLOCAL", QMGR_EVENT, {"DEFPSIST": "YES"})
    all_events(session)
    session.core.quiescing = quiescing
    session.qm.end()
    stop, start = all_events(restarted(session))
    assert (stop.reason, stop.parameters) == (
        C.MQRC_Q_MGR_NOT_ACTIVE,
        [QM, (C.MQIACF_REASON_QUALIFIER, qualifier)],
    )
    assert stop.md.Persistence == C.MQPER_PERSISTENT
    assert start.reason == C.MQRC_Q_MGR_ACTIVE


def test_a_waiting_monitor_hears_of_the_stop_once() -> None:
    session = Session()
    all_events(session)
    hobj = session.open_input(QMGR_EVENT)
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=1000)
    waiter = session.qm.get(session.hconn, hobj, MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter)
    session.qm.tell_end(quiescing=True)
    assert waiter.result is not None
    session.qm.tell_end(quiescing=False)
    assert session.depth(QMGR_EVENT) == 0
    session.qm.end()


def test_no_start_or_stop_event_without_strstpev() -> None:
    session = Events(STRSTPEV="DISABLED")
    session.qm.alter("QLOCAL", QMGR_EVENT, {"DEFPSIST": "YES"})
    session.qm.end()
    assert all_events(restarted(session)) == []


# Inhibited queues


def inhibited() -> Events:
    session = Events(INHIBTEV="ENABLED")
    session.queue("WORK", GET="DISABLED", PUT="DISABLED")
    session.queue("OPEN")
    session.qm.define("QALIAS", "ALIAS", {"TARGET": "OPEN", "GET": "DISABLED", "PUT": "DISABLED"})
    return session


@pytest.mark.parametrize("name", ["WORK", "ALIAS"])
def test_put_inhibited(name: str) -> None:
    session = inhibited()
    assert refused(session.put, name) == C.MQRC_PUT_INHIBITED
    event = session.event(QMGR_EVENT)
    assert event.reason == C.MQRC_PUT_INHIBITED
    assert event.parameters == [QM, (C.MQCA_Q_NAME, name), *APPLICATION]


def test_put_inhibited_on_the_way_to_another_queue_manager() -> None:
    session = inhibited()
    session.queue("QM2", USAGE="XMITQ", PUT="DISABLED")
    assert refused(session.put, "THERE", qmgr="QM2") == C.MQRC_PUT_INHIBITED
    expected = [QM, (C.MQCA_Q_NAME, "THERE"), *APPLICATION, (C.MQCACF_OBJECT_Q_MGR_NAME, "QM2")]
    assert session.event(QMGR_EVENT).parameters == expected


def test_put_inhibited_in_a_distribution_list_names_the_queue() -> None:
    session = inhibited()
    records = [MQOR(ObjectName="OPEN"), MQOR(ObjectName="WORK")]
    hobj = session.qm.open(session.hconn, MQOD(), C.MQOO_OUTPUT, records)
    assert session.qm.put(session.hconn, hobj, MQMD(Version=2), MQPMO(), b"") == C.MQRC_MULTIPLE_REASONS
    assert session.event(QMGR_EVENT)[C.MQCA_Q_NAME] == "WORK"


@pytest.mark.parametrize("name", ["WORK", "ALIAS"])
def test_get_inhibited(name: str) -> None:
    session = inhibited()
    assert refused(session.get, name) == C.MQRC_GET_INHIBITED
    event = session.event(QMGR_EVENT)
    assert event.reason == C.MQRC_GET_INHIBITED
    assert event.parameters == [QM, (C.MQCA_Q_NAME, name), *APPLICATION]


def test_a_wait_that_is_cut_off_by_an_inhibition_is_an_event() -> None:
    session = inhibited()
    hobj = session.open_input("OPEN")
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=1000)
    waiter = session.qm.get(session.hconn, hobj, MQMD(Version=2), gmo)
    session.qm.alter("QLOCAL", "OPEN", {"GET": "DISABLED"})
    assert isinstance(waiter, Waiter) and waiter.error is not None
    event = session.event(QMGR_EVENT)
    assert (event.reason, event[C.MQCA_Q_NAME]) == (C.MQRC_GET_INHIBITED, "OPEN")


def test_no_inhibit_event_when_off() -> None:
    session = inhibited()
    session.qm.alter("QMGR", "", {"INHIBTEV": "DISABLED"})
    refused(session.put, "WORK")
    refused(session.get, "WORK")
    assert session.events(QMGR_EVENT) == []


# Names


def names(**attributes: str) -> Events:
    session = Events(**attributes)
    session.queue("HERE")
    define = session.qm.define
    define("QMODEL", "MODEL", {})
    define("QALIAS", "TO.NOTHING", {"TARGET": "NOT.THERE"})
    define("QALIAS", "TO.ALIAS", {"TARGET": "TO.NOTHING"})
    define("QREMOTE", "NO.XMITQ", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "NOT.THERE"})
    define("QREMOTE", "ALIAS.XMITQ", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "TO.NOTHING"})
    define("QREMOTE", "WRONG.XMITQ", {"RNAME": "THERE", "RQMNAME": "QM2", "XMITQ": "HERE"})
    define("QREMOTE", "NO.WAY", {"RNAME": "THERE", "RQMNAME": "QM2"})
    define("QREMOTE", "NO.RNAME", {"RQMNAME": "QM2"})
    return session


NAME = C.MQCA_Q_NAME
XMITQ = C.MQCA_XMIT_Q_NAME
THERE = (C.MQCACF_OBJECT_Q_MGR_NAME, "QM2")
# Queue, queue manager, DEFXMITQ; the reason, and what the event says behind the queue manager's name
LOCAL: list[tuple[str, str, str, int, list[tuple[int, Any]]]] = [
    ("NO.SUCH", "", "", C.MQRC_UNKNOWN_OBJECT_NAME, [*APPLICATION, (NAME, "NO.SUCH")]),
    (
        "TO.NOTHING", "", "", C.MQRC_UNKNOWN_ALIAS_BASE_Q,
        [(NAME, "TO.NOTHING"), (C.MQCA_BASE_OBJECT_NAME, "NOT.THERE"), *APPLICATION, (C.MQIA_BASE_TYPE, C.MQOT_Q)],
    ),
    (
        "TO.ALIAS", "", "", C.MQRC_ALIAS_BASE_Q_TYPE_ERROR,
        [(NAME, "TO.ALIAS"), (C.MQCA_BASE_OBJECT_NAME, "TO.NOTHING"), (C.MQIA_Q_TYPE, C.MQQT_ALIAS), *APPLICATION],
    ),
]  # fmt: skip
REMOTE: list[tuple[str, str, str, int, list[tuple[int, Any]]]] = [
    ("NO.WAY", "", "", C.MQRC_UNKNOWN_REMOTE_Q_MGR, [(NAME, "NO.WAY"), *APPLICATION]),
    ("FAR", "QM2", "", C.MQRC_UNKNOWN_REMOTE_Q_MGR, [(NAME, "FAR"), *APPLICATION, THERE]),
    ("NO.RNAME", "", "", C.MQRC_REMOTE_Q_NAME_ERROR, [(NAME, "NO.RNAME"), *APPLICATION]),
    ("NO.XMITQ", "", "", C.MQRC_UNKNOWN_XMIT_Q, [(NAME, "NO.XMITQ"), (XMITQ, "NOT.THERE"), *APPLICATION]),
    (
        "ALIAS.XMITQ", "", "", C.MQRC_XMIT_Q_TYPE_ERROR,
        [(NAME, "ALIAS.XMITQ"), (XMITQ, "TO.NOTHING"), (C.MQIA_Q_TYPE, C.MQQT_ALIAS), *APPLICATION],
    ),
    ("WRONG.XMITQ", "", "", C.MQRC_XMIT_Q_USAGE_ERROR, [(NAME, "WRONG.XMITQ"), (XMITQ, "HERE"), *APPLICATION]),
    (
        "FAR", "QM2", "NOT.THERE", C.MQRC_UNKNOWN_DEF_XMIT_Q,
        [(NAME, "FAR"), (XMITQ, "NOT.THERE"), *APPLICATION, THERE],
    ),
    (
        "FAR", "QM2", "NO.WAY", C.MQRC_DEF_XMIT_Q_TYPE_ERROR,
        [(NAME, "FAR"), (XMITQ, "NO.WAY"), (C.MQIA_Q_TYPE, C.MQQT_REMOTE), *APPLICATION, THERE],
    ),
    ("NO.WAY", "", "HERE", C.MQRC_DEF_XMIT_Q_USAGE_ERROR, [(NAME, "NO.WAY"), (XMITQ, "HERE"), *APPLICATION]),
    ("MODEL", "", "", C.MQRC_Q_TYPE_ERROR, [(NAME, "MODEL"), *APPLICATION]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("switch", "queue", "qmgr", "default", "reason", "expected"),
    [("LOCALEV", *row) for row in LOCAL] + [("REMOTEEV", *row) for row in REMOTE],
)
def test_a_name_that_leads_nowhere(
    switch: str, queue: str, qmgr: str, default: str, reason: int, expected: list[tuple[int, Any]]
) -> None:
    session = names(DEFXMITQ=default, **{switch: "ENABLED"})
    assert refused(session.put, queue, qmgr=qmgr) == reason
    event = session.event(QMGR_EVENT)
    assert (event.reason, event.parameters) == (reason, [QM, *expected])
    session.qm.alter("QMGR", "", {"LOCALEV": "ENABLED", "REMOTEEV": "ENABLED", switch: "DISABLED"})
    refused(session.put, queue, qmgr=qmgr)
    assert session.events(QMGR_EVENT) == []


@pytest.mark.parametrize(
    ("object_type", "parameter"),
    [(C.MQOT_PROCESS, C.MQCA_PROCESS_NAME), (C.MQOT_NAMELIST, C.MQCA_NAMELIST_NAME)],
)
def test_an_unknown_object_that_is_no_queue(object_type: int, parameter: int) -> None:
    session = names(LOCALEV="ENABLED")
    od = MQOD(ObjectType=object_type, ObjectName="NO.SUCH")
    assert refused(session.qm.open, session.hconn, od, C.MQOO_INQUIRE) == C.MQRC_UNKNOWN_OBJECT_NAME
    assert session.event(QMGR_EVENT).parameters == [QM, *APPLICATION, (parameter, "NO.SUCH")]


def test_each_unknown_name_of_a_distribution_list_is_an_event() -> None:
    session = names(LOCALEV="ENABLED", REMOTEEV="ENABLED")
    records = [MQOR(ObjectName="HERE"), MQOR(ObjectName="NO.SUCH"), MQOR(ObjectName="FAR", ObjectQMgrName="QM2")]
    session.qm.open(session.hconn, MQOD(), C.MQOO_OUTPUT, records)
    assert session.reasons(QMGR_EVENT) == [C.MQRC_UNKNOWN_OBJECT_NAME, C.MQRC_UNKNOWN_REMOTE_Q_MGR]


def test_an_open_that_fails_for_another_reason_is_no_event() -> None:
    session = names(LOCALEV="ENABLED", REMOTEEV="ENABLED")
    assert refused(session.open, "NO.WAY", C.MQOO_INPUT_SHARED) == C.MQRC_OPTION_NOT_VALID_FOR_TYPE
    assert session.events(QMGR_EVENT) == []


# Authority

USER = (C.MQCACF_USER_IDENTIFIER, "bob")
CALLER = [USER, *APPLICATION]
OPTIONS = (C.MQIACF_OPEN_OPTIONS, C.MQOO_OUTPUT)
TOPICS = [(C.MQCA_TOPIC_STRING, "a/b"), (C.MQCACF_ADMIN_TOPIC_NAMES, ["T1", "T2"])]
CLIENT = (C.MQCACH_CONNECTION_NAME, "127.0.0.1")


def qualifier(value: int) -> tuple[int, int]:
    return C.MQIACF_REASON_QUALIFIER, value


AUTHORITY: list[tuple[int, dict[str, Any], list[tuple[int, Any]]]] = [
    (queue_manager_events.CONNECT, {}, [qualifier(C.MQRQ_CONN_NOT_AUTHORIZED), *CALLER]),
    (
        queue_manager_events.CONNECT,
        {"qualifier": C.MQRQ_CSP_NOT_AUTHORIZED, "csp_user": "robert", "connection_name": "127.0.0.1"},
        [qualifier(C.MQRQ_CSP_NOT_AUTHORIZED), *CALLER, CLIENT, (C.MQCACF_CSP_USER_IDENTIFIER, "robert")],
    ),
    (
        queue_manager_events.OPEN,
        {"options": C.MQOO_OUTPUT, "object_name": "WORK"},
        [qualifier(C.MQRQ_OPEN_NOT_AUTHORIZED), OPTIONS, *CALLER, (C.MQCA_Q_NAME, "WORK")],
    ),
    (
        queue_manager_events.OPEN,
        {"options": C.MQOO_OUTPUT, "object_name": "WORK", "object_qmgr": "QM2", "connection_name": "127.0.0.1"},
        [qualifier(C.MQRQ_OPEN_NOT_AUTHORIZED), OPTIONS, *CALLER, THERE, (C.MQCA_Q_NAME, "WORK"), CLIENT],
    ),
    (
        queue_manager_events.OPEN,
        {"options": C.MQOO_OUTPUT, "object_name": "SERVE", "object_type": C.MQOT_PROCESS, "object_qmgr": "QM1"},
        [qualifier(C.MQRQ_OPEN_NOT_AUTHORIZED), OPTIONS, *CALLER, (C.MQCA_PROCESS_NAME, "SERVE")],
    ),
    (
        queue_manager_events.CLOSE,
        {"object_name": "DYNAMIC"},
        [qualifier(C.MQRQ_CLOSE_NOT_AUTHORIZED), *CALLER, (C.MQCA_Q_NAME, "DYNAMIC")],
    ),
    (
        queue_manager_events.COMMAND,
        {"command": C.MQCMD_CREATE_Q},
        [qualifier(C.MQRQ_CMD_NOT_AUTHORIZED), (C.MQIACF_COMMAND, C.MQCMD_CREATE_Q), USER],
    ),
    (
        queue_manager_events.SUBSCRIBE,
        {"options": C.MQSO_CREATE, "topic_string": "a/b", "admin_topics": ["T1", "T2"]},
        [qualifier(C.MQRQ_SUB_NOT_AUTHORIZED), (C.MQIACF_SUB_OPTIONS, C.MQSO_CREATE), *CALLER, *TOPICS],
    ),
    (
        queue_manager_events.SUBSCRIPTION_QUEUE,
        {"options": C.MQSO_CREATE, "topic_string": "a/b", "admin_topics": ["T1", "T2"], "object_name": "WORK"},
        [
            qualifier(C.MQRQ_SUB_DEST_NOT_AUTHORIZED),
            (C.MQIACF_SUB_OPTIONS, C.MQSO_CREATE),
            *CALLER,
            *TOPICS,
            (C.MQCA_Q_NAME, "WORK"),
        ],
    ),
]


@pytest.mark.parametrize(("kind", "more", "expected"), AUTHORITY)
def test_authority_events(kind: int, more: dict[str, Any], expected: list[tuple[int, Any]]) -> None:
    session = Events(AUTHOREV="ENABLED")
    queue_manager_events.not_authorized(session.core, kind, user="bob", application="teller", **more)
    event = session.event(QMGR_EVENT)
    assert (event.reason, event.parameters) == (C.MQRC_NOT_AUTHORIZED, [QM, *expected])
    session.qm.alter("QMGR", "", {"AUTHOREV": "DISABLED"})
    queue_manager_events.not_authorized(session.core, kind, user="bob", application="teller", **more)
    assert session.events(QMGR_EVENT) == []


# Event queues that take nothing


def full(session: Events) -> None:
    session.qm.alter("QLOCAL", QMGR_EVENT, {"MAXDEPTH": 1})
    session.put(QMGR_EVENT)


BROKEN: dict[str, Any] = {
    "missing": lambda session: session.qm.delete("QLOCAL", QMGR_EVENT),
    "full": full,
    "inhibited": lambda session: session.qm.alter("QLOCAL", QMGR_EVENT, {"PUT": "DISABLED"}),
    "too small": lambda session: session.qm.alter("QLOCAL", QMGR_EVENT, {"MAXMSGL": 10}),
}


@pytest.mark.parametrize("how", BROKEN)
def test_an_event_queue_that_takes_nothing_disturbs_nobody(how: str) -> None:
    session = inhibited()
    session.qm.alter("QMGR", "", {"PERFMEV": "ENABLED", "DEADQ": "DEAD", "LOCALEV": "ENABLED"})
    session.queue("DEAD")
    BROKEN[how](session)
    lost = session.core.events.lost
    assert refused(session.put, "WORK") == C.MQRC_PUT_INHIBITED
    assert refused(session.put, "NO.SUCH") == C.MQRC_UNKNOWN_OBJECT_NAME
    assert session.core.events.lost == lost + 2
    assert session.depth("DEAD") == 0, "an event that cannot be put is lost, not buried"
    session.put("OPEN", b"data")
    assert session.get("OPEN")[1] == b"data"
    session.qm.end()


def test_a_full_event_queue_is_itself_news_once() -> None:
    session = inhibited()
    session.qm.alter("QMGR", "", {"PERFMEV": "ENABLED"})
    session.qm.alter("QLOCAL", QMGR_EVENT, {"MAXDEPTH": 1, "QDPHIEV": "ENABLED", "QDEPTHHI": 100})
    for _ in range(3):
        refused(session.put, "WORK")
    made = session.events(PERFM_EVENT)
    assert [event.reason for event in made] == [C.MQRC_Q_DEPTH_HIGH, C.MQRC_Q_FULL]
    assert {event[C.MQCA_BASE_OBJECT_NAME] for event in made} == {QMGR_EVENT}


def test_the_queue_of_performance_events_does_not_feed_itself() -> None:
    session = Events(PERFMEV="ENABLED")
    every = {"QDPHIEV": "ENABLED", "QDPLOEV": "ENABLED", "QDEPTHHI": 0, "QDEPTHLO": 0}
    session.qm.alter("QLOCAL", PERFM_EVENT, every)
    session.queue("WORK", **every)
    session.put("WORK")
    assert [event[C.MQCA_BASE_OBJECT_NAME] for event in session.events(PERFM_EVENT)] == ["WORK"]
    assert session.depth(PERFM_EVENT) == 1, "the last get made it empty"


def test_names_that_the_character_set_lacks_are_told_with_question_marks() -> None:
    session = Events(AUTHOREV="ENABLED", CCSID=850)
    queue_manager_events.not_authorized(session.core, queue_manager_events.CONNECT, user="bob", application="☃")
    assert session.event(QMGR_EVENT)[C.MQCACF_APPL_NAME] == "?"


# Trouble below


def test_a_full_log_loses_the_event_and_nothing_else() -> None:
    session = Events(PERFMEV="ENABLED")
    session.queue("WORK", MAXDEPTH=5, QDEPTHHI=20, QDPHIEV="ENABLED")
    session.queue("LONG")
    core, lengths = session.core, [50_000, 5_000, 100, 0]
    unit, long = core.begin_unit(), core.local_queue(core.catalogue.queues["LONG"])  # type: ignore[arg-type]
    while lengths:
        try:
            core.put(long, Message(MQMD(Version=2), b"", bytes(lengths[0])), 0, True, 0, unit)
        except LogFull:
            del lengths[0]
    session.put("WORK", b"data", Persistence=0)
    assert session.core.events.lost == 1 and session.events(PERFM_EVENT) == []
    assert session.attribute("WORK", "qdphiev") == C.MQEVR_ENABLED, "the next put tries again"
    core.backout(unit)
    session.qm.checkpoint()
    session.put("WORK", b"data", Persistence=0)
    assert session.reasons(PERFM_EVENT) == [C.MQRC_Q_DEPTH_HIGH]


def test_a_damaged_event_queue_does_not_keep_the_queue_manager_from_starting() -> None:
    session = Session()
    session.qm.alter("QLOCAL", QMGR_EVENT, {"DEFPSIST": "YES"})
    session.qm.end()
    files, folder = session.core.files, f"qm/queues/{session.core.queue_files[QMGR_EVENT][1]}"
    for name in files.list(folder):
        files.remove(f"{folder}/{name}")
    restarted(session)
    assert session.core.events.lost == 1
    session.queue("WORK")
    session.put("WORK", b"data")
    assert session.get("WORK")[1] == b"data"


def test_a_failed_log_ends_the_queue_manager_but_not_the_caller_of_an_event() -> None:
    session = Events(AUTHOREV="ENABLED")
    session.qm.alter("QLOCAL", QMGR_EVENT, {"DEFPSIST": "YES"})
    session.core.log.abandon()
    queue_manager_events.not_authorized(session.core, queue_manager_events.CONNECT, user="bob")
    assert session.qm.failure is not None
    assert refused(session.qm.connect) == C.MQRC_CONNECTION_BROKEN
