"""How much a message may have in properties when it is put, wherever they are; what is cut in segments."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.kernel.properties.message_properties import PROPERTIES_MAX, Properties, Property
from libremq.kernel.properties.property_delivery import to_rfh2
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO

RFH2 = C.MQFMT_RF_HEADER_2


@pytest.fixture
def session() -> Session:
    found = Session()
    found.queue("Q")
    return found


def _put(session: Session, in_handle: Properties | None, data: bytes, data_format: str = "") -> int:
    """The reason."""
    pmo = MQPMO(Version=3, Options=C.MQPMO_NO_SYNCPOINT)
    if in_handle is not None:
        handles = session.qm.connection(session.hconn).message_handles
        pmo.NewMsgHandle = handles.create()
        handles.get(pmo.NewMsgHandle).properties = in_handle
    try:
        session.qm.put1(session.hconn, MQOD(ObjectName="Q"), MQMD(Version=2, Format=data_format), pmo, data)
    except MQError as error:
        return error.reason
    return C.MQRC_NONE


def test_maxpropl_counts_properties_in_a_handle_and_in_the_data(session: Session) -> None:
    long, short = Properties({"text": "x" * 200}), Properties({"text": "x" * 60})
    header = to_rfh2(long).build()
    assert _put(session, None, header, RFH2) == C.MQRC_NONE
    session.qm.alter("QMGR", "", {"MAXPROPL": 100})
    assert _put(session, None, header, RFH2) == C.MQRC_PROPERTIES_TOO_BIG
    assert _put(session, long, b"data") == C.MQRC_PROPERTIES_TOO_BIG
    assert _put(session, short, b"data") == C.MQRC_NONE
    assert _put(session, None, to_rfh2(short).build(), RFH2) == C.MQRC_NONE
    assert _put(session, short, to_rfh2(short).build(), RFH2) == C.MQRC_PROPERTIES_TOO_BIG, "both together"
    assert _put(session, None, b"no header at all" * 20, RFH2) == C.MQRC_NONE
    assert _put(session, None, header) == C.MQRC_NONE, "data that nobody says has a header"
    session.qm.alter("QMGR", "", {"MAXPROPL": "NOLIMIT"})
    assert _put(session, None, header, RFH2) == C.MQRC_NONE


def test_maxpropl_counts_for_puts_like_the_one_before(session: Session) -> None:
    """Which go by its form, but not past this."""
    session.qm.alter("QMGR", "", {"MAXPROPL": 100})
    hobj = session.open("Q", C.MQOO_OUTPUT)
    md = MQMD(Version=2, Format=RFH2, Persistence=C.MQPER_NOT_PERSISTENT)
    pmo = MQPMO(Version=3, Options=C.MQPMO_SYNCPOINT)
    session.qm.put(session.hconn, hobj, md, pmo, b"")
    assert session.qm.form_of(session.hconn, hobj, md, pmo) is None
    md.Format = "MQSTR"
    assert session.qm.form_of(session.hconn, hobj, md, pmo) is not None


def test_the_number_of_properties_has_a_limit(session: Session) -> None:
    """They are read in one go, while everybody waits."""
    many = [Property(f"p{number}", 1, C.MQTYPE_INT32) for number in range(PROPERTIES_MAX + 1)]
    assert _put(session, Properties.from_entries(many), b"") == C.MQRC_PROPERTIES_TOO_BIG
    assert _put(session, Properties.from_entries(many[1:]), b"") == C.MQRC_NONE


def test_what_is_cut_in_segments_is_not_of_a_longer_message(session: Session) -> None:
    """OriginalLength tells of what a report is about; the segments of a message that is cut have none."""
    session.queue("SHORT", MAXMSGL=16)
    session.put("SHORT", b"x" * 40, MsgFlags=C.MQMF_SEGMENTATION_ALLOWED, OriginalLength=100)
    parts = [session.get("SHORT")[0] for _ in range(3)]
    assert [(md.Offset, md.OriginalLength) for md in parts] == [(0, -1), (16, -1), (32, -1)]
