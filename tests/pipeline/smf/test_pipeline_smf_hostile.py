"""Files of every bad kind in one ingest: the job ends well, the good ones are in, and every count adds up."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from helper_smf_encoder import bare, filled, marker, record, spanned
from helper_smf_mutations import mutated, mutated_by_segment
from helper_spark import session

from libremq.pipeline.smf.files import list_files
from libremq.pipeline.smf.spark_source import register
from libremq.pipeline.smf.survey import survey
from libremq.pipeline.tables import raw

MUTATED = 200
VANISHES, CHANGES, GROWS = "t-vanishes", "t-changes", "t-grows"


def tiny(seed: int) -> bytes:
    """A dump of a few records, different for each seed."""
    source = random.Random(seed)
    whole = record(115, 215, {1: [filled("qpst", source)[0] for _ in range(2)]})
    tasks = record(116, 10, {1: [filled("qcst", source)[0]]})
    return marker(2) + spanned(whole, 60, 150) + tasks + whole + marker(3)


def write_files(folder: Path) -> None:
    """Mutated dumps and foreign content, and what is no file at all."""
    for seed in range(MUTATED):
        source = random.Random(seed)
        content = mutated_by_segment(tiny(seed), source)
        if seed % 3 == 0 and len(content) > 100:
            content = mutated(content, source)
        if seed % 10 == 0:
            content = bytes(range(256)) + bare(record(115, 215, {1: [filled("qpst", source)[0]]})) + content
        if seed % 5 == 0:
            packed = bytearray(gzip.compress(content))
            for _ in range(seed % 4):
                packed[source.randrange(2, len(packed))] ^= 1 << source.randrange(8)
            content = bytes(packed) + (b"leftover" if seed % 3 == 0 else b"")
        (folder / f"m{seed:03d}").write_bytes(content)
    foreign = {
        "letter": b"Dear analyst, this is not a dump.\n" * 40,
        "zip": b"PK\x03\x04" + random.Random(1).randbytes(900),
        "parquet": b"PAR1" + bytes(500) + b"PAR1",
        "zeros": bytes(3000),
        "ones": b"\xff" * 3000,
        "one": b"\x00",
        "empty": b"",
        "gzip-of-nothing": gzip.compress(b""),
        "gzip-head": gzip.compress(tiny(1))[:7],
        "gzip-magic": b"\x1f\x8b",
        "gzip-of-gzip": gzip.compress(gzip.compress(tiny(2))),
    }
    for name, content in foreign.items():
        (folder / f"f-{name}").write_bytes(content)
    (folder / "sub" / "deeper").mkdir(parents=True)
    (folder / "sub" / "deeper" / "good").write_bytes(tiny(5001))
    (folder / "sub" / "deeper" / "circle").symlink_to(folder)
    (folder / "circle-of-one").symlink_to(folder / "circle-of-one")
    (folder / "leads-nowhere").symlink_to(folder / "nothing-there")
    (folder / "link-to-good").symlink_to(folder / "sub" / "deeper" / "good")
    os.mkfifo(folder / "pipe")
    for number, name in enumerate((VANISHES, CHANGES, GROWS)):
        (folder / name).write_bytes(tiny(6000 + number))


def meddle(folder: Path, text: str) -> None:
    """Between the look at the files and the reading of them, some change."""
    if text.startswith("decoding"):
        (folder / VANISHES).unlink()
        (folder / CHANGES).write_bytes(tiny(7000))
        os.utime(folder / CHANGES, ns=(1, 1))
        with open(folder / GROWS, "ab") as file:
            file.write(tiny(7001))


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, raw.IngestReport]:
    folder, target = tmp_path_factory.mktemp("dumps"), tmp_path_factory.mktemp("tables")
    write_files(folder)
    report = raw.ingest(session(), str(folder), target, tell=lambda text: meddle(folder, text))
    return folder, target, report


def test_each_file_has_counts_that_add_up(ingested: tuple[Path, Path, raw.IngestReport]) -> None:
    folder, target, report = ingested
    assert len(report.dumps) == MUTATED + 11 + 2 + 3
    quarantined: dict[str, int] = {}
    for row in raw.read(session(), target, "quarantine").toArrow().to_pylist():
        quarantined[row["source_file"]] = quarantined.get(row["source_file"], 0) + 1
        assert row["reason"] and row["source_offset"] >= 0 and row["length"] >= 0
    counted: dict[str, dict[str, int]] = {}
    for row in raw.read(session(), target, "counts").toArrow().to_pylist():
        fates = counted.setdefault(row["source_file"], {})
        fates[row["outcome"]] = fates.get(row["outcome"], 0) + row["records"]
    for dump in report.added:
        fates = counted[dump.path]
        assert dump.records_in == sum(fates.values()) >= 1, dump.path
        for fate in ("decoded", "skipped", "quarantined"):
            assert getattr(dump, f"records_{fate}") == fates.get(fate, 0), dump.path
        assert quarantined.get(dump.path, 0) == dump.records_quarantined, dump.path
    by_name = {os.path.relpath(dump.path, folder): dump for dump in report.dumps}
    for name in ("f-letter", "f-zip", "f-parquet", "f-zeros", "f-ones", "f-one", "f-gzip-head", "f-gzip-of-gzip"):
        assert (by_name[name].added, by_name[name].records_decoded) == (True, 0), name
        assert by_name[name].records_quarantined >= 1, name
    assert by_name["sub/deeper/good"].added != by_name["link-to-good"].added
    assert sum(dump.records_decoded for dump in report.added) > MUTATED


def test_a_file_that_changes_meanwhile_is_left_out_and_said_so(
    ingested: tuple[Path, Path, raw.IngestReport],
) -> None:
    folder, target, report = ingested
    problems = {Path(dump.path).name: dump.problem for dump in report.failed}
    assert set(problems) == {VANISHES, CHANGES, GROWS}
    assert "No such file" in problems[VANISHES]
    assert all("changed while it was read" in problems[name] for name in (CHANGES, GROWS))
    assert not any(dump.added for dump in report.failed)
    known = {Path(dump.path).name for dump in raw.dumps(target)}
    assert not known & set(problems)
    again = raw.ingest(session(), [str(folder / CHANGES), str(folder / GROWS)], target)
    assert [(dump.added, dump.records_quarantined) for dump in again.dumps] == [(True, 0), (True, 0)]


def test_what_is_no_ordinary_file_is_refused_without_waiting(
    ingested: tuple[Path, Path, raw.IngestReport], tmp_path: Path
) -> None:
    folder, _, _ = ingested
    for name, reason in (
        ("pipe", "not a file but a pipe"),
        ("circle-of-one", "symbolic links"),
        ("leads-nowhere", "No such file"),
    ):
        [path] = list_files(str(folder / name))
        assert reason in survey(path, 1000).problem
        [done] = raw.ingest(session(), str(folder / name), tmp_path).dumps
        assert not done.added
        assert reason in done.problem
    with pytest.raises(FileNotFoundError, match="no dump at"):
        raw.ingest(session(), str(folder / "nothing"), tmp_path)


def test_the_source_tells_in_quarantine_what_it_cannot_read(ingested: tuple[Path, Path, raw.IngestReport]) -> None:
    folder, _, _ = ingested
    register(session())
    frame = session().read.format("mqsmf").option("structure", "quarantine").load(str(folder / "pipe"))
    rows: list[dict[str, Any]] = frame.toArrow().to_pylist()
    assert [(row["source_offset"], row["reason"][:15]) for row in rows] == [(0, "cannot be read:")]
