"""How a thread with long work gives way: it lets go of the kernel's lock between two steps, and sleeps for a moment.

A lock that is let go and taken again at once was nobody else's in between: whoever waits for it has to wake up first,
and needs the interpreter's lock for that, which a thread that computes keeps for milliseconds.
"""

from __future__ import annotations

import time

GIVE_WAY_S = 0.0005
"""Enough for whoever waits to have the lock, and little beside the step before."""


def give_way() -> None:
    """Between two steps, without the lock."""
    time.sleep(GIVE_WAY_S)
