"""Two and three tiers: clients that connect for a few messages, or queue managers in between."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio, rounded_up
from libremq.pipeline.models.registry import model

MESSAGE_US = 150.0
CONNECT_US = 755.0
"""From 905 us at one message a connect and 165 at fifty, SHARECNV(0)."""
CLIENT_CHANNEL_KB = 83.0
MCA_PAIR_KB = 180.0
THREE_TIER_LOG_TIMES = 2


@model("tier", "R-TIER-2", "L8155", "us", derived=True)
def client_us_per_message(
    messages_per_connect: Quantity, message_us: Quantity = MESSAGE_US, connect_us: Quantity = CONNECT_US
) -> Any:
    """What does a message cost z/OS, got and put by a client that connects for so many? [L8155] R-TIER-2."""
    return ratio(message_us * messages_per_connect + connect_us, messages_per_connect)


@model("tier", "R-TIER-3", "L8097-L8103", "MB")
def client_channels_mb(clients: Quantity, channel_kb: Quantity = CLIENT_CHANNEL_KB) -> Any:
    """How much storage do clients take with a channel each, 1 KB messages? [L8101] R-TIER-3."""
    return clients * channel_kb / 1024.0


@model("tier", "R-TIER-3", "L8101-L8103", "MB")
def concentrator_channels_mb(queue_managers: Quantity, pair_kb: Quantity = MCA_PAIR_KB) -> Any:
    """How much do middle-tier queue managers take with a channel each way? [L8103] R-TIER-3."""
    return queue_managers * pair_kb / 1024.0


@model("tier", "R-TIER-4", "L8081", "channels")
def mca_channels_needed(messages_per_second: Quantity, channel_messages_per_second: Quantity) -> Any:
    """How many message channels carry what all clients send together? [L8081] R-TIER-4."""
    return rounded_up(ratio(messages_per_second, channel_messages_per_second))


@model("tier", "R-TIER-4", "L8091", "bytes")
def three_tier_log_bytes(two_tier_log_bytes: Quantity, times: Quantity = THREE_TIER_LOG_TIMES) -> Any:
    """How much is logged in three tiers, where a persistent message is logged twice? [L8091] R-TIER-4."""
    return two_tier_log_bytes * times
