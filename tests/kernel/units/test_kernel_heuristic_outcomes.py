"""What an administrator decides of a branch in doubt is kept until its transaction manager has heard of it."""

from __future__ import annotations

import pytest
from helper_media import Life

from libremq.kernel.state import object_changes
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.wire import xa_flows

XID = b"heuristic"


def in_doubt(xid: bytes = XID) -> Life:
    life = Life()
    life.define("Q")
    prepare(life, xid)
    return life


def prepare(life: Life, xid: bytes) -> None:
    life.qm.xa_start(life.coordinator, xid)
    life.put("Q", b"perhaps", syncpoint=True, hconn=life.coordinator)
    life.qm.xa_end(life.coordinator, xid)
    life.qm.xa_prepare(life.coordinator, xid)


def outcomes(life: Life) -> list[tuple[str, bool]]:
    return [(one.xid, one.is_committed) for one in life.qm.heuristic_outcomes()]


@pytest.mark.parametrize("orderly", [True, False, None])
@pytest.mark.parametrize("commit", [True, False])
def test_the_transaction_manager_is_told_also_after_a_restart(commit: bool, orderly: bool | None) -> None:
    life = in_doubt()
    life.qm.resolve_unit(XID, commit=commit)
    assert life.qm.depth("Q") == int(commit)
    if orderly is not None:
        life.restart(orderly=orderly)
    assert outcomes(life) == [(XID.hex(), commit)]
    assert life.qm.xa_recover(life.coordinator) == []
    assert life.qm.xa_recover(life.coordinator, decided=True) == [XID]
    value = xa_flows.XA_HEURCOM if commit else xa_flows.XA_HEURRB
    for decide in (life.qm.xa_commit, life.qm.xa_rollback, life.qm.xa_prepare):
        with pytest.raises(MQError) as told:
            decide(life.coordinator, XID)
        assert told.value.reason == C.MQRC_OUTCOME_MIXED
        assert xa_flows.return_value(told.value.reason, told.value.detail) == value
    with pytest.raises(MQError) as told:
        life.qm.xa_start(life.coordinator, XID)
    assert xa_flows.return_value(told.value.reason, told.value.detail) == xa_flows.XAER_DUPID
    life.qm.xa_forget(life.coordinator, XID)
    assert outcomes(life) == []
    life.restart(orderly=False)
    assert outcomes(life) == []
    with pytest.raises(MQError) as told:
        life.qm.xa_commit(life.coordinator, XID)
    assert xa_flows.return_value(told.value.reason, told.value.detail) == xa_flows.XAER_NOTA
    prepare(life, XID)  # the XID can be used again


def test_what_is_not_in_doubt_cannot_be_decided() -> None:
    life = Life()
    life.define("Q")
    life.qm.xa_start(life.coordinator, XID)
    life.put("Q", b"x", syncpoint=True, hconn=life.coordinator)
    life.qm.xa_end(life.coordinator, XID)
    for xid in (XID, b"nobody's"):
        with pytest.raises(MQError) as refused:
            life.qm.resolve_unit(xid, commit=True)
        assert refused.value.reason == C.MQRC_UOW_NOT_AVAILABLE
    assert outcomes(life) == []


def test_one_that_is_decided_is_not_decided_again() -> None:
    life = in_doubt()
    life.qm.resolve_unit(XID, commit=False)
    with pytest.raises(MQError) as refused:
        life.qm.resolve_unit(XID, commit=True)
    assert refused.value.reason == C.MQRC_OUTCOME_MIXED
    assert outcomes(life) == [(XID.hex(), False)]


def test_a_decision_of_the_transaction_manager_itself_is_not_kept() -> None:
    life = in_doubt()
    life.qm.xa_commit(life.coordinator, XID)
    assert outcomes(life) == []


def test_a_crash_between_what_is_kept_and_the_decision_leaves_the_branch_in_doubt() -> None:
    from libremq.kernel.objects.object_types import HeuristicOutcome

    life = in_doubt()
    object_changes.install_record(life.core, HeuristicOutcome.make(XID, 1, "alice", committed=True))
    life.restart(orderly=False)
    assert outcomes(life) == [] and life.qm.xa_recover(life.coordinator, decided=True) == [XID]
    life.qm.resolve_unit(XID, commit=False)
    assert outcomes(life) == [(XID.hex(), False)]


@pytest.mark.parametrize("commit", [True, False])
def test_what_a_crash_left_of_a_decision_is_gone_when_the_transaction_manager_decides(commit: bool) -> None:
    from libremq.kernel.objects.object_types import HeuristicOutcome

    life = in_doubt()
    object_changes.install_record(life.core, HeuristicOutcome.make(XID, 1, "", committed=not commit))
    life.restart(orderly=False)
    (life.qm.xa_commit if commit else life.qm.xa_rollback)(life.coordinator, XID)
    for _ in range(2):
        assert outcomes(life) == [] and life.qm.depth("Q") == int(commit)
        with pytest.raises(MQError) as told:
            life.qm.xa_commit(life.coordinator, XID)
        assert told.value.reason == C.MQRC_UOW_NOT_AVAILABLE
        life.restart(orderly=False)


def connected(life: Life, user: str) -> int:
    """As one who is no administrator, but may do all the rest."""
    life.core.authorities.external_users = True
    for name, kind in (("", C.MQOT_Q_MGR), ("Q", C.MQOT_Q)):
        life.qm.set_authority(name, kind, principals=(user,), add=(C.MQAUTH_ALL,))
    return life.qm.connect(user, "tm", privileged=False, groups=frozenset())


@pytest.mark.parametrize("restart", [False, True])
def test_an_outcome_is_for_the_user_whose_branch_it_was_and_for_administrators(restart: bool) -> None:
    life = Life()
    life.define("Q")
    life.coordinator = connected(life, "carol")
    prepare(life, XID)
    life.qm.resolve_unit(XID, commit=True)
    if restart:
        life.restart(orderly=False)
    carol, mallory = connected(life, "carol"), connected(life, "mallory")
    assert life.qm.xa_recover(mallory, decided=True) == []
    for call in (life.qm.xa_start, life.qm.xa_commit, life.qm.xa_rollback, life.qm.xa_prepare, life.qm.xa_forget):
        with pytest.raises(MQError) as refused:
            call(mallory, XID)
        assert refused.value.reason == C.MQRC_NOT_AUTHORIZED
    for hconn in (life.application, carol):
        assert life.qm.xa_recover(hconn, decided=True) == [XID]
        with pytest.raises(MQError) as told:
            life.qm.xa_rollback(hconn, XID)
        assert told.value.reason == C.MQRC_OUTCOME_MIXED
    life.qm.xa_forget(carol, XID)
    assert outcomes(life) == []


def test_a_protocol_error_is_told_as_such() -> None:
    life = Life()
    life.define("Q")
    life.qm.xa_start(life.coordinator, XID)
    life.put("Q", b"x", syncpoint=True, hconn=life.coordinator)
    life.qm.xa_end(life.coordinator, XID)
    with pytest.raises(MQError) as refused:
        life.qm.xa_commit(life.coordinator, XID)
    assert xa_flows.return_value(refused.value.reason, refused.value.detail) == xa_flows.XAER_PROTO
