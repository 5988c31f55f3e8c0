"""Message channels with a fault at every moment: cuts at every segment, crashes at every write and sync.

Exhaustive for batches of up to three messages; two faults in one run at some of the moments, by seed. The summary of
the run says how many moments were tried.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from crash_channels import SURVIVORS, Fault, Moments, Scenario, try_run
from crash_points import LEVEL, Record, by_level

# Persistent messages, and mixtures that travel in batches or outside of them; batches that are full, and such that end
# because the queue is empty; one batch, and several
BATCHES = (
    Scenario("P", 1),
    Scenario("P P", 1, pipeline=2),
    Scenario("PP", 2),
    Scenario("PP P", 2, pipeline=2),
    Scenario("PPP", 3),
    Scenario("PPP PP", 3, pipeline=2),
    Scenario("Pn", 2),
    Scenario("PnP Pn", 3, pipeline=2),
    Scenario("Pn", 2, fast=True),
    Scenario("nPn Pn", 3, pipeline=2, fast=True),
)
# The other ways in which a channel is started
STARTS = (
    Scenario("PP", 2, trigger=True),
    Scenario("PP", 2, pair="SVR-RCVR"),
    Scenario("PP", 2, pair="SVR-RQSTR"),
    Scenario("PP", 2, pair="RQSTR-SVR"),
    Scenario("PP", 2, pair="RQSTR-SDR"),
)
# Over several queue managers, far away, or with a disk so slow that one end gives up while the other still writes
DISTANT = (
    Scenario("PPP PPP", 3, pipeline=2, latency_s=0.03),
    Scenario("PnPnP", 2, fast=True, latency_s=0.03),
    Scenario("PP P", 2, hops=2),
    Scenario("PPP", 3, hops=3, pipeline=2),
    Scenario("PPP P", 3, pipeline=2, paused=True, more="HBINT(1) MRRTY(1000) MRTMR(700)"),
    Scenario("PP", 2, more="HBINT(1)", slow="QM2"),
)
SECOND_FAULTS = by_level(20, 600, 20_000)
"""Of one scenario."""


def report(record_property: Record, scenario: Scenario, counts: Counter[str]) -> None:
    record_property(
        "outcomes", {"table": "message channels, cut and crash points tried", "rows": {str(scenario): dict(counts)}}
    )


def some_of(faults: Iterator[Fault], scenario: Scenario) -> Iterator[Fault]:
    """All of them; of distant queue managers, whose runs are long, every third, unless there is time."""
    return itertools.islice(faults, 0, None, 3) if scenario in DISTANT and not LEVEL else faults


def all_faults(moments: Moments) -> list[Fault]:
    return [*moments.cuts(), *moments.crashes(), *moments.crashes_at_segments()]


@pytest.mark.parametrize("scenario", (*BATCHES, *STARTS, *DISTANT), ids=str)
def test_a_cut_at_every_segment(scenario: Scenario, record_property: Record) -> None:
    moments = try_run(scenario)
    counts = Counter({"segments": moments.arrivals})
    for fault in some_of(moments.cuts(), scenario):
        try_run(scenario, fault)
        counts["cuts"] += 1
    report(record_property, scenario, counts)
    assert moments.arrivals > 6


@pytest.mark.parametrize("scenario", (*BATCHES, *STARTS, *DISTANT), ids=str)
def test_a_crash_at_every_segment(scenario: Scenario, record_property: Record) -> None:
    counts = Counter({"crashes": 0})
    moments = list(try_run(scenario).crashes_at_segments())
    for fault in some_of(iter(moments), scenario):
        try_run(scenario, fault)
        counts["crashes"] += 1
    report(record_property, scenario, counts)
    assert len(moments) > 12 and counts["crashes"] >= len(moments) / 3


@pytest.mark.parametrize("scenario", (*BATCHES, *STARTS, *DISTANT), ids=str)
def test_a_crash_at_every_write(scenario: Scenario, record_property: Record) -> None:
    """Small ones with all that may survive; of the others each write with one of it in turn, unless there is time."""
    moments = try_run(scenario)
    counts = Counter({"crashes": 0, "writes and syncs": sum(moments.operations.values())})
    all_kinds = LEVEL or scenario in BATCHES[:6]
    for number, fault in enumerate(moments.crashes(SURVIVORS)):
        if all_kinds or number % len(SURVIVORS) == number // len(SURVIVORS) % len(SURVIVORS):
            try_run(scenario, fault)
            counts["crashes"] += 1
    report(record_property, scenario, counts)
    assert all(count > 3 for count in moments.operations.values())


@pytest.mark.parametrize("scenario", (*BATCHES, *STARTS), ids=str)
def test_a_second_fault_while_the_first_is_mended(scenario: Scenario, record_property: Record) -> None:
    rng = random.Random(f"second faults {scenario}")
    moments = try_run(scenario)
    first = all_faults(moments)
    counts: Counter[str] = Counter()
    while counts["two faults"] < SECOND_FAULTS:
        fault = rng.choice(first)
        after = try_run(scenario, fault)
        second = all_faults(after)
        for again in rng.sample(second, min(4, len(second))):
            try_run(scenario, fault, again)
            counts["two faults"] += 1
    report(record_property, scenario, counts)
