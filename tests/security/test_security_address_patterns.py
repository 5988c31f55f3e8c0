"""Addresses of channel authentication rules: what is one, and what it stands for."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.security.address_patterns import AddressError, parse

GOOD = [
    ("192.0.2.0", "192.0.2.0", "192.0.2.1"),
    ("192.0.2.*", "192.0.2.200", "192.0.3.1"),
    ("192.0.*", "192.0.7.9", "192.1.7.9"),
    ("192.0.*.2", "192.0.9.2", "192.0.9.3"),
    ("192.*.2", "192.5.6.2", "192.5.6.3"),
    ("192.0.2.1-8", "192.0.2.8", "192.0.2.9"),
    ("192.0.*.1-8", "192.0.77.1", "192.0.77.0"),
    ("192.*.2.*", "192.1.2.3", "192.1.3.3"),
    ("*", "::1", ""),
    ("2001:DB8:0:0:0:0:0:0", "2001:db8::", "2001:db8::1"),
    ("2001:db8::", "2001:db8:0:0:0:0:0:0", "2001:db8::1"),
    ("2001:DB8:0:0:0:*", "2001:db8::5:1", "2001:db8:1::5"),
    ("2001:DB8:0:0:0:*:0:1", "2001:db8::9:0:1", "2001:db8::9:0:2"),
    ("2001:*:1", "2001:1:2:3:4:5:6:1", "2001:1:2:3:4:5:6:2"),
    ("2001:DB8:0:0:0:0:0:0-8", "2001:db8::8", "2001:db8::9"),
    ("2001:DB8::0-8", "2001:db8::8", "2001:db8::9"),
    ("fe80::1", "fe80::1%eth0", "fe80::2"),
    ("::ffff:10.0.0.1", "10.0.0.1", "10.0.0.2"),
    ("10.0.0.1", "::ffff:10.0.0.1", "::ffff:10.0.0.2"),
]
BAD = [
    "", "192.0.2", "192.0*", "192.0.*.*", "2001::*", "1.2.3.4.5", "256.1.1.1", "10.0.0.9-1", "1..2.3",
    "10.0.0.-5", "10.0.0.5-", "::g", "1:2", "a..b", "-host", "host-", "bad host", "1::2::3", "1:2:3:4:5:6:7:8:9",
    "12345.1.1.1", "x" * 300, "ho\nst",
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "inside", "outside"), GOOD)
def test_what_a_pattern_stands_for(pattern: str, inside: str, outside: str) -> None:
    assert parse(pattern).matches(inside)
    assert not outside or not parse(pattern).matches(outside)


@pytest.mark.parametrize("pattern", BAD)
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(AddressError):
        parse(pattern)


def test_a_range_the_wrong_way_round_is_told_apart() -> None:
    with pytest.raises(AddressError) as caught:
        parse("10.0.0.9-1")
    assert caught.value.is_range


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("10.0.0.1-5", "10.0.0.3-9", True),
        ("10.0.0.1-9", "10.0.0.3-5", False),
        ("10.0.0.1-3", "10.0.0.4-9", False),
        ("10.0.0.1-5", "10.0.1.3-9", False),
        ("10.0.0.1-5", "10.0.0.1-9", False),
        ("10.0.0.1-5", "*", False),
    ],
)
def test_ranges_that_overlap_in_part_conflict(one: str, other: str, expected: bool) -> None:
    assert parse(one).conflicts(parse(other)) == parse(other).conflicts(parse(one)) == expected


@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_every_address_is_inside_the_patterns_made_from_it(number: int, stars: int) -> None:
    address = str(ipaddress.IPv4Address(number))
    parts = address.split(".")
    pattern = ".".join(parts[: 4 - stars] + (["*"] if stars else []))
    assert parse(pattern).matches(address)
    assert parse("*").covers(parse(pattern))
    assert parse(pattern).specificity > parse("*").specificity


@given(st.text(max_size=30))
def test_any_text_is_a_pattern_or_an_address_error(text: str) -> None:
    try:
        parse(text).matches("10.0.0.1", ("host",))
    except AddressError as error:
        assert str(error)
