"""PING CHANNEL: call the other end, agree as a sender does, and have some data sent back. No message is moved."""

from __future__ import annotations

from libremq.channels.agent import Agent
from libremq.channels.agent_states import PINGER
from libremq.channels.channel_end import ChannelError, End
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.transport import Peer, Transport
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_definitions import Sender, Server
from libremq.wire import message_channel as flows
from libremq.wire.protocol import Status
from libremq.wire.segments import Flow


class PingingAgent(Agent):
    """The end that pings. It ends as closed if the data came back."""

    sends = True
    table = PINGER

    def __init__(
        self,
        environment: ChannelEnvironment,
        channel: Sender | Server,
        transport: Transport,
        peer: Peer,
        *,
        data: bytes,
    ) -> None:
        super().__init__(environment, channel, transport, peer)
        self._data = data

    def _connect(self) -> None:
        """It needs nothing of the queue manager."""

    def _send_ping(self) -> None:
        self._send(flows.ping(self._data))

    def _compare(self, flow: Flow) -> None:
        """It came back, or the other end pings, too."""
        answer = flows.unpack_ping(flow)
        if not answer.reply:
            self._answer_ping(flow)
            return
        if answer.data != self._data:
            message = amq(9501, self.name, f"{len(self._data)} bytes were sent to ping it, and others came back")
            raise ChannelError(End("failed", message), Status.PROTOCOL_INVALID_DATA)
        self._end(End("closed"), flows.close_channel())

    def _time_passed(self, now: float) -> None:
        """It is never more than bound: the time for that is all it has."""
