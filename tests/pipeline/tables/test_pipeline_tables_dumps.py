"""Dumps come in one by one, go, come again in another way, grow old; here and by URI."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

import helper_tables_conformed
from helper_smf_spark import dump
from helper_spark import session
from helper_tables_raw import MORNING, interval, numbers, write

from libremq.commands.main import main
from libremq.pipeline.storage import StorageError
from libremq.pipeline.tables import conformed, raw
from libremq.pipeline.tables.conformed_store import Store
from libremq.pipeline.tables.raw_tables import RawTables

DUMPS = 8


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    folder = tmp_path / "dumps"
    folder.mkdir()
    for number in range(DUMPS):
        (folder / f"{number}.dat").write_bytes(dump(number, 12))
    return folder


def rows(target: Path | str, name: str) -> list[dict[str, Any]]:
    found = raw.read(session(), target, name).toArrow().to_pylist()
    return sorted(found, key=lambda row: (row["source_file"], row["source_offset"], row["section_index"]))


def names(target: Path | str) -> list[str]:
    return sorted(Path(dump.path).name for dump in raw.dumps(target))


def test_a_run_that_is_broken_off_keeps_the_dumps_that_were_done(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And when it is run again the tables are those of a run that was not."""
    monkeypatch.setattr(raw, "_FILE_BYTES", 1 << 40)  # each dump in a portion of its own
    done: list[str] = []

    def tell(text: str) -> None:
        if text.startswith("added"):
            done.append(text)
        if len(done) == DUMPS // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        raw.ingest(session(), str(dumps), tmp_path / "tables", tell=tell)
    assert len(raw.dumps(tmp_path / "tables")) == DUMPS // 2
    again = raw.ingest(session(), str(dumps), tmp_path / "tables")
    assert len(again.added) == DUMPS // 2
    raw.ingest(session(), str(dumps), tmp_path / "undisturbed")
    for name in ("qpst", "wq"):
        assert rows(tmp_path / "tables", name) == rows(tmp_path / "undisturbed", name) != []


def test_dumps_that_share_files_can_be_taken_out_and_added_again(
    dumps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session()
    target = tmp_path / "mq-tables"
    ingest = ["pipeline", "ingest", "-q"]
    assert main([*ingest, str(dumps)]) == 0
    everything = rows(target, "qpst")
    [holding] = RawTables(target).holdings()
    assert len(holding.dumps) == DUMPS
    assert len({file.table for file in holding.files}) == len(holding.files)
    assert main(["pipeline", "remove", "-q", "nothing.dat"]) == 1
    assert "nothing was removed" in capsys.readouterr().err
    assert main(["pipeline", "remove", "-q", "3.dat", "dumps/5.dat"]) == 0
    assert capsys.readouterr().out.endswith("2 dumps removed\n")
    assert names(target) == ["0.dat", "1.dat", "2.dat", "4.dat", "6.dat", "7.dat"]
    left = [row for row in everything if Path(row["source_file"]).name not in ("3.dat", "5.dat")]
    assert rows(target, "qpst") == left
    # Added again as it is, and with another code page: its rows are replaced, not doubled.
    assert main([*ingest, str(dumps / "3.dat")]) == 0
    assert main([*ingest, str(dumps / "5.dat"), str(dumps / "3.dat"), "--encoding", "cp500"]) == 0
    assert "3.dat: read anew" in capsys.readouterr().out
    assert len(rows(target, "qpst")) == len(everything)
    encodings = {Path(dump.path).name: dump.encoding for dump in raw.dumps(target)}
    assert (encodings["3.dat"], encodings["4.dat"]) == ("cp500", "cp037")
    assert main([*ingest, str(dumps)]) == 0
    assert {Path(dump.path).name: dump.encoding for dump in raw.dumps(target)} == encodings
    # Another dump under a name that is known keeps its rows apart.
    (dumps / "3.dat").write_bytes(dump(77, 12))
    assert main([*ingest, str(dumps / "3.dat")]) == 0
    assert main(["pipeline", "compact", "-q"]) == 0
    count = len(rows(target, "qpst"))
    assert main(["pipeline", "remove", "-q", "3.dat#*"]) == 0
    assert len(rows(target, "qpst")) == len(everything) < count
    _keep_one_day(target, everything)


def _keep_one_day(target: Path, everything: list[dict[str, Any]]) -> None:
    """Dumps that are too old go, and do not come back with the next run over all of them."""
    last = max(row["day"] for row in everything)
    assert main(["pipeline", "remove", "-q", "--keep-days", "1"]) == 0
    assert all(max(dump.days) == str(last) for dump in raw.dumps(target))


def test_a_run_of_good_and_bad_files_says_so(dumps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session()
    (dumps / "letter.txt").write_text("Dear analyst, this is not a dump. " * 100)
    (dumps / "gone").symlink_to(dumps / "nowhere")
    words = ["pipeline", "ingest", "-q", "-t", str(tmp_path / "t")]
    assert main([*words, str(dumps), str(dumps / "gone")]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"{DUMPS + 1} of {DUMPS + 2} dumps added, 1 NOT ADDED, 1 WITHOUT A RECORD OF MQ: ")
    assert main([*words, str(dumps / "1.dat")]) == 0


def test_many_small_documents_are_brought_together(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw, "_FILE_BYTES", 1 << 40)
    raw.ingest(session(), str(dumps), tmp_path)
    before, tables = rows(tmp_path, "qpst"), RawTables(tmp_path)
    marks = tables.day_marks()
    with tables.writing():
        assert tables.compact(least=2) > 0
    assert len(tables.holdings()) == 1
    assert rows(tmp_path, "qpst") == before
    # Nothing else is due for that.
    assert RawTables(tmp_path).day_marks() == marks
    attempts = {file.attempt for holding in tables.holdings() for file in holding.files}
    assert {path.name for path in (tmp_path / "raw" / "data").iterdir()} == attempts
    assert len(list((tmp_path / "raw" / "_dumps").iterdir())) == 1


def test_tables_by_uri_are_those_of_a_folder(dumps: Path, tmp_path: Path) -> None:
    """Through Hadoop's file system: the same rows, raw and conformed, and nothing is left when a dump is gone."""
    here, there = tmp_path / "here", f"file://{tmp_path}/there"
    raw.ingest(session(), str(dumps), here)
    report = raw.ingest(session(), f"file://{dumps}/[0-5].dat", there)
    assert len(report.added) == 6
    raw.ingest(session(), [f"file://{dumps}"], there)
    assert names(there) == names(here)
    for name in ("qpst", "qjst"):
        plain = [{**row, "source_file": ""} for row in rows(here, name)]
        assert [{**row, "source_file": ""} for row in rows(there, name)] == plain != []
    tables = RawTables(there)
    with tables.writing():
        assert len(tables.remove(lambda dump: True)) == DUMPS
    assert rows(there, "qpst") == []
    assert list((tmp_path / "there" / "raw" / "data").iterdir()) == []


def test_conformed_tables_by_uri(tmp_path: Path) -> None:
    here, there = tmp_path / "here", f"file://{tmp_path}/there"
    for root in (str(here), there):
        for hour in range(2):
            start = MORNING + timedelta(hours=hour)
            write(root, "qlst", interval(start, 60.0, "QM01", **{**numbers("qlst"), "qlstgetl": hour + 1}))
    built = conformed.build(session(), there)
    assert (built.rows["lock"], conformed.build(session(), there)) == (2, conformed.BuildReport((), {}))
    assert conformed.build(session(), here) == built
    far = helper_tables_conformed.rows_of(tmp_path / "there", "lock")
    assert far == helper_tables_conformed.rows_of(here, "lock")
    assert sorted(row.lock_requests for row in conformed.table(session(), there, "lock").collect()) == [1, 2]
    assert Store(there).conformed.queue_managers() == {"QM01"}
    with Store(there).replacing("findings") as fresh:
        (fresh / "mark").write(b"1")
    found = Store(there).current("findings")
    assert found is not None and (found / "mark").read() == b"1"
    tables = RawTables(there)
    with tables.writing():
        tables.remove(lambda dump: True)
    conformed.build(session(), there)
    assert conformed.table(session(), there, "lock").isEmpty()


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("nosuch://bucket/t", "no storage nosuch:"),
        ("s3://bucket/t", "spelled s3a://"),
    ],
)
def test_a_storage_that_spark_does_not_have_is_refused(
    dumps: Path, tmp_path: Path, target: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session()
    with pytest.raises(StorageError, match=told):
        raw.ingest(session(), str(dumps), target)
    assert [path.name for path in tmp_path.iterdir()] == ["dumps"]
