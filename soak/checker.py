"""The checker: do the books of a run and the queues after the restart agree?

What the ledger says for certain gives, for each message, whether it must be there. What is in doubt may have happened
or not, but wholly: every combination is tried, and the one that explains the most is what happened. The combination
that is left over becomes the base of the next check, so nothing stays in doubt for longer than one restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import product

from soak import order
from soak.history import Get, History, LooseGet, Put, State, Unit
from soak.queues import QUEUES


class Stop(Enum):
    """How the run came to its end: that decides what happens to non-persistent messages."""

    KILLED = "killed"
    ENDED = "ended in good order"
    ENDED_THEN_KILLED = "ended in good order, and the start after it was killed"


@dataclass(frozen=True)
class Seen:
    """One message as it was browsed; no number if the content is damaged."""

    number: str | None
    message_id: str
    priority: int
    persistent: bool


@dataclass(frozen=True)
class Observation:
    """What was there after a restart: all queues in their order, and the units of work in doubt."""

    time: int
    queues: dict[str, list[Seen]]
    branches: list[str]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. The kinds: lost, doubled, out of order, torn, revived, damaged, stopped."""

    kind: str
    queue: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.queue + ': ' if self.queue else ''}{self.what}"


@dataclass
class Base:
    """What is known to be there: committed messages (also those a prepared branch has got), and the branches."""

    messages: dict[str, Put] = field(default_factory=dict)
    branches: dict[str, Unit] = field(default_factory=dict)


@dataclass
class _Fate:
    """All that happened to one message."""

    put: Put | None = None  # None: nobody put it, as far as the books say
    putter: Unit | None = None  # None: it was there before the run
    takers: list[Unit] = field(default_factory=list)


_DONE, _UNDONE, _HELD = "done", "undone", "held"


class Check:
    """One comparison. `findings` is what is wrong, `base` what is known from now on."""

    def __init__(self, base: Base, history: History, seen: Observation, stop: Stop) -> None:
        self.before = base
        self.history = history
        self.seen = seen
        self.stop = stop
        self.findings: list[Finding] = [Finding("stopped", "", text) for text in history.alarms]
        self.outcomes: dict[str, str] = {}
        self.fates: dict[str, _Fate] = {}
        self.there: dict[str, str] = {}  # number -> queue
        self._gather()
        self._look()
        self._judge_branches()
        self._judge_messages()
        self._judge_order()
        self.base = self._next_base()

    # What is there, and what happened

    def _gather(self) -> None:
        for number, put in self.before.messages.items():
            self.fates[number] = _Fate(put)
        for unit in self.history.units.values():
            for put in unit.puts:
                self.fates[put.number] = _Fate(put, unit)
        for unit in self.history.units.values():
            for get in unit.gets:
                self.fates.setdefault(get.number, _Fate()).takers.append(unit)

    def _look(self) -> None:
        """What is wrong with the messages on the queues, each taken by itself."""
        for queue, messages in self.seen.queues.items():
            for one in messages:
                if one.number is None or one.number != one.message_id:
                    self._find("damaged", queue, f"the content of message {one.message_id} is not what was put")
                    continue
                if one.number in self.there:
                    self._find("doubled", queue, f"{one.number} is there twice, also on {self.there[one.number]}")
                    continue
                self.there[one.number] = queue
                fate = self.fates.get(one.number)
                if fate is None or fate.put is None:
                    continue
                put = fate.put
                if (put.queue, put.priority, put.persistent) != (queue, one.priority, one.persistent):
                    self._find("damaged", queue, f"{one.number} was put otherwise: {put}; it is there as {one}")

    def _find(self, kind: str, queue: str, what: str) -> None:
        self.findings.append(Finding(kind, queue, what))

    # Units of work

    def _judge_branches(self) -> None:
        listed = set(self.seen.branches)
        for name, unit in self.history.units.items():
            state, in_list = unit.state, name in listed
            listed.discard(name)
            if state in (State.PREPARED, State.PREPARING, State.DECIDING) and in_list:
                self.outcomes[name] = _HELD
            elif state is State.PREPARED:
                self._find("lost", "", f"branch {name} was prepared, and is no longer known")
                self.outcomes[name] = _HELD
            elif in_list:
                self._find("revived", "", f"branch {name} is in doubt although it is {state.value}")
                self.outcomes[name] = _HELD
            elif state in (State.DECIDED, State.DECIDING):
                self.outcomes[name] = _DONE if unit.commits else _UNDONE
            elif state is State.COMMITTED:
                self.outcomes[name] = _DONE
            elif state is not State.COMMITTING:
                self.outcomes[name] = _UNDONE
        for name in listed:
            self._find("revived", "", f"branch {name} is in doubt, and nobody prepared it")

    def _judge_messages(self) -> None:
        """Try all outcomes of what is in doubt; keep the one that leaves the least to complain about."""
        doubtful = [unit for unit in self.history.units.values() if unit.name not in self.outcomes]
        touched = {number for unit in doubtful for number in _numbers(unit)}
        certain = self._judge(number for number in self.fates if number not in touched)
        best: list[Finding] | None = None
        outcomes = dict(self.outcomes)
        for combination in product((_DONE, _UNDONE), repeat=len(doubtful)):
            self.outcomes = outcomes | {unit.name: outcome for unit, outcome in zip(doubtful, combination)}
            judged = self._judge(touched)
            findings = certain[0] + judged[0] + self._unexplained(certain[1] + judged[1])
            if best is None or len(findings) < len(best):
                best, chosen = findings, self.outcomes
            if not best:
                break
        assert best is not None
        self.outcomes = chosen
        torn = {number for unit in doubtful if unit.several for number in _numbers(unit)}
        for finding in best:
            number = finding.what.partition(" ")[0]
            self.findings.append(replace(finding, kind="torn") if number in torn else finding)
        for number, queue in self.there.items():
            if number not in self.fates:
                self._find("doubled", queue, f"{number} is there; it was got or backed out long ago, or never put")

    def _judge(self, numbers: Iterable[str]) -> tuple[list[Finding], list[Put]]:
        """What is wrong with these messages, and which are missing: a get that was not answered may explain those."""
        findings: list[Finding] = []
        missing: list[Put] = []
        for number in numbers:
            fate = self.fates[number]
            put, there = fate.put, self.there.get(number)
            outcomes = self.outcomes
            takers = [unit for unit in fate.takers if outcomes[unit.name] == _DONE]
            if put is None:
                if takers:
                    what = f"{number} was got by {takers[0].name}; it had been got before, or was never put"
                    findings.append(Finding("doubled", "", what))
                continue
            was_put = fate.putter is None or outcomes[fate.putter.name] == _DONE
            if len(takers) > 1:
                units = ", ".join(unit.name for unit in takers)
                findings.append(Finding("doubled", put.queue, f"{number} was got more than once: {units}"))
            if takers and not was_put:
                what = f"{number} was got by {takers[0].name}, and its put by {put.unit} was not committed"
                findings.append(Finding("revived", put.queue, what))
            if there is None:
                if was_put and self._must_be_there(put, fate, bool(takers)):
                    missing.append(put)
            elif takers:
                what = f"{number} is there although {takers[0].name} got it"
                findings.append(Finding("doubled", put.queue, what))
            elif not was_put:
                what = f"{number} is there although its unit of work {put.unit} was not committed"
                findings.append(Finding("revived", put.queue, what))
            elif why := self._must_be_gone(put, fate):
                findings.append(Finding("revived", put.queue, f"{number} is there although {why}"))
        return findings, missing

    def _must_be_there(self, put: Put, fate: _Fate, taken: bool) -> bool:
        if taken or self._held(fate) or put.may_be_expired(self.seen.time):
            return False
        return put.persistent or (self.stop is Stop.ENDED and QUEUES[put.queue].keeps_nonpersistent)

    def _must_be_gone(self, put: Put, fate: _Fate) -> str:
        """Why a message that was put and not got must not be there; "" if it may."""
        if put.persistent:
            if self._held(fate):
                return "a prepared branch has got it"
        elif self.stop is Stop.KILLED or not QUEUES[put.queue].keeps_nonpersistent:
            return f"it is not persistent and the queue manager was {self.stop.value}"
        return "it has expired" if put.must_be_expired(self.seen.time) else ""

    def _held(self, fate: _Fate) -> bool:
        return any(self.outcomes[unit.name] == _HELD for unit in fate.takers)

    # Gets that were not answered

    def _unexplained(self, missing: list[Put]) -> list[Finding]:
        """Which of the missing messages no unanswered get can have taken."""
        left = sorted(missing, key=lambda put: (-put.priority, put.began))
        for get in self.history.loose_gets if left else ():
            taken = next((put for put in left if self._was_first(put, get)), None)
            if taken is not None:
                left.remove(taken)
        return [
            Finding("lost", put.queue, f"{put.number} was acknowledged, put by {put.unit}, and is not there")
            for put in left
        ]

    def _was_first(self, put: Put, get: LooseGet) -> bool:
        """Could the get have come to this message? Not over others that are still there and came before it."""
        if put.queue != get.queue:
            return False
        returned = self._returned
        before = 0
        for one in self.seen.queues.get(put.queue, ()):
            fate = self.fates.get(one.number or "")
            if fate is None or fate.put is None or one.number in returned or fate.put.expiry_s:
                continue
            other = fate.put
            seen_by_get = other.committed is not None and other.committed < get.began
            if seen_by_get and order.is_before(other, put, fifo=QUEUES[put.queue].fifo):
                before += 1
        # Each other get that was not answered may have had one of them in hand, without a trace in the log
        others = sum(1 for other_get in self.history.loose_gets if other_get.queue == put.queue) - 1
        return before <= self.history.unanswered_unit_gets[put.queue] + others

    @cached_property
    def _returned(self) -> set[str]:
        """Messages that were out of sight for a while: got, and given back by a backout or the kill."""
        return {
            get.number
            for unit in self.history.units.values()
            if unit.state not in (State.COMMITTED, State.DECIDED) or not unit.commits
            for get in unit.gets
        }

    # Order

    def _judge_order(self) -> None:
        for name, messages in self.seen.queues.items():
            queue = QUEUES[name]
            puts = [self.fates[one.number].put for one in messages if one.number in self.fates]
            present = [put for put in puts if put is not None]
            for wrong in order.of_queue(present, fifo=queue.fifo):
                self._find("out of order", name, wrong)
            if queue.one_consumer:
                gets = self._gets_in_order(name)
                for wrong in order.of_gets(gets, present, fifo=queue.fifo):
                    self._find("out of order", name, wrong)

    def _gets_in_order(self, queue: str) -> list[tuple[Get, Put]]:
        found = []
        for unit in self.history.units.values():
            if self.outcomes.get(unit.name) == _DONE:
                for get in unit.gets:
                    put = self.fates[get.number].put
                    if get.queue == queue and put is not None:
                        found.append((get, put))
        return sorted(found, key=lambda pair: pair[0].began)

    # What is known from now on

    def _next_base(self) -> Base:
        base = Base()
        now = self.seen.time
        for name, messages in self.seen.queues.items():
            for place, one in enumerate(messages):
                fate = self.fates.get(one.number or "")
                if fate is not None and fate.put is not None:
                    put = fate.put
                    base.messages[put.number] = replace(
                        put, queue=name, place=place, returned=put.returned or now, committed=put.committed or now
                    )
        for name, unit in self.history.units.items():
            if self.outcomes.get(name) == _HELD:
                held = replace(unit, state=State.PREPARED, gets=[])
                base.branches[name] = held
                for get in unit.gets:
                    fate = self.fates[get.number]
                    if fate.put is not None and fate.put.persistent:
                        held.gets.append(get)
                        # Out of sight it has no place; the one it had is of an older list
                        base.messages[get.number] = replace(fate.put, place=None, committed=fate.put.committed or now)
        return base


def _numbers(unit: Unit) -> list[str]:
    return [put.number for put in unit.puts] + [get.number for get in unit.gets]


def count(findings: Iterable[Finding]) -> Counter[str]:
    """How many there are of each kind."""
    return Counter(finding.kind for finding in findings)
