"""Messages on transmission queues, and the dead-letter queue: headers in front of the application's data."""

from __future__ import annotations

from typing import Any

import pytest
from helper_qmgr import Session

from libremq.common.dead_letter_header import strip
from libremq.kernel.messages import transmission
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_delivery import extract
from libremq.kernel.state.connection import Destination
from libremq.kernel.verbs import dead_letter
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQDLH, MQMD, MQMDE, MQXQH
from libremq.store.stored_message import Message


@pytest.fixture
def session() -> Session:
    made = Session()
    made.queue("QM2", USAGE="XMITQ")
    made.queue("DLQ")
    made.queue("REPLIES")
    return made


def _remote(session: Session) -> Destination:
    definition = session.core.catalogue.queues["QM2"]
    return Destination(session.core.local_queue(definition), "TARGET", "QM2")  # type: ignore[arg-type]


def test_put_to_a_remote_queue_leaves_the_documented_headers(session: Session) -> None:
    put = session.put(
        "TARGET", b"hello", qmgr="QM2", Format="MQSTR", CorrelId=b"C" * 24, Priority=7, Persistence=1, Expiry=50,
        MsgType=C.MQMT_REQUEST, ReplyToQ="REPLIES", Report=C.MQRO_COA | C.MQRO_COD | C.MQRO_EXPIRATION,
    )  # fmt: skip
    outer, data = session.get("QM2")

    assert outer.Format == "MQXMIT"
    assert outer.Encoding == C.MQENC_NATIVE
    assert outer.CodedCharSetId == session.core.catalogue.qmgr.ccsid
    assert outer.CorrelId == put.MsgId and outer.MsgId not in (put.MsgId, bytes(24))
    assert (outer.Priority, outer.Persistence, outer.Expiry) == (7, C.MQPER_PERSISTENT, 50)
    assert outer.Report == C.MQRO_EXPIRATION, "arrival on a transmission queue is no arrival"
    assert outer.MsgType == C.MQMT_REQUEST and outer.ReplyToQ == "REPLIES" and outer.ReplyToQMgr == "QM1"
    assert outer.UserIdentifier == "alice"
    assert (outer.PutApplType, outer.PutApplName) == (C.MQAT_QMGR, "QM1")

    assert data[:8] == b"XQH \x01\0\0\0"
    assert data[8:56] == b"TARGET".ljust(48) and data[56:104] == b"QM2".ljust(48)
    assert data[104:112] == b"MD  \x01\0\0\0"
    assert data[428:] == b"hello"
    header, inner = transmission.unwrap(data, outer)
    assert header.MsgDesc.PutApplName == "teller"
    assert inner.md.Report == C.MQRO_COA | C.MQRO_COD | C.MQRO_EXPIRATION
    assert (inner.md.MsgId, inner.md.CorrelId, inner.md.Format) == (put.MsgId, b"C" * 24, "MQSTR")
    assert inner.data == b"hello"


def test_coa_is_not_sent_for_a_transmission_queue(session: Session) -> None:
    session.put("TARGET", b"x", qmgr="QM2", Report=C.MQRO_COA | C.MQRO_COD, ReplyToQ="REPLIES")
    session.get("QM2")
    assert session.depth("REPLIES") == 0


def test_group_fields_travel_in_a_descriptor_extension(session: Session) -> None:
    md = MQMD(
        Version=2, Format="MQSTR", CodedCharSetId=819, Encoding=C.MQENC_INTEGER_NORMAL, MsgId=b"M" * 24,
        GroupId=b"G" * 24, MsgSeqNumber=3, Offset=16, MsgFlags=C.MQMF_MSG_IN_GROUP | C.MQMF_SEGMENT,
    )  # fmt: skip
    wrapped = transmission.wrap(session.core, _remote(session), Message(md, b"", b"data"))
    assert wrapped.md.GroupId == bytes(24) and wrapped.md.MsgFlags == 0 and wrapped.md.MsgSeqNumber == 1
    header = MQXQH.unpack(wrapped.data)
    assert header.MsgDesc.Format == "MQHMDE"
    extension = MQMDE.unpack(wrapped.data, MQXQH.size())
    assert (extension.Format, extension.CodedCharSetId, extension.Encoding) == ("MQSTR", 819, C.MQENC_INTEGER_NORMAL)

    _, inner = transmission.unwrap(wrapped.data, wrapped.md)
    for field in ("GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "Format", "CodedCharSetId", "Encoding", "MsgId"):
        assert getattr(inner.md, field) == getattr(md, field), field
    assert inner.data == b"data"


def test_properties_travel_in_an_rfh2(session: Session) -> None:
    properties = Properties()
    properties["colour"] = "red"
    properties["count"] = 3
    md = MQMD(Version=2, Format="MQSTR", CodedCharSetId=1208, GroupId=b"G" * 24)
    wrapped = transmission.wrap(session.core, _remote(session), Message(md, properties.encode(), b"data"))
    _, inner = transmission.unwrap(wrapped.data, wrapped.md)
    assert inner.md.Format == "MQHRF2" and inner.md.GroupId == b"G" * 24
    found, body, data_format, ccsid, _ = extract(
        inner.data, inner.md.Format, inner.md.CodedCharSetId, inner.md.Encoding
    )
    assert found.as_dict() == {"colour": "red", "count": 3}
    assert (body, data_format, ccsid) == (b"data", "MQSTR", 1208)
    assert md.Format == "MQSTR", "the application's descriptor stays as it is"


def test_text_outside_ascii_never_stops_a_put(session: Session) -> None:
    md = MQMD(Version=2, UserIdentifier="é" * 12, ApplIdentityData="naïve", MsgId=b"M" * 24)
    wrapped = transmission.wrap(session.core, _remote(session), Message(md, b"", b"data"))
    header, inner = transmission.unwrap(wrapped.data, wrapped.md)
    assert header.RemoteQName == "TARGET"
    assert inner.md.UserIdentifier == "?" * 12, "24 bytes of UTF-8 do not fit"
    md.UserIdentifier = "é" * 6
    wrapped = transmission.wrap(session.core, _remote(session), Message(md, b"", b"data"))
    assert transmission.unwrap(wrapped.data, wrapped.md)[1].md.ApplIdentityData == "naïve"


def test_put_on_the_transmission_queue_itself_is_stored_as_it_is(session: Session) -> None:
    put = session.put("QM2", b"not wrapped", Format="MQSTR")
    md, data = session.get("QM2")
    assert (md.Format, md.MsgId, data) == ("MQSTR", put.MsgId, b"not wrapped")


@pytest.mark.parametrize(
    "data", [b"", b"XQH", b"XQH \x02\0\0\0" + bytes(420), bytes(428), b"XQH \x01\0\0\0" + bytes(100)]
)
def test_unwrap_refuses_what_has_no_header(data: bytes) -> None:
    with pytest.raises(MQError) as error:
        transmission.unwrap(data, MQMD(Format="MQXMIT"))
    assert error.value.reason in (C.MQRC_XQH_ERROR, C.MQRC_MD_ERROR)


# The dead-letter queue


def _letter(**fields: Any) -> Message:
    given: dict[str, Any] = {
        "Format": "MQSTR",
        "CodedCharSetId": 819,
        "MsgId": b"M" * 24,
        "Priority": 0,
        "Persistence": 0,
    } | fields
    return Message(MQMD(Version=2, **given), b"", b"letter")


def _send(session: Session, message: Message, reason: int = C.MQRC_Q_FULL) -> MQError | None:
    return dead_letter.send(session.core, message, "GONE", "QM1", reason, None, session.clock.now())


def test_dead_letter_gets_its_header(session: Session) -> None:
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    assert _send(session, _letter(Priority=4)) is None
    md, data = session.get("DLQ")
    assert (md.Format, md.MsgId, md.Priority) == ("MQDEAD", b"M" * 24, 4)
    assert md.CodedCharSetId == session.core.catalogue.qmgr.ccsid
    header, rest = strip(data, md.CodedCharSetId, md.Encoding)
    assert rest == b"letter"
    assert (header.Reason, header.DestQName, header.DestQMgrName) == (C.MQRC_Q_FULL, "GONE", "QM1")
    assert (header.Format, header.CodedCharSetId, header.Encoding) == ("MQSTR", 819, C.MQENC_NATIVE)
    assert (header.PutApplType, header.PutApplName) == (C.MQAT_QMGR, "QM1")
    assert (header.PutDate, header.PutTime) == ("20231114", "22132000")


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        (None, C.MQRC_UNKNOWN_OBJECT_NAME),
        ({"PUT": "DISABLED"}, C.MQRC_PUT_INHIBITED),
        ({"MAXMSGL": MQDLH.size() + 5}, C.MQRC_MSG_TOO_BIG_FOR_Q),
        ({"MAXDEPTH": 0}, C.MQRC_Q_FULL),
    ],
    ids=["no DEADQ", "put inhibited", "too short", "full"],
)
def test_without_a_usable_dead_letter_queue_nothing_happens(
    session: Session, attributes: dict[str, str | int] | None, why: int
) -> None:
    if attributes is not None:
        session.qm.alter("QLOCAL", "DLQ", attributes)
        session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    message = _letter(Report=C.MQRO_EXCEPTION, ReplyToQ="REPLIES", ReplyToQMgr="QM1")
    refusal = _send(session, message)
    assert refusal is not None and refusal.reason == why
    assert session.depth("DLQ") == session.depth("REPLIES") == 0


def test_sender_hears_of_a_dead_letter(session: Session) -> None:
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    assert (
        _send(session, _letter(Report=C.MQRO_EXCEPTION_WITH_FULL_DATA, ReplyToQ="REPLIES", ReplyToQMgr="QM1")) is None
    )
    assert session.depth("DLQ") == 1
    md, data = session.get("REPLIES")
    assert (md.MsgType, md.Feedback, md.CorrelId, data) == (C.MQMT_REPORT, C.MQRC_Q_FULL, b"M" * 24, b"letter")
    assert md.Format == "MQSTR", "the report is about the message as it was"


def test_discard_throws_the_message_away_and_reports(session: Session) -> None:
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    assert (
        _send(session, _letter(Report=C.MQRO_DISCARD_MSG | C.MQRO_EXCEPTION, ReplyToQ="REPLIES", ReplyToQMgr="QM1"))
        is None
    )
    assert session.depth("DLQ") == 0
    assert session.get("REPLIES")[0].Feedback == C.MQRC_Q_FULL


def test_arrival_on_the_dead_letter_queue_is_not_confirmed(session: Session) -> None:
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    assert _send(session, _letter(Report=C.MQRO_COA | C.MQRO_COD, ReplyToQ="REPLIES", ReplyToQMgr="QM1")) is None
    session.get("DLQ")
    assert session.depth("REPLIES") == 0


def test_strip_refuses_other_data() -> None:
    with pytest.raises(MQError) as error:
        strip(b"no header here")
    assert error.value.reason == C.MQRC_DLH_ERROR
