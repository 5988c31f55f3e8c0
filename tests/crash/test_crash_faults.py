"""Errors of the file system: every call that hears of one says so clearly, and nothing that was promised is lost.

One error at a time is let loose at every operation of its kind, in a workload that touches all there is. Either the
queue manager carries on, or it stops for good (contract 4): then the next start shows what was acknowledged.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable

import crash_driver as driver
import pytest
from crash_driver import FOLDER, NAME, SMALL_LOG, Life, Operation, create, resolve_all, restart, second_life
from crash_model import UNIT, Model
from crash_points import FULL, Tally

from libremq.kernel.manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, PowerCut, VirtualClock

NOW = 1_700_000_000.0
STATES_MAX = 60 if FULL else 4

Record = Callable[[str, object], None]

# Everything that writes, in an order in which each has something to do
WORKLOAD: tuple[Operation, ...] = (
    driver.put, driver.define, driver.put_to_new, driver.put_nonpersistent, driver.put_large, driver.unit_put,
    driver.checkpoint, driver.unit_get, driver.commit, driver.alter, driver.put, driver.put, driver.unit_get,
    driver.back_out, driver.prepare_branch, driver.end_and_start, driver.put_large, driver.get, driver.resolve_commit,
    driver.put_nonpersistent, driver.put_nonpersistent, driver.put_nonpersistent, driver.delete, driver.put_expiring,
    driver.scan_expired, driver.clear, driver.checkpoint, driver.put_large, driver.put_large, driver.get,
    driver.kill_and_start, driver.unit_put, driver.commit, driver.checkpoint,
)  # fmt: skip

FULL_DISK = {C.MQRC_STORAGE_MEDIUM_FULL, C.MQRC_RESOURCE_PROBLEM}
STOPPED = {C.MQRC_CONNECTION_BROKEN}
NOT_STARTED = {C.MQRC_Q_MGR_NOT_AVAILABLE}
DAMAGED = {C.MQRC_OBJECT_DAMAGED}


@pytest.fixture(scope="module")
def template() -> tuple[FaultyFiles, Model]:
    return create()


def operations_of(template: tuple[FaultyFiles, Model], kind: str) -> int:
    """How many operations of a kind the workload makes."""
    files, model = template
    files = files.copy()
    files.fail(kind, after=1 << 60)
    life = Life(files, model, NOW)
    for operation in WORKLOAD:
        operation(life, None)
    return (1 << 60) - files._failures[0].after


def give_up_unit(life: Life) -> None:
    """What an application does after an error: back out, and end what it has begun."""
    for xid in sorted(life.model.active):
        life.model.active.discard(xid)
    life.qm.backout(life.application)
    connection = life.qm.connection(life.coordinator)
    if connection.xa_unit is not None:
        life.qm.xa_end(life.coordinator, connection.xa_unit.xid)
    for unit in list(life.qm.core.active_units()):
        if unit.xid:
            life.qm.xa_rollback(life.coordinator, unit.xid)
    life.model.back_out(UNIT)


def run(life: Life, allowed: set[int], label: str) -> str:
    """Run the workload in spite of the error to come; returns what became of the queue manager."""
    outcome = "went on"
    for operation in WORKLOAD:
        ended = life.qm
        try:
            operation(life, None)
            continue
        except MQError as error:
            assert error.reason in allowed, f"{label}, {operation.__name__}: {error}"
            assert str(error).count(" ") > 5, f"{label}: {error!r} does not say what to do"
        if life.qm.failure is not None and operation not in (driver.end_and_start, driver.kill_and_start):
            return "stopped"
        outcome = "said so"
        life.files.heal()
        if operation in (driver.end_and_start, driver.kill_and_start):
            if life.qm is ended:
                life.start()
            life.check([*life.acceptable, *[model.crashed() for model in life.acceptable]])
        else:
            before = life.model.copy()
            give_up_unit(life)
            after = life.acceptable[0]
            life.check([life.model, after, before])
    return outcome


def check_stopped(life: Life, label: str, tally: Tally) -> None:
    """A queue manager that stopped says so to everybody, and its files hold what was acknowledged."""
    with pytest.raises(MQError) as refused:
        life.qm.depth("A")
    assert refused.value.reason == C.MQRC_CONNECTION_BROKEN, label
    life.qm.end()
    life.files.heal()
    for disk in (life.files, *life.files.disk_states(random.Random(label), STATES_MAX)):
        tally.restarts += 1
        try:
            again = restart(disk.copy(), life.acceptable, life.now)
            resolve_all(again, bool(tally.restarts % 2))
            second_life(again)
        except BaseException as error:
            raise AssertionError(f"{label}, then {disk.label}: {type(error).__name__}: {error}") from error


def let_loose(
    template: tuple[FaultyFiles, Model],
    kind: str,
    error: int,
    times: int | None,
    allowed: set[int],
    tally: Tally,
    *,
    data_lost: bool = True,
    path: str = "*",
) -> dict[str, int]:
    """The error at each operation of the kind in turn; how often what became of it."""
    files, model = template
    outcomes: dict[str, int] = {}
    for number in range(operations_of(template, kind)):
        label = f"{errno.errorcode[error]} at {kind} {number}"
        tally.points += 1
        life = Life(files.copy(), model, NOW)
        life.files.fail(
            kind, path, OSError(error, os.strerror(error)), after=number, times=times, data_lost=data_lost
        )
        try:
            outcome = run(life, allowed, label)
            if outcome == "stopped":
                check_stopped(life, label, tally)
            else:
                life.files.heal()
                life.check([life.model])
                driver.kill_and_start(life, None)
                resolve_all(life, True)
                second_life(life)
        except AssertionError as failure:
            raise AssertionError(f"{label}: {failure}") from failure
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes


@pytest.mark.parametrize("times", [1, None], ids=["once", "from then on"])
@pytest.mark.parametrize("kind", ["write", "create", "truncate"])
def test_a_full_disk_at_every_operation(
    template: tuple[FaultyFiles, Model], kind: str, times: int | None, record_property: Record
) -> None:
    tally = Tally()
    allowed = FULL_DISK | STOPPED | NOT_STARTED
    outcomes = let_loose(template, kind, errno.ENOSPC, times, allowed, tally)
    assert kind != "write" or outcomes.keys() >= {"stopped", "said so"}, outcomes
    record_property("crash_points", tally.points)
    record_property("restarts", tally.restarts)


@pytest.mark.parametrize("data_lost", [True, False], ids=["data lost", "data kept"])
def test_a_failing_sync_at_every_operation(
    template: tuple[FaultyFiles, Model], data_lost: bool, record_property: Record
) -> None:
    tally = Tally()
    outcomes = let_loose(template, "sync", errno.EIO, 1, STOPPED | NOT_STARTED, tally, data_lost=data_lost)
    assert outcomes["stopped"] > 30, outcomes
    record_property("crash_points", tally.points)
    record_property("restarts", tally.restarts)


@pytest.mark.parametrize("kind", ["write", "truncate", "sync_folder", "rename", "remove", "create", "open", "read"])
def test_an_io_error_at_every_operation(
    template: tuple[FaultyFiles, Model], kind: str, record_property: Record
) -> None:
    tally = Tally()
    allowed = FULL_DISK | STOPPED | NOT_STARTED | DAMAGED
    let_loose(template, kind, errno.EIO, 1, allowed, tally)
    record_property("crash_points", tally.points)
    record_property("restarts", tally.restarts)


@pytest.mark.parametrize("free", [0, 400, 512, 1000, 3000, 8000, 20000, 40000])
def test_a_disk_that_runs_full_loses_nothing(template: tuple[FaultyFiles, Model], free: int) -> None:
    """So many bytes are left, and never more. Gets and commits go on; puts say 2056 when there is no room."""
    files, model = template
    life = Life(files.copy(), model, NOW)
    life.files.set_free_space(free)
    refused = 0
    for number in range(60):
        before = life.model
        try:
            driver._put(life, "A", size=600)
        except MQError as error:
            assert error.reason == C.MQRC_STORAGE_MEDIUM_FULL, error
            refused += 1
            life.check([before])
        if number % 4 == 0:
            driver.get(life, None)
        if number % 10 == 9:
            driver.checkpoint(life, None)
    assert refused
    life.check([life.model])
    life.files.set_free_space(None)
    driver.put_large(life, None)
    driver.kill_and_start(life, None)
    second_life(life)


def test_a_second_opener_is_told_who_is_there(template: tuple[FaultyFiles, Model]) -> None:
    files, model = template
    life = Life(files.copy(), model, NOW)
    with pytest.raises(MQError, match="open") as refused:
        QueueManager.start(life.files, FOLDER, NAME, life.clock)
    assert refused.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE
    second_life(life)


def test_a_read_only_folder(template: tuple[FaultyFiles, Model]) -> None:
    files, model = template
    files = files.copy()
    files.read_only(FOLDER)
    with pytest.raises(MQError, match="Permission") as refused:
        life = Life(files, model, NOW)
        driver.define(life, None)
        driver.checkpoint(life, None)
        life.qm.end()
        life.start()
    assert refused.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE
    files.heal()
    life = restart(files, [model], NOW)
    second_life(life)


# Creation


def test_a_creation_cut_short_is_done_again(record_property: Record) -> None:
    """At every boundary of a creation: no queue manager, then it can be created; or a whole one."""
    trial = FaultyFiles()
    clock = VirtualClock(NOW)
    QueueManager.create(trial, FOLDER, NAME, clock, SMALL_LOG)
    tally = Tally()
    for crash_at in range(1, trial.operations + 1):
        files = FaultyFiles()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            QueueManager.create(files, FOLDER, NAME, clock, SMALL_LOG)
        tally.points += 1
        for disk in files.disk_states(random.Random(crash_at), STATES_MAX):
            tally.restarts += 1
            _can_be_used(disk, f"creation cut at {crash_at} ({files.crashed_in}), {disk.label}")
    record_property("crash_points", tally.points)
    record_property("restarts", tally.restarts)


@pytest.mark.parametrize("kind", ["write", "create", "sync", "sync_folder", "truncate", "rename", "remove"])
def test_a_creation_that_fails_can_be_repeated(kind: str) -> None:
    number = 0
    while True:
        files = FaultyFiles()
        files.fail(kind, "*", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), after=number)
        try:
            QueueManager.create(files, FOLDER, NAME, VirtualClock(NOW), SMALL_LOG)
            break
        except MQError as error:
            assert error.reason in (C.MQRC_STORAGE_MEDIUM_FULL, C.MQRC_FILE_SYSTEM_ERROR), error
        files.heal()
        _can_be_used(files, f"ENOSPC at {kind} {number} of a creation")
        number += 1
    assert number


def _can_be_used(files: FaultyFiles, label: str) -> None:
    clock = VirtualClock(NOW)
    try:
        if not QueueManager.exists(files, FOLDER):
            QueueManager.create(files, FOLDER, NAME, clock, SMALL_LOG)
        qm = QueueManager.start(files, FOLDER, NAME, clock)
        assert qm.find("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE") is not None
        qm.force(qm.define("QLOCAL", "Q", {}))
        qm.end()
        QueueManager.start(files, FOLDER, NAME, clock).end()
    except MQError as error:
        raise AssertionError(f"{label}: {error}") from error
