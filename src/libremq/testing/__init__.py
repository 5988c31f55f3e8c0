"""Public test helpers: files that fail on purpose, a clock that moves on command."""

from __future__ import annotations

from libremq.testing.clock import VirtualClock
from libremq.testing.files import FaultyFiles, PowerCut

__all__ = ["FaultyFiles", "PowerCut", "VirtualClock"]
