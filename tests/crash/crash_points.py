"""Try the crash points of a workload: restart from what a power cut leaves, compare, and live on.

A *crash point* is a moment: the power fails at one write, sync, creation, rename or removal of a workload under one
configuration. Two moments are the same if the same was done to the files up to there and the same was promised; each
is counted once in a run. A *disk state* is what may be left of such a moment; equal disks are restarted once.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b

from crash_driver import NOW, CrashPoint, Life, Operation, Recorder, fingerprint, resolve_all, restart, second_life
from crash_matrix import CIRCULAR, Configuration
from crash_model import Model, Observed, match

from libremq.testing import FaultyFiles

LEVEL = os.environ.get("LIBREMQ_CRASH", "")
"""Empty: part of every test run. "thorough": minutes, over 100,000 crash points. "full": every disk state, hours."""

Record = Callable[[str, object], None]


def by_level(usual: int, thorough: int, full: int) -> int:
    return {"thorough": thorough, "full": full}.get(LEVEL, usual)


FULL = LEVEL == "full"
STATES_MAX = None if FULL else by_level(2, 3, 0)
SECOND_LIFE_EVERY = by_level(41, 41, 1)


class Tally:
    """How much was tried under one configuration."""

    def __init__(self, configuration: Configuration = CIRCULAR) -> None:
        self.configuration = configuration
        self.points: set[bytes] = set()
        self.cut_points: set[bytes] = set()
        """Those of them that are in a restart."""
        self.states = 0
        self.restarts = 0
        self.observed: dict[tuple[int, float], Observed] = {}

    def report(self, record_property: Record) -> None:
        record_property(
            "crash_points",
            {
                "configuration": self.configuration.name,
                "points": b"".join(self.points).hex(),
                "in_restarts": len(self.cut_points),
                "states": self.states,
                "restarts": self.restarts,
            },
        )


def key_of(*parts: object) -> bytes:
    """A moment in eight bytes, the same in every process."""
    return blake2b(repr(parts).encode(), digest_size=8).digest()


def name_of(workload: Iterable[Operation]) -> str:
    return ", ".join(operation.__name__ for operation in workload)


def record(
    configuration: Configuration, workload: tuple[Operation, ...], *, different: bool = False
) -> list[CrashPoint]:
    """Run a workload once; the crash points of its last operation. Those before belong to shorter workloads.

    `different`: none if an operation before the last changes nothing, which makes it one of the shorter workloads.
    """
    template, model = configuration.template()
    points: list[CrashPoint] = []
    life: Life | None = None
    recording = False
    history = blake2b(configuration.name.encode(), digest_size=8)
    promises: dict[int, tuple[list[Model], bytes]] = {}

    def point(what: str) -> CrashPoint:
        assert life is not None
        acceptable, promise = promises.get(id(life.acceptable), (None, b""))
        if acceptable is None:
            promise = repr(life.acceptable).encode()
            promises[id(life.acceptable)] = life.acceptable, promise
        moment = history.copy()
        moment.update(promise)
        return CrashPoint(files.copy(), what, life.acceptable, life.now, moment.digest())

    def boundary(what: str) -> None:
        history.update(what.encode())
        if recording:
            points.append(point(what))

    files = Recorder(template, boundary)
    life = Life(files, model, NOW)
    for operation in workload[:-1]:
        before = history.digest(), life.model, life.now
        operation(life, None)
        if different and before == (history.digest(), life.model, life.now):
            return []
    recording = True
    workload[-1](life, None)
    # One more: the power fails when all is done
    points.append(point("the end"))
    life.check([life.model])
    return points


def try_points(points: list[CrashPoint], label: str, tally: Tally, states_max: int | None = STATES_MAX) -> None:
    """Restart from the disk states of each point, each different disk once: a restart shows the same every time."""
    configuration = tally.configuration
    seen = tally.observed
    for index, point in enumerate(points):
        if point.key in tally.points:
            continue
        tally.points.add(point.key)
        rng = random.Random(f"{label} {index}")
        for disk in configuration.states(point.disk, rng, states_max):
            tally.states += 1
            key = fingerprint(disk), point.now
            try:
                if key in seen:
                    found, why = match(point.acceptable, seen[key], point.now)
                    assert found is not None, why
                else:
                    seen[key] = _try_disk(disk, point, tally)
            except BaseException as error:
                where = f"{configuration}: {label}; power cut at boundary {index} ({point.what}); {disk.label}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error


def _try_disk(disk: FaultyFiles, point: CrashPoint, tally: Tally) -> Observed:
    tally.restarts += 1
    number = tally.restarts
    life = restart(disk, point.acceptable, point.now)
    observed = life.observed
    resolve_all(life, bool(number % 2))
    if number % SECOND_LIFE_EVERY == 0:
        second_life(life)
    return observed


@dataclass(frozen=True)
class Cuts:
    """At how many boundaries of a restart the power fails, with how many disk states each, and where."""

    boundaries: int
    states: int
    where: str = ""


def cut_restart(disk: FaultyFiles, point: CrashPoint, tally: Tally, rng: random.Random, cuts: tuple[Cuts, ...]) -> None:
    """The power fails again while the restart is under way, then in the restart after that, and so on."""
    history = blake2b(point.key + disk.label.encode(), digest_size=8)
    boundaries: list[CrashPoint] = []

    def boundary(what: str) -> None:
        history.update(what.encode())
        boundaries.append(CrashPoint(files.copy(), what, acceptable, point.now, history.digest()))

    # What was saved by an orderly end is there once: a restart that gets far enough drops it
    acceptable = [*point.acceptable, *[model.crashed() for model in point.acceptable]]
    files = Recorder(disk, boundary)
    life = restart(files, point.acceptable, point.now)
    life.qm.abandon()
    boundaries = [cut for cut in boundaries if re.search(cuts[0].where, cut.what)]
    if len(boundaries) > cuts[0].boundaries:
        boundaries = rng.sample(boundaries, cuts[0].boundaries)
    tried: set[int] = set()
    for cut in boundaries:
        tally.points.add(cut.key)
        tally.cut_points.add(cut.key)
        # No damage here: of the other copy it would be too much, as long as the first is not made good
        for state in tally.configuration.states(cut.disk, rng, cuts[0].states, damaged=False):
            tally.states += 1
            key = fingerprint(state)
            if key in tried:
                continue
            tried.add(key)
            try:
                if len(cuts) > 1:
                    cut_restart(state.copy(), cut, tally, rng, cuts[1:])
                tally.restarts += 1
                again = restart(state, acceptable, point.now)
                resolve_all(again, bool(rng.randrange(2)))
                if tally.restarts % SECOND_LIFE_EVERY == 0:
                    second_life(again)
            except BaseException as error:
                where = f"its restart cut at [{cut.what}]; {state.label}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
