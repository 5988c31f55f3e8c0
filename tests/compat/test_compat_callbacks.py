"""MQCB and MQCTL: how the proxy of ibmmq is called."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helper_compat import CTLO, done, gmo, md, od, packed, pmo

from libremq.client.queue_manager import QueueManager
from libremq.compat import callbacks, ibmmqc
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBC, MQCBD, MQMD

Connect = Callable[[], int]
CONSUMER = packed(MQCBD)
EVENT_HANDLER = packed(MQCBD, CallbackType=C.MQCBT_EVENT_HANDLER)
_WAIT_S = 240


class Calls:
    """Stands in for the package: keeps what its proxy is called with, and may answer with a function."""

    def __init__(self) -> None:
        self.made: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self.function: Callable[..., object] | None = None

    def __call__(self, hconn: int, md: bytes, gmo: bytes, buffer: bytes, cbc: bytes) -> None:
        self.made.put((hconn, md, gmo, buffer, MQCBC.unpack(cbc), threading.current_thread()))
        assert len(cbc) == 64
        if self.function is not None:
            self.function(hconn)

    def next(self) -> tuple[Any, ...]:
        return self.made.get(timeout=_WAIT_S)


@pytest.fixture
def calls() -> Iterator[Calls]:
    before, made = callbacks._proxy, Calls()
    ibmmqc.MQCBINIT(made)
    yield made
    callbacks._proxy = before


def consuming(hconn: int, cbd: bytes = CONSUMER, **options: int) -> int:
    hobj: int = done(ibmmqc.MQOPEN(hconn, od("Q1"), C.MQOO_INPUT_SHARED))[0]
    assert ibmmqc.MQCB(hconn, C.MQOP_REGISTER, cbd, hobj, md(), gmo(**options)) == (0, 0)
    return hobj


def test_a_consumer_is_called_with_bytes(connect: Connect, calls: Calls) -> None:
    hconn, other = connect(), connect()
    hobj = consuming(hconn)
    sent_md, _ = done(ibmmqc.MQPUT1(other, od("Q1"), md(Format=C.MQFMT_STRING), pmo(), b"hello"))
    assert calls.made.empty()
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    called, got_md, got_gmo, buffer, cbc, thread = calls.next()
    assert (called, buffer, len(got_md), len(got_gmo)) == (hconn, b"hello", 364, 112)
    assert MQMD.unpack(got_md).MsgId == MQMD.unpack(sent_md).MsgId
    assert (cbc.CallType, cbc.Hobj, cbc.Version) == (C.MQCBCT_MSG_REMOVED, hobj, C.MQCBC_VERSION_2)
    assert (cbc.DataLength, cbc.BufferLength, cbc.Reason) == (5, 5, 0)
    assert thread is not threading.current_thread()
    assert ibmmqc.MQCTL(hconn, C.MQOP_STOP, CTLO) == (0, 0)
    assert ibmmqc.MQCB(hconn, C.MQOP_DEREGISTER, CONSUMER, hobj, md(), gmo()) == (0, 0)
    failed = ibmmqc.MQCB(hconn, C.MQOP_DEREGISTER, CONSUMER, hobj, md(), gmo())
    assert failed == (C.MQCC_FAILED, C.MQRC_CALLBACK_NOT_REGISTERED)


def test_an_empty_message_has_no_buffer(connect: Connect, calls: Calls) -> None:
    hconn, other = connect(), connect()
    consuming(hconn)
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    done(ibmmqc.MQPUT1(other, od("Q1"), md(), pmo(), b""))
    _, _, _, buffer, cbc, _ = calls.next()
    assert buffer is None and (cbc.BufferLength, cbc.DataLength) == (0, 0)


def test_only_the_consumer_may_use_a_started_connection(connect: Connect, calls: Calls) -> None:
    hconn, other = connect(), connect()
    consuming(hconn)
    inside: queue.Queue[tuple[int, ...]] = queue.Queue()
    calls.function = lambda hconn: inside.put(ibmmqc.MQPUT1(hconn, od("Q2"), md(), pmo(), b"")[-2:])
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    assert ibmmqc.MQCMIT(hconn) == (C.MQCC_FAILED, C.MQRC_HCONN_ASYNC_ACTIVE)
    done(ibmmqc.MQPUT1(other, od("Q1"), md(), pmo(), b"x"))
    assert inside.get(timeout=_WAIT_S) == (C.MQCC_FAILED, C.MQRC_UNKNOWN_OBJECT_NAME)
    assert ibmmqc.MQCTL(hconn, C.MQOP_STOP, CTLO) == (0, 0)
    assert ibmmqc.MQCMIT(hconn) == (0, 0)


def test_a_wait_that_ends_without_a_message_is_an_event_call(connect: Connect, calls: Calls) -> None:
    """IBM's own example ends on this call; its MQCBD asks for nothing special."""
    hconn = connect()
    hobj = consuming(hconn, Options=C.MQGMO_WAIT, WaitInterval=1)
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    _, _, _, buffer, cbc, _ = calls.next()
    assert (cbc.CallType, cbc.Hobj, buffer) == (C.MQCBCT_EVENT_CALL, hobj, None)
    assert (cbc.CompCode, cbc.Reason) == (C.MQCC_FAILED, C.MQRC_NO_MSG_AVAILABLE)


def test_a_wait_of_0_is_not_told_without_end(connect: Connect, calls: Calls) -> None:
    hconn, other = connect(), connect()
    consuming(hconn, Options=C.MQGMO_WAIT, WaitInterval=0)
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    done(ibmmqc.MQPUT1(other, od("Q1"), md(), pmo(), b"x"))
    assert calls.next()[4].CallType == C.MQCBCT_MSG_REMOVED


def test_start_and_stop_calls(connect: Connect, calls: Calls) -> None:
    hconn = connect()
    cbd = packed(MQCBD, Options=C.MQCBDO_START_CALL | C.MQCBDO_STOP_CALL | C.MQCBDO_DEREGISTER_CALL)
    hobj = consuming(hconn, cbd)
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    assert calls.next()[4].CallType == C.MQCBCT_START_CALL
    assert ibmmqc.MQCTL(hconn, C.MQOP_STOP, CTLO) == (0, 0)
    assert calls.next()[4].CallType == C.MQCBCT_STOP_CALL
    # The package forgets the function with the deregistration, so its proxy is not called for it
    assert ibmmqc.MQCB(hconn, C.MQOP_DEREGISTER, cbd, hobj, md(), gmo()) == (0, 0)
    assert calls.made.empty()


def test_an_event_handler_has_no_object(connect: Connect, calls: Calls) -> None:
    hconn = connect()
    assert ibmmqc.MQCB(hconn, C.MQOP_REGISTER, EVENT_HANDLER, C.MQHO_NONE, md(), gmo()) == (0, 0)
    assert ibmmqc.MQCB(hconn, C.MQOP_DEREGISTER, EVENT_HANDLER, C.MQHO_NONE, md(), gmo()) == (0, 0)


def test_what_a_function_raises_is_printed(
    connect: Connect, calls: Calls, queue_manager: QueueManager, capfd: pytest.CaptureFixture[str]
) -> None:
    hconn, other = connect(), connect()
    consuming(hconn)
    calls.function = lambda hconn: 1 // 0
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    for _ in range(2):  # it goes on after the first one
        done(ibmmqc.MQPUT1(other, od("Q1"), md(), pmo(), b"x"))
        calls.next()
    assert ibmmqc.MQCTL(hconn, C.MQOP_STOP, CTLO) == (0, 0)
    assert capfd.readouterr().err.count("ZeroDivisionError") == 2


def test_disconnecting_ends_the_consumers(connect: Connect, calls: Calls) -> None:
    hconn = connect()
    consuming(hconn)
    assert ibmmqc.MQCTL(hconn, C.MQOP_START, CTLO) == (0, 0)
    assert ibmmqc.MQDISC(hconn) == (0, 0)
    assert not [key for key in callbacks._registered if key[0] == hconn]


def test_a_proxy_is_needed(hconn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "_proxy", None)
    hobj = done(ibmmqc.MQOPEN(hconn, od("Q1"), C.MQOO_INPUT_SHARED))[0]
    failed = ibmmqc.MQCB(hconn, C.MQOP_REGISTER, CONSUMER, hobj, md(), gmo())
    assert failed == (C.MQCC_FAILED, C.MQRC_CALLBACK_ROUTINE_ERROR)
    with pytest.raises(TypeError):
        ibmmqc.MQCBINIT(None)  # type: ignore[arg-type]
