"""Units of work: what a commit costs, and what uncommitted messages cost others."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio
from libremq.pipeline.models.registry import model


@model("commit", "R-UOW-4", "L7127", "us")
def stepping_over_uncommitted_us(uncommitted_messages: Quantity, us_per_message: Quantity = 1.0) -> Any:
    """What does a get that finds only uncommitted messages cost? [L7127] R-UOW-4."""
    return uncommitted_messages * us_per_message


@model("commit", "R-UOW-5", "L7133", "us", derived=True)
def commit_cpu_us(messages_per_commit: Quantity, base_us: Quantity = 2.0, us_per_message: Quantity = 0.002) -> Any:
    """What CPU does a commit of so many messages take? [L7133] R-UOW-5."""
    return base_us + us_per_message * messages_per_commit


@model("commit", "R-UOW-5", "L7133", "us", derived=True)
def commit_elapsed_us(messages_per_commit: Quantity, base_us: Quantity = 7.0, us_per_message: Quantity = 0.044) -> Any:
    """How long does a commit of so many messages take? [L7133] R-UOW-5."""
    return base_us + us_per_message * messages_per_commit


@model("commit", "R-UOW-5", "L7133", "us", derived=True)
def commits_cpu_us(messages: Quantity, messages_per_commit: Quantity) -> Any:
    """What do the commits of so many messages cost together? [L7133] R-UOW-5."""
    return ratio(messages * commit_cpu_us(messages_per_commit), messages_per_commit)


@model("commit", "R-UOW-5", "L7133", "us", derived=True)
def commits_elapsed_us(messages: Quantity, messages_per_commit: Quantity) -> Any:
    """How long do the commits of so many messages take together? [L7133] R-UOW-5."""
    return ratio(messages * commit_elapsed_us(messages_per_commit), messages_per_commit)
