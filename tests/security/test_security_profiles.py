"""Generic profiles: what they match and which is the most specific, against a table and a naive reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.security.profiles import check_profile, is_generic, matches, most_specific

MATCHES = [
    # profile, names it means, names it does not
    ("AB.CD", ["AB.CD"], ["AB.CDE", "AB", "ab.cd"]),
    ("AB.?D", ["AB.CD", "AB.ED"], ["AB.D", "AB.CCD", "AB..D"]),
    ("AB.*", ["AB.CD", "AB.C", "AB."], ["AB", "AB.C.D"]),
    ("ABC*", ["ABC", "ABCDEF"], ["ABCDEF.XYZ", "AB"]),
    ("*.CD", ["AB.CD", "X.CD"], ["CD", "A.B.CD"]),
    ("A.*.C", ["A.B.C", "A..C"], ["A.C", "A.B.B.C"]),
    ("A.*B*.C", ["A.B.C", "A.XBX.C"], ["A.X.C"]),
    ("**", ["A", "A.B", "A.B.C", "SYSTEM.DEFAULT.LOCAL.QUEUE"], []),
    ("A.**", ["A", "A.B", "A.B.C"], ["AB", "B.A"]),
    ("**.ABC", ["ABC", "X.ABC", "X.Y.ABC"], ["XABC", "ABC.X"]),
    ("A.**.Z", ["A.Z", "A.B.Z", "A.B.C.Z"], ["A", "Z", "A.B.ZZ", "A.B"]),
    ("DEV**", ["DEV", "DEVX", "DEV.QUEUE.1", "DEVX.Y"], ["DE", "X.DEV"]),
    ("**DEV", ["DEV", "XDEV", "X.DEV", "A.B.XDEV"], ["DEVX", "DEV.X"]),
    ("A.B?.**", ["A.BC", "A.BC.D.E"], ["A.B", "A"]),
]


@pytest.mark.parametrize(("profile", "yes", "no"), MATCHES)
def test_profile_means_names(profile: str, yes: list[str], no: list[str]) -> None:
    assert [name for name in yes + no if matches(profile, name)] == yes


PRECEDENCE = [
    # name, profiles in the order of their importance for it
    ("AB.CD", ["AB.CD", "AB.C?", "AB.C*", "AB.?D", "AB.*D", "AB.*", "AB.**", "A*.CD", "*.CD", "**.CD", "**"]),
    ("AB.CD", ["AB.C*", "AB.*"]),
    ("A.B.C", ["A.B.*", "A.B.**", "A.?.C", "A.*.C", "A.**.C", "A.**", "?.B.C", "*.B.C", "**.C"]),
    ("DEV.QUEUE.1", ["DEV.QUEUE.?", "DEV.QUEUE.*", "DEV.Q*.1", "DEV.**", "D*.QUEUE.1", "**"]),
    ("XAB", ["X*B", "X*", "?AB", "?A*", "??B", "*AB", "*B", "*"]),
]


@pytest.mark.parametrize(("name", "order"), PRECEDENCE)
def test_most_specific_profile_counts(name: str, order: list[str]) -> None:
    left = list(order)
    while left:
        assert most_specific(reversed(left), name) == left[0]
        left.pop(0)
    assert most_specific([], name) is None


@pytest.mark.parametrize("profile", ["", "A B", "A**B", "***", "A.**.B.**", "X" * 49, "@class", "A.**B**", "Ä"])
def test_no_profile(profile: str) -> None:
    with pytest.raises(MQError) as caught:
        check_profile(profile)
    assert caught.value.reason == C.MQRCCF_PROFILE_NAME_ERROR


@pytest.mark.parametrize("profile", ["A", "A.*", "**", "A.**", "**.A", "A.**.B", "DEV**", "**DEV", "?*?", "*A**", "%"])
def test_profile_is_accepted(profile: str) -> None:
    assert check_profile(profile) == profile


# A naive reference: a profile as the set of all names it means, over an alphabet small enough to list them


def naive(profile: str, name: str) -> bool:
    """The same by trying everything, one character after the other."""
    if not profile:
        return not name
    if profile.startswith("**"):
        rest = profile[2:]
        # whole qualifiers: nothing with the period that follows, or any number of characters up to a period or the end
        if rest.startswith(".") and naive(rest[1:], name):
            return True
        return any(naive(rest, name[at:]) for at in range(len(name) + 1) if not rest or name[at : at + 1] == ".")
    if profile == ".**" and not name:
        return True
    if profile.startswith(".**.") and naive(profile[3:], name):
        return True
    if profile[0] == "*":
        longest = name.find(".") if "." in name else len(name)
        return any(naive(profile[1:], name[at:]) for at in range(longest + 1))
    if not name:
        return False
    if profile[0] == "?":
        return name[0] != "." and naive(profile[1:], name[1:])
    return profile[0] == name[0] and naive(profile[1:], name[1:])


QUALIFIER = st.text("AB", min_size=1, max_size=3)
NAMES = st.lists(QUALIFIER, min_size=1, max_size=4).map(".".join)
GENERIC = st.text("AB?*", min_size=1, max_size=4).filter(lambda text: "**" not in text)


@st.composite
def profiles(draw: st.DrawFn) -> str:
    parts = draw(st.lists(GENERIC, min_size=1, max_size=4))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), "**")
    return ".".join(parts)


@given(profiles(), NAMES)
def test_matches_like_the_naive_reference(profile: str, name: str) -> None:
    assert check_profile(profile) == profile
    assert matches(profile, name) == naive(profile, name)


def more_specific(one: str, other: str) -> bool:
    """The rule of the documentation, place by place."""
    ranks = {"?": 1, "*": 2}
    while one and other:
        left = 3 if one.startswith("**") else ranks.get(one[0], 0)
        right = 3 if other.startswith("**") else ranks.get(other[0], 0)
        if left != right:
            return left < right
        one, other = one[2 if left == 3 else 1 :], other[2 if right == 3 else 1 :]
    # The shorter one ends: that is less than a plain character, more than a wildcard
    longer = one or other
    return (longer[:1] in ("?", "*")) == (not one)


@given(st.lists(profiles(), max_size=6, unique=True), NAMES)
def test_the_winner_beats_all_others(given_profiles: list[str], name: str) -> None:
    matching = [profile for profile in given_profiles if matches(profile, name)]
    winner = most_specific(given_profiles, name)
    if not matching:
        assert winner is None
        return
    assert winner in matching
    if name in matching:
        assert winner == name
    for profile in matching:
        if [mark for mark in profile if mark in "?*"] and profile != winner:
            assert winner is not None and not (more_specific(profile, winner) and not more_specific(winner, profile))
    assert winner == most_specific(reversed(given_profiles), name)


def test_many_asterisks_take_no_time() -> None:
    assert not matches("*A" * 23 + "B", "A" * 48)
    assert is_generic("A?") and is_generic("*") and not is_generic("A.B")
