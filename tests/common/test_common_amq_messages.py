"""The tables of AMQ messages: complete, without contradictions, and safe against what is inserted."""

from __future__ import annotations

import ast
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from helper_rows import over_rows
from libremq.common.messages.amq_messages import (
    INSERT_MAX,
    ROWS,
    SEVERITIES,
    TABLES,
    AmqMessage,
    amq,
    find_number,
    places,
)

SOURCES = sorted(Path(libremq.__file__).parent.rglob("*.py"))


def _calls() -> Iterator[tuple[str, int, int | None]]:
    """Each call of amq() with a plain number: where, the number, and how many inserts (None if only a run can tell)."""
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if "amq(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "amq":
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and isinstance(first.value, int):
                    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
                    yield f"{path.name}:{node.lineno}", first.value, None if starred else len(node.args) - 1


def test_a_message_is_its_line_and_knows_its_parts() -> None:
    message = amq(8147, "APP.IN")
    assert message == "AMQ8147E: LibreMQ object APP.IN not found."
    assert (message.id, message.number, message.severity) == ("AMQ8147E", 8147, "E")
    assert message.text == "LibreMQ object APP.IN not found."
    assert message.line == str(message)
    assert type(message.line) is str
    assert message.inserts == ("APP.IN",)
    assert message.explanation
    assert message.action


def test_a_number_is_an_insert_of_its_own_kind() -> None:
    message = amq(7231, 3, "QM1", 0)
    assert message.inserts == (3, "QM1", 0)
    assert message.startswith("AMQ7231I: 3 units of work backed out on queue manager 'QM1'")


def test_a_message_survives_a_pickle() -> None:
    message = amq(7467, "QM1", "S0000001.LOG")
    again = pickle.loads(pickle.dumps(message))
    assert isinstance(again, AmqMessage)
    assert (again, again.inserts) == (message, message.inserts)


def test_a_number_that_is_not_in_the_tables_is_an_error() -> None:
    with pytest.raises(KeyError):
        amq(4999)


def test_no_number_is_in_two_tables() -> None:
    assert [number for number, count in Counter(n for table in TABLES for n in table).items() if count > 1] == []


@over_rows("number", sorted(ROWS))
def test_a_row_is_whole(number: int) -> None:
    row = ROWS[number]
    assert row.severity in SEVERITIES
    assert all(text and text == text.strip() and "\n" not in text for text in row)
    assert "{" not in row.explanation + row.action
    assert row.explanation.endswith(".")
    assert row.action.endswith((".", "?"))
    used = {int(place) for place in re.findall(r"\{(\d)\}", row.template)}
    assert used == set(range(places(number)))
    assert not re.search(r"IBM|WebSphere|<insert", " ".join(row))


def test_each_call_uses_a_number_of_the_tables_with_all_its_inserts() -> None:
    calls = list(_calls())
    assert len(calls) > 10
    assert [(where, number) for where, number, _ in calls if number not in ROWS] == []
    wrong = [
        (where, number, count, places(number))
        for where, number, count in calls
        if count is not None and count != places(number)
    ]
    assert wrong == []


def test_each_id_that_the_sources_mention_is_in_the_tables() -> None:
    missing = set()
    for path in SOURCES:
        if "pipeline" in path.parts or path.name.startswith("amq_message_table"):
            continue
        for number, severity in re.findall(r"\bAMQ(\d{4})([IWEST]?)\b", path.read_text(encoding="utf-8")):
            row = ROWS.get(int(number))
            if row is None or severity not in ("", row.severity):
                missing.add(f"{path.name}: AMQ{number}{severity}")
    assert missing == set()


@pytest.mark.parametrize(
    "hostile",
    [
        "a\nAMQ8003I: all is well",
        "a\r\n\x1b[2J\x1b]0;title\x07",
        "a\x85b\u2028c\u2029d\x0be\x0cf",
        "\u202egpj.exe\u2066",
        "half a pair \udcff",
        "x" * 100_000,
        "{0} {1} {9} %s %n",
    ],
)
def test_an_insert_cannot_forge_a_line(hostile: str) -> None:
    message = amq(8147, hostile)
    assert len(message.splitlines()) == 1
    assert message.isprintable()
    message.encode("utf-8")
    assert len(message) < INSERT_MAX + 60
    assert message.startswith("AMQ8147E: LibreMQ object ")
    assert message.endswith(" not found.")


def test_a_long_insert_shows_that_it_was_cut() -> None:
    (cut,) = amq(8147, "y" * 600).inserts
    assert cut == "y" * (INSERT_MAX - 3) + "..."


def test_a_sentence_at_the_end_has_one_full_stop() -> None:
    assert amq(9501, "A.B", "it is full. Make room.").endswith(": it is full. Make room.")
    assert amq(9501, "A.B", "and so on...").endswith(": and so on....")
    assert amq(9501, "A.B", "it is full").endswith(": it is full.")


@pytest.mark.parametrize(
    ("text", "number"),
    [("AMQ8006", 8006), ("amq8006i", 8006), ("AMQ8006E", 8006), ("8006", None), ("AMQ0001", None), ("AMQ80061", None)],
)
def test_a_message_is_found_by_its_id(text: str, number: int | None) -> None:
    assert find_number(text) == number
