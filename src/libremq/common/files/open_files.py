"""Many files, few of them open at a time: a `Files` for those who have a file for each of thousands of queues.

A process may have so many files open and no more, and it needs them for sockets, the log and the control files, which
are opened elsewhere and stay open. A file of here looks open to whoever has it. If too many are, the one that was
not used for longest is closed, and opened again when it is used.

What was written and not synced is synced before its file is closed: the system reports a failed sync to whoever has
the file open then, and perhaps to nobody else. If that sync fails, the file's own `sync` says so when it is called.
"""

from __future__ import annotations

import errno
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from libremq.common.files.file_layer import Buffer, DirectFile, File, FileLock, Files

OUT_OF_FILES = (errno.EMFILE, errno.ENFILE)
"""A process, or the machine, has so many files open that another one cannot be. Nothing was read, written or synced."""
OPEN_MAX = 128
"""A share of what a server keeps from its sockets (`server.net.limits`)."""
_SHARE = 8  # of the files that a process may have open, if that is less
_OPEN_MIN = 4


def usual_most() -> int:
    """How many files of queues a queue manager of this process may have open."""
    try:
        import resource
    except ImportError:  # no such limits
        return OPEN_MAX
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return OPEN_MAX if soft == resource.RLIM_INFINITY else max(_OPEN_MIN, min(OPEN_MAX, soft // _SHARE))


class SharedFile:
    """A file that is open when it is used. For any thread, as the files of the layer are."""

    __slots__ = ("_failure", "_file", "_is_closed", "_open_files", "_syncing", "_unsynced", "_users", "path")

    def __init__(self, open_files: OpenFiles, path: str) -> None:
        self.path = path
        self._open_files = open_files
        self._file: File | None = None
        self._users = 0  # calls under way: it stays open
        self._syncing = threading.Lock()
        self._unsynced = False
        self._failure: OSError | None = None  # of a sync that nobody has heard of yet
        self._is_closed = False

    def __repr__(self) -> str:
        return f"SharedFile({self.path!r})"

    def read(self, offset: int, length: int) -> bytes:
        with self._open_files._use(self) as file:
            return file.read(offset, length)

    def write(self, offset: int, data: Buffer) -> None:
        with self._open_files._use(self, writes=True) as file:
            file.write(offset, data)

    def write_many(self, offset: int, buffers: Sequence[Buffer]) -> None:
        with self._open_files._use(self, writes=True) as file:
            file.write_many(offset, buffers)

    def truncate(self, size: int) -> None:
        with self._open_files._use(self, writes=True) as file:
            file.truncate(size)

    def allocate(self, size: int) -> None:
        with self._open_files._use(self, writes=True) as file:
            file.allocate(size)

    def size(self) -> int:
        with self._open_files._use(self) as file:
            return file.size()

    def sync(self) -> None:
        if self._open_files._was_synced(self):
            return
        with self._open_files._use(self) as file:
            self._sync(file)

    def _sync(self, file: File) -> None:
        """Its user has the file open. One at a time: who comes second has to hear what became of the first."""
        with self._syncing:
            if self._failure is not None:
                raise self._failure
            if not self._unsynced:
                return
            self._unsynced = False  # before: what is written meanwhile counts anew
            try:
                file.sync()
            except OSError as error:
                self._failure = error  # final: a later one may seem to work
                raise

    def close(self) -> None:
        self._open_files._close(self)


def _closed(file: SharedFile) -> OSError:
    return OSError(errno.EBADF, "the file was closed", file.path)


class OpenFiles:
    """A `Files` whose open files are bounded. All else goes to the one below."""

    def __init__(self, files: Files, most: int = 0) -> None:
        """`most`: how many may be open; 0: what is usual in this process."""
        self._files = files
        self._most = most or usual_most()
        self._lock = threading.Lock()
        self._open: OrderedDict[SharedFile, None] = OrderedDict()  # the one not used for longest first

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    def open(self, path: str, *, create: bool = False) -> SharedFile:
        file = SharedFile(self, path)
        with self._lock:
            self._open_now(file, create=create)
        return file

    @contextmanager
    def _use(self, file: SharedFile, *, writes: bool = False) -> Iterator[File]:
        with self._lock:
            if file._file is None:
                if file._is_closed:
                    raise _closed(file)
                self._open_now(file)
            found = file._file
            assert found is not None
            self._open.move_to_end(file)
            file._users += 1
            if writes:
                file._unsynced = True
        try:
            yield found
        finally:
            with self._lock:
                file._users -= 1
                if writes:
                    file._unsynced = True  # once more: a sync that ran beside the write may have missed it
                if file._is_closed:
                    self._let_go(file)

    def _was_synced(self, file: SharedFile) -> bool:
        """Was it when it was closed, and nothing came after that?"""
        with self._lock:
            return file._file is None and file._failure is None and not file._unsynced

    def _open_now(self, file: SharedFile, *, create: bool = False) -> None:
        """The lock is let go while the system opens it: users of other files do not wait for a slow disk."""
        while file._file is None:
            while len(self._open) >= self._most and self._close_one():
                pass
            if file._file is not None:
                break  # the lock was let go, and somebody else has opened it
            try:
                found = self._open_aside(file.path, create=create)
            except OSError as error:
                if error.errno not in OUT_OF_FILES or not self._close_one():
                    raise
                continue
            if file._file is None and not file._is_closed:
                file._file = found
                self._open[file] = None
                break
            found.close()
            if file._is_closed:
                raise _closed(file)

    def _open_aside(self, path: str, *, create: bool) -> File:
        self._lock.release()
        try:
            return self._files.open(path, create=create)
        finally:
            self._lock.acquire()

    def _close_one(self) -> bool:
        """Close the one that was not used for longest, of those that need no sync if there are any; False if none can.

        The lock is let go while one is synced.
        """
        idle = [file for file in self._open if not file._users]
        victim = next((file for file in idle if not file._unsynced), None)
        if victim is None:
            if not idle:
                return False
            victim = idle[0]
            self._sync_aside(victim)
            if victim._users or victim._unsynced or victim._file is None:
                return True  # somebody has used it meanwhile: look again
        self._let_go(victim)
        return True

    def _sync_aside(self, file: SharedFile) -> None:
        found = file._file
        assert found is not None
        file._users += 1
        self._lock.release()
        try:
            file._sync(found)
        except OSError:
            pass  # whoever syncs the file hears of it
        finally:
            self._lock.acquire()
            file._users -= 1

    def _let_go(self, file: SharedFile) -> None:
        if file._file is not None and not file._users:
            found, file._file = file._file, None
            del self._open[file]
            found.close()

    def _close(self, file: SharedFile) -> None:
        with self._lock:
            file._is_closed = True
            self._let_go(file)

    # The rest of a file system

    def open_direct(self, path: str) -> DirectFile:
        return self._files.open_direct(path)

    def writes_directly(self, folder: str) -> bool:
        return self._files.writes_directly(folder)

    def exists(self, path: str) -> bool:
        return self._files.exists(path)

    def list(self, folder: str) -> list[str]:
        return self._files.list(folder)

    def make_folder(self, path: str) -> None:
        self._files.make_folder(path)

    def rename(self, source: str, target: str) -> None:
        self._files.rename(source, target)

    def remove(self, path: str) -> None:
        self._files.remove(path)

    def remove_folder(self, path: str) -> None:
        self._files.remove_folder(path)

    def sync_folder(self, path: str) -> None:
        self._files.sync_folder(path)

    def lock(self, path: str, *, note: bool = True) -> FileLock:
        return self._files.lock(path, note=note)

    def free_bytes(self, path: str) -> int:
        return self._files.free_bytes(path)

    def file_system(self, path: str) -> str:
        return self._files.file_system(path)
