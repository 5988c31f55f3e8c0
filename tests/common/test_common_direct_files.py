"""Writes past the system's cache on the machine's own files: what they do, and how it is found out whether they pay."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from libremq.common.files import direct_files
from libremq.common.files.direct_files import ALIGNED_BYTES, RealDirectFile, aligned_memory, pays_off
from libremq.common.files.file_layer import RealFiles
from libremq.common.files.open_files import OpenFiles
from libremq.common.files.read_only_files import ReadOnlyFiles
from libremq.testing.unsynced_files import UnsyncedFiles


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "file"
    path.write_bytes(bytes(4 * ALIGNED_BYTES))
    try:
        RealDirectFile(str(path)).close()
    except OSError:
        pytest.skip("files here are not written past the cache")
    return str(path)


def test_what_is_written_is_read(path: str) -> None:
    files = RealFiles()
    memory = aligned_memory(2 * ALIGNED_BYTES)
    memory[:] = os.urandom(len(memory))
    direct, file = files.open_direct(path), files.open(path)
    direct.write(ALIGNED_BYTES, memory)
    assert file.read(0, 1 << 20) == bytes(ALIGNED_BYTES) + bytes(memory) + bytes(ALIGNED_BYTES)
    memory[:5] = b"later"
    direct.write(3 * ALIGNED_BYTES, memory[:ALIGNED_BYTES])
    assert file.read(3 * ALIGNED_BYTES, 5) == b"later"
    assert file.read(ALIGNED_BYTES, 5) != b"later"
    for one in (direct, direct, file):
        one.close()
    with pytest.raises(OSError, match="descriptor"):
        direct.write(0, memory)


def test_a_write_goes_on_after_a_part_of_it(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may take a part only; what has to be done for the rest is done by the next call, or told by it."""
    memory = aligned_memory(3 * ALIGNED_BYTES)
    memory[:] = os.urandom(len(memory))
    whole = os.pwrite
    most = [ALIGNED_BYTES]
    monkeypatch.setattr(os, "pwrite", lambda fd, data, offset: min(most[0], whole(fd, data, offset)))
    direct = RealDirectFile(path)
    direct.write(ALIGNED_BYTES, memory)
    assert Path(path).read_bytes() == bytes(ALIGNED_BYTES) + bytes(memory)
    for most[0] in (0, 512):
        with pytest.raises(OSError, match="a part of the write only") as caught:
            direct.write(0, memory)
        assert caught.value.errno == errno.EIO
    direct.close()


def test_the_trial_leaves_nothing_behind(tmp_path: Path) -> None:
    assert pays_off(str(tmp_path)) in (True, False)
    assert list(tmp_path.iterdir()) == []
    assert not pays_off(str(tmp_path / "missing"))
    assert not pays_off("/proc")


def test_it_does_not_pay_where_it_cannot_be_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_files, "_FLAGS", 0)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="not supported"):
        RealDirectFile(str(tmp_path / "file"))
    assert not pays_off(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("pace", [0.1, 10.0])
def test_it_pays_where_it_is_not_slower(path: str, monkeypatch: pytest.MonkeyPatch, pace: float) -> None:
    """The clock is the test's: the first of two measured times is that of the write past the cache."""
    ticks = iter([start + moment for start in range(0, 1200, 100) for moment in (0, pace, 20, 21)])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    assert pays_off(str(Path(path).parent)) == (pace < 1)


def test_it_does_not_pay_where_readers_see_what_was_before(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pread", lambda fd, length, offset: bytes(length))
    assert not pays_off(str(Path(path).parent))


def test_the_other_file_systems(path: str) -> None:
    folder = str(Path(path).parent)
    assert not UnsyncedFiles().writes_directly(folder)
    looking = ReadOnlyFiles()
    assert not looking.writes_directly(folder)
    with pytest.raises(OSError, match="Read-only"):
        looking.open_direct(path)
    many = OpenFiles(UnsyncedFiles())
    assert not many.writes_directly(folder)
    many.open_direct(path).close()
