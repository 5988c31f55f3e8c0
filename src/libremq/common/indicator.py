"""A figure that status shows twice: of late, and over a longer time."""

from __future__ import annotations

from dataclasses import dataclass

SHOWN_MAX = 999_999_999
"""Status shows no figure that is larger, and a command message holds none: a clock that jumps may make one."""
_SHORT, _LONG = 0.5, 0.02  # weights of the newest sample in the two figures


@dataclass(slots=True)
class Indicator:
    """A figure that is shown twice: of late, and over a longer time."""

    short: float = 0.0
    long: float = 0.0
    samples: int = 0

    def add(self, value: float) -> None:
        if not self.samples:
            self.short = self.long = value
        else:
            self.short += _SHORT * (value - self.short)
            self.long += max(_LONG, 1 / (self.samples + 1)) * (value - self.long)
        self.samples += 1

    @property
    def shown(self) -> tuple[int, int]:
        return min(round(self.short), SHOWN_MAX), min(round(self.long), SHOWN_MAX)
