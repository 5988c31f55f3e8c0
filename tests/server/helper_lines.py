"""A line between two queue managers that loses chosen segments: a proxy that knows where segments begin and end."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress

from libremq.wire.protocol import CONFIRM_REQUEST, REQUEST_ACCEPTED, Type

_LENGTH = struct.Struct(">I")
_HEAD_BYTES = 8
_KIND, _FLAGS = 9, 10
QUESTIONS, ANSWERS = CONFIRM_REQUEST, REQUEST_ACCEPTED
"""What can be held back: the sender's request to confirm a batch, and the receiver's answer to it."""


class LossyLine:
    """Listens on a free port and connects to another one. What it holds back never arrives; connections stay open."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.holds = 0
        self.held = 0
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for one in (self._listener, *self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                called = socket.create_connection(("127.0.0.1", self._target))
                self._sockets += (caller, called)
                for source, target in ((caller, called), (called, caller)):
                    threading.Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            pending = b""
            while data := source.recv(65536):
                pending += data
                while len(pending) >= _HEAD_BYTES:
                    (length,) = _LENGTH.unpack_from(pending, 4)
                    if len(pending) < length:
                        break
                    segment, pending = pending[:length], pending[length:]
                    if segment[_KIND] == Type.STATUS_DATA and segment[_FLAGS] & self.holds:
                        self.held += 1
                    else:
                        target.sendall(segment)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
