"""The books of a round: what the applications were told, against what is there when all has arrived. No LibreMQ here.

A ledger (`soak.ledger`) has these lines, one before each call that matters and one after it:

    unit UNIT [[NUMBER, PERSISTENT], ...]    is about to put these under syncpoint
    commit UNIT, committed UNIT              is about to commit, and was told that it is
    backout UNIT, undone UNIT                so for a backout; `undone` also if a commit was answered with a backout
    alarm TEXT                               what must not be

A unit of work whose commit was never answered may be there or not, but whole. One without a commit must not be there.
Of messages that are not persistent all that is asked is that none comes twice and none from nowhere: a queue manager
that is killed loses them, and so does a fast channel that is cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import cast

from soak import ledger
from soak.channels.topology import SENDERS, Sender
from soak.checker import Finding

_SHOWN = 6


@dataclass
class Unit:
    """One unit of work of an application."""

    messages: list[tuple[str, bool]]
    state: str = "unit"

    @property
    def persistent(self) -> list[str]:
        return [number for number, persistent in self.messages if persistent]


@dataclass
class Figures:
    """What happened, over all rounds."""

    committed: int = 0
    persistent: int = 0
    others: int = 0
    others_arrived: int = 0
    units: int = 0
    unknown: int = 0
    unknown_arrived: int = 0
    undone: int = 0
    answers: int = 0
    faults: Counter[str] = field(default_factory=Counter)


Collected = dict[tuple[str, str], list[str | None]]
"""The numbers on a queue in their order, by queue manager and queue; None for a message whose content is damaged."""


def read(path: Path) -> tuple[dict[int, Unit], list[str]]:
    """The units of work of one application by their numbers, and its alarms."""
    units: dict[int, Unit] = {}
    alarms: list[str] = []
    for _, what, *details in ledger.read(path):
        if what == "alarm":
            alarms.append(str(details[0]))
        elif what == "unit":
            pairs = cast(list[tuple[str, bool]], details[1])
            units[cast(int, details[0])] = Unit([(number, persistent) for number, persistent in pairs])
        else:
            units[cast(int, details[0])].state = str(what)
    return units, alarms


def committed(path: Path) -> int:
    """How many units of work an application knows to be committed; none if it has not begun."""
    return sum(unit.state == "committed" for unit in read(path)[0].values()) if path.exists() else 0


def check(folder: Path, collected: Collected, figures: Figures) -> list[Finding]:
    """Compare the ledgers of a round with all that was collected."""
    findings = [
        Finding("damaged", queue, f"{manager} has a message whose content is not what was put")
        for (manager, queue), numbers in collected.items()
        for number in numbers
        if number is None
    ]
    expected: dict[tuple[str, str], set[str]] = {where: set() for where in collected}
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("stop"):
            findings += [Finding("stopped", path.name, text) for text in read(path)[1]]
    for sender in SENDERS:
        units, _ = read(folder / sender.name)
        _count(sender, units, collected, figures)
        for manager, queue, prefix in sender.checked:
            where = manager, queue
            expected[where] |= {prefix + number for unit in units.values() for number, _ in unit.messages}
            findings += _check_one(sender, units, collected[where], f"{queue} of {manager}", prefix)
    for (manager, queue), numbers in collected.items():
        strangers = [number for number in numbers if number is not None and number not in expected[manager, queue]]
        if strangers:
            findings.append(Finding("doubled", queue, f"{manager} has what is not of this round: {_some(strangers)}"))
    return findings


def _check_one(
    sender: Sender, units: dict[int, Unit], there: Iterable[str | None], where: str, prefix: str
) -> Iterator[Finding]:
    """The messages of one application on one queue."""
    own = f"{prefix}{next(iter(units.values())).messages[0][0].rpartition('.')[0]}." if units else prefix
    arrived = [number.removeprefix(prefix) for number in there if number is not None and number.startswith(own)]
    counted = Counter(arrived)
    twice = [number for number, count in counted.items() if count > 1]
    if twice:
        yield Finding("doubled", where, f"{sender.name}: more than once: {_some(twice)}")
    for name, unit in units.items():
        missing = [number for number in unit.persistent if number not in counted]
        surprising = [number for number, _ in unit.messages if number in counted]
        if unit.state == "committed" and missing:
            yield Finding("lost", where, f"{sender.name}: unit {name} was committed, but without {_some(missing)}")
        elif unit.state == "commit" and missing and len(missing) < len(unit.persistent):
            yield Finding("torn", where, f"{sender.name}: half of unit {name} is there, but without {_some(missing)}")
        elif unit.state in ("unit", "backout", "undone") and surprising:
            yield Finding("revived", where, f"{sender.name}: unit {name} was backed out: {_some(surprising)}")
    persistent = {number for unit in units.values() for number in unit.persistent}
    order = [int(number.rpartition(".")[2]) for number in arrived if number in persistent]
    late = [after for before, after in pairwise(order) if after < before]
    if late and not twice:
        yield Finding("out of order", where, f"{sender.name}: numbers {_some(map(str, late))} came too late")


def _count(sender: Sender, units: dict[int, Unit], collected: Collected, figures: Figures) -> None:
    manager, queue, _ = sender.checked[0]
    there = {number for number in collected[manager, queue] if number is not None}
    figures.units += len(units)
    for unit in units.values():
        if unit.state == "committed":
            figures.committed += len(unit.messages)
            figures.persistent += len(unit.persistent)
            others = [number for number, persistent in unit.messages if not persistent]
            figures.others += len(others)
            figures.others_arrived += len(there.intersection(others))
        elif unit.state == "commit":
            figures.unknown += 1
            figures.unknown_arrived += bool(there.intersection(number for number, _ in unit.messages))
        else:
            figures.undone += 1
    if len(sender.checked) > 1:
        manager, queue, prefix = sender.checked[1]
        own = {prefix + number for unit in units.values() for number, _ in unit.messages}
        figures.answers += len(own.intersection(number for number in collected[manager, queue] if number))


def _some(numbers: Iterable[str]) -> str:
    every = list(numbers)
    return ", ".join(every[:_SHOWN]) + (f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else "")
