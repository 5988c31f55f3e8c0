"""The raw tables: every structure as recorded, in Parquet by day and queue manager, under `<target>/raw/<structure>`.

A dump is read once. Each worker takes a piece, decodes all structures and writes their rows itself, into a staging
folder; nothing but file names and counts goes back to the driver. A dump is known by the digest of its content, and
its manifest is what makes it part of the tables:

1. workers write below `raw/_staging/<digest>/`;
2. the driver writes `raw/_dumps/<digest>.json`, in one step: from here on the dump is in;
3. the files are moved to their place and the staging folder goes.

A crash before 2 leaves only staging, which the next ingest or read clears away; a crash after it is finished by either.
So a dump is in the tables as a whole or not at all, and adding it again changes nothing. A file under staging carries
the name of the attempt that wrote it, and only files of attempts that Spark reports as successful are in the manifest:
a task that is tried again, or twice at a time, does no harm. The target must be one folder that all workers see.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from libremq.pipeline.smf.columns import TextDecoder, spark_schema_of
from libremq.pipeline.smf.decode import Count, Decoded, Group, counts_batch, decode, quarantine_batch, structures
from libremq.pipeline.smf.files import FormOption, Piece, Survey, list_files, piece_bytes_for, read_piece, survey

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPECIAL_TABLES = ("quarantine", "counts")
FLUSH_BYTES = 64 * 1024 * 1024
"""Decoded bytes a worker keeps before it writes them: the bound on its memory."""
WRITERS_MAX = 200
"""Files a worker keeps open; beyond that the oldest is finished and a further one begun later."""

_DUMPS, _STAGING, _LOCK = "_dumps", "_staging", "_lock"
_NO_NAME = "__HIVE_DEFAULT_PARTITION__"
_PARQUET: dict[str, Any] = {"compression": "zstd", "compression_level": 1, "store_schema": False}
_OUTCOME = pa.schema([("outcome", pa.string())])


@dataclass(slots=True)
class DumpReport:
    """What became of one dump."""

    path: str
    digest: str
    added: bool
    """False when its content was in the tables already."""
    records_in: int = 0
    records_decoded: int = 0
    records_skipped: int = 0
    records_quarantined: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    """Rows by structure."""


@dataclass(slots=True)
class IngestReport:
    dumps: list[DumpReport]

    @property
    def added(self) -> list[DumpReport]:
        return [dump for dump in self.dumps if dump.added]

    def total(self, figure: str) -> int:
        return sum(getattr(dump, figure) for dump in self.added)


def ingest(
    spark: SparkSession,
    paths: str | Iterable[str],
    target: str | os.PathLike[str],
    *,
    encoding: str = "cp037",
    form: FormOption = "auto",
    piece_bytes: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> IngestReport:
    """Add dumps to the raw tables under `target`; those whose content is there already are left out.

    `paths` are files, folders or patterns, plain or gzip. Records that cannot be read are in the table `quarantine`,
    the fate of all records in `counts`. Returns the figures of each dump. On an error, or when the process dies, each
    dump is in the tables as a whole or not at all.
    """
    tell = tell or (lambda _: None)
    TextDecoder(encoding)
    files = list_files(paths)
    raw = _raw_folder(target)
    with _locked(raw):
        _recover(raw)
        size = piece_bytes or piece_bytes_for(map(os.path.getsize, files), _workers(spark))
        dumps: list[DumpReport] = []
        fresh: dict[str, Survey] = {}
        for path in files:
            tell(f"looking at {path}")
            looked = survey(path, size, form=form, digest=True)
            known = looked.digest in fresh or _manifest(raw, looked.digest).exists()
            dumps.append(_known(raw, path, looked.digest) if known else DumpReport(path, looked.digest, added=True))
            if not known:
                fresh[looked.digest] = looked
        if fresh:
            work = [
                (digest, number, piece) for digest, look in fresh.items() for number, piece in enumerate(look.pieces)
            ]
            tell(f"decoding {len(fresh)} dumps in {len(work)} pieces")
            outcomes = _run(spark, work, str(raw), encoding)
            for dump in dumps:
                if dump.added:
                    _commit(raw, dump, [outcome for outcome in outcomes if outcome["digest"] == dump.digest])
                    tell(f"added {dump.path}")
        return IngestReport(dumps)


def _workers(spark: SparkSession) -> int:
    return int(spark.sparkContext.defaultParallelism)


def _known(raw: Path, path: str, digest: str) -> DumpReport:
    """A dump that is in already. One given twice in the same call has no manifest yet."""
    manifest = _manifest(raw, digest)
    if not manifest.exists():
        return DumpReport(path, digest, added=False)
    told = json.loads(manifest.read_text(encoding="utf-8"))["report"]
    return DumpReport(**{**told, "path": path, "added": False})


def _run(spark: SparkSession, work: list[tuple[str, int, Piece]], raw: str, encoding: str) -> list[dict[str, Any]]:
    """One task per piece, wherever Spark runs it; what it wrote comes back as one row."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                digest, piece_number, piece = work[number]
                outcome = write_piece(digest, piece_number, piece, raw, encoding)
                yield pa.RecordBatch.from_pylist([{"outcome": json.dumps(outcome)}], schema=_OUTCOME)

    jobs = spark.range(0, len(work), 1, numPartitions=len(work)).mapInArrow(task, "outcome string")
    return [json.loads(row.outcome) for row in jobs.collect()]


def write_piece(digest: str, number: int, piece: Piece, raw: str, encoding: str) -> dict[str, Any]:
    """Decode a piece and write its rows to staging. Says which files, how many rows and the fate of all records."""
    text = TextDecoder(encoding)
    staging = Path(raw, _STAGING, digest, uuid.uuid4().hex)
    writer = _TableWriter(staging, f"{digest[:16]}-{number:05d}")
    counts: dict[Count, int] = {}
    for chunk in read_piece(piece):
        decoded = decode(chunk, piece.path, text, grouped=True)
        for key, records in decoded.counts.items():
            counts[key] = counts.get(key, 0) + records
        writer.add(decoded)
        if decoded.quarantine:
            writer.add_rows("quarantine", None, quarantine_batch(piece.path, decoded.quarantine))
    writer.close()
    return {
        "digest": digest,
        "staging": staging.name,
        "files": writer.files,
        "rows": writer.rows,
        "counts": [[*key, records] for key, records in counts.items()],
    }


class _TableWriter:
    """Gathers rows by table, day and queue manager, and writes each as its own Parquet file."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.files: list[str] = []
        self.rows: dict[str, int] = {}
        self._folder = folder
        self._stem = stem
        self._kept: dict[tuple[str, Group | None], list[pa.RecordBatch]] = {}
        self._bytes = 0
        self._open: dict[tuple[str, Group | None], pq.ParquetWriter] = {}
        self._begun = 0

    def add(self, decoded: Decoded) -> None:
        for name, batch in decoded.batches.items():
            bounds = decoded.bounds[name]
            for group, first, last in zip(decoded.groups, bounds, bounds[1:]):
                if last > first:
                    self.add_rows(name, group, batch.slice(first, last - first))
        if self._bytes > FLUSH_BYTES:
            self._flush()

    def add_rows(self, name: str, group: Group | None, batch: pa.RecordBatch) -> None:
        self._kept.setdefault((name, group), []).append(batch)
        self._bytes += batch.nbytes
        self.rows[name] = self.rows.get(name, 0) + batch.num_rows

    def _flush(self) -> None:
        for (name, group), batches in self._kept.items():
            # The queue manager is in the name of the folder.
            table = pa.Table.from_batches(batches).unify_dictionaries()
            if group is not None:
                table = table.drop_columns(["qmgr"])
            self._writer(name, group, table.schema).write_table(table)
        self._kept.clear()
        self._bytes = 0

    def _writer(self, name: str, group: Group | None, schema: pa.Schema) -> pq.ParquetWriter:
        key = name, group
        if key not in self._open:
            if len(self._open) >= WRITERS_MAX:
                self._open.pop(next(iter(self._open))).close()
            place = _place(name, group, f"{self._stem}-{self._begun:04d}.parquet")
            self._begun += 1
            path = self._folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            texts = [column.name for column in schema if _is_text(column.type)]
            self._open[key] = pq.ParquetWriter(path, schema, use_dictionary=texts or False, **_PARQUET)
            self.files.append(str(place))
        return self._open[key]

    def close(self) -> None:
        self._flush()
        while self._open:
            self._open.popitem()[1].close()


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) or pa.types.is_string(kind))


def _place(name: str, group: Group | None, file: str) -> Path:
    if group is None:
        return Path(name, file)
    day = datetime.fromtimestamp(0, UTC).date() + timedelta(days=group.day)
    qmgr = quote(group.qmgr, safe="$#@ ").replace("%24", "$") if group.qmgr else _NO_NAME
    return Path(name, f"day={day.isoformat()}", f"qmgr={qmgr}", file)


def _commit(raw: Path, dump: DumpReport, outcomes: list[dict[str, Any]]) -> None:
    counts: dict[Count, int] = {}
    for outcome in outcomes:
        for kind, subtype, fate, reason, records in outcome["counts"]:
            key: Count = (kind, subtype, fate, reason)
            counts[key] = counts.get(key, 0) + records
        for name, rows in outcome["rows"].items():
            if name not in SPECIAL_TABLES:
                dump.rows[name] = dump.rows.get(name, 0) + rows
    for (_, _, fate, _), records in counts.items():
        setattr(dump, f"records_{fate}", getattr(dump, f"records_{fate}") + records)
        dump.records_in += records
    staging = raw / _STAGING / dump.digest
    own = staging / "driver" / "counts"
    own.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.Table.from_batches([counts_batch(dump.path, counts)]), own / f"{dump.digest[:16]}.parquet", **_PARQUET
    )
    files = [[outcome["staging"], file] for outcome in outcomes for file in outcome["files"]]
    files.append(["driver", f"counts/{dump.digest[:16]}.parquet"])
    manifest = {"report": asdict(dump), "added_at": datetime.now(UTC).isoformat(), "files": files}
    _write_whole(_manifest(raw, dump.digest), json.dumps(manifest, indent=1))
    _move(raw, dump.digest, files)


def _move(raw: Path, digest: str, files: list[list[str]]) -> None:
    """Bring staged files to their place; those that are there already were moved before a crash."""
    staging = raw / _STAGING / digest
    for attempt, file in files:
        source, place = staging / attempt / file, raw / file
        if source.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(source, place)
    shutil.rmtree(staging, ignore_errors=True)


def _recover(raw: Path) -> None:
    """Finish what a crash left after its manifest, clear away what it left before. Needs the lock."""
    staging = raw / _STAGING
    for left in sorted(staging.iterdir()) if staging.exists() else []:
        manifest = _manifest(raw, left.name)
        if manifest.exists():
            _move(raw, left.name, json.loads(manifest.read_text(encoding="utf-8"))["files"])
        else:
            shutil.rmtree(left, ignore_errors=True)


def _raw_folder(target: str | os.PathLike[str]) -> Path:
    return Path(target).absolute() / "raw"


def _manifest(raw: Path, digest: str) -> Path:
    return raw / _DUMPS / f"{digest}.json"


def _write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with open(fresh, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class TablesBusyError(RuntimeError):
    """Another ingest is at work on the same tables."""


@contextmanager
def _locked(raw: Path) -> Iterator[None]:
    raw.mkdir(parents=True, exist_ok=True)
    with open(raw / _LOCK, "a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TablesBusyError(f"another ingest is adding to {raw}; try again when it is done") from None
        yield


def recover(target: str | os.PathLike[str]) -> None:
    """Bring the tables to a whole state after a crash. Does nothing while an ingest is at work."""
    raw = _raw_folder(target)
    if not (raw / _STAGING).exists():
        return
    try:
        with _locked(raw):
            _recover(raw)
    except TablesBusyError:
        return


def tables() -> list[str]:
    """Names of all raw tables there can be."""
    return [*structures(), *SPECIAL_TABLES]


def read(spark: SparkSession, target: str | os.PathLike[str], name: str) -> DataFrame:
    """A raw table as a DataFrame: empty, with its columns, if nothing was recorded. `day` is the date of `smf_time`."""
    from pyspark.sql.types import DateType, StructField, StructType

    schema = spark_schema_of(name)
    if name not in SPECIAL_TABLES:
        schema = StructType([*schema.fields, StructField("day", DateType())])
    recover(target)
    folder = _raw_folder(target) / name
    if not folder.is_dir():
        return spark.createDataFrame([], schema)
    return spark.read.schema(schema).parquet(str(folder)).select(*schema.names)


def dumps(target: str | os.PathLike[str]) -> list[DumpReport]:
    """All dumps in the tables, with their figures."""
    folder = _raw_folder(target) / _DUMPS
    found = sorted(folder.glob("*.json")) if folder.exists() else []
    return [DumpReport(**json.loads(path.read_text(encoding="utf-8"))["report"]) for path in found]
