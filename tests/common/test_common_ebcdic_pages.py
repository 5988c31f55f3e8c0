"""Code pages with one and two bytes a character: shifts, halves of characters, cuts; and the tables against iconv."""

from __future__ import annotations

import codecs
import random
import shutil
from pathlib import Path

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
