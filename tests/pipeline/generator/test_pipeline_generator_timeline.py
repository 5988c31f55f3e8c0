"""Restarts, short and odd intervals, idle and overloaded times, and a clock that is changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from libremq.pipeline.generator.estate import estate
from libremq.pipeline.generator.generated_site import Site
from libremq.pipeline.generator.generator_command import generate
from libremq.pipeline.generator.timeline import DOWN_SECONDS, SHORT_COUNT, START_UP_SECONDS, Event, slots

START = datetime(2025, 3, 3, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_without_events_all_intervals_are_whole() -> None:
    made = list(slots(START, 4, 1800, ()))
    assert [slot.seconds for slot in made] == [1800.0] * 4
    assert [slot.running for slot in made] == [0.0, 1800.0, 3600.0, 5400.0]


def test_a_restart_cuts_leaves_a_gap_and_begins_with_a_moment() -> None:
    at = START + timedelta(minutes=40)
    made = list(slots(START, 4, 1800, [Event("restart", "QM01", at)]))
    rest = 1800 - 600 - DOWN_SECONDS - START_UP_SECONDS
    assert [round(slot.seconds, 2) for slot in made] == [1800, 600, START_UP_SECONDS, round(rest, 2), 1800, 1800]
    assert made[2].start - made[1].end == timedelta(seconds=DOWN_SECONDS)
    assert [slot.running for slot in made[2:4]] == [0.0, START_UP_SECONDS]


def test_short_odd_idle_overloaded_and_a_clock_put_forward() -> None:
    events = [
        Event("short", "Q", START + timedelta(minutes=10)),
        Event("odd", "Q", START + timedelta(minutes=70)),
        Event("idle", "Q", START + 3 * HOUR),
        Event("overload", "Q", START + 8 * HOUR),
        Event("clock", "Q", START + 9 * HOUR),
    ]
    made = list(slots(START, 12, 3600, events))
    assert sum(slot.seconds == 1.0 for slot in made) == SHORT_COUNT
    assert [slot.load for slot in made if slot.start >= START + 3 * HOUR] == [0, 0, 0, 1, 1, 5, 5, 1, 1]
    assert made[-1].clock == HOUR
    assert made[0].clock == timedelta(0)
    assert sum(slot.seconds for slot in made) == 12 * 3600


def test_a_site_with_events_writes_records_and_the_same_ones_again(tmp_path: Path) -> None:
    one, other = (
        generate(tmp_path / name, days=0.5, queue_managers=2, interval_minutes=60, events=True) for name in "ab"
    )
    assert [path.read_bytes() for path in one.files] == [path.read_bytes() for path in other.files]
    plain = generate(tmp_path / "c", days=0.5, queue_managers=2, interval_minutes=60)
    assert one.records[115, 1] > plain.records[115, 1] == 24
    site = Site(estate(1), START, 0.5, 60, events=[Event("idle", estate(1)[0].name, START)])
    assert next(iter(site.intervals(site.queue_managers[0]))).traffic.puts == 0
