"""The IMS bridge: how busy the message regions are, what a transaction costs, which commit mode."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, Word, looked_up, ratio, scaled
from libremq.pipeline.models.registry import model

COMMIT_MODE_1_FACTORS = {"queue manager": 1.10, "message region": 1.13, "control region": 0.80, "all": 1.035}
"""Cost with commit mode 1 in times of commit mode 0 [L8609-L8614]."""


@model("ims_bridge", "R-IMS-2", "L8453-L8689", "percent", derived=True)
def region_occupied_pct(wait_for_input_us: Quantity, interval_seconds: Quantity) -> Any:
    """How busy is a message region, from its waits for input in the IMS monitor? [L8459] R-IMS-2, R-IMS-1."""
    return ratio(interval_seconds * 1000000.0 - wait_for_input_us, interval_seconds * 10000.0)


@model("ims_bridge", "R-IMS-1", "L8535-L8689", "us")
def region_wait_us(wait_us: Quantity, waits: Quantity) -> Any:
    """How long does a region wait at a time? Few waits: it is never idle. [L8542] R-IMS-1, T-17."""
    return ratio(1.0 * wait_us, waits)


@model("ims_bridge", "R-IMS-4", "L8598-L8600, L8662-L8664", "us")
def ims_transaction_us(busy_pct: Quantity, processors: Quantity, transactions_per_second: Quantity) -> Any:
    """What does a transaction cost, from the busy share of all processors? [L8598] R-IMS-4."""
    return ratio(10000.0 * busy_pct * processors, transactions_per_second)


@model("ims_bridge", "R-IMS-5", "L8609-L8614", "us")
def commit_mode_1_us(commit_mode_0_us: Quantity, part: Word = "all") -> Any:
    """What does commit mode 1 cost "queue manager", "message region", "control region" or "all"? [L8609] R-IMS-5."""
    return scaled(commit_mode_0_us, looked_up(part, COMMIT_MODE_1_FACTORS))


@model("ims_bridge", "R-IMS-6", "L8219, L8458", "seconds")
def ims_checkpoint_seconds(interval_seconds: Quantity, checkpoints: Quantity) -> Any:
    """How far apart are IMS checkpoints? 10 to 20 minutes is right. [L8458] R-IMS-6."""
    return ratio(1.0 * interval_seconds, checkpoints)
