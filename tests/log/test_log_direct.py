"""Pages written past the system's cache: the same bytes, the same failures, and another way where it cannot be done."""

from __future__ import annotations

import errno
import os
import random
from dataclasses import replace

import pytest

from libremq.log import Log, LogConfig, LogFailed, RecordType
from libremq.testing import FaultyFiles

FOLDER, SECOND = "/log", "/copy"
SMALL = LogConfig(3, 2, 64, buffer_pages=18)
CONFIGS = {
    "TripleWrite": SMALL,
    "SingleWrite": replace(SMALL, write_integrity="SingleWrite"),
    "dual": replace(SMALL, second_folder=SECOND),
    "linear": replace(SMALL, type="LINEAR"),
}


def make(config: LogConfig = SMALL) -> FaultyFiles:
    files = FaultyFiles(direct=True)
    Log.create(files, FOLDER, config).close()
    return files


def put(log: Log, size: int) -> int:
    return log.append(RecordType.PUT, 1, 0, (random.Random(size).randbytes(size),))


def contents(files: FaultyFiles) -> dict[str, bytes]:
    folders = [folder for folder in (FOLDER, SECOND) if files.exists(folder)]
    return {f"{folder}/{name}": files.content(f"{folder}/{name}") for folder in folders for name in files.list(folder)}


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("parallel", [False, True], ids=["in turn", "side by side"])
@pytest.mark.parametrize("seed", range(3))
def test_the_files_are_the_same(kind: str, parallel: bool, seed: int) -> None:
    """Also with batches that are larger than the buffer, and go on in the next extent."""
    template = make(CONFIGS[kind])
    found = []
    for way in ("AUTO", "NO"):
        files = template.copy()
        log = Log.open(files, FOLDER, direct_io=way, parallel_sync=parallel)
        rng = random.Random(seed)
        lsns = []
        for _ in range(60):
            for _ in range(rng.randrange(1, 4)):
                lsns.append(put(log, rng.choice((0, 10, 100, 700, 2000, 4028, 9000, 17 * 4096, 90_000))))
            log.force()
            assert not [one for one in files.unsynced() if ".LOG" in one or "shd" in one]
            log.set_head(lsns[-1])
        assert (log._extents.direct, log.config.direct_io) == (way == "AUTO", way)
        log.abandon()
        found.append(contents(files))
    assert found[0] == found[1]


def test_only_what_is_written_to_is_open_twice() -> None:
    files = make()
    log = Log.open(files, FOLDER)
    opened = []
    while log.tail < 20 * log.config.extent_bytes:
        for size in (100, 100, 60_000):
            log.force(put(log, size))
        log.set_head(log.durable)
        opened.append(len([entry for _, entry in log._extents.entries() if entry.direct]))
    assert set(opened) <= {1, 2}


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("what", ["write", "sync"])
def test_a_failed_write_is_the_end(kind: str, torn: bool, what: str) -> None:
    files = make(CONFIGS[kind])
    if kind == "SingleWrite":
        files.atom_bytes = 4096  # it is for such devices
    log = Log.open(files, FOLDER)
    promised = put(log, 700)
    log.force(promised)
    files.fail(what, "/*/S*.LOG", torn=torn)
    files.fail(what, "/*/amqhlshd.lfh", torn=torn)
    with pytest.raises(LogFailed, match="The queue manager must end"):
        log.force(put(log, 700))
    files.heal()
    for _ in range(2):
        with pytest.raises(LogFailed):
            log.force(log.durable)
        with pytest.raises(LogFailed):
            put(log, 1)
    log.abandon()
    for disk in files.disk_states():
        log = Log.open(disk, FOLDER)
        assert next(iter(log.scan(promised))).lsn == promised
        log.force(put(log, 5000))
        log.abandon()


@pytest.mark.parametrize("copies", [1, 2])
def test_a_file_that_cannot_be_opened_so_is_written_through_the_cache(copies: int) -> None:
    """With too many open files, say: what is promised is on disk all the same."""
    files = make(CONFIGS["dual"] if copies == 2 else SMALL)
    too_many = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    files.fail("open_direct", "/log/S*" if copies == 1 else "/copy/*", too_many, times=3)
    log = Log.open(files, FOLDER)
    lsns = []
    for size in (100, 200, 9000, 60, 300, 100_000, 10, 20, 30):
        lsns.append(put(log, size))
        log.force(lsns[-1])
        disk = next(files.disk_states())
        assert [record.lsn for record in Log.open(disk, FOLDER).scan(lsns[0])] == lsns
    assert any(entry.direct for _, entry in log._extents.entries())


def test_with_one_folder_that_cannot_do_it_none_does() -> None:
    files = make(CONFIGS["dual"])
    files.writes_directly = lambda folder: folder == FOLDER  # type: ignore[method-assign]
    log = Log.open(files, FOLDER)
    assert not log._extents.direct
