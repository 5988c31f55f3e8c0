"""Reading a log for people: every record that can be read, and where and why one cannot, without touching a file.

A restart must stop at damage; a dump goes on. Every page says at which offset the first record in it starts, so after
a bad page the dump finds its way again at the next page with a start, and reports what lies between as a gap. Whether
a bad page is damage or simply the end of the log is decided as a restart does it: by what later pages and the control
file say was on disk. It works beside a running queue manager, which may reuse extents under it, and on what is left of
a dead one: without the control file, with extents missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from libremq.common.files.file_layer import Files
from libremq.log.dump_source import BadPage, DumpSource, Page
from libremq.log.extents import extent_name
from libremq.log.log_errors import LogError
from libremq.log.pages import EPOCH_START, PAGE_BYTES, PAGE_HEADER_BYTES, stream_of
from libremq.log.records import RECORD_HEADER_BYTES, Record, parse_record

_NO_LIMIT = 1 << 64


@dataclass(frozen=True, slots=True)
class DumpStart:
    """What the log says of itself. Without a readable control file the positions are 0, and `problem` says why."""

    folder: str
    problem: str
    log_id: str
    type: str
    epoch: int
    head: int
    checkpoint: int
    media: int
    """Oldest LSN that media recovery needs; 0 in a circular log."""
    durable: int
    """Everything before was on disk when the control file was last written."""
    extent_bytes: int
    extents: tuple[tuple[int, str], ...]
    """LSN where each begins and name of its file, oldest first."""


@dataclass(frozen=True, slots=True)
class DumpExtent:
    """From here on records are in this file."""

    lsn: int
    file: str


@dataclass(frozen=True, slots=True)
class DumpGap:
    """Nothing can be shown from one LSN up to another."""

    from_lsn: int
    to_lsn: int
    file: str
    """Where it begins; "" if no file holds it."""
    why: str
    damaged: bool
    """False where nothing is lost: a record that was never finished, an extent that is no longer in the log."""


@dataclass(frozen=True, slots=True)
class DumpEnd:
    """The dump ends here."""

    lsn: int
    file: str
    why: str
    damaged: bool
    """More was on disk once, and cannot be read."""


DumpLine = DumpStart | DumpExtent | Record | DumpGap | DumpEnd


def dump(
    files: Files,
    folder: str,
    *,
    from_lsn: int | None = None,
    to_lsn: int | None = None,
    extent: int | None = None,
) -> Iterator[DumpLine]:
    """The log in a folder: first a DumpStart, then records in order of their LSN, with gaps, last a DumpEnd.

    Records that begin at `from_lsn` or after it and not after `to_lsn`; by default from the head of the log (the oldest
    record that a restart needs), or, if the control file cannot be read, from the oldest there is. `extent` is the
    number in the name of an extent file: the records that begin in that file. Raises LogError if the folder holds no
    log, ValueError for an extent that is not there; nothing else, whatever the files hold. Writes nothing.
    """
    source = DumpSource(files, folder)
    first = min(source.extents, default=0) * source.extent_bytes
    limit = _NO_LIMIT if to_lsn is None else to_lsn + 1
    if extent is not None:
        starts = [number * source.extent_bytes for number, file in source.extents.items() if file == extent]
        if not starts:
            source.close()
            known = ", ".join(map(extent_name, source.extents.values())) or "none"
            raise ValueError(f"{folder}: there is no extent {extent_name(extent)} in the log; it has {known}")
        begin = max(starts[0], from_lsn or 0)
        limit = min(limit, starts[0] + source.extent_bytes)
    elif from_lsn is not None:
        begin = from_lsn
    else:
        begin = source.control.head if source.control is not None else first
    return _Dump(source, max(0, begin), limit).lines()


def base_lsn(files: Files, folder: str) -> int:
    """The LSN where the extent that holds the head begins; the oldest there is if the control file cannot be read."""
    source = DumpSource(files, folder)
    source.close()
    if source.control is None:
        return min(source.extents, default=0) * source.extent_bytes
    return source.control.head - source.control.head % source.extent_bytes


def start_of_extent(files: Files, folder: str, extent: int) -> int:
    """The LSN where the extent file of a number begins, to dump from it on. ValueError if it is not in the log."""
    source = DumpSource(files, folder)
    source.close()
    for number, file in source.extents.items():
        if file == extent:
            return number * source.extent_bytes
    raise ValueError(f"{folder}: there is no extent {extent_name(extent)} in the log")


class _Dump:
    """One dump: a walk over the pages, and the record that is being put together."""

    def __init__(self, source: DumpSource, begin: int, limit: int) -> None:
        self._source = source
        self._begin = begin
        self._limit = limit
        """Records begin before this LSN."""
        self._page_lsn = begin - begin % PAGE_BYTES
        self._epoch = 0
        self._used = 0
        """Of the page before."""
        self._durable = 0
        self._expected = begin
        """Where the next record should start."""
        self._pending = bytearray()
        self._in_step = False
        """Whether the next byte of record data is known to begin a record or to continue the pending one."""
        self._gap: tuple[int, str, bool] | None = None
        """A gap that is open: where it begins, why, and whether it is damage."""

    def lines(self) -> Iterator[DumpLine]:
        try:
            yield self._start()
            yield from self._walk()
        finally:
            self._source.close()

    def _start(self) -> DumpStart:
        source = self._source
        control = source.control
        return DumpStart(
            folder=source.folder,
            problem=source.control_problem,
            log_id=source.log_id.hex(),
            type=control.config.type if control is not None else "",
            epoch=control.epoch if control is not None else 0,
            head=control.head if control is not None else 0,
            checkpoint=control.checkpoint if control is not None else 0,
            media=control.media if control is not None else 0,
            durable=control.durable if control is not None else 0,
            extent_bytes=source.extent_bytes,
            extents=tuple((number * source.extent_bytes, extent_name(file)) for number, file in source.extents.items()),
        )

    # ---- pages ----

    def _walk(self) -> Iterator[DumpLine]:
        source = self._source
        oldest = min(source.extents, default=0) * source.extent_bytes
        if self._page_lsn < oldest:
            self._page_lsn = oldest
            self._open_gap(self._begin, "these records are no longer in the log", False)
        shown_extent = -1
        while self._page_lsn < self._limit or self._pending:
            lsn = self._page_lsn
            page = source.page(lsn)
            problem = page.why if isinstance(page, BadPage) else self._misfit(page)
            if problem:
                if isinstance(page, BadPage) and (page.holds_lsn > lsn or page.absent) and self._moved_on(lsn):
                    continue
                end = self._damage_or_end(lsn, page, problem)
                if end is not None:
                    yield from self._closed_gap(end.lsn)
                    yield end
                    return
                continue
            assert isinstance(page, Page)
            if lsn // source.extent_bytes != shown_extent and lsn < self._limit:
                shown_extent = lsn // source.extent_bytes
                yield DumpExtent(lsn, source.file_of(lsn))
            if page.epoch != self._epoch:
                if self._epoch and self._pending:
                    self._lose("the record was not finished when the log was opened again; nobody relied on it", False)
                self._epoch = page.epoch
            self._used, self._durable = page.used, page.durable
            yield from self._records(page)
            self._page_lsn = max(self._page_lsn, lsn + PAGE_BYTES)
        yield from self._closed_gap(self._limit)
        yield DumpEnd(self._limit, source.file_of(self._limit), "the end of what was asked for", False)

    def _misfit(self, page: Page) -> str:
        """Why a whole page does not continue the one before; "" if it does, or if there is none before."""
        if self._left_over(page):
            return f"the page is left over from epoch {page.epoch}, before the log was opened again"
        if not self._epoch:
            return ""
        if page.epoch < self._epoch:
            return f"the page is left over from epoch {page.epoch}, before epoch {self._epoch}"
        if page.epoch > self._epoch:
            if not page.before & EPOCH_START:
                return f"the page belongs to epoch {page.epoch}, whose earlier pages are not there"
            if page.before not in (EPOCH_START, EPOCH_START | self._used):
                return f"the page begins epoch {page.epoch} after a version of the page before that is not there"
        elif page.before != self._used:
            return "the page continues a version of the page before that is not there"
        return ""

    def _left_over(self, page: Page) -> bool:
        """An opening of the log began its epoch before this page, and did not get as far as to write it anew."""
        control = self._source.control
        return control is not None and page.epoch < control.epoch and page.lsn >= control.epoch_start

    def _moved_on(self, lsn: int) -> bool:
        """A running queue manager has added extents, or has taken this one for something newer: then go on there."""
        source = self._source
        extent = lsn // source.extent_bytes
        known = extent in source.extents
        try:
            source.survey()
        except LogError:
            return False  # the folder has gone
        if extent in source.extents and not known:
            return True
        if extent in source.extents or not source.extents or min(source.extents) < extent:
            return False
        self._lose("the extent was used again while it was read", False)
        self._page_lsn = min(source.extents) * source.extent_bytes
        return True

    def _damage_or_end(self, lsn: int, bad: Page | BadPage, why: str) -> DumpEnd | None:
        """After a page that does not fit: None if the dump goes on, perhaps behind a gap; else the end."""
        source = self._source
        reached = stream_of(self._expected if self._in_step else lsn)
        promised = max(self._durable, source.control.durable if source.control is not None else 0)
        resume: int | None = None
        beyond = 0
        for page in source.good_pages(lsn if isinstance(bad, Page) else lsn + PAGE_BYTES):
            if page.epoch < self._epoch or self._left_over(page):
                continue
            if resume is None:
                resume = page.lsn
            beyond += 1
            promised = max(promised, page.durable)
            if stream_of(promised) > reached:
                break
        damaged = stream_of(promised) > reached
        if damaged and self._written_meanwhile(lsn):
            return None
        if damaged and resume is not None:
            # Whole extents that are gone and that neither restart nor media recovery needs were let go.
            end = lsn - lsn % source.extent_bytes + source.extent_bytes
            let_go = isinstance(bad, BadPage) and bad.absent and end <= self._needed_from()
            self._lose(why, not let_go, in_page=isinstance(bad, BadPage))
            self._page_lsn = resume
            self._epoch = 0
            return None
        if damaged:
            why = f"{why}, but the log was on disk up to LSN {promised}"
        elif beyond:
            why = f"{why}; {beyond} pages after it are of a force that was not finished, and are not part of the log"
        if self._pending:
            why = f"{why}; the record at LSN {self._expected} is not whole"
        return DumpEnd(self._expected if self._in_step else lsn, source.file_of(lsn), why, damaged)

    def _written_meanwhile(self, lsn: int) -> bool:
        """Beside a running queue manager a page may only have been read too early: this one, or the one before."""
        again = self._source.page(lsn, fresh=True)
        if not isinstance(again, Page):
            return False
        if not self._misfit(again):
            return True
        before = self._source.page(lsn - PAGE_BYTES) if self._epoch else None
        if not isinstance(before, Page) or before.used == self._used or before.used != again.before & ~EPOCH_START:
            return False
        # It has more records now. Those that were shown already are not shown again.
        self._begin = max(self._begin, self._expected)
        self._page_lsn = before.lsn
        self._epoch = 0
        self._pending.clear()
        self._in_step = False
        return True

    def _needed_from(self) -> int:
        control = self._source.control
        if control is None:
            return 0
        return min(control.head, control.media) if control.media else control.head

    # ---- records ----

    def _records(self, page: Page) -> Iterator[DumpLine]:
        """The records that end in a page; the last may go on in the next one."""
        data = page.data
        data_lsn = page.lsn + PAGE_HEADER_BYTES
        position = 0
        if self._pending:
            record, position = self._finish(page)
            if record is not None:
                yield from self._show(record)
            elif self._pending:
                return
        if self._in_step and position == 0 and data and page.first != PAGE_HEADER_BYTES:
            self._lose("the page goes on with a record that is not there: one ended just before it", True)
        if not self._in_step:
            if page.first == 0:
                return
            position = page.first - PAGE_HEADER_BYTES
            self._in_step = True
            if self._gap is None and self._expected < data_lsn + position:
                self._expected = data_lsn + position
            yield from self._closed_gap(data_lsn + position)
        while position < len(data):
            lsn = self._expected = data_lsn + position
            if lsn >= self._limit:
                return
            left = len(data) - position
            length = int.from_bytes(data[position : position + 4], "little") if left >= 4 else RECORD_HEADER_BYTES
            if left >= RECORD_HEADER_BYTES and RECORD_HEADER_BYTES <= length <= left:
                record = parse_record(lsn, _next_lsn(data_lsn + position + length), data, position, length)
                if record is None:
                    self._lose("the record has a wrong checksum, in a page that has a right one", True)
                    return
                yield from self._show(record)
                position += length
            elif length < RECORD_HEADER_BYTES:
                self._lose(f"no record has a length of {length}, in a page whose checksum is right", True)
                return
            else:
                self._pending += data[position:]
                return

    def _finish(self, page: Page) -> tuple[Record | None, int]:
        """Continue the pending record in a page: the record and where it ends, or None if it goes on or is lost."""
        data = page.data
        have = len(self._pending)
        self._pending += data
        if len(self._pending) < RECORD_HEADER_BYTES:
            return None, 0
        length = int.from_bytes(self._pending[:4], "little")
        rest = length - have
        # The page says where the next record starts: a length that disagrees is wrong, however far it would reach.
        if length < RECORD_HEADER_BYTES or page.first != (rest + PAGE_HEADER_BYTES if rest < len(data) else 0):
            self._lose(f"its length of {length} does not agree with where the next record starts", True)
            return None, 0
        if rest > len(data):
            return None, 0
        end = page.lsn + PAGE_HEADER_BYTES + rest
        record = parse_record(self._expected, _next_lsn(end), bytes(self._pending[:length]), 0, length)
        if record is None:
            self._lose("the record has a wrong checksum, in pages that have right ones", True)
            return None, 0
        self._pending.clear()
        return record, rest

    def _show(self, record: Record) -> Iterator[DumpLine]:
        self._expected = record.next_lsn
        if self._begin <= record.lsn < self._limit:
            yield record

    # ---- gaps ----

    def _lose(self, why: str, damaged: bool, *, in_page: bool = True) -> None:
        """What should come next cannot be read; `in_page`: in the present page, not at the end of the one before."""
        first = self._page_lsn + PAGE_HEADER_BYTES
        if not self._in_step:
            lsn = max(first, self._begin)
        elif in_page and not self._pending:
            lsn = max(first, self._expected)
        else:
            lsn = self._expected
        self._open_gap(lsn, why, damaged)
        self._pending.clear()
        self._in_step = False

    def _open_gap(self, lsn: int, why: str, damaged: bool) -> None:
        if self._gap is None:
            self._gap = lsn, why, damaged
        elif damaged and not self._gap[2]:
            self._gap = self._gap[0], f"{self._gap[1]}; then {why}", True

    def _closed_gap(self, to_lsn: int) -> Iterator[DumpGap]:
        if self._gap is not None:
            lsn, why, damaged = self._gap
            self._gap = None
            yield DumpGap(lsn, max(lsn, to_lsn), self._source.file_of(lsn), why, damaged)


def _next_lsn(end: int) -> int:
    return end + PAGE_HEADER_BYTES if end % PAGE_BYTES == 0 else end
