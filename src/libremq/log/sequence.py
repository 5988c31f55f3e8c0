"""The linear log's extents: a sequence of files that only grows; file number and extent number are the same.

The active part reaches from the extent of the head to the current one. Older files are inactive: nothing writes to
them, but media recovery may read them, until they are archived or deleted. The next files are formatted ahead of need
by whoever has time for it (`prepare_next`), so that an append waits for that only if it is faster than the formatter.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence as SequenceOf

from libremq.common.files.file_layer import Files
from libremq.log.extents import RESTORE, Extent, GrowingExtents, extent_name, extent_number
from libremq.log.log_errors import LogDamaged
from libremq.log.pages import PAGE_BYTES

EXTENT_NUMBER_MAX = 9_999_999
EXTENT_NUMBER_STOP = 9_999_000
"""Ordinary records stop here, so that work can be ended and the log be replaced in order."""

_INACTIVE_OPEN_MAX = 8


class Sequence(GrowingExtents):
    """The sequence; `base` is the first active extent."""

    __slots__ = ("_format_guard", "_inactive", "_inactive_guard", "_ready", "_ready_guard")

    def __init__(self, files: Files, folders: SequenceOf[str], log_id: bytes, extent_bytes: int) -> None:
        super().__init__(files, folders, log_id, extent_bytes)
        self._ready: dict[int, Extent] = {}
        """Formatted ahead: extents `end`, `end` + 1 and so on."""
        self._ready_guard = threading.Lock()
        """For `_ready` and `end`; held for a moment."""
        self._format_guard = threading.Lock()
        """Held while an extent is formatted: one is at a time."""
        self._inactive: dict[int, Extent] = {}
        self._inactive_guard = threading.RLock()
        """Held by readers, so that what they read is not closed under them."""

    def open_all(self, base: int, ring: SequenceOf[int], trusted: SequenceOf[bool]) -> None:
        super().open_all(base, ring, trusted)
        for folder, usable in zip(self.folders, trusted, strict=True):
            if usable:
                self._check_beyond(folder)

    def _check_beyond(self, folder: str) -> None:
        """Files after the last one are formatted ahead; if one has pages, the control file is older than they are."""
        for number in self._numbers_in(folder):
            if number >= self.end:
                path = f"{folder}/{extent_name(number)}"
                file = self._files.open(path)
                page = file.read(0, PAGE_BYTES)
                file.close()
                if self.is_whole(page, number * self.extent_bytes):
                    what = "the extent holds records, but the control file does not know of it yet"
                    raise LogDamaged(path, what, f"The control file is older than the extents. {RESTORE}")

    def _numbers_in(self, folder: str) -> list[int]:
        try:
            names = self._files.list(folder)
        except FileNotFoundError:
            return []
        return [number for number in map(extent_number, names) if number is not None]

    # ---- going on ----

    def provide(self, extent: int, head: int, files_max: int) -> None:
        while extent >= self.end:
            if not self._take_ready():
                # Perhaps somebody is formatting just this one: then it is there when they are done.
                with self._format_guard:
                    if not self._take_ready():
                        entry = self._format(self.end)
                        with self._ready_guard:
                            self._at[self.end] = entry
                            self.end += 1

    def _take_ready(self) -> bool:
        with self._ready_guard:
            if self.end not in self._ready:
                return False
            # Without a call, so that no interrupt gets in between
            self._at[self.end] = self._ready[self.end]
            del self._ready[self.end]
            self.end += 1
            return True

    def prepare_next(self, current: int, ahead: int) -> bool:
        """Format one extent unless there are `ahead` ones after the current one already. Takes its time."""
        with self._format_guard:
            with self._ready_guard:
                number = self.end + len(self._ready)
            if number > current + ahead or number > EXTENT_NUMBER_MAX:
                return False
            entry = self._format(number)
            with self._ready_guard:
                self._ready[number] = entry
            return True

    def retire(self, head: int) -> None:
        """The extents before `head` are no longer active."""
        while self.base < min(head, self.end - 1):
            with self._inactive_guard:
                self._keep_open(self.base, self._at[self.base])
                del self._at[self.base]
                self.base += 1

    # ---- inactive extents ----

    def read(self, lsn: int, length: int) -> bytes:
        with self._inactive_guard:
            return super().read(lsn, length)

    def _keep_open(self, number: int, entry: Extent) -> None:
        self._inactive[number] = entry
        while len(self._inactive) > _INACTIVE_OPEN_MAX:
            self._inactive.pop(next(iter(self._inactive))).close()

    def entry(self, extent: int) -> Extent | None:
        found = self._at.get(extent)
        if found is not None or extent >= self.base or extent < 0:
            return found
        with self._inactive_guard:
            found = self._inactive.get(extent)
            if found is None:
                try:
                    found = self._open(extent, extent)
                except LogDamaged:
                    return None
                self._keep_open(extent, found)
            return found

    def inactive(self) -> list[int]:
        """The extents before the active ones that are still there, in order."""
        found = {number for folder in self.folders for number in self._numbers_in(folder) if number < self.base}
        return sorted(found)

    def prepared(self) -> list[int]:
        """The extents formatted ahead, in order."""
        with self._ready_guard:
            return sorted(self._ready)

    def missing_from(self, extent: int) -> int | None:
        """The lowest extent from this one up to the active ones that has no file any more."""
        there = set(self.inactive())
        return next((number for number in range(extent, self.base) if number not in there), None)

    def forget(self, number: int) -> None:
        """Delete an inactive extent."""
        assert number < self.base
        with self._inactive_guard:
            entry = self._inactive.pop(number, None)
            if entry is not None:
                entry.close()
        self.remove_files(number)

    def close(self) -> None:
        super().close()
        for table in (self._ready, self._inactive):
            for entry in table.values():
                entry.close()
            table.clear()
