"""Where the messages of a queue manager go if nobody asks for them: to the Python logger `libremq.<its name>`.

The last letter of a message id is its severity, as MQ has it: AMQ7467I is information, AMQ7472E an error. A message
without an id is information.
"""

from __future__ import annotations

import logging
import re

from libremq.kernel.recovery.restart import Say

_SEVERITY = re.compile(r"AMQ\d{4}([IWEST]):")
LEVELS = {
    "I": logging.INFO,
    "W": logging.WARNING,
    "E": logging.ERROR,
    "S": logging.CRITICAL,
    "T": logging.CRITICAL,
}


def level_of(text: str) -> int:
    found = _SEVERITY.match(text)
    return LEVELS[found[1]] if found else logging.INFO


def to_logger(queue_manager: str) -> Say:
    """A `say` for this queue manager."""
    logger = logging.getLogger(f"libremq.{queue_manager}")

    def say(text: str) -> None:
        logger.log(level_of(text), "%s", text)

    return say
