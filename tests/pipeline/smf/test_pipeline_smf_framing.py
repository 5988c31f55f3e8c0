"""Records out of bytes: whole, spanned, without descriptor words, damaged; and in pieces as in one."""

from __future__ import annotations

import gzip
import io
import random
import struct
from pathlib import Path

import pytest
from helper_smf_encoder import Header, bare, filled, marker, record, spanned

from libremq.pipeline.smf.files import Piece, list_files, read_piece
from libremq.pipeline.smf.framing import JOINED_BYTES_MAX, Form, chunks, form_of
from libremq.pipeline.smf.survey import survey

Found = list[tuple[int, bytes]]
Bad = list[tuple[int, int, str]]


def cut(data: bytes, form: Form = "rdw", block_bytes: int = 1 << 20) -> tuple[Found, Bad]:
    found: Found = []
    bad: Bad = []
    for chunk in chunks(io.BytesIO(data), form, block_bytes=block_bytes):
        for start, length, offset in zip(chunk.starts.tolist(), chunk.lengths.tolist(), chunk.offsets.tolist()):
            found.append((offset, chunk.data[start : start + length].tobytes()))
        bad.extend(tuple(damage) for damage in chunk.damage)  # type: ignore[misc]
    return found, bad


def pool(seed: int = 1, pools: int = 3, **header: object) -> bytes:
    source = random.Random(seed)
    return record(115, 215, {1: [filled("qpst", source)[0] for _ in range(pools)]}, Header(**header))  # type: ignore[arg-type]


def test_whole_records_are_found_where_they_are() -> None:
    first, second = marker(2), pool()
    found, bad = cut(first + second + marker(3))
    assert [offset for offset, _ in found] == [0, 18, 18 + len(second)]
    assert found[1][1] == second
    assert bad == []


@pytest.mark.parametrize("cuts", [(60,), (20, 30), (112, 200, 300), (5,)])
def test_segments_are_joined_as_if_never_cut(cuts: tuple[int, ...]) -> None:
    whole = pool()
    found, bad = cut(marker(2) + spanned(whole, *cuts) + pool(2))
    assert found[1][0] == 18
    assert found[1][1][4:] == whole[4:]
    assert found[2][1] == pool(2)
    assert bad == []


@pytest.mark.parametrize("block_bytes", [64, 257, 1000, 4096])
def test_blocks_of_any_size_give_the_same_records(block_bytes: int) -> None:
    data = marker(2) + b"".join(spanned(pool(n), 90, 200) if n % 3 else pool(n) for n in range(20)) + marker(3)
    damaged = data[:700] + b"\xff" * 33 + data[733:]
    for content in (data, damaged):
        assert cut(content, block_bytes=block_bytes) == cut(content)


def test_bare_records_are_measured_by_their_triplets() -> None:
    records = [marker(2), pool(1), record(115, 1, {9: [filled("qsst", random.Random(3))[0]]}, triplets=12), marker(3)]
    data = b"".join(bare(each) for each in records)
    assert form_of(data[:64]) == "bare"
    found, bad = cut(data, "bare")
    assert [each[4:] for _, each in found] == [each[4:] for each in records]
    assert [offset for offset, _ in found] == [0, 14, 14 + len(records[1]) - 4, len(data) - 14]
    assert bad == []


def test_the_form_is_told_from_the_opening() -> None:
    assert form_of((marker(2) + pool())[:64]) == "rdw"
    assert form_of(pool()[:64]) == "rdw"
    assert form_of(spanned(pool(), 30)[:64]) == "rdw"
    assert form_of(bare(pool())[:64]) == "bare"
    assert form_of(b"") == "rdw"


def test_a_patch_of_damage_costs_only_what_it_covers() -> None:
    records = [pool(n) for n in range(6)]
    data = bytearray(b"".join(records))
    place = sum(map(len, records[:2]))
    data[place : place + 6] = b"\xff" * 6
    found, bad = cut(bytes(data))
    assert [each for _, each in found] == [*records[:2], *records[3:]]
    assert bad == [(place, len(records[2]), "no record descriptor word")]


def test_a_length_that_lies_long_does_not_swallow_the_rest() -> None:
    records = [pool(n) for n in range(6)]
    data = bytearray(b"".join(records))
    data[0:2] = struct.pack(">H", len(records[0]) + 40)
    found, bad = cut(bytes(data))
    assert [each for _, each in found][1:] == records[2:]
    assert sum(length for _, length, _ in bad) == len(records[1]) - 40


def test_a_truncated_file_says_so() -> None:
    data = pool(1) + pool(2)
    found, bad = cut(data[:-10])
    assert len(found) == 1
    assert bad == [(len(pool(1)), len(pool(2)) - 10, "cut off, or a length that is too large")]


@pytest.mark.parametrize(
    ("segments", "reasons"),
    [
        ((1, 0), ["a first segment without its last"]),
        ((1, 3, 1, 2), ["a first segment without its last"]),
        ((2, 0), ["a segment without its first"]),
        ((3, 2, 0), ["a segment without its first", "a segment without its first"]),
        ((0, 1, 3), ["a first segment without its last"]),
    ],
)
def test_segments_out_of_order_are_damage(segments: tuple[int, ...], reasons: list[str]) -> None:
    data = b"".join(struct.pack(">HBB", 40, code, 0) + bytes(36) for code in segments)
    found, bad = cut(data)
    assert [reason for _, _, reason in bad] == reasons
    assert len(found) == segments.count(0) + (segments[-2:] == (1, 2))


def test_segments_that_never_end_are_given_up() -> None:
    segment = struct.pack(">HBB", 60004, 3, 0) + bytes(60000)
    data = struct.pack(">HBB", 40, 1, 0) + bytes(36) + segment * 8 + pool()
    found, bad = cut(data, block_bytes=100_000)
    assert [each for _, each in found] == [pool()]
    assert bad[0][2] == "joined segments longer than any record"
    assert bad[0][1] < JOINED_BYTES_MAX + 2 * len(segment)


@pytest.mark.parametrize("content", [b"hello world, this is no dump\n" * 400, bytes(5000), b"\xff" * 5000, b"ab"])
def test_a_foreign_file_is_one_piece_of_damage(content: bytes) -> None:
    found, bad = cut(content)
    assert found == []
    assert [(offset, length) for offset, length, _ in bad] == [(0, len(content))]


@pytest.mark.parametrize("form", ["rdw", "bare"])
@pytest.mark.parametrize("piece_bytes", [500, 3000, 20_000])
def test_pieces_give_what_the_whole_file_gives(tmp_path: Path, form: Form, piece_bytes: int) -> None:
    source = random.Random(7)
    records = [pool(n, source.randrange(1, 9)) for n in range(80)]
    if form == "bare":
        data = b"".join(map(bare, records))
    else:
        data = b"".join(spanned(each, 50, 120) if source.random() < 0.4 else each for each in records)
        data = data[:9000] + source.randbytes(300) + data[9300:]
    path = tmp_path / "dump"
    path.write_bytes(data)
    look = survey(str(path), piece_bytes)
    assert len(look.pieces) > 1
    assert look.pieces[0].form == form
    whole, bad = cut(data, form)
    parts: Found = []
    damage: Bad = []
    for piece in look.pieces:
        for chunk in read_piece(piece, block_bytes=2000):
            rows = zip(chunk.starts.tolist(), chunk.lengths.tolist(), chunk.offsets.tolist())
            parts.extend((offset, chunk.data[start : start + length].tobytes()) for start, length, offset in rows)
            damage.extend(tuple(each) for each in chunk.damage)  # type: ignore[misc]
    # Without descriptor words the four bytes in front belong to nobody.
    unseen = 4 if form == "bare" else 0
    assert [(offset, each[unseen:]) for offset, each in parts] == [(offset, each[unseen:]) for offset, each in whole]
    assert damage == bad


def test_gzip_is_known_by_its_content_and_has_the_digest_of_what_is_inside(tmp_path: Path) -> None:
    data = marker(2) + pool()
    (tmp_path / "plain").write_bytes(data)
    (tmp_path / "packed").write_bytes(gzip.compress(data))
    plain = survey(str(tmp_path / "plain"), 1 << 20)
    packed = survey(str(tmp_path / "packed"), 1 << 20)
    assert plain.digest == packed.digest != ""
    assert sum(len(chunk.starts) for chunk in read_piece(packed.pieces[0])) == 2


def test_a_broken_archive_gives_what_was_readable_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "dump.gz"
    path.write_bytes(gzip.compress(b"".join(pool(n) for n in range(50)))[:-400])
    found = list(read_piece(Piece(str(path), "rdw")))
    assert sum(len(chunk.starts) for chunk in found) > 10
    assert any("gzip archive is damaged" in damage.reason for chunk in found for damage in chunk.damage)


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    [chunk] = read_piece(Piece(str(path), "rdw"))
    assert chunk.damage == [(0, 0, "empty file")]


def test_paths_are_files_folders_and_patterns(tmp_path: Path) -> None:
    for name in ("b.dat", "a.dat", ".hidden", "sub/c.dat", "_staging/d.dat"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    names = [Path(path).name for path in list_files(str(tmp_path))]
    assert names == ["a.dat", "b.dat", "c.dat"]
    assert [Path(path).name for path in list_files([str(tmp_path / "?.dat"), str(tmp_path / "a.dat")])] == names[:2]
    with pytest.raises(FileNotFoundError, match=r"no dump at .*nothing"):
        list_files(str(tmp_path / "nothing*"))
