"""What the Encoding of a descriptor says about integers."""

from __future__ import annotations

from libremq.mqi import constants as C


def is_big_endian(encoding: int) -> bool:
    return encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
