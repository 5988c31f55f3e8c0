"""MQSC text without the passwords and keys in it: for events, reports, errors, and whoever else repeats a command.

What is refused is repeated as well, so nothing here relies on a command that can be read: a keyword may be misspelt, a
quote or a parenthesis forgotten. Where it is not clear how far a secret goes, the rest of the command is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MASK = "'********'"
# Misspelt ones too. SSLCRYP has the password of a token among its parts. The first are words for other things
_KEYWORDS = r"(?!IDPW|PASS(?:ALL|ID)\b)(?=\w*?(?:PAS|PS+W|PW|WPD)|INITK|SSLCR?[YP]|SSLCYR)\w++"
# A value may be quoted in part, and a parenthesis between quotes does not end it
_VALUES = re.compile(rf"(\b{_KEYWORDS}\s*\(\s*)((?:'[^']*'?|\"[^\"]*\"?|[^)'\"])*)", re.IGNORECASE)
_KEYWORD = re.compile(rf"\b({_KEYWORDS})\b", re.IGNORECASE)
_DISPLAY = re.compile(r"\s*DIS\w*\s", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_TOKENS = re.compile(r"'[^']*'?|\w+|[()]")


def mask_passwords(mqsc: str) -> str:
    """The text with asterisks where passwords and keys are; a blank one stays."""
    masked = _without_values(mqsc)
    found = _astray(masked)
    return masked if found is None else f"{masked[: found[1]]} {MASK}"


def _without_values(mqsc: str) -> str:
    return _VALUES.sub(lambda found: found[1] + (MASK if found[2].strip("'\" ") else found[2]), mqsc)


def has_secrets(mqsc: str) -> bool:
    """May there be any, also in part of a command?"""
    return _KEYWORD.search(mqsc) is not None


def secret_astray(mqsc: str, problem: str = "") -> str:
    """The keyword whose secret is not, or not all, in parentheses after it; nothing if there is none.

    `problem` is what would be said of the command: a secret from which it repeats a word is astray as well.
    """
    found = _astray(_without_values(mqsc))  # a secret may look like a keyword, too
    if found is not None:
        return found[0]
    hidden = _words(mqsc) - _words(mask_passwords(mqsc))
    keyword = _KEYWORD.search(mqsc)
    return keyword[0].upper() if keyword is not None and hidden & _words(problem) else ""


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.upper()))


def _astray(text: str) -> tuple[str, int] | None:
    """A keyword of a secret without parentheses, or with something right behind them; and where to begin to hide."""
    if _DISPLAY.match(text):
        return None  # it names what it wants to see
    for keyword in _keywords(text):
        at = keyword.end()
        after = text[at:].strip(" \t\r\n;")
        if after.startswith("("):
            at = _end_of_value(text, at)
            if text[at : at + 1] not in ("", " ", "\t", "\r", "\n", ",", ";"):
                return keyword[0].upper(), at
        elif after.strip(")"):
            return keyword[0].upper(), at
    return None


def _keywords(text: str) -> Iterator[re.Match[str]]:
    """Keywords of secrets: those outside of values, unless it cannot be told what is inside one."""
    if text.count("(") != text.count(")") or text.count("'") % 2:
        yield from _KEYWORD.finditer(text)
        return
    depth = 0
    for token in _TOKENS.finditer(text):
        if token[0] in "()":
            depth += 1 if token[0] == "(" else -1
        elif depth == 0 and _KEYWORD.fullmatch(token[0]):
            yield token


def _end_of_value(text: str, at: int) -> int:
    """Behind the parenthesis that closes the one at `at`; parentheses between quotes do not count."""
    depth = 0
    for token in _TOKENS.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] == ")" and depth == 0:
            return token.end()
    return len(text)
