"""The channels that are not inactive, and what can be said of them: how many, of which sort, whether there is room.

MQ calls them current. What changes them is built on top of this: `channel_lifecycle.py` for those that this end
starts, `answering.py` for partners that call, `initiator.py` for commands, triggers and time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from libremq.admin.operations import ChannelInstance
from libremq.channels.agent import Agent
from libremq.channels.channel_end import End
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.kept_states import KeptStates
from libremq.channels.outgoing_call import OutgoingCall
from libremq.channels.retries import Retries
from libremq.channels.started_channel import StartedChannel
from libremq.common.configuration import ChannelSettings
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.channel_definitions import Channel, MessageChannel, Sender, Server
from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error


@dataclass(frozen=True, slots=True)
class ChannelRules:
    """What the stanza CHANNELS of the configuration says about all channels; 0 is no limit."""

    channels_max: int = 0
    """MaxChannels: that are not inactive."""
    active_max: int = 0
    """MaxActiveChannels: that are not stopped and do not wait either."""
    initiators_max: int = 3
    """MaxInitiators: initiation queues that are read."""
    adopt: bool = True
    """AdoptNewMCA: a partner that calls again takes over from its last connection, which it must have lost."""
    adopt_from_anywhere: bool = False
    """AdoptNewMCACheck of QM: also if it calls from another address."""

    @classmethod
    def of(cls, settings: ChannelSettings) -> Self:
        return cls(
            settings.channels_max,
            settings.active_channels_max,
            settings.initiators_max,
            settings.adopt_new_mca != "NO",
            settings.adopt_new_mca_check == "QM",
        )


class CurrentChannels:
    """The message channels of one queue manager that are not inactive."""

    def __init__(
        self,
        environment: ChannelEnvironment,
        dial: Callable[[OutgoingCall], None],
        *,
        rules: ChannelRules | None = None,
        soon: Callable[[], None] = lambda: None,
        clients: Callable[[], int] = lambda: 0,
    ) -> None:
        """`dial` asks for a connection; `soon` asks that `tick` is called, since the next deadline may have changed.

        `clients` says how many channels of applications there are: they count for the limits, and `tick` finds out that
        there are fewer.
        """
        self._environment = environment
        self._dial = dial
        self._rules = rules or ChannelRules()
        self._soon = soon
        self._clients = clients
        self._started: dict[str, StartedChannel] = {}
        self._received: list[Agent] = []  # instances that receive, and for which the partner has called
        self._kept = KeptStates(environment)
        self._ending = False

    @property
    def _manager(self) -> QueueManager:
        return self._environment.manager

    def _now(self) -> float:
        return self._manager.clock.monotonic()

    # Which there are

    @property
    def agents(self) -> list[Agent]:
        """All that run. When there is none after `quiesce`, the channels have ended."""
        return [*(started.agent for started in self._started.values() if started.agent is not None), *self._received]

    def instances(self) -> list[ChannelInstance]:
        """All that is not inactive, by name."""
        found = [started.instance() for started in self._started.values()] + [
            agent.instance() for agent in self._received
        ]
        seen = {one.channel for one in found}
        for name in self._kept.stopped():
            channel = self._manager.definitions.channels.get(name)
            if name not in seen and isinstance(channel, MessageChannel):
                left = self._retries_left(channel)
                found.append(
                    ChannelInstance(
                        channel=name,
                        connection_name=getattr(channel, "conname", ""),
                        channel_type=channel.chltype,
                        status=C.MQCHS_STOPPED,
                        xmitq=getattr(channel, "xmitq", ""),
                        short_retries=left.short,
                        long_retries=left.long,
                    )
                )
        return sorted(found, key=lambda one: (one.channel, one.partner, one.connection_name))

    def _retries_left(self, channel: MessageChannel) -> Retries:
        """Of one that nothing is done for: all, unless some were used before it was stopped."""
        state = self._kept.find(channel.name)
        return Retries.kept(state) if state is not None else Retries.of(channel)

    def is_current(self, name: str) -> bool:
        """Does it run, or is about to? Then it cannot be deleted, reset or resolved."""
        started = self._started.get(name)
        runs = started is not None and (started.is_active or started.state == C.MQCHS_STARTING)
        return runs or any(agent.name == name for agent in self._received)

    def _runs(self, name: str) -> bool:
        """Is it beyond what a start, or a call, begins anew?"""
        started = self._started.get(name)
        waits = started is None or started.state in (C.MQCHS_RETRYING, C.MQCHS_REQUESTING)
        return not waits or any(agent.name == name for agent in self._received)

    def _definition(self, name: str) -> Channel:
        found: MQObject | None = self._manager.definitions.channels.get(name)
        if not isinstance(found, Channel):
            raise mq_error(C.MQRCCF_CHANNEL_NOT_FOUND, name, "there is no channel of this name")
        return found

    # What a channel needs to start

    def _check_open(self, name: str) -> None:
        if self._ending or self._manager.quiescing:
            raise mq_error(C.MQRC_Q_MGR_QUIESCING, name, "the queue manager is ending")

    def _check_queue(self, channel: Channel) -> None:
        """A sending end must have a transmission queue, for itself."""
        if not isinstance(channel, Sender | Server):
            return
        name, xmitq = channel.name, channel.xmitq
        queue = self._manager.definitions.queues.get(xmitq)
        if queue is None:
            why = f"its transmission queue {xmitq} is not there; define it" if xmitq else "it has no XMITQ"
            raise mq_error(C.MQRCCF_MQOPEN_FAILED, name, why)
        if not isinstance(queue, LocalQueue) or not queue.is_transmission_queue:
            raise mq_error(C.MQRCCF_NOT_XMIT_Q, name, f"queue {xmitq} is no transmission queue; it needs USAGE(XMITQ)")
        for started in self._started.values():
            if started.xmitq == xmitq and started.name != name and started.is_active:
                why = f"channel {started.name} has its transmission queue {xmitq} open; stop that first"
                raise mq_error(C.MQRCCF_MQOPEN_FAILED, name, why)

    def _check_current(self, name: str) -> None:
        most = self._rules.channels_max
        if not most or name in self._started or self._kept.is_stopped(name):
            return
        if self._current() >= most:
            self._not_available(name, "", C.MQRQ_MAX_CHANNELS, most)
            raise mq_error(C.MQRC_MAX_CONNS_LIMIT_REACHED, name, f"{most} channels are in use (MaxChannels)")

    def _current(self) -> int:
        stopped = {*self._kept.stopped()} - {agent.name for agent in self.agents}
        return len(self._started) + len(self._received) + len(stopped) + self._clients()

    def _is_full(self) -> bool:
        """Are as many channels active as may be?"""
        most = self._rules.active_max
        if not most:
            return False
        return (
            sum(started.is_active for started in self._started.values()) + len(self._received) + self._clients() >= most
        )

    def no_room(self, name: str, address: str) -> AmqMessage | None:
        """Why a channel that is called from this address cannot run, if a limit is reached. Who calls cannot wait."""
        rules = self._rules
        if rules.channels_max and self._current() >= rules.channels_max:
            qualifier, most, limit = C.MQRQ_MAX_CHANNELS, rules.channels_max, "MaxChannels"
        elif self._is_full():
            qualifier, most, limit = C.MQRQ_MAX_ACTIVE_CHANNELS, rules.active_max, "MaxActiveChannels"
        else:
            return None
        self._not_available(name, address.partition("(")[0], qualifier, most)
        return amq(9513, f"{most} channels are in use ({limit}); channel {name} was called from {address}")

    def _not_available(self, name: str, host: str, qualifier: int, limit: int) -> None:
        self._manager.events.channel(
            C.MQRC_CHANNEL_NOT_AVAILABLE,
            channel=name,
            connection_name=host,
            qualifier=qualifier,
            limit=limit,
        )

    # What is told of them

    def _say_end(self, name: str, end: End, agent: Agent | None) -> None:
        if end.message is None:
            self._environment.say(amq(9001, name) if agent is not None else amq(9528, name, "it did not run"))
            return
        self._environment.say(end.message)
        if agent is not None:
            self._environment.say(amq(9999, agent.partner or agent.peer.address, f"channel {name!r}"))

    def _started_event(self, agent: Agent) -> None:
        self._agent_event(C.MQRC_CHANNEL_STARTED, agent)

    def _agent_event(self, reason: int, agent: Agent, end: End | None = None) -> None:
        self._event(reason, agent.channel, agent.connection_name, end)

    def _definition_event(self, reason: int, started: StartedChannel, end: End | None = None) -> None:
        self._event(reason, started.channel, started.channel.conname, end)

    def _qualifier(self, name: str, end: End) -> int:
        """What became of a channel that ended."""
        if end.kind == "stopped" and self._kept.is_stopped(name):
            return C.MQRQ_CHANNEL_STOPPED_DISABLED
        if end.kind == "retry" and name in self._started:
            return C.MQRQ_CHANNEL_STOPPED_RETRY
        return C.MQRQ_CHANNEL_STOPPED_ERROR if end.message is not None else C.MQRQ_CHANNEL_STOPPED_OK

    def _event(self, reason: int, channel: MessageChannel, connection_name: str, end: End | None) -> None:
        message = end.message if end is not None else None
        inserts = [str(one) for one in message.inserts] if message is not None else []
        first, second, third = [*inserts, "", "", ""][:3]
        self._manager.events.channel(
            reason,
            channel=channel.name,
            connection_name=connection_name,
            xmitq=getattr(channel, "xmitq", ""),
            qualifier=self._qualifier(channel.name, end) if end is not None else None,
            error=message.number if message is not None else None,
            aux_texts=(first, second, third),
        )
