"""Whose a branch is: the user that began it and administrators see it and decide about it, others never, nor after a
restart."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helper_qmgr import Session

from libremq.kernel.objects.object_types import HeuristicOutcome
from libremq.kernel.recovery import log_room
from libremq.kernel.state import journal, known_branches, object_changes
from libremq.log import LogConfig, RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO

_XID = b"a branch"
_PUT = MQPMO(Options=C.MQPMO_SYNCPOINT)
_ALL = (C.MQAUTH_ALL,)


def _connected(session: Session, user: str) -> int:
    return session.qm.connect(user, "teller", privileged=False, groups=frozenset())


@pytest.fixture
def session() -> Session:
    session = Session()
    session.queue("Q")
    for user in ("alice", "mallory"):
        session.qm.core.authorities.external_users = True
        session.qm.set_authority("", C.MQOT_Q_MGR, principals=(user,), add=_ALL)
        session.qm.set_authority("Q", C.MQOT_Q, principals=(user,), add=_ALL)
    return session


def _begin(session: Session, hconn: int, xid: bytes = _XID) -> None:
    session.qm.xa_start(hconn, xid)
    session.qm.put1(hconn, MQOD(ObjectName="Q"), MQMD(Version=2, Persistence=C.MQPER_PERSISTENT), _PUT, b"m")
    session.qm.xa_end(hconn, xid)


def _verbs(session: Session, hconn: int) -> list[Callable[[bytes], object]]:
    qm = session.qm
    return [
        lambda xid: qm.xa_start(hconn, xid),
        lambda xid: qm.xa_prepare(hconn, xid),
        lambda xid: qm.xa_commit(hconn, xid),
        lambda xid: qm.xa_commit(hconn, xid, one_phase=True),
        lambda xid: qm.xa_rollback(hconn, xid),
    ]


def _all_refused(verbs: list[Callable[[bytes], object]]) -> None:
    for verb in verbs:
        with pytest.raises(MQError) as caught:
            verb(_XID)
        assert caught.value.reason == C.MQRC_NOT_AUTHORIZED
        assert "alice" not in str(caught.value), "whose it is stands in the error log only"


def test_nobody_else_touches_an_unfinished_branch(session: Session) -> None:
    alice, mallory = _connected(session, "alice"), _connected(session, "mallory")
    _begin(session, alice)
    _all_refused([*_verbs(session, mallory), lambda xid: session.qm.xa_forget(mallory, xid)])
    session.qm.xa_commit(alice, _XID, one_phase=True)
    assert session.depth("Q") == 1


@pytest.mark.parametrize("checkpointed", [False, True])
@pytest.mark.parametrize("restarted", [False, True])
def test_nobody_else_decides_about_a_prepared_branch(session: Session, restarted: bool, checkpointed: bool) -> None:
    alice = _connected(session, "alice")
    _begin(session, alice)
    session.qm.xa_prepare(alice, _XID)
    if checkpointed:
        session.qm.checkpoint()
    if restarted:
        session.kill_and_start()
        alice = _connected(session, "alice")
    mallory = _connected(session, "mallory")
    assert session.qm.xa_recover(mallory) == []
    _all_refused([*_verbs(session, mallory), lambda xid: session.qm.xa_forget(mallory, xid)])
    assert session.qm.xa_recover(alice) == [_XID]
    session.qm.xa_commit(alice, _XID)
    assert session.depth("Q") == 1


def test_another_connection_of_the_user_goes_on_with_it(session: Session) -> None:
    _begin(session, _connected(session, "alice"))
    second = _connected(session, "alice")
    session.qm.xa_prepare(second, _XID)
    assert session.qm.xa_recover(second) == [_XID]
    session.qm.xa_rollback(second, _XID)


def test_an_administrator_sees_and_decides_all(session: Session) -> None:
    alice = _connected(session, "alice")
    _begin(session, alice)
    session.qm.xa_prepare(alice, _XID)
    session.kill_and_start()
    assert session.qm.xa_recover(session.hconn) == [_XID]
    session.qm.xa_commit(session.hconn, _XID)
    assert session.depth("Q") == 1


def test_a_soft_image_does_not_lose_the_owner(session: Session) -> None:
    alice = _connected(session, "alice")
    _begin(session, alice)
    session.qm.xa_prepare(alice, _XID)
    (unit,) = session.core.prepared_units()
    log_room.soft_image(session.core, unit)
    session.qm.checkpoint()
    session.kill_and_start()
    assert session.qm.xa_recover(_connected(session, "mallory")) == []
    assert session.qm.xa_recover(_connected(session, "alice")) == [_XID]


def test_nobody_else_takes_the_news_of_a_rollback() -> None:
    session = Session(LogConfig(primary_files=2, secondary_files=1, file_pages=64))
    session.queue("Q")
    alice, mallory = session.qm.connect("alice"), session.qm.connect("mallory")
    _begin(session, alice)
    for hconn in (alice, mallory):
        session.core.connections[hconn].privileged = False
    log_room.give_way(session.core)
    _all_refused(_verbs(session, mallory))
    with pytest.raises(MQError) as caught:
        session.qm.xa_prepare(alice, _XID)
    assert caught.value.reason == C.MQRC_BACKED_OUT


@pytest.mark.parametrize("restarted", [False, True])
def test_nobody_else_hears_of_what_an_administrator_has_decided(session: Session, restarted: bool) -> None:
    alice = _connected(session, "alice")
    _begin(session, alice)
    session.qm.xa_prepare(alice, _XID)
    session.qm.resolve_unit(_XID, commit=True)
    if restarted:
        session.qm.checkpoint()
        session.kill_and_start()
        alice = _connected(session, "alice")
    mallory = _connected(session, "mallory")
    assert session.qm.xa_recover(mallory, decided=True) == []
    _all_refused([*_verbs(session, mallory), lambda xid: session.qm.xa_forget(mallory, xid)])
    assert session.qm.xa_recover(alice, decided=True) == session.qm.xa_recover(session.hconn, decided=True) == [_XID]
    with pytest.raises(MQError) as told:
        session.qm.xa_commit(alice, _XID)
    assert told.value.reason == C.MQRC_OUTCOME_MIXED
    session.qm.xa_forget(alice, _XID)
    assert session.qm.xa_recover(alice, decided=True) == []


def test_what_was_decided_of_a_branch_without_owner_is_the_administrators(session: Session) -> None:
    alice = _connected(session, "alice")
    object_changes.install_record(session.core, HeuristicOutcome.make(_XID, 1, "", committed=True))
    _all_refused([*_verbs(session, alice), lambda xid: session.qm.xa_forget(alice, xid)])
    session.qm.xa_forget(session.hconn, _XID)


def test_branches_of_one_user_have_a_limit_and_others_have_theirs(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is in them, so nothing else would ever end them."""
    monkeypatch.setattr(known_branches, "UNFINISHED_MAX", 3)
    alice, mallory = _connected(session, "alice"), _connected(session, "mallory")
    for number in range(3):
        _begin(session, mallory, b"m%d" % number)
    for _ in range(2):
        with pytest.raises(MQError) as refused:
            session.qm.xa_start(mallory, b"one more")
        assert refused.value.reason == C.MQRC_RESOURCE_PROBLEM
        _begin(session, mallory, b"m1")  # it is his, and there
    _begin(session, alice)
    session.qm.xa_prepare(mallory, b"m0")
    session.kill_and_start()  # those that were not prepared are backed out
    mallory = _connected(session, "mallory")
    for xid in (b"m1", b"m2"):
        _begin(session, mallory, xid)
    with pytest.raises(MQError):
        session.qm.xa_start(mallory, b"one more")
    session.qm.xa_rollback(mallory, b"m0")
    _begin(session, mallory, b"one more")


def test_news_of_rollbacks_has_a_limit_for_each_user(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_branches, "ROLLED_BACK_MAX", 2)
    alice, mallory = _connected(session, "alice"), _connected(session, "mallory")
    _begin(session, alice)
    log_room.give_way(session.core)
    for number in range(4):
        _begin(session, mallory, b"m%d" % number)
        log_room.give_way(session.core)
    xids, who = (_XID, b"m0", b"m1", b"m2", b"m3"), session.core.branches.who_was_rolled_back
    assert [who(xid) for xid in xids] == ["alice", None, None, "mallory", "mallory"]
    for hconn, xid, reason in (
        (mallory, b"m0", C.MQRC_UOW_NOT_AVAILABLE),
        (mallory, b"m3", C.MQRC_BACKED_OUT),
        (alice, _XID, C.MQRC_BACKED_OUT),
    ):
        with pytest.raises(MQError) as told:
            session.qm.xa_prepare(hconn, xid)
        assert told.value.reason == reason
    assert [who(xid) for xid in xids] == [None, None, None, "mallory", None]


def test_a_branch_in_a_log_that_names_no_owner_is_the_administrators(session: Session) -> None:
    """What releases wrote that kept none: the record without its flag is the XID and nothing else."""
    alice = _connected(session, "alice")
    _begin(session, alice)
    (unit,) = [unit for unit in session.core.units.values() if unit.xid == _XID]
    unit.owner = ""
    session.qm.xa_prepare(session.hconn, _XID)
    session.core.log.force()
    (record,) = [one for one in session.core.log.scan(unit.first_lsn) if one.type == RecordType.PREPARE]
    assert (record.flags, record.payload) == (0, _XID)
    session.kill_and_start()
    alice = _connected(session, "alice")
    assert session.qm.xa_recover(alice) == []
    _all_refused([lambda xid: session.qm.xa_commit(alice, xid)])
    assert session.qm.xa_recover(session.hconn) == [_XID]
    session.qm.xa_rollback(session.hconn, _XID)


def test_a_checkpoint_without_owners_reads_as_it_always_did() -> None:
    state = journal.CheckpointState(1, 2, 3, 4, {5: journal.TransactionState(6, 7, "ab")})
    (payload,) = state.parts()
    assert b'"5":[6,7,"ab"]' in payload
    assert journal.CheckpointState.read(payload) == state
    owned = journal.CheckpointState(1, 2, 3, 4, {5: journal.TransactionState(6, 7, "ab", "alice")})
    assert journal.CheckpointState.read(owned.parts()[0]) == owned


def test_the_name_of_an_owner_that_is_cut_off_is_not_read() -> None:
    (payload,) = journal.prepare_parts(b"x", "alice")
    assert journal.read_prepare(payload, journal.PREPARED_BY_USER) == (b"x", "alice")
    with pytest.raises(ValueError):
        journal.read_prepare(payload[:3], journal.PREPARED_BY_USER)
