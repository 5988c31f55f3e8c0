"""Report messages: which options are valid, and what the report of each event looks like."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.common.dead_letter_header import strip
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.verbs import reports
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQDLH, MQGMO, MQMD, MQOD, MQRFH2
from libremq.store.stored_message import Message

DATA = bytes(range(250))


@pytest.fixture
def session() -> Session:
    made = Session()
    made.queue("ORDERS")
    made.queue("REPLIES")
    made.queue("DLQ")
    return made


# Options


@pytest.mark.parametrize(
    "report",
    [
        C.MQRO_COA + C.MQRO_COA_WITH_DATA,
        C.MQRO_COD_WITH_FULL_DATA & ~C.MQRO_COD,
        C.MQRO_EXPIRATION_WITH_FULL_DATA & ~C.MQRO_EXPIRATION_WITH_DATA | C.MQRO_EXPIRATION,
        C.MQRO_EXCEPTION_WITH_DATA & ~C.MQRO_EXCEPTION,
        0x10000000,
        0x00040000,
        0x00008000,
    ],
)
def test_report_options_that_mean_nothing_are_refused(session: Session, report: int) -> None:
    with pytest.raises(MQError) as error:
        session.put("ORDERS", Report=report, ReplyToQ="REPLIES")
    assert error.value.reason == C.MQRC_REPORT_OPTIONS_ERROR


def test_unknown_options_are_accepted_where_mq_does() -> None:
    assert reports.check_options(MQMD(Report=0x40000000), "Q") == C.MQRC_UNKNOWN_REPORT_OPTION
    assert reports.check_options(MQMD(Report=-0x80000000), "Q") == C.MQRC_UNKNOWN_REPORT_OPTION
    assert reports.check_options(MQMD(Report=0x00008000), "Q", remote=True) == C.MQRC_UNKNOWN_REPORT_OPTION
    every = (
        C.MQRO_COA_WITH_FULL_DATA | C.MQRO_COD_WITH_DATA | C.MQRO_EXPIRATION | C.MQRO_EXCEPTION_WITH_DATA | C.MQRO_PAN
        | C.MQRO_NAN | C.MQRO_ACTIVITY | C.MQRO_PASS_MSG_ID | C.MQRO_PASS_CORREL_ID | C.MQRO_DISCARD_MSG
        | C.MQRO_PASS_DISCARD_AND_EXPIRY
    )  # fmt: skip
    assert reports.check_options(MQMD(Report=every), "Q") == C.MQRC_NONE


def test_wants_any() -> None:
    for option in (
        C.MQRO_PAN,
        C.MQRO_NAN,
        C.MQRO_ACTIVITY,
        C.MQRO_COA,
        C.MQRO_COD,
        C.MQRO_EXPIRATION,
        C.MQRO_EXCEPTION,
    ):
        assert reports.wants_any(option)
    assert not reports.wants_any(C.MQRO_PASS_MSG_ID | C.MQRO_PASS_CORREL_ID | C.MQRO_DISCARD_MSG)


@pytest.mark.parametrize(
    ("feedback", "valid"),
    [(0, True), (1, True), (65535, True), (65536, True), (999999999, True), (-1, False), (1000000000, False)],
)
def test_feedback_ranges(feedback: int, valid: bool) -> None:
    assert reports.is_feedback(feedback) is valid


# Confirmations


def test_coa_report_has_the_documented_descriptor(session: Session) -> None:
    put = session.put(
        "ORDERS", DATA, Report=C.MQRO_COA, ReplyToQ="REPLIES", CorrelId=b"C" * 24, Format="MYFORMAT",
        CodedCharSetId=819, Encoding=C.MQENC_INTEGER_NORMAL, Priority=6, Persistence=1, Expiry=100,
    )  # fmt: skip
    md, data = session.get("REPLIES")
    assert (md.MsgType, md.Feedback, md.Report, md.Expiry) == (C.MQMT_REPORT, C.MQFB_COA, 0, C.MQEI_UNLIMITED)
    assert (md.Format, md.CodedCharSetId, md.Encoding) == ("MYFORMAT", 819, C.MQENC_INTEGER_NORMAL)
    assert (md.Priority, md.Persistence) == (6, C.MQPER_PERSISTENT)
    assert md.CorrelId == put.MsgId and md.MsgId not in (put.MsgId, bytes(24))
    assert (md.ReplyToQ, md.ReplyToQMgr) == ("", "QM1")
    assert (md.UserIdentifier, md.PutApplType, md.PutApplName) == ("alice", C.MQAT_QMGR, "QM1")
    assert md.PutDate == "20231114" and md.OriginalLength == C.MQOL_UNDEFINED
    assert data == b""
    assert session.depth("ORDERS") == 1


@pytest.mark.parametrize(
    ("option", "length"),
    [(C.MQRO_COD, 0), (C.MQRO_COD_WITH_DATA, 100), (C.MQRO_COD_WITH_FULL_DATA, 250)],
)
def test_cod_comes_with_the_get_and_as_much_data_as_asked(session: Session, option: int, length: int) -> None:
    put = session.put("ORDERS", DATA, Report=option, ReplyToQ="REPLIES")
    assert session.depth("REPLIES") == 0
    session.get("ORDERS")
    md, data = session.get("REPLIES")
    assert (md.Feedback, md.CorrelId) == (C.MQFB_COD, put.MsgId)
    assert data == DATA[:length]


def test_browse_is_no_delivery(session: Session) -> None:
    session.put("ORDERS", DATA, Report=C.MQRO_COD, ReplyToQ="REPLIES")
    hobj = session.open("ORDERS", C.MQOO_BROWSE)
    session.qm.get(session.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST))
    assert session.depth("REPLIES") == 0


def test_ids_as_the_options_say(session: Session) -> None:
    report = C.MQRO_COA | C.MQRO_PASS_MSG_ID | C.MQRO_PASS_CORREL_ID
    session.put("ORDERS", MsgId=b"M" * 24, CorrelId=b"C" * 24, Report=report, ReplyToQ="REPLIES")
    md, _ = session.get("REPLIES")
    assert (md.MsgId, md.CorrelId) == (b"M" * 24, b"C" * 24)


def test_reports_share_the_fate_of_the_unit_of_work(session: Session) -> None:
    session.put("ORDERS", DATA, Report=C.MQRO_COA | C.MQRO_COD, ReplyToQ="REPLIES", syncpoint=True)
    with pytest.raises(MQError) as error:
        session.get("REPLIES")
    assert error.value.reason == C.MQRC_NO_MSG_AVAILABLE
    session.qm.commit(session.hconn)
    assert session.get("REPLIES")[0].Feedback == C.MQFB_COA
    session.get("ORDERS", syncpoint=True)
    session.qm.backout(session.hconn)
    assert session.depth("REPLIES") == 0 and session.depth("ORDERS") == 1
    session.get("ORDERS", syncpoint=True)
    session.qm.commit(session.hconn)
    assert session.get("REPLIES")[0].Feedback == C.MQFB_COD


def test_with_data_means_headers_and_a_hundred_bytes(session: Session) -> None:
    header = MQRFH2(Format="MQSTR", NameValueData=["<usr><a>1</a></usr>"])
    front = header.pack()
    md = MQMD(
        Version=2, Format="MQHRF2", CodedCharSetId=1208, Report=C.MQRO_COA_WITH_DATA, ReplyToQ="R", MsgId=b"M" * 24
    )
    report, names = reports.make_report(session.core, md, front + DATA, b"", C.MQFB_COA, session.clock.now())
    assert report.data == front + DATA[:100]
    assert names == ("R", "")
    md.Format = "MQHRF2"
    broken, _ = reports.make_report(session.core, md, b"?" * 300, b"", C.MQFB_COA, session.clock.now())
    assert broken.data == b"?" * 100, "what is no header is data"


def test_dead_letter_header_and_what_follows_both_count_as_headers(session: Session) -> None:
    front = MQDLH(Format="MQHRF2", CodedCharSetId=819, Encoding=C.MQENC_INTEGER_NORMAL).pack()
    front += MQRFH2(Format="MQSTR", NameValueData=["<usr><a>1</a></usr>"]).pack(big_endian=True)
    md = MQMD(Version=2, Format="MQDEAD", CodedCharSetId=819, Report=C.MQRO_EXPIRATION_WITH_DATA, ReplyToQ="R")
    report, _ = reports.make_report(session.core, md, front + DATA, b"", C.MQFB_EXPIRATION, session.clock.now())
    assert report.data == front + DATA[:100]


def test_segment_reports_say_what_they_are_about(session: Session) -> None:
    md = MQMD(Version=2, GroupId=b"G" * 24, MsgSeqNumber=2, Offset=16, MsgFlags=C.MQMF_SEGMENT, ReplyToQ="R")
    report, _ = reports.make_report(session.core, md, DATA, b"", C.MQFB_COA, session.clock.now())
    made = report.md
    assert (made.GroupId, made.MsgSeqNumber, made.Offset, made.MsgFlags) == (b"G" * 24, 2, 16, C.MQMF_SEGMENT)
    assert made.OriginalLength == len(DATA)
    md.OriginalLength = 99
    assert reports.make_report(session.core, md, DATA, b"", C.MQFB_COA, 0.0)[0].md.OriginalLength == 99


def test_properties_for_reports_come_along(session: Session) -> None:
    properties = Properties()
    properties["kept"] = "yes"
    properties.set("dropped", "no", copy_options=C.MQCOPY_FORWARD)
    md = MQMD(Version=2, ReplyToQ="R", Report=C.MQRO_COA)
    report, _ = reports.make_report(session.core, md, DATA, properties.encode(), C.MQFB_COA, session.clock.now())
    assert Properties.decode(report.properties).as_dict() == {"kept": "yes"}


@pytest.mark.parametrize("feedback", [C.MQFB_PAN, C.MQFB_NAN, C.MQFB_APPL_FIRST])
def test_reports_that_applications_decide_on_have_no_data(session: Session, feedback: int) -> None:
    md = MQMD(Version=2, ReplyToQ="R", ReplyToQMgr="QM9", Report=C.MQRO_EXCEPTION_WITH_FULL_DATA | C.MQRO_PAN)
    report, names = reports.make_report(session.core, md, DATA, b"", feedback, session.clock.now())
    assert (report.md.Feedback, report.data, names) == (feedback, b"", ("R", "QM9"))


# Expiration


def test_expired_message_is_reported_when_a_get_meets_it(session: Session) -> None:
    put = session.put("ORDERS", DATA, Expiry=10, Report=C.MQRO_EXPIRATION_WITH_FULL_DATA, ReplyToQ="REPLIES")
    session.clock.advance(2)
    with pytest.raises(MQError):
        session.get("ORDERS")
    md, data = session.get("REPLIES")
    assert (md.Feedback, md.CorrelId, data) == (C.MQFB_EXPIRATION, put.MsgId, DATA)
    assert md.Expiry == C.MQEI_UNLIMITED


def test_message_that_expires_on_its_way_is_reported_as_the_application_knows_it(session: Session) -> None:
    session.queue("QM2", USAGE="XMITQ")
    put = session.put(
        "TARGET", DATA, qmgr="QM2", Format="MQSTR", Expiry=10, ReplyToQ="REPLIES",
        Report=C.MQRO_EXPIRATION_WITH_FULL_DATA,
    )  # fmt: skip
    session.clock.advance(2)
    with pytest.raises(MQError):
        session.get("QM2")
    md, data = session.get("REPLIES")
    assert (md.Feedback, md.CorrelId, md.Format, data) == (C.MQFB_EXPIRATION, put.MsgId, "MQSTR", DATA)


# What a report inherits


PASS = C.MQRO_PASS_DISCARD_AND_EXPIRY


def test_report_inherits_discard_and_the_time_that_is_left(session: Session) -> None:
    session.put("ORDERS", Expiry=100, Report=C.MQRO_COA | C.MQRO_COD | PASS | C.MQRO_DISCARD_MSG, ReplyToQ="REPLIES")
    md, _ = session.get("REPLIES")
    assert (md.Report, md.Expiry) == (C.MQRO_DISCARD_MSG, 100)
    session.clock.advance(4)
    session.get("ORDERS")
    md, _ = session.get("REPLIES")
    assert (md.Feedback, md.Report, md.Expiry) == (C.MQFB_COD, C.MQRO_DISCARD_MSG, 60)


def test_expiration_report_that_inherits_expiry_gets_a_minute(session: Session) -> None:
    session.put("ORDERS", Expiry=10, Report=C.MQRO_EXPIRATION | PASS, ReplyToQ="REPLIES")
    session.clock.advance(2)
    session.qm.scan_expired()
    md, _ = session.get("REPLIES")
    assert (md.Report, md.Expiry) == (0, 600)


# Reports that cannot be delivered


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"MAXDEPTH": 0}, C.MQRC_Q_FULL),
        ({"PUT": "DISABLED"}, C.MQRC_PUT_INHIBITED),
        ({"MAXMSGL": 10}, C.MQRC_MSG_TOO_BIG_FOR_Q),
    ],
)
def test_undeliverable_report_goes_to_the_dead_letter_queue(
    session: Session, attributes: dict[str, int | str], reason: int
) -> None:
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    session.qm.alter("QLOCAL", "REPLIES", attributes)
    put = session.put("ORDERS", DATA, Report=C.MQRO_COA_WITH_FULL_DATA, ReplyToQ="REPLIES")
    assert session.depth("ORDERS") == 1 and session.depth("REPLIES") == 0
    md, data = session.get("DLQ")
    assert (md.MsgType, md.Feedback, md.CorrelId) == (C.MQMT_REPORT, C.MQFB_COA, put.MsgId)
    header, rest = strip(data)
    assert (header.Reason, header.DestQName, rest) == (reason, "REPLIES", DATA)


def test_report_to_nowhere_is_dropped_without_a_dead_letter_queue(session: Session) -> None:
    session.put("ORDERS", DATA, Report=C.MQRO_COA, ReplyToQ="NO.SUCH.QUEUE")
    assert session.depth("ORDERS") == 1


def test_report_with_discard_is_dropped_rather_than_buried(session: Session) -> None:
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    session.put("ORDERS", DATA, Report=C.MQRO_COA | PASS | C.MQRO_DISCARD_MSG, ReplyToQ="NO.SUCH.QUEUE")
    assert session.depth("DLQ") == 0
    session.put("ORDERS", DATA, Report=C.MQRO_COA | C.MQRO_DISCARD_MSG, ReplyToQ="NO.SUCH.QUEUE")
    assert session.depth("DLQ") == 1, "without PASS_DISCARD_AND_EXPIRY the option is about the message itself"


def test_persistent_report_does_not_fit_a_temporary_queue(session: Session) -> None:
    session.qm.alter("QMGR", "", {"DEADQ": "DLQ"})
    session.qm.define("QMODEL", "TEMPORARY", {"DEFTYPE": "TEMPDYN"})
    od = MQOD(ObjectName="TEMPORARY", DynamicQName="MINE")
    session.qm.open(session.hconn, od, C.MQOO_INPUT_SHARED)
    session.put("ORDERS", Report=C.MQRO_COA, ReplyToQ="MINE", Persistence=1)
    _, data = session.get("DLQ")
    assert strip(data)[0].Reason == C.MQRC_PERSISTENT_NOT_ALLOWED
    session.put("ORDERS", Report=C.MQRO_COA, ReplyToQ="MINE", Persistence=0)
    assert session.depth("MINE") == 1


def test_report_to_another_queue_manager_is_sent_on_its_way(session: Session) -> None:
    session.queue("QM2", USAGE="XMITQ")
    session.put("ORDERS", Report=C.MQRO_COA, ReplyToQ="THEIRS", ReplyToQMgr="QM2")
    md, data = session.get("QM2")
    assert md.Format == "MQXMIT" and data[8:14] == b"THEIRS"


def test_exception_needs_the_option(session: Session) -> None:
    message = Message(MQMD(Version=2, ReplyToQ="REPLIES", MsgId=b"M" * 24, Priority=0, Persistence=0), b"", DATA)
    reports.exception(session.core, message, C.MQRC_Q_FULL, None, session.clock.now())
    assert session.depth("REPLIES") == 0
    message.md.Report = C.MQRO_EXCEPTION_WITH_DATA
    reports.exception(session.core, message, C.MQRC_Q_FULL, None, session.clock.now())
    md, data = session.get("REPLIES")
    assert (md.Feedback, data) == (C.MQRC_Q_FULL, DATA[:100])
