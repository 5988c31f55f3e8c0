"""TLS handshakes begin one in a turn of the loop, and not before their first record is there."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from libremq.server.net.handshake_turns import HandshakeTurns, whole_record

HELLO = b"\x16\x03\x01\x00\x40" + bytes(64)


def test_others_have_their_turns_between_those_that_begin() -> None:
    async def begun() -> list[str]:
        turns, seen = HandshakeTurns(), []

        async def handshake(number: int) -> None:
            await turns.mine()
            seen.append(f"handshake {number}")

        async def other() -> None:
            for _ in range(12):
                await asyncio.sleep(0)
                seen.append("other")

        tasks = [asyncio.create_task(handshake(number)) for number in range(4)]
        given_up = asyncio.create_task(handshake(4))
        tasks += [asyncio.create_task(handshake(5)), asyncio.create_task(other())]
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.gather(*tasks)
        return seen

    seen = asyncio.run(begun())
    handshakes = [what for what in seen if what != "other"]
    assert handshakes == [f"handshake {number}" for number in (0, 1, 2, 3, 5)]
    assert all("other" in seen[seen.index(one) : seen.index(two)] for one, two in pairwise(handshakes))


async def _readable(accepted: socket.socket) -> None:
    ready = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(accepted.fileno(), ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(accepted.fileno())


def _with_a_peer(step: Callable[[asyncio.Task[None], socket.socket], Awaitable[None]]) -> bytes:
    """What the handshake finds when the record is said to be there."""

    async def run() -> bytes:
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            socket.create_connection(listener.getsockname()) as peer,
            listener.accept()[0] as accepted,
        ):
            accepted.setblocking(False)
            peer.sendall(HELLO[:1])
            await _readable(accepted)
            waiting = asyncio.create_task(whole_record(accepted, _readable))
            await step(waiting, peer)
            await asyncio.wait_for(waiting, 240)
            assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT) == 1
            return accepted.recv(1000)

    return asyncio.run(run())


async def _some_turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0.001)


def test_a_record_in_pieces_is_waited_for() -> None:
    async def pieces(waiting: asyncio.Task[None], peer: socket.socket) -> None:
        for piece in (HELLO[1:3], HELLO[3:5], HELLO[5:68]):
            peer.sendall(piece)
            await _some_turns()
            assert not waiting.done()
        peer.sendall(HELLO[68:])

    assert _with_a_peer(pieces) == HELLO


@pytest.mark.parametrize("length", [1, 4, 5, 68])
def test_one_that_ends_before_is_left_to_the_handshake(length: int) -> None:
    async def end(waiting: asyncio.Task[None], peer: socket.socket) -> None:
        peer.sendall(HELLO[1:length])
        await _some_turns()
        assert not waiting.done()
        peer.shutdown(socket.SHUT_WR)

    assert _with_a_peer(end) == HELLO[:length]


def test_what_is_too_long_for_a_record_is_left_to_the_handshake() -> None:
    async def long(_: asyncio.Task[None], peer: socket.socket) -> None:
        peer.sendall(b"\x03\x01\xff\xff")

    assert _with_a_peer(long) == b"\x16\x03\x01\xff\xff"
