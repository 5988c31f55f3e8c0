"""Log bytes by the guide's general formulas, for messages of any size, over channels, and for structure backups.

Several estimators answer the same question a little differently (the fact file lists 2300, 2580 and 2355 bytes for one
1 KB message); each keeps its own name, so that a result tells which one it came from.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, chosen, interpolated, ratio
from libremq.pipeline.models.logs.log_measured import Points
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.storage.page_set_space import pages_per_message
from libremq.pipeline.models.units import KB, MB

HEADER_BYTES: Final = 300
"""All headers of a plain message; solved from two rows of the measured table, not published."""
PUT_GET_OVERHEAD_BYTES: Final = 1000
LONG_MESSAGE_PAGE_BYTES: Final = 150
"""For each page, once a message spans more than one [L815]."""

GET_BYTES: Final = 500
GET_BYTES_AT_100_KB: Final = 1300

SEND_BATCH_ONE: Final[Points] = (
    (500, 4_300), (1_000, 4_850), (5_000, 9_150), (10_000, 14_300), (30_000, 35_400), (100_000, 108_400),
)  # fmt: skip
SEND_BATCH_FIFTY: Final[Points] = (
    (500, 1_950), (1_000, 2_450), (5_000, 6_750), (10_000, 11_900), (30_000, 33_000), (100_000, 106_000),
)  # fmt: skip
RECEIVE_BATCH_ONE: Final[Points] = (
    (500, 2_750), (1_000, 3_300), (5_000, 7_600), (10_000, 12_800), (30_000, 33_900), (100_000, 106_900),
)  # fmt: skip
RECEIVE_BATCH_FIFTY: Final[Points] = (
    (500, 1_450), (1_000, 2_000), (5_000, 6_250), (10_000, 11_500), (30_000, 32_550), (100_000, 105_555),
)  # fmt: skip
"""Log bytes a message on the sending and receiving side, put and get together [L797-L804]."""

STRUCTURE_BACKUP_OVERHEAD: Final[Points] = ((0, 505), (1, 505), (1024, 514), (4096, 546))
"""Bytes beside the message in BACKUP CFSTRUCT, 50,000 deep [L785-L789]."""

SHARED_CRUDE_OVERHEAD_KB: Final = 1.33

DASD_LOG_MB_PER_SECOND: Final = 112
"""Highest rate sustained on DS8900F RAID-5 [L811]."""


@model("log", "R-LV-02", "L774", "MB/s")
def log_mb_per_second(log_bytes_per_transaction: Quantity, transactions_per_second: Quantity) -> Any:
    """Log rate of a workload [L774] (R-LV-02)."""
    return log_bytes_per_transaction * transactions_per_second / MB


@model("log", "R-LV-03", "L806-L819", "bytes", derived=True)
def put_get_log_bytes(message_bytes: Quantity, header_bytes: Quantity = HEADER_BYTES) -> Any:
    """Log bytes of a persistent message put to and got from a private queue, any size [L806] (R-LV-03).

    The sum is the source's; the default for the headers is solved from its table and checked on the other rows.
    """
    pages = pages_per_message(message_bytes)
    per_page = chosen(pages > 1, pages * LONG_MESSAGE_PAGE_BYTES, 0)
    return message_bytes + header_bytes + PUT_GET_OVERHEAD_BYTES + per_page


@model("log", "R-LV-04", "L834", "bytes")
def get_share_log_bytes(message_bytes: Quantity) -> Any:
    """The part of a message's log bytes that its get writes [L834] (R-LV-04)."""
    rising = interpolated(message_bytes, ((10 * KB, GET_BYTES), (100 * KB, GET_BYTES_AT_100_KB)))
    return chosen(message_bytes <= 10 * KB, GET_BYTES, rising)


@model("log", "R-LV-04", "L835-L836", "bytes", derived=True)
def put_share_log_bytes(message_bytes: Quantity, header_bytes: Quantity = HEADER_BYTES) -> Any:
    """The part of a message's log bytes that its put writes [L835] (R-LV-04)."""
    return put_get_log_bytes(message_bytes, header_bytes) - get_share_log_bytes(message_bytes)


@model("log", "R-LV-05", "L830", "fraction", derived=True)
def put_window_log_fraction(message_bytes: Quantity, header_bytes: Quantity = HEADER_BYTES) -> Any:
    """Share of the log data that falls due when messages are put, if they are got at another time [L830] (R-LV-05)."""
    return put_share_log_bytes(message_bytes, header_bytes) / put_get_log_bytes(message_bytes, header_bytes)


def _batched(message_bytes: Quantity, per_batch: Quantity, one: Points, fifty: Points) -> Any:
    """As a unit of work: each message its own bytes, the batch's records shared by all of them.

    The batch's part stays level outside the measured sizes.
    """
    alone = interpolated(message_bytes, one, level_below=True, level_above=True)
    batch = (alone - interpolated(message_bytes, fifty, level_below=True, level_above=True)) * (50 / 49)
    return interpolated(message_bytes, one) - batch * (1 - 1 / per_batch)


@model("log", "R-LV-06", "L797-L828", "bytes", derived=True)
def channel_send_log_bytes(message_bytes: Quantity, messages_per_batch: Quantity = 1) -> Any:
    """Log bytes of a persistent message put and then sent by a channel [L797] (R-LV-06, T-07, X-02).

    Published for batches of 1 and 50; between them the batch's records are shared out. The separate amounts a batch of
    L826 do not lead to that table and are not used.
    """
    return _batched(message_bytes, messages_per_batch, SEND_BATCH_ONE, SEND_BATCH_FIFTY)


@model("log", "R-LV-06", "L797-L828", "bytes", derived=True)
def channel_receive_log_bytes(message_bytes: Quantity, messages_per_batch: Quantity = 1) -> Any:
    """Log bytes of a persistent message received by a channel and then got [L797] (R-LV-06, T-07, X-02)."""
    return _batched(message_bytes, messages_per_batch, RECEIVE_BATCH_ONE, RECEIVE_BATCH_FIFTY)


@model("log", "R-LV-07", "L811", "messages/s")
def persistent_messages_per_second_max(
    log_bytes_per_message: Quantity, log_mb_per_second: Quantity = DASD_LOG_MB_PER_SECOND
) -> Any:
    """Persistent messages a second that the log's data rate allows [L811] (R-LV-07)."""
    return ratio(log_mb_per_second * MB, log_bytes_per_message)


@model("log", "R-LV-08", "L2144", "bytes", derived=True)
def unit_of_work_log_bytes(
    message_bytes: Quantity, messages_per_commit: Quantity, header_bytes: Quantity = HEADER_BYTES
) -> Any:
    """Log bytes a commit has to move; work with equal ones runs about equally fast [L2144] (R-LV-08)."""
    return messages_per_commit * put_get_log_bytes(message_bytes, header_bytes)


@model("log", "R-LV-09", "L785-L789", "bytes")
def structure_backup_bytes_per_message(message_bytes: Quantity) -> Any:
    """Log bytes for each message in a structure backup [L785] (R-LV-09, T-06)."""
    return message_bytes + interpolated(message_bytes, STRUCTURE_BACKUP_OVERHEAD)


@model("log", "R-LV-09", "L785-L791", "MB")
def structure_backup_mb(messages: Quantity, message_bytes: Quantity) -> Any:
    """Log data that BACKUP CFSTRUCT writes [L785] (R-LV-09, T-06, X-01)."""
    return messages * structure_backup_bytes_per_message(message_bytes) / MB


@model("log", "R-LV-10", "L2743", "bytes")
def shared_put_get_crude_log_bytes(message_bytes: Quantity, overhead_kb: Quantity = SHARED_CRUDE_OVERHEAD_KB) -> Any:
    """Crude log bytes of a message put to and got from a shared queue [L2743] (R-LV-10, X-10).

    Too low for busy systems: at the highest measured rate it gives 86 MB/s for 112.
    """
    return message_bytes + overhead_kb * KB
