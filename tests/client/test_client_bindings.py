"""Below the Python API: what the bindings have to do alike, and what a network makes hard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import libremq
from libremq import QueueManager
from libremq.host.binding import Binding, PutItem
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQPMR, MQSTS
from libremq.testing.serving import served_queue_manager

BOTH = C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED
ASYNC = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_NO_SYNCPOINT


@pytest.fixture
def connection(queue_manager: QueueManager) -> Binding:
    for name in ("EAST", "WEST"):
        queue_manager.define_local(name)
    queue_manager.define_local("CLOSED", put="disabled")
    return queue_manager.mqi.binding


def opened(connection: Binding, name: str = "EAST", options: int = BOTH) -> int:
    return connection.open(MQOD(ObjectName=name), options)


def opened_list(connection: Binding, *names: str) -> int:
    return connection.open(MQOD(Version=2), C.MQOO_OUTPUT, [MQOR(ObjectName=name) for name in names])


# Puts that nobody waits for


def test_what_is_wrong_with_an_asynchronous_put_itself_is_told_at_once(connection: Binding) -> None:
    hobj = opened(connection)
    connection.close(hobj)
    with pytest.raises(libremq.HandleError):
        connection.put(hobj, MQMD(), MQPMO(Options=ASYNC), b"x")
    with pytest.raises(libremq.OptionsError):
        connection.put(opened(connection), MQMD(), MQPMO(Options=ASYNC | C.MQPMO_SYNC_RESPONSE), b"x")
    sts = MQSTS()
    connection.status(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
    assert (sts.CompCode, sts.PutFailureCount) == (C.MQCC_OK, 0)


def test_an_asynchronous_put_to_a_list_has_an_outcome_for_each(connection: Binding) -> None:
    hobj = opened_list(connection, "EAST", "CLOSED")
    pmo = MQPMO(Version=2, Options=ASYNC)
    assert connection.put(hobj, MQMD(), pmo, b"x") == C.MQRC_MULTIPLE_REASONS
    assert [response.Reason for response in connection.responses(hobj)] == [C.MQRC_NONE, C.MQRC_PUT_INHIBITED]
    assert pmo.Options == ASYNC


# Distribution lists


def test_a_list_that_fails_altogether_says_how_many_destinations_it_had(connection: Binding) -> None:
    od = MQOD(Version=2)
    with pytest.raises(libremq.UnknownObject):
        connection.open(od, C.MQOO_OUTPUT, [MQOR(ObjectName="NOBODY"), MQOR(ObjectName="NOBODY.ELSE")])
    assert (od.KnownDestCount, od.InvalidDestCount) == (0, 2)
    hobj = opened_list(connection, "CLOSED", "CLOSED", "CLOSED")
    for records in ([], [MQPMR() for _ in range(3)]):
        pmo = MQPMO(Version=2)
        with pytest.raises(libremq.PutInhibited):
            connection.put(hobj, MQMD(), pmo, b"x", records)
        assert (pmo.KnownDestCount, pmo.InvalidDestCount) == (0, 3)


@pytest.mark.parametrize("with_records", [True, False])
def test_properties_go_to_every_destination_of_a_list(connection: Binding, with_records: bool) -> None:
    hmsg = connection.create_message_handle()
    connection.set_properties(hmsg, {"colour": "red"})
    hobj = opened_list(connection, "EAST", "WEST")
    records = [MQPMR(MsgId=bytes([number]) * 24) for number in (1, 2)] if with_records else []
    pmo = MQPMO(Version=3, NewMsgHandle=hmsg, PutMsgRecFields=C.MQPMRF_MSG_ID if with_records else 0)
    assert connection.put(hobj, MQMD(Version=2), pmo, b"data", records) == C.MQRC_NONE
    assert pmo.NewMsgHandle == hmsg
    for number, name in enumerate(("EAST", "WEST"), 1):
        received = connection.create_message_handle()
        md = MQMD(Version=2)
        got = connection.get(opened(connection, name), md, MQGMO(Version=4, MsgHandle=received))
        assert (got.data, connection.properties(received)) == (b"data", {"colour": "red"})
        assert (md.MsgId == bytes([number]) * 24) == with_records


# Several messages at once


def test_many_messages_go_and_come_as_one_by_one(connection: Binding) -> None:
    hobj = opened(connection)
    items = [PutItem(MQMD(Version=2), MQPMO(Options=C.MQPMO_SYNCPOINT), b"%d" % number) for number in range(25)]
    items[3].pmo.Options |= C.MQPMO_SYNC_RESPONSE  # as all of them are
    connection.put_many(hobj, items)
    connection.commit()
    assert len({item.md.MsgId for item in items}) == 25
    first = connection.get_many(hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT), 10)
    rest = connection.get_many(hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT), 100)
    assert [item.got.data for item in (*first, *rest)] == [b"%d" % number for number in range(25)]
    assert [item.md.MsgId for item in first] == [item.md.MsgId for item in items[:10]]
    with pytest.raises(libremq.NoMessageAvailable):
        connection.get_many(hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT), 10)


def test_of_many_messages_the_first_that_failed_is_told(connection: Binding) -> None:
    hobj = opened(connection)
    items = [PutItem(MQMD(Version=2, Priority=priority), MQPMO(), b"x") for priority in (1, -7, 2)]
    with pytest.raises(libremq.MQError) as caught:
        connection.put_many(hobj, items)
    assert caught.value.reason == C.MQRC_PRIORITY_ERROR
    assert "1 of 3 messages" in caught.value.detail
    assert len(connection.get_many(hobj, MQMD(), MQGMO(), 10)) == 2


# Values that cannot be: refused with the same reason, nothing put, and the connection goes on

WRONG_DESCRIPTORS: list[tuple[str, Any, int]] = [
    ("MsgId", None, C.MQRC_MD_ERROR),
    ("MsgId", b"short", C.MQRC_MD_ERROR),
    ("CorrelId", "text", C.MQRC_MD_ERROR),
    ("CorrelId", bytes(25), C.MQRC_MD_ERROR),
    ("GroupId", b"short", C.MQRC_MD_ERROR),
    ("AccountingToken", bytes(31), C.MQRC_MD_ERROR),
    ("Report", 2**31, C.MQRC_REPORT_OPTIONS_ERROR),
    ("Feedback", 2**31, C.MQRC_FEEDBACK_ERROR),
    ("Priority", None, C.MQRC_PRIORITY_ERROR),
    ("Priority", [], C.MQRC_PRIORITY_ERROR),
    ("Expiry", 2**70, C.MQRC_EXPIRY_ERROR),
    ("Format", "FORMATTED", C.MQRC_MD_ERROR),
    ("ReplyToQ", b"bytes", C.MQRC_MD_ERROR),
    ("ReplyToQ", "€", C.MQRC_MD_ERROR),
]


@pytest.mark.parametrize(("field", "value", "reason"), WRONG_DESCRIPTORS)
def test_a_descriptor_that_cannot_be(connection: Binding, field: str, value: Any, reason: int) -> None:
    hobj = opened(connection)
    distribution = opened_list(connection, "EAST", "WEST")
    puts: list[Callable[[MQMD], object]] = [
        lambda md: connection.put(hobj, md, MQPMO(), b"x"),
        lambda md: connection.put1(MQOD(ObjectName="EAST"), md, MQPMO(), b"x"),
        lambda md: connection.put(distribution, md, MQPMO(Version=2), b"x", [MQPMR(), MQPMR()]),
    ]
    for put in puts:
        md = MQMD(Version=2)
        setattr(md, field, value)
        with pytest.raises(libremq.MQError) as caught:
            put(md)
        assert caught.value.reason == reason
    with pytest.raises(libremq.NoMessageAvailable):
        connection.get(hobj, MQMD(), MQGMO())


@pytest.mark.parametrize("hobj", [-1, 0, 99, 2**31, 2**70, "text"])
def test_a_handle_that_cannot_be(connection: Binding, hobj: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: connection.close(hobj),
        lambda: connection.put(hobj, MQMD(), MQPMO(), b"x"),
        lambda: connection.put(hobj, MQMD(), MQPMO(Options=ASYNC), b"x"),
        lambda: connection.get(hobj, MQMD(), MQGMO()),
        lambda: connection.inquire(hobj, [C.MQIA_CURRENT_Q_DEPTH]),
        lambda: connection.set(hobj, {C.MQIA_INHIBIT_GET: 0}),
        lambda: connection.responses(hobj),
    ]
    for call in calls:
        with pytest.raises(libremq.HandleError) as caught:
            call()
        assert caught.value.reason == C.MQRC_HOBJ_ERROR
    connection.close(opened(connection))


def test_names_and_types_that_cannot_be(connection: Binding) -> None:
    hobj = opened(connection, options=BOTH | C.MQOO_SET)
    selected = MQOD(Version=4, ObjectName="EAST", SelectionString="colour = 'red'")
    calls: list[tuple[Callable[[], object], int]] = [
        (lambda: opened(connection, "X" * 49), C.MQRC_UNKNOWN_OBJECT_NAME),
        (lambda: opened(connection, "€"), C.MQRC_UNKNOWN_OBJECT_NAME),
        (lambda: opened(connection, b"EAST"), C.MQRC_OD_ERROR),  # type: ignore[arg-type]
        (lambda: connection.put1(selected, MQMD(), MQPMO(), b"x"), C.MQRC_SELECTOR_INVALID_FOR_TYPE),
        (lambda: connection.put1(MQOD(ObjectName=b"EAST"), MQMD(), MQPMO(), b"x"), C.MQRC_OD_ERROR),
        (lambda: connection.set(hobj, {"INHIBIT": 1}), C.MQRC_SELECTOR_ERROR),  # type: ignore[dict-item]
        (lambda: connection.status(2**40, MQSTS()), C.MQRC_STAT_TYPE_ERROR),
        (lambda: connection.callback(C.MQOP_REGISTER, MQCBD(CallbackType=77), print, hobj), C.MQRC_CALLBACK_TYPE_ERROR),
    ]
    for call, reason in calls:
        with pytest.raises(libremq.MQError) as caught:
            call()
        assert caught.value.reason == reason
    connection.close(hobj)


def test_a_message_too_long_for_its_channel_is_refused_and_the_connection_goes_on(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served, libremq.connect(served.url("local")) as administrator:
        administrator.define("channel", "NARROW", chltype="svrconn", maxmsgl=1000)
        administrator.define_local("Q")
        with libremq.connect(served.url("mq", channel="NARROW")) as qm:
            binding = qm.mqi.binding
            hobj = opened(binding, "Q")
            puts: list[Callable[[], object]] = [
                lambda: binding.put(hobj, MQMD(), MQPMO(), bytes(1001)),
                lambda: binding.put(hobj, MQMD(), MQPMO(Options=ASYNC), bytes(1001)),
                lambda: binding.put1(MQOD(ObjectName="Q"), MQMD(), MQPMO(), bytes(1001)),
                lambda: binding.put_many(hobj, [PutItem(MQMD(), MQPMO(), bytes(1001))]),
                lambda: qm.put("Q", bytes(1001)),
                lambda: qm.queue("Q").put(bytes(1001)),
            ]
            for put in puts:
                with pytest.raises(libremq.MQError) as caught:
                    put()
                assert caught.value.reason == C.MQRC_DATA_LENGTH_ERROR
            qm.put("Q", bytes(1000))
        assert [message.length for message in administrator.queue("Q")] == [1000]
