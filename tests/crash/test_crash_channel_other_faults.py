"""Message channels and what is neither a cut nor a crash, at every segment.

Connections stall and come alive again, calls arrive twice, segments outlive their connection, logs are full, operators
resolve and reset.

See `test_crash_channel_simulation.py` for the scenarios, and for the count of moments at the end of the run.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from crash_channels import NEAR_CUTS, SLOW_S, SURVIVORS, Scenario, run, try_run
from crash_points import Record, by_level
from test_crash_channel_simulation import report

from libremq.admin.mqsc_session import Answer
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.testing.channel_ledger import Application, check
from libremq.testing.channel_simulation import ChannelSimulation, Crash, FullLog
from libremq.testing.channel_topologies import IN, channel_name, line

IMPATIENT = "HBINT(5) BATCHHB(1000)"
CONNECTIONS = (
    Scenario("PPP PP", 3, pipeline=2, latency_s=0.03, more=IMPATIENT),
    Scenario("nPn Pn", 3, fast=True, latency_s=0.03, more=IMPATIENT),
    Scenario("PP", 2, pair="RQSTR-SVR", latency_s=0.03, more=IMPATIENT),
    Scenario("PP", 2, pair="RQSTR-SDR", latency_s=0.03, more=IMPATIENT),
)
AT_HAND = (
    Scenario("PPP PP", 3, pipeline=2),
    Scenario("nPn Pn", 3, pipeline=2, fast=True),
    Scenario("PP", 2, trigger=True),
    Scenario("PnP", 3, pair="RQSTR-SVR"),
)
# So many operations that a batch gives way where a smaller one is moved to the end of the log
LARGE = (Scenario("P" * 45, 50, window_bytes=2000), Scenario("P" * 45, 50, window_bytes=2000, pipeline=2))
LARGE_MOMENTS = by_level(10, 40, 10_000)
CRASHED_VISITS = by_level(60, 1000, 100_000)


@pytest.mark.parametrize("scenario", CONNECTIONS, ids=str)
def test_connections_that_come_alive_again(scenario: Scenario, record_property: Record) -> None:
    moments = try_run(scenario)
    counts: Counter[str] = Counter()
    for fault in moments.stalls():
        try_run(scenario, fault)
        counts["stalls and doubled calls"] += 1
    for fault in moments.cuts(NEAR_CUTS):
        try_run(scenario, fault)
        counts["cuts"] += 1
    report(record_property, scenario, counts)
    assert min(counts.values()) > 30


@pytest.mark.parametrize("scenario", AT_HAND, ids=str)
def test_a_log_that_is_full_at_every_segment(scenario: Scenario, record_property: Record) -> None:
    counts: Counter[str] = Counter()
    for fault in try_run(scenario).full_logs():
        try_run(scenario, fault)
        counts["full logs"] += 1
    report(record_property, scenario, counts)
    assert counts["full logs"] > 30


@pytest.mark.parametrize("scenario", LARGE, ids=lambda scenario: f"large, pipelined: {scenario.pipeline > 1}")
def test_a_batch_that_gives_way_in_a_full_log_is_sent_again(scenario: Scenario, record_property: Record) -> None:
    """Seen at both ends: the queue manager backs it out without asking, while it is under way."""
    moments = try_run(scenario)
    gave_way: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    step = max(1, moments.arrivals // LARGE_MOMENTS)
    for name in moments.operations:
        for number in range(6, moments.arrivals, step):
            done = run(scenario, FullLog(name, number))
            gave_way[name] += any("2003" in words for _, words in done.simulation.events.words if "AMQ9" in words)
            counts["full logs"] += 1
    report(record_property, scenario, counts)
    assert all(gave_way[name] for name in moments.operations), gave_way


@pytest.mark.parametrize("scenario", AT_HAND, ids=str)
def test_an_operator_resolves_and_resets_at_every_segment(scenario: Scenario, record_property: Record) -> None:
    counts: Counter[str] = Counter()
    for fault in try_run(scenario).visits():
        counts.update(run(scenario, fault).decided)
        counts["visits"] += 1
    report(record_property, scenario, counts)
    assert counts["COMMIT"] and counts["BACKOUT"] and counts["RESET"]


@pytest.mark.parametrize("scenario", AT_HAND, ids=str)
def test_a_crash_at_every_write_while_an_operator_is_there(scenario: Scenario, record_property: Record) -> None:
    rng = random.Random(f"crashes of visits {scenario}")
    counts: Counter[str] = Counter()
    visits = list(try_run(scenario).visits())
    pairs = [(visit, crash) for visit in visits for crash in try_run(scenario, visit).crashes(SURVIVORS)]
    for visit, crash in rng.sample(pairs, min(len(pairs), CRASHED_VISITS // len(AT_HAND))):
        assert isinstance(crash, Crash)
        counts.update(run(scenario, visit, crash).decided)
        counts["two faults"] += 1
    report(record_property, scenario, counts)
    assert counts["RESET"] and counts["two faults"] > 10


def test_what_an_operator_sees_of_the_other_end_is_on_disk() -> None:
    """A batch is resolved by it: the last LUWID of a receiver must not be gone after a crash."""
    simulation = ChannelSimulation(line(2, attributes="BATCHSZ(2)"))
    sender, receiver = simulation["QM1"], simulation["QM2"]
    receiver.force_s = SLOW_S
    channel = channel_name("QM1", "QM2")
    simulation.start_channel("QM1", channel)
    application = Application(simulation, "QM1", IN, "QM2")
    application.put(True, True)
    assert simulation.run(60.0, lambda: bool(receiver.manager.core.catalogue.channel_syncs))
    simulation.stop_channel("QM1", channel, C.MQMODE_FORCE)
    assert simulation.run(1.0, lambda: not receiver.instances())
    shown: list[Answer | None] = []
    receiver.command(f"DISPLAY CHSTATUS({channel}) SAVED ALL", shown.append)
    simulation.run(1.0)
    receiver.crash()
    simulation.run(30.0, lambda: receiver.is_up)
    kept = [sync.luwid.upper() for sync in receiver.manager.core.catalogue.channel_syncs.values()]
    assert [row["lstluwid"] for answer in shown if answer is not None for row in answer.rows] in ([], kept)
    assert channel_batches.in_doubt(sender.manager.core, channel)
    receiver.force_s = 0.0
    simulation.visit("QM1", "QM2", channel)
    simulation.settle()
    check(simulation)
    assert simulation.decided == {"BACKOUT": 1}
