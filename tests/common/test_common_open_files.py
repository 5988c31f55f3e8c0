"""Many files of which few are open: what is written stays, a failed sync is heard of, and the limit holds."""

from __future__ import annotations

import errno
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from libremq.common.files.file_layer import RealFiles
from libremq.common.files.open_files import OPEN_MAX, OpenFiles, usual_most
from libremq.testing.faulty_files import FaultyFile, FaultyFiles


def test_every_file_is_as_if_it_were_open(tmp_path: Path) -> None:
    cache = OpenFiles(RealFiles(), 3)
    files = [cache.open(f"{tmp_path}/{number}", create=True) for number in range(10)]
    for number, file in enumerate(files):
        file.write(0, b"%d" % number)
        file.write_many(1, [b"ab", b"cd"])
        assert cache.count <= 3
    files[4].truncate(3)
    files[5].allocate(100)
    for number, file in enumerate(files):
        assert file.read(0, 3) == b"%dab" % number
    assert [file.size() for file in files[3:6]] == [5, 3, 100]
    for file in files:
        file.sync()
        file.close()
    assert cache.count == 0


def test_the_one_that_was_not_used_for_longest_is_closed(tmp_path: Path) -> None:
    cache = OpenFiles(RealFiles(), 2)
    first, second = (cache.open(f"{tmp_path}/{name}", create=True) for name in "ab")
    first.size()
    cache.open(f"{tmp_path}/c", create=True)
    (tmp_path / "a").unlink()
    (tmp_path / "b").unlink()
    assert first.size() == 0, "it is still open"
    with pytest.raises(FileNotFoundError):
        second.size()


def test_one_that_was_written_is_synced_before_it_is_closed() -> None:
    disk = FaultyFiles()
    disk.make_folder("d")
    cache = OpenFiles(disk, 1)
    file = cache.open("d/a", create=True)
    disk.sync_folder("d")
    file.write(0, b"kept")
    cache.open("d/b", create=True)
    for state in disk.disk_states():
        assert state.open("d/a").read(0, 4) == b"kept"


def test_a_clean_one_is_closed_first(tmp_path: Path) -> None:
    cache = OpenFiles(RealFiles(), 2)
    written = cache.open(f"{tmp_path}/a", create=True)
    written.write(0, b"x")
    clean = cache.open(f"{tmp_path}/b", create=True)
    cache.open(f"{tmp_path}/c", create=True)
    (tmp_path / "a").unlink()
    (tmp_path / "b").unlink()
    assert written.size() == 1
    with pytest.raises(FileNotFoundError):
        clean.size()


def test_a_sync_that_fails_when_a_file_is_closed_is_told_by_its_own_sync() -> None:
    """Whoever made room is not concerned; and it stays failed, for the system reports it once."""
    disk = FaultyFiles()
    disk.make_folder("d")
    cache = OpenFiles(disk, 1)
    file = cache.open("d/a", create=True)
    file.write(0, b"lost")
    disk.fail("sync", "d/a", OSError(errno.EIO, "planted"), times=1)
    other = cache.open("d/b", create=True)
    other.write(0, b"fine")
    for _ in range(2):
        with pytest.raises(OSError, match="planted"):
            file.sync()
    other.sync()


def test_too_many_open_files_close_others_and_try_again() -> None:
    disk = FaultyFiles()
    disk.make_folder("d")
    cache = OpenFiles(disk, 10)
    files = [cache.open(f"d/{number}", create=True) for number in range(4)]
    disk.fail("open", "d/new", OSError(errno.EMFILE, "Too many open files"), times=3)
    cache.open("d/new", create=True)
    assert cache.count == 2
    assert all(file.size() == 0 for file in files)


def test_a_closed_file_is_closed(tmp_path: Path) -> None:
    file = OpenFiles(RealFiles(), 2).open(f"{tmp_path}/a", create=True)
    file.close()
    file.close()
    with pytest.raises(OSError, match="closed"):
        file.read(0, 1)


def test_threads_that_use_more_files_than_may_be_open(tmp_path: Path) -> None:
    cache = OpenFiles(RealFiles(), 3)
    files = [cache.open(f"{tmp_path}/{number}", create=True) for number in range(12)]
    wrong: list[object] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        try:
            for turn in range(300):
                number = chance.randrange(12)
                at = 8 * seed
                files[number].write(at, turn.to_bytes(8, "little"))
                if chance.random() < 0.05:
                    files[number].sync()
                if files[number].read(at, 8) != turn.to_bytes(8, "little"):
                    wrong.append((seed, turn))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert cache.count <= 3


def test_the_usual_limit_is_a_share_of_what_the_process_may_open() -> None:
    assert 4 <= usual_most() <= OPEN_MAX


def test_others_use_their_files_while_the_system_opens_one() -> None:
    """Whoever opens or makes a file may wait for a slow disk; nobody waits along, and nobody closes it meanwhile."""
    disk = FaultyFiles()
    disk.make_folder("d")
    cache = OpenFiles(disk, 2)
    first = cache.open("d/a", create=True)
    first.write(0, b"one")
    read = []
    opened = disk.open

    def slow(path: str, *, create: bool = False) -> FaultyFile:
        if path == "d/b":
            read.append(first.read(0, 3))
            if len(read) == 1:
                second.close()  # by somebody who no longer needs it
        return opened(path, create=create)

    second = cache.open("d/b", create=True)
    cache.open("d/c", create=True)
    cache.open("d/d", create=True)  # so the second one is not open any more
    disk.open = slow  # type: ignore[method-assign]
    with pytest.raises(OSError, match="the file was closed"):
        second.size()
    assert read == [b"one"] and cache.count <= 2
    third = cache.open("d/b")
    assert (third.size(), read) == (0, [b"one", b"one"])


class SlowFile:
    """A write to it takes its time, and a sync does not wait for that: what counts is what came before."""

    def __init__(self) -> None:
        self.writing, self.go_on = threading.Event(), threading.Event()
        self.is_dirty = self.was_closed_dirty = False

    def write(self, offset: int, data: bytes) -> None:
        self.writing.set()
        assert self.go_on.wait(60)
        self.is_dirty = True

    def sync(self) -> None:
        self.is_dirty = False

    def close(self) -> None:
        self.was_closed_dirty |= self.is_dirty


@pytest.mark.parametrize("how", ["by its user", "since another one is needed"])
def test_what_a_sync_has_missed_is_for_the_next_one(how: str) -> None:
    made: list[SlowFile] = []

    class SlowFiles(FaultyFiles):
        def open(self, path: str, *, create: bool = False) -> Any:
            made.append(SlowFile())
            return made[-1]

    cache = OpenFiles(SlowFiles(), 1)
    file = cache.open("d/a", create=True)
    writer = threading.Thread(target=file.write, args=(0, b"spilled"))
    writer.start()
    assert made[0].writing.wait(60)
    file.sync()  # of a checkpoint that began before
    made[0].go_on.set()
    writer.join()
    if how == "by its user":
        file.sync()
        assert not made[0].is_dirty
    cache.open("d/b", create=True)
    assert not made[0].was_closed_dirty
