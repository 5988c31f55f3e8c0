"""The channel initiator: which message channels run, when they start, are tried again, and stop.

It starts a channel on command, by a trigger, for a partner that calls, or because a retry is due. STOPPED and RETRYING
are kept over a restart. A channel that was running is inactive after it: what is on its transmission queue triggers it,
as does a batch in doubt. Nothing here waits or has a thread: everything is called under the kernel's lock.
"""

from __future__ import annotations

from collections.abc import Callable

from libremq.channels.agent import Agent
from libremq.channels.answering import Answering
from libremq.channels.channel_end import End
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.channel_refusal import ChannelRefusal
from libremq.channels.channel_triggering import INITIATION_QUEUE, Triggers
from libremq.channels.current_channels import ChannelRules
from libremq.channels.outgoing_call import OutgoingCall
from libremq.channels.pinging import PingingAgent
from libremq.channels.retries import Retries
from libremq.channels.started_channel import StartedChannel, is_with
from libremq.channels.transport import Peer, Transport
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.kernel.objects.channel_definitions import (
    ClusterChannel,
    MessageChannel,
    Receiver,
    Requester,
    Sender,
    Server,
)
from libremq.kernel.objects.object_types import LocalQueue
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

__all__ = ["ChannelRefusal", "ChannelRules", "Initiator", "OutgoingCall"]

_WRITE_AGAIN_S = 10.0  # until a state is written down, or a batch backed out, for which the log had no room


class Initiator(Answering):
    """The message channels of one queue manager."""

    def __init__(
        self,
        environment: ChannelEnvironment,
        dial: Callable[[OutgoingCall], None],
        *,
        rules: ChannelRules | None = None,
        soon: Callable[[], None] = lambda: None,
        clients: Callable[[], int] = lambda: 0,
    ) -> None:
        super().__init__(environment, dial, rules=rules, soon=soon, clients=clients)
        self._triggers = Triggers(environment, self._triggered, self.wake)
        self._has_triggers = False
        self._pings: list[Agent] = []
        self._write_at = 0.0

    # The beginning and the end of the queue manager

    def resume(self) -> None:
        """The queue manager was started: go on with what was under way."""
        for state in list(self._manager.definitions.channel_states.values()):
            channel = self._manager.definitions.channels.get(state.channel)
            if channel is None:
                self._kept.note(state.channel, None)
            elif state.status == C.MQCHS_RETRYING:
                if isinstance(channel, Sender | Server) and channel.conname:
                    retries = Retries.kept(state)
                    self._started[channel.name] = StartedChannel(channel, retries, C.MQCHS_RETRYING, due=self._now())
                else:
                    self._kept.note(state.channel, None)
        for batch in self._manager.channel_records.in_doubt():
            queue = self._manager.definitions.queues.get(batch.xmitq)
            if isinstance(queue, LocalQueue) and queue.trigger == C.MQTC_ON:
                self._triggered_later(batch.channel)
        if self._manager.definitions.qmgr.schinit == C.MQSVC_CONTROL_Q_MGR:
            try:
                self.serve()
            except MQError as error:
                self._environment.say(amq(9602, INITIATION_QUEUE, error))
        self._soon()

    def _triggered_later(self, name: str) -> None:
        """Its messages are in doubt, so that no trigger message speaks of them."""
        channel = self._manager.definitions.channels.get(name)
        if (
            isinstance(channel, Sender | Server)
            and channel.conname
            and name not in self._started
            and not self._kept.is_stopped(name)
        ):
            self._started[name] = StartedChannel(channel, Retries.of(channel), due=self._now())

    def serve(self, queue: str = "") -> None:
        """START CHINIT: read this initiation queue too; else that of the queue manager."""
        self._triggers.open(queue or INITIATION_QUEUE, self._rules.initiators_max)

    @property
    def initiation_queues(self) -> list[str]:
        return self._triggers.queues

    def quiesce(self) -> None:
        """The queue manager is ending: all instances end with their batches, and none is begun."""
        self.end(C.MQMODE_QUIESCE)

    def end(self, mode: int = C.MQMODE_FORCE) -> None:
        """The queue manager is ending. What is stopped or retrying is so again when it is started."""
        self._ending = True
        self._triggers.close()
        for started in list(self._started.values()):
            started.cancel()
            if started.agent is None:
                del self._started[started.name]
        for agent in [*self.agents, *self._pings]:
            agent.stop(mode)

    # Commands

    def start(self, name: str) -> None:
        """START CHANNEL. A channel that waits to be called can be called again; the others call."""
        self._check_open(name)
        channel = self._definition(name)
        if isinstance(channel, Receiver) or (isinstance(channel, Server) and not channel.conname):
            self._kept.write(name, None)
            return
        if not isinstance(channel, Sender | Server | Requester):
            cluster = isinstance(channel, ClusterChannel)
            why = "cluster channels do not run in this release" if cluster else f"it is a {channel.kind}"
            raise mq_error(C.MQRCCF_WRONG_CHANNEL_TYPE, name, f"it cannot be started: {why}")
        if self._runs(name):
            raise mq_error(C.MQRCCF_CHANNEL_IN_USE, name, "it is started already")
        self._check_queue(channel)
        self._check_current(name)
        self._kept.write(name, None)
        self._replace(StartedChannel(channel, Retries.of(channel)))

    def stop(
        self,
        name: str,
        mode: int,
        *,
        after: int = C.MQCHS_STOPPED,
        connection_name: str = "",
        partner: str = "",
    ) -> int:
        """STOP CHANNEL; how many instances there were to stop, or retries to give up.

        With MQCHS_STOPPED nothing but START CHANNEL lets the channel run again, not even a partner that calls.
        """
        channel = self._definition(name)
        if not isinstance(channel, MessageChannel):
            raise mq_error(C.MQRCCF_WRONG_CHANNEL_TYPE, name, f"it is no message channel, but a {channel.kind}")
        if (connection_name or partner) and after == C.MQCHS_STOPPED:
            detail = "STATUS(STOPPED) is for all instances of a channel; with CONNAME or QMNAME use STATUS(INACTIVE)"
            raise mq_error(C.MQRCCF_PARM_CONFLICT, name, detail)
        started = self._started.get(name)
        if started is not None and not started.is_with(connection_name, partner):
            started = None
        found = [one for one in self._received if one.name == name and is_with(one, connection_name, partner)]
        was_stopped = self._kept.is_stopped(name)
        count = len(found) + (started is not None)
        if after == C.MQCHS_STOPPED:
            left = started.retries if started is not None else self._retries_left(channel)
            self._kept.write(name, left.keep(name, C.MQCHS_STOPPED))
        elif started is not None or (was_stopped and not connection_name and not partner):
            self._kept.write(name, None)
            count = max(count, 1)
        if count or after == C.MQCHS_STOPPED:
            self._manager.events.channel(C.MQRC_CHANNEL_STOPPED_BY_USER, channel=name)
        if started is not None:
            self._stop_started(started, mode, after)
        for agent in found:
            agent.stop(mode)
        return count

    def _stop_started(self, started: StartedChannel, mode: int, after: int) -> None:
        started.stop_after = after
        if started.agent is not None:
            started.agent.stop(mode)
            return
        started.cancel()
        self._over(started, End("stopped"))

    def ping(self, name: str, data: bytes, done: Callable[[AmqMessage | None], None]) -> None:
        """PING CHANNEL: have the other end send the data back. `done` is called later: None if all went well."""
        self._check_open(name)
        channel = self._definition(name)
        if not isinstance(channel, Sender | Server) or not channel.conname:
            raise mq_error(C.MQRCCF_WRONG_CHANNEL_TYPE, name, "only a sender, or a server with CONNAME, can be pinged")
        if self.is_current(name):
            raise mq_error(C.MQRCCF_CHANNEL_IN_USE, name, "it runs, so that there is no need to ping it")

        def build(transport: Transport, peer: Peer) -> Agent | None:
            if self._ending:
                done(amq(9542, name, self._manager.name))
                return None
            if self.is_current(name):
                done(amq(9514, name))
                return None
            agent = PingingAgent(self._environment, channel, transport, peer, data=data)
            agent.on_end = ended
            self._pings.append(agent)
            return agent

        def ended(agent: Agent, end: End) -> None:
            self._pings.remove(agent)
            done(None if end.kind == "closed" else end.message or amq(9209, agent.peer.address))

        def failed(why: str) -> None:
            done(call.not_connected(why))

        call = OutgoingCall(channel, channel.conname, build, failed)
        self._dial(call)

    def forget(self, name: str) -> None:
        """The channel was deleted."""
        started = self._started.pop(name, None)
        if started is not None:
            started.cancel()
        self._kept.note(name, None)

    # Triggers and time

    def wake(self) -> None:
        """There are trigger messages. From any call of the kernel, so nothing is done about them here."""
        if not self._has_triggers:
            self._has_triggers = True
            self._soon()

    def _triggered(self, name: str) -> None:
        """A trigger message names this channel. One that runs, is stopped or waits to be tried again needs none."""
        if name in self._started or self._kept.is_stopped(name):
            return
        channel = self._definition(name)
        if not isinstance(channel, Sender | Server):
            raise mq_error(C.MQRCCF_WRONG_CHANNEL_TYPE, name, f"a {channel.kind} does not send")
        if not channel.conname:
            return  # its requester calls when it wants the messages
        self.start(name)

    def tick(self) -> None:
        """Do what is due."""
        if self._ending:
            return
        if self._has_triggers:
            self._has_triggers = False
            self._triggers.read()
        now = self._now()
        for started in list(self._started.values()):
            if started.due is not None and started.due <= now and self._started.get(started.name) is started:
                self._due(started)
        self._activate_waiting()
        if self._kept.unwritten and now >= self._write_at:
            self._write_at = now + _WRITE_AGAIN_S
            self._kept.write_again()

    def next_deadline(self) -> float | None:
        """When `tick` has something to do; agents have deadlines of their own."""
        if self._ending:
            return None
        if self._has_triggers:
            return self._now()
        dues = [started.due for started in self._started.values() if started.due is not None]
        if self._kept.unwritten:
            dues.append(self._write_at)
        return min(dues, default=None)
