"""Requests that are made once and messages that are taken apart later are what they would be if nothing were kept.

Random calls of the API are made against a queue manager, on a link that notes what goes and comes. For each request the
plain functions of the wire make the bytes anew from descriptor and options, and for each message they take the reply
apart.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import libremq
from libremq import Message, Queue, QueueManager
from libremq.client import options as opt
from libremq.client.remote import remote_link
from libremq.client.verbs import MQI
from libremq.kernel.properties.given_properties import encoded_properties
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_names import returned_name
from libremq.kernel.properties.property_types import infer_type
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.serving import served_queue_manager
from libremq.wire import calls
from libremq.wire.messages import BATCH, SELECTION, Request, pack_request, unpack_message, unpack_request
from libremq.wire.protocol import REPLY, Type
from libremq.wire.segments import SegmentReader

SEEDS = range(6)
STEPS = 60
NO_ID = bytes(24)


class Wire:
    """What goes over the link of a connection, and comes."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.came: list[Any] = []


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    """Notes every flow of this process; it goes and comes as it did."""
    wire = Wire()
    send, receive = remote_link.RemoteLink.send, remote_link.RemoteLink.receive

    def noting_send(link: remote_link.RemoteLink, data: bytes, deadline: float | None = None) -> None:
        wire.sent.append(bytes(data))
        send(link, data, deadline)

    def noting_receive(link: remote_link.RemoteLink, slot: Any, deadline: Any = None, **more: Any) -> Any:
        flow = receive(link, slot, deadline, **more)
        wire.came.append(flow)
        wire.came.extend(slot.replies)
        return flow

    with monkeypatch.context() as patched:
        patched.setattr(remote_link.RemoteLink, "send", noting_send)
        patched.setattr(remote_link.RemoteLink, "receive", noting_receive)
        yield wire


def flows(sent: list[bytes]) -> list[tuple[int, bytes]]:
    """Type and body of every flow that went out."""
    reader = SegmentReader(1 << 20, 1 << 30)
    return [(flow.kind, flow.body) for flow in reader.feed(b"".join(sent))]


def plain_put(given: Any, data: Any, *, syncpoint: bool) -> tuple[MQMD, MQPMO, bytes]:
    """Descriptor, options and data of a put, properties included, with nothing kept from another one."""
    md, pmo, payload = opt.for_put("Q", data, given, syncpoint=syncpoint)
    if given.get("properties"):
        properties = Properties()
        for name, value in given["properties"].items():
            properties.set(name, value, infer_type(value))
        block = properties.encode()
        pmo.Version, pmo.NewMsgHandle, payload = C.MQPMO_VERSION_3, len(block) + 1, block + payload
    return md, pmo, payload


def random_put(chance: Random) -> dict[str, Any]:
    possible: dict[str, list[Any]] = {
        "persistent": [True, False],
        "priority": [0, 4, 9],
        "expiry": [600, 600.0, 3600],
        "correlation_id": [b"red", "blue", bytes(range(24))],
        "message_id": [b"first", "second"],
        "reply_to": ["ANSWERS", None],
        "reply_to_manager": ["", "QM2"],
        "properties": [{"colour": "red"}, {"weight": 7, "ready": True}, {}],
        "format": ["MQSTR", "OURS"],
        "message_type": [C.MQMT_DATAGRAM, 70000],
        "report": [0, C.MQRO_COA],
        "md": [
            MQMD(Version=2, GroupId=b"g".ljust(24), MsgFlags=C.MQMF_MSG_IN_GROUP, MsgSeqNumber=2),
            MQMD(ApplOriginData="abcd"),
            MQMD(Version=2, CodedCharSetId=500, Persistence=1),
        ],
        "pmo": [MQPMO(Options=C.MQPMO_NEW_MSG_ID), MQPMO(Version=3), MQPMO(Version=2, Options=C.MQPMO_NEW_CORREL_ID)],
    }
    given = {name: chance.choice(values) for name, values in possible.items() if chance.random() < 0.2}
    if given.get("report") or given.get("message_type") == C.MQMT_REQUEST:
        given["reply_to"] = "ANSWERS"
    return given


def random_get(chance: Random) -> dict[str, Any]:
    possible: dict[str, list[Any]] = {
        "wait": [None, 0, 0.001, 0.002],
        "correlation_id": [b"red", "blue"],
        "message_id": [b"first"],
        "group_id": [b"g".ljust(24)],
        "convert": [True, False, 1208, 500],
        "max_length": [2000, 8],
        "truncate": [True],
        "md": [MQMD(), MQMD(Version=2, CorrelId=b"red".ljust(24, b"\0"))],
        "gmo": [MQGMO(Options=C.MQGMO_NO_PROPERTIES), MQGMO(Version=2, MatchOptions=C.MQMO_NONE), MQGMO()],
    }
    return {name: chance.choice(values) for name, values in possible.items() if chance.random() < 0.12}


def plain_get(given: dict[str, Any], options: int, *, syncpoint: bool) -> tuple[MQMD, MQGMO, int | None]:
    """Descriptor, options and length of the buffer of a get, as they are sent, with nothing kept from another one."""
    match = {name: given.get(name) for name in ("message_id", "correlation_id", "group_id")}
    if given.get("truncate"):
        options |= C.MQGMO_ACCEPT_TRUNCATED_MSG
    get = opt.this_get(
        {}, "Q", options=options, syncpoint=syncpoint, wait=given.get("wait"), match=match,  # type: ignore[arg-type]
        convert=given.get("convert", False), md=given.get("md"), gmo=given.get("gmo"),
    )  # fmt: skip
    md, gmo = get.call.structures(get.message_id, get.correlation_id, 1)
    return md, gmo, given.get("max_length")


def same_as_reply(message: Message, flow: Any) -> None:
    """Is the message what the plain functions make of the reply?"""
    block = b""
    if flow.kind == Type.ASYNC_MESSAGE:
        arrived = unpack_message(flow.body)
        md, gmo, length, data = arrived.md, arrived.gmo, arrived.length, arrived.data
        block, reason = arrived.properties, arrived.reason
    else:
        md, gmo, length, data = calls.unpack_get_reply(flow.body)
        reason = calls.unpack_api(flow.body).reason
        if gmo.MsgHandle:
            block, data = data[: gmo.MsgHandle - 1], data[gmo.MsgHandle - 1 :]
        gmo.MsgHandle = 0
    properties = {returned_name(name): value for name, value in Properties.decode(block).as_dict().items()}
    for one in (message, copy.copy(message), pickle.loads(pickle.dumps(message))):
        assert (one.data, one.length, one.warning) == (data, length, reason)
        assert one.queue == gmo.ResolvedQName
        assert one.properties == properties
        assert one.md == md
        assert one.gmo == gmo
        assert (one.expires is None) == (md.Expiry == C.MQEI_UNLIMITED)
        assert (one.message_id, one.correlation_id, one.group_id) == (md.MsgId, md.CorrelId, md.GroupId)
        assert type(one) is Message and isinstance(repr(one), str)


class Comparing:
    """One queue, random calls on it, and the comparison."""

    def __init__(self, qm: QueueManager, queue: Queue, wire: Wire, chance: Random) -> None:
        self.qm = qm
        self.queue = queue
        self.wire = wire
        self.chance = chance
        self.compared = 0
        self.in_transaction = False

    def body(self, kind: int) -> bytes:
        """That of the only flow of a type among those that the latest call has sent."""
        (found,) = [body for sent, body in flows(self.wire.sent) if sent == kind]
        return found

    def start(self) -> None:
        self.wire.sent.clear()
        self.wire.came.clear()

    def data(self) -> Any:
        return self.chance.choice([b"bytes", "text", "Größe", bytearray(b"array"), b"x" * 1500, b"y" * 70_000])

    def put(self) -> None:
        given, data = random_put(self.chance), self.data()
        self.start()
        try:
            made = self.queue.put(data, **given)
        except libremq.MQError:
            return
        body = self.body(Type.MQPUT)
        md, pmo, payload = plain_put(given, data, syncpoint=self.in_transaction)
        hobj = calls.unpack_api(body).hobj
        assert body == calls.pack_put(hobj, md, pmo, payload)
        (reply,) = [flow for flow in self.wire.came if flow.kind == Type.MQPUT + REPLY]
        assert made == calls.unpack_put_reply(reply.body)[0].MsgId
        self.compared += 1

    def put_many(self) -> None:
        given = random_put(self.chance)
        given.pop("properties", None)
        several = [self.data() for _ in range(self.chance.randrange(1, 20))]
        self.start()
        try:
            ids = self.queue.put_many(several, **given)
        except libremq.MQError:
            return
        bodies = [body for kind, body in flows(self.wire.sent) if kind == Type.MQPUT]
        assert len(bodies) == len(ids) == len(several)
        for body, data, made in zip(bodies, several, ids):
            md, pmo, payload = plain_put(given, data, syncpoint=True)
            if pmo.Options & C.MQPMO_NEW_MSG_ID or md.MsgId == NO_ID:
                assert made not in (NO_ID, md.MsgId)
                md.MsgId = made
            if pmo.Options & C.MQPMO_NEW_CORREL_ID:
                md.CorrelId = calls.unpack_put(body)[1].CorrelId
                assert md.CorrelId != NO_ID
            pmo.Options &= ~(C.MQPMO_NEW_MSG_ID | C.MQPMO_NEW_CORREL_ID | C.MQPMO_SYNC_RESPONSE)
            pmo.Options |= C.MQPMO_ASYNC_RESPONSE
            assert made == md.MsgId
            assert body == calls.pack_put(calls.unpack_api(body).hobj, md, pmo, payload)
        assert len(set(ids)) == len(ids) or given.get("message_id")
        self.compared += 1

    def get(self) -> None:
        given = random_get(self.chance)
        self.start()
        message: Message | None = None
        try:
            message = self.queue.get(**given)
        except libremq.MQError as error:
            if not any(sent == Type.MQGET for sent, _ in flows(self.wire.sent)):
                raise AssertionError("it was not sent") from error
        self.check_get(given, 0, message, syncpoint=self.in_transaction)

    def check_get(self, given: dict[str, Any], options: int, message: Message | None, *, syncpoint: bool) -> None:
        body = self.body(Type.MQGET)
        md, gmo, length = plain_get(given, options, syncpoint=syncpoint)
        room = calls.ANY_LENGTH if length is None else length
        assert body == calls.pack_get(calls.unpack_api(body).hobj, md, gmo, room)
        if message is not None:
            (reply,) = [flow for flow in self.wire.came if flow.kind == Type.MQGET + REPLY]
            same_as_reply(message, reply)
        self.compared += 1

    def get_many(self) -> None:
        given = random_get(self.chance)
        given = {name: value for name, value in given.items() if name in ("wait", "convert", "correlation_id")}
        count = self.chance.choice([1, 3, 50])
        self.start()
        try:
            found = self.queue.get_many(count, **given)
        except libremq.NoMessageAvailable:
            found = []
        body = self.body(Type.REQUEST_MSGS)
        md, gmo, _ = plain_get(given, 0, syncpoint=self.in_transaction)
        match = gmo.MatchOptions & (C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID)
        request = Request(
            unpack_request(body).hobj, requested_bytes=16 << 20, max_length=-1, options=gmo.Options,
            wait_ms=gmo.WaitInterval, flags=BATCH | SELECTION, count=count, md=md, match_options=match,
        )  # fmt: skip
        assert body == pack_request(request)
        came = {flow.body: flow for flow in self.wire.came if flow.kind == Type.ASYNC_MESSAGE}
        assert len(came) == len(found)
        for message, flow in zip(found, came.values()):
            same_as_reply(message, flow)
        self.compared += 1

    def browse(self) -> None:
        given = random_get(self.chance)
        given = {name: value for name, value in given.items() if name in ("wait", "convert", "correlation_id")}
        direction = C.MQGMO_BROWSE_FIRST
        with self.queue.browse(**given) as browser:
            for _ in range(5):
                self.start()
                message = next(browser, None)
                options = direction | C.MQGMO_FAIL_IF_QUIESCING
                self.check_get(given, options, message, syncpoint=False)
                if message is None:
                    break
                direction = C.MQGMO_BROWSE_NEXT

    def transaction(self) -> None:
        with self.qm.transaction() as transaction:
            self.in_transaction = True
            for _ in range(4):
                self.chance.choice([self.put, self.put_many, self.get, self.get_many])()
            self.in_transaction = False
            if self.chance.random() < 0.3:
                transaction.backout()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueManager]:
    folder: Path = tmp_path_factory.mktemp("bytes")
    with served_queue_manager(folder=folder) as served, libremq.connect(served.url("mq")) as qm:
        qm.define_local("Q")
        qm.define_local("ANSWERS")
        yield qm


@pytest.mark.parametrize("seed", SEEDS)
def test_random_calls_are_what_they_are_without_anything_kept(
    seed: int, site: QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(seed)
    with watched(monkeypatch) as wire:
        comparing = Comparing(site, site.queue("Q"), wire, chance)
        steps = [comparing.put] * 5 + [comparing.get] * 4 + [
            comparing.put_many, comparing.get_many, comparing.browse, comparing.transaction,
        ]  # fmt: skip
        for _ in range(STEPS):
            chance.choice(steps)()
    assert comparing.compared > STEPS


def same_verbs(mqi: MQI, wire: Wire, chance: Random) -> None:
    """An MQPUT and an MQGET by the verbs, with structures that are used again."""
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED)
    md, pmo = MQMD(Version=chance.choice([1, 2])), MQPMO(Version=chance.choice([1, 2, 3]))
    for _ in range(12):
        pmo.Options = chance.choice([C.MQPMO_NO_SYNCPOINT, C.MQPMO_NO_SYNCPOINT | C.MQPMO_NEW_MSG_ID])
        md.Persistence, md.Priority = chance.choice([0, 1]), chance.choice([0, 5])
        if chance.random() < 0.3:
            md.CorrelId = chance.randbytes(24)
        data = chance.choice([b"data", b"y" * 70_000])
        asked = calls.pack_put(hobj, md, pmo, data)
        wire.sent.clear()
        mqi.MQPUT(hobj, md, pmo, data)
        assert flows(wire.sent) == [(Type.MQPUT, asked)]
        room = chance.choice([100_000, None, 10])
        got_md, gmo = MQMD(MsgId=md.MsgId), MQGMO(Version=chance.choice([1, 2, 3, 4]), Options=C.MQGMO_NO_SYNCPOINT)
        gmo.Options |= C.MQGMO_ACCEPT_TRUNCATED_MSG
        asked = calls.pack_get(hobj, got_md, gmo, calls.ANY_LENGTH if room is None else room)
        wire.sent.clear()
        got = mqi.MQGET(hobj, got_md, gmo, room)
        assert flows(wire.sent) == [(Type.MQGET, asked)]
        assert got.data == data[:room] and got_md.MsgId == md.MsgId
    mqi.MQCLOSE(hobj)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_verbs_send_what_is_in_their_structures(
    seed: int, site: QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watched(monkeypatch) as wire:
        same_verbs(site.mqi, wire, Random(seed))


@pytest.mark.parametrize("field", ["MsgId", "CorrelId"])
@pytest.mark.parametrize("value", [b"x" * 23, b"x" * 25, "x" * 24, None])
def test_an_id_of_a_repeated_call_has_24_bytes(site: QueueManager, field: str, value: Any) -> None:
    """It is put where another one stood, and must not move what follows."""
    mqi = site.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="ANSWERS"), C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED)
    md = MQMD()
    setattr(md, field, b"x" * 24)
    mqi.MQPUT(hobj, md.copy(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"data")
    mqi.MQGET(hobj, md.copy(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT), 100)
    setattr(md, field, value)
    for call in (
        lambda: mqi.MQPUT(hobj, md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"data"),
        lambda: mqi.MQGET(hobj, md, MQGMO(Options=C.MQGMO_NO_SYNCPOINT), 100),
    ):
        with pytest.raises(libremq.MQError) as caught:
            call()
        assert caught.value.reason in (C.MQRC_MSG_ID_ERROR, C.MQRC_CORREL_ID_ERROR, C.MQRC_MD_ERROR)
    mqi.MQCLOSE(hobj)


def _made(make: Callable[[], bytes]) -> object:
    try:
        return make()
    except MQError as error:
        return error.reason, str(error)


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.one_of(
            st.sampled_from(("colour", "usr.colour", "a.b", "a.b.c", "Root.MQMD.Priority", "JMSType", "JMSXState", "")),
            st.sampled_from(("JMSXGroupID", "and", "mq.x.y", "1a", "Root.x", "MQBody", "größe", "x" * 4096)),
            st.text(max_size=5),
        ),
        st.one_of(
            st.none(), st.booleans(), st.integers(-(1 << 65), 1 << 65), st.floats(), st.binary(max_size=4), st.just([]),
            st.text(st.characters(exclude_categories=()), max_size=4), st.just(b"x" * 300), st.just("y" * 300),
        ),
        min_size=1,
        max_size=4,
    )
)  # fmt: skip
def test_properties_that_need_no_handle_are_as_if_they_were_set_in_one(values: dict[str, object]) -> None:
    def in_a_handle() -> bytes:
        handles = MessageHandles(0)
        hmsg = handles.create()
        for name, value in values.items():
            handles.set(hmsg, None, name, None, infer_type(value), value)
        return handles.get(hmsg).properties.encode()

    assert _made(lambda: encoded_properties(MessageHandles(0), values)) == _made(in_a_handle)
