"""How the session of a client begins on its link, and the conversations that come and go on it.

Initial data is negotiated once: which channel, how long segments are, how many conversations share the socket. What
offers to be another queue manager is no client, and gets a message link. After that conversations begin and end by
socket actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.server.net.conversation import Conversation
from libremq.server.net.link_exits import begin_exits
from libremq.server.net.message_link import MessageLink
from libremq.server.net.server_connection_channels import find_channel
from libremq.server.net.socket_options import follow_keep_alive
from libremq.wire import session_flows
from libremq.wire.protocol import (
    CAP1_MQREQUEST,
    CLOSE_CHANNEL,
    ERROR,
    FAP_LEVEL,
    MAX_SEGMENT,
    PRODUCT_SERVER,
    Action,
    ProtocolError,
    Status,
    Type,
)
from libremq.wire.segments import Flow, frame, frame_plain

if TYPE_CHECKING:
    from libremq.server.net.client_link import Link

CONVERSATION_MAX = 0xFFFFFFFF


def begin(link: Link, flow: Flow) -> None:
    """Initial data has come: agree to what is offered, as far as the channel goes, or refuse."""
    event_loop = link.event_loop
    offered = session_flows.unpack_initial(flow.body, big_endian=flow.big_endian, charset=flow.charset)
    if link.agreed is not None:
        # What was agreed, once more: that it had to be corrected was said, and has been done
        if any(conversation.connected for conversation in link.conversations.values()):
            raise ProtocolError(Status.PROTOCOL_ID_ERROR, "initial data in the middle of a session")
        settled = session_flows.pack_initial(session_flows.settled(link.agreed))
        link._out.append(link.framed(Type.INITIAL_DATA, settled, flow.conversation, flags=0))
        return
    if event_loop.ending is not None:
        link.refuse(Status.QM_TERMINATING, "the queue manager is ending")
        return
    if event_loop.is_full(link.local):
        link.refuse(Status.CHANNEL_UNAVAILABLE, amq(9513, f"{event_loop.full_words()}; it came from {link.peer}"))
        return
    if not offered.capabilities[0] & CAP1_MQREQUEST and not link.local:
        _become_message_link(link, offered)
        return
    channel, refusal = find_channel(event_loop, offered.channel, local=link.local, tls=link.tls, peer=link.peer)
    if channel is None:
        link.refuse(refusal[0], refusal[1])
        return
    own = session_flows.InitialData(
        channel=channel.name,
        queue_manager=event_loop.manager.name,
        fap_level=FAP_LEVEL,
        max_segment=MAX_SEGMENT,
        max_message=channel.max_message,
        heartbeat_s=channel.heartbeat_s,
        sharing=channel.sharing,
        product=PRODUCT_SERVER,
        queue_manager_id=event_loop.manager.definitions.qmgr.qmid,
    )
    agreed = session_flows.agree(offered, own)
    if channel.definition is not None:
        waits = link.counters.calls == 1 and not link._reader.held_bytes
        link.exits = begin_exits(link, channel.definition, agreed, waits=waits)
        if link.exits is None:
            channel.release(event_loop.instances)
            return
    link.channel, link.agreed = channel, agreed
    link.ours = offered.ours
    link.peer_product = offered.product
    if not link.local:
        link.peer_pid = offered.process
    link.heartbeat_s = agreed.heartbeat_s
    link._reader.max_segment = agreed.max_segment
    if channel.served is not None and not link.local and event_loop.keep_alive and link._transport is not None:
        follow_keep_alive(link._transport.get_extra_info("socket"), channel.served)
    _make_room(link)
    link.conversations[1] = Conversation(link, 1)
    link._tell(C.MQRC_CHANNEL_STARTED)
    flags = ERROR if session_flows.corrected(agreed) else 0
    link._out.append(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(agreed), flags=flags))


def _make_room(link: Link) -> None:
    """What is sent is as long as was agreed, less what send exits may add to it."""
    assert link.agreed is not None
    link.max_segment = link.agreed.max_segment - (link.exits.send_space if link.exits is not None else 0)


def _become_message_link(link: Link, offered: session_flows.InitialData) -> None:
    """It is no client but another queue manager: from now on a message link has the socket."""
    assert link._transport is not None
    event_loop = link.event_loop
    link._ended = True
    link._let_go()
    successor = MessageLink(event_loop, link.peer, link._reader)
    event_loop.became_message_link(link)
    stranger, link.stranger = link.stranger, None
    successor.take_over(link._transport, link.counters, stranger)
    link._successor = (successor, offered)


def take_socket_action(link: Link, flow: Flow) -> None:
    """A conversation begins, or one ends; the socket goes with the last."""
    number, action = session_flows.unpack_action(flow.body, big_endian=flow.big_endian)
    if action == Action.START:
        if link.agreed is None or not 0 < number <= CONVERSATION_MAX or number in link.conversations:
            raise ProtocolError(Status.CONV_ID_ERROR, f"conversation {number} cannot begin")
        if len(link.conversations) >= max(1, link.agreed.sharing):
            raise ProtocolError(Status.CONV_ID_ERROR, f"{link.agreed.sharing} conversations share this socket already")
        if link.exits is not None:
            if not link.exits.open(number):
                return
            _make_room(link)
        link.conversations[number] = Conversation(link, number)
        link._out.append(
            frame(Type.SOCKET_ACTION, session_flows.pack_action(number, Action.ACCEPT), number, flow.request, flags=0)
        )
    elif action == Action.END:
        conversation = link.conversations.pop(number, None)
        if conversation is not None:
            conversation.lost()
            if link.exits is not None:
                link.exits.close(number)
        if not link.conversations or flow.flags & CLOSE_CHANNEL:
            link._close()
    else:
        raise ProtocolError(Status.SOCKET_ACTION_TYPE, f"socket action {action}")
