"""The file layer: every byte LibreMQ reads or writes on disk goes through here.

The log, the store and the catalogue never call `os` themselves; they are handed a `Files`. In production
that is `RealFiles`; tests hand in `libremq.testing.FaultyFiles`, which can stop at any write or sync and then
show every disk state a power cut could have left. So the interface is small and its promises are explicit:

- `write` transfers all the bytes or raises OSError; what was written is durable only after `sync` returned.
- `truncate`, `rename`, `remove` and the creation of a file are durable only after `sync_folder` of the folder
  (and `sync` of the file for its size).
- Paths are strings with `/`; folders are made 0700 and files 0600.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

Buffer = bytes | bytearray | memoryview


class File(Protocol):
    """An open file with positioned reads and writes."""

    def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end of the file."""

    def write(self, offset: int, data: Buffer) -> None: ...

    def write_many(self, offset: int, buffers: Sequence[Buffer]) -> None:
        """Gather-write the buffers one after another from `offset`."""

    def sync(self) -> None:
        """Make all that was written to this file durable (fdatasync). A failure is final: see contract 4."""

    def truncate(self, size: int) -> None: ...

    def size(self) -> int: ...

    def close(self) -> None: ...


class FileLock(Protocol):
    """An exclusive lock on a path, held until `release` or the end of the process."""

    def release(self) -> None: ...


class Files(Protocol):
    """A file system."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open for reading and writing. Raises FileNotFoundError if it is not there and `create` is False."""

    def exists(self, path: str) -> bool: ...

    def list(self, folder: str) -> list[str]:
        """The names in a folder, sorted. Raises FileNotFoundError if there is no such folder."""

    def make_folder(self, path: str) -> None:
        """Make the folder and its parents; no error if it is there."""

    def rename(self, source: str, target: str) -> None:
        """Atomically replace `target`."""

    def remove(self, path: str) -> None: ...

    def remove_folder(self, path: str) -> None:
        """Remove the folder and the files in it; no error if it is not there."""

    def sync_folder(self, path: str) -> None: ...

    def lock(self, path: str) -> FileLock:
        """Lock the path for this process; raises BlockingIOError if another opener holds it."""

    def free_bytes(self, path: str) -> int:
        """Bytes free on the file system that holds `path`."""
