"""Ports that a test gives away before somebody listens on them."""

from __future__ import annotations

import random
import socket

_FIRST, _LAST = 20_000, 32_000
"""Below those that the system hands out by itself: else another test may be given one meanwhile."""


def free_port() -> int:
    """A port that nobody listens on."""
    while True:
        port = random.SystemRandom().randrange(_FIRST, _LAST)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
