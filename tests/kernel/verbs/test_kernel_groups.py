"""Groups and segments in logical order, as far as the model (`tests/model`) does not go: where a group ends."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQPMO

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
