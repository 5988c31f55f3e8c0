"""The file layer: every byte LibreMQ reads or writes on disk goes through here.

The log, the store and the catalogue never call `os` themselves; they are handed a `Files`. In production
that is `RealFiles`; tests hand in `libremq.testing.FaultyFiles`, which can stop at any write or sync and then
show every disk state a power cut could have left. So the interface is small and its promises are explicit:

- `write` transfers all the bytes or raises OSError; what was written is durable only after `sync` returned.
- a `DirectFile` has writes that are durable when they return; they change bytes that the file has, and add none;
- `truncate`, `rename`, `remove` and the creation of a file are durable only after `sync_folder` of the folder
  (and `sync` of the file for its size).
- `make_folder` is durable when it returns: folders are made rarely, so it may sync as it goes.
- Paths are strings with `/`; folders are made 0700 and files 0600.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Sequence
from typing import Protocol

from libremq.common import operating_system
from libremq.common.files import direct_files
from libremq.common.files.durable_sync import sync_all, sync_content

Buffer = bytes | bytearray | memoryview

_GATHER_MAX = 1024
"""Buffers per gather-write: IOV_MAX of Linux, the BSDs and macOS."""

_ZEROS_BYTES = 1 << 20

_NOTE_MAX = 300
"""Bytes of the note in a lock file: a number and a file name."""

_locks_held: set[str] = set()
_locks_guard = threading.Lock()


class SyncFailed(OSError):
    """A sync that is part of another call failed: what is on disk is unknown, and trying again would not tell."""


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

    def allocate(self, size: int) -> None:
        """Make the file that large at least, with blocks of its own for all of it. OSError if there is no room."""

    def size(self) -> int: ...

    def close(self) -> None: ...


class DirectFile(Protocol):
    """A file open for writes past the system's cache. Beside them it is read, and only read, as a `File`."""

    def write(self, offset: int, data: memoryview) -> None:
        """Durable on return. The data is of `direct_files.aligned_memory`, and begins and ends in it and in the file at
        multiples of `direct_files.ALIGNED_BYTES`. Of a write that failed any sector may be on disk: see contract 4.
        """

    def close(self) -> None: ...


class FileLock(Protocol):
    """An exclusive lock on a file, held until `release` or the end of the process."""

    def is_in_place(self) -> bool:
        """Does the path still lead to the file that is locked? Another opener would lock what is there now."""

    def release(self) -> None: ...


class Files(Protocol):
    """A file system."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open for reading and writing. Raises FileNotFoundError if it is not there and `create` is False."""

    def open_direct(self, path: str) -> DirectFile:
        """Open a file, all of whose bytes were written and synced, for writes past the system's cache."""

    def writes_directly(self, folder: str) -> bool:
        """Can files in the folder be written past the system's cache, and is that not slower? It is tried out."""
        ...

    def exists(self, path: str) -> bool:
        """OSError if that cannot be told: a folder that may not be looked into is not one without the file."""
        ...

    def list(self, folder: str) -> list[str]:
        """The names in a folder, sorted. Raises FileNotFoundError if there is no such folder."""

    def make_folder(self, path: str) -> None:
        """Make the folder and its parents; no error if it is there. SyncFailed if it is there now, but perhaps not for
        good: the next call would find it and say nothing.
        """

    def rename(self, source: str, target: str) -> None:
        """Atomically replace `target`."""

    def remove(self, path: str) -> None: ...

    def remove_folder(self, path: str) -> None:
        """Remove the folder and the files in it; no error if it is not there."""

    def sync_folder(self, path: str) -> None: ...

    def lock(self, path: str, *, note: bool = True) -> FileLock:
        """Lock the path for this process; raises BlockingIOError if another opener holds it.

        The file is made if need be, and says who has locked it. Without the `note` it must be there, and stays as it
        is: FileNotFoundError if it is not.
        """

    def free_bytes(self, path: str) -> int:
        """Bytes free on the file system that holds `path`."""

    def file_system(self, path: str) -> str:
        """Where the file system that holds `path` is mounted, for messages."""


class RealFile:
    """A file of the machine. `write` goes on after a partial transfer; Python itself repeats after EINTR."""

    __slots__ = ("_fd", "path")

    def __init__(self, fd: int, path: str) -> None:
        self._fd = fd
        self.path = path

    def __repr__(self) -> str:
        return f"RealFile({self.path!r})"

    def read(self, offset: int, length: int) -> bytes:
        data = os.pread(self._fd, length, offset)
        if len(data) == length or not data:
            return data
        pieces = [data]
        got = len(data)
        while got < length:
            data = os.pread(self._fd, length - got, offset + got)
            if not data:
                break
            pieces.append(data)
            got += len(data)
        return b"".join(pieces)

    def write(self, offset: int, data: Buffer) -> None:
        written = os.pwrite(self._fd, data, offset)
        if written != len(data):
            self._write_rest(offset, [data], written)

    def write_many(self, offset: int, buffers: Sequence[Buffer]) -> None:
        for start in range(0, len(buffers), _GATHER_MAX):
            group = buffers[start : start + _GATHER_MAX] if len(buffers) > _GATHER_MAX else buffers
            total = sum(map(len, group))
            written = os.pwritev(self._fd, group, offset)
            if written != total:
                self._write_rest(offset, group, written)
            offset += total

    def _write_rest(self, offset: int, buffers: Sequence[Buffer], written: int) -> None:
        """Continue a gather-write of `buffers` at `offset` of which the first `written` bytes went out."""
        for buffer in buffers:
            view = memoryview(buffer).cast("B")
            skipped = min(written, len(view))
            written -= skipped
            position = offset + skipped
            view = view[skipped:]
            while view:
                count = os.pwrite(self._fd, view, position)
                if count == 0:
                    raise OSError(errno.EIO, "the device took no more bytes", self.path)
                position += count
                view = view[count:]
            offset = position

    def sync(self) -> None:
        sync_content(self._fd)

    def truncate(self, size: int) -> None:
        os.ftruncate(self._fd, size)

    def allocate(self, size: int) -> None:
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._fd, 0, size)
                return
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL):
                raise
        for offset in range(self.size(), size, _ZEROS_BYTES):
            self.write(offset, bytes(min(_ZEROS_BYTES, size - offset)))

    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)


class RealFileLock:
    """flock on the path, plus a note in this process: on some network file systems flock is per process."""

    __slots__ = ("_fd", "_key", "_path")

    def __init__(self, fd: int, key: str, path: str) -> None:
        self._fd = fd
        self._key = key
        self._path = path

    def is_in_place(self) -> bool:
        try:
            return self._fd >= 0 and _leads_to(self._path, self._fd)
        except OSError:
            return False

    def release(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)
            with _locks_guard:
                _locks_held.discard(self._key)


def _leads_to(path: str, fd: int) -> bool:
    return os.path.samestat(os.stat(path), os.fstat(fd))


def lock_holder(path: str) -> str:
    """Who has locked the path, as a sentence can name it: "process 4711 (worker.py)".

    The note is for people; whether the lock is held is known to the system alone.
    """
    try:
        with open(path, "rb") as file:
            note = file.read(_NOTE_MAX).decode("utf-8", "replace").partition("\n")[0].strip()
    except OSError:
        note = ""
    process, _, program = note.partition(" ")
    if not process:
        return "another process"
    return f"process {process} ({program})" if program else f"process {process}"


def _lock_note() -> bytes:
    """Number and program of this process, for `lock_holder`."""
    program = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c") else "python"
    note = f"{os.getpid()} {program if program.isprintable() else 'python'}\n"
    return note.encode("utf-8", "replace")[:_NOTE_MAX]


class RealFiles:
    """The machine's file system. NotOnThisSystem where it lacks what a queue manager needs, as on Windows."""

    __slots__ = ()

    file_type = RealFile

    def __init__(self) -> None:
        operating_system.check()

    def open(self, path: str, *, create: bool = False) -> RealFile:
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        return self.file_type(os.open(path, flags, 0o600), path)

    def open_direct(self, path: str) -> direct_files.RealDirectFile:
        return direct_files.RealDirectFile(path)

    def writes_directly(self, folder: str) -> bool:
        return direct_files.pays_off(folder)

    def exists(self, path: str) -> bool:
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise  # whoever may not look does not know
            return False
        return True

    def list(self, folder: str) -> list[str]:
        return sorted(os.listdir(folder))

    def make_folder(self, path: str) -> None:
        path = os.path.abspath(path)
        missing = []
        while not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        for folder in reversed(missing):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                if not os.path.isdir(folder):
                    raise
            self._sync_parent(folder)

    def _sync_parent(self, folder: str) -> None:
        try:
            self.sync_folder(os.path.dirname(folder))
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise  # nothing was tried
            raise SyncFailed(error.errno, error.strerror, folder) from error

    def rename(self, source: str, target: str) -> None:
        os.replace(source, target)

    def remove(self, path: str) -> None:
        os.unlink(path)

    def remove_folder(self, path: str) -> None:
        import shutil  # with its archives and compressors it takes longer to load than all of this layer

        try:
            shutil.rmtree(path)
        except FileNotFoundError:
            if os.path.exists(path):
                raise

    def sync_folder(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            sync_all(fd)
        finally:
            os.close(fd)

    def lock(self, path: str, *, note: bool = True) -> RealFileLock:
        import fcntl  # here: clients load this layer, too, and on Windows there is none

        key = os.path.realpath(path)
        with _locks_guard:
            if key in _locks_held:
                raise BlockingIOError(errno.EWOULDBLOCK, "already open in this process", path)
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if note else 0), 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not _leads_to(path, fd):
                    raise BlockingIOError(errno.EWOULDBLOCK, "it was replaced in this moment", path)
                if note:
                    # It is only for the message a second opener gets; the lock itself is the kernel's. It is
                    # written over the one before, whose block it takes: on a full disk there is no other.
                    words = _lock_note()
                    os.pwrite(fd, words, 0)
                    os.ftruncate(fd, len(words))
            except BlockingIOError:
                os.close(fd)
                raise BlockingIOError(errno.EWOULDBLOCK, f"held by {lock_holder(path)}", path) from None
            except BaseException:
                os.close(fd)
                raise
            _locks_held.add(key)
        return RealFileLock(fd, key, path)

    def free_bytes(self, path: str) -> int:
        state = os.statvfs(path)
        return state.f_bavail * state.f_frsize

    def file_system(self, path: str) -> str:
        path = os.path.realpath(path)
        while not os.path.ismount(path):
            path = os.path.dirname(path)
        return path


def replace_file(files: Files, path: str, data: bytes) -> None:
    """Give a file a new content as a whole: whatever happens, it is as it was or has this. Durable on return."""
    temporary = path + ".new"
    try:
        file = files.open(temporary, create=True)
        try:
            file.truncate(0)
            file.write(0, data)
            file.sync()
        finally:
            file.close()
        files.rename(temporary, path)
    except OSError:
        try:
            files.remove(temporary)
        except OSError:
            pass
        raise
    files.sync_folder(os.path.dirname(path))
