"""Mutated dumps: never an exception, never a hang, and every byte of a record has one fate.

Seeded: a failure names the seed that makes it again. Most cases go through framing and decoding in memory, fewer
through files, pieces and the writer, and many files through one ingest in Spark (test_pipeline_smf_hostile.py).
"""

from __future__ import annotations

import gzip
import io
import random
import struct
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from helper_smf_encoder import bare, filled, marker, record
from helper_smf_mutations import mutated, mutated_by_segment
from helper_smf_spark import dump

from libremq.pipeline.smf import framing
from libremq.pipeline.smf.decode import decode, plain
from libremq.pipeline.smf.files import Piece, read_piece
from libremq.pipeline.smf.framing import Damage, Form, chunks
from libremq.pipeline.smf.smf_columns import TextDecoder
from libremq.pipeline.smf.survey import survey
from libremq.pipeline.tables.raw import write_piece

TEXT = TextDecoder()


def bare_dump(seed: int) -> bytes:
    source = random.Random(seed)
    parts = [marker(2)]
    for number in range(30):
        name, kind, subtype = [("qpst", 115, 215), ("qcst", 116, 10), ("qis1", 115, 201)][number % 3]
        parts.append(record(kind, subtype, {1: [filled(name, source)[0] for _ in range(source.randrange(1, 5))]}))
    return b"".join(map(bare, [*parts, marker(3)]))


@cache
def small(seed: int, form: Form) -> bytes:
    return dump(seed, 5) if form == "rdw" else bare_dump(seed)[:4000]


def in_memory(data: bytes, form: Form) -> None:
    """Decode without a file and check that everything is accounted for, once."""
    covered = 0
    for chunk in chunks(io.BytesIO(data), form, block_bytes=70_000):
        result = decode(chunk, "dump", TEXT, grouped=True)
        assert sum(result.counts.values()) == len(chunk.starts) + len(chunk.damage)
        bad = sum(n for (_, _, outcome, _), n in result.counts.items() if outcome == "quarantined")
        assert bad == len(result.quarantine)
        assert {outcome for _, _, outcome, _ in result.counts} <= {"decoded", "skipped", "quarantined"}
        for name, batch in result.batches.items():
            batch.validate()
            assert result.bounds[name][-1] == batch.num_rows
        covered += int(chunk.lengths.sum()) + sum(damage.length for damage in chunk.damage)
        covered -= 4 * len(chunk.starts) if form == "bare" else 0
    # The words of joined segments are in no record; all else is in exactly one record or damage.
    assert covered <= len(data)
    if form == "bare":
        assert covered == len(data)


@pytest.mark.parametrize("block", range(25))
def test_thousands_of_mutations_in_memory(block: int) -> None:
    for seed in range(block * 80, block * 80 + 80):
        source = random.Random(seed)
        form: Form = "bare" if seed % 4 == 0 else "rdw"
        content = small(seed % 3, form)
        if form == "rdw" and seed % 2:
            content = mutated_by_segment(content, source)
        for _ in range(source.randrange(0 if form == "rdw" and seed % 2 else 1, 3)):
            content = mutated(content, source) if len(content) > 1000 else content
        wrong_form: Form = "rdw" if form == "bare" else "bare"
        in_memory(content, wrong_form if seed % 7 == 0 else form)


@pytest.mark.parametrize("form", ["rdw", "bare"])
def test_a_dump_cut_off_anywhere(form: Form) -> None:
    content = small(1, form)
    for end in [*range(60), *range(60, len(content), 397)]:
        in_memory(content[:end], form)
        in_memory(content[end:], form)


def test_a_block_of_tiny_segments_is_walked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most that is held at a time is bounded, whatever the file is made of."""
    monkeypatch.setattr(framing, "RECORDS_MAX", 50)
    tiny = struct.pack(">HBBB", 5, 0, 0, 0)
    for code in (0, 1, 2, 3):
        content = (tiny[:2] + bytes([code]) + tiny[3:]) * 500 + dump(1, 5)
        parts = list(chunks(io.BytesIO(content), "rdw"))
        assert max(len(chunk.starts) + len(chunk.damage) for chunk in parts) <= 52
        assert sum(len(chunk.starts) + len(chunk.damage) for chunk in parts) == 507
        in_memory(content, "rdw")
    in_memory(bare_dump(1), "bare")


@pytest.mark.parametrize("seed", range(40))
def test_a_survey_in_stretches_cuts_where_one_walk_would(tmp_path: Path, seed: int) -> None:
    """Shared among workers or not, damaged or not: the same records and damage, each exactly once."""
    source = random.Random(seed)
    content = dump(seed % 5, 25) if seed % 3 else bare_dump(seed % 5)
    for _ in range(seed % 4):
        content = mutated(content, source) if source.random() < 0.5 else mutated_by_segment(content, source)
    path = tmp_path / "dump"
    path.write_bytes(content)
    whole = survey(str(path), 1 << 30)
    shared = survey(str(path), 5000, stretch_bytes=source.choice([3000, 7001, 20_000]))

    def found(pieces: tuple[Piece, ...]) -> tuple[list[int], list[Damage]]:
        every = [chunk for piece in pieces for chunk in read_piece(piece)]
        places = [place for chunk in every for place in chunk.offsets.tolist()]
        return sorted(places), sorted(damage for chunk in every for damage in chunk.damage)

    assert found(shared.pieces) == found(whole.pieces)
    assert len(shared.pieces) > 2 or seed % 4


def fate(path: Path) -> tuple[int, int, int, set[tuple[int, int]]]:
    """Decode a file, in pieces, and check each batch; records in, rows, quarantined, and the damage found."""
    records = rows = quarantined = 0
    damage: set[tuple[int, int]] = set()
    for piece in survey(str(path), 20_000).pieces:
        for chunk in read_piece(piece, block_bytes=70_000):
            result = decode(chunk, str(path), TEXT, grouped=True)
            assert sum(result.counts.values()) == len(chunk.starts) + len(chunk.damage)
            bad = sum(n for (_, _, outcome, _), n in result.counts.items() if outcome == "quarantined")
            assert bad == len(result.quarantine)
            for name, batch in result.batches.items():
                plain(batch, name).validate(full=True)
                assert result.bounds[name][0] == 0
                assert result.bounds[name][-1] == batch.num_rows
                rows += batch.num_rows
            records += len(chunk.starts) + len(chunk.damage)
            quarantined += bad
            damage.update((place, length) for place, length, _ in chunk.damage)
    return records, rows, quarantined, damage


@pytest.mark.parametrize("seed", range(60))
def test_a_mutated_dump_is_decoded_or_quarantined(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    original = dump(seed % 5, 25) if seed % 3 else bare_dump(seed % 5)
    path = tmp_path / "dump"
    path.write_bytes(mutated(original, source))
    _, _, _, damage = fate(path)
    size = path.stat().st_size
    assert all(place >= 0 and place + length <= size for place, length in damage)
    spans = sorted(damage)
    assert all(place + length <= following for (place, length), (following, _) in pairwise(spans))


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_quarantined(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "noise"
    path.write_bytes(random.Random(seed).randbytes(50_000))
    records, rows, quarantined, _ = fate(path)
    assert rows == 0
    assert 1 <= quarantined <= records


@pytest.mark.parametrize("seed", range(20))
def test_a_mutated_archive_is_quarantined(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    content = bytearray(gzip.compress(dump(1, 25)))
    for _ in range(5):
        content[source.randrange(2, len(content))] ^= 1 << source.randrange(8)
    path = tmp_path / "dump.gz"
    path.write_bytes(content)
    found = list(read_piece(Piece(str(path), "rdw")))
    assert sum(len(chunk.damage) for chunk in found) >= 1 or sum(len(chunk.starts) for chunk in found) == 27


@pytest.mark.parametrize("seed", range(6))
def test_mutated_dumps_are_written_with_counts_that_add_up(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    path = tmp_path / "dump"
    content = dump(seed, 25)
    for _ in range(4):
        content = mutated(content, source)
    path.write_bytes(content)
    outcome = write_piece("f" * 64, Piece(str(path), "rdw"), str(tmp_path / "raw"))
    records, rows, quarantined, _ = fate(path)
    assert sum(outcome.counts["f" * 64].values()) == records
    assert sum(outcome.rows["f" * 64].values()) == rows
    assert sum(file.rows for file in outcome.files if file.table != "quarantine") == rows
    assert sum(file.rows for file in outcome.files if file.table == "quarantine") == quarantined


def test_sections_that_overlap_do_not_multiply_without_bound() -> None:
    """The most rows that one record can claim are bounded by its own length."""
    whole = bytearray(record(115, 215, {1: [filled("qpst", random.Random(1))[0]] * 250}))
    whole[40:42] = b"\x00\x01"
    whole[42:44] = b"\x60\x00"
    [chunk] = chunks(io.BytesIO(bytes(whole)), "rdw")
    assert decode(chunk, "dump", TEXT).quarantine[0][2] == "a section shorter than its structure"
