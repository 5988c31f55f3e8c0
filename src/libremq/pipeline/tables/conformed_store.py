"""Where the tables lie, and which days of them are due: folders of Parquet by day and queue manager.

A small ledger beside the conformed tables remembers what the raw files of each day looked like when that day was built;
a day is due again when they look different, or when the tables are described differently. The root is one folder that
all workers see, as for the raw tables. One build at a time works on the tables of a layer: the second is refused.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from libremq.pipeline.tables.raw import TablesBusyError
from libremq.pipeline.tables.subjects import SUBJECTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LEDGER = "_built.json"
_LOCK = "_lock"
_STAGING = "_staging"
_OLD = "old-"
_FOLDERS_MAX = 1_000_000

TABLES_AT_ONCE = 3
"""Most of the time of a small table is planning, in the driver: some plan while others run. Each takes its memory."""

BATCH_BYTES = 128 * 1024 * 1024
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


def description_mark() -> str:
    """Changes when a table is described differently."""
    told = json.dumps([(entry.name, repr(entry.all_columns)) for entry in SUBJECTS.values()])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def at_once(work: Callable[[_Item], int], items: Sequence[_Item]) -> list[int]:
    """Do the work for some items at a time. When one fails, or the user interrupts, no further one is begun."""
    with ThreadPoolExecutor(TABLES_AT_ONCE) as pool:
        waiting = [pool.submit(work, item) for item in items]
        try:
            return [each.result() for each in waiting]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


class Store:
    """The three layers under one root."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root).absolute()

    def raw(self, structure: str) -> Path:
        return self.root / "raw" / structure

    def conformed(self, subject: str) -> Path:
        return self.root / "conformed" / subject

    def mart(self, mart: str) -> Path:
        return self.root / "marts" / mart

    def folders(self, table: Path, days: Iterable[Day]) -> list[str]:
        """The folders of those of the days that a table has. Others are not looked at, however many there are."""
        return [str(folder) for day in days if (folder := table / f"day={day}").is_dir()]

    def bytes_of(self, table: Path, days: Iterable[Day]) -> int:
        """How much a table has of these days."""
        return sum(
            file.stat().st_size
            for folder in self.folders(table, days)
            for file in Path(folder).glob("qmgr=*/*.parquet")
        )

    def fingerprints(self, tables: Iterable[Path]) -> dict[Day, str]:
        """For each day these tables have, a mark that changes when its files do.

        Names are enough: a file is written once, under a name of its own, and never changed.
        """
        marks: dict[Day, list[str]] = {}
        for table in sorted(set(tables)):
            for day in _subfolders(table, "day="):
                told = marks.setdefault(day.name.removeprefix("day="), [])
                for qmgr in _subfolders(day, "qmgr="):
                    files = sorted(name for name in os.listdir(qmgr) if name.endswith(".parquet"))
                    told += [f"{table.name}/{qmgr.name}/{name}" for name in files]
        return {day: hashlib.sha256("\n".join(told).encode()).hexdigest()[:16] for day, told in marks.items() if told}

    @contextmanager
    def building(self, layer: str) -> Iterator[None]:
        """Hold the tables of a layer for one build, and clear away what a build that died left beside them."""
        folder = self.root / layer
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / _LOCK, "a", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TablesBusyError(
                    f"another build is at work on the tables in {folder}; try again when it is done"
                ) from None
            try:
                shutil.rmtree(folder / _STAGING, ignore_errors=True)
                yield
            finally:
                shutil.rmtree(folder / _STAGING, ignore_errors=True)

    @contextmanager
    def replacing(self, name: str) -> Iterator[Path]:
        """A new folder to write into, which takes the place of `name` under the root when all of it is written.

        The tables are held still meanwhile, and two of these at a time are refused. One that broke off leaves what was
        there before; in the moment between the two moves it is left aside, for `mended` or the next one to put back.
        """
        with self.building("conformed"):
            folder, fresh, old = (self.root / each for each in (name, f"_{name}.new", f"_{name}.old"))
            self._put_back(name)
            shutil.rmtree(fresh, ignore_errors=True)
            try:
                yield fresh
                if folder.exists():
                    os.replace(folder, old)
                os.replace(fresh, folder)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)

    def mended(self, name: str) -> Path:
        """The folder of that name, put back if a run broke off between the two moves of `replacing`."""
        if not (self.root / name).exists() and (self.root / f"_{name}.old").exists():
            # Busy: someone is just between the moves, and will make the second one.
            with suppress(TablesBusyError), self.building("conformed"):
                self._put_back(name)
        return self.root / name

    def _put_back(self, name: str) -> None:
        folder, old = self.root / name, self.root / f"_{name}.old"
        if old.exists() and not folder.exists():
            os.replace(old, folder)
        shutil.rmtree(old, ignore_errors=True)

    def replace_days(self, table: Path, rows: DataFrame, days: Iterable[Day], *, few: bool = False) -> int:
        """Put these rows in place of all rows of these days; returns how many there are.

        They are written beside the table first and moved in day by day, so readers see a day as it was or as it is.
        When they are `few`, the driver writes them itself: Hadoop starts a process for each file to set its rights.
        """
        staging = table.parent / _STAGING / table.name
        shutil.rmtree(staging, ignore_errors=True)
        if few:
            _write_here(rows.toArrow(), staging)
        else:
            rows.write.option("compression", "zstd").partitionBy("day", "qmgr").parquet(str(staging))
        written = sum(pq.read_metadata(file).num_rows for file in staging.glob("day=*/qmgr=*/*.parquet"))
        table.mkdir(parents=True, exist_ok=True)
        for day in days:
            place, fresh = table / f"day={day}", staging / f"day={day}"
            if place.exists():
                os.rename(place, staging / f"{_OLD}{day}")
            if fresh.exists():
                os.rename(fresh, place)
        shutil.rmtree(staging)
        return int(written)

    def clear_days(self, table: Path, days: Iterable[Day]) -> None:
        for folder in self.folders(table, days):
            shutil.rmtree(folder, ignore_errors=True)


def _write_here(rows: pa.Table, folder: Path) -> None:
    """Write rows into folders by day and queue manager, named as Spark names them."""
    folder.mkdir(parents=True)
    place = rows.schema.get_field_index("day")
    parquet = ds.ParquetFileFormat()
    ds.write_dataset(
        rows.set_column(place, "day", rows.column("day").cast(pa.string())),
        folder,
        format=parquet,
        file_options=parquet.make_write_options(compression="zstd"),
        partitioning=ds.partitioning(pa.schema([("day", pa.string()), ("qmgr", pa.string())]), flavor="hive"),
        basename_template=f"part-{uuid.uuid4().hex}-{{i}}.parquet",
        max_partitions=_FOLDERS_MAX,
    )


def _subfolders(folder: Path, prefix: str) -> list[Path]:
    if not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return sorted(Path(entry.path) for entry in entries if entry.name.startswith(prefix) and entry.is_dir())


class Ledger:
    """Which days of the tables in a folder were built, from what."""

    def __init__(self, folder: Path, mark: str) -> None:
        self._path = folder / LEDGER
        self._mark = mark

    def _read(self) -> tuple[dict[Day, str], bool]:
        """What each day was built from, and whether the tables were described then as they are now."""
        if not self._path.exists():
            return {}, True
        told: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        return told["days"], told["mark"] == self._mark

    def days_due(self, now: Mapping[Day, str]) -> tuple[Day, ...]:
        """Days whose source changed since they were built; all of them when `mark` did."""
        built, same = self._read()
        return tuple(sorted(day for day in now.keys() | built.keys() if not same or now.get(day) != built.get(day)))

    def begin(self, days: Iterable[Day]) -> None:
        """Remember that these days are being built: until they are noted as done they are due."""
        built, same = self._read()
        begun = set(days)
        # Kept, with a source that never is: the day may be gone from the source, and its rows must go too.
        self._write({day: "" if day in begun or not same else source for day, source in built.items()})

    def done(self, days: Iterable[Day], now: Mapping[Day, str]) -> None:
        """Remember that these days are built, from sources that looked like this."""
        built, _ = self._read()
        for day in days:
            built.pop(day, None)
            if day in now:
                built[day] = now[day]
        self._write(built)

    def _write(self, built: Mapping[Day, str]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        with open(fresh, "w", encoding="utf-8") as file:
            json.dump({"mark": self._mark, "days": dict(sorted(built.items()))}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, self._path)
