"""Reading an open log from some LSN to its durable end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from libremq.log.extents import Extents
from libremq.log.log_errors import LogDamaged
from libremq.log.pages import PAGE_BYTES, PAGE_HEADER_BYTES
from libremq.log.reader import RecordWalk
from libremq.log.records import Record


class LogScan:
    """Iterate to get the records in order; afterwards `end_lsn` and `why` say where it ended and why."""

    __slots__ = ("_check_in_log", "_extents", "_limit", "_walk")

    def __init__(self, extents: Extents, from_lsn: int, durable: int, check_in_log: Callable[[int], None]) -> None:
        offset = durable % PAGE_BYTES
        # At the first byte after a page header: that page was not written yet.
        self._limit = durable - offset + (0 if offset == PAGE_HEADER_BYTES else PAGE_BYTES)
        self._extents = extents
        self._walk = RecordWalk(extents, from_lsn, self._limit)
        self._check_in_log = check_in_log

    @property
    def end_lsn(self) -> int:
        return self._walk.end_lsn

    @property
    def why(self) -> str:
        return self._walk.why

    def __iter__(self) -> Iterator[Record]:
        walk = self._walk
        yield from walk
        if walk.refused_lsn < self._limit:
            self._check_in_log(walk.refused_lsn)
            what = f"the page at LSN {walk.refused_lsn} cannot be used ({walk.why}), but the log goes on after it"
            path = self._extents.path_of(walk.refused_lsn)
            raise LogDamaged(path, what, "Restore the log folder and the queue manager's folder from a backup")
