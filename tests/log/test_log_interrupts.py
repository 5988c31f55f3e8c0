"""Ctrl-C at every call inside the log: it goes on afterwards, and every record that was appended is in it, once.

CPython looks for signals when a function is entered and when a call returns, so an interrupt is raised at each of these
points in turn. The caller catches it and goes on with the same log.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from libremq.log import Log, LogConfig, LogFailed, RecordType
from libremq.testing import FaultyFiles

FOLDER, SECOND = "/log", "/copy"
EXTENT = 64 * 4096

CONFIGS = {
    "SingleWrite": LogConfig(2, 4, 64, write_integrity="SingleWrite"),
    "TripleWrite": LogConfig(2, 4, 64),
    "dual": LogConfig(2, 4, 64, second_folder=SECOND),
    "linear": LogConfig(2, 4, 64, "LINEAR", log_management="Automatic"),
}
KINDS = (*CONFIGS, "TripleWrite, direct", "dual, direct")


def files_and_config(kind: str) -> tuple[FaultyFiles, LogConfig]:
    name, _, direct = kind.partition(", ")
    return FaultyFiles(direct=bool(direct)), CONFIGS[name]


Appended = list[tuple[int, int]]


def interrupt_at(number: int, work: Callable[[], None]) -> bool:
    """Run the work with an interrupt at its n-th point; False if it has fewer."""
    seen = 0

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal seen
        # The double of the file system stands for system calls, which are done or not when a signal is looked for.
        if event in ("call", "c_return") and "/testing/" not in frame.f_code.co_filename:
            seen += 1
            if seen == number:
                sys.setprofile(None)
                raise KeyboardInterrupt

    gc.disable()  # what is collected meanwhile is not ours, and would swallow the interrupt
    sys.setprofile(profile)
    try:
        work()
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(None)
        gc.enable()
    return seen >= number


def put(log: Log, txn: int, size: int, appended: Appended) -> int:
    lsn = log.append(RecordType.PUT, txn, 0, (bytes(size // 2), bytes(size - size // 2)))
    appended.append((lsn, txn))
    return lsn


def fill(log: Log, end: int, appended: Appended) -> None:
    """Write up to a position, the head following."""
    while log.tail < end:
        log.force(put(log, 0, min(60_000, max(100, end - log.tail - 3000)), appended))
        log.set_head(appended[-1][0])


def small_forces(log: Log, appended: Appended) -> None:
    """A page that is gone on in, a record that runs over into the next, and one that starts behind its end."""
    for txn, size in ((1, 700), (2, 700), (3, 3500), (4, 100)):
        log.force(put(log, txn, size, appended))


def next_extent(log: Log, appended: Appended) -> None:
    """Over the end of the last extent that has a file, with a control file to be written first."""
    put(log, 1, 5000, appended)
    log.force(put(log, 2, 9000, appended))
    log.force(put(log, 3, 200, appended))


def checkpoint(log: Log, appended: Appended) -> None:
    """A file leaves the ring, or extents the sequence; the next is prepared."""
    lsn = put(log, 1, 300, appended)
    if log.config.linear:
        log.set_media(log.head)
        log.prepare_next()
    log.record_checkpoint(lsn, lsn)
    log.space()
    log.statistics()
    log.force(put(log, 2, 300, appended))


def stretched(log: Log, appended: Appended) -> None:
    """Use the secondaries."""
    while len(log.statistics().file_numbers) < 5:
        log.force(put(log, 0, 60_000, appended))
    if log.config.linear:
        log.record_checkpoint(appended[-1][0], appended[-1][0])
    else:
        log.set_head(appended[-1][0])


def done_without(log: Log) -> None:
    """Go on without the secondaries until one has left, and the next to leave is neither in use nor the last."""
    appended: Appended = []
    fill(log, 11 * EXTENT + 9000, appended)
    assert log.statistics().file_numbers[-1] == 1
    log.record_checkpoint(appended[-1][0], appended[-1][0])
    assert log.statistics().file_numbers == (1, 2, 3, 0)


def before_the_end(log: Log, appended: Appended) -> None:
    fill(log, 4 * EXTENT - 6000, appended)


def nothing(log: Log, appended: Appended) -> None:
    fill(log, 9000, appended)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("prepare", "work"),
    [(nothing, small_forces), (before_the_end, next_extent), (stretched, checkpoint)],
    ids=["small forces", "next extent", "checkpoint"],
)
def test_an_interrupt_at_any_call_leaves_the_log_consistent(
    prepare: Callable[[Log, Appended], None], work: Callable[[Log, Appended], None], kind: str
) -> None:
    template, config = files_and_config(kind)
    before: Appended = []
    log = Log.create(template, FOLDER, config)
    prepare(log, before)
    log.abandon()
    step = 1 if work is small_forces else 7 if config.second_folder or config.linear else 5
    point = points = 0
    interrupted = True
    while interrupted:
        point += step
        files = template.copy()
        log = Log.open(files, FOLDER)
        if prepare is stretched and not config.linear:
            done_without(log)
        appended: Appended = []
        start = log.durable
        label = f"{kind}, {work.__name__}, point {point}"
        interrupted = interrupt_at(point, lambda log=log, appended=appended: work(log, appended))  # type: ignore[misc]
        # It goes on as if nothing had been, also in the extents that another file may have been meant for.
        for txn in range(7, 13):
            log.force(put(log, txn, 90_000 if work is checkpoint else 500, appended))
        check(log, start, appended, label)
        crashed = files.copy()
        log.record_checkpoint(appended[-1][0], log.head)
        log.force(put(log, 20, 100, appended))
        assert log.failed is None, label
        check(log, start, appended, label)
        log.abandon()
        for disk, promised in ((crashed, appended[:-1]), (files, appended)):
            log = Log.open(disk, FOLDER)
            check(log, start, promised, label)
            log.abandon()
        points += 1
    assert points > 20


def check(log: Log, start: int, appended: Appended, label: str) -> None:
    """What was appended is there; one more may be, whose append was done but could not tell."""
    start = max(start, log.head)
    found = [(record.lsn, record.txn) for record in log.scan(start)]
    expected = [row for row in appended if row[0] >= start]
    assert [row for row in found if row in expected] == expected, label
    assert len(found) <= len(expected) + 1, label
    for lsn, txn in found:
        assert log.read(lsn).txn == txn, label


@pytest.mark.parametrize("what", ["write", "sync"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "linear"])
def test_a_failure_is_not_forgotten_for_an_interrupt(kind: str, what: str) -> None:
    """The disk fails once, and Ctrl-C comes at the same moment: the next force must not claim success."""
    template, config = files_and_config(kind)
    Log.create(template, FOLDER, config).abandon()
    failing = (f"{FOLDER}/*.LOG", f"{SECOND}/*.LOG") if config.second_folder else (f"{FOLDER}/*.LOG",)
    for paths in failing:
        point = 0
        interrupted = True
        noticed = 0
        while interrupted:
            point += 1
            files = template.copy()
            log = Log.open(files, FOLDER)
            lsn = log.append(RecordType.PUT, 1, 0, (b"x",))
            files.fail(what, paths, times=1)

            def work(log: Log = log, lsn: int = lsn) -> None:
                with contextlib.suppress(LogFailed):
                    log.force(lsn)

            interrupted = interrupt_at(point, work)
            with contextlib.suppress(LogFailed):
                log.force(log.append(RecordType.PUT, 2, 0, (b"y",)))
            assert log.failed is not None, (paths, point)
            noticed += 1
            log.abandon()
        assert noticed > 15
