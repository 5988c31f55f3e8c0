"""Compression on message channels: what goes in comes out, nothing grows, and nothing that comes in can do harm."""

from __future__ import annotations

import hashlib
import random
import struct
import subprocess
import sys
import zlib
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.channels.channel_compression import DICTIONARY, HEADER_BYTES, Compressor, offered_header, offered_message
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD1, MQXQH
from libremq.wire.message_channel import pack_message, unpack_message
from libremq.wire.protocol import HEADER_COMPRESSED, MESSAGE_COMPRESSED, ProtocolError, Status
from libremq.wire.segments import SegmentReader
from libremq.wire.session_flows import InitialData, agree_message_channel

ALL = {
    "RLE": C.MQCOMPRESS_RLE,
    "ZLIBFAST": C.MQCOMPRESS_ZLIBFAST,
    "ZLIBHIGH": C.MQCOMPRESS_ZLIBHIGH,
    "LZ4FAST": C.MQCOMPRESS_LZ4FAST,
    "LZ4HIGH": C.MQCOMPRESS_LZ4HIGH,
}
NONE, SYSTEM, ANY = C.MQCOMPRESS_NONE, C.MQCOMPRESS_SYSTEM, C.MQCOMPRESS_ANY
BOTH = HEADER_COMPRESSED | MESSAGE_COMPRESSED
MAX = 1 << 20
HEADER = MQXQH(
    RemoteQName="ORDERS.IN",
    RemoteQMgrName="PARIS",
    MsgDesc=MQMD1(
        MsgId=b"AMQ LONDON      12345678", Format="MQSTR", ReplyToQ="ORDERS.REPLY", ReplyToQMgr="LONDON",
        UserIdentifier="alice", PutApplName="orders.py", PutDate="20261116", PutTime="02030405", Persistence=1,
    ),
).pack()  # fmt: skip
RECORDS = (b"ORDER 4711".ljust(40) + b"Miller".ljust(60) + b"0000001200" + bytes(20)) * 200
NOISE = random.Random(7).randbytes(3000)

# Text with runs, so that each algorithm has something to do
runs = st.lists(st.tuples(st.binary(max_size=30), st.integers(0, 255), st.integers(0, 300)), max_size=30).map(
    lambda parts: b"".join(text + bytes([byte]) * count for text, byte, count in parts)
)
headers = st.one_of(st.just(HEADER), st.binary(min_size=HEADER_BYTES, max_size=HEADER_BYTES))


@pytest.mark.parametrize("message", [NONE, *ALL.values()], ids=["NONE", *ALL])
@pytest.mark.parametrize("header", [NONE, SYSTEM], ids=["", "SYSTEM"])
@given(start=headers, data=st.one_of(runs, st.binary(max_size=4000)))
def test_a_message_comes_out_as_it_went_in_and_never_longer(
    header: int, message: int, start: bytes, data: bytes
) -> None:
    sender, receiver = Compressor(header, message), Compressor(header, message)
    packed, flags = sender.compress(start + data)
    assert len(packed) < len(start + data) if flags else packed == start + data
    assert not flags & ~sender.flags
    assert receiver.decompress(packed, flags, HEADER_BYTES + len(data)) == start + data


@pytest.mark.parametrize("message", ALL.values(), ids=ALL)
@pytest.mark.parametrize(
    "data",
    [
        bytes(5_000_000),
        RECORDS,
        *(b"x" * (65535 * times + more) for times in (1, 2) for more in (-1, 0, 1, 7, 8, 9)),
        *(NOISE * 44 + b"\0" * more + NOISE * 44 for more in (0, 7, 8, 9)),
        b"y" * 100 + NOISE[:65535] + b"z" * 200_000,
    ],
    ids=lambda data: f"{len(data)} bytes",
)
def test_lengths_at_the_borders_of_the_formats(message: int, data: bytes) -> None:
    worker = Compressor(SYSTEM, message)
    packed, flags = worker.compress(HEADER + data)
    assert worker.decompress(packed, flags, HEADER_BYTES + len(data)) == HEADER + data


@pytest.mark.parametrize("message", ALL.values(), ids=ALL)
def test_what_can_be_compressed_is(message: int) -> None:
    worker = Compressor(SYSTEM, message)
    packed, flags = worker.compress(HEADER + RECORDS)
    assert flags == BOTH
    assert len(packed) < (HEADER_BYTES + len(RECORDS)) / 2
    assert worker.percent == pytest.approx(100 - 100 * len(packed) / (HEADER_BYTES + len(RECORDS)))
    assert worker.microseconds > 0


def test_a_usual_header_is_less_than_a_third() -> None:
    packed, flags = Compressor(SYSTEM, NONE).compress(HEADER)
    assert flags == HEADER_COMPRESSED
    assert len(packed) < HEADER_BYTES / 3


@pytest.mark.parametrize("message", ALL.values(), ids=ALL)
def test_what_would_grow_stays_as_it_is(message: int) -> None:
    worker = Compressor(SYSTEM, message)
    noise = random.Random(1).randbytes(HEADER_BYTES)
    assert worker.compress(noise + NOISE) == (noise + NOISE, 0)
    packed, flags = worker.compress(HEADER + NOISE)
    assert flags == HEADER_COMPRESSED
    assert packed.endswith(NOISE)
    packed, flags = worker.compress(noise + RECORDS)
    assert flags == MESSAGE_COMPRESSED
    assert packed.startswith(noise)
    assert worker.decompress(packed, flags, MAX) == noise + RECORDS


def test_a_message_without_a_whole_header_is_left_alone() -> None:
    worker = Compressor(SYSTEM, C.MQCOMPRESS_ZLIBHIGH)
    for data in (b"", b"short", bytes(HEADER_BYTES - 1)):
        assert worker.compress(data) == (data, 0)
        assert worker.decompress(data, 0, MAX) == data


def test_without_compression_nothing_is_done() -> None:
    worker = Compressor()
    assert not worker.active
    assert worker.compress(HEADER + RECORDS) == (HEADER + RECORDS, 0)
    for flags in (HEADER_COMPRESSED, MESSAGE_COMPRESSED, BOTH):
        with pytest.raises(ProtocolError) as caught:
            worker.decompress(HEADER + RECORDS, flags, MAX)
        assert caught.value.status == Status.PROTOCOL_INVALID_DATA


@pytest.mark.parametrize(("header", "message"), [(C.MQCOMPRESS_RLE, NONE), (NONE, SYSTEM), (NONE, 64), (NONE, ANY)])
def test_what_nobody_can_have_agreed_on_is_refused(header: int, message: int) -> None:
    with pytest.raises(ProtocolError) as caught:
        Compressor(header, message)
    assert caught.value.status == Status.NEGOTIATION_FAILED


# What comes in is not what a LibreMQ sent


def message_of(body: bytes, length: int) -> bytes:
    return HEADER + struct.pack("<I", length) + body


def lz4_block(data: bytes) -> bytes:
    import lz4.block

    return bytes(lz4.block.compress(data, store_size=False))


@cache
def bomb(name: str) -> bytes:
    if name == "RLE":
        return struct.pack("<HHB", 0, 65535, 0) * 4000
    return zlib.compress(bytes(200_000_000), 9) if name.startswith("ZLIB") else lz4_block(bytes(50_000_000))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("promised", [0, 100, MAX - HEADER_BYTES, MAX - HEADER_BYTES + 1, 50_000_000, 0xFFFFFFFF])
def test_a_bomb_does_not_go_off(name: str, promised: int) -> None:
    import tracemalloc

    data = message_of(bomb(name), promised)
    tracemalloc.start()
    try:
        with pytest.raises(ProtocolError) as caught:
            Compressor(NONE, ALL[name]).decompress(data, MESSAGE_COMPRESSED, MAX)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * MAX + 2 * len(data)
    expected = Status.MESSAGE_LENGTH_ERROR if promised + HEADER_BYTES > MAX else Status.PROTOCOL_INVALID_DATA
    assert caught.value.status == expected


def test_a_header_is_no_bomb_either() -> None:
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=DICTIONARY)
    small = deflate.compress(bytes(10_000_000)) + deflate.flush()
    with pytest.raises(ProtocolError) as caught:
        Compressor(SYSTEM).decompress(struct.pack("<H", len(small)) + small, HEADER_COMPRESSED, MAX)
    assert caught.value.status == Status.PROTOCOL_INVALID_DATA


@pytest.mark.parametrize("name", ALL)
def test_a_promise_must_be_kept_to_the_byte(name: str) -> None:
    worker = Compressor(NONE, ALL[name])
    packed, flags = worker.compress(HEADER + RECORDS)
    body = packed[HEADER_BYTES + 4 :]
    assert worker.decompress(message_of(body, len(RECORDS)), flags, MAX) == HEADER + RECORDS
    for wrong in (-1, 1, 1000, -len(RECORDS)):
        with pytest.raises(ProtocolError):
            worker.decompress(message_of(body, len(RECORDS) + wrong), flags, MAX)
    for more in (b"\0", b"\0" * 20):
        with pytest.raises(ProtocolError):
            worker.decompress(message_of(body + more, len(RECORDS)), flags, MAX)


@pytest.mark.parametrize("name", ALL)
def test_a_message_that_is_cut_short_anywhere_is_refused(name: str) -> None:
    worker = Compressor(SYSTEM, ALL[name])
    packed, flags = worker.compress(HEADER + RECORDS[:1000])
    assert flags == BOTH
    for end in range(len(packed)):
        with pytest.raises(ProtocolError):
            worker.decompress(packed[:end], flags, MAX)


@pytest.mark.parametrize(
    "piece",
    [(0, 0, 0), (5, 0, 0), (0, 7, 65), (0, 1, 65), (65534, 0, 0)],
)
def test_pieces_that_are_too_small_to_be_worth_their_time_are_refused(piece: tuple[int, int, int]) -> None:
    body = (struct.pack("<HHB", *piece) + bytes(piece[0])) * 2 + struct.pack("<HHB", 0, 100, 65)
    length = 2 * (piece[0] + piece[1]) + 100
    with pytest.raises(ProtocolError, match="a piece of"):
        Compressor(NONE, C.MQCOMPRESS_RLE).decompress(message_of(body, length), MESSAGE_COMPRESSED, MAX)


@pytest.mark.parametrize("name", ALL)
@given(data=st.binary(max_size=600), flags=st.sampled_from([HEADER_COMPRESSED, MESSAGE_COMPRESSED, BOTH]))
def test_garbage_is_refused_or_a_message(name: str, data: bytes, flags: int) -> None:
    try:
        found = Compressor(SYSTEM, ALL[name]).decompress(data, flags, 5000)
    except ProtocolError:
        return
    assert HEADER_BYTES <= len(found) <= 5000


@pytest.mark.parametrize("name", ALL)
def test_mutations_are_refused_or_a_message(name: str) -> None:
    worker = Compressor(SYSTEM, ALL[name])
    packed, flags = worker.compress(HEADER + RECORDS[:2000])
    chance = random.Random(name)
    refused = 0
    for _ in range(3000):
        mutated = bytearray(packed)
        for _ in range(chance.randint(1, 4)):
            mutated[chance.randrange(len(mutated))] = chance.randrange(256)
        try:
            found = worker.decompress(bytes(mutated), flags, 5000)
        except ProtocolError:
            refused += 1
        else:
            assert HEADER_BYTES <= len(found) <= 5000
    assert refused > 100


# With the rest of the protocol


def test_the_dictionary_is_part_of_the_protocol() -> None:
    assert hashlib.sha256(DICTIONARY).hexdigest() == (
        "8fc8bb56730d243123e4623a7b2ab96cd6326fbf3723e7d9735e60a7b150be4e"
    )


@pytest.mark.parametrize(
    ("definition", "offered"),
    [
        ((NONE,), (NONE,)),
        ((), (NONE,)),
        ((ALL["ZLIBHIGH"], ALL["RLE"], NONE), (ALL["ZLIBHIGH"], ALL["RLE"], NONE)),
        ((ANY,), (16, 2, 32, 4, 1, NONE)),
    ],
)
def test_what_is_offered_for_messages(definition: tuple[int, ...], offered: tuple[int, ...]) -> None:
    assert offered_message(definition) == offered


def test_what_is_offered_for_headers() -> None:
    assert offered_header((SYSTEM, NONE)) == (SYSTEM, NONE)
    assert offered_header((NONE,)) == (NONE,)
    assert offered_header(()) == (NONE,)


@pytest.mark.parametrize("name", ALL)
def test_from_definitions_to_a_message_over_segments(name: str) -> None:
    caller = InitialData(
        "A.B", header_compression=offered_header((SYSTEM,)), message_compression=offered_message((ALL[name], NONE))
    )
    called = InitialData(
        "A.B", header_compression=offered_header((SYSTEM, NONE)), message_compression=offered_message((ANY,))
    )
    answer = agree_message_channel(caller, called)
    ends = [Compressor(*answer.header_compression, *answer.message_compression) for _ in range(2)]
    assert ends[0].message == ALL[name]
    data = HEADER + RECORDS
    packed, flags = ends[0].compress(data)
    segments = pack_message(packed, sequence=1, luwid=b"12345678", max_segment=1024, compressed=flags)
    (flow,) = SegmentReader(1024, MAX).feed(b"".join(segments))
    message = unpack_message(flow, compression=ends[1].flags)
    assert ends[1].decompress(message.data, message.compressed, MAX) == data


def test_without_the_package_lz4_it_is_not_offered() -> None:
    program = (
        "import sys; sys.modules['lz4'] = None\n"
        "from libremq.channels.channel_compression import *\n"
        "print(offered_message((16, 4, 0)), offered_message((32,)), offered_message((268435455,)))\n"
        "try: Compressor(0, 16)\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=240)
    assert ran.stdout.splitlines() == ["(4, 0) (0,) (2, 4, 1, 0)", "ProtocolError"]
