"""Longer workloads, drawn by seed: many operations, crash after crash, round the log's ring several times.

A failure names the seed, the life and the boundary; the same seed gives the same failure again.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import crash_driver as driver
import pytest
from crash_driver import Life, Operation, create, resolve_all, restart, second_life
from crash_model import Model
from crash_points import FULL, Tally

from libremq.testing import FaultyFiles, PowerCut

NOW = 1_700_000_000.0
SEEDS = 400 if FULL else 12
LIVES = 12
STATES_MAX = 60 if FULL else 10

Record = Callable[[str, object], None]


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
}  # fmt: skip
FILLING: dict[Operation, int] = {
    driver.put: 10, driver.put_large: 10, driver.get: 16, driver.unit_put: 4, driver.unit_get: 6, driver.commit: 6,
    driver.back_out: 2, driver.clear: 1, prepare_and_resolve: 2, driver.end_and_start: 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def template() -> tuple[FaultyFiles, Model]:
    return create()


def live(life: Life, rng: random.Random, weights: dict[Operation, int], steps: int) -> None:
    operations = list(weights)
    for operation in rng.choices(operations, list(weights.values()), k=steps):
        operation(life, rng)


def crash_after_crash(
    template: tuple[FaultyFiles, Model], seed: int, weights: dict[Operation, int], steps: int, tally: Tally
) -> Life:
    """Several lives, each but the last ended by a power cut at a random boundary."""
    rng = random.Random(seed)
    files, model = template
    files, now = files.copy(), NOW
    acceptable = [model]
    for number in range(LIVES):
        label = f"seed {seed}, life {number} from [{files.label}]"
        try:
            life = restart(files, acceptable, now)
            if weights is FILLING or number % 2:  # a branch in doubt holds the log until it is full
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
        acceptable, now = life.acceptable, life.now
        tally.points += 1
        disks = list(files.disk_states(rng, STATES_MAX))
        for disk in disks:
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
    return life


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_workloads(template: tuple[FaultyFiles, Model], seed: int, record_property: Record) -> None:
    tally = Tally()
    crash_after_crash(template, seed, USUAL, 40, tally)
    record_property("crash_points", tally.points)
    record_property("restarts", tally.restarts)


@pytest.mark.parametrize("seed", range(1000, 1000 + SEEDS // 3))
def test_round_the_ring(template: tuple[FaultyFiles, Model], seed: int, record_property: Record) -> None:
    """Long enough to use every extent several times, with checkpoints by themselves where they are due."""
    tally = Tally()
    life = crash_after_crash(template, seed, FILLING, 250, tally)
    extents = life.qm.core.log.tail // life.qm.core.log.config.extent_bytes
    assert extents > 3 * 4, f"seed {seed} got only to extent {extents}"
    record_property("crash_points", tally.points)
    record_property("restarts", tally.restarts)
