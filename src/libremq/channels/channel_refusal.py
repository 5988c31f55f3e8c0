"""The refusal of a partner that called: what it is told, and what the error log says."""

from __future__ import annotations

from libremq.common.messages.amq_messages import AmqMessage
from libremq.wire import message_channel as flows
from libremq.wire.protocol import Status


class ChannelRefusal(Exception):
    """A partner called, and cannot have the channel."""

    def __init__(self, status: Status, message: AmqMessage, *, calls_back: bool = False) -> None:
        super().__init__(str(message))
        self.status = status
        self.message = message
        self.calls_back = calls_back
        """Nothing is wrong: this end sends, and calls by itself."""

    @property
    def segment(self) -> bytes:
        """What to tell the partner before the connection is closed."""
        return flows.close_channel(self.status) if self.calls_back else flows.status(self.status)
