"""The structures of the MQI as they travel: pointers have four bytes, text is blank padded, versions are of any length.

Most structures of a session are the same again and again: the options of a thousand puts, the descriptor that an
application starts from. So packing and unpacking look first whether they have done just that before; a table is emptied
when it is full. MQMD has a module of its own.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from libremq.mqi.structs import MQGMO, MQOD, MQPMO, Structure
from libremq.wire.protocol import ProtocolError, Status

_S = TypeVar("_S", bound=Structure)
_REMEMBERED_MAX = 2048
_BLANKS = b" "
_TEXTS = ("ObjectString", "SelectionString", "ResObjectString")


class WireStructure(Generic[_S]):
    """How one structure is laid out: a list of fields with struct codes, and how many of them each version has."""

    def __init__(self, structure: type[_S], fields: Sequence[tuple[str, str]], versions: Mapping[int, str]) -> None:
        self._class = structure
        self._by_version: dict[int, _Layout] = {}
        names = [name for name, _ in fields]
        for version, last in versions.items():
            self._by_version[version] = _Layout(structure, fields[: names.index(last) + 1])
        self._current = self._by_version[max(versions)]
        self._packed: dict[tuple[tuple[str, Any], ...], bytes] = {}
        self._unpacked: dict[bytes, dict[str, Any]] = {}
        # Texts of any length are no part of the bytes, and would make a table of them large
        self._texts = frozenset(name for name in _TEXTS if hasattr(structure, name))

    def size(self, version: int) -> int:
        return self._by_version.get(version, self._current).length

    def pack(self, value: _S) -> bytes:
        """struct.error, ValueError or TypeError if a field does not fit: the caller knows the reason code for it."""
        try:
            if self._texts and not self._texts.isdisjoint(value.__dict__):
                return self._layout_of(value.Version).pack(value)  # type: ignore[attr-defined]
            key = tuple(value.__dict__.items())
            found = self._packed.get(key)
        except TypeError:  # a value that cannot be a key
            return self._layout_of(value.Version).pack(value)  # type: ignore[attr-defined]
        if found is None:
            found = self._layout_of(value.Version).pack(value)  # type: ignore[attr-defined]
            if len(self._packed) >= _REMEMBERED_MAX:
                self._packed.clear()
            self._packed[key] = found
        return found

    def _layout_of(self, version: object) -> _Layout:
        # An unknown version travels in the longest form, and the queue manager refuses it with its reason code
        return self._by_version.get(version, self._current) if isinstance(version, int) else self._current

    def unpack(self, body: bytes, offset: int, *, big_endian: bool = False, charset: str = "latin-1") -> tuple[_S, int]:
        """The structure at an offset, and the offset behind it."""
        if len(body) < offset + 8:
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"no room for the {self._class.__name__}")
        version = int.from_bytes(body[offset + 4 : offset + 8], "big" if big_endian else "little", signed=True)
        layout = self._by_version.get(version, self._current)
        end = offset + layout.length
        if len(body) < end:
            raise ProtocolError(Status.PROTOCOL_LENGTH_ERROR, f"the {self._class.__name__} is cut short")
        new = self._class.__new__(self._class)
        if big_endian or charset != "latin-1":
            new.__dict__.update(layout.unpack(body, offset, big_endian, charset))
            return new, end
        raw = body[offset:end]
        found = self._unpacked.get(raw)
        if found is None:
            found = layout.unpack(body, offset, big_endian, charset)
            if len(self._unpacked) >= _REMEMBERED_MAX:
                self._unpacked.clear()
            self._unpacked[raw] = found
        new.__dict__.update(found)
        return new, end


class _Layout:
    """One version of a structure. Fields in lower case are of the wire only, and zero."""

    __slots__ = ("_fields", "_structs", "length")

    def __init__(self, structure: type[Structure], fields: Sequence[tuple[str, str]]) -> None:
        self._fields = [
            (name, code, getattr(structure, name) if name[0].isupper() else 0, code[-1] == "s") for name, code in fields
        ]
        codes = "".join(code for _, code in fields)
        self._structs = {False: struct.Struct("<" + codes), True: struct.Struct(">" + codes)}
        self.length = self._structs[False].size

    def pack(self, value: Structure) -> bytes:
        values = []
        changed = value.__dict__
        for name, code, default, text in self._fields:
            given = changed.get(name, default)
            if text:
                length = int(code[:-1])
                if isinstance(given, str):
                    given = given.encode("latin-1").ljust(length, _BLANKS)
                    if len(given) > length:
                        given = given.rstrip(b" \0").ljust(length, _BLANKS)
                if len(given) > length:
                    raise ValueError(f"{name} is longer than its field of {length} bytes")
            elif type(given) is int and 1 << 31 <= given < 1 << 32 and code == "i":
                given -= 1 << 32  # a mask that is written without sign
            values.append(given)
        return self._structs[False].pack(*values)

    def unpack(self, body: bytes, offset: int, big_endian: bool, charset: str) -> dict[str, Any]:
        values = self._structs[big_endian].unpack_from(body, offset)
        found: dict[str, Any] = {}
        for (name, _, default, text), value in zip(self._fields, values):
            if not name[0].isupper():
                continue
            if text and isinstance(default, str):
                value = value.decode(charset)
                if len(value) > 1:
                    nul = value.find("\0")
                    value = (value if nul < 0 else value[:nul]).rstrip(" ")
                if value == default.rstrip(" ") and default.strip():
                    continue
            if value != default:
                found[name] = value
        return found


def _text_reference(name: str) -> list[tuple[str, str]]:
    """An MQCHARV: the text itself follows elsewhere."""
    lower = name[0].lower() + name[1:]
    return [
        (f"{lower}Ptr", "I"),
        (f"{lower}Offset", "I"),
        (f"{lower}Size", "I"),
        (f"{lower}Len", "I"),
        (f"{lower}Ccsid", "i"),
    ]


_OD_FIELDS: list[tuple[str, str]] = [
    ("StrucId", "4s"), ("Version", "i"), ("ObjectType", "i"), ("ObjectName", "48s"), ("ObjectQMgrName", "48s"),
    ("DynamicQName", "48s"), ("AlternateUserId", "12s"), ("RecsPresent", "i"), ("KnownDestCount", "i"),
    ("UnknownDestCount", "i"), ("InvalidDestCount", "i"), ("objectRecOffset", "I"), ("responseRecOffset", "I"),
    ("objectRecPtr", "I"), ("responseRecPtr", "I"), ("AlternateSecurityId", "40s"), ("ResolvedQName", "48s"),
    ("ResolvedQMgrName", "48s"), *_text_reference("ObjectString"), *_text_reference("SelectionString"),
    *_text_reference("ResObjectString"), ("ResolvedType", "i"),
]  # fmt: skip
OD = WireStructure(
    MQOD, _OD_FIELDS, {1: "AlternateUserId", 2: "responseRecPtr", 3: "ResolvedQMgrName", 4: "ResolvedType"}
)
_PMO_FIELDS: list[tuple[str, str]] = [
    ("StrucId", "4s"), ("Version", "i"), ("Options", "i"), ("Timeout", "i"), ("Context", "i"), ("KnownDestCount", "i"),
    ("UnknownDestCount", "i"), ("InvalidDestCount", "i"), ("ResolvedQName", "48s"), ("ResolvedQMgrName", "48s"),
    ("RecsPresent", "i"), ("PutMsgRecFields", "i"), ("putMsgRecOffset", "I"), ("responseRecOffset", "I"),
    ("putMsgRecPtr", "I"), ("responseRecPtr", "I"), ("OriginalMsgHandle", "q"), ("NewMsgHandle", "q"),
    ("Action", "i"), ("PubLevel", "i"),
]  # fmt: skip
PMO = WireStructure(MQPMO, _PMO_FIELDS, {1: "ResolvedQMgrName", 2: "responseRecPtr", 3: "PubLevel"})
_GMO_FIELDS: list[tuple[str, str]] = [
    ("StrucId", "4s"), ("Version", "i"), ("Options", "i"), ("WaitInterval", "i"), ("Signal1", "i"), ("Signal2", "i"),
    ("ResolvedQName", "48s"), ("MatchOptions", "i"), ("GroupStatus", "1s"), ("SegmentStatus", "1s"),
    ("Segmentation", "1s"), ("Reserved1", "1s"), ("MsgToken", "16s"), ("ReturnedLength", "i"), ("Reserved2", "i"),
    ("MsgHandle", "q"),
]  # fmt: skip
_GMO = WireStructure(MQGMO, _GMO_FIELDS, {1: "ResolvedQName", 2: "Reserved1", 3: "ReturnedLength", 4: "MsgHandle"})
_TOKEN = slice(80, 96)  # of an MQGMO: the one field that differs from message to message
_NO_TOKEN = bytes(16)


class _GetOptions:
    """MQGMO: packed and unpacked without its message token, which would keep any two from being alike."""

    @staticmethod
    def pack(gmo: MQGMO) -> bytes:
        fields = gmo.__dict__
        token: bytes | None = fields.get("MsgToken")
        if token is None or gmo.Version < 3:
            return _GMO.pack(gmo)
        if len(token) > len(_NO_TOKEN):
            raise ValueError("MsgToken is longer than its field of 16 bytes")
        del fields["MsgToken"]
        try:
            packed = _GMO.pack(gmo)
        finally:
            fields["MsgToken"] = token
        return packed[: _TOKEN.start] + token.ljust(16, b"\0") + packed[_TOKEN.stop :]

    @staticmethod
    def unpack(body: bytes, offset: int, *, big_endian: bool = False, charset: str = "latin-1") -> tuple[MQGMO, int]:
        start = offset + _TOKEN.start
        token = body[start : start + 16]
        if token == _NO_TOKEN or len(token) < 16 or body[offset + 4 : offset + 8] not in _WITH_TOKEN or big_endian:
            return _GMO.unpack(body, offset, big_endian=big_endian, charset=charset)
        gmo, length = _GMO.unpack(body[offset:start] + _NO_TOKEN + body[start + 16 : offset + 112], 0, charset=charset)
        gmo.__dict__["MsgToken"] = token
        return gmo, offset + length

    @staticmethod
    def size(version: int) -> int:
        return _GMO.size(version)


_WITH_TOKEN = (b"\3\0\0\0", b"\4\0\0\0")
GMO = _GetOptions
