"""Power cuts in the restart after a power cut, and in the restart after that, under every configuration of the log.

A restart repairs the log, undoes units of work, takes a checkpoint and deletes what is left over. It may be cut at any
of these, twice; the third one is let through and must show what was promised before the first.
"""

from __future__ import annotations

import random

import crash_driver as driver
import pytest
from crash_driver import Operation
from crash_matrix import CIRCULAR, DUAL, LINEAR, MATRIX, SINGLE, TURNING, Configuration
from crash_points import Cuts, Record, Tally, by_level, cut_restart, name_of, record

SEEDS = by_level(1, 3, 60)
CUTS = (Cuts(by_level(6, 8, 100), 3), Cuts(by_level(2, 3, 100), by_level(2, 2, 9)))
POINTS = by_level(2, 3, 20)

# What gives a restart something to do
BEFORE: tuple[Operation, ...] = (
    driver.put, driver.put_nonpersistent, driver.put_large, driver.unit_put, driver.unit_put, driver.unit_get,
    driver.get, driver.commit, driver.back_out, driver.checkpoint, driver.define, driver.put_to_new, driver.delete,
    driver.begin_branch, driver.prepare_branch, driver.clear,
)  # fmt: skip
LAST: tuple[Operation, ...] = (
    driver.put_large, driver.commit, driver.back_out, driver.checkpoint, driver.checkpoint, driver.end_and_start,
    driver.prepare_branch, driver.kill_and_start,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("configuration", MATRIX, ids=str)
def test_restarts_are_cut_twice(configuration: Configuration, seed: int, record_property: Record) -> None:
    rng = random.Random(f"{configuration} {seed}")
    workload = (*rng.choices(BEFORE, k=5), driver.unit_put, driver.unit_get, *configuration.more, rng.choice(LAST))
    tally = Tally(configuration)
    points = record(configuration, workload)
    for index in sorted(rng.sample(range(len(points)), min(POINTS, len(points)))):
        point = points[index]
        tally.points.add(point.key)
        for disk in configuration.states(point.disk, rng, by_level(2, 2, 10)):
            tally.states += 1
            where = (
                f"{configuration}, seed {seed}: {name_of(workload)}; power cut at {index} ({point.what}); {disk.label}"
            )
            try:
                cut_restart(disk, point, tally, rng, CUTS)
            except BaseException as error:
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
    tally.report(record_property)
    assert len(tally.cut_points) > 20


LOG_FILES = r"\.(LOG|lfh)"
REPAIR = (Cuts(by_level(5, 8, 100), 8, LOG_FILES), Cuts(by_level(4, 5, 100), 5, LOG_FILES))


@pytest.mark.parametrize("configuration", (CIRCULAR, TURNING, SINGLE, LINEAR, DUAL), ids=str)
def test_the_repair_of_the_log_is_cut_twice(configuration: Configuration, record_property: Record) -> None:
    """The last pages are written again by a restart: however that is cut, and cut again, a whole one is left."""
    rng = random.Random(str(configuration))
    tally = Tally(configuration)
    for workload in ((driver.put,), (driver.put, driver.put, driver.put_large)):
        point = record(configuration, workload)[-1]
        disk = next(configuration.states(point.disk, rng, None))
        try:
            cut_restart(disk, point, tally, rng, REPAIR)
        except BaseException as error:
            raise AssertionError(f"{configuration}: {name_of(workload)}; {type(error).__name__}: {error}") from error
    tally.report(record_property)
