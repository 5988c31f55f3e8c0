"""The LIKE pattern of a selector as a matcher that never backtracks over the text.

A pattern is cut at its % into pieces; each piece is found as early as possible after the one before it. That is
always right, because % matches anything, and it never tries a place twice for the same piece, which a regular
expression with many `.*` would.

A piece with _ is compared at every place of the text, character for character: a long one with a long text would take
minutes. Then all places are compared at once, one bit for each.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

_COMPARED_MAX = 1 << 20  # characters of text times those of a piece: up to here a regular expression is quicker


class LikePatternError(ValueError):
    """The pattern or its escape character is not valid."""


def compile_like(pattern: str, escape: str | None) -> Callable[[str], bool]:
    """A function that tells whether a text matches: _ is one character, % any number, the rest itself."""
    pieces = _split(pattern, escape)
    expressions = [_expression(piece) for piece in pieces]
    first, last = expressions[0], expressions[-1]
    if len(pieces) == 1:
        return lambda text: first.fullmatch(text) is not None
    middle = [_finder(piece, expression) for piece, expression in zip(pieces, expressions, strict=True) if piece]
    middle = middle[bool(pieces[0]) : len(middle) - bool(pieces[-1])]
    last_length = len(pieces[-1])

    def matches(text: str) -> bool:
        found = first.match(text)
        if found is None:
            return False
        position = found.end()
        for find in middle:
            position = find(text, position)
            if position < 0:
                return False
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


def _finder(piece: list[str | None], expression: re.Pattern[str]) -> Callable[[str, int], int]:
    """Where the piece ends that is found first in a text from a position on; -1 if it is not there."""
    may_compare = _COMPARED_MAX // len(piece) if None in piece else sys.maxsize

    def find(text: str, position: int) -> int:
        if len(text) - position > may_compare:
            return _find_at_once(piece, text, position)
        found = expression.search(text, position)
        return -1 if found is None else found.end()

    return find


def _find_at_once(piece: list[str | None], text: str, position: int) -> int:
    """The same for a long text: bit n of a number stands for the place n."""
    places = len(text) - position - len(piece) + 1
    if places <= 0:
        return -1
    text = text[position:]
    left = (1 << places) - 1
    known: dict[str, int] = {}
    for offset, atom in enumerate(piece):
        if atom is not None:
            if atom not in known:
                # Which characters of the text it is, the first being the lowest bit
                known[atom] = int("0" + "1".join("0" * len(between) for between in text[::-1].split(atom)), 2)
            left &= known[atom] >> offset
            if not left:
                return -1
    return position + (left & -left).bit_length() - 1 + len(piece)


def _expression(piece: list[str | None]) -> re.Pattern[str]:
    return re.compile("".join("." if atom is None else re.escape(atom) for atom in piece), re.DOTALL)
