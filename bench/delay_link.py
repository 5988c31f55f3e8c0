"""A link that is far away: a process between two ends of TCP that hands on every byte, and each of them a while later.

What comes is given the time at which it may leave, and waits for it in a queue without end, so that only the way is
long and not the pipe narrow. One thread waits for sockets and for the clock with `select`, which is exact to some ten
microseconds where an event loop rounds to milliseconds. `python bench/delay_link.py MILLISECONDS PORT` listens at a
port of its own, prints it, and connects to PORT of this machine for everybody who comes.
"""

from __future__ import annotations

import select
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from daemons import LOOPBACK
from pipeline_processes import end

_CHUNK = 1 << 18


class _Way:
    """One direction of one connection."""

    def __init__(self, source: socket.socket, target: socket.socket) -> None:
        self.source = source
        self.target = target
        self.under_way: deque[tuple[float, memoryview]] = deque()
        self.is_open = True

    def due(self) -> float | None:
        return self.under_way[0][0] if self.under_way else None

    def take(self, delay: float) -> None:
        try:
            data = self.source.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.is_open = bool(data)
        self.under_way.append((time.monotonic() + delay, memoryview(data)))  # nothing: the end comes late, too

    def give(self) -> bool:
        """Send what is due; False if this was the end."""
        now = time.monotonic()
        while self.under_way and self.under_way[0][0] <= now:
            due, data = self.under_way[0]
            if not data:
                return False
            try:
                sent = self.target.send(data)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if sent < len(data):
                self.under_way[0] = (due, data[sent:])
                return True
            self.under_way.popleft()
        return True


def _connection(near: socket.socket, far: socket.socket) -> tuple[_Way, _Way]:
    for one in (near, far):
        one.setblocking(False)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return _Way(near, far), _Way(far, near)


def serve(listener: socket.socket, port: int, delay: float) -> None:
    """Until the process ends."""
    connections: list[tuple[_Way, _Way]] = []
    while True:
        now = time.monotonic()
        ways = [way for pair in connections for way in pair]
        dues = [due for way in ways if (due := way.due()) is not None]
        wait = max(0.0, min(dues) - now) if dues else None
        writable = [way.target for way in ways if way.under_way and way.under_way[0][0] <= now]
        if writable:
            wait = min(
                (due - now for due in dues if due > now), default=None
            )  # a full socket says itself when it is not
        readable = [listener, *(way.source for way in ways if way.is_open)]
        ready, _, _ = select.select(readable, writable, [], wait)
        for way in ways:
            if way.source in ready:
                way.take(delay)
        for pair in list(connections):
            if not (pair[0].give() and pair[1].give()):
                connections.remove(pair)
                pair[0].source.close()
                pair[1].source.close()
        if listener in ready:
            near, _ = listener.accept()
            try:
                connections.append(_connection(near, socket.create_connection((LOOPBACK, port))))
            except OSError:
                near.close()


@contextmanager
def delayed(port: int, round_trip_ms: float) -> Iterator[int]:
    """The port of a link to another port, with half of the round trip each way."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(round_trip_ms / 2), str(port)], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        end(process)


def probe(round_trip_ms: float, megabytes: int = 64, trips: int = 100) -> tuple[float, float]:
    """What such a link does with nothing but bytes: the median round trip in milliseconds, and megabytes a second."""
    with socket.create_server((LOOPBACK, 0)) as listener:

        def far_end() -> None:
            accepted, _ = listener.accept()
            with accepted:
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for _ in range(trips):
                    accepted.sendall(accepted.recv(1))
                left = megabytes << 20
                while left:
                    left -= len(accepted.recv(min(left, _CHUNK)))
                accepted.sendall(b"!")

        thread = Thread(target=far_end, daemon=True)
        thread.start()
        with (
            delayed(listener.getsockname()[1], round_trip_ms) as port,
            socket.create_connection((LOOPBACK, port)) as near,
        ):
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            times = []
            for _ in range(trips):
                began = time.perf_counter()
                near.sendall(b".")
                near.recv(1)
                times.append(time.perf_counter() - began)
            chunk = bytes(_CHUNK)
            began = time.perf_counter()
            for _ in range((megabytes << 20) // _CHUNK):
                near.sendall(chunk)
            near.recv(1)
            seconds = time.perf_counter() - began
            thread.join()
    return sorted(times)[trips // 2] * 1000, megabytes * 1.048576 / seconds


def main() -> None:
    delay_ms, port = float(sys.argv[1]), int(sys.argv[2])
    with socket.create_server((LOOPBACK, 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        serve(listener, port, delay_ms / 1000)


if __name__ == "__main__":
    main()
