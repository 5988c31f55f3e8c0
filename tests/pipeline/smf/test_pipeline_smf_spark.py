"""The source `mqsmf` and the raw tables, through Spark: same values, one pass, added once, whole or not at all."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from helper_smf_encoder import marker
from helper_smf_spark import dump
from helper_spark import session

from libremq.pipeline.documents import Document, Documents
from libremq.pipeline.smf.decode import decode, plain
from libremq.pipeline.smf.files import Piece, read_piece
from libremq.pipeline.smf.smf_columns import TextDecoder, schema_of
from libremq.pipeline.smf.spark_source import MqSmfDataSource, register
from libremq.pipeline.smf.survey import survey
from libremq.pipeline.tables import raw, raw_writer
from libremq.pipeline.tables.raw_tables import RawTables


def direct(path: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a structure without Spark."""
    found: list[dict[str, Any]] = []
    for chunk in read_piece(Piece(str(path), "rdw")):
        batch = decode(chunk, str(path), TextDecoder()).batches.get(name)
        found.extend(plain(batch, name).to_pylist() if batch is not None else [])
    return found


def source(path: Path | str, name: str, **options: str) -> list[dict[str, Any]]:
    register(session())
    frame = session().read.format("mqsmf").option("structure", name).options(**options).load(str(path))
    return sorted(frame.toArrow().to_pylist(), key=_order)


def table(target: Path, name: str) -> list[dict[str, Any]]:
    return sorted(raw.read(session(), target, name).toArrow().to_pylist(), key=_order)


def _order(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["source_file"], row.get("source_offset", 0), row.get("section_index", 0), str(row.get("subtype"))


def without_day(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{column: value for column, value in row.items() if column != "day"} for row in rows]


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    folder = tmp_path / "dumps"
    folder.mkdir()
    (folder / "a.dat").write_bytes(dump(1))
    (folder / "b.dat.gz").write_bytes(gzip.compress(dump(2)))
    return folder


def test_the_source_gives_each_structure_also_in_pieces(dumps: Path) -> None:
    path = dumps / "a.dat"
    for name in ("qpst", "wq"):
        expected = direct(path, name)
        assert expected
        assert source(path, name) == expected
        assert source(path, name, splitBytes="20000") == expected
    assert len(survey(str(path), 20000).pieces) > 3


def test_folders_patterns_archives_quarantine_and_counts(dumps: Path) -> None:
    (dumps / "c.dat").write_bytes(dump(3)[:-5000] + b"\xff" * 100)
    (dumps / "empty.dat").touch()
    assert {Path(row["source_file"]).name for row in source(dumps, "qjst")} == {"a.dat", "b.dat.gz", "c.dat"}
    assert {Path(row["source_file"]).name for row in source(f"{dumps}/*.gz", "qjst")} == {"b.dat.gz"}
    bad = source(dumps, "quarantine")
    assert {(Path(row["source_file"]).name, row["reason"]) for row in bad} >= {("empty.dat", "empty file")}
    assert {Path(row["source_file"]).name for row in bad} == {"c.dat", "empty.dat"}
    counts = source(dumps, "counts")
    assert sum(row["records"] for row in counts if row["outcome"] == "quarantined") == len(bad)
    assert sum(row["records"] for row in counts if row["source_file"].endswith("a.dat")) == 62


def test_the_source_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="no SMF structure 'qxxx'"):
        MqSmfDataSource({"structure": "qxxx"}).schema()
    with pytest.raises(ValueError, match="needs a path"):
        MqSmfDataSource({"structure": "qpst"}).reader(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="form is auto"):
        MqSmfDataSource({"structure": "qpst", "path": "x", "form": "odd"}).reader(None)  # type: ignore[arg-type]


def test_ingest_writes_every_structure_as_recorded(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw, "SURVEY_HERE_BYTES", 0)
    target = tmp_path / "tables"
    report = raw.ingest(session(), str(dumps), target, piece_bytes=30_000)
    assert [dump.added for dump in report.dumps] == [True, True]
    assert report.total("records_in") == 124
    assert report.total("records_in") == sum(
        report.total(f"records_{fate}") for fate in ("decoded", "skipped", "quarantined")
    )
    for name in ("qpst", "qjst", "wtid", "wq", "qcst", "qqst", "qwhs"):
        rows = table(target, name)
        assert without_day(rows) == direct(dumps / "a.dat", name) + direct(dumps / "b.dat.gz", name), name
        assert len(rows) == sum(dump.rows[name] for dump in report.dumps)
        assert all(row["day"] == row["smf_time"].date() for row in rows)
    assert {row["qmgr"] for row in table(target, "qpst")} == {"QM01", "QM02", "1234"}
    counted: dict[str, int] = {}
    for row in table(target, "counts"):
        counted[row["outcome"]] = counted.get(row["outcome"], 0) + row["records"]
    assert counted == {"decoded": 120, "skipped": 4}
    assert table(target, "quarantine") == []
    assert raw.read(session(), target, "qesd").count() == 0


def listing(target: Path) -> dict[str, int]:
    return {str(path.relative_to(target)): path.stat().st_mtime_ns for path in target.rglob("*") if path.is_file()}


def test_the_same_dump_again_changes_nothing_and_a_new_one_adds_only_itself(dumps: Path, tmp_path: Path) -> None:
    target = tmp_path / "tables"
    raw.ingest(session(), str(dumps / "a.dat"), target)
    before = listing(target)
    (dumps / "copy.gz").write_bytes(gzip.compress(dump(1)))
    again = raw.ingest(session(), [str(dumps / "a.dat"), str(dumps / "copy.gz")], target)
    assert [dump.added for dump in again.dumps] == [False, False]
    assert again.dumps[0].records_in == 62
    assert listing(target) == before
    more = raw.ingest(session(), str(dumps), target)
    assert [Path(dump.path).name for dump in more.added] == ["b.dat.gz"]
    assert {name: stamp for name, stamp in listing(target).items() if name in before} == before
    assert len(raw.dumps(target)) == 2
    twice = raw.ingest(session(), [str(dumps / "copy.gz"), str(dumps / "a.dat")], tmp_path / "other")
    assert [dump.added for dump in twice.dumps] == [True, False]


class Crash(Exception):
    pass


@pytest.mark.parametrize("written", [False, True])
def test_a_crash_leaves_nothing_half(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    """Die before the document of the dump is there, or right after."""
    target = tmp_path / "tables"
    before = len(direct(dumps / "b.dat.gz", "qpst"))
    write = Documents.write

    def fail(self: Documents, key: str, content: dict[str, Any], before: Document | None = None) -> Document:
        if written:
            write(self, key, content, before)
        raise Crash

    raw.ingest(session(), str(dumps / "b.dat.gz"), target)
    with monkeypatch.context() as patched:
        patched.setattr(Documents, "write", fail)
        with pytest.raises(Crash):
            raw.ingest(session(), str(dumps / "a.dat"), target)
    added = len(direct(dumps / "a.dat", "qpst"))
    assert len(table(target, "qpst")) == before + (added if written else 0)
    report = raw.ingest(session(), str(dumps / "a.dat"), target)
    assert report.dumps[0].added != written
    assert len(table(target, "qpst")) == before + added
    attempts = {file.attempt for file in RawTables(target).files("qpst")}
    assert {path.name for path in (target / "raw" / "data").iterdir()} == attempts


def test_a_second_attempt_at_a_piece_does_not_double_its_rows(dumps: Path, tmp_path: Path) -> None:
    look = survey(str(dumps / "a.dat"), 1 << 20)
    lost = tmp_path / "tables" / "raw"
    lost.mkdir(parents=True)
    raw.write_piece(look.digest, look.pieces[0], str(lost))
    [attempt] = (lost / "data").iterdir()
    raw.ingest(session(), str(dumps / "a.dat"), tmp_path / "tables")
    assert len(table(tmp_path / "tables", "qpst")) == len(direct(dumps / "a.dat", "qpst"))
    assert not attempt.exists()


def test_only_one_ingest_at_a_time(dumps: Path, tmp_path: Path) -> None:
    with RawTables(tmp_path).writing(), pytest.raises(raw.TablesBusyError, match="another ingest"):
        raw.ingest(session(), str(dumps), tmp_path)


def test_a_dump_of_nothing_but_damage_is_added_as_such(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear analyst, this is not a dump. " * 100, encoding="ascii")
    [done] = raw.ingest(session(), str(path), tmp_path / "tables").dumps
    assert (done.records_in, done.records_quarantined, done.rows) == (1, 1, {})
    [row] = table(tmp_path / "tables", "quarantine")
    assert (row["source_offset"], row["length"], row["reason"]) == (0, 3400, "no record descriptor word")


def test_rows_that_are_written_bit_by_bit_are_in_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_writer, "FLUSH_BYTES", 1)
    path = tmp_path / "a.dat"
    path.write_bytes(dump(5, 120) + marker(3))
    wrote = raw.write_piece("0" * 64, Piece(str(path), "rdw"), str(tmp_path / "raw"))
    assert wrote.rows["0" * 64]["qpst"] == len(direct(path, "qpst"))
    [file] = [file for file in wrote.files if file.table == "qpst"]
    assert sum(file.days.values()) == file.rows == len(direct(path, "qpst"))
    assert sorted(file.days) == sorted({str(row["smf_time"].date()) for row in direct(path, "qpst")})


def test_the_parquet_of_a_table_has_the_columns_of_its_schema(dumps: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    raw.ingest(session(), str(dumps / "a.dat"), tmp_path)
    files = list((tmp_path / "raw" / "data").glob("*/*.parquet"))
    assert len(files) > 5
    for file in files:
        assert pq.read_schema(file).names == schema_of(file.stem.removesuffix("-0")).names
