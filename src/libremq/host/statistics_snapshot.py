"""What `statistics()` returns: snapshots of counters that the kernel and the log keep anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libremq.log.log_statistics import LogStatistics  # a client that counts a queue has no log


@dataclass(frozen=True, slots=True)
class QueueStatistics:
    """A queue at one moment."""

    depth: int
    """Messages on the queue, uncommitted gets not counted."""
    depth_max: int
    """MAXDEPTH: a put beyond it fails with QueueFull."""
    opens_for_input: int
    opens_for_output: int


@dataclass(frozen=True, slots=True)
class QueueManagerStatistics:
    """A queue manager at one moment."""

    connections: int
    queues_defined: int
    queues_in_memory: int
    messages: int
    """On the queues that are in memory."""
    units_of_work: int
    """Begun and not decided, those in doubt not counted."""
    units_in_doubt: int
    waiting_gets: int
    log: LogStatistics
