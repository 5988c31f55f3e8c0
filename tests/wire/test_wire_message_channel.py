"""Flows of message channels: what one end says the other one reads, in either byte order, and nothing else is read."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import helper_layouts as layouts
import pytest
from helper_mutations import mutated
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.wire import message_channel as channel
from libremq.wire import protocol as P
from libremq.wire import session_flows
from libremq.wire.message_channel import MessageData, Ping, Resync, StatusData
from libremq.wire.protocol import ProtocolError, Status, Type
from libremq.wire.segments import NO_LUWID, Flow, SegmentReader, frame

FLOW_MAX = 1 << 20
LUWID = b"\x01LUWID\xff\x07"
OTHER = b"another1"
NUMBERS = st.integers(1, 0xFFFFFFFF)
LUWIDS = st.binary(min_size=8, max_size=8).filter(lambda luwid: luwid != NO_LUWID)


def read(*segments: bytes) -> Flow:
    (flow,) = SegmentReader(P.MAX_SEGMENT, FLOW_MAX).feed(b"".join(segments))
    return flow


def turned(raw: bytes) -> bytes:
    """The same segment from a machine with the other byte order, made by the tables of the tests."""
    segment = layouts.read_segment(raw)
    body = segment.body
    rest = 0
    parts = []
    for name, at, values in layouts.parts_of(segment)[1:]:
        length = len(raw) - at if name == "ID" else None
        parts.append(layouts.encode(name, values, big=not segment.big, length=length))
        rest = at - segment.body_at + len(parts[-1])
    return layouts.segment(
        segment.kind, b"".join(parts) + body[rest:], flags=segment.flags, big=not segment.big,
        luwid=segment.header["LUWID"], flags2=segment.header["ControlFlags2"],
    )  # fmt: skip


def ebcdic(raw: bytes) -> bytes:
    segment = layouts.read_segment(raw)
    msh = layouts.decode("MSH", segment.body)
    body = layouts.encode("MSH", msh, charset="cp500", big=True) + segment.body[20:]
    return layouts.segment(4, body, flags=segment.flags, big=True, ebcdic=True, luwid=segment.header["LUWID"])


def refused(flow: Flow, reader: Callable[[Flow], object], status: Status) -> None:
    with pytest.raises(ProtocolError) as error:
        reader(flow)
    assert error.value.status == status and str(error.value)


# Messages


@given(st.integers(0, 4000), NUMBERS, LUWIDS, st.integers(49, 1500), st.booleans())
def test_a_message_in_as_many_segments_as_it_needs(
    length: int, sequence: int, luwid: bytes, max_segment: int, big: bool
) -> None:
    data = random.Random(length).randbytes(length)
    segments = channel.pack_message(data, sequence=sequence, luwid=luwid, max_segment=max_segment)
    room = max_segment - 48
    assert len(segments) == max(1, -(-length // room))
    came = b""
    for index, raw in enumerate(segments):
        segment = layouts.read_segment(raw)
        msh = layouts.decode("MSH", segment.body)
        first, last = index == 0, index == len(segments) - 1
        assert len(raw) <= max_segment and segment.header["SegmentLength"] == len(raw)
        assert (segment.kind, segment.flags) == (4, (0x10 if first else 0) | (0x20 if last else 0))
        assert (segment.shared, segment.header["LUWID"], segment.header["ControlFlags2"]) == (False, luwid, 0)
        assert (segment.header["Encoding"], segment.header["CCSID"]) == (546, 819)
        assert msh == {
            "StrucId": "MSH", "SeqNumber": sequence, "BufferLength": len(segment.body) - 20, "Unknown1": 0,
            "MsgLength": length,
        }  # fmt: skip
        came += segment.body[20:]
    assert came == data
    flow = read(*([turned(raw) for raw in segments] if big else segments))
    assert (flow.luwid, flow.flags, flow.big_endian) == (luwid, 0x30, big)
    assert channel.unpack_message(flow) == MessageData(sequence, luwid, data, encoding=273 if big else 546)
    found = channel.unpack_message(read(*map(ebcdic, segments)))
    assert found == MessageData(sequence, luwid, data, encoding=273, ccsid=500)


@pytest.mark.parametrize("ccsid", [437, 500, 1208, 65535])
def test_a_message_says_how_its_transmission_header_is_written(ccsid: int) -> None:
    for length in (10, 3000):
        segments = channel.pack_message(
            bytes(length), sequence=7, luwid=LUWID, max_segment=1024, encoding=273, ccsid=ccsid
        )
        for raw in segments:
            header = layouts.read_segment(raw).header
            assert (header["ByteOrder"], header["Encoding"], header["CCSID"]) == (2, 273, ccsid)
        found = channel.unpack_message(read(*segments))
        assert (found.encoding, found.ccsid, found.data) == (273, ccsid, bytes(length))


def test_a_message_outside_of_batches_has_neither_number_nor_unit_of_work() -> None:
    (raw,) = channel.pack_message(b"fast", sequence=0, luwid=NO_LUWID, max_segment=1024)
    found = channel.unpack_message(read(raw))
    assert found == MessageData(0, NO_LUWID, b"fast") and found.fast
    (raw,) = channel.pack_message(b"sure", sequence=1, luwid=LUWID, max_segment=1024)
    assert not channel.unpack_message(read(raw)).fast


@pytest.mark.parametrize(("sequence", "luwid"), [(0, LUWID), (7, NO_LUWID)])
def test_a_number_without_unit_of_work_or_the_other_way_round_is_refused(sequence: int, luwid: bytes) -> None:
    with pytest.raises(ValueError):
        channel.pack_message(b"data", sequence=sequence, luwid=luwid, max_segment=1024)
    body = msh(sequence, 4, 4) + b"data"
    refused(read(layouts.segment(4, body, luwid=luwid)), channel.unpack_message, Status.PROTOCOL_INVALID_DATA)


def test_a_batch_may_end_with_its_last_message() -> None:
    one = layouts.segment(4, msh(7, 4, 4) + b"data", flags=0x31, luwid=LUWID)
    assert channel.unpack_message(read(one)).confirm
    long = [
        layouts.segment(4, msh(7, 2, 4) + b"da", flags=0x10, luwid=LUWID),
        layouts.segment(4, msh(7, 2, 4) + b"ta", flags=0x21, luwid=LUWID),
    ]
    found = channel.unpack_message(read(*long))
    assert (found.data, found.confirm) == (b"data", True)


@pytest.mark.parametrize("bits", [P.HEADER_COMPRESSED, P.MESSAGE_COMPRESSED, P.COMPRESSED])
def test_a_message_is_compressed_only_as_agreed(bits: int) -> None:
    for length in (10, 3000):
        segments = channel.pack_message(bytes(length), sequence=7, luwid=LUWID, max_segment=1024, compressed=bits)
        assert {layouts.read_segment(raw).header["ControlFlags2"] for raw in segments} == {bits}
        found = channel.unpack_message(read(*segments), compression=P.COMPRESSED)
        assert (found.compressed, found.data) == (bits, bytes(length))
        refused(read(*segments), channel.unpack_message, Status.PROTOCOL_INVALID_DATA)
    status = layouts.segment(5, b"", flags=0x31, luwid=LUWID, flags2=bits)
    refused(read(status), channel.unpack_status, Status.PROTOCOL_INVALID_DATA)


def msh(sequence: int, length: int, total: int, *, name: str = "MSH", big: bool = False) -> bytes:
    values = {"StrucId": name, "SeqNumber": sequence, "BufferLength": length, "MsgLength": total}
    return layouts.encode("MSH", values, big=big)


BAD_BODIES: dict[str, tuple[bytes, Status]] = {
    "nothing": (b"", Status.PROTOCOL_LENGTH_ERROR),
    "half a header": (msh(7, 4, 4)[:19], Status.PROTOCOL_LENGTH_ERROR),
    "no header": (b"XQH " + bytes(40), Status.PROTOCOL_MSH_ERROR),
    "a header in another byte order": (msh(7, 4, 4, big=True) + b"data", Status.MESSAGE_LENGTH_ERROR),
    "less than the segment says": (msh(7, 4, 4) + b"dat", Status.MESSAGE_LENGTH_ERROR),
    "less than the message says": (msh(7, 4, 5) + b"data", Status.MESSAGE_LENGTH_ERROR),
    "more than the message says": (msh(7, 4, 3) + b"data", Status.MESSAGE_LENGTH_ERROR),
    "more than the segment says": (msh(7, 4, 4) + b"data and more of it behind", Status.PROTOCOL_MSH_ERROR),
    "a little more": (msh(7, 4, 4) + b"data+", Status.PROTOCOL_LENGTH_ERROR),
    "numbers that differ": (msh(7, 2, 4) + b"da" + msh(8, 2, 4) + b"ta", Status.SEGMENT_NUMBER_ERROR),
    "lengths that differ": (msh(7, 2, 4) + b"da" + msh(7, 2, 5) + b"ta", Status.MESSAGE_LENGTH_ERROR),
    "a piece too many": (msh(7, 4, 4) + b"data" + msh(7, 4, 4) + b"data", Status.MESSAGE_LENGTH_ERROR),
    "an empty piece": (msh(7, 0, 4) + msh(7, 4, 4) + b"data", Status.MESSAGE_LENGTH_ERROR),
    "an empty piece at the end": (msh(7, 4, 4) + b"data" + msh(7, 0, 4), Status.MESSAGE_LENGTH_ERROR),
    "nothing twice": (msh(7, 0, 0) * 2, Status.MESSAGE_LENGTH_ERROR),
    "a length beyond everything": (msh(7, 0xFFFFFFFF, 0xFFFFFFFF) + b"data", Status.MESSAGE_LENGTH_ERROR),
}


@pytest.mark.parametrize("name", sorted(BAD_BODIES))
def test_a_message_whose_headers_do_not_agree_is_refused(name: str) -> None:
    body, status = BAD_BODIES[name]
    refused(read(layouts.segment(4, body, luwid=LUWID)), channel.unpack_message, status)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"luwid": OTHER}, Status.PROTOCOL_SEGMENT_ERROR),
        ({"big": True}, Status.PROTOCOL_SEGMENT_ERROR),
        ({"flags2": 2}, Status.PROTOCOL_SEGMENT_ERROR),
        ({"flags": 0x10}, Status.PROTOCOL_GENERAL),
        ({"flags": 0x30}, Status.PROTOCOL_GENERAL),
    ],
)
def test_segments_of_a_message_belong_together(change: dict[str, object], status: Status) -> None:
    right: dict[str, object] = {"flags": 0x20, "luwid": LUWID}
    begin = layouts.segment(4, msh(7, 2, 4) + b"da", flags=0x10, luwid=LUWID)
    end = layouts.segment(4, msh(7, 2, 4) + b"ta", **{**right, **change})  # type: ignore[arg-type]
    reader = SegmentReader(P.MAX_SEGMENT, FLOW_MAX)
    assert reader.feed(begin) == []
    refused(Flow(0, 0, 0, 0, b""), lambda _: reader.feed(end), status)


def test_nothing_comes_between_the_segments_of_a_message() -> None:
    segments = channel.pack_message(bytes(3000), sequence=7, luwid=LUWID, max_segment=1024)
    for between in (channel.heartbeat(), channel.confirm_request(LUWID), channel.ping(b"")):
        reader = SegmentReader(P.MAX_SEGMENT, FLOW_MAX)
        reader.feed(segments[0])
        with pytest.raises(ProtocolError):
            reader.feed(between)
    for alone in segments[1:]:
        with pytest.raises(ProtocolError):
            read(alone)


def test_a_message_without_end_is_refused_before_it_is_large() -> None:
    reader = SegmentReader(P.MAX_SEGMENT, FLOW_MAX)
    reader.feed(layouts.segment(4, msh(7, 0, 4), flags=0x10, luwid=LUWID))
    with pytest.raises(ProtocolError) as error:
        for _ in range(FLOW_MAX):
            reader.feed(layouts.segment(4, msh(7, 0, 4), flags=0, luwid=LUWID))
            assert reader.held_bytes <= FLOW_MAX + P.MAX_SEGMENT
    assert error.value.status == Status.MESSAGE_LENGTH_ERROR


def test_what_cannot_be_sent_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError):
        channel.pack_message(b"x", sequence=1, luwid=b"short", max_segment=1024)
    with pytest.raises(ValueError):
        channel.pack_message(b"x", sequence=1, luwid=LUWID, max_segment=48)
    for wrong in (Resync(1, b"short"), Resync(1, LUWID, 2, b"long as can be"), Resync(1, LUWID, 2)):
        with pytest.raises(ValueError):
            wrong.pack()
    with pytest.raises(ValueError):
        channel.pack_reset(0)
    with pytest.raises(ValueError):
        channel.confirm_request(NO_LUWID)
    with pytest.raises(ValueError):
        channel.status(0)


# The others


@given(NUMBERS, LUWIDS, st.integers(0, 0xFFFFFFFF), LUWIDS, st.booleans())
def test_resynchronisation(sequence: int, luwid: bytes, number: int, doubtful: bytes, big: bool) -> None:
    for said in (Resync(sequence, luwid, number, doubtful), Resync(sequence, luwid), Resync(0)):
        raw = said.pack()
        segment = layouts.read_segment(raw)
        assert layouts.decode("RESYNC", segment.body) == {
            "Length": 28, "SeqNumber": said.sequence, "LUWID": said.luwid, "InDoubtSeqNumber": said.in_doubt_sequence,
            "InDoubtLUWID": said.in_doubt_luwid,
        }  # fmt: skip
        assert Resync.unpack(read(turned(raw) if big else raw)) == said
        assert said.in_doubt is (said.in_doubt_luwid == doubtful)


@given(NUMBERS, st.booleans())
def test_reset(sequence: int, big: bool) -> None:
    raw = channel.pack_reset(sequence)
    assert layouts.decode("RESET", layouts.read_segment(raw).body) == {"Length": 8, "SeqNumber": sequence}
    assert channel.unpack_reset(read(turned(raw) if big else raw)) == sequence


@given(LUWIDS, st.booleans())
def test_the_end_of_a_batch_and_its_confirmation(luwid: bytes, big: bool) -> None:
    flags = {
        channel.confirm_request(luwid): (0x31, StatusData(luwid=luwid, confirm_request=True)),
        channel.confirmed(luwid): (0x70, StatusData(luwid=luwid, accepted=True)),
        channel.confirmed(luwid, dlq_used=True): (0xF0, StatusData(luwid=luwid, accepted=True, dlq_used=True)),
        channel.confirmed(NO_LUWID): (0x70, StatusData(accepted=True)),
    }
    for raw, (bits, meaning) in flags.items():
        segment = layouts.read_segment(raw)
        assert (segment.kind, segment.flags, segment.body) == (5, bits, b"")
        assert channel.unpack_status(read(turned(raw) if big else raw)) == meaning


@given(NUMBERS, st.none() | st.integers(0, 0xFFFFFFFF), st.booleans())
def test_the_end_of_a_channel(code: int, value: int | None, big: bool) -> None:
    for raw, bits, meaning in (
        (channel.status(code, value), 0x3A, StatusData(code, value, close_channel=True)),
        (channel.close_channel(code), 0x38, StatusData(code, close_channel=True)),
        (channel.request_close(code), 0x34, StatusData(code, request_close=True)),
    ):
        assert layouts.read_segment(raw).flags == bits
        flow = read(turned(raw) if big else raw)
        assert channel.unpack_status(flow) == meaning
        assert session_flows.unpack_status(flow.body, big_endian=flow.big_endian) == code


@given(st.binary(max_size=300), st.booleans(), st.booleans())
def test_heartbeats_and_pings(data: bytes, reply: bool, big: bool) -> None:
    raw = channel.heartbeat(reply=reply)
    assert layouts.read_segment(raw).flags == (0x30 if reply else 0x31)
    assert channel.unpack_heartbeat(read(turned(raw) if big else raw)) is reply
    raw = channel.ping(data, reply=reply)
    assert len(raw) == len(data) + channel.PING_OVERHEAD
    assert channel.unpack_ping(read(turned(raw) if big else raw)) == Ping(data, reply)


def words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)


@pytest.mark.parametrize(
    ("reader", "kind", "flags", "body", "status"),
    [
        (Resync.unpack, 2, 0x30, b"", Status.PROTOCOL_LENGTH_ERROR),
        (Resync.unpack, 2, 0x30, words(28) + bytes(20), Status.PROTOCOL_LENGTH_ERROR),
        (Resync.unpack, 2, 0x30, words(28) + bytes(28), Status.PROTOCOL_LENGTH_ERROR),
        (Resync.unpack, 2, 0x30, words(27) + bytes(24), Status.PROTOCOL_LENGTH_ERROR),
        (Resync.unpack, 2, 0x30, words(28, 1, 1, 1, 9, 0, 0), Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_reset, 3, 0x30, words(8), Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_reset, 3, 0x30, words(9, 1), Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_reset, 3, 0x30, words(8, 1, 1), Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_reset, 3, 0x30, words(8, 0), Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0x30, b"", Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0x31, b"", Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0x71, b"", Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0xB0, b"", Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0xB1, b"", Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0x3A, b"", Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0x72, b"", Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0x3A, words(8, 0), Status.PROTOCOL_INVALID_DATA),
        (channel.unpack_status, 5, 0x3A, words(12, 4), Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_status, 5, 0x3A, words(8, 4, 1), Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_status, 5, 0x3A, words(8), Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_heartbeat, 9, 0x31, b"x", Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_ping, 7, 0x31, b"", Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_ping, 7, 0x31, words(5) + b"data", Status.PROTOCOL_LENGTH_ERROR),
        (channel.unpack_ping, 7, 0x31, words(3) + b"data", Status.PROTOCOL_LENGTH_ERROR),
    ],
)
def test_what_is_malformed_is_refused(
    reader: Callable[[Flow], object], kind: int, flags: int, body: bytes, status: Status
) -> None:
    refused(read(layouts.segment(kind, body, flags=flags)), reader, status)


@pytest.mark.parametrize("flags", [0x30, 0x71, 0xB0, 0xB1, 0xF1, 0x33, 0x35, 0x39, 0x72, 0x74, 0x78])
def test_a_batch_is_either_to_be_confirmed_or_confirmed(flags: int) -> None:
    status = layouts.segment(5, b"", flags=flags, luwid=LUWID)
    refused(read(status), channel.unpack_status, Status.PROTOCOL_INVALID_DATA)


# Whatever comes

READERS: dict[Type, Callable[[Flow], object]] = {
    Type.MESSAGE_DATA: channel.unpack_message,
    Type.RESYNC_DATA: Resync.unpack,
    Type.RESET_DATA: channel.unpack_reset,
    Type.STATUS_DATA: channel.unpack_status,
    Type.HEARTBEAT: channel.unpack_heartbeat,
    Type.PING_DATA: channel.unpack_ping,
}
SESSION = [
    *channel.pack_message(bytes(range(256)) * 9, sequence=1, luwid=LUWID, max_segment=1024),
    *channel.pack_message(b"short", sequence=2, luwid=LUWID, max_segment=1024),
    *channel.pack_message(b"", sequence=0, luwid=NO_LUWID, max_segment=1024),
    Resync(1, LUWID, 2, OTHER).pack(),
    channel.pack_reset(1),
    channel.confirm_request(LUWID),
    channel.confirmed(LUWID, dlq_used=True),
    channel.status(Status.MSG_SEQUENCE_ERROR, 7),
    channel.request_close(),
    channel.heartbeat(),
    channel.ping(b"ping"),
]
FLOWS = 11


def said_again(value: object) -> bytes | None:
    """What was read, packed anew; None for what we never say."""
    if isinstance(value, MessageData):
        again = channel.pack_message(
            value.data, sequence=value.sequence, luwid=value.luwid, max_segment=1024, encoding=value.encoding,
            ccsid=value.ccsid,
        )  # fmt: skip
        return b"".join(again) if not value.confirm else None
    if isinstance(value, Resync):
        return value.pack()
    if isinstance(value, StatusData) and not value.code:
        if value.accepted:
            return channel.confirmed(value.luwid, dlq_used=value.dlq_used)
        return channel.confirm_request(value.luwid)
    if isinstance(value, Ping):
        return channel.ping(value.data, reply=value.reply)
    return None


@pytest.mark.parametrize("kind", sorted(READERS))
def test_other_flows_are_not_taken_for_it(kind: Type) -> None:
    for other in {*Type} - {kind}:
        body = b"" if other == Type.HEARTBEAT else bytes(28)
        refused(read(frame(other, body, 1)), READERS[kind], Status.PROTOCOL_SEGMENT_TYPE)


@pytest.mark.parametrize("block", range(6))
def test_mutated_sessions(block: int) -> None:
    """Each flow is read or refused, and what was read means the same when it is said again."""
    seen = 0
    for seed in range(300):
        chance = random.Random(block * 1000 + seed)
        stream = mutated(chance, SESSION, SESSION)
        try:
            flows = SegmentReader(P.MAX_SEGMENT, FLOW_MAX).feed(stream)
        except ProtocolError:
            continue
        for flow in flows:
            reader = READERS.get(Type(flow.kind)) if flow.kind in set(Type) else None
            if reader is None:
                continue
            try:
                value = reader(flow)
            except ProtocolError as error:
                assert str(error)
                continue
            seen += 1
            again = said_again(value)
            if again is not None:
                assert reader(read(again)) == value
    assert seen > 500


@pytest.mark.parametrize("number", range(FLOWS))
def test_every_body_that_is_cut_short_is_refused(number: int) -> None:
    """Nothing shorter is taken for a shorter message, or for another status."""
    flows = SegmentReader(P.MAX_SEGMENT, FLOW_MAX).feed(b"".join(SESSION))
    assert len(flows) == FLOWS
    flow = flows[number]
    reader = READERS[Type(flow.kind)]
    reader(flow)
    body = flow.body
    for end in range(len(body)):
        flow.body = body[:end]
        if end or flow.kind != Type.STATUS_DATA:
            with pytest.raises(ProtocolError):
                reader(flow)


@pytest.mark.parametrize("kind", sorted(READERS))
@given(
    st.binary(max_size=200), st.integers(0, 255), st.integers(0, 3), st.booleans(), st.binary(min_size=8, max_size=8)
)
def test_any_body(kind: Type, body: bytes, flags: int, flags2: int, big: bool, luwid: bytes) -> None:
    for start in (b"", msh(1, len(body), len(body), big=big), words(len(body) + 4)):
        flow = read(layouts.segment(kind, start + body, flags=flags | 0x30, flags2=flags2, big=big, luwid=luwid))
        try:
            READERS[kind](flow)
        except ProtocolError as error:
            assert str(error)


# Initial data

OWN = session_flows.InitialData(
    "TO.QM2", "QM2", capabilities=(P.CAP1_MESSAGE_CHANNEL, P.CAP2_MESSAGE_CHANNEL, P.CAP3_MSG_PROP), sharing=0,
    product=P.PRODUCT_SERVER, batch_size=50, header_compression=(C.MQCOMPRESS_NONE, C.MQCOMPRESS_SYSTEM),
    message_compression=(C.MQCOMPRESS_NONE, C.MQCOMPRESS_ZLIBFAST, C.MQCOMPRESS_RLE),
)  # fmt: skip
OFFER = replace(OWN, queue_manager="QM1")
COMPRESSIONS = st.lists(st.sampled_from([0, 1, 2, 4, 8, 16, 32]), min_size=1, max_size=6, unique=True).map(tuple)


@given(st.integers(0, 65535), st.integers(0, 0xFFFFFFFF), COMPRESSIONS, COMPRESSIONS, st.booleans())
def test_initial_data(batch_size: int, wrap: int, header: tuple[int, ...], message: tuple[int, ...], big: bool) -> None:
    data = replace(
        OFFER, batch_size=batch_size, sequence_wrap=wrap, header_compression=header[:2], message_compression=message
    )
    raw = layouts.segment(1, session_flows.pack_initial(data), flags=0x31)
    values = layouts.decode("ID", layouts.read_segment(raw).body)
    assert (values["CapFlags1"], values["CapFlags2"], values["CapFlags3"]) == (0x07, 0x02, 0x01)
    assert (values["MaxMsgsPerBatch"], values["SeqWrapValue"]) == (batch_size, wrap)
    assert values["HdrCompList"] == bytes(header[:2]).ljust(2, b"\xff")
    assert values["MsgCompList"] == bytes(message).ljust(16, b"\xff")
    flow = read(turned(raw) if big else raw)
    assert session_flows.unpack_initial(flow.body, big_endian=flow.big_endian) == data


def test_initial_data_of_earlier_levels_offers_no_compression() -> None:
    for length in (102, 208, 240):
        found = session_flows.unpack_initial(session_flows.pack_initial(replace(OFFER, length=length)))
        assert (found.batch_size, found.sequence_wrap) == (50, 999_999_999)
        assert found.message_compression == (OFFER.message_compression if length > 102 else (0,))
        assert found.header_compression == (OFFER.header_compression if length > 102 else (0,))
    unused = bytearray(session_flows.pack_initial(OFFER))
    unused[104:122] = b"\xff" * 18
    found = session_flows.unpack_initial(bytes(unused))
    assert (found.header_compression, found.message_compression) == ((0,), (0,))


def test_nothing_to_correct() -> None:
    answer = session_flows.agree_message_channel(OFFER, OWN)
    assert answer.queue_manager == "QM2" and not session_flows.corrected(answer)
    session_flows.check_message_channel_answer(OFFER, answer)
    # A client's default is no batch at all
    assert session_flows.pack_initial(session_flows.InitialData("C"))[10:12] == b"\0\0"


@given(
    st.integers(1, 9999), st.integers(1, 9999), st.integers(0, 1 << 27), st.integers(0, 1 << 27),
    st.integers(0, 999999), st.integers(0, 999999), COMPRESSIONS, COMPRESSIONS, st.integers(4, 17), st.integers(0, 255),
)  # fmt: skip
def test_agreement(
    batch: int, own_batch: int, length: int, own_length: int, beat: int, own_beat: int, wanted: tuple[int, ...],
    possible: tuple[int, ...], level: int, capabilities: int,
) -> None:  # fmt: skip
    own_length = own_length or P.MAX_MESSAGE  # the caller puts the queue manager's limit in place of 0
    offered = replace(
        OFFER, batch_size=batch, max_message=length, heartbeat_s=beat, message_compression=wanted,
        header_compression=wanted[:2], fap_level=level, capabilities=(0x0F, capabilities, 1), max_segment=32748,
    )  # fmt: skip
    own = replace(
        OWN, batch_size=own_batch, max_message=own_length, heartbeat_s=own_beat, message_compression=possible,
        header_compression=possible[:2],
    )  # fmt: skip
    answer = session_flows.agree_message_channel(offered, own)
    assert answer.batch_size == min(batch, own_batch)
    assert bool(answer.errors[0] & 0x20) is (answer.batch_size != batch)
    assert answer.max_message == (min(length, own_length) if length else own_length)
    assert bool(answer.errors[0] & 0x10) is (answer.max_message != length)
    assert answer.heartbeat_s == max(beat, own_beat)
    assert bool(answer.errors[0] & 0x80) is (answer.heartbeat_s != beat)
    assert (answer.fap_level, answer.max_segment, answer.sharing) == (min(level, P.FAP_LEVEL), 32748, 0)
    assert answer.capabilities == (0x07, capabilities & 0x02, 1)
    assert answer.refused == (0x08, capabilities & ~0x02, 0)
    common = [value for value in wanted if value in possible]
    assert answer.message_compression == ((common or [0])[0],)
    assert bool(answer.errors[1] & 0x02) is (not common and 0 not in wanted)
    common = [value for value in wanted[:2] if value in possible[:2]]
    assert answer.header_compression == ((common or [0])[0],)
    assert bool(answer.errors[1] & 0x01) is (not common and 0 not in wanted[:2])
    assert not answer.errors[0] & 0x40
    session_flows.check_message_channel_answer(offered, answer)
    # What was corrected, offered again, needs no correction
    again = replace(answer, queue_manager="QM1", errors=(0, 0), refused=(0, 0, 0))
    assert not session_flows.corrected(session_flows.agree_message_channel(again, own))


def test_both_ends_must_wrap_at_the_same_number() -> None:
    offered = replace(OFFER, sequence_wrap=1000)
    answer = session_flows.agree_message_channel(offered, OWN)
    assert (answer.errors[0], answer.sequence_wrap) == (0x40, 999_999_999)
    came = session_flows.unpack_initial(session_flows.pack_initial(answer))
    with pytest.raises(ProtocolError) as error:
        session_flows.check_message_channel_answer(offered, came)
    assert error.value.status == Status.WRAP_VALUE_ERROR == 21


@pytest.mark.parametrize(
    "change",
    [
        {"fap_level": 14}, {"fap_level": 3}, {"max_segment": 0}, {"max_segment": P.MAX_SEGMENT + 1},
        {"max_message": P.MAX_MESSAGE + 1}, {"max_message": 0}, {"heartbeat_s": 299}, {"batch_size": 0},
        {"batch_size": 51}, {"sharing": 1}, {"header_compression": (1,)}, {"message_compression": (4,)},
    ],
)  # fmt: skip
def test_an_answer_that_nobody_can_have_agreed_to_is_refused(change: dict[str, object]) -> None:
    answer = replace(session_flows.agree_message_channel(OFFER, OWN), **change)  # type: ignore[arg-type]
    with pytest.raises(ProtocolError) as error:
        session_flows.check_message_channel_answer(OFFER, answer)
    assert error.value.status == Status.NEGOTIATION_FAILED


@pytest.mark.parametrize("max_segment", [200, 2048, 32766])
def test_the_longest_message_fits_however_short_its_segments_are(max_segment: int) -> None:
    longest = bytes(1 << 20)
    reader = SegmentReader(max_segment, channel.flow_limit(len(longest), max_segment))
    segments = channel.pack_message(longest, sequence=7, luwid=LUWID, max_segment=max_segment)
    (flow,) = (flow for segment in segments for flow in reader.feed(segment))
    assert channel.unpack_message(flow).data == longest
