"""Partners that call: which agent answers, or why none does.

A sender or server calls a receiver or requester; a requester calls a server, which sends on that connection, or a
sender, which closes it and calls by itself. A partner that calls again has lost the connection before, even if this end
has not noticed: the new call takes over (AdoptNewMCA).
"""

from __future__ import annotations

from libremq.channels.agent import Agent
from libremq.channels.auto_definition import define_receiver
from libremq.channels.channel_end import End
from libremq.channels.channel_lifecycle import ChannelLifecycle
from libremq.channels.channel_refusal import ChannelRefusal
from libremq.channels.receiver import ReceivingAgent
from libremq.channels.retries import Retries
from libremq.channels.sender import SendingAgent
from libremq.channels.started_channel import StartedChannel
from libremq.channels.transport import Peer, Transport
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.kernel.objects.channel_definitions import ClusterChannel, Receiver, Requester, Sender, Server
from libremq.kernel.objects.object_types import MQObject
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.wire.protocol import CAP1_REQUEST_INITIATION, Status
from libremq.wire.session_flows import InitialData

FAP_LEVEL_MIN = 4  # the lowest level of the protocol that is served


class Answering(ChannelLifecycle):
    """Channels that are called."""

    def called(self, offered: InitialData, transport: Transport, peer: Peer) -> Agent:
        """The agent for a call that came; ChannelRefusal if there is none."""
        name = offered.channel
        try:
            return self._called(offered, transport, peer)
        except ChannelRefusal as refusal:
            if not refusal.calls_back:
                self._environment.say(refusal.message)
            raise
        except MQError as error:
            message = amq(9501, name, error)
            self._environment.say(message)
            raise ChannelRefusal(Status.CHANNEL_UNAVAILABLE, message) from error

    def _called(self, offered: InitialData, transport: Transport, peer: Peer) -> Agent:
        name, requests = offered.channel, bool(offered.capabilities[0] & CAP1_REQUEST_INITIATION)
        if self._ending or self._manager.quiescing:
            raise ChannelRefusal(Status.QM_TERMINATING, amq(9542, name, self._manager.name))
        channel: MQObject | None = self._manager.definitions.channels.get(name)
        if channel is None and not requests:
            channel = define_receiver(self._environment, offered, peer)
        if channel is None:
            raise ChannelRefusal(Status.NO_CHANNEL, amq(9519, name))
        if self._kept.is_stopped(name):
            raise ChannelRefusal(Status.CHANNEL_UNAVAILABLE, amq(9534, name))
        if requests and isinstance(channel, Server):
            self._check_queue(channel)
            self._make_way(offered, peer)
            started = self._started[name] = StartedChannel(channel, Retries.of(channel), was_called=True)
            self._environment.say(amq(9002, name))
            return self._run(started, SendingAgent(self._environment, channel, transport, peer, called=offered))
        if requests and isinstance(channel, Sender):
            self._call_back(channel, offered, peer)
        if not requests and isinstance(channel, Receiver | Requester):
            self._make_way(offered, peer)
            self._environment.say(amq(9002, name))
            agent = ReceivingAgent(self._environment, channel, transport, peer, called=offered)
            agent.on_running = self._started_event
            agent.on_end = self._receiver_ended
            self._received.append(agent)
            return agent
        raise ChannelRefusal(Status.CHANNEL_WRONG_TYPE, self._unsuitable(channel, peer, requests=requests))

    def _unsuitable(self, channel: MQObject, peer: Peer, *, requests: bool) -> AmqMessage:
        if isinstance(channel, ClusterChannel):
            why = "cluster channels do not run in this release"
        elif requests:
            why = "a requester calls, which needs a server or a sender"
        else:
            why = "one that sends calls, which needs a receiver or a requester"
        return amq(9502, channel.name, f"it is a {channel.kind}, and {why}; the call came from {peer.address}")

    def _call_back(self, channel: Sender, offered: InitialData, peer: Peer) -> None:
        """A requester calls a sender: that closes the call, and calls by itself."""
        name = channel.name
        self._check_queue(channel)
        self._check_current(name)
        self._take_over(offered, peer)
        started = self._started[name] = StartedChannel(channel, Retries.of(channel), due=self._now())
        started.state = C.MQCHS_STARTING
        self._soon()
        raise ChannelRefusal(Status.USER_CLOSED, amq(9002, name), calls_back=True)

    def _receiver_ended(self, agent: Agent, end: End) -> None:
        """Its partner calls again if it wants to."""
        if agent in self._received:
            self._received.remove(agent)
            self._say_end(agent.name, end, agent)
            if not agent.ended_in.is_binding:
                self._agent_event(C.MQRC_CHANNEL_STOPPED, agent, end)
            self._activate_waiting()

    # Making way

    def _make_way(self, offered: InitialData, peer: Peer) -> None:
        """Make way for a partner that calls, and see that there is room for it."""
        name = offered.channel
        waiting = self._started.get(name)
        self._take_over(offered, peer)
        if message := self.no_room(name, peer.address):
            if waiting is not None and waiting.agent is None:
                self._started[name] = waiting  # it goes on waiting for its next try
            raise ChannelRefusal(Status.CHANNEL_UNAVAILABLE, message)

    def _take_over(self, offered: InitialData, peer: Peer) -> None:
        """End what is in the way of a partner that calls: what waits, and a connection that the partner has lost."""
        name, partner = offered.channel, offered.queue_manager
        started = self._started.get(name)
        old = [one for one in self._received if one.name == name and one.partner == partner]
        if started is not None:
            if started.call is not None:
                raise ChannelRefusal(Status.CHANNEL_UNAVAILABLE, amq(9514, name))
            if started.agent is not None:
                old.append(started.agent)
        # A requester that hears from the sender before it hears that its own call was closed
        called_back = [one for one in old if one.state.is_binding and isinstance(one.channel, Requester)]
        for one in old:
            if one not in called_back:
                self._check_adoptable(one, offered, peer)
        if started is not None:
            del self._started[name]
        for one in old:
            if one not in called_back:
                self._environment.say(amq(9569, name, one.peer.address))
            if one in self._received:
                self._received.remove(one)
            one.stop(C.MQMODE_TERMINATE)

    def _check_adoptable(self, old: Agent, offered: InitialData, peer: Peer) -> None:
        """A call that will come to nothing must not end one that runs."""
        rules, name, wrap = self._rules, old.name, old.channel.seqwrap
        if not rules.adopt:
            raise ChannelRefusal(Status.CHANNEL_UNAVAILABLE, amq(9514, name))
        if offered.fap_level < FAP_LEVEL_MIN:
            raise ChannelRefusal(Status.FAP_LEVEL, amq(9503, name, peer.address, f"FAP level {offered.fap_level}"))
        if offered.sequence_wrap != wrap:
            raise ChannelRefusal(Status.WRAP_VALUE_ERROR, amq(9505, name, wrap, offered.sequence_wrap))
        if old.partner != offered.queue_manager:
            why = f"it is in use with queue manager {old.partner or 'unknown'}"
        elif old.peer.host != peer.host and not rules.adopt_from_anywhere:
            why = f"the call came from {peer.host}"
        else:
            return
        raise ChannelRefusal(Status.CHANNEL_UNAVAILABLE, amq(9571, name, old.peer.address, why))
