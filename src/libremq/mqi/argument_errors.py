"""Errors of the Python API itself: a wrong argument is an MQError like any other, and the error Python has for it too.

So `except ValueError` and `except MQError` both catch them, and each carries the reason code MQ would give.
"""

from __future__ import annotations

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError


class BadValue(MQError, ValueError):
    """An argument has a value that is not possible."""


class WrongType(MQError, TypeError):
    """An argument is of a type that is not possible."""


def bad_value(reason: int, object_name: str, detail: str) -> BadValue:
    return BadValue(reason, C.MQCC_FAILED, object_name, detail)


def wrong_type(reason: int, object_name: str, detail: str) -> WrongType:
    return WrongType(reason, C.MQCC_FAILED, object_name, detail)
