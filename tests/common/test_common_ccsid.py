"""CCSIDs against bytes known from the published code pages, and against what every code page must keep."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helper_rows import over_rows
from libremq.common.ccsid import Codec, Kind, characters_of, codec, known_ccsids

SINGLE_BYTE = [ccsid for ccsid in known_ccsids() if (found := codec(ccsid)) and found.single_byte]
EBCDIC = [ccsid for ccsid in SINGLE_BYTE if (found := codec(ccsid)) and found.kind is Kind.EBCDIC]
LATIN_1_EBCDIC = (37, 273, 277, 278, 280, 284, 285, 297, 500, 871, 1047)
QUEUE_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/% "


def codec_of(ccsid: int) -> Codec:
    found = codec(ccsid)
    assert found is not None, ccsid
    return found


@pytest.mark.parametrize(
    ("ccsid", "text", "expected"),
    [
        (37, "Hello, World", "c8859393966b40e696999384"),
        (37, "[]!|^", "babb5a4fb0"),
        (500, "[]!|^", "4a5a4fbb5f"),
        (1047, "[]!|^", "adbd5a4f5f"),
        (273, "äöüÄÖÜß@[", "c06ad04ae05aa1b563"),
        (277, "#Åæøå@", "4a5bc06ad080"),
        (278, "ÅÄÖåäö\\É", "5b7b7cd0c06a71e0"),
        (280, "àèé£°", "c0d05a7b4a"),
        (284, "ñÑ#", "6a7b69"),
        (285, "£$", "5b4a"),
        (297, "àéçù£", "7cc0e06a7b"),
        (871, "ÞþÐðÆæ", "4ac07c795ad0"),
        (870, "łŁčČ", "9aba4767"),
        (1025, "Привет", "dcaa8faf8bac"),
        (1026, "ĞğİŞş", "5ad05b7c6a"),
        (1140, "€", "9f"),
        (1141, "€ä", "9fc0"),
        (1142, "€", "5a"),
        (1143, "€", "5a"),
        (1148, "€[", "9f4a"),
        (424, "אבג", "414243"),
        (875, "ΑΒΓ", "414243"),
        (819, "naïve", "6e61ef7665"),
        (850, "é", "82"),
        (858, "€", "d5"),
        (437, "é", "82"),
        (864, "%", "25"),
        (1252, "€é", "80e9"),
        (5348, "€é", "80e9"),
        (923, "€", "a4"),
        (874, "\u0e01\u0e48", "a1e8"),
        (930, "日本ｱABC", "0e456245660f81c1c2c3"),
        (939, "日本abc", "0e456245660f818283"),
        (933, "한국 ok", "0ed0658a820f409692"),
        (935, "中文", "0e5bcf57c30f"),
        (937, "中文", "0e4c844cc50f"),
        (1364, "한국", "0ed0658a820f"),
        (1371, "中文€", "0e4c844cc50f9f"),
        (1388, "中文", "0e5bcf57c30f"),
        (1390, "か゚日", "0eecb545620f"),
        (1399, "日本€", "0e456245660fe1"),
        (290, "ｱA", "81c1"),
        (1027, "aｱ", "8159"),
        (838, "กข", "4243"),
        (924, "€Š", "9f6a"),
        (943, "日本", "93fa967b"),
        (954, "日本", "c6fccbdc"),
        (33722, "日本", "c6fccbdc"),
        (949, "한국", "c7d1b1b9"),
        (970, "한국", "c7d1b1b9"),
        (950, "中文", "a4a4a4e5"),
        (1386, "中文", "d6d0cec4"),
        (5488, "中文€", "d6d0cec4a2e3"),
        (1208, "é€😀", "c3a9e282acf09f9880"),
        (1200, "A€😀", "004120acd83dde00"),
        (13488, "A", "0041"),
        (17584, "A", "0041"),
        (1202, "A", "4100"),
    ],
)
def test_bytes_of_a_code_page(ccsid: int, text: str, expected: str) -> None:
    assert codec_of(ccsid).encode(text).hex() == expected
    assert codec_of(ccsid).decode(bytes.fromhex(expected)) == text


@pytest.mark.parametrize("ccsid", [0, -1, -2, -3, 1, 931, 964, 99999, 2**31 - 1])
def test_unknown_ccsid(ccsid: int) -> None:
    assert codec(ccsid) is None


def test_cyrillic_ebcdic_letters() -> None:
    assert codec_of(1025).encode("ABCabc") == codec_of(500).encode("ABCabc")  # Latin letters stay where they are
    assert codec_of(1025).decode(b"\xb9\xba\xbb") == "АБЦ"


@pytest.mark.parametrize("ccsid", LATIN_1_EBCDIC)
def test_latin_1_ebcdic_is_latin_1_in_another_order(ccsid: int) -> None:
    assert sorted(characters_of(ccsid)) == [chr(number) for number in range(256)]


@over_rows("ccsid", known_ccsids())
def test_queue_names_can_be_written_in_every_set(ccsid: int) -> None:
    one = codec_of(ccsid)
    data = one.encode(QUEUE_NAME_CHARACTERS)
    assert one.decode(data) == QUEUE_NAME_CHARACTERS
    if one.fits_headers:
        assert len(data) == len(QUEUE_NAME_CHARACTERS)


@over_rows("ccsid", EBCDIC)
def test_ebcdic_invariants(ccsid: int) -> None:
    one = codec_of(ccsid)
    assert one.encode(" 0A\n").hex() == "40f0c125"
    assert one.decode(b"\x15") == "\x85"
    assert one.substitute == b"\x3f"


@over_rows("ccsid", SINGLE_BYTE)
def test_every_character_of_a_single_byte_set_comes_back(ccsid: int) -> None:
    one = codec_of(ccsid)
    for byte, character in enumerate(characters_of(ccsid)):
        if character == "\ufffe":
            with pytest.raises(UnicodeDecodeError):
                one.decode(bytes([byte]))
        else:
            assert one.decode(bytes([byte])) == character
            assert one.decode(one.encode(character)) == character


def test_windows_pages_have_no_hole_among_the_controls() -> None:
    assert codec_of(1252).decode(b"\x81\x8d\x8f\x90\x9d") == "\x81\x8d\x8f\x90\x9d"


def test_byte_order_is_asked_for_only_by_utf_16() -> None:
    assert codec_of(1200).encode("A", big_endian=False) == b"A\0"
    assert codec_of(1200).decode(b"A\0", big_endian=False) == "A"
    assert codec_of(1202).encode("A", big_endian=True) == b"A\0"
    assert [ccsid for ccsid in known_ccsids() if codec_of(ccsid).has_byte_order] == [1200, 13488, 17584]


def test_names_work_with_python_itself() -> None:
    assert "[".encode(codec_of(1047).name) == b"\xad"
    assert codecs.lookup("ccsid1047").name == "ccsid1047"
    for unknown in ("ccsid", "ccsidx", "ccsid931", "ccsid1208"):
        with pytest.raises(LookupError):
            codecs.lookup(unknown)


@pytest.mark.parametrize(
    ("ccsid", "expected"),
    [(819, "411a42"), (37, "c13fc2"), (939, "c13fc2"), (943, "411a42"), (970, "411a42"), (1208, "41e2988342")],
)
def test_substitutes(ccsid: int, expected: str) -> None:
    assert codec_of(ccsid).encode_with_substitutes("A☃B").hex() == expected


def test_a_row_of_unknown_characters_gets_as_many_substitutes() -> None:
    assert codec_of(367).encode_with_substitutes("aéèêb") == b"a\x1a\x1a\x1ab"
    assert codec_of(1383).encode_with_substitutes("a😀😀") == b"a\x1a\x1a"


def test_the_substitution_handlers_do_not_hide_broken_input() -> None:
    with pytest.raises(UnicodeDecodeError):
        codec_of(1208).decode(b"\xff", "mq-sub-ascii")


def test_characters_of_a_multibyte_set() -> None:
    with pytest.raises(LookupError):
        characters_of(943)


@given(st.text(), st.sampled_from([1200, 1202, 1208, 5488, 13488]), st.booleans())
def test_unicode_sets_keep_all_text(text: str, ccsid: int, big_endian: bool) -> None:
    one = codec_of(ccsid)
    try:
        data = one.encode(text, big_endian=big_endian)
    except UnicodeEncodeError:  # a lone surrogate is no character
        assert any("\ud800" <= character <= "\udfff" for character in text)
        return
    assert one.decode(data, big_endian=big_endian) == text
