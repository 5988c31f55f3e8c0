"""The raw MQI: each of the 23 verbs, called as in MQ."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import libremq
from libremq import MQI, QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import (
    MQBO,
    MQCBC,
    MQCBD,
    MQCNO,
    MQCTLO,
    MQGMO,
    MQIMPO,
    MQMD,
    MQOD,
    MQOR,
    MQPMO,
    MQSTS,
)

VERBS = [
    "MQCONN", "MQCONNX", "MQDISC", "MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQCMIT", "MQBACK", "MQBEGIN",
    "MQINQ", "MQSET", "MQCB", "MQCTL", "MQSTAT", "MQCRTMH", "MQDLTMH", "MQSETMP", "MQINQMP", "MQDLTMP", "MQBUFMH",
    "MQMHBUF",
]  # fmt: skip
BOTH = C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT


@pytest.fixture
def mqi(queue_manager: QueueManager) -> MQI:
    queue_manager.define_local("Q")
    return queue_manager.mqi


def open_queue(mqi: MQI, options: int = BOTH) -> int:
    return mqi.MQOPEN(MQOD(ObjectName="Q"), options)


def test_all_verbs_are_there_and_documented(mqi: MQI) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "mqi.md").read_text()
    for verb in VERBS:
        assert callable(getattr(mqi, verb))
        assert f"| {verb} |" in page


def test_open_put_get_close(mqi: MQI) -> None:
    od = MQOD(ObjectName="Q")
    hobj = mqi.MQOPEN(od, BOTH)
    md, pmo = MQMD(), MQPMO()
    assert mqi.MQPUT(hobj, md, pmo, b"data") == C.MQRC_NONE
    assert pmo.ResolvedQName == "Q"
    got_md, gmo = MQMD(), MQGMO()
    got = mqi.MQGET(hobj, got_md, gmo)
    assert (got.data, got.length, got.comp_code, got.reason) == (b"data", 4, C.MQCC_OK, C.MQRC_NONE)
    assert got_md.MsgId == md.MsgId
    assert mqi.MQCLOSE(hobj) == C.MQRC_NONE
    with pytest.raises(libremq.HandleError):
        mqi.MQCLOSE(hobj)


def test_a_buffer_that_is_too_small_is_a_warning(mqi: MQI) -> None:
    hobj = open_queue(mqi)
    mqi.MQPUT(hobj, MQMD(), MQPMO(), b"0123456789")
    got = mqi.MQGET(hobj, MQMD(), MQGMO(), 4)
    assert (got.data, got.length) == (b"0123", 10)
    assert (got.comp_code, got.reason) == (C.MQCC_WARNING, C.MQRC_TRUNCATED_MSG_FAILED)


def test_put1_commit_and_back(mqi: MQI) -> None:
    hobj = open_queue(mqi)
    for end in (mqi.MQBACK, mqi.MQCMIT):
        mqi.MQPUT1(MQOD(ObjectName="Q"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"x")
        end()
    assert mqi.MQGET(hobj, MQMD(), MQGMO()).data == b"x"
    with pytest.raises(libremq.NoMessageAvailable):
        mqi.MQGET(hobj, MQMD(), MQGMO())


def test_begin(mqi: MQI) -> None:
    assert mqi.MQBEGIN() == C.MQRC_NO_EXTERNAL_PARTICIPANTS
    assert mqi.MQBEGIN(MQBO()) == C.MQRC_NO_EXTERNAL_PARTICIPANTS
    with pytest.raises(libremq.StructureError):
        mqi.MQBEGIN(MQBO(Version=9))


def test_inquire_and_set(mqi: MQI) -> None:
    hobj = open_queue(mqi, C.MQOO_INQUIRE | C.MQOO_SET)
    mqi.MQSET(hobj, {C.MQIA_INHIBIT_GET: C.MQQA_GET_INHIBITED})
    values, reason = mqi.MQINQ(hobj, [C.MQIA_INHIBIT_GET, C.MQCA_Q_NAME, C.MQCA_BASE_Q_NAME])
    assert values[:2] == [C.MQQA_GET_INHIBITED, "Q"]
    assert reason == C.MQRC_SELECTOR_NOT_FOR_TYPE


def test_distribution_list(queue_manager: QueueManager, mqi: MQI) -> None:
    queue_manager.define_local("R")
    records = [MQOR(ObjectName="Q"), MQOR(ObjectName="NOTHING"), MQOR(ObjectName="R")]
    hobj = mqi.MQOPEN(MQOD(Version=2), C.MQOO_OUTPUT, records)
    assert [response.Reason for response in mqi.MQRR(hobj)] == [0, C.MQRC_UNKNOWN_OBJECT_NAME, 0]
    mqi.MQPUT(hobj, MQMD(), MQPMO(Version=2), b"x")
    assert (queue_manager.queue("Q").depth, queue_manager.queue("R").depth) == (1, 1)


def test_status_of_asynchronous_puts(mqi: MQI) -> None:
    hobj = open_queue(mqi)
    for _ in range(3):
        mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_ASYNC_RESPONSE), b"x")
    sts = MQSTS()
    mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
    assert (sts.PutSuccessCount, sts.PutFailureCount) == (3, 0)


def test_a_consumer(queue_manager: QueueManager, mqi: MQI) -> None:
    hconn = mqi.MQCONN()
    hobj = open_queue(hconn, C.MQOO_INPUT_SHARED)
    called = threading.Event()
    seen: list[tuple[bytes | None, int]] = []

    def consume(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        seen.append((data, cbc.CallType))
        called.set()

    hconn.MQCB(C.MQOP_REGISTER, MQCBD(), hobj, MQMD(), MQGMO(), function=consume)
    hconn.MQCTL(C.MQOP_START, MQCTLO())
    with pytest.raises(libremq.CallInProgress) as caught:
        hconn.MQCMIT()
    assert caught.value.reason == C.MQRC_HCONN_ASYNC_ACTIVE
    queue_manager.put("Q", "x")
    assert called.wait(60)
    hconn.MQCTL(C.MQOP_STOP)
    hconn.MQCB(C.MQOP_DEREGISTER, MQCBD(), hobj)
    assert seen == [(b"x", C.MQCBCT_MSG_REMOVED)]
    hconn.MQDISC()
    with pytest.raises(libremq.StructureError):
        mqi.MQCTL(C.MQOP_STOP, MQCTLO(Version=9))


def test_start_wait_calls_the_consumer_in_this_thread(queue_manager: QueueManager, mqi: MQI) -> None:
    hconn = mqi.MQCONN()
    hobj = open_queue(hconn, C.MQOO_INPUT_SHARED)
    threads: list[threading.Thread] = []

    def consume(*arguments: object) -> None:
        threads.append(threading.current_thread())
        hconn.MQCTL(C.MQOP_STOP)

    queue_manager.put("Q", "x")
    hconn.MQCB(C.MQOP_REGISTER, MQCBD(), hobj, MQMD(), MQGMO(), function=consume)
    hconn.MQCTL(C.MQOP_START_WAIT)
    assert threads == [threading.current_thread()]
    hconn.MQDISC()


def test_message_handles(mqi: MQI) -> None:
    hmsg = mqi.MQCRTMH()
    mqi.MQSETMP(hmsg, None, "colour", None, C.MQTYPE_STRING, "red")
    mqi.MQSETMP(hmsg, None, "weight", None, C.MQTYPE_INT32, 3)
    inquired = mqi.MQINQMP(hmsg, MQIMPO(), "colour")
    assert (inquired.value, inquired.type) == ("red", C.MQTYPE_STRING)
    mqi.MQDLTMP(hmsg, None, "weight")
    with pytest.raises(libremq.PropertyNotFound):
        mqi.MQINQMP(hmsg, None, "weight")

    hobj = open_queue(mqi)
    mqi.MQPUT(hobj, MQMD(), MQPMO(Version=3, NewMsgHandle=hmsg), b"x")
    received = mqi.MQCRTMH()
    mqi.MQGET(hobj, MQMD(), MQGMO(Version=4, MsgHandle=received, Options=C.MQGMO_PROPERTIES_IN_HANDLE))
    assert mqi.MQINQMP(received, None, "colour").value == "red"

    md, buffer, length, *_ = mqi.MQMHBUF(received, None, "%", MQMD(Format="MQSTR"))
    assert (md.Format, len(buffer)) == ("MQHRF2", length)
    again = mqi.MQCRTMH()
    described, rest = mqi.MQBUFMH(again, None, md, buffer + b"data")
    assert (described.Format, rest) == ("MQSTR", b"data")
    assert mqi.MQINQMP(again, None, "colour").value == "red"
    for handle in (hmsg, received, again):
        mqi.MQDLTMH(handle)
    with pytest.raises(libremq.HandleError):
        mqi.MQDLTMH(hmsg)


# Connections


def test_a_consumer_whose_message_handle_was_deleted_loses_no_message(queue_manager: QueueManager, mqi: MQI) -> None:
    told = threading.Event()
    heard: list[tuple[bytes | None, int]] = []

    def consume(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        heard.append((data, cbc.Reason))
        told.set()

    hobj, hmsg = open_queue(mqi, C.MQOO_INPUT_SHARED), mqi.MQCRTMH()
    gmo = MQGMO(Version=C.MQGMO_VERSION_4, MsgHandle=hmsg, Options=C.MQGMO_NO_SYNCPOINT)
    mqi.MQCB(C.MQOP_REGISTER, MQCBD(), hobj, MQMD(), gmo, function=consume)
    mqi.MQDLTMH(hmsg)
    mqi.MQCTL(C.MQOP_START)
    queue = queue_manager.queue("Q")
    with libremq.connect(queue_manager.url) as other:
        other.put("Q", "precious", properties={"colour": "red"})
    assert told.wait(60)
    mqi.MQCTL(C.MQOP_STOP)
    assert heard[0][1] == C.MQRC_HMSG_ERROR
    assert heard[0][0] == b"precious" or queue.get().data == b"precious"


def test_another_connection_has_a_unit_of_work_of_its_own(mqi: MQI) -> None:
    other = mqi.MQCONN("QM1")
    other.MQPUT1(MQOD(ObjectName="Q"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"x")
    mqi.MQCMIT()
    hobj = open_queue(mqi)
    with pytest.raises(libremq.NoMessageAvailable):
        mqi.MQGET(hobj, MQMD(), MQGMO())
    other.MQDISC()  # commits, as in MQ
    assert mqi.MQGET(hobj, MQMD(), MQGMO()).data == b"x"
    with pytest.raises(libremq.HandleError):
        other.MQCMIT()


def test_after_a_disconnect_the_thread_gets_a_new_connection(queue_manager: QueueManager, mqi: MQI) -> None:
    mqi.MQPUT1(MQOD(ObjectName="Q"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"x")
    mqi.MQDISC()
    assert queue_manager.queue("Q").get().data == b"x"
    assert queue_manager.statistics().connections == 1


def test_connecting_by_url(queue_manager: QueueManager) -> None:
    for hconn in (
        libremq.MQCONN(queue_manager.url),
        libremq.MQCONNX(queue_manager.url, MQCNO(Version=7, ApplName="teller")),
    ):
        assert repr(hconn) == "<MQI of QM1>"
        md = MQMD()
        hconn.MQPUT1(MQOD(ObjectName="SYSTEM.DEFAULT.LOCAL.QUEUE"), md, MQPMO(), b"x")
        hconn.MQDISC()
        with pytest.raises(libremq.HandleError):
            hconn.MQCMIT()
    assert md.PutApplName == "teller"


@pytest.mark.embedded  # which binding a name means is in the tests of addresses
def test_connecting_by_name_or_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    libremq.connect("embedded:QM7?create=1", log_config=libremq.LogConfig(file_pages=64)).close()
    calls: list[Callable[[], MQI]] = [
        lambda: libremq.MQCONN("QM7"),
        lambda: libremq.MQCONN(f"embedded:QM7?data={quote(str(tmp_path))}"),
        lambda: libremq.MQCONNX("QM7", MQCNO(Version=7, ApplName="teller")),
    ]
    for call in calls:
        hconn = call()
        assert repr(hconn) == "<MQI of QM7>"
        md = MQMD()
        hconn.MQPUT1(MQOD(ObjectName="SYSTEM.DEFAULT.LOCAL.QUEUE"), md, MQPMO(), b"x")
        hconn.MQDISC()
    assert md.PutApplName == "teller"
    # ended with the last disconnect, so it can be opened and locked again
    with libremq.connect("embedded:QM7") as qm:
        assert qm.statistics().connections == 1


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: libremq.MQCONN("NOTHERE"), C.MQRC_Q_MGR_NAME_ERROR),
        (lambda: libremq.MQCONNX("QM1", MQCNO(Version=99)), C.MQRC_CNO_ERROR),
    ],
)
def test_a_connection_that_cannot_be(
    call: Callable[[], Any], reason: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    with pytest.raises(libremq.MQError) as caught:
        call()
    assert caught.value.reason == reason
