"""The words of a transcript: how values are written in a command and shown in a reply.

Constants are written without their prefix in lower case (`persistent`, `coa_with_data+pass_msg_id`). What the queue
manager makes up is shown by a name that is the same in every run: id1, id2, ... for identifiers in order of
appearance, {1}, {2}, ... for the unique part of dynamic queue names.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from libremq.mqi import constants as C
from libremq.mqi.constant_names import names_of, value_of
from libremq.mqi.structs import Structure

# Field -> prefixes of the constants that it takes, the first that knows a word or value wins
PREFIXES: dict[str, tuple[str, ...]] = {
    "Action": ("MQACTP",), "CallType": ("MQCBCT",), "CodedCharSetId": ("MQCCSI",), "CompCode": ("MQCC",),
    "Context": ("MQPD",), "CopyOptions": ("MQCOPY",), "Encoding": ("MQENC",), "Expiry": ("MQEI",),
    "Feedback": ("MQFB", "MQRC"), "MatchOptions": ("MQMO",), "MsgFlags": ("MQMF",), "MsgType": ("MQMT",),
    "ObjectType": ("MQOT",), "OriginalLength": ("MQOL",), "Persistence": ("MQPER",), "Priority": ("MQPRI",),
    "PutApplType": ("MQAT",), "PutMsgRecFields": ("MQPMRF",), "Reason": ("MQRC",), "Report": ("MQRO",),
    "State": ("MQCS",), "Support": ("MQPD",), "WaitInterval": ("MQWI",),
    # attributes by MQINQ and MQSET
    "INHIBIT_GET": ("MQQA_GET",), "INHIBIT_PUT": ("MQQA_PUT",), "TRIGGER_CONTROL": ("MQTC",),
    "TRIGGER_TYPE": ("MQTT",), "DEFINITION_TYPE": ("MQQDT",), "Q_TYPE": ("MQQT",), "USAGE": ("MQUS",),
    "DEF_PERSISTENCE": ("MQPER",), "DIST_LISTS": ("MQDL",), "HARDEN_GET_BACKOUT": ("MQQA_BACKOUT",),
}  # fmt: skip
_FLAGS = frozenset({"Report", "MsgFlags", "MatchOptions", "CopyOptions", "PutMsgRecFields"})
_SPELLED = {("PutApplType", C.MQAT_UNIX): "unix"}  # of several names for one value
_NOT_FLAGS = re.compile(r"_MASK$|_NONE$|_DEFAULT$")
_RUN = 8  # as many equal characters are shown as 'x'*8
_SHOWN_BYTES_MAX = 64
_LITERAL = re.compile(r"(?P<kind>[xe]?)'(?P<text>(?:[^']|'')*)'(?:\*(?P<times>\d+))?(?:\+|$)")


class TranscriptError(Exception):
    """The script itself is wrong: an unknown word, a missing handle."""


# ---- words of a command


def split(line: str) -> list[str]:
    """The words of a command line; quotes keep blanks together."""
    words = re.findall(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""", line)
    if "".join(words) != re.sub(r"""\s+(?=(?:[^'"]|'[^']*'|"[^"]*")*$)""", "", line):
        raise TranscriptError(f"quotes do not match: {line}")
    return words


def is_data(word: str) -> bool:
    return _LITERAL.match(word) is not None


def to_bytes(word: str) -> bytes:
    """'text', x'hex', e'EBCDIC text', each with *times, joined by +."""
    data, at = b"", 0
    while at < len(word):
        found = _LITERAL.match(word, at)
        if found is None:
            raise TranscriptError(f"not data: {word}")
        text = found["text"].replace("''", "'")
        part = bytes.fromhex(text) if found["kind"] == "x" else text.encode("cp500" if found["kind"] else "utf-8")
        data += part * int(found["times"] or 1)
        at = found.end()
    return data


def to_text(word: str) -> str:
    """A value that is text: quoted (either way), or bare."""
    if word[:1] == '"' and word[-1:] == '"':
        return word[1:-1]
    return to_bytes(word).decode() if is_data(word) else word


def constant(prefix: str, word: str) -> int | None:
    value = value_of(f"{prefix}_{word.upper()}")
    return value if isinstance(value, int) else None


def to_number(name: str, word: str) -> int:
    """A number, or words of the constants that the field takes, joined by +."""
    total = 0
    for part in word.split("+"):
        if re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", part):
            total |= int(part, 0)
            continue
        for prefix in PREFIXES.get(name, ()):
            value = constant(prefix, part)
            if value is not None:
                total |= value
                break
        else:
            raise TranscriptError(f"{part!r} is no value of {name}")
    return total


# ---- replies


def show_bytes(data: bytes) -> str:
    """Data as it is written in a command: text where it is text, runs shortened."""
    if not data:
        return "''"
    if all(32 <= byte < 127 for byte in data):
        return _runs(data.decode().replace("'", "''"))
    if len(data) > _SHOWN_BYTES_MAX:
        return f"x'{data[:_SHOWN_BYTES_MAX].hex()}'... of {len(data)} bytes"
    return f"x'{data.hex()}'"


def _runs(text: str) -> str:
    parts: list[str] = []
    plain = ""
    for character, group in groupby(text):
        length = len(list(group))
        if length < _RUN:
            plain += character * length
            continue
        if plain:
            parts.append(f"'{plain}'")
            plain = ""
        parts.append(f"'{character}'*{length}")
    if plain:
        parts.append(f"'{plain}'")
    return "+".join(parts)


def show_number(name: str, value: int) -> str:
    prefixes = PREFIXES.get(name)
    if prefixes is None or name == "Encoding":
        return str(value)
    if name in _FLAGS:
        return _flags(prefixes[0], value) if value else "none"
    if (name, value) in _SPELLED:
        return _SPELLED[name, value]
    for prefix in prefixes:
        found = names_of(prefix).get(value)
        if found is not None:
            return found.removeprefix(prefix + "_").lower()
    return str(value)


def _flags(prefix: str, value: int) -> str:
    words: list[str] = []
    names = [(number, name) for number, name in names_of(prefix).items() if isinstance(number, int) and number > 0]
    rest = value & 0xFFFFFFFF
    for number, name in sorted(names, key=lambda item: (-item[0].bit_count(), item[0])):
        if rest & number == number and not _NOT_FLAGS.search(name):
            words.append(name.removeprefix(prefix + "_").lower())
            rest &= ~number
    if rest:
        words.append(f"{rest:#x}")
    return "+".join(words)


class Names:
    """The names that a transcript gives to what the queue manager made up."""

    def __init__(self) -> None:
        self._ids: dict[bytes, str] = {}
        self._unique: dict[str, str] = {}

    def show_id(self, value: bytes) -> str:
        if not value.strip(b"\0"):
            return "none"
        text = value.rstrip(b"\0")
        if not value.startswith(b"AMQ ") and all(32 <= byte < 127 for byte in text):
            return f"'{text.decode()}'"
        return self._ids.setdefault(value, f"id{len(self._ids) + 1}")

    def to_id(self, word: str, length: int) -> bytes:
        if word == "none":
            return bytes(length)
        for value, name in self._ids.items():
            if name == word:
                return value
        if not is_data(word):
            raise TranscriptError(f"no identifier {word} was shown so far")
        return to_bytes(word).ljust(length, b"\0")

    def made(self, pattern: str, name: str) -> None:
        """A dynamic queue was made: give the unique part of its name a name."""
        if pattern.endswith("*"):
            self._unique.setdefault(name[len(pattern) - 1 :], f"{{{len(self._unique) + 1}}}")

    def show_text(self, text: str) -> str:
        for unique, name in self._unique.items():
            text = text.replace(unique, name)
        return text if re.fullmatch(r"[\w.@/%{}*-]+", text) else f"'{text}'"

    def real(self, text: str) -> str:
        for unique, name in self._unique.items():
            text = text.replace(name, unique)
        return text

    def show(self, name: str, value: Any) -> str:
        if isinstance(value, bytes):
            return self.show_id(value)
        if isinstance(value, bool) or not isinstance(value, int):
            return self.show_text(str(value))
        return show_number(name, value)

    # Structures

    def set_field(self, structures: list[Structure], name: str, word: str) -> bool:
        """Set a field of whichever structure has it; the case of its name does not matter."""
        found = field_of(structures, name)
        if found is None:
            return False
        structure, field = found
        default = getattr(type(structure), field)
        if isinstance(default, bytes):
            value: Any = self.to_id(word, len(default) or 24)
        elif isinstance(default, int):
            value = to_number(field, word)
        else:
            value = self.real(to_text(word))
        setattr(structure, field, value)
        return True

    def show_fields(self, structures: list[Structure], names: list[str]) -> str:
        shown = ""
        for name in names:
            found = field_of(structures, name)
            if found is None:
                raise TranscriptError(f"no structure here has a field {name}")
            structure, field = found
            shown += f" {field}={self.show(field, getattr(structure, field))}"
        return shown


def field_of(structures: list[Structure], name: str) -> tuple[Structure, str] | None:
    for structure in structures:
        for field in structure._names:
            if field.lower() == name.lower() and field not in ("StrucId", "Version", "Options"):
                return structure, field
    return None


def reason_text(reason: int, comp_code: int, name: str = "") -> str:
    shown = name or names_of("MQRC").get(reason) or names_of("MQRCCF").get(reason) or "MQRC"
    return f"{shown} ({reason}) {'warning' if comp_code == C.MQCC_WARNING else 'failed'}"
