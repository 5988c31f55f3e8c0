"""A session with pymqi that uses each of its classes. Run by the runner; INTEROP_BINDING is "tcp" or "local"."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import pymqi  # type: ignore[import-not-found]
import pytest
from pymqi import CMQC, CMQCFC, CMQXC

BINDING = os.environ.get("INTEROP_BINDING", "local")
NAME = os.environ.get("PY_IBMMQ_TEST_QM_NAME", "QM1")
CONNECTION = f"{os.environ.get('PY_IBMMQ_TEST_QM_HOST')}({os.environ.get('PY_IBMMQ_TEST_QM_PORT')})"
CHANNEL, USER, PASSWORD = "DEV.ADMIN.SVRCONN", "admin", "password"
tcp_only = pytest.mark.skipif(BINDING != "tcp", reason="is about channels")


def connected() -> Any:
    if BINDING == "local":
        return pymqi.QueueManager(NAME)
    queue_manager = pymqi.QueueManager(None)
    queue_manager.connect_tcp_client(NAME, pymqi.CD(), CHANNEL, CONNECTION, USER, PASSWORD)
    return queue_manager


@pytest.fixture
def qmgr() -> Iterator[Any]:
    queue_manager = connected()
    yield queue_manager
    queue_manager.disconnect()


@pytest.fixture
def queue(qmgr: Any) -> Iterator[Any]:
    """A temporary queue of its own for each test."""
    descriptor = pymqi.OD(ObjectName=b"SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName=b"SESSION.*")
    options = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE | CMQC.MQOO_SET | CMQC.MQOO_BROWSE
    made = pymqi.Queue(qmgr, descriptor, options)
    made.name = descriptor.ObjectName.strip()
    yield made
    if made.get_handle():
        made.close()


def raised(reason: int) -> Any:
    return pytest.raises(pymqi.MQMIError, match=f"Reason {reason}")


# QueueManager


def test_queue_manager_inquires(qmgr: Any) -> None:
    assert qmgr.inquire(CMQC.MQCA_Q_MGR_NAME) == NAME.encode().ljust(48)
    assert qmgr.inquire(CMQC.MQIA_COMMAND_LEVEL) >= 800
    assert qmgr.inquire(CMQC.MQCA_VERSION).isdigit()
    with raised(CMQC.MQRC_SELECTOR_ERROR):
        qmgr.inquire(CMQC.MQIA_LAST)


def works(queue_manager: Any) -> bool:
    return bool(queue_manager.inquire(CMQC.MQCA_Q_MGR_NAME).strip() == NAME.encode())


def test_queue_manager_disconnects() -> None:
    queue_manager = connected()
    assert works(queue_manager)
    assert isinstance(queue_manager.get_handle(), int)
    queue_manager.disconnect()
    with pytest.raises(pymqi.PYIFError):
        queue_manager.get_handle()


@tcp_only
def test_queue_manager_connects_in_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    descriptor = pymqi.CD()
    descriptor.ChannelName, descriptor.ConnectionName = CHANNEL.encode(), CONNECTION.encode()
    with_options = pymqi.QueueManager(None)
    with_options.connect_with_options(NAME, descriptor, pymqi.SCO(), user=USER, password=PASSWORD)
    assert works(with_options)
    with_options.disconnect()
    by_function = pymqi.connect(NAME, CHANNEL, CONNECTION, USER, PASSWORD)
    assert works(by_function)
    by_function.disconnect()
    monkeypatch.setenv("MQSERVER", f"DEV.APP.SVRCONN/TCP/{CONNECTION}")
    by_variable = pymqi.QueueManager(None)
    by_variable.connect_with_options(NAME, user="app", password=PASSWORD)
    assert works(by_variable)
    by_variable.disconnect()


@tcp_only
def test_queue_manager_is_refused_with_a_reason() -> None:
    with raised(CMQC.MQRC_NOT_AUTHORIZED):
        pymqi.connect(NAME, CHANNEL, CONNECTION, USER, "wrong")
    with raised(CMQC.MQRC_HOST_NOT_AVAILABLE):
        pymqi.connect(NAME, CHANNEL, "127.0.0.1(1)", USER, PASSWORD)
    with raised(CMQC.MQRC_UNKNOWN_CHANNEL_NAME):
        pymqi.connect(NAME, "NO.SUCH.CHANNEL", CONNECTION, USER, PASSWORD)
    with raised(CMQC.MQRC_Q_MGR_NAME_ERROR):
        pymqi.connect("NOBODY", CHANNEL, CONNECTION, USER, PASSWORD)


def test_queue_manager_commits_and_backs_out(qmgr: Any, queue: Any) -> None:
    pmo = pymqi.PMO(Options=CMQC.MQPMO_SYNCPOINT)
    queue.put(b"lost", pymqi.MD(), pmo)
    qmgr.backout()
    queue.put(b"kept", pymqi.MD(), pmo)
    qmgr.commit()
    assert queue.get() == b"kept"
    with raised(CMQC.MQRC_NO_MSG_AVAILABLE):
        queue.get()
    with raised(CMQC.MQRC_NO_EXTERNAL_PARTICIPANTS):
        qmgr.begin()


def test_queue_manager_puts_once(qmgr: Any, queue: Any) -> None:
    descriptor = pymqi.MD()
    qmgr.put1(queue.name, b"once", descriptor, pymqi.PMO())
    assert descriptor.MsgId != CMQC.MQMI_NONE
    assert queue.get() == b"once"
    qmgr.put1(queue.name, "zażółć", descriptor)
    assert (descriptor.Format, descriptor.CodedCharSetId) == (CMQC.MQFMT_STRING, 1208)
    assert queue.get().decode() == "zażółć"


def test_queue_manager_in_threads() -> None:
    """A get that waits in one thread does not hold up another."""
    waiting, working = connected(), connected()
    descriptor = pymqi.OD(ObjectName=b"SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName=b"SESSION.*")
    reader = pymqi.Queue(waiting, descriptor, CMQC.MQOO_INPUT_EXCLUSIVE)
    gmo = pymqi.GMO(Options=CMQC.MQGMO_WAIT, WaitInterval=30_000)
    got: list[bytes] = []
    thread = threading.Thread(target=lambda: got.append(reader.get(None, pymqi.MD(), gmo)))
    thread.start()
    assert working.inquire(CMQC.MQCA_Q_MGR_NAME).strip() == NAME.encode()
    working.put1(descriptor.ObjectName.strip(), b"at last")
    thread.join(40)
    assert got == [b"at last"]
    reader.close()
    waiting.disconnect()
    working.disconnect()


# Queue, MD, GMO, PMO, OD


def test_queue_puts_and_gets(queue: Any) -> None:
    sent = pymqi.MD(Persistence=CMQC.MQPER_NOT_PERSISTENT, Priority=7, CorrelId=b"c" * 24)
    pmo = pymqi.PMO()
    queue.put(b"x" * 10_000, sent, pmo)
    assert pmo.ResolvedQName.strip() == queue.name
    got, gmo = pymqi.MD(), pymqi.GMO()
    assert queue.get(None, got, gmo) == b"x" * 10_000  # longer than the first buffer it tries
    assert (got.MsgId, got.CorrelId, got.Priority) == (sent.MsgId, b"c" * 24, 7)
    assert gmo.ResolvedQName.strip() == queue.name
    assert len(got.PutDate) == len(got.PutTime) == 8 and got.PutDate.isdigit()


def test_queue_gets_by_identifier_and_browses(queue: Any) -> None:
    descriptors = [pymqi.MD() for _ in range(3)]
    for number, descriptor in enumerate(descriptors):
        queue.put(b"%d" % number, descriptor)
    gmo = pymqi.GMO(Options=CMQC.MQGMO_BROWSE_FIRST)
    seen = []
    for _ in range(3):
        seen.append(queue.get(None, pymqi.MD(), gmo))
        gmo.Options = CMQC.MQGMO_BROWSE_NEXT
    assert seen == [b"0", b"1", b"2"]
    assert queue.get(None, pymqi.MD(MsgId=descriptors[1].MsgId)) == b"1"
    second = pymqi.GMO(Version=CMQC.MQGMO_VERSION_2, MatchOptions=CMQC.MQMO_NONE)
    assert queue.get(None, pymqi.MD(MsgId=b"z" * 24), second) == b"0"


def test_queue_truncates(queue: Any) -> None:
    queue.put(b"12345")
    with raised(CMQC.MQRC_TRUNCATED_MSG_FAILED):
        queue.get(3)
    with raised(CMQC.MQRC_TRUNCATED_MSG_ACCEPTED) as caught:
        queue.get(3, pymqi.MD(), pymqi.GMO(Options=CMQC.MQGMO_ACCEPT_TRUNCATED_MSG))
    assert (caught.value.message, caught.value.original_length) == (b"123", 5)


def test_queue_waits(queue: Any) -> None:
    with raised(CMQC.MQRC_NO_MSG_AVAILABLE):
        queue.get(None, pymqi.MD(), pymqi.GMO(Options=CMQC.MQGMO_WAIT, WaitInterval=10))


def test_queue_inquires_and_sets(queue: Any) -> None:
    queue.put(b"one")
    assert queue.inquire(CMQC.MQIA_CURRENT_Q_DEPTH) == 1
    assert queue.inquire(CMQC.MQCA_Q_NAME).strip() == queue.name
    queue.set(CMQC.MQIA_INHIBIT_PUT, CMQC.MQQA_PUT_INHIBITED)
    with raised(CMQC.MQRC_PUT_INHIBITED):
        queue.put(b"two")
    queue.set(CMQC.MQCA_TRIGGER_DATA, b"trigger".ljust(64))
    assert queue.inquire(CMQC.MQCA_TRIGGER_DATA) == b"trigger".ljust(64)


def test_queue_opens_and_closes(qmgr: Any) -> None:
    queue = pymqi.Queue(qmgr)
    queue.open("DEV.QUEUE.3", CMQC.MQOO_OUTPUT)
    assert queue.get_handle()
    queue.close()
    with pytest.raises(pymqi.PYIFError):
        queue.close()
    with raised(CMQC.MQRC_UNKNOWN_OBJECT_NAME):
        pymqi.Queue(qmgr, "NO.SUCH.QUEUE", CMQC.MQOO_OUTPUT)


def test_queue_uses_a_selector(qmgr: Any) -> None:
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.3", CMQC.MQOO_OUTPUT)
    for colour in ("red", "green"):
        handle = pymqi.MessageHandle(qmgr)
        handle.properties.set(b"colour", colour)
        pmo = pymqi.PMO(Version=CMQC.MQPMO_VERSION_3, OriginalMsgHandle=handle.msg_handle)
        queue.put(colour.encode(), pymqi.MD(), pmo)
    descriptor = pymqi.OD(Version=CMQC.MQOD_VERSION_4, ObjectName=b"DEV.QUEUE.3")
    descriptor.set_vs("SelectionString", b"colour = 'green'")
    chosen = pymqi.Queue(qmgr, descriptor, CMQC.MQOO_INPUT_SHARED)
    assert chosen.get_no_jms() == b"green"
    chosen.close()
    queue.close()
    assert pymqi.Queue(qmgr, "DEV.QUEUE.3").get_no_jms() == b"red"


# RFH2


def test_rfh2_travels(queue: Any) -> None:
    header = pymqi.RFH2(Encoding=CMQC.MQENC_NATIVE, CodedCharSetId=1208, Format=CMQC.MQFMT_STRING)
    header["NameValueCCSID"] = 1208
    header.add_folder(b"<usr><colour>green</colour></usr>")
    sent = pymqi.MD(Format=CMQC.MQFMT_RF_HEADER_2, CodedCharSetId=1208)
    queue.put_rfh2(b"body", sent, pymqi.PMO(), [header])
    headers: list[Any] = []
    got = pymqi.MD()
    gmo = pymqi.GMO(Options=CMQC.MQGMO_PROPERTIES_FORCE_MQRFH2)
    body = queue.get_rfh2(None, got, gmo, headers)
    assert (body, len(headers)) == (b"body", 1)
    assert b"green" in headers[0]["usr"]
    queue.put_rfh2(b"body", sent, pymqi.PMO(), [header])
    assert queue.get_no_rfh2() == b"body"


# MessageHandle, CMHO, PD, SMPO, IMPO


def test_message_handle_keeps_properties(qmgr: Any, queue: Any) -> None:
    handle = pymqi.MessageHandle(qmgr, pymqi.CMHO())
    handle.properties[b"text"] = "zażółć"
    handle.properties.set(b"number", 42, property_type=CMQC.MQTYPE_INT32, value_length=4, pd=pymqi.PD())
    handle.properties.set(b"real", 3.5, property_type=CMQC.MQTYPE_FLOAT64, value_length=8, smpo=pymqi.SMPO())
    handle.properties.set(b"raw", b"\0\1", property_type=CMQC.MQTYPE_BYTE_STRING, value_length=2)
    pmo = pymqi.PMO(Version=CMQC.MQPMO_VERSION_3, OriginalMsgHandle=handle.msg_handle)
    queue.put(b"body", pymqi.MD(), pmo)
    received = pymqi.MessageHandle(qmgr)
    gmo = pymqi.GMO(
        Version=CMQC.MQGMO_VERSION_4, Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=received.msg_handle
    )
    assert queue.get(None, pymqi.MD(), gmo) == b"body"
    values = [received.properties.get(name) for name in (b"text", b"number", b"real", b"raw")]
    assert values == ["zażółć", 42, 3.5, b"\0\1"]
    with raised(CMQC.MQRC_PROPERTY_NOT_AVAILABLE):
        received.properties.get(b"absent")
    handle.properties.set(b"long", "x" * 100)
    with raised(CMQC.MQRC_PROPERTY_VALUE_TOO_BIG):
        handle.properties.get(b"long")
    assert handle.properties.get(b"long", max_value_length=100) == "x" * 100


# The other structures


@pytest.mark.parametrize(
    ("structure", "size"),
    [
        (pymqi.OD, 424), (pymqi.MD, 364), (pymqi.GMO, 112), (pymqi.PMO, 184), (pymqi.CD, 1988), (pymqi.SCO, 628),
        (pymqi.SD, 344), (pymqi.SRO, 16), (pymqi.CMHO, 12), (pymqi.PD, 24), (pymqi.SMPO, 20), (pymqi.IMPO, 64),
        (pymqi.TM, 684), (pymqi.TMC2, 732), (pymqi.XQH, 104), (pymqi.CFH, 36), (pymqi.CFBS, 16), (pymqi.CFGR, 16),
        (pymqi.CFIF, 20), (pymqi.CFIL, 16), (pymqi.CFIL64, 16), (pymqi.CFIN, 16), (pymqi.CFIN64, 24),
        (pymqi.CFSF, 24), (pymqi.CFSL, 24), (pymqi.CFST, 20),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)  # fmt: skip
def test_structures_have_the_sizes_that_our_levels_ask_for(structure: Any, size: int) -> None:
    made = structure(String=b"") if structure in (pymqi.CFBS, pymqi.CFST) else structure()
    if structure is pymqi.CFSF:
        made = structure(FilterValue=b"")
    assert made.get_length() == size
    made.unpack(made.pack())


# Errors


def test_errors_have_names(qmgr: Any) -> None:
    with pytest.raises(pymqi.MQMIError) as caught:
        pymqi.Queue(qmgr, "NO.SUCH.QUEUE", CMQC.MQOO_INPUT_SHARED)
    assert (caught.value.comp, caught.value.reason) == (CMQC.MQCC_FAILED, CMQC.MQRC_UNKNOWN_OBJECT_NAME)
    assert "MQRC_UNKNOWN_OBJECT_NAME" in caught.value.errorAsString()


# Topic, Subscription


def test_topic_publishes(qmgr: Any) -> None:
    topic = pymqi.Topic(qmgr, topic_string="session/news", open_opts=CMQC.MQOO_OUTPUT)
    topic.open()
    topic.pub(b"news")
    topic.close()


def test_subscription_receives(qmgr: Any) -> None:
    subscription = pymqi.Subscription(qmgr)
    subscription.sub(topic_string="session/news")
    topic = pymqi.Topic(qmgr, topic_string="session/news")
    topic.pub(b"news")
    assert subscription.get() == b"news"
    subscription.close(close_sub_queue=True)


# PCFExecute, Filter, ByteString


def test_pcf_says_whether_it_is_connected() -> None:
    """pymqi sends a ping to the command server."""
    queue_manager = connected()
    assert queue_manager.is_connected
    queue_manager.disconnect()
    assert not queue_manager.is_connected


def test_pcf_pings(qmgr: Any) -> None:
    pcf = pymqi.PCFExecute(qmgr)
    pcf.MQCMD_PING_Q_MGR()
    assert pcf.reply_queue_name.startswith(b"PYMQPCF.")
    pcf.disconnect()


def test_pcf_inquires_with_a_filter(qmgr: Any) -> None:
    pcf = pymqi.PCFExecute(qmgr)
    depth = pymqi.Filter(CMQC.MQIA_MAX_Q_DEPTH).greater(0)
    found = pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"DEV.*"}, [depth])
    assert b"DEV.QUEUE.1" in {answer[CMQC.MQCA_Q_NAME].strip() for answer in found}


def test_pcf_inquires_connections(qmgr: Any) -> None:
    pcf = pymqi.PCFExecute(qmgr)
    assert pcf.MQCMD_INQUIRE_CONNECTION({CMQCFC.MQBACF_GENERIC_CONNECTION_ID: pymqi.ByteString(b"")})


def test_constants_of_channels() -> None:
    assert CMQXC.MQCHT_CLNTCONN == 6
