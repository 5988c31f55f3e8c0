"""Code pages with one and two bytes a character: shifts, halves of characters, cuts; and the tables against iconv."""

from __future__ import annotations

import codecs
import random
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import helper_double_byte
import pytest

from libremq.common import ebcdic_pages
from libremq.common.ccsid import codec
from libremq.common.ebcdic_pages import DOUBLE_BYTE, UNDEFINED, cut, page

_SAMPLES = {930: "日本語ABC", 933: "한국어abc", 935: "简体中文abc", 937: "繁體中文abc"}


def sample(ccsid: int) -> str:
    for text in _SAMPLES.values():
        try:
            page(ccsid).encode(text)
            return text
        except UnicodeEncodeError:
            continue
    raise AssertionError(ccsid)


@pytest.mark.parametrize("ccsid", DOUBLE_BYTE)
def test_every_character_of_a_page_comes_back(ccsid: int) -> None:
    """Also those of two: in one text, so that runs begin and end as they come."""
    found = page(ccsid)
    texts = [text for text in found._plane if text != UNDEFINED] + [
        text for text in found._single if text != UNDEFINED and text not in "\x0e\x0f"
    ]
    random.Random(ccsid).shuffle(texts)
    # A letter and a mark that follow each other by chance may be one character of the page: they mean the same
    whole = "".join(texts)
    assert found.decode(found.encode(whole))[0] == whole


@pytest.mark.parametrize("ccsid", DOUBLE_BYTE)
def test_a_text_in_pieces_is_the_same_text(ccsid: int) -> None:
    text = f"1 {sample(ccsid)} 2 {sample(ccsid)}"
    data = text.encode(f"ccsid{ccsid}")
    for size in (1, 2, 3, 7):
        decoder = codecs.getincrementaldecoder(f"ccsid{ccsid}")()
        pieces = [decoder.decode(data[at : at + size]) for at in range(0, len(data), size)]
        assert "".join(pieces) + decoder.decode(b"", True) == text


def instructions(call: Callable[[], object]) -> int:
    """How many of the interpreter it takes."""
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("ccsid", DOUBLE_BYTE)
def test_a_long_text_takes_no_step_for_each_character(ccsid: int) -> None:
    """A get that converts holds up everybody: 4 MB took two seconds."""
    found, few, many = page(ccsid), sample(ccsid) * 10, sample(ccsid) * 1000
    few_bytes, many_bytes = (
        (few + few.replace("b", "")).encode(f"ccsid{ccsid}"),
        (many + many[::-1]).encode(f"ccsid{ccsid}"),
    )
    assert instructions(lambda: found.encode(many)) < 2 * instructions(lambda: found.encode(few))
    runs = many_bytes.count(b"\x0e")
    assert instructions(lambda: found.decode(many_bytes)) < instructions(lambda: found.decode(few_bytes)) + 20 * runs
    assert instructions(lambda: cut(many_bytes, len(many_bytes) - 1)) < 100


@pytest.mark.parametrize("ccsid", DOUBLE_BYTE)
def test_whatever_comes_is_as_if_taken_character_by_character(ccsid: int) -> None:
    drawn, found = random.Random(ccsid), page(ccsid)
    characters = [*found._codes, "\x0e", "\x0f", "☺", "\U0001f600"]

    def decoded(decode: Callable[..., object], *given: object) -> object:
        try:
            return decode(*given)
        except UnicodeDecodeError as error:
            return error.start, error.end

    for _ in range(500):
        pieces = (b"\x0e", b"\x0f", b"A", drawn.randbytes(1), drawn.randbytes(2), b"\x45\x62", b"\x0e\x45\x62\x0f")
        data = b"".join(drawn.choices(pieces, k=drawn.randrange(12)))
        for errors in ("strict", "replace", "ignore"):
            for double in (False, True):
                quick = decoded(partial(found.decode, double=double), data, errors)
                assert quick == decoded(found._decode_by_character, data, errors, double)
        text = "".join(drawn.choices(characters, k=drawn.randrange(8)))
        assert found.encode(text, "mq-sub-ebcdic") == encoded_by_character(found, text)
        data = found.encode(text.translate({0x0E: None, 0x0F: None}), "ignore")
        for length in range(len(data)):
            assert cut(data, length) == cut_by_character(data, length)


def encoded_by_character(found: ebcdic_pages.DoubleBytePage, text: str) -> bytes:
    made, at, double = b"", 0, False
    while at < len(text):
        taken = text[at : at + 2] if text[at : at + 2] in found._codes else text[at]
        code = found._codes.get(taken, b"\x3f").strip(b"\x0e\x0f") or taken.encode()
        if (len(code) == 2) != double:
            double = not double
            made += b"\x0e" if double else b"\x0f"
        made, at = made + code, at + len(taken)
    return made + b"\x0f" * double


def cut_by_character(data: bytes, length: int) -> bytes:
    made = at = 0
    double = False
    while at < length:
        shift = data[at] in b"\x0e\x0f"
        double, step = (data[at] == 0x0E, 1) if shift else (double, 1 + double)
        if at + step + double <= length:
            made = at + step
        at += step
    open_run = data.rfind(b"\x0e", 0, made) > data.rfind(b"\x0f", 0, made)
    return data[:made] + b"\x0f" * open_run


def test_runs_are_closed_and_begun_once() -> None:
    found = page(939)
    assert found.encode("日本") == b"\x0e\x45\x62\x45\x66\x0f"
    assert found.encode("a日b") == b"\x81\x0e\x45\x62\x0f\x82"
    assert found.encode("日☺日", "mq-sub-ebcdic") == b"\x0e\x45\x62\x0f\x3f\x0e\x45\x62\x0f"
    with pytest.raises(UnicodeEncodeError):
        found.encode("☺")


def test_broken_bytes_are_refused_or_replaced() -> None:
    for broken in (b"\x0e\x45", b"\x0e\xff\xff\x0f", b"\x0e\x40\x41\x0f", b"\x0e\x00\x00\x0f"):
        with pytest.raises(UnicodeDecodeError):
            broken.decode("ccsid939")
        assert "\ufffd" in broken.decode("ccsid939", "replace")
    assert b"\x0e\x45\x62".decode("ccsid939") == "日"  # a run that nobody closed


@pytest.mark.parametrize("ccsid", DOUBLE_BYTE)
def test_what_is_cut_can_be_read_and_is_as_much_as_fits(ccsid: int) -> None:
    text = f"ab{sample(ccsid)}c{sample(ccsid)}"
    data = text.encode(f"ccsid{ccsid}")
    for length in range(len(data) + 2):
        short = cut(data, length)
        assert len(short) <= length
        assert text.startswith(short.decode(f"ccsid{ccsid}"))
        assert short.count(b"\x0e") == short.count(b"\x0f")
        assert length - len(short) <= 4 or length > len(data)


def test_the_file_says_what_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ebcdic_pages.FILE).write_bytes(b"something else")
    monkeypatch.setattr(ebcdic_pages, "files", lambda name: tmp_path)
    ebcdic_pages._tables.cache_clear()
    try:
        with pytest.raises(LookupError, match="not a table of code pages"):
            ebcdic_pages.single_byte_characters(290)
    finally:
        ebcdic_pages._tables.cache_clear()


@pytest.mark.skipif(shutil.which("iconv") is None, reason="there is no iconv to compare with")
@pytest.mark.parametrize("ccsid", DOUBLE_BYTE)
def test_iconv_says_the_same(ccsid: int) -> None:
    text = sample(ccsid)
    found = codec(ccsid)
    assert found is not None
    known = helper_double_byte.iconv(text.encode("utf-8"), "UTF-8", f"IBM{ccsid}")
    if not known:
        pytest.skip(f"this iconv has no IBM{ccsid}")
    assert found.encode(text) == known
