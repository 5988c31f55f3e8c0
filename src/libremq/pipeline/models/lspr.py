"""From one machine to another: CPU costs scale with the ratios of the Large Systems Performance Reference.

Costs carry over, throughput does not: pools, log, network and business logic decide that [L8725-L8731].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, ratio
from libremq.pipeline.models.registry import model


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor with its ratios for a low, average and high relative nest intensity [L8705-L8782]."""

    name: str
    processors: int
    average: float
    low: float | None = None
    high: float | None = None
    pci: int | None = None
    msu: int | None = None


MACHINES = {
    machine.name: machine
    for machine in (
        Machine("3906-705", 5, 14.44),
        Machine("3906-708", 8, 21.91, 24.21, 19.18, 12283, 1487),
        Machine("8561-708", 8, 24.97, 27.0, 22.19, 13980, 1687),
    )
}


@model("hardware", "R-HW-1", "L8705-L8718", "ratio per processor")
def itr_per_processor(itr: Quantity, processors: Quantity) -> Any:
    """How fast is one processor of a machine, by its average ratio? [L8712] R-HW-1."""
    return ratio(1.0 * itr, processors)


@model("hardware", "R-HW-1", "L8705-L8718, L8781-L8802", "us")
def cost_us_on_target(
    measured_us: Quantity,
    measured_itr: Quantity,
    measured_processors: Quantity,
    target_itr: Quantity,
    target_processors: Quantity,
) -> Any:
    """What does work cost on another machine, given its cost on this one? [L8716] R-HW-1."""
    return ratio(1.0 * measured_us * measured_itr * target_processors, measured_processors * target_itr)


@model("hardware", "R-HW-2", "L8719-L8721", "percent")
def cpu_busy_pct(cost_ms_per_second: Quantity, processors: Quantity) -> Any:
    """How busy does a cost per second keep a machine? [L8719] R-HW-2."""
    return ratio(1.0 * cost_ms_per_second, processors * 10.0)
