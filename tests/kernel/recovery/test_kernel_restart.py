"""A restart shows what was promised: the operations of the crash tests, each with a checkpoint somewhere, then a kill.

Here the queue manager is killed between two calls and all that was written is there; tests/crash has power cuts at
every write. The model of both says what must be found, and what a unit of work that was not ended leaves.
"""

from __future__ import annotations

import itertools
import random

import crash_driver as driver
import pytest
from crash_background import record_images
from crash_driver import NOW, Life, Operation, Rng
from crash_matrix import AUTOMATIC, CIRCULAR, Configuration
from helper_qmgr import Session
from test_crash_random import USUAL, live

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError


def nothing(life: Life, rng: Rng) -> None:
    """The end of a unit of work does not come before the kill."""


_LONGER: tuple[Operation, ...] = (driver.unit_put, driver.unit_get, driver.unit_get)
_ENDS: tuple[Operation, ...] = (nothing, driver.commit, driver.back_out, driver.resolve_commit, driver.resolve_back_out)


def _life(configuration: Configuration = CIRCULAR) -> Life:
    files, model = configuration.template()
    return Life(files.copy(), model, NOW)


def _named(operation: Operation) -> str:
    return operation.__name__


def test_time_goes_on_for_a_message_that_expires() -> None:
    life = _life()
    driver.put_expiring(life, None)
    driver.kill_and_start(life, None)
    life.clock.advance(10)
    life.check([life.model])
    driver.scan_expired(life, None)
    life.check([life.model])


def test_numbers_of_units_of_work_are_not_used_twice() -> None:
    life = _life()
    driver.begin_branch(life, None)
    driver.prepare_branch(life, None)
    before = set(life.qm.core.units)
    driver.kill_and_start(life, None)
    assert life.qm.core.begin_unit().id > max(before)


@pytest.mark.parametrize("checkpoints", [(), ("behind",), ("before", "behind")], ids=str)
def test_what_a_unit_of_work_has_undone_itself_is_not_undone_again(checkpoints: tuple[str, ...]) -> None:
    """A put in segments fails at the third: the first two are undone, and the unit of work goes on until the kill."""
    session = Session()
    session.queue("Q")
    session.queue("SMALL", MAXMSGL=16, MAXDEPTH=2)
    session.put("SMALL", b"was there", Persistence=C.MQPER_PERSISTENT)
    session.put("Q", b"of the unit", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
    if "before" in checkpoints:
        session.qm.checkpoint()
    with pytest.raises(MQError):
        flags = C.MQMF_SEGMENTATION_ALLOWED
        session.put("SMALL", bytes(40), syncpoint=True, Persistence=C.MQPER_PERSISTENT, MsgFlags=flags)
    if "behind" in checkpoints:
        session.qm.checkpoint()
    session.put("Q", b"of the unit", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
    session.put("SMALL", b"in that slot", Persistence=C.MQPER_PERSISTENT)
    session.kill_and_start()
    assert session.core.damaged == {}
    assert (session.depth("Q"), session.depth("SMALL")) == (0, 2)


@pytest.mark.parametrize("configuration", [CIRCULAR, AUTOMATIC], ids=str)
@pytest.mark.parametrize("operation", [*driver.OPERATIONS, record_images], ids=_named)
def test_an_operation_and_what_may_follow(configuration: Configuration, operation: Operation) -> None:
    """With the checkpoint before it, between it and the end of its unit of work, after both, or nowhere."""
    if operation is record_images and configuration is CIRCULAR:
        return
    for end, where in itertools.product(_ENDS, range(4)):
        life = _life(configuration)
        steps: list[Operation] = [driver.prepare_branch, operation, end]
        if where < 3:
            steps.insert(where + 1, driver.checkpoint)
        for step in steps:
            step(life, None)
        driver.kill_and_start(life, None)
        driver.resolve_all(life, end is not driver.commit)
        driver.kill_and_start(life, None)


@pytest.mark.parametrize("end", _ENDS, ids=_named)
@pytest.mark.parametrize("where", range(5))
def test_a_longer_unit_of_work(end: Operation, where: int) -> None:
    """Gets that are put back count, in whatever place of the unit of work the checkpoint comes."""
    life = _life()
    steps = [*_LONGER, *_LONGER, end]
    steps.insert(where, driver.checkpoint)
    for step in steps:
        step(life, None)
    driver.kill_and_start(life, None)
    for step in (*_LONGER, driver.back_out, driver.put, driver.get):
        step(life, None)
    driver.kill_and_start(life, None)
    driver.second_life(life)


@pytest.mark.parametrize("seed", range(6))
def test_a_life_of_many_operations(seed: int) -> None:
    rng = random.Random(seed)
    life = _life()
    for _ in range(4):
        live(life, rng, USUAL, 40)
        driver.kill_and_start(life, rng)
    driver.end_and_start(life, rng)
