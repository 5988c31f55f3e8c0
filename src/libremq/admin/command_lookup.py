"""The command model as the syntaxes use it: which command words mean, what it takes, by keyword or PCF id."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from libremq.admin.command_spec import CommandSpec
from libremq.admin.command_table import COMMANDS, OBJECT_ABBREVIATIONS, VERB_ABBREVIATIONS
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, SUB_TABLE, TABLES
from libremq.kernel.objects.attributes import Attribute
from libremq.kernel.objects.status_tables import STATUS_TABLES

_BY_WORDS: dict[tuple[str, str], CommandSpec] = {(spec.verb, spec.object): spec for spec in COMMANDS}
_VERBS: dict[str, str] = {
    word: verb for verb, short in VERB_ABBREVIATIONS.items() for word in (verb, *short)
}  # fmt: skip
_OBJECTS: dict[str, str] = {spec.object: spec.object for spec in COMMANDS} | {
    word: name for name, short in OBJECT_ABBREVIATIONS.items() for word in short
}
_EVERY = {**TABLES, **STATUS_TABLES, "SUB": SUB_TABLE}
BY_PCF: dict[int, tuple[CommandSpec, ...]] = {
    code: tuple(spec for spec in COMMANDS if code in spec.pcf) for one in COMMANDS for code in one.pcf
}


def verb(word: str) -> str | None:
    """The verb that a word or abbreviation means."""
    return _VERBS.get(word.upper())


def object_word(word: str) -> str | None:
    return _OBJECTS.get(word.upper())


def find(verb_word: str, object_name: str) -> CommandSpec | None:
    """The command of these words, which may be abbreviated."""
    return _BY_WORDS.get((verb(verb_word) or "", object_word(object_name) or ""))


def objects_of(verb_name: str) -> list[str]:
    return [spec.object for spec in COMMANDS if spec.verb == verb_name]


@cache
def attributes(table: str) -> tuple[Attribute, ...]:
    """All attribute rows of a kind of object or status, in order; of all its types, for a sort of object (QUEUE)."""
    found: dict[str, Attribute] = {}
    for name in _tables_of(table):
        for row in _EVERY[name]:
            found.setdefault(row.keyword, row)
    return tuple(found.values())


def _tables_of(table: str) -> Iterable[str]:
    if not table:
        return ()
    if table in GENERIC_TYPES:
        return GENERIC_TYPES[table]
    # The status of a thing, and of its handles
    return [table, *(name for name in STATUS_TABLES if name.startswith(table + "."))]


def _rows(spec: CommandSpec) -> tuple[Attribute, ...]:
    return (*spec.options, *attributes(spec.table)) if spec.takes_attributes or spec.shows else spec.options


@cache
def parameters(spec: CommandSpec) -> dict[str, Attribute]:
    """Everything that may stand in the command, by keyword and synonym."""
    rows: dict[str, Attribute] = {}
    for row in _rows(spec):
        for keyword in (row.keyword, *row.synonyms):
            rows.setdefault(keyword, row)
    return rows


@cache
def by_selector(spec: CommandSpec) -> dict[int, Attribute]:
    """The same by PCF id."""
    rows: dict[int, Attribute] = {}
    for row in _rows(spec):
        rows.setdefault(row.selector, row)
    return rows


def is_bare(row: Attribute) -> bool:
    """Written without parentheses, as one of its words: SHARE, NOSHARE."""
    return row.keyword in row.words


def bare_words(spec: CommandSpec) -> dict[str, tuple[Attribute, str]]:
    """The words that stand for themselves in the command: each with its row."""
    return {word: (row, word) for row in parameters(spec).values() if is_bare(row) for word in row.words}
