"""Where the tables lie, and which days of them are due: Parquet by table, build and day.

A day of a layer is one document (`documents`) in `<layer>/_days`: it names the build that has the rows of each table of
that day, `<layer>/<table>/<build>/day=<day>/`, and what it was built from. A day is due again when its source looks
different, or when the tables are described differently. A build writes its rows under a name of its own and then the
documents of its days; whatever breaks off before leaves the day as it was, and due.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from libremq.pipeline.documents import Document, Documents
from libremq.pipeline.storage import Place, Root, place
from libremq.pipeline.tables.raw_tables import ORPHAN_SECONDS, RawTables, TablesBusyError
from libremq.pipeline.tables.subjects import SUBJECTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LOCK = "_lock"
_DAYS = "_days"
_CURRENT = "_current"

TABLES_AT_ONCE = 3
"""Most of the time of a small table is planning, in the driver: some plan while others run. Each takes its memory."""

BATCH_BYTES = 16 * 1024 * 1024
"""Parquet that is built upon together: the bound on the memory and scratch space of a build, however much is due."""
BATCH_DAYS_MAX = 31

Day = str
"""A day as partitions spell it: 2026-01-31."""

_Item = TypeVar("_Item")


def neighbours(days: Iterable[Day]) -> tuple[Day, ...]:
    """The days with the one before and the one after each.

    >>> neighbours(["2024-03-01"])
    ('2024-02-29', '2024-03-01', '2024-03-02')
    """
    one = timedelta(days=1)
    found = {date.fromisoformat(day) + step for day in days for step in (-one, timedelta(0), one)}
    return tuple(day.isoformat() for day in sorted(found))


def batches(days: Sequence[Day], bytes_of_day: Callable[[Day], int]) -> Iterator[tuple[Day, ...]]:
    """The days in turn, as many at a time as are not too much together, and one at least.

    >>> list(batches(["2024-02-28", "2024-02-29", "2024-03-01"], {"2024-03-01": BATCH_BYTES, "2024-02-28": 1}.get))
    [('2024-02-28', '2024-02-29'), ('2024-03-01',)]
    """
    together: list[Day] = []
    size = 0
    for day in days:
        more = bytes_of_day(day) or 0
        if together and (size + more > BATCH_BYTES or len(together) == BATCH_DAYS_MAX):
            yield tuple(together)
            together, size = [], 0
        together.append(day)
        size += more
    if together:
        yield tuple(together)


def with_those_beside(marks: Mapping[Day, str]) -> dict[Day, str]:
    """A mark for each day that changes when that of the day itself does, or of the day before or after.

    >>> sorted(with_those_beside({"2024-03-01": "a"}))
    ['2024-02-29', '2024-03-01', '2024-03-02']
    """
    return {day: "/".join(marks.get(each, "") for each in neighbours([day])) for day in neighbours(marks)}


def description_mark() -> str:
    """Changes when a table is described differently."""
    told = json.dumps([(entry.name, repr(entry.all_columns)) for entry in SUBJECTS.values()])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def at_once(work: Callable[[_Item], Any], items: Sequence[_Item]) -> list[Any]:
    """Do the work for some items at a time. When one fails, or the user interrupts, no further one is begun."""
    with ThreadPoolExecutor(TABLES_AT_ONCE) as pool:
        waiting = [pool.submit(work, item) for item in items]
        try:
            return [each.result() for each in waiting]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a table of one day."""

    build: str
    rows: int
    bytes: int
    qmgrs: list[str]


Written = dict[Day, Part]
"""The rows of a table that a build wrote, by day; days without rows are not in it."""


class Layer:
    """The tables of a layer, by day."""

    def __init__(self, root: Place, name: str) -> None:
        self.place = root / name
        self._documents = Documents(self.place / _DAYS)
        self._looked: dict[Day, Document] | None = None

    def _live(self) -> dict[Day, Document]:
        """The documents that hold, by day, as they were when they were first asked for."""
        if self._looked is None:
            self._looked = self._documents.newest()
        return self._looked

    def parts(self, table: str, days: Iterable[Day] | None = None) -> dict[Day, Part]:
        """Of those of the days that a table has, in order, where their rows are."""
        live = self._live()
        found = sorted(live) if days is None else [day for day in sorted(set(days)) if day in live]
        every = ((day, live[day].content["tables"].get(table)) for day in found)
        return {day: Part(**part) for day, part in every if part is not None}

    def folders(self, table: str, days: Iterable[Day] | None = None) -> list[Place]:
        """The folders with the rows of a table and these days."""
        return self.folders_of(table, self.parts(table, days))

    def folders_of(self, table: str, parts: Mapping[Day, Part]) -> list[Place]:
        return [self._folder(table, part.build, day) for day, part in parts.items()]

    def _folder(self, table: str, build: str, day: Day) -> Place:
        return self.place / table / build / f"day={day}"

    def rows(self, table: str) -> int:
        return sum(part.rows for part in self.parts(table).values())

    def bytes_of(self, table: str, days: Iterable[Day]) -> int:
        """How much Parquet a table has of these days."""
        return sum(part.bytes for part in self.parts(table, days).values())

    def queue_managers(self) -> set[str]:
        """Names of all queue managers that have rows."""
        every = (part for document in self._live().values() for part in document.content["tables"].values())
        return {name for part in every for name in part["qmgrs"]}

    def day_marks(self) -> dict[Day, str]:
        """For each day that has rows a mark that changes when it is built again."""
        return {day: document.name for day, document in self._live().items() if document.content["tables"]}

    def mark(self) -> str:
        """Changes when a day is built."""
        return hashlib.sha256("\n".join(sorted(each.name for each in self._live().values())).encode()).hexdigest()

    def days_due(self, now: Mapping[Day, str], description: str) -> tuple[Day, ...]:
        """Days whose source is not what they were built from, or that are described differently now."""
        built = {
            day: document.content["source"] if document.content["description"] == description else None
            for day, document in self._live().items()
        }
        gone = {day for day, document in self._live().items() if day not in now and document.content["tables"]}
        return tuple(sorted({day for day, source in now.items() if built.get(day) != source} | gone))

    def new_build(self) -> str:
        return uuid.uuid4().hex[:16]

    def write(self, table: str, build: str, rows: DataFrame, *, few: bool = False) -> Written:
        """Write rows of a build, which nobody reads yet. When they are `few`, the driver does it itself: Hadoop starts
        a process for each file to set its rights."""
        if few:
            return self._write_here(table, build, rows.toArrow())
        rows.write.option("compression", "zstd").partitionBy("day").parquet(str(self.place / table / build))
        found: Written = {}
        for entry in (self.place / table / build).entries():
            if entry.name.startswith("day="):
                folder = self.place / table / build / entry.name
                files = [each for each in folder.entries() if each.name.endswith(".parquet")]
                names = [name for each in files for name in _queue_managers(folder / each.name)]
                size = sum(each.size for each in files)
                found[entry.name.removeprefix("day=")] = Part(build, len(names), size, _distinct(names))
        return found

    def _write_here(self, table: str, build: str, rows: pa.Table) -> Written:
        found: Written = {}
        for each in pc.unique(rows["day"]).to_pylist():
            of_day = rows.filter(pc.equal(rows["day"], pa.scalar(each, pa.date32()))).drop_columns(["day"])
            sink = io.BytesIO()
            pq.write_table(of_day, sink, compression="zstd", coerce_timestamps="us", store_schema=False)
            day = each.isoformat()
            (self._folder(table, build, day) / "part-0.parquet").write(sink.getvalue())
            names = pc.unique(of_day["qmgr"]).to_pylist()
            found[day] = Part(build, of_day.num_rows, len(sink.getvalue()), _distinct(names))
        return found

    def commit(
        self,
        days: Iterable[Day],
        written: Mapping[str, Written],
        now: Mapping[Day, str],
        description: str = "",
    ) -> None:
        """Let what was written take the place of all tables of each of these days."""
        live = self._live()
        for day in days:
            before = live.get(day)
            tables = {table: parts[day] for table, parts in written.items() if day in parts}
            content = {
                "tables": {table: asdict(part) for table, part in tables.items()},
                "source": now.get(day),
                "description": description,
            }
            live[day] = self._documents.write(day, content, before)
            if before is not None:
                self._documents.delete([before.name])
                for table, part in before.content["tables"].items():
                    if table not in tables or tables[table].build != part["build"]:
                        self._folder(table, part["build"], day).delete()

    @contextmanager
    def building(self) -> Iterator[None]:
        """Hold the layer for one build, where it is on this machine, and clear away what one that died left.

        Elsewhere two may build at a time: they do the same, twice, and each day is as one of them made it.
        """
        with held(self.place):
            self._looked = None
            self._documents.clear_replaced(self._live().values())
            yield

    def clear_left_over(self, tables: Iterable[str]) -> None:
        """Delete rows that no document names. Needs `building`."""
        older_than = 0 if self.place.is_local else ORPHAN_SECONDS
        for table in tables:
            named = {part.build for part in self.parts(table).values()}
            for entry in (self.place / table).entries():
                build = self.place / table / entry.name
                if entry.is_folder and entry.name not in named and (not older_than or _age(build) > older_than):
                    build.delete()


def _age(build: Place) -> float:
    """Seconds since something was written in a build."""
    import time

    newest = 0.0
    for day in build.entries():
        newest = max([newest, day.changed, *(each.changed for each in (build / day.name).entries())])
    return time.time() - newest


def _queue_managers(file: Place) -> list[str | None]:
    """The queue manager of each row."""
    source: Any = file.path if file.is_local else io.BytesIO(file.read())
    names: list[str | None] = pq.ParquetFile(source).read(columns=["qmgr"])["qmgr"].to_pylist()
    return names


def _distinct(names: Iterable[str | None]) -> list[str]:
    return sorted({name for name in names if name is not None})


@contextmanager
def held(folder: Place) -> Iterator[None]:
    """Keep others out of a folder of this machine. Elsewhere there is no such thing, and no need of it."""
    if not folder.is_local:
        yield
        return
    Path(folder.path).mkdir(parents=True, exist_ok=True)
    with open(f"{folder}/{_LOCK}", "a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TablesBusyError(
                f"another build is at work on the tables in {folder}; try again when it is done"
            ) from None
        yield


class Store:
    """The three layers under one root."""

    def __init__(self, root: Root) -> None:
        self.root = place(root)
        self.raw = RawTables(self.root)
        self.conformed = Layer(self.root, "conformed")
        self.marts = Layer(self.root, "marts")

    @contextmanager
    def replacing(self, name: str) -> Iterator[Place]:
        """A new folder to write into, which takes the place of `name` under the root when all of it is written.

        The conformed tables are held still meanwhile. One that broke off leaves what was there before.
        """
        with held(self.root / "conformed"):
            documents = Documents(self.root / name / _CURRENT)
            before = documents.newest().get(name)
            kept = before.content["build"] if before else None
            build = uuid.uuid4().hex[:16]
            fresh = self.root / name / build
            try:
                yield fresh
            except BaseException:
                fresh.delete()
                raise
            documents.write(name, {"build": build}, before)
            if before is not None:
                documents.delete([before.name])
            if kept is not None:
                (self.root / name / kept).delete()

    def current(self, name: str) -> Place | None:
        """What `replacing` wrote last under that name."""
        found = Documents(self.root / name / _CURRENT).newest().get(name)
        return self.root / name / found.content["build"] if found else None
