"""Writes past the system's cache: one call from memory that starts at a page, and on the disk when it returns.

A write and a sync hand a page to the system's cache and have it written from there. With O_DIRECT and O_DSYNC the
device takes it from where it is, in one call; a file all of whose blocks have been written before has no metadata to
write with it. Not every file system can do that, and on some it is slower: `pays_off` tries it out.
"""

from __future__ import annotations

import errno
import math
import mmap
import os
import time

from libremq.common.files.durable_sync import sync_content

ALIGNED_BYTES = 4096
"""Offset, length and memory of such a write begin and end at multiples of this: devices have sectors of 512 or 4096."""

TRIAL_FILE = "amqhldio.lfh"
_TRIAL_WRITES = 3
_TRIAL_WRITES_MAX = 12
"""Other programs are at work: what seems slower is tried again, this often in all."""

_SLOWER = 1.25
"""How much longer the best of so few writes may take."""

_CLOSED_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_DIRECT, _SYNCED = getattr(os, "O_DIRECT", 0), getattr(os, "O_DSYNC", 0)
_FLAGS = os.O_RDWR | _CLOSED_ON_EXEC | _DIRECT | _SYNCED if _DIRECT and _SYNCED else 0


def aligned_memory(size: int) -> memoryview:
    """Zeros that start at a page of the machine; what is not used takes no memory."""
    return memoryview(mmap.mmap(-1, size))


class RealDirectFile:
    """A file of the machine, open for writes past the system's cache."""

    __slots__ = ("_fd", "path")

    def __init__(self, path: str) -> None:
        if not _FLAGS:
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP), path)
        self.path = path
        self._fd = os.open(path, _FLAGS)

    def write(self, offset: int, data: memoryview) -> None:
        written = os.pwrite(self._fd, data, offset)
        while written != len(data):
            # The rest is another write: if there was a reason, that one tells it
            if not written or written % ALIGNED_BYTES:
                raise OSError(errno.EIO, "the device took a part of the write only", self.path)
            data = data[written:]
            offset += written
            written = os.pwrite(self._fd, data, offset)

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)


def pays_off(folder: str) -> bool:
    """Can files in this folder be written so, and is it not slower than a write and a sync? Leaves nothing behind."""
    path = f"{folder}/{TRIAL_FILE}"
    try:
        try:
            return _try_out(path)
        finally:
            os.unlink(path)
    except OSError:
        return False


def _try_out(path: str) -> bool:
    page = aligned_memory(ALIGNED_BYTES)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | _CLOSED_ON_EXEC, 0o600)
    try:
        os.pwrite(fd, page, 0)
        sync_content(fd)
        direct = RealDirectFile(path)
        try:
            return _compare(fd, direct, page)
        finally:
            direct.close()
    finally:
        os.close(fd)


def _compare(fd: int, direct: RealDirectFile, page: memoryview) -> bool:
    best_direct = best_synced = math.inf
    for count in range(1, _TRIAL_WRITES_MAX + 1):
        page[:] = os.urandom(ALIGNED_BYTES)
        started = time.perf_counter()
        direct.write(0, page)
        best_direct = min(best_direct, time.perf_counter() - started)
        if os.pread(fd, ALIGNED_BYTES, 0) != page:
            return False  # its cache goes on showing what was there before
        started = time.perf_counter()
        os.pwrite(fd, page, 0)
        sync_content(fd)
        best_synced = min(best_synced, time.perf_counter() - started)
        if count >= _TRIAL_WRITES and best_direct <= best_synced * _SLOWER:
            return True
    return False
