"""The circular log's extents: a ring of files that are used again and again.

`ring[i]` is the file of extent `base + i`: first the extents in use, oldest first, then the free ones. Going on to the
next extent therefore is: take the next file in the ring; if there is none, turn the ring while its oldest extent is no
longer needed; if it is still needed, format a secondary and put it between the newest extent and the oldest, which is
the point of need. Files beyond the primaries are given back, one at a time, when the log has long done without them.
"""

from __future__ import annotations

from collections.abc import Sequence

from libremq.common.files.file_layer import Files
from libremq.log.extents import Extent, GrowingExtents, extent_number


class Ring(GrowingExtents):
    """The ring. All changes are made with the log's gather lock held."""

    __slots__ = ("_stretched_at",)

    def __init__(self, files: Files, folders: Sequence[str], log_id: bytes, extent_bytes: int) -> None:
        super().__init__(files, folders, log_id, extent_bytes)
        self._stretched_at = 0
        """The extent the log was at when it last used more than its primaries."""

    def provide(self, extent: int, head: int, files_max: int) -> None:
        while extent >= self.end:
            if (self.base + 1) * self.extent_bytes <= head:
                self._turn()
            else:
                assert self.end - self.base < files_max
                self._add_secondary()

    def _turn(self) -> None:
        """The oldest extent's file becomes the last free one. Without a call, so that no interrupt gets in between."""
        self._at[self.end] = self._at[self.base]
        del self._at[self.base]
        self.base += 1
        self.end += 1

    def _add_secondary(self) -> None:
        used = set(self.ring())
        number = 0
        while number in used:
            number += 1
        self._at[self.end] = self._format(number)
        self.end += 1

    def release(self, head: int, current: int, primaries: int) -> Extent | None:
        """Take one file out of the ring if it has more than the primaries and has long not used them.

        "Long" is a whole turn: as many extents as the ring has files were begun since more than the primaries were in
        use. `head` and `current` are extent numbers. The extents behind the one whose file leaves get other files: the
        caller must record the ring before they are written to, and before deleting the file.
        """
        files = self.end - self.base
        if files <= primaries or current - self._stretched_at < files:
            return None
        while self.base < head:
            self._turn()
        # The file with the highest number goes, so that those made first stay. If it is in use it will be free later.
        leaving = max(self._at, key=lambda extent: self._at[extent].number)
        if leaving <= current:
            return None
        gone = self._at[leaving]
        rest = {extent - (extent > leaving): entry for extent, entry in self._at.items() if extent != leaving}
        self._at = rest
        self.end -= 1
        return gone

    def note_use(self, head: int, current: int, primaries: int) -> None:
        """Remember when more than the primaries are in use: to be called when the log goes on to another extent."""
        if current - head + 1 > primaries:
            self._stretched_at = current

    def begin_at(self, current: int) -> None:
        """The log was opened: what it had needed before is not known, so count from here."""
        self._stretched_at = current

    def strays(self) -> list[int]:
        """Numbers of extent files in the folders that are not in the ring: a release or an addition was cut short."""
        used = set(self.ring())
        found: set[int] = set()
        for folder in self.folders:
            numbers = map(extent_number, self._files.list(folder))
            found.update(number for number in numbers if number is not None and number not in used)
        return sorted(found)
