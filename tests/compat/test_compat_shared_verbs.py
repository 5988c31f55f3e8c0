"""Connections, objects, messages and units of work through both modules."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from helper_compat import CMHO, PD, SMPO, done, gmo, md, od, packed, pmo, with_string

from libremq.client.queue_manager import QueueManager
from libremq.compat import ibmmqc, pymqe
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO, MQSD, MQSRO, MQSTS

Connect = Callable[[], int]
BOTH = pytest.mark.parametrize("module", [pymqe, ibmmqc], ids=["pymqe", "ibmmqc"])
INPUT = C.MQOO_INPUT_AS_Q_DEF | C.MQOO_OUTPUT


def opened(hconn: int, options: int = INPUT, name: str = "Q1") -> int:
    hobj, _ = done(ibmmqc.MQOPEN(hconn, od(name), options))
    assert isinstance(hobj, int) and hobj
    return hobj


def put(hconn: int, hobj: int, data: bytes, **options: int) -> MQMD:
    returned, _ = done(ibmmqc.MQPUT(hconn, hobj, md(), pmo(**options), data))
    return MQMD.unpack(returned)


# Connections


@BOTH
def test_connect_gives_new_handles_that_are_not_0(module: object, queue_manager: QueueManager) -> None:
    assert module in (pymqe, ibmmqc)
    first = done(module.MQCONN(b"QM1"))  # type: ignore[attr-defined]
    second = done(module.MQCONN("QM1"))  # type: ignore[attr-defined]
    assert first and second and first != second
    assert ibmmqc.MQDISC(first) == (0, 0)
    assert ibmmqc.MQDISC(first) == (C.MQCC_FAILED, C.MQRC_HCONN_ERROR)
    assert ibmmqc.MQCMIT(first) == (C.MQCC_FAILED, C.MQRC_HCONN_ERROR)
    assert ibmmqc.MQCMIT(second) == (0, 0)
    assert pymqe.MQDISC(second) == (0, 0)


def test_connect_to_nothing_is_an_outcome(queue_manager: QueueManager) -> None:
    hconn, comp_code, reason = pymqe.MQCONN(b"NOBODY")
    assert (hconn, comp_code) == (C.MQHC_UNUSABLE_HCONN, C.MQCC_FAILED)
    assert reason in (C.MQRC_Q_MGR_NAME_ERROR, C.MQRC_Q_MGR_NOT_AVAILABLE)


def test_disconnect_commits(connect: Connect) -> None:
    first = connect()
    put(first, opened(first), b"kept", Options=C.MQPMO_SYNCPOINT)
    assert ibmmqc.MQDISC(first) == (0, 0)
    second = connect()
    assert pymqe.MQGET(second, opened(second), md(), gmo(), 100)[0] == b"kept"


# Objects


def test_open_fills_in_the_descriptor_at_its_full_size(hconn: int) -> None:
    asked = od("SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="PYMQPCF.*")
    hobj, returned = done(pymqe.MQOPEN(hconn, asked, C.MQOO_INPUT_EXCLUSIVE))
    assert len(returned) == len(asked) == 424
    name = returned[12:60]
    assert name.startswith(b"PYMQPCF.") and name.endswith(b" ")  # padded with blanks, so that strip() is enough
    assert MQOD.unpack(returned).ResolvedQMgrName == "QM1"
    assert pymqe.MQCLOSE(hconn, hobj, 0) == (0, 0)


def test_version_1_descriptor_keeps_the_rest_of_its_bytes(hconn: int) -> None:
    asked = od("Q1", version=1)[:168] + b"\x7f" * (424 - 168)
    _, returned = done(pymqe.MQOPEN(hconn, asked, C.MQOO_OUTPUT))
    assert returned[168:] == asked[168:]
    assert returned[4:8] == (1).to_bytes(4, "little")


def test_open_failures_are_outcomes(hconn: int) -> None:
    hobj, _, comp_code, reason = ibmmqc.MQOPEN(hconn, od("NO.SUCH.QUEUE"), C.MQOO_OUTPUT)
    assert (hobj, comp_code, reason) == (C.MQHO_UNUSABLE_HOBJ, C.MQCC_FAILED, C.MQRC_UNKNOWN_OBJECT_NAME)
    bad = b"XX  " + od("Q1")[4:]
    assert ibmmqc.MQOPEN(hconn, bad, C.MQOO_OUTPUT)[-2:] == (C.MQCC_FAILED, C.MQRC_OD_ERROR)
    assert ibmmqc.MQCLOSE(hconn, 4711, 0) == (C.MQCC_FAILED, C.MQRC_HOBJ_ERROR)


@BOTH
def test_wrong_arguments_raise(module: object, hconn: int) -> None:
    with pytest.raises(ibmmqc.error, match="wrong size"):
        ibmmqc.MQOPEN(hconn, b"OD  ", 0)
    with pytest.raises(TypeError):
        ibmmqc.MQOPEN("1", od("Q1"), 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        module.MQPUT(hconn, 1, md(), pmo(), "text")  # type: ignore[attr-defined]


def test_selection_string_is_read_from_memory(hconn: int) -> None:
    hobj = opened(hconn)
    for number in (1, 2):
        hmsg = done(ibmmqc.MQCRTMH(hconn, CMHO))
        assert ibmmqc.MQSETMP(hconn, hmsg, SMPO, b"n", PD, C.MQTYPE_INT32, number, 4) == (0, 0)
        put(hconn, hobj, b"message %d" % number, OriginalMsgHandle=hmsg)
    selector = ctypes.create_string_buffer(b"n = 2")
    described = with_string(od("Q1"), 368, selector, length=5)
    chosen, _ = done(ibmmqc.MQOPEN(hconn, described, C.MQOO_INPUT_SHARED))
    none = gmo(Options=C.MQGMO_NO_PROPERTIES)
    assert done(ibmmqc.MQGET(hconn, chosen, md(), none, 100))[0] == b"message 2"
    assert ibmmqc.MQGET(hconn, chosen, md(), none, 100)[-1] == C.MQRC_NO_MSG_AVAILABLE


# Messages


@BOTH
def test_put_and_get(module: object, hconn: int) -> None:
    hobj = opened(hconn)
    sent_md, sent_pmo = done(module.MQPUT(hconn, hobj, md(Format=C.MQFMT_STRING), pmo(), b"hello"))  # type: ignore[attr-defined]
    assert (len(sent_md), len(sent_pmo)) == (364, 184)
    assert MQPMO.unpack(sent_pmo).ResolvedQName == "Q1"
    message, got_md, got_gmo, length = done(module.MQGET(hconn, hobj, md(), gmo(), 4096))  # type: ignore[attr-defined]
    assert (message, length) == (b"hello", 5)
    assert (len(got_md), len(got_gmo)) == (364, 112)
    assert got_md[48:72] == sent_md[48:72] != bytes(24)  # MsgId
    assert MQMD.unpack(got_md).Format.rstrip() == C.MQFMT_STRING.rstrip()
    assert MQGMO.unpack(got_gmo).ResolvedQName == "Q1"


def test_short_descriptors_of_pymqi(hconn: int) -> None:
    """Version 1 of everything: match options do not count, and the size stays."""
    hobj = opened(hconn)
    put(hconn, hobj, b"first")
    options = gmo(version=1)[:72] + C.MQMO_NONE.to_bytes(4, "little") + bytes(36)
    other = md(version=1, MsgId=b"x" * 24)
    assert pymqe.MQGET(hconn, hobj, other, options, 100)[-1] == C.MQRC_NO_MSG_AVAILABLE
    message, got_md, got_gmo, _ = done(pymqe.MQGET(hconn, hobj, md(version=1), options, 100))
    assert (message, len(got_md), len(got_gmo)) == (b"first", 364, 112)
    assert got_gmo[72:] == options[72:]


def test_2080_fills_in_the_descriptor_and_leaves_the_message(hconn: int) -> None:
    hobj = opened(hconn)
    sent = put(hconn, hobj, b"12345")
    message, got_md, _, length, comp_code, reason = ibmmqc.MQGET(hconn, hobj, md(), gmo(), 3)
    assert (comp_code, reason, length) == (C.MQCC_WARNING, C.MQRC_TRUNCATED_MSG_FAILED, 5)
    assert message == b"123" and MQMD.unpack(got_md).MsgId == sent.MsgId
    assert done(ibmmqc.MQGET(hconn, hobj, got_md, gmo(), 5))[0] == b"12345"


def test_accepting_a_truncated_message(hconn: int) -> None:
    hobj = opened(hconn)
    put(hconn, hobj, b"12345")
    options = gmo(Options=C.MQGMO_ACCEPT_TRUNCATED_MSG)
    message, _, _, length, comp_code, reason = pymqe.MQGET(hconn, hobj, md(), options, 0)
    assert (message, length, comp_code, reason) == (b"", 5, C.MQCC_WARNING, C.MQRC_TRUNCATED_MSG_ACCEPTED)
    assert pymqe.MQGET(hconn, hobj, md(), options, 0)[-1] == C.MQRC_NO_MSG_AVAILABLE


@BOTH
def test_put1(module: object, hconn: int) -> None:
    sent_md, sent_pmo = done(module.MQPUT1(hconn, od("Q1"), md(), pmo(), b"once"))  # type: ignore[attr-defined]
    assert MQPMO.unpack(sent_pmo).ResolvedQName == "Q1" and sent_md[48:72] != bytes(24)
    assert module.MQPUT1(hconn, od("NONE"), md(), pmo(), b"")[-2:] == (  # type: ignore[attr-defined]
        C.MQCC_FAILED,
        C.MQRC_UNKNOWN_OBJECT_NAME,
    )
    assert done(module.MQGET(hconn, opened(hconn), md(), gmo(), 10))[0] == b"once"  # type: ignore[attr-defined]


def test_failed_put_is_an_outcome(hconn: int) -> None:
    hobj = opened(hconn, C.MQOO_INPUT_SHARED)
    given_md, given_pmo = md(), pmo()
    assert pymqe.MQPUT(hconn, hobj, given_md, given_pmo, b"") == (
        given_md, given_pmo, C.MQCC_FAILED, C.MQRC_NOT_OPEN_FOR_OUTPUT,
    )  # fmt: skip


def test_text_of_another_alphabet_does_not_lose_the_message(
    hconn: int, queue_manager: QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["отчёт.py"])
    other = done(ibmmqc.MQCONN(b"QM1"))
    put(other, opened(other), b"kept")
    assert ibmmqc.MQDISC(other) == (0, 0)
    message, got_md, _, _ = done(ibmmqc.MQGET(hconn, opened(hconn), md(), gmo(), 100))
    assert message == b"kept" and len(got_md) == 364


@BOTH
def test_units_of_work(module: object, connect: Connect) -> None:
    first, second = connect(), connect()
    writer, reader = opened(first), opened(second)
    put(first, writer, b"one", Options=C.MQPMO_SYNCPOINT)
    assert module.MQGET(second, reader, md(), gmo(), 10)[-1] == C.MQRC_NO_MSG_AVAILABLE  # type: ignore[attr-defined]
    assert module.MQBACK(first) == (0, 0)  # type: ignore[attr-defined]
    put(first, writer, b"two", Options=C.MQPMO_SYNCPOINT)
    assert module.MQCMIT(first) == (0, 0)  # type: ignore[attr-defined]
    assert done(module.MQGET(second, reader, md(), gmo(), 10))[0] == b"two"  # type: ignore[attr-defined]
    assert module.MQBEGIN(first) == (  # type: ignore[attr-defined]
        C.MQCC_WARNING,
        C.MQRC_NO_EXTERNAL_PARTICIPANTS,
    )


def test_a_waiting_get_holds_up_nobody(connect: Connect) -> None:
    waiting, working = connect(), connect()
    reader, writer = opened(waiting), opened(working)
    got: list[bytes] = []

    def wait() -> None:
        options = gmo(Options=C.MQGMO_WAIT, WaitInterval=60_000)
        got.append(ibmmqc.MQGET(waiting, reader, md(), options, 100)[0])

    thread = threading.Thread(target=wait)
    thread.start()
    assert ibmmqc.MQCMIT(working) == (0, 0)
    put(working, writer, b"at last")
    thread.join(60)
    assert got == [b"at last"]


def test_status_of_asynchronous_puts(hconn: int, queue_manager: QueueManager) -> None:
    hobj = opened(hconn, C.MQOO_OUTPUT)
    options = C.MQPMO_NO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE
    put(hconn, hobj, b"", Options=options)
    queue_manager.alter("QLOCAL", "Q1", put="DISABLED")
    put(hconn, hobj, b"", Options=options)
    returned = done(ibmmqc.MQSTAT(hconn, C.MQSTAT_TYPE_ASYNC_ERROR, packed(MQSTS, 2)))
    status = MQSTS.unpack(returned)
    assert (status.PutSuccessCount, status.PutFailureCount) == (1, 1)
    assert (status.Reason, len(returned)) == (C.MQRC_PUT_INHIBITED, 280)


def test_closing_while_python_ends_is_harmless(queue_manager: QueueManager, tmp_path: object) -> None:
    """Objects of the packages close themselves in __del__, which may come when everything is being torn down."""
    program = (
        "import sys\n"
        "from libremq.compat import pymqe\n"
        f"hconn = pymqe.MQCONN('embedded:QM2?create=1&data={tmp_path}')[0]\n"
        "class Late:\n"
        "    def __del__(self, MQCLOSE=pymqe.MQCLOSE, MQDISC=pymqe.MQDISC):\n"
        "        MQCLOSE(hconn or 1, 1, 0); MQDISC(1)\n"
        "late = sys.modules['late'] = Late()\n"
        "late.itself = late\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=240)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_publish_subscribe_is_an_outcome(hconn: int) -> None:
    data = packed(MQSD)
    returned, hobj, _, comp_code, reason = pymqe.MQSUB(hconn, data, 0)
    assert (returned, hobj, comp_code, reason) == (data, 0, C.MQCC_FAILED, C.MQRC_FUNCTION_NOT_SUPPORTED)
    assert ibmmqc.MQSUBRQ(hconn, 1, 1, packed(MQSRO))[-2:] == (C.MQCC_FAILED, C.MQRC_FUNCTION_NOT_SUPPORTED)
