"""How far one instance of a channel has come: its sequence numbers, and the batches that are not certain yet."""

from __future__ import annotations

from dataclasses import dataclass

from libremq.kernel.objects.channel_sync_record import NO_LUWID
from libremq.kernel.units.channel_batches import Batch


@dataclass(slots=True)
class SequenceNumbers:
    """Where an end is in the sequence of its messages."""

    last: int = 0
    """Of the last message that was sent, or came, in a batch."""
    certain: int = 0
    """Of the last batch that is committed: for the end that sends, at both ends."""
    luwid: str = NO_LUWID
    """Of that batch."""


@dataclass(slots=True)
class OpenBatch:
    """What an end that sends has sent since the last end of a batch."""

    unit: Batch | None = None
    began: float = 0.0
    messages: int = 0
    bytes: int = 0
    numbered: int = 0
    """Of them with a sequence number: the others are fast."""
    buried: int = 0
    """Messages that went to the dead-letter queue of this end instead."""

    @property
    def is_empty(self) -> bool:
        return not self.messages and not self.buried


@dataclass(frozen=True, slots=True)
class DoubtfulBatch:
    """A batch that the other end was asked to confirm."""

    unit: Batch
    messages: int
    asked: float


@dataclass(slots=True)
class ReceivedBatch:
    """What has come of the batch that is under way."""

    luwid: bytes = b""
    messages: int = 0
    dlq_used: bool = False
    """For the answer: some of them are on the dead-letter queue, also fast ones that came meanwhile."""
