"""Where the tables lie, and which days of them are due: folders of Parquet by day and queue manager.

A small ledger beside the conformed tables remembers what the raw files of each day looked like when that day was built;
a day is due again when they look different, or when the tables are described differently. The root is one folder that
all workers see, as for the raw tables.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from libremq.pipeline.tables.subjects import SUBJECTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LEDGER = "_built.json"
_STAGING = "_staging"

Day = str
"""A day as partitions spell it: 2026-01-31."""


def neighbours(days: Iterable[Day]) -> tuple[Day, ...]:
    """The days with the one before and the one after each.

    >>> neighbours(["2024-03-01"])
    ('2024-02-29', '2024-03-01', '2024-03-02')
    """
    one = timedelta(days=1)
    found = {date.fromisoformat(day) + step for day in days for step in (-one, timedelta(0), one)}
    return tuple(day.isoformat() for day in sorted(found))


def description_mark() -> str:
    """Changes when a table is described differently."""
    told = json.dumps([(entry.name, repr(entry.all_columns)) for entry in SUBJECTS.values()])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


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

    def days(self, table: Path) -> list[Day]:
        """Days a table has partitions of."""
        return sorted(folder.name.removeprefix("day=") for folder in table.glob("day=*") if folder.is_dir())

    def fingerprints(self, tables: Iterable[Path]) -> dict[Day, str]:
        """For each day these tables have, a mark that changes when its files do."""
        marks: dict[Day, list[str]] = {}
        for table in sorted(tables):
            for file in sorted(table.glob("day=*/qmgr=*/*.parquet")):
                day = file.parent.parent.name.removeprefix("day=")
                marks.setdefault(day, []).append(f"{file.relative_to(table.parent)} {file.stat().st_size}")
        return {day: hashlib.sha256("\n".join(told).encode()).hexdigest()[:16] for day, told in marks.items()}

    def replace_days(self, table: Path, rows: DataFrame, days: Iterable[Day], spread: Sequence[str] = ()) -> int:
        """Put these rows in place of all rows of these days; returns how many there are.

        They are written beside the tables first and moved in day by day, so readers see a day as it was or as it is.
        Large tables are `spread` over further columns, to be written by several workers at once.
        """
        staging = self.root / _STAGING / f"{table.parent.name}-{table.name}"
        shutil.rmtree(staging, ignore_errors=True)
        (
            rows.repartition("day", "qmgr", *spread)
            .write.option("compression", "zstd")
            .partitionBy("day", "qmgr")
            .parquet(str(staging))
        )
        written = sum(pq.read_metadata(file).num_rows for file in staging.glob("day=*/qmgr=*/*.parquet"))
        table.mkdir(parents=True, exist_ok=True)
        for day in days:
            place, fresh = table / f"day={day}", staging / f"day={day}"
            shutil.rmtree(place, ignore_errors=True)
            if fresh.exists():
                os.replace(fresh, place)
        shutil.rmtree(staging)
        return int(written)

    def clear_days(self, table: Path, days: Iterable[Day]) -> None:
        for day in days:
            shutil.rmtree(table / f"day={day}", ignore_errors=True)


class Ledger:
    """Which days of the tables in a folder were built, from what."""

    def __init__(self, folder: Path, mark: str) -> None:
        self._path = folder / LEDGER
        self._mark = mark

    def days_due(self, now: Mapping[Day, str]) -> tuple[Day, ...]:
        """Days whose source changed since they were built; all of them when `mark` did."""
        told: dict[str, Any] = {"mark": "", "days": {}}
        if self._path.exists():
            told = json.loads(self._path.read_text(encoding="utf-8"))
        built: dict[Day, str] = told["days"] if told["mark"] == self._mark else {}
        return tuple(sorted(day for day in now.keys() | built.keys() if now.get(day) != built.get(day)))

    def note(self, now: Mapping[Day, str]) -> None:
        """Remember that all is built, from sources that looked like this."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        fresh.write_text(
            json.dumps({"mark": self._mark, "days": dict(sorted(now.items()))}, indent=1), encoding="utf-8"
        )
        os.replace(fresh, self._path)
