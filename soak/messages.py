"""Messages that prove themselves: the content follows from the number, so a wrong byte anywhere is seen.

A number is `run.thread.sequence`, used once in the life of a queue manager. It is the message id too.
"""

from __future__ import annotations

import random


def content(number: str, size: int) -> bytes:
    """The number and the size in clear, then `size` bytes that nobody else makes."""
    return f"{number} {size}\n".encode() + random.Random(number).randbytes(size)


def number_of(data: bytes) -> str | None:
    """The number of a message, or None if the content is not what that number says."""
    head, _, _ = data.partition(b"\n")
    try:
        number, size = head.decode("ascii").split(" ")
        return number if content(number, int(size)) == data else None
    except ValueError:
        return None
