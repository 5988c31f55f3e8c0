"""What the ledgers of one run say, as units of work.

A put or a get outside syncpoint is a unit of work of its own. A thread does one thing at a time, so a kill leaves at
most one unit a thread in doubt: its end was begun, and the answer is not in the ledger.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from soak import ledger


class State(Enum):
    """How far a unit of work came before the kill."""

    OPEN = "not ended"
    COMMITTING = "its commit was not answered"
    COMMITTED = "committed"
    BACKED_OUT = "backed out"
    PREPARING = "its prepare was not answered"
    PREPARED = "prepared"
    DECIDING = "its decision was not answered"
    DECIDED = "decided"


@dataclass
class Put:
    """A message: where it was put, when that began and ended, and the unit of work it belongs to."""

    number: str
    queue: str
    priority: int
    persistent: bool
    expiry_s: float
    unit: str
    began: int
    returned: int | None = None
    committed: int | None = None
    place: int | None = None  # on the queue, when it was last seen there

    def may_be_expired(self, now: int) -> bool:
        return bool(self.expiry_s) and now > self.began + int((self.expiry_s - 0.5) * 1e9)

    def must_be_expired(self, now: int) -> bool:
        late = int((self.expiry_s + 1.5) * 1e9)
        return bool(self.expiry_s) and self.returned is not None and now > self.returned + late


@dataclass
class Get:
    number: str
    queue: str
    began: int


@dataclass
class Unit:
    """A unit of work with all that belongs to it."""

    name: str
    state: State = State.OPEN
    puts: list[Put] = field(default_factory=list)
    gets: list[Get] = field(default_factory=list)
    commits: bool = True  # what was decided, if it was prepared
    ended: int | None = None

    @property
    def several(self) -> bool:
        return len(self.puts) + len(self.gets) > 1


@dataclass
class LooseGet:
    """A get outside syncpoint that was never answered: it took whatever was first, or nothing."""

    queue: str
    began: int


@dataclass
class History:
    """One run of a worker."""

    units: dict[str, Unit] = field(default_factory=dict)
    puts: dict[str, Put] = field(default_factory=dict)
    loose_gets: list[LooseGet] = field(default_factory=list)
    unanswered_unit_gets: Counter[str] = field(default_factory=Counter)  # by queue: they may have held one more
    alarms: list[str] = field(default_factory=list)
    puts_acknowledged: int = 0
    gets_acknowledged: int = 0
    in_doubt: int = 0


def read(folder: Path, known: dict[str, Unit]) -> History:
    """The history of a run. `known` are the branches that earlier runs left prepared: this run may decide them."""
    history = History(units={name: replace(unit) for name, unit in known.items()})
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        _Thread(history).read(ledger.read(path))
    for unit in history.units.values():
        if unit.state in (State.COMMITTING, State.PREPARING, State.DECIDING):
            history.in_doubt += 1
        elif unit.state is State.COMMITTED or (unit.state is State.DECIDED and unit.commits):
            history.puts_acknowledged += len(unit.puts)
            history.gets_acknowledged += len(unit.gets)
            for put in unit.puts:
                put.committed = unit.ended
    history.in_doubt += len(history.loose_gets)
    return history


class _Thread:
    """Reads the lines of one thread."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.get: tuple[int, str, str, str] | None = None  # the one that is not answered yet

    def read(self, lines: list[list[Any]]) -> None:
        for time, what, *details in lines:
            getattr(self, f"_{what}")(time, *details)
        if self.get is None:
            return
        began, queue, unit, number = self.get
        if unit:
            self.history.unanswered_unit_gets[queue] += 1
        elif number:
            alone = self._unit(f"get {number} at {began}", State.COMMITTING)
            alone.gets.append(Get(number, queue, began))
        else:
            self.history.loose_gets.append(LooseGet(queue, began))

    def _unit(self, name: str, state: State = State.OPEN) -> Unit:
        return self.history.units.setdefault(name, Unit(name, state))

    def _put(
        self, time: int, number: str, queue: str, priority: int, persistent: bool, expiry: float, unit: str
    ) -> None:
        put = Put(number, queue, priority, persistent, expiry, unit or f"put {number}", time)
        self.history.puts[number] = put
        self._unit(put.unit, State.OPEN if unit else State.COMMITTING).puts.append(put)

    def _ok(self, time: int, number: str) -> None:
        put = self.history.puts[number]
        put.returned = time
        unit = self.history.units[put.unit]
        if unit.state is State.COMMITTING:
            unit.state, unit.ended = State.COMMITTED, time

    def _no(self, time: int, number: str, reason: str) -> None:
        put = self.history.puts.pop(number)
        unit = self.history.units[put.unit]
        unit.puts.remove(put)
        if unit.state is State.COMMITTING:
            unit.state = State.BACKED_OUT

    def _get(self, time: int, queue: str, unit: str, number: str) -> None:
        self.get = (time, queue, unit, number)

    def _got(self, time: int, number: str, queue: str, unit: str) -> None:
        began = self.get[0] if self.get is not None else time
        self.get = None
        into = self._unit(unit) if unit else self._unit(f"get {number} at {began}", State.COMMITTED)
        into.gets.append(Get(number, queue, began))
        if not unit:
            into.ended = time

    def _none(self, time: int, queue: str, reason: str) -> None:
        self.get = None

    def _end(self, time: int, name: str, state: State) -> None:
        unit = self._unit(name)
        unit.state, unit.ended = state, time

    def _commit(self, time: int, name: str) -> None:
        self._end(time, name, State.COMMITTING)

    def _committed(self, time: int, name: str) -> None:
        self._end(time, name, State.COMMITTED)

    def _backout(self, time: int, name: str) -> None:
        self._end(time, name, State.BACKED_OUT)  # answered or not, it is undone

    def _backedout(self, time: int, name: str) -> None:
        self._end(time, name, State.BACKED_OUT)

    def _prepare(self, time: int, name: str) -> None:
        self._end(time, name, State.PREPARING)

    def _prepared(self, time: int, name: str) -> None:
        self._end(time, name, State.PREPARED)

    def _decide(self, time: int, name: str, commits: bool) -> None:
        self._end(time, name, State.DECIDING)
        self.history.units[name].commits = commits

    def _decided(self, time: int, name: str) -> None:
        self._end(time, name, State.DECIDED)

    def _alarm(self, time: int, text: str) -> None:
        self.history.alarms.append(text)
