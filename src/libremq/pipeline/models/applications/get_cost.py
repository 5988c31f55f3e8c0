"""What a get costs when it has to look: messages skipped by a selector, waiters that race, conversion, triggers."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Flag, Quantity, chosen, ratio
from libremq.pipeline.models.registry import model

GET_US = 20.0
US_PER_SKIP = 0.192
"""From 500 us at 2,500 skips and 20 us at none. Another example has 0.49: an order of magnitude, no more."""


@model("get", "R-SEL-1", "L7529-L7533", "messages")
def skips_per_get(skips: Quantity, gets: Quantity) -> Any:
    """How many messages does a get pass over before it finds one? [L7529] R-SEL-1."""
    return ratio(1.0 * skips, gets)


@model("get", "R-SEL-1", "L7582-L7586", "us", derived=True)
def selecting_get_us(skipped: Quantity, get_us: Quantity = GET_US, us_per_skip: Quantity = US_PER_SKIP) -> Any:
    """How long does a get with a selector take that skips so many messages, private queue? [L7582] R-SEL-1."""
    return get_us + us_per_skip * skipped


@model("get", "R-GETMAX-1", "L7584-L7586", "gets/s", derived=True)
def gets_per_second_max(us_per_get: Quantity) -> Any:
    """How many gets can one thread do in a second? [L7584] R-GETMAX-1."""
    return ratio(1000000.0, us_per_get)


@model("get", "R-SEL-2", "L7607-L7611, L7630", "calls")
def cf_calls_per_get(wtascmec: Quantity, gets: Quantity) -> Any:
    """How many CF list calls does a get from a shared queue make? High: it scans. [L7609] R-SEL-2."""
    return ratio(1.0 * wtascmec, gets)


@model("get", "R-WAIT-1", "L8000-L8002", "us")
def get_us_with_waiters(get_us: Quantity, waiters: Quantity, us_per_waiter: Quantity = 1.0) -> Any:
    """What does getting one message cost when so many others wait for it too (2817-703)? [L8002] R-WAIT-1."""
    return get_us + waiters * us_per_waiter


@model("get", "R-CNV-1", "L8008-L8010", "us")
def converting_get_us(get_us: Quantity, double_byte: Flag = False) -> Any:
    """What does a get with conversion cost: one basic get more, or four with double-byte text? [L8008] R-CNV-1."""
    return get_us * chosen(double_byte, 5, 2)


@model("get", "R-TRG-1", "L8026-L8028", "us")
def trigger_us(small_nonpersistent_put_us: Quantity, process_start_us: Quantity) -> Any:
    """What does a trigger cost: a small put and starting the process? [L8026] R-TRG-1."""
    return small_nonpersistent_put_us + process_start_us


@model("get", "R-EVT-1", "L8014", "us")
def event_messages_us(events: Quantity, small_persistent_put_us: Quantity) -> Any:
    """What do event messages cost: a small persistent put each? [L8014] R-EVT-1."""
    return events * small_persistent_put_us
