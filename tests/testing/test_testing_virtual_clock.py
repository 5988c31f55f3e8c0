from __future__ import annotations

import pytest

from libremq.testing import VirtualClock


def test_time_moves_only_by_advance() -> None:
    clock = VirtualClock(100)
    assert clock.now() == clock.now() == 100.0
    clock.advance(2.5)
    assert clock.now() == 102.5
    with pytest.raises(ValueError):
        clock.advance(-1)


def test_timers_run_in_order_at_their_moment() -> None:
    clock = VirtualClock(0)
    seen: list[tuple[str, float]] = []
    clock.call_at(5, lambda: seen.append(("b", clock.now())))
    clock.call_at(3, lambda: clock.call_at(4, lambda: seen.append(("a", clock.now()))))
    clock.call_at(11, lambda: seen.append(("late", clock.now())))
    clock.advance(10)
    assert seen == [("a", 4.0), ("b", 5.0)]
    clock.advance(1)
    assert seen[-1] == ("late", 11.0)


def test_waiters_are_told_until_they_leave() -> None:
    clock = VirtualClock(0)
    seen: list[float] = []
    leave = clock.on_advance(lambda: seen.append(clock.now()))
    clock.advance(1)
    clock.advance(1)
    leave()
    leave()
    clock.advance(1)
    assert seen == [1.0, 2.0]
