"""How long restart takes, phase by phase, and when a running one will end.

Addresses are in bytes, rates in bytes a second (the source's tape example counts decimal megabytes). All of it tells
ten minutes from ten hours and no more: give people a range, for example with the least and the largest share of pages
below, never one figure.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, interpolated, larger, ratio, rounded_down
from libremq.pipeline.models.logs.log_measured import Points
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.storage.read_rates import (
    PAGE_READ_SECONDS,
    RESTART_BACKWARD_BYTES_PER_SECOND,
    RESTART_FORWARD_BYTES_PER_SECOND,
)
from libremq.pipeline.models.units import PAGE_BYTES

PAGES_READ_FRACTION_MIN: Final = 0.1
PAGES_READ_FRACTION_MAX: Final = 1.0
"""Share of the pages in the announced range that had to be read [L1408]."""
PAGE_SET_CHECKPOINTS: Final = 3
MOUNT_SECONDS: Final = 60

START_SECONDS: Final = 7.0
"""To CSQR001I [L1708]."""
FINISH_SECONDS: Final = 0.2
"""From CSQR002I to CSQY022I [L1708]."""
IDLE_LOG_SECONDS: Final = 1.0
SECONDS_PER_TRANSACTION: Final = 0.0058
"""From CSQR001I to CSQR002I: 1 s with no work since the checkpoint, 59 s with 10,000 transactions [L1708-L1709]."""
OBJECT_SECONDS: Final[Points] = ((140, 1.0), (4140, 3.6), (14_484, 7.6))
"""From CSQR001I to CSQR002I by the number of objects [L1730-L1733]."""


@model("restart", "R-RST-01", "L1386-L1388", "seconds")
def restart_phase_2_seconds(
    failure_rba: Quantity,
    checkpoint_rba: Quantity,
    read_bytes_per_second: Quantity = RESTART_FORWARD_BYTES_PER_SECOND,
) -> Any:
    """Time to read from the last checkpoint to the failure [L1386] (R-RST-01)."""
    return ratio(failure_rba - checkpoint_rba, read_bytes_per_second)


@model("restart", "R-RST-01", "L1388", "bytes")
def log_bytes_between_checkpoints(log_bytes: Quantity, checkpoints_per_log: Quantity) -> Any:
    """Log data between two checkpoints; with one a log, the whole log [L1388] (R-RST-01)."""
    return ratio(log_bytes, checkpoints_per_log)


@model("restart", "R-RST-02", "L1402", "pages")
def forward_recovery_pages_max(from_rba: Quantity, to_rba: Quantity) -> Any:
    """Pages that forward recovery may have to read, by the range of CSQR030I [L1402] (R-RST-02)."""
    return (to_rba - from_rba) / PAGE_BYTES


@model("restart", "R-RST-02", "L1402-L1408", "seconds")
def forward_recovery_seconds(
    pages_max: Quantity,
    read_fraction: Quantity = PAGES_READ_FRACTION_MAX,
    page_seconds: Quantity = PAGE_READ_SECONDS,
) -> Any:
    """Time of the serial page reads in forward recovery [L1402] (R-RST-02)."""
    return pages_max * read_fraction * page_seconds


@model("restart", "R-RST-03", "L1512-L1524", "seconds")
def unit_of_work_read_seconds(
    data_set_start_rba: Quantity,
    end_rba: Quantity,
    read_bytes_per_second: Quantity = RESTART_FORWARD_BYTES_PER_SECOND,
) -> Any:
    """Time to read an in-doubt or in-commit unit of work, from the start of its log data set [L1516] (R-RST-03)."""
    return ratio(end_rba - data_set_start_rba, read_bytes_per_second)


@model("restart", "R-RST-03", "L1526", "seconds")
def page_set_rebuild_seconds(
    checkpoint_log_bytes: Quantity,
    checkpoints: Quantity = PAGE_SET_CHECKPOINTS,
    read_bytes_per_second: Quantity = RESTART_FORWARD_BYTES_PER_SECOND,
) -> Any:
    """Time to read the checkpoints' log that brings the page sets to the failure [L1526] (R-RST-03)."""
    return ratio(checkpoint_log_bytes * checkpoints, read_bytes_per_second)


@model("restart", "R-RST-03", "L1526-L1531", "seconds")
def restart_phase_3_seconds(in_doubt_seconds: Quantity, in_commit_seconds: Quantity, page_set_seconds: Quantity) -> Any:
    """Forward recovery: units of work one after the other, the page sets beside them [L1528] (R-RST-03)."""
    return larger(in_doubt_seconds + in_commit_seconds, page_set_seconds)


@model("restart", "R-RST-04", "L1354-L1434", "seconds")
def restart_phase_4_seconds(
    failure_rba: Quantity,
    earliest_rba: Quantity,
    read_bytes_per_second: Quantity = RESTART_BACKWARD_BYTES_PER_SECOND,
) -> Any:
    """Backward recovery: back to the oldest unit of work in flight or in backout [L1434] (R-RST-04, X-07, X-08)."""
    return ratio(failure_rba - earliest_rba, read_bytes_per_second)


@model("restart", "R-RST-05", "L1554", "seconds")
def restart_seconds(
    phase_2_seconds: Quantity,
    phase_3_seconds: Quantity,
    phase_4_seconds: Quantity,
    mounts: Quantity = 0,
    index_rebuild_seconds: Quantity = 0,
    mount_seconds: Quantity = MOUNT_SECONDS,
) -> Any:
    """All phases and tape mounts, and the indexes where restart waits for them [L1554, L2156] (R-RST-05, R-RST-11)."""
    return phase_2_seconds + phase_3_seconds + phase_4_seconds + mounts * mount_seconds + index_rebuild_seconds


def _apart(one: Quantity, other: Quantity) -> Any:
    """Recovery goes up or down the log, so which address is larger is not known."""
    return larger(one - other, other - one)


@model("restart", "R-RST-06", "L1587-L1597", "bytes/s")
def recovery_bytes_per_second(earlier_rba: Quantity, later_rba: Quantity, seconds_between: Quantity) -> Any:
    """How fast recovery goes, by two progress messages, CSQR031I or CSQR033I [L1587] (R-RST-06)."""
    return ratio(_apart(earlier_rba, later_rba), seconds_between)


@model("restart", "R-RST-06", "L1587-L1597", "seconds")
def recovery_seconds_left(
    earlier_rba: Quantity, later_rba: Quantity, seconds_between: Quantity, end_rba: Quantity
) -> Any:
    """Time from the later progress message to the end of the announced range [L1587] (R-RST-06)."""
    return ratio(_apart(later_rba, end_rba) * seconds_between, _apart(earlier_rba, later_rba))


@model("restart", "R-RST-07", "L1722", "transactions")
def transactions_per_checkpoint(logload: Quantity, log_writes_per_transaction: Quantity) -> Any:
    """Transactions between two checkpoints that LOGLOAD brings about [L1722] (R-RST-07)."""
    return rounded_down(ratio(logload, log_writes_per_transaction))


@model("restart", "R-RST-07", "L1707-L1722", "seconds")
def log_processing_seconds(
    transactions: Quantity,
    idle_seconds: Quantity = IDLE_LOG_SECONDS,
    seconds_per_transaction: Quantity = SECONDS_PER_TRANSACTION,
) -> Any:
    """From CSQR001I to CSQR002I with so many transactions since the checkpoint [L1711] (R-RST-07, T-15)."""
    return idle_seconds + transactions * seconds_per_transaction


@model("restart", "R-RST-07", "L1711-L1722", "seconds")
def restart_seconds_by_transactions(
    transactions: Quantity,
    start_seconds: Quantity = START_SECONDS,
    finish_seconds: Quantity = FINISH_SECONDS,
) -> Any:
    """From the start command to CSQY022I with so many transactions since the checkpoint [L1722] (R-RST-07)."""
    return start_seconds + log_processing_seconds(transactions) + finish_seconds


@model("restart", "R-RST-08", "L1726-L1733", "seconds", derived=True)
def object_processing_seconds(objects: Quantity) -> Any:
    """From CSQR001I to CSQR002I by the objects defined, no work to recover [L1726] (R-RST-08, T-16, X-13)."""
    return interpolated(objects, OBJECT_SECONDS)
