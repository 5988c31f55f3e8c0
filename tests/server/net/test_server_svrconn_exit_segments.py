"""Exits of server-connection channels over real sockets: every segment on its way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_exit_site import CHANNEL, QUEUE, REFUSES, WHO, Site, connect_flow, initial_flow, made
from helper_peers import get_flow, put_flow, wait_until

import libremq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.wire import calls, session_flows
from libremq.wire.protocol import CONFIRM_REQUEST, MAX_SEGMENT, WHOLE, Action, Status, Type
from libremq.wire.segments import TSHM_BYTES, Flow, SegmentReader, frame, frame_plain, header_bytes


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with made(tmp_path, secured=False) as found:
        yield found


WATCH = """
def watch(call):
    area = call.user_area
    if call.reason == C.MQXR_XMIT:
        area["calls"] = area.get("calls", 0) + 1
        note(call.user_data, call.conversation, call.segment_type, area["calls"])
    else:
        note(call.user_data, call.conversation, REASONS[call.reason], area.get("calls", 0))
"""


def test_send_and_receive_exits_see_every_segment_in_the_order_of_the_chain(site: Site) -> None:
    site.write(WATCH)
    site.channel(
        SENDEXIT=("mine(watch)", "mine(watch)"), SENDDATA=("s1", "s2"),
        RCVEXIT=("mine(watch)", "mine(watch)"), RCVDATA=("r1", "r2"), MONCHL="HIGH",
    )  # fmt: skip
    site.alter("QMGR", "", MONCHL="LOW")
    with libremq.connect(site.url()) as qm:
        qm.put(QUEUE, b"one")
        with qm.queue(QUEUE) as queue:
            assert queue.get(1).data == b"one"
        [instance] = site.served.embedded.executor.operations.channel_instances()
        assert instance.exit_time[1] > 0
        with libremq.connect(f"local:QM1?data={site.served.data}") as local:
            [shown] = local.mqsc(f"DISPLAY CHSTATUS({CHANNEL}) EXITTIME")
            assert shown.rows[0]["exittime"][1] > 0
    site.is_idle()
    noted = site.noted
    for first, second in (("r1", "r2"), ("s1", "s2")):
        mine = [note for note in noted if note[0] in (first, second)]
        ordinary = [note for note in mine if isinstance(note[2], int)]
        assert [note[0] for note in ordinary] == [first, second] * (len(ordinary) // 2)
        assert [note[2] for note in mine[:2]] == ["INIT", "INIT"]
        assert [note[2:] for note in mine[-2:]] == [["TERM", len(ordinary) // 2]] * 2
    came = [note[2] for note in noted if note[0] == "r1"]
    sent = [note[2] for note in noted if note[0] == "s1"]
    for kind in (Type.MQCONN, Type.MQOPEN, Type.MQDISC):
        assert came.count(kind) == sent.count(kind + 0x10) > 0
    assert came.count(Type.USERID_DATA) == 1
    assert Type.SOCKET_ACTION not in came and Type.INITIAL_DATA not in came + sent


def test_all_that_a_client_does_passes_exits_that_only_look(site: Site) -> None:
    site.write("seen = []\ndef look(call):\n    seen.append(len(call.data))\n    return call.data or None\n")
    site.channel(SENDEXIT=("mine(look)",), RCVEXIT=("mine(look)",), MAXMSGL=4 << 20)
    few = [b"%d" % number for number in range(200)]
    with libremq.connect(site.url()) as qm, qm.queue(QUEUE) as queue:
        long = os.urandom(1 << 20)  # many segments, both ways
        queue.put(long)
        assert queue.get(1).data == long
        queue.put_many(few)
        assert [one.data for one in queue.browse()] == few
        assert [one.data for one in queue.get_many(200)] == few
        assert queue.get_or_none(0.001) is None
        queue.put_many(few)
        consumed: list[bytes] = []
        with queue.consume(lambda message: consumed.append(message.data)):
            wait_until(lambda: len(consumed) == len(few))
        assert consumed == few
    site.is_idle()


MASK = """
def mask(call):
    if call.reason == C.MQXR_INIT:
        call.exit_space = 4
    if call.reason == C.MQXR_XMIT:
        head = call.header_bytes
        return call.data[:head] + b"\\x07\\x07\\x07\\x07" + bytes(byte ^ 7 for byte in call.data[head:])

def unmask(call):
    if call.reason == C.MQXR_XMIT:
        head = call.header_bytes
        if call.data[head:head + 4] != b"\\x07\\x07\\x07\\x07":
            raise CloseChannel("it is not masked")
        return call.data[:head] + bytes(byte ^ 7 for byte in call.data[head + 4:])
"""


def masked(data: bytes) -> bytes:
    return b"".join(
        one[:4] + (len(one) + 4).to_bytes(4, "big") + one[8 : header_bytes(one)]
        + b"\7\7\7\7" + bytes(byte ^ 7 for byte in one[header_bytes(one) :])
        for one in segments(data)
    )  # fmt: skip


def segments(data: bytes) -> list[bytes]:
    found = []
    while data:
        length = int.from_bytes(data[4:8], "big")
        found.append(data[:length])
        data = data[length:]
    return found


def unmasked(flow: Flow) -> bytes:
    assert flow.body[:4] == b"\7\7\7\7"
    return bytes(byte ^ 7 for byte in flow.body[4:])


def test_exits_can_change_and_lengthen_what_is_behind_the_header(site: Site) -> None:
    site.write(MASK)
    site.channel(SENDEXIT=("mine(mask)",), RCVEXIT=("mine(unmask)",))
    with site.peer() as peer:
        peer.negotiate()

        def ask(data: bytes) -> bytes:
            peer.send(masked(data))
            return unmasked(peer.answer())

        ask_user = frame(Type.USERID_DATA, session_flows.pack_user("peer"), 1)
        assert calls.unpack_api(ask(ask_user + connect_flow())).reason == C.MQRC_NONE
        opened = ask(
            frame(Type.MQOPEN, calls.pack_open(0, MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED), 1)
        )
        hobj = calls.unpack_api(opened).hobj
        data = os.urandom(300_000)
        body = calls.pack_put(hobj, MQMD(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), data)
        assert calls.unpack_api(ask(frame(Type.MQPUT, body, 1, max_segment=MAX_SEGMENT - 4))).reason == C.MQRC_NONE
        peer.send(masked(get_flow(hobj)))
        # Its segments are one flow: each was masked by itself, and none is longer than was agreed
        raw = b""
        while not raw or sum(map(len, segments_whole(raw))) != len(raw) or not _is_last(segments_whole(raw)[-1]):
            raw += peer.socket.recv(1 << 18)
        pieces = segments_whole(raw)
        assert len(pieces) > 4 and max(map(len, pieces)) == MAX_SEGMENT
        reader = SegmentReader(MAX_SEGMENT, 1 << 20)
        flows = [flow for one in pieces for flow in reader.feed(_unmask_segment(one))]
        assert len(flows) == 1 and data in flows[0].body
        peer.send(get_flow(hobj))  # not masked
        assert peer.refused() == Status.CLOSED_BY_EXIT
    assert any("AMQ9536W" in line and "it is not masked" in line for line in site.said)
    site.is_idle()


def segments_whole(data: bytes) -> list[bytes]:
    return [one for one in segments(data) if len(one) >= TSHM_BYTES and len(one) == int.from_bytes(one[4:8], "big")]


def _is_last(segment: bytes) -> bool:
    return bool(segment[18] & 0x20)


def _unmask_segment(one: bytes) -> bytes:
    rest = bytes(byte ^ 7 for byte in one[TSHM_BYTES + 4 :])
    return one[:4] + (len(one) - 4).to_bytes(4, "big") + one[8:TSHM_BYTES] + rest


def test_exits_see_the_same_segments_however_they_arrive(site: Site) -> None:
    site.write(WATCH)
    site.channel(RCVEXIT=("mine(watch)",), RCVDATA=("r",))
    with site.peer() as peer:
        peer.negotiate()
        stream = frame(Type.USERID_DATA, session_flows.pack_user("peer"), 1) + connect_flow()
        for at in range(0, len(stream), 7):
            peer.send(stream[at : at + 7])
        assert peer.reply().reason == C.MQRC_NONE
        peer.send(frame(Type.HEARTBEAT, b"", 1) * 3)
        assert peer.call(Type.MQDISC, calls.pack_api(0, 0, 0)).reason == C.MQRC_NONE
    site.is_idle()
    kinds = [note[2] for note in site.noted if isinstance(note[2], int)]
    assert kinds[-6:] == [Type.USERID_DATA, Type.MQCONN, *[Type.HEARTBEAT] * 3, Type.MQDISC]


def test_a_receive_exit_ends_the_channel_and_nothing_of_it_remains(site: Site) -> None:
    site.write(
        "def check(call):\n"
        "    if call.reason == C.MQXR_XMIT and b'evil' in call.data:\n"
        "        raise CloseChannel('evil')\n"
    )
    site.channel(RCVEXIT=("mine(check)",))
    with pytest.raises(MQError) as caught, libremq.connect(site.url()) as qm, qm.transaction():
        qm.put(QUEUE, b"good")
        qm.put(QUEUE, b"evil")
    assert caught.value.reason == C.MQRC_CONNECTION_BROKEN
    assert "exit" in caught.value.detail
    site.is_idle()
    assert site.depth() == 0  # backed out
    assert any("AMQ9536W" in line and "mine(check): evil" in line for line in site.said)


@pytest.mark.parametrize("answer", ["raise CloseChannel('secret')", "return b'short'", "raise ValueError('secret')"])
def test_a_send_exit_ends_the_channel_and_what_comes_after_is_not_sent(site: Site, answer: str) -> None:
    site.write(f"def check(call):\n    if call.reason == C.MQXR_XMIT and b'secret' in call.data:\n        {answer}\n")
    site.channel(SENDEXIT=("mine(check)",))
    with libremq.connect(f"local:QM1?data={site.served.data}") as local:
        local.put(QUEUE, b"a secret")
        local.put(QUEUE, b"public")
    with site.peer() as peer:
        peer.connect()
        hobj = peer.open(QUEUE, C.MQOO_INPUT_SHARED)
        peer.send(get_flow(hobj, C.MQGMO_SYNCPOINT) + get_flow(hobj, C.MQGMO_SYNCPOINT))
        assert peer.refused() == Status.CLOSED_BY_EXIT
    site.is_idle()
    assert site.depth() == 2


def test_a_get_that_waits_is_answered_through_the_exits(site: Site) -> None:
    site.write(WATCH)
    site.channel(SENDEXIT=("mine(watch)",), SENDDATA=("s",))
    with site.peer() as peer, site.peer() as other:
        peer.connect()
        hobj = peer.open(QUEUE, C.MQOO_INPUT_SHARED)
        peer.send(get_flow(hobj, C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, 60_000))
        links = site.served.event_loop.links
        wait_until(
            lambda: site.served.in_loop(lambda: any(one.waits for link in links for one in link.conversations.values()))
        )
        other.connect()
        other.send(put_flow(other.open(QUEUE, C.MQOO_OUTPUT), b"late"))
        assert other.reply().reason == C.MQRC_NONE
        assert b"late" in peer.answer().body
    assert [note[2] for note in site.noted].count(Type.MQGET + 0x10) == 1


def test_a_peer_that_does_not_read_gets_it_all_in_the_end(site: Site) -> None:
    site.write(WATCH)
    site.channel(RCVEXIT=("mine(watch)",), RCVDATA=("r",), SENDEXIT=("mine(watch)",), SENDDATA=("s",))
    count, size = 40, 200_000
    with libremq.connect(f"local:QM1?data={site.served.data}") as local:
        for number in range(count):
            local.put(QUEUE, bytes([number]) * size)
    with site.peer(small_buffer=True) as peer:
        peer.connect()
        hobj = peer.open(QUEUE, C.MQOO_INPUT_SHARED)
        peer.send(get_flow(hobj) * count + connect_flow(1))
        links = site.served.event_loop.links
        wait_until(lambda: site.served.in_loop(lambda: any(link._stopped for link in links)))
        for number in range(count):
            assert bytes([number]) * size in peer.answer().body
        assert peer.reply().reason == C.MQRC_ALREADY_CONNECTED
    site.is_idle()
    assert [note[2] for note in site.noted if note[0] == "r"].count(Type.MQGET) == count


# Conversations


def test_each_conversation_has_exits_of_its_own(site: Site) -> None:
    site.write(WATCH + WHO)
    site.channel(SCYEXIT="mine(who)", RCVEXIT=("mine(watch)",), RCVDATA=("r",), SHARECNV=3)
    with site.peer() as peer:
        peer.negotiate()
        assert peer.connect_on(1, "one") == C.MQRC_NONE
        peer.begin(3)
        assert peer.connect_on(3, "three") == C.MQRC_NONE
        for number in (1, 3, 3, 1):
            peer.send(frame(Type.MQCMIT, calls.pack_api(0, 0, 0), number))
            assert peer.answer().conversation == number
        peer.finish(3)
        wait_until(lambda: ["r", 3, "TERM", 4] in site.noted)
        peer.begin(3)
        assert peer.connect_on(3, "again") == C.MQRC_NONE
    site.is_idle()
    segments = [note for note in site.noted if note[0] == "r"]
    first = [note[2:] for note in segments if note[1] == 1]
    second = [note[2:] for note in segments if note[1] == 3]
    talk = [[Type.USERID_DATA, 1], [Type.MQCONN, 2]]
    work = [[Type.MQCMIT, 3], [Type.MQCMIT, 4]]
    assert first == [["INIT", 0], *talk, *work, ["TERM", 4]]
    assert second == [["INIT", 0], *talk, *work, ["TERM", 4], ["INIT", 0], *talk, ["TERM", 2]]
    asked = [(note[5], note[8]) for note in site.noted if note[0] == "INIT_SEC"]
    assert asked == [("one", 1), ("three", 3), ("again", 3)]


def test_a_conversation_that_is_refused_leaves_the_others(site: Site) -> None:
    site.write(REFUSES)
    site.channel(SCYEXIT="mine(doorman)", SHARECNV=3)
    with site.peer() as peer:
        peer.negotiate()
        assert peer.connect_on(1, "alice") == C.MQRC_NONE
        peer.begin(3)
        for _ in range(2):  # it may try again, and is asked again
            assert peer.connect_on(3, "mallory") == C.MQRC_CHANNEL_NOT_AVAILABLE
        assert peer.connect_on(3, "alice") == C.MQRC_NONE
        peer.send(frame(Type.MQCMIT, calls.pack_api(0, 0, 0), 1))
        assert peer.reply().reason == C.MQRC_NONE
    site.is_idle()


def test_an_exit_that_does_not_want_to_begin_ends_the_channel(site: Site) -> None:
    site.write(
        "def one(call):\n"
        "    note(REASONS[call.reason], call.conversation)\n"
        "    if call.reason == C.MQXR_INIT and call.conversation > 1:\n"
        "        raise CloseChannel('one is enough')\n"
    )
    site.channel(SCYEXIT="mine(one)", SHARECNV=3)
    with site.peer() as peer:
        peer.connect()
        peer.send(frame_plain(Type.SOCKET_ACTION, session_flows.pack_action(3, Action.START), letter=b"C"))
        assert peer.refused() == Status.CLOSED_BY_EXIT
    site.is_idle()
    assert site.noted == [["INIT", 1], ["INIT_SEC", 1], ["INIT", 3], ["TERM", 3], ["TERM", 1]]


def test_a_conversation_is_there_when_its_first_call_comes_at_the_same_time(site: Site) -> None:
    site.write(WHO)
    site.channel(SCYEXIT="mine(who)", SHARECNV=10)
    with site.peer() as peer:
        peer.negotiate()
        start = frame_plain(Type.SOCKET_ACTION, session_flows.pack_action(5, Action.START), letter=b"C")
        peer.send(start + connect_flow(5))
        assert peer.answer().kind == Type.SOCKET_ACTION
        assert peer.reply().reason == C.MQRC_NONE
    site.is_idle()
    assert [note[8] for note in site.noted if note[0] == "INIT_SEC"] == [5]


def test_a_channel_that_shares_nothing_has_exits(site: Site) -> None:
    site.write(WATCH)
    site.channel(RCVEXIT=("mine(watch)",), RCVDATA=("r",), SENDEXIT=("mine(watch)",), SENDDATA=("s",), SHARECNV=0)
    with site.peer() as peer:
        peer.send(initial_flow())
        assert session_flows.unpack_initial(peer.answer().body).sharing == 0
        body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
        peer.send(
            frame_plain(Type.USERID_DATA, session_flows.pack_user("peer"))
            + frame_plain(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body)
        )
        assert calls.unpack_api(peer.answer().body).reason == C.MQRC_NONE
    site.is_idle()
    seen = [(note[0], note[2]) for note in site.noted if isinstance(note[2], int)]
    assert seen == [("r", Type.USERID_DATA), ("r", Type.MQCONN), ("s", Type.MQCONN + 0x10)]


# Nothing gets past them


def test_whoever_does_not_wait_for_the_answer_does_not_get_past_the_exits(site: Site) -> None:
    site.write(WATCH)
    site.channel(RCVEXIT=("mine(watch)",))
    user = frame(Type.USERID_DATA, session_flows.pack_user("mallory"), 1)
    for early in (initial_flow() + user + connect_flow(), initial_flow() + connect_flow()[:20], user + initial_flow()):
        with site.peer() as peer:
            peer.send(early)
            assert peer.refused() == Status.PROTOCOL_GENERAL
    site.is_idle()
    assert site.noted == []


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (frame(Type.MQCONN, b"", 7), Status.CONV_ID_ERROR),
        (frame(Type.USERID_DATA, session_flows.pack_user("mallory"), 7), Status.CONV_ID_ERROR),
        (frame_plain(Type.USERID_DATA, session_flows.pack_user("mallory")), Status.CONV_ID_ERROR),
        (b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", Status.PROTOCOL_INVALID_DATA),
        (b"TSHM" + (30).to_bytes(4, "big") + bytes(40), Status.PROTOCOL_LENGTH_ERROR),
        (b"TSH " + (1 << 30).to_bytes(4, "big") + bytes(40), Status.PROTOCOL_LENGTH_ERROR),
        (b"TSH " + bytes(40), Status.PROTOCOL_LENGTH_ERROR),
    ],
)
def test_what_is_no_segment_of_a_conversation_is_refused(site: Site, data: bytes, status: Status) -> None:
    site.write(WATCH)
    site.channel(RCVEXIT=("mine(watch)",))
    with site.peer() as peer:
        peer.negotiate()
        peer.send(data)
        assert peer.refused() == status
    site.is_idle()
    assert [note[2] for note in site.noted] == ["INIT", "TERM"]


def test_a_change_of_the_definition_counts_for_the_next_instance(site: Site) -> None:
    site.write(WATCH)
    site.channel(RCVEXIT=("mine(watch)",), RCVDATA=("before",), SHARECNV=3)
    with site.peer() as peer:
        peer.connect()
        site.alter("CHANNEL", CHANNEL, RCVEXIT=("mine(watch)",), RCVDATA=("after",))
        site.write("broken(")
        peer.begin(3)
        assert peer.connect_on(3) == C.MQRC_NONE
        assert {note[0] for note in site.noted} == {"before"}
        with pytest.raises(MQError) as caught:
            libremq.connect(site.url())
        assert caught.value.reason == C.MQRC_CHANNEL_NOT_AVAILABLE
        site.write(WATCH)
        libremq.connect(site.url()).close()
        assert {note[0] for note in site.noted} == {"before", "after"}
        site.alter("CHANNEL", CHANNEL, RCVEXIT=(), RCVDATA=())
        noted = len(site.noted)
        with libremq.connect(site.url()):
            exits = site.served.in_loop(lambda: [link.exits is not None for link in site.served.event_loop.links])
            assert sorted(exits)[0] is False
        assert all(note[2] == "TERM" for note in site.noted[noted:])
    site.is_idle()


def test_the_space_of_send_exits_must_fit_into_a_segment(site: Site) -> None:
    site.write("def wide(call):\n    call.exit_space = 16384\n    note(REASONS[call.reason])\n")
    site.channel(SENDEXIT=("mine(wide)",))
    with site.peer() as peer:
        peer._offer = session_flows.InitialData(CHANNEL, heartbeat_s=300, max_segment=8192)
        peer.send(
            frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(peer._offer), flags=WHOLE | CONFIRM_REQUEST)
        )
        assert peer.refused() == Status.CLOSED_BY_EXIT
    assert any("AMQ9186E" in line for line in site.said)
    assert site.noted == [["INIT"], ["TERM"]]
    site.is_idle()


def test_stop_channel_and_the_end_of_the_queue_manager_call_the_exits_a_last_time(tmp_path: Path) -> None:
    with made(tmp_path, secured=False) as site:
        site.write(WATCH)
        site.channel(RCVEXIT=("mine(watch)",), RCVDATA=("r",))
        with site.peer() as peer:
            peer.connect()
            with libremq.connect(f"local:QM1?data={site.served.data}") as local:
                local.mqsc(f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE)")
            while peer.receive() is not None:
                pass
        site.is_idle()
        assert [note[2] for note in site.noted].count("TERM") == 1
        last = site.peer()
        last.connect()
    wait_until(lambda: [note[2] for note in site.noted].count("TERM") == 2)
    last.socket.close()


def test_the_header_of_a_segment_is_not_theirs_to_change(site: Site) -> None:
    site.write(
        "def forge(call):\n"
        "    if call.reason == C.MQXR_XMIT:\n"
        "        return call.data[:11] + b'\\x09' + call.data[12:]  # another conversation\n"
    )
    site.channel(RCVEXIT=("mine(forge)",))
    site.refuses(C.MQRC_CONNECTION_BROKEN, "alice", message="AMQ9181E", word=f"first {TSHM_BYTES} bytes")
