"""A line between two ports that can be made to fail: where there are no network namespaces, it stands for the cable.

A connection is copied in both directions by a thread each. The line can be cut (nobody gets through), reset once, cut
after so many bytes, slowed down, and stalled: connections stay open and nothing arrives, in one direction or in both.
What was stalled goes on afterwards, unless the line was reset meanwhile.
"""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress

_ABRUPTLY = struct.pack("ii", 1, 0)
_CHUNK_BYTES = 65536
_CONNECT_S = 5.0
FORTH, BACK = 0, 1


class Line:
    """Listens on a free port of this machine and connects to wherever `target` says."""

    def __init__(self, target: Callable[[], int | None]) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.connections = 0
        self.broken = 0
        self._change = threading.Condition()
        self._cut = False
        self._stalled = [False, False]
        self._delay_s = 0.0
        self._bytes_left: int | None = None
        self._pairs: dict[tuple[socket.socket, socket.socket], int] = {}  # how many directions have come to an end
        threading.Thread(target=self._accept, daemon=True).start()

    # What can go wrong

    def cut(self) -> None:
        with self._change:
            self._cut = True
        self.reset()

    def reset(self) -> None:
        """Break all connections at once: both ends are told."""
        with self._change:
            pairs, self._pairs = self._pairs, {}
            self.broken += len(pairs)
            self._bytes_left = None
            self._change.notify_all()
        for pair in pairs:
            for end in pair:
                _break(end)

    def stall(self, *directions: int) -> None:
        with self._change:
            for direction in directions:
                self._stalled[direction] = True

    def slow_down(self, delay_s: float) -> None:
        with self._change:
            self._delay_s = delay_s

    def cut_after(self, count: int) -> None:
        """Reset when so many bytes more have gone through, in the middle of what was sent."""
        with self._change:
            self._bytes_left = count

    def mend(self) -> None:
        with self._change:
            self._cut = False
            self._stalled = [False, False]
            self._delay_s = 0.0
            self._bytes_left = None
            self._change.notify_all()

    def close(self) -> None:
        self._listener.close()
        self.cut()

    # Copying

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            port = None if self._cut else self._target()
            try:
                if port is None:
                    raise ConnectionRefusedError
                called = socket.create_connection(("127.0.0.1", port), timeout=_CONNECT_S)
            except OSError:
                _break(caller)
                continue
            called.settimeout(None)
            pair = (caller, called)
            for end in pair:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._change:
                self._pairs[pair] = 0
                self.connections += 1
            for direction in (FORTH, BACK):
                threading.Thread(target=self._copy, args=(pair, direction), daemon=True).start()

    def _copy(self, pair: tuple[socket.socket, socket.socket], direction: int) -> None:
        source, target = pair if direction == FORTH else pair[::-1]
        with suppress(OSError):
            while data := source.recv(_CHUNK_BYTES):
                if not self._pass(pair, direction):
                    return
                data, is_last = self._measured(data)
                target.sendall(data)
                if is_last:
                    self.reset()
                    return
            if self._pass(pair, direction):
                target.shutdown(socket.SHUT_WR)
                self._ended(pair)
                return
        with self._change:
            known = self._pairs.pop(pair, None) is not None
        if known:
            for end in pair:
                _break(end)

    def _ended(self, pair: tuple[socket.socket, socket.socket]) -> None:
        with self._change:
            if pair not in self._pairs:
                return
            self._pairs[pair] += 1
            if self._pairs[pair] < len(pair):
                return
            del self._pairs[pair]
        for end in pair:
            end.close()

    def _pass(self, pair: tuple[socket.socket, socket.socket], direction: int) -> bool:
        """Wait as long as nothing may pass; False if the connection was broken meanwhile."""
        if self._delay_s:
            time.sleep(self._delay_s)
        with self._change:
            self._change.wait_for(lambda: not self._stalled[direction] or pair not in self._pairs)
            return pair in self._pairs

    def _measured(self, data: bytes) -> tuple[bytes, bool]:
        with self._change:
            if self._bytes_left is None:
                return data, False
            if len(data) < self._bytes_left:
                self._bytes_left -= len(data)
                return data, False
            return data[: self._bytes_left], True


def _break(end: socket.socket) -> None:
    """Close with a reset instead of a farewell; also while a thread reads from it."""
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABRUPTLY)
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


def some_bytes(rng: random.Random) -> int:
    """How many bytes go through before a cut: often few, so that it hits the small flows that begin and end batches."""
    return int(2 ** rng.uniform(3, 17))
