"""Power cuts in moments that short workloads never reach: each is brought about first, then cut at every boundary.

A preparation runs unharmed; the crash points of the operation after it are tried, each with many more disk states than
in the exhaustive tests. Every test also makes sure that its moment really came.
"""

from __future__ import annotations

from collections.abc import Callable

import crash_driver as driver
import pytest
from crash_background import archive, record_images
from crash_driver import NOW, Life, Operation, Rng
from crash_matrix import (
    ARCHIVE,
    AUTOMATIC,
    CIRCULAR,
    DIRECT,
    DUAL,
    DUAL_LINEAR,
    DUAL_SPOILT,
    SINGLE,
    STRETCHED,
    TURNING,
    Configuration,
    extent_of,
    fill_extents,
    put_and_get,
)
from crash_points import FULL, LEVEL, Record, Tally, by_level, record, try_points

from libremq.log.ring import Ring
from libremq.store.space_handles import FRAGMENTED

STATES_MAX = None if FULL else by_level(6, 10, 0)

# The moments of the store are the same whatever the log is like, the moments of the log are not
ANY = [CIRCULAR, SINGLE, AUTOMATIC, DUAL, DUAL_SPOILT] if LEVEL else [CIRCULAR]
RINGS = [CIRCULAR, TURNING, SINGLE, DUAL, DUAL_SPOILT, DIRECT]
SEQUENCES = [AUTOMATIC, DUAL_LINEAR]


class Moment:
    """Try a preparation and an operation; `seen` must become true in the operation."""

    def __init__(self, configuration: Configuration, record_property: Record) -> None:
        self.configuration = configuration
        self.record_property = record_property

    def __call__(self, prepare: Operation, operation: Operation, seen: Callable[[Life], bool]) -> None:
        came: list[bool] = []

        def watched(life: Life, rng: Rng) -> None:
            before = seen(life)
            operation(life, rng)
            came.append(seen(life) and not before)

        points = record(self.configuration, (prepare, watched))
        assert came == [True], "the moment did not come"
        tally = Tally(self.configuration)
        try_points(points, operation.__name__, tally, STATES_MAX)
        tally.report(self.record_property)


@pytest.fixture(params=ANY, ids=str)
def moment(request: pytest.FixtureRequest, record_property: Record) -> Moment:
    return Moment(request.param, record_property)


def under(*configurations: Configuration) -> pytest.MarkDecorator:
    """Only these, at whatever level."""
    return pytest.mark.parametrize("moment", configurations, ids=str, indirect=True)


def put_many(life: Life, queue: str, count: int, size: int = 60) -> None:
    for _ in range(count):
        driver._put(life, queue, size=size)


def get_many(life: Life, queue: str, count: int) -> None:
    for _ in range(count):
        driver._get(life, queue, "")


def test_the_handle_file_is_begun_anew(moment: Moment) -> None:
    def churn(life: Life, rng: Rng) -> None:
        core = life.qm.core
        while core.positions[core.queue_files["A"][0]].length < 67000:
            put_many(life, "A", 30)
            driver.checkpoint(life, None)
            get_many(life, "A", 30)
            driver.checkpoint(life, None)
        put_many(life, "A", 3)

    moment(churn, driver.checkpoint, lambda life: life.files.exists("qm/queues/A/handles.000002"))


def test_the_queue_file_is_cut(moment: Moment) -> None:
    def grow(life: Life, rng: Rng) -> None:
        put_many(life, "B", 4, size=9000)
        driver.checkpoint(life, None)
        get_many(life, "B", 5)

    def small(life: Life) -> bool:
        return len(life.files.content("qm/queues/B/q")) < 9000

    def twice(life: Life, rng: Rng) -> None:
        driver.checkpoint(life, rng)
        put_many(life, "B", 2)
        driver.checkpoint(life, rng)

    moment(grow, twice, small)


def test_a_message_is_scattered_over_the_queue_file(moment: Moment) -> None:
    def make_gaps(life: Life, rng: Rng) -> None:
        """Every second message goes, by its priority: gaps of one block each."""
        for number in range(40):
            driver._put(life, "B", priority=9 if number % 5 else 0)
        driver.checkpoint(life, None)
        get_many(life, "B", 33)
        driver.checkpoint(life, None)

    def fill_gaps(life: Life, rng: Rng) -> None:
        put_many(life, "B", 4, size=3000)
        driver.checkpoint(life, None)

    def scattered(life: Life) -> bool:
        queue = life.qm.core.queues.get("B")
        return queue is not None and any(flags & FRAGMENTED for flags in queue.store.handles.flags)

    moment(make_gaps, fill_gaps, scattered)


def ring_of(life: Life) -> tuple[int, ...]:
    return life.qm.core.log.statistics().file_numbers


@under(*RINGS, *SEQUENCES)
def test_the_log_goes_on_to_the_next_extent(moment: Moment) -> None:
    started = [0]

    def fill(life: Life, rng: Rng) -> None:
        fill_extents(life, extent_of(life), 1)
        started[0] = extent_of(life)

    moment(fill, driver.put_large, lambda life: extent_of(life) > started[0])


@under(*RINGS)
def test_the_ring_of_extents_turns(moment: Moment) -> None:
    """The oldest extent becomes the newest, under a record that is in both."""
    before: list[tuple[int, ...]] = []

    def prepare(life: Life, rng: Rng) -> None:
        fill_extents(life, max(extent_of(life), len(ring_of(life)) - 1), 40)
        driver.checkpoint(life, None)
        fill_extents(life, extent_of(life), 1)
        before.append(ring_of(life))

    def turned(life: Life) -> bool:
        ring = ring_of(life)
        return bool(before) and ring == (*before[0][1:], before[0][0])

    moment(prepare, driver.put_large, turned)


@under(STRETCHED)
def test_a_secondary_extent_is_added(moment: Moment) -> None:
    count = [0]

    def prepare(life: Life, rng: Rng) -> None:
        fill_extents(life, extent_of(life), 1)
        count[0] = len(ring_of(life))

    moment(prepare, driver.put_large, lambda life: len(ring_of(life)) > count[0])


@under(STRETCHED)
def test_a_secondary_extent_is_released(moment: Moment) -> None:
    """At a checkpoint, once the log has gone round without it."""
    count = [0]

    def due(life: Life) -> bool:
        extents = life.qm.core.log._extents
        assert isinstance(extents, Ring)
        ring = ring_of(life)
        current = extents.entry(extent_of(life))
        assert current is not None
        return extent_of(life) - extents._stretched_at >= len(ring) and current.number != max(ring)

    def prepare(life: Life, rng: Rng) -> None:
        fill_extents(life, extent_of(life), 1)
        driver.put_large(life, None)
        driver.resolve_commit(life, None)
        count[0] = len(ring_of(life))
        assert count[0] > 2
        while not due(life):
            driver.checkpoint(life, None)
            fill_extents(life, extent_of(life), 4)
            fill_extents(life, extent_of(life) + 1, 60)

    moment(prepare, driver.checkpoint, lambda life: len(ring_of(life)) < count[0])


@under(*SEQUENCES)
def test_old_extents_leave_a_linear_log(moment: Moment) -> None:
    oldest = [""]

    def prepare(life: Life, rng: Rng) -> None:
        oldest[0] = life.qm.core.log.extents()[0].path
        fill_extents(life, extent_of(life) + 1, 60)
        driver.checkpoint(life, None)

    moment(prepare, record_images, lambda life: not life.files.exists(oldest[0]))


@under(ARCHIVE)
def test_old_extents_are_archived_and_leave(moment: Moment) -> None:
    def prepare(life: Life, rng: Rng) -> None:
        fill_extents(life, extent_of(life) + 1, 60)
        driver.checkpoint(life, None)
        record_images(life, None)

    def archived(life: Life, rng: Rng) -> None:
        archive(life, None)
        driver.checkpoint(life, None)

    moment(prepare, archived, lambda life: life.files.exists("archive/S0000000.LOG"))


def first_lsns(life: Life) -> list[int]:
    return sorted(unit.first_lsn for unit in life.qm.core.units.values() if unit.is_logged)


def fill_up(life: Life, share: float) -> None:
    """Until so much of what ordinary records may use is in use."""
    while (space := life.qm.core.log.space()).used_bytes < share * space.limit_bytes:
        put_and_get(life, 9000)


@under(TURNING, SINGLE, DUAL)
def test_a_branch_in_doubt_is_pulled_up(moment: Moment) -> None:
    """Its records are logged once more, near the tail, and the extent that holds it back becomes free."""
    before: list[list[int]] = []

    def prepare(life: Life, rng: Rng) -> None:
        driver.prepare_branch(life, None)
        first = first_lsns(life)
        while first_lsns(life) == first and extent_of(life) == first[0] // life.qm.core.log.config.extent_bytes:
            put_and_get(life, 9000)
        fill_up(life, 0.65)
        assert first_lsns(life) == first, "pulled up too soon"
        before.append(first)

    moment(prepare, driver.checkpoint, lambda life: bool(before) and first_lsns(life)[0] > before[0][0])


@under(TURNING, SINGLE, DUAL, AUTOMATIC)
def test_a_long_unit_of_work_is_rolled_back_for_room(moment: Moment) -> None:
    """It holds the log until that is full; then its owner hears 2003, and all others go on."""

    def prepare(life: Life, rng: Rng) -> None:
        for _ in range(20):
            driver.unit_put(life, None)
        fill_up(life, 0.96)

    def go_on(life: Life, rng: Rng) -> None:
        for _ in range(60):
            if not first_lsns(life):
                break
            driver._put(life, "B", size=3000)

    moment(prepare, go_on, lambda life: not first_lsns(life))


def test_a_checkpoint_comes_by_itself(moment: Moment) -> None:
    started = [0]

    def prepare(life: Life, rng: Rng) -> None:
        driver.unit_get(life, None)
        driver.unit_put(life, None)
        while life.qm.core.log.tail + 5 * 4096 < life.qm._checkpoint_due:
            put_many(life, "B", 1)
            get_many(life, "B", 1)
        started[0] = life.qm.core.log.checkpoint

    def puts(life: Life, rng: Rng) -> None:
        put_many(life, "B", 4, size=6000)

    moment(prepare, puts, lambda life: life.qm.core.log.checkpoint > started[0])


def test_a_queue_is_used_again_after_it_was_unloaded(moment: Moment) -> None:
    def prepare(life: Life, rng: Rng) -> None:
        put_many(life, "B", 5)
        for _ in range(4):
            driver.checkpoint(life, None)
            if "B" not in life.qm.core.queues:
                break
        assert "B" not in life.qm.core.queues

    def use(life: Life, rng: Rng) -> None:
        driver._get(life, "B", "")
        put_many(life, "B", 4)
        driver.checkpoint(life, None)

    moment(prepare, use, lambda life: "B" in life.qm.core.queues)


@pytest.mark.parametrize("end", [driver.back_out, driver.kill_and_start], ids=["back_out", "restart"])
def test_a_long_unit_of_work_is_backed_out(moment: Moment, end: Operation) -> None:
    """Its compensation records fill several pages of the log, of which any may be missing."""

    def prepare(life: Life, rng: Rng) -> None:
        put_many(life, "A", 60)
        for _ in range(60):
            driver.unit_get(life, None)
        for _ in range(15):
            driver.unit_put(life, None)
        driver.checkpoint(life, None)
        for _ in range(15):
            driver.unit_put(life, None)

    moment(prepare, end, lambda life: not first_lsns(life))


def test_a_queue_is_deleted_and_defined_again(moment: Moment) -> None:
    """The folder of the old one still waits for a checkpoint, so the new one has another."""

    def prepare(life: Life, rng: Rng) -> None:
        driver.define(life, None)
        put_many(life, "C", 6)
        driver.checkpoint(life, None)

    def again(life: Life, rng: Rng) -> None:
        driver.delete(life, None)
        driver.define(life, None)
        put_many(life, "C", 6)
        driver.checkpoint(life, None)
        driver.delete(life, None)
        driver.define(life, None)
        put_many(life, "C", 3)
        driver.checkpoint(life, None)

    moment(prepare, again, lambda life: len(life.model.visible("C", NOW)) == 3)
