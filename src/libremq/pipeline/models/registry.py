"""Every model by name: what it answers, where it comes from, and whether the source states it or it was derived.

The planner prints from here, the page that compares us with the source is made from here, and a test sees to it that
no model lacks its line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Model:
    """One formula."""

    name: str
    function: Callable[..., Any]
    subject: str
    fact: str
    """The id in the fact files, such as R-LOG-01."""
    lines: str
    """Lines of the source, such as L713-L718."""
    unit: str
    derived: bool = False
    """Computed from the source's figures, not stated by it."""

    @property
    def question(self) -> str:
        return (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.function).parameters)


MODELS: dict[str, Model] = {}


def model(subject: str, fact: str, lines: str, unit: str, *, derived: bool = False) -> Callable[[_F], _F]:
    """Note a function as the model of its name."""

    def note(function: _F) -> _F:
        name = function.__name__
        assert name not in MODELS, name
        MODELS[name] = Model(name, function, subject, fact, lines, unit, derived)
        return function

    return note
