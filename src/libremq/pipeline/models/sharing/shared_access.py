"""Calls to the coupling facility: gets by a common key, opens that queue managers contend for, engines needed."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import (
    Quantity,
    chosen,
    interpolated,
    larger,
    looked_up,
    ratio,
    rounded_up,
    smaller,
)
from libremq.pipeline.models.registry import model

KEYS_FIRST_CALL = 65
KEYS_PER_REDRIVE = 1025
REDRIVES_MAX = 6
CF_BUSY_TARGET = 0.60
CF_US_PER_MESSAGE = ((1000.0, 28.0), (5000.0, 30.0))
"""ICP links [L7920-L7922]."""

# Three partitions, a million opens, by queue managers that open and close the same queue [L7302-L7334].
INPUT_OPEN_CPU_US = {1: 21.0, 2: 31.0, 3: 51.0}
INPUT_OPEN_ELAPSED_US = {1: 27.0, 2: 122.0, 3: 520.0}
OUTPUT_OPEN_CPU_US = {1: 6.0, 2: 16.0, 3: 29.0}
OUTPUT_OPEN_ELAPSED_US = {1: 6.0, 2: 17.0, 3: 29.0}


@model("shared_access", "R-SQ-2", "L7170-L7193", "calls", derived=True)
def common_key_redrives(same_key_messages: Quantity) -> Any:
    """How often is the CF asked again for a get, when so many messages have its key? [L7178] R-SQ-2."""
    return smaller(REDRIVES_MAX, larger(0, rounded_up((same_key_messages - KEYS_FIRST_CALL) / KEYS_PER_REDRIVE)))


@model("shared_access", "R-SQ-2", "L7180-L7221", "calls", derived=True)
def common_key_redrives_to_empty(same_key_messages: Quantity) -> Any:
    """How often is it asked again until a queue of so many messages with one key is empty? [L7189] R-SQ-2, T-15."""
    total: Any = 0
    for step in range(REDRIVES_MAX):
        total = total + larger(0, same_key_messages - KEYS_FIRST_CALL - step * KEYS_PER_REDRIVE)
    return total


@model("shared_access", "R-SQ-3", "L7353-L7357", "percent")
def cf_retries_pct(retries: Quantity, requests: Quantity) -> Any:
    """Which share of CF requests had to be tried again because of another queue manager? [L7353] R-SQ-3."""
    return ratio(100.0 * retries, requests)


@model("shared_access", "R-SQ-4", "L7361-L7372", "percent")
def opens_with_cf_access_pct(opens_with_cf_access: Quantity, opens: Quantity) -> Any:
    """Which share of opens (or closes) went to the CF? Near 100: each is the first, or the last. [L7372] R-SQ-4."""
    return ratio(100.0 * opens_with_cf_access, opens)


@model("shared_access", "T-16", "L7344-L7353", "requests", derived=True)
def cf_requests_per_open(requests: Quantity, opens: Quantity) -> Any:
    """How many CF requests does an open make? [L7344] T-16."""
    return ratio(1.0 * requests, opens)


@model("shared_access", "T-15", "L7199-L7221", "us", derived=True)
def cf_us_per_call(requests: Quantity, us_per_request: Quantity, calls: Quantity) -> Any:
    """How much CF time is in a call of the application? [L7209] T-15."""
    return ratio(1.0 * requests * us_per_request, calls)


@model("shared_access", "R-SQ-5", "L7229-L7235", "us")
def undefined_open_us_max(open_us: Quantity, factor: Quantity = 10.0) -> Any:
    """What may an open of an undefined queue cost in a queue-sharing group? [L7231] R-SQ-5."""
    return open_us * factor


@model("shared_access", "R-SQ-5", "L7229-L7235", "us")
def undefined_open_us_min(open_us: Quantity, factor: Quantity = 8.0) -> Any:
    """What does it cost at least? [L7231] R-SQ-5."""
    return open_us * factor


@model("shared_access", "T-7", "L7302-L7305", "us")
def shared_input_open_cpu_us(queue_managers: Quantity) -> Any:
    """What CPU does an open for shared input take when 1 to 3 queue managers contend? [L7302] T-7."""
    return looked_up(queue_managers, INPUT_OPEN_CPU_US)


@model("shared_access", "T-7", "L7302-L7305", "us")
def shared_input_open_elapsed_us(queue_managers: Quantity) -> Any:
    """How long does it take? [L7302] T-7."""
    return looked_up(queue_managers, INPUT_OPEN_ELAPSED_US)


@model("shared_access", "T-7", "L7331-L7334", "us")
def shared_output_open_cpu_us(queue_managers: Quantity) -> Any:
    """What CPU does an open for output take when 1 to 3 queue managers contend? [L7331] T-7."""
    return looked_up(queue_managers, OUTPUT_OPEN_CPU_US)


@model("shared_access", "T-7", "L7331-L7334", "us")
def shared_output_open_elapsed_us(queue_managers: Quantity) -> Any:
    """How long does it take? [L7331] T-7."""
    return looked_up(queue_managers, OUTPUT_OPEN_ELAPSED_US)


@model("shared_access", "R-SQ-6", "L7902-L7905", "us")
def shared_persistent_us_min(private_us: Quantity, message_bytes: Quantity, extra_queue_managers: Quantity = 0) -> Any:
    """What does a persistent message cost on a shared queue, given it on a private one, at least? [L7902] R-SQ-6.

    The source's percentages can be read as "of" or as "more than" the private cost; this reads them as "of".
    """
    return private_us * _shared_factor(message_bytes, extra_queue_managers, 0.0)


@model("shared_access", "R-SQ-6", "L7902-L7905", "us")
def shared_persistent_us_max(private_us: Quantity, message_bytes: Quantity, extra_queue_managers: Quantity = 0) -> Any:
    """And at most: the percentages read as "more than" the private cost? [L7902] R-SQ-6."""
    return private_us * _shared_factor(message_bytes, extra_queue_managers, 1.0)


def _shared_factor(message_bytes: Quantity, extra_queue_managers: Quantity, own: float) -> Any:
    # Measured at 1000 and at 5000 bytes only; the nearer one stands for other sizes.
    small = message_bytes < 3000
    return (own + chosen(small, 2.25, 2.0)) * (1 + chosen(small, 0.03, 0.02) * extra_queue_managers)


@model("shared_access", "R-SQ-7", "L7920-L7922", "us", derived=True)
def cf_us_per_persistent_message(message_bytes: Quantity) -> Any:
    """What CF CPU does a persistent message take over ICP links, 1000 to 5000 bytes? [L7920] R-SQ-7."""
    return interpolated(message_bytes, CF_US_PER_MESSAGE, level_below=True, level_above=True)


@model("shared_access", "R-SQ-7", "L7113, L7918-L7922", "engines", derived=True)
def cf_engines_needed(
    messages_per_second: Quantity, cf_us_per_message: Quantity, busy_target: Quantity = CF_BUSY_TARGET
) -> Any:
    """How many CF engines keep the CF below 60 percent busy? [L7918] R-SQ-7."""
    return rounded_up(messages_per_second * cf_us_per_message / (1000000.0 * busy_target))


@model("shared_access", "R-SQ-7", "L7113, L7918-L7922", "messages/s", derived=True)
def messages_per_second_per_cf_engine(cf_us_per_message: Quantity, busy_target: Quantity = CF_BUSY_TARGET) -> Any:
    """How many messages can one CF engine take below 60 percent busy? [L7918] R-SQ-7."""
    return ratio(1000000.0 * busy_target, cf_us_per_message)
