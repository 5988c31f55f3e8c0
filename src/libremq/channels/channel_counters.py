"""What one instance of a channel has done: the figures of DISPLAY CHSTATUS."""

from __future__ import annotations

from dataclasses import dataclass, field

from libremq.common.indicator import Indicator


@dataclass(slots=True)
class ChannelCounters:
    """Counters since the instance was started."""

    started: float = 0.0
    last_message: float = 0.0
    messages: int = 0
    batches: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    buffers_sent: int = 0
    buffers_received: int = 0
    batch_size: Indicator = field(default_factory=Indicator)  # XBATCHSZ
    queue_time: Indicator = field(default_factory=Indicator)  # XQTIME, microseconds
    network_time: Indicator = field(default_factory=Indicator)  # NETTIME, microseconds
    exit_time: Indicator = field(default_factory=Indicator)  # EXITTIME, microseconds
    compression_time: Indicator = field(default_factory=Indicator)  # COMPTIME, microseconds
    compression_rate: Indicator = field(default_factory=Indicator)  # COMPRATE, percent saved
    exits_until: float = 0.0  # microseconds in all that exits had taken when the last message was done

    def note_exits(self, microseconds: float) -> None:
        """A message is done: whatever exits have taken since the one before was for it."""
        self.exit_time.add(microseconds - self.exits_until)
        self.exits_until = microseconds
