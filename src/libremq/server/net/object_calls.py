"""The calls on objects, units of work and what else is neither a message nor the connection itself.

Each takes a conversation and a call, runs the verb of the kernel, and replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.kernel.objects.catalogue import char_length
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.server.net import deliveries, extension_calls, foreign_clients
from libremq.wire import calls, xa_flows
from libremq.wire.extensions import read_texts
from libremq.wire.protocol import ProtocolError, Status, Type
from libremq.wire.segments import Flow

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation

XA_VERBS = {
    Type.XA_START: "xa_start", Type.XA_END: "xa_end", Type.XA_PREPARE: "xa_prepare", Type.XA_COMMIT: "xa_commit",
    Type.XA_ROLLBACK: "xa_rollback", Type.XA_FORGET: "xa_forget",
}  # fmt: skip


# Objects


def open_object(conversation: Conversation, flow: Flow) -> None:
    if not conversation.link.ours:
        conversation.reply(flow, foreign_clients.open_object(conversation, flow))
        return
    od, options, more = calls.unpack_open(flow.body, flow.big_endian, flow.charset)
    records = read_texts(od, more)
    try:
        hobj = conversation.manager.open(conversation.hconn, od, options, records)
    except MQError as error:
        if not records:
            raise
        conversation.fail(flow, error, calls.pack_open(-1, od, options, comp_code=error.comp_code, reason=error.reason))
        return
    assert conversation.connection is not None
    defaults = foreign_clients.open_defaults(conversation.connection.handles[hobj])
    more_out = extension_calls.open_reply(conversation, hobj, od, records)
    conversation.reply(flow, calls.pack_open(hobj, od, options, more_out, defaults=defaults))


def close(conversation: Conversation, flow: Flow) -> None:
    hobj, options = calls.unpack_close(flow.body, flow.big_endian)
    conversation.link.known_calls.forget()
    reason = conversation.manager.close(conversation.hconn, hobj, options)
    deliveries.forget_handle(conversation, hobj)
    conversation.selections.pop(hobj, None)
    conversation.reply(flow, calls.pack_api(C.MQCC_WARNING if reason else C.MQCC_OK, reason, -1))


def inquire(conversation: Conversation, flow: Flow) -> None:
    hobj, selectors, _, _ = calls.unpack_inquire(flow.body, flow.big_endian, values=False)
    inquired = conversation.manager.inquire(conversation.hconn, hobj, selectors)
    ints: list[int] = []
    chars: list[bytes] = []
    for selector, value in zip(selectors, inquired):
        if isinstance(value, int):
            ints.append(value)
        else:
            length = char_length(selector) if selector != C.MQCA_NAMES else len(value)
            chars.append(value.encode()[:length].ljust(length))
    text, comp_code, reason = b"".join(chars), inquired.comp_code, inquired.reason
    if not conversation.link.ours:
        ints, text, cut = foreign_clients.fit_inquired(flow, ints, text)
        if cut and comp_code == C.MQCC_OK:
            comp_code, reason = C.MQCC_WARNING, cut
    conversation.reply(flow, calls.pack_inquire(hobj, selectors, ints, text, comp_code=comp_code, reason=reason))


def set_attributes(conversation: Conversation, flow: Flow) -> None:
    hobj, selectors, ints, chars = calls.unpack_inquire(flow.body, flow.big_endian, values=True)
    values: dict[int, int | str] = {}
    numbers = iter(ints)
    for selector in selectors:
        if C.MQIA_FIRST <= selector <= C.MQIA_LAST:
            number = next(numbers, None)
            if number is None:
                raise mq_error(C.MQRC_INT_ATTR_COUNT_ERROR, detail="there are fewer integers than selectors for them")
            values[selector] = number
        else:
            length = char_length(selector) or len(chars)
            # Ours is UTF-8, as everywhere in attributes
            charset = "utf-8" if flow.charset == "latin-1" else flow.charset
            values[selector] = chars[:length].decode(charset, "replace").rstrip(" \0")
            chars = chars[length:]
    conversation.manager.set(conversation.hconn, hobj, values)
    conversation.reply(flow, calls.pack_api(C.MQCC_OK, C.MQRC_NONE, hobj))


# Units of work


def commit(conversation: Conversation, flow: Flow) -> None:
    conversation.manager.commit(conversation.hconn)
    conversation.reply(flow, calls.pack_api(C.MQCC_OK, C.MQRC_NONE, -1))


def backout(conversation: Conversation, flow: Flow) -> None:
    conversation.manager.backout(conversation.hconn)
    conversation.reply(flow, calls.pack_api(C.MQCC_OK, C.MQRC_NONE, -1))


def transaction_manager(conversation: Conversation, flow: Flow) -> None:
    _, flags, rest = xa_flows.unpack_xa(flow.body, flow.big_endian)
    if flow.kind == Type.XA_RECOVER:
        ours = conversation.link.ours
        # XA wants those to be told, too, that were decided by somebody else
        found = conversation.manager.xa_recover(conversation.hconn, decided=not ours)
        body = xa_flows.pack_xa(0, 0, xa_flows.pack_xids(found, ours=ours))
    elif flow.kind in (Type.XA_OPEN, Type.XA_CLOSE):
        body = xa_flows.pack_xa(0)
    else:
        xid = xa_flows.unpack_xid(rest)[0]
        verb = getattr(conversation.manager, XA_VERBS[Type(flow.kind)])
        if flow.kind == Type.XA_COMMIT:
            verb(conversation.hconn, xid, one_phase=bool(flags & xa_flows.TM_ONE_PHASE))
        else:
            verb(conversation.hconn, xid)
        body = xa_flows.pack_xa(0)
    conversation.reply(flow, body)


# The rest


def status(conversation: Conversation, flow: Flow) -> None:
    kind, sts = calls.unpack_stat(flow.body, flow.big_endian)
    conversation.manager.status(conversation.hconn, kind, sts)
    conversation.reply(flow, calls.pack_stat_reply(sts))


def extension(conversation: Conversation, flow: Flow) -> None:
    if not conversation.link.ours:
        raise ProtocolError(Status.PROTOCOL_SEGMENT_TYPE, f"there is no call of type {flow.kind:#x}")
    extension_calls.run(conversation, flow)


def not_here(conversation: Conversation, flow: Flow) -> None:
    raise mq_error(C.MQRC_FUNCTION_NOT_SUPPORTED, conversation.manager.name, "this release has no publish/subscribe")


def no_internals(conversation: Conversation, flow: Flow) -> None:
    raise mq_error(
        C.MQRC_FUNCTION_NOT_SUPPORTED,
        conversation.manager.name,
        "calls of the SPI were not agreed: use those of the MQI",
    )
