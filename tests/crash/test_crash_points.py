"""Power cuts at every write and sync boundary of short workloads, under every configuration of the log.

The crash points of a workload's last operation are tried here; those of the ones before it are the crash points of the
shorter workload. At each point the disk may have lost, kept, torn or reordered what was not synced. All workloads of
one operation are tried, all of two where there is time, and of the longer ones a sample by seed.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from crash_driver import Operation
from crash_matrix import CIRCULAR, MATRIX, Configuration
from crash_points import FULL, Record, Tally, by_level, name_of, record, try_points

PAIRS = by_level(2, 1 << 60, 1 << 60)
TRIPLES = by_level(1, 20, 1 << 60)
"""Workloads of two and of three operations for each first one."""


def workloads(configuration: Configuration, first: Operation) -> Iterator[tuple[Operation, ...]]:
    operations = configuration.operations
    rng = random.Random(f"{configuration} {first.__name__}")
    yield (first,)
    for length, most in ((1, PAIRS), (2, TRIPLES)):
        rest = list(itertools.product(operations, repeat=length))
        if configuration is CIRCULAR:
            most *= 10  # nothing is special about its start, so it takes longer ways
        elif configuration.damage is not None and not FULL:
            most = min(most, 5)  # every disk is different, and is restarted
        if len(rest) > most:
            rest = rng.sample(rest, most)
        for others in rest:
            yield (first, *others)


CASES = [(configuration, first) for configuration in MATRIX for first in configuration.operations]


@pytest.mark.parametrize(("configuration", "first"), CASES, ids=lambda case: getattr(case, "__name__", str(case)))
def test_short_workloads(configuration: Configuration, first: Operation, record_property: Record) -> None:
    tally = Tally(configuration)
    for workload in workloads(configuration, first):
        try_points(record(configuration, workload, different=True), name_of(workload), tally)
    tally.report(record_property)
    assert tally.points
