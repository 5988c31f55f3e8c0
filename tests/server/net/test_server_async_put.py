"""Puts that nobody waits for, over sockets: what MQSTAT tells, and what a commit after a failure does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO, MQSTS
from libremq.testing.serving import Served, served_queue_manager

QUEUE, FULL, CLOSED, USUAL = "ASYNC.Q", "FULL.Q", "CLOSED.Q", "USUALLY.ASYNC.Q"
ASYNC = C.MQPMO_ASYNC_RESPONSE
OUTPUT = C.MQOO_OUTPUT


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
            qm.define_local(FULL, MAXDEPTH=2)
            qm.define_local(CLOSED, PUT="DISABLED")
            qm.define_local(USUAL, DEFPRESP="ASYNC", MAXDEPTH=2)
        yield served


@pytest.fixture(params=["mq", "local"])
def qm(served: Served, request: pytest.FixtureRequest) -> Iterator[QueueManager]:
    with libremq.connect(served.url(request.param)) as found:
        yield found


def status(qm: QueueManager) -> MQSTS:
    sts = MQSTS()
    qm.mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
    return sts


def counts(sts: MQSTS) -> tuple[int, int, int]:
    return sts.PutSuccessCount, sts.PutWarningCount, sts.PutFailureCount


def put(qm: QueueManager, hobj: int, data: bytes, options: int = C.MQPMO_NO_SYNCPOINT) -> bytes:
    md = MQMD()
    assert qm.mqi.MQPUT(hobj, md, MQPMO(Options=options | ASYNC), data) == C.MQRC_NONE
    return md.MsgId


def test_all_went_well(qm: QueueManager) -> None:
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), OUTPUT)
    ids = [put(qm, hobj, b"%d" % number) for number in range(500)]
    assert len(set(ids)) == 500 and bytes(24) not in ids
    sts = status(qm)
    assert counts(sts) == (500, 0, 0)
    assert (sts.CompCode, sts.Reason) == (C.MQCC_OK, C.MQRC_NONE)
    assert counts(status(qm)) == (0, 0, 0)  # it is told once
    got = qm.queue(QUEUE).get_many(1000)
    assert [message.data for message in got] == [b"%d" % number for number in range(500)]
    assert [message.message_id for message in got] == ids


def test_some_failed(qm: QueueManager) -> None:
    """The reason and the object are those of the first that failed."""
    full = qm.mqi.MQOPEN(MQOD(ObjectName=FULL), OUTPUT)
    closed = qm.mqi.MQOPEN(MQOD(ObjectName=CLOSED), OUTPUT)
    for _ in range(5):
        put(qm, full, b"x")
    for _ in range(4):
        put(qm, closed, b"x")
    sts = status(qm)
    assert counts(sts) == (2, 0, 7)
    assert (sts.CompCode, sts.Reason) == (C.MQCC_FAILED, C.MQRC_Q_FULL)
    assert sts.ObjectName.strip() == FULL
    assert qm.queue(FULL).depth == 2


def test_a_commit_after_a_failure_keeps_what_went_well(qm: QueueManager) -> None:
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=FULL), OUTPUT)
    for number in range(3):
        put(qm, hobj, b"%d" % number, C.MQPMO_SYNCPOINT)
    assert status(qm).Reason == C.MQRC_Q_FULL
    qm.mqi.MQCMIT()
    assert [message.data for message in qm.queue(FULL).get_many(9)] == [b"0", b"1"]


def test_a_backout_after_a_failure(qm: QueueManager) -> None:
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=FULL), OUTPUT)
    for number in range(3):
        put(qm, hobj, b"%d" % number, C.MQPMO_SYNCPOINT)
    qm.mqi.MQBACK()
    assert qm.queue(FULL).depth == 0
    assert counts(status(qm)) == (2, 0, 1)


def test_what_is_wrong_with_the_call_itself(qm: QueueManager) -> None:
    """A handle that is none is told at once; a descriptor that is wrong, at once or by MQSTAT."""
    with pytest.raises(MQError) as caught:
        qm.mqi.MQPUT(12345, MQMD(), MQPMO(Options=ASYNC), b"")
    assert caught.value.reason == C.MQRC_HOBJ_ERROR
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), OUTPUT)
    put(qm, hobj, b"fine")
    try:
        qm.mqi.MQPUT(hobj, MQMD(Persistence=77), MQPMO(Options=ASYNC), b"")
    except MQError as error:
        assert error.reason == C.MQRC_PERSISTENCE_ERROR
        assert counts(status(qm)) == (1, 0, 0)
    else:
        sts = status(qm)
        assert counts(sts) == (1, 0, 1) and sts.Reason == C.MQRC_PERSISTENCE_ERROR


def test_calls_behind_them_see_them(qm: QueueManager) -> None:
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), OUTPUT | C.MQOO_INQUIRE)
    for number in range(300):
        put(qm, hobj, b"x")
        if number % 100 == 0:
            assert qm.mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH])[0] == [number + 1]


def test_a_queue_whose_puts_are_asynchronous_by_default(qm: QueueManager) -> None:
    """DEFPRESP(ASYNC), and options that do not say: no error is raised, MQSTAT has it."""
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=USUAL), OUTPUT)
    for _ in range(3):
        md = MQMD()
        qm.mqi.MQPUT(hobj, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"x")
        assert md.MsgId != bytes(24)
    sts = status(qm)
    assert counts(sts) == (2, 0, 1) and sts.Reason == C.MQRC_Q_FULL
    with pytest.raises(MQError) as caught:
        qm.mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT | C.MQPMO_SYNC_RESPONSE), b"x")
    assert caught.value.reason == C.MQRC_Q_FULL


def test_disconnecting_loses_none_of_them(served: Served) -> None:
    with libremq.connect(served.url("mq")) as qm:
        hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), OUTPUT)
        for number in range(1000):
            put(qm, hobj, b"%d" % number)
    with libremq.connect(served.url("mq")) as qm:
        assert qm.queue(QUEUE).depth == 1000


def test_several_puts_in_one_go_do_not_hide_what_became_of_earlier_ones(qm: QueueManager) -> None:
    full = qm.mqi.MQOPEN(MQOD(ObjectName=FULL), OUTPUT)
    queue = qm.queue(QUEUE)
    for _ in range(3):
        put(qm, full, b"x")
        queue.put_many([b"one", b"two"])
    put(qm, full, b"x")
    sts = status(qm)
    assert counts(sts) == (2, 0, 2)
    assert (sts.CompCode, sts.Reason, sts.ObjectName.strip()) == (C.MQCC_FAILED, C.MQRC_Q_FULL, FULL)
    assert counts(status(qm)) == (0, 0, 0)
    assert queue.depth == 6
