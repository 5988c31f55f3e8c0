"""Indexed queues: the storage of an index and the time restart needs to build it again.

The text's "few milliseconds a page" is out of date beside its own measurements and is not used.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, larger, rounded_up
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import KB

INDEX_BYTES_PER_MESSAGE: Final = 136
INDEX_BYTES_PER_QUEUE: Final = 47 * KB
REBUILD_US: Final = 31.25
"""250 s for 8 million messages, DS8950 [L2156]."""
REBUILD_US_PACKED: Final = 18.375
REBUILD_CPU_US_PACKED: Final = 1.8125
"""147 s and 14.5 CPU s for 8 million short messages under MAXSHORTMSGS 0, z16, no zHPF [L2206]."""
REBUILD_THREADS: Final = 10
ZHPF_TIME_CUT: Final = 0.33


@model("index", "R-IDX-02", "L2154-L2410", "bytes")
def index_storage_bytes(
    messages: Quantity,
    queues: Quantity = 1,
    message_bytes: Quantity = INDEX_BYTES_PER_MESSAGE,
    queue_bytes: Quantity = INDEX_BYTES_PER_QUEUE,
) -> Any:
    """Storage of the indexes of private queues [L2154, L2410] (R-IDX-02)."""
    return messages * message_bytes + queues * queue_bytes


@model("index", "R-IDX-03", "L2156-L2208", "seconds")
def index_rebuild_seconds(messages: Quantity, us_per_message: Quantity = REBUILD_US) -> Any:
    """Time to build one queue's index at restart [L2156] (R-IDX-03)."""
    return messages * us_per_message / 1_000_000


@model("index", "R-IDX-03", "L2204-L2208", "CPU seconds", derived=True)
def index_rebuild_cpu_seconds(messages: Quantity, cpu_us_per_message: Quantity = REBUILD_CPU_US_PACKED) -> Any:
    """CPU to build an index of short messages at restart [L2206] (R-IDX-03)."""
    return messages * cpu_us_per_message / 1_000_000


@model("index", "R-IDX-03", "L2222", "seconds")
def index_rebuild_seconds_with_zhpf(rebuild_seconds: Quantity, cut_fraction: Quantity = ZHPF_TIME_CUT) -> Any:
    """The shortest that zHPF makes it [L2222] (R-IDX-03)."""
    return rebuild_seconds * (1 - cut_fraction)


@model("index", "R-IDX-04", "L2168-L2220", "seconds", derived=True)
def parallel_index_rebuild_seconds(
    messages_in_all: Quantity,
    deepest_queue_messages: Quantity,
    us_per_message: Quantity = REBUILD_US,
    threads: Quantity = REBUILD_THREADS,
) -> Any:
    """Time to build several indexes side by side: the deepest queue, or the threads' fair share [L2218] (R-IDX-04)."""
    messages = larger(deepest_queue_messages, messages_in_all / threads)
    return index_rebuild_seconds(messages, us_per_message)


@model("index", "R-IDX-06", "L2190-L2194", "pages")
def index_rebuild_pages(messages: Quantity, messages_per_page: Quantity = 1) -> Any:
    """Pages read to build an index: the first of each message, shared if messages share it [L2190] (R-IDX-06)."""
    return rounded_up(messages / messages_per_page)
