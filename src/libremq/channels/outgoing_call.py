"""A call that a channel wants to make: the connection to its partner that it asks for.

The initiator decides, somebody else has the sockets. A call that nobody waits for any more can still succeed or fail:
it finds that out when it is told so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from libremq.channels.agent import Agent
from libremq.channels.transport import Peer, Transport
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.kernel.objects.channel_definitions import Requester, Sender, Server

CallingMessageChannel = Sender | Server | Requester


@dataclass(slots=True, eq=False)
class OutgoingCall:
    """A connection that a channel asks for. Either `build` or `failed` is to be called, once, under the lock."""

    channel: CallingMessageChannel
    conname: str
    """All the addresses, in the order in which they are to be tried."""
    build: Callable[[Transport, Peer], Agent | None]
    """The connection is made: the agent for it, whose `begin` comes next. None: nobody wants it now; close it."""
    failed: Callable[[str], None]
    """None of the addresses answered, and why: words, or a message that says it all."""
    cancelled: bool = False
    """The channel was stopped meanwhile; there is no need to go on."""

    def not_connected(self, why: str) -> AmqMessage:
        """What `failed` was told, as a message."""
        return why if isinstance(why, AmqMessage) else amq(9202, self.conname, why)
