"""A file system in memory that loses power, runs full and reports errors on purpose.

What code on top of it must survive, that is: lose nothing it was told is durable, and never read nonsense as
if it were data:

- **Power cut at any operation.** Every write, truncate, sync, creation, rename and removal is a boundary,
  counted in `operations`; with `crash_at = n` the n-th raises `PowerCut`, and so does everything after it.
- **Unsynced work is lost, kept or mixed.** What was not synced may be there afterwards wholly, not at all, or
  any part of it: a later write without an earlier one (the device reorders), one file's without another's.
  A sync makes durable what was written to *that file*; creations, renames and removals wait for the sync of
  their folder. Overlapping writes to one file keep their order, as they do in a page cache.
- **Torn writes.** Of one write any of its 512-byte sectors may arrive, and one of them may be garbage. A disk with
  `atom_bytes` of its own writes so many aligned bytes as a whole or not at all.
- **A write past the cache** (with `direct`) is durable when it returns. Cut on the way, it is like any write that was
  not synced; a failed one counts as lost or half there, and that is what reading shows. Each is two boundaries: under
  way, and done while nobody has heard of it.
- **A failed sync** (EIO): the data of the file that was waiting for it counts as lost (or as half there: `torn`),
  although reading it back still shows it until the power goes, and although the next sync "works".
- **A full disk** (ENOSPC, part of the write done), **a read-only folder**, and any error at any operation.

Not among the faults: data that was synced and later changes by itself. `overwrite` makes such damage by hand.
"""

from __future__ import annotations

import errno
import os
import posixpath
import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice

from libremq.common.files.direct_files import ALIGNED_BYTES
from libremq.common.files.file_layer import Buffer, SyncFailed
from libremq.testing.disk import (
    Content,
    Inode,
    Operation,
    half,
    mixtures,
    parent,
    recipes,
)


class PowerCut(BaseException):
    """The machine lost power. No `except Exception` on the way may turn it into something else."""


@dataclass(slots=True)
class _Failure:
    kind: str
    glob: str
    error: OSError
    after: int
    times: int | None
    data_lost: bool
    torn: bool


class FaultyFile:
    """An open file of `FaultyFiles`."""

    __slots__ = ("_files", "_number", "path")

    def __init__(self, files: FaultyFiles, number: int, path: str) -> None:
        self._files = files
        self._number = number
        self.path = path

    def read(self, offset: int, length: int) -> bytes:
        return self._files._read(self._number, self.path, offset, length)

    def write(self, offset: int, data: Buffer) -> None:
        self._files._write(self._number, self.path, offset, bytes(data))

    def write_many(self, offset: int, buffers: Sequence[Buffer]) -> None:
        self._files._write(self._number, self.path, offset, b"".join(buffers))

    def sync(self) -> None:
        self._files._sync(self._number, self.path)

    def truncate(self, size: int) -> None:
        self._files._truncate(self._number, self.path, size)

    def allocate(self, size: int) -> None:
        if size > self.size():
            self._files._truncate(self._number, self.path, size)

    def size(self) -> int:
        return self._files._size(self._number)

    def close(self) -> None:
        """Nothing to do; also after a power cut, so that clean-up code needs no special case."""


class FaultyDirectFile:
    """A file of `FaultyFiles`, open for writes past the cache."""

    __slots__ = ("_files", "_number", "path")

    def __init__(self, files: FaultyFiles, number: int, path: str) -> None:
        self._files = files
        self._number = number
        self.path = path

    def write(self, offset: int, data: memoryview) -> None:
        self._files._write_direct(self._number, self.path, offset, bytes(data))

    def close(self) -> None:
        pass


class FaultyLock:
    """A lock of `FaultyFiles`; it ends with the power."""

    __slots__ = ("_files", "_number", "_path")

    def __init__(self, files: FaultyFiles, path: str, number: int) -> None:
        self._files = files
        self._path = path
        self._number = number

    def is_in_place(self) -> bool:
        return self._files._names.get(self._path) == self._number

    def release(self) -> None:
        self._files._locks.discard(self._number)


class FaultyFiles:
    """The file system. Thread-safe; see the module's docstring for what it does to its users.

    A crash test runs a workload once to learn `operations`, then for each n from 1 to that number again on a
    `copy()` of the same starting point with `crash_at = n`, and restarts from each of its `disk_states()`.
    """

    def __init__(self, *, atom_bytes: int = 0, direct: bool = False) -> None:
        """`atom_bytes`: what the disk writes as a whole, 4096 for a modern one; 0 for one that tears sectors.

        `direct`: files can be written past the cache.
        """
        self.label = "fresh"
        self.atom_bytes = atom_bytes
        self.direct = direct
        self.operations = 0
        self.crash_at: int | None = None
        self.crashed_in = ""
        self.powered = True
        self._guard = threading.RLock()
        self._next_inode = 1
        self._inodes: dict[int, Inode] = {}
        self._names: dict[str, int] = {}
        self._durable_names: dict[str, int] = {}
        self._folders: set[str] = {"/", "."}
        self._durable_folders: set[str] = {"/", "."}
        self._pending: list[Operation] = []
        self._locks: set[int] = set()  # of the files, not of their names
        self._failures: list[_Failure] = []
        self._space: int | None = None

    def __repr__(self) -> str:
        return f"<FaultyFiles {self.label}: {self.operations} operations, {len(self._pending)} unsynced>"

    # ---- the interface ----

    def open(self, path: str, *, create: bool = False) -> FaultyFile:
        path = _clean(path)
        with self._guard:
            self._check("open", path)
            number = self._names.get(path)
            if number is None:
                if path in self._folders:
                    raise _error(errno.EISDIR, path)
                if not create or parent(path) not in self._folders:
                    raise _error(errno.ENOENT, path)
                number = self._create(path)
            return FaultyFile(self, number, path)

    def open_direct(self, path: str) -> FaultyDirectFile:
        path = _clean(path)
        with self._guard:
            self._check("open_direct", path)
            if not self.direct:
                raise _error(errno.EINVAL, path)
            if path not in self._names:
                raise _error(errno.ENOENT, path)
            return FaultyDirectFile(self, self._names[path], path)

    def writes_directly(self, folder: str) -> bool:
        self._powered()
        return self.direct

    def exists(self, path: str) -> bool:
        path = _clean(path)
        with self._guard:
            self._powered()
            return path in self._names or path in self._folders

    def list(self, folder: str) -> list[str]:
        folder = _clean(folder)
        with self._guard:
            self._powered()
            if folder not in self._folders:
                raise _error(errno.ENOENT, folder)
            everything = (*self._names, *self._folders)
            return sorted(posixpath.basename(p) for p in everything if p and parent(p) == folder)

    def make_folder(self, path: str) -> None:
        path = _clean(path)
        with self._guard:
            self._powered()
            missing = []
            while path not in self._folders:
                if path in self._names:
                    raise _error(errno.ENOTDIR, path)
                missing.append(path)
                path = parent(path)
            for folder in reversed(missing):
                self._check("create", folder)
                self._count(f"make folder {folder}")
                # Durable at once, and with it what was pending in its parent: a folder of that name removed before
                self._settle_names(parent(folder))
                self._pending = [o for o in self._pending if o.on_file or not o.concerns(folder)]
                self._folders.add(folder)
                failure = self._failure("sync_folder", parent(folder))
                if failure is not None:
                    raise SyncFailed(failure.error.errno, failure.error.strerror, folder)
                self._durable_folders.add(folder)

    def rename(self, source: str, target: str) -> None:
        source, target = _clean(source), _clean(target)
        with self._guard:
            self._check("rename", source, target)
            if source not in self._names or parent(target) not in self._folders:
                raise _error(errno.ENOENT, source)
            operation = Operation("rename", source, self._names[source], target=target)
            self._apply_name(operation, self._names, self._folders)
            self._do(operation)

    def remove(self, path: str) -> None:
        path = _clean(path)
        with self._guard:
            self._check("remove", path)
            if path not in self._names:
                raise _error(errno.ENOENT, path)
            self._give_space(self._inodes[self._names[path]].current.size)
            operation = Operation("remove", path)
            self._apply_name(operation, self._names, self._folders)
            self._do(operation)

    def remove_folder(self, path: str) -> None:
        path = _clean(path)
        with self._guard:
            self._powered()
            if path not in self._folders:
                return
            for name in self.list(path):
                inner = posixpath.join(path, name)
                if inner in self._folders:
                    self.remove_folder(inner)
                else:
                    self.remove(inner)
            self._check("remove", path)
            operation = Operation("remove folder", path)
            self._apply_name(operation, self._names, self._folders)
            self._do(operation)

    def sync_folder(self, path: str) -> None:
        path = _clean(path)
        with self._guard:
            self._check("sync_folder", path)
            if path not in self._folders:
                raise _error(errno.ENOENT, path)
            self._count(f"sync folder {path}")
            self._settle_names(path)

    def lock(self, path: str, *, note: bool = True) -> FaultyLock:
        path = _clean(path)
        with self._guard:
            self._check("lock", path)
            if path not in self._names:
                self.open(path, create=note)
            number = self._names[path]
            if number in self._locks:
                raise BlockingIOError(errno.EWOULDBLOCK, "already open in this process", path)
            self._locks.add(number)
            return FaultyLock(self, path, number)

    def free_bytes(self, path: str) -> int:
        with self._guard:
            self._powered()
            return 1 << 40 if self._space is None else self._space

    def file_system(self, path: str) -> str:
        return "/"

    # ---- faults on demand ----

    def fail(
        self,
        kind: str,
        path_glob: str = "*",
        error: OSError | None = None,
        *,
        after: int = 0,
        times: int | None = 1,
        data_lost: bool = True,
        torn: bool = False,
    ) -> None:
        """Let operations of a kind fail on matching paths.

        `kind` is open, open_direct, read, write, truncate, sync, create, rename, remove, sync_folder or lock; a write
        past the cache fails where a write would and where a sync would. The first
        `after` matching operations pass, the next `times` (None: all) raise `error` (EIO by default). With a
        sync, `data_lost=False` leaves the file's data as it was: unsynced, perhaps on disk; `torn=True` lets the
        first half of each write reach the disk, the last of its sectors as garbage, and loses the rest. The kind
        `misread` raises nothing: a read brings one bit that is not on the disk.
        """
        error = error or OSError(errno.EIO, os.strerror(errno.EIO))
        self._failures.append(_Failure(kind, path_glob, error, after, times, data_lost, torn))

    def heal(self) -> None:
        """End every failure asked for, the full disk among them."""
        self._failures.clear()
        self._space = None

    def set_free_space(self, free_bytes: int | None) -> None:
        """From now on files may grow by so many bytes in all, then ENOSPC; None for no limit.

        What is cut off or removed comes back.
        """
        self._space = free_bytes

    def read_only(self, folder: str) -> None:
        """Forbid creating, renaming and removing in a folder and below it."""
        for kind in ("create", "rename", "remove"):
            error = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            self.fail(kind, _clean(folder) + "/*", error, times=None)

    def overwrite(self, path: str, offset: int, data: bytes) -> None:
        """Damage a file by hand: changes what is on disk, at once, uncounted."""
        inode = self._inodes[self._names[_clean(path)]]
        for durable in (True, False):
            inode.change(Operation("write", path, offset=offset, data=data), durable=durable)

    def content(self, path: str) -> bytes:
        """What a reader sees now, also after a power cut."""
        content = self._inodes[self._names[_clean(path)]].current
        return content.read(0, content.size)

    def unsynced(self) -> tuple[str, ...]:
        """The operations a power cut now could lose, oldest first."""
        return tuple(str(operation) for operation in self._pending)

    # ---- copies and what a power cut leaves ----

    def copy(self) -> FaultyFiles:
        """The same disk with the same unsynced operations; no locks, failures or crash point. Cheap."""
        with self._guard:
            other = FaultyFiles(atom_bytes=self.atom_bytes, direct=self.direct)
            other.label = self.label
            other._next_inode = self._next_inode
            other._inodes = {number: inode.copy() for number, inode in self._inodes.items()}
            other._names = self._names.copy()
            other._durable_names = self._durable_names.copy()
            other._folders = self._folders.copy()
            other._durable_folders = self._durable_folders.copy()
            other._pending = self._pending.copy()
            return other

    def disk_states(self, rng: random.Random | None = None, limit: int | None = None) -> Iterator[FaultyFiles]:
        """The disks a power cut at this moment may leave, each ready to restart from.

        Always first: nothing unsynced survived; everything did. Then every prefix, every single operation
        lost, the last write torn. With `rng`, random mixtures with torn writes among them as well, 16 or as
        many as `limit` leaves room for; and where `limit` is too small for the systematic ones, a sample.
        """
        pending = tuple(self._pending)
        chosen = recipes(pending, self.atom_bytes)
        if limit is not None and len(chosen) > limit:
            rest = chosen[2:]
            if rng is not None:
                rest = rng.sample(rest, max(0, limit - 2))
            chosen = (chosen[:2] + rest)[:limit]
        for label, survivors in chosen:
            yield self._after(label, survivors)
        if rng is not None and pending:
            count = 16 if limit is None else limit - len(chosen)
            for label, survivors in islice(mixtures(pending, rng, self.atom_bytes), max(0, count)):
                yield self._after(label, survivors)

    def _after(self, label: str, survivors: Sequence[Operation]) -> FaultyFiles:
        """A fresh disk: what is durable plus the operations that made it."""
        disk = FaultyFiles(atom_bytes=self.atom_bytes, direct=self.direct)
        disk.label = label
        disk._next_inode = self._next_inode
        disk._names = self._durable_names.copy()
        disk._folders = self._durable_folders.copy()
        for inode in self._inodes.values():
            inode.durable_owned = False
        inodes = {n: Inode(inode.durable, inode.durable) for n, inode in self._inodes.items()}
        for operation in survivors:
            if operation.on_file:
                inodes[operation.inode].change(operation, durable=False)
            else:
                self._apply_name(operation, disk._names, disk._folders)
        for number in disk._names.values():
            inode = inodes[number]
            disk._inodes[number] = Inode(inode.current, inode.current)
        disk._durable_names = disk._names.copy()
        disk._durable_folders = disk._folders.copy()
        return disk

    # ---- what the open files call ----

    def _read(self, number: int, path: str, offset: int, length: int) -> bytes:
        with self._guard:
            self._check("read", path)
            data = self._inodes[number].current.read(offset, length)
            if data and self._failures and self._failure("misread", path) is not None:
                middle = len(data) // 2
                data = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
            return data

    def _size(self, number: int) -> int:
        with self._guard:
            self._powered()
            return self._inodes[number].current.size

    def _write(self, number: int, path: str, offset: int, data: bytes) -> None:
        with self._guard:
            self._check("write", path)
            room = self._take_space(number, offset + len(data))
            operation = Operation("write", path, number, offset, data[: max(0, room - offset)])
            self._inodes[number].change(operation, durable=False)
            self._do(operation)
            if room < offset + len(data):
                raise _error(errno.ENOSPC, path)

    def _write_direct(self, number: int, path: str, offset: int, data: bytes) -> None:
        with self._guard:
            self._check("write", path)
            inode = self._inodes[number]
            end = offset + len(data)
            if offset % ALIGNED_BYTES or end % ALIGNED_BYTES:
                raise _error(errno.EINVAL, path)
            assert end <= inode.durable.size, f"{path}: this would be more than is on the disk for good"
            for other in self._pending:
                if other.on_file and other.inode == number:
                    apart = other.kind == "write" and (other.offset >= end or other.offset + len(other.data) <= offset)
                    assert apart, f"{path}: what the cache has there was not synced: {other}"
            operation = Operation("write", path, number, offset, data)
            failure = self._failure("sync", path)
            if failure is not None:
                reached = [operation]
                if failure.data_lost:
                    reached = half(operation, self.atom_bytes) if failure.torn else []
                for one in reached:
                    self._change_both(inode, one)
                raise _raised(failure.error, path)
            try:
                self._do(operation)
            finally:  # a signal does not cut it, only a lack of power does
                if self.powered:
                    self._pending = [other for other in self._pending if other is not operation]
                    self._change_both(inode, operation)
            self._count(f"end of {operation}")

    @staticmethod
    def _change_both(inode: Inode, operation: Operation) -> None:
        for durable in (True, False):
            inode.change(operation, durable=durable)

    def _truncate(self, number: int, path: str, size: int) -> None:
        with self._guard:
            self._check("truncate", path)
            before = self._inodes[number].current.size
            if self._take_space(number, size) < size:
                raise _error(errno.ENOSPC, path)
            self._give_space(before - size)
            operation = Operation("truncate", path, number, size)
            self._inodes[number].change(operation, durable=False)
            self._do(operation)

    def _sync(self, number: int, path: str) -> None:
        with self._guard:
            failure = self._failure("sync", path)
            if failure is not None:
                if failure.data_lost:
                    if failure.torn:
                        self._tear(number)
                    self._pending = [o for o in self._pending if not (o.on_file and o.inode == number)]
                raise _raised(failure.error, path)
            self._count(f"sync {path}")
            inode = self._inodes[number]
            rest = []
            for operation in self._pending:
                if operation.on_file and operation.inode == number:
                    inode.change(operation, durable=True)
                else:
                    rest.append(operation)
            self._pending = rest

    # ---- inside ----

    def _tear(self, number: int) -> None:
        """Let the file's unsynced writes reach the disk by half."""
        for write in self._pending:
            if write.kind == "write" and write.inode == number and write.data:
                for one in half(write, self.atom_bytes):
                    self._inodes[number].change(one, durable=True)

    def _create(self, path: str) -> int:
        self._check("create", path)
        number = self._next_inode
        self._next_inode += 1
        empty = Content()
        self._inodes[number] = Inode(empty, empty)
        operation = Operation("create", path, number)
        self._apply_name(operation, self._names, self._folders)
        self._do(operation)
        return number

    def _settle_names(self, folder: str) -> None:
        """Make durable what was created, renamed and removed in a folder."""
        rest = []
        for operation in self._pending:
            if operation.concerns(folder):
                self._apply_name(operation, self._durable_names, self._durable_folders)
            else:
                rest.append(operation)
        self._pending = rest

    def _apply_name(self, operation: Operation, names: dict[str, int], folders: set[str]) -> None:
        path = operation.path
        if operation.kind == "create":
            names[path] = operation.inode
        elif operation.kind == "remove":
            names.pop(path, None)
        elif operation.kind == "rename":
            # By inode, not by name: a rename may survive a creation that is lost under its first name.
            if names.get(path) == operation.inode:
                del names[path]
            names[operation.target] = operation.inode
        else:
            folders.discard(path)
            for inner in [p for p in names if p.startswith(path + "/")]:
                del names[inner]

    def _do(self, operation: Operation) -> None:
        """Count an operation that is now under way: with the crash point here, it may be done or not."""
        self._pending.append(operation)
        self._count(str(operation))

    def _count(self, what: str) -> None:
        self.operations += 1
        if self.operations == self.crash_at:
            self.powered = False
            self.crashed_in = what
        self._powered()

    def _powered(self) -> None:
        if not self.powered:
            raise PowerCut(f"power cut at operation {self.operations}: {self.crashed_in}")

    def _check(self, kind: str, *paths: str) -> None:
        for path in paths:
            failure = self._failure(kind, path)
            if failure is not None:
                raise _raised(failure.error, path)

    def _failure(self, kind: str, path: str) -> _Failure | None:
        self._powered()
        for failure in self._failures:
            if failure.kind != kind or not fnmatchcase(path, failure.glob):
                continue
            if failure.after > 0:
                failure.after -= 1
                continue
            if failure.times is None:
                return failure
            if failure.times > 0:
                failure.times -= 1
                return failure
        return None

    def _take_space(self, number: int, end: int) -> int:
        """Use up free space for growth to `end`; returns how far the file may really grow."""
        growth = end - self._inodes[number].current.size
        if self._space is None or growth <= 0:
            return end
        granted = min(growth, self._space)
        self._space -= granted
        return end - growth + granted

    def _give_space(self, size: int) -> None:
        if self._space is not None and size > 0:
            self._space += size


def _clean(path: str) -> str:
    return posixpath.normpath(path)


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def _raised(error: OSError, path: str) -> OSError:
    """A fresh error of the same kind that names the path, as the real one would."""
    return OSError(error.errno, error.strerror, path)
