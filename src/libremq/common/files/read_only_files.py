"""The machine's file system for those who may only look: files are opened for reading, and every change is refused.

For tools that examine a queue manager's files beside it, or on a read-only copy. It is a `Files`, so that they use the
same code as the queue manager; a write in that code is an error here, not an accident.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import NoReturn

from libremq.common.files.file_layer import Buffer, RealFile, RealFiles


def _refuse(path: str) -> NoReturn:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)


class ReadOnlyFile(RealFile):
    """A file of the machine, opened for reading."""

    __slots__ = ()

    def write(self, offset: int, data: Buffer) -> None:
        _refuse(self.path)

    def write_many(self, offset: int, buffers: Sequence[Buffer]) -> None:
        _refuse(self.path)

    def sync(self) -> None:
        _refuse(self.path)

    def truncate(self, size: int) -> None:
        _refuse(self.path)

    def allocate(self, size: int) -> None:
        _refuse(self.path)


class ReadOnlyFiles:
    """A `Files` that changes nothing."""

    __slots__ = ("_real",)

    def __init__(self) -> None:
        self._real = RealFiles()

    def open(self, path: str, *, create: bool = False) -> ReadOnlyFile:
        if create:
            _refuse(path)
        return ReadOnlyFile(os.open(path, os.O_RDONLY | os.O_CLOEXEC), path)

    def open_direct(self, path: str) -> NoReturn:
        _refuse(path)

    def writes_directly(self, folder: str) -> bool:
        return False

    def exists(self, path: str) -> bool:
        return self._real.exists(path)

    def list(self, folder: str) -> list[str]:
        return self._real.list(folder)

    def make_folder(self, path: str) -> None:
        _refuse(path)

    def rename(self, source: str, target: str) -> None:
        _refuse(target)

    def remove(self, path: str) -> None:
        _refuse(path)

    def remove_folder(self, path: str) -> None:
        _refuse(path)

    def sync_folder(self, path: str) -> None:
        _refuse(path)

    def lock(self, path: str, *, note: bool = True) -> NoReturn:
        _refuse(path)

    def free_bytes(self, path: str) -> int:
        return self._real.free_bytes(path)

    def file_system(self, path: str) -> str:
        return self._real.file_system(path)
