"""Coupling facility structures: how large to make one, how many messages it holds, which of its parts runs out first.

A message takes one entry and enough 256-byte elements for its data and headers. A structure gets six elements for each
entry and is full when either is gone. Message sizes here count all headers but the MQMD.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, chosen, larger, ratio, rounded_down, rounded_up, smaller
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import KB, MB

ELEMENT_BYTES: Final = 256
IMPLEMENTATION_HEADER_BYTES: Final = 372
"""The MQMD among them [L2527]."""
GROUPING_BYTES: Final = 72
"""The MQMDE, where messages are grouped [L2528]."""
ELEMENTS_PER_ENTRY: Final = 6
OFFLOADED_ELEMENTS: Final = 2
IN_STRUCTURE_BYTES_MAX: Final = 64_512
"""63 KB; larger messages are always held elsewhere [L2526]."""
MESSAGE_BYTES_MIN: Final = 1536
LARGE_MESSAGE_BYTES: Final = 2 * KB
LARGE_MESSAGE_BYTES_AUTOALTER: Final = 1 * KB
"""Where all messages are large and the structure may alter itself [L2546]."""
SIZING_UPLIFT: Final = 1.32
SIZING_UPLIFT_BEFORE_CFCC_12: Final = 1.25
"""Far more is needed below 16 MB [L2539]."""
CFCC_25_BYTES: Final = 8 * MB
CFCC_17_BYTES: Final = 5 * MB

HALF_GB_ENTRIES: Final = 230_000
HALF_GB_ENTRIES_CFCC_25: Final = 227_000
"""Entries of a 0.5 GB structure, CFCC 17 to 24, and 25 [L2590]."""
OFFLOAD_THRESHOLD_4K: Final = 0.80
"""Full share of the structure from which messages over 4 KB are offloaded [L2611]."""

ADMIN_INITSIZE_KB: Final = 20_000
"""For seven queue managers [L2506]."""
ADMIN_CFCC_25_KB: Final = 10_000
ADMIN_ENTRIES_PER_QUEUE_MANAGER: Final = 1000

DEAD_MESSAGES_MAX: Final = 340
"""Got, but not yet deleted, for each queue manager at CFLEVEL 4 and lower [L2999]."""

TWO_STRUCTURES_CPU_GROWTH: Final = 0.06
TWO_STRUCTURES_CPU_GROWTH_PERSISTENT: Final = 0.12
TWO_STRUCTURES_RATE_LOSS: Final = 0.05
TWO_STRUCTURES_RATE_LOSS_PERSISTENT: Final = 0.02
"""Units of work over two application structures against one; none out of syncpoint [L2486-L2488]."""


@model("cf_structure", "R-CF-02", "L2486-L2488", "CPU us")
def two_structure_cpu_us(cpu_us: Quantity, growth_fraction: Quantity = TWO_STRUCTURES_CPU_GROWTH) -> Any:
    """Cost of a request and reply in syncpoint once its queues are in two structures [L2488] (R-CF-02)."""
    return cpu_us * (1 + growth_fraction)


@model("cf_structure", "R-CF-02", "L2486-L2488", "transactions/s")
def two_structure_transactions_per_second(
    transactions_per_second: Quantity, loss_fraction: Quantity = TWO_STRUCTURES_RATE_LOSS
) -> Any:
    """Throughput in syncpoint once the queues are in two structures [L2488] (R-CF-02)."""
    return transactions_per_second * (1 - loss_fraction)


@model("cf_structure", "R-CF-03", "L2494-L2496", "KB")
def structure_size_kb_max(initsize_kb: Quantity) -> Any:
    """SIZE to define beside an INITSIZE; more only wastes control storage [L2494] (R-CF-03)."""
    return 2 * initsize_kb


@model("cf_structure", "R-CF-04", "L2506", "KB")
def admin_structure_initsize_kb(cfcc_level: Quantity) -> Any:
    """INITSIZE of CSQ_ADMIN for up to seven queue managers [L2506] (R-CF-04)."""
    return ADMIN_INITSIZE_KB + chosen(cfcc_level >= 25, ADMIN_CFCC_25_KB, 0)


@model("cf_structure", "R-CF-04", "L2508", "entries")
def admin_entries_needed(queue_managers: Quantity) -> Any:
    """Entries CSQ_ADMIN must have for the last of them to start; a gate, not a size [L2508] (R-CF-04, X-23)."""
    return queue_managers * ADMIN_ENTRIES_PER_QUEUE_MANAGER


@model("cf_structure", "R-CF-04", "L2508", "entries")
def admin_entries_per_queue_manager(entries_max: Quantity, queue_managers: Quantity) -> Any:
    """Entries of CSQ_ADMIN for each started queue manager, from ENTSMAX [L2508] (R-CF-04, X-23)."""
    return ratio(entries_max, queue_managers)


@model("cf_structure", "R-CF-05", "L2533-L2536", "messages")
def outage_messages(puts_per_second: Quantity, outage_seconds: Quantity) -> Any:
    """Messages a queue's structure must keep while nobody gets them [L2533] (R-CF-05)."""
    return puts_per_second * outage_seconds


@model("cf_structure", "R-CF-05", "L2524-L2544", "bytes")
def structure_bytes_per_message(
    message_bytes: Quantity,
    grouping_bytes: Quantity = 0,
    large_message_bytes: Quantity = LARGE_MESSAGE_BYTES,
) -> Any:
    """Structure storage to plan for one message, before the uplift; large ones take a fixed part [L2524] (R-CF-05)."""
    raw_bytes = message_bytes + IMPLEMENTATION_HEADER_BYTES + grouping_bytes
    in_elements = rounded_up(raw_bytes / ELEMENT_BYTES) * ELEMENT_BYTES
    held = larger(MESSAGE_BYTES_MIN, in_elements) + ELEMENT_BYTES
    return chosen(message_bytes <= IN_STRUCTURE_BYTES_MAX, held, large_message_bytes)


@model("cf_structure", "R-CF-05", "L2538-L2546", "bytes")
def structure_initsize_bytes(
    small_message_bytes: Quantity,
    large_messages: Quantity = 0,
    cfcc_level: Quantity = 25,
    large_message_bytes: Quantity = LARGE_MESSAGE_BYTES,
) -> Any:
    """INITSIZE of an application structure [L2538] (R-CF-05).

    `small_message_bytes` is the sum of storage times number over the sizes up to 63 KB; the uplift is theirs alone.
    """
    uplift = chosen(cfcc_level >= 12, SIZING_UPLIFT, SIZING_UPLIFT_BEFORE_CFCC_12)
    fixed_bytes = chosen(cfcc_level >= 25, CFCC_25_BYTES, 0)
    return small_message_bytes * uplift + large_messages * large_message_bytes + fixed_bytes


@model("cf_structure", "R-CF-05", "L2524-L2546", "bytes")
def structure_initsize_bytes_for_one_size(
    message_bytes: Quantity, messages: Quantity, cfcc_level: Quantity = 25
) -> Any:
    """INITSIZE of an application structure whose messages all have one size [L2524] (R-CF-05)."""
    storage_bytes = messages * structure_bytes_per_message(message_bytes)
    is_small = message_bytes <= IN_STRUCTURE_BYTES_MAX
    return structure_initsize_bytes(
        chosen(is_small, storage_bytes, 0), chosen(is_small, 0, messages), cfcc_level=cfcc_level
    )


@model("cf_structure", "R-CF-05", "L2524-L2574", "messages", derived=True)
def messages_by_sizing_rule(structure_bytes: Quantity, message_bytes: Quantity, cfcc_level: Quantity = 25) -> Any:
    """Messages up to 63 KB that a structure holds, by the sizing rule read backward [L2524, L2574] (R-CF-05, R-CF-07).

    It promises 5 to 12 % more than was measured for 2 KB and larger; `messages_at_fixed_ratio` is nearer.
    """
    uplift = chosen(cfcc_level >= 12, SIZING_UPLIFT, SIZING_UPLIFT_BEFORE_CFCC_12)
    fixed_bytes = chosen(cfcc_level >= 25, CFCC_25_BYTES, 0)
    usable_bytes = larger(0, structure_bytes - fixed_bytes)
    return rounded_down(usable_bytes / (structure_bytes_per_message(message_bytes) * uplift))


@model("cf_structure", "R-CF-06", "L2640-L2646", "elements")
def elements_per_message(message_bytes: Quantity) -> Any:
    """Elements of one message; one held outside the structure takes two [L2640, L2544] (R-CF-06)."""
    in_structure = rounded_up((message_bytes + IMPLEMENTATION_HEADER_BYTES) / ELEMENT_BYTES)
    return chosen(message_bytes <= IN_STRUCTURE_BYTES_MAX, in_structure, OFFLOADED_ELEMENTS)


@model("cf_structure", "R-CF-06", "L2650-L2654", "elements")
def unusable_elements(elements: Quantity, entries: Quantity, elements_per_entry: Quantity = ELEMENTS_PER_ENTRY) -> Any:
    """Elements that no message can use because these used up the entries [L2650] (R-CF-06, T-23)."""
    return larger(0, entries * elements_per_entry - elements)


@model("cf_structure", "R-CF-06", "L2650-L2654", "entries")
def unusable_entries(elements: Quantity, entries: Quantity, elements_per_entry: Quantity = ELEMENTS_PER_ENTRY) -> Any:
    """Entries that no message can use because these used up the elements [L2650] (R-CF-06, T-23)."""
    return larger(0, rounded_up(elements / elements_per_entry) - entries)


@model("cf_structure", "R-CF-07", "L2588-L2596", "messages", derived=True)
def messages_at_fixed_ratio(
    message_bytes: Quantity,
    entries: Quantity = HALF_GB_ENTRIES,
    elements_per_entry: Quantity = ELEMENTS_PER_ENTRY,
) -> Any:
    """Messages a structure holds under ALLOWAUTOALT(NO): entries or elements end first [L2588] (R-CF-07, T-24).

    The default is a 0.5 GB structure; read `entries` of yours from ENTSMAX.
    """
    by_elements = rounded_down(entries * elements_per_entry / elements_per_message(message_bytes))
    return smaller(entries, by_elements)


@model("cf_structure", "R-CF-08", "L2614-L2626", "messages", derived=True)
def messages_before_offload(
    elements: Quantity, message_bytes: Quantity, threshold_fraction: Quantity = OFFLOAD_THRESHOLD_4K
) -> Any:
    """Messages held whole before a CFLEVEL(5) structure reaches its offload threshold [L2626] (R-CF-08, T-25)."""
    return rounded_up(elements * threshold_fraction / elements_per_message(message_bytes))


@model("cf_structure", "R-CF-08", "L2614-L2626", "messages", derived=True)
def messages_with_offload(
    elements: Quantity, message_bytes: Quantity, threshold_fraction: Quantity = OFFLOAD_THRESHOLD_4K
) -> Any:
    """All messages a CFLEVEL(5) structure holds, entries and data sets allowing [L2626] (R-CF-08, T-25)."""
    whole = messages_before_offload(elements, message_bytes, threshold_fraction)
    elements_left = elements - whole * elements_per_message(message_bytes)
    return whole + rounded_down(larger(0, elements_left) / OFFLOADED_ELEMENTS)


@model("cf_structure", "R-CF-09", "L2688", "bytes")
def element_poor_message_bytes(elements_per_entry: Quantity = ELEMENTS_PER_ENTRY) -> Any:
    """Size below which messages leave elements unused, so that altering the ratio gains room [L2688] (R-CF-09)."""
    return (elements_per_entry - 1) * ELEMENT_BYTES - IMPLEMENTATION_HEADER_BYTES


@model("cf_structure", "R-CF-12", "L2578-L2580", "bytes")
def structure_growth_bytes(from_cfcc_level: Quantity, to_cfcc_level: Quantity) -> Any:
    """Storage a structure needs more to hold as many messages on a newer coupling facility [L2578] (R-CF-12)."""
    to_17 = chosen(to_cfcc_level >= 17, chosen(from_cfcc_level <= 14, CFCC_17_BYTES, 0), 0)
    to_25 = chosen(to_cfcc_level >= 25, chosen(from_cfcc_level < 25, CFCC_25_BYTES, 0), 0)
    return to_17 + to_25


@model("cf_structure", "R-CF-17", "L2997-L3003", "MB")
def dead_message_mb_max(
    message_bytes: Quantity, queue_managers: Quantity, messages: Quantity = DEAD_MESSAGES_MAX
) -> Any:
    """Storage of messages got but not yet deleted, at CFLEVEL 4 and lower [L2997] (R-CF-17, X-14)."""
    return messages * message_bytes * queue_managers / MB


@model("cf_structure", "R-CF-04", "L2508", "percent")
def structure_used_pct(used: Quantity, available: Quantity) -> Any:
    """How much of a structure's entries, or of its elements, is in use [L2508] (R-CF-04, D-16)."""
    return ratio(used * 100, available)
