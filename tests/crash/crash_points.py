"""Try the crash points of a workload: restart from what a power cut leaves, compare, and live on."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable

from crash_driver import CrashPoint, Life, Operation, Recorder, fingerprint, resolve_all, restart, second_life
from crash_model import Model, Observed, match

from libremq.testing import FaultyFiles

FULL = os.environ.get("LIBREMQ_CRASH") == "full"
"""Every disk state of every crash point, and a second life after each; hours instead of minutes."""

STATES_MAX = None if FULL else 3
SECOND_LIFE_EVERY = 1 if FULL else 41
SECOND_CUT_EVERY = 10 if FULL else 997


class Tally:
    """How much was tried, and the seeds that choose among what is not."""

    def __init__(self) -> None:
        self.points = 0
        self.restarts = 0


def name_of(workload: Iterable[Operation]) -> str:
    return ", ".join(operation.__name__ for operation in workload)


def record(
    template: FaultyFiles, model: Model, now: float, workload: tuple[Operation, ...], rng: random.Random | None = None
) -> list[CrashPoint]:
    """Run a workload once; the crash points of its last operation. Those before belong to shorter workloads."""
    points: list[CrashPoint] = []
    life: Life | None = None
    recording = False

    def boundary(what: str) -> None:
        if recording:
            assert life is not None
            points.append(CrashPoint(files.copy(), what, life.acceptable, life.now))

    files = Recorder(template, boundary)
    life = Life(files, model, now)
    for operation in workload[:-1]:
        operation(life, rng)
    recording = True
    workload[-1](life, rng)
    # One more: the power fails when all is done
    points.append(CrashPoint(files.copy(), "the end", life.acceptable, life.now))
    life.check([life.model])
    return points


def try_points(points: list[CrashPoint], label: str, tally: Tally, states_max: int | None = STATES_MAX) -> None:
    """Restart from the disk states of each point, each different disk once: a restart shows the same every time."""
    seen: dict[int, Observed] = {}
    for index, point in enumerate(points):
        tally.points += 1
        rng = random.Random(f"{label} {index}")
        for disk in point.disk.disk_states(rng, states_max):
            key = fingerprint(disk)
            try:
                if key in seen:
                    found, why = match(point.acceptable, seen[key], point.now)
                    assert found is not None, why
                else:
                    tally.restarts += 1
                    seen[key] = _try_disk(disk, point, tally)
            except BaseException as error:
                where = f"{label}; power cut at boundary {index} ({point.what}); {disk.label}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error


def _try_disk(disk: FaultyFiles, point: CrashPoint, tally: Tally) -> Observed:
    number = tally.restarts
    if number % SECOND_CUT_EVERY == 0:
        _cut_restart(disk.copy(), point, tally)
    life = restart(disk, point.acceptable, point.now)
    observed = life.observed
    resolve_all(life, bool(number % 2))
    if number % SECOND_LIFE_EVERY == 0:
        second_life(life)
    return observed


def _cut_restart(disk: FaultyFiles, point: CrashPoint, tally: Tally) -> None:
    """The power fails again while the restart is under way, at each of its boundaries."""
    copies: list[FaultyFiles] = []
    files = Recorder(disk, lambda what: copies.append(files.copy()))
    life = restart(files, point.acceptable, point.now)
    life.qm.abandon()
    tried: set[int] = set()
    for index, copy in enumerate(copies):
        tally.points += 1
        for state in copy.disk_states(random.Random(index), 4):
            key = fingerprint(state)
            if key in tried:
                continue
            tried.add(key)
            tally.restarts += 1
            again = restart(state, point.acceptable, point.now)
            resolve_all(again, bool(index % 2))
