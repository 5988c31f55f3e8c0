"""Wireshark's decoder reads what LibreMQ says: no malformed packet, nothing unknown but what is listed here.

Every field of every structure that the decoder shows is compared with the bytes that were sent, and every integer with
the number that they stand for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import helper_layouts as layouts
import helper_recording as recording
import pytest
from helper_raw_client import RawClient
from helper_recording import Recorded, RecordingProxy, Shown

import libremq
from libremq import MQError
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQDLH, MQGMO, MQMD, MQMD1, MQOD, MQPMO, MQSTS, MQXQH
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import message_channel, protocol, session_flows
from libremq.wire.message_channel import Resync
from libremq.wire.segments import NO_LUWID, frame_plain

pytestmark = pytest.mark.skipif(recording.TSHARK is None, reason="tshark is not installed (Debian package tshark)")

QUEUE = "TSHARK.Q"
EVERYTHING = C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT | C.MQOO_INQUIRE | C.MQOO_SET | C.MQOO_BROWSE

Unknown = tuple[int, str]
"""Segment type, and the field that the decoder has no words for ("" for bytes that are left over)."""

IN_EVERY_SESSION: dict[Unknown, str] = {
    (0x83, "mq.fopa.defputresponsetype"): "-1 in requests: clients leave it open, those of IBM too",
    (0x83, "mq.fopa.defreadahaed"): "the same",
    (0x93, "mq.fopa.defputresponsetype"): "-1 for what is no queue, as IBM's queue managers answer",
    (0x93, "mq.fopa.defreadahaed"): "the same; an alias or remote queue has none either",
    (0x93, "mq.fopa.propertycontrol"): "the same",
}
IN_OUR_DIALECT: dict[Unknown, str] = {
    **IN_EVERY_SESSION,
    (0xC1, "mq"): "extension calls have a segment type of ours",
    (0xC1, "mq.tsh.type"): "the same",
    (0xC1, ""): "and so has their body",
    (0xD1, "mq"): "replies to extension calls",
    (0xD1, "mq.tsh.type"): "the same",
    (0xD1, ""): "and their body",
    (0x81, "mq.conn.options"): "a connection for commands only",
    (0x91, "mq.conn.options"): "the reply repeats it",
    (0x8D, ""): "MQSTAT has no public layout behind the API header",
    (0x9D, ""): "the same",
    (0x83, ""): "texts behind the MQOD, as JSON",
    (0x93, ""): "response records, the same way",
    (0x0F, "mq.notif.code"): "CANCEL_GET and CONSUMER_CALL",
    (0xB7, "mq.xa.returnvalue"): "a reason code, negative, where others get an XAER",
}

BETWEEN_QUEUE_MANAGERS: dict[Unknown, str] = {
    (0x02, ""): "RESYNC_DATA has no public layout",
}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
            qm.define("CHANNEL", "LIVELY.SVRCONN", CHLTYPE="SVRCONN", HBINT=1)
            qm.define("CHANNEL", "PLAIN.SVRCONN", CHLTYPE="SVRCONN", SHARECNV=0)
        yield served


@pytest.fixture
def proxy(served: Served) -> Iterator[RecordingProxy]:
    with RecordingProxy(served.port) as proxy:
        yield proxy


def url(proxy: RecordingProxy, **keys: object) -> str:
    query = "&".join(f"{key}={value}" for key, value in keys.items())
    return f"mq://127.0.0.1:{proxy.port}/QM1" + (f"?{query}" if query else "")


@contextmanager
def refused(reason: int) -> Iterator[None]:
    with pytest.raises(MQError) as error:
        yield
    assert error.value.reason == reason


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + recording.LIMIT_S
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


# What tshark says, compared with what was sent


def check(connections: list[Recorded], port: int, path: Path, allowed: dict[Unknown, str]) -> set[int]:
    """Decode and compare; the segment types that were there."""
    recording.write_capture(path, connections, port)
    shown = recording.decode(path, port)
    whole = joined(shown)
    each_segment = [each for each in shown if each not in whole]
    sent = [segment for recorded in connections for _, segment in recorded.segments()]
    shown_lengths = [int(str(next(_named(each, "mq.tsh.seglength")).get("show"))) for each in each_segment]
    assert shown_lengths == [len(segment.raw) for segment in sent]
    compared = 0
    for segment, element in zip(sent, each_segment):
        found = unknown_in(segment.kind, element)
        assert found <= set(allowed), f"{found - set(allowed)} in {segment}"
        compared += compare(segment, element)
    for element in whole:
        kind = int(str(next(_named(element, "mq.tsh.type")).get("show")), 0)
        assert unknown_in(kind, element) <= set(allowed)
    assert compared > 20 * len(sent) > 0
    check_packets_of_any_size(connections, port, path, len(shown))
    return {segment.kind for segment in sent}


def joined(shown: list[Shown]) -> list[Shown]:
    """The flows of several segments, which are shown once more as a whole behind their last one."""
    titles = [each.get("showname") or "" for each in shown]
    return [each for before, each in zip(titles, shown[1:]) if "Last   Segment" in before]


def check_packets_of_any_size(connections: list[Recorded], port: int, path: Path, expected: int) -> None:
    """The same bytes as a network may cut them give the same segments."""
    for packet_bytes in (1460, 60_000):
        recording.write_capture(path, connections, port, packet_bytes=packet_bytes)
        assert len(recording.decode(path, port)) == expected


def unknown_in(kind: int, element: Shown) -> set[Unknown]:
    found: set[Unknown] = set()
    for field in element.iter():
        name = str(field.get("name"))
        assert "malformed" not in name, f"segment of type {kind:#x}: {[x.get('showname') for x in element.iter()]}"
        texts = (field.get("showname") or "", field.get("show") or "")
        if any("Unknown (" in text for text in texts):
            # A line of text has no name of its own
            found.add((kind, name if name.startswith("mq") else ""))
    return found


def _named(element: Shown, name: str) -> Iterator[Shown]:
    return (field for field in element.iter() if field.get("name") == name)


_SHOWN_OTHERWISE = {
    "mq.xa.tmflags",  # big-endian, whatever the segment says
}


def compare(segment: layouts.Segment, element: Shown) -> int:
    """Every field of the segment's structures, by its place in it; how many there were."""
    start = int(str(next(_named(element, "mq.tsh.structid")).get("pos")))
    by_place: dict[tuple[str, int], Shown] = {}
    for shown in element.iter():
        if shown.get("name") and shown.get("pos"):
            by_place.setdefault((str(shown.get("name")), int(str(shown.get("pos"))) - start), shown)
    count = 0
    for name, at, values in layouts.parts_of(segment):
        for field in layouts.LAYOUTS[name]:
            if field.shown == "-" or field.name not in values:
                continue
            place = at + field.offset
            raw = segment.raw[place : place + field.length]
            shown = by_place.get((field.shown, place))
            assert shown is not None, f"{name}.{field.name} of {segment.kind:#x} is not shown"
            assert shown.get("value") == raw.hex(), f"{name}.{field.name}"
            if field.kind in "iu" and field.shown not in _SHOWN_OTHERWISE:
                number = int(str(shown.get("show")), 0)
                bits = 8 * field.length
                assert number % (1 << bits) == values[field.name] % (1 << bits), f"{name}.{field.name}"
            count += 1
    return count


# Sessions


def full_session(proxy: RecordingProxy) -> None:
    """All that is in the public layouts."""
    with libremq.connect(url(proxy, application="tshark test")) as qm:
        mqi = qm.mqi
        hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), EVERYTHING)
        mqi.MQPUT(hobj, MQMD(Format="MQSTR", ReplyToQ="REPLY.Q", Priority=7), MQPMO(), b"one")
        mqi.MQPUT(hobj, MQMD(Version=2, GroupId=b"G" * 24), MQPMO(Version=3, Options=C.MQPMO_SYNCPOINT), b"two")
        mqi.MQCMIT()
        mqi.MQPUT(hobj, MQMD(), MQPMO(Version=2, Options=C.MQPMO_SYNCPOINT), b"never")
        mqi.MQBACK()
        od = MQOD(ObjectName=QUEUE, Version=4)
        mqi.MQPUT1(od, MQMD(), MQPMO(), b"three")
        for version in (1, 2, 3, 4):
            gmo = MQGMO(Version=version, Options=C.MQGMO_BROWSE_FIRST if version == 1 else C.MQGMO_BROWSE_NEXT)
            if version < 4:
                mqi.MQGET(hobj, MQMD(Version=1 + version % 2), gmo, 100)
        for expected in (b"one", b"two", b"three"):
            assert mqi.MQGET(hobj, MQMD(), MQGMO(), 100).data == expected
        with refused(C.MQRC_NO_MSG_AVAILABLE):
            mqi.MQGET(hobj, MQMD(), MQGMO(Options=C.MQGMO_WAIT, WaitInterval=10), 100)
        long = bytes(range(256)) * 600
        mqi.MQPUT(hobj, MQMD(), MQPMO(), long)
        assert mqi.MQGET(hobj, MQMD(), MQGMO(), len(long)).data == long
        mqi.MQPUT(hobj, MQMD(), MQPMO(), long)
        assert mqi.MQGET(hobj, MQMD(), MQGMO(), 10).reason == C.MQRC_TRUNCATED_MSG_FAILED
        assert mqi.MQGET(hobj, MQMD(), MQGMO(Options=C.MQGMO_ACCEPT_TRUNCATED_MSG), 10).length == len(long)
        values, _ = mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH, C.MQCA_Q_NAME, C.MQIA_MAX_Q_DEPTH])
        assert values == [0, QUEUE, 5000]
        mqi.MQSET(hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED, C.MQCA_TRIGGER_DATA: "some"})
        with refused(C.MQRC_PUT_INHIBITED):
            mqi.MQPUT(hobj, MQMD(), MQPMO(), b"refused")
        mqi.MQSET(hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_ALLOWED})
        with refused(C.MQRC_UNKNOWN_OBJECT_NAME):
            mqi.MQOPEN(MQOD(ObjectName="NO.SUCH.Q"), C.MQOO_OUTPUT)
        with refused(C.MQRC_UNKNOWN_OBJECT_NAME):
            mqi.MQPUT1(MQOD(ObjectName="NO.SUCH.Q"), MQMD(), MQPMO(), b"")
        with refused(C.MQRC_HOBJ_ERROR):
            mqi.MQCLOSE(4711)
        manager = mqi.MQOPEN(MQOD(ObjectType=C.MQOT_Q_MGR), C.MQOO_INQUIRE)
        mqi.MQINQ(manager, [C.MQCA_Q_MGR_NAME, C.MQIA_PLATFORM])
        mqi.MQCLOSE(manager)
        another = threading.Thread(target=a_second_conversation, args=(qm,))
        another.start()
        another.join()
        mqi.MQCLOSE(hobj)


def a_second_conversation(qm: libremq.QueueManager) -> None:
    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), EVERYTHING)
    for number in range(5):
        mqi.MQPUT(hobj, MQMD(), MQPMO(), b"%d" % number * 40_000)
    found = mqi.binding.get_many(hobj, MQMD(), MQGMO(Version=2, MatchOptions=0), 3)
    assert [item.got.data[:1] for item in found] == [b"0", b"1", b"2"]
    mqi.MQPUT(hobj, MQMD(CorrelId=b"C" * 24), MQPMO(), b"chosen")
    wanted = MQMD(CorrelId=b"C" * 24)
    found = mqi.binding.get_many(hobj, wanted, MQGMO(Version=2, MatchOptions=C.MQMO_MATCH_CORREL_ID), 9)
    assert [item.got.data for item in found] == [b"chosen"]
    with refused(C.MQRC_NO_MSG_AVAILABLE):
        mqi.binding.get_many(hobj, wanted, MQGMO(Version=2, MatchOptions=C.MQMO_MATCH_CORREL_ID), 9)
    mqi.MQDISC()


def test_a_full_session(proxy: RecordingProxy, tmp_path: Path) -> None:
    full_session(proxy)
    with refused(C.MQRC_UNKNOWN_CHANNEL_NAME):
        libremq.connect(url(proxy, channel="NO.SUCH.CHANNEL"))
    with refused(C.MQRC_Q_MGR_NAME_ERROR):
        libremq.connect(url(proxy).replace("QM1", "OTHER"))
    wait_until(lambda: len(proxy.connections) >= 3)
    kinds = check(proxy.finished(), proxy.port, tmp_path / "full.pcap", IN_EVERY_SESSION)
    assert {0x01, 0x05, 0x07, 0x08, 0x0C, 0x0D, 0x0E, 0x0F, *range(0x81, 0x8C), *range(0x91, 0x9C)} <= kinds


def test_messages_in_several_segments(proxy: RecordingProxy, tmp_path: Path) -> None:
    """What is said of lengths in each segment of an ASYNC_MESSAGE holds, and padding is where the decoder wants it."""
    for name in ("A", "AB", "ABC", "ABCD", "Q" * 48):
        with libremq.connect(f"local:QM1?data={tmp_path / 'libremq'}") as qm:
            qm.define_local(name)
        with libremq.connect(url(proxy)) as qm:
            mqi = qm.mqi
            hobj = mqi.MQOPEN(MQOD(ObjectName=name), EVERYTHING)
            long = b"0123456789" * 20_000
            for data in (long, b"", b"x", long):
                mqi.MQPUT(hobj, MQMD(), MQPMO(), data)
            found = mqi.binding.get_many(hobj, MQMD(), MQGMO(Version=2, MatchOptions=0), 4)
            assert [len(item.got.data) for item in found] == [len(long), 0, 1, len(long)]
    check(proxy.finished(), proxy.port, tmp_path / "long.pcap", IN_EVERY_SESSION)
    recording.write_capture(tmp_path / "long.pcap", proxy.connections, proxy.port)
    whole = joined(recording.decode(tmp_path / "long.pcap", proxy.port))
    messages = [element for element in whole if "ASYNC_MESSAGE" in (element.get("showname") or "")]
    assert len(messages) == 10
    for element in messages:
        assert [field.get("show") for field in _named(element, "data.len")] == ["200000"]
        assert [field.get("show") for field in _named(element, "mq.msgasy.totmsglen")] == [f"{200000:#010x}"]


def test_credentials_and_heartbeats(served: Served, proxy: RecordingProxy, tmp_path: Path) -> None:
    from libremq.common import users_file

    event_loop = served.event_loop
    users_file.set_password(event_loop.manager.core.files, event_loop.folder, "alice", "secret")
    address = url(proxy, channel="LIVELY.SVRCONN", heartbeat=1).replace("mq://", "mq://alice:secret@")
    with libremq.connect(address) as qm:
        assert qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_OUTPUT)
        recorded = proxy.connections[0]

        def beats() -> set[tuple[bool, int]]:
            return {(client, each.flags & 1) for client, each in recorded.segments() if each.kind == 0x09}

        wait_until(lambda: bool({(True, 1), (False, 0)} <= beats() or {(False, 1), (True, 0)} <= beats()))
    with refused(C.MQRC_NOT_AUTHORIZED):
        libremq.connect(address.replace("secret", "wrong"))
    kinds = check(proxy.finished(), proxy.port, tmp_path / "lively.pcap", IN_EVERY_SESSION)
    assert {0x09, 0x0A} <= kinds


def test_transaction_managers(proxy: RecordingProxy, tmp_path: Path) -> None:
    with libremq.connect(url(proxy)) as qm:
        mqi = qm.mqi
        hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), EVERYTHING)
        for xid in (b"x", b"global transaction", bytes(range(140))):
            mqi.binding.xa_start(xid)
            mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"branch")
            mqi.binding.xa_end(xid)
            mqi.binding.xa_prepare(xid)
            assert mqi.binding.xa_recover() == [xid]
            mqi.binding.xa_commit(xid)
        with refused(C.MQRC_UOW_NOT_AVAILABLE):
            mqi.binding.xa_rollback(b"unknown")
    kinds = check(proxy.finished(), proxy.port, tmp_path / "xa.pcap", IN_OUR_DIALECT)
    assert {0xA1, 0xA2, 0xA5, 0xA6, 0xA7, 0xA9, 0xB1, 0xB9} <= kinds


def test_our_dialect_is_unknown_only_where_it_is_listed(proxy: RecordingProxy, tmp_path: Path) -> None:
    came = threading.Event()
    with libremq.connect(url(proxy)) as qm:
        qm.define_local("DIALECT.Q")
        mqi = qm.mqi
        hobj = mqi.MQOPEN(MQOD(ObjectName=QUEUE), EVERYTHING)
        mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_ASYNC_RESPONSE), b"nobody waits")
        mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, MQSTS())
        hmsg = mqi.MQCRTMH()
        mqi.binding.set_properties(hmsg, {"colour": "blue", "size": 7})
        mqi.MQPUT(hobj, MQMD(), MQPMO(Version=3, NewMsgHandle=hmsg), b"with properties")
        chosen = MQOD(ObjectName=QUEUE, Version=4, SelectionString="colour = 'blue'")
        selecting = mqi.MQOPEN(chosen, C.MQOO_INPUT_SHARED)
        gmo = MQGMO(Version=4, MsgHandle=hmsg, Options=C.MQGMO_PROPERTIES_IN_HANDLE)
        assert mqi.MQGET(selecting, MQMD(), gmo, 100).data == b"with properties"
        mqi.MQCLOSE(selecting)

        def consume(*arguments: object) -> None:
            if arguments[2] is not None:
                came.set()

        mqi.binding.callback(C.MQOP_REGISTER, MQCBD(), consume, hobj, MQMD(), MQGMO())
        mqi.MQCTL(C.MQOP_START)
        assert came.wait(recording.LIMIT_S)
        mqi.MQCTL(C.MQOP_STOP)
    kinds = check(proxy.finished(), proxy.port, tmp_path / "dialect.pcap", IN_OUR_DIALECT)
    assert {0xC1, 0xD1, 0x8D, 0x9D, 0x0D, 0x0E} <= kinds


@pytest.mark.parametrize("channel", ["SYSTEM.DEF.SVRCONN", "PLAIN.SVRCONN"])
@pytest.mark.parametrize(("big", "ebcdic"), [(False, False), (True, False), (True, True)])
def test_what_other_products_clients_are_told(
    proxy: RecordingProxy, tmp_path: Path, channel: str, big: bool, ebcdic: bool
) -> None:
    with RawClient(proxy.port, channel=channel, big=big, ebcdic=ebcdic, max_segment=2000) as client:
        client.negotiate(keep=True)
        client.connect("QM1")
        hobj = client.open(QUEUE, EVERYTHING, version=3).api["Hobj"]
        client.put(hobj, b"short")
        client.put(hobj, bytes(5000))
        client.put1(QUEUE, b"more")
        client.get(hobj)
        client.get(hobj)
        if channel != "PLAIN.SVRCONN":
            client.put(hobj, bytes(5000))
            client.request_messages(hobj)
            client.request_messages(hobj, flags=8)
            client.request_messages(hobj, flags=8)
        client.inquire(hobj, [C.MQIA_CURRENT_Q_DEPTH, C.MQCA_Q_NAME], 1, 48)
        client.set(hobj, [C.MQIA_INHIBIT_GET], [0])
        client.open("NO.SUCH.Q", C.MQOO_OUTPUT)
        client.call(0x8A)
        client.close(hobj)
        client.disconnect()
    wait_until(lambda: any(kind.kind == 0x92 for _, kind in proxy.connections[0].segments()))
    check(proxy.finished(), proxy.port, tmp_path / "other.pcap", IN_EVERY_SESSION)


# Message channels: both ends, as they speak with each other


def on_transmission_queue(data: bytes, format_: str = "MQSTR") -> bytes:
    descriptor = MQMD1(Format=format_, MsgId=b"M" * 24, ReplyToQ="REPLY.Q", ReplyToQMgr="QM1", Persistence=1)
    return MQXQH(RemoteQName="TARGET.Q", RemoteQMgrName="QM2", MsgDesc=descriptor).pack() + data


def message_channel_session(*, length: int = 240, max_segment: int = 2000) -> Recorded:
    """All that there is: agreement, resynchronisation, batches, a long message, a fast one, and how it can end."""
    recorded = Recorded(40_000)
    luwid, before = b"\x01\x02\x03\x04LUW2", b"\x01\x02\x03\x04LUW1"

    def sender(*segments: bytes) -> None:
        recorded.chunks.append((True, b"".join(segments)))

    def receiver(*segments: bytes) -> None:
        recorded.chunks.append((False, b"".join(segments)))

    def message(sequence: int, data: bytes, format_: str = "MQSTR") -> bytes:
        unit = luwid if sequence else NO_LUWID
        return b"".join(
            message_channel.pack_message(
                on_transmission_queue(data, format_), sequence=sequence, luwid=unit, max_segment=max_segment
            )
        )

    own = session_flows.InitialData(
        "QM1.TO.QM2", "QM2", sharing=0, product=protocol.PRODUCT_SERVER, batch_size=50, length=length,
        capabilities=(protocol.CAP1_MESSAGE_CHANNEL, protocol.CAP2_MESSAGE_CHANNEL, protocol.CAP3_MSG_PROP),
        message_compression=(C.MQCOMPRESS_ZLIBFAST, C.MQCOMPRESS_NONE), max_segment=max_segment,
    )  # fmt: skip
    offered = session_flows.InitialData(
        "QM1.TO.QM2", "QM1", sharing=0, product=protocol.PRODUCT_SERVER, batch_size=100, length=length,
        capabilities=(protocol.CAP1_REQUESTER, protocol.CAP2_MESSAGE_CHANNEL, protocol.CAP3_MSG_PROP),
        message_compression=(C.MQCOMPRESS_LZ4FAST, C.MQCOMPRESS_NONE),
    )  # fmt: skip
    sender(frame_plain(protocol.Type.INITIAL_DATA, session_flows.pack_initial(offered), flags=0x31))
    answer = session_flows.agree_message_channel(offered, own)
    receiver(frame_plain(protocol.Type.INITIAL_DATA, session_flows.pack_initial(answer), flags=0x02))
    sender(Resync(6, before, 9, luwid).pack())
    receiver(Resync(9, luwid).pack())
    sender(message_channel.pack_reset(1))
    receiver(message_channel.confirmed(NO_LUWID))
    sender(message(1, b"one"), message(2, b"0123456789" * 800), message(0, b"fast"))
    sender(message(3, MQDLH(DestQName="LOST.Q", Format="MQSTR").pack() + b"dead", "MQDEAD"))
    sender(*(message(number, b"more of them") for number in range(4, 20)))
    sender(message_channel.confirm_request(luwid))
    receiver(message_channel.confirmed(luwid, dlq_used=True))
    sender(message_channel.heartbeat())
    receiver(message_channel.heartbeat(reply=True))
    sender(message_channel.ping(b"any data"))
    receiver(message_channel.ping(b"any data", reply=True))
    receiver(message_channel.status(protocol.Status.MSG_SEQUENCE_ERROR, 4711), message_channel.request_close())
    sender(message_channel.close_channel())
    return recorded


@pytest.mark.parametrize("length", [102, 208, 240])
def test_a_message_channel(tmp_path: Path, length: int) -> None:
    recorded = message_channel_session(length=length)
    kinds = check([recorded], 1414, tmp_path / "channel.pcap", BETWEEN_QUEUE_MANAGERS)
    assert kinds == {0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x09}
    several = [segment.flags for _, segment in recorded.segments() if segment.kind == 0x04 and segment.flags != 0x30]
    assert several == [0x10, 0, 0, 0, 0x20]
