"""From lines to commands: MQSC's rules for continuation, comments and ends of commands. No meaning yet.

A plus as last character goes on at the first non-blank of the next line, a minus at its first column. A line that
begins with an asterisk is a comment, also between the lines of one command. In the middle of a quoted value only one
behind a plus is, with the asterisk in the first column: a value may go on with an asterisk behind blanks, or behind a
minus. A semicolon ends a command early. A line may be as long as a command; MQ reads 2048 characters of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

COMMAND_MAX = 32768


@dataclass(slots=True)
class CommandText:
    """A command as it was typed: its lines, and the text they make up. Without text: a comment or an empty line."""

    lines: list[str] = field(default_factory=list)
    text: str = ""
    problem: str = ""
    """What keeps it from being read at all."""

    whole: str = ""
    """What all of its lines make up: this command, and those that share a line with it."""


class LineReader:
    """Takes lines, gives commands. In the middle of a command `pending` says so, for a prompt."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._text = ""
        self._problem = ""
        self._from_column_one = False

    @property
    def pending(self) -> bool:
        return bool(self._lines)

    def take(self, line: str) -> Iterator[CommandText]:
        line = line.rstrip("\r\n")
        in_a_value = bool(self._lines) and _open_quote(self._text)
        in_column_one = self._from_column_one or in_a_value
        begins_with_comment = line.startswith("*") if in_column_one else line.lstrip().startswith("*")
        if begins_with_comment and not (in_a_value and self._from_column_one):
            if self._lines:
                self._lines.append(line)
            else:
                yield CommandText([line])
            return
        if not self._lines and not line.strip():
            yield CommandText([line])
            return
        self._lines.append(line)
        if len(line) + len(self._text) > COMMAND_MAX:
            # Its other lines belong to it all the same: they are no commands of their own
            self._text, self._problem = "", f"the command has more than {COMMAND_MAX} characters"
        stripped = line.rstrip()
        piece = stripped if self._from_column_one or not self._text else stripped.lstrip()
        if stripped.endswith(("+", "-")):
            self._from_column_one = stripped.endswith("-")
            self._text += piece[:-1] if not self._problem else ""
            return
        self._text += piece
        yield from self._split()

    def end(self) -> Iterator[CommandText]:
        """The input is over: a command whose last line promised more is run as it is."""
        if self._lines:
            yield from self._split()

    def _split(self) -> Iterator[CommandText]:
        lines, text, problem = self._lines, self._text, self._problem
        self._lines, self._text, self._problem, self._from_column_one = [], "", "", False
        if problem:
            yield CommandText(lines, "", problem)
            return
        for number, part in enumerate(_split_at_semicolons(text) or [""]):
            yield CommandText(lines if not number else [], part, whole=text)


def _open_quote(text: str) -> bool:
    return text.count("'") % 2 == 1


def _split_at_semicolons(text: str) -> list[str]:
    parts, start, quoted = [], 0, False
    for at, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        elif character == ";" and not quoted:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def commands_in(lines: Iterable[str] | str) -> Iterator[CommandText]:
    """Everything in a file or text, comments and empty lines too."""
    reader = LineReader()
    # Not splitlines: of all that Unicode takes for the end of a line only one is one here
    for line in lines.split("\n") if isinstance(lines, str) else lines:
        yield from reader.take(line)
    yield from reader.end()
