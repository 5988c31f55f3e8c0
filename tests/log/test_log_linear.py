"""The linear log: a growing sequence, extents formatted ahead, kept for media recovery, archived, deleted."""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace

import pytest

from libremq.log import Log, LogConfig, LogDamaged, LogError, LogFull, RecordType
from libremq.log.extents import extent_name, format_extent
from libremq.log.log_control_file import ControlState, create_control
from libremq.testing import FaultyFiles

FOLDER = "/log"
EXTENT = 64 * 4096
CONFIG = LogConfig(3, 2, 64, "LINEAR")


def make(config: LogConfig = CONFIG) -> tuple[FaultyFiles, Log]:
    files = FaultyFiles()
    return files, Log.create(files, FOLDER, config)


def put(log: Log, txn: int = 1, size: int = 60_000, *, reserve: bool = False) -> int:
    lsn = log.append(RecordType.PUT, txn, 0, (bytes(size),), reserve=reserve)
    log.force(lsn)
    return lsn


def fill(log: Log, *, reserve: bool = False) -> None:
    """Write until no more is taken."""
    with suppress(LogFull):
        while True:
            put(log, reserve=reserve)


def run_to(log: Log, extent: int, *, head_follows: bool = True) -> int:
    """Write until the tail, and the head if it follows, is in an extent, with a checkpoint after each record."""
    lsn = 0
    while lsn // EXTENT < extent:
        lsn = put(log, len(log.extents()), 60_000 if log.tail // EXTENT < extent else 10)
        if head_follows:
            log.record_checkpoint(lsn, lsn)
    return lsn


def names(files: FaultyFiles, folder: str = FOLDER) -> list[int]:
    return [int(name[1:8]) for name in files.list(folder) if name.endswith(".LOG")]


def states(log: Log) -> dict[int, str]:
    return {extent.extent: extent.state for extent in log.extents()}


def test_extents_are_numbered_on_and_on() -> None:
    files, log = make()
    assert names(files) == [0, 1, 2]
    run_to(log, 7)
    assert names(files) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert log.current_extent == log.restart_extent == "S0000007.LOG"
    assert log.media_extent == "S0000000.LOG"
    assert states(log) == {**dict.fromkeys(range(7), "media"), 7: "active"}
    for extent in range(8):
        first_page = files.content(f"{FOLDER}/{extent_name(extent)}")[:40]
        assert int.from_bytes(first_page[20:28], "little") == extent * EXTENT


def test_old_extents_are_read_back() -> None:
    files, log = make()
    lsns = []
    for txn in range(60):
        lsns.append(put(log, txn))
        log.record_checkpoint(lsns[-1], lsns[-1])
    assert log.tail // EXTENT > 12
    for reopened in (False, True):
        if reopened:
            log.abandon()
            log = Log.open(files, FOLDER)
        assert [record.lsn for record in log.scan(40)] == lsns
        assert [log.read(lsn).txn for lsn in reversed(lsns)] == list(reversed(range(60)))
        assert log.config == CONFIG


def test_the_active_log_is_limited_as_in_a_ring() -> None:
    files, log = make()
    fill(log)
    with pytest.raises(LogFull, match="are kept"):
        put(log)
    assert log.space().capacity_bytes == 5 * EXTENT
    assert 0.7 < log.space().used_fraction <= 0.8
    fill(log, reserve=True)
    with pytest.raises(LogFull):
        put(log, reserve=True)
    assert names(files) == [0, 1, 2, 3, 4]
    log.set_head(log.durable)
    put(log)


def test_extents_are_formatted_ahead_of_need() -> None:
    files, log = make()
    assert not log.prepare_next()  # two are there
    run_to(log, 2)
    assert log.prepare_next() and names(files) == [0, 1, 2, 3]
    assert log.prepare_next() and names(files) == [0, 1, 2, 3, 4]
    assert not log.prepare_next()
    assert states(log)[3] == states(log)[4] == "free"
    before = files.operations
    run_to(log, 3, head_follows=False)
    # Control file for the new extent, and a write and a sync for each force; no formatting.
    assert files.operations - before < 30
    log.abandon()
    # What was formatted ahead and is not in the control file is formatted again when it is needed.
    log = Log.open(files, FOLDER)
    run_to(log, 6)
    assert len(list(log.scan(40))) > 20
    circular = Log.create(files, "/ring", LogConfig(3, 2, 64))
    assert circular.prepare_next() is False


def test_media_lsn_and_head_say_what_is_unneeded() -> None:
    files, log = make()
    run_to(log, 6)
    assert log.unneeded() == []
    log.set_media(3 * EXTENT + 40)
    assert log.media_extent == "S0000003.LOG"
    assert log.unneeded() == ["S0000000.LOG", "S0000001.LOG", "S0000002.LOG"]
    with pytest.raises(ValueError, match="before the present one"):
        log.set_media(40)
    with pytest.raises(ValueError, match="not on disk"):
        log.set_media(log.tail + 1)
    # The head counts as well: media images may be later than the oldest unit of work.
    log.set_media(log.durable)
    assert log.unneeded() == [extent_name(n) for n in range(6)]
    log.close()
    log = Log.open(files, FOLDER)
    assert log.media_extent == log.current_extent == "S0000006.LOG"


def test_manual_management_deletes_only_when_told() -> None:
    files, log = make()
    run_to(log, 4)
    log.set_media(log.head)
    run_to(log, 6)
    assert names(files) == [0, 1, 2, 3, 4, 5, 6]
    assert log.delete_extents() == [extent_name(n) for n in range(4)]
    assert names(files) == [4, 5, 6] and log.delete_extents() == []
    with pytest.raises(LogError, match="no longer in the log: extent S0000000"):
        log.scan(40)
    log.abandon()
    log = Log.open(files, FOLDER)
    assert states(log) == {4: "media", 5: "media", 6: "active"}


def test_automatic_management_deletes_at_checkpoints() -> None:
    files, log = make(replace(CONFIG, log_management="Automatic"))
    for _ in range(40):
        lsn = put(log)
        log.set_media(lsn)
        log.record_checkpoint(lsn, lsn)
    assert log.tail // EXTENT > 8
    assert names(files) == [log.tail // EXTENT]


def test_archive_management_waits_for_the_archive() -> None:
    files, log = make(replace(CONFIG, log_management="Archive"))
    run_to(log, 5)
    log.set_media(log.head)
    run_to(log, 6)
    assert names(files) == list(range(7)) and log.delete_extents() == []
    log.mark_archived("S0000003.LOG")
    assert log.delete_extents() == ["S0000003.LOG"]
    log.mark_archived("S0000000.LOG")
    run_to(log, 7)
    assert names(files) == [1, 2, 4, 5, 6, 7]
    assert log.archive("/archive") == ["S0000001.LOG", "S0000002.LOG", "S0000004.LOG"]
    assert names(files, "/archive") == [1, 2, 4]
    assert log.archive("/archive") == []
    log.close()
    log = Log.open(files, FOLDER)
    assert [extent.extent for extent in log.extents() if extent.archived] == [1, 2, 4]
    run_to(log, 8)
    assert names(files) == [5, 6, 7, 8]
    with pytest.raises(ValueError, match="not the name"):
        log.mark_archived("S1.LOG")


def test_archived_extents_are_whole_and_can_be_put_back() -> None:
    files, log = make()
    run_to(log, 5)
    before = {n: files.content(f"{FOLDER}/{extent_name(n)}") for n in range(5)}
    expected = [(record.lsn, record.txn) for record in log.scan(40)]
    log.set_media(log.head)
    log.archive("/archive")
    assert {n: files.content(f"/archive/{extent_name(n)}") for n in names(files, "/archive")} == before
    log.delete_extents()
    for number, content in before.items():
        files.open(f"{FOLDER}/{extent_name(number)}", create=True).write(0, content)
    assert [(record.lsn, record.txn) for record in log.scan(40)] == expected


def test_a_function_archives_and_may_fail() -> None:
    _, log = make()
    run_to(log, 5)
    log.set_media(log.head)
    seen: list[str] = []

    def archiver(path: str) -> None:
        if len(seen) == 2:
            raise OSError("no more tape")
        seen.append(path)

    with pytest.raises(OSError, match="tape"):
        log.archive(archiver)
    assert seen == [f"{FOLDER}/S0000000.LOG", f"{FOLDER}/S0000001.LOG"]
    assert [extent.archived for extent in log.extents()][:3] == [True, True, False]


def test_extents_deleted_by_hand_are_missed_only_if_needed() -> None:
    files, log = make()
    run_to(log, 6)
    log.set_media(2 * EXTENT + 40)
    log.close()
    files.remove(f"{FOLDER}/S0000000.LOG")
    said: list[str] = []
    log = Log.open(files, FOLDER, say=said.append)
    assert said == []
    log.close()
    files.remove(f"{FOLDER}/S0000003.LOG")
    log = Log.open(files, FOLDER, say=said.append)
    assert len(said) == 1 and "S0000003.LOG" in said[0] and "media recovery" in said[0]
    with pytest.raises(LogError, match="S0000003"):
        log.scan(log.media)
    log.close()
    files.remove(f"{FOLDER}/{log.current_extent}")
    with pytest.raises(LogDamaged, match="missing"):
        Log.open(files, FOLDER)


def test_a_control_file_older_than_the_sequence_is_refused() -> None:
    files, log = make()
    control = f"{FOLDER}/amqhlctl.lfh"
    old = files.content(control)
    run_to(log, 5)
    log.abandon()
    files.overwrite(control, 0, old)
    with pytest.raises(LogDamaged, match="does not know of"):
        Log.open(files, FOLDER)


def test_circular_logs_have_no_media_lsn() -> None:
    log = Log.create(FaultyFiles(), FOLDER, LogConfig(2, 1, 64))
    assert log.media_extent == ""
    for use in (lambda: log.set_media(40), lambda: log.archive("/a"), lambda: log.delete_extents()):
        with pytest.raises(LogError, match="circular"):
            use()
    assert [extent.state for extent in log.extents()] == ["active", "free"]


def at_extent(number: int) -> tuple[FaultyFiles, Log]:
    """A linear log that has come far."""
    files = FaultyFiles()
    files.make_folder(FOLDER)
    ring = (number, number + 1)
    for extent in ring:
        format_extent(files, FOLDER, extent, EXTENT)
    files.sync_folder(FOLDER)
    start = number * EXTENT + 40
    state = ControlState(secrets.token_bytes(6), 3, CONFIG, start, 0, start, start, number, ring)
    create_control(files, FOLDER, state)
    return files, Log.open(files, FOLDER)


def test_extent_numbers_run_out_long_before_they_wrap() -> None:
    files, log = at_extent(9_998_998)
    run = 0
    with pytest.raises(LogFull, match="give it a new log"):
        for run in range(100):
            put(log, run)
            log.set_head(log.durable)
    assert run > 5 and log.current_extent == "S9998999.LOG"
    assert log.failed is None
    lsn = put(log, reserve=True)
    log.record_checkpoint(lsn, lsn)
    log.close()
    assert Log.open(files, FOLDER).current_extent in ("S9998999.LOG", "S9999000.LOG")
    _, log = at_extent(9_999_998)
    with pytest.raises(LogFull, match="9999999"):
        while True:
            put(log, reserve=True)
            log.set_head(log.durable)
