"""One description for a call of the blocking API and for its twin here: it is written there, and read in both places.

A docstring of `libremq.client` says what a call does and what its arguments mean. Its paragraphs about threads and
Ctrl-C are for the blocking API only. The docstring of the twin says what takes their place: tasks, cancellation, what
is awaited.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")
_WORDS = (("a `with`", "an `async with`"), ("`with ", "`async with "), ("`qm.", "`await qm."))
_BLOCKING_ONLY = ("thread", "Ctrl-C")


def described_by(twin: object) -> Callable[[_T], _T]:
    """A decorator: the function has the description of its twin, and so has every public call of a class."""

    def describe(described: _T) -> _T:
        if not isinstance(described, type):
            _describe(described, twin)
            return described
        for name, call in vars(described).items():
            if not name.startswith("_") and hasattr(twin, name):
                _describe(call, inspect.getattr_static(twin, name))
        return described

    return describe


def _describe(call: object, twin: object) -> None:
    call.__doc__ = joined(call.__doc__ or "", twin.__doc__ or "")


def joined(own: str, blocking: str) -> str:
    """What both have in common, and what is said here only: before the arguments, or at the head if that is open."""
    paragraphs = inspect.cleandoc(blocking).split("\n\n")
    shared = [_in_tasks(text) for text in paragraphs if not any(word in text for word in _BLOCKING_ONLY)]
    behind = next((index for index, text in enumerate(shared) if text.startswith("- ")), len(shared))
    place = behind if shared[:1] == [_in_tasks(paragraphs[0])] else 0
    return "\n\n".join([*shared[:place], *filter(None, [inspect.cleandoc(own)]), *shared[place:]])


def _in_tasks(text: str) -> str:
    for blocking, awaited in _WORDS:
        text = text.replace(blocking, awaited)
    return text
