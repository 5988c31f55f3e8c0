"""A session with ibmmq over either binding: its own tests know only TCP. INTEROP_BINDING is "tcp" or "local"."""

from __future__ import annotations

import os
import queue as queues
from collections.abc import Iterator
from typing import Any

import ibmmq as mq  # type: ignore[import-not-found]
import pytest
from ibmmq import CMQC

BINDING = os.environ.get("INTEROP_BINDING", "local")
NAME = os.environ.get("PY_IBMMQ_TEST_QM_NAME", "QM1")
CONNECTION = f"{os.environ.get('PY_IBMMQ_TEST_QM_HOST')}({os.environ.get('PY_IBMMQ_TEST_QM_PORT')})"
_WAIT_S = 30


def connected() -> Any:
    if BINDING == "local":
        return mq.connect(NAME)
    return mq.connect(NAME, "DEV.ADMIN.SVRCONN", CONNECTION, "admin", "password")


@pytest.fixture
def qmgr() -> Iterator[Any]:
    queue_manager = connected()
    yield queue_manager
    queue_manager.disconnect()


@pytest.fixture
def queue(qmgr: Any) -> Iterator[Any]:
    descriptor = mq.OD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="SESSION.*")
    made = mq.Queue(qmgr, descriptor, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE | CMQC.MQOO_SET)
    made.name = descriptor.ObjectName.strip()
    yield made
    made.close()


def test_our_module_is_the_one_that_is_loaded() -> None:
    assert mq.ibmmqc.__name__ == "libremq.compat.ibmmqc"


def test_lengths_of_attributes_agree() -> None:
    """Text of several attributes comes in one piece, so both sides must cut it alike."""
    from mqinq import mqAttrLength  # type: ignore[import-not-found]

    from libremq.compat.attribute_values import length_of
    from libremq.kernel.objects.attribute_tables import TABLES

    ours = {row.selector for table in TABLES.values() for row in table if row.inquirable and not row.is_integer}
    differ = {
        selector: (length, length_of(selector))
        for selector, length in mqAttrLength.items()
        if selector in ours and length != length_of(selector) and selector != CMQC.MQCA_NAMES
    }
    assert not differ


def test_connect_options(qmgr: Any) -> None:
    options = mq.CNO(Options=CMQC.MQCNO_HANDLE_SHARE_NO_BLOCK, ApplName="a session")
    credentials = mq.CSP(CSPUserId="admin", CSPPassword="password")
    descriptor = mq.CD(ChannelName="DEV.ADMIN.SVRCONN", ConnectionName=CONNECTION) if BINDING == "tcp" else None
    more = {"cd": descriptor} if descriptor else {}
    other = mq.connect(NAME, csp=credentials, cno=options, bno=mq.BNO(), **more)
    model = mq.OD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="SESSION.*")
    reader = mq.Queue(other, model, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    reader.put("hello")
    got = mq.MD()
    assert reader.get(None, got) == b"hello"
    assert got.PutApplName.strip() == b"a session"
    reader.close()
    other.disconnect()


def test_inquire_and_set(qmgr: Any, queue: Any) -> None:
    assert qmgr.inquire(CMQC.MQCA_Q_MGR_NAME).strip() == NAME.encode()
    queue.set({CMQC.MQCA_TRIGGER_DATA: "trigger", CMQC.MQIA_TRIGGER_DEPTH: 5})
    values = queue.inquire([CMQC.MQCA_Q_NAME, CMQC.MQIA_TRIGGER_DEPTH, CMQC.MQCA_TRIGGER_DATA])
    assert values[CMQC.MQCA_Q_NAME].strip() == queue.name
    assert (values[CMQC.MQIA_TRIGGER_DEPTH], values[CMQC.MQCA_TRIGGER_DATA].strip()) == (5, b"trigger")


def test_units_of_work(qmgr: Any, queue: Any) -> None:
    pmo = mq.PMO(Options=CMQC.MQPMO_SYNCPOINT)
    queue.put("lost", mq.MD(), pmo)
    qmgr.backout()
    queue.put("kept", mq.MD(), pmo)
    qmgr.commit()
    assert queue.get() == b"kept"


def test_properties(qmgr: Any, queue: Any) -> None:
    handle = mq.MessageHandle(qmgr)
    handle.properties.set("colour", "zażółć")
    handle.properties.set("size", 42, property_type=CMQC.MQTYPE_INT64)
    queue.put(b"body", mq.MD(), mq.PMO(OriginalMsgHandle=handle.msg_handle))
    received = mq.MessageHandle(qmgr)
    gmo = mq.GMO(Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=received.msg_handle)
    assert queue.get(None, mq.MD(), gmo) == b"body"
    assert received.properties.get("%") == ("zażółć", "colour")
    assert received.properties.get("size") == 42
    received.properties.dlt("size")
    with pytest.raises(mq.MQMIError, match=str(CMQC.MQRC_PROPERTY_NOT_AVAILABLE)):
        received.properties.get("size")
    handle.dlt()
    received.dlt()


def test_status(qmgr: Any, queue: Any) -> None:
    queue.put("one", mq.MD(), mq.PMO(Options=CMQC.MQPMO_ASYNC_RESPONSE | CMQC.MQPMO_NO_SYNCPOINT))
    status = qmgr.stat(CMQC.MQSTAT_TYPE_ASYNC_ERROR)
    assert (status.PutSuccessCount, status.PutFailureCount) == (1, 0)


def test_consumers(qmgr: Any) -> None:
    consuming = connected()
    model = mq.OD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="SESSION.*")
    reader = mq.Queue(consuming, model, CMQC.MQOO_INPUT_SHARED)
    calls: queues.Queue[dict[str, Any]] = queues.Queue()
    cbd = mq.CBD(CallbackFunction=lambda **call: calls.put(call), CallbackArea=b"mine")
    reader.cb(operation=CMQC.MQOP_REGISTER, cbd=cbd, md=mq.MD(), gmo=mq.GMO(Options=CMQC.MQGMO_NO_SYNCPOINT))
    consuming.ctl(CMQC.MQOP_START, mq.CTLO(ConnectionArea=b"ours"))
    for number in range(3):
        qmgr.put1(model.ObjectName.strip(), f"message {number}")
    for number in range(3):
        call = calls.get(timeout=_WAIT_S)
        assert call["msg"][: call["cbc"].DataLength] == b"message %d" % number
        assert (call["cbc"].CallbackArea, call["cbc"].ConnectionArea) == (b"mine", b"ours")
        assert call["queue"] is reader and call["queue_manager"] is consuming
    consuming.ctl(CMQC.MQOP_STOP, mq.CTLO())
    reader.cb(operation=CMQC.MQOP_DEREGISTER)
    reader.close()
    consuming.disconnect()
