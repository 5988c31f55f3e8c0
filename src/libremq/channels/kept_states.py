"""The states of channels that are kept over a restart, for an initiator that must go on whatever the log says.

A state that cannot be written down, because the log is full, counts here all the same, and is written when there is
room again.
"""

from __future__ import annotations

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_state_record import ChannelState
from libremq.kernel.units import channel_state_changes
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError


class KeptStates:
    def __init__(self, environment: ChannelEnvironment) -> None:
        self._environment = environment
        self._unwritten: dict[str, ChannelState | None] = {}

    def find(self, channel: str) -> ChannelState | None:
        if channel in self._unwritten:
            return self._unwritten[channel]
        return self._environment.manager.channel_records.state_of(channel)

    def is_stopped(self, channel: str) -> bool:
        found = self.find(channel)
        return found is not None and found.status == C.MQCHS_STOPPED

    def stopped(self) -> list[str]:
        names = {*self._environment.manager.definitions.channel_states, *self._unwritten}
        return sorted(name for name in names if self.is_stopped(name))

    def write(self, channel: str, state: ChannelState | None) -> None:
        """MQError if it cannot be written down: then nothing has changed."""
        if state is None:
            channel_state_changes.forget(self._environment.manager, channel)
        else:
            channel_state_changes.keep(self._environment.manager, state)
        self._unwritten.pop(channel, None)

    def note(self, channel: str, state: ChannelState | None) -> None:
        """It has come so, whether it can be written down or not."""
        try:
            self.write(channel, state)
        except MQError as error:
            if channel not in self._unwritten:
                self._environment.say(amq(9516, channel, error))
            self._unwritten[channel] = state

    def write_again(self) -> None:
        for channel, state in list(self._unwritten.items()):
            self.note(channel, state)

    @property
    def unwritten(self) -> bool:
        return bool(self._unwritten)
