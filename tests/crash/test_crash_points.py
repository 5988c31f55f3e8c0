"""Power cuts at every write and sync boundary of every workload of up to three operations.

The crash points of a workload's last operation are tried here; those of the ones before it are the crash points of the
shorter workload. At each point the disk may have lost, kept, torn or reordered what was not synced.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from crash_driver import OPERATIONS, Operation, create
from crash_model import Model
from crash_points import Tally, name_of, record, try_points

from libremq.testing import FaultyFiles

NOW = 1_700_000_000.0

Record = Callable[[str, object], None]


@pytest.fixture(scope="module")
def template() -> tuple[FaultyFiles, Model]:
    return create()


@pytest.mark.parametrize("first", OPERATIONS, ids=lambda operation: operation.__name__)
def test_every_workload_of_up_to_three_operations(
    template: tuple[FaultyFiles, Model], first: Operation, record_property: Record
) -> None:
    files, model = template
    tally = Tally()
    for length in (0, 1, 2):
        for rest in itertools.product(OPERATIONS, repeat=length):
            workload = (first, *rest)
            try_points(record(files, model, NOW, workload), name_of(workload), tally)
    record_property("crash_points", tally.points)
    record_property("restarts", tally.restarts)
    assert tally.points > len(OPERATIONS) ** 2
