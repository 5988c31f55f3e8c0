"""Flows in words, for traces: which are calls, what they say, and that no password is among it."""

from __future__ import annotations

import pytest

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.wire import calls, flow_words, session_flows
from libremq.wire.protocol import MAX_SEGMENT, REPLY, Type
from libremq.wire.segments import Flow, SegmentReader, frame


def flow_of(kind: int, body: bytes = b"") -> Flow:
    (found,) = SegmentReader(MAX_SEGMENT, MAX_SEGMENT).feed(frame(kind, body, 1))
    return found


@pytest.mark.parametrize("kind", [Type.MQCONN, Type.MQGET, Type.MQCONN + REPLY, Type.REQUEST_MSGS, Type.ASYNC_MESSAGE])
def test_what_is_a_call(kind: int) -> None:
    assert flow_words.is_call(flow_of(kind))


@pytest.mark.parametrize("kind", [Type.HEARTBEAT, Type.INITIAL_DATA, Type.USERID_DATA, Type.STATUS_DATA])
def test_what_is_none(kind: int) -> None:
    assert not flow_words.is_call(flow_of(kind))


def test_the_names_of_flows() -> None:
    kinds = (Type.MQPUT, Type.MQPUT + REPLY, Type.HEARTBEAT, 0xFE)
    assert [flow_words.kind_of(flow_of(kind)) for kind in kinds] == ["MQPUT", "MQPUT_REPLY", "HEARTBEAT", "type 0xfe"]


def test_what_calls_say() -> None:
    put = calls.pack_put(7, MQMD(Format="MQSTR"), MQPMO(Options=4), b"hello")
    assert flow_words.words_of(flow_of(Type.MQPUT, put)) == "handle 7, 5 bytes, format 'MQSTR', options 0x4"
    waits = MQGMO(Options=C.MQGMO_WAIT, WaitInterval=50)
    said = flow_words.words_of(flow_of(Type.MQGET, calls.pack_get(7, MQMD(), waits, 100)))
    assert said == "handle 7, room for 100 bytes, options 0x1, waits 50 ms"
    opened = calls.pack_open(0, MQOD(ObjectName="Q", ObjectQMgrName="QM2"), 16)
    assert flow_words.words_of(flow_of(Type.MQOPEN, opened)) == "MQOT_Q 'Q' of 'QM2', options 0x10"
    reply = calls.pack_api(C.MQCC_FAILED, C.MQRC_NO_MSG_AVAILABLE, 7)
    said = flow_words.words_of(flow_of(Type.MQGET + REPLY, reply))
    assert said == "handle 7: MQCC_FAILED, MQRC_NO_MSG_AVAILABLE (2033)"


def test_a_password_is_not_shown() -> None:
    flow = flow_of(Type.CONAUTH_INFO, session_flows.pack_credentials("bob", "secret"))
    assert flow.kind in flow_words.CONFIDENTIAL
    assert flow_words.words_of(flow) == "user 'bob', password not shown"


def test_what_cannot_be_read_is_said_to_be_so() -> None:
    assert flow_words.words_of(flow_of(Type.MQPUT, b"short")).startswith("cannot be read: ")
