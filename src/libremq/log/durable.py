"""How bytes of the log become durable, in one or two folders: past the system's cache where that can be done.

Then one call writes pages from aligned memory, and they are on disk when it returns. Where the file system has no such
writes, or they are slower, or the setting forbids them, pages are written through the cache, and their files synced.
With two copies both are under way at the same time, if there is a helper for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from libremq.common.files.file_layer import Buffer, DirectFile, File, Files
from libremq.log.sync_helper import SyncHelper

_TARGETS_MAX = 2
"""Files open for writes past the cache in each copy: the extent that is written to, and the shadow."""


class CopiedFile:
    """A file of the log in every copy."""

    __slots__ = ("direct", "files", "name")

    def __init__(self, files: list[File | None], name: str) -> None:
        self.files = files
        self.name = name
        self.direct: list[DirectFile] = []
        """The same, open for writes past the cache, while such writes go to it; all of them or none."""

    def close_direct(self) -> None:
        files, self.direct = self.direct, []
        while files:
            files.pop().close()

    def close(self) -> None:
        self.close_direct()
        for file in self.files:
            if file is not None:
                file.close()


class DurableFolders:
    """The folders of a log, and the writes to files in them."""

    __slots__ = ("_files", "_targets", "broken", "direct", "folders", "helper", "unsettled")

    def __init__(self, files: Files, folders: Sequence[str]) -> None:
        self._files = files
        self.folders = tuple(folders)
        self.direct = False
        """Pages are written past the cache."""
        self.broken: OSError | None = None
        """A write or sync failed, after which none may be tried again."""
        self.helper: SyncHelper | None = None
        """What it is at, perhaps for somebody who was interrupted, must be done before memory that it reads changes."""
        self.unsettled: list[CopiedFile] = []
        """Written through the cache and not synced yet."""
        self._targets: list[CopiedFile] = []
        """Open for writes past the cache, oldest first."""

    def write_directly(self) -> None:
        """From now on write past the cache, if that can be done in every folder and is not slower there."""
        self.direct = all(self._files.writes_directly(folder) for folder in self.folders)

    def sync_in_parallel(self) -> None:
        """From now on wait for the two copies at the same time."""
        if len(self.folders) > 1 and self.helper is None:
            self.helper = SyncHelper(self.folders[1])

    def put(self, target: CopiedFile, offset: int, pages: memoryview) -> None:
        """Write pages, of aligned memory, to a file in every copy. Durable when settled, if it was not before."""
        if self.direct and (direct := target.direct or self._open_direct(target)):
            if self.helper is not None:
                self._put_side_by_side(self.helper, direct, offset, pages)
                return
            for copy, file in enumerate(direct):
                try:
                    file.write(offset, pages)
                except OSError as error:
                    # Assignments only, here and below: an interrupt must not make a failure forgotten.
                    self.broken = error
                    if error.filename is None:
                        error.filename = self.folders[copy]
                    raise
        else:
            self.unsettled.append(target)
            self.write_copies(target.files, offset, pages)

    def _put_side_by_side(
        self, helper: SyncHelper, direct: Sequence[DirectFile], offset: int, pages: memoryview
    ) -> None:
        ticket = helper.start(partial(direct[1].write, offset, pages))
        try:
            direct[0].write(offset, pages)
        except OSError as error:
            self.broken = error
            if error.filename is None:
                error.filename = self.folders[0]
            raise
        finally:
            helper.wait(ticket)

    def settle(self) -> None:
        """Make durable what was put, if anything is unsettled."""
        self.sync_copies([target.files for target in dict.fromkeys(self.unsettled)])
        self.unsettled = []

    def _open_direct(self, target: CopiedFile) -> list[DirectFile]:
        """Open it for writes past the cache. If that fails, as with too many open files, it is written through it."""
        opened: list[DirectFile] = []
        try:
            for folder in self.folders:
                opened.append(self._files.open_direct(f"{folder}/{target.name}"))
        except OSError:
            for file in opened:
                file.close()
            return []
        targets = self._targets
        targets.append(target)
        target.direct = opened
        if len(targets) > _TARGETS_MAX:
            targets.pop(0).close_direct()
        return opened

    def write_copies(self, files: Sequence[File | None], offset: int, data: Buffer) -> None:
        """Write to a file in every copy, through the cache. Not synced."""
        for copy, file in enumerate(files):
            assert file is not None
            try:
                file.write(offset, data)
            except OSError as error:
                self.broken = error
                if error.filename is None:
                    error.filename = self.folders[copy]
                raise

    def sync_copies(self, groups: Sequence[Sequence[File | None]]) -> None:
        """Sync files, each given in every copy; the copies at the same time if there is a helper."""
        helper = self.helper
        if helper is None:
            for copy in range(len(self.folders)):
                self._sync_copy(groups, copy)
            return
        ticket = helper.start(partial(_sync_all, [file for files in groups if (file := files[1]) is not None]))
        try:
            self._sync_copy(groups, 0)
        finally:
            helper.wait(ticket)

    def _sync_copy(self, groups: Sequence[Sequence[File | None]], copy: int) -> None:
        try:
            _sync_all(file for files in groups if (file := files[copy]) is not None)
        except OSError as error:
            self.broken = error
            if error.filename is None:
                error.filename = self.folders[copy]
            raise

    def copy_of(self, error: OSError) -> int:
        """Which copy an error is about, by the path in it."""
        second = self.folders[-1]
        path = str(error.filename)
        return len(self.folders) - 1 if path == second or path.startswith(f"{second}/") else 0

    def close(self) -> None:
        """End the helper, before the files that it may be at are closed."""
        if self.helper is not None:
            self.helper.close()
            self.helper = None


def _sync_all(files: Iterable[File]) -> None:
    for file in files:
        file.sync()
