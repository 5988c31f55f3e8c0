"""What becomes of a message that has arrived over a channel."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from helper_delivery import CCSID, CHANNEL, Receiving, framed

from libremq.channels import target_queues
from libremq.channels.delivery import Delivered, Fate, Undeliverable
from libremq.common.dead_letter_header import strip
from libremq.kernel.authority import object_authority
from libremq.kernel.messages import name_resolution, transmission
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.state.waiting_gets import Waiter
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQMDE, MQOD, MQXQH
from libremq.store.stored_message import Message

PUT = Delivered(Fate.PUT)
PERSISTENT, NOT_PERSISTENT = C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT


@pytest.fixture
def here() -> Receiving:
    return Receiving()


# Where it goes, and how it looks there


@pytest.mark.parametrize("times", [1, 3], ids=["the first one", "like the one before"])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"CorrelId": b"C" * 24, "ReplyToQ": "REPLIES", "ReplyToQMgr": "QM2", "MsgType": C.MQMT_REQUEST},
        {"Expiry": 50, "Priority": 9, "Feedback": 1},
        {"Persistence": NOT_PERSISTENT, "Priority": 0, "Format": "", "Encoding": C.MQENC_INTEGER_NORMAL},
        {"AccountingToken": b"A" * 32, "ApplIdentityData": "who", "ApplOriginData": "from", "PutApplName": "naïve"},
        {"Report": C.MQRO_PASS_CORREL_ID | C.MQRO_PASS_MSG_ID, "MsgType": C.MQMT_REPLY},
        {"Report": C.MQRO_EXCEPTION | C.MQRO_COD, "ReplyToQ": "REPLIES", "ReplyToQMgr": "QM2"},
        {"GroupId": b"G" * 24, "MsgSeqNumber": 3, "MsgFlags": C.MQMF_MSG_IN_GROUP},
        {"GroupId": b"G" * 24, "Offset": 16, "MsgFlags": C.MQMF_SEGMENT, "OriginalLength": 32},
        {"MsgType": C.MQMT_REPORT, "Feedback": C.MQFB_PAN},
        {"MsgType": C.MQMT_APPL_FIRST, "Priority": 0},
    ],
)
def test_the_descriptor_arrives_unchanged(here: Receiving, times: int, fields: dict[str, Any]) -> None:
    for number in range(times):
        data = framed(b"data %d" % number, **fields)
        _, sent = transmission.unwrap(data, MQMD(Format="MQXMIT", CodedCharSetId=CCSID))
        assert here.put(data) == PUT
    here.commit()
    for number in range(times):
        md, got = here.get("TARGET")
        assert got == b"data %d" % number
        for name in MQMD.__annotations__:
            if name not in ("StrucId", "Version"):
                assert getattr(md, name) == getattr(sent.md, name), name


@pytest.mark.parametrize("encoding", [C.MQENC_NATIVE, C.MQENC_INTEGER_NORMAL], ids=["little", "big"])
@pytest.mark.parametrize("ccsid", [1208, 819, 500])
def test_headers_in_any_representation(here: Receiving, encoding: int, ccsid: int) -> None:
    charset = {1208: "utf-8", 819: "latin-1", 500: "cp500"}[ccsid]
    native = MQXQH.unpack(framed(b"", Priority=7, Expiry=300, UserIdentifier="alice"), charset="utf-8")
    header = native.pack(big_endian=encoding == C.MQENC_INTEGER_NORMAL, charset=charset)
    for _ in range(2):
        assert here.put(header + b"text", encoding=encoding, ccsid=ccsid) == PUT
    here.commit()
    for _ in range(2):
        md, data = here.get("TARGET")
        assert (md.Priority, md.Expiry, md.UserIdentifier, md.Format, data) == (7, 300, "alice", "MQSTR", b"text")


@pytest.mark.parametrize("how", ["put", "suppressed"])
def test_the_same_bytes_mean_something_else_in_another_character_set(here: Receiving, how: str) -> None:
    here.with_dead_letter_queue()
    header = MQXQH.unpack(framed(b"", PutApplName="naïve"), charset="utf-8").pack(charset="utf-8")
    for _ in range(2):  # the second one is like the one before
        assert here.put(header, ccsid=819) == PUT
    if how == "suppressed":
        here.delivery.suppress(header, 1, "", encoding=C.MQENC_NATIVE, ccsid=1208, syncpoint=True)
    for _ in range(2):
        assert here.put(header, ccsid=1208) == PUT
    here.commit()
    assert [here.get("TARGET")[0].PutApplName for _ in range(4)] == ["naÃ¯ve", "naÃ¯ve", "naïve", "naïve"]


def test_text_that_is_none_does_not_stop_the_message(here: Receiving) -> None:
    data = bytearray(framed())
    data[300:312] = b"caf\xc3\xa9 \xff\xce\xb1   "  # UserIdentifier: a good character, a broken one, and a Greek one
    assert here.put(bytes(data)) == PUT
    here.commit()
    assert here.get("TARGET")[0].UserIdentifier == "café ??"


def test_properties_arrive_in_their_header(here: Receiving) -> None:
    here.queue("QM2", usage="XMITQ")
    properties = Properties()
    properties["colour"] = "red"
    way = name_resolution.destination_of(here.core, "TARGET", "QM2")
    md = MQMD(Version=2, Format="MQSTR", CodedCharSetId=1208, Priority=1, Persistence=1, MsgId=b"M" * 24)
    wrapped = transmission.wrap(here.core, way, Message(md, properties.encode(), b"body"))
    here.queue("ME", "QREMOTE", rqmname="QM1")
    assert here.put(wrapped.data.replace(b"QM2 ", b"ME  ", 1)) == PUT
    here.commit()
    md, data = here.get("TARGET")
    assert md.Format == "MQHRF2" and b"<colour>red</colour>" in data and data.endswith(b"body")


def test_a_fast_message_is_there_at_once_and_a_batch_when_it_is_committed(here: Receiving) -> None:
    here.put(framed(b"batch"))
    here.put(framed(b"fast", Persistence=NOT_PERSISTENT), syncpoint=False)
    here.put(framed(b"fast", Persistence=NOT_PERSISTENT), syncpoint=False)
    assert [here.get("TARGET")[1] for _ in range(2)] == [b"fast"] * 2
    here.qm.backout(here.hconn)
    assert here.depth() == 0
    here.put(framed(b"batch"))
    here.commit()
    assert here.depth() == 1


@pytest.mark.parametrize(
    ("queue", "qmgr"), [("TARGET", ""), ("TARGET", "QM1"), ("TARGET", "ME"), ("ALIAS", "QM1"), ("ALIAS", "ME")]
)
def test_names_that_lead_to_a_queue_here(here: Receiving, queue: str, qmgr: str) -> None:
    here.queue("ME", "QREMOTE", rqmname="QM1")
    here.queue("ALIAS", "QALIAS", target="TARGET")
    for _ in range(2):
        assert here.put(framed(queue=queue, qmgr=qmgr)) == PUT
    here.commit()
    assert here.depth() == 2


@pytest.mark.parametrize(
    ("queue", "qmgr", "names"),
    [
        ("FAR", "QM3", ("FAR", "QM3")),
        ("FAR", "ALIAS3", ("FAR", "QM3")),
        ("REMOTE", "QM1", ("THERE", "QM3")),
        ("REMOTE", "", ("THERE", "QM3")),
    ],
)
def test_messages_for_others_go_on_with_their_descriptor(
    here: Receiving, queue: str, qmgr: str, names: tuple[str, str]
) -> None:
    here.queue("QM3", usage="XMITQ")
    here.deliver_by(proven=True)  # else the user is left out: see test_channels_unproven
    here.queue("ALIAS3", "QREMOTE", rqmname="QM3", xmitq="QM3")
    here.queue("REMOTE", "QREMOTE", rname="THERE", rqmname="QM3", xmitq="QM3")
    came = framed(b"on", queue=queue, qmgr=qmgr, CorrelId=b"C" * 24, GroupId=b"G" * 24, MsgFlags=C.MQMF_MSG_IN_GROUP)
    for _ in range(2):
        assert here.put(came) == PUT
    here.commit()
    for _ in range(2):
        md, data = here.get("QM3")
        assert (md.Format, md.Persistence, md.CorrelId) == ("MQXMIT", PERSISTENT, b"M" * 24)
        header, inner = transmission.unwrap(data, md)
        assert (header.RemoteQName, header.RemoteQMgrName) == names
        assert data[104:] == came[104:], "descriptor, extension and data as they came"
        assert inner.data == b"on"


def test_confirmation_of_arrival_is_sent(here: Receiving) -> None:
    here.queue("REPLIES")
    here.put(framed(Report=C.MQRO_COA, ReplyToQ="REPLIES", ReplyToQMgr="QM1"))
    here.commit()
    md, _ = here.get("REPLIES")
    assert (md.Feedback, md.CorrelId) == (C.MQFB_COA, b"M" * 24)


def test_a_long_message_is_cut_in_segments_if_it_may_be(here: Receiving) -> None:
    here.queue("SHORT", maxmsgl=100)
    here.put(framed(b"batch"))
    long = {"queue": "SHORT", "MsgFlags": C.MQMF_SEGMENTATION_ALLOWED}
    assert here.put(framed(bytes(250), **long)) == PUT
    assert here.put(framed(bytes(250), Persistence=NOT_PERSISTENT, **long), syncpoint=False) == PUT
    here.commit()
    assert here.depth("SHORT") == 6


def test_a_waiting_get_has_it_from_hand_to_hand(here: Receiving) -> None:
    here.put(framed(b"first", Persistence=NOT_PERSISTENT), syncpoint=False)
    here.get("TARGET")
    hobj = here.qm.open(here.reader, MQOD(ObjectName="TARGET"), C.MQOO_INPUT_SHARED)
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=1000)
    waiter = here.qm.get(here.reader, hobj, MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter)
    here.put(framed(b"for you", Persistence=NOT_PERSISTENT), syncpoint=False)
    assert waiter.result is not None and waiter.result.data == b"for you"


# Queues that change while they are open


def test_a_definition_that_changes_counts_for_the_next_message(here: Receiving) -> None:
    here.queue("OTHER")
    here.queue("ALIAS", "QALIAS", target="TARGET")
    here.put(framed(queue="ALIAS"))
    here.put(framed(queue="ALIAS"))
    here.qm.alter("QALIAS", "ALIAS", {"TARGET": "OTHER"})
    here.put(framed(queue="ALIAS"))
    here.commit()
    assert (here.depth(), here.depth("OTHER")) == (2, 1)


def test_a_queue_that_was_deleted_is_missed(here: Receiving) -> None:
    here.with_dead_letter_queue()
    here.queue("MODEL", "QMODEL")
    od = MQOD(ObjectName="MODEL", DynamicQName="TEMPORARY")
    hobj = here.qm.open(here.reader, od, C.MQOO_INPUT_SHARED)
    one = framed(queue="TEMPORARY", Persistence=NOT_PERSISTENT)
    assert [here.put(one, syncpoint=False) for _ in range(2)] == [PUT] * 2
    here.qm.close(here.reader, hobj)
    assert here.put(one, syncpoint=False) == Delivered(Fate.DEAD_LETTER, C.MQRC_UNKNOWN_OBJECT_NAME)


def test_queues_are_held_open_up_to_a_limit_and_let_go(here: Receiving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_queues, "OPEN_MAX", 3)
    names = [f"Q{number}" for number in range(5)]
    for name in names:
        here.queue(name)
    for _ in range(3):
        for name in names:
            assert here.put(framed(queue=name)) == PUT
    here.commit()
    connection = here.qm.connection(here.hconn)
    assert len(connection.handles) == 3
    here.delivery.release()
    assert not connection.handles
    assert [here.depth(name) for name in names] == [3] * 5
    here.qm.delete("QLOCAL", "TARGET")


def test_a_queue_that_is_not_open_any_more_is_not_written_to(here: Receiving, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have been unloaded: what is put into the old one would be lost."""
    monkeypatch.setattr(target_queues, "OPEN_MAX", 1)
    here.queue("OTHER")
    for name in ("TARGET", "TARGET", "OTHER", "OTHER"):
        here.put(framed(queue=name))
    here.commit()
    for _ in range(3):
        here.qm.checkpoint()
    assert "TARGET" not in here.core.queues
    for name in ("OTHER", "TARGET"):
        assert here.put(framed(queue=name)) == PUT
    here.commit()
    assert (here.depth(), here.depth("OTHER")) == (3, 3)


def test_no_more_handles_than_the_queue_manager_gives(here: Receiving) -> None:
    here.qm.alter("QMGR", "", {"MAXHANDS": 2})
    for name in ("A", "B", "C"):
        here.queue(name)
        assert here.put(framed(queue=name)) == PUT


# What cannot be put


def _letter(here: Receiving) -> tuple[MQMD, Any, bytes]:
    md, data = here.get("DLQ")
    return md, *strip(data, md.CodedCharSetId, md.Encoding)


@pytest.mark.parametrize(
    ("setting", "fields", "reason"),
    [
        ({}, {"queue": "GONE"}, C.MQRC_UNKNOWN_OBJECT_NAME),
        ({}, {"queue": ""}, C.MQRC_UNKNOWN_OBJECT_NAME),
        ({}, {"qmgr": "NOWHERE"}, C.MQRC_UNKNOWN_REMOTE_Q_MGR),
        ({}, {"queue": "SYSTEM.DEFAULT.MODEL.QUEUE"}, C.MQRC_Q_TYPE_ERROR),
        ({"MAXMSGL": 3}, {}, C.MQRC_MSG_TOO_BIG_FOR_Q),
        ({"MAXDEPTH": 0}, {}, C.MQRC_Q_FULL),
        ({"PUT": "DISABLED"}, {}, C.MQRC_PUT_INHIBITED),
    ],
)
def test_what_cannot_be_put_goes_to_the_dead_letter_queue(
    here: Receiving, setting: dict[str, Any], fields: dict[str, Any], reason: int
) -> None:
    here.with_dead_letter_queue()
    here.put(framed(b"good"))
    here.put(framed(b"good"))
    if setting:
        here.qm.alter("QLOCAL", "TARGET", setting)
    names = {"queue": "TARGET", "qmgr": "QM1"} | {key: fields[key] for key in ("queue", "qmgr") if key in fields}
    assert here.put(framed(b"hello", **fields), attempt=10) == Delivered(Fate.DEAD_LETTER, reason)
    here.commit()
    md, header, data = _letter(here)
    assert (md.Format, md.MsgId, md.Persistence) == ("MQDEAD", b"M" * 24, PERSISTENT)
    assert (md.UserIdentifier, md.PutApplName, md.PutTime) == ("alice", "teller", "12000099")
    assert (header.Reason, header.DestQName, header.DestQMgrName) == (reason, names["queue"], names["qmgr"])
    assert (header.Format, header.CodedCharSetId, header.Encoding) == ("MQSTR", 819, C.MQENC_NATIVE)
    assert (header.PutApplType, header.PutApplName, header.PutDate) == (C.MQAT_QMGR, CHANNEL, "20231114")
    assert data == b"hello"
    assert here.depth() == 2


def test_a_dead_letter_belongs_to_its_batch(here: Receiving) -> None:
    here.with_dead_letter_queue()
    here.queue("REPLIES")
    here.put(framed(queue="GONE", Report=C.MQRO_EXCEPTION, ReplyToQ="REPLIES", ReplyToQMgr="QM1"))
    assert (here.depth("DLQ"), here.depth("REPLIES")) == (1, 1)
    here.qm.backout(here.hconn)
    assert (here.depth("DLQ"), here.depth("REPLIES")) == (0, 0)


def test_a_persistent_message_for_a_temporary_queue_is_a_dead_letter(here: Receiving) -> None:
    here.with_dead_letter_queue()
    here.queue("MODEL", "QMODEL")
    here.qm.open(here.reader, MQOD(ObjectName="MODEL", DynamicQName="TEMPORARY"), C.MQOO_INPUT_SHARED)
    done = here.put(framed(queue="TEMPORARY"))
    assert done == Delivered(Fate.DEAD_LETTER, C.MQRC_PERSISTENT_NOT_ALLOWED)


def test_longer_than_the_channel_takes() -> None:
    here = Receiving(maxmsgl=1000)
    here.with_dead_letter_queue()
    assert [here.put(framed(bytes(1000))) for _ in range(2)] == [PUT] * 2
    assert here.put(framed(bytes(1001))) == Delivered(Fate.DEAD_LETTER, C.MQRC_MSG_TOO_BIG_FOR_CHANNEL)
    here.commit()
    assert _letter(here)[1].Reason == C.MQRC_MSG_TOO_BIG_FOR_CHANNEL


def test_that_messages_go_aside_is_said_at_once_and_how_many_later(here: Receiving) -> None:
    here.with_dead_letter_queue()
    for _ in range(4):
        here.put(framed(queue="GONE"))
    here.put(framed(queue="GONE", Report=C.MQRO_DISCARD_MSG))
    (first,) = here.said
    assert first.startswith("AMQ9544W") and "1 went to the dead-letter queue DLQ, 0 were" in first
    here.clock.advance(60)
    here.put(framed(queue="GONE"))
    here.put(framed(queue="GONE"))
    assert "4 went to the dead-letter queue DLQ, 1 were" in here.said[1]
    here.delivery.release()
    here.delivery.close()
    assert len(here.said) == 3 and "1 went to the dead-letter queue DLQ, 0 were" in here.said[2]


# Once more


def test_a_full_queue_is_tried_again_as_often_as_the_channel_says() -> None:
    here = Receiving(mrrty=2, mrtmr=250)
    here.with_dead_letter_queue()
    here.qm.alter("QLOCAL", "TARGET", {"MAXDEPTH": 0})
    again = Delivered(Fate.RETRY, C.MQRC_Q_FULL, 250)
    assert [here.put(framed(), attempt=attempt) for attempt in range(2)] == [again] * 2
    assert here.depth("DLQ") == 0
    assert here.put(framed(), attempt=2).kind is Fate.DEAD_LETTER


def test_a_retry_that_helps(here: Receiving) -> None:
    here.qm.alter("QLOCAL", "TARGET", {"PUT": "DISABLED"})
    assert here.put(framed()) == Delivered(Fate.RETRY, C.MQRC_PUT_INHIBITED, 1000)
    here.qm.alter("QLOCAL", "TARGET", {"PUT": "ENABLED"})
    assert here.put(framed(), attempt=1) == PUT
    here.commit()
    assert here.depth() == 1


def test_waiting_does_not_help_with_a_name_that_is_not_known(here: Receiving) -> None:
    here.with_dead_letter_queue()
    assert here.put(framed(queue="GONE")).kind is Fate.DEAD_LETTER


def test_a_retry_exit_decides_alone(here: Receiving) -> None:
    here.with_dead_letter_queue()
    asked: list[tuple[int, int]] = []

    def exit(data: bytes, reason: int, attempt: int) -> int | None:
        asked.append((reason, attempt))
        return 7 if attempt < 20 else None

    here.delivery.retry_exit = exit
    assert here.put(framed(queue="GONE"), attempt=19) == Delivered(Fate.RETRY, C.MQRC_UNKNOWN_OBJECT_NAME, 7)
    assert here.put(framed(queue="GONE"), attempt=20).kind is Fate.DEAD_LETTER
    assert asked == [(C.MQRC_UNKNOWN_OBJECT_NAME, 19), (C.MQRC_UNKNOWN_OBJECT_NAME, 20)]


# What the sender of the message asked for


@pytest.mark.parametrize("usedlq", ["YES", "NO"])
def test_a_message_may_be_discarded_rather_than_kept(usedlq: str) -> None:
    here = Receiving(usedlq=usedlq)
    here.with_dead_letter_queue()
    here.queue("REPLIES")
    report = C.MQRO_DISCARD_MSG | C.MQRO_EXCEPTION_WITH_FULL_DATA
    done = here.put(framed(b"back", queue="GONE", Report=report, ReplyToQ="REPLIES", ReplyToQMgr="QM1"))
    assert done == Delivered(Fate.DISCARDED, C.MQRC_UNKNOWN_OBJECT_NAME)
    here.commit()
    assert here.depth("DLQ") == 0
    md, data = here.get("REPLIES")
    assert (md.MsgType, md.Feedback, md.CorrelId) == (C.MQMT_REPORT, C.MQRC_UNKNOWN_OBJECT_NAME, b"M" * 24)
    assert data == b"back"


def test_an_exception_report_goes_back_over_the_channel(here: Receiving) -> None:
    here.with_dead_letter_queue()
    here.queue("QM2", usage="XMITQ")
    here.core.authorities.trusting = False  # as in a server: what users of other machines may here is not known
    here.put(framed(queue="GONE", Report=C.MQRO_EXCEPTION, ReplyToQ="REPLIES", ReplyToQMgr="QM2"))
    here.commit()
    assert here.depth("DLQ") == 1
    outer, data = here.get("QM2")
    header, inner = transmission.unwrap(data, outer)
    assert (header.RemoteQName, header.RemoteQMgrName) == ("REPLIES", "QM2")
    assert (inner.md.MsgType, inner.md.Feedback, inner.data) == (C.MQMT_REPORT, C.MQRC_UNKNOWN_OBJECT_NAME, b"")


def test_a_report_inherits_what_the_message_says(here: Receiving) -> None:
    here.with_dead_letter_queue()
    here.queue("REPLIES")
    report = C.MQRO_EXCEPTION | C.MQRO_DISCARD_MSG | C.MQRO_PASS_DISCARD_AND_EXPIRY
    here.put(framed(queue="GONE", Report=report, Expiry=77, ReplyToQ="REPLIES", ReplyToQMgr="QM1"))
    here.commit()
    md, _ = here.get("REPLIES")
    assert (md.Report, md.Expiry) == (C.MQRO_DISCARD_MSG, 77)


# No place at all


@pytest.mark.parametrize("case", ["no DEADQ", "USEDLQ(NO)", "full", "not there"])
def test_without_a_place_the_channel_ends_and_fast_messages_are_lost(case: str) -> None:
    here = Receiving(usedlq="NO" if case == "USEDLQ(NO)" else "YES")
    if case != "no DEADQ":
        here.with_dead_letter_queue(maxdepth=0 if case == "full" else 10)
    if case == "not there":
        here.qm.delete("QLOCAL", "DLQ")
    here.put(framed(b"good"))
    with pytest.raises(Undeliverable) as ended:
        here.put(framed(queue="GONE"))
    number = 9566 if case in ("full", "not there") else 9565
    assert ended.value.message.number == number and ended.value.reason == C.MQRC_UNKNOWN_OBJECT_NAME
    with pytest.raises(Undeliverable):
        here.put(framed(queue="GONE", Persistence=NOT_PERSISTENT))  # NPMSPEED(NORMAL): it is in the batch
    done = here.put(framed(queue="GONE", Persistence=NOT_PERSISTENT), syncpoint=False)
    assert done == Delivered(Fate.DISCARDED, C.MQRC_UNKNOWN_OBJECT_NAME)
    assert here.delivery.undelivered.discarded == 1
    here.qm.backout(here.hconn)
    assert here.depth() == 0


def test_a_full_log_is_no_reason_for_a_dead_letter() -> None:
    here = Receiving(log=LogConfig(primary_files=2, secondary_files=1, file_pages=64), mrrty=1)
    here.with_dead_letter_queue()
    here.qm.alter("QMGR", "", {"MAXMSGL": 4_000_000})
    here.qm.alter("QLOCAL", "TARGET", {"MAXMSGL": 4_000_000})
    large = framed(bytes(2_000_000))
    assert here.put(large) == Delivered(Fate.RETRY, C.MQRC_RESOURCE_PROBLEM, 1000)
    with pytest.raises(Undeliverable) as ended:
        here.put(large, attempt=1)
    assert ended.value.retry and ended.value.reason == C.MQRC_RESOURCE_PROBLEM
    assert here.depth("DLQ") == 0


def test_a_batch_that_was_backed_out_is_not_gone_on_with() -> None:
    here = Receiving()
    here.with_dead_letter_queue()
    here.put(framed())
    here.put(framed())
    connection = here.qm.connection(here.hconn)
    assert connection.unit is not None
    here.core.backout(connection.unit)
    connection.unit, connection.backed_out = None, True
    for queue in ("TARGET", "GONE"):
        with pytest.raises(Undeliverable) as ended:
            here.put(framed(queue=queue))
        assert ended.value.reason == C.MQRC_BACKED_OUT and ended.value.retry
    assert here.depth() == here.depth("DLQ") == 0


def test_how_many_messages_a_batch_has_was_agreed_on_and_reports_come_on_top(here: Receiving) -> None:
    here.qm.alter("QMGR", "", {"MAXUMSGS": 2})
    here.with_dead_letter_queue()
    for _ in range(2):
        assert here.put(framed(Report=C.MQRO_COA, ReplyToQ="TARGET")) == PUT
    assert here.put(framed(queue="GONE")).kind is Fate.DEAD_LETTER
    here.qm.commit(here.hconn)
    assert (here.depth(), here.depth("DLQ")) == (4, 1)


# Bad messages


def _changed(offset: int, raw: bytes, **fields: Any) -> bytes:
    data = bytearray(framed(**fields))
    data[offset : offset + len(raw)] = raw
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", C.MQRC_XQH_ERROR),
        (framed()[:427], C.MQRC_XQH_ERROR),
        (framed()[:150], C.MQRC_XQH_ERROR),
        (bytes(1000), C.MQRC_XQH_ERROR),
        (_changed(0, b"DLH "), C.MQRC_XQH_ERROR),
        (_changed(4, b"\x02"), C.MQRC_XQH_ERROR),
        (_changed(104, b"MDE "), C.MQRC_MD_ERROR),
        (_changed(108, b"\x02"), C.MQRC_MD_ERROR),
        (_changed(112 + 32, struct.pack("<i", -1)), C.MQRC_PRIORITY_ERROR),
        (_changed(112 + 36, struct.pack("<i", 2)), C.MQRC_PERSISTENCE_ERROR),
        (_changed(112 + 8, struct.pack("<i", 0)), C.MQRC_EXPIRY_ERROR),
        (_changed(112 + 4, struct.pack("<i", -5)), C.MQRC_MSG_TYPE_ERROR),
        (framed(b"MDE " + bytes(100), Format="MQHMDE"), C.MQRC_MDE_ERROR),
        (framed(MQMDE(MsgFlags=-1).pack(), Format="MQHMDE"), C.MQRC_MSG_FLAGS_ERROR),
    ],
)
def test_what_is_no_message_goes_aside_whole(here: Receiving, data: bytes, reason: int) -> None:
    here.with_dead_letter_queue()
    here.put(framed())
    here.put(framed())  # from now on there is a short way
    assert here.put(data) == Delivered(Fate.DEAD_LETTER, reason)
    here.commit()
    md, header, rest = _letter(here)
    assert (header.Reason, header.Format, header.Encoding, rest) == (reason, "MQXMIT", C.MQENC_NATIVE, data)
    assert md.Persistence == PERSISTENT
    assert here.said[0].startswith("AMQ9572E") and CHANNEL in here.said[0]


def test_a_bad_message_without_a_dead_letter_queue_ends_the_channel(here: Receiving) -> None:
    with pytest.raises(Undeliverable):
        here.put(b"no message")


# Who may put


def _allow(here: Receiving, user: str, *rights: int, queue: str = "TARGET") -> None:
    object_authority.set_authority(here.core, queue, C.MQOT_Q, principals=(user,), add=rights, known=True)


def _allow_qmgr(here: Receiving, user: str, *rights: int) -> None:
    object_authority.set_authority(here.core, "", C.MQOT_Q_MGR, principals=(user,), add=rights, known=True)


def _restricted(**channel: Any) -> Receiving:
    """The agent acts as mca, which may connect and set context."""
    here = Receiving()
    here.with_dead_letter_queue()
    _allow_qmgr(here, "mca", C.MQAUTH_CONNECT, C.MQAUTH_SET_ALL_CONTEXT)
    here.deliver_by("mca", **channel)
    return here


def test_the_user_of_the_channel_needs_authority() -> None:
    here = _restricted()
    refused = Delivered(Fate.DEAD_LETTER, C.MQRC_NOT_AUTHORIZED)
    assert here.put(framed()) == refused
    _allow(here, "mca", C.MQAUTH_OUTPUT)
    assert here.put(framed()) == refused, "it sets the context of others, too"
    _allow(here, "mca", C.MQAUTH_SET_ALL_CONTEXT)
    assert here.put(framed()) == here.put(framed()) == PUT


@pytest.mark.parametrize("persistence", [C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT])
def test_a_report_of_arrival_goes_where_the_user_of_the_channel_may_put(persistence: int) -> None:
    here = _restricted()
    here.qm.define("QLOCAL", "REPLIES", {})
    _allow(here, "mca", C.MQAUTH_OUTPUT, C.MQAUTH_SET_ALL_CONTEXT)
    _allow(here, "alice", C.MQAUTH_OUTPUT, queue="REPLIES")
    asks = framed(Report=C.MQRO_COA_WITH_FULL_DATA, ReplyToQ="REPLIES", Persistence=persistence)
    syncpoint = persistence == C.MQPER_PERSISTENT
    assert here.put(asks, syncpoint=syncpoint) == PUT
    here.qm.commit(here.hconn)
    assert (here.depth("REPLIES"), here.depth("DLQ")) == (0, 1), "alice is who the other end says it is"
    _allow(here, "mca", C.MQAUTH_OUTPUT, queue="REPLIES")
    assert here.put(asks, syncpoint=syncpoint) == PUT
    here.qm.commit(here.hconn)
    assert (here.depth("REPLIES"), here.depth("DLQ"), here.depth()) == (1, 1, 2)


def test_the_user_in_the_message_needs_authority_if_context_counts() -> None:
    here = _restricted(putaut="CTX")
    refused = Delivered(Fate.DEAD_LETTER, C.MQRC_NOT_AUTHORIZED)
    _allow(here, "mca", C.MQAUTH_SET_ALL_CONTEXT)
    _allow(here, "alice", C.MQAUTH_OUTPUT)
    assert here.put(framed()) == refused, "the agent may not act for others"
    _allow_qmgr(here, "mca", C.MQAUTH_ALT_USER_AUTHORITY)
    assert here.put(framed()) == here.put(framed()) == PUT
    assert here.put(framed(UserIdentifier="bob")) == refused
    assert here.put(framed()) == PUT, "each message counts for itself"


def test_the_agent_needs_to_set_context_also_if_the_message_counts() -> None:
    here = _restricted(putaut="CTX")
    _allow_qmgr(here, "mca", C.MQAUTH_ALT_USER_AUTHORITY)
    _allow(here, "alice", C.MQAUTH_OUTPUT)
    assert here.put(framed()) == Delivered(Fate.DEAD_LETTER, C.MQRC_NOT_AUTHORIZED)


def test_a_privileged_agent_asks_what_the_user_of_the_message_may() -> None:
    here = Receiving(putaut="CTX")
    here.with_dead_letter_queue()
    assert here.put(framed()) == Delivered(Fate.DEAD_LETTER, C.MQRC_NOT_AUTHORIZED)
    _allow(here, "alice", C.MQAUTH_OUTPUT)
    assert here.put(framed()) == PUT
    assert here.put(framed(UserIdentifier="bob")) == Delivered(Fate.DEAD_LETTER, C.MQRC_NOT_AUTHORIZED)
