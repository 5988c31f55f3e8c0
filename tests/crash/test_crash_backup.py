"""A backup queue manager loses power, at every moment of a replay and of its activation; and at random ones."""

from __future__ import annotations

import random
from collections.abc import Callable

import crash_driver as driver
import pytest
from crash_background import record_images
from crash_backup import LOG, OPERATIONS, STANDBY, Activated, Live, Standby, fill, make_live
from crash_driver import fingerprint, resolve_all, second_life
from crash_model import Model
from crash_points import by_level

from libremq.common.files import queue_manager_files
from libremq.log import LogError
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, PowerCut

BEFORE = (driver.prepare_branch, driver.unit_put, driver.unit_get, driver.define, driver.put_to_new)
BETWEEN = (
    driver.commit, driver.put_large, fill, driver.delete, driver.checkpoint, driver.define, driver.put_to_new, fill,
    driver.resolve_commit, driver.kill_and_start, driver.put, driver.get, driver.clear, record_images, driver.alter,
    driver.prepare_branch, driver.put_nonpersistent, driver.end_and_start, driver.put, fill, driver.unit_put,
    driver.unit_get, driver.begin_branch, driver.put,
)  # fmt: skip


def prepared_standby() -> Standby:
    """Copied in the middle of units of work, replayed once, with much more shipped since; all of that is on disk."""
    live = make_live()
    run(live, BEFORE)
    standby = Standby(live, hot=True)
    run(live, BETWEEN[:3])
    standby.ship(random.Random(1), "all")
    standby.replay()
    run(live, BETWEEN[3:])
    standby.ship(random.Random(1), "all")
    _, standby.files = standby.files.disk_states(limit=2)
    return standby


def run(live: Live, operations: tuple[driver.Operation, ...]) -> None:
    for operation in operations:
        operation(live, None)


def boundaries(files: FaultyFiles, action: Callable[[FaultyFiles], object]) -> int:
    """How many moments there are at which the power can fail."""
    trial = files.copy()
    action(trial)
    return trial.operations


def cut_at(files: FaultyFiles, crash_at: int, action: Callable[[FaultyFiles], object]) -> FaultyFiles:
    cut = files.copy()
    cut.crash_at = crash_at
    with pytest.raises(PowerCut):
        action(cut)
    return cut


def test_the_power_fails_at_every_moment_of_a_replay() -> None:
    standby = prepared_standby()
    before = standby.files
    expected = [standby.live.model.crashed()]

    def replay(files: FaultyFiles) -> None:
        standby.files = files
        standby.replay()

    seen: set[int] = set()
    count = boundaries(before, replay)
    assert count > 20
    for crash_at in range(1, count + 1):
        cut = cut_at(before, crash_at, replay)
        for disk in cut.disk_states(random.Random(crash_at), by_level(4, 12, 1000)):
            if fingerprint(disk) in seen:
                continue
            seen.add(fingerprint(disk))
            standby.files = disk
            if crash_at % 2:
                standby.replay()
                assert standby.replay() == 0
            standby.activate().check(expected)


def test_the_power_fails_at_every_moment_of_an_activation() -> None:
    standby = prepared_standby()
    before = standby.files
    expected = [standby.live.model.crashed()]

    def activate(files: FaultyFiles) -> Activated:
        standby.files = files
        return standby.activate()

    seen: set[int] = set()
    count = boundaries(before, activate)
    assert count > 40
    for crash_at in range(1, count + 1):
        rng = random.Random(crash_at)
        cut = cut_at(before, crash_at, activate)
        for disk in cut.disk_states(rng, by_level(4, 12, 1000)):
            if fingerprint(disk) in seen:
                continue
            seen.add(fingerprint(disk))
            # It is cut short once more, anywhere
            number = boundaries(disk, activate)
            again = cut_at(disk, rng.randrange(1, number + 1), activate)
            for second in again.disk_states(rng, 2):
                goes_on(activate(second), expected, rng)
            goes_on(activate(disk), expected, rng)
    assert not queue_manager_files.is_backup(standby.files, STANDBY)


def goes_on(life: Activated, expected: list[Model], rng: random.Random) -> None:
    life.check(expected)
    if rng.random() < 0.1:
        resolve_all(life, rng.random() < 0.5)
        second_life(life)


def test_what_was_replayed_is_on_disk_also_if_it_was_shipped_without_a_sync() -> None:
    standby = prepared_standby()
    fill(standby.live, None)
    standby.ship(random.Random(1), "all")
    end = standby.log_end()
    standby.replay()
    for disk in list(standby.files.disk_states(random.Random(1), 20)):
        standby.files = disk
        # What was in its cache only, and not certain, may be gone; what was replayed is there
        life = standby.activate()
        life.check([model.crashed() for tail, model in standby.live.history if tail <= end][-4:])


@pytest.mark.parametrize("seed", range(by_level(24, 400, 4000)))
def test_random_lives_of_a_live_queue_manager_and_its_backup(seed: int) -> None:
    rng = random.Random(seed)
    live = make_live()
    work(live, rng, 8)
    standby = Standby(live, hot=rng.random() < 0.6)
    if not rng.randrange(10):
        standby.ship(rng, "all")  # nothing has happened since
    for _ in range(rng.randrange(6)):
        work(live, rng, 10)
        standby.ship(rng, rng.choice(("all", "all", "extents", "some", "torn", "stale")))
        replay(standby, rng)
    work(live, rng, 6)
    how = rng.choice(("all", "all", "extents", "some", "torn"))
    standby.ship(rng, how)
    try:
        expected = live.expected(standby.log_end())
        life = activate(standby, rng)
    except (LogError, MQError):
        assert how != "all"
        standby.ship(rng, "all")
        how = "all"
        life = activate(standby, rng)
    life.check([live.model.crashed()] if how == "all" else expected)
    resolve_all(life, rng.random() < 0.5)
    second_life(life)


def work(live: Live, rng: random.Random, most: int) -> None:
    for _ in range(rng.randrange(most)):
        rng.choice(OPERATIONS)(live, rng)
        live.clock.advance(rng.choice((0, 0, 1)))


def replay(standby: Standby, rng: random.Random) -> None:
    """Perhaps with the power failing. What cannot be replayed is shipped again, then it must work."""
    if rng.random() < 0.4:
        standby.files.crash_at = standby.files.operations + rng.randrange(1, 40)
    try:
        standby.replay()
    except MQError:
        pass
    except PowerCut:
        standby.files = rng.choice(list(standby.files.disk_states(rng, 8)))
        if rng.random() < 0.5:
            return
    else:
        standby.files.crash_at = None
        return
    standby.files.crash_at = None
    standby.ship(rng, "all")
    standby.replay()
    assert standby.replay() == 0


def activate(standby: Standby, rng: random.Random) -> Activated:
    """With the power failing now and then; what was shipped is on disk by then."""
    for name in standby.files.list(LOG):
        standby.files.open(f"{LOG}/{name}").sync()
    standby.files.sync_folder(LOG)
    for _ in range(rng.randrange(3)):
        standby.files.crash_at = standby.files.operations + rng.randrange(1, 80)
        try:
            life = standby.activate()
        except PowerCut:
            standby.files = rng.choice(list(standby.files.disk_states(rng, 8)))
        else:
            standby.files.crash_at = None
            return life
    return standby.activate()
