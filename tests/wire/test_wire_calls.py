"""The bodies of calls and other segments: what one end packs the tables decode, and the other end unpacks."""

from __future__ import annotations

from typing import Any

import helper_layouts as layouts
import pytest
from helper_layouts import parts_of, read_segment
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQPMR, MQSTS
from libremq.wire import calls, extensions, messages, session_flows, xa_flows
from libremq.wire.protocol import PRODUCT_SERVER, ProtocolError, Status, Type
from libremq.wire.segments import frame

INT = st.integers(-(1 << 31), (1 << 31) - 1)
DATA = st.binary(max_size=300)
NAME = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)


def parts(kind: int, body: bytes) -> dict[str, Any]:
    """The structures of a segment with this body, as the tables see them."""
    found = parts_of(read_segment(frame(kind, body, 1)))
    return {name: values for name, _, values in found[1:]}


@given(INT, st.integers(1, 2), st.integers(1, 3), NAME, DATA)
def test_put(hobj: int, md_version: int, pmo_version: int, name: str, data: bytes) -> None:
    md, pmo = MQMD(Version=md_version, ReplyToQ=name), MQPMO(Version=pmo_version, Options=4)
    body = calls.pack_put(hobj, md, pmo, data)
    seen = parts(Type.MQPUT, body)
    assert seen["MD"]["ReplyToQ"] == name and seen["PMO"]["Options"] == 4
    assert seen["DATALEN"]["DataLength"] == len(data) and body.endswith(data)
    assert calls.unpack_put(body) == (hobj, md, pmo, data)
    reply = calls.pack_put_reply(1, 2, hobj, md, pmo, len(data))
    assert parts(Type.MQPUT + 16, reply)["API"]["ReplyLength"] == 28 + len(reply)
    assert calls.unpack_put_reply(reply) == (md, pmo)


@given(st.integers(1, 4), NAME, DATA)
def test_put1(version: int, name: str, data: bytes) -> None:
    od, md, pmo = MQOD(Version=version, ObjectName=name), MQMD(), MQPMO()
    body = calls.pack_put1(od, md, pmo, data)
    seen = parts(Type.MQPUT1, body)
    assert seen["OD"]["ObjectName"] == name and seen["DATALEN"]["DataLength"] == len(data)
    assert calls.unpack_put1(body) == (od, md, pmo, data)
    reply = calls.pack_put1_reply(0, 0, od, md, pmo, len(data))
    assert parts(Type.MQPUT1 + 16, reply)["API"]["ReplyLength"] == 28 + len(reply)
    assert calls.unpack_put1_reply(reply) == (od, md, pmo)


@given(INT, st.integers(1, 4), INT, DATA)
def test_get(hobj: int, version: int, length: int, data: bytes) -> None:
    md, gmo = MQMD(CorrelId=b"C" * 24), MQGMO(Version=version, WaitInterval=77)
    body = calls.pack_get(hobj, md, gmo, length)
    seen = parts(Type.MQGET, body)
    assert seen["GMO"]["WaitInterval"] == 77 and seen["DATALEN"]["DataLength"] == length % (1 << 32)
    assert calls.unpack_get(body) == (hobj, md, gmo, length)
    reply = calls.pack_get_reply(0, 0, hobj, md, gmo, len(data) + 1, data)
    seen = parts(Type.MQGET + 16, reply)
    assert (seen["API"]["ReplyLength"], seen["DATALEN"]["DataLength"]) == (28 + len(reply), len(data) + 1)
    assert calls.unpack_get_reply(reply) == (md, gmo, len(data) + 1, data)


@given(INT, st.integers(1, 4), st.integers(0, 0xFFFFFFFF), st.sampled_from([0, 28, 84]))
def test_open(hobj: int, version: int, options: int, form: int) -> None:
    od = MQOD(Version=version, ObjectName="Q", ObjectQMgrName="QM")
    body = calls.pack_open(hobj, od, options, attributes_bytes=form, defaults=(1, 2, 3, 4))
    seen = parts(Type.MQOPEN, body)
    assert seen["OPENOPT"]["Options"] == options
    if form:
        assert (seen["FOPA"]["Length"], seen["FOPA"]["PropertyControl"]) == (form, 4)
    found, found_options, more = calls.unpack_open(body)
    assert (found, found_options % (1 << 32), more) == (od, options, {})
    assert calls.open_attributes_bytes(body) == form


def test_open_with_texts_and_records() -> None:
    od = MQOD(Version=4, ObjectName="Q", SelectionString="a = 'ü'", ObjectString="x/" * 500)
    records = [MQOR(ObjectName=f"Q{number}", ObjectQMgrName="QM") for number in range(1000)]
    body = calls.pack_open(0, od, 16, extensions.open_texts(od, records))
    found, _, more = calls.unpack_open(body)
    assert [record.ObjectName for record in extensions.read_texts(found, more)] == [f"Q{n}" for n in range(1000)]
    assert (found.SelectionString, found.ObjectString) == (od.SelectionString, od.ObjectString)


@pytest.mark.parametrize("offset", [0, 399, 401, 5000, 0xFFFFFFFF])
def test_a_text_that_is_not_where_the_mqod_says_is_refused(offset: int) -> None:
    values = {"StrucId": "OD", "Version": 4, "SelectionStringOffset": offset, "SelectionStringLength": 8}
    with pytest.raises(ProtocolError):
        calls.unpack_open(bytes(16) + layouts.encode("OD", values) + b"abcdefgh"[:7] + bytes(4))


@pytest.mark.parametrize(
    "more",
    [
        {"records": 7}, {"records": [[1, 2]]}, {"records": [["Q"]]}, {"records": ["QQ"]},
        {"records": [["Q", "M"]] * 10_001},
    ],
    ids=["no list", "numbers", "one name", "a text", "too many"],
)  # fmt: skip
def test_object_records_that_are_none_are_refused_with_a_reason(more: dict[str, Any]) -> None:
    with pytest.raises(MQError):
        extensions.read_texts(MQOD(ObjectName="Q"), more)


@given(INT, st.lists(INT, max_size=20), st.lists(INT, max_size=20), DATA)
def test_inquire_and_set(hobj: int, selectors: list[int], ints: list[int], chars: bytes) -> None:
    body = calls.pack_inquire(hobj, selectors, ints, chars)
    seen = parts(Type.MQSET, body)["INQ"]
    assert seen == {"SelectorCount": len(selectors), "IntAttrCount": len(ints), "CharAttrLength": len(chars)}
    assert calls.unpack_inquire(body, values=True) == (hobj, selectors, ints, chars)
    request = calls.pack_inquire(hobj, selectors, int_count=3, char_length=48)
    assert calls.unpack_inquire(request, values=False) == (hobj, selectors, [], b"")
    assert calls.inquire_room(request) == (3, 48)


def test_counts_that_lie_are_refused() -> None:
    for counts in ((0xFFFFFFFF, 0, 0), (513, 0, 0), (2, 0, 0), (1, 0xFFFFFFFF, 0), (1, 513, 0), (1, 2, 0)):
        body = calls.pack_api(0, 0, 1) + b"".join(count.to_bytes(4, "little") for count in counts) + bytes(4)
        with pytest.raises(ProtocolError):
            calls.unpack_inquire(body, values=True)


@given(INT, INT)
def test_close(hobj: int, options: int) -> None:
    body = calls.pack_close(hobj, options)
    assert parts(Type.MQCLOSE, body)["CLOSEOPT"]["Options"] == options % (1 << 32)
    assert calls.unpack_close(body) == (hobj, options)


def test_status() -> None:
    sts = MQSTS(CompCode=2, Reason=2053, PutFailureCount=3, ObjectName="Q")
    assert calls.unpack_stat(calls.pack_stat(1, sts)) == (1, sts)
    assert calls.unpack_stat_reply(calls.pack_stat_reply(sts)) == sts


@given(st.dictionaries(NAME, st.one_of(st.integers(), NAME, st.none()), max_size=5), DATA, INT)
def test_extension(value: dict[str, Any], blob: bytes, hobj: int) -> None:
    body = calls.pack_extension("name", value, blob, hobj=hobj)
    assert calls.unpack_extension(body) == ({"call": "name", **value}, blob)
    assert calls.unpack_api(body).hobj == hobj
    with pytest.raises(ProtocolError):
        calls.unpack_extension(body, 5)


def test_put_list_and_callback() -> None:
    records = [MQPMR(MsgId=bytes([n]) * 24, Feedback=n - 5) for n in range(10)]
    body = extensions.put_list_call(3, MQMD(), MQPMO(Version=2), b"data", records)
    _, blob = calls.unpack_extension(body)
    filled = [MQPMR() for _ in records]
    assert extensions.read_put_list(blob, filled) == (MQMD(), MQPMO(Version=2))
    assert [record.Feedback for record in filled] == [record.Feedback for record in records]
    cbd, md, gmo = MQCBD(MaxMsgLength=100), MQMD(CorrelId=b"x" * 24), MQGMO(Version=4, MsgHandle=1)
    _, blob = calls.unpack_extension(extensions.callback_call(1, cbd, 3, md, gmo, function=True))
    assert extensions.read_callback(blob) == (cbd, md, gmo)


# How a channel begins


@given(
    NAME, NAME, st.integers(4, 17), st.integers(0, 1 << 31), st.integers(0, 1 << 31), st.integers(0, 999999),
    st.integers(-5, 1000), st.sampled_from([102, 208, 240]),
)  # fmt: skip
def test_initial_data(
    channel: str, name: str, fap: int, segment: int, message: int, heartbeat: int, sharing: int, length: int
) -> None:
    data = session_flows.InitialData(
        channel, name, fap, max_segment=segment, max_message=message, heartbeat_s=heartbeat, sharing=sharing,
        length=length,
    )  # fmt: skip
    body = session_flows.pack_initial(data)
    assert len(body) == length
    seen = layouts.decode("ID", body, length=length)
    assert (seen["ChannelName"], seen["QMgrName"], seen["FapLevel"]) == (channel, name, fap)
    assert (seen["MaxTransmissionSize"], seen["MaxMsgSize"], seen["HeartbeatInterval"]) == (segment, message, heartbeat)
    assert seen["EFLLength"] == length - 102
    found = session_flows.unpack_initial(body)
    if length >= 208:
        assert (seen["ConversationsPerSocket"], seen["ProductId"]) == (sharing, data.product)
        assert found == data and found.ours
    else:
        assert (found.sharing, found.ours) == (0, False)


@given(
    st.integers(4, 17), st.integers(0, 1 << 31), st.integers(0, 1 << 31), st.integers(0, 999999), st.integers(-9, 1000),
    st.integers(0, 255), st.integers(0, 255), st.integers(0, 255),
)  # fmt: skip
def test_what_is_agreed(
    fap: int, segment: int, message: int, heartbeat: int, sharing: int, one: int, two: int, three: int
) -> None:
    offered = session_flows.InitialData(
        "C", "", fap, (one, two, three), max_segment=segment, max_message=message, heartbeat_s=heartbeat,
        sharing=sharing,
    )  # fmt: skip
    own = session_flows.InitialData("C", "QM", heartbeat_s=300, sharing=10, max_message=4 << 20, product=PRODUCT_SERVER)
    answer = session_flows.agree(offered, own)
    assert answer.fap_level == min(fap, own.fap_level)
    assert 1024 <= answer.max_segment <= own.max_segment
    assert 0 < answer.max_message <= own.max_message
    assert answer.heartbeat_s == max(heartbeat, 300)
    assert 0 <= answer.sharing <= 10
    for wanted, granted, denied in zip(offered.capabilities, answer.capabilities, answer.refused):
        assert granted | denied == wanted and granted & denied == 0
    changed = {
        0x04: answer.max_segment != segment, 0x10: answer.max_message != message, 0x80: answer.heartbeat_s != heartbeat,
    }  # fmt: skip
    assert answer.errors[0] == sum(bit for bit, is_changed in changed.items() if is_changed)
    # What was agreed is agreed: the second time nothing is corrected
    again = session_flows.agree(
        session_flows.InitialData(
            "C", "", answer.fap_level, answer.capabilities, max_segment=answer.max_segment,
            max_message=answer.max_message, heartbeat_s=answer.heartbeat_s, sharing=answer.sharing,
        ),
        own,
    )  # fmt: skip
    assert not session_flows.corrected(again)


@given(NAME, st.text(max_size=20))
def test_user_and_credentials(user: str, password: str) -> None:
    seen = layouts.decode("UID", session_flows.pack_user(user))
    assert (seen["LongUserId"], seen["UserId"], seen["SidLength"]) == (user, user.upper()[:12], 0)
    assert session_flows.unpack_user(session_flows.pack_user(user)) == user
    assert session_flows.unpack_user(session_flows.pack_user(user)[:28]) == user.upper()[:12]
    body = session_flows.pack_credentials(user, password)
    seen = layouts.decode("CAUT", body)
    assert (seen["UserIdLength"], seen["PasswordLength"]) == (len(user), len(password.encode()))
    assert session_flows.unpack_credentials(body) == (user, password)
    longer = body[:24] + bytes(8) + body[24:]
    assert session_flows.unpack_credentials(longer + bytes(-len(longer) % 4)) == (user, password)


@pytest.mark.parametrize("size", [120, 260, 332, 460, 472])
@given(NAME, NAME, INT, st.integers(0, 0xFFFFFFFF), st.binary(max_size=24))
def test_connect(size: int, name: str, application: str, kind: int, options: int, tag: bytes) -> None:
    connect = session_flows.Connect(name, application, kind, 3, options, tag)
    body = bytes(16) + session_flows.pack_connect(connect, "QMID", size)
    assert len(body) == 16 + size
    seen = parts(Type.MQCONN, body)
    assert (seen["CONN"]["QMgrName"], seen["CONN"]["ApplType"], seen["CONN"]["XOptions"]) == (name, kind, options)
    if size >= 260:
        assert seen["FCNO"]["ConnTag"] == tag.ljust(128, b"\0")
    if size >= 332:
        assert layouts.decode("FCNO_TAIL", body[-72:])["QMgrId"] == "QMID"
    found = session_flows.unpack_connect(body, 16)
    assert (found.queue_manager, found.application, found.application_type) == (name, application, kind)


def test_actions_status_and_explanations() -> None:
    body = session_flows.pack_action(5, 8)
    assert parts(Type.SOCKET_ACTION, body)["SOCKET_ACTION"]["Type"] == 8
    assert session_flows.unpack_action(body) == (5, 8)
    assert parts(Type.STATUS_DATA, session_flows.pack_status(22))["STATUS"] == {"Length": 8, "Code": 22}
    assert session_flows.unpack_status(session_flows.pack_status(Status.NO_CHANNEL)) == 1
    assert session_flows.unpack_status(b"") == 0
    words = session_flows.pack_explanation("Q", "größer")
    assert parts(Type.PING_DATA, words)["PING"]["Length"] == len(words) - 4
    assert session_flows.unpack_explanation(words) == ("Q", "größer")
    assert len(session_flows.pack_explanation("Q", "x" * 100_000)) <= 4100


# Messages without calls


@given(
    INT, st.integers(0, 0xFFFFFFFF), INT, INT, INT, st.integers(0, 0xFFFFFFFF),
    st.sets(st.sampled_from([1, 2, 4, 0x20])), st.booleans(),
)  # fmt: skip
def test_requests(
    hobj: int, received: int, length: int, options: int, wait: int, index: int, match: set[int], selection: bool
) -> None:
    md = MQMD(Version=2, MsgId=b"M" * 24, CorrelId=b"C" * 24, GroupId=b"G" * 24, MsgSeqNumber=5)
    flags = messages.BATCH | (messages.SELECTION if selection else 0)
    request = messages.Request(hobj, 1, received, length, options, wait, flags, index, md, sum(match), 3, b"T" * 16)
    body = messages.pack_request(request)
    seen = parts(Type.REQUEST_MSGS, body)
    assert (seen["REQUEST_MSGS"]["ReceivedBytes"], seen["REQUEST_MSGS"]["GlobalMsgIndex"]) == (received, index)
    found = messages.unpack_request(body)
    assert (found.hobj % (1 << 32), found.max_length, found.wait_ms) == (hobj % (1 << 32), length, wait)
    assert not messages.is_next_call(body)
    if not selection:
        assert len(body) == 40 and found.md is None
        return
    ids = b"".join(
        part for bit, part in ((1, b"M" * 24), (2, b"C" * 24), (4, b"G" * 24), (0x20, b"T" * 16)) if bit in match
    )
    assert body[64:] == ids
    assert seen["REQUEST_MSGS_SELECTION"]["MatchOptions"] == sum(match)
    assert found.md is not None and found.selection_index == 3
    assert found.md.CorrelId == (b"C" * 24 if 2 in match else bytes(24))
    assert found.token == (b"T" * 16 if 0x20 in match else b"")
    assert found.md.MsgSeqNumber == 5


@pytest.mark.parametrize("group", [C.MQGS_NOT_IN_GROUP, C.MQGS_MSG_IN_GROUP, C.MQGS_LAST_MSG_IN_GROUP])
@pytest.mark.parametrize("segment", [C.MQSS_NOT_A_SEGMENT, C.MQSS_SEGMENT, C.MQSS_LAST_SEGMENT])
@given(st.booleans(), st.integers(0, 7), st.binary(max_size=50), DATA, st.booleans())
def test_messages(
    group: str, segment: str, removed: bool, state: int, properties: bytes, data: bytes, allowed: bool
) -> None:
    gmo = MQGMO(Version=4, GroupStatus=group, SegmentStatus=segment, ResolvedQName="Q")
    if allowed:
        gmo.Segmentation = C.MQSEG_ALLOWED
    body = messages.pack_message(
        3, 4, MQMD(Version=2), gmo, data, 9, reason=2079, properties=properties, removed=removed, state=state
    )
    found = messages.unpack_message(body)
    assert (found.hobj, found.number, found.reason, found.length) == (3, 4, 2079, 9)
    assert (found.removed, found.state, found.properties, found.data) == (removed, state, properties, data)
    assert (found.gmo.GroupStatus, found.gmo.SegmentStatus) == (group, segment)
    assert (found.gmo.Segmentation == C.MQSEG_ALLOWED) is allowed
    foreign = messages.pack_message(3, 4, MQMD(Version=2), gmo, data, 9, foreign=True)
    assert parts(Type.ASYNC_MESSAGE, foreign)["ASYNC_MESSAGE_FIRST"]["Status"] == 1


@given(st.integers(0, 0x7FFFFFFF), st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
def test_notifications(hobj: int, code: int, value: int) -> None:
    body = messages.pack_notification(hobj, code, value)
    assert parts(Type.NOTIFICATION, body)["NOTIFICATION"] == {"Version": 1, "Hobj": hobj, "Code": code, "Value": value}
    assert messages.unpack_notification(body) == (hobj, code, value, 1)


# Transaction managers


@given(st.lists(st.binary(min_size=1, max_size=140), max_size=10))
def test_xids(xids: list[bytes]) -> None:
    for xid in xids:
        packed = xa_flows.pack_xid(xid)
        assert len(packed) % 4 == 0
        assert xa_flows.unpack_xid(packed) == (xid, len(packed))
    assert xa_flows.unpack_xids(xa_flows.pack_xids(xids)) == xids
    assert xa_flows.unpack_xids(xa_flows.pack_xids(xids, ours=False)) == xids


@given(st.binary(min_size=4, max_size=4), st.binary(max_size=64), st.binary(max_size=64))
def test_an_xid_of_another_product_comes_back_as_it_was(format_id: bytes, one: bytes, two: bytes) -> None:
    given_xid = format_id + bytes((len(one), len(two))) + one + two
    given_xid += bytes(-len(given_xid) % 4)
    kept, end = xa_flows.unpack_xid(given_xid)
    assert end == len(given_xid)
    assert xa_flows.pack_xids([kept], ours=False)[4:] == given_xid or format_id == b"LMQX"


def test_an_xid_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError):
        xa_flows.pack_xid(bytes(141))
    with pytest.raises(ProtocolError):
        xa_flows.unpack_xid(b"FMT1" + bytes((100, 100)) + bytes(200))
