"""Generic profiles: which object names a profile means, and which of several is the most specific.

A name is a row of qualifiers with periods between them. `?` stands for one character of a qualifier, `*` for any number
of them, `**` for any number of whole qualifiers, none included: A.** means A, A.B and A.B.C. Of two profiles for one
name the first place from the left where they differ decides: a plain character is more specific than the end of the
profile, that than `?`, that than `*`, and that than `**`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

PROFILE_LENGTH = C.MQ_AUTH_PROFILE_NAME_LENGTH
_PROFILE = re.compile(r"[A-Za-z0-9._/%?*]+\Z")
_TOKEN = re.compile(r"\*\*|.", re.DOTALL)
_RANKS = {"?": 2, "*": 3, "**": 4}
_PLAIN, _END = 0, 1
_REST = "**"


def is_generic(profile: str) -> bool:
    return "*" in profile or "?" in profile


def check_profile(profile: str) -> str:
    """The profile itself, or the error for one that no object name can match."""
    if _PROFILE.match(profile) is None or len(profile) > PROFILE_LENGTH:
        what = f"use 1 to {PROFILE_LENGTH} of the characters A-Z a-z 0-9 . / _ %, and ? * ** for what may vary"
    elif profile.count(_REST) > 1:
        what = "** may be there only once"
    elif "***" in profile:
        what = "three asterisks mean nothing"
    elif any(_REST in qualifier.strip("*") for qualifier in profile.split(".")):
        what = "** stands for whole qualifiers: put it between periods"
    else:
        return profile
    raise mq_error(C.MQRCCF_PROFILE_NAME_ERROR, profile[:64], f"{profile[:64]!r} is not a profile: {what}")


@lru_cache(maxsize=4096)
def _qualifiers(profile: str) -> tuple[str, ...]:
    """The qualifiers of a profile. `AB**` is AB* and then any, `**AB` is any and then *AB."""
    made: list[str] = []
    for qualifier in profile.split("."):
        if qualifier == _REST or _REST not in qualifier:
            made.append(qualifier)
        elif qualifier.endswith(_REST):
            made += [qualifier[:-1], _REST]
        else:
            made += [_REST, qualifier[1:]]
    return tuple(made)


def matches(profile: str, name: str) -> bool:
    """Does the profile mean this object name?"""
    if profile == name:
        return True
    if not is_generic(profile):
        return False
    pattern = _qualifiers(profile)
    parts = name.split(".")
    if _REST not in pattern:
        return len(pattern) == len(parts) and all(map(_qualifier_matches, pattern, parts))
    at = pattern.index(_REST)
    before, after = pattern[:at], pattern[at + 1 :]
    if len(parts) < len(before) + len(after):
        return False
    return all(map(_qualifier_matches, before, parts)) and all(
        map(_qualifier_matches, reversed(after), reversed(parts))
    )


def _qualifier_matches(pattern: str, part: str) -> bool:
    """`?` and `*` within one qualifier. Never goes back behind the last asterisk, so it takes no longer than n * m."""
    at = where = 0
    star, resume = -1, 0
    while where < len(part):
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, where
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", part[where]):
            at += 1
            where += 1
        elif star >= 0:
            resume += 1
            at, where = star + 1, resume
        else:
            return False
    return pattern[at:].strip("*") == ""


@lru_cache(maxsize=4096)
def specificity(profile: str) -> tuple[object, ...]:
    """A key to sort profiles by, the most specific first."""
    ranks = [_RANKS.get(token, _PLAIN) for token in _TOKEN.findall(profile)]
    # Only when a wildcard stands before the difference can two plain characters differ and both match
    return (*ranks, _END), -ranks.count(_PLAIN), profile


def most_specific(profiles: Iterable[str], name: str) -> str | None:
    """Of the profiles that mean the name, the one that counts."""
    return min((profile for profile in profiles if matches(profile, name)), key=specificity, default=None)
