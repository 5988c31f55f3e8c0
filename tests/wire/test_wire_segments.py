"""Segments: flows are cut and put together again, whatever the network does, and lies about lengths cost little."""

from __future__ import annotations

import random

import helper_layouts as layouts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi.structs import MQGMO, MQMD
from libremq.wire.messages import pack_message, unpack_message
from libremq.wire.protocol import MAX_SEGMENT, MIN_SEGMENT, ProtocolError, Status, Type
from libremq.wire.segments import FLOW_OVERHEAD, Flow, SegmentReader, frame, frame_plain

KINDS = st.sampled_from(sorted({*Type} - {Type.ASYNC_MESSAGE}))
FLOW_MAX = 1 << 20


def fed(stream: bytes, sizes: list[int], reader: SegmentReader | None = None) -> list[Flow]:
    """The flows in a stream that comes in pieces."""
    reader = reader or SegmentReader(MAX_SEGMENT, FLOW_MAX)
    flows: list[Flow] = []
    at = index = 0
    while at < len(stream):
        size = sizes[index % len(sizes)]
        flows += reader.feed(stream[at : at + size])
        at += size
        index += 1
    assert reader.held_bytes == 0
    return flows


@given(KINDS, st.binary(max_size=3000), st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF), st.booleans())
def test_a_flow_in_one_segment(kind: int, body: bytes, conversation: int, request: int, plain: bool) -> None:
    framed = frame_plain(kind, body) if plain else frame(kind, body, conversation, request)
    (segment,) = layouts.read_segments(framed)
    assert (segment.kind, segment.body, segment.flags, segment.shared) == (kind, body, 0x30, not plain)
    assert segment.header["SegmentLength"] == len(framed)
    assert (segment.header["Encoding"], segment.header["CCSID"], segment.header["LUWID"]) == (546, 819, bytes(8))
    (flow,) = SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(framed)
    assert (flow.kind, flow.body, flow.shared) == (kind, body, not plain)
    assert (flow.conversation, flow.request) == ((0, 0) if plain else (conversation, request))


@given(
    st.lists(st.tuples(st.integers(0, 6000), st.booleans()), min_size=1, max_size=6),
    st.integers(MIN_SEGMENT, 3000), st.lists(st.integers(1, 5000), min_size=1, max_size=4),
)  # fmt: skip
def test_flows_in_several_segments(flows: list[tuple[int, bool]], max_segment: int, sizes: list[int]) -> None:
    stream = b""
    bodies = []
    for number, (length, plain) in enumerate(flows):
        body = random.Random(number).randbytes(length)
        bodies.append(body)
        if plain:
            framed = frame_plain(Type.MQPUT, body, max_segment=max_segment)
        else:
            framed = frame(Type.MQPUT, body, number, max_segment=max_segment)
        segments = list(layouts.read_segments(framed))
        assert all(len(segment.raw) <= max_segment for segment in segments)
        assert b"".join(segment.body for segment in segments) == body
        bits = [segment.flags for segment in segments]
        assert bits == ([0x30] if len(bits) == 1 else [0x10, *[0] * (len(bits) - 2), 0x20])
        # As many as are needed, and no more
        assert len(bits) == max(1, -(-len(body) // (max_segment - (28 if plain else 36))))
        stream += framed
    assert [flow.body for flow in fed(stream, sizes)] == bodies


@given(st.integers(0, 5000), st.integers(MIN_SEGMENT, 3000), st.integers(0, 48), st.booleans())
def test_long_messages_say_in_each_segment_how_much_of_them_it_has(
    length: int, max_segment: int, name_length: int, plain: bool
) -> None:
    data = random.Random(length).randbytes(length)
    gmo = MQGMO(ResolvedQName="Q" * name_length, MsgToken=b"T" * 16)
    body = pack_message(7, 9, MQMD(Version=2, ReplyToQ="R"), gmo, data, length + 5)
    if plain:
        framed = frame_plain(Type.ASYNC_MESSAGE, body, max_segment=max_segment)
    else:
        framed = frame(Type.ASYNC_MESSAGE, body, 3, 1, max_segment=max_segment)
    came = b""
    for index, segment in enumerate(layouts.read_segments(framed)):
        (_, _, _), (_, _, head), *more = layouts.parts_of(segment)
        assert (head["Version"], head["Hobj"], head["MsgIndex"], head["GlobalMsgIndex"]) == (1, 7, 9, 9)
        assert (head["SegmentIndex"], head["SelectionIndex"]) == (index, 1)
        rest = segment.body[24:]
        if index == 0:
            (_, _, first), (_, at, md) = more
            assert (first["TotalMsgLength"], first["ActualMsgLength"]) == (length + 5, length)
            assert first["ResolvedQNameLength"] == name_length
            name_at = segment.body_at + 24 + 31
            assert segment.raw[name_at : name_at + name_length] == b"Q" * name_length
            assert (3 + at - name_at) % 4 == 0 and at - name_at - name_length < 4
            assert md["ReplyToQ"] == "R"
            rest = segment.raw[at + 364 :]
        assert head["SegmentLength"] == len(rest)
        came += rest
    assert came == data
    (flow,) = SegmentReader(max_segment, FLOW_MAX).feed(framed)
    arrived = unpack_message(flow.body)
    assert (arrived.hobj, arrived.number, arrived.length, arrived.data) == (7, 9, length + 5, data)
    assert (arrived.gmo.ResolvedQName, arrived.gmo.MsgToken) == ("Q" * name_length, b"T" * 16)


def test_flows_of_conversations_may_come_between_each_other() -> None:
    bodies = {number: random.Random(number).randbytes(5000) for number in (1, 3, 5)}
    queues = {
        number: [segment.raw for segment in layouts.read_segments(frame(Type.MQPUT, body, number, max_segment=1024))]
        for number, body in bodies.items()
    }
    chance = random.Random(1)
    reader = SegmentReader(1024, FLOW_MAX)
    found: dict[int, bytes] = {}
    while queues:
        number = chance.choice(sorted(queues))
        for flow in reader.feed(queues[number].pop(0)):
            found[flow.conversation] = flow.body
        if not queues[number]:
            del queues[number]
    assert found == bodies and reader.held_bytes == 0


def test_other_byte_orders_and_code_pages() -> None:
    for big in (False, True):
        for ebcdic in (False, True):
            for conversation in (None, 5):
                raw = layouts.segment(0x86, b"body", conversation=conversation, big=big, ebcdic=ebcdic)
                (flow,) = SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(raw)
                assert (flow.big_endian, flow.charset) == (big, "cp500" if ebcdic else "latin-1")
                assert (flow.encoding, flow.conversation) == (273 if big else 546, conversation or 0)


@pytest.mark.parametrize(
    ("ccsid", "charset"), [(37, "cp037"), (1047, "cp037"), (1140, "cp1140"), (0, "cp500"), (9999, "cp500")]
)
def test_every_code_page_of_an_ebcdic_segment_has_a_codec(ccsid: int, charset: str) -> None:
    raw = bytearray(layouts.segment(1, b"", ebcdic=True))
    raw[24:26] = ccsid.to_bytes(2, "little")
    (flow,) = SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(bytes(raw))
    assert flow.charset == charset
    assert b"\xd8\xd4\xf1".decode(flow.charset) == "QM1"


# Lies


def lying(length: int, kind: int = 0x86, flags: int = 0x30) -> bytes:
    raw = bytearray(frame(kind, bytes(100), 1, flags=flags))
    raw[4:8] = length.to_bytes(4, "big")
    return bytes(raw)


@pytest.mark.parametrize("length", [0, 1, 27, 28, 35, MAX_SEGMENT + 1, 1 << 31, 0xFFFFFFFF])
def test_a_length_that_cannot_be_is_refused(length: int) -> None:
    with pytest.raises(ProtocolError) as error:
        SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(lying(length))
    assert error.value.status == Status.PROTOCOL_LENGTH_ERROR


@pytest.mark.parametrize(
    "start", [b"GET / HTTP/1.1", b"\x16\x03\x01", b"TSX", b"tsh ", bytes(4), b"TSHQ", b"TSH\0", b"\xe3\xe2\xc9"]
)
def test_what_is_no_segment_is_refused_at_once(start: bytes) -> None:
    """Also before there is enough of it to be one."""
    with pytest.raises(ProtocolError):
        SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(start)


@pytest.mark.parametrize("start", [b"T", b"TS", b"TSH", b"TSHM", b"TSHC\0\0", b"\xe3", b"\xe3\xe2\xc8\xd4"])
def test_the_beginning_of_a_segment_is_waited_for(start: bytes) -> None:
    reader = SegmentReader(MAX_SEGMENT, FLOW_MAX)
    assert reader.feed(start) == [] and reader.held_bytes == len(start)


def test_a_byte_order_that_is_none_is_refused() -> None:
    raw = bytearray(frame(0x86, b"", 1))
    raw[16] = 3
    with pytest.raises(ProtocolError):
        SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(bytes(raw))


@pytest.mark.parametrize(
    "flags",
    [[0x10, 0x10], [0x00], [0x20], [0x10, 0x30]],
    ids=["begun twice", "never begun", "only ended", "interrupted"],
)
def test_segments_out_of_order_are_refused(flags: list[int]) -> None:
    stream = b"".join(frame(0x86, b"x", 1, flags=bits) for bits in flags)
    with pytest.raises(ProtocolError):
        SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(stream)


def test_flows_before_what_is_wrong_are_read_and_nothing_after_it() -> None:
    reader = SegmentReader(MAX_SEGMENT, FLOW_MAX)
    good = frame(0x8A, b"commit", 1)
    assert [flow.body for flow in reader.feed(good + good + b"rubbish" + good)] == [b"commit", b"commit"]
    assert reader.failed is not None and reader.held_bytes == 0
    with pytest.raises(ProtocolError):
        reader.feed(good)


def test_another_type_in_the_middle_of_a_flow_is_refused() -> None:
    with pytest.raises(ProtocolError):
        SegmentReader(MAX_SEGMENT, FLOW_MAX).feed(frame(0x86, b"", 1, flags=0x10) + frame(0x87, b"", 1, flags=0x20))


def test_a_flow_without_end_is_refused_before_it_is_large() -> None:
    for body in (bytes(1000), b"x", b""):
        reader = SegmentReader(MAX_SEGMENT, FLOW_MAX)
        reader.feed(frame(0x86, body, 1, flags=0x10))
        with pytest.raises(ProtocolError) as error:
            for _ in range(FLOW_MAX):
                reader.feed(frame(0x86, body, 1, flags=0))
                assert reader.held_bytes <= FLOW_MAX + MAX_SEGMENT
        assert error.value.status == Status.MESSAGE_LENGTH_ERROR


def test_the_headers_of_its_segments_do_not_make_a_flow_too_long() -> None:
    reader = SegmentReader(32 * 1024, 100_000_000 + FLOW_OVERHEAD)
    for _ in range(2):
        reader.feed(frame(0x86, b"", 1, flags=0x10))
        for _ in range(3200):
            assert reader.feed(frame(0x86, bytes(31_250), 1, flags=0)) == []
        (flow,) = reader.feed(frame(0x86, b"", 1, flags=0x20))
        assert (len(flow.body), reader.held_bytes) == (100_000_000, 0)


def test_flows_that_are_begun_in_many_conversations_are_refused_before_they_are_many() -> None:
    """An empty segment costs more memory than its bytes."""
    reader = SegmentReader(MAX_SEGMENT, FLOW_MAX)
    with pytest.raises(ProtocolError):
        for number in range(2000):
            reader.feed(frame(0x86, b"", number, flags=0x10))


def test_what_a_flow_held_is_given_back() -> None:
    reader = SegmentReader(2048, FLOW_OVERHEAD)
    stream = frame(0x86, bytes(50_000), 1, max_segment=2048)
    for _ in range(100):
        (flow,) = reader.feed(stream)
        assert len(flow.body) == 50_000
    assert reader.held_bytes == 0


@given(st.lists(st.binary(max_size=300), max_size=5), st.integers(0, 1))
def test_any_bytes_are_flows_or_a_protocol_error(pieces: list[bytes], begin: int) -> None:
    reader = SegmentReader(MAX_SEGMENT, FLOW_MAX)
    try:
        for index, piece in enumerate(pieces):
            for flow in reader.feed((b"TSHM" if begin and not index else b"") + piece):
                repr(flow)
    except ProtocolError:
        pass


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_a_segment_may_not_be_longer_than_was_agreed(plain: bool, whole: bool) -> None:
    """Nor if all of it comes at once, and nothing else."""
    framed = frame_plain(Type.MQPUT, bytes(2000)) if plain else frame(Type.MQPUT, bytes(2000), 1)
    assert len(list(layouts.read_segments(framed))) == 1
    reader = SegmentReader(len(framed) - 1, FLOW_MAX)
    told = f"a segment of {len(framed)} bytes; {len(framed) - 1} were agreed"
    with pytest.raises(ProtocolError, match=told) as error:
        reader.feed(framed if whole else framed[:100])
    assert error.value.status == Status.PROTOCOL_LENGTH_ERROR
    (flow,) = SegmentReader(len(framed), FLOW_MAX).feed(framed)
    assert flow.body == bytes(2000)
