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

from libremq.channels.agent import Agent, End
from libremq.channels.calls import Call
from libremq.channels.lines import Line
from libremq.channels.ports import Peer, Transport
from libremq.channels.receiver import ReceivingAgent
from libremq.channels.retries import Retries
from libremq.channels.roster import Roster
from libremq.channels.sender import SendingAgent
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_definitions import Requester, Sender, Server
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

_CALLBACK_S = 60.0  # that a requester waits for the sender to call


class LineLife(Roster):
    """Channels that are started here."""

    # The beginning

    def _replace(self, line: Line) -> None:
        """Start it, in place of what waited before."""
        before = self._lines.pop(line.name, None)
        if before is not None:
            before.cancel()
        self._lines[line.name] = line
        self._launch(line)

    def _launch(self, line: Line) -> None:
        """Call the partner, if one more channel may be active; it has its turn later otherwise."""
        line.due = None
        if self._is_full():
            if not line.waits:
                self._house.say(amq(9573, line.name, self._rules.active_max))
                self._line_event(C.MQRC_CHANNEL_NOT_ACTIVATED, line)
            line.state, line.waits = C.MQCHS_STARTING, True
            return
        if line.waits:
            line.waits = False
            self._house.say(amq(9574, line.name))
            self._line_event(C.MQRC_CHANNEL_ACTIVATED, line)
        line.state = C.MQCHS_BINDING
        self._house.say(amq(9002, line.name))
        line.call = call = Call(
            line.channel,
            line.channel.conname,
            lambda transport, peer: self._build(line, call, transport, peer),
            lambda why: self._not_connected(line, call, why),
        )
        self._dial(call)

    def _build(self, line: Line, call: Call, transport: Transport, peer: Peer) -> Agent | None:
        if line.call is not call or self._lines.get(line.name) is not line:
            return None
        line.call = None
        agent: Agent
        if isinstance(line.channel, Requester):
            agent = ReceivingAgent(self._house, line.channel, transport, peer, called=None)
        else:
            agent = SendingAgent(self._house, line.channel, transport, peer, called=None)
        return self._run(line, agent)

    def _run(self, line: Line, agent: Agent) -> Agent:
        line.agent = agent
        agent.on_running = partial(self._running, line)
        agent.on_end = partial(self._line_ended, line)
        return agent

    def _not_connected(self, line: Line, call: Call, why: str) -> None:
        if line.call is call and self._lines.get(line.name) is line:
            line.call = None
            self._over(line, End("retry", call.not_connected(why)))

    def _running(self, line: Line, agent: Agent) -> None:
        """Both ends have agreed: what came before is forgotten."""
        if line.stop_after is None and not self._kept.is_stopped(line.name):
            self._kept.note(line.name, None)
        line.retries, line.told = Retries.of(line.channel), False
        self._started_event(agent)

    def _due(self, line: Line) -> None:
        name = line.name
        if line.state == C.MQCHS_REQUESTING:
            del self._lines[name]
            self._house.say(amq(9524, name))
            self._line_event(C.MQRC_CHANNEL_STOPPED, line, End("failed", amq(9524, name)))
            self._activate_waiting()
            return
        channel = self._core.catalogue.channels.get(name)
        if not isinstance(channel, Sender | Server | Requester) or not channel.conname:
            del self._lines[name]  # it was deleted, or made something else
            self._kept.note(name, None)
            return
        line.channel = channel
        if line.state == C.MQCHS_RETRYING:
            line.retries = line.retries.used()
            self._keep(line, C.MQCHS_RETRYING)
        try:
            self._check_queue(channel)
        except MQError as error:
            self._over(line, End("retry", amq(9501, name, error)))
            return
        self._launch(line)

    # The end

    def _line_ended(self, line: Line, agent: Agent, end: End) -> None:
        if self._lines.get(line.name) is line and line.agent is agent:
            line.agent = None
            self._over(line, end, agent)

    def _over(self, line: Line, end: End, agent: Agent | None = None) -> None:
        """An attempt has ended, or the whole line has."""
        name = line.name
        if self._ending or line.stop_after is not None or end.kind in ("closed", "stopped"):
            del self._lines[name]
            if not self._ending and line.stop_after is None:
                self._kept.note(name, None)
            self._say_end(name, end, agent)
        elif end.kind == "callback" and isinstance(line.channel, Requester):
            line.state, line.due = C.MQCHS_REQUESTING, self._now() + _CALLBACK_S
            self._soon()
            return
        else:
            self._say_end(name, end, agent)
            self._next_state(line, end)
        retrying = name in self._lines
        if not (retrying and line.told):
            self._line_event(C.MQRC_CHANNEL_STOPPED, line, end)
        line.told = retrying
        self._activate_waiting()

    def _next_state(self, line: Line, end: End) -> None:
        """Something went wrong."""
        name = line.name
        channel = self._core.catalogue.channels.get(name)
        if end.kind == "retry" and isinstance(channel, Sender | Server) and channel.conname:
            line.channel = channel
            wait_s = line.retries.interval_s(channel)
            if wait_s is not None:
                line.state, line.due = C.MQCHS_RETRYING, self._now() + wait_s
                line.was_called = False
                self._keep(line, C.MQCHS_RETRYING)
                self._house.say(amq(9605, name, wait_s, line.retries.left))
                self._soon()
                return
            self._house.say(amq(9606, name))
            self._keep(line, C.MQCHS_STOPPED)
        elif end.kind == "failed" and not line.was_called and channel is not None:
            self._keep(line, C.MQCHS_STOPPED)
        else:
            self._kept.note(name, None)
        del self._lines[name]

    def _keep(self, line: Line, status: int) -> None:
        self._kept.note(line.name, line.retries.keep(line.name, status))

    def _activate_waiting(self) -> None:
        """A channel has ended: those that waited for that have their turn, in order."""
        if self._ending:
            return
        for line in list(self._lines.values()):
            if line.waits and not self._is_full() and self._lines.get(line.name) is line:
                self._launch(line)
