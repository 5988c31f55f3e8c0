"""Rows of an interval to records: which structures go into which subtype, in the order a queue manager writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from libremq.pipeline.generator.dump_writer import Moment, Origin, Sequences, record, task_records
from libremq.pipeline.generator.interval import Interval, Row, Task
from libremq.pipeline.generator.shapes import RECORD_BYTES_MAX, release_of
from libremq.pipeline.generator.structures import block

_ROOM = RECORD_BYTES_MAX - 300
"""What a record leaves to its sections after headers and triplets."""

_QUEUE_STATISTICS_FROM = (9, 3, 0)
_PAGE_SET_STATISTICS_FROM = (9, 0, 0)


class Writer:
    """The records of one queue manager, in order, with its running numbers."""

    def __init__(self, origin: Origin, *, class_one: bool = True, class_three: bool = True) -> None:
        self.origin = origin
        self.class_one = class_one
        self.class_three = class_three
        self._sequences = Sequences()

    def records(self, interval: Interval) -> Iterator[bytes]:
        """Statistics first, then channels and tasks."""
        moment = Moment(interval.traffic.end, timedelta(seconds=interval.traffic.seconds))
        yield from self._statistics(interval, moment)
        yield from self._initiator(interval, moment)
        for task in interval.tasks:
            yield from self._task(task, moment)

    def _sections(self, name: str, rows: Sequence[Row]) -> list[bytes]:
        made = block(name, self.origin.release)
        if made.slot_count:
            return [made.table(rows)]
        return [made.section(row) for row in rows]

    def _record(self, kind: tuple[int, int], sections: dict[str, list[bytes]], moment: Moment) -> bytes:
        return record(*kind, sections, self.origin, moment, sequences=self._sequences)

    def _split(self, kind: tuple[int, int], name: str, rows: Sequence[Row], moment: Moment) -> Iterator[bytes]:
        """As many records as the rows of one structure need."""
        each = max(1, _ROOM // block(name, self.origin.release).length)
        for start in range(0, len(rows), each):
            yield self._record(kind, {name: self._sections(name, rows[start : start + each])}, moment)

    def _statistics(self, interval: Interval, moment: Moment) -> Iterator[bytes]:
        rows, level = interval.rows, release_of(self.origin.release)
        first = {name: self._sections(name, rows[name]) for name in ("qsst", "qjst")}
        yield self._record((115, 1), first, moment)
        names = ("qmst", "qist", "qlst", "q5st", "qest", "qtst", "qesd")
        yield self._record((115, 2), {name: self._sections(name, rows[name]) for name in names}, moment)
        for subtype, name in ((5, "qsph"), (6, "qsgm"), (7, "qsrs")):
            if level >= _PAGE_SET_STATISTICS_FROM:
                yield from self._split((115, subtype), name, rows[name], moment)
        if level >= _PAGE_SET_STATISTICS_FROM:
            yield from self._split((115, 201), "qis1", rows["qis1"], moment)
        yield from self._split((115, 215), "qpst", rows["qpst"], moment)
        if level >= _QUEUE_STATISTICS_FROM:
            yield from self._split((115, 216), "qqst", rows["qqst"], moment)

    def _initiator(self, interval: Interval, moment: Moment) -> Iterator[bytes]:
        names = ("qcct", "qctdsp", "qctadp", "qctssl", "qctdns")
        yield self._record((115, 231), {name: self._sections(name, interval.rows[name]) for name in names}, moment)
        yield from self._split((116, 10), "qcst", interval.rows["qcst"], moment)

    def _task(self, task: Task, moment: Moment) -> Iterator[bytes]:
        if self.class_one:
            sections = {"qwac": self._sections("qwac", [task.processor]), "qmac": self._sections("qmac", [task.sizes])}
            yield record(116, 0, sections, self.origin, moment, task=task.header, sequences=self._sequences)
        if self.class_three:
            yield from task_records(
                task.identity,
                task.totals,
                task.queues,
                self.origin,
                moment,
                task=task.header,
                sequences=self._sequences,
            )
