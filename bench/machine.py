"""The machine under the benchmark: a folder on a real disk, what its device can do, and what this process takes."""

from __future__ import annotations

import os
import platform
import shutil
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from libremq import speed

_IN_MEMORY = {"tmpfs", "ramfs", "devtmpfs"}
_PROJECT = Path(__file__).resolve().parent.parent


def file_system(path: str) -> str:
    """The type of the file system that holds the path, as Linux names it; "unknown" elsewhere."""
    best, kind = "", "unknown"
    try:
        mounts = Path("/proc/mounts").read_text().splitlines()
    except OSError:
        return kind
    real = os.path.realpath(path)
    for mount in mounts:
        _, point, found, *_ = mount.split()
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) > len(best):
            best, kind = point, found
    return kind


@contextmanager
def data_folder(wanted: str | None) -> Iterator[str]:
    """A temporary folder, removed afterwards. Never in memory: forcing would cost nothing there."""
    parent = wanted or tempfile.gettempdir()
    if wanted is None and file_system(parent) in _IN_MEMORY:
        parent = str(_PROJECT / "build")
        os.makedirs(parent, exist_ok=True)
    if file_system(parent) in _IN_MEMORY:
        raise SystemExit(f"{parent} is in memory ({file_system(parent)}); name a folder on a disk with --folder")
    folder = tempfile.mkdtemp(prefix="libremq-bench-", dir=parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def python_build() -> str:
    """Which Python this is, how it was built, and whether there are rows with libremq-speed."""
    build = f"{platform.python_implementation()} {platform.python_version()} ({platform.python_compiler()}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        build += ", free-threaded"
    return f"{build}), libremq-speed {'installed' if speed.is_in_use() else 'not installed'}"


def describe(folder: str) -> str:
    return (
        f"{python_build()}, {os.cpu_count()} cores, "
        f"{platform.system()} {platform.release()}, data on {file_system(folder)}"
    )


class RawDevice:
    """Write and fdatasync, again and again, into a file that has all its blocks already: no log can be faster."""

    def __init__(self, folder: str, write_bytes: int, file_bytes: int = 64 << 20) -> None:
        self._path = f"{folder}/raw-{write_bytes}"
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT)
        zeros = bytes(1 << 20)
        for offset in range(0, file_bytes, len(zeros)):
            os.pwrite(self._fd, zeros, offset)
        os.fsync(self._fd)
        self._file_bytes = file_bytes
        self._data = os.urandom(write_bytes)
        self._stride = -(-write_bytes // 4096) * 4096
        self._offset = 0

    def run(self, count: int) -> float:
        """Seconds for this many forced writes."""
        fd, data = self._fd, self._data
        sync = getattr(os, "fdatasync", os.fsync)
        started = time.perf_counter()
        for _ in range(count):
            os.pwrite(fd, data, self._offset)
            sync(fd)
            self._offset += self._stride
            if self._offset + self._stride > self._file_bytes:
                self._offset = 0
        return time.perf_counter() - started

    def close(self) -> None:
        os.close(self._fd)
        os.remove(self._path)


def memory_mb() -> tuple[float, float]:
    """Resident memory of this process now, and the most it has had, in MB (10^6 bytes)."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def reset_peak_memory() -> None:
    """Let the peak begin again at what is resident now (Linux; elsewhere it stays)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass
