"""Message channels between two to four queue managers with faults at random: cuts, crashes, delays, stalls, refused and
doubled calls, full logs, operators that stop, start, resolve and reset, orderly restarts; then quiet, and all must have
arrived once and in order.

LIBREMQ_CHANNEL_SEED runs one seed only: pytest tests/crash/test_crash_channel_simulation_seeded.py -s
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable

import pytest
from crash_points import Record, by_level

from libremq.kernel.units.channel_batches import in_doubt
from libremq.mqi import constants as C
from libremq.testing.channel_ledger import Application, check
from libremq.testing.channel_simulation import ChannelSimulation
from libremq.testing.channel_topologies import IN, PAIRS, channel_name, line, ring, started_by

SEEDS = by_level(30, 400, 20_000)
PER_TEST = 5
CHAOS_S = 240.0
ONLY = os.environ.get("LIBREMQ_CHANNEL_SEED", "")
CHUNKS = [[ONLY]] if ONLY else [range(first, first + PER_TEST) for first in range(0, SEEDS, PER_TEST)]
MORE = ("", "", "SEQWRAP(100)", "COMPMSG(ZLIBFAST)", "DISCINT(30)", "BATCHHB(1000)", "BATCHLIM(2)")
MODES = (C.MQMODE_QUIESCE, C.MQMODE_FORCE, C.MQMODE_TERMINATE)


class World:
    """Queue managers, channels and applications by seed, and somebody who breaks things."""

    def __init__(self, seed: object) -> None:
        self.rng = rng = random.Random(f"world {seed}")
        self.counts: Counter[str] = Counter()
        self.fast = rng.random() < 0.5
        self.pair = rng.choice((*PAIRS, "SDR-RCVR", "SDR-RCVR"))
        self.trigger = self.pair == "SDR-RCVR" and rng.random() < 0.5
        batch = rng.choice((1, 2, 3, 5, 50))
        attributes = (
            f"BATCHSZ({batch}) NPMSPEED({'FAST' if self.fast else 'NORMAL'}) "
            f"BATCHINT({rng.choice((0, 0, 200))}) HBINT({rng.choice((5, 30, 300))}) "
            f"MRRTY(999999999) MRTMR({rng.choice((10, 1000))}) {rng.choice(MORE)}"
        ).strip()
        shape, count = rng.choice(((line, 2), (line, 2), (line, 3), (line, 4), (ring, 3), (ring, 4)))
        self.simulation = ChannelSimulation(
            shape(count, pair=self.pair, attributes=attributes, trigger=self.trigger),
            seed=seed,
            shuffled=True,
            pipeline_length=rng.choice((1, 2)),
            force_s=rng.choice((0.0, 0.002)),
        )
        self.words = f"{shape.__name__} of {count}, {self.pair}, {attributes}, triggered: {self.trigger}"
        names = list(self.simulation.queue_managers)
        self.neighbours = [(one, names[at]) for at, one in enumerate(names, -1) if shape is ring or at >= 0]
        self.channels = [pair for one, other in self.neighbours for pair in ((one, other), (other, one))]
        for one, other in self.neighbours:
            link = self.simulation.network.link(one, other)
            link.latency_s, link.jitter_s = rng.choice(((0.0, 0.0), (0.002, 0.001), (0.3, 0.2)))
            link.window_bytes = rng.choice((1_000, 1 << 20))
        self._start()
        self.applications = []
        sizes = (60, 500) if batch > 5 else (60, 500, 40_000)  # the log is small
        for _ in range(rng.randint(1, 3)):
            host, target = rng.sample(names, 2)
            self.applications.append(Application(self.simulation, host, IN, target, size=rng.choice(sizes)))

    def _start(self) -> None:
        if self.trigger:
            return
        for one, other in dict.fromkeys(self.channels):
            self.simulation.start_channel(started_by(self.pair, one, other), channel_name(one, other))

    def run(self) -> None:
        rng, simulation = self.rng, self.simulation
        while simulation.events.elapsed_s < CHAOS_S:
            application = rng.choice(self.applications)
            for _ in range(rng.randint(1, 4 if application.size < 10_000 else 1)):
                application.put(*(rng.random() < 0.7 for _ in range(rng.randint(1, 4))))
            simulation.run(rng.choice((0.0, 0.01, 0.7, 5.0, 20.0)))
            if rng.random() < 0.6:
                fault = rng.choice(FAULTS)
                self.counts[fault.__name__] += 1
                fault(self)
        simulation.run(120.0)  # what was asked for to happen later has happened
        for manager in simulation.queue_managers.values():
            manager.files.crash_at = None
            manager.files.set_free_space(None)
        for manager in simulation.queue_managers.values():
            manager.alter("QLOCAL", IN, {"PUT": "ENABLED"})
        for one, other in self.channels:
            link = simulation.network.link(one, other)
            link.latency_s, link.jitter_s, link.refuses = 0.0, 0.0, False
        self._start_all()
        simulation.settle(7200.0)
        for one, other in dict.fromkeys(self.channels):  # each carries more, and both ends know of it
            Application(simulation, one, IN, other).put(True)
        simulation.settle(7200.0)
        check(simulation, fast=self.fast)
        self.counts.update(simulation.decided)

    def _start_all(self) -> None:
        simulation = self.simulation
        for name, channel in sorted(simulation.stopped):
            simulation.start_channel(name, channel)

    def later(self, action: Callable[[], None]) -> None:
        self.simulation.events.after(self.rng.choice((0.5, 12.0, 40.0)), action)


def cut(world: World) -> None:
    rng = world.rng
    if world.simulation.network.connections:
        connection = rng.choice(world.simulation.network.connections)
        world.simulation.cuts += 1
        connection.cut(
            caller_hears_s=rng.choice((0.0, 0.0, 50.0)),
            called_hears_s=rng.choice((0.0, 0.0, 50.0)),
            straggles_s=rng.choice((None, 30.0)),
        )


def crash(world: World) -> None:
    rng = world.rng
    manager = rng.choice(list(world.simulation.queue_managers.values()))
    manager.survivors = rng.choice(("nothing", "everything", "something"))
    manager.restart_s = rng.choice((0.0, 3.0, 30.0))
    manager.partner_hears_s = rng.choice((0.0, 0.0, 70.0))
    if rng.random() < 0.2:
        manager.crash()
    else:
        manager.crash_in(rng.randint(1, 40))


def refuse(world: World) -> None:
    link = world.simulation.network.link(*world.rng.choice(world.channels))
    link.refuses = True

    def heal() -> None:
        link.refuses = False

    world.later(heal)


def delay(world: World) -> None:
    link = world.simulation.network.link(*world.rng.choice(world.channels))
    link.latency_s, link.jitter_s = world.rng.choice(((0.0, 0.0), (0.002, 0.001), (1.0, 3.0)))


def stop(world: World) -> None:
    one, other = world.rng.choice(world.channels)
    name, channel = world.rng.choice((one, other)), channel_name(one, other)
    world.simulation.stop_channel(name, channel, world.rng.choice(MODES))
    world.later(lambda: world.simulation.start_channel(name, channel))


def inhibit(world: World) -> None:
    manager = world.rng.choice(list(world.simulation.queue_managers.values()))
    manager.alter("QLOCAL", IN, {"PUT": "DISABLED"})
    world.later(lambda: manager.alter("QLOCAL", IN, {"PUT": "ENABLED"}))


def restart(world: World) -> None:
    manager = world.rng.choice(list(world.simulation.queue_managers.values()))
    manager.restart_s = world.rng.choice((0.0, 3.0, 30.0))
    manager.quiesce()
    world.later(manager.end)


def checkpoint(world: World) -> None:
    manager = world.rng.choice(list(world.simulation.queue_managers.values()))
    if manager.files.free_bytes(""):
        manager.run(lambda: manager.manager.checkpoint())


def stall(world: World) -> None:
    if world.simulation.network.connections:
        world.simulation.cuts += 1
        world.rng.choice(world.simulation.network.connections).stall(world.rng.choice((3.0, 30.0, 120.0)))


def duplicate(world: World) -> None:
    if world.simulation.network.connections:
        world.simulation.cuts += 1
        world.rng.choice(world.simulation.network.connections).duplicate(world.rng.choice((0.0, 20.0, 90.0)))


def full_log(world: World) -> None:
    manager = world.rng.choice(list(world.simulation.queue_managers.values()))
    world.simulation.cuts += 1
    manager.fill_log(world.rng.choice((0.0, 0.0, 5.0, 40.0)))


def visit(world: World) -> None:
    """Somebody decides what is in doubt by hand, and perhaps resets the channel."""
    simulation = world.simulation
    doubtful = [
        (one, other)
        for one, other in world.channels
        if simulation[one].is_up and in_doubt(simulation[one].manager.core, channel_name(one, other))
    ]
    one, other = world.rng.choice(doubtful or world.channels)
    world.simulation.cuts += 1
    reset = world.rng.choice((None, None, 1, 57))
    world.simulation.visit(one, other, channel_name(one, other), reset=reset)


FAULTS = (
    *(cut, cut, cut, crash, crash, refuse, delay, stop, inhibit, restart, checkpoint),
    *(stall, duplicate, full_log, visit, visit),
)


@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_faults_at_random(seeds: list[object], record_property: Record) -> None:
    counts: Counter[str] = Counter()
    for seed in seeds:
        world = World(seed)
        try:
            world.run()
        except BaseException as error:
            hint = f"LIBREMQ_CHANNEL_SEED={seed}: {world.words}"
            raise AssertionError(f"{hint}: {type(error).__name__}: {error}") from error
        if ONLY:
            print(world.words, world.simulation.events.story(400), sep="\n")
        counts.update(world.counts)
        counts["runs"] += 1
        counts["segments"] += world.simulation.network.arrivals
    record_property("outcomes", {"table": "message channels, faults at random", "rows": {"seeds": dict(counts)}})
    if not ONLY:  # a single seed may be a quiet one
        assert counts["cut"] and counts["crash"] and counts["segments"] > 50 * len(seeds)
        assert counts["RESET"] + counts["COMMIT"] + counts["BACKOUT"] and counts["full_log"]
