"""Reading an open log from some LSN to its durable end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from libremq.log.extents import Extents
from libremq.log.log_errors import LogDamaged
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER_BYTES
from libremq.log.reader import RecordWalk
from libremq.log.records import Record, RecordFields, new_record


class LogScan:
    """Iterate to get the records in order; afterwards `end_lsn` and `why` say where it ended and why."""

    __slots__ = ("_check_in_log", "_extents", "_limit", "_walk")

    def __init__(
        self, extents: Extents, from_lsn: int, durable: int, checked_lsn: int, check_in_log: Callable[[int], None]
    ) -> None:
        """The pages from there to `checked_lsn` were found right before."""
        offset = durable % PAGE_BYTES
        # At the first byte after a page header: that page was not written yet.
        self._limit = durable - offset + (0 if offset == PAGE_HEADER_BYTES else PAGE_BYTES)
        self._extents = extents
        self._walk = RecordWalk(extents, from_lsn, self._limit, checked_lsn)
        self._check_in_log = check_in_log

    @property
    def end_lsn(self) -> int:
        return self._walk.end_lsn

    @property
    def why(self) -> str:
        return self._walk.why

    def __iter__(self) -> Iterator[Record]:
        for run in self.runs():
            yield from map(new_record, run)

    def runs(self) -> Iterator[list[RecordFields]]:
        """The records of a page at a time: for whoever reads many."""
        walk = self._walk
        yield from walk.runs()
        if walk.refused_lsn < self._limit:
            self._check_in_log(walk.refused_lsn)
            what = f"the page at LSN {walk.refused_lsn} cannot be used ({walk.why}), but the log goes on after it"
            path = self._extents.path_of(walk.refused_lsn)
            raise LogDamaged(path, what, "Restore the log folder and the queue manager's folder from a backup")
