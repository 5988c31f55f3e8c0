"""A bug that was made, or could be: a text of a module, what stands there instead, and the tests that must notice.

Bugs like this are the measure of the tests: whatever is done to make those shorter, none of these may get through. The
text is one that its module has once (`tests/test_soak_planted.py`): when it changes, so does the row. Tests are those
of the room of the module, the first place where its author would look; several files if it needs several.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """One row."""

    name: str
    module: str  # in src/libremq
    old: str
    new: str
    tests: tuple[str, ...]  # files in tests

    def __init__(self, name: str, module: str, old: str, new: str, *tests: str) -> None:
        for field, value in (("name", name), ("module", module), ("old", old), ("new", new), ("tests", tests)):
            object.__setattr__(self, field, value)
