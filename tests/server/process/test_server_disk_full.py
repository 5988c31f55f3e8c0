"""A served queue manager on a real file system of its own that is full: fill, drain, end and start again."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_cli import Commands

import libremq
from libremq.mqi import constants as C
from libremq.store.reserve import RESERVE_FILE, STEP_BYTES, USUAL_BYTES

LOG = ("-lp", "2", "-ls", "1", "-lf", "8192")
"""So large that nothing here makes a checkpoint due."""
SIZE = (64 + 18) << 20
ROOM = 5 << 20
"""At least so much of it is for messages."""
BODY = bytes(50_000)
FITS = 5
"""So many of them stay in memory."""
QUEUES = [f"M{number:02}" for number in range(20)]
LIMIT_S = 240.0


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of some megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    try:
        words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "tmpfs", str(folder)]
        done = subprocess.run(words, capture_output=True)
    except OSError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
    yield folder
    deadline = time.monotonic() + LIMIT_S
    while subprocess.run(["umount", str(folder)], capture_output=True).returncode and time.monotonic() < deadline:
        time.sleep(0.1)  # a process that has ended may still be on its way out


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], small: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    monkeypatch.setenv("LIBREMQ_DATA", str(small))
    found = Commands(capsys, small)
    found.good("crtmqm", *LOG, "QM1")
    found.good("strmqm", "-ns", "QM1")
    with libremq.connect("local:QM1") as qm:
        for name in ("A", "B", *QUEUES):
            qm.define("QLOCAL", name, MAXDEPTH=100_000)
    yield found
    found("endmqm", "-p", "QM1")


def free(folder: Path) -> int:
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize


def fill(queue: libremq.Queue, most: int = 100_000, first: int = 0) -> int:
    for number in range(first, most):
        try:
            queue.put(b"%08d" % number + BODY, persistent=True)
        except libremq.MQError as error:
            assert error.reason == C.MQRC_STORAGE_MEDIUM_FULL, error
            assert "file system" in str(error)
            return number
    return most


def fill_when_possible(queue: libremq.Queue) -> int:
    """The queue manager finds within a second or so that there is room again."""
    deadline = time.monotonic() + LIMIT_S
    count = 0
    while (count := fill(queue, first=count)) * len(BODY) < ROOM:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return count


def numbers(queue: libremq.Queue) -> list[int]:
    found = []
    while True:
        try:
            found.append(int(queue.get().data[:8]))
        except libremq.NoMessageAvailable:
            return found


def test_fill_drain_and_fill_again(mq: Commands, small: Path) -> None:
    reserve = mq.folder() / RESERVE_FILE
    assert reserve.stat().st_size == USUAL_BYTES
    with libremq.connect("local:QM1") as qm:
        queues = [qm.queue("A"), qm.queue("B")]
        count = fill(queues[0])
        assert count * len(BODY) > ROOM
        for _ in range(3):
            assert numbers(queues[0]) == list(range(count))
            queues.reverse()
            count = fill_when_possible(queues[0])
            assert reserve.stat().st_size >= STEP_BYTES
    assert mq.good("endmqm", "-i", "QM1")[-1].endswith("ended.")
    mq.good("strmqm", "-ns", "QM1")
    with libremq.connect("local:QM1") as qm:
        assert numbers(qm.queue("B")) == list(range(count))


def test_an_end_and_a_start_on_a_full_disk(mq: Commands, small: Path) -> None:
    """More is in memory than the reserve has room for: the log must do."""
    with libremq.connect("local:QM1") as qm:
        count = fill(qm.queue("A"))
        for name in QUEUES:
            assert fill(qm.queue(name), FITS) == FITS
    for _ in range(2):
        take_the_rest(small)
        lines = mq.good("endmqm", "-i", "QM1")
        assert any(line.startswith("AMQ7487W") and f"file system {small}" in line for line in lines), lines
        assert "Ended immediately" in mq.good("dspmq", "-m", "QM1")[0]
        take_the_rest(small)
        mq.good("strmqm", "-ns", "QM1")
    with libremq.connect("local:QM1") as qm:
        assert numbers(qm.queue("A")) == list(range(count))
        for name in QUEUES:
            assert numbers(qm.queue(name)) == list(range(FITS))
        (small / "other").unlink()
        fill_when_possible(qm.queue("B"))


def take_the_rest(small: Path) -> None:
    """Somebody else has a use for it."""
    with (small / "other").open("ab") as other:
        other.write(bytes(free(small)))
    assert free(small) == 0
