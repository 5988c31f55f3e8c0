"""Logins in turns: who sends many guesses waits for them himself."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from libremq.server.admission.decision_turns import Turns


def test_each_address_has_its_turn_and_each_of_its_sockets() -> None:
    turns, gate = Turns(1, "turn"), threading.Event()
    order: list[str] = []

    def job(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    turns.submit("first", 0, lambda: gate.wait(60))
    futures = [turns.submit("guesser", socket, job(f"guess {socket}.{n}")) for socket in (1, 2) for n in range(3)]
    futures += [turns.submit("guesser", 3, job("neighbour")), turns.submit("elsewhere", 4, job("login"))]
    gate.set()
    for future in futures:
        future.result(60)
    assert order == [
        "guess 1.0", "login", "guess 2.0", "neighbour", "guess 1.1", "guess 2.1", "guess 1.2", "guess 2.2",
    ]  # fmt: skip
    turns.close()


def test_a_network_of_ipv6_has_one_turn() -> None:
    turns, gate = Turns(1, "turn"), threading.Event()
    order: list[str] = []
    turns.submit("192.0.2.1", 0, lambda: gate.wait(60))
    futures = [turns.submit(f"2001:db8::{n:x}", n, lambda: order.append("guess")) for n in range(1, 5)]
    futures.append(turns.submit("192.0.2.2", 9, lambda: order.append("login")))
    gate.set()
    for future in futures:
        future.result(60)
    assert order == ["guess", "login", "guess", "guess", "guess"]
    turns.close()


def test_what_fails_is_told_and_the_others_go_on() -> None:
    turns = Turns(2, "turn")
    failed = turns.submit("a", 1, lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failed.result(60)
    assert turns.submit("a", 1, lambda: 7).result(60) == 7
    turns.close()


def test_the_end_cancels_what_has_not_begun() -> None:
    turns, begun, gate = Turns(1, "turn"), threading.Event(), threading.Event()

    def wait() -> bool:
        begun.set()
        return gate.wait(60)

    running = turns.submit("a", 1, wait)
    waiting = [turns.submit("b", n, lambda: None) for n in range(3)]
    assert begun.wait(60)
    closing = threading.Thread(target=turns.close)
    closing.start()
    gate.set()
    closing.join(60)
    assert running.result(60)
    assert all(future.done() for future in waiting)
    with pytest.raises(RuntimeError):
        turns.submit("a", 1, lambda: None)
