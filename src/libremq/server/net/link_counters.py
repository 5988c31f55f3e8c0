"""What is counted of a client's socket: what DISPLAY CHSTATUS shows."""

from __future__ import annotations

import time


class LinkCounters:
    __slots__ = (
        "buffers_received", "buffers_sent", "bytes_received", "bytes_sent", "calls", "last_call", "started",
    )  # fmt: skip

    def __init__(self) -> None:
        self.started = time.time()
        self.last_call = 0.0
        self.calls = 0
        self.bytes_sent = self.bytes_received = 0
        self.buffers_sent = self.buffers_received = 0

    def received(self, size: int) -> None:
        self.bytes_received += size
        self.buffers_received += 1

    def sent(self, size: int) -> None:
        self.bytes_sent += size
        self.buffers_sent += 1
