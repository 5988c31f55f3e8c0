"""What must be there after a crash: a naive model of queues, units of work and branches.

A message is known by its number, in the order of the puts. The model has no notion of files, logs or checkpoints: it
knows what was acknowledged, and `crashed` says what a queue manager that lost power must show when it is started
again. Where more than one answer is right (a call was under way), the test holds several models and one must match.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

COMMITTED = ""
UNIT = "unit of work"  # the one of the application's connection; any other owner is the XID of a branch


@lru_cache(maxsize=4096)
def data_of(number: int, size: int) -> bytes:
    """The data of a message: different for each, the same in every run."""
    return random.Random(number).randbytes(size)


@dataclass(frozen=True)
class Held:
    """A message the queue manager has been given and not got rid of."""

    number: int
    queue: str
    size: int
    persistent: bool
    priority: int
    expires: float  # 0: never
    put_by: str = COMMITTED
    got_by: str = COMMITTED
    backouts_min: int = 0
    backouts_max: int = 0

    @property
    def data(self) -> bytes:
        return data_of(self.number, self.size)


@dataclass(frozen=True)
class Seen:
    """A message as a browse shows it."""

    number: int
    data: bytes
    persistent: bool
    priority: int
    backouts: int


@dataclass
class Observed:
    """A queue manager as its verbs show it."""

    queues: dict[str, list[Seen]]
    attributes: dict[str, int]
    depths: dict[str, int]
    in_doubt: set[str]
    units: int
    connected: int  # connections that may have a unit of work of their own


@dataclass
class Model:
    high: dict[str, bool] = field(default_factory=dict)  # every queue: has it NPMCLASS(HIGH)
    attributes: dict[str, int] = field(default_factory=dict)  # by queue: MAXDEPTH
    held: dict[int, Held] = field(default_factory=dict)
    active: set[str] = field(default_factory=set)  # branches begun and not prepared
    prepared: set[str] = field(default_factory=set)

    def copy(self) -> Model:
        return Model(
            self.high.copy(), self.attributes.copy(), self.held.copy(), self.active.copy(), self.prepared.copy()
        )

    # What the verbs do

    def visible(self, queue: str, now: float) -> list[Held]:
        """What a get may take, in delivery order."""
        found = [
            held
            for held in self.held.values()
            if held.queue == queue and not held.put_by and not held.got_by and not 0 < held.expires <= now
        ]
        return sorted(found, key=lambda held: (-held.priority, held.number))

    def has_uncommitted(self, queue: str) -> bool:
        return any(held.queue == queue and (held.put_by or held.got_by) for held in self.held.values())

    def put(self, held: Held) -> None:
        self.held[held.number] = held

    def get(self, held: Held, owner: str) -> None:
        if owner:
            self.held[held.number] = replace(held, got_by=owner)
        else:
            del self.held[held.number]

    def commit(self, owner: str) -> None:
        for held in list(self.held.values()):
            if held.got_by == owner:
                del self.held[held.number]
            elif held.put_by == owner:
                self.held[held.number] = replace(held, put_by=COMMITTED)
        self.active.discard(owner)
        self.prepared.discard(owner)

    def back_out(self, owner: str, *, counted: bool = True) -> None:
        """`counted`: the backout count is known to rise; after a crash it may or may not have."""
        for held in list(self.held.values()):
            if held.put_by == owner:
                del self.held[held.number]
            elif held.got_by == owner:
                low = held.backouts_min + (1 if counted else 0)
                self.held[held.number] = replace(
                    held, got_by=COMMITTED, backouts_min=low, backouts_max=held.backouts_max + 1
                )
        self.active.discard(owner)
        self.prepared.discard(owner)

    def drop_queue(self, queue: str) -> None:
        for held in list(self.held.values()):
            if held.queue == queue:
                del self.held[held.number]

    # What a restart shows

    def crashed(self) -> Model:
        """Acknowledged and prepared work is there, the rest of it backed out, non-persistent messages are gone."""
        after = self.copy()
        for owner in (UNIT, *self.active):
            after.back_out(owner, counted=False)
        for held in list(after.held.values()):
            if not held.persistent:
                del after.held[held.number]
        return after

    def ended(self) -> Model:
        """After an orderly end and start: as after a crash, but NPMCLASS(HIGH) keeps what is not persistent.

        The messages of a branch that is in doubt are kept only if they are persistent.
        """
        after = self.copy()
        after.back_out(UNIT)
        for owner in self.active:
            after.back_out(owner, counted=False)
        for held in list(after.held.values()):
            if not held.persistent and (not after.high[held.queue] or held.put_by or held.got_by):
                del after.held[held.number]
        return after

    def without_nonpersistent(self, queue: str) -> Model:
        """After media recovery of a queue."""
        after = self.copy()
        for held in list(after.held.values()):
            if held.queue == queue and not held.persistent:
                del after.held[held.number]
        return after

    def without_expired(self, now: float) -> Model:
        """A scan discards what is expired and nobody has got."""
        after = self.copy()
        for held in list(after.held.values()):
            if 0 < held.expires <= now and not held.put_by and not held.got_by:
                del after.held[held.number]
        return after

    def mismatch(self, observed: Observed, now: float) -> str:
        """What is different, in words; empty if this is what the model says."""
        if set(observed.queues) != set(self.high):
            return f"queues {sorted(observed.queues)} instead of {sorted(self.high)}"
        if observed.attributes != self.attributes:
            return f"MAXDEPTH {observed.attributes} instead of {self.attributes}"
        if observed.in_doubt != self.prepared:
            return f"in doubt: {sorted(observed.in_doubt)} instead of {sorted(self.prepared)}"
        begun = len(self.prepared) + len(self.active)
        if not begun <= observed.units <= begun + observed.connected:
            return f"{observed.units} units of work with {begun} branches"
        for queue, seen in observed.queues.items():
            wanted = self.visible(queue, now)
            if [one.number for one in seen] != [held.number for held in wanted]:
                return f"{queue} holds {[one.number for one in seen]} instead of {[held.number for held in wanted]}"
            for one, held in zip(seen, wanted, strict=True):
                wrong = _difference(one, held)
                if wrong:
                    return f"{queue}, message {one.number}: {wrong}"
            pending = sum(1 for held in self.held.values() if held.queue == queue and held.put_by)
            if observed.depths[queue] != len(wanted) + pending:
                return f"{queue} has depth {observed.depths[queue]} with {len(wanted)} messages and {pending} pending"
        return ""

    def settled(self, observed: Observed) -> Model:
        """The model that matched, with the backout counts that were seen."""
        after = self.copy()
        for seen in observed.queues.values():
            for one in seen:
                held = after.held[one.number]
                after.held[one.number] = replace(held, backouts_min=one.backouts, backouts_max=one.backouts)
        return after


def _difference(seen: Seen, held: Held) -> str:
    if seen.data != held.data:
        return f"its {len(seen.data)} bytes are not the {held.size} that were put"
    if seen.persistent != held.persistent or seen.priority != held.priority:
        return "persistence or priority changed"
    if not held.backouts_min <= seen.backouts <= held.backouts_max:
        return f"backout count {seen.backouts} instead of {held.backouts_min} to {held.backouts_max}"
    return ""


def match(models: Iterable[Model], observed: Observed, now: float) -> tuple[Model | None, str]:
    """The first model that agrees with what is seen, or why none does."""
    reasons = []
    for model in models:
        reason = model.mismatch(observed, now)
        if not reason:
            return model, ""
        if reason not in reasons:
            reasons.append(reason)
    return None, "; or: ".join(reasons)
