"""Rows of the raw tables to Parquet: one file for each table, day and queue manager of a piece.

A day of one queue manager is few rows of many columns, so what a column costs to begin counts for more than what its
values cost. Hence: LZ4, which needs no preparation; statistics only for the columns by which rows are looked up;
dictionaries only for text; and each folder is made once. docs/internals/pipeline-performance.md has the figures.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from libremq.pipeline.smf.decode import Decoded, Group

FLUSH_BYTES = 64 * 1024 * 1024
"""Decoded bytes a worker keeps before it writes them: the bound on its memory."""
WRITERS_MAX = 200
"""Files a worker keeps open; beyond that the oldest is finished and a further one begun later."""

PARQUET: dict[str, Any] = {"compression": "lz4", "store_schema": False}
_LOOKED_UP_BY = ("smf_time", "interval_start", "interval_end", "source_offset")
_NO_NAME = "__HIVE_DEFAULT_PARTITION__"

Key = tuple[str, Group | None]


class TableWriter:
    """Gathers rows by table, day and queue manager, and writes each as its own Parquet file below `folder`."""

    def __init__(self, folder: str | os.PathLike[str], stem: str) -> None:
        self.files: list[str] = []
        self.rows: dict[str, int] = {}
        self._folder = os.fspath(folder)
        self._stem = stem
        self._kept: dict[Key, list[pa.RecordBatch]] = {}
        self._bytes = 0
        self._open: dict[Key, _File] = {}
        self._made: set[str] = set()

    def add(self, decoded: Decoded) -> None:
        for name, batch in decoded.batches.items():
            self._bytes += batch.nbytes
            bounds = decoded.bounds[name]
            for group, first, last in zip(decoded.groups, bounds, bounds[1:]):
                if last > first:
                    self._keep(name, group, batch.slice(first, last - first))
        self._flush_if_full()

    def add_rows(self, name: str, batch: pa.RecordBatch) -> None:
        """Rows of a table that is not parted by day and queue manager."""
        self._bytes += batch.nbytes
        self._keep(name, None, batch)
        self._flush_if_full()

    def _keep(self, name: str, group: Group | None, batch: pa.RecordBatch) -> None:
        self._kept.setdefault((name, group), []).append(batch)
        self.rows[name] = self.rows.get(name, 0) + batch.num_rows

    def _flush_if_full(self) -> None:
        if self._bytes > FLUSH_BYTES:
            self._flush()

    def _flush(self) -> None:
        for (name, group), batches in self._kept.items():
            table = pa.Table.from_batches(batches)
            if len(batches) > 1:
                table = table.unify_dictionaries()
            if group is not None:
                # The queue manager is in the name of the folder.
                table = table.drop_columns(["qmgr"])
            self._file(name, group, table.schema).write(table)
        self._kept.clear()
        self._bytes = 0

    def _file(self, name: str, group: Group | None, schema: pa.Schema) -> _File:
        key = name, group
        if key not in self._open:
            if len(self._open) >= WRITERS_MAX:
                oldest = next(iter(self._open))
                self._open[oldest].close()
                del self._open[oldest]
            below = _place(name, group)
            folder = os.path.join(self._folder, below)
            if below not in self._made:
                os.makedirs(folder, exist_ok=True)
                self._made.add(below)
            file = f"{self._stem}-{len(self.files):04d}.parquet"
            self._open[key] = _File(os.path.join(folder, file), schema)
            self.files.append(os.path.join(below, file))
        return self._open[key]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish all files; after an error leave them as they are, for nobody reads files of a failed attempt."""
        try:
            if kind is None:
                self._flush()
                for file in self._open.values():
                    file.close()
        finally:
            for file in self._open.values():
                file.give_up()
            self._open.clear()


class _File:
    """One Parquet file that is being written."""

    def __init__(self, path: str, schema: pa.Schema) -> None:
        self._sink = pa.OSFile(path, "wb")
        texts, looked_up_by = _settings(schema)
        self._writer = pq.ParquetWriter(
            self._sink, schema, use_dictionary=texts, write_statistics=looked_up_by, **PARQUET
        )

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table)

    def close(self) -> None:
        self._writer.close()
        self._sink.close()

    def give_up(self) -> None:
        """Nothing, for a file that is closed."""
        # A writer that is thought open would be finished when it goes, and complain of the full disk once more.
        self._writer.is_open = False
        with suppress(OSError):
            self._sink.close()


@cache
def _settings(schema: pa.Schema) -> tuple[list[str] | bool, list[str] | bool]:
    texts = [column.name for column in schema if _is_text(column.type)]
    looked_up_by = [name for name in _LOOKED_UP_BY if name in schema.names]
    return texts or False, looked_up_by or False


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) or pa.types.is_string(kind))


@cache
def _place(name: str, group: Group | None) -> str:
    if group is None:
        return name
    day = datetime.fromtimestamp(0, UTC).date() + timedelta(days=group.day)
    qmgr = "".join(map(_escaped, group.qmgr)) or _NO_NAME
    return os.path.join(name, f"day={day.isoformat()}", f"qmgr={qmgr}")


def _escaped(character: str) -> str:
    """As Spark reads names of folders: by character, not by byte. Names of MQ need none of it, damaged ones may."""
    plain = character.isascii() and (character.isalnum() or character in "$#@ ._-")
    return character if plain or ord(character) > 0xFF else f"%{ord(character):02X}"
