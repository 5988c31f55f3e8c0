"""The read-only file system reads what is there and refuses every change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from libremq.common.files.file_layer import Files
from libremq.common.files.read_only_files import ReadOnlyFiles


def test_it_reads(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"hello")
    (tmp_path / "a").chmod(0o400)
    files: Files = ReadOnlyFiles()
    file = files.open(f"{tmp_path}/a")
    assert (file.read(1, 3), file.read(3, 99), file.size()) == (b"ell", b"lo", 5)
    file.close()
    assert files.list(str(tmp_path)) == ["a"]
    assert files.exists(f"{tmp_path}/a")
    assert not files.exists(f"{tmp_path}/b")
    assert files.free_bytes(str(tmp_path)) > 0
    assert tmp_path.is_relative_to(files.file_system(str(tmp_path)))
    with pytest.raises(FileNotFoundError):
        files.open(f"{tmp_path}/b")


@pytest.mark.parametrize(
    "change",
    [
        lambda files, path: files.open(path).write(0, b"x"),
        lambda files, path: files.open(path).write_many(0, [b"x"]),
        lambda files, path: files.open(path).truncate(0),
        lambda files, path: files.open(path).sync(),
        lambda files, path: files.open(path).allocate(100),
        lambda files, path: files.open(path + "new", create=True),
        lambda files, path: files.open(path, create=True),
        lambda files, path: files.make_folder(path + "new"),
        lambda files, path: files.rename(path, path + "new"),
        lambda files, path: files.remove(path),
        lambda files, path: files.remove_folder(path),
        lambda files, path: files.sync_folder(path),
        lambda files, path: files.lock(path + "new"),
    ],
)
def test_it_changes_nothing(tmp_path: Path, change: Callable[[Files, str], object]) -> None:
    (tmp_path / "a").write_bytes(b"hello")
    with pytest.raises(OSError, match="Read-only file system"):
        change(ReadOnlyFiles(), f"{tmp_path}/a")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"hello"
