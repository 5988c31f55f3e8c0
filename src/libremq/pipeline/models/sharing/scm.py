"""Storage class memory behind a list structure: how much it holds, what it needs of the CF, whether it keeps up."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, chosen, interpolated, larger, ratio, rounded_down, worded
from libremq.pipeline.models.registry import model

UNIT_BYTES = 256
"""What an entry and an element take each in storage class memory; fits the displayed maxima within 0.02 percent."""
AUGMENTED_SHARE = 77455 / 1048576
"""Augmented space displayed for 1 TB at one entry to six elements."""

# MB/s of one task in priority order, by message KB [L3429-L3437].
SCM_WRITE_MB = ((2.0, 228.0), (8.0, 463.0), (16.0, 460.0), (62.0, 868.0))
SCM_READ_MB = ((2.0, 177.0), (8.0, 382.0), (16.0, 357.0), (62.0, 608.0))


@model("scm", "R-20", "L3416, L3500", "percent")
def list_structure_full_pct(
    entries_used: Quantity, entries_max: Quantity, elements_used: Quantity, elements_max: Quantity
) -> Any:
    """How full is a structure, by entries or elements, whichever is nearer its end? [L3416] R-20.

    Auto-alter looks at it from 80, staging to storage class memory from 90.
    """
    return chosen(
        1.0 * entries_used * elements_max > 1.0 * elements_used * entries_max,
        ratio(100.0 * entries_used, entries_max),
        ratio(100.0 * elements_used, elements_max),
    )


@model("scm", "R-21", "L3424", "MB", derived=True)
def scm_overcommitted_mb(structures_scm_max_mb: Quantity, scm_assigned_mb: Quantity) -> Any:
    """How much more may the structures ask for than the CF was given? [L3424] R-21."""
    return larger(structures_scm_max_mb - scm_assigned_mb, 0)


@model("scm", "R-22", "L3412, L3481", "MB", derived=True)
def scm_augmented_mb_max(scm_mb: Quantity, share: Quantity = AUGMENTED_SHARE) -> Any:
    """How much CF storage may storage class memory take for itself, at one entry to six elements? [L3412] R-22."""
    return scm_mb * share


@model("scm", "R-22", "L3412, L3481", "MB")
def scm_augmented_missing_mb(augmented_mb_max: Quantity, cf_free_mb: Quantity) -> Any:
    """How much CF storage is missing for the augmented space? [L3481] R-22."""
    return larger(augmented_mb_max - cf_free_mb, 0)


@model("scm", "R-23", "L3482", "bytes", derived=True)
def scm_bytes_per_message(elements: Quantity) -> Any:
    """How much storage class memory does a message of so many elements take? [L3482] R-23."""
    return UNIT_BYTES * (1 + elements)


@model("scm", "R-23", "L3482, L3502", "messages", derived=True)
def scm_messages_max(scm_bytes: Quantity, elements: Quantity) -> Any:
    """How many messages of so many elements fit? [L3502] R-23."""
    return rounded_down(scm_bytes / scm_bytes_per_message(elements))


@model("scm", "R-24", "L3482", "entries or elements")
def scm_exhausted_first(
    entries_used: Quantity, elements_used: Quantity, entries_max: Quantity, elements_max: Quantity
) -> Any:
    """Which runs out first if messages stay as they are, entries or elements? [L3482] R-24."""
    # Multiplied out, so that an empty structure is no division by nothing.
    return worded(1.0 * elements_used * entries_max > 1.0 * elements_max * entries_used, "elements", "entries")


@model("scm", "R-26", "L3429-L3439", "MB/s", derived=True)
def scm_write_mb_per_second_max(message_kb: Quantity) -> Any:
    """How fast does one task write to storage class memory without feeling it? [L3429] R-26, T-06."""
    return interpolated(message_kb, SCM_WRITE_MB, level_below=True, level_above=True)


@model("scm", "R-26", "L3429-L3439", "MB/s", derived=True)
def scm_read_mb_per_second_max(message_kb: Quantity) -> Any:
    """How fast does one task read from storage class memory in priority order? [L3429] R-26, T-06."""
    return interpolated(message_kb, SCM_READ_MB, level_below=True, level_above=True)


@model("scm", "R-26", "L3439", "yes or no", derived=True)
def scm_keeps_up(put_mb_per_second: Quantity, get_mb_per_second: Quantity, message_kb: Quantity) -> Any:
    """Do puts and gets stay below what storage class memory moves in the background? [L3439] R-26."""
    return (put_mb_per_second < scm_write_mb_per_second_max(message_kb)) & (
        get_mb_per_second < scm_read_mb_per_second_max(message_kb)
    )


@model("scm", "R-27", "L3486-L3487", "percent")
def scm_delayed_faults_pct(delayed_faults: Quantity, requests: Quantity) -> Any:
    """How many delayed faults does a request cause, in percent? Over 100: several each. [L3486] R-27."""
    return ratio(100.0 * delayed_faults, requests)


@model("scm", "R-28", "L3485", "bytes", derived=True)
def scm_backlog_growth_bytes(written_bytes: Quantity, read_bytes: Quantity) -> Any:
    """By how much did the data in storage class memory grow in an interval? [L3485] R-28."""
    return written_bytes - read_bytes


@model("scm", "T-09", "L3470-L3487", "bytes", derived=True)
def scm_bytes_per_transfer(transferred_bytes: Quantity, transfers: Quantity) -> Any:
    """How much does one transfer to or from storage class memory carry? [L3485] T-09."""
    return ratio(1.0 * transferred_bytes, transfers)
