"""The life of a channel that this end starts: it is called, runs, ends, and is perhaps tried again.

The end of an agent makes the next state of the channel:

    closed    inactive; messages that come later trigger it
    stopped   as STOP CHANNEL said: stopped, or inactive
    retry     senders and servers are tried again, until the retries are used up: then they are stopped. Those that
              receive are inactive, since their partners try again
    failed    stopped if this end has called, inactive otherwise
    callback  a requester waits for the sender to call

That a channel is stopped is all that keeps it from running: its transmission queue is left as it is, with its TRIGGER
and GET, so that a start need not guess what they were.
"""

from __future__ import annotations

from functools import partial

from libremq.channels.agent import Agent
from libremq.channels.channel_end import End
from libremq.channels.current_channels import CurrentChannels
from libremq.channels.outgoing_call import OutgoingCall
from libremq.channels.receiver import ReceivingAgent
from libremq.channels.retries import Retries
from libremq.channels.sender import SendingAgent
from libremq.channels.started_channel import StartedChannel
from libremq.channels.transport import Peer, Transport
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_definitions import Requester, Sender, Server
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

_CALLBACK_S = 60.0  # that a requester waits for the sender to call


class ChannelLifecycle(CurrentChannels):
    """Channels that are started here."""

    # The beginning

    def _replace(self, started: StartedChannel) -> None:
        """Start it, in place of what waited before."""
        before = self._started.pop(started.name, None)
        if before is not None:
            before.cancel()
        self._started[started.name] = started
        self._launch(started)

    def _launch(self, started: StartedChannel) -> None:
        """OutgoingCall the partner, if one more channel may be active; it has its turn later otherwise."""
        started.due = None
        if self._is_full():
            if not started.waits:
                self._environment.say(amq(9573, started.name, self._rules.active_max))
                self._definition_event(C.MQRC_CHANNEL_NOT_ACTIVATED, started)
            started.state, started.waits = C.MQCHS_STARTING, True
            return
        if started.waits:
            started.waits = False
            self._environment.say(amq(9574, started.name))
            self._definition_event(C.MQRC_CHANNEL_ACTIVATED, started)
        started.state = C.MQCHS_BINDING
        self._environment.say(amq(9002, started.name))
        started.call = call = OutgoingCall(
            started.channel,
            started.channel.conname,
            lambda transport, peer: self._build(started, call, transport, peer),
            lambda why: self._not_connected(started, call, why),
        )
        self._dial(call)

    def _build(self, started: StartedChannel, call: OutgoingCall, transport: Transport, peer: Peer) -> Agent | None:
        if started.call is not call or self._started.get(started.name) is not started:
            return None
        started.call = None
        agent: Agent
        if isinstance(started.channel, Requester):
            agent = ReceivingAgent(self._environment, started.channel, transport, peer, called=None)
        else:
            agent = SendingAgent(self._environment, started.channel, transport, peer, called=None)
        return self._run(started, agent)

    def _run(self, started: StartedChannel, agent: Agent) -> Agent:
        started.agent = agent
        agent.on_running = partial(self._running, started)
        agent.on_end = partial(self._instance_ended, started)
        return agent

    def _not_connected(self, started: StartedChannel, call: OutgoingCall, why: str) -> None:
        if started.call is call and self._started.get(started.name) is started:
            started.call = None
            self._over(started, End("retry", call.not_connected(why)))

    def _running(self, started: StartedChannel, agent: Agent) -> None:
        """Both ends have agreed: what came before is forgotten."""
        if started.stop_after is None and not self._kept.is_stopped(started.name):
            self._kept.note(started.name, None)
        started.retries, started.told = Retries.of(started.channel), False
        self._started_event(agent)

    def _due(self, started: StartedChannel) -> None:
        name = started.name
        if started.state == C.MQCHS_REQUESTING:
            del self._started[name]
            self._environment.say(amq(9524, name))
            self._definition_event(C.MQRC_CHANNEL_STOPPED, started, End("failed", amq(9524, name)))
            self._activate_waiting()
            return
        channel = self._manager.definitions.channels.get(name)
        if not isinstance(channel, Sender | Server | Requester) or not channel.conname:
            del self._started[name]  # it was deleted, or made something else
            self._kept.note(name, None)
            return
        started.channel = channel
        if started.state == C.MQCHS_RETRYING:
            started.retries = started.retries.used()
            self._keep(started, C.MQCHS_RETRYING)
        try:
            self._check_queue(channel)
        except MQError as error:
            self._over(started, End("retry", amq(9501, name, error)))
            return
        self._launch(started)

    # The end

    def _instance_ended(self, started: StartedChannel, agent: Agent, end: End) -> None:
        if self._started.get(started.name) is started and started.agent is agent:
            started.agent = None
            self._over(started, end, agent)

    def _over(self, started: StartedChannel, end: End, agent: Agent | None = None) -> None:
        """An attempt has ended, or the channel has been stopped."""
        name = started.name
        if self._ending or started.stop_after is not None or end.kind in ("closed", "stopped"):
            del self._started[name]
            if not self._ending and started.stop_after is None:
                self._kept.note(name, None)
            self._say_end(name, end, agent)
        elif end.kind == "callback" and isinstance(started.channel, Requester):
            started.state, started.due = C.MQCHS_REQUESTING, self._now() + _CALLBACK_S
            self._soon()
            return
        else:
            self._say_end(name, end, agent)
            self._next_state(started, end)
        retrying = name in self._started
        if not (retrying and started.told):
            self._definition_event(C.MQRC_CHANNEL_STOPPED, started, end)
        started.told = retrying
        self._activate_waiting()

    def _next_state(self, started: StartedChannel, end: End) -> None:
        """Something went wrong."""
        name = started.name
        channel = self._manager.definitions.channels.get(name)
        if end.kind == "retry" and isinstance(channel, Sender | Server) and channel.conname:
            started.channel = channel
            wait_s = started.retries.interval_s(channel)
            if wait_s is not None:
                started.state, started.due = C.MQCHS_RETRYING, self._now() + wait_s
                started.was_called = False
                self._keep(started, C.MQCHS_RETRYING)
                self._environment.say(amq(9605, name, wait_s, started.retries.left))
                self._soon()
                return
            self._environment.say(amq(9606, name))
            self._keep(started, C.MQCHS_STOPPED)
        elif end.kind == "failed" and not started.was_called and channel is not None:
            self._keep(started, C.MQCHS_STOPPED)
        else:
            self._kept.note(name, None)
        del self._started[name]

    def _keep(self, started: StartedChannel, status: int) -> None:
        self._kept.note(started.name, started.retries.keep(started.name, status))

    def _activate_waiting(self) -> None:
        """A channel has ended: those that waited for that have their turn, in order."""
        if self._ending:
            return
        for started in list(self._started.values()):
            if started.waits and not self._is_full() and self._started.get(started.name) is started:
                self._launch(started)
