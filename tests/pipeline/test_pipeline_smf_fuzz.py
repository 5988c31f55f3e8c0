"""Mutated dumps: never an exception, never a hang, and every byte of a record has one fate."""

from __future__ import annotations

import gzip
import random
from itertools import pairwise
from pathlib import Path

import pytest
from helper_smf_encoder import bare, filled, marker, record
from helper_smf_spark import dump

from libremq.pipeline.smf.columns import TextDecoder
from libremq.pipeline.smf.decode import decode, plain
from libremq.pipeline.smf.files import Piece, read_piece, survey
from libremq.pipeline.tables.raw import write_piece

TEXT = TextDecoder()


def bare_dump(seed: int) -> bytes:
    source = random.Random(seed)
    parts = [marker(2)]
    for number in range(30):
        name, kind, subtype = [("qpst", 115, 215), ("qcst", 116, 10), ("qis1", 115, 201)][number % 3]
        parts.append(record(kind, subtype, {1: [filled(name, source)[0] for _ in range(source.randrange(1, 5))]}))
    return b"".join(map(bare, [*parts, marker(3)]))


def mutated(data: bytes, source: random.Random) -> bytes:
    """One of the ways in which a dump gets hurt."""
    content = bytearray(data)
    match source.randrange(7):
        case 0:
            for _ in range(source.randrange(1, 40)):
                content[source.randrange(len(content))] = source.randrange(256)
        case 1:
            del content[source.randrange(len(content)) :]
        case 2:
            place = source.randrange(len(content))
            del content[place : place + source.randrange(1, 500)]
        case 3:
            place = source.randrange(len(content))
            content[place:place] = source.randbytes(source.randrange(1, 500))
        case 4:
            place = source.randrange(len(content))
            content[place : place + 200] = bytes([source.choice([0, 255])]) * 200
        case 5:
            # Lengths and counts that lie: large numbers where numbers are.
            for _ in range(20):
                place = source.randrange(len(content) - 2) & ~1
                content[place : place + 2] = source.choice([b"\xff\xff", b"\x00\x00", b"\x7f\xff", b"\x00\x01"])
        case _:
            place, other = sorted(source.randrange(len(content)) for _ in range(2))
            content = content[other:] + content[place:other] + content[:place]
    return bytes(content)


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


@pytest.mark.parametrize("seed", range(120))
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
    outcome = write_piece("f" * 64, 0, Piece(str(path), "rdw"), str(tmp_path / "raw"), "cp037")
    records, rows, quarantined, _ = fate(path)
    assert sum(count[-1] for count in outcome["counts"]) == records
    assert sum(n for name, n in outcome["rows"].items() if name != "quarantine") == rows
    assert outcome["rows"].get("quarantine", 0) == quarantined


def test_sections_that_overlap_do_not_multiply_without_bound() -> None:
    """The most rows that one record can claim are bounded by its own length."""
    import io

    from libremq.pipeline.smf.framing import chunks

    whole = bytearray(record(115, 215, {1: [filled("qpst", random.Random(1))[0]] * 250}))
    whole[40:42] = b"\x00\x01"
    whole[42:44] = b"\x60\x00"
    [chunk] = chunks(io.BytesIO(bytes(whole)), "rdw")
    assert decode(chunk, "dump", TEXT).quarantine[0][2] == "a section shorter than its structure"
