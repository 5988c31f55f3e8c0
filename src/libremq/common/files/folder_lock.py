"""What keeps a second opener from the files of a queue manager: locks on several of them.

`qm.lock` says who has the queue manager open. But it is an empty file to whoever looks at it, and one that is removed
and made again locks nobody out: the lock is on the file, not on its name. So files that a queue manager cannot be
without are locked too, its checkpoint file and the control files of its log, and before anything is written that counts
it is asked whether all of them are still the ones that their names lead to.
"""

from __future__ import annotations

import errno

from libremq.common.files.file_layer import FileLock, Files, lock_holder


class FolderLock:
    """The locks of one opener."""

    __slots__ = ("_files", "_locks", "_path")

    def __init__(self, files: Files, path: str) -> None:
        """Take the lock at `path`; BlockingIOError, which names the holder, if another opener has it."""
        self._files = files
        self._path = path
        try:
            self._locks: dict[str, FileLock] = {path: files.lock(path)}
        except BlockingIOError:
            raise _held(path, lock_holder(path)) from None

    def add(self, path: str) -> None:
        """Lock this file, too, if it is there; again if it was replaced since. BlockingIOError as above."""
        before = self._locks.get(path)
        if before is not None and before.is_in_place():
            return
        if before is not None:
            del self._locks[path]
            before.release()
        try:
            self._locks[path] = self._files.lock(path, note=False)
        except FileNotFoundError:
            return
        except BlockingIOError:
            raise _held(path, f"another process, which has locked {path} ({self._path} was removed),") from None

    def replaced(self) -> str:
        """A path that no longer leads to what was locked; "" if there is none."""
        return next((path for path, lock in self._locks.items() if not lock.is_in_place()), "")

    def release(self) -> None:
        for lock in self._locks.values():
            lock.release()


def _held(path: str, holder: str) -> BlockingIOError:
    return BlockingIOError(errno.EWOULDBLOCK, holder, path)
