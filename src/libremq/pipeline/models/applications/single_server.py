"""Throughput of applications: one server working message by message, and private queues without a log."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, interpolated, ratio
from libremq.pipeline.models.registry import model

# Three processors, four putting and four getting jobs, a commit for each [L7743-L7748]. The source names the machine
# twice, and differently.
PRIVATE_NONPERSISTENT = (
    (1000.0, 114060.0),
    (5000.0, 107230.0),
    (10000.0, 102600.0),
    (30000.0, 82720.0),
    (100000.0, 49520.0),
)


@model("single_server", "R-TP-1", "L7853-L7857", "transactions/s")
def server_transactions_per_second_max(get_us: Quantity, put_us: Quantity, commit_us: Quantity) -> Any:
    """What can one server do that gets, puts and commits, by their elapsed times (class 3)? [L7853] R-TP-1."""
    return ratio(1000000.0, get_us + put_us + commit_us)


@model("single_server", "R-TP-1", "L7853-L7857", "percent", derived=True)
def server_reached_pct(measured_per_second: Quantity, bound_per_second: Quantity) -> Any:
    """How near is a measured rate to that bound? [L7857] R-TP-1."""
    return ratio(100.0 * measured_per_second, bound_per_second)


@model("single_server", "T-8", "L7743-L7748", "messages/s", derived=True)
def private_nonpersistent_messages_per_second(message_bytes: Quantity) -> Any:
    """What did a private queue carry without persistence on three processors, all in the pool? [L7743] T-8."""
    return interpolated(message_bytes, PRIVATE_NONPERSISTENT, level_below=True, level_above=True)


@model("single_server", "T-9", "L7768-L7783", "transactions/s")
def request_reply_transactions_per_second(messages_per_second: Quantity) -> Any:
    """How many requests with replies is a message rate? [L7768] T-9."""
    return messages_per_second / 2.0


@model("single_server", "T-9", "L7768-L7783", "processors", derived=True)
def transaction_processors(transactions_per_second: Quantity, us_per_transaction: Quantity) -> Any:
    """How many processors does a transaction rate keep busy? [L7768] T-9."""
    return transactions_per_second * us_per_transaction / 1000000.0
