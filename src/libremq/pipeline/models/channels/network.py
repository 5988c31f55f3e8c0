"""The network under channels: what shows a fault, and what a line of a given bandwidth carries.

The source's advice on latency and bandwidth is words (R-125, R-126); its figures here are counts and bytes.
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio
from libremq.pipeline.models.registry import model


@model("network", "R-127", "L5072-L5088", "percent")
def retransmitted_pct(retransmitted_segments: Quantity, sent_segments: Quantity) -> Any:
    """Which share of segments was sent again? Compare it with a quiet day. [L5072] R-127."""
    return ratio(100.0 * retransmitted_segments, sent_segments)


@model("network", "R-127", "L5072", "MB/s")
def network_mb_per_second(transferred_bytes: Quantity, interval_seconds: Quantity) -> Any:
    """How much did the network carry in an interval? [L5072] R-127."""
    return ratio(transferred_bytes / 1048576.0, interval_seconds)
