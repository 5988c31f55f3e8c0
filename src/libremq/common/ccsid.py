"""Coded character set identifiers: which characters the bytes of a CCSID stand for.

`codec` finds the codec for a CCSID, or None for one we do not know. Where Python brings the code page we use
it; the others are made from `ccsid_tables` or `ebcdic_pages` and registered under names such as "ccsid1047", so
that a name from here works wherever Python takes the name of an encoding. Only UTF-16 has a byte order, and MQ
keeps that in the Encoding of the message, so it is asked for with every call.
"""

from __future__ import annotations

import codecs
import enum
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from libremq.common import ccsid_tables, ebcdic_pages


class Kind(enum.Enum):
    """How a character set uses bytes; it decides about newlines, substitution and MQ headers."""

    ASCII = "single byte, ASCII"
    EBCDIC = "single byte, EBCDIC"
    SHIFTED_EBCDIC = "one or two bytes, EBCDIC, with shifts between them"
    MULTIBYTE = "one or more bytes, ASCII in the first half"
    UTF8 = "UTF-8"
    UTF16 = "UTF-16"

    @property
    def is_ebcdic(self) -> bool:
        return self is Kind.EBCDIC or self is Kind.SHIFTED_EBCDIC


_ASCII = {
    367: "ascii",
    437: "cp437",
    720: "cp720",
    737: "cp737",
    775: "cp775",
    813: "iso8859-7",
    819: "iso8859-1",
    850: "cp850",
    852: "cp852",
    855: "cp855",
    856: "cp856",
    857: "cp857",
    858: "cp858",
    860: "cp860",
    861: "cp861",
    862: "cp862",
    863: "cp863",
    865: "cp865",
    866: "cp866",
    869: "cp869",
    878: "koi8-r",
    912: "iso8859-2",
    913: "iso8859-3",
    914: "iso8859-4",
    915: "iso8859-5",
    916: "iso8859-8",
    919: "iso8859-10",
    920: "iso8859-9",
    921: "iso8859-13",
    923: "iso8859-15",
    1051: "hp-roman8",
    1089: "iso8859-6",
    1168: "koi8-u",
    1275: "mac-roman",
    4909: "iso8859-7",
}

# Windows pages. IBM gives the bytes from 80 to 9F that Windows leaves open the control characters of ISO 8859,
# so that nothing is lost on the way through.
_WINDOWS = {
    1162: "cp874",
    1250: "cp1250",
    1251: "cp1251",
    1252: "cp1252",
    1253: "cp1253",
    1254: "cp1254",
    1255: "cp1255",
    1256: "cp1256",
    1257: "cp1257",
    1258: "cp1258",
    5346: "cp1250",
    5347: "cp1251",
    5348: "cp1252",
    5349: "cp1253",
    5350: "cp1254",
    5354: "cp1258",
    9447: "cp1255",
    9448: "cp1256",
    9449: "cp1257",
}

_EBCDIC = {
    37: "cp037",
    424: "cp424",
    500: "cp500",
    1026: "cp1026",
}

_MULTIBYTE = {
    932: "cp932",
    936: "gbk",
    943: "cp932",
    949: "cp949",
    950: "cp950",
    954: "euc-jp",
    970: "euc-kr",
    1363: "cp949",
    1375: "big5hkscs",
    1383: "gb2312",
    1386: "gbk",
    1392: "gb18030",
    5050: "euc-jp",
    5488: "gb18030",
    33722: "euc-jp",
    54936: "gb18030",
}

# The CCSIDs of UCS-2 are read as UTF-16, as MQ does, so that characters beyond U+FFFF come through.
_UTF16 = frozenset({1200, 13488, 17584})
_UTF16_LITTLE_ENDIAN = 1202
_UTF8 = 1208

_UNDEFINED = "\ufffe"  # in a charmap table: this byte stands for no character


@dataclass(frozen=True, slots=True)
class Codec:
    """One coded character set. `name` is a name that Python's own codec functions know."""

    ccsid: int
    kind: Kind
    name: str
    name_little_endian: str

    @property
    def single_byte(self) -> bool:
        return self.kind is Kind.ASCII or self.kind is Kind.EBCDIC

    @property
    def has_byte_order(self) -> bool:
        """Whether the bytes depend on the Encoding of the message."""
        return self.name != self.name_little_endian

    @property
    def fits_headers(self) -> bool:
        """Whether the characters of a queue name take one byte each, as the fields of MQ headers need."""
        return self.kind is not Kind.UTF16

    @property
    def substitute(self) -> bytes:
        """What stands for a character that this set does not have: the control character SUB."""
        return b"\x3f" if self.kind.is_ebcdic else b"\x1a"

    def decode(self, data: bytes, errors: str = "strict", *, big_endian: bool = True) -> str:
        return data.decode(self.name if big_endian else self.name_little_endian, errors)

    def encode(self, text: str, errors: str = "strict", *, big_endian: bool = True) -> bytes:
        return text.encode(self.name if big_endian else self.name_little_endian, errors)

    def encode_with_substitutes(self, text: str, *, big_endian: bool = True) -> bytes:
        """Encode, with SUB for what this set does not have: MQ loses a character rather than a message."""
        return self.encode(text, "mq-sub-ebcdic" if self.kind.is_ebcdic else "mq-sub-ascii", big_endian=big_endian)


@lru_cache(maxsize=1024)  # bounded: the numbers come from messages
def codec(ccsid: int) -> Codec | None:
    """The codec of a CCSID; None if it is none we know, or one of the special values (MQCCSI_INHERIT ...)."""
    if ccsid == _UTF8:
        return Codec(ccsid, Kind.UTF8, "utf-8", "utf-8")
    if ccsid in _UTF16:
        return Codec(ccsid, Kind.UTF16, "utf-16-be", "utf-16-le")
    if ccsid == _UTF16_LITTLE_ENDIAN:
        return Codec(ccsid, Kind.UTF16, "utf-16-le", "utf-16-le")
    if ccsid in ebcdic_pages.DOUBLE_BYTE:
        return Codec(ccsid, Kind.SHIFTED_EBCDIC, f"ccsid{ccsid}", f"ccsid{ccsid}")
    if name := _MULTIBYTE.get(ccsid):
        return Codec(ccsid, Kind.MULTIBYTE, name, name)
    kind = _kind_of_single_byte(ccsid)
    if kind is None:
        return None
    name = _ASCII.get(ccsid) or _EBCDIC.get(ccsid) or f"ccsid{ccsid}"
    return Codec(ccsid, kind, name, name)


def known_ccsids() -> tuple[int, ...]:
    """Every CCSID that `codec` knows, in ascending order."""
    return tuple(
        sorted(
            {_UTF8, _UTF16_LITTLE_ENDIAN, *_UTF16, *_MULTIBYTE, *_ASCII, *_WINDOWS, *_EBCDIC}
            | {*ccsid_tables.ASCII, *ccsid_tables.EBCDIC, *ccsid_tables.EURO, *ccsid_tables.LATIN_9}
            | {*ebcdic_pages.SINGLE_BYTE, *ebcdic_pages.DOUBLE_BYTE}
        )
    )


def _kind_of_single_byte(ccsid: int) -> Kind | None:
    if ccsid in ccsid_tables.EURO:
        ccsid = ccsid_tables.EURO[ccsid][0]
    ccsid = ccsid_tables.LATIN_9.get(ccsid, ccsid)
    if ccsid in _EBCDIC or ccsid in ccsid_tables.EBCDIC or ccsid in ebcdic_pages.SINGLE_BYTE:
        return Kind.EBCDIC
    if ccsid in _ASCII or ccsid in _WINDOWS or ccsid in ccsid_tables.ASCII:
        return Kind.ASCII
    return None


@cache
def characters_of(ccsid: int) -> str:
    """The 256 characters of a single-byte CCSID in byte order; U+FFFE where a byte stands for none."""
    if ccsid in ccsid_tables.EURO:
        base, replaced = ccsid_tables.EURO[ccsid]
        return characters_of(base).replace(replaced, "€")
    if ccsid in ccsid_tables.LATIN_9:
        return characters_of(ccsid_tables.LATIN_9[ccsid]).translate(ccsid_tables.LATIN_9_CHARACTERS)
    if ccsid in ebcdic_pages.SINGLE_BYTE:
        return ebcdic_pages.single_byte_characters(ccsid)
    if difference := ccsid_tables.EBCDIC.get(ccsid) or ccsid_tables.ASCII.get(ccsid):
        name, places, characters = difference
        table = list(_characters_of_python_codec(name))
        for place, character in zip(bytes.fromhex(places), characters, strict=True):
            table[place] = character
        return "".join(table)
    if ccsid in _WINDOWS:
        return "".join(
            chr(byte) if character == _UNDEFINED and 0x80 <= byte <= 0x9F else character
            for byte, character in enumerate(_characters_of_python_codec(_WINDOWS[ccsid]))
        )
    name = _ASCII.get(ccsid) or _EBCDIC.get(ccsid) or ""
    if not name:
        raise LookupError(f"CCSID {ccsid} is not a single-byte character set")
    return _characters_of_python_codec(name)


def _characters_of_python_codec(name: str) -> str:
    return "".join(bytes([byte]).decode(name, "replace") for byte in range(256)).replace("\ufffd", _UNDEFINED)


def _find_python_codec(name: str) -> codecs.CodecInfo | None:
    """Lets Python find "ccsid1047" by name."""
    if not name.startswith("ccsid") or not name[5:].isdecimal():
        return None
    ccsid = int(name[5:])
    if ccsid in ebcdic_pages.DOUBLE_BYTE:
        return ebcdic_pages.python_codec(ccsid)
    if _kind_of_single_byte(ccsid) is None:
        return None
    table = characters_of(ccsid)
    mapping = codecs.charmap_build(table)

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return codecs.charmap_encode(text, errors, mapping)

    def decode(data: bytes, errors: str = "strict") -> tuple[str, int]:
        return codecs.charmap_decode(data, errors, table)

    return codecs.CodecInfo(encode, decode, name=name)  # type: ignore[arg-type]


def _substitute_with(substitute: bytes) -> Callable[[UnicodeError], tuple[bytes, int]]:
    def handle(error: UnicodeError) -> tuple[bytes, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return substitute * (error.end - error.start), error.end

    return handle


codecs.register(_find_python_codec)
codecs.register_error("mq-sub-ascii", _substitute_with(b"\x1a"))
codecs.register_error("mq-sub-ebcdic", _substitute_with(b"\x3f"))


def charset_of(ccsid: int) -> str:
    """The Python name of a character set for the fields of headers."""
    found = codec(ccsid)
    return found.name if found is not None and found.fits_headers else "latin-1"
