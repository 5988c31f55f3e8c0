"""The language of MQSC against whatever is typed: each text is a command or says where it is wrong, and no more.

Commands that are right are made from the command model, so a new row there is tried here without more ado.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import libremq
from helper_rows import over_rows
from libremq.admin import command_lookup
from libremq.admin.command import Command, Filter
from libremq.admin.command_spec import CommandSpec, Naming
from libremq.admin.command_table import COMMANDS
from libremq.admin.display import OPERATORS
from libremq.admin.mqsc_lines import COMMAND_MAX, CommandText, LineReader, commands_in
from libremq.admin.mqsc_reading import MqscSyntaxError, read_command
from libremq.admin.mqsc_session import SYNTAX, check_text
from libremq.admin.plain_values import plain
from libremq.client.queue_manager import QueueManager
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, TABLES
from libremq.kernel.objects.attributes import Attribute, GivenValue, Kind, Source, convert
from libremq.tools.configuration_dump import parameter_text

# Any text

_PIECES = (
    "DEFINE", "def", "ALTER", "DISPLAY", "DIS", "DELETE", "SET", "START", "QLOCAL", "ql", "QMGR", "CHANNEL", "CHLAUTH",
    "AUTHREC", "CHLTYPE(SVRCONN)", "(A)", "('a b')", "(A B)", "( )", "()", "(", ")", "((", "))", "'", "''", ",", ";",
    "+", "-", "*", " ", "\t", "\n", "+\n", "-\n", "DESCR", "MAXDEPTH(5)", "MAXDEPTH(-1)", "MAXDEPTH(99999999999)",
    "REPLACE", "NOREPLACE", "LIKE", "WHERE(", "WHERE(CURDEPTH GT 0)", "EQ", "ALL", "TYPE", "\0", "é", "ß", "\u2028",
    "\ud800", "\U0001f600", "END", "PSID", "ARCHIVE",
)  # fmt: skip
_TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(_PIECES), max_size=14).map(" ".join),
    st.lists(st.sampled_from(_PIECES), max_size=14).map("".join),
)


def check_error(error: MqscSyntaxError, text: str) -> None:
    """It says a keyword of the text, or a column of it."""
    column = re.search(r"column (\d+)", error.problem)
    words = {word.upper() for word in re.findall(r"[A-Za-z]\w*", text)}
    wholes = [(word, command_lookup.verb(word), command_lookup.object_word(word)) for word in words]
    named = {full for whole in wholes for full in whole if full}
    assert column or named & set(re.findall(r"\w+", error.problem)), (text, error.problem)
    if column:
        assert 1 <= int(column[1]) <= len(text) + 1
    assert 0 <= error.position <= len(text)


@settings(max_examples=600)
@given(_TEXTS)
@example("DEFINE QLOCAL(" + "(" * 5000)
@example("DEFINE QLOCAL(" + "(" * 5000 + ")" * 5000 + ")")
@example("DEFINE QLOCAL('" + "''" * 10_000)
@example("DEFINE " * 10_000)
@example("x" * 100_000)
@example("DEFINE QLOCAL(A) DESCR('" + "x" * 100_000 + "')")
@example("DEFINE QLOCAL(A)" + " " * 100_000 + ";")
@example("DEFINE QLOCAL(A) DESCR('\0\0')")
@example("+\n" * 5_000)
@example("-\n*-\n'*-\n")
def test_any_text_is_a_command_or_says_what_is_wrong(text: str) -> None:
    for found in commands_in(text):
        if not found.text:
            continue
        assert len(found.text) <= COMMAND_MAX
        try:
            assert isinstance(read_command(found.text), Command)
        except MqscSyntaxError as error:
            check_error(error, found.text)


@settings(max_examples=200)
@given(_TEXTS)
@example("DEFINE QLOCAL(" + "(" * 50_000)
@example("DEFINE QLOCAL('" + "''" * 50_000)
@example("DEFINE" + "\t" * 100_000)
@example("DEFINE QLOCAL(A) " + "DESCR " * 20_000)
@example("\n\r\n DEFINE\nQLOCAL(A)")
def test_a_text_that_nobody_has_cut_into_lines(text: str) -> None:
    try:
        read_command(text)
    except MqscSyntaxError as error:
        check_error(error, text)


@settings(max_examples=200)
@given(st.lists(st.text("DEFINQLOCA()'+-*; \t\0é", max_size=12), max_size=12))
def test_lines_are_neither_lost_nor_repeated(lines: list[str]) -> None:
    """What is echoed is what was typed, in its order."""
    reader = LineReader()
    found = [one for line in lines for one in reader.take(line + "\r\n")]
    found += reader.end()
    assert [line for one in found for line in one.lines] == lines
    assert not reader.pending


def test_a_command_that_is_too_long_takes_all_its_lines_with_it() -> None:
    lines = ["DEFINE QLOCAL(A) +", "DESCR('" + "x" * COMMAND_MAX + "') +", "+", "DELETE QLOCAL(B)", "PING QMGR"]
    found = list(commands_in(lines))
    assert [one.lines for one in found] == [lines[:4], lines[4:]]
    command, answer = check_text(found[0])
    assert (command, answer.state) == (None, SYNTAX)
    assert str(COMMAND_MAX) in answer.lines[-1]
    assert check_text(found[1])[0] is not None


def test_only_the_end_of_a_line_ends_a_line() -> None:
    [found] = commands_in("DEFINE QLOCAL(A) DESCR('one\u2028two\x0cthree\x85four')")
    assert read_command(found.text).parameters == {"DESCR": "one\u2028two\x0cthree\x85four"}


# Commands that are right

_NAME_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/%"
_TEXT_LETTERS = st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc", "Zl", "Zp"))


def _short(row: Attribute, text: str) -> bool:
    return len(text.encode()) <= row.max_length


def given_values(row: Attribute) -> st.SearchStrategy[GivenValue]:
    """Values as MQSC hands them over."""
    if row.kind is Kind.ENUM or command_lookup.is_bare(row):
        return st.sampled_from(list(row.words))
    if row.kind is Kind.INTEGER:
        numbers = st.integers(row.low, row.high).map(str)
        return st.one_of(numbers, st.sampled_from(list(row.words))) if row.words else numbers
    if row.kind is Kind.BYTES:
        return st.binary(max_size=row.max_length).map(lambda value: value.hex().upper())
    names = st.text(_NAME_LETTERS, min_size=1, max_size=min(row.max_length, 48) or 1)
    if row.kind is Kind.NAME:
        return names
    texts = st.text(_TEXT_LETTERS, max_size=min(row.max_length, 60)).filter(lambda text: _short(row, text))
    if row.kind is Kind.STRING:
        return texts
    items = min(row.max_items, 5)
    if row.kind is Kind.ENUM_LIST:
        several = [word for word in row.words if word != row.alone]
        distinct = st.lists(st.sampled_from(several), min_size=1, max_size=items, unique_by=row.words.__getitem__)
        return distinct.map(tuple)
    if row.kind is Kind.NAME_LIST:
        return st.lists(names, min_size=1, max_size=items).map(tuple)
    assert row.kind is Kind.TEXT_LIST, row
    full = texts.filter(lambda text: bool(text.strip(" ")))
    return st.lists(full, min_size=1, max_size=items).map(tuple)


def takes(spec: CommandSpec) -> list[Attribute]:
    """The rows of which a command takes values."""
    if not spec.shows or spec.object == "CHLAUTH":
        known = command_lookup.parameters(spec).items()
        return [row for key, row in known if key == row.keyword and row.kind is not Kind.INTEGER_LIST]
    return list(spec.options)


@st.composite
def commands(draw: st.DrawFn) -> Command:
    spec = draw(st.sampled_from(COMMANDS))
    name = ""
    if spec.naming in (Naming.FULL, Naming.GENERIC) or (spec.naming is Naming.OPTIONAL and draw(st.booleans())):
        name = draw(st.text(_NAME_LETTERS, min_size=1, max_size=20)) + (
            draw(st.sampled_from(["", "*"])) if spec.naming is Naming.GENERIC else ""
        )
    rows = {row.keyword: row for row in takes(spec)}
    chosen = draw(st.lists(st.sampled_from(list(rows)), max_size=5, unique=True)) if rows else []
    chosen += [keyword for keyword in spec.required if keyword not in chosen]
    parameters = {keyword: draw(given_values(rows[keyword])) for keyword in chosen}
    requested: tuple[str, ...] = ()
    where = None
    if spec.shows:
        options = {keyword for row in spec.options for keyword in (row.keyword, *row.synonyms, *row.words)}
        shown = [row.keyword for row in command_lookup.attributes(spec.table) if row.keyword not in options]
        words = [*shown, *(group for group in spec.groups), "ALL"]
        requested = tuple(draw(st.lists(st.sampled_from(words), max_size=4)))
        if shown and draw(st.booleans()):
            value = draw(st.text(_TEXT_LETTERS, min_size=1, max_size=10))
            where = Filter(draw(st.sampled_from(shown)), draw(st.sampled_from(list(OPERATORS.values()))), value)
    return Command(spec, name, parameters, requested, where)


_OPERATOR_WORDS = {number: word for word, number in OPERATORS.items()}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Writer:
    """Writes a command in one of the ways in which people write it."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def _any(self, *ways: str) -> str:
        return self._draw(st.sampled_from(ways))

    def word(self, word: str) -> str:
        return self._any(word, word.lower(), word.capitalize())

    def value(self, value: str) -> str:
        plainly = bool(value) and value == value.upper() and not re.search(r"[\s,'();]|[^\x20-\x7e]", value)
        return value if plainly and self._draw(st.booleans()) else _quoted(value)

    def inside(self, keyword: str, *values: str, separator: str = ",") -> str:
        blank = self._any("", " ", "  ")
        text = (self._any("", " ") + separator + self._any("", " ") if separator != " " else " ").join(values)
        return f"{self.word(keyword)}{blank}({self._any('', ' ')}{text}{self._any('', ' ')})"

    def parameter(self, row: Attribute, value: GivenValue) -> str:
        if command_lookup.is_bare(row):
            return self.word(str(value))
        values = [value] if isinstance(value, str) else list(value)  # type: ignore[arg-type]
        return self.inside(self._any(row.keyword, *row.synonyms), *(self.value(str(one)) for one in values))

    def lines(self, command: Command) -> list[str]:
        spec, rows = command.spec, command_lookup.parameters(command.spec)
        head = self.word(spec.object) if not command.name else self.inside(spec.object, self.value(command.name))
        items = [self.word(spec.verb), head]
        items += [self.parameter(rows[keyword], value) for keyword, value in command.parameters.items()]
        items += [self.word(word) for word in command.requested]
        if command.where is not None:
            where = command.where
            operator = _OPERATOR_WORDS[where.operator]
            values = (self.word(where.keyword), self.word(operator), _quoted(str(where.value)))
            items.append(self.inside("WHERE", *values, separator=" "))
        lines, line = [], ""
        for item in items:
            line += item
            between = self._any(" ", "  ", ",", " , ", " +\n", " +\n* a comment +\n   ", " -\n ")
            before, broken, after = between.partition("\n")
            line += before
            if broken:
                lines += [line, *after.split("\n")[:-1]]
                line = after.split("\n")[-1]
        return [*lines, line.rstrip(" ,")]


@st.composite
def written(draw: st.DrawFn) -> tuple[Command, list[str]]:
    command = draw(commands())
    return command, Writer(draw).lines(command)


@settings(max_examples=600)
@given(written())
def test_a_command_of_the_model_is_read_as_what_it_is(case: tuple[Command, list[str]]) -> None:
    command, lines = case
    found = [one for one in commands_in(lines) if one.text or one.problem]
    assert len(found) == 1
    assert found[0].lines == lines or not lines[-1]
    again = read_command(found[0].text)
    assert again.spec is command.spec
    assert (again.name, again.requested, again.where) == (command.name, command.requested, command.where)
    assert dict(again.parameters) == dict(command.parameters)


@settings(max_examples=150)
@given(st.data())
def test_a_line_may_be_cut_anywhere_with_a_minus(data: st.DataObject) -> None:
    whole = "DEFINE QLOCAL('a') DESCR('one - two + three  * 4 ''5''; 6') MAXDEPTH(12) SHARE"
    at = data.draw(st.lists(st.integers(1, len(whole) - 1), max_size=6, unique=True).map(sorted))
    lines = [whole[low:high] + "-" for low, high in zip([0, *at], [*at, len(whole)], strict=True)]
    [found] = commands_in([*lines[:-1], lines[-1][:-1]])
    assert found.text == whole


# Values


def _tables() -> Iterator[tuple[str, str, Attribute]]:
    """Each attribute that DEFINE sets: the word of the command, the type, the row."""
    for spec in COMMANDS:
        if spec.verb == "DEFINE" and not spec.part:
            for kind in GENERIC_TYPES.get(spec.object, (spec.object,)):
                for row in TABLES[kind]:
                    if row.source is Source.DEFINED:
                        yield spec.object, kind, row


_ROWS = list(_tables())


@settings(max_examples=600)
@given(st.data())
def test_a_value_that_is_written_is_read_as_the_same_value(data: st.DataObject) -> None:
    word, kind, row = data.draw(st.sampled_from(_ROWS))
    value = convert(row, data.draw(given_values(row)))
    text = parameter_text(row, plain(row, value))
    spec = command_lookup.find("ALTER", word)
    assert spec is not None
    command = read_command(f"ALTER {word}(A) {_typed(kind, word, row)} {text}")
    again = convert(row, command.parameters[row.keyword])
    assert again == value


def _typed(kind: str, word: str, row: Attribute) -> str:
    keyword = {"CHANNEL": "CHLTYPE", "AUTHINFO": "AUTHTYPE"}.get(word, "")
    return f"{keyword}({kind})" if keyword and row.keyword != keyword else ""


@over_rows(("word", "kind", "row"), _ROWS, ids=[f"{kind}-{row.keyword}" for _, kind, row in _ROWS])
def test_the_ends_of_each_range_are_read(word: str, kind: str, row: Attribute) -> None:
    """What one type of channel takes must not be refused because another does not."""
    values = [str(number) for number in (row.low, row.high)] if row.kind is Kind.INTEGER else []
    for value in [*values, *(row.words if not command_lookup.is_bare(row) else ())]:
        command = read_command(f"DEFINE {word}(A) {_required(kind, word, row)} {row.keyword}({value})")
        assert convert(row, command.parameters[row.keyword]) == convert(row, value)


def _required(kind: str, word: str, row: Attribute) -> str:
    needs = {"CHANNEL": ("CHLTYPE", kind), "AUTHINFO": ("AUTHTYPE", kind), "LISTENER": ("TRPTYPE", "TCP")}
    keyword, value = needs.get(word, ("", ""))
    return f"{keyword}({value})" if keyword and row.keyword != keyword else ""


# Commands that fail

_KINDS = ("QMGR", "QUEUE", "CHANNEL", "LISTENER", "SERVICE", "PROCESS", "NAMELIST", "TOPIC", "AUTHINFO", "COMMINFO")
_NAMES = (
    "A", "B", "lower", "SYSTEM.DEFAULT.LOCAL.QUEUE", "SYSTEM.DEF.SVRCONN", "NO.SUCH", "BAD NAME", "B" * 48, "L" * 49,
)  # fmt: skip
_SPOILERS = ("MAXDEPTH(-1)", "DESCR", "COLOUR(RED)", "REPLACE(YES)", ")", "'", "DESCR(A B)")


def everything(manager: QueueManager) -> list[Any]:
    shown = [manager.mqsc(f"DISPLAY {kind}{'' if kind == 'QMGR' else '(*)'} ALL")[0] for kind in _KINDS]
    shown += manager.mqsc("DISPLAY CHLAUTH(*) ALL\nDISPLAY AUTHREC\n")
    return [(answer.state, answer.rows) for answer in shown]


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueManager]:
    data = tmp_path_factory.mktemp("fuzzed")
    with libremq.connect(f"embedded:QM1?create=1&data={data}") as found:
        yield found


@settings(max_examples=250)
@given(st.data())
def test_a_command_that_fails_has_changed_nothing(manager: QueueManager, data: st.DataObject) -> None:
    command = data.draw(commands().filter(lambda one: not one.spec.shows))
    name = data.draw(st.sampled_from(_NAMES)) if command.name else ""
    parameters = dict(command.parameters)
    if "LIKE" in parameters:
        parameters["LIKE"] = data.draw(st.sampled_from(_NAMES))
    lines = Writer(data.draw).lines(Command(command.spec, name, parameters))
    if data.draw(st.booleans()):
        lines[-1] += f" {data.draw(st.sampled_from(_SPOILERS))}"
    before = everything(manager)
    answers = manager.mqsc("\n".join(lines))
    assert len(answers) == 1
    after = everything(manager)
    if answers[0].state != "done":
        assert answers[0].reason, lines
        assert len([line for line in answers[0].lines if line.startswith("AMQ")]) == 1, answers
        assert after == before, lines


def test_commands_that_are_done_are_among_those_tried(manager: QueueManager) -> None:
    """The test above would not say much if nothing had ever changed."""
    before = everything(manager)
    answers = manager.mqsc("DEFINE QLOCAL(TRIED)\nALTER QLOCAL(TRIED) MAXDEPTH(0)")
    assert [one.state for one in answers] == ["done", "done"]
    assert everything(manager) != before


def test_an_empty_command_text_has_no_command() -> None:
    assert list(commands_in("")) == [CommandText([""])]
