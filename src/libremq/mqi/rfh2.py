"""MQRFH2, the rules and formatting header 2: parse it from message data, build it again.

A header is a fixed part of 36 bytes and then folders, each a length and XML-like text. A folder keeps its text
as it came and is parsed only when somebody asks for its elements, so that a header passes through unharmed even
when a folder nobody needs is malformed. The parser is made by hand for this little language: tags, attributes,
text, the five named entities and character numbers. No declarations, no external anything, no recursion.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from libremq.mqi.constants import (
    MQCCSI_INHERIT,
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQENC_NATIVE,
    MQFMT_RF_HEADER_2,
    MQRC_RFH_ERROR,
    MQRC_RFH_FORMAT_ERROR,
    MQRFH_STRUC_LENGTH_FIXED_2,
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from libremq.mqi.errors import MQError, mq_error

PropertyValue = str | bytes | bool | int | float | None
"""The Python value of a property; its MQTYPE_* tells INT8 from INT64 and FLOAT32 from FLOAT64."""

ELEMENT_DEPTH_MAX = 128
"""Levels of nesting in a folder, and dots in a property name, that we accept."""

FORMAT_RFH2 = MQFMT_RF_HEADER_2.rstrip()

_FIXED_LITTLE = struct.Struct("<4s4i8s2i")
_FIXED_BIG = struct.Struct(">4s4i8s2i")
_LENGTH_LITTLE = struct.Struct("<i")
_LENGTH_BIG = struct.Struct(">i")
_STRUC_ID_ASCII = b"RFH "
_STRUC_ID_EBCDIC = "RFH ".encode("cp500")

_INTEGER_BITS = {MQTYPE_INT8: 8, MQTYPE_INT16: 16, MQTYPE_INT32: 32, MQTYPE_INT64: 64}
_TYPE_OF_DT = {
    "string": MQTYPE_STRING,
    "boolean": MQTYPE_BOOLEAN,
    "bin.hex": MQTYPE_BYTE_STRING,
    "i1": MQTYPE_INT8,
    "i2": MQTYPE_INT16,
    "i4": MQTYPE_INT32,
    "i8": MQTYPE_INT64,
    "int": MQTYPE_INT64,
    "r4": MQTYPE_FLOAT32,
    "r8": MQTYPE_FLOAT64,
}
_DT_OF_TYPE = {mqtype: dt for dt, mqtype in _TYPE_OF_DT.items() if dt not in ("int", "string")}

_NAME = r"[^\s<>/='\"&!?][^\s<>/='\"&]*"
_TAG = re.compile(rf"<(/?)({_NAME})((?:\s+{_NAME}\s*=\s*(?:'[^'<]*'|\"[^\"<]*\"))*)\s*(/?)>")
_LEAF = re.compile(rf"<({_NAME})((?:\s+{_NAME}\s*=\s*(?:'[^'<]*'|\"[^\"<]*\"))*)\s*>([^<]*)</\1\s*>")
_ATTRIBUTE = re.compile(rf"({_NAME})\s*=\s*(?:'([^'<]*)'|\"([^\"<]*)\")")
_FOLDER_NAME = re.compile(rf"\s*<({_NAME})[\s/>]")
_ENTITY = re.compile(r"&(?:(lt|gt|amp|apos|quot)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));|&")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}
_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&apos;", '"': "&quot;"})
_INTEGER = re.compile(r"\s*([+-]?[0-9]{1,20})\s*")
_FLOAT = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*|\s*(?:[+-]?INF|NaN)\s*")
_PADDING = " \t\r\n\0\ufeff"


def _format_error(detail: str) -> MQError:
    return mq_error(MQRC_RFH_FORMAT_ERROR, detail=detail)


@dataclass(slots=True)
class Element:
    """One tag: a group when it has children, otherwise a name and its text."""

    name: str
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)


class Folder:
    """The text of one NameValueData field; usually one folder, some senders put several in it."""

    __slots__ = ("_elements", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._elements: list[Element] | None = None

    @classmethod
    def of(cls, *elements: Element) -> Folder:
        folder = cls(serialize(elements))
        folder._elements = list(elements)
        return folder

    @property
    def name(self) -> str:
        """The name of the first tag, found without parsing the rest; '' when there is none."""
        match = _FOLDER_NAME.match(self.text)
        return match[1] if match else ""

    def elements(self) -> list[Element]:
        """The parsed folder. Raises MQRC_RFH_FORMAT_ERROR; the caller must not change what it gets."""
        if self._elements is None:
            self._elements = parse_elements(self.text)
        return self._elements

    def __repr__(self) -> str:
        return f"Folder({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folder) and self.text == other.text

    __hash__ = None  # type: ignore[assignment]


@dataclass(slots=True)
class Rfh2:
    """One MQRFH2. `encoding`, `ccsid` and `format` describe the data behind it, as the MQ fields do."""

    folders: list[Folder] = field(default_factory=list)
    encoding: int = MQENC_NATIVE
    ccsid: int = MQCCSI_INHERIT
    format: str = ""
    flags: int = 0
    name_value_ccsid: int = 1208

    @classmethod
    def parse(cls, data: bytes, offset: int = 0) -> tuple[Rfh2, int]:
        """The header at `offset` and the offset behind it.

        The byte order is read off the Version field, which can only be 2, rather than trusted from the
        descriptor: a header whose sender left Encoding wrong is still readable.
        """
        big, end, encoding, ccsid, format_text, flags, text_ccsid = _fixed_part(data, offset)
        length_of = _LENGTH_BIG if big else _LENGTH_LITTLE
        codec = _text_codec(text_ccsid, big)
        folders = []
        position = offset + MQRFH_STRUC_LENGTH_FIXED_2
        while position < end:
            if end - position < 4:
                raise mq_error(MQRC_RFH_ERROR, detail="MQRFH2 ends inside a NameValueLength field")
            (length,) = length_of.unpack_from(data, position)
            position += 4
            if length < 0 or length > end - position:
                raise mq_error(MQRC_RFH_ERROR, detail=f"MQRFH2 NameValueLength is {length}")
            try:
                text = data[position : position + length].decode(codec)
            except UnicodeDecodeError:
                raise _format_error(f"NameValueData is not valid text in CCSID {text_ccsid}") from None
            folders.append(Folder(text.strip(_PADDING)))
            position += length
        header = cls(folders, encoding, ccsid, format_text, flags, text_ccsid)
        return header, end

    def build(self, encoding: int = MQENC_NATIVE) -> bytes:
        """The bytes of the header with its integers in `encoding`, each folder padded to a multiple of 4."""
        big = encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_NORMAL
        codec = _text_codec(self.name_value_ccsid, big)
        length_of = _LENGTH_BIG if big else _LENGTH_LITTLE
        blank = " ".encode(codec)
        parts = [b""]
        for folder in self.folders:
            text = folder.text.encode(codec, "replace")
            text += blank * (-len(text) % 4 // len(blank))
            parts.append(length_of.pack(len(text)))
            parts.append(text)
        struc_length = MQRFH_STRUC_LENGTH_FIXED_2 + sum(map(len, parts))
        parts[0] = (_FIXED_BIG if big else _FIXED_LITTLE).pack(
            _STRUC_ID_ASCII,
            2,
            struc_length,
            self.encoding,
            self.ccsid,
            self.format.ljust(8).encode("latin-1", "replace")[:8],
            self.flags,
            self.name_value_ccsid,
        )
        return b"".join(parts)


def _fixed_part(data: bytes, offset: int) -> tuple[bool, int, int, int, str, int, int]:
    """Is the header at `offset` big-endian, where it ends, and its other fields."""
    if len(data) - offset < MQRFH_STRUC_LENGTH_FIXED_2:
        raise mq_error(MQRC_RFH_ERROR, detail=f"{len(data) - offset} bytes cannot hold an MQRFH2")
    version = data[offset + 4 : offset + 8]
    if version == b"\x02\0\0\0":
        fixed, big = _FIXED_LITTLE, False
    elif version == b"\0\0\0\x02":
        fixed, big = _FIXED_BIG, True
    else:
        raise mq_error(MQRC_RFH_ERROR, detail=f"MQRFH2 Version is {version.hex()}, not 2")
    struc_id, _, struc_length, encoding, ccsid, format_bytes, flags, text_ccsid = fixed.unpack_from(data, offset)
    if struc_id == _STRUC_ID_ASCII:
        format_text = format_bytes.decode("latin-1")
    elif struc_id == _STRUC_ID_EBCDIC:
        format_text = format_bytes.decode("cp500")
    else:
        raise mq_error(MQRC_RFH_ERROR, detail=f"MQRFH2 StrucId is {struc_id!r}")
    end = offset + struc_length
    if struc_length < MQRFH_STRUC_LENGTH_FIXED_2 or end > len(data):
        raise mq_error(MQRC_RFH_ERROR, detail=f"MQRFH2 StrucLength is {struc_length}")
    return big, end, encoding, ccsid, format_text.rstrip(" \0"), flags, text_ccsid


def headers_end(data: bytes, offset: int) -> int:
    """Where the MQRFH2 headers end of which the first is at `offset`: told by their lengths, without their folders."""
    while True:
        _, offset, _, _, following, _, _ = _fixed_part(data, offset)
        if following != FORMAT_RFH2:
            return offset


@dataclass(slots=True)
class Rfh2Chain:
    """The MQRFH2 headers in front of a message body, and what describes the body behind them."""

    headers: list[Rfh2]
    body_offset: int
    format: str
    ccsid: int
    encoding: int


def parse_chain(data: bytes, format: str, ccsid: int, encoding: int) -> Rfh2Chain:
    """Every MQRFH2 at the front of `data`, which `format`, `ccsid` and `encoding` (of the MQMD) describe."""
    chain = Rfh2Chain([], 0, format, ccsid, encoding)
    while chain.format.rstrip(" \0") == FORMAT_RFH2:
        header, chain.body_offset = Rfh2.parse(data, chain.body_offset)
        chain.headers.append(header)
        chain.format = header.format
        chain.encoding = header.encoding
        if header.ccsid not in (MQCCSI_INHERIT, 0):
            chain.ccsid = header.ccsid
    return chain


def _text_codec(ccsid: int, big: bool) -> str:
    if ccsid in (1208, 0):
        return "utf-8"
    if ccsid in (1200, 13488, 17584):
        return "utf-16-be" if big else "utf-16-le"
    raise mq_error(
        MQRC_RFH_ERROR, detail=f"MQRFH2 NameValueCCSID is {ccsid}; only 1200, 1208, 13488 and 17584 are allowed"
    )


# ---- the text of a folder


def parse_elements(text: str) -> list[Element]:
    """The top-level elements of a folder's text. Raises MQRC_RFH_FORMAT_ERROR with the offending position."""
    roots: list[Element] = []
    stack: list[Element] = []
    position = 0
    while True:
        start = text.find("<", position)
        between = text[position:] if start < 0 else text[position:start]
        if between:
            _take_text(stack, between, position)
        if start < 0:
            break
        match = _LEAF.match(text, start)
        if match is not None and stack and (stack[-1].children or not stack[-1].text):
            # Nearly all there is: an element with text, in a group or folder
            name, attributes, inner = match.groups()
            element = Element(name, _unescape(inner) if "&" in inner else inner)
            if attributes:
                element.attributes = _read_attributes(attributes)
            if len(stack) == ELEMENT_DEPTH_MAX:
                raise _format_error(f"more than {ELEMENT_DEPTH_MAX} levels of elements")
            stack[-1].children.append(element)
            position = match.end()
            continue
        match = _TAG.match(text, start)
        if match is None:
            raise _format_error(f"character {start + 1} of the folder does not begin a tag")
        position = match.end()
        closing, name, attributes, empty = match.groups()
        if closing:
            if not stack or stack[-1].name != name or attributes or empty:
                raise _format_error(f"</{name}> at character {start + 1} closes nothing")
            element = stack.pop()
            if "&" in element.text:
                element.text = _unescape(element.text)
            continue
        element = Element(name)
        if attributes:
            element.attributes = _read_attributes(attributes)
        if stack:
            parent = stack[-1]
            if not parent.children:
                if parent.text.strip(_PADDING):
                    raise _format_error(f"<{parent.name}> holds both text and <{name}>")
                parent.text = ""
            parent.children.append(element)
        else:
            roots.append(element)
        if not empty:
            if len(stack) == ELEMENT_DEPTH_MAX:
                raise _format_error(f"more than {ELEMENT_DEPTH_MAX} levels of elements")
            stack.append(element)
    if stack:
        raise _format_error(f"<{stack[-1].name}> is never closed")
    return roots


def _read_attributes(attributes: str) -> dict[str, str]:
    return {
        found[1]: _unescape(found[2] if found[3] is None else found[3]) for found in _ATTRIBUTE.finditer(attributes)
    }


def _take_text(stack: list[Element], text: str, position: int) -> None:
    if stack and not stack[-1].children:
        stack[-1].text = text
    elif text.strip(_PADDING):
        raise _format_error(f"text outside an element at character {position + 1} of the folder")


def _unescape(text: str) -> str:
    return _ENTITY.sub(_replace_entity, text) if "&" in text else text


def _replace_entity(match: re.Match[str]) -> str:
    named, decimal, hexadecimal = match.groups()
    if named:
        return _ENTITIES[named]
    code = int(decimal) if decimal else int(hexadecimal, 16) if hexadecimal else -1
    if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise _format_error(f"'{match.string[match.start() : match.start() + 12]}' is not a character reference")
    return chr(code)


def serialize(elements: Iterable[Element]) -> str:
    """Elements as folder text: the inverse of `parse_elements`."""
    parts: list[str] = []
    pending: list[Element | str] = list(reversed(list(elements)))
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(f"<{item.name}")
        parts.extend(f" {name}='{value.translate(_ESCAPES)}'" for name, value in item.attributes.items())
        parts.append(">")
        if item.children:
            pending.append(f"</{item.name}>")
            pending.extend(reversed(item.children))
        else:
            parts.append(f"{item.text.translate(_ESCAPES)}</{item.name}>")
    return "".join(parts)


# ---- typed values


def is_element_name(name: str) -> bool:
    """Whether `name` can be the name of an element."""
    return re.fullmatch(_NAME, name) is not None


def element_value(element: Element) -> tuple[PropertyValue, int]:
    """The value of an element and its MQTYPE_*, by its dt attribute. An unknown dt reads as a string."""
    if element.attributes.get("xsi:nil") == "true":
        return None, MQTYPE_NULL
    text = element.text
    mqtype = _TYPE_OF_DT.get(element.attributes.get("dt", "string"), MQTYPE_STRING)
    if mqtype == MQTYPE_STRING:
        return text, mqtype
    value = text_value(text, mqtype)
    if value is None:
        dt = element.attributes["dt"]
        raise _format_error(f"'{text[:40]}' in <{element.name}> is not a value of dt='{dt}'")
    return value, mqtype


def text_value(text: str, mqtype: int) -> PropertyValue:
    """`text` read as a value of `mqtype`; None when it is not one."""
    if mqtype in _INTEGER_BITS:
        match = _INTEGER.fullmatch(text)
        if match is None:
            return None
        number = int(match[1])
        limit = 1 << (_INTEGER_BITS[mqtype] - 1)
        return number if -limit <= number < limit else None
    if mqtype == MQTYPE_BOOLEAN:
        return {"1": True, "true": True, "0": False, "false": False}.get(text.strip().lower())
    if mqtype == MQTYPE_BYTE_STRING:
        try:
            return bytes.fromhex(text)
        except ValueError:
            return None
    if mqtype in (MQTYPE_FLOAT32, MQTYPE_FLOAT64):
        if _FLOAT.fullmatch(text) is None:
            return None
        return round_float(float(text), mqtype)
    return text


def round_float(value: float, mqtype: int) -> float:
    """`value` as a 32-bit float would hold it, when the type is MQTYPE_FLOAT32."""
    if mqtype != MQTYPE_FLOAT32:
        return value
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def value_element(name: str, value: PropertyValue, mqtype: int) -> Element:
    """The element that carries `value`: the inverse of `element_value`."""
    if mqtype == MQTYPE_NULL or value is None:
        return Element(name, "", {"xsi:nil": "true"})
    if isinstance(value, str):
        return Element(name, value)
    return Element(name, value_text(value), {"dt": _DT_OF_TYPE[mqtype]})


def value_text(value: bytes | bool | int | float) -> str:
    """A value other than a string as it is written in a folder."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "INF" if value > 0 else "-INF"
        return repr(value)
    return str(value)
