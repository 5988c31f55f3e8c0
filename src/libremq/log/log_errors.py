"""What can go wrong in the log, in four words: full, failed, damaged, or asked for the wrong thing."""

from __future__ import annotations


class LogError(Exception):
    """Anything the log refuses."""


class LogFull(LogError):
    """The record does not fit. Nothing was changed: back out the oldest unit of work, or take a checkpoint.

    `hopeless`: that would not help, as there would be no room for it in a log that holds nothing else.
    """

    def __init__(self, text: str, *, hopeless: bool = False) -> None:
        super().__init__(text)
        self.hopeless = hopeless


class LogFailed(LogError):
    """A write or sync failed, so what is on disk is unknown. Final: the queue manager must end and restart."""


class LogDamaged(LogError):
    """The files do not hold a whole log. Raised before anything was changed."""

    def __init__(self, path: str, what: str, action: str) -> None:
        super().__init__(f"{path}: {what}. {action}")
        self.path = path
        self.what = what
        self.action = action
