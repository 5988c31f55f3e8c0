"""Page sets: how many pages a message takes, how many messages fit, how full one is.

A message's size here is its data and all headers but the MQMD. By default a message has its pages to itself; with
MAXSHORTMSGS 0 several small ones share a page. The constants were fitted to the published bounds and meet all of them.
"""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import (
    Quantity,
    chosen,
    known_where,
    larger,
    ratio,
    rounded_down,
    rounded_up,
    smaller,
)
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import GB, PAGE_BYTES

FIRST_PAGE_BYTES: Final = 3635
NEXT_PAGE_BYTES: Final = 4048
PACKED_PAGE_BYTES: Final = 4056
PACKED_MESSAGE_OVERHEAD: Final = 461
PACKED_MESSAGES_MAX: Final = 8
TWO_PACKED_BYTES_MAX: Final = 1567

V6_FIRST_PAGE_BYTES: Final = 3697
V6_MESSAGE_OVERHEAD: Final = 372
V6_MESSAGES_MAX: Final = 10
V6_TWO_BYTES_MAX: Final = 1655
"""The published bound for two a page; the fitted formula would say 1656."""
V6_PAGE_BOUNDS: Final = (3697, 7746, 11795, 15844, 19893, 23941, 27991, 32040)
"""Largest V6 message on 1 to 8 pages [L862-L872]: uneven by a byte, so kept as published."""

NOMINAL_PAGES_PER_GB: Final = 250_000
"""The published capacities count 1,000,000 pages in 4 GB; in truth there are 1,048,576 less the space maps."""
PAGES_PER_GB: Final = GB // PAGE_BYTES


@model("page_set", "R-PS-01", "L862-L872", "pages", derived=True)
def pages_per_message(message_bytes: Quantity) -> Any:
    """Pages one message takes (V7.0.1 and later) [L862] (R-PS-01, T-08)."""
    return 1 + rounded_up(larger(0, message_bytes - FIRST_PAGE_BYTES) / NEXT_PAGE_BYTES)


@model("page_set", "R-PS-02", "L872-L881", "messages", derived=True)
def messages_per_page_packed(message_bytes: Quantity) -> Any:
    """Messages to a page under MAXSHORTMSGS 0; a fraction if one needs several pages [L872] (R-PS-02)."""
    fitting = rounded_down(PACKED_PAGE_BYTES / (message_bytes + PACKED_MESSAGE_OVERHEAD))
    packed = smaller(PACKED_MESSAGES_MAX, larger(1, fitting))
    return chosen(message_bytes <= FIRST_PAGE_BYTES, packed, 1 / pages_per_message(message_bytes))


@model("page_set", "R-PS-02", "L862-L872", "pages")
def pages_per_message_v6(message_bytes: Quantity) -> Any:
    """Pages one message takes in V6, published up to 8 pages, else unknown [L862] (R-PS-02, T-08)."""
    pages: Quantity = len(V6_PAGE_BOUNDS)
    for count, bound in reversed(list(enumerate(V6_PAGE_BOUNDS[:-1], start=1))):
        pages = chosen(message_bytes <= bound, count, pages)
    return known_where(message_bytes <= V6_PAGE_BOUNDS[-1], pages)


@model("page_set", "R-PS-02", "L872-L881", "messages", derived=True)
def messages_per_page_v6(message_bytes: Quantity) -> Any:
    """Messages of this size that share a page in V6, where one needs no second page [L872] (R-PS-02)."""
    fitting = rounded_down(PACKED_PAGE_BYTES / (message_bytes + V6_MESSAGE_OVERHEAD))
    packed = smaller(V6_MESSAGES_MAX, larger(1, fitting))
    packed = chosen(message_bytes > V6_TWO_BYTES_MAX, 1, packed)
    return known_where(message_bytes <= V6_FIRST_PAGE_BYTES, packed)


@model("page_set", "R-PS-03", "L862-L881", "pages")
def page_set_pages(page_set_gb: Quantity, pages_per_gb: Quantity = PAGES_PER_GB) -> Any:
    """Pages of a page set, space maps not taken off [L862] (R-PS-03)."""
    return page_set_gb * pages_per_gb


@model("page_set", "R-PS-03", "L862-L881", "messages", derived=True)
def messages_in_page_set(page_set_gb: Quantity, message_bytes: Quantity, pages_per_gb: Quantity = PAGES_PER_GB) -> Any:
    """Messages of one size that fit a page set by default [L862] (R-PS-03, T-08)."""
    return rounded_down(page_set_pages(page_set_gb, pages_per_gb) / pages_per_message(message_bytes))


@model("page_set", "R-PS-03", "L862-L881", "messages", derived=True)
def messages_in_page_set_packed(
    page_set_gb: Quantity, message_bytes: Quantity, pages_per_gb: Quantity = PAGES_PER_GB
) -> Any:
    """Messages of one size that fit a page set under MAXSHORTMSGS 0 [L872] (R-PS-03, T-08)."""
    return rounded_down(page_set_pages(page_set_gb, pages_per_gb) * messages_per_page_packed(message_bytes))


@model("page_set", "R-PS-04", "L889", "GB", derived=True)
def page_set_gb_for_messages(messages: Quantity, message_bytes: Quantity, spare_fraction: Quantity = 0) -> Any:
    """Size that holds the peak number of messages, with room to spare if asked for [L889] (R-PS-04)."""
    return messages * pages_per_message(message_bytes) * (1 + spare_fraction) * PAGE_BYTES / GB


@model("page_set", "R-PS-04", "L889", "GB", derived=True)
def page_set_gb_for_messages_packed(messages: Quantity, message_bytes: Quantity, spare_fraction: Quantity = 0) -> Any:
    """The same under MAXSHORTMSGS 0 [L889] (R-PS-04)."""
    return messages / messages_per_page_packed(message_bytes) * (1 + spare_fraction) * PAGE_BYTES / GB


@model("page_set", "R-PS-05", "L893", "percent")
def page_set_used_pct(total_pages: Quantity, unused_pages: Quantity) -> Any:
    """How full a page set is; past 90 it expands [L893] (R-PS-05)."""
    return ratio((total_pages - unused_pages) * 100, total_pages)


@model("page_set", "R-PS-10", "L996-L998", "times", derived=True)
def packing_gain(message_bytes: Quantity) -> Any:
    """How many times more messages fit under MAXSHORTMSGS 0 than by default [L996] (R-PS-10)."""
    return messages_per_page_packed(message_bytes) * pages_per_message(message_bytes)


@model("page_set", "R-PS-11", "L962-L970", "pages", derived=True)
def unreclaimed_pages(
    total_pages: Quantity, unused_pages: Quantity, messages: Quantity, message_bytes: Quantity
) -> Any:
    """Pages in use beyond what the messages need under MAXSHORTMSGS 0: the scavenger lags behind [L962] (R-PS-11)."""
    needed = rounded_up(messages / messages_per_page_packed(message_bytes))
    return larger(0, total_pages - unused_pages - needed)
