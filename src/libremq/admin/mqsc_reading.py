"""From the text of a command to a `Command`: words, values in parentheses, filters. Errors say where.

Keywords are read in any case; values are folded to upper case unless they are quoted. What a command takes comes from
the command model, so there is nothing here about any particular command. Only the letters a to z are folded.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from libremq.admin import command_lookup, command_table
from libremq.admin.command import ALL, Command, Filter
from libremq.admin.command_spec import CommandSpec, Naming
from libremq.admin.display import OPERATORS
from libremq.kernel.objects.attributes import Attribute, GivenValue, Kind, convert
from libremq.mqi.errors import MQError

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_BLANK = re.compile(r"[\s,]*")
_LISTS = (Kind.ENUM_LIST, Kind.NAME_LIST, Kind.TEXT_LIST)
# Those that say which records are meant by attributes of the records themselves
_SELECTS_BY_ATTRIBUTES = ("CHLAUTH",)


class MqscSyntaxError(Exception):
    """A command that cannot be read: what is wrong, and how far it could be read."""

    def __init__(self, problem: str, text: str, position: int, *, unknown_command: bool = False) -> None:
        super().__init__(problem)
        self.problem = problem
        self.position = position
        self.segment = text[:position].rstrip()
        self.unknown_command = unknown_command


@dataclass(frozen=True, slots=True)
class _Item:
    """A word, perhaps with values in parentheses."""

    word: str
    start: int
    end: int
    values: tuple[str, ...] | None = None


def read_command(text: str) -> Command:
    """The command that a text means; MqscSyntaxError if it means none."""
    items = _items(text)
    if not items:
        raise MqscSyntaxError("a command is expected in column 1", text, 0)
    spec, items = _spec(text, items)
    return _Reader(text, spec).read(items)


# Words and values


def _items(text: str) -> list[_Item]:
    items: list[_Item] = []
    at = _skip(text, 0)
    while at < len(text):
        found = _WORD.match(text, at)
        if found is None:
            raise MqscSyntaxError(f"a keyword is expected in column {at + 1}, not {text[at]!r}", text, at + 1)
        end, values = found.end(), None
        after = _skip_blanks(text, end)
        if text[after : after + 1] == "(":
            values, end = _values(text, after, found.group().upper())
        items.append(_Item(found.group().upper(), at, end, values))
        at = _skip(text, end)
    return items


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _skip_blanks(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _values(text: str, start: int, word: str) -> tuple[tuple[str, ...], int]:
    """The values between parentheses, and where they end. Parentheses inside an unquoted value belong to it."""
    values: list[str] = []
    piece, depth, at = "", 0, start + 1
    begun = False
    while at < len(text):
        character = text[at]
        if character == "'":
            if piece or begun:
                raise _glued(text, at, word)
            piece, at = _quoted(text, at, word)
            begun = True
            continue
        if character == ")" and depth == 0:
            if begun or piece:
                values.append(piece)
            return tuple(values), at + 1
        if depth == 0 and (character.isspace() or character == ","):
            if begun or piece:
                values.append(piece)
            piece, begun = "", False
        elif begun:
            raise _glued(text, at, word)
        else:
            depth += (character == "(") - (character == ")")
            piece += _folded(character)
        at += 1
    raise MqscSyntaxError(f"the parenthesis after {word} in column {start + 1} is not closed", text, len(text))


def _folded(character: str) -> str:
    """In upper case, if it is a letter of names: others may become two letters, or one that names have."""
    return character.upper() if character.isascii() else character


def _glued(text: str, at: int, word: str) -> MqscSyntaxError:
    problem = f"a value of {word} is quoted only in part, at column {at + 1}; put quotes around all of it"
    return MqscSyntaxError(problem, text, at + 1)


def _quoted(text: str, start: int, word: str) -> tuple[str, int]:
    """A quoted value; two quotes are one inside it."""
    at, parts = start + 1, ""
    while True:
        end = text.find("'", at)
        if end < 0:
            raise MqscSyntaxError(f"the quote after {word} in column {start + 1} is not closed", text, len(text))
        parts += text[at:end]
        if text[end + 1 : end + 2] != "'":
            return parts, end + 1
        parts += "'"
        at = end + 2


# The command


def _spec(text: str, items: list[_Item]) -> tuple[CommandSpec, list[_Item]]:
    first = items[0]
    verb = command_lookup.verb(first.word)
    if first.word in command_table.ZOS_VERBS:
        raise MqscSyntaxError(f"{first.word} is a command of MQ for z/OS only", text, first.end)
    if verb is None or first.values is not None:
        close = _closest(first.word, command_table.VERB_ABBREVIATIONS)
        raise MqscSyntaxError(
            f"{first.word} in column {first.start + 1} is not a command{close}", text, first.end, unknown_command=True
        )
    objects = command_lookup.objects_of(verb)
    if len(items) < 2:
        raise MqscSyntaxError(f"{verb} needs one of {', '.join(objects)}", text, first.end)
    second = items[1]
    name = command_lookup.object_word(second.word)
    if second.word in command_table.ZOS_OBJECTS and name is None:
        raise MqscSyntaxError(f"{verb} {second.word} is a command of MQ for z/OS only", text, second.end)
    spec = command_lookup.find(verb, second.word)
    if spec is None:
        close = _closest(second.word, objects)
        raise MqscSyntaxError(
            f"{second.word} in column {second.start + 1} is nothing that {verb} works on; it takes "
            f"{', '.join(objects)}{close}",
            text,
            second.end,
        )
    return spec, items[1:]


def _closest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]}?" if close else ""


class _Reader:
    def __init__(self, text: str, spec: CommandSpec) -> None:
        self._text = text
        self._spec = spec
        self._known = command_lookup.parameters(spec)
        self._bare = command_lookup.bare_words(spec)
        self._parameters: dict[str, GivenValue] = {}
        self._requested: list[str] = []
        self._where: Filter | None = None

    def read(self, items: list[_Item]) -> Command:
        name = self._name(items[0])
        for item in items[1:]:
            if self._spec.shows:
                self._shown(item)
            else:
                self._given(item)
        for keyword in self._spec.required:
            if keyword not in self._parameters:
                raise MqscSyntaxError(f"{self._spec.words} needs {keyword}", self._text, len(self._text))
        return Command(self._spec, name, self._parameters, tuple(self._requested), self._where, source_text=self._text)

    def _name(self, item: _Item) -> str:
        naming, words = self._spec.naming, self._spec.words
        if item.values is None:
            if naming in (Naming.FULL, Naming.GENERIC):
                raise MqscSyntaxError(f"{words} needs {naming.value} in parentheses", self._text, item.end)
            return ""
        if naming is Naming.NONE and item.values:
            raise MqscSyntaxError(f"{words} takes no name", self._text, item.end)
        if len(item.values) > 1:
            raise MqscSyntaxError(f"{words} takes one name, not {len(item.values)}", self._text, item.end)
        return item.values[0] if item.values else ""

    def _given(self, item: _Item) -> None:
        """A parameter of a command that does something."""
        if item.values is None:
            bare = self._bare.get(item.word)
            if bare is None:
                raise self._unknown(item) if item.word not in self._known else self._no_value(item)
            self._store(item, bare[0], bare[1])
            return
        row = self._known.get(item.word)
        if row is None:
            raise self._unknown(item)
        if command_lookup.is_bare(row):
            raise MqscSyntaxError(
                f"{item.word} in column {item.start + 1} is written without parentheses: {' or '.join(row.words)}",
                self._text,
                item.end,
            )
        self._store(item, row, self._value(item, row))

    def _shown(self, item: _Item) -> None:
        """A part of a DISPLAY: an attribute asked for, or what to choose by."""
        if item.word == "WHERE":
            self._filter(item)
            return
        options = {keyword: row for row in self._spec.options for keyword in (row.keyword, *row.synonyms)}
        if item.values is None:
            bare = self._bare.get(item.word)
            if bare is not None and bare[0] in self._spec.options:
                self._store(item, bare[0], bare[1])
                return
            known = item.word in self._known or item.word in self._spec.groups or item.word == ALL
            if not known:
                raise self._unknown(item)
            self._requested.append(item.word)
            return
        row = options.get(item.word)
        if row is None and self._spec.object in _SELECTS_BY_ATTRIBUTES:
            row = self._known.get(item.word)
        if row is None:
            if item.word not in self._known:
                raise self._unknown(item)
            raise MqscSyntaxError(
                f"{item.word} in column {item.start + 1}: {self._spec.words} takes it without a value; "
                f"to choose by it use WHERE({item.word} EQ ...)",
                self._text,
                item.end,
            )
        self._store(item, row, self._value(item, row))

    def _value(self, item: _Item, row: Attribute) -> GivenValue:
        values = item.values or ()
        if row.kind in _LISTS:
            return values
        if len(values) > 1:
            raise MqscSyntaxError(
                f"{item.word} in column {item.start + 1} has {len(values)} values; put quotes around one with blanks "
                "or commas",
                self._text,
                item.end,
            )
        return values[0] if values else ""

    def _store(self, item: _Item, row: Attribute, value: GivenValue) -> None:
        if row.keyword in self._parameters:
            raise MqscSyntaxError(f"{item.word} in column {item.start + 1} is given twice", self._text, item.end)
        try:
            convert(row, value)
        except MQError as error:
            raise MqscSyntaxError(f"column {item.start + 1}: {error.detail}", self._text, item.end) from None
        self._parameters[row.keyword] = value

    def _filter(self, item: _Item) -> None:
        words = item.values or ()
        if self._where is not None:
            raise MqscSyntaxError(f"a second WHERE in column {item.start + 1}; there can be one", self._text, item.end)
        if len(words) != 3:
            raise MqscSyntaxError(
                f"WHERE in column {item.start + 1} takes an attribute, an operator and a value: WHERE(CURDEPTH GT 0)",
                self._text,
                item.end,
            )
        keyword, operator, value = words[0].upper(), words[1].upper(), words[2]
        row = self._filtered(keyword)
        if row is None:
            close = _closest(keyword, self._known)
            raise MqscSyntaxError(
                f"{keyword} in the WHERE in column {item.start + 1} is not an attribute that {self._spec.words} shows"
                f"{close}",
                self._text,
                item.end,
            )
        if operator not in OPERATORS:
            raise MqscSyntaxError(
                f"{operator} in the WHERE in column {item.start + 1} is not an operator: use {', '.join(OPERATORS)}",
                self._text,
                item.end,
            )
        self._where = Filter(row.keyword, OPERATORS[operator], value)

    def _filtered(self, keyword: str) -> Attribute | None:
        """The attribute that is compared. An option of DISPLAY that chooses by the same may have another keyword."""
        rows = command_lookup.attributes(self._spec.table)
        named = next((row for row in rows if keyword in (row.keyword, *row.synonyms)), None)
        option = self._known.get(keyword)
        if named is not None or option is None:
            return named
        return next((row for row in rows if row.selector == option.selector), None)

    def _unknown(self, item: _Item) -> MqscSyntaxError:
        known = [*self._known, *self._bare, *(("ALL", "WHERE", *self._spec.groups) if self._spec.shows else ())]
        close = _closest(item.word, known)
        return MqscSyntaxError(
            f"{item.word} in column {item.start + 1} is not a parameter of {self._spec.words}{close}",
            self._text,
            item.start + len(item.word),
        )

    def _no_value(self, item: _Item) -> MqscSyntaxError:
        return MqscSyntaxError(
            f"{item.word} in column {item.start + 1} needs a value in parentheses", self._text, item.end
        )
