"""When a queue manager writes its statistics: every so many minutes, but for what happens in between.

A restart cuts an interval short, leaves a time without records, and begins with an interval of less than a second, as
real queue managers do. Statistics taken by hand, or a STATIME of a second, make short intervals. Times with no work at
all and with far too much belong to every real site, and clocks are changed while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

What = Literal["restart", "short", "odd", "idle", "overload", "clock"]

START_UP_SECONDS = 0.76
DOWN_SECONDS = 300.0
SHORT_COUNT = 20
"""Intervals of one second, one after the other."""
ODD_SECONDS = 37.5
IDLE_HOURS = 3.0
OVERLOAD_HOURS = 2.0
OVERLOAD = 5.0
CLOCK_CHANGE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Event:
    """Something out of the ordinary, on one queue manager; a change of the clock is that of its system."""

    what: What
    queue_manager: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Slot:
    """One interval to come."""

    start: datetime
    seconds: float
    load: float = 1.0
    """What there is to do, as a part of what is usual."""
    running: float = 0.0
    """Seconds since the queue manager started."""
    clock: timedelta = timedelta(0)
    """How far the local clock was put forward before this interval ended."""

    @property
    def end(self) -> datetime:
        return self.start + timedelta(seconds=self.seconds)


def slots(start: datetime, count: int, seconds: int, events: Sequence[Event]) -> Iterator[Slot]:
    """The intervals between the start and `count` whole ones later."""
    cuts = sorted((event for event in events if event.what in ("restart", "short", "odd")), key=lambda each: each.at)
    started, now = start, start
    for number in range(1, count + 1):
        boundary = start + timedelta(seconds=seconds * number)
        while cuts and cuts[0].at < boundary:
            event = cuts.pop(0)
            if event.at <= now:
                continue
            yield _slot(now, event.at, started, events)
            now = event.at
            if event.what == "restart":
                started = now = now + timedelta(seconds=DOWN_SECONDS)
                parts = [START_UP_SECONDS]
            else:
                parts = [1.0] * SHORT_COUNT if event.what == "short" else [ODD_SECONDS]
            for part in parts:
                yield _slot(now, now + timedelta(seconds=part), started, events)
                now += timedelta(seconds=part)
        if now < boundary:
            yield _slot(now, boundary, started, events)
            now = boundary


def _slot(begin: datetime, end: datetime, started: datetime, events: Sequence[Event]) -> Slot:
    load, clock = 1.0, timedelta(0)
    for event in events:
        hours = (begin - event.at).total_seconds() / 3600
        if event.what == "idle" and 0 <= hours < IDLE_HOURS:
            load = 0.0
        elif event.what == "overload" and 0 <= hours < OVERLOAD_HOURS:
            load = OVERLOAD
        elif event.what == "clock" and event.at <= end:
            clock = CLOCK_CHANGE
    return Slot(begin, (end - begin).total_seconds(), load, (begin - started).total_seconds(), clock)


def usual_events(names: Sequence[str], start: datetime, days: float) -> tuple[Event, ...]:
    """One of each kind on the queue managers in turn, spread over the time."""
    kinds: tuple[What, ...] = ("restart", "short", "odd", "idle", "overload", "clock")
    span = timedelta(days=days)
    return tuple(
        Event(what, names[place % len(names)], start + span * ((place + 1) / (len(kinds) + 1)) + timedelta(minutes=7))
        for place, what in enumerate(kinds)
    )
