"""The raw tables: every structure as recorded, in Parquet by day and queue manager, under `<target>/raw/<structure>`.

After a look at it, a dump is decoded once. Each worker takes a piece, decodes all structures and writes their rows
itself, into a staging folder; nothing but file names and counts goes back to the driver. A dump is known by the digest
of its content, and its manifest is what makes it part of the tables:

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
import pickle
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from libremq.pipeline.smf.decode import Count, counts_batch, decode, quarantine_batch, structures
from libremq.pipeline.smf.files import FormOption, Piece, list_files, read_piece
from libremq.pipeline.smf.smf_columns import TextDecoder, spark_schema_of
from libremq.pipeline.smf.survey import STRETCH_BYTES, Look, Stretch, Survey, look_at, piece_bytes_for, surveys, told
from libremq.pipeline.tables.raw_writer import PARQUET, TableWriter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPECIAL_TABLES = ("quarantine", "counts")
SURVEY_HERE_BYTES = 128 * 1024 * 1024
"""Up to this the driver looks at the dumps itself; above, the look is worth a Spark job."""

_DUMPS, _STAGING, _LOCK = "_dumps", "_staging", "_lock"
_RESULT = pa.schema([("result", pa.binary())])

T = TypeVar("T")
R = TypeVar("R")

_FILE_BYTES = 64 * 1024
"""What a file costs beyond its content, as if it were content."""


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


@dataclass(slots=True)
class IngestReport:
    dumps: list[DumpReport]

    @property
    def failed(self) -> list[DumpReport]:
        return [dump for dump in self.dumps if dump.problem]

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
    the fate of all records in `counts`. Returns the figures of each dump; one whose file cannot be read, or changes
    meanwhile, has a `problem` there and keeps no other from being added. On an error, or when the process dies, each
    dump is in the tables as a whole or not at all.
    """
    tell = tell or (lambda _: None)
    TextDecoder(encoding)
    files = list_files(paths)
    raw = _raw_folder(target)
    with _locked(raw):
        _recover(raw)
        fresh, dumps = _look(spark, files, raw, form, piece_bytes, tell)
        if fresh:
            work = [(look.digest, number, piece) for look in fresh.values() for number, piece in enumerate(look.pieces)]
            tell(f"decoding {len(fresh)} dumps in {len(work)} pieces")
            size = piece_bytes or piece_bytes_for((look.size for look in fresh.values()), _workers(spark))
            bins = _bins(work, [_length(look, piece) for look in fresh.values() for piece in look.pieces], size)
            outcomes: dict[str, list[dict[str, Any]]] = {digest: [] for digest in fresh}
            for outcome in _on_workers(spark, bins, _task(str(raw), encoding)):
                outcomes[outcome["digest"]].append(outcome)
            for dump in dumps:
                if dump.digest in fresh:
                    dump.problem = next((each["problem"] for each in outcomes[dump.digest] if each["problem"]), "")
                    dump.added = dump.added and not dump.problem
                if dump.added:
                    _commit(raw, dump, outcomes[dump.digest])
                    tell(f"added {dump.path}")
            shutil.rmtree(raw / _STAGING, ignore_errors=True)
        for dump in dumps:
            if dump.problem:
                tell(f"not added: {dump.path}: {dump.problem}")
        return IngestReport(dumps)


def _look(
    spark: SparkSession,
    files: list[str],
    raw: Path,
    form: FormOption,
    piece_bytes: int | None,
    tell: Callable[[str], None],
) -> tuple[dict[str, Survey], list[DumpReport]]:
    """Survey all files: those whose content is new, by digest, and a report for each of them."""
    sizes = [_size(path) for path in files]
    large = sum(sizes) > SURVEY_HERE_BYTES
    tell(f"looking at {len(files)} files, {sum(sizes) / 1e6:,.1f} MB")

    def on_workers(stretches: list[Stretch]) -> list[Look]:
        bins = _bins(stretches, [stretch.length for stretch in stretches], STRETCH_BYTES)
        return _on_workers(spark, bins, look_at)

    size = piece_bytes or piece_bytes_for(sizes, _workers(spark))
    dumps: list[DumpReport] = []
    fresh: dict[str, Survey] = {}
    for look in surveys(files, size, form=form, run=on_workers if large else None):
        if look.problem:
            dumps.append(DumpReport(look.path, "", added=False, problem=look.problem))
            continue
        known = look.digest in fresh or _manifest(raw, look.digest).exists()
        dumps.append(_known(raw, look.path, look.digest) if known else DumpReport(look.path, look.digest, added=True))
        if not known:
            fresh[look.digest] = look
    return fresh, dumps


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _length(look: Survey, piece: Piece) -> int:
    return (look.size if piece.end is None else piece.end) - piece.start


def _workers(spark: SparkSession) -> int:
    return int(spark.sparkContext.defaultParallelism)


def _known(raw: Path, path: str, digest: str) -> DumpReport:
    """A dump that is in already. One given twice in the same call has no manifest yet."""
    manifest = _manifest(raw, digest)
    if not manifest.exists():
        return DumpReport(path, digest, added=False)
    told_then = json.loads(manifest.read_text(encoding="utf-8"))["report"]
    return DumpReport(**{**told_then, "path": path, "added": False})


def _bins(work: list[T], sizes: list[int], size: int) -> list[list[T]]:
    """Work in portions of about that size, each for one task: a task for each small file would cost more than it."""
    bins: list[list[T]] = []
    room = 0
    for each, bytes_of in zip(work, sizes):
        if bytes_of > room or not bins:
            bins.append([])
            room = size
        bins[-1].append(each)
        room -= bytes_of + _FILE_BYTES
    return bins


def _on_workers(spark: SparkSession, bins: list[list[T]], function: Callable[[T], R]) -> list[R]:
    """The results of a function for all work, in order; one task per portion, wherever Spark runs it."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                results = pickle.dumps([function(each) for each in bins[number]])
                yield pa.RecordBatch.from_pylist([{"result": results}], schema=_RESULT)

    if not bins:
        return []
    jobs = spark.range(0, len(bins), 1, numPartitions=len(bins)).mapInArrow(task, "result binary")
    return [result for row in jobs.collect() for result in pickle.loads(row.result)]


def _task(raw: str, encoding: str) -> Callable[[tuple[str, int, Piece]], dict[str, Any]]:
    def task(work: tuple[str, int, Piece]) -> dict[str, Any]:
        return write_piece(*work, raw, encoding)

    return task


def write_piece(digest: str, number: int, piece: Piece, raw: str, encoding: str) -> dict[str, Any]:
    """Decode a piece and write its rows to staging. Says which files, how many rows and the fate of all records."""
    text = TextDecoder(encoding)
    staging = Path(raw, _STAGING, digest, uuid.uuid4().hex)
    counts: dict[Count, int] = {}
    problem = ""
    chunks = read_piece(piece)
    with TableWriter(staging, f"{digest[:16]}-{number:05d}") as writer:
        while True:
            try:
                chunk = next(chunks, None)
            except OSError as refused:
                # The dump is gone, or not the one that was surveyed: its fault, not that of the task.
                problem = told(refused)
                break
            if chunk is None:
                break
            decoded = decode(chunk, piece.path, text, grouped=True)
            for key, records in decoded.counts.items():
                counts[key] = counts.get(key, 0) + records
            writer.add(decoded)
            if decoded.quarantine:
                writer.add_rows("quarantine", quarantine_batch(piece.path, decoded.quarantine))
    return {
        "digest": digest,
        "staging": staging.name,
        "files": writer.files,
        "rows": writer.rows,
        "counts": [[*key, records] for key, records in counts.items()],
        "problem": problem,
    }


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
        pa.Table.from_batches([counts_batch(dump.path, counts)]), own / f"{dump.digest[:16]}.parquet", **PARQUET
    )
    files = [[outcome["staging"], file] for outcome in outcomes for file in outcome["files"]]
    files.append(["driver", f"counts/{dump.digest[:16]}.parquet"])
    manifest = {"report": asdict(dump), "added_at": datetime.now(UTC).isoformat(), "files": files}
    _write_whole(_manifest(raw, dump.digest), json.dumps(manifest, indent=1))
    _move(raw, dump.digest, files)


def _move(raw: Path, digest: str, files: list[list[str]]) -> None:
    """Bring staged files to their place; those that are there already were moved before a crash."""
    staging = raw / _STAGING / digest
    made: set[str] = set()
    for attempt, file in files:
        source, place = os.path.join(staging, attempt, file), os.path.join(raw, file)
        folder = os.path.dirname(place)
        if folder not in made:
            os.makedirs(folder, exist_ok=True)
            made.add(folder)
        with suppress(FileNotFoundError):
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
