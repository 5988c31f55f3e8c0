"""How often a channel is tried again, and when: SHORTRTY times every SHORTTMR seconds, then LONGRTY and LONGTMR.

The counts are those of attempts that are left. They are full again when the channel has run, or was started by a
command; over a restart they are kept, also those of a channel that was stopped meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from libremq.kernel.objects.channel_definitions import SendingChannel
from libremq.kernel.objects.channel_state_record import ChannelState


@dataclass(frozen=True, slots=True)
class Retries:
    """Attempts that are left."""

    short: int = 0
    long: int = 0

    @classmethod
    def of(cls, channel: object) -> Self:
        """All that the definition grants. Channels that receive have none."""
        return cls(channel.shortrty, channel.longrty) if isinstance(channel, SendingChannel) else cls()

    @classmethod
    def kept(cls, state: ChannelState) -> Self:
        return cls(state.short_retries, state.long_retries)

    def keep(self, channel: str, status: int) -> ChannelState:
        """The record of a channel that is stopped, or retrying, with so many left."""
        return ChannelState.make(channel, status, self.short, self.long)

    @property
    def left(self) -> int:
        return self.short + self.long

    def interval_s(self, channel: SendingChannel) -> int | None:
        """How long to wait for the next attempt; None if there is none left."""
        return channel.shorttmr if self.short else channel.longtmr if self.long else None

    def used(self) -> Retries:
        """One attempt fewer."""
        return Retries(self.short - 1, self.long) if self.short else Retries(0, max(0, self.long - 1))
