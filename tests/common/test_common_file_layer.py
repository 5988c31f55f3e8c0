"""The real file layer: modes, gather-writes past every limit, locks."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from libremq.common.files.file_layer import Files, RealFiles, lock_holder


@pytest.fixture
def files() -> Files:
    return RealFiles()


def mode(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_folders_are_0700_and_files_0600(files: Files, tmp_path: Path) -> None:
    folder = str(tmp_path / "a" / "b" / "c")
    files.make_folder(folder)
    files.make_folder(folder)
    file = files.open(folder + "/f", create=True)
    file.close()
    assert mode(str(tmp_path / "a")) == mode(str(tmp_path / "a" / "b")) == mode(folder) == 0o700
    assert mode(folder + "/f") == 0o600


def test_a_folder_cannot_be_made_where_a_file_is(files: Files, tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(OSError):
        files.make_folder(str(tmp_path / "taken"))


def test_read_and_write_at_positions(files: Files, tmp_path: Path) -> None:
    file = files.open(str(tmp_path / "f"), create=True)
    file.write(10, b"hello")
    file.write(0, memoryview(b"0123"))
    assert file.read(0, 100) == b"0123" + bytes(6) + b"hello"
    assert file.read(12, 2) == b"ll"
    assert file.read(15, 5) == b""
    assert file.size() == 15
    file.truncate(12)
    file.sync()
    assert file.read(8, 100) == b"\0\0he"
    file.close()
    file.close()


def test_gather_write_of_more_buffers_than_one_call_takes(files: Files, tmp_path: Path) -> None:
    buffers = [bytes([n % 251]) * (n % 7) for n in range(5000)]
    file = files.open(str(tmp_path / "f"), create=True)
    file.write_many(3, buffers)
    assert file.read(3, 1 << 20) == b"".join(buffers)
    file.close()


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_partial_transfers_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """A file system may take or give fewer bytes than asked (a signal, a quota, a network)."""
    pread, pwrite = os.pread, os.pwrite
    monkeypatch.setattr(os, "pread", lambda fd, length, at: pread(fd, min(length, step), at))
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: pwrite(fd, memoryview(data)[:step], at))
    monkeypatch.setattr(os, "pwritev", lambda fd, bufs, at: pwrite(fd, b"".join(bufs)[:step], at))
    file = RealFiles().open(str(tmp_path / "f"), create=True)
    file.write(0, b"a" * 50)
    file.write_many(50, [b"", b"bc", b"d" * 30, b"", b"e"])
    assert file.read(0, 200) == b"a" * 50 + b"bc" + b"d" * 30 + b"e"
    file.close()


def test_a_missing_file_is_not_made_unasked(files: Files, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.open(str(tmp_path / "f"))
    assert files.list(str(tmp_path)) == []
    with pytest.raises(FileNotFoundError):
        files.list(str(tmp_path / "none"))


def test_rename_replaces_and_remove_removes(files: Files, tmp_path: Path) -> None:
    for name in ("x", "y"):
        file = files.open(str(tmp_path / name), create=True)
        file.write(0, name.encode())
        file.close()
    files.rename(str(tmp_path / "x"), str(tmp_path / "y"))
    files.sync_folder(str(tmp_path))
    assert files.list(str(tmp_path)) == ["y"]
    assert (tmp_path / "y").read_bytes() == b"x"
    files.remove(str(tmp_path / "y"))
    assert not files.exists(str(tmp_path / "y"))


def test_what_may_not_be_looked_into_is_not_said_to_be_missing(files: Files, tmp_path: Path) -> None:
    """A link to itself stands for it: also root cannot follow that."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        files.exists(str(tmp_path / "loop" / "x"))
    (tmp_path / "file").write_bytes(b"")
    for missing in ("y", "file/x", "x" * 5000):
        assert not files.exists(str(tmp_path / missing))


def test_remove_folder_takes_everything_in_it(files: Files, tmp_path: Path) -> None:
    files.make_folder(str(tmp_path / "d" / "e"))
    (tmp_path / "d" / "e" / "f").write_bytes(b"1")
    files.remove_folder(str(tmp_path / "d"))
    files.remove_folder(str(tmp_path / "d"))
    assert files.list(str(tmp_path)) == []


def test_a_second_lock_in_this_process_is_refused(files: Files, tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    lock = files.lock(path)
    with pytest.raises(BlockingIOError):
        RealFiles().lock(path)
    lock.release()
    lock.release()
    files.lock(path).release()


def test_a_lock_of_another_process_is_refused_and_ends_with_it(files: Files, tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    code = (
        "import sys; from libremq.common.files.file_layer import RealFiles\n"
        "lock = RealFiles().lock(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    with pytest.raises(BlockingIOError, match=f"process {child.pid}"):
        files.lock(path)
    assert lock_holder(path) == f"process {child.pid} (python)"
    child.kill()
    child.communicate()
    files.lock(path).release()


def test_the_holder_of_a_lock_is_named(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"
    assert lock_holder(str(path)) == "another process"
    monkeypatch.setattr(sys, "argv", ["/usr/bin/wörker.py", "--fast"])
    files.lock(str(path)).release()
    assert lock_holder(str(path)) == f"process {os.getpid()} (wörker.py)"
    path.write_bytes(b"4711\n")  # as an earlier release wrote it
    assert lock_holder(str(path)) == "process 4711"
    path.write_bytes(b"1 " + b"x" * 200 + b"\n")  # of one with a longer name: what is left of it is not shown
    files.lock(str(path)).release()
    assert lock_holder(str(path)) == f"process {os.getpid()} (wörker.py)"
    assert path.read_text().count("\n") == 1


def test_free_bytes(files: Files, tmp_path: Path) -> None:
    assert files.free_bytes(str(tmp_path)) > 0


def test_the_file_system_of_a_path_is_where_it_is_mounted(files: Files, tmp_path: Path) -> None:
    found = files.file_system(f"{tmp_path}/not/there")
    assert os.path.ismount(found) and tmp_path.resolve().is_relative_to(found)
    assert files.file_system("/") == "/"


@pytest.mark.parametrize("known", [True, False], ids=["allocated", "written"])
def test_allocated_space_is_real(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool) -> None:
    if not known:
        monkeypatch.delattr(os, "posix_fallocate")
    path = tmp_path / "f"
    path.write_bytes(b"data")
    file = files.open(str(path))
    file.allocate(3_000_000)
    file.close()
    assert path.stat().st_size == 3_000_000 and path.stat().st_blocks * 512 >= 2_900_000
    assert path.read_bytes()[:5] == b"data\0"


def test_a_file_system_that_cannot_allocate_is_written_to(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int, offset: int, size: int) -> None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    file = files.open(f"{tmp_path}/f", create=True)
    file.allocate(100_000)
    assert file.size() == 100_000
    file.close()
