"""Two-phase commit through the Python API, over a restart too."""

from __future__ import annotations

import pytest
from client_starting import Start

import libremq
from libremq import QueueManager
from libremq.mqi import constants as C

XID = b"global-1/branch-1"


@pytest.fixture
def qm(queue_manager: QueueManager) -> QueueManager:
    queue_manager.define_local("Q")
    return queue_manager


def depth(qm: QueueManager) -> int:
    return len(list(qm.queue("Q").browse()))


def test_prepare_and_commit(qm: QueueManager) -> None:
    with qm.xa.branch(XID):
        qm.put("Q", "x", persistent=True)
    assert depth(qm) == 0
    qm.xa.prepare(XID)
    assert qm.xa.recover() == qm.in_doubt() == [XID]
    assert qm.statistics().units_in_doubt == 1
    with pytest.raises(libremq.UnitOfWorkError):
        qm.xa.forget(XID)
    qm.xa.commit(XID)
    qm.xa.forget(XID)
    assert depth(qm) == 1
    assert qm.in_doubt() == []


def test_rollback(qm: QueueManager) -> None:
    with qm.xa.branch(XID):
        qm.put("Q", "x", persistent=True)
    qm.xa.prepare(XID)
    qm.xa.rollback(XID)
    assert depth(qm) == 0


def test_one_phase(qm: QueueManager) -> None:
    with qm.xa.branch(XID):
        qm.put("Q", "x")
    with pytest.raises(libremq.UnitOfWorkError, match="not prepared"):
        qm.xa.commit(XID)
    qm.xa.commit(XID, one_phase=True)
    assert depth(qm) == 1


def test_an_exception_rolls_the_branch_back(qm: QueueManager) -> None:
    with pytest.raises(KeyError), qm.xa.branch(XID):
        qm.put("Q", "x")
        raise KeyError
    assert depth(qm) == 0
    qm.put("Q", "outside again")
    assert depth(qm) == 1


def test_a_branch_and_a_transaction_exclude_each_other(qm: QueueManager) -> None:
    with qm.transaction(), pytest.raises(libremq.UnitOfWorkError):
        qm.xa.start(XID)
    with qm.xa.branch(XID), pytest.raises(libremq.UnitOfWorkError), qm.transaction():
        pass


def test_unknown_and_impossible_xids(qm: QueueManager) -> None:
    with pytest.raises(libremq.UnitOfWorkError) as caught:
        qm.xa.prepare(b"nobody")
    assert caught.value.reason == C.MQRC_UOW_NOT_AVAILABLE
    with pytest.raises(libremq.UnitOfWorkError):
        qm.xa.start(b"")
    with pytest.raises(TypeError):
        qm.xa.start("text")  # type: ignore[arg-type]


@pytest.mark.parametrize("commit", [True, False])
def test_what_is_in_doubt_stays_so_over_a_restart_until_somebody_decides(start: Start, commit: bool) -> None:
    with start() as qm:
        qm.define_local("Q")
        with qm.xa.branch(XID):
            qm.put("Q", "x", persistent=True)
        qm.xa.prepare(XID)
    with start() as qm:
        assert qm.in_doubt() == [XID]
        assert depth(qm) == 0
        qm.resolve(XID, commit=commit)
        assert depth(qm) == commit
        assert qm.in_doubt() == []
