"""Longer workloads, drawn by seed: many operations, crash after crash, round the log's ring several times.

A failure names the seed, the life and the boundary; the same seed gives the same failure again.
"""

from __future__ import annotations

import random

import crash_driver as driver
import pytest
from crash_driver import NOW, Life, Operation, resolve_all, restart, second_life
from crash_matrix import (
    AUTOMATIC,
    DIRECT,
    DUAL,
    DUAL_LINEAR_SPOILT,
    DUAL_SPOILT,
    LINEAR,
    MATRIX,
    SINGLE,
    STRETCHED,
    TURNING,
    Configuration,
    extent_of,
)
from crash_points import Record, Tally, by_level, key_of

from libremq.testing import PowerCut

SEEDS = by_level(1, 2, 40)
LIVES = by_level(6, 9, 12)
STATES_MAX = by_level(4, 8, 60)
ROUND = (TURNING, STRETCHED, SINGLE, LINEAR, AUTOMATIC, DUAL, DUAL_SPOILT, DUAL_LINEAR_SPOILT, DIRECT)


def prepare_and_resolve(life: Life, rng: driver.Rng) -> None:
    """A branch that is not left in doubt for long: one that is would hold the log until it is full."""
    driver.prepare_branch(life, rng)
    decide = driver.resolve_commit if life.next_number % 2 else driver.resolve_back_out
    decide(life, rng)


# How often each operation comes in a workload that is meant to look like life, and in one that fills the log
USUAL: dict[Operation, int] = {
    driver.put: 20, driver.put_nonpersistent: 6, driver.put_large: 4, driver.put_expiring: 2, driver.put_to_new: 3,
    driver.unit_put: 12, driver.get: 14, driver.unit_get: 14, driver.commit: 10, driver.back_out: 4,
    driver.checkpoint: 2, driver.browse: 2, driver.clear: 1, driver.define: 2, driver.delete: 2, driver.alter: 1,
    driver.begin_branch: 1, driver.prepare_branch: 2, driver.resolve_commit: 2, driver.resolve_back_out: 1,
    driver.scan_expired: 1, driver.end_and_start: 1, driver.kill_and_start: 1,
    driver.browse_new: 2, driver.get_new: 2, driver.get_committed: 2,
}  # fmt: skip
FILLING: dict[Operation, int] = {
    driver.put: 10, driver.put_large: 10, driver.get: 16, driver.unit_put: 4, driver.unit_get: 6, driver.commit: 6,
    driver.back_out: 2, driver.clear: 1, prepare_and_resolve: 2, driver.end_and_start: 1,
}  # fmt: skip


def live(life: Life, rng: random.Random, weights: dict[Operation, int], steps: int) -> None:
    operations = list(weights)
    for operation in rng.choices(operations, list(weights.values()), k=steps):
        operation(life, rng)


def crash_after_crash(seed: int, weights: dict[Operation, int], steps: int, tally: Tally) -> int:
    """Several lives, each ended by a power cut at a random boundary. Returns how far the log got, in extents."""
    configuration = tally.configuration
    weights = {**weights, **dict.fromkeys(configuration.more, 2)}
    rng = random.Random(f"{configuration} {seed}")
    files, model = configuration.template()
    files, now = files.copy(), NOW
    acceptable = [model]
    reached = 0
    for number in range(LIVES):
        label = f"{configuration}, seed {seed}, life {number} from [{files.label}]"
        try:
            life = restart(files, acceptable, now)
            if steps > 100 or number % 2:  # a branch in doubt holds the log until it is full
                resolve_all(life, bool(number % 4 == 1))
        except AssertionError as error:
            raise AssertionError(f"{label}: {error}") from error
        files.crash_at = files.operations + rng.randrange(1, 12 * steps)
        try:
            live(life, rng, weights, steps)
            files.crash_at = None
        except PowerCut:
            pass
        except Exception as error:
            raise AssertionError(f"{label}: {type(error).__name__}: {error}") from error
        reached = extent_of(life)
        acceptable, now = life.acceptable, life.now
        tally.points.add(key_of(configuration.name, seed, steps, number, files.operations))
        disks = list(configuration.states(files, rng, STATES_MAX))
        for disk in disks:
            tally.states += 1
            tally.restarts += 1
            try:
                again = restart(disk.copy(), acceptable, now)
                resolve_all(again, bool(tally.restarts % 2))
                if tally.restarts % 20 == 0:
                    second_life(again)
            except BaseException as error:
                where = f"{label}; power cut at {files.operations} ({files.crashed_in}); {disk.label}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
        files = rng.choice(disks)
    return reached


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("configuration", MATRIX, ids=str)
def test_random_workloads(configuration: Configuration, seed: int, record_property: Record) -> None:
    tally = Tally(configuration)
    crash_after_crash(seed, USUAL, 40, tally)
    tally.report(record_property)


@pytest.mark.parametrize("seed", range(1000, 1000 + by_level(1, 2, 20)))
@pytest.mark.parametrize("configuration", ROUND, ids=str)
def test_round_the_ring(configuration: Configuration, seed: int, record_property: Record) -> None:
    """Long enough to use every extent several times, with checkpoints by themselves where they are due."""
    tally = Tally(configuration)
    extents = crash_after_crash(seed, FILLING, 250, tally)
    assert extents > LIVES // 2, f"seed {seed} got only to extent {extents}"
    tally.report(record_property)
