"""How a call ends for the packages: a completion code and a reason, never an exception of ours.

Wrong types and structures of the wrong size are the caller's mistake and do raise, as they do from the C modules:
they are found before the call begins, so that whatever goes wrong inside it is an outcome.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import TypeVar

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

_T = TypeVar("_T")
_log = logging.getLogger("libremq.compat")
OK = (C.MQCC_OK, C.MQRC_NONE)


def of_reason(reason: int) -> tuple[int, int]:
    """The end of a call that did not fail: a reason other than 0 is that of a warning."""
    return (C.MQCC_WARNING, reason) if reason else OK


def run(call: Callable[[], _T], otherwise: _T) -> tuple[_T, int, int]:
    """The result of the call and how it ended; `otherwise` is the result of one that failed.

    A failure that is none of MQ's is written to the log of Python and answered with MQRC_UNEXPECTED_ERROR.
    """
    try:
        return (call(), *OK)
    except MQError as error:
        _log.debug("%s", error)
        return otherwise, error.comp_code, error.reason
    except Exception:
        if not sys.is_finalizing():  # then half of Python is gone, and objects that close themselves fail as they may
            _log.exception("an MQI call failed inside LibreMQ")
        return otherwise, C.MQCC_FAILED, C.MQRC_UNEXPECTED_ERROR


def of(call: Callable[[], object]) -> tuple[int, int]:
    """How a call without a result ended. It may return the reason of a warning."""
    reason, comp_code, failure = run(call, None)
    if comp_code == C.MQCC_OK and isinstance(reason, int):
        return of_reason(reason)
    return comp_code, failure
