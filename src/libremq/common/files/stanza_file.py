"""A file of stanzas, as qm.ini is one, read so that it can be written back with one value changed and the rest kept.

    # a comment
    Log:
       LogPrimaryFiles=3

Lines are kept as they are; an entry is a place in a line. Names of stanzas and keys mean the same in any case. A
comment is a line that begins with `#` or `;`: not the end of a line, as a path may hold either sign.
"""

from __future__ import annotations

from typing import NamedTuple

_INDENT = "   "


class Entry(NamedTuple):
    """`key=value` in a stanza. `line` counts from 1."""

    stanza: str
    key: str
    value: str
    line: int


class Header(NamedTuple):
    """The first line of a stanza."""

    stanza: str
    line: int


class Problem(NamedTuple):
    """A line that cannot be used, and why; it is kept all the same."""

    line: int
    text: str


class StanzaFile:
    """The lines of a file and what they say."""

    __slots__ = ("_ending", "_last", "_lines", "entries", "headers", "problems")

    def __init__(self, text: str = "") -> None:
        self._ending = "\r" if "\r\n" in text else ""
        self._lines = text.split("\n")
        if self._lines[-1] == "":
            self._lines.pop()
        self.entries: list[Entry] = []
        self.headers: list[Header] = []
        self.problems: list[Problem] = []
        self._last: dict[tuple[str, str], Entry] = {}
        self._parse()

    def _parse(self) -> None:
        self.entries.clear()
        self.headers.clear()
        self.problems.clear()
        self._last.clear()
        stanza = ""
        for number, raw in enumerate(self._lines, 1):
            line = raw.removeprefix("\ufeff").strip()
            if not line or line[0] in "#;":
                continue
            key, equals, value = line.partition("=")
            key = key.rstrip()
            if not equals and line.endswith(":") and line[:-1].strip():
                stanza = line[:-1].strip()
                self.headers.append(Header(stanza, number))
            elif not equals or not key:
                self.problems.append(Problem(number, f"{shown(line)} is no stanza, no key=value and no comment"))
            elif not stanza:
                self.problems.append(Problem(number, f"{shown(key)} stands before the first stanza"))
            else:
                entry = Entry(stanza, key, value.lstrip(), number)
                self.entries.append(entry)
                self._last[stanza.casefold(), key.casefold()] = entry

    def find(self, stanza: str, key: str) -> Entry | None:
        """The entry that counts: the last one, if there are several."""
        return self._last.get((stanza.casefold(), key.casefold()))

    def set(self, stanza: str, key: str, value: str) -> None:
        """Change the entry that counts, or add one at the end of its stanza, or a stanza at the end of the file."""
        entry = self.find(stanza, key)
        if entry is not None:
            raw = self._lines[entry.line - 1]
            front, _, rest = raw.partition("=")
            gap = rest[: len(rest) - len(rest.lstrip(" \t"))]
            ending = "\r" if raw.endswith("\r") else ""
            self._lines[entry.line - 1] = f"{front}={gap}{value}{ending}"
        else:
            line = f"{_INDENT}{key}={value}{self._ending}"
            wanted = stanza.casefold()
            places = [header.line for header in self.headers if header.stanza.casefold() == wanted]
            places += [other.line for other in self.entries if other.stanza.casefold() == wanted]
            if places:
                self._lines.insert(max(places), line)
            else:
                self._lines += [f"{stanza}:{self._ending}", line]
        self._parse()

    def text(self) -> str:
        return "".join(line + "\n" for line in self._lines)


def shown(text: str) -> str:
    """Something a user wrote, short and without surprises for a terminal."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
