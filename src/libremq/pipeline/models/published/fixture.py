"""A figure of the source that a model must give back; for the tests and for the page that sets ours beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from libremq.pipeline.models.loaded_models import known_models


@dataclass(frozen=True, slots=True)
class Fixture:
    """One figure. What it allows is the larger of a share of the figure and an absolute difference."""

    model: str
    inputs: Mapping[str, Any]
    source: Any
    """The figure: a number, a word, True or False, or None where the source says that there is none."""
    lines: str
    """Lines of the source, such as L713-L718."""
    tolerance: float = 0.0
    """Share of the figure, such as 0.01; 0 allows for the rounding of floats only."""
    within: float = 0.0
    """Absolute, in the figure's unit."""
    relation: Literal["equal", "at most", "at least"] = "equal"
    derived: bool = False
    """The figure was computed from the source's, not printed by it."""
    note: str = field(default="", compare=False)

    @property
    def ours(self) -> Any:
        return known_models()[self.model].function(**self.inputs)

    @property
    def difference(self) -> float | None:
        """Ours less the source's, as a share of the source's; None where the figure is no number."""
        if self._is_no_number:
            return None
        return float((self.ours - self.source) / self.source if self.source else self.ours)

    @property
    def allowed(self) -> float:
        """How far an answer may be from the figure."""
        size = abs(float(self.source))
        return max(size * self.tolerance, self.within, max(1.0, size) * 1e-9)

    def agrees(self, answer: Any) -> bool:
        """Is this answer the published one, within the tolerance?"""
        if self._is_no_number:
            return bool(answer == self.source)
        if answer is None:
            return False
        if self.relation == "at most":
            return bool(answer <= self.source + self.allowed)
        if self.relation == "at least":
            return bool(answer >= self.source - self.allowed)
        return bool(abs(answer - self.source) <= self.allowed)

    @property
    def _is_no_number(self) -> bool:
        return self.source is None or isinstance(self.source, bool | str)
