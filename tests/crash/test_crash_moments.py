"""Power cuts in moments that short workloads never reach: each is brought about first, then cut at every boundary.

A preparation runs unharmed; the crash points of the operation after it are tried, each with many more disk states than
in the exhaustive tests. Every test also makes sure that its moment really came.
"""

from __future__ import annotations

from collections.abc import Callable

import crash_driver as driver
import pytest
from crash_driver import Life, Operation, Rng, create
from crash_model import Model
from crash_points import FULL, Tally, record, try_points

from libremq.store.handles import FRAGMENTED
from libremq.testing import FaultyFiles

NOW = 1_700_000_000.0
STATES_MAX = None if FULL else 25

Record = Callable[[str, object], None]


@pytest.fixture(scope="module")
def template() -> tuple[FaultyFiles, Model]:
    return create()


class Moment:
    """Try a preparation and an operation; `seen` must become true in the operation."""

    def __init__(self, template: tuple[FaultyFiles, Model], record_property: Record) -> None:
        self.template = template
        self.record_property = record_property

    def __call__(self, prepare: Operation, operation: Operation, seen: Callable[[Life], bool]) -> None:
        came: list[bool] = []

        def watched(life: Life, rng: Rng) -> None:
            before = seen(life)
            operation(life, rng)
            came.append(seen(life) and not before)

        files, model = self.template
        points = record(files, model, NOW, (prepare, watched))
        assert came == [True], "the moment did not come"
        tally = Tally()
        try_points(points, operation.__name__, tally, STATES_MAX)
        self.record_property("crash_points", tally.points)
        self.record_property("restarts", tally.restarts)


@pytest.fixture
def moment(template: tuple[FaultyFiles, Model], record_property: Record) -> Moment:
    return Moment(template, record_property)


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


def _fill_extent(life: Life, pages_left: int) -> None:
    log = life.qm.core.log
    extent_bytes = log.config.extent_bytes
    while extent_bytes - log.tail % extent_bytes > pages_left * 4096:
        driver._put(life, "A")
        driver._get(life, "A", "")


def test_the_log_goes_on_to_the_next_extent(moment: Moment) -> None:
    def prepare(life: Life, rng: Rng) -> None:
        _fill_extent(life, 3)

    def extent(life: Life) -> bool:
        return life.qm.core.log.tail // life.qm.core.log.config.extent_bytes > started[0]

    started = [0]

    def fill(life: Life, rng: Rng) -> None:
        prepare(life, rng)
        started[0] = life.qm.core.log.tail // life.qm.core.log.config.extent_bytes

    moment(fill, driver.put_large, extent)


def test_the_ring_of_extents_turns(moment: Moment) -> None:
    """The oldest extent becomes the newest, under a record that is in both."""

    def prepare(life: Life, rng: Rng) -> None:
        while life.qm.core.log.tail // life.qm.core.log.config.extent_bytes < 2:
            put_many(life, "A", 1)
            get_many(life, "A", 1)
        driver.checkpoint(life, None)
        _fill_extent(life, 2)

    moment(prepare, driver.put_large, lambda life: life.qm.core.log.statistics().file_numbers[0] != 0)


def test_a_secondary_extent_is_added(moment: Moment) -> None:
    def prepare(life: Life, rng: Rng) -> None:
        driver.prepare_branch(life, None)  # holds the first extent
        while life.qm.core.log.tail // life.qm.core.log.config.extent_bytes < 2:
            put_many(life, "A", 1)
            get_many(life, "A", 1)
        _fill_extent(life, 2)

    moment(prepare, driver.put_large, lambda life: len(life.qm.core.log.statistics().file_numbers) == 4)


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
        for _ in range(3):
            driver.checkpoint(life, None)
        assert "B" not in life.qm.core.queues

    def use(life: Life, rng: Rng) -> None:
        driver._get(life, "B", "")
        put_many(life, "B", 4)
        driver.checkpoint(life, None)

    moment(prepare, use, lambda life: "B" in life.qm.core.queues)


def test_a_long_unit_of_work_is_backed_out(moment: Moment) -> None:
    def prepare(life: Life, rng: Rng) -> None:
        put_many(life, "A", 8)
        for _ in range(8):
            driver.unit_get(life, None)
        for _ in range(4):
            driver.unit_put(life, None)
        driver.checkpoint(life, None)
        for _ in range(4):
            driver.unit_put(life, None)

    moment(prepare, driver.back_out, lambda life: not life.qm.core.units)


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
