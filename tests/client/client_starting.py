"""The type of the fixture `start`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from libremq import QueueManager

Start = Callable[..., AbstractContextManager[QueueManager]]
