"""A timer that follows the next deadline of somebody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from libremq.common.silence import LATE_S
from libremq.server.net.deadline_timer import DeadlineTimer
from libremq.testing.virtual_clock import VirtualClock


class Timed:
    """A timer, and what it has rung."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.loop = asyncio.new_event_loop()
        self.rung: list[float] = []
        event_loop: Any = SimpleNamespace(loop=self.loop, manager=SimpleNamespace(clock=self.clock))
        self.timer = DeadlineTimer(event_loop, self._ring)

    def _ring(self, late_s: float) -> None:
        self.rung.append(late_s)
        self.loop.stop()

    def __call__(self, do: Callable[[], None], *, runs: bool = True) -> list[float]:
        try:
            do()
            if not runs:
                self.loop.call_later(0.05, self.loop.stop)
            self.loop.run_forever()
        finally:
            self.loop.close()
        return self.rung


def test_it_rings_once_at_a_deadline_that_has_passed() -> None:
    timed = Timed()
    assert len(timed(lambda: timed.timer.set(timed.clock.monotonic() - 5.0))) == 1
    assert timed.timer.late_s == 0.0
    assert not timed.timer.rings_by(float("inf"))


def test_an_earlier_deadline_takes_the_place_of_a_later_one() -> None:
    timed = Timed()
    now = timed.clock.monotonic()

    def both() -> None:
        timed.timer.set(now + 3600)
        assert timed.timer.rings_by(now + 3600) and not timed.timer.rings_by(now + 3599)
        timed.timer.set(now)

    assert len(timed(both)) == 1


def test_a_later_deadline_or_none_does_not_put_it_off() -> None:
    timed = Timed()
    now = timed.clock.monotonic()

    def both() -> None:
        timed.timer.set(now)
        timed.timer.set(now + 3600)
        timed.timer.set(None)

    assert len(timed(both)) == 1


def test_cancelled_it_rings_no_more() -> None:
    timed = Timed()

    def both() -> None:
        timed.timer.set(timed.clock.monotonic())
        timed.timer.cancel()
        timed.timer.cancel()

    assert timed(both, runs=False) == []


def test_it_says_how_long_the_process_stood_still() -> None:
    timed = Timed()

    def stand_still() -> None:
        timed.timer.set(timed.clock.monotonic())
        time.sleep(LATE_S + 0.1)
        assert timed.timer.late_s > LATE_S

    (late_s,) = timed(stand_still)
    assert late_s > LATE_S
