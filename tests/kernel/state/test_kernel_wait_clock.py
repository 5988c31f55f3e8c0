"""The wait clock against a list that is sorted every time, and what it promises about its size."""

from __future__ import annotations

import math
import random

import pytest

from libremq.kernel.state.wait_clock import Deadline, WaitClock


def test_what_is_due_rings_in_order_and_once() -> None:
    clock, rung = WaitClock(), list[str]()
    for at, name in ((3.0, "c"), (1.0, "a"), (2.0, "b"), (1.0, "a too"), (9.0, "late")):
        clock.add(at, lambda name=name: rung.append(name))  # type: ignore[misc]
    assert clock.next() == 1.0
    clock.run(0.5)
    assert rung == []
    clock.run(3.0)
    assert rung == ["a", "a too", "b", "c"]
    clock.run(3.0)
    assert len(rung) == 4 and clock.next() == 9.0 and len(clock) == 1


def test_a_cancelled_deadline_neither_rings_nor_is_next() -> None:
    clock, rung = WaitClock(), list[str]()
    first = clock.add(1.0, lambda: rung.append("first"))
    clock.add(2.0, lambda: rung.append("second"))
    clock.cancel(first)
    clock.cancel(first)
    assert (clock.next(), len(clock)) == (2.0, 1)
    clock.run(5.0)
    assert rung == ["second"] and clock.next() == math.inf
    clock.cancel(first)
    assert len(clock) == 0


def test_one_that_rings_may_cancel_another_that_is_due() -> None:
    clock, rung = WaitClock(), list[str]()

    def first() -> None:
        rung.append("first")
        clock.cancel(second)

    clock.add(1.0, first)
    second = clock.add(2.0, lambda: rung.append("second"))
    clock.run(3.0)
    assert rung == ["first"] and len(clock) == 0


def test_cancelled_deadlines_do_not_pile_up() -> None:
    clock = WaitClock()
    for number in range(10_000):
        clock.cancel(clock.add(1000.0 + number, print))
        assert len(clock._heap) <= 130
    kept = [clock.add(5000.0 + number, print) for number in range(500)]
    for number in range(10_000):
        clock.cancel(clock.add(1.0 + number, print))
        assert len(clock._heap) <= 2 * len(kept) + 2
    assert clock.next() == 5000.0 and len(clock) == 500


def test_a_time_that_goes_back_rings_nothing_early_and_nothing_twice() -> None:
    """Clocks promise not to; if one does, a wait takes longer, and that is all."""
    clock, rung = WaitClock(), list[float]()
    for at in (100.0, 110.0):
        clock.add(at, lambda at=at: rung.append(at))  # type: ignore[misc]
    clock.run(105.0)
    clock.run(20.0)
    clock.add(25.0, lambda: rung.append(25.0))
    assert clock.next() == 25.0
    clock.run(24.0)
    assert rung == [100.0]
    clock.run(26.0)
    clock.run(110.0)
    assert rung == [100.0, 25.0, 110.0]


def test_one_that_fails_leaves_the_others_due() -> None:
    clock, rung = WaitClock(), list[str]()
    clock.add(1.0, lambda: 1 // 0)
    clock.add(2.0, lambda: rung.append("other"))
    with pytest.raises(ZeroDivisionError):
        clock.run(5.0)
    assert rung == [] and clock.next() == 2.0
    clock.run(5.0)
    assert rung == ["other"]


def test_one_that_comes_again_at_once_does_not_hold_the_clock() -> None:
    clock, rung = WaitClock(), list[int]()

    def again() -> None:
        rung.append(1)
        clock.add(0.0, again)

    clock.add(0.0, again)
    clock.run(5.0)
    assert len(rung) == 1 and clock.next() == 0.0


def test_whoever_watches_is_told_of_what_comes_sooner_and_of_nothing_else() -> None:
    clock, told = WaitClock(), list[float]()
    clock.sooner = lambda: told.append(clock.next())
    clock.add(10.0, print)
    clock.add(20.0, print)
    clock.add(10.0, print)
    assert told == [10.0], "only the first one comes before what was known"
    early = clock.add(5.0, print)
    assert told == [10.0, 5.0]
    clock.cancel(early)  # the watcher wakes for nothing, and asks
    clock.add(7.0, print)
    assert told == [10.0, 5.0]
    assert clock.next() == 7.0
    clock.add(6.0, print)
    assert told == [10.0, 5.0, 6.0]


@pytest.mark.parametrize("seed", range(8))
def test_it_does_what_a_sorted_list_does(seed: int) -> None:
    choose, now, numbers = random.Random(seed), 0.0, 0
    clock, rung = WaitClock(), list[int]()
    alive: dict[int, tuple[float, Deadline]] = {}
    for _ in range(3000):
        action = choose.random()
        if action < 0.5:
            at, number = now + choose.randrange(100), numbers
            alive[number] = at, clock.add(at, lambda number=number: rung.append(number))  # type: ignore[misc]
            numbers += 1
        elif action < 0.85 and alive:
            clock.cancel(alive.pop(choose.choice(list(alive)))[1])
        else:
            now += choose.randrange(15)
            clock.run(now)
            due = sorted((at, number) for number, (at, _) in alive.items() if at <= now)
            assert rung == [number for _, number in due]
            for number in rung:
                del alive[number]
            rung.clear()
        assert len(clock) == len(alive)
        assert clock.next() == min((at for at, _ in alive.values()), default=math.inf)
        assert len(clock._heap) <= 2 * len(alive) + 130
