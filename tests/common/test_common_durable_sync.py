"""What a sync asks of the system: on macOS, where fsync stops at the cache of the drive, F_FULLFSYNC."""

from __future__ import annotations

import errno
import fcntl
import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from libremq.common.files import durable_sync, file_layer

_FULL = 51  # what macOS calls F_FULLFSYNC
Calls = list[tuple[str, int]]


@pytest.fixture
def on_macos(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], Calls]]:
    """Make the system look like macOS, whose F_FULLFSYNC fails with an errno, or 0; the calls that it gets."""

    def make(failure: int) -> Calls:
        calls: Calls = []
        real_fsync = os.fsync

        def full(descriptor: int, command: int) -> int:
            calls.append(("full", command))
            if failure:
                raise OSError(failure, os.strerror(failure))
            return 0

        def plain(descriptor: int) -> None:
            calls.append(("fsync", 0))
            real_fsync(descriptor)

        monkeypatch.setattr(fcntl, "F_FULLFSYNC", _FULL, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", full)
        monkeypatch.setattr(os, "fsync", plain)
        monkeypatch.delattr(os, "fdatasync", raising=False)
        _load_again()
        return calls

    yield make
    monkeypatch.undo()
    _load_again()


def _load_again() -> None:
    importlib.reload(durable_sync)
    for name in ("sync_all", "sync_content"):
        setattr(file_layer, name, getattr(durable_sync, name))


def synced(folder: Path) -> None:
    """A file with some bytes and its folder, made durable by the file layer."""
    files = file_layer.RealFiles()
    file = files.open(f"{folder}/f", create=True)
    try:
        file.write(0, b"x")
        file.sync()
    finally:
        file.close()
    files.sync_folder(str(folder))


def test_file_and_folder_are_written_through_the_cache_of_the_drive(
    on_macos: Callable[[int], Calls], tmp_path: Path
) -> None:
    calls = on_macos(0)
    synced(tmp_path)
    assert calls == [("full", _FULL), ("full", _FULL)]


@pytest.mark.parametrize("failure", [errno.ENOTSUP, errno.EINVAL, errno.ENOTTY])
def test_a_file_system_that_does_not_know_it_gets_the_best_it_has(
    failure: int, on_macos: Callable[[int], Calls], tmp_path: Path
) -> None:
    calls = on_macos(failure)
    synced(tmp_path)
    assert calls == [("full", _FULL), ("fsync", 0)] * 2


def test_a_failed_sync_is_not_tried_another_way(on_macos: Callable[[int], Calls], tmp_path: Path) -> None:
    calls = on_macos(errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        synced(tmp_path)
    assert calls == [("full", _FULL)]


def test_elsewhere_content_and_folders_have_calls_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not hasattr(os, "fdatasync") or hasattr(fcntl, "F_FULLFSYNC"):
        pytest.skip("this is macOS")
    calls: list[str] = []
    monkeypatch.setattr(durable_sync, "_content", lambda descriptor: calls.append("fdatasync"))
    monkeypatch.setattr(os, "fsync", lambda descriptor: calls.append("fsync"))
    synced(tmp_path)
    assert calls == ["fdatasync", "fsync"]


def test_no_other_place_syncs_by_itself() -> None:
    """It would forget the cache of the drive. The pipeline may import nothing of this, and makes its tables again."""
    source = Path(file_layer.__file__).parents[2]
    found = [
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if "pipeline" not in path.parts
        and ("os.fsync(" in (text := path.read_text("utf-8")) or "os.fdatasync(" in text)
    ]
    assert found == ["common/files/durable_sync.py"]
