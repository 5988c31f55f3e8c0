"""Configuration events: objects made, changed, deleted and asked for, with all their attributes."""

from __future__ import annotations

from typing import Any

import pytest
from helper_events import CONFIG_EVENT, Event, Events

from libremq.kernel.events import queue_manager_events
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attributes import Source
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQOD

ALICE = queue_manager_events.EventContext("alice", C.MQEVO_CONSOLE)
BY_ALICE = [
    (C.MQCACF_EVENT_USER_ID, "alice"),
    (C.MQIACF_EVENT_ORIGIN, C.MQEVO_CONSOLE),
    (C.MQCACF_EVENT_Q_MGR, "QM1"),
]


def configured(**attributes: Any) -> Events:
    session = Events(CONFIGEV="ENABLED", **attributes)
    assert session.events(CONFIG_EVENT) == []
    return session


def attributes_of(session: Events, kind: str, name: str) -> list[tuple[int, Any]]:
    """What MQINQ or DISPLAY would say of the object, in the order of its table."""
    obj = session.core.catalogue.find(kind, name)
    assert obj is not None
    found = []
    for row in obj.table:
        if row.source is not Source.LIVE and row.slot != "name":
            value = getattr(obj, row.slot)
            found.append((row.selector, list(value) if isinstance(value, tuple) else value))
    return found


KINDS: list[tuple[str, str, int, int, dict[str, Any]]] = [
    ("QLOCAL", "A", C.MQOT_Q, C.MQCA_Q_NAME, {"MAXDEPTH": 7, "DESCR": "an object"}),
    ("QALIAS", "A", C.MQOT_Q, C.MQCA_Q_NAME, {"TARGET": "B"}),
    ("QREMOTE", "A", C.MQOT_Q, C.MQCA_Q_NAME, {"RNAME": "B", "RQMNAME": "QM2"}),
    ("QMODEL", "A", C.MQOT_Q, C.MQCA_Q_NAME, {}),
    ("PROCESS", "A", C.MQOT_PROCESS, C.MQCA_PROCESS_NAME, {"APPLICID": "/bin/true"}),
    ("NAMELIST", "A", C.MQOT_NAMELIST, C.MQCA_NAMELIST_NAME, {"NAMES": ("B", "C.D")}),
    ("SVRCONN", "A", C.MQOT_CHANNEL, C.MQCACH_CHANNEL_NAME, {"MCAUSER": "bob"}),
    ("LISTENER", "A", C.MQOT_LISTENER, C.MQCACH_LISTENER_NAME, {"PORT": 1415}),
]


@pytest.mark.parametrize(("kind", "name", "object_type", "name_parameter", "attributes"), KINDS)
def test_create_and_delete_tell_all_attributes(
    kind: str, name: str, object_type: int, name_parameter: int, attributes: dict[str, Any]
) -> None:
    session = configured()
    with session.core.events.on_behalf_of(ALICE):
        session.qm.define(kind, name, attributes)
        expected = [*BY_ALICE, (C.MQIACF_OBJECT_TYPE, object_type), (name_parameter, name)]
        expected += attributes_of(session, kind, name)
        session.qm.delete(kind, name)
    created, deleted = session.events(CONFIG_EVENT)
    assert (created.reason, created.parameters) == (C.MQRC_CONFIG_CREATE_OBJECT, expected)
    assert (deleted.reason, deleted.parameters) == (C.MQRC_CONFIG_DELETE_OBJECT, expected)
    assert created.header.Version == C.MQCFH_VERSION_2
    assert (created.header.MsgSeqNumber, created.header.Control) == (1, C.MQCFC_LAST)
    assert created.md.CorrelId not in (bytes(24), deleted.md.CorrelId)


def pair(session: Events) -> tuple[Event, Event]:
    """The two messages of a change, and that they belong together."""
    before, after = session.events(CONFIG_EVENT)
    assert before.reason == after.reason == C.MQRC_CONFIG_CHANGE_OBJECT
    assert before.md.CorrelId == after.md.CorrelId != bytes(24)
    assert (before.header.MsgSeqNumber, before.header.Control) == (1, C.MQCFC_NOT_LAST)
    assert (after.header.MsgSeqNumber, after.header.Control) == (2, C.MQCFC_LAST)
    return before, after


@pytest.mark.parametrize("how", ["ALTER", "DEFINE REPLACE"])
def test_a_change_tells_before_and_after(how: str) -> None:
    session = configured()
    session.queue("A", MAXDEPTH=7)
    session.events(CONFIG_EVENT)
    before = attributes_of(session, "QLOCAL", "A")
    session.clock.advance(60)
    if how == "ALTER":
        session.qm.alter("QLOCAL", "A", {"MAXDEPTH": 9})
    else:
        session.qm.define("QLOCAL", "A", {"MAXDEPTH": 9}, replace=True)
    first, second = pair(session)
    assert first.parameters[5:] == before and second.parameters[5:] == attributes_of(session, "QLOCAL", "A")
    assert (first[C.MQIA_MAX_Q_DEPTH], second[C.MQIA_MAX_Q_DEPTH]) == (7, 9)
    assert first[C.MQCA_ALTERATION_TIME] != second[C.MQCA_ALTERATION_TIME]


def test_mqset_is_a_change_by_its_caller() -> None:
    session = configured()
    session.queue("A")
    session.events(CONFIG_EVENT)
    hobj = session.open("A", C.MQOO_SET)
    session.qm.set(session.hconn, hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED})
    first, second = pair(session)
    assert (first[C.MQIA_INHIBIT_PUT], second[C.MQIA_INHIBIT_PUT]) == (C.MQQA_PUT_ALLOWED, C.MQQA_PUT_INHIBITED)
    assert (second[C.MQCACF_EVENT_USER_ID], second[C.MQIACF_EVENT_ORIGIN]) == ("alice", C.MQEVO_MQSET)


def test_turning_the_events_on_and_off_is_told() -> None:
    session = Events()
    session.qm.alter("QMGR", "", {"CONFIGEV": "ENABLED"})
    first, second = pair(session)
    assert (first[C.MQIA_CONFIGURATION_EVENT], second[C.MQIA_CONFIGURATION_EVENT]) == (0, 1)
    assert (first[C.MQIACF_OBJECT_TYPE], first[C.MQCA_Q_MGR_NAME]) == (C.MQOT_Q_MGR, "QM1")
    session.qm.alter("QMGR", "", {"CONFIGEV": "DISABLED"})
    assert pair(session)[1][C.MQIA_CONFIGURATION_EVENT] == 0
    session.qm.alter("QMGR", "", {"DESCR": "quiet"})
    session.queue("A")
    session.qm.alter("QLOCAL", "A", {"MAXDEPTH": 9})
    session.qm.delete("QLOCAL", "A")
    assert session.events(CONFIG_EVENT) == []


def test_a_command_that_fails_is_no_event() -> None:
    session = configured()
    session.queue("A")
    session.put("A")
    session.events(CONFIG_EVENT)
    for call, *arguments in (
        (session.qm.define, "QLOCAL", "A", {}),
        (session.qm.alter, "QLOCAL", "A", {"MAXDEPTH": -1}),
        (session.qm.alter, "QLOCAL", "NO.SUCH", {}),
        (session.qm.delete, "QLOCAL", "A"),
    ):
        with pytest.raises(MQError):
            call(*arguments)  # type: ignore[operator]
    assert session.events(CONFIG_EVENT) == []


@pytest.mark.parametrize(("deftype", "made"), [("PERMDYN", True), ("TEMPDYN", False)])
def test_dynamic_queues_that_last_are_told(deftype: str, made: bool) -> None:
    session = configured()
    session.qm.define("QMODEL", "MODEL", {"DEFTYPE": deftype})
    session.events(CONFIG_EVENT)
    od = MQOD(ObjectName="MODEL", DynamicQName="DYNAMIC")
    hobj = session.qm.open(session.hconn, od, C.MQOO_INPUT_SHARED)
    session.qm.close(session.hconn, hobj, C.MQCO_DELETE)
    told = [
        (event.reason, event[C.MQCA_Q_NAME], event[C.MQCACF_EVENT_USER_ID]) for event in session.events(CONFIG_EVENT)
    ]
    reasons = (C.MQRC_CONFIG_CREATE_OBJECT, C.MQRC_CONFIG_DELETE_OBJECT)
    assert told == ([(reason, "DYNAMIC", "alice") for reason in reasons] if made else [])


def test_what_the_queue_manager_changes_of_itself_is_no_event() -> None:
    session = configured(PERFMEV="ENABLED")
    session.queue("A", MAXDEPTH=2, QDPHIEV="ENABLED", QDEPTHHI=100)
    session.events(CONFIG_EVENT)
    session.put("A")
    session.put("A")
    assert session.attribute("A", "qdploev") == C.MQEVR_ENABLED
    assert session.events(CONFIG_EVENT) == []


def test_the_queue_of_these_events_is_told_of_only_by_a_refresh() -> None:
    session = configured()
    session.qm.alter("QLOCAL", CONFIG_EVENT, {"MAXDEPTH": 99})
    assert session.events(CONFIG_EVENT) == []
    queue = session.core.catalogue.queues[CONFIG_EVENT]
    assert queue_manager_events.refresh_objects(session.core, [queue]) == 1
    event = session.event(CONFIG_EVENT)
    assert (event.reason, event[C.MQCA_Q_NAME]) == (C.MQRC_CONFIG_REFRESH_OBJECT, CONFIG_EVENT)


def test_refresh_tells_each_object_once() -> None:
    session = configured()
    session.queue("A")
    session.queue("B")
    session.events(CONFIG_EVENT)
    objects = [session.core.catalogue.queues[name] for name in "AB"]
    assert queue_manager_events.refresh_objects(session.core, objects, ALICE) == 2
    told = session.events(CONFIG_EVENT)
    assert [event.reason for event in told] == [C.MQRC_CONFIG_REFRESH_OBJECT] * 2
    assert all(event.parameters[:3] == BY_ALICE for event in told)
    session.qm.alter("QMGR", "", {"CONFIGEV": "DISABLED"})
    session.events(CONFIG_EVENT)
    assert queue_manager_events.refresh_objects(session.core, objects) == 0
    assert session.events(CONFIG_EVENT) == []


def test_every_kind_of_object_can_be_told() -> None:
    """Also those that a queue manager is born with: no attribute is of a type that PCF has no structure for."""
    session = configured()
    session.qm.alter("QLOCAL", CONFIG_EVENT, {"MAXDEPTH": 5000})
    objects = list(session.core.catalogue)
    assert {obj.kind for obj in objects} >= {"QMGR", "QLOCAL", "QMODEL", "SVRCONN"} & set(TABLES)
    assert queue_manager_events.refresh_objects(session.core, objects) == len(objects)
    assert len(session.events(CONFIG_EVENT)) == len(objects)
    assert session.core.events.lost == 0


def test_passwords_are_not_told() -> None:
    session = configured()
    session.qm.alter("QMGR", "", {"KEYRPWD": "very secret"})
    _, after = pair(session)
    assert after[C.MQCA_SSL_KEY_REPO_PASSWORD] == "********"
