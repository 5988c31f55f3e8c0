"""The LIKE pattern of a selector as a matcher that never backtracks over the text.

A pattern is cut at its % into pieces; each piece is found as early as possible after the one before it. That is
always right, because % matches anything, and it never tries a place twice for the same piece, which a regular
expression with many `.*` would.
"""

from __future__ import annotations

import re
from collections.abc import Callable


class LikePatternError(ValueError):
    """The pattern or its escape character is not valid."""


def compile_like(pattern: str, escape: str | None) -> Callable[[str], bool]:
    """A function that tells whether a text matches: _ is one character, % any number, the rest itself."""
    pieces = _split(pattern, escape)
    expressions = [_expression(piece) for piece in pieces]
    first, last = expressions[0], expressions[-1]
    if len(pieces) == 1:
        return lambda text: first.fullmatch(text) is not None
    middle = [expression for expression in expressions[1:-1] if expression.pattern]
    last_length = len(pieces[-1])

    def matches(text: str) -> bool:
        found = first.match(text)
        if found is None:
            return False
        position = found.end()
        for expression in middle:
            found = expression.search(text, position)
            if found is None:
                return False
            position = found.end()
        start = len(text) - last_length
        return start >= position and last.fullmatch(text, start) is not None

    return matches


def _split(pattern: str, escape: str | None) -> list[list[str | None]]:
    """The pieces between the %; in a piece None stands for _."""
    if escape is not None and len(escape) != 1:
        raise LikePatternError("ESCAPE takes one character")
    pieces: list[list[str | None]] = [[]]
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            escaped = next(characters, None)
            if escaped is None:
                raise LikePatternError("the pattern ends with its escape character")
            pieces[-1].append(escaped)
        elif character == "%":
            pieces.append([])
        else:
            pieces[-1].append(None if character == "_" else character)
    return pieces


def _expression(piece: list[str | None]) -> re.Pattern[str]:
    return re.compile("".join("." if atom is None else re.escape(atom) for atom in piece), re.DOTALL)
