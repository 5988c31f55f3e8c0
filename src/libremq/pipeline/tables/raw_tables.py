"""Which dumps are in the raw tables, and the files with their rows.

`raw/_dumps` has documents (see `documents`), each with some dumps and the files that hold the rows of these and of no
others: the pieces of one large dump, or many small ones that share their files. `raw/data/<attempt>/` has the files,
one for each structure. What no document names does not count, and is cleared away by the next one who writes.

To take out a dump that shares its files, or to bring many small files together, files are written anew under other
names and one document takes the place of those before; readers see the state before or the one after.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import re
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from libremq.pipeline.documents import Document, Documents
from libremq.pipeline.storage import Place, Root, place
from libremq.pipeline.tables.raw_writer import parquet_settings

RAW, DUMPS, DATA = "raw", "_dumps", "data"
_LOCK = "_lock"

ORPHAN_SECONDS = 86_400
"""How old files must be, where nobody can be locked out, before they are taken for left over."""

SMALL_BYTES = 4 * 1024 * 1024
"""Parquet of a document below which it is brought together with others."""
TOGETHER_BYTES = 32 * 1024 * 1024
MANY = 16
"""So many small ones are worth it."""

_OLD_NAME = re.compile(r"[0-9a-f]{64}\.json")

Day = str


class TablesBusyError(RuntimeError):
    """Another one is at work on the same tables."""


@dataclass(slots=True)
class DumpReport:
    """What became of one dump."""

    path: str
    digest: str
    added: bool
    """False when its content was in the tables already, or there is a problem."""
    records_in: int = 0
    records_decoded: int = 0
    records_skipped: int = 0
    records_quarantined: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    """Rows by structure."""
    problem: str = ""
    """Why the file could not be read. Nothing of it is in the tables then."""
    encoding: str = "cp037"
    form: str = "auto"
    """How it was asked to be read."""
    days: list[Day] = field(default_factory=list)
    """Days on which records of it were written, UTC."""
    expired: bool = False
    """Taken out for its age: it is known, so that it does not come in again."""
    replaced: bool = False
    """It was in the tables already, read in another way."""

    @property
    def mark(self) -> str:
        """What its rows come of."""
        return f"{self.digest}-{self.encoding}-{self.form}"


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file of rows of one structure; `days` has how many rows are of which day."""

    table: str
    path: str
    """Below `raw/`."""
    rows: int
    bytes: int
    days: Mapping[Day, int]

    @property
    def attempt(self) -> str:
        return self.path.split("/")[1]


@dataclass(frozen=True, slots=True)
class Holding:
    """Dumps and the files that hold them, as a document says it."""

    dumps: list[DumpReport]
    files: list[RawFile]
    counts: list[list[Any]] = field(default_factory=list)
    """Fate of records: the columns of the table `counts`."""

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


def _age(folder: Place) -> float:
    """Seconds since something was written in a folder."""
    return time.time() - max((entry.changed for entry in folder.entries()), default=0.0)


def _holding(document: Document) -> Holding:
    told = document.content
    known = {each.name for each in fields(DumpReport)}
    return Holding(
        [DumpReport(**{name: value for name, value in dump.items() if name in known}) for dump in told["dumps"]],
        [RawFile(**file) for file in told["files"]],
        told["counts"],
    )


class RawTables:
    """The raw tables below a root."""

    def __init__(self, root: Root) -> None:
        self.place = place(root) / RAW
        self._documents = Documents(self.place / DUMPS)
        self._looked: dict[str, tuple[Document, Holding]] | None = None

    def _live(self) -> dict[str, tuple[Document, Holding]]:
        """The documents that hold, by key, as they were when they were first asked for."""
        if self._looked is None:
            newest = self._documents.newest()
            if not newest and any(_OLD_NAME.fullmatch(entry.name) for entry in self._documents.folder.entries()):
                raise ValueError(
                    f"the tables in {self.place} are of an earlier version of LibreMQ; ingest the dumps into new ones"
                )
            gone = {name for each in newest.values() for name in each.content["replaces"]}
            self._looked = {
                key: (document, _holding(document)) for key, document in newest.items() if document.name not in gone
            }
        return self._looked

    def again(self) -> None:
        """Look anew at the next question."""
        self._looked = None

    def holdings(self) -> list[Holding]:
        return [holding for _, (_, holding) in sorted(self._live().items())]

    def dumps(self) -> list[DumpReport]:
        """All dumps that are in, or were and are known."""
        return [dump for holding in self.holdings() for dump in holding.dumps]

    def files(self, table: str, days: Collection[Day] | None = None) -> list[RawFile]:
        """The files of a structure that have rows of these days."""
        return [
            file
            for holding in self.holdings()
            for file in holding.files
            if file.table == table and (days is None or any(day in file.days for day in days))
        ]

    def counts(self) -> list[list[Any]]:
        return [row for holding in self.holdings() for row in holding.counts]

    def bytes_of(self, table: str, days: Collection[Day]) -> int:
        """About how much Parquet there is of a structure and these days."""
        size = 0
        for file in self.files(table, days):
            size += file.bytes * sum(file.days.get(day, 0) for day in days) // max(1, file.rows)
        return size

    def day_marks(self) -> dict[Day, str]:
        """For each day a mark that changes when other rows are there of it."""
        found: dict[Day, list[str]] = {}
        for dump in self.dumps():
            for day in () if dump.expired else dump.days:
                found.setdefault(day, []).append(dump.mark)
        return {day: hashlib.sha256("\n".join(sorted(marks)).encode()).hexdigest()[:16] for day, marks in found.items()}

    # Writing

    @contextmanager
    def writing(self, who: str = "ingest") -> Iterator[None]:
        """Hold the raw tables, where they are on this machine, and clear away what nobody reads any more.

        Elsewhere nobody can be kept out; two at a time do no harm but may both add the same dump.
        """
        if self.place.is_local:
            from pathlib import Path

            Path(self.place.path).mkdir(parents=True, exist_ok=True)
            with open(f"{self.place}/{_LOCK}", "a", encoding="utf-8") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise TablesBusyError(
                        f"another ingest is adding to {self.place}; try again when it is done"
                    ) from None
                self._clear(0.0)
                yield
        else:
            self._clear(ORPHAN_SECONDS)
            yield

    def _clear(self, older_than: float) -> None:
        self.again()
        attempts = {file.attempt for holding in self.holdings() for file in holding.files}
        for entry in (self.place / DATA).entries():
            left = self.place / DATA / entry.name
            if entry.name not in attempts and (not older_than or _age(left) > older_than):
                left.delete()
        names = {entry.name for entry in self._documents.folder.entries()}
        live = [document for document, _ in self._live().values()]
        self._documents.delete(names & {name for document in live for name in document.content["replaces"]})
        self._documents.clear_replaced(live)
        # One that says that nothing is left has nothing left to say, now that those before it are gone.
        self._documents.delete(document.name for document, holding in self._live().values() if not holding.dumps)
        self.again()

    def commit(self, fresh: Holding) -> None:
        """Bring dumps in; those of them that are in already are replaced, in the same moment."""
        digests = {dump.digest for dump in fresh.dumps}
        self._put(fresh, [key for key, (_, had) in self._live().items() if any(d.digest in digests for d in had.dumps)])

    def _put(self, fresh: Holding | None, keys: list[str], leave_out: Collection[str] = ()) -> None:
        """Let one document take the place of those with these keys: what they hold besides `leave_out` and `fresh`."""
        live = self._live()
        old = [live[key] for key in keys]
        gone = {*leave_out, *(dump.digest for dump in fresh.dumps)} if fresh is not None else set(leave_out)
        parts = [self._without(holding, gone) for _, holding in old]
        every = [*parts, *([fresh] if fresh is not None else [])]
        whole = Holding(
            [dump for part in every for dump in part.dumps],
            [file for part in every for file in part.files],
            [row for part in every for row in part.counts],
        )
        self._replace(whole, [document for document, _ in old])

    def _replace(self, whole: Holding, old: list[Document]) -> None:
        key, before = (old[0].key, old[0]) if old else (uuid.uuid4().hex, None)
        content = {
            "dumps": [asdict(dump) for dump in whole.dumps],
            "files": [asdict(file) for file in whole.files],
            "counts": whole.counts,
            "replaces": [name for each in old for name in (each.name, *each.content["replaces"])],
            "written": datetime.now(UTC).isoformat(),
        }
        written = self._documents.write(key, content, before)
        live = self._live()
        dead = {file.attempt for each in old for file in live[each.key][1].files}
        for each in old:
            del live[each.key]
        live[key] = written, whole
        # What nobody reads any more; when this process ends before, the next one who writes does it.
        self._documents.delete(each.name for each in old)
        for attempt in dead - {file.attempt for file in whole.files}:
            (self.place / DATA / attempt).delete()

    def _without(self, holding: Holding, digests: Collection[str]) -> Holding:
        """What is left of a holding without some dumps; files they share with others are written anew."""
        kept = [dump for dump in holding.dumps if dump.digest not in digests]
        if len(kept) == len(holding.dumps):
            return holding
        paths = {dump.path for dump in holding.dumps if dump.digest in digests}
        counts = [row for row in holding.counts if row[0] not in paths]
        if not any(not dump.expired for dump in kept):
            return Holding(kept, [], counts)
        return Holding(kept, self._rewritten(holding.files, paths), counts)

    def _rewritten(self, files: Iterable[RawFile], without: Collection[str] = ()) -> list[RawFile]:
        """The rows of files, except those of some dumps, in one new file for each structure."""
        by_table: dict[str, list[RawFile]] = {}
        for file in files:
            by_table.setdefault(file.table, []).append(file)
        attempt, written = uuid.uuid4().hex, []
        for table, those in by_table.items():
            rows = pa.concat_tables([self._rows(file) for file in those], promote_options="permissive")
            if without:
                left_out = pc.is_in(rows["source_file"].cast(pa.string()), pa.array(sorted(without)))
                rows = rows.filter(pc.invert(left_out))
            if rows.num_rows:
                written.append(self.write_rows(rows, table, attempt))
        return written

    def _rows(self, file: RawFile) -> pa.Table:
        return pq.read_table(io.BytesIO((self.place / file.path).read()))

    def write_rows(self, rows: pa.Table, table: str, attempt: str) -> RawFile:
        """Write rows of a structure as a file of an attempt."""
        sink = io.BytesIO()
        pq.write_table(rows, sink, **parquet_settings(rows.schema))
        path = f"{DATA}/{attempt}/{table}-0.parquet"
        (self.place / path).write(sink.getvalue())
        days: dict[Day, int] = {}
        if "smf_time" in rows.schema.names:
            for each in pc.value_counts(rows["smf_time"].cast(pa.date32(), safe=False)).to_pylist():
                days[each["values"].isoformat()] = each["counts"]
        return RawFile(table, path, rows.num_rows, len(sink.getvalue()), days)

    def remove(self, wanted: Callable[[DumpReport], bool]) -> list[DumpReport]:
        """Take dumps out. They are forgotten, and can be added again."""
        out: list[DumpReport] = []
        for key, (_, holding) in list(self._live().items()):
            found = [dump for dump in holding.dumps if wanted(dump)]
            if found:
                self._put(None, [key], {dump.digest for dump in found})
                out += found
        return out

    def expire(self, before: Day) -> list[DumpReport]:
        """Take out the dumps that have nothing of this day or later, and remember that they were here."""
        out: list[DumpReport] = []
        for key, (document, holding) in list(self._live().items()):
            old = [dump for dump in holding.dumps if dump.days and max(dump.days) < before and not dump.expired]
            if old:
                rest = self._without(holding, {dump.digest for dump in old})
                for dump in old:
                    dump.expired = True
                self._replace(Holding([*rest.dumps, *old], rest.files, rest.counts), [document])
                out += old
                assert key in self._live()
        return out

    def compact(self, least: int = MANY) -> int:
        """Bring small files together when there are so many documents with such; returns how many files went."""
        together: list[str] = []
        size, gone, paths = 0, 0, set[str]()
        live = self._live()
        small = [key for key, (_, had) in sorted(live.items()) if 0 < had.bytes < SMALL_BYTES]
        if len(small) < least:
            return 0
        for key in small:
            holding = live[key][1]
            own = {dump.path for dump in holding.dumps}
            # Rows are told apart by the path of their dump, so no two dumps of one path may share files.
            if own & paths:
                continue
            if size + holding.bytes > TOGETHER_BYTES:
                gone += self._brought_together(together)
                together, size, paths = [], 0, set()
            together.append(key)
            size += holding.bytes
            paths |= own
        return gone + self._brought_together(together)

    def _brought_together(self, keys: list[str]) -> int:
        if len(keys) < 2:
            return 0
        live = self._live()
        old = [live[key] for key in keys]
        before = [file for _, holding in old for file in holding.files]
        files = self._rewritten(before)
        dumps = [dump for _, holding in old for dump in holding.dumps]
        counts = [row for _, holding in old for row in holding.counts]
        self._replace(Holding(dumps, files, counts), [document for document, _ in old])
        return len(before) - len(files)
