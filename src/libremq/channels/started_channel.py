"""A channel that this queue manager starts or sends on, from the start to the end: with or without an agent.

Between the instances of a sender there are times when nothing runs and the channel is still there to be seen: it is
about to be called, waits for its next try, or for a sender that calls back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from libremq.admin.operations import ChannelInstance
from libremq.channels.agent import Agent
from libremq.channels.outgoing_call import CallingMessageChannel, OutgoingCall
from libremq.channels.retries import Retries
from libremq.mqi import constants as C


@dataclass(slots=True, eq=False)
class StartedChannel:
    channel: CallingMessageChannel
    retries: Retries
    state: int = C.MQCHS_STARTING
    """MQCHS_*; that of the agent while there is one."""
    agent: Agent | None = None
    call: OutgoingCall | None = field(default=None, repr=False)
    due: float | None = None
    """When something is to be done about it: RETRYING, REQUESTING, STARTING. None: when another channel ends."""
    was_called: bool = False
    """The partner, a requester, has called: it is for the partner to try again."""
    waits: bool = False
    """STARTING, because as many channels are active as may be."""
    told: bool = False
    """Its retries were made known by an event, and it has not run since."""
    stop_after: int | None = None
    """STOP CHANNEL was given, and what the channel is when it has ended."""

    @property
    def name(self) -> str:
        return self.channel.name

    @property
    def xmitq(self) -> str:
        return getattr(self.channel, "xmitq", "")

    @property
    def is_active(self) -> bool:
        """Does it count for MaxActiveChannels?"""
        return self.agent is not None or self.call is not None or self.state == C.MQCHS_REQUESTING

    def cancel(self) -> None:
        """Nobody waits for the call any more."""
        if self.call is not None:
            self.call.cancelled = True
            self.call = None

    def is_with(self, connection_name: str, partner: str) -> bool:
        """Is it the instance that a command means?"""
        agent = self.agent
        if agent is not None:
            return is_with(agent, connection_name, partner)
        return not partner and connection_name in ("", self.channel.conname)

    def instance(self) -> ChannelInstance:
        short, long = self.retries.short, self.retries.long
        if self.agent is not None:
            return replace(self.agent.instance(), short_retries=short, long_retries=long)
        return ChannelInstance(
            channel=self.name,
            connection_name=self.channel.conname,
            channel_type=self.channel.chltype,
            status=self.state,
            substate=C.MQCHSSTATE_NET_CONNECTING if self.call is not None else C.MQCHSSTATE_OTHER,
            xmitq=self.xmitq,
            short_retries=short,
            long_retries=long,
        )


def is_with(agent: Agent, connection_name: str, partner: str) -> bool:
    """Does an agent talk to this address and this queue manager? Blank means any."""
    return connection_name in ("", agent.peer.host, agent.peer.address) and partner in ("", agent.partner)
