"""CPU to move a message between two z/OS images: queue manager and channel initiator of both ends.

Measured on two partitions of three processors, z16 3931-7K0, 10 Gb, one message deep, no conversion, no business logic;
within 10 percent in the charted range. Take batches of one unless the achieved size is known [L4938].
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity
from libremq.pipeline.models.registry import model

SENDER_SHARE = 0.5
PERSISTENT_SENDER_SHARE = 128 / 252
TRACE_INCREASE_MAX = 0.55
TRACE_INCREASE_MIN = 0.25
TRACE_INCREASE_IDLE = 0.03
CLASS4_INCREASE_MAX = 0.02


@model("channel_cost", "R-100", "L4894-L4904", "us")
def channel_us_nonpersistent_batch_1(
    message_bytes: Quantity, base_us: Quantity = 38.53, us_per_byte: Quantity = 0.0007
) -> Any:
    """What does a fast non-persistent message cost both ends in batches of one? [L4894] R-100."""
    return base_us + us_per_byte * message_bytes


@model("channel_cost", "R-101", "L4906-L4915", "us")
def channel_us_nonpersistent_batch_50(
    message_bytes: Quantity, base_us: Quantity = 22.16, us_per_byte: Quantity = 0.00058
) -> Any:
    """What does a fast non-persistent message cost both ends in batches of fifty? [L4906] R-101."""
    return base_us + us_per_byte * message_bytes


@model("channel_cost", "R-102", "L4940-L4951", "us")
def channel_us_persistent_batch_1(
    message_bytes: Quantity, base_us: Quantity = 223.0, us_per_byte: Quantity = 0.003
) -> Any:
    """What does a persistent message cost both ends in batches of one? [L4940] R-102."""
    return base_us + us_per_byte * message_bytes


@model("channel_cost", "R-100", "L4904, L4915, L4949", "us")
def channel_us_sender(both_ends_us: Quantity, sender_share: Quantity = SENDER_SHARE) -> Any:
    """Which part of that is the sender's? Half; a little more when persistent (128 of 252). [L4904] R-100, R-102."""
    return both_ends_us * sender_share


@model("channel_cost", "R-100", "L4894-L4951", "processors", derived=True)
def channel_processors(
    messages_per_second: Quantity, us_per_message: Quantity, processor_factor: Quantity = 1.0
) -> Any:
    """How many processors does a rate keep busy? The factor is for another machine. [L4894] R-100, R-HW-1."""
    return messages_per_second * us_per_message * processor_factor / 1000000.0


@model("channel_cost", "R-85", "L4275-L4279", "us")
def traced_us_max(transaction_us: Quantity, increase: Quantity = TRACE_INCREASE_MAX) -> Any:
    """What may a transaction cost with the channel initiator's trace on, under load? [L4277] R-85."""
    return transaction_us * (1 + increase)


@model("channel_cost", "R-85", "L4275-L4279", "us")
def traced_us_min(transaction_us: Quantity, increase: Quantity = TRACE_INCREASE_MIN) -> Any:
    """What will it cost at least with that trace on, under load? [L4277] R-85."""
    return transaction_us * (1 + increase)


@model("channel_cost", "R-85", "L4279", "us")
def traced_idle_us(chinit_us: Quantity, increase: Quantity = TRACE_INCREASE_IDLE) -> Any:
    """What does an idle channel initiator cost with that trace on? [L4279] R-85."""
    return chinit_us * (1 + increase)


@model("channel_cost", "R-85", "L4281", "us")
def class4_chinit_us_max(chinit_us: Quantity, increase: Quantity = CLASS4_INCREASE_MAX) -> Any:
    """What may the channel initiator cost with class 4 accounting and statistics? [L4281] R-85."""
    return chinit_us * (1 + increase)
