"""Clients of other products, served: any byte order and code page, any level, with and without shared conversations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import helper_layouts as layouts
import pytest
from helper_raw_client import (
    ASYNC_MESSAGE,
    BACK,
    CMIT,
    CONN,
    GET,
    HEARTBEAT,
    NOTIFICATION,
    REQUEST_MSGS,
    SPI,
    STATUS,
    RawClient,
)

import libremq
from libremq.mqi import constants as C
from libremq.testing.serving import Served, served_queue_manager

QUEUE = "FOREIGN.Q"
PLAIN = "PLAIN.SVRCONN"  # SHARECNV(0)
SMALL = "SMALL.SVRCONN"
OPEN_BOTH = C.MQOO_INPUT_AS_Q_DEF | C.MQOO_OUTPUT
SUCCESS = (C.MQCC_OK, C.MQRC_NONE)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
            qm.define("CHANNEL", PLAIN, CHLTYPE="SVRCONN", SHARECNV=0)
            qm.define("CHANNEL", SMALL, CHLTYPE="SVRCONN", MAXMSGL=100_000)
        yield served
        assert not [text for text in said if "unexpected" in text]


def session(client: RawClient, *, keep: bool = False) -> None:
    """Connect, put, get, commit, back out, close, disconnect."""
    client.negotiate(keep=keep)
    connected = client.connect("QM1")
    assert connected.outcome == SUCCESS
    assert connected.parts["CONN"]["QMgrName"] == "QM1"
    assert connected.parts["CONN"]["ApplName"] == "raw client"
    assert len(connected.first.body) == 16 + client.connect_bytes
    opened = client.open(QUEUE, OPEN_BOTH, version=3)
    assert opened.outcome == SUCCESS
    assert opened.parts["OD"]["ResolvedQName"] == QUEUE
    hobj = opened.api["Hobj"]
    put = client.put(hobj, b"first", options=C.MQPMO_SYNCPOINT, ReplyToQ="REPLY.Q", Format="MQSTR", Priority=4)
    assert put.outcome == SUCCESS
    assert put.parts["DATALEN"]["DataLength"] == 5 and put.data == b""
    assert put.parts["PMO"]["ResolvedQName"] == QUEUE
    message_id = put.parts["MD"]["MsgId"]
    assert message_id.strip(b"\0")
    assert client.call(BACK).outcome == SUCCESS
    assert client.get(hobj).outcome == (C.MQCC_FAILED, C.MQRC_NO_MSG_AVAILABLE)
    assert client.put(hobj, b"second", options=C.MQPMO_SYNCPOINT, ReplyToQ="REPLY.Q", Priority=4).outcome == SUCCESS
    assert client.call(CMIT).outcome == SUCCESS
    got = client.get(hobj, options=C.MQGMO_SYNCPOINT)
    assert got.outcome == SUCCESS
    assert got.data == b"second" and got.parts["DATALEN"]["DataLength"] == 6
    assert (got.parts["MD"]["ReplyToQ"], got.parts["MD"]["Priority"]) == ("REPLY.Q", 4)
    assert got.parts["GMO"]["ResolvedQName"] == QUEUE
    assert client.call(CMIT).outcome == SUCCESS
    assert client.put1(QUEUE, b"third", version=1).outcome == SUCCESS
    got = client.get(hobj, version=1)
    assert got.data == b"third" and "GroupId" not in got.parts["MD"]
    assert client.close(hobj).outcome == SUCCESS
    assert client.close(hobj).outcome == (C.MQCC_FAILED, C.MQRC_HOBJ_ERROR)
    assert client.disconnect().outcome == SUCCESS


@pytest.mark.parametrize("big", [False, True], ids=["little", "big"])
@pytest.mark.parametrize("ebcdic", [False, True], ids=["ascii", "ebcdic"])
@pytest.mark.parametrize("channel", ["SYSTEM.DEF.SVRCONN", PLAIN])
@pytest.mark.parametrize("keep", [False, True], ids=["changes", "keeps"])
def test_a_session_in_any_byte_order_and_code_page(
    served: Served, big: bool, ebcdic: bool, channel: str, keep: bool
) -> None:
    with RawClient(served.port, channel=channel, big=big, ebcdic=ebcdic) as client:
        session(client, keep=keep)
        assert (client.big, client.ebcdic) == ((big, ebcdic) if keep else (False, False))
        shared = channel != PLAIN
        assert all(segment.shared is shared for segment in client.received[1:])


@pytest.mark.parametrize("fap", range(4, 18))
def test_every_level_from_4_on(served: Served, fap: int) -> None:
    with RawClient(served.port, fap=fap) as client:
        session(client)
        assert client.agreed["FapLevel"] == min(fap, 13)
        assert len(client.received[0].body) == layouts.ID_LENGTHS[fap]
        assert ("ConversationsPerSocket" in client.agreed) is (fap >= 9)


def test_a_level_below_4_is_refused_with_its_status(served: Served) -> None:
    with RawClient(served.port, fap=4, id_bytes=44) as client:
        refused = client.offer()
        assert refused.kind == STATUS and refused.parts["STATUS"]["Code"] == 242
        assert client.ended()


@pytest.mark.parametrize("size", [120, 260, 332, 460, 472])
def test_mqconn_of_every_size_is_answered_in_that_size(served: Served, size: int) -> None:
    with RawClient(served.port, connect_bytes=size) as client:
        client.negotiate()
        answer = client.connect("QM1")
        assert answer.outcome == SUCCESS
        assert len(answer.first.body) == 16 + size
        body = answer.first.body[16:]
        if size >= 260:
            assert body[120:124] == b"FCNO" and body[132:156].strip(b"\0")
        if size >= 460:
            assert body[260:264] == b"MQCT"
        assert client.connect("QM1").outcome == (C.MQCC_FAILED, C.MQRC_ALREADY_CONNECTED)


def test_a_wrong_queue_manager_name_is_refused_in_the_size_of_the_request(served: Served) -> None:
    with RawClient(served.port) as client:
        client.negotiate()
        answer = client.connect("OTHER")
        assert answer.outcome == (C.MQCC_FAILED, C.MQRC_Q_MGR_NAME_ERROR)
        assert len(answer.first.body) == 16 + 332
        assert answer.parts["CONN"]["QMgrName"] == "OTHER"
        client.end_conversation(1, last=True)
        assert client.ended()


@pytest.mark.parametrize("long_header", [False, True], ids=["CAUT", "CAUT17"])
@pytest.mark.parametrize("ebcdic", [False, True], ids=["ascii", "ebcdic"])
def test_credentials_in_both_forms(served: Served, long_header: bool, ebcdic: bool) -> None:
    from libremq.common import users_file

    event_loop = served.event_loop
    users_file.set_password(event_loop.manager.core.files, event_loop.folder, "alice", "pass word")
    for password, expected in (("pass word", SUCCESS), ("wrong", (C.MQCC_FAILED, C.MQRC_NOT_AUTHORIZED))):
        with RawClient(served.port) as client:
            client.negotiate()
            client.ebcdic, client.charset = ebcdic, "cp500" if ebcdic else "latin-1"
            accepted = client.log_on("alice", password, long_header=long_header)
            assert (accepted.kind, accepted.flags, accepted.first.body) == (STATUS, 0x40, b"")
            assert client.connect("QM1").outcome == expected


def test_a_get_by_request_brings_one_message(served: Served) -> None:
    with RawClient(served.port, big=True) as client:
        client.negotiate()
        client.connect()
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        for number in range(3):
            client.put(hobj, b"message %d" % number, CorrelId=bytes([number]) * 24)
        one = client.request_messages(hobj, match={"CorrelId": b"\x01" * 24})
        assert one.kind == ASYNC_MESSAGE and one.first.header["RequestId"] == 1
        assert one.data == b"message 1"
        first = one.parts["ASYNC_MESSAGE_FIRST"]
        assert (first["Reason"], first["TotalMsgLength"], first["ActualMsgLength"]) == (0, 9, 9)
        assert first["Status"] == 1
        assert one.parts["ASYNC_MESSAGE"]["SelectionIndex"] == 1
        assert one.parts["ASYNC_MESSAGE"]["SegmentLength"] == 9
        # The selection that was given last counts until there is another
        nothing = client.request_messages(hobj, flags=0x08, received=9 + 364)
        assert nothing.kind == NOTIFICATION
        assert nothing.parts["NOTIFICATION"] == {"Version": 1, "Hobj": hobj, "Code": 15, "Value": 2033}
        other = client.request_messages(hobj, index=2, version=1)
        assert other.data == b"message 0" and "GroupId" not in other.parts["MD"]
        assert other.parts["ASYNC_MESSAGE"]["SelectionIndex"] == 2
        token = other.parts["ASYNC_MESSAGE_FIRST"]["MsgToken"]
        assert client.request_messages(hobj, index=3, match={"MsgToken": token}).kind == NOTIFICATION
        assert client.request_messages(hobj, index=4, match={"MsgId": b"\x07" * 24}).kind == NOTIFICATION
        assert client.request_messages(hobj, index=5).data == b"message 2"
        client.disconnect()


def test_a_get_by_request_waits(served: Served) -> None:
    with RawClient(served.port) as waiting, RawClient(served.port) as putting:
        for client in (waiting, putting):
            client.negotiate()
            client.connect()
        hobj = waiting.open(QUEUE, OPEN_BOTH).api["Hobj"]
        options = C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT
        assert waiting.request_messages(hobj, options=options, wait_ms=20).kind == NOTIFICATION
        values = {"Version": 1, "Hobj": hobj, "RequestedBytes": 1, "MaxMsgLength": -1, "GetMsgOptions": options}
        body = waiting.pack("REQUEST_MSGS", {**values, "WaitInterval": 30_000, "RequestFlags": 8})
        waiting.send(REQUEST_MSGS, body, request=1)
        putting.put1(QUEUE, b"at last")
        assert waiting.receive().data == b"at last"


@pytest.mark.parametrize("sharing", [0, 10])
def test_heartbeats_while_a_get_waits(served: Served, sharing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without shared conversations they come only then; a client answers, and its get goes on."""
    monkeypatch.setattr("libremq.common.silence.ANSWER_MIN_S", 240.0)  # for a client that is only slow to answer
    with libremq.connect(served.url("local")) as qm:
        qm.define("CHANNEL", "LIVELY.SVRCONN", CHLTYPE="SVRCONN", SHARECNV=sharing, HBINT=1)
    with RawClient(served.port, channel="LIVELY.SVRCONN") as client:
        client.negotiate()
        client.connect()
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        options = C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT
        body = client.md() + client.gmo(options, WaitInterval=-1) + client.number(100)
        client.send(GET, client.pack("API", {"Hobj": hobj}) + body)
        for _ in range(2):
            beat = client.receive_segment()
            assert beat is not None and (beat.kind, beat.flags & 1, beat.body) == (HEARTBEAT, 1, b"")
            assert beat.shared is (sharing > 0)
            client.send(HEARTBEAT, b"")
        with libremq.connect(served.url("local")) as qm:
            qm.queue(QUEUE).put(b"at last")
        assert client.receive().data == b"at last"
        client.send(HEARTBEAT, b"", flags=0x31)
        answer = client.receive_segment()
        while answer is not None and answer.flags & 1:  # it asks, too, if a second has passed meanwhile
            client.send(HEARTBEAT, b"")
            answer = client.receive_segment()
        assert answer is not None and (answer.kind, answer.flags & 1) == (HEARTBEAT, 0)


def test_bits_of_our_own_mean_nothing_from_others(served: Served) -> None:
    with RawClient(served.port) as client:
        client.negotiate()
        client.connect()
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        for number in range(3):
            client.put(hobj, b"%d" % number)
        assert client.request_messages(hobj, flags=0x0718).data == b"0"
        # Had it been a batch, two more messages and a notice would come before this reply
        assert client.get(hobj).data == b"1"
        # The length of any message is of ours, too; and so are encoded properties
        assert client.get(hobj, -(1 << 31)).outcome == (C.MQCC_FAILED, C.MQRC_BUFFER_LENGTH_ERROR)
        body = client.md() + client.pmo(version=3, NewMsgHandle=1) + client.number(1) + b"x"
        assert client.call(0x86, body, hobj).outcome == (C.MQCC_FAILED, C.MQRC_HMSG_ERROR)
        put = client.put(hobj, b"answered", options=C.MQPMO_ASYNC_RESPONSE | C.MQPMO_NO_SYNCPOINT)
        assert put.outcome == SUCCESS
        client.send(0xC1, client.pack("API", {}) + b"LMQX")
        ended = client.receive()
        assert ended.kind == STATUS and ended.parts["STATUS"]["Code"] == 10
        assert client.ended()


@pytest.mark.parametrize("channel", ["SYSTEM.DEF.SVRCONN", PLAIN])
@pytest.mark.parametrize("max_segment", [1024, 32748])
def test_long_messages_travel_in_several_segments_both_ways(served: Served, channel: str, max_segment: int) -> None:
    data = bytes(range(256)) * 390
    with RawClient(served.port, channel=channel, max_segment=max_segment) as client:
        client.negotiate()
        client.connect()
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        for _ in range(2):
            assert client.put(hobj, data).outcome == SUCCESS
        got = client.get(hobj)
        assert got.data == data
        assert [s.flags for s in got.segments] == [0x10, *[0] * (len(got.segments) - 2), 0x20]
        assert all(len(s.raw) <= max_segment for s in got.segments) and len(got.segments) > 2
        if channel != PLAIN:
            asked = client.request_messages(hobj)
            assert asked.data == data
            pieces = [dict(layouts.parts_of(s)[1][2]) for s in asked.segments]
            assert [piece["SegmentIndex"] for piece in pieces] == list(range(len(pieces)))
            assert sum(piece["SegmentLength"] for piece in pieces) == len(data)
            for piece, segment in zip(pieces[1:], asked.segments[1:]):
                assert piece["SegmentLength"] == len(segment.body) - 24


def test_a_message_for_a_small_buffer(served: Served) -> None:
    with RawClient(served.port) as client:
        client.negotiate()
        client.connect()
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        client.put(hobj, b"0123456789")
        part = client.request_messages(hobj, max_length=4)
        first = part.parts["ASYNC_MESSAGE_FIRST"]
        assert first["Reason"] == C.MQRC_TRUNCATED_MSG_FAILED
        assert (first["TotalMsgLength"], first["ActualMsgLength"], part.data) == (10, 4, b"0123")
        assert client.request_messages(hobj, max_length=10, flags=8).data == b"0123456789"


def test_a_message_over_the_channels_maximum_ends_the_channel(served: Served) -> None:
    with RawClient(served.port, channel=SMALL) as client:
        client.negotiate()
        assert client.agreed["MaxMsgSize"] == 100_000
        client.connect()
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        assert client.put(hobj, bytes(100_000)).outcome == SUCCESS
        client.send(0x86, client.pack("API", {"Hobj": hobj}) + bytes(200_000))
        ended = client.receive()
        assert ended.kind == STATUS and ended.parts["STATUS"]["Code"] == 18


@pytest.mark.parametrize("ebcdic", [False, True], ids=["ascii", "ebcdic"])
def test_inquire_and_set(served: Served, ebcdic: bool) -> None:
    with RawClient(served.port, big=True, ebcdic=ebcdic) as client:
        client.negotiate(keep=True)
        client.connect()
        manager = client.open("", C.MQOO_INQUIRE, kind=C.MQOT_Q_MGR).api["Hobj"]
        found = client.inquire(manager, [31, 32, 2, C.MQCA_Q_MGR_NAME], 3, 48)
        assert found.outcome == SUCCESS
        assert (found.parts["INQ"]["IntAttrCount"], found.parts["INQ"]["CharAttrLength"]) == (3, 48)
        assert found.data[-48:].rstrip() == b"QM1"
        short = client.inquire(manager, [31, 32, 2, C.MQCA_Q_MGR_NAME], 1, 2)
        assert short.outcome == (C.MQCC_WARNING, C.MQRC_INT_ATTR_COUNT_TOO_SMALL)
        assert (short.parts["INQ"]["IntAttrCount"], short.parts["INQ"]["CharAttrLength"]) == (1, 2)
        assert client.inquire(manager, [C.MQCA_Q_MGR_NAME], 0, 2).outcome == (
            C.MQCC_WARNING, C.MQRC_CHAR_ATTRS_TOO_SHORT,
        )  # fmt: skip
        hobj = client.open(QUEUE, C.MQOO_INQUIRE | C.MQOO_SET).api["Hobj"]
        selectors = [C.MQIA_INHIBIT_GET, C.MQCA_TRIGGER_DATA]
        assert client.set(hobj, selectors, [1], client.text("data".ljust(64))).outcome == SUCCESS
        found = client.inquire(hobj, selectors, 1, 64)
        assert found.data[-64:].rstrip() == b"data"
        assert client.inquire(hobj, [9999], 1, 0).outcome == (C.MQCC_FAILED, C.MQRC_SELECTOR_ERROR)


@pytest.mark.parametrize("form", [0, 28, 84])
def test_mqopen_is_answered_in_its_own_form(served: Served, form: int) -> None:
    with RawClient(served.port) as client:
        client.negotiate()
        client.connect()
        opened = client.open(QUEUE, OPEN_BOTH, version=4, attributes_bytes=form)
        assert opened.outcome == SUCCESS
        assert len(opened.first.body) == 16 + 400 + 4 + form
        if form:
            assert opened.parts["FOPA"]["Length"] == form


def test_a_selection_string_behind_the_mqod(served: Served) -> None:
    with RawClient(served.port) as client:
        client.negotiate()
        client.connect()
        text = b"Root.MQMD.Priority > 5"
        values = {
            "StrucId": "OD", "Version": 4, "ObjectType": 1, "ObjectName": QUEUE, "SelectionStringOffset": 400,
            "SelectionStringLength": len(text), "SelectionStringCCSID": 1208,
        }  # fmt: skip
        body = client.pack("OD", values) + text + bytes(-len(text) % 4) + client.number(C.MQOO_INPUT_SHARED)
        opened = client.call(0x83, body)
        assert opened.outcome == SUCCESS
        for priority in (3, 7):
            client.put1(QUEUE, b"%d" % priority, Priority=priority)
        assert client.get(opened.api["Hobj"]).data == b"7"
        assert client.get(opened.api["Hobj"]).outcome == (C.MQCC_FAILED, C.MQRC_NO_MSG_AVAILABLE)


def test_the_spi_is_refused_and_the_session_goes_on(served: Served) -> None:
    with RawClient(served.port) as client:
        client.negotiate()
        assert client.agreed["CapFlags2"] & 0x40 == 0
        client.connect()
        query = b"".join((client.number(1), client.number(0), client.number(0)))
        for part in ("SPQU", "SPQI"):
            query += client.text(part) + client.number(1) + client.number(12)
        assert client.call(SPI, query).outcome == (C.MQCC_FAILED, C.MQRC_FUNCTION_NOT_SUPPORTED)
        assert client.open(QUEUE, OPEN_BOTH).outcome == SUCCESS


def test_conversations_share_a_socket_up_to_what_was_agreed(served: Served) -> None:
    with RawClient(served.port, sharing=2) as client:
        client.negotiate()
        assert client.agreed["ConversationsPerSocket"] == 2
        client.connect(application="one")
        client.another_conversation(3)
        assert client.connect(application="two").outcome == SUCCESS
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        client.put(hobj, b"of the second", options=C.MQPMO_SYNCPOINT)
        client.disconnect()
        client.end_conversation(3)
        client.conversation = 1
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        assert client.get(hobj).data == b"of the second"
        client.another_conversation(5)
        client.conversation = 1
        assert client.call(CMIT).outcome == SUCCESS
        client.send(0x0C, client.pack("SOCKET_ACTION", {"ConversationId": 7, "Type": 1}), letter="C")
        ended = client.receive()
        assert ended.kind == STATUS and ended.parts["STATUS"]["Code"] == 30


def test_a_wrong_channel_is_refused_with_its_status(served: Served) -> None:
    with RawClient(served.port, channel="NO.SUCH.CHANNEL", ebcdic=True, big=True) as client:
        refused = client.offer()
        assert (refused.kind, refused.flags & 0x0A) == (STATUS, 0x0A)
        assert refused.parts["STATUS"] == {"Length": 8, "Code": 1}
        assert client.ended()


def test_calls_before_mqconn_have_a_reason(served: Served) -> None:
    with RawClient(served.port) as client:
        client.negotiate()
        assert client.open(QUEUE, OPEN_BOTH).outcome == (C.MQCC_FAILED, C.MQRC_HCONN_ERROR)
        client.send(REQUEST_MSGS, client.pack("REQUEST_MSGS", {"Version": 1}))
        assert client.receive().kind == STATUS
    with RawClient(served.port) as client:
        client.send(CONN, bytes(136))
        assert client.receive().kind == STATUS


def test_xids_of_another_transaction_manager_come_back_as_they_were(served: Served) -> None:
    xid = b"FMT1" + bytes((5, 3)) + b"globebra"
    with RawClient(served.port) as client:
        client.negotiate()
        client.connect()

        def branch(kind: int, rest: bytes = b"", flags: int = 0) -> tuple[int, bytes]:
            client.send(kind, client.pack("XA", {"TMFlags": flags, "RMId": 1}) + rest)
            reply = client.receive()
            assert reply.kind == kind + 0x10
            return layouts.decode("XA", reply.first.body)["ReturnValue"], reply.first.body[16:]

        padded = xid + bytes(-len(xid) % 4)
        assert branch(0xA3, b"\x04open") == (0, b"")
        assert branch(0xA1, padded) == (0, b"")
        hobj = client.open(QUEUE, OPEN_BOTH).api["Hobj"]
        client.put(hobj, b"in doubt", options=C.MQPMO_SYNCPOINT)
        assert branch(0xA2, padded) == (0, b"")
        assert branch(0xA5, padded) == (0, b"")
        assert branch(0xA9, client.number(10)) == (0, client.number(1) + padded)
        assert branch(0xA6, padded) == (0, b"")
        assert branch(0xA6, padded) == (-4, b"")
        assert branch(0xA9, client.number(10)) == (0, client.number(0))
        assert client.get(hobj).data == b"in doubt"
