"""How an instance of a channel ends: of which kind its end is, why, and what the other end is told.

An end has one of a few kinds, and the initiator makes the next state of the channel of it (`channel_lifecycle`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto
from typing import Literal

from libremq.common.messages.amq_messages import AmqMessage
from libremq.wire.protocol import Status

EndKind = Literal["closed", "stopped", "retry", "failed", "callback"]


@dataclass(frozen=True, slots=True)
class End:
    """How an instance ended, and what that means for the channel.

    closed: nothing is wrong, and nothing left to do; stopped: by a command here; retry: worth another try later;
    failed: somebody has to mend something first; callback: the other end calls, since it is a sender.
    """

    kind: EndKind
    message: AmqMessage | None = None
    """What went wrong, if anything did; it was not said yet."""


class ChannelError(Exception):
    """This instance cannot go on. `status` is for the other end; None if it has said so itself."""

    def __init__(self, end: End, status: Status | None = None, value: int | None = None) -> None:
        super().__init__(str(end.message or end.kind))
        self.end = end
        self.status = status
        self.value = value


class StopReason(Flag):
    """Why a channel is to end with its batch."""

    COMMAND = auto()  # STOP CHANNEL here, or the end of this queue manager
    PARTNER = auto()  # the other end has asked for it
