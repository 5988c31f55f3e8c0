"""What goes over the wire, recorded and shown to Wireshark's decoder.

A proxy stands between client and server and keeps every byte. The bytes are written as a capture file, as if a network
had carried them, so nothing of this needs the rights to listen on one.
"""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from helper_layouts import Segment, read_segment

TSHARK = shutil.which("tshark")
LIMIT_S = 120
_PACKET_BYTES_MAX = 60_000
_RAW_IP = 101


@dataclass
class Recorded:
    """One connection: what each side sent, in the order in which it passed by."""

    client_port: int
    chunks: list[tuple[bool, bytes]] = field(default_factory=list)
    """Whether the client sent it, and what."""

    ended: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released once for each direction that is over."""

    def stream(self, from_client: bool) -> bytes:
        return b"".join(data for client, data in self.chunks if client is from_client)

    def segments(self) -> list[tuple[bool, Segment]]:
        """Whole segments, in the order in which they were complete."""
        pending = {True: b"", False: b""}
        found = []
        for client, data in self.chunks:
            held = pending[client] + data
            while len(held) >= 8 and len(held) >= (length := int.from_bytes(held[4:8], "big")):
                assert length >= 28
                found.append((client, read_segment(held[:length])))
                held = held[length:]
            pending[client] = held
        return found


class RecordingProxy:
    """Listens on a port of its own and passes on to another one."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.connections: list[Recorded] = []
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(LIMIT_S)

    def _start(self, work: object, *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, address = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._to))
            for each in (near, far):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            recorded = Recorded(address[1])
            self.connections.append(recorded)
            self._start(self._carry, near, far, recorded, True)
            self._start(self._carry, far, near, recorded, False)

    def _carry(self, source: socket.socket, sink: socket.socket, recorded: Recorded, from_client: bool) -> None:
        try:
            while data := source.recv(65536):
                with self._lock:
                    recorded.chunks.append((from_client, data))
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for each in (source, sink):
                with _quietly():
                    each.shutdown(socket.SHUT_RDWR)
        finally:
            recorded.ended.release()

    def finished(self) -> list[Recorded]:
        """All connections, once nothing more is to come over them."""
        for recorded in self.connections:
            for _ in range(2):
                assert recorded.ended.acquire(timeout=LIMIT_S), "a connection was not closed"
            recorded.ended.release(2)
        return self.connections


@contextmanager
def _quietly() -> Iterator[None]:
    try:
        yield
    except OSError:
        pass


def write_capture(path: Path, connections: list[Recorded], port: int, *, packet_bytes: int = 0) -> None:
    """A capture file: a segment a packet, or the streams cut into packets of some other size."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, _RAW_IP))
        number = 0
        for recorded in connections:
            sent = {True: 1, False: 1}
            pieces = recorded.chunks if packet_bytes else [(client, each.raw) for client, each in recorded.segments()]
            room = packet_bytes or _PACKET_BYTES_MAX
            for client, data in pieces:
                for at in range(0, len(data), room):
                    part = data[at : at + room]
                    number += 1
                    packet = _packet(recorded.client_port, port, client, sent, part)
                    file.write(struct.pack("<IIII", number // 1000, number % 1000 * 1000, len(packet), len(packet)))
                    file.write(packet)
                    sent[client] += len(part)


def _packet(client_port: int, port: int, client: bool, sent: dict[bool, int], data: bytes) -> bytes:
    ports = (client_port, port) if client else (port, client_port)
    tcp = struct.pack(">HHIIBBHHH", *ports, sent[client], sent[not client], 0x50, 0x18, 0xFFFF, 0, 0) + data
    hosts = [b"\x0a\0\0\x01", b"\x0a\0\0\x02"]
    if not client:
        hosts.reverse()
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + b"".join(hosts) + tcp


Shown = ElementTree.Element


def decode(path: Path, port: int) -> list[Shown]:
    """What tshark makes of a capture: one element per segment, with everything that was found in it."""
    assert TSHARK is not None
    ran = subprocess.run(
        [TSHARK, "-r", str(path), "-d", f"tcp.port=={port},mq", "-T", "pdml"],
        capture_output=True, timeout=LIMIT_S, check=True,
    )  # fmt: skip
    found: list[Shown] = []
    for packet in ElementTree.fromstring(ran.stdout).iter("packet"):
        protocols = list(packet)
        for index, protocol in enumerate(protocols):
            name = protocol.get("name")
            if name == "mq":
                found.append(protocol)
            elif name in ("_ws.malformed", "mqpcf") and found:
                found[-1].append(protocol)
            elif name == "_ws.malformed":
                raise AssertionError(f"malformed: {ElementTree.tostring(protocols[index])[:500]!r}")
    return found
