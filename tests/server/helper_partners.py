"""Queue managers at the other end of message channels, for tests: a socket, whole segments, and no manners needed."""

from __future__ import annotations

import socket
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from libremq.testing.serving import Served
from libremq.wire import message_channel as flows
from libremq.wire import session_flows
from libremq.wire.message_channel import Resync, StatusData
from libremq.wire.protocol import (
    CAP1_MESSAGE_CHANNEL,
    CAP2_FAST_MESSAGES,
    CAP3_MSG_PROP,
    MAX_MESSAGE,
    MAX_SEGMENT,
    PRODUCT_SERVER,
    Type,
)
from libremq.wire.segments import FLOW_OVERHEAD, Flow, SegmentReader, frame_plain
from libremq.wire.session_flows import InitialData

LIMIT_S = 240.0
OFFER = InitialData(
    "TO.QM1",
    "PARTNER",
    capabilities=(CAP1_MESSAGE_CHANNEL, CAP2_FAST_MESSAGES, CAP3_MSG_PROP),
    sharing=0,
    product=PRODUCT_SERVER,
    batch_size=50,
)


class Partner:
    """One socket, connected."""

    def __init__(self, port: int, *, timeout_s: float = LIMIT_S) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
        self._reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE + FLOW_OVERHEAD)
        self._flows: list[Flow] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def bind(self, **values: Any) -> None:
        """Send initial data: the usual, but for these values."""
        self.send(initial(**values))

    def receive(self) -> Flow | None:
        """The next flow; None if the queue manager has closed the socket."""
        while not self._flows:
            try:
                data = self.socket.recv(1 << 18)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self._flows += self._reader.feed(data)
        return self._flows.pop(0)

    def answer(self, kind: Type) -> Flow:
        flow = self.receive()
        assert flow is not None, "the queue manager has closed the connection"
        assert flow.kind == kind, flow
        return flow

    def refused(self) -> StatusData:
        """The status with which the queue manager closes the channel."""
        flow = self.receive()
        while flow is not None and flow.kind != Type.STATUS_DATA:
            flow = self.receive()
        assert flow is not None, "it was closed without a word"
        status = flows.unpack_status(flow)
        assert self.receive() is None
        return status

    def agree(self, **values: Any) -> InitialData:
        """Negotiate, and be told what was agreed on."""
        self.bind(**values)
        return session_flows.unpack_initial(self.answer(Type.INITIAL_DATA).body)

    def resynchronise(self) -> Resync:
        """Say that nothing was ever sent; what the queue manager says."""
        self.send(Resync(0).pack())
        return Resync.unpack(self.answer(Type.RESYNC_DATA))


def initial(**values: Any) -> bytes:
    return frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(replace(OFFER, **values)))


def define(served: Served, kind: str, name: str, **attributes: Any) -> None:
    with served.event_loop.lock:
        served.event_loop.manager.define(kind, name, attributes, replace=True)


def receiver(served: Served, name: str = "TO.QM1", **attributes: Any) -> None:
    define(served, "CHANNEL", name, CHLTYPE="RCVR", **attributes)
