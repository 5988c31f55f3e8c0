"""How often persistent work waits for the log, and what that wait allows."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio
from libremq.pipeline.models.registry import model


@model("log", "R-LF-01", "L2127", "log forces")
def log_forces(
    one_phase_commits: Quantity = 0, two_phase_commits: Quantity = 0, out_of_syncpoint_requests: Quantity = 0
) -> Any:
    """Waits for the log: one a commit, two for a two-phase one, one a persistent request outside [L2127] (R-LF-01)."""
    return one_phase_commits + 2 * two_phase_commits + out_of_syncpoint_requests


@model("log", "R-LF-03", "L2128-L2136", "log forces")
def log_forces_per_call(
    calls: Quantity,
    one_phase_commits: Quantity = 0,
    two_phase_commits: Quantity = 0,
    out_of_syncpoint_requests: Quantity = 0,
) -> Any:
    """Waits for the log for each MQPUT and MQGET; two is the worst case [L2128] (R-LF-02, R-LF-03)."""
    return ratio(log_forces(one_phase_commits, two_phase_commits, out_of_syncpoint_requests), calls)


@model("log", "R-LF-04", "L2137-L2138", "transactions/s", derived=True)
def log_bound_transactions_per_second(
    forces_per_transaction: Quantity, log_write_seconds: Quantity, instances: Quantity = 1
) -> Any:
    """Highest rate of instances that do nothing but wait for the log; strict order allows one [L2137] (R-LF-04)."""
    return ratio(instances, forces_per_transaction * log_write_seconds)
