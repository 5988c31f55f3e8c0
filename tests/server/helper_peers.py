"""Peers that behave as no client should, for tests: a socket, the segments of a client, and no manners.

They speak as a LibreMQ client does, one segment at a time, and read only when a test says so.
"""

from __future__ import annotations

import math
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.serving import Served
from libremq.wire import calls, session_flows
from libremq.wire.messages import BATCH, Request, pack_request
from libremq.wire.protocol import CONFIRM_REQUEST, MAX_MESSAGE, MAX_SEGMENT, WHOLE, Type
from libremq.wire.segments import FLOW_OVERHEAD, Flow, SegmentReader, frame, frame_plain

LIMIT_S = 240.0
_SMALL_BUFFER = 8192


class Peer:
    """One socket, connected; `hconn` after `connect`."""

    def __init__(
        self,
        port: int,
        *,
        channel: str = "SYSTEM.DEF.SVRCONN",
        small_buffer: bool = False,
        heartbeat_s: int = 300,
        source: str = "127.0.0.1",
    ) -> None:
        self.socket = socket.socket()
        if small_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
        self.socket.settimeout(LIMIT_S)
        self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", port))
        self._reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE + FLOW_OVERHEAD)
        self._flows: list[Flow] = []
        self._offer = session_flows.InitialData(channel, heartbeat_s=heartbeat_s)
        self.hconn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> Flow | None:
        """The next flow but for heartbeats, which are answered; None if the queue manager has closed the socket."""
        while True:
            while self._flows:
                flow = self._flows.pop(0)
                if flow.kind != Type.HEARTBEAT:
                    return flow
                self.send(frame(Type.HEARTBEAT, b"", flow.conversation))
            try:
                data = self.socket.recv(1 << 18)
            except ConnectionResetError:
                return None  # it did not read all that it was sent
            if not data:
                return None
            self._flows += self._reader.feed(data)

    def answer(self) -> Flow:
        flow = self.receive()
        assert flow is not None, "the queue manager has closed the connection"
        return flow

    def negotiate(self) -> Self:
        flags = WHOLE | CONFIRM_REQUEST
        self.send(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(self._offer), flags=flags))
        first = self.answer()
        assert first.kind == Type.INITIAL_DATA, first
        agreed = session_flows.unpack_initial(first.body)
        if session_flows.corrected(agreed):
            self.send(frame(Type.INITIAL_DATA, session_flows.pack_initial(agreed), 1, flags=flags))
            assert self.answer().kind == Type.INITIAL_DATA
        return self

    def connect(self, application: str = "peer") -> Self:
        self.negotiate()
        body = session_flows.pack_connect(session_flows.Connect("", application, C.MQAT_UNIX))
        self.send(
            frame(Type.USERID_DATA, session_flows.pack_user("peer"), 1)
            + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1)
        )
        reply = calls.unpack_api(self.answer().body)
        assert reply.reason == C.MQRC_NONE, reply
        self.hconn = reply.hobj
        return self

    def call(self, kind: int, body: bytes) -> calls.Api:
        self.send(frame(kind, body, 1, max_segment=MAX_SEGMENT))
        return calls.unpack_api(self.answer().body)

    def open(self, name: str, options: int) -> int:
        reply = self.call(Type.MQOPEN, calls.pack_open(0, MQOD(ObjectName=name), options))
        assert reply.reason == C.MQRC_NONE, reply
        return reply.hobj


def put_flow(hobj: int, data: bytes, options: int = C.MQPMO_NO_SYNCPOINT, persistence: int = 0) -> bytes:
    body = calls.pack_put(hobj, MQMD(Persistence=persistence), MQPMO(Options=options), data)
    return frame(Type.MQPUT, body, 1, max_segment=MAX_SEGMENT)


def get_flow(hobj: int, options: int = C.MQGMO_NO_SYNCPOINT, wait_ms: int = 0) -> bytes:
    gmo = MQGMO(Options=options, WaitInterval=wait_ms)
    return frame(Type.MQGET, calls.pack_get(hobj, MQMD(), gmo, calls.ANY_LENGTH), 1)


def batch_flow(hobj: int, count: int, options: int = C.MQGMO_NO_SYNCPOINT) -> bytes:
    request = Request(hobj, requested_bytes=1 << 30, options=options, flags=BATCH, count=count)
    return frame(Type.REQUEST_MSGS, pack_request(request), 1, 1)


class Line:
    """A line between clients and a queue manager that can go dead: both ends stay connected, and nothing passes.

    It may be slow, too: so many bytes a second.
    """

    def __init__(self, target: int, rate: float = math.inf) -> None:
        self._target = target
        self._rate = rate
        self._alive = threading.Event()
        self._alive.set()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        if rate < math.inf:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)  # what is on its way is not here
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._alive.clear()

    def mend(self) -> None:
        self._alive.set()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._sockets += client, server
            for source, sink in ((client, server), (server, client)):
                sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(1 << 13 if self._rate < math.inf else 1 << 16):
                time.sleep(len(data) / self._rate)
                self._alive.wait()
                sink.sendall(data)
            self._alive.wait()
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        for one in (self._listener, *self._sockets):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        self.mend()


def wait_until(condition: Callable[[], bool], what: str = "") -> None:
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, f"it did not happen: {what}"
        time.sleep(0.005)


def held_bytes(served: Served) -> int:
    """What the server keeps for its peers, in either direction, as it knows it."""

    def count() -> int:
        written = 0
        for link in served.event_loop.links:
            written += link._unsent
            written += link._transport.get_write_buffer_size() if link._transport is not None else 0
        return max(written, served.event_loop.buffered_bytes)

    return served.in_loop(count)


def resident_bytes(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
