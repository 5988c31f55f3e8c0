"""Groups and segments, as far as it takes the model (`tests/model`) to notice: where a group ends, and its backouts."""

from __future__ import annotations

from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

IN_GROUP, LAST = C.MQMF_MSG_IN_GROUP, C.MQMF_LAST_MSG_IN_GROUP
SEGMENT, LAST_SEGMENT = C.MQMF_SEGMENT, C.MQMF_LAST_SEGMENT


@pytest.fixture
def session() -> Session:
    made = Session()
    made.queue("Q")
    return made


def put(session: Session, hobj: int, flags: int) -> MQMD:
    """16 bytes, in logical order."""
    md = MQMD(Version=2, MsgFlags=flags)
    pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT | C.MQPMO_LOGICAL_ORDER)
    session.qm.put(session.hconn, hobj, md, pmo, bytes(16))
    return md


def test_the_last_message_of_a_group_may_be_in_segments(session: Session) -> None:
    hobj = session.open("Q", C.MQOO_OUTPUT)
    flags = (IN_GROUP, LAST | SEGMENT, LAST | SEGMENT, LAST | LAST_SEGMENT)
    sent = [put(session, hobj, one) for one in flags]
    assert [(md.MsgSeqNumber, md.Offset) for md in sent] == [(1, 0), (2, 0), (2, 16), (2, 32)]
    assert len({md.GroupId for md in sent}) == 1
    other = put(session, hobj, LAST)  # the group is over: this is another one
    assert (other.MsgSeqNumber, other.GroupId != sent[0].GroupId) == (1, True)


@pytest.mark.parametrize(
    ("begun", "next_one", "reason"),
    [
        (LAST | SEGMENT, LAST, C.MQRC_INCOMPLETE_MSG),  # a segment is to come
        (LAST | SEGMENT, IN_GROUP | SEGMENT, C.MQRC_INCOMPLETE_MSG),  # it began as the last one of its group
        (LAST | SEGMENT, LAST_SEGMENT, C.MQRC_INCOMPLETE_MSG),  # and in a group
        (IN_GROUP, 0, C.MQRC_INCOMPLETE_GROUP),
        (IN_GROUP, SEGMENT, C.MQRC_INCOMPLETE_GROUP),
    ],
)
def test_what_does_not_go_on_with_it_is_refused(session: Session, begun: int, next_one: int, reason: int) -> None:
    hobj = session.open("Q", C.MQOO_OUTPUT)
    put(session, hobj, begun)
    with pytest.raises(MQError) as caught:
        put(session, hobj, next_one)
    assert caught.value.reason == reason


def get(session: Session, hobj: int, options: int) -> bytes:
    md, gmo = MQMD(Version=2), MQGMO(Version=2, Options=options, MatchOptions=C.MQMO_NONE)
    got = session.qm.get(session.hconn, hobj, md, gmo)
    assert isinstance(got, Got)
    return got.data


def test_a_backout_goes_back_to_where_the_group_was_before_the_first_get(session: Session) -> None:
    for number, flags in enumerate((IN_GROUP, IN_GROUP, LAST), 1):
        session.put("Q", b"%d" % number, GroupId=b"G" * 24, MsgFlags=flags, MsgSeqNumber=number)
    hobj = session.open_input("Q")
    in_order = C.MQGMO_SYNCPOINT | C.MQGMO_LOGICAL_ORDER
    assert get(session, hobj, in_order) == b"1"
    session.qm.commit(session.hconn)
    for _ in range(2):
        assert [get(session, hobj, in_order) for _ in range(2)] == [b"2", b"3"]
        session.qm.backout(session.hconn)
    assert get(session, hobj, in_order) == b"2"


@pytest.mark.parametrize("persistence", [C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT])
def test_a_persistent_message_in_segments_is_not_got_beside_a_unit_of_work(session: Session, persistence: int) -> None:
    """It is a unit of work of its own, and the connection has one already."""
    group: dict[str, Any] = {"GroupId": b"G" * 24, "Persistence": persistence}
    session.put("Q", bytes(16), MsgFlags=SEGMENT, Offset=0, **group)
    session.put("Q", bytes(16), MsgFlags=LAST_SEGMENT, Offset=16, **group)
    session.put("Q", b"in the unit of work", syncpoint=True)
    hobj = session.open_input("Q")
    whole = C.MQGMO_NO_SYNCPOINT | C.MQGMO_COMPLETE_MSG
    if persistence == C.MQPER_PERSISTENT:
        with pytest.raises(MQError, match="MQRC_UOW_NOT_AVAILABLE"):
            get(session, hobj, whole)
        session.qm.commit(session.hconn)
    assert get(session, hobj, whole) == bytes(32)
