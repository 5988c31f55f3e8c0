"""The machine that this process runs on, as it calls itself."""

from __future__ import annotations

import socket


def host_name() -> str:
    """The name of this machine; empty if it has none that can be told."""
    try:
        return socket.gethostname()
    except OSError:
        return ""
