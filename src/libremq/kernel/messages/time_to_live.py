"""How long a message lives: the moment at which it expires, and the Expiry that is left of that at another moment.

The clock of a machine can be set back. Then more is left than the message ever had, perhaps more than the field can
hold; what is told is never more than what it was put with.
"""

from __future__ import annotations

from libremq.mqi import constants as C


def expires_ms(expiry: int, now: float) -> int:
    """When a message with this Expiry, put now, expires, in milliseconds; 0: never."""
    return 0 if expiry == C.MQEI_UNLIMITED else int(now * 1000) + expiry * 100


def time_left(expires: int, now: float, put_with: int) -> int:
    """The Expiry that is left of what a message was put with: tenths of a second, one at least."""
    if not expires:
        return C.MQEI_UNLIMITED
    return max(1, min((expires - int(now * 1000)) // 100, put_with))
