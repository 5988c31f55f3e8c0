"""What links tell a trace, if there is one: flows that came, and what was written, taken apart again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.wire.protocol import MAX_MESSAGE, MAX_SEGMENT, ProtocolError
from libremq.wire.segments import FLOW_OVERHEAD, Flow, SegmentReader

if TYPE_CHECKING:
    from libremq.server.diagnostics.flow_trace import FlowTrace
    from libremq.server.net.client_link import Link
    from libremq.server.net.message_link import MessageLink


def _is_meant(trace: FlowTrace, link: Link | MessageLink) -> bool:
    conversations = getattr(link, "conversations", None)
    if conversations is None:
        return trace.wants(iter((link.channel,) if isinstance(link.channel, str) else ()))
    found = (one.connection for one in conversations.values())
    return trace.wants(connection.application for connection in found if connection is not None)


def trace_received(trace: FlowTrace, link: Link | MessageLink, flow: Flow) -> None:
    if _is_meant(trace, link):
        trace.received(link.peer, flow)


def trace_sent(trace: FlowTrace, link: Link | MessageLink, data: bytes) -> None:
    """Whole segments, as they are written; before send exits make something else of them."""
    if not _is_meant(trace, link):
        return
    reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE + FLOW_OVERHEAD)
    try:
        flows = reader.feed(data)
    except ProtocolError as error:
        trace.note(link.peer, f"{len(data)} bytes are written that cannot be read: {error}")
        return
    for flow in flows:
        trace.sent(link.peer, flow)
