"""Errors of the file system: every call that hears of one says so clearly, and nothing that was promised is lost.

One error at a time is let loose at every operation of its kind, in a workload that touches all there is. Either the
queue manager carries on, or it stops for good (contract 4): then the next start shows what was acknowledged.
"""

from __future__ import annotations

import errno
import os
import random
from collections import Counter

import crash_driver as driver
import pytest
from crash_driver import FOLDER, NAME, NOW, Life, Operation, resolve_all, restart, second_life
from crash_kinds import Listed, Listing, report_outcomes
from crash_matrix import AUTOMATIC, CIRCULAR, DUAL, DUAL_LINEAR, SINGLE, STRETCHED, Configuration, Template
from crash_model import UNIT
from crash_points import LEVEL, Record, Tally, by_level, key_of

from libremq.host import lifecycle
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, PowerCut, VirtualClock

STATES_MAX = by_level(3, 4, 60)
EACH_MAX = by_level(1, 3, 1 << 60)
"""Of the operations of one kind on one kind of file so many are made to fail, drawn by seed."""
CREATION_STEP = by_level(5, 1, 1)
"""Every so manieth operation of a creation is tried."""

CONFIGURATIONS = (CIRCULAR, STRETCHED, SINGLE, AUTOMATIC, DUAL, DUAL_LINEAR)
everywhere = pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)

# Everything that writes, in an order in which each has something to do
WORKLOAD: tuple[Operation, ...] = (
    driver.put, driver.define, driver.put_to_new, driver.put_nonpersistent, driver.put_large, driver.unit_put,
    driver.checkpoint, driver.unit_get, driver.commit, driver.alter, driver.put, driver.put, driver.unit_get,
    driver.back_out, driver.prepare_branch, driver.end_and_start, driver.put_large, driver.get, driver.resolve_commit,
    driver.put_nonpersistent, driver.put_nonpersistent, driver.put_nonpersistent, driver.delete, driver.put_expiring,
    driver.scan_expired, driver.clear, driver.checkpoint, driver.put_large, driver.put_large, driver.get,
    driver.kill_and_start, driver.unit_put, driver.commit, driver.checkpoint,
)  # fmt: skip

# Files that are overwritten in place: after a failed sync nobody knows what they hold
IN_PLACE = {"extent", "shadow file", "control file", "tail file", "queue file"}

FULL_DISK = {C.MQRC_STORAGE_MEDIUM_FULL, C.MQRC_RESOURCE_PROBLEM}
STOPPED = {C.MQRC_CONNECTION_BROKEN}
NOT_STARTED = {C.MQRC_Q_MGR_NOT_AVAILABLE}
DAMAGED = {C.MQRC_OBJECT_DAMAGED}


@pytest.fixture(scope="module")
def template() -> Template:
    return CIRCULAR.template()


def workload_of(configuration: Configuration) -> tuple[Operation, ...]:
    """With what only this kind of log does in the middle of it."""
    middle = len(WORKLOAD) // 2
    return (*WORKLOAD[:middle], *configuration.more, *WORKLOAD[middle:])


def operations_of(configuration: Configuration, kind: str) -> list[Listed]:
    """The operations of a kind that the workload makes: so many of each kind of file."""
    files, model = configuration.template()
    listing = Listing(files, kind)
    life = Life(listing, model, NOW)
    listing.listed.clear()
    for operation in workload_of(configuration):
        operation(life, None)
    by_row: dict[str, list[Listed]] = {}
    for number, row in enumerate(listing.listed):
        by_row.setdefault(row, []).append(Listed(number, row))
    chosen: list[Listed] = []
    for row, found in by_row.items():
        most = EACH_MAX * 3 if row.startswith("extent") else EACH_MAX  # some of them at a start, some in a verb
        if len(found) > most:
            found = random.Random(f"{configuration} {row}").sample(found, most)
        chosen += found
    return sorted(chosen)


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


def run(life: Life, workload: tuple[Operation, ...], allowed: set[int], label: str) -> str:
    """Run the workload in spite of the error to come; returns what became of the queue manager."""
    outcome = "went on"
    for operation in workload:
        ended = life.qm
        try:
            operation(life, None)
            if life.qm is not ended and (ended.failure or ended.end_note) and operation is driver.end_and_start:
                outcome = "ended badly, started"
            continue
        except MQError as error:
            assert error.reason in allowed, f"{label}, {operation.__name__}: {error}"
            assert str(error).count(" ") > 5, f"{label}: {error!r} does not say what to do"
        starting = operation in (driver.end_and_start, driver.kill_and_start)
        if life.qm.failure is not None and not starting:
            return "stopped"
        outcome = "not started" if starting else "said so"
        life.files.heal()
        if starting:
            if life.qm is ended:
                life.start()
            life.check([*life.acceptable, *[model.crashed() for model in life.acceptable]])
        else:
            before = life.model.copy()
            give_up_unit(life)
            after = life.acceptable[0]
            life.check([life.model, after, before])
    return outcome


def check_stopped(life: Life, error: int, label: str, tally: Tally) -> None:
    """A queue manager that stopped says so to everybody, and its files hold what was acknowledged."""
    with pytest.raises(MQError) as refused:
        life.qm.depth("A")
    assert refused.value.reason == C.MQRC_CONNECTION_BROKEN, label
    assert os.strerror(error) in str(refused.value), f"{label}: {refused.value} does not say why"
    life.qm.end()
    life.files.heal()
    for disk in (life.files, *life.files.disk_states(random.Random(label), STATES_MAX)):
        tally.restarts += 1
        tally.states += 1
        try:
            again = restart(disk.copy(), life.acceptable, life.now)
            resolve_all(again, bool(tally.restarts % 2))
            second_life(again)
        except BaseException as failure:
            raise AssertionError(f"{label}, then {disk.label}: {type(failure).__name__}: {failure}") from failure


def let_loose(
    configuration: Configuration,
    kind: str,
    error: int,
    times: int | None,
    allowed: set[int],
    record_property: Record,
    table: str,
    *,
    data_lost: bool = True,
) -> dict[str, Counter[str]]:
    """The error at each operation of the kind in turn; what became of it, how often, by kind of file."""
    files, model = configuration.template()
    tally = Tally(configuration)
    rows: dict[str, Counter[str]] = {}
    for number, row in operations_of(configuration, kind):
        label = f"{configuration}: {errno.errorcode[error]} at {kind} {number} ({row})"
        tally.points.add(key_of(label, times, data_lost))
        life = Life(files.copy(), model, NOW)
        failing = OSError(error, os.strerror(error))
        life.files.fail(kind, "*", failing, after=number, times=times, data_lost=data_lost)
        try:
            outcome = run(life, workload_of(configuration), allowed, label)
            if outcome == "stopped":
                check_stopped(life, error, label, tally)
            else:
                life.files.heal()
                life.check([life.model])
                driver.kill_and_start(life, None)
                resolve_all(life, True)
                second_life(life)
        except AssertionError as failure:
            raise AssertionError(f"{label}: {failure}") from failure
        rows.setdefault(row, Counter())[outcome] += 1
    tally.report(record_property)
    report_outcomes(record_property, table, rows)
    return rows


@pytest.mark.parametrize("times", [1, None], ids=["once", "from then on"])
@pytest.mark.parametrize("kind", ["write", "create", "truncate", "sync_folder"])
@everywhere
def test_a_full_disk_at_every_operation(
    configuration: Configuration, kind: str, times: int | None, record_property: Record
) -> None:
    allowed = FULL_DISK | STOPPED | NOT_STARTED
    table = f"disk full, {'once' if times else 'from then on'}"
    rows = let_loose(configuration, kind, errno.ENOSPC, times, allowed, record_property, table)
    assert kind != "write" or "stopped" in sum(rows.values(), Counter()), rows


@pytest.mark.parametrize("data_lost", [True, False], ids=["data lost", "data kept"])
@everywhere
def test_a_failing_sync_at_every_operation(
    configuration: Configuration, data_lost: bool, record_property: Record
) -> None:
    allowed = STOPPED | NOT_STARTED
    table = f"sync fails once, {'data lost' if data_lost else 'data kept'}"
    rows = let_loose(configuration, "sync", errno.EIO, 1, allowed, record_property, table, data_lost=data_lost)
    for file in IN_PLACE & {row.removesuffix(": sync") for row in rows}:
        assert rows[f"{file}: sync"].keys() <= {"stopped", "not started", "ended badly, started"}, rows
    assert sum(rows.values(), Counter())["stopped"], rows


@pytest.mark.parametrize("kind", ["write", "truncate", "sync_folder", "rename", "remove", "create", "open", "read"])
@pytest.mark.parametrize("configuration", CONFIGURATIONS if LEVEL else (CIRCULAR, DUAL_LINEAR), ids=str)
def test_an_io_error_at_every_operation(configuration: Configuration, kind: str, record_property: Record) -> None:
    allowed = FULL_DISK | STOPPED | NOT_STARTED | DAMAGED
    let_loose(configuration, kind, errno.EIO, 1, allowed, record_property, "I/O error, once")


@pytest.mark.parametrize("free", [0, 400, 512, 1000, 3000, 8000, 20000, 40000])
def test_a_disk_that_runs_full_loses_nothing(template: Template, free: int) -> None:
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


def test_a_second_opener_is_told_who_is_there(template: Template) -> None:
    files, model = template
    life = Life(files.copy(), model, NOW)
    with pytest.raises(MQError, match="open") as refused:
        lifecycle.start(life.files, FOLDER, NAME, life.clock)
    assert refused.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE
    second_life(life)


def test_a_read_only_folder(template: Template) -> None:
    files, model = template
    files = files.copy()
    files.read_only(FOLDER)
    promised = [model]
    with pytest.raises(MQError, match="Permission") as refused:
        life = Life(files, model, NOW)
        driver.define(life, None)
        promised = [life.model.crashed()]  # the log is there and can be written: what was acknowledged stays
        driver.checkpoint(life, None)
        life.qm.end()
        life.start()
    assert refused.value.reason == C.MQRC_Q_MGR_NOT_AVAILABLE
    files.heal()
    life = restart(files, promised, NOW)
    second_life(life)


# Creation

CREATED = pytest.mark.parametrize("configuration", (CIRCULAR, AUTOMATIC, DUAL), ids=str)


@CREATED
def test_a_creation_cut_short_is_done_again(configuration: Configuration, record_property: Record) -> None:
    """At every boundary of a creation: no queue manager, then it can be created; or a whole one."""
    trial = FaultyFiles()
    clock = VirtualClock(NOW)
    lifecycle.create(trial, FOLDER, NAME, clock, configuration.log)
    tally = Tally(configuration)
    for crash_at in range(1, trial.operations + 1, CREATION_STEP):
        files = FaultyFiles()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            lifecycle.create(files, FOLDER, NAME, clock, configuration.log)
        tally.points.add(key_of(configuration.name, "creation", crash_at))
        for disk in files.disk_states(random.Random(crash_at), STATES_MAX):
            tally.states += 1
            tally.restarts += 1
            _can_be_used(disk, configuration, f"creation cut at {crash_at} ({files.crashed_in}), {disk.label}")
    tally.report(record_property)


@CREATED
@pytest.mark.parametrize("times", [1, None], ids=["once", "from then on"])
@pytest.mark.parametrize("kind", ["write", "create", "sync", "sync_folder", "truncate", "rename", "remove"])
def test_a_creation_that_fails_can_be_repeated(
    configuration: Configuration, kind: str, times: int | None, record_property: Record
) -> None:
    rows: dict[str, Counter[str]] = {}
    listing = Listing(FaultyFiles(), kind)
    lifecycle.create(listing, FOLDER, NAME, VirtualClock(NOW), configuration.log)
    for number, row in list(enumerate(listing.listed))[::CREATION_STEP]:
        files = FaultyFiles()
        files.fail(kind, "*", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), after=number, times=times)
        outcome = "created"
        try:
            lifecycle.create(files, FOLDER, NAME, VirtualClock(NOW), configuration.log)
        except MQError as error:
            assert error.reason in (C.MQRC_STORAGE_MEDIUM_FULL, C.MQRC_FILE_SYSTEM_ERROR), error
            assert os.strerror(errno.ENOSPC) in str(error), error
            outcome = "said so"
        files.heal()
        _can_be_used(files, configuration, f"ENOSPC at {kind} {number} ({row}) of a creation")
        rows.setdefault(f"creation, {row}", Counter())[outcome] += 1
    assert rows
    table = f"disk full, {'once' if times else 'from then on'}"
    report_outcomes(record_property, table, rows)


def _can_be_used(files: FaultyFiles, configuration: Configuration, label: str) -> None:
    clock = VirtualClock(NOW)
    try:
        if not lifecycle.exists(files, FOLDER):
            lifecycle.create(files, FOLDER, NAME, clock, configuration.log)
        qm = lifecycle.start(files, FOLDER, NAME, clock)
        assert qm.find("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE") is not None
        qm.force(qm.define("QLOCAL", "Q", {}))
        qm.end()
        lifecycle.start(files, FOLDER, NAME, clock).end()
    except MQError as error:
        raise AssertionError(f"{label}: {error}") from error
