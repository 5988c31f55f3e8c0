"""What the simulations of message channels try: the same few messages over and over, with a fault at each moment.

A scenario is run once without faults, which counts its moments: segments that arrive, and writes and syncs of each
queue manager. Then it is run again for each of them, with a cut or a crash there, and, for second faults, for the
moments that follow the first one. After each run all messages must be there once, in order, and the channel must carry
more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from libremq.testing.channel_ledger import Application, check
from libremq.testing.channel_simulation import (
    ChannelSimulation,
    Crash,
    Cut,
    Duplicate,
    Fault,
    FullLog,
    Stall,
    Visit,
)
from libremq.testing.channel_topologies import IN, channel_name, line, started_by
from libremq.testing.simulated_queue_manager import Survivors

LATE_S = 95.0
"""When an end hears of a cut that does not hear it at once: behind several attempts of the other end to call again."""

PAUSED_S = 5.5
SLOW_S = 20.0
"""That a slow disk takes to sync: the other end has lost patience by then, and has called again."""

# Who hears of a cut at once, and whether what was on its way arrives when a new connection is there already
CUTS: tuple[dict[str, float], ...] = (
    {},
    {"called_hears_s": LATE_S},
    {"caller_hears_s": LATE_S},
    {"called_hears_s": LATE_S, "straggles_s": LATE_S - 60},
    {"caller_hears_s": LATE_S, "straggles_s": LATE_S - 60},
)
# A connection of which one end has never heard that it is broken: what was on its way arrives while the other end calls
# again, when the new connection is there and says nothing yet, and when the two ends speak on it
AGAIN_S = 10.0
NEAR_CUTS: tuple[dict[str, float], ...] = tuple(
    {"called_hears_s": LATE_S, "straggles_s": AGAIN_S + after_s} for after_s in (-0.01, 0.07, 0.1, 0.13, 0.2)
)
STALLS_S = (1.5, 11.0, 13.0, 40.0)
"""While an end is patient; around the moment at which it calls again; when there is a new connection for long."""

TWINS_S = (0.0, 12.0)
"""How long the second connection lasts that one call has made."""

FULL_S = (0.0, 25.0)
"""How long a log is full: until others have given way, or until the disk has room again, after some attempts."""

RESETS = (None, 1, 57)
SURVIVORS: tuple[Survivors, ...] = ("nothing", "everything", "something")


@dataclass(frozen=True)
class Scenario:
    """Units of work that go from one queue manager to the other; P is a persistent message, n one that is not."""

    units: str
    batch: int
    pipeline: int = 1
    fast: bool = False
    pair: str = "SDR-RCVR"
    trigger: bool = False
    more: str = ""
    latency_s: float = 0.0
    window_bytes: int = 1 << 20
    """A sender that has so much on its way waits until some of it has arrived."""
    hops: int = 1
    paused: bool = False
    """The queue takes no messages for a while, and the receiving agent tries again and again."""
    slow: str = ""
    """The queue manager whose disk is slow."""

    def __str__(self) -> str:
        words = [self.units, f"BATCHSZ({self.batch})", self.pair]
        words += ["pipelined"] * (self.pipeline > 1) + ["FAST"] * self.fast + ["triggered"] * self.trigger
        words += [self.more] * bool(self.more) + [f"{1000 * self.latency_s:g} ms"] * bool(self.latency_s)
        words += ["paused"] * self.paused
        words += [f"{self.hops} hops"] * (self.hops > 1)
        words += [f"slow {self.slow}"] * bool(self.slow)
        return " ".join(words)

    @property
    def attributes(self) -> str:
        return f"BATCHSZ({self.batch}) NPMSPEED({'FAST' if self.fast else 'NORMAL'}) {self.more}".strip()


@dataclass
class Moments:
    """How many moments there were: of segments, and by queue manager of its files."""

    arrivals: int
    operations: dict[str, int] = field(default_factory=dict)

    def cuts(self, kinds: tuple[dict[str, float], ...] = CUTS) -> Iterator[Fault]:
        for number in range(1, self.arrivals + 1):
            for kind in kinds:
                yield Cut(number, **kind, torn=number % 2 == 1 and "straggles_s" not in kind)

    def crashes(self, kinds: tuple[Survivors, ...] = SURVIVORS) -> Iterator[Fault]:
        for name, count in self.operations.items():
            for number in range(1, count + 1):
                for kind in kinds:
                    yield _crash(name, number, kind)

    def crashes_at_segments(self) -> Iterator[Fault]:
        """What was written and not synced is lost, or what was not even written."""
        for name in self.operations:
            for number in range(1, self.arrivals + 1):
                yield _crash(name, number, "nothing", at_segment=True)

    def stalls(self) -> Iterator[Fault]:
        """And calls that arrive twice."""
        for number in range(1, self.arrivals + 1):
            yield from (Stall(number, seconds) for seconds in STALLS_S)
            yield from (Duplicate(number, seconds) for seconds in TWINS_S)

    def full_logs(self) -> Iterator[Fault]:
        for name in self.operations:
            for number in range(1, self.arrivals + 1):
                yield from (FullLog(name, number, seconds) for seconds in FULL_S)

    def visits(self) -> Iterator[Fault]:
        """Of an operator to the first channel."""
        sender, receiver, *_ = self.operations
        for number in range(1, self.arrivals + 1):
            for reset in RESETS:
                yield Visit(sender, receiver, channel_name(sender, receiver), number, reset)


def _crash(name: str, number: int, survivors: Survivors, *, at_segment: bool = False) -> Crash:
    """Partners find it down, or up again; they hear at once, or late."""
    return Crash(name, number, survivors, (0.5, 15.0)[number % 2], (0.0, 0.0, LATE_S)[number % 3], at_segment)


class Run:
    """One run of a scenario."""

    def __init__(self, scenario: Scenario, *faults: Fault, seed: object = 0) -> None:
        disks = line(scenario.hops + 1, pair=scenario.pair, attributes=scenario.attributes, trigger=scenario.trigger)
        self.simulation = simulation = ChannelSimulation(
            disks, seed=f"{scenario} {faults} {seed}", pipeline_length=scenario.pipeline
        )
        names = list(disks)
        for one, other in pairwise(names):
            link = simulation.network.link(one, other)
            link.latency_s, link.window_bytes = scenario.latency_s, scenario.window_bytes
        if scenario.paused:
            simulation[names[-1]].alter("QLOCAL", IN, {"PUT": "DISABLED"})
            enabled = partial(simulation[names[-1]].alter, "QLOCAL", IN, {"PUT": "ENABLED"})
            simulation.events.after(PAUSED_S, enabled)
        if scenario.slow:
            simulation[scenario.slow].force_s = SLOW_S
        self._count()
        simulation.on_fault = self._count
        simulation.arm(*faults)
        application = Application(simulation, names[0], IN, names[-1])
        for one, other in pairwise(names):
            if not scenario.trigger:
                simulation.start_channel(started_by(scenario.pair, one, other), channel_name(one, other))
        for unit in scenario.units.split():
            application.put(*(kind == "P" for kind in unit))
        simulation.settle()
        application.put(True)  # what is left of the channel carries more
        simulation.settle()
        self.moments = self._moments()
        if simulation.decided["RESET"]:
            application.put(True)  # both ends know the same last batch only after another one
            simulation.settle()
        self.decided = simulation.decided
        check(simulation, fast=scenario.fast)

    def _count(self) -> None:
        """From here on."""
        self._arrivals = self.simulation.network.arrivals
        self._operations = {
            name: manager.files.operations if manager.is_up else 0
            for name, manager in self.simulation.queue_managers.items()
        }

    def _moments(self) -> Moments:
        managers = self.simulation.queue_managers
        operations = {name: managers[name].files.operations - count for name, count in self._operations.items()}
        return Moments(self.simulation.network.arrivals - self._arrivals, operations)


def try_run(scenario: Scenario, *faults: Fault) -> Moments:
    """Run it; a failure says with which faults."""
    return run(scenario, *faults).moments


def run(scenario: Scenario, *faults: Fault) -> Run:
    try:
        return Run(scenario, *faults)
    except BaseException as error:
        raise AssertionError(f"{scenario}: {faults}: {type(error).__name__}: {error}") from error
