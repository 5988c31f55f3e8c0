"""What others wrote, safe for a terminal: names, descriptions and messages may hold what would steer one, and that is
shown, not sent. What counts as steering is said here alone: for commands, answers of MQSC, AMQ messages and dumps.

It imports nothing of LibreMQ, because every command line needs it.
"""

from __future__ import annotations

import re

STEERING = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udc9f"
"""For a set of a regular expression: all controls but tab and end of line, and what turns the direction of text."""
_STEERS = re.compile(f"[{STEERING}]")
_STEERS_IN_A_LINE = re.compile(rf"[{STEERING}\t\n]")
_BYTE_OF = 0xDC00  # what `surrogateescape` adds to a byte that is no text


def printable(text: str) -> str:
    """Text with whatever a file name, an argument or a message may hold, safe for a terminal and for every encoding
    of one.

    >>> print(printable("a \x1b[31mred\x1b[0m name"))
    a \\x1b[31mred\\x1b[0m name
    """
    return _STEERS.sub(_shown, text).encode("utf-8", "backslashreplace").decode()


def printable_bytes(data: bytes) -> bytes:
    """The same for data that should be text, in UTF-8 or something else: bytes that steer nothing stay as they are."""
    return _STEERS.sub(_shown, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def printable_in_a_line(text: str) -> str:
    """The same for a part of a line: tab and end of line are shown too."""
    if text.isprintable():
        return text
    return _STEERS_IN_A_LINE.sub(_shown, text).encode("utf-8", "backslashreplace").decode()


def dotted(text: str) -> str:
    """A part of a line with a period for each that would steer: as long as before, for what stands in columns."""
    return text if text.isprintable() else _STEERS_IN_A_LINE.sub(".", text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code >= _BYTE_OF:
        code -= _BYTE_OF
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
