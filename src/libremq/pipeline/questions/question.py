"""One question: its words, and what answers it.

An answer has up to four parts: findings of rules, figures worked out by models (expressions of the rules' language over
measured values, facts of the site and what the asker gives), rows of a table, and what is known without measuring.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from libremq.pipeline.rules.catalogue import BY_ID, columns_of
from libremq.pipeline.rules.expressions import parse
from libremq.pipeline.rules.settings import SETTINGS


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a conformed table, worst first."""

    table: str
    columns: tuple[str, ...]
    order: str
    """An expression; the rows with the highest come first."""
    where: str = ""
    limit: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: str
    text: str
    source: str
    """Where the fact files ask it: part and number, such as 1/Q-06."""
    lines: str
    """Lines of the source it rests on."""
    rules: tuple[str, ...] = ()
    measured: Mapping[str, str] = field(default_factory=dict)
    """Names for figures, and how to take them from a table: `log: highest(log_mb_per_second)`."""
    figures: Mapping[str, str] = field(default_factory=dict)
    """What to tell, and the expression that works it out."""
    rows: Rows | None = None
    known: tuple[str, ...] = ()
    """What holds without measuring, in our words."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names in figures that are neither measured nor facts of the site: the asker may give them."""
        return tuple(name for name in self._names() if name not in SETTINGS)

    @property
    def settings(self) -> tuple[str, ...]:
        """Facts of the site that its figures and rules use."""
        names = [name for name in self._names() if name in SETTINGS]
        names += [name for rule in self.rules for name in BY_ID[rule].needed if name in SETTINGS]
        return tuple(dict.fromkeys(names))

    @property
    def tables(self) -> tuple[str, ...]:
        """Conformed tables it reads."""
        names = [BY_ID[rule].subject for rule in self.rules]
        names += [text.partition(":")[0] for text in self.measured.values()]
        names += [self.rows.table] if self.rows else []
        return tuple(name for name in dict.fromkeys(names) if not name.startswith("site"))

    @property
    def models(self) -> tuple[str, ...]:
        """Models that its figures call."""
        return tuple(dict.fromkeys(name for text in self.figures.values() for name in parse(text).models))

    def _names(self) -> list[str]:
        names = [name for text in self.figures.values() for name in parse(text).names]
        return [name for name in dict.fromkeys(names) if name not in self.measured]


def problems(question: Question) -> list[str]:
    """What is wrong with a question's data; nothing, in a good one."""
    found = [f"no rule {rule}" for rule in question.rules if rule not in BY_ID]
    for name, text in question.measured.items():
        table, _, expression = text.partition(":")
        parsed = parse(expression)
        if not parsed.aggregates:
            found.append(f"{name} is measured without an aggregate")
        found += [f"{table} has no column {column}" for column in parsed.names if column not in columns_of(table)]
    if question.rows:
        wanted = set(question.rows.columns) | set(parse(question.rows.order).names)
        if question.rows.where:
            wanted |= set(parse(question.rows.where).names)
        found += [f"{question.rows.table} has no column {c}" for c in wanted - columns_of(question.rows.table)]
    if not (question.rules or question.figures or question.rows or question.known):
        found.append("nothing answers it")
    return found
