"""MQPUT and MQPUT1 of a conversation: from the flow to the verb, and its reply.

A flow that is long is not taken apart here at once: its message may have to be put in turns (`long_puts`), and comes
back when nothing is left but the put itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.server.net.property_blocks import PropertyBlocks
from libremq.server.net.puts_in_turns import PutInTurns
from libremq.wire import calls
from libremq.wire.segments import Flow, LongFlow

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation

_RESPONSES = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE


def put(conversation: Conversation, flow: Flow) -> None:
    if isinstance(flow, LongFlow):
        front = flow.front(calls.FRONT_BYTES)
        hobj, md, pmo, place = calls.unpack_put_front(front, flow.length, flow.big_endian, flow.charset)
        PutInTurns(
            conversation, flow, pmo, place,
            begin=lambda data: conversation.manager.begin_long_put(conversation.hconn, hobj, md, pmo, data),
            put=lambda data, turns: _put(conversation, flow, hobj, md, pmo, data, turns),
        )  # fmt: skip
    else:
        hobj, md, pmo, data = calls.unpack_put(flow.body, flow.big_endian, flow.charset)
        _put(conversation, flow, hobj, md, pmo, data)


def put1(conversation: Conversation, flow: Flow) -> None:
    if isinstance(flow, LongFlow):
        front = flow.front(calls.FRONT_BYTES)
        od, md, pmo, place = calls.unpack_put1_front(front, flow.length, flow.big_endian, flow.charset)
        PutInTurns(
            conversation, flow, pmo, place,
            begin=lambda data: conversation.manager.begin_long_put1(conversation.hconn, od, md, pmo, data),
            put=lambda data, turns: _put1(conversation, flow, od, md, pmo, data, turns),
        )  # fmt: skip
    else:
        od, md, pmo, data = calls.unpack_put1(flow.body, flow.big_endian, flow.charset)
        _put1(conversation, flow, od, md, pmo, data)


def _put(
    conversation: Conversation,
    flow: Flow,
    hobj: int,
    md: MQMD,
    pmo: MQPMO,
    data: bytes,
    turns: PutInTurns | None = None,
) -> None:
    link, manager, hconn = conversation.link, conversation.manager, conversation.hconn
    if pmo.Options & _RESPONSES == C.MQPMO_ASYNC_RESPONSE and link.ours:
        if _put_unanswered(conversation, hobj, md, pmo, data, turns) and turns is None:
            link.known_calls.note_put(conversation, flow, hobj, md, pmo)
        return
    length = len(data) if turns is None else turns.length
    conversation.check_length(length)
    troubles = _async_troubles(conversation)
    try:
        if turns is not None:
            with turns.properties:
                reason = manager.put(hconn, hobj, md, pmo, data, long_put=turns.long_put)
        elif (pmo.NewMsgHandle or pmo.OriginalMsgHandle) and link.ours:
            with PropertyBlocks(conversation, pmo, data) as data:
                reason = manager.put(hconn, hobj, md, pmo, data)
        else:
            reason = manager.put(hconn, hobj, md, pmo, data)
    except MQError as error:
        if not pmo.InvalidDestCount:
            raise
        # A distribution list says how many destinations failed, also if it was all of them
        body = calls.pack_put_reply(error.comp_code, error.reason, hobj, md, pmo, length)
        conversation.fail(flow, error, body)
        return
    comp_code = C.MQCC_WARNING if reason else C.MQCC_OK
    body = calls.pack_put_reply(comp_code, reason, hobj, md, pmo, length)
    if not reason and link.ours and turns is None and _async_troubles(conversation) == troubles:
        link.known_calls.note_put(conversation, flow, hobj, md, pmo, body)
    conversation.reply(flow, body)


def _put_unanswered(
    conversation: Conversation, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, turns: PutInTurns | None
) -> bool:
    """Fire and forget: MQSTAT tells what became of it, also if the call itself was wrong. True if it went well."""
    manager, hconn = conversation.manager, conversation.hconn
    troubles = _async_troubles(conversation)
    try:
        conversation.check_length(len(data) if turns is None else turns.length)
        if turns is not None:
            with turns.properties:
                manager.put(hconn, hobj, md, pmo, data, long_put=turns.long_put)
        elif pmo.NewMsgHandle or pmo.OriginalMsgHandle:
            with PropertyBlocks(conversation, pmo, data) as data:
                manager.put(hconn, hobj, md, pmo, data)
        else:
            manager.put(hconn, hobj, md, pmo, data)
    except MQError as error:
        manager.note_async_failure(hconn, error)
    return _async_troubles(conversation) == troubles


def _async_troubles(conversation: Conversation) -> int:
    """Puts that did not go well, although their answers say so only when MQSTAT asks: DEFPRESP(ASYNC), too."""
    assert conversation.connection is not None
    status = conversation.connection.async_puts
    return status.failures + status.warnings


def _put1(
    conversation: Conversation,
    flow: Flow,
    od: MQOD,
    md: MQMD,
    pmo: MQPMO,
    data: bytes,
    turns: PutInTurns | None = None,
) -> None:
    link, manager, hconn = conversation.link, conversation.manager, conversation.hconn
    length = len(data) if turns is None else turns.length
    conversation.check_length(length)
    form = None
    if turns is not None:
        with turns.properties:
            reason = manager.put1(hconn, od, md, pmo, data, long_put=turns.long_put)
    elif not link.ours:
        reason = manager.put1(hconn, od, md, pmo, data)
    elif pmo.NewMsgHandle or pmo.OriginalMsgHandle:
        with PropertyBlocks(conversation, pmo, data) as data:
            reason, form = manager.put1_and_form(hconn, od, md, pmo, data)
    else:
        reason, form = manager.put1_and_form(hconn, od, md, pmo, data)
    comp_code = C.MQCC_WARNING if reason else C.MQCC_OK
    body = calls.pack_put1_reply(comp_code, reason, od, md, pmo, length)
    if form is not None:
        link.known_calls.note_put1(conversation, flow, form, body)
    conversation.reply(flow, body)
