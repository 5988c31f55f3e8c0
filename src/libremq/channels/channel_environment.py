"""What all agents of one queue manager share: the queue manager, its error log, its settings for channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from libremq.kernel.manager import QueueManager


@dataclass(slots=True)
class ChannelEnvironment:
    """What all agents of one queue manager share."""

    manager: QueueManager
    say: Callable[[str], None] = lambda text: None
    """The error log: takes what `amq` makes."""
    pipeline_length: int = 1
    """PipeLineLength of the configuration: 2 begins a batch while the one before waits for its answer."""
    exit_path: str = ""
    """The folder of channel exits."""
