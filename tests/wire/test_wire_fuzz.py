"""No input makes the codec raise anything but its own error, loop, or hold more than it may."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from helper_mutations import mutated
from hypothesis import given, settings
from hypothesis import strategies as st

from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQPMR, MQSTS
from libremq.wire import calls, extensions, messages, session_flows, xa_flows
from libremq.wire.protocol import MAX_SEGMENT, ProtocolError, Type
from libremq.wire.segments import SegmentReader, frame, frame_plain

FLOW_MAX = 1 << 20
MD, PMO, OD = MQMD(Version=2), MQPMO(Version=3), MQOD(Version=4, ObjectName="Q")
GMO = MQGMO(Version=4, MsgToken=b"T" * 16)
RECORDS = [MQPMR() for _ in range(3)]
Reader = Callable[[bytes, bool, str], object]


def _records(body: bytes, big: bool, charset: str) -> object:
    return extensions.read_texts(MQOD(), calls.unpack_json(body))


def _room(body: bytes, big: bool, charset: str) -> object:
    calls.unpack_inquire(body, big, values=False)
    return calls.inquire_room(body, big)


# Every function that reads bytes of others, with something it is meant for; and whether MQError is documented
READERS: dict[str, tuple[Reader, bytes, bool]] = {
    "api": (lambda b, e, c: calls.unpack_api(b, e), calls.pack_api(0, 0, 1), False),
    "put": (lambda b, e, c: calls.unpack_put(b, e, c), calls.pack_put(1, MD, PMO, b"data"), False),
    "message id": (lambda b, e, c: calls.message_id_of(b), calls.pack_put(1, MD, PMO, b"data"), False),
    "put reply": (lambda b, e, c: calls.unpack_put_reply(b), calls.pack_put_reply(0, 0, 1, MD, PMO, 4), False),
    "put1": (lambda b, e, c: calls.unpack_put1(b, e, c), calls.pack_put1(OD, MD, PMO, b"data"), False),
    "put1 reply": (lambda b, e, c: calls.unpack_put1_reply(b), calls.pack_put1_reply(0, 0, OD, MD, PMO, 4), False),
    "get": (lambda b, e, c: calls.unpack_get(b, e, c), calls.pack_get(1, MD, GMO, 100), False),
    "get reply": (lambda b, e, c: calls.unpack_get_reply(b), calls.pack_get_reply(0, 0, 1, MD, GMO, 4, b"data"), False),
    "open": (lambda b, e, c: calls.unpack_open(b, e, c), calls.pack_open(0, OD, 1, {"ObjectString": "x"}), False),
    "open form": (lambda b, e, c: calls.open_attributes_bytes(b, e, c), calls.pack_open(0, OD, 1), False),
    "close": (lambda b, e, c: calls.unpack_close(b, e), calls.pack_close(1, 0), False),
    "set": (lambda b, e, c: calls.unpack_inquire(b, e, values=True), calls.pack_inquire(1, [1, 2], [3], b"ab"), False),
    "inquire": (_room, calls.pack_inquire(1, [1, 2], int_count=2, char_length=48), False),
    "stat": (lambda b, e, c: calls.unpack_stat(b, e), calls.pack_stat(0, MQSTS()), True),
    "stat reply": (lambda b, e, c: calls.unpack_stat_reply(b, e), calls.pack_stat_reply(MQSTS()), True),
    "extension": (lambda b, e, c: calls.unpack_extension(b), calls.pack_extension("x", {"a": [1]}, b"blob"), False),
    "json": (lambda b, e, c: calls.unpack_json(b), b'{"a": {"b": [1, 2.5, null, "x"]}}', False),
    "initial data": (
        lambda b, e, c: session_flows.unpack_initial(b, big_endian=e, charset=c),
        session_flows.pack_initial(session_flows.InitialData("CHANNEL")),
        False,
    ),
    "user": (lambda b, e, c: session_flows.unpack_user(b, c), session_flows.pack_user("user"), False),
    "credentials": (
        lambda b, e, c: session_flows.unpack_credentials(b, big_endian=e, charset=c),
        session_flows.pack_credentials("user", "password"),
        False,
    ),
    "connect": (
        lambda b, e, c: session_flows.unpack_connect(b, 16, big_endian=e, charset=c),
        bytes(16) + session_flows.pack_connect(session_flows.Connect("QM", "app", 6)),
        False,
    ),
    "action": (lambda b, e, c: session_flows.unpack_action(b, big_endian=e), session_flows.pack_action(3, 1), False),
    "status": (lambda b, e, c: session_flows.unpack_status(b, big_endian=e), session_flows.pack_status(5), False),
    "explanation": (
        lambda b, e, c: session_flows.unpack_explanation(b), session_flows.pack_explanation("Q", "words"), False,
    ),
    "request": (
        lambda b, e, c: (messages.unpack_request(b, e), messages.is_next_call(b, e)),
        messages.pack_request(messages.Request(1, md=MD, match_options=0x27, token=b"T" * 16)),
        False,
    ),
    "message": (
        lambda b, e, c: messages.unpack_message(b, e),
        messages.pack_message(1, 1, MD, GMO, b"data", 4, properties=b"props"),
        False,
    ),
    "notification": (lambda b, e, c: messages.unpack_notification(b, e), messages.pack_notification(1, 7, 0), False),
    "xa": (lambda b, e, c: xa_flows.unpack_xa(b, e), xa_flows.pack_xa(0, 0, xa_flows.pack_xid(b"x")), False),
    "xid": (lambda b, e, c: xa_flows.unpack_xid(b), xa_flows.pack_xid(bytes(140)), False),
    "xids": (lambda b, e, c: xa_flows.unpack_xids(b, e), xa_flows.pack_xids([b"x", b"yy"]), False),
    "object records": (_records, b'{"records": [["Q", "M"]], "ObjectString": "x"}', True),
    "responses": (
        lambda b, e, c: extensions.read_responses(calls.unpack_json(b)), b'{"responses": [[0, 0], [2, 2085]]}', False,
    ),
    "record": (lambda b, e, c: extensions.read_record(b), extensions.record_bytes(MQPMR()), False),
    "put list": (
        lambda b, e, c: extensions.read_put_list(b, RECORDS),
        calls.unpack_extension(extensions.put_list_call(1, MD, PMO, b"data", RECORDS))[1],
        False,
    ),
    "callback": (
        lambda b, e, c: extensions.read_callback(b),
        calls.unpack_extension(extensions.callback_call(1, MQCBD(), 1, MD, GMO, function=True))[1],
        True,
    ),
}  # fmt: skip


def read(name: str, body: bytes, big: bool, charset: str) -> None:
    reader, _, refusal = READERS[name]
    try:
        reader(body, big, charset)
    except ProtocolError as error:
        assert str(error)
    except MQError:
        assert refusal, f"{name} refuses with a reason where that is not documented"


CHARSETS = st.sampled_from(["latin-1", "cp500", "cp037"])


@pytest.mark.parametrize("name", sorted(READERS))
@given(st.binary(max_size=900), st.booleans(), CHARSETS)
def test_random_bytes(name: str, body: bytes, big: bool, charset: str) -> None:
    read(name, body, big, charset)


@pytest.mark.parametrize("name", sorted(READERS))
def test_mutations_of_what_is_right(name: str) -> None:
    right = READERS[name][1]
    READERS[name][0](right, False, "latin-1")
    everything = [body for _, body, _ in READERS.values()]
    for seed in range(400):
        chance = random.Random(f"{name} {seed}")
        body = mutated(chance, [right], everything)
        read(name, body, chance.random() < 0.2, chance.choice(("latin-1", "latin-1", "cp500")))
    for end in range(len(right)):
        read(name, right[:end], False, "latin-1")


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000, b'{"a":' * 50_000, b'{"call": ' + b"9" * 100_000 + b"}", b"\xff\xfe{\0}\0", b'{"a": Infinity}',
        b'{"\\ud800": 1}', b"null", b"7", b'"x"', b"{}" + b" " * 1000 + b"x",
    ],
    ids=range(10),
)  # fmt: skip
def test_json_that_is_none_or_too_deep(text: bytes) -> None:
    for name in ("json", "object records", "responses"):
        read(name, text, False, "latin-1")
    body = calls.pack_api(0, 0, 0) + b"LMQX" + (1).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    read("extension", body, False, "latin-1")


def _session() -> list[bytes]:
    found = [frame_plain(Type.INITIAL_DATA, READERS["initial data"][1], flags=0x31)]
    kinds = {
        "user": Type.USERID_DATA, "credentials": Type.CONAUTH_INFO, "connect": Type.MQCONN, "open": Type.MQOPEN,
        "put": Type.MQPUT, "put1": Type.MQPUT1, "get": Type.MQGET, "message": Type.ASYNC_MESSAGE, "set": Type.MQSET,
        "request": Type.REQUEST_MSGS, "notification": Type.NOTIFICATION, "xa": Type.XA_START, "close": Type.MQCLOSE,
        "extension": Type.EXTENSION,
    }  # fmt: skip
    found += [frame(kind, READERS[name][1], 1) for name, kind in kinds.items()]
    long = frame(Type.MQPUT, calls.pack_put(1, MD, PMO, bytes(5000)), 3, max_segment=1024)
    found += [long[at : at + 1024] for at in range(0, len(long), 1024)]
    long = frame(Type.ASYNC_MESSAGE, messages.pack_message(1, 1, MD, GMO, bytes(3000), 3000), 5, max_segment=1024)
    return found + [long[at : at + 1024] for at in range(0, len(long), 1024)]


@pytest.mark.parametrize("block", range(8))
def test_mutated_sessions(block: int) -> None:
    session_ = _session()
    flows = 0
    for seed in range(250):
        chance = random.Random(block * 1000 + seed)
        stream = mutated(chance, session_, session_)
        reader = SegmentReader(MAX_SEGMENT, FLOW_MAX)
        at = 0
        try:
            while at < len(stream):
                size = chance.choice((1, 7, 36, 500, 4096))
                for flow in reader.feed(stream[at : at + size]):
                    flows += 1
                    for name in chance.sample(sorted(READERS), 3):
                        read(name, flow.body, flow.big_endian, flow.charset)
                at += size
                assert reader.held_bytes <= FLOW_MAX + MAX_SEGMENT
        except ProtocolError:
            pass
    assert flows > 1000


@given(st.data())
@settings(max_examples=300)
def test_a_reader_says_the_same_however_the_bytes_are_cut(data: st.DataObject) -> None:
    """Errors too: what is right before them is read."""
    chance = random.Random(data.draw(st.integers(0, 1 << 30)))
    stream = mutated(chance, _session(), _session())

    def outcome(sizes: Callable[[], int]) -> tuple[list[Any], bool]:
        reader = SegmentReader(MAX_SEGMENT, FLOW_MAX)
        found: list[Any] = []
        at = 0
        try:
            while at < len(stream):
                size = sizes()
                found += [(flow.kind, flow.conversation, flow.body) for flow in reader.feed(stream[at : at + size])]
                at += size
        except ProtocolError:
            return found, True
        return found, reader.failed is not None

    whole, failed = outcome(lambda: len(stream))
    bytewise, failed_bytewise = outcome(lambda: chance.choice((1, 2, 50)))
    assert failed is failed_bytewise
    assert whole == bytewise


def test_names_of_objects_and_records_are_texts() -> None:
    with pytest.raises(MQError):
        extensions.read_texts(MQOD(), {"records": [[["x"], "y"]]})
    assert extensions.read_texts(MQOD(), {"records": [["x", "y"]]}) == [MQOR(ObjectName="x", ObjectQMgrName="y")]
