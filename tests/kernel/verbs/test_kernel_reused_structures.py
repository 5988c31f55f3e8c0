"""Applications use their descriptors and options again: what one call leaves in them must not leak into the next."""

from __future__ import annotations

from helper_qmgr import Session

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO


def _get_into(session: Session, hobj: int, md: MQMD) -> None:
    md.MsgId = md.CorrelId = bytes(24)
    session.qm.get(session.hconn, hobj, md, MQGMO(Options=C.MQGMO_NO_SYNCPOINT))


def test_a_get_returns_every_field_of_the_descriptor() -> None:
    session = Session()
    session.queue("Q")
    session.put("Q", b"first", Feedback=7, ReplyToQ="REPLIES", Format="MQSTR", MsgType=C.MQMT_REPLY, Encoding=273)
    session.put("Q", b"second")
    hobj = session.open_input("Q")
    md = MQMD(Version=2)
    _get_into(session, hobj, md)
    assert (md.Feedback, md.ReplyToQ, md.Format, md.MsgType) == (7, "REPLIES", "MQSTR", C.MQMT_REPLY)
    _get_into(session, hobj, md)
    assert (md.Feedback, md.ReplyToQ, md.Format, md.MsgType) == (0, "", "", C.MQMT_DATAGRAM)
    assert md.Encoding == C.MQENC_NATIVE


def test_a_waiting_get_returns_every_field_of_the_descriptor() -> None:
    session = Session()
    session.queue("Q")
    hobj = session.open_input("Q")
    md = MQMD(Version=2, Feedback=7, ReplyToQ="OLD", Format="OLD")
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_WAIT, WaitInterval=1000)
    waiter = session.qm.get(session.hconn, hobj, md, gmo)
    session.put("Q", b"new")
    assert getattr(waiter, "result").data == b"new"  # noqa: B009
    assert (md.Feedback, md.ReplyToQ, md.Format) == (0, "", "")


def test_a_put_returns_what_the_queue_manager_chose_and_keeps_the_rest() -> None:
    session = Session()
    session.queue("Q", DEFPRTY=4)
    hobj = session.open("Q", C.MQOO_OUTPUT)
    for version in (1, 2):
        md = MQMD(Version=version, ReplyToQ="REPLIES", Feedback=3, MsgFlags=C.MQMF_SEGMENTATION_ALLOWED)
        session.qm.put(session.hconn, hobj, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"data")
        assert md.Version == version and md.MsgId != bytes(24) and md.Priority == 4 and md.PutDate
        assert (md.ReplyToQ, md.Feedback, md.MsgFlags) == ("REPLIES", 3, C.MQMF_SEGMENTATION_ALLOWED)
        assert session.get("Q")[0].MsgId == md.MsgId
