"""Figures, times and tables for a terminal."""

from __future__ import annotations

import doctest
from datetime import datetime
from decimal import Decimal

import pytest

from libremq.pipeline import plain_text


def test_the_examples_in_the_module_hold() -> None:
    failed, tried = doctest.testmod(plain_text)
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0, "0"),
        (-12.5, "-12.5"),
        (999.4, "999"),
        (999.9, "1,000"),
        (1e15, "1,000,000,000,000,000"),
        (Decimal("18446744073709551615"), "18,446,744,073,709,551,615"),
        (True, "yes"),
        ("0012", "0012"),
        (b"\x01\xff", "01ff"),
        (datetime(2026, 1, 2, 3, 4), "2026-01-02 03:04"),
        ({"a": 1}, "{'a': 1}"),
    ],
)
def test_values_are_shown_for_people(value: object, told: str) -> None:
    assert plain_text.shown(value) == told


def test_a_row_of_a_table_is_one_line_whatever_is_in_it() -> None:
    lines = plain_text.table_lines(("name", "count"), [("two\nlines", 1), ("x" * 200, None)])
    assert len(lines) == 4
    assert all("\n" not in line and len(line) < 80 for line in lines)
    assert plain_text.table_lines(("name",), []) == ["(no rows)"]
