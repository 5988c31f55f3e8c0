"""The table that `make bench` prints: what was measured, how much, and the ratio to what it is measured against."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Row:
    """One line: the median of the rounds, its spread, and a remark (a ratio, a limit that was asked for)."""

    name: str
    value: str
    spread: str = ""
    remark: str = ""


class Table:
    """Rows under a headline, printed when the section is complete."""

    def __init__(self, title: str, unit: str = "") -> None:
        self.title = title
        self.unit = unit
        self.rows: list[Row] = []

    def rates(self, name: str, rates: Sequence[float], remark: str = "") -> None:
        """A line for rates per second, one of each round."""
        spread = f"{human(min(rates))} .. {human(max(rates))}"
        self.rows.append(Row(name, human(median(rates)), spread, remark))

    def line(self, name: str, value: str, remark: str = "") -> None:
        self.rows.append(Row(name, value, "", remark))

    def show(self) -> None:
        width = max(len(row.name) for row in self.rows)
        spread = max(len(row.spread) for row in self.rows)
        print(f"\n{self.title}" + (f"  [{self.unit}]" if self.unit else ""))
        for row in self.rows:
            print(f"  {row.name:<{width}}  {row.value:>10}  {row.spread:<{spread}}  {row.remark}".rstrip())
        sys.stdout.flush()


def human(number: float) -> str:
    """A rate in at most five digits with the thousands apart."""
    return f"{number:,.0f}".replace(",", " ") if number >= 100 else f"{number:.3g}"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return median(ours) / median(theirs)


def verdict(holds: bool) -> str:
    return "ok" if holds else "MISSED"
