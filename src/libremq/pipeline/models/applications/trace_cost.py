"""What accounting and global trace cost a transaction, and how much SMF data they make."""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, known_where, larger, ratio, rounded_up
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import MB

CLASS_1_CALL_US: Final = 2.0
CLASS_1_WRITE_US: Final = 3.0
"""1 to 5 [L2028]; 3 in the source's example."""
CLASS_3_CALL_US: Final = 2.0
"""1 to 3, zEC12 [L2033]."""
CLASS_3_WRITE_US: Final = 25.0
"""6 to 50 by the size of the record [L2035]."""
CONTINUATION_WRITE_SHARE: Final = 0.60
"""Of the first record's cost, at most, for each further one [L2036]."""

CLASS_1_RECORD_BYTES: Final = 436
CLASS_3_BASE_BYTES: Final = 2740
CLASS_3_QUEUE_BYTES: Final = 2792
"""The line through 8324 bytes for two queues and 25,076 for eight [L2011-L2015]."""
QUEUES_IN_FIRST_RECORD: Final = 8
QUEUES_IN_NEXT_RECORD: Final = 9

RES_TRACE_FACTOR: Final = 2.0
GTF_TRACE_FACTOR: Final = 8.0
"""More than this, and the rate is held up as well [L2096-L2102]."""

CLASS_3_CONNECTION_KB: Final = 8.0
"""4 to 8 [L1995]."""


@model("trace", "R-TR-01", "L2023-L2028", "CPU us")
def class_1_trace_us(
    puts_and_gets: Quantity, call_us: Quantity = CLASS_1_CALL_US, write_us: Quantity = CLASS_1_WRITE_US
) -> Any:
    """What class 1 accounting adds to a transaction [L2023] (R-TR-01)."""
    return puts_and_gets * call_us + write_us


@model("trace", "R-TR-02", "L2030-L2036", "CPU us")
def class_3_trace_us(
    calls: Quantity,
    continuation_records: Quantity = 0,
    call_us: Quantity = CLASS_3_CALL_US,
    write_us: Quantity = CLASS_3_WRITE_US,
    continuation_share: Quantity = CONTINUATION_WRITE_SHARE,
) -> Any:
    """What class 3 accounting adds to a transaction; commit, backout and other calls count [L2030] (R-TR-02)."""
    return calls * call_us + write_us * (1 + continuation_records * continuation_share)


@model("trace", "R-TR-03", "L2042-L2064", "percent")
def trace_overhead_pct(trace_us: Quantity, transaction_us: Quantity) -> Any:
    """Cost of a trace against the transaction's own [L2042] (R-TR-03)."""
    return ratio(trace_us * 100, transaction_us)


@model("trace", "R-TR-04", "L2011-L2021", "MB")
def class_1_smf_mb(transactions: Quantity, record_bytes: Quantity = CLASS_1_RECORD_BYTES) -> Any:
    """SMF data of class 1 accounting [L2011] (R-TR-04)."""
    return transactions * record_bytes / MB


@model("trace", "R-TR-04", "L2011-L2015", "bytes", derived=True)
def class_3_record_bytes(queues: Quantity) -> Any:
    """Size of a class 3 record by the queues used; past 8 the source gives no size [L2011] (R-TR-04)."""
    return known_where(queues <= QUEUES_IN_FIRST_RECORD, CLASS_3_BASE_BYTES + CLASS_3_QUEUE_BYTES * queues)


@model("trace", "R-TR-04", "L2011-L2021", "MB", derived=True)
def class_3_smf_mb(transactions: Quantity, queues: Quantity) -> Any:
    """SMF data of class 3 accounting, transactions using up to 8 queues [L2011] (R-TR-04)."""
    record_bytes = CLASS_3_BASE_BYTES + CLASS_3_QUEUE_BYTES * queues
    return known_where(queues <= QUEUES_IN_FIRST_RECORD, transactions * record_bytes / MB)


@model("trace", "R-TR-05", "L1969", "records")
def class_3_records(queues: Quantity) -> Any:
    """SMF records of one transaction under class 3 [L1969] (R-TR-05)."""
    return 1 + rounded_up(larger(0, queues - QUEUES_IN_FIRST_RECORD) / QUEUES_IN_NEXT_RECORD)


@model("trace", "R-TR-10", "L2094-L2102", "CPU us")
def globally_traced_transaction_us(transaction_us: Quantity, factor: Quantity = RES_TRACE_FACTOR) -> Any:
    """Cost of a transaction that does little but MQ under global trace; DEST(RES) unless told [L2094] (R-TR-10)."""
    return transaction_us * factor


@model("trace", "R-VST-09", "L1991-L1995", "KB")
def class_3_storage_kb(connections: Quantity, connection_kb: Quantity = CLASS_3_CONNECTION_KB) -> Any:
    """Queue manager storage while class 3 accounting is on, few queues a connection [L1995] (R-VST-09)."""
    return connections * connection_kb
