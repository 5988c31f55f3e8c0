"""The Spark data source `mqsmf`: SMF dumps as DataFrames, one per structure.

    spark.dataSource.register(MqSmfDataSource)
    spark.read.format("mqsmf").option("structure", "qpst").load("/dumps/*.gz")

Besides the structures there are `quarantine`, what could not be read and why, and `counts`, the fate of all records.
Each piece of a file gives its own counts: add them up. To get all structures, `tables.raw.ingest` reads a dump once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from libremq.pipeline.smf.decode import Count, counts_batch, decode, plain, quarantine_batch
from libremq.pipeline.smf.files import FormOption, Piece, list_files, only_damage, read_piece
from libremq.pipeline.smf.framing import Chunk, Damage
from libremq.pipeline.smf.smf_columns import TextDecoder, spark_schema_of
from libremq.pipeline.smf.smf_layout import structure
from libremq.pipeline.smf.survey import piece_bytes_for, pieces_of, told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

BATCH_ROWS_MAX = 65536
_SPECIAL = ("quarantine", "counts")


class _PiecePartition(InputPartition):
    def __init__(self, piece: Piece) -> None:
        super().__init__(piece)
        self.piece = piece


class MqSmfDataSource(DataSource):
    """Options: `structure` (which table), `encoding` (code page of text, cp037), `form` (auto, rdw, bare, blocked),
    `splitBytes` (size of the pieces of large files)."""

    @classmethod
    def name(cls) -> str:
        return "mqsmf"

    def schema(self) -> StructType:
        return spark_schema_of(self._table())

    def _table(self) -> str:
        table = self.options.get("structure", "").lower()
        if table not in _SPECIAL:
            structure(table)
        return table

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(
            table=self._table(),
            paths=self._paths(),
            encoding=self.options.get("encoding", "cp037"),
            form=self._form(),
            split_bytes=int(self.options.get("splitBytes", "0")),
        )

    def _paths(self) -> list[str]:
        if "paths" in self.options:
            return [str(path) for path in json.loads(self.options["paths"])]
        if "path" in self.options:
            return [self.options["path"]]
        raise ValueError("mqsmf needs a path: .load(path) with a file, a folder or a pattern")

    def _form(self) -> FormOption:
        form = self.options.get("form", "auto")
        if form not in ("auto", "rdw", "bare", "blocked"):
            raise ValueError(f"form is auto, rdw, bare or blocked, not {form!r}")
        return cast(FormOption, form)


class _Reader(DataSourceReader):
    def __init__(self, *, table: str, paths: list[str], encoding: str, form: FormOption, split_bytes: int) -> None:
        TextDecoder(encoding)
        self._table = table
        self._paths = paths
        self._encoding = encoding
        self._form = form
        self._split_bytes = split_bytes

    def partitions(self) -> Sequence[InputPartition]:
        piece_bytes = self._split_bytes or piece_bytes_for((), 1)
        found: list[InputPartition] = []
        for path in list_files(self._paths):
            try:
                found.extend(_PiecePartition(piece) for piece in pieces_of(path, piece_bytes, form=self._form))
            except OSError:
                # Reading it will fail as well, and say so where quarantined records are.
                found.append(_PiecePartition(Piece(path, "rdw")))
        return found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        piece = cast(_PiecePartition, partition).piece
        text = TextDecoder(self._encoding)
        wanted = () if self._table in _SPECIAL else (self._table,)
        counts: dict[Count, int] = {}
        for chunk in _chunks(piece):
            decoded = decode(chunk, piece.path, text, wanted=wanted)
            if self._table == "quarantine" and decoded.quarantine:
                yield quarantine_batch(piece.path, decoded.quarantine)
            for key, records in decoded.counts.items():
                counts[key] = counts.get(key, 0) + records
            if self._table in decoded.batches:
                batch = plain(decoded.batches[self._table], self._table)
                for first in range(0, batch.num_rows, BATCH_ROWS_MAX):
                    yield batch.slice(first, BATCH_ROWS_MAX)
        if self._table == "counts" and counts:
            yield counts_batch(piece.path, counts)


def _chunks(piece: Piece) -> Iterator[Chunk]:
    """The records of a piece; what keeps a file from being read is damage like any other."""
    try:
        yield from read_piece(piece)
    except OSError as problem:
        yield only_damage(Damage(piece.start, 0, f"cannot be read: {told(problem)}"))


def register(spark: SparkSession) -> None:
    """Make `mqsmf` known to a session."""
    spark.dataSource.register(MqSmfDataSource)
