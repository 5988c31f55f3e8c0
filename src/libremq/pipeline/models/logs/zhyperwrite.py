"""zHyperWrite: the host writes both sides of a mirrored log. What a log under PPRC gains, and what it costs."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, Word, chosen, interpolated, looked_up, scaled
from libremq.pipeline.models.registry import model

MSTR_FACTORS = {"dual": 1.14, "single": 1.08, "worst": 1.25}
"""More CPU in the queue manager's address space [L5731-L5733]; the worst was seen at 16 KB."""
CPU_US_PER_MB = {"not mirrored": 690.0, "PPRC": 684.0, "zHyperWrite": 722.0}
SRB_US_PER_MB = {"not mirrored": 383.0, "PPRC": 376.0, "zHyperWrite": 411.0}
"""4 MB messages, 3931-7x1 with three processors, DS8950F, dual log and archive, under 1 km [L5739-L5747]."""
UNARCHIVED_FACTORS_MAX = {"PPRC": 1.25, "zHyperWrite": 1.45}
MORE_MB_PER_SECOND = ((128.0, 60.0), (4096.0, 24.0))


@model("zhyperwrite", "R-140", "L5550-L5555, L5813-L5818", "us")
def zhyperwrite_commit_us_min(pprc_commit_us: Quantity, saving: Quantity = 0.60) -> Any:
    """How long does a commit (or log I/O) take at best, given it under PPRC? [L5553] R-140."""
    return pprc_commit_us * (1 - saving)


@model("zhyperwrite", "R-140", "L5550-L5555, L5813-L5818", "us")
def zhyperwrite_put_us_min(pprc_put_us: Quantity, saving: Quantity = 0.33) -> Any:
    """How long does a put take at best, given it under PPRC? [L5554] R-140."""
    return pprc_put_us * (1 - saving)


@model("zhyperwrite", "R-140", "L5550-L5555, L5813-L5818", "MB/s")
def zhyperwrite_log_mb_per_second_max(pprc_mb_per_second: Quantity, factor: Quantity = 2.4) -> Any:
    """Which log rate is reached at best, given it under PPRC? [L5555] R-140."""
    return pprc_mb_per_second * factor


@model("zhyperwrite", "R-140", "L5731-L5733", "us")
def zhyperwrite_mstr_us(pprc_mstr_us: Quantity, logging: Word = "dual") -> Any:
    """What does the queue manager's address space cost with "dual" or "single" logs, or at "worst"? [L5733] R-140."""
    return scaled(pprc_mstr_us, looked_up(logging, MSTR_FACTORS))


@model("zhyperwrite", "R-141", "L5663-L5665", "us")
def zhyperwrite_io_us_max(pprc_io_us: Quantity, write_kb: Quantity) -> Any:
    """How long does a log write take at most, given it under PPRC? [L5663] R-141."""
    return pprc_io_us * chosen(write_kb <= 96, 0.60, 0.90)


@model("zhyperwrite", "R-142", "L5642-L5644, L5707", "MB/s")
def halved_paths_mb_per_second_min(mb_per_second: Quantity, loss: Quantity = 0.30) -> Any:
    """Which log rate is left at worst when half of the channel paths go, with large messages? [L5707] R-142."""
    return mb_per_second * (1 - loss)


@model("zhyperwrite", "R-142b", "L5820", "MB/s")
def unarchived_log_mb_per_second_max(mb_per_second: Quantity, mirroring: Word) -> Any:
    """Which log rate of 4 MB messages is reached without archiving, under "PPRC" or "zHyperWrite"? [L5820] R-142b."""
    return scaled(mb_per_second, looked_up(mirroring, UNARCHIVED_FACTORS_MAX))


@model("zhyperwrite", "R-142c", "L5711-L5713, L5739-L5747", "MB/s", derived=True)
def zhyperwrite_log_mb_per_second(pprc_mb_per_second: Quantity, message_kb: Quantity) -> Any:
    """Which rate per log does zHyperWrite make of one under PPRC? [L5711] R-142c, T-28.

    Twice up to 64 KB; 60 MB/s more at 128 KB, falling to the 24 measured at 4 MB.
    """
    more = pprc_mb_per_second + interpolated(message_kb, MORE_MB_PER_SECOND, level_below=True, level_above=True)
    return chosen(message_kb <= 64, 2.0 * pprc_mb_per_second, more)


@model("zhyperwrite", "T-28", "L5739-L5747", "us per MB")
def mirrored_log_cpu_us_per_mb(mirroring: Word) -> Any:
    """What CPU does the queue manager take for an MB logged: "not mirrored", "PPRC", "zHyperWrite"? [L5739] T-28."""
    return looked_up(mirroring, CPU_US_PER_MB)


@model("zhyperwrite", "T-28", "L5739-L5747", "us per MB")
def mirrored_log_srb_us_per_mb(mirroring: Word) -> Any:
    """Which part of that is SRB time? [L5739] T-28."""
    return looked_up(mirroring, SRB_US_PER_MB)
