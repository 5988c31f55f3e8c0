"""What clients of other products need beyond those of LibreMQ: replies in the form of their requests.

They come with structures of many lengths, say for how much they have room, and repeat of a selection only what changed.
Between two LibreMQs none of this occurs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.kernel.state.connection import ObjectHandle
from libremq.mqi import constants as C
from libremq.wire import calls, session_flows
from libremq.wire.messages import SELECTION, Request
from libremq.wire.segments import Flow

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation

_APPL_TYPE_MAX = 65536


def echoed(asked: session_flows.Connect, name: str, tag: bytes = b"") -> session_flows.Connect:
    """The reply to MQCONN has what was asked. Decoders tell the byte order by a type that is a small number, and the
    code page by a name that begins with a letter.
    """
    kind = max(0, min(asked.application_type, _APPL_TYPE_MAX))
    return session_flows.Connect(name, asked.application or "unnamed", kind, asked.options, asked.connect_options, tag)


def open_object(conversation: Conversation, flow: Flow) -> bytes:
    """MQOPEN: the reply, with the defaults of the queue in the form that the request has."""
    od, options, _ = calls.unpack_open(flow.body, flow.big_endian, flow.charset)
    form = calls.open_attributes_bytes(flow.body, flow.big_endian, flow.charset)
    hobj = conversation.manager.open(conversation.hconn, od, options)
    assert conversation.connection is not None
    defaults = open_defaults(conversation.connection.handles[hobj])
    return calls.pack_open(hobj, od, options, attributes_bytes=form, defaults=defaults)


def open_defaults(handle: ObjectHandle) -> tuple[int, int, int, int]:
    """DEFPSIST, DEFPRESP, DEFREADA and PROPCTL of what was opened; -1 where it has none."""
    found = handle.obj
    stored = handle.queue.definition if handle.queue is not None else found
    return (
        getattr(found, "defpsist", -1), getattr(found, "defpresp", -1),
        getattr(found, "defreada", getattr(stored, "defreada", -1)), getattr(stored, "propctl", -1),
    )  # fmt: skip


def fit_inquired(flow: Flow, ints: list[int], text: bytes) -> tuple[list[int], bytes, int]:
    """MQINQ: as much as the client has room for, and the reason if that is not all."""
    int_room, char_room = calls.inquire_room(flow.body, flow.big_endian)
    reason = C.MQRC_NONE
    if len(ints) > int_room:
        reason = C.MQRC_INT_ATTR_COUNT_TOO_SMALL
    elif len(text) > char_room:
        reason = C.MQRC_CHAR_ATTRS_TOO_SHORT
    return ints[:int_room], text[:char_room], reason


def select_as_before(conversation: Conversation, request: Request) -> None:
    """A client says what messages it wants when that changes, and not again with each request."""
    request.flags &= SELECTION
    if request.flags:
        conversation.selections[request.hobj] = request
        return
    before = conversation.selections.get(request.hobj)
    if before is not None:
        request.md, request.match_options, request.token = before.md, before.match_options, before.token
        request.selection_index = before.selection_index
