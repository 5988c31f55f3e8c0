"""What can go wrong: each sickness makes one thing wrong on one queue manager and says which facts it must raise.

A sickness changes the rows of an interval, in all structures where the trouble shows, and leaves the rest alone. The
facts are named as in the fact files (R-BP-06), `own` where the rule is of our making. Where two of them state the same
limit, the finding may name either: `SAME` says which those are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from libremq.pipeline.generator.interval import Interval
from libremq.pipeline.generator.traffic import Traffic

Change = Callable[[Interval, float], None]
"""Gets the interval and the hours since the sickness began."""


@dataclass(frozen=True, slots=True)
class Sickness:
    """One kind of trouble.

    `rules` are the rules that must find it where the site's facts are known: these and no others. `raises` are the
    facts of the guide behind them.
    """

    name: str
    title: str
    raises: frozenset[str]
    change: Change
    rules: frozenset[str] = frozenset()
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the site's facts say of the queue manager instead of what they say of a healthy one."""
    from_start: bool = False
    """Shows only if it was there all the time."""
    shared_only: bool = False
    """Needs a queue manager of a queue-sharing group."""

    def apply(self, interval: Interval, hours: float) -> None:
        self.change(interval, hours)


@dataclass(frozen=True, slots=True)
class Case:
    """A sickness on a queue manager from a moment on, for ever or until another moment."""

    sickness: Sickness
    queue_manager: str
    begins: datetime
    ends: datetime | None = None

    def active(self, traffic: Traffic) -> bool:
        return self.begins <= traffic.start and (self.ends is None or traffic.start < self.ends)

    def elapsed(self, traffic: Traffic) -> float:
        return (traffic.start - self.begins).total_seconds() / 3600


SAME: Final = (
    frozenset({"R-BP-06", "R-BP-1", "R-BP-02", "R-BP-03", "R-BP-04", "R-BP-05", "R-BP-14"}),
    frozenset({"R-BP-07", "R-BP-4"}),
    frozenset({"R-BP-3", "F-BP-02"}),
    frozenset({"R-LG-2", "R-LOG-22"}),
    frozenset({"R-40", "R-41"}),
    frozenset({"R-UOW-01", "R-UOW-1"}),
    frozenset({"R-56", "R-SEL-3"}),
)
"""Facts that state the same limit in two places."""


def covers(found: Iterable[str], wanted: str) -> bool:
    """Is the wanted fact among those found, itself or under its other name?

    >>> covers(["R-BP-4"], "R-BP-07")
    True
    """
    names = next((group for group in SAME if wanted in group), frozenset({wanted}))
    return not names.isdisjoint(found)


_REGISTERED: dict[str, Sickness] = {}


def sickness(
    name: str,
    title: str,
    raises: str,
    *,
    rules: str,
    facts: Mapping[str, Any] | None = None,
    from_start: bool = False,
    shared_only: bool = False,
) -> Callable[[Change], Sickness]:
    """Declares a sickness; facts and rules are given as one text, separated by blanks."""

    def declare(change: Change) -> Sickness:
        made = Sickness(
            name=name,
            title=title,
            raises=frozenset(raises.split()),
            change=change,
            rules=frozenset(rules.split()),
            facts=facts or {},
            from_start=from_start,
            shared_only=shared_only,
        )
        assert name not in _REGISTERED, name
        _REGISTERED[name] = made
        return made

    return declare


def sicknesses() -> dict[str, Sickness]:
    """All of them by name."""
    from libremq.pipeline.generator import sick_applications, sick_channels, sick_queue_manager, sick_site

    assert sick_applications and sick_channels and sick_queue_manager and sick_site
    return dict(sorted(_REGISTERED.items()))
