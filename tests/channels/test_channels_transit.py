"""What a sending agent does with a message before it travels."""

from __future__ import annotations

from typing import Any

import pytest
from helper_delivery import CCSID, Receiving

from libremq.channels.transit import Transit, message_for_wire, microseconds_queued
from libremq.channels.undelivered import Undeliverable
from libremq.common.dead_letter_header import strip
from libremq.kernel.messages import transmission
from libremq.kernel.objects.channel_definitions import SendingChannel
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_delivery import extract, to_rfh2
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.state.waiting_gets import Got
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO, MQXQH

_GET = C.MQGMO_SYNCPOINT_IF_PERSISTENT | C.MQGMO_PROPERTIES_FORCE_MQRFH2
NOT_PERSISTENT = C.MQPER_NOT_PERSISTENT
BIG = C.MQENC_INTEGER_NORMAL | C.MQENC_DECIMAL_NORMAL | C.MQENC_FLOAT_IEEE_NORMAL


class Sending(Receiving):
    """QM1 with a transmission queue to QM2, and an agent that gets from it in a batch."""

    def __init__(self, *, channel: dict[str, Any] | None = None, **partner: Any) -> None:
        super().__init__()
        self.queue("QM2", usage="XMITQ")
        given = {"CONNAME": "localhost", "XMITQ": "QM2"} | (channel or {})
        self.qm.define("SDR", "TO.QM2", given)
        definition = self.core.catalogue.find("CHANNEL", "TO.QM2")
        assert isinstance(definition, SendingChannel)
        self.hconn = self.qm.connect("", "TO.QM2", C.MQAT_QMGR)
        self.hobj = self.qm.open(self.hconn, MQOD(ObjectName="QM2"), C.MQOO_INPUT_EXCLUSIVE)
        given = {"xmitq": "QM2", "max_message": 4_194_304, "partner_ccsid": CCSID} | partner
        self.transit = Transit(self.environment, definition, self.hconn, **given)
        identity = BatchIdentity("TO.QM2", "QM2", "QM2", "0" * 15 + "1", 1, 0)
        self.batch = channel_batches.begin(self.qm, self.qm.connection(self.hconn), identity)

    def put_far(self, data: bytes = b"hello", **fields: Any) -> MQMD:
        given: dict[str, Any] = {"Format": "MQSTR", "CodedCharSetId": 819, "Persistence": 1} | fields
        md = MQMD(Version=2, **given)
        self.qm.put1(self.reader, MQOD(ObjectName="FAR", ObjectQMgrName="QM2"), md, MQPMO(), data)
        return md

    def put_there(self, data: bytes, **fields: Any) -> None:
        """On the transmission queue itself."""
        self.qm.put1(self.reader, MQOD(ObjectName="QM2"), MQMD(Version=2, Persistence=1, **fields), MQPMO(), data)

    def take(self) -> tuple[MQMD, bytes]:
        md = MQMD(Version=2)
        got = self.qm.get(self.hconn, self.hobj, md, MQGMO(Options=_GET))
        assert isinstance(got, Got)
        return md, got.data

    def prepared(self) -> bytes | None:
        md, data = self.take()
        return self.transit.prepare(md, data, syncpoint=md.Persistence == C.MQPER_PERSISTENT)

    def arrived(self, data: bytes | None) -> tuple[MQMD, bytes]:
        """What the other end finds in it."""
        assert data is not None
        outer = MQMD(Format="MQXMIT", Encoding=self.transit.encoding, CodedCharSetId=self.transit.ccsid)
        header, inner = transmission.unwrap(data, outer)
        assert (header.RemoteQName, header.RemoteQMgrName) == ("FAR", "QM2")
        return inner.md, inner.data

    def committed(self) -> None:
        """The batch is over, and went well."""
        channel_batches.prepare(self.qm, self.batch)
        channel_batches.commit(self.qm, self.batch, self.batch.identity.sync("", 0))

    def letter(self) -> tuple[MQMD, Any, bytes]:
        md, data = self.get("DLQ")
        return md, *strip(data, md.CodedCharSetId, md.Encoding)


def test_a_message_travels_as_it_lies_there() -> None:
    here = Sending()
    put = here.put_far(b"text", CorrelId=b"C" * 24, Priority=3)
    md, data = here.take()
    assert here.transit.prepare(md, data, syncpoint=True) is data
    assert (here.transit.encoding, here.transit.ccsid) == (md.Encoding, md.CodedCharSetId)
    inner, body = here.arrived(data)
    assert (inner.MsgId, inner.CorrelId, inner.Priority, body) == (put.MsgId, b"C" * 24, 3, b"text")


def test_the_time_left_to_live_travels_with_it() -> None:
    here = Sending()
    here.put_far(Expiry=100)
    here.clock.advance(4)
    inner, body = here.arrived(here.prepared())
    assert (inner.Expiry, body) == (60, b"hello")


@pytest.mark.parametrize("persistence", [C.MQPER_PERSISTENT, NOT_PERSISTENT])
def test_a_message_that_came_with_its_last_tenth_of_a_second_has_none_left(persistence: int) -> None:
    here = Sending()
    here.queue("REPLIES")
    asks = {"Report": C.MQRO_EXPIRATION, "ReplyToQ": "REPLIES", "Persistence": persistence}
    put = here.put_far(Expiry=1, **asks)
    assert here.prepared() is None
    here.committed()
    report, _ = here.get("REPLIES")
    assert (report.Feedback, report.CorrelId) == (C.MQFB_EXPIRATION, put.MsgId)
    assert here.qm.depth("QM2") == 0
    here.put_far(Expiry=2, **asks)
    here.clock.advance(0.15)
    inner, _ = here.arrived(here.prepared())
    assert inner.Expiry == 1


@pytest.mark.parametrize("encoding", [C.MQENC_NATIVE, BIG])
def test_expiry_is_written_in_the_order_of_the_header(encoding: int) -> None:
    header = MQXQH().pack(big_endian=encoding == BIG)
    data = message_for_wire(header + b"data", MQMD(Expiry=60, Encoding=encoding))
    assert MQXQH.unpack(data, big_endian=encoding == BIG).MsgDesc.Expiry == 60
    assert len(data) == len(header) + 4 and data.endswith(b"data")


def test_time_on_the_queue() -> None:
    here = Sending()
    here.put_far()
    here.clock.advance(2.5)
    md, _ = here.take()
    assert microseconds_queued(md, here.clock.now()) == pytest.approx(2.5e6)
    assert microseconds_queued(MQMD(), here.clock.now()) == 0
    assert microseconds_queued(MQMD(PutDate="99999999", PutTime="xx"), 0) == 0


# Too long


@pytest.mark.parametrize("extra", [0, 1])
def test_longer_than_the_channel_takes_goes_to_the_dead_letter_queue(extra: int) -> None:
    here = Sending(max_message=1000)
    here.with_dead_letter_queue()
    put = here.put_far(bytes(1000 + extra), Expiry=300)
    here.clock.advance(10)
    assert (here.prepared() is None) is bool(extra)
    if not extra:
        return
    here.committed()
    assert here.depth("QM2") == 0
    md, header, data = here.letter()
    assert (header.Reason, header.DestQName, header.DestQMgrName) == (C.MQRC_MSG_TOO_BIG_FOR_CHANNEL, "FAR", "QM2")
    assert (header.Format, header.PutApplName) == ("MQSTR", "TO.QM2")
    assert (md.MsgId, md.Format, md.UserIdentifier, md.Expiry) == (put.MsgId, "MQDEAD", "reader", 200)
    assert data == bytes(1001)
    here.transit.undelivered.tell()
    (told,) = here.said
    assert "1 went to the dead-letter queue DLQ, 0 were" in told


def test_a_dead_letter_belongs_to_the_batch() -> None:
    here = Sending(max_message=1000)
    here.with_dead_letter_queue()
    here.put_far(bytes(2000))
    assert here.prepared() is None
    channel_batches.back_out(here.qm, here.batch)
    assert (here.depth("DLQ"), here.depth("QM2")) == (0, 1)


@pytest.mark.parametrize("usedlq", ["YES", "NO"])
def test_without_a_dead_letter_queue_the_message_stays_and_the_channel_ends(usedlq: str) -> None:
    here = Sending(channel={"USEDLQ": usedlq}, max_message=1000)
    if usedlq == "NO":
        here.with_dead_letter_queue()
    here.put_far(bytes(2000))
    with pytest.raises(Undeliverable) as ended:
        here.prepared()
    assert ended.value.reason == C.MQRC_MSG_TOO_BIG_FOR_CHANNEL and ended.value.message.number == 9565
    channel_batches.back_out(here.qm, here.batch)
    assert here.depth("QM2") == 1


def test_a_fast_message_without_a_place_is_discarded() -> None:
    here = Sending(max_message=1000)
    here.queue("REPLIES")
    here.put_far(bytes(2000), Persistence=NOT_PERSISTENT, Report=C.MQRO_EXCEPTION, ReplyToQ="REPLIES")
    assert here.prepared() is None
    assert here.transit.undelivered.discarded == 1
    assert here.get("REPLIES")[0].Feedback == C.MQRC_MSG_TOO_BIG_FOR_CHANNEL


# What is no message for a channel


@pytest.mark.parametrize(
    ("data", "fields"),
    [(b"text", {"Format": "MQSTR"}), (b"text", {"Format": "MQXMIT"}), (bytes(600), {"Format": "MQXMIT"})],
)
def test_what_has_no_header_goes_aside_as_it_is(data: bytes, fields: dict[str, Any]) -> None:
    here = Sending()
    here.with_dead_letter_queue()
    here.put_there(data, **fields)
    assert here.prepared() is None
    here.committed()
    md, header, rest = here.letter()
    assert (header.Reason, header.DestQName, header.DestQMgrName) == (C.MQFB_XMIT_Q_MSG_ERROR, "QM2", "QM1")
    assert (header.Format, rest) == (fields["Format"], data)
    assert md.PutApplName == "reader" and here.said[0].startswith("AMQ9572E")


def test_a_header_that_cannot_be_kept_goes_aside_as_it_is() -> None:
    here = Sending(max_message=1000)
    here.with_dead_letter_queue()
    md = MQMD(Version=2, Persistence=7, Priority=-9, Format="MQSTR")
    data = transmission.frame("FAR", "QM2", md, bytes(2000), CCSID)
    here.put_there(data, Format="MQXMIT", CodedCharSetId=CCSID)
    assert here.prepared() is None
    here.committed()
    assert here.letter()[2] == data


# CONVERT


def test_a_channel_that_converts() -> None:
    here = Sending(channel={"CONVERT": "YES"}, partner_ccsid=500, partner_encoding=BIG)
    here.put_far("Grüße".encode("latin-1"), GroupId=b"G" * 24, MsgFlags=C.MQMF_MSG_IN_GROUP, Expiry=50)
    inner, body = here.arrived(here.prepared())
    assert body == "Grüße".encode("cp500")
    assert (inner.CodedCharSetId, inner.Encoding, inner.Format) == (500, BIG, "MQSTR")
    assert (inner.GroupId, inner.Expiry) == (b"G" * 24, 50)


@pytest.mark.parametrize(
    "fields", [{"Format": ""}, {"GroupId": b"G" * 24, "MsgFlags": C.MQMF_SEGMENT}, {"CodedCharSetId": 500}]
)
def test_what_a_channel_never_converts(fields: dict[str, Any]) -> None:
    here = Sending(channel={"CONVERT": "YES"}, partner_ccsid=500)
    here.put_far(b"\x01\x02", **fields)
    md, data = here.take()
    assert here.transit.prepare(md, data, syncpoint=True) == data


def test_a_channel_does_not_convert_unless_it_is_told_to() -> None:
    here = Sending(partner_ccsid=500)
    here.put_far(b"text")
    assert here.arrived(here.prepared())[1] == b"text"


def test_what_cannot_be_converted_goes_to_the_dead_letter_queue() -> None:
    here = Sending(channel={"CONVERT": "YES"}, partner_ccsid=500)
    here.qm.alter("QMGR", "", {"CHLEV": "ENABLED"})
    here.with_dead_letter_queue()
    here.put_far(b"\x01\x02", Format="MYFORMAT")
    assert here.prepared() is None
    here.committed()
    _, header, data = here.letter()
    assert (header.Reason, header.Format, data) == (C.MQRC_FORMAT_ERROR, "MYFORMAT", b"\x01\x02")
    assert here.said[0].startswith("AMQ9541E")
    _, event = here.get("SYSTEM.ADMIN.CHANNEL.EVENT")
    assert b"TO.QM2" in event and b"MYFORMAT" in event


def test_a_message_that_conversion_makes_too_long_is_kept_as_it_was() -> None:
    here = Sending(channel={"CONVERT": "YES"}, partner_ccsid=1208, max_message=10)
    here.with_dead_letter_queue()
    here.put_far(b"\xe9" * 10, CodedCharSetId=819)
    assert here.prepared() is None
    here.committed()
    _, header, data = here.letter()
    assert (header.Reason, header.CodedCharSetId, data) == (C.MQRC_MSG_TOO_BIG_FOR_CHANNEL, 819, b"\xe9" * 10)


# PROPCTL


def _with_properties(*names: str) -> bytes:
    properties = Properties()
    for name in names:
        properties[name] = "red"
    return to_rfh2(properties, "MQSTR", 819).build(C.MQENC_NATIVE) + b"body"


@pytest.mark.parametrize(
    ("propctl", "knows", "name", "kept"),
    [
        ("NONE", True, "usr.colour", True),
        ("NONE", False, "usr.colour", False),
        ("ALL", False, "other.colour", True),
        ("COMPAT", False, "usr.colour", True),
        ("COMPAT", False, "other.colour", False),
        ("COMPAT", True, "other.colour", True),
    ],
)
@pytest.mark.parametrize("grouped", [False, True])
def test_properties_for_a_partner_that_may_not_know_them(
    propctl: str, knows: bool, name: str, kept: bool, grouped: bool
) -> None:
    here = Sending(channel={"PROPCTL": propctl}, knows_properties=knows)
    group: dict[str, Any] = {"GroupId": b"G" * 24, "MsgFlags": C.MQMF_MSG_IN_GROUP} if grouped else {}
    here.put_far(_with_properties(name), Format="MQHRF2", CodedCharSetId=1208, **group)
    inner, data = here.arrived(here.prepared())
    assert inner.GroupId == (b"G" * 24 if grouped else bytes(24))
    if not kept:
        assert (inner.Format, inner.CodedCharSetId, data) == ("MQSTR", 819, b"body")
        return
    found, body, data_format, _, _ = extract(data, inner.Format, inner.CodedCharSetId, inner.Encoding)
    assert list(found.as_dict().values()) == ["red"] and (data_format, body) == ("MQSTR", b"body")


def test_a_message_with_its_header_takes_the_short_way_off_the_queue() -> None:
    here = Sending()
    here.put_far(_with_properties("other.colour"), Format="MQHRF2", CodedCharSetId=1208)
    assert not here.qm.get_plain(here.hconn, here.hobj, C.MQGMO_SYNCPOINT), "properties may have to be taken out"
    got = here.qm.get_plain(here.hconn, here.hobj, C.MQGMO_SYNCPOINT | C.MQGMO_PROPERTIES_FORCE_MQRFH2)
    assert got and b"other" in got[0].message.data
