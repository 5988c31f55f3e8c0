"""A proxy between clients and a queue manager, for tests: it cuts a connection at the point that a test names.

A client that makes one call at a time sends one chunk for each, so the n-th chunk is the n-th call. "request": it
never arrives. "reply": it is carried out, and the answer is lost.
"""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Literal

Where = Literal["request", "reply"]
_CHUNK = 1 << 20


class _Pair:
    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.drop_reply = False

    def cut(self) -> None:
        for end in (self.client, self.server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Proxy:
    """Listens on a port of its own; `target` may change."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.calls = 0
        """Chunks from clients since `arm`."""
        self.cuts = 0
        self._where: Where | None = None
        self._left = 0
        self._guard = threading.Lock()
        self._pairs: set[_Pair] = set()
        self._refuse = False
        self.reply_bytes: int | None = None
        """Cut after so many bytes from the server."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, where: Where, call: int) -> None:
        """Cut at the n-th call from now on."""
        with self._guard:
            self._where, self._left, self.calls = where, call, 0

    def disarm(self) -> None:
        with self._guard:
            self._where = None

    def cut_all(self) -> None:
        with self._guard:
            pairs = list(self._pairs)
        for pair in pairs:
            pair.cut()

    def refuse(self, refuse: bool) -> None:
        """Whether to close what connects at once."""
        self._refuse = refuse

    # Threads

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                if self._refuse:
                    raise ConnectionRefusedError
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = _Pair(client, server)
            with self._guard:
                self._pairs.add(pair)
            threading.Thread(target=self._carry, args=(pair, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(pair, False), daemon=True).start()

    def _carry(self, pair: _Pair, requests: bool) -> None:
        source, sink = (pair.client, pair.server) if requests else (pair.server, pair.client)
        try:
            while data := source.recv(_CHUNK):
                if requests and self._is_cut(pair):
                    break
                if not requests and pair.drop_reply:
                    break
                if not requests and self.reply_bytes is not None:
                    data, rest = data[: self.reply_bytes], data[self.reply_bytes :]
                    self.reply_bytes -= len(data)
                    if rest:
                        sink.sendall(data)
                        self.reply_bytes = None
                        break
                sink.sendall(data)
        except OSError:
            pass
        pair.cut()
        with self._guard:
            self._pairs.discard(pair)
        source.close()

    def _is_cut(self, pair: _Pair) -> bool:
        with self._guard:
            self.calls += 1
            if self._where is None:
                return False
            self._left -= 1
            if self._left:
                return False
            self.cuts += 1
            where, self._where = self._where, None
            pair.drop_reply = where == "reply"
            return where == "request"

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        self.cut_all()
