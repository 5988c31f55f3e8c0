"""The raw tables: every structure as recorded, in Parquet, under `<target>/raw`.

After a look at it, a dump is decoded once. Each worker takes a piece, or many small dumps, decodes all structures and
writes their rows itself, in files that belong to this attempt alone; nothing but counts goes back to the driver. When
all pieces of a dump are done the driver writes a document that names its files (`raw_tables`): from here on the dump is
in. So a dump is in the tables as a whole or not at all, each as soon as it is done, and whatever ends the process keeps
those that were. A task that is tried again, or twice at a time, writes files that no document names.

Where the tables are behind Hadoop (`storage`), workers hand back the finished files, a tenth of the dump, and the
driver writes them: they have no file system of Hadoop of their own. Dumps that lie there are fetched by the driver.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pyarrow as pa

from libremq.pipeline.smf.decode import Count, decode, quarantine_batch, structures
from libremq.pipeline.smf.files import FormOption, Piece, read_piece
from libremq.pipeline.smf.smf_columns import COUNTS, TextDecoder, spark_schema_of
from libremq.pipeline.smf.survey import STRETCH_BYTES, Look, Stretch, Survey, look_at, piece_bytes_for, surveys, told
from libremq.pipeline.storage import Root, sync_folder
from libremq.pipeline.tables.raw_dumps import Dump, fetched, listed
from libremq.pipeline.tables.raw_tables import (
    DATA,
    TOGETHER_BYTES,
    DumpReport,
    Holding,
    RawFile,
    RawTables,
    TablesBusyError,
)
from libremq.pipeline.tables.raw_writer import TableWriter, day_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DumpReport", "IngestReport", "TablesBusyError", "dumps", "ingest", "read", "tables"]

SPECIAL_TABLES = ("quarantine", "counts")
SURVEY_HERE_BYTES = 128 * 1024 * 1024
"""Up to this the driver looks at the dumps itself; above, the look is worth a Spark job."""

DEFAULT_ENCODING = "cp037"

_JOBS_AT_ONCE_MAX = 32
_SHIPPED_AT_ONCE = 4
"""Pieces in the memory of the driver at a time, where workers cannot see the dumps."""
_RESULT = pa.schema([("result", pa.binary())])

T = TypeVar("T")
R = TypeVar("R")

_FILE_BYTES = 64 * 1024
"""What a file costs beyond its content, as if it were content."""


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


class Work(NamedTuple):
    """A piece of a dump for a worker; `source` is what the dump is called in the tables."""

    digest: str
    source: str
    piece: Piece


@dataclass(slots=True)
class Outcome:
    """What a worker made of its pieces: files with the rows of all of them, and the fate of each dump's records."""

    files: list[RawFile]
    content: list[bytes]
    """The files themselves, where the worker could not put them in their place."""
    rows: dict[str, dict[str, int]]
    counts: dict[str, dict[Count, int]]
    days: dict[str, set[str]]
    problems: dict[str, str]
    """Dumps of which nothing is in the files, and why. All four by digest."""


def ingest(
    spark: SparkSession,
    paths: str | Iterable[str],
    target: Root,
    *,
    encoding: str | None = None,
    form: FormOption | None = None,
    piece_bytes: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> IngestReport:
    """Add dumps to the raw tables under `target`; those whose content is there already are left out.

    `paths` are files, folders or patterns, plain or gzip, here or by URI. Records that cannot be read are in the table
    `quarantine`, the fate of all records in `counts`. Returns the figures of each dump; one whose file cannot be read,
    or changes meanwhile, has a `problem` there and keeps no other from being added. With an `encoding` or a `form` that
    is not that of a dump in the tables, its rows there are replaced. On an error, or when the process dies, each dump
    is in the tables as a whole or not at all, and those that were done are.
    """
    tell = tell or (lambda _: None)
    TextDecoder(encoding or DEFAULT_ENCODING)
    found = listed(paths)
    raw = RawTables(target)
    with raw.writing(), fetched(found, tell) as local:
        ship = any(dump.is_fetched for dump in local) and not _is_local(spark)
        fresh, reports = _look(spark, local, raw, encoding, form, piece_bytes, tell)
        by_digest = {report.digest: report for report in reports if report.digest in fresh and report.added}
        sources = {digest: report.path for digest, report in by_digest.items()}
        size = piece_bytes or piece_bytes_for((look.size for look in fresh.values()), _workers(spark))
        portions = list(_portions(fresh, sources, size))
        if portions:
            tell(f"decoding {len(fresh)} dumps in {sum(map(len, portions))} pieces")
        pending = {digest: len(look.pieces) for digest, look in fresh.items()}
        gathered: dict[str, list[Outcome]] = {}
        task = _task(None if not raw.place.is_local else raw.place.path, encoding or DEFAULT_ENCODING)
        for works, outcome in _as_done(spark, portions, task, ship):
            digests = list(dict.fromkeys(work.digest for work in works))
            for work in works:
                pending[work.digest] -= 1
            gathered.setdefault(digests[0], []).append(outcome)
            if pending[digests[0]]:
                continue
            outcomes = gathered.pop(digests[0])
            _add(raw, [by_digest[digest] for digest in digests], outcomes)
            for digest in digests:
                tell(f"added {sources[digest]}")
        if raw.compact():
            tell("brought small files together")
        for dump in reports:
            if dump.problem:
                tell(f"not added: {dump.path}: {dump.problem}")
        return IngestReport(reports)


def _look(
    spark: SparkSession,
    dumps: list[Dump],
    raw: RawTables,
    encoding: str | None,
    form: FormOption | None,
    piece_bytes: int | None,
    tell: Callable[[str], None],
) -> tuple[dict[str, Survey], list[DumpReport]]:
    """Survey all files: those whose content is new, by digest, and a report for each of them."""
    sizes = [_size(dump.local) for dump in dumps]
    large = sum(sizes) > SURVEY_HERE_BYTES
    tell(f"looking at {len(dumps)} files, {sum(sizes) / 1e6:,.1f} MB")

    def on_workers(stretches: list[Stretch]) -> list[Look]:
        bins = _bins(stretches, [stretch.length for stretch in stretches], STRETCH_BYTES)
        return _on_workers(spark, bins, look_at)

    size = piece_bytes or piece_bytes_for(sizes, _workers(spark))
    reports: list[DumpReport] = []
    fresh: dict[str, Survey] = {}
    known = {dump.digest: dump for dump in raw.dumps()}
    looks = surveys([dump.local for dump in dumps], size, form=form or "auto", run=on_workers if large else None)
    for dump, look in zip(dumps, looks):
        if dump.problem or look.problem:
            reports.append(DumpReport(dump.name, "", added=False, problem=dump.problem or look.problem))
            continue
        had = known.get(look.digest)
        if look.digest in fresh:
            reports.append(DumpReport(dump.name, look.digest, added=False))
        elif had is not None and encoding in (None, had.encoding) and form in (None, had.form):
            reports.append(replace(had, path=dump.name, added=False, replaced=False))
        else:
            again = had is not None and not had.expired
            name = _free_name(dump.name, look.digest, [*known.values(), *reports])
            report = DumpReport(name, look.digest, added=True, replaced=again)
            report.encoding, report.form = encoding or DEFAULT_ENCODING, form or "auto"
            reports.append(report)
            fresh[look.digest] = look
    return fresh, reports


def _free_name(name: str, digest: str, others: Iterable[DumpReport]) -> str:
    """What a dump is called in the tables: its path, unless another one was called so, as where each night's is."""
    taken = any(other.path == name and other.digest != digest for other in others)
    return f"{name}#{digest[:8]}" if taken else name


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _workers(spark: SparkSession) -> int:
    return int(spark.sparkContext.defaultParallelism)


def _is_local(spark: SparkSession) -> bool:
    return str(spark.sparkContext.master).startswith("local")


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


def _portions(fresh: dict[str, Survey], sources: dict[str, str], size: int) -> Iterator[list[Work]]:
    """What one task takes, and what is committed together: pieces of a large dump by themselves, small dumps together.

    Small dumps share their files, so none is with another whose rows could not be told from its own.
    """
    small: list[Work] = []
    for digest, look in fresh.items():
        works = [Work(digest, sources[digest], piece) for piece in look.pieces]
        if len(works) > 1:
            yield from ([work] for work in works)
        else:
            small += works
    yield from _bins(small, [fresh[work.digest].size for work in small], min(size, TOGETHER_BYTES))


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


def _as_done(
    spark: SparkSession, portions: list[list[Work]], task: Callable[[list[_Shipped]], Outcome], ship: bool
) -> Iterator[tuple[list[Work], Outcome]]:
    """Each portion with what became of it, as soon as it is done: a job for each, a few jobs at a time."""

    def run(works: list[Work]) -> Outcome:
        [outcome] = _on_workers(spark, [[[_shipped(work, ship) for work in works]]], task)
        return outcome

    at_once = min(_JOBS_AT_ONCE_MAX if not ship else _SHIPPED_AT_ONCE, _workers(spark) + 1)
    waiting = list(reversed(portions))
    with ThreadPoolExecutor(at_once) as pool:
        running: dict[Future[Outcome], list[Work]] = {}
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    works = waiting.pop()
                    running[pool.submit(run, works)] = works
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


class _Shipped(NamedTuple):
    """A piece for a worker, with its bytes when the worker cannot see the file."""

    work: Work
    content: bytes | None


def _shipped(work: Work, ship: bool) -> _Shipped:
    if not ship:
        return _Shipped(work, None)
    piece = work.piece
    with open(piece.path, "rb") as file:
        file.seek(piece.start)
        return _Shipped(work, file.read() if piece.end is None else file.read(piece.end - piece.start))


@contextmanager
def _unpacked(shipped: _Shipped) -> Iterator[Piece]:
    """The piece as a file of the worker. What is before it in the dump is a hole: places stay what they were."""
    piece = shipped.work.piece
    if shipped.content is None:
        yield piece
        return
    with tempfile.NamedTemporaryFile(prefix="libremq-piece-") as file:
        file.seek(piece.start)
        file.write(shipped.content)
        file.flush()
        yield replace(piece, path=file.name, stamp=None)


def _task(raw: str | None, encoding: str) -> Callable[[list[_Shipped]], Outcome]:
    def task(portion: list[_Shipped]) -> Outcome:
        return write_pieces(portion, raw, encoding)

    return task


def write_pieces(portion: list[_Shipped], raw: str | None, encoding: str) -> Outcome:
    """Decode pieces and write their rows into files of an attempt below `raw`, or hand them back without a folder."""
    problems: dict[str, str] = {}
    while True:
        attempt = uuid.uuid4().hex
        folder = os.path.join(raw, DATA, attempt) if raw is not None else tempfile.mkdtemp(prefix="libremq-raw-")
        outcome = Outcome([], [], {}, {}, {}, problems)
        with TableWriter(folder) as writer:
            failed = _decode_all(
                [each for each in portion if each.work.digest not in problems], writer, outcome, encoding
            )
        if failed is None:
            break
        # Its rows are in files with those of others: all is done again without it.
        problems[failed[0]] = failed[1]
        shutil.rmtree(folder, ignore_errors=True)
    for name, path in writer.files().items():
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            if raw is None:
                outcome.content.append(file.read())
        below = f"{DATA}/{attempt}/{os.path.basename(path)}"
        outcome.files.append(RawFile(name, below, writer.rows[name], os.path.getsize(path), writer.days.get(name, {})))
    if raw is None:
        shutil.rmtree(folder, ignore_errors=True)
    elif outcome.files:
        for above in (folder, os.path.dirname(folder)):
            sync_folder(above)
    return outcome


def write_piece(digest: str, piece: Piece, raw: str, encoding: str = DEFAULT_ENCODING) -> Outcome:
    """Decode one piece that lies here, as a worker does."""
    return write_pieces([_Shipped(Work(digest, piece.path, piece), None)], raw, encoding)


def _decode_all(
    portion: list[_Shipped], writer: TableWriter, outcome: Outcome, encoding: str
) -> tuple[str, str] | None:
    """Decode pieces into the writer; the digest of the first that cannot be read, and why."""
    text = TextDecoder(encoding)
    for shipped in portion:
        work = shipped.work
        rows = outcome.rows.setdefault(work.digest, {})
        counts = outcome.counts.setdefault(work.digest, {})
        days = outcome.days.setdefault(work.digest, set())
        with _unpacked(shipped) as piece:
            chunks = read_piece(piece)
            while True:
                try:
                    chunk = next(chunks, None)
                except OSError as refused:
                    # The dump is gone, or not the one that was surveyed: its fault, not that of the task.
                    return work.digest, told(refused)
                if chunk is None:
                    break
                decoded = decode(chunk, work.source, text, grouped=True)
                for key, records in decoded.counts.items():
                    counts[key] = counts.get(key, 0) + records
                for name, batch in decoded.batches.items():
                    rows[name] = rows.get(name, 0) + batch.num_rows
                days.update(day_of(group) for group in decoded.groups)
                writer.add(decoded)
                if decoded.quarantine:
                    writer.add_rows("quarantine", quarantine_batch(work.source, decoded.quarantine))
    return None


def _add(raw: RawTables, dumps: list[DumpReport], outcomes: list[Outcome]) -> None:
    """Bring dumps into the tables that were decoded together."""
    holding = Holding([], [file for outcome in outcomes for file in outcome.files])
    for dump in dumps:
        dump.problem = next((o.problems[dump.digest] for o in outcomes if dump.digest in o.problems), "")
        dump.added = not dump.problem
        if dump.problem:
            continue
        for outcome in outcomes:
            for name, rows in outcome.rows.get(dump.digest, {}).items():
                dump.rows[name] = dump.rows.get(name, 0) + rows
            for (kind, subtype, fate, reason), records in outcome.counts.get(dump.digest, {}).items():
                holding.counts.append([dump.path, kind, subtype, fate, reason, records])
                setattr(dump, f"records_{fate}", getattr(dump, f"records_{fate}") + records)
                dump.records_in += records
        dump.days = sorted({day for outcome in outcomes for day in outcome.days.get(dump.digest, ())})
        holding.dumps.append(dump)
    if not holding.dumps:
        # All pieces of a dump that changed meanwhile: what is left of it goes now rather than with the next run.
        for attempt in {file.attempt for file in holding.files}:
            (raw.place / DATA / attempt).delete()
        return
    for outcome in outcomes:
        for file, content in zip(outcome.files, outcome.content):
            (raw.place / file.path).write(content)
    raw.commit(holding)


def tables() -> list[str]:
    """Names of all raw tables there can be."""
    return [*structures(), *SPECIAL_TABLES]


def read(spark: SparkSession, target: Root, name: str) -> DataFrame:
    """A raw table as a DataFrame: empty, with its columns, if nothing was recorded. `day` is the date of `smf_time`."""
    from pyspark.sql import functions as F

    schema = spark_schema_of(name)
    raw = RawTables(target)
    if name == "counts":
        rows = [dict(zip(COUNTS.names, row)) for row in raw.counts()]
        return spark.createDataFrame(pa.Table.from_pylist(rows, schema=COUNTS), schema)
    files = [str(raw.place / file.path) for file in raw.files(name)]
    frame = spark.read.schema(schema).parquet(*files) if files else spark.createDataFrame([], schema)
    return frame if name in SPECIAL_TABLES else frame.withColumn("day", F.to_date("smf_time"))


def dumps(target: Root) -> list[DumpReport]:
    """All dumps in the tables, with their figures."""
    return [dump for dump in RawTables(target).dumps() if not dump.expired]
