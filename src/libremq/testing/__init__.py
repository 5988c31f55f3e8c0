"""Public test helpers: a queue manager for one test, files that fail on purpose, a clock that moves on command.

pytest finds the fixture `queue_manager` by itself once LibreMQ is installed.
"""

from __future__ import annotations

from libremq.testing.faulty_files import FaultyFiles, PowerCut
from libremq.testing.queue_managers import temporary_queue_manager
from libremq.testing.virtual_clock import VirtualClock

__all__ = ["FaultyFiles", "PowerCut", "VirtualClock", "temporary_queue_manager"]
