"""Figures, times and tables as people read them on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

CELL_WIDTH = 48
"""Longer texts are cut in tables: a line of a table must stay one."""


def shown(value: Any) -> str:
    """A figure with as many digits as help; text as it is.

    >>> shown(1234567.8), shown(0.01234), shown(12.0), shown(None)
    ('1,234,568', '0.0123', '12', 'unknown')
    """
    if value is None:
        return "unknown"
    if isinstance(value, datetime):
        return shown_time(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Decimal) and value == value.to_integral_value():
        return f"{int(value):,}"
    if not isinstance(value, float | Decimal):
        return str(value)
    number = float(value)
    return f"{number:,.0f}" if abs(number) >= 999.5 or number.is_integer() else f"{number:,.3g}"


def shown_time(moment: datetime) -> str:
    """A moment to the minute, or to the second where it has some.

    >>> shown_time(datetime(2026, 3, 2, 10, 30)), shown_time(datetime(2026, 3, 2, 10, 30, 5))
    ('2026-03-02 10:30', '2026-03-02 10:30:05')
    """
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"


def table_lines(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Lines of a table, figures to the right and text to the left.

    >>> table_lines(("queue", "puts"), [("A", 10), ("LONG.NAME", 2500)])
    ['queue       puts', '---------  -----', 'A             10', 'LONG.NAME  2,500']
    """
    content = [list(row) for row in rows]
    cells = [["" if value is None else _cut(shown(value)) for value in row] for row in content]
    widths = [max(len(name), *(len(row[at]) for row in cells), 0) for at, name in enumerate(names)]
    right = [
        any(isinstance(row[at], int | float | Decimal) and not isinstance(row[at], bool) for row in content)
        for at in range(len(names))
    ]

    def line(texts: Sequence[str]) -> str:
        fitted = (
            text.rjust(width) if to_right else text.ljust(width) for text, width, to_right in zip(texts, widths, right)
        )
        return "  ".join(fitted).rstrip()

    return [line(names), "  ".join("-" * width for width in widths), *map(line, cells)] if cells else ["(no rows)"]


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 1] + "…"
