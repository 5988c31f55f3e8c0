"""What a scan for expired messages on shared queues costs (1 KB messages, 8561-703, z15 internal CF)."""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity
from libremq.pipeline.models.registry import model

SCAN_US: Final = 5.0
EXPIRE_US: Final = 10.0
"""A message that is found expired and deleted; the look at it is in this figure [L2238]."""
OFFLOADED_SCAN_FACTOR: Final = 2.0
"""For messages in shared message data sets [L2242]."""
CF_CALL_US: Final = 3.5


@model("expiry", "R-EXP-02", "L2238-L2242", "CPU us")
def expiry_scan_cpu_us(
    scanned: Quantity,
    expired: Quantity,
    scan_factor: Quantity = 1,
    scan_us: Quantity = SCAN_US,
    expire_us: Quantity = EXPIRE_US,
) -> Any:
    """CPU of one scan; every message is looked at, `scan_factor` 2 if they are in SMDS [L2238] (R-EXP-02)."""
    return scanned * scan_us * scan_factor + expired * (expire_us - scan_us)


@model("expiry", "R-EXP-02", "L2240", "CF calls")
def expiry_scan_cf_calls(scanned: Quantity, expired: Quantity) -> Any:
    """Calls to the coupling facility: one a message, a second one to expire it [L2240] (R-EXP-02)."""
    return scanned + expired


@model("expiry", "R-EXP-02", "L2240", "CF CPU us")
def expiry_scan_cf_us(scanned: Quantity, expired: Quantity, call_us: Quantity = CF_CALL_US) -> Any:
    """CPU of the coupling facility for one scan [L2240] (R-EXP-02)."""
    return expiry_scan_cf_calls(scanned, expired) * call_us
