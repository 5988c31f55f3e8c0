"""Addresses in channel authentication rules: one address, a pattern with asterisks and ranges, or a host name.

`10.1.2.3`, `10.1.*`, `10.*.3`, `10.1.2.3-9`, the same with the parts of IPv6, `host.example.com`, `*.example.com`, `*`.
An address that is IPv4 inside IPv6 counts as IPv4. What a pattern stands for is a range for each part of an address, so
matching, and which of two patterns is the more specific one, are comparisons of numbers.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache

_IPV4_CHARACTERS = re.compile(r"[0-9.*-]+\Z")
_IPV6_CHARACTERS = re.compile(r"[0-9A-Fa-f:.*-]+\Z")
_HOST = re.compile(r"[A-Za-z0-9*_](?:[A-Za-z0-9*_.-]*[A-Za-z0-9*_])?\Z")
_PARTS = {4: 4, 6: 8}
_PART_MAX = {4: 255, 6: 0xFFFF}
_SEPARATOR = {4: ".", 6: ":"}
TEXT_MAX = 264

Specificity = tuple[int, ...]


class AddressError(ValueError):
    """A pattern that cannot be used; the text says why. `is_range`: it is the range in it that is wrong."""

    def __init__(self, text: str, *, is_range: bool = False) -> None:
        super().__init__(text)
        self.is_range = is_range


@dataclass(frozen=True, slots=True)
class AddressPattern:
    """What one pattern stands for. `family` is 4 or 6, or 0 for a host name and for the asterisk alone."""

    text: str
    family: int = 0
    parts: tuple[tuple[int, int], ...] = ()
    is_host: bool = False

    @property
    def is_generic(self) -> bool:
        return "*" in self.text or (not self.is_host and "-" in self.text)

    def matches(self, address: str, host_names: tuple[str, ...] = ()) -> bool:
        if self.is_host:
            return any(name_matches(self.text, name.lower()) for name in host_names)
        if not self.family:
            return True
        family, numbers = address_parts(address)
        return family == self.family and all(
            low <= number <= high for (low, high), number in zip(self.parts, numbers, strict=True)
        )

    @property
    def specificity(self) -> Specificity:
        """The higher, the fewer addresses it stands for: an IP address, then a host name, then the asterisk."""
        if self.is_host:
            return 2, *name_specificity(self.text[::-1])  # the end of a host name says most
        if not self.family:
            return (1,)
        return 3, *(low - high for low, high in self.parts)

    def covers(self, other: AddressPattern) -> bool:
        """Is every address of the other one, which is no host name, one of its own?"""
        if not self.family and not self.is_host:
            return True
        return self.family == other.family != 0 and all(
            low <= its_low and its_high <= high
            for (low, high), (its_low, its_high) in zip(self.parts, other.parts, strict=True)
        )

    def conflicts(self, other: AddressPattern) -> bool:
        """Do two ranges overlap so that neither is part of the other?"""
        if not self.family or self.family != other.family:
            return False
        different = [pair for pair in zip(self.parts, other.parts, strict=True) if pair[0] != pair[1]]
        if len(different) != 1:
            return False
        (low, high), (its_low, its_high) = different[0]
        return (
            low <= its_high
            and its_low <= high
            and (low < its_low) == (high < its_high)
            and low != its_low
            and (high != its_high)
        )


@lru_cache(4096)
def parse(text: str) -> AddressPattern:
    """AddressError if it is neither a pattern of addresses nor a host name."""
    text = text.strip()
    if not text or len(text) > TEXT_MAX:
        raise AddressError("an address is missing" if not text else f"an address has more than {TEXT_MAX} characters")
    if text == "*":
        return AddressPattern(text)
    if ":" in text:
        return _parse_ip(text, 6)
    if _IPV4_CHARACTERS.match(text):
        return _parse_ip(text, 4)
    if _HOST.match(text) is None or ".." in text:
        raise AddressError(f"{text[:64]!r} is neither an IP address nor a host name")
    return AddressPattern(text.lower(), is_host=True)


def _parse_ip(text: str, family: int) -> AddressPattern:
    if family == 6:
        if _IPV6_CHARACTERS.match(text) is None:
            raise AddressError(f"{text[:64]!r} has characters that no IPv6 address has")
        if "*" not in text and "-" not in text:
            family, numbers = address_parts(text)
            if not family:
                raise AddressError(f"{text[:64]!r} is not an IPv6 address")
            return AddressPattern(text, family, tuple((number, number) for number in numbers))
        if "::" in text:
            if text.endswith("*"):
                raise AddressError(
                    f"{text[:64]!r}: with :: it is open how many parts the asterisk at the end stands for"
                )
            text = _expanded(text)
    separator, count = _SEPARATOR[family], _PARTS[family]
    words = text.split(separator)
    stars = [at for at, word in enumerate(words) if word == "*"]
    if len(words) > count:
        raise AddressError(f"{text[:64]!r} has {len(words)} parts, an IPv{family} address has {count}")
    if len(words) > 1 and words[-2:] == ["*", "*"]:
        raise AddressError(
            f"{text[:64]!r}: the asterisk at the end stands for all that follow; leave out the other one"
        )
    if len(words) < count:
        if words[-1] == "*":
            growing = len(words) - 1
        elif len(stars) == 1:
            growing = stars[0]
        else:
            raise AddressError(f"{text[:64]!r} has {len(words)} parts, an IPv{family} address has {count}")
        words[growing : growing + 1] = ["*"] * (count - len(words) + 1)
    return AddressPattern(text, family, tuple(_part(word, family, text) for word in words))


def _part(word: str, family: int, text: str) -> tuple[int, int]:
    highest = _PART_MAX[family]
    if word == "*":
        return 0, highest
    low, hyphen, high = word.partition("-")
    numbers = [_number(one, family, text) for one in ([low, high] if hyphen else [low])]
    if numbers[-1] < numbers[0]:
        raise AddressError(f"{text[:64]!r}: the range {word} ends before it begins", is_range=True)
    return numbers[0], numbers[-1]


def _number(word: str, family: int, text: str) -> int:
    digits = "0123456789" if family == 4 else "0123456789abcdefABCDEF"
    if not word or len(word) > 4 or word.strip(digits) or int(word, 10 if family == 4 else 16) > _PART_MAX[family]:
        raise AddressError(f"{text[:64]!r}: {word[:16]!r} is not a part of an IPv{family} address")
    return int(word, 10 if family == 4 else 16)


def _expanded(text: str) -> str:
    """An IPv6 pattern without its double colon."""
    left, _, right = text.partition("::")
    before, after = (side.split(":") if side else [] for side in (left, right))
    missing = 8 - len(before) - len(after)
    if missing < 1 or "::" in right:
        raise AddressError(f"{text[:64]!r} is not an IPv6 address")
    return ":".join([*before, *["0"] * missing, *after])


@lru_cache(4096)
def address_parts(address: str) -> tuple[int, tuple[int, ...]]:
    """Family and parts of one address; family 0 if it is none."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return 0, ()
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    packed = (mapped or found).packed
    if len(packed) == 4:
        return 4, tuple(packed)
    return 6, tuple(int.from_bytes(packed[at : at + 2]) for at in range(0, 16, 2))


def network(address: str) -> str:
    """What an address counts for where all of one place are counted together; "" if it is no address.

    An IPv6 address counts by its first half: whoever has one address there has as many as he likes.
    """
    family, parts = address_parts(address)
    if family == 6:
        return ":".join(f"{part:x}" for part in parts[:4]) + "::/64"
    return ".".join(map(str, parts))


# Names with asterisks: channels, queue managers, hosts


def name_matches(pattern: str, name: str) -> bool:
    """Is the name one that the pattern stands for? An asterisk is any number of characters, wherever it is."""
    first, *others = pattern.split("*")
    if not others:
        return pattern == name
    last = others.pop()
    if len(name) < len(first) + len(last) or not (name.startswith(first) and name.endswith(last)):
        return False
    at, end = len(first), len(name) - len(last)
    for piece in others:  # the earliest place is as good as any later one, so this needs no second try
        at = name.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def name_specificity(pattern: str) -> Specificity:
    """The higher, the fewer names it stands for.

    A full name is above all patterns. Among those what counts is how much is given before the first asterisk, then how
    much is given at all, then how few asterisks there are. A pattern whose names are all among those of another one is
    therefore always above that one.
    """
    pattern = re.sub(r"\*+", "*", pattern)
    stars = pattern.count("*")
    if not stars:
        return 1, len(pattern), len(pattern), 0
    return 0, pattern.index("*"), len(pattern) - stars, -stars


def names_overlap(one: str, other: str) -> bool:
    """Is there a name that both patterns stand for?"""
    below = [False] * (len(other) + 1)  # for each rest of the other one: does it go with the rest of the first?
    for at in range(len(one), -1, -1):
        mine = one[at : at + 1]
        row = [False] * (len(other) + 1)
        for place in range(len(other), -1, -1):
            its = other[place : place + 1]
            if mine == "*":
                row[place] = below[place] or (bool(its) and row[place + 1])
            elif its == "*":
                row[place] = row[place + 1] or (bool(mine) and below[place])
            else:
                row[place] = mine == its and (not mine or below[place + 1])
        below = row
    return below[0]
