"""The power fails on a full disk: while the reserve is let go, in the checkpoint that has its space, in one that gives
back what it has written, in an end without a checkpoint, and in the starts after that.

What was acknowledged is there after each, whether the start finds room again or not.
"""

from __future__ import annotations

import errno
import os
import random

import crash_driver as driver
import pytest
from crash_driver import FOLDER, Life, Operation, Rng, restart, second_life
from crash_matrix import AUTOMATIC, CIRCULAR, DUAL, Configuration
from crash_points import CrashPoint, Record, Tally, by_level, name_of, record, try_points

from libremq.kernel.recovery import catalogue_file
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.reserve import RESERVE_FILE, USUAL_BYTES

STATES_MAX = by_level(3, 12, 60)
EVERY = by_level(8, 2, 1)
"""Every so manieth moment is tried with a start that has no room either."""

everywhere = pytest.mark.parametrize("configuration", (CIRCULAR, AUTOMATIC, DUAL), ids=str)


def keep_reserve(life: Life, rng: Rng) -> None:
    life.qm.keep_reserve()


def fill_disk(life: Life, rng: Rng) -> None:
    """Not a byte is left but for the reserve."""
    life.files.set_free_space(0)


def have_too_little(life: Life, rng: Rng) -> None:
    """And even that is not enough for the checkpoint: its last file finds no room."""
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    life.files.fail("write", f"{FOLDER}/{catalogue_file.NAME}.*", error, times=None)


def checkpoint(life: Life, rng: Rng) -> None:
    """It may come about or not."""
    before = len(life.said)
    driver.checkpoint(life, rng)
    assert any(text.startswith("AMQ7485W") for text in life.said[before:]), life.said


def end_and_start(life: Life, rng: Rng) -> None:
    """The start has as little room as the end."""
    driver.end_and_start(life, rng)


PREPARED: tuple[Operation, ...] = (
    keep_reserve, driver.put, driver.put_large, driver.checkpoint, driver.get, driver.alter, driver.put_large,
    driver.unit_put, driver.unit_get, driver.put_nonpersistent, driver.put, fill_disk,
)  # fmt: skip
ENOUGH = {
    "checkpoint": (*PREPARED, checkpoint),
    "end": (*PREPARED, end_and_start),
    "second checkpoint": (*PREPARED, checkpoint, driver.commit, driver.alter, driver.checkpoint),
}
TOO_LITTLE = {
    "checkpoint": (*PREPARED, have_too_little, checkpoint),
    "end": (*PREPARED, have_too_little, end_and_start),
    "gets and an end": (*PREPARED, have_too_little, checkpoint, driver.get, driver.commit, end_and_start),
    "kill": (*PREPARED, have_too_little, checkpoint, driver.get, driver.kill_and_start),
}
WORKLOADS = {f"enough, {name}": workload for name, workload in ENOUGH.items()} | {
    f"too little, {name}": workload for name, workload in TOO_LITTLE.items()
}


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
@everywhere
def test_the_power_fails_at_every_moment(
    configuration: Configuration, workload: tuple[Operation, ...], record_property: Record
) -> None:
    tally = Tally(configuration)
    points = record(configuration, workload)
    assert len(points) > 10
    try_points(points, name_of(workload), tally, STATES_MAX)
    for index, point in enumerate(points[::EVERY]):
        start_without_room(configuration, point, random.Random(f"{configuration} {index}"))
    tally.report(record_property)


def start_without_room(configuration: Configuration, point: CrashPoint, rng: random.Random) -> None:
    """It starts, or refuses and says why; with room again all is there, and goes on."""
    for disk in configuration.states(point.disk, rng, 2, damaged=False):
        where = f"{point.what}; {disk.label}"
        acceptable = [*point.acceptable, *[model.crashed() for model in point.acceptable]]
        disk.set_free_space(0)
        try:
            life = restart(disk, acceptable, point.now)
        except MQError as error:
            assert error.reason == C.MQRC_Q_MGR_NOT_AVAILABLE and "No space left" in str(error), where
            disk.heal()
            life = restart(disk, acceptable, point.now)
        disk.heal()
        for xid in sorted(life.model.prepared):
            life.qm.xa_rollback(life.coordinator, xid.encode())
        life.qm.end()
        assert life.qm.failure is None and not life.qm.end_note, where
        second_life(restart(disk, acceptable, point.now))


@everywhere
def test_the_reserve_makes_the_difference(configuration: Configuration) -> None:
    """The same workload without one: the checkpoint is postponed."""
    template, model = configuration.template()
    for has_reserve in (True, False):
        life = Life(template.copy(), model, driver.NOW)
        for operation in PREPARED if has_reserve else PREPARED[1:]:
            operation(life, None)
        before = life.qm.core.log.checkpoint
        life.qm.checkpoint()
        assert (life.qm.core.log.checkpoint > before) == has_reserve
        assert life.files.exists(f"{FOLDER}/{RESERVE_FILE}") == has_reserve
        assert not has_reserve or 0 < life.qm.core.reserve.bytes < USUAL_BYTES
        life.check([life.model])
