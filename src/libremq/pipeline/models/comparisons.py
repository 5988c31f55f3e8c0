"""Comparisons that every subject uses: change, how many times faster, the part of elapsed time that was waiting."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio
from libremq.pipeline.models.registry import model


@model("comparison", "T-21", "L4741-L4748", "percent", derived=True)
def change_pct(before: Quantity, after: Quantity) -> Any:
    """By how much did a figure change, in percent of what it was? [L4741] T-21."""
    return ratio(100.0 * (after - before), before)


@model("comparison", "T-30", "L5927-L5936", "times")
def times_faster(before: Quantity, after: Quantity) -> Any:
    """How many times shorter is the time after than before? [L5934] T-30."""
    return ratio(before * 1.0, after)


@model("comparison", "R-29", "L3462, L5846, L7302-L7305", "us")
def waiting_us(elapsed_us: Quantity, cpu_us: Quantity) -> Any:
    """How much of the elapsed time of a call was waiting (for the log, a lock, the CF)? [L3462] R-29."""
    return elapsed_us - cpu_us
