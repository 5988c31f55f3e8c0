"""Dumps with block descriptor words: known from their first bytes, and read as if they had none."""

from __future__ import annotations

import gzip
import random
import struct
from pathlib import Path

import pytest
from helper_smf_encoder import marker, record, spanned
from helper_smf_spark import dump

from libremq.pipeline.smf.blocks import Deblocked, is_whole_block
from libremq.pipeline.smf.files import DumpStream, Piece, read_piece
from libremq.pipeline.smf.framing import form_of
from libremq.pipeline.smf.survey import survey


def segments(content: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(content):
        (length,) = struct.unpack_from(">H", content, at)
        found.append(content[at : at + length])
        at += length
    return found


def blocked(content: bytes, block_bytes: int = 4000, *, extended: bool = False) -> bytes:
    """The segments of a dump in blocks, each with its word."""
    parts: list[bytes] = []
    together = b""
    for segment in [*segments(content), b""]:
        if together and (not segment or len(together) + len(segment) > block_bytes):
            length = len(together) + 4
            parts.append(struct.pack(">I", 0x8000_0000 | length if extended else length << 16) + together)
            together = b""
        together += segment
    return b"".join(parts)


def offsets(path: Path, form: str) -> list[tuple[int, int]]:
    return [
        (int(place), int(length))
        for chunk in read_piece(Piece(str(path), form), block_bytes=5000)  # type: ignore[arg-type]
        for place, length in zip(chunk.offsets, chunk.lengths)
    ]


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_a_blocked_dump_is_the_same_dump(tmp_path: Path, extended: bool, packed: bool) -> None:
    content = dump(4, 40)
    plain, with_words = tmp_path / "plain", tmp_path / "blocked"
    plain.write_bytes(content)
    whole = blocked(content, extended=extended)
    with_words.write_bytes(gzip.compress(whole) if packed else whole)
    assert form_of(whole[:64]) == "blocked"
    look = survey(str(with_words), 1000)
    assert [piece.form for piece in look.pieces] == ["blocked"]
    # The same content under another wrapping: it does not come in twice.
    assert look.digest == survey(str(plain), 1000).digest
    assert offsets(with_words, "blocked") == offsets(plain, "rdw") != []
    with DumpStream(str(with_words)) as stream:
        assert stream.read(1 << 20) == content


def test_dumps_without_block_words_are_not_taken_for_blocked() -> None:
    for content in (dump(1), marker(2) + record(115, 1, {}), spanned(record(115, 1, {}), 20)):
        assert form_of(content[:64]) == "rdw"
        assert not is_whole_block(content, 0)


def test_a_damaged_block_word_costs_what_is_behind_it_and_no_more(tmp_path: Path) -> None:
    whole = bytearray(blocked(dump(6, 60), 2000))
    (first,) = struct.unpack_from(">H", whole, 0)
    (second,) = struct.unpack_from(">H", whole, first)
    whole[first : first + 4] = b"\xff\xff\xff\xff"
    path = tmp_path / "dump"
    path.write_bytes(whole)
    found = offsets(path, "blocked")
    assert len(found) > 40
    damage = [each for chunk in read_piece(Piece(str(path), "blocked")) for each in chunk.damage]
    assert 1 <= len(damage) <= 2
    assert sum(each.length for each in damage) <= second


@pytest.mark.parametrize("seed", range(20))
def test_whatever_the_bytes_are_they_come_out_once(seed: int) -> None:
    """Nothing is read twice or for ever, and nothing is left out but the words of blocks."""
    source = random.Random(seed)
    whole = bytearray(blocked(dump(seed, 10), 500))
    for _ in range(source.randrange(6)):
        whole[source.randrange(len(whole))] = source.randrange(256)
    cut = bytes(whole[: source.randrange(len(whole))])
    at = 0

    def read(size: int) -> bytes:
        nonlocal at
        part = cut[at : at + source.randrange(1, 700)]
        at += len(part)
        return part

    stream, out = Deblocked(read), b""
    while part := stream.read(source.randrange(1, 300)):
        out += part
    assert len(cut) - 4 * (len(cut) // 8 + 1) <= len(out) <= len(cut)
    assert out[-8:] == cut[-8:] or len(cut) < 16
