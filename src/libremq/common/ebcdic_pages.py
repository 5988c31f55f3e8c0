"""EBCDIC code pages from a table file: those with one and two bytes a character, and single-byte ones Python lacks.

A page of the first sort begins with one byte a character; SO (X'0E') begins a run of two bytes each and SI (X'0F') ends
it. Each is a Python codec under a name such as "ccsid939". The tables are facts in a small compressed file beside this
module (tests/common/helper_double_byte.py made it), which is read when the first of these pages is asked for.
"""

from __future__ import annotations

import codecs
import json
import lzma
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

FILE = "ebcdic_pages.dat"
MAGIC = b"LMQEBC1\n"
DOUBLE_BYTE = (930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399)
SINGLE_BYTE = (
    274, 275, 281, 290, 423, 833, 836, 838, 880, 905, 918, 1027, 1097, 1130, 1132, 1137, 1160, 1164, 1166, 4971,
    5123, 8482, 9030, 12712, 16804, 28709,
)  # fmt: skip
SHIFT_OUT, SHIFT_IN = b"\x0e", b"\x0f"
_SHIFTS = re.compile("([\x0e\x0f]+)")
_SHIFT_AGAIN = re.compile(rb"\x0e[^\x0f]*\x0e|\x0f[^\x0e]*\x0f")
FIRST, LAST = 0x40, 0xFE
"""Of each byte of two. A row of a table has one place for each."""
UNDEFINED = "\ufffe"
PAIRS_FROM = 0x10F000
"""Codes from here on stand for pairs of characters: a letter and a mark that Unicode has no letter for."""
_ROW = LAST - FIRST + 1
_BETWEEN_RUNS = 0x0E0E  # no code of two bytes


@cache
def _tables() -> dict[str, Any]:
    data = files("libremq.common").joinpath(FILE).read_bytes()
    if not data.startswith(MAGIC):
        raise LookupError(f"{FILE} is not a table of code pages of this release")
    found: dict[str, Any] = json.loads(lzma.decompress(data[len(MAGIC) :]).decode("utf-8", "surrogatepass"))
    return found


def single_byte_characters(ccsid: int) -> str:
    """The 256 characters of a page in byte order, of one with two bytes those that have one; U+FFFE for none."""
    return str(_tables()["single"][str(ccsid)])


def inverse(single: str, plane: Sequence[str]) -> dict[str, bytes]:
    """Code by character. Of two codes for one character the first counts, and one byte before two."""
    found: dict[str, bytes] = {}
    for byte, text in enumerate(single):
        if text != UNDEFINED:
            found.setdefault(text, bytes([byte]))
    for place, text in enumerate(plane):
        if text != UNDEFINED:
            found.setdefault(text, bytes((FIRST + place // _ROW, FIRST + place % _ROW)))
    return found


class DoubleBytePage:
    """One page. It decodes and encodes whole texts, and says how far a text is whole.

    A get that converts holds up the others, so what is as it should be takes no step for each character.
    """

    def __init__(self, ccsid: int) -> None:
        tables = _tables()
        self._single = single_byte_characters(ccsid)
        pairs = tables["pairs"]
        plane = [
            pairs[ord(one) - PAIRS_FROM] if PAIRS_FROM <= ord(one) < PAIRS_FROM + len(pairs) else one
            for one in tables["planes"][tables["plane of"][str(ccsid)]]
        ]
        self._plane: list[str] = plane
        self._by_code = [UNDEFINED] * 0x10000
        for high in range(FIRST, LAST + 1):
            self._by_code[high << 8 | FIRST : high << 8 | LAST + 1] = plane[(high - FIRST) * _ROW :][:_ROW]
        self._by_code[_BETWEEN_RUNS] = "\x0e"
        codes = inverse(self._single, plane)
        codes.update((text, bytes.fromhex(code)) for text, code in tables["one way"][str(ccsid)].items())
        self._codes = {text: code if len(code) == 1 else SHIFT_OUT + code + SHIFT_IN for text, code in codes.items()}
        both = "|".join(re.escape(text) for text in codes if len(text) == 2)
        self._pairs = re.compile(both) if both else None
        self._pieces = re.compile(f"{both}|.", re.DOTALL)
        known = "".join(re.escape(text) for text in codes if len(text) == 1)
        self._unknown = re.compile(f"{both}|([^{known}])" if both else f"([^{known}]+)")

    # To text

    def decode(self, data: bytes, errors: str = "strict", *, double: bool = False) -> tuple[str, int, bool]:
        """The text, how many bytes that was, and whether it ends in a run of two bytes. A cut character stays over."""
        return self._decode_at_once(data, double) or self._decode_by_character(data, errors, double)

    def _decode_at_once(self, data: bytes, double: bool) -> tuple[str, int, bool] | None:
        """For data whose shifts alternate, and whose characters are all there."""
        whole = SHIFT_OUT + data if double else data
        first_out, first_in = whole.find(SHIFT_OUT), whole.find(SHIFT_IN)
        if _SHIFT_AGAIN.search(whole) or (first_in >= 0 and not 0 <= first_out < first_in):
            return None
        parts = whole.replace(SHIFT_IN, SHIFT_OUT).split(SHIFT_OUT)
        ends_double = len(parts) % 2 == 0
        used = len(data)
        if ends_double and len(parts[-1]) % 2:
            parts[-1] = parts[-1][:-1]
            used -= 1
        if any(len(part) % 2 for part in parts[1::2]):
            return None
        try:
            # A shift is no character here, so it can stand between the runs
            singles = codecs.charmap_decode(SHIFT_OUT.join(parts[::2]), "strict", self._single)[0]
        except UnicodeDecodeError:
            return None
        by_two = array("H", (SHIFT_OUT * 2).join(parts[1::2]))
        if sys.byteorder == "little":
            by_two.byteswap()
        doubles = "".join(map(self._by_code.__getitem__, by_two))
        if UNDEFINED in doubles:
            return None
        texts = [""] * len(parts)
        texts[::2] = singles.split("\x0e")
        texts[1::2] = doubles.split("\x0e") if len(parts) > 1 else []
        return "".join(texts), used, ends_double

    def _decode_by_character(self, data: bytes, errors: str, double: bool) -> tuple[str, int, bool]:
        texts: list[str] = []
        at, size = 0, len(data)
        while at < size:
            byte = data[at]
            if byte in (0x0E, 0x0F):
                double = byte == 0x0E
                at += 1
                continue
            if not double:
                text, length = self._single[byte], 1
            elif at + 1 == size:
                break
            else:
                text, length = self._double(byte, data[at + 1]), 2
            if text == UNDEFINED:
                text, at = self._broken(data, at, length, errors)
            else:
                at += length
            texts.append(text)
        return "".join(texts), at, double

    def _double(self, high: int, low: int) -> str:
        if FIRST <= high <= LAST and FIRST <= low <= LAST:
            return self._plane[(high - FIRST) * _ROW + low - FIRST]
        return UNDEFINED

    def _broken(self, data: bytes, at: int, length: int, errors: str) -> tuple[str, int]:
        error = UnicodeDecodeError("ebcdic", data, at, at + length, "these bytes stand for no character")
        text, place = codecs.lookup_error(errors)(error)
        return str(text), place

    # To bytes

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """The bytes, in runs that are closed."""
        try:
            return self._encode_known(text)
        except KeyError:
            pass
        made: list[bytes] = []
        at, size = 0, len(text)
        while at < size:
            unknown = self._next_unknown(text, at)
            if unknown is None:
                break
            made.append(self._encode_known(text[at : unknown.start()]))
            error = UnicodeEncodeError(
                "ebcdic", text, unknown.start(), unknown.end(), "the code page has no such character"
            )
            instead, at = codecs.lookup_error(errors)(error)
            made.append(instead if isinstance(instead, bytes) else self.encode(instead))
        return b"".join((*made, self._encode_known(text[at:])))

    def _next_unknown(self, text: str, at: int) -> re.Match[str] | None:
        for found in self._unknown.finditer(text, at):
            if found.lastindex:  # else it is two that are one
                return found
        return None

    def _encode_known(self, text: str) -> bytes:
        """KeyError if there is one that the page does not have."""
        made: list[bytes] = []
        for number, part in enumerate(_SHIFTS.split(text)):  # what looks like a shift stays, and is none
            pieces: Iterable[str] = part
            if self._pairs is not None and self._pairs.search(part):
                pieces = self._pieces.findall(part)
            coded = b"".join(map(self._codes.__getitem__, pieces))
            made.append(coded if number % 2 else coded.replace(SHIFT_IN + SHIFT_OUT, b""))
        return b"".join(made)


@cache
def page(ccsid: int) -> DoubleBytePage:
    return DoubleBytePage(ccsid)


def cut(data: bytes, length: int) -> bytes:
    """As much of encoded data as fits, with its last run closed."""
    if len(data) <= length:
        return data
    kept = data[:length]
    run = kept.rfind(SHIFT_OUT)
    if run <= kept.rfind(SHIFT_IN):
        return kept
    begin = run + 1
    if begin == length:  # no room to close it
        kept = data[:run]
        return kept + SHIFT_IN if kept.rfind(SHIFT_OUT) > kept.rfind(SHIFT_IN) else kept
    return data[: begin + (length - begin - 1) // 2 * 2] + SHIFT_IN


def python_codec(ccsid: int) -> codecs.CodecInfo:
    """For Python's registry of codecs."""

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return page(ccsid).encode(text, errors), len(text)

    def decode(data: bytes, errors: str = "strict") -> tuple[str, int]:
        text, used, _ = page(ccsid).decode(bytes(data), errors)
        if used < len(data):
            error = UnicodeDecodeError("ebcdic", bytes(data), used, len(data), "a character of two bytes is cut")
            instead, _ = codecs.lookup_error(errors)(error)
            text += str(instead)
        return text, len(data)

    class Decoder(codecs.IncrementalDecoder):
        """Keeps the half of a character, and whether a run of two bytes is open."""

        def __init__(self, errors: str = "strict") -> None:
            super().__init__(errors)
            self._rest, self._double = b"", False

        def decode(self, data: Any, final: bool = False) -> str:
            whole = self._rest + bytes(data)
            text, used, self._double = page(ccsid).decode(whole, self.errors, double=self._double)
            self._rest = whole[used:]
            if final and self._rest:
                error = UnicodeDecodeError("ebcdic", whole, used, len(whole), "a character of two bytes is cut")
                instead, _ = codecs.lookup_error(self.errors)(error)
                text, self._rest = text + str(instead), b""
            return text

        def reset(self) -> None:
            self._rest, self._double = b"", False

        def getstate(self) -> tuple[bytes, int]:
            return self._rest, int(self._double)

        def setstate(self, state: tuple[bytes, int]) -> None:
            self._rest, self._double = state[0], bool(state[1])

    name = f"ccsid{ccsid}"
    encoder: Callable[..., Any] = encode
    decoder: Callable[..., Any] = decode
    return codecs.CodecInfo(encoder, decoder, name=name, incrementaldecoder=Decoder)
