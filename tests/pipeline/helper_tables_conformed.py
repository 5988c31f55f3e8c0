"""Conformed tables made by hand, and read as they lie in their files."""

from __future__ import annotations

import shutil
import uuid
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from libremq.pipeline.tables.conformed_store import Part, Store
from libremq.pipeline.tables.subjects import SUBJECTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def write(root: Path, table: str, day: str, rows: pa.Table) -> None:
    """Add rows to a table of a day, as a build would leave them; columns that are missing read as unknown."""
    layer = Store(root).conformed
    build = layer.new_build()
    folder = root / "conformed" / table / build / f"day={day}"
    folder.mkdir(parents=True)
    pq.write_table(rows, folder / f"{uuid.uuid4().hex}.parquet")
    names, count = set(rows["qmgr"].to_pylist()), rows.num_rows
    for part, before in zip(layer.parts(table, [day]).values(), layer.folders(table, [day])):
        for file in Path(before.path).glob("*.parquet"):
            shutil.copy(file, folder)
        names, count = {*names, *part.qmgrs}, count + part.rows
    written = {name: layer.parts(name, [day]) for name in SUBJECTS}
    layer.commit([day], {**written, table: {day: Part(build, count, 1, sorted(names))}}, {day: "by hand"})


def put(root: Path, table: str, frame: DataFrame) -> None:
    """Put rows of some days in the place of those that a table has of them."""
    layer = Store(root).conformed
    fresh = layer.write(table, layer.new_build(), frame, few=True)
    written = {name: layer.parts(name, fresh) for name in SUBJECTS}
    layer.commit(fresh, {**written, table: fresh}, dict.fromkeys(fresh, "by hand"))


def rows_of(root: Path, table: str) -> list[dict[str, Any]]:
    """All rows of a table as they lie in its files."""
    found: list[dict[str, Any]] = []
    layer = Store(root).conformed
    for day, folder in zip(layer.parts(table), layer.folders(table)):
        for file in sorted(Path(folder.path).glob("*.parquet")):
            rows = pq.ParquetFile(file, coerce_int96_timestamp_unit="us").read().to_pylist()
            found += [{**row, "day": date.fromisoformat(day)} for row in rows]
    return found
