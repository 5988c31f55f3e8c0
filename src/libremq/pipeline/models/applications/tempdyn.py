"""Temporary dynamic queues: what making one costs, and whether their deletes fall behind."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio
from libremq.pipeline.models.registry import model


@model("temporary_queue", "R-TDQ-1", "L7671-L7678", "deletes per create")
def deletes_per_create(object_deletes: Quantity, object_creates: Quantity) -> Any:
    """Are temporary queues deleted at close (about 1) or later in the background (about 2)? [L7676] R-TDQ-1."""
    return ratio(1.0 * object_deletes, object_creates)


@model("temporary_queue", "T-10", "L7657-L7661", "us")
def temporary_opens_elapsed_us(opens: Quantity, us_per_open: Quantity = 225.0) -> Any:
    """How long do opens take that make a temporary queue, most of it one log write? [L7657] T-10."""
    return opens * us_per_open


@model("temporary_queue", "T-10", "L7657-L7661", "us")
def temporary_opens_cpu_us(opens: Quantity, us_per_open: Quantity = 14.0) -> Any:
    """What CPU do opens take that make a temporary queue? An existing queue takes 2. [L7658] T-10."""
    return opens * us_per_open
