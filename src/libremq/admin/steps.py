"""Commands that take long, in steps: whoever runs one gives way to applications after each.

A command is a generator then. It runs under the kernel's lock up to its next `yield`, where it can stop and be gone on
with later; what it returns is its outcome. Between two steps anything may happen to the objects that it is about: what
it has not looked at yet it looks for again. How many things a step is about is a count, not a time: the kernel has no
clock of its own, and a test sees the same steps every time.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

_T = TypeVar("_T")

Steps = Generator[None, None, _T]

LOOKED_AT = 100
"""So many objects a step looks at, shown or not: a millisecond or two."""
MADE = 20
"""So many messages or texts a step makes of what was found."""


def run_through(steps: Steps[_T]) -> _T:
    """All steps in a row, for those who cannot give way."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _T = end.value
            return result
