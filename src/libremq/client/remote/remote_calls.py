"""The verbs of a remote connection without the waiting: from arguments to a call, from a reply to results.

The blocking and the asyncio connection differ in how they wait, not in what they say. Structures are filled in place,
as the queue manager would fill them; message handles live here, at the client, and travel as encoded properties.
"""

from __future__ import annotations

import itertools
import os
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any

from libremq.common.operating_system import in_child_after_fork
from libremq.kernel.messages.field_checks import check_descriptor, check_object_descriptor, fitting_text
from libremq.kernel.objects.catalogue import char_length
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_names import returned_name
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQPMR, MQRR, MQSTS, Structure
from libremq.wire import calls
from libremq.wire.extensions import callback_call, open_texts, put_list_call, read_put_list, read_responses
from libremq.wire.messages import Arrived, Request, pack_request, unpack_message, unpack_notification
from libremq.wire.protocol import REPLY, ProtocolError, Type
from libremq.wire.segments import Flow
from libremq.wire.wire_structures import OD

SUCCEEDED = bytes(8)
"""Completion code and reason in the header of a reply, in either byte order."""
_PUT_REPLY = Type.MQPUT + REPLY
_NO_ID = bytes(24)
_BAD = (struct.error, ValueError, TypeError, AttributeError, UnicodeError)
_VERSION_2_FIELDS = ("GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength")
_MATCH_FIELDS = C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID
_BATCHABLE = (
    C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID | C.MQMO_MATCH_MSG_SEQ_NUMBER
    | C.MQMO_MATCH_OFFSET
)  # fmt: skip

_counter = itertools.count(1)
_prefix = b""


def new_message_id() -> bytes:
    """A message id made here, for puts whose reply nobody waits for."""
    global _prefix
    if not _prefix:
        _prefix = b"LMQC" + os.urandom(8) + struct.pack(">I", int(time.time()) & 0xFFFFFFFF)
    return _prefix + struct.pack(">Q", next(_counter))


def forget_prefix() -> None:
    """In the child of a fork: its ids must not be its parent's."""
    global _prefix
    _prefix = b""


in_child_after_fork(forget_prefix)


def outcome(flow: Flow, kind: int, words: tuple[str, str] | None) -> calls.Api:
    """The header of the reply to a call; MQError if the call failed."""
    if flow.kind != kind + 0x10:
        raise mq_error(C.MQRC_CONNECTION_BROKEN, detail=f"a reply of type {flow.kind:#x} to a call of type {kind:#x}")
    api = calls.unpack_api(flow.body, flow.big_endian)
    if words is not None:
        raise mq_error(api.reason, words[0], words[1], api.comp_code)
    if api.comp_code == C.MQCC_FAILED:
        raise mq_error(api.reason)
    return api


def refill(target: Structure, source: Structure, keep: Sequence[str] = ()) -> None:
    """Make a structure of the caller the one that came back, but for some fields."""
    kept = {name: target.__dict__[name] for name in (*keep, "raw") if name in target.__dict__}
    for name in keep:
        source.__dict__.pop(name, None)
    target.__dict__ = source.__dict__
    target.__dict__.update(kept)


def refill_md(md: MQMD, source: MQMD) -> None:
    refill(md, source, () if md.Version != C.MQMD_VERSION_1 else _VERSION_2_FIELDS)


# MQPUT, MQPUT1


def put_request(handles: MessageHandles, hobj: int, md: MQMD, pmo: MQPMO, data: bytes) -> bytes:
    if pmo.Version >= C.MQPMO_VERSION_3 and (pmo.NewMsgHandle or pmo.OriginalMsgHandle):
        pmo, data = _with_properties(handles, pmo, data)
    try:
        check_descriptor(md, "")
        return calls.pack_put(hobj, md, pmo, data if type(data) is bytes else bytes(data))
    except _BAD as error:
        check_handle(hobj)
        raise _unfit(md, pmo, error) from error


def put1_request(handles: MessageHandles, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> bytes:
    if pmo.Version >= C.MQPMO_VERSION_3 and (pmo.NewMsgHandle or pmo.OriginalMsgHandle):
        pmo, data = _with_properties(handles, pmo, data)
    check_object_descriptor(od)
    check_descriptor(md, "")
    if od.Version >= C.MQOD_VERSION_4 and od.SelectionString:
        raise mq_error(C.MQRC_SELECTOR_INVALID_FOR_TYPE, od.ObjectName, "a selector needs an open for input or browse")
    try:
        return calls.pack_put1(od, md, pmo, data if type(data) is bytes else bytes(data))
    except _BAD as error:
        _check_od(od)
        raise _unfit(md, pmo, error) from error


def _with_properties(handles: MessageHandles, pmo: MQPMO, data: bytes) -> tuple[MQPMO, bytes]:
    """The handle fields become lengths, plus one: a handle without properties is there too."""
    pmo = pmo.copy()
    parts = []
    for field in ("OriginalMsgHandle", "NewMsgHandle"):
        hmsg = getattr(pmo, field)
        if hmsg:
            handle = handles.get(hmsg)
            handle.reset_cursor()
            block = handle.properties.encode()
            setattr(pmo, field, len(block) + 1)
            parts.append(block)
    return pmo, b"".join((*parts, data))


def _unfit(md: MQMD, pmo: MQPMO, error: Exception) -> MQError:
    """What in the arguments cannot be sent, with the reason that the queue manager has for it."""
    try:
        check_descriptor(md, "")
    except MQError as found:
        return found
    return mq_error(C.MQRC_PMO_ERROR, detail=f"MQPMO: {error}")


def check_operation(operation: int) -> None:
    """MQError if it can be no operation of MQCB or MQCTL at all."""
    if not isinstance(operation, int):
        raise mq_error(C.MQRC_OPERATION_ERROR, detail=f"an operation is a number, not {operation!r}")


def check_handle(hobj: int) -> None:
    """MQError if it can be no handle at all."""
    if not isinstance(hobj, int) or not -(1 << 31) <= hobj < 1 << 31:
        raise mq_error(C.MQRC_HOBJ_ERROR, detail="it is no handle of an object")


def _check_od(od: MQOD) -> None:
    check_object_descriptor(od)
    try:
        OD.pack(od)
    except _BAD as error:
        if not _fits_name(od.ObjectName):
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, od.ObjectName, "no object can have this name") from error
        if not _fits_name(od.ObjectQMgrName):
            raise mq_error(
                C.MQRC_UNKNOWN_REMOTE_Q_MGR, od.ObjectQMgrName, "no queue manager can have this name"
            ) from error
        raise mq_error(C.MQRC_OD_ERROR, detail=f"MQOD: {error}") from error


def _fits_name(name: str) -> bool:
    return len(name.rstrip(" \0")) <= 48 and fitting_text(name) == name


def put_reply(flow: Flow, md: MQMD, pmo: MQPMO, words: tuple[str, str] | None) -> int:
    if _is_filled(flow, Type.MQPUT):
        filled_md, filled_pmo = calls.unpack_put_reply(flow.body)
        refill_md(md, filled_md)
        refill(pmo, filled_pmo, ("OriginalMsgHandle", "NewMsgHandle"))
    return outcome(flow, Type.MQPUT, words).reason


def put_message_reply(flow: Flow, words: tuple[str, str] | None) -> bytes:
    """The message id, and nothing else of the reply."""
    body = flow.body
    if words is not None or flow.kind != _PUT_REPLY or body[4:12] != SUCCEEDED:
        outcome(flow, Type.MQPUT, words)
    return calls.message_id_of(body)


def put1_message_reply(flow: Flow, words: tuple[str, str] | None) -> bytes:
    """The same, of MQPUT1."""
    outcome(flow, Type.MQPUT1, words)
    return calls.message_id_of(flow.body, calls.OD_BYTES)


def _is_filled(flow: Flow, kind: int) -> bool:
    """Does a reply have structures? One to a call that failed has them only if the call fills them all the same."""
    return flow.kind == kind + REPLY and len(flow.body) > calls.API_BYTES


def put_list_request(
    handles: MessageHandles, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR]
) -> bytes:
    """MQPUT with put message records."""
    if pmo.Version >= C.MQPMO_VERSION_3 and (pmo.NewMsgHandle or pmo.OriginalMsgHandle):
        pmo, data = _with_properties(handles, pmo, data)
    check_descriptor(md, "")
    try:
        return put_list_call(hobj, md, pmo, bytes(data), records)
    except _BAD as error:
        check_handle(hobj)
        raise _unfit(md, pmo, error) from error


def put_list_reply(flow: Flow, md: MQMD, pmo: MQPMO, records: Sequence[MQPMR], words: tuple[str, str] | None) -> int:
    if _is_filled(flow, Type.EXTENSION):
        filled_md, filled_pmo = read_put_list(calls.unpack_extension(flow.body)[1], records)
        refill_md(md, filled_md)
        refill(pmo, filled_pmo, ("OriginalMsgHandle", "NewMsgHandle"))
    return outcome(flow, Type.EXTENSION, words).reason


def put1_reply(flow: Flow, od: MQOD, md: MQMD, pmo: MQPMO, words: tuple[str, str] | None) -> int:
    api = outcome(flow, Type.MQPUT1, words)
    filled_od, filled_md, filled_pmo = calls.unpack_put1_reply(flow.body)
    refill_od(od, filled_od)
    refill_md(md, filled_md)
    refill(pmo, filled_pmo, ("OriginalMsgHandle", "NewMsgHandle"))
    return api.reason


def refill_od(od: MQOD, filled: MQOD) -> None:
    refill(od, filled, ("ObjectString", "SelectionString", "ResObjectString"))


def ready_for_async(md: MQMD, pmo: MQPMO) -> MQPMO:
    """A put whose reply nobody waits for gets its ids here; the options to send."""
    options = pmo.Options
    if options & C.MQPMO_NEW_MSG_ID or md.MsgId == _NO_ID:
        md.MsgId = new_message_id()
    if options & C.MQPMO_NEW_CORREL_ID:
        md.CorrelId = new_message_id()
    if options & (C.MQPMO_NEW_MSG_ID | C.MQPMO_NEW_CORREL_ID):
        pmo = pmo.copy()
        pmo.Options = options & ~(C.MQPMO_NEW_MSG_ID | C.MQPMO_NEW_CORREL_ID)
    return pmo


# MQGET


def get_request(handles: MessageHandles, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None) -> bytes:
    sent = gmo
    if gmo.Version >= C.MQGMO_VERSION_4 and gmo.MsgHandle:
        handles.get(gmo.MsgHandle)
        sent = gmo.copy()
        sent.MsgHandle = 1
    return get_body(hobj, md, sent, buffer_length)


def get_body(hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None) -> bytes:
    """MQGET, with an MQGMO whose handle says only whether there is one."""
    if buffer_length is not None and buffer_length < 0:
        raise mq_error(C.MQRC_BUFFER_LENGTH_ERROR, detail=f"the length of the buffer is {buffer_length}")
    try:
        if not len(md.MsgId) == len(md.CorrelId) == len(_NO_ID):
            raise ValueError("an id has 24 bytes")
        length = calls.ANY_LENGTH if buffer_length is None else min(buffer_length, 0x7FFFFFFF)
        return calls.pack_get(hobj, md, gmo, length)
    except _BAD as error:
        check_handle(hobj)
        try:
            check_descriptor(md, "")
        except MQError as found:
            raise found from error
        raise mq_error(C.MQRC_GMO_ERROR, detail=f"MQGMO: {error}") from error


def get_reply(handles: MessageHandles, flow: Flow, md: MQMD, gmo: MQGMO, words: tuple[str, str] | None) -> Got:
    api = outcome(flow, Type.MQGET, words)
    filled_md, filled_gmo, length, data = calls.unpack_get_reply(flow.body)
    marked = filled_gmo.MsgHandle
    hmsg = gmo.MsgHandle if gmo.Version >= C.MQGMO_VERSION_4 else 0
    if marked and hmsg:
        block, data = data[: marked - 1], data[marked - 1 :]
        if api.reason != C.MQRC_TRUNCATED_MSG_FAILED:
            receive(handles, hmsg, filled_md, block)
    refill_md(md, filled_md)
    refill(gmo, filled_gmo, ("MsgHandle",))
    return Got(data, length, api.comp_code, api.reason)


def receive(handles: MessageHandles, hmsg: int, md: MQMD, block: bytes) -> None:
    """The properties of a message that was got go to the handle that was given for them."""
    handles.get(hmsg).receive(md.copy(), Properties.decode(block) if block else Properties())


def property_values(block: bytes) -> dict[str, PropertyValue]:
    """Encoded properties by the names that MQINQMP returns."""
    return {returned_name(name): value for name, value in Properties.decode(block).as_dict().items()}


# MQOPEN, MQCLOSE, MQINQ, MQSET, MQSTAT


def open_request(od: MQOD, options: int, records: Sequence[MQOR]) -> bytes:
    _check_od(od)
    try:
        return calls.pack_open(0, od, options, open_texts(od, records))
    except _BAD as error:
        raise mq_error(C.MQRC_OPTIONS_ERROR, od.ObjectName, f"the open options cannot be sent: {error}") from error


def open_reply(flow: Flow, od: MQOD, words: tuple[str, str] | None) -> tuple[int, list[MQRR]]:
    more: dict[str, Any] = {}
    if _is_filled(flow, Type.MQOPEN):
        filled, _, more = calls.unpack_open(flow.body, flow.big_endian)
        refill_od(od, filled)
    return outcome(flow, Type.MQOPEN, words).hobj, read_responses(more)


def open_defaults(flow: Flow) -> tuple[int, int]:
    """DEFPRESP and DEFREADA of what was opened, as the reply has them."""
    _, response, read_ahead, _ = calls.open_defaults(flow.body, flow.big_endian)
    return response, read_ahead


def inquire_request(hobj: int, selectors: Sequence[int]) -> bytes:
    check_handle(hobj)
    try:
        if len(selectors) > calls.SELECTORS_MAX:
            raise mq_error(C.MQRC_SELECTOR_LIMIT_EXCEEDED, detail=f"{len(selectors)} selectors are too many")
        return calls.pack_inquire(hobj, selectors)
    except _BAD as error:
        raise mq_error(C.MQRC_SELECTOR_ERROR, detail=f"selectors are numbers: {error}") from error


def inquire_reply(flow: Flow, words: tuple[str, str] | None) -> tuple[list[int | str], int]:
    api = outcome(flow, Type.MQINQ, words)
    _, selectors, ints, chars = calls.unpack_inquire(flow.body, flow.big_endian, values=True)
    numbers = iter(ints)
    known = sum(
        char_length(selector) for selector in selectors if not _is_integer(selector) and selector != C.MQCA_NAMES
    )
    values: list[int | str] = []
    for selector in selectors:
        if _is_integer(selector):
            values.append(next(numbers, 0))
            continue
        length = char_length(selector) if selector != C.MQCA_NAMES else len(chars) - known
        text = chars[:length].decode("utf-8", "replace")
        values.append(text if selector == C.MQCA_NAMES else text.rstrip())
        chars = chars[length:]
        if selector != C.MQCA_NAMES:
            known -= length
    return values, api.reason


def _is_integer(selector: int) -> bool:
    return C.MQIA_FIRST <= selector <= C.MQIA_LAST


def set_request(hobj: int, values: Mapping[int, int | str]) -> bytes:
    check_handle(hobj)
    ints: list[int] = []
    chars: list[bytes] = []
    for selector, value in values.items():
        if not isinstance(selector, int):
            raise mq_error(C.MQRC_SELECTOR_ERROR, detail=f"selectors are numbers, not {selector!r}")
        if isinstance(value, str) and not _is_integer(selector):
            length = char_length(selector)
            text = value.encode()
            if len(text.rstrip()) > length > 0:
                raise mq_error(C.MQRC_CHAR_ATTR_LENGTH_ERROR, detail=f"the text for selector {selector} is too long")
            chars.append(text[: length or None].ljust(length))
        elif isinstance(value, int) and _is_integer(selector):
            ints.append(value)
        else:
            raise mq_error(C.MQRC_SELECTOR_ERROR, detail=f"{value!r} is no value for selector {selector}")
    try:
        return calls.pack_inquire(hobj, list(values), ints, b"".join(chars))
    except _BAD as error:
        raise mq_error(C.MQRC_INT_ATTRS_ARRAY_ERROR, detail=f"the values cannot be sent: {error}") from error


def status_request(kind: int, sts: MQSTS) -> bytes:
    try:
        return calls.pack_stat(kind, sts)
    except _BAD as error:
        reason = C.MQRC_STS_ERROR if isinstance(kind, int) and abs(kind) < 1 << 31 else C.MQRC_STAT_TYPE_ERROR
        raise mq_error(reason, detail=f"MQSTS: {error}") from error


def close_request(hobj: int, options: int) -> bytes:
    check_handle(hobj)
    try:
        return calls.pack_close(hobj, options)
    except _BAD as error:
        raise mq_error(C.MQRC_OPTIONS_ERROR, detail=f"the close options cannot be sent: {error}") from error


def callback_request(operation: int, cbd: MQCBD, hobj: int, md: MQMD, gmo: MQGMO, *, function: bool) -> bytes:
    check_handle(hobj)
    try:
        return callback_call(operation, cbd, hobj, md, gmo, function=function)
    except _BAD as error:
        raise mq_error(C.MQRC_CBD_ERROR, detail=f"the arguments of MQCB cannot be sent: {error}") from error


def add_status(sts: MQSTS, earlier: MQSTS) -> None:
    """To what MQSTAT tells, what it told before. The first failure has the reason, else the first warning."""
    for name in ("PutSuccessCount", "PutWarningCount", "PutFailureCount"):
        setattr(sts, name, getattr(sts, name) + getattr(earlier, name))
    if earlier.CompCode != C.MQCC_OK and earlier.CompCode >= sts.CompCode:
        for name in ("CompCode", "Reason", "ObjectName", "ObjectQMgrName", "ResolvedObjectName", "ResolvedQMgrName"):
            setattr(sts, name, getattr(earlier, name))


def status_reply(flow: Flow, sts: MQSTS, words: tuple[str, str] | None) -> None:
    outcome(flow, Type.MQSTAT, words)
    refill(sts, calls.unpack_stat_reply(flow.body))


# Batches


def is_batchable(gmo: MQGMO) -> bool:
    """Can a request for several messages say what this get wants?"""
    return not gmo.MatchOptions & ~_BATCHABLE


def batch_request(
    hobj: int, md: MQMD, gmo: MQGMO, *, flags: int, count: int, max_bytes: int, max_length: int | None
) -> bytes:
    """REQUEST_MSGS: up to `count` messages, as this get would find them one after the other."""
    match = gmo.MatchOptions if gmo.Version >= C.MQGMO_VERSION_2 else C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID
    request = Request(
        hobj, requested_bytes=max_bytes, max_length=-1 if max_length is None else max_length, options=gmo.Options,
        wait_ms=gmo.WaitInterval, flags=flags | 0x10, count=count, md=md, match_options=match & _MATCH_FIELDS,
    )  # fmt: skip
    try:
        return pack_request(request)
    except _BAD as error:
        raise mq_error(C.MQRC_GMO_ERROR, detail=f"the request cannot be sent: {error}") from error


def arrived(flow: Flow) -> Arrived:
    """One message of a batch."""
    try:
        return unpack_message(flow.body, flow.big_endian)
    except ProtocolError as error:
        raise mq_error(C.MQRC_CONNECTION_BROKEN, detail=error.detail) from error


def batch_end(flow: Flow, words: tuple[str, str] | None) -> None:
    """What comes behind the messages of a batch. MQError if there was none."""
    if flow.kind != Type.NOTIFICATION:
        raise mq_error(C.MQRC_CONNECTION_BROKEN, detail=f"a segment of type {flow.kind:#x} among messages")
    try:
        notice = unpack_notification(flow.body, flow.big_endian)
    except ProtocolError as error:
        raise mq_error(C.MQRC_CONNECTION_BROKEN, detail=error.detail) from error
    if notice.value:
        raise mq_error(notice.value, *(words or ("", "")))
