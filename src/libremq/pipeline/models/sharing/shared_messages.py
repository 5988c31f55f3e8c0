"""Shared queues: where large messages go (SMDS, Db2), what space and buffers they take, what they cost.

KB is 1024 bytes here, as in the source, except where a name or docstring says otherwise.
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import (
    Quantity,
    chosen,
    interpolated,
    larger,
    ratio,
    rounded_up,
    smaller,
    worded,
)
from libremq.pipeline.models.registry import model

DELETE_TABLE_ENTRIES = 341
"""Entries of the batch delete table of one queue manager and structure; the last one sets off the delete."""
SMDS_DEFAULT_BUFFERS = 100
SMDS_DEFAULT_BLOCK_BYTES = 256 * 1024
SMDS_BLOCK_BYTES = tuple(kb * 1024 for kb in (8, 16, 32, 64, 128, 256, 512, 1024))
SMDS_ACTIVE_BUFFERS_MAX = 10
SMDS_ACTIVE_BYTES_MAX = 4 * 1024 * 1024
SMDS_TB_MAX = 16.0
"""Largest data set of one queue manager and structure."""
CF_ELEMENT_BYTES = 256
OFFLOADED_ELEMENTS = 2
LOB_PAGE_BYTES = 32 * 1024
LOB_SEGMENT_BYTES = 511 * 1024
LOB_PARTITIONS = 4
LOB_PARTITION_MARGIN = 0.10
IDLE_MEMBER_LOSS = 0.01

# CPU us for one message put and got: persistent request/reply, two 3-way z16 (3931-7K0) partitions, half of the
# messages got on the other one, Db2 V13 with universal table spaces, DS8900F, ICP links to a 4-way CF [L3302-L3332].
# Above 63 KB and above 511 KB the Db2 cost steps up at the boundary itself: the first figure after it holds from there.
SMDS_CPU_US = (
    (2048, 91.0), (8192, 103.0), (32768, 143.0), (64512, 174.0), (65536, 176.0), (102400, 210.0), (523264, 657.0),
    (524000, 662.0), (1048576, 1217.0),
)  # fmt: skip
DB2_CPU_US = (
    (2048, 91.0), (8192, 102.0), (32768, 149.0), (64512, 277.0), (64513, 862.0), (65536, 862.0), (102400, 1012.0),
    (523264, 1618.0), (523265, 2914.0), (524000, 2914.0), (1048576, 3123.0),
)  # fmt: skip
SMDS_CF_US = (
    (2048, 29.0), (8192, 25.0), (32768, 50.0), (64512, 32.0), (65536, 31.0), (102400, 25.0), (523264, 34.0),
    (524000, 35.0), (1048576, 34.0),
)  # fmt: skip
DB2_CF_US = (
    (2048, 24.0), (8192, 31.0), (32768, 45.0), (64512, 96.0), (64513, 246.0), (65536, 246.0), (102400, 264.0),
    (523264, 331.0), (523265, 518.0), (524000, 518.0), (1048576, 739.0),
)  # fmt: skip


@model("shared_queue", "R-01", "L2997-L2999", "messages")
def already_got_messages_max(queue_managers: Quantity, table_entries: Quantity = DELETE_TABLE_ENTRIES) -> Any:
    """How many messages that were got may still sit in a structure of CFLEVEL 4 or less? [L2999] R-01."""
    return queue_managers * (table_entries - 1)


@model("shared_queue", "R-01", "L3003-L3005", "bytes")
def structure_bytes_with_already_got(live_bytes: Quantity, queue_managers: Quantity, message_bytes: Quantity) -> Any:
    """How large must the usable part of a structure be for live and got messages together? [L3005] R-01."""
    return live_bytes + 1.0 * already_got_messages_max(queue_managers) * message_bytes


@model("smds", "R-02", "L3025", "MB")
def smds_buffer_mb(
    dsbufs: Quantity = SMDS_DEFAULT_BUFFERS,
    dsblock_bytes: Quantity = SMDS_DEFAULT_BLOCK_BYTES,
    structures: Quantity = 1,
) -> Any:
    """How much storage above the bar do a queue manager's SMDS buffers take? [L3025] R-02."""
    return 1.0 * structures * dsbufs * dsblock_bytes / 1048576


@model("smds", "R-03", "L3033", "buffers")
def dsbufs_needed(dsbufs: Quantity, lowest_free: Quantity) -> Any:
    """How many SMDS buffers would have met the need, when the lowest count of free ones is negative? [L3033] R-03."""
    return dsbufs + larger(-lowest_free, 0)


@model("smds", "R-04", "L3035-L3037", "buffers")
def smds_buffers_per_message(message_bytes: Quantity, dsblock_bytes: Quantity = SMDS_DEFAULT_BLOCK_BYTES) -> Any:
    """How many SMDS buffers does one message need? [L3037] R-04."""
    return rounded_up(ratio(message_bytes, dsblock_bytes))


@model("smds", "R-05", "L3098-L3100", "buffers")
def smds_overlapped_buffers_max(dsblock_bytes: Quantity = SMDS_DEFAULT_BLOCK_BYTES) -> Any:
    """How many buffers of one request may be read or written at the same time? [L3098] R-05."""
    return smaller(SMDS_ACTIVE_BUFFERS_MAX, ratio(SMDS_ACTIVE_BYTES_MAX, dsblock_bytes))


@model("smds", "R-06", "L3121-L3125", "class A, B or C")
def smds_block_class(message_bytes: Quantity, dsblock_bytes: Quantity = SMDS_DEFAULT_BLOCK_BYTES) -> Any:
    """Does a message fit one buffer (A), one overlapped set (B), or need sets one after another (C)? [L3121] R-06."""
    need = smds_buffers_per_message(message_bytes, dsblock_bytes)
    return worded(need <= 1, "A", worded(need <= smds_overlapped_buffers_max(dsblock_bytes), "B", "C"))


@model("smds", "R-06", "L3098-L3125", "I/O sets", derived=True)
def smds_serial_io_sets(message_bytes: Quantity, dsblock_bytes: Quantity = SMDS_DEFAULT_BLOCK_BYTES) -> Any:
    """How many overlapped sets of I/O does a message take, one after another? [L3125] R-06."""
    need = smds_buffers_per_message(message_bytes, dsblock_bytes)
    return rounded_up(ratio(need, smds_overlapped_buffers_max(dsblock_bytes)))


@model("smds", "R-06", "L3095-L3125", "bytes", derived=True)
def dsblock_bytes_preferred(message_bytes: Quantity) -> Any:
    """Which is the smallest DSBLOCK that takes a message in one buffer, or else in one overlapped set? [L3115] R-06."""
    overlapped: Any = SMDS_BLOCK_BYTES[-1]
    for block in reversed(SMDS_BLOCK_BYTES):
        capacity = block * min(SMDS_ACTIVE_BUFFERS_MAX, SMDS_ACTIVE_BYTES_MAX // block)
        overlapped = chosen(message_bytes <= capacity, block, overlapped)
    # A message larger than every block has to take the second choice.
    preferred = overlapped
    for block in reversed(SMDS_BLOCK_BYTES):
        preferred = chosen(message_bytes <= block, block, preferred)
    return preferred


@model("smds", "T-01", "L3146-L3150", "KB", derived=True)
def smds_used_kb(used_blocks: Quantity, dsblock_kb: Quantity) -> Any:
    """How much of a data set do its used blocks take? [L3146] T-01."""
    return used_blocks * dsblock_kb


@model("smds", "R-09", "L3508", "TB")
def structure_smds_tb_max(queue_managers: Quantity, data_set_tb: Quantity = SMDS_TB_MAX) -> Any:
    """How much message data can the data sets of one structure hold? [L3508]."""
    return queue_managers * data_set_tb


@model("smds", "R-09", "L3506", "elements")
def offloaded_cf_elements(messages: Quantity, elements_each: Quantity = OFFLOADED_ELEMENTS) -> Any:
    """How many CF elements do offloaded messages leave behind, besides one entry each? [L3506] R-09."""
    return messages * elements_each


@model("smds", "R-09", "L3506, L3482", "MB", derived=True)
def offloaded_cf_mb(messages: Quantity) -> Any:
    """How much CF storage do offloaded messages hold, with 256 bytes an entry and an element? [L3506] R-09, R-23."""
    return messages * (1 + OFFLOADED_ELEMENTS) * CF_ELEMENT_BYTES / 1048576.0


@model("db2_lob", "R-10", "L3187-L3190", "pages of 32 KB")
def lob_pages_per_message(message_bytes: Quantity) -> Any:
    """How many LOB pages does one message with its headers take? [L3187] R-10."""
    return rounded_up(message_bytes / LOB_PAGE_BYTES)


@model("db2_lob", "R-10", "L3187-L3190", "KB")
def lob_space_kb(message_bytes: Quantity, messages: Quantity) -> Any:
    """How large must the LOB table space be? The source counts an MB as 1000 of these KB. [L3190] R-10."""
    return lob_pages_per_message(message_bytes) * 32.0 * messages


@model("db2_lob", "R-11", "L3194-L3196", "KB")
def lob_partition_kb(
    space_kb: Quantity, partitions: Quantity = LOB_PARTITIONS, margin: Quantity = LOB_PARTITION_MARGIN
) -> Any:
    """How large must each partition be, with room for chance in how messages spread? [L3196] R-11."""
    return ratio(space_kb * (1 + margin), partitions)


@model("db2_lob", "R-12", "L3244-L3247", "segments")
def lob_segments_per_message(message_bytes: Quantity) -> Any:
    """How many LOB rows does Db2 split a message into? Throughput falls at each more. [L3244] R-12."""
    return rounded_up(message_bytes / LOB_SEGMENT_BYTES)


@model("db2_lob", "R-13", "L3258", "percent")
def data_sharing_pct(cloned_systems: Quantity) -> Any:
    """Which share of messages is got on another system than put, when all are alike? [L3258] R-13."""
    return ratio(100.0 * (cloned_systems - 1), cloned_systems)


@model("db2_lob", "R-15", "L3282", "transactions/s")
def db2_transactions_per_second_at(
    message_bytes: Quantity, measured_transactions_per_second: Quantity, measured_message_bytes: Quantity
) -> Any:
    """Which rate is left at another size, in a traditional table space: twice the size, half the rate? [L3282] R-15."""
    return ratio(1.0 * measured_transactions_per_second * measured_message_bytes, message_bytes)


@model("shared_queue", "T-03", "L3302-L3316", "us", derived=True)
def smds_cpu_us_per_message(message_bytes: Quantity) -> Any:
    """What CPU does a persistent shared message take with SMDS, between the measured sizes? [L3302] T-03."""
    return interpolated(message_bytes, SMDS_CPU_US, level_below=True)


@model("shared_queue", "T-03", "L3302-L3316", "us", derived=True)
def smds_cpu_us_per_message_fitted(
    message_bytes: Quantity, base_us: Quantity = 100.5, us_per_byte: Quantity = 0.001066
) -> Any:
    """The same as one straight line, within 12 us of each measured size. [L3302] T-03."""
    return base_us + us_per_byte * message_bytes


@model("shared_queue", "T-03", "L3302-L3316", "us", derived=True)
def db2_cpu_us_per_message(message_bytes: Quantity) -> Any:
    """What CPU does a persistent shared message take with Db2, steps at 63 KB and 511 KB included? [L3302] T-03."""
    return interpolated(message_bytes, DB2_CPU_US, level_below=True)


@model("shared_queue", "T-03", "L3302-L3316", "us", derived=True)
def smds_saving_cpu_us_per_message(message_bytes: Quantity) -> Any:
    """How much CPU does SMDS save over Db2 for a message? [L3302] T-03, R-14."""
    return db2_cpu_us_per_message(message_bytes) - smds_cpu_us_per_message(message_bytes)


@model("shared_queue", "T-04", "L3318-L3332", "us", derived=True)
def smds_cf_us_per_message(message_bytes: Quantity) -> Any:
    """What CF CPU does a persistent shared message take with SMDS? [L3318] T-04."""
    return interpolated(message_bytes, SMDS_CF_US, level_below=True, level_above=True)


@model("shared_queue", "T-04", "L3318-L3332", "us", derived=True)
def db2_cf_us_per_message(message_bytes: Quantity) -> Any:
    """What CF CPU does a persistent shared message take with Db2? [L3318] T-04."""
    return interpolated(message_bytes, DB2_CF_US, level_below=True)


@model("queue_sharing_group", "R-35", "L3573-L3584", "transactions/s")
def transactions_per_second_with_idle_members(
    transactions_per_second: Quantity, loss: Quantity = IDLE_MEMBER_LOSS
) -> Any:
    """Which rate is left at least when idle queue managers join the group (ten did in the test)? [L3582] R-35."""
    return transactions_per_second * (1 - loss)


@model("queue_sharing_group", "R-36", "L3546-L3550", "queue managers")
def wasted_notifications_per_message(interested_queue_managers: Quantity) -> Any:
    """How many queue managers wake for nothing when a message reaches an empty shared queue? [L3550] R-36."""
    return larger(interested_queue_managers - 1, 0)


@model("queue_sharing_group", "R-36", "L3548-L3550, L3643-L3646", "gets")
def empty_gets_per_successful_get(empty_gets: Quantity, successful_gets: Quantity) -> Any:
    """How many gets find nothing for each that finds a message? [L3646] R-36."""
    return ratio(1.0 * empty_gets, successful_gets)


@model("queue_sharing_group", "R-37", "L3610-L3620, L7868", "messages/s")
def shared_persistent_messages_per_second_max(
    queue_managers: Quantity, log_mb_per_second_each: Quantity, log_bytes_per_message: Quantity
) -> Any:
    """How many persistent messages can the logs of all members take together? [L3610] R-37, R-LG-11."""
    return ratio(queue_managers * log_mb_per_second_each * 1048576.0, log_bytes_per_message)
