"""What steers a terminal is the same for all who print, whatever they show in its place."""

from __future__ import annotations

import pytest

from libremq.common.messages.amq_messages import one_line
from libremq.common.printable_text import dotted, printable, printable_bytes, printable_in_a_line

_STEERING = [
    *map(chr, (*range(9), *range(0x0B, 0x20), *range(0x7F, 0xA0))),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
]


@pytest.mark.parametrize("one", _STEERING, ids=ascii)
def test_all_leave_out_the_same(one: str) -> None:
    code = ord(one)
    shown = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    text = f"a{one}b"
    assert printable(text) == printable_in_a_line(text) == f"a{shown}b"
    assert printable_bytes(text.encode()) == f"a{shown}b".encode()
    assert dotted(text) == "a.b" and one_line(text) == "a b"


def test_what_steers_nothing_stays() -> None:
    text = "é ß \u20ac \u65e5\u672c \U0001f600 \xa0"
    assert printable(text) == printable_in_a_line(text) == dotted(text) == one_line(text) == text


def test_only_whole_texts_have_tabs_and_lines() -> None:
    assert printable("a\tb\nc") == "a\tb\nc"
    assert printable_in_a_line("a\tb\nc") == "a\\x09b\\x0ac"
    assert dotted("a\tb\nc") == "a.b.c" and one_line("a\tb\nc") == "a b c"


def test_half_a_character_can_be_written() -> None:
    assert printable_in_a_line("\ud800\udc9b") == "\\ud800\\x9b"
