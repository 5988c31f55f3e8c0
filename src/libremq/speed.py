"""Loops over runs of messages that the distribution libremq-speed has compiled: the one place that knows of it.

A function marked as `compiled` is the reference, and what runs where that distribution is not installed, is made for
another version of these functions, or is switched off with LIBREMQ_SPEED=no. Both give the same bytes: what the tests
compare is in `REFERENCE`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

CONTRACT = 1
"""Goes up when a function means something else than before: formats are among what it means."""

REFERENCE: dict[str, Callable[..., Any]] = {}
"""By name, the functions as they are here."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _found() -> ModuleType | None:
    if os.environ.get("LIBREMQ_SPEED", "") == "no":
        return None
    try:
        module = import_module("libremq_speed")
    except ImportError:
        return None
    return module if getattr(module, "CONTRACT", 0) == CONTRACT else None


_module = _found()


def compiled(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """The compiled function of this name, if there is one; else this one. Arguments are given by position."""
    REFERENCE[function.__name__] = function
    found: Callable[_P, _T] = getattr(_module, function.__name__, function)
    return found


def is_in_use() -> bool:
    return _module is not None
