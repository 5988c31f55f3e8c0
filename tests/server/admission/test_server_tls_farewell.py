"""The last words to one whose handshake has failed: heard, and taken as the chance to send without end by nobody."""

from __future__ import annotations

import asyncio
import socket
import threading

from libremq.server.admission.tls_peers import farewell

WORDS = b"an alert"


def _say_to(talk: bytes, times: int) -> tuple[int, bytes]:
    """Farewell to a peer that sends so much first: how many bytes it could get rid of, and what it heard."""
    here, there = socket.socketpair()
    here.setblocking(False)
    sent, heard = 0, b""

    def peer() -> None:
        nonlocal sent, heard
        with there:
            try:
                for _ in range(times):
                    sent += there.send(talk)
                there.shutdown(socket.SHUT_WR)
                while found := there.recv(100):
                    heard += found
            except OSError:
                pass  # it was closed

    thread = threading.Thread(target=peer)
    thread.start()
    asyncio.run(farewell(here, WORDS))
    thread.join()
    return sent, heard


def test_a_peer_hears_why_although_it_had_more_to_say() -> None:
    assert _say_to(b"the rest of a handshake" * 100, 10) == (23_000, WORDS)


def test_what_a_peer_sends_without_end_is_not_read() -> None:
    sent, _ = _say_to(b"\1" * (1 << 16), 10_000)
    assert sent < 32 << 20, "of 640 MB it got rid of what its socket buffers hold, and no more is taken from it"
