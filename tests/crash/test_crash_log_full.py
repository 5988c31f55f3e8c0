"""A log that is full: the oldest unit of work gives way, and what has been begun can always be ended.

However full it is, there is room to back out every unit of work, to decide every branch in doubt, and for a restart
that backs out by itself. A unit of work that is too large, or too old, is rolled back; a branch in doubt is rolled
forward; a small one is pulled up, and nobody notices.
"""

from __future__ import annotations

from collections.abc import Callable

import crash_driver as driver
import pytest
from crash_driver import NOW, Life, create, resolve_all, second_life
from crash_model import COMMITTED, UNIT, Model
from crash_points import LEVEL

from libremq.kernel.recovery import log_room
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.queue_store import StoreLimits
from libremq.testing import FaultyFiles

BUFFERS = StoreLimits(persistent_buffer_bytes=64 * 1024)
DEPTH = 9000
ENDS = [driver.back_out, driver.kill_and_start, *([driver.commit, driver.end_and_start] if LEVEL else [])]


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


def fill(life: Life, step: Callable[[], None], most: int) -> tuple[int, int]:
    """Go on until the call is refused, at most so often: how often it went well, and why it ended."""
    for done in range(most):
        try:
            step()
        except MQError as error:
            if error.reason == C.MQRC_BACKED_OUT:
                life.model.back_out(UNIT)
            return done, error.reason
    return most, C.MQRC_NONE


def unit_put(life: Life, size: int = 2000) -> None:
    held = life.new_message("A", size=size, persistent=True, priority=4, expiry=0, owner=UNIT)
    life.send(held)
    life.model.put(held)


def unit_gets(life: Life) -> Callable[[], None]:
    """Get what is on B, one after the other."""
    waiting = iter([one for one in life.model.held.values() if one.queue == "B" and not one.got_by and not one.put_by])

    def unit_get() -> None:
        held = next(waiting)
        life.receive(held, UNIT)
        life.model.get(held, UNIT)

    return unit_get


def goes_on(life: Life) -> None:
    life.check([life.model])
    second_life(life)


def begin(template: tuple[FaultyFiles, Model]) -> tuple[Life, list[str]]:
    files, model = template
    life = Life(files.copy(), model.copy(), NOW, limits=BUFFERS)
    said: list[str] = []
    life.qm.say = life.qm.core.say = said.append
    return life, said


def unit_puts(life: Life) -> Callable[[], None]:
    return lambda: unit_put(life)


def room_for(
    template: tuple[FaultyFiles, Model], steps: Callable[[Life], Callable[[], None]], most: int = 2000
) -> int:
    """How many operations a unit of work may have before it is rolled back."""
    life, said = begin(template)
    done, reason = fill(life, steps(life), most)
    assert reason == C.MQRC_BACKED_OUT
    assert [text for text in said if "AMQ7469" in text and "rolled back" in text and "teller" in text]
    goes_on(life)
    return done


def test_a_unit_of_work_that_fills_the_log_is_rolled_back_and_its_owner_hears_of_it_once(
    template: tuple[FaultyFiles, Model],
) -> None:
    life, _ = begin(template)
    done, reason = fill(life, lambda: unit_put(life), 2000)
    assert done > 100 and reason == C.MQRC_BACKED_OUT
    life.check([life.model])
    unit_put(life)  # a new one has begun
    driver.commit(life, None)
    goes_on(life)


def test_four_fifths_of_the_log_are_for_one_unit_of_work(template: tuple[FaultyFiles, Model]) -> None:
    life, _ = begin(template)
    capacity = life.qm.core.log.space().capacity_bytes
    first = life.qm.core.log.tail
    most = 0

    def step() -> None:
        nonlocal most
        unit_put(life)
        most = life.qm.core.log.tail - first

    fill(life, step, 2000)
    assert 0.5 * capacity < most <= 0.8 * capacity


@pytest.mark.parametrize("end", ENDS)
def test_the_largest_unit_of_work_that_fits_can_be_ended(
    template: tuple[FaultyFiles, Model], end: driver.Operation
) -> None:
    done = room_for(template, unit_puts)
    life, _ = begin(template)
    assert fill(life, lambda: unit_put(life), done) == (done, C.MQRC_NONE)
    end(life, None)
    goes_on(life)


@pytest.fixture(scope="module")
def gets(deep: tuple[FaultyFiles, Model]) -> int:
    """How many a unit of work may have."""
    return room_for(deep, unit_gets, DEPTH)


@pytest.mark.parametrize("end", ENDS)
def test_gets_without_end(deep: tuple[FaultyFiles, Model], gets: int, end: driver.Operation) -> None:
    """To undo a get takes more of the log than the get: the room is kept from the start."""
    assert gets > 1000
    life, _ = begin(deep)
    assert fill(life, unit_gets(life), gets) == (gets, C.MQRC_NONE)
    end(life, None)
    life.check([life.model])
    driver.clear(life, None)
    goes_on(life)


def put_and_get(life: Life) -> None:
    """Committed at once, by another application than the one with the unit of work."""
    held = life.new_message("A", size=1000, persistent=True, priority=9, expiry=0, owner=COMMITTED)
    life.send(held)
    life.model.put(held)
    life.receive(held, COMMITTED)
    life.model.get(held, COMMITTED)
    life.force(life.qm.connection(life.application).lsn)


def test_others_go_on_and_the_old_one_is_rolled_back(template: tuple[FaultyFiles, Model]) -> None:
    life, said = begin(template)
    life.qm.disconnect(life.coordinator)
    life.coordinator = life.application  # the unit of work is the first one's, the rest another's
    for _ in range(log_room.PULL_UP_OPERATIONS + 1):
        unit_put(life, 100)
    life.application = life.qm.connect("carol", "clerk")
    assert fill(life, lambda: put_and_get(life), 1200) == (1200, C.MQRC_NONE)
    assert [text for text in said if "AMQ7469" in text and "rolled back" in text and "teller" in text]
    life.model.back_out(UNIT)
    with pytest.raises(MQError) as refused:
        life.qm.commit(life.coordinator)
    assert refused.value.reason == C.MQRC_BACKED_OUT
    life.qm.commit(life.coordinator)
    life.check([life.model])


def test_a_small_old_one_is_pulled_up_and_stays(template: tuple[FaultyFiles, Model]) -> None:
    life, said = begin(template)
    life.qm.disconnect(life.coordinator)
    life.coordinator = life.application
    unit_put(life, 3000)
    unit_get_a(life)
    life.application = life.qm.connect("carol", "clerk")
    assert fill(life, lambda: put_and_get(life), 1200) == (1200, C.MQRC_NONE)
    assert not [text for text in said if "AMQ7469" in text]
    life.qm.commit(life.coordinator)
    life.model.commit(UNIT)
    life.force(life.qm.connection(life.coordinator).lsn)
    life.check([life.model])
    life.qm.abandon()
    life.start()
    life.check([life.model.crashed()])


def unit_get_a(life: Life) -> None:
    held = next(one for one in life.model.held.values() if one.queue == "A" and not one.put_by)
    life.receive(held, UNIT)
    life.model.get(held, UNIT)


@pytest.mark.parametrize("commits", [True, False])
def test_a_branch_in_doubt_is_rolled_forward(template: tuple[FaultyFiles, Model], commits: bool) -> None:
    """It holds the log for ever otherwise; it can still be decided, after any number of restarts."""
    life, _ = begin(template)
    for _ in range(12):
        driver.prepare_branch(life, None)
    assert fill(life, lambda: put_and_get(life), 1500) == (1500, C.MQRC_NONE)
    for _ in range(5):
        life.acceptable = [life.model.crashed()]
        life.qm.abandon()
        life.start()
        life.check([life.model.crashed()])
        fill(life, lambda: put_and_get(life), 200)
    resolve_all(life, commits)
    goes_on(life)


def test_a_large_branch_in_doubt_is_rolled_forward_and_says_so(template: tuple[FaultyFiles, Model]) -> None:
    life, said = begin(template)
    qm, hconn = life.qm, life.coordinator
    xid = "x900"
    qm.xa_start(hconn, xid.encode())
    for _ in range(3 * log_room.PULL_UP_OPERATIONS):
        held = life.new_message("B", size=50, persistent=True, priority=3, expiry=0, owner=xid)
        life.send(held)
        life.model.put(held)
    qm.xa_end(hconn, xid.encode())
    qm.xa_prepare(hconn, xid.encode())
    life.force(qm.connection(hconn).lsn)
    life.model.prepared.add(xid)
    assert fill(life, lambda: put_and_get(life), 1500) == (1500, C.MQRC_NONE)
    assert [text for text in said if "AMQ7469" in text and "rolled forward" in text]
    life.qm.abandon()
    life.start()
    life.check([life.model.crashed()])
    resolve_all(life, True)
    goes_on(life)


def test_a_deep_queue_is_cleared_however_full_the_log_is(deep: tuple[FaultyFiles, Model]) -> None:
    done = room_for(deep, unit_puts)
    life, _ = begin(deep)
    fill(life, lambda: unit_put(life), done)
    life.model.drop_queue("B")
    life.force(life.qm.clear("B"))
    driver.commit(life, None)
    driver.kill_and_start(life, None)
    goes_on(life)
