"""Attributes that are kept and have no effect yet: Python says so with a warning, as MQSC does with AMQ8490W.

`warnings.simplefilter("ignore", NoEffectYet)` silences it, `"error"` makes an exception of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class NoEffectYet(UserWarning):
    """A command was done, and an attribute that it sets is kept, but nobody acts on it yet."""


def tell(said: Iterable[str]) -> None:
    """What a command said besides, to whoever called the method that gave it."""
    for text in said:
        warnings.warn(text, NoEffectYet, stacklevel=3)
