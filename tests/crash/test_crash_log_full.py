"""A log that is full: whoever wants more hears 2102, and what has been begun can always be ended.

However full it is, there is room to back out every unit of work, to decide every branch in doubt, and for a restart
that backs out by itself; and no number of refused calls uses that room up.
"""

from __future__ import annotations

from collections.abc import Callable

import crash_driver as driver
import pytest
from crash_driver import Life, create, resolve_all, second_life
from crash_model import COMMITTED, UNIT, Model

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.queue_store import StoreLimits
from libremq.testing import FaultyFiles

NOW = 1_700_000_000.0
BUFFERS = StoreLimits(persistent_buffer_bytes=64 * 1024)
DEPTH = 9000


@pytest.fixture(scope="module")
def template() -> tuple[FaultyFiles, Model]:
    return create()


@pytest.fixture(scope="module")
def deep() -> tuple[FaultyFiles, Model]:
    """A queue with so many messages that a unit of work which gets them all fills the log."""
    files, model = create()
    life = Life(files, model, NOW, limits=BUFFERS)
    life.force(life.qm.alter("QLOCAL", "B", {"MAXDEPTH": 20000}))
    life.model.attributes["B"] = 20000
    for number in range(DEPTH):
        held = life.new_message("B", size=0, persistent=True, priority=4, expiry=0, owner=UNIT)
        life.send(held)
        life.model.put(held)
        if number % 500 == 499:
            driver.commit(life, None)
    driver.commit(life, None)
    life.qm.end()
    return files, life.model


def fill(life: Life, step: Callable[[], None], most: int) -> int:
    """Go on until the log is full, and insist: how often it went well."""
    done = 0
    for _ in range(most):
        try:
            step()
            done += 1
        except MQError as error:
            assert error.reason == C.MQRC_RESOURCE_PROBLEM, error
            break
    else:
        return done
    for _ in range(100):
        with pytest.raises(MQError) as refused:
            step()
        assert refused.value.reason == C.MQRC_RESOURCE_PROBLEM
        life.qm.checkpoint()
    return done


def unit_put(life: Life, size: int = 2000) -> None:
    held = life.new_message("A", size=size, persistent=True, priority=4, expiry=0, owner=UNIT)
    life.send(held)
    life.model.put(held)


def unit_get(life: Life) -> None:
    held = next(one for one in life.model.held.values() if one.queue == "B" and not one.got_by and not one.put_by)
    life.receive(held, UNIT)
    life.model.get(held, UNIT)


def goes_on(life: Life) -> None:
    life.check([life.model])
    second_life(life)


def test_a_unit_of_work_that_fills_the_log_can_be_backed_out(template: tuple[FaultyFiles, Model]) -> None:
    files, model = template
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    assert fill(life, lambda: unit_put(life), 2000) > 100
    driver.back_out(life, None)
    goes_on(life)


def test_a_unit_of_work_that_fills_the_log_can_be_committed(template: tuple[FaultyFiles, Model]) -> None:
    files, model = template
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    assert fill(life, lambda: unit_put(life), 2000) > 100
    driver.commit(life, None)
    goes_on(life)


def test_a_killed_unit_of_work_that_filled_the_log_is_backed_out_by_restart(
    template: tuple[FaultyFiles, Model],
) -> None:
    files, model = template
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    assert fill(life, lambda: unit_put(life), 2000) > 100
    driver.kill_and_start(life, None)
    goes_on(life)


@pytest.mark.parametrize("end", [driver.back_out, driver.commit, driver.kill_and_start, driver.end_and_start])
def test_gets_without_end(deep: tuple[FaultyFiles, Model], end: driver.Operation) -> None:
    """To undo a get takes more of the log than the get: the room is kept from the start."""
    files, model = deep
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    life.force(life.qm.alter("QLOCAL", "A", {"MAXDEPTH": 5000}))
    done = fill(life, lambda: unit_get(life), DEPTH)
    assert done > 1000
    end(life, None)
    life.check([life.model])
    driver.clear(life, None)
    goes_on(life)


def test_others_that_end_their_work_leave_room_for_the_long_one(deep: tuple[FaultyFiles, Model]) -> None:
    """Gets outside syncpoint may use the reserve, but not what a backout needs."""
    files, model = deep
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    for _ in range(500):
        unit_get(life)
    assert fill(life, lambda: unit_put(life), 2000) > 100

    def get_at_once() -> None:
        held = next(one for one in life.model.held.values() if one.queue == "B" and not one.got_by)
        hobj = life.qm.open(life.coordinator, driver.MQOD(ObjectName="B"), C.MQOO_INPUT_SHARED)
        try:
            life.qm.get(life.coordinator, hobj, driver.MQMD(), driver.MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
        finally:
            life.qm.close(life.coordinator, hobj)
        life.force(life.qm.connection(life.coordinator).lsn)
        life.model.get(held, COMMITTED)

    fill(life, get_at_once, 2000)
    driver.back_out(life, None)
    driver.clear(life, None)
    goes_on(life)


@pytest.mark.parametrize("commits", [True, False])
def test_a_branch_in_doubt_that_holds_the_log_can_be_decided(
    template: tuple[FaultyFiles, Model], commits: bool
) -> None:
    files, model = template
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    driver.prepare_branch(life, None)

    def put_and_get() -> None:
        driver._put(life, "A", size=1000)
        driver.get(life, None)

    fill(life, put_and_get, 1000)
    life.acceptable = [life.model.crashed()]
    for _ in range(30):
        life.qm.abandon()
        life.start()
    life.check([life.model.crashed()])
    resolve_all(life, commits)
    goes_on(life)


def test_a_deep_queue_is_cleared_however_full_the_log_is(deep: tuple[FaultyFiles, Model]) -> None:
    files, model = deep
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    assert fill(life, lambda: unit_put(life), 2000) > 100
    life.model.drop_queue("B")
    life.force(life.qm.clear("B"))
    driver.commit(life, None)
    driver.kill_and_start(life, None)
    goes_on(life)
