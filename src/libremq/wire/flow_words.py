"""A flow of the channel protocol in words, for traces: what it is, what it asks for or answers, never a password.

What cannot be read is said to be so: a trace is looked at when something is wrong, and must show what came.
"""

from __future__ import annotations

from collections.abc import Callable

from libremq.mqi import constants as C
from libremq.mqi.constant_names import name_of
from libremq.mqi.errors import MQError
from libremq.wire import calls, session_flows
from libremq.wire.protocol import (
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    ERROR,
    FIRST,
    LAST,
    REPLY,
    REQUEST_ACCEPTED,
    Status,
    Type,
)
from libremq.wire.segments import Flow

_FLAGS = (
    (CONFIRM_REQUEST, "confirm"), (ERROR, "error"), (CLOSE_CHANNEL, "close"), (FIRST, "first"), (LAST, "last"),
    (REQUEST_ACCEPTED, "accepted"),
)  # fmt: skip
_NUMBERS = {one.value for one in Type}
CONFIDENTIAL = frozenset({Type.USERID_DATA, Type.CONAUTH_INFO, Type.EXTENSION, Type.EXTENSION + REPLY})
"""The flows whose bytes may hold passwords: those of log-ins, and commands of MQSC."""


def kind_of(flow: Flow) -> str:
    """MQPUT, MQPUT_REPLY, HEARTBEAT, ..."""
    if flow.kind in _NUMBERS:
        return Type(flow.kind).name
    if flow.kind - REPLY in _NUMBERS:
        return f"{Type(flow.kind - REPLY).name}_REPLY"
    return f"type {flow.kind:#04x}"


def is_call(flow: Flow) -> bool:
    """A call of the MQI or its reply, and what brings messages without one; not what keeps a channel going."""
    return flow.kind >= Type.MQCONN or flow.kind in (Type.REQUEST_MSGS, Type.ASYNC_MESSAGE, Type.NOTIFICATION)


def flags_of(flow: Flow) -> str:
    return "+".join(word for bit, word in _FLAGS if flow.flags & bit) or "-"


def words_of(flow: Flow) -> str:
    """What it says, in a line; nothing where there is nothing to say."""
    describe = _WORDS.get(flow.kind)
    if describe is None and flow.kind - REPLY in _NUMBERS and flow.kind - REPLY >= Type.MQCONN:
        describe = _reply
    if describe is None:
        return ""
    try:
        return describe(flow)
    except (MQError, ValueError, IndexError, KeyError, ArithmeticError) as error:
        return f"cannot be read: {error}"


def _reply(flow: Flow) -> str:
    if Type.XA_START <= flow.kind - REPLY <= Type.XA_COMPLETE:
        return ""
    api = calls.unpack_api(flow.body, flow.big_endian)
    outcome = f"{name_of('MQCC', api.comp_code)}, {name_of('MQRC', api.reason)} ({api.reason})"
    return f"handle {api.hobj}: {outcome}"


def _initial(flow: Flow) -> str:
    found = session_flows.unpack_initial(flow.body, big_endian=flow.big_endian, charset=flow.charset)
    return (
        f"channel {found.channel!r}, queue manager {found.queue_manager!r}, level {found.fap_level}, "
        f"product {found.product!r}, segments of {found.max_segment}, messages of {found.max_message} bytes, "
        f"heartbeat {found.heartbeat_s} s, {found.sharing} conversations, corrected {found.errors[0]:#04x}"
    )


def _user(flow: Flow) -> str:
    return f"user {session_flows.unpack_user(flow.body, flow.charset)!r}"


def _credentials(flow: Flow) -> str:
    user, _ = session_flows.unpack_credentials(flow.body, big_endian=flow.big_endian, charset=flow.charset)
    return f"user {user!r}, password not shown"


def _status(flow: Flow) -> str:
    if len(flow.body) < 4:
        return ""
    code = int.from_bytes(flow.body[-4:], "big" if flow.big_endian else "little")
    known = {one.value: one.name for one in Status}
    return f"status {code} {known.get(code, '')}".rstrip()


def _connect(flow: Flow) -> str:
    asked = session_flows.unpack_connect(flow.body, calls.API_BYTES, big_endian=flow.big_endian, charset=flow.charset)
    return f"queue manager {asked.queue_manager!r}, application {asked.application!r}"


def _open(flow: Flow) -> str:
    od, options, _ = calls.unpack_open(flow.body, flow.big_endian, flow.charset)
    elsewhere = f" of {od.ObjectQMgrName!r}" if od.ObjectQMgrName else ""
    return f"{name_of('MQOT', od.ObjectType)} {od.ObjectName!r}{elsewhere}, options {options:#x}"


def _close(flow: Flow) -> str:
    hobj, options = calls.unpack_close(flow.body, flow.big_endian)
    return f"handle {hobj}, options {options:#x}"


def _put(flow: Flow) -> str:
    hobj, md, pmo, data = calls.unpack_put(flow.body, flow.big_endian, flow.charset)
    return f"handle {hobj}, {len(data)} bytes, format {md.Format.strip()!r}, options {pmo.Options:#x}"


def _put1(flow: Flow) -> str:
    od, md, pmo, data = calls.unpack_put1(flow.body, flow.big_endian, flow.charset)
    return f"{od.ObjectName!r}, {len(data)} bytes, format {md.Format.strip()!r}, options {pmo.Options:#x}"


def _get(flow: Flow) -> str:
    hobj, _, gmo, length = calls.unpack_get(flow.body, flow.big_endian, flow.charset)
    waits = f", waits {gmo.WaitInterval} ms" if gmo.Options & C.MQGMO_WAIT else ""
    return f"handle {hobj}, room for {length} bytes, options {gmo.Options:#x}{waits}"


def _handle(flow: Flow) -> str:
    return f"handle {calls.unpack_api(flow.body, flow.big_endian).hobj}"


_WORDS: dict[int, Callable[[Flow], str]] = {
    Type.INITIAL_DATA: _initial,
    Type.USERID_DATA: _user,
    Type.CONAUTH_INFO: _credentials,
    Type.STATUS_DATA: _status,
    Type.MQCONN: _connect,
    Type.MQOPEN: _open,
    Type.MQCLOSE: _close,
    Type.MQPUT: _put,
    Type.MQPUT1: _put1,
    Type.MQGET: _get,
    Type.MQSET: _handle,
    Type.MQINQ: _handle,
}
