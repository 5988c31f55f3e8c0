"""TLS handshakes begin one in a turn of the event loop.

With an RSA key the answer to a first record costs a signature, a millisecond or two, and whoever sends the record need
not have logged in, nor have a certificate. When many come at once those who are connected have their turns in between.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Awaitable, Callable

_HEAD_BYTES = 5  # of a TLS record: its type, a version, its length
_RECORD_MAX = 16 << 10


class HandshakeTurns:
    """Those that wait, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_planned = False

    async def mine(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._is_planned:
            self._is_planned = True
            loop.call_soon(self._next_turn, loop)
        await turn

    def _next_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # else it was given up
                turn.set_result(None)
                break
        self._is_planned = bool(self._waiting)
        if self._is_planned:
            loop.call_soon(self._next_turn, loop)


async def whole_record(accepted: socket.socket, readable: Callable[[socket.socket], Awaitable[None]]) -> None:
    """Wait until the first record has come: else many could begin, and then be completed at once with a byte each.

    One whose end has ended, or that is too long for a record, is left to the handshake.
    """
    try:
        if await _come(accepted, _HEAD_BYTES, readable):
            head = accepted.recv(_HEAD_BYTES, socket.MSG_PEEK)
            length = int.from_bytes(head[3:], "big")
            if length <= _RECORD_MAX:
                await _come(accepted, _HEAD_BYTES + length, readable)
    finally:
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)


async def _come(accepted: socket.socket, wanted: int, readable: Callable[[socket.socket], Awaitable[None]]) -> bool:
    """Have so many bytes come? They are waited for; False if there will be no more."""
    if len(accepted.recv(wanted, socket.MSG_PEEK)) < wanted:
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, wanted)
        await readable(accepted)
    return len(accepted.recv(wanted, socket.MSG_PEEK)) == wanted
