"""Power cuts at every boundary of small workloads, and in the restart after them.

Promised after every cut: each record forced before it is there, in order; of the others at most a prefix; nothing
else; and what one restart has seen the next one sees too.
"""

from __future__ import annotations

import random

import pytest
from helper_log_crash import (
    CIRCULAR,
    DIRECT,
    DIRECT_DUAL,
    DIRECT_LINEAR,
    DIRECT_SINGLE,
    DUAL,
    FOLDER,
    LINEAR,
    LINEAR_DUAL,
    SINGLE,
    SMALL,
    Kind,
    Ledger,
    Workload,
    checkpoints,
    close,
    one_force,
    sequence,
    several_forces,
    small_forces,
    stretch_and_release,
    wrap,
    wrap_with_secondary,
)

from libremq.log import Log, LogFailed, RecordType
from libremq.testing import FaultyFiles, PowerCut


@pytest.fixture(scope="module")
def template() -> FaultyFiles:
    return CIRCULAR.template()


@pytest.mark.parametrize(
    ("kind", "workload", "states_max"),
    [
        (CIRCULAR, one_force, None),
        (CIRCULAR, several_forces, 30),
        (CIRCULAR, small_forces, 30),
        (CIRCULAR, checkpoints, 30),
        (CIRCULAR, close, None),
        (CIRCULAR, wrap, 20),
        (CIRCULAR, wrap_with_secondary, 20),
        (CIRCULAR, stretch_and_release, 6),
        (SINGLE, several_forces, 30),
        (SINGLE, small_forces, 30),
        (SINGLE, checkpoints, 30),
        (SINGLE, wrap_with_secondary, 10),
        (DUAL, one_force, None),
        (DUAL, small_forces, 12),
        (DUAL, checkpoints, 12),
        (DUAL, wrap_with_secondary, 5),
        (DUAL, close, 20),
        (LINEAR, small_forces, 12),
        (LINEAR, checkpoints, 12),
        (LINEAR, wrap, 8),
        (LINEAR, sequence, 10),
        (LINEAR_DUAL, sequence, 4),
        (DIRECT, one_force, None),
        (DIRECT, several_forces, 30),
        (DIRECT, small_forces, 30),
        (DIRECT, checkpoints, 30),
        (DIRECT, close, None),
        (DIRECT, wrap, 20),
        (DIRECT, wrap_with_secondary, 20),
        (DIRECT, stretch_and_release, 6),
        (DIRECT_SINGLE, several_forces, 30),
        (DIRECT_SINGLE, small_forces, 30),
        (DIRECT_SINGLE, wrap_with_secondary, 10),
        (DIRECT_DUAL, one_force, None),
        (DIRECT_DUAL, small_forces, 12),
        (DIRECT_DUAL, wrap_with_secondary, 5),
        (DIRECT_LINEAR, small_forces, 12),
        (DIRECT_LINEAR, sequence, 10),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_power_cut_at_every_boundary(kind: Kind, workload: Workload, states_max: int | None) -> None:
    rng = random.Random(7)
    template = kind.template()
    operations = kind.run(template, workload, Ledger(), None).operations
    tried = 0
    for crash_at in range(1, operations + 2):
        ledger = Ledger()
        crashed = kind.run(template, workload, ledger, crash_at)
        for disk in kind.states(crashed, rng, states_max):
            label = f"{kind} {workload.__name__} cut at {crash_at} of {operations} ({crashed.crashed_in}): {disk.label}"
            log = kind.open(disk)
            seen = ledger.check(log, label)
            # Life goes on behind what was found, and nothing beyond the end comes back.
            last = log.append(RecordType.COMMIT, 1, 0, (b"after",), reserve=True)
            log.force(last)
            log.abandon()
            log = kind.open(disk)
            start = min(log.head, log.media) if log.config.linear else log.head
            again = [(record.lsn, record.payload) for record in log.scan(start)]
            assert again == [*seen, (last, b"after")], label
            log.abandon()
            tried += 1
    assert tried > operations


@pytest.mark.parametrize("kind", [CIRCULAR, SINGLE, DUAL, LINEAR, DIRECT, DIRECT_SINGLE, DIRECT_DUAL], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_power_cuts_in_turn(kind: Kind, seed: int) -> None:
    """Cut, restart, cut again, several times: what a restart has seen stays, whatever the cuts leave of the rest."""
    rng = random.Random(seed)
    template = kind.template()
    for trial in range(30 if kind.config.second_folder else 60):
        files = template.copy()
        kept: list[tuple[int, bytes]] = []
        for life in range(5):
            ledger = Ledger()
            ledger.appended = kept.copy()
            ledger.promised = len(kept)
            files.crash_at = rng.randrange(1, 36 if kind.config.second_folder else 18)
            label = f"seed {seed}, trial {trial}, life {life}, {files.label}"
            try:
                log = kind.open(files)
                kept = ledger.check(log, label)
                for _ in range(rng.randrange(1, 9)):
                    for _ in range(rng.randrange(1, 4)):
                        ledger.append(log, rng.choice((0, 10, 50, 700, 3900, 4028, 5000, 13000)))
                    if rng.random() < 0.8:
                        ledger.force(log)
            except PowerCut:
                pass
            files = rng.choice(list(kind.states(files, rng, 30)))
            log = kind.open(files.copy())
            kept = ledger.check(log, label)
            log.abandon()


def test_a_killed_process_leaves_what_a_restart_saw(template: FaultyFiles) -> None:
    """Pages written but not synced live in the system's cache; once a restart has read them they must stay."""
    files = template.copy()
    log = Log.open(files, FOLDER)
    files.fail("sync", "*.LOG", data_lost=False)
    lsn = log.append(RecordType.PUT, 1, 0, (b"written, not synced",))
    with pytest.raises(LogFailed):
        log.force(lsn)
    log.abandon()
    log = Log.open(files, FOLDER)
    assert [record.payload for record in log.scan(log.head)] == [b"written, not synced"]
    for disk in files.disk_states():
        log = Log.open(disk, FOLDER)
        assert [record.payload for record in log.scan(log.head)] == [b"written, not synced"]


@pytest.mark.parametrize("torn", [False, True])
def test_a_failed_sync_does_not_undermine_what_comes_after_the_restart(template: FaultyFiles, torn: bool) -> None:
    """After a failed sync the cache shows pages the disk has not got, and the next sync writes nothing of them."""
    started = template.copy()
    log = Log.open(started, FOLDER)
    log.force(log.append(RecordType.PUT, 1, 0, (b"before",)))
    started.fail("sync", "*.LOG", torn=torn)
    log.append(RecordType.PUT, 2, 0, (bytes(9000),))
    with pytest.raises(LogFailed):
        log.force()
    log.abandon()
    assert [str(operation) for operation in started.unsynced()] == []

    def life(files: FaultyFiles) -> None:
        log = Log.open(files, FOLDER)
        assert [record.txn for record in log.scan(log.head)] == [1, 2]
        log.force(log.append(RecordType.PUT, 3, 0, (b"after",)))

    trial = started.copy()
    life(trial)
    assert {tuple(r.txn for r in Log.open(disk, FOLDER).scan(40)) for disk in trial.disk_states()} == {(1, 2, 3)}
    for crash_at in range(1, trial.operations + 1):
        files = started.copy()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            life(files)
        for disk in files.disk_states(random.Random(crash_at), 60):
            found = [record.txn for record in Log.open(disk, FOLDER).scan(40)]
            assert found in ([1], [1, 2], [1, 2, 3]), (crash_at, disk.label)


@pytest.mark.parametrize("torn", [False, True])
def test_a_failed_sync_is_made_good_for_longer_than_one_restart(template: FaultyFiles, torn: bool) -> None:
    """The doubtful pages fill their extent, so that no later force happens to sync the same file."""
    files = template.copy()
    log = Log.open(files, FOLDER)
    log.force(log.append(RecordType.PUT, 1, 0, (bytes(61 * 4056 - 28),)))
    files.fail("sync", "*.LOG", torn=torn)
    log.append(RecordType.PUT, 2, 0, (bytes(3 * 4056 - 28),))
    with pytest.raises(LogFailed):
        log.force()
    log.abandon()
    for txn in (3, 4):
        log = Log.open(files, FOLDER)
        log.force(log.append(RecordType.PUT, txn, 0, (b"after",)))
        log.abandon()
    for disk in files.disk_states():
        log = Log.open(disk, FOLDER)
        assert [record.txn for record in log.scan(log.head)] == [1, 2, 3, 4], disk.label


def test_a_cut_while_the_tail_is_written_again_harms_nothing(template: FaultyFiles) -> None:
    """The last force was acknowledged, but nothing on disk says so; restart writes its pages again. Cut it twice."""
    started = template.copy()
    log = Log.open(started, FOLDER)
    log.append(RecordType.PUT, 1, 0, (bytes(5000),))
    log.force()
    log.abandon()
    extent = f"{FOLDER}/S0000000.LOG"
    trial = started.copy()
    Log.open(trial, FOLDER)
    rng = random.Random(3)
    once = []
    for crash_at in range(1, trial.operations + 1):
        files = started.copy()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            Log.open(files, FOLDER)
        for disk in files.disk_states(rng):
            assert [record.txn for record in Log.open(disk.copy(), FOLDER).scan(40)] == [1], disk.label
            once.append(disk)
    bad = [disk for disk in once if disk.content(extent) != started.content(extent)]
    assert len(bad) > 4
    for disk in [*rng.sample(once, 4), *rng.sample(bad, 4)]:
        trial = disk.copy()
        Log.open(trial, FOLDER)
        for crash_at in range(1, trial.operations + 1):
            files = disk.copy()
            files.crash_at = crash_at
            with pytest.raises(PowerCut):
                Log.open(files, FOLDER)
            for twice in files.disk_states(rng):
                label = f"{disk.label}, then {crash_at}: {twice.label}"
                assert [record.txn for record in Log.open(twice, FOLDER).scan(40)] == [1], label


def test_pages_of_an_earlier_epoch_are_never_replayed(template: FaultyFiles) -> None:
    """The first of two pages is lost, the second stays on disk; the next incarnation writes the first anew."""
    files = template.copy()
    log = Log.open(files, FOLDER)
    log.force(log.append(RecordType.PUT, 1, 0, (b"kept".ljust(4028),)))
    first = log.append(RecordType.PUT, 2, 0, (bytes(4028),))
    log.append(RecordType.PUT, 3, 0, (b"stale",))
    log.force()
    page = first - first % 4096
    assert files.content(f"{FOLDER}/S0000000.LOG")[page + 4096 : page + 4100] == b"LMQ\x02"
    files.overwrite(f"{FOLDER}/S0000000.LOG", page, bytes(4096))
    log.abandon()
    log = Log.open(files, FOLDER)
    assert [record.payload.rstrip() for record in log.scan(log.head)] == [b"kept"]
    log.force(log.append(RecordType.PUT, 4, 0, (bytes(4028),)))
    log.abandon()
    log = Log.open(files, FOLDER)
    assert [record.txn for record in log.scan(log.head)] == [1, 4]
    assert "left over from epoch" in log.end_reason


def test_a_later_page_of_an_epoch_without_its_first_is_not_replayed(template: FaultyFiles) -> None:
    """An unfinished record's page, still whole from an earlier epoch, must not bridge to a later second page."""
    files = template.copy()
    log = Log.open(files, FOLDER)
    log.force(log.append(RecordType.PUT, 1, 0, (bytes(4028),)))
    lsn = log.append(RecordType.PUT, 2, 0, (bytes(12000),))
    log.force()
    page = lsn - lsn % 4096
    extent = f"{FOLDER}/S0000000.LOG"
    files.overwrite(extent, page + 2 * 4096, bytes(2 * 4096))
    log.abandon()
    # Pages 0 and 1 of the unfinished record are whole. The next epoch begins over page 0 with two pages.
    before = files.content(extent)[page : page + 4096]
    log = Log.open(files, FOLDER)
    log.append(RecordType.PUT, 3, 0, (bytes(4028),))
    log.append(RecordType.PUT, 4, 0, (b"second page",))
    log.force()
    log.abandon()
    files.overwrite(extent, page, before)
    log = Log.open(files, FOLDER)
    assert [record.txn for record in log.scan(log.head)] == [1]


def test_creation_cut_short_leaves_no_log_or_a_whole_one() -> None:
    trial = FaultyFiles()
    Log.create(trial, FOLDER, SMALL).abandon()
    for crash_at in range(1, trial.operations + 1):
        files = FaultyFiles()
        files.crash_at = crash_at
        with pytest.raises(PowerCut):
            Log.create(files, FOLDER, SMALL)
        for disk in files.disk_states(random.Random(crash_at), 20):
            if disk.exists(f"{FOLDER}/amqhlctl.lfh"):
                log = Log.open(disk, FOLDER)
            else:
                log = Log.create(disk, FOLDER, SMALL)
            assert list(log.scan(log.head)) == []
            log.force(log.append(RecordType.PUT, 1, 0, (b"x",)))
