"""Rows of the raw tables to Parquet: one file for each structure, whatever days and queue managers are in it.

What a column costs to begin counts for more than its values when there are few rows, and there are few of one day and
queue manager; so these share their files, in order of day and queue manager within each part, and the document that
names a file says which days are in it. LZ4 needs no preparation; statistics are kept only for the columns by which rows
are looked up; dictionaries only for text. docs/internals/pipeline-performance.md has the figures.
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

PARQUET: dict[str, Any] = {"compression": "lz4", "store_schema": False}
_LOOKED_UP_BY = ("smf_time", "interval_start", "interval_end", "source_offset")


class TableWriter:
    """Gathers rows by structure, and writes each structure as a Parquet file in `folder`."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.rows: dict[str, int] = {}
        self.days: dict[str, dict[str, int]] = {}
        """Rows by structure and day."""
        self._folder = os.fspath(folder)
        self._kept: dict[str, list[tuple[Group | None, pa.RecordBatch]]] = {}
        self._bytes = 0
        self._open: dict[str, _File] = {}

    def add(self, decoded: Decoded) -> None:
        for name, batch in decoded.batches.items():
            self._bytes += batch.nbytes
            bounds = decoded.bounds[name]
            days = self.days.setdefault(name, {})
            for group, first, last in zip(decoded.groups, bounds, bounds[1:]):
                if last > first:
                    self._keep(name, group, batch.slice(first, last - first))
                    day = day_of(group)
                    days[day] = days.get(day, 0) + last - first
        self._flush_if_full()

    def add_rows(self, name: str, batch: pa.RecordBatch) -> None:
        """Rows of a table that has no days."""
        self._bytes += batch.nbytes
        self._keep(name, None, batch)
        self._flush_if_full()

    def _keep(self, name: str, group: Group | None, batch: pa.RecordBatch) -> None:
        self._kept.setdefault(name, []).append((group, batch))
        self.rows[name] = self.rows.get(name, 0) + batch.num_rows

    def _flush_if_full(self) -> None:
        if self._bytes > FLUSH_BYTES:
            self._flush()

    def _flush(self) -> None:
        for name, parts in self._kept.items():
            parts.sort(key=lambda part: (part[0].day, part[0].qmgr) if part[0] else (0, ""))
            table = pa.Table.from_batches([batch for _, batch in parts])
            if len(parts) > 1:
                table = table.unify_dictionaries()
            if name not in self._open:
                os.makedirs(self._folder, exist_ok=True)
                self._open[name] = _File(os.path.join(self._folder, f"{name}-0.parquet"), table.schema)
            self._open[name].write(table)
        self._kept.clear()
        self._bytes = 0

    def files(self) -> dict[str, str]:
        """The finished files by structure."""
        return {name: file.path for name, file in self._open.items()}

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


def day_of(group: Group) -> str:
    """The day of a group as documents spell it."""
    return (datetime.fromtimestamp(0, UTC).date() + timedelta(days=group.day)).isoformat()


class _File:
    """One Parquet file that is being written."""

    def __init__(self, path: str, schema: pa.Schema) -> None:
        self.path = path
        self._sink = pa.OSFile(path, "wb")
        self._writer = pq.ParquetWriter(self._sink, schema, **parquet_settings(schema))

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
def parquet_settings(schema: pa.Schema) -> dict[str, Any]:
    """How the files of a structure are written."""
    texts = [column.name for column in schema if _is_text(column.type)]
    looked_up_by = [name for name in _LOOKED_UP_BY if name in schema.names]
    return {**PARQUET, "use_dictionary": texts or False, "write_statistics": looked_up_by or False}


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) or pa.types.is_string(kind))
