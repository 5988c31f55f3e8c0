"""How busy the site is at a moment: a day, a week, slow growth and a little noise."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import datetime
from typing import Final

LOAD_MAX: Final = 1.2
"""What the site is built for; the growth of a long run stops here, so that a healthy site stays healthy."""

_NIGHT: Final = 0.15
_WEEKDAYS: Final = (1.0, 0.96, 0.94, 0.97, 0.99, 0.45, 0.35)
_PEAKS: Final = ((10.5, 2.0, 0.85), (14.5, 1.8, 0.75), (21.0, 1.5, 0.30))
"""Hour, width in hours and height: the morning, the afternoon, and the evening's batch."""


@dataclass(frozen=True, slots=True)
class Load:
    """The load profile of one queue manager; 1.0 is the busiest quarter hour of its first week, or nearly so."""

    started: datetime
    growth_per_week: float = 0.01
    noise: float = 0.03

    def at(self, local: datetime, chance: random.Random) -> float:
        hour = local.hour + local.minute / 60
        day = _NIGHT + sum(height * math.exp(-(((hour - peak) / width) ** 2)) for peak, width, height in _PEAKS)
        weeks = (local - self.started).total_seconds() / 604_800
        grown: float = (1 + self.growth_per_week) ** weeks
        jitter = 1 + self.noise * (2 * chance.random() - 1)
        return max(0.02, min(LOAD_MAX, day * _WEEKDAYS[local.weekday()] * grown * jitter))
