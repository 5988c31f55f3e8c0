"""Checkpoints and units of work: how often the one comes, how large the other is."""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, ratio, rounded_up, smaller
from libremq.pipeline.models.registry import model

MAXUMSGS_DEFAULT: Final = 10_000
REPLICATION_LOW_LOGLOAD_CHANGE: Final = -0.12
"""Elapsed time of replication over several ordered channels, LOGLOAD 100,000 against 4 to 16 million, V7.1 [L1783]."""


@model("checkpoint", "F-LOG-08", "L1718", "log writes")
def log_buffer_writes(write_wait: Quantity, write_nowait: Quantity, write_force: Quantity) -> Any:
    """Writes to log buffers, which LOGLOAD counts [L1718] (F-LOG-08, D-09)."""
    return write_wait + write_nowait + write_force


@model("checkpoint", "R-RST-07", "L1722", "log writes")
def log_writes_per_transaction(log_buffer_writes: Quantity, transactions: Quantity) -> Any:
    """Writes to log buffers for each transaction [L1722] (R-RST-07, D-09)."""
    return ratio(log_buffer_writes, transactions)


@model("checkpoint", "R-LL-04", "L1757-L1761", "seconds", derived=True)
def seconds_between_checkpoints(logload: Quantity, log_writes_per_second: Quantity, log_fill_seconds: Quantity) -> Any:
    """Time between checkpoints: LOGLOAD writes or a full log, whichever comes first [L1757] (R-LL-04, F-CKP-01)."""
    at_rate = smaller(logload, log_writes_per_second * log_fill_seconds)
    return ratio(at_rate, log_writes_per_second)


@model("checkpoint", "R-LL-02", "L1778-L1783", "seconds")
def replication_seconds_with_low_logload(
    elapsed_seconds: Quantity, change_fraction: Quantity = REPLICATION_LOW_LOGLOAD_CHANGE
) -> Any:
    """Elapsed time of replication over ordered channels once LOGLOAD is 100,000 [L1783] (R-LL-02)."""
    return elapsed_seconds * (1 + change_fraction)


@model("unit_of_work", "R-UOW-01", "L1863", "messages")
def puts_per_commit(puts: Quantity, commits: Quantity) -> Any:
    """Messages put for each commit; beyond 100 they get dear [L1863] (R-UOW-01)."""
    return ratio(puts, commits)


@model("unit_of_work", "F-UR-05", "L1869-L1875", "commits")
def utility_commits(messages: Quantity, maxumsgs: Quantity = MAXUMSGS_DEFAULT) -> Any:
    """Commits with which COPY, EMPTY or LOAD goes through a queue, each at MAXUMSGS [L1869] (R-UOW-01, F-UR-05)."""
    return rounded_up(messages / maxumsgs)
