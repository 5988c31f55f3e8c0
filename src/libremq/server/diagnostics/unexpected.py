"""An exception that nobody expected: where in the code it came from, and how it is told in one line."""

from __future__ import annotations

import traceback
from types import CodeType


def place_of(error: Exception) -> tuple[CodeType | None, int]:
    """The innermost piece of code it passed, and the line there."""
    found: tuple[CodeType | None, int] = (None, 0)
    for frame, line in traceback.walk_tb(error.__traceback__):
        found = frame.f_code, line
    return found


def described(error: Exception) -> str:
    """What, and where."""
    code, line = place_of(error)
    where = f" ({code.co_filename.rpartition('/')[2]}:{line})" if code is not None else ""
    return f"{type(error).__name__}: {error}{where}"
