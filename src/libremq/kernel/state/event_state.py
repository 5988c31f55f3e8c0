"""What the queue manager keeps about its own events: who acts at this moment, and how many were made and lost.

Nothing here knows how an event is made: `Core` has one `EventState`, and the modules `events*.py` use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from libremq.mqi import constants as C

_NO_TOKEN = bytes(32)


@dataclass(frozen=True, slots=True)
class EventContext:
    """Who is behind a command, for configuration and command events.

    The fields from `accounting_token` on come from the descriptor of the command message: they are told only of
    commands that came as a message (`origin` MQEVO_MSG).
    """

    user: str = ""
    origin: int = C.MQEVO_OTHER  # MQEVO_*
    qmgr: str = ""  # where the command was entered; blank: here
    accounting_token: bytes = _NO_TOKEN
    identity_data: str = ""
    application_type: int = C.MQAT_NO_CONTEXT
    application: str = ""
    origin_data: str = ""


class EventState:
    """The state of event making in one queue manager."""

    __slots__ = ("context", "fail", "level", "lost", "made", "service_base", "stop_told")

    def __init__(self, now: float) -> None:
        self.context = EventContext()
        self.level = 0  # of the event that is being put: only one of a higher level may come out of that
        self.made = 0
        self.lost = 0  # of those: could not be put
        self.service_base = now  # monotonic: no service interval is known to have begun before
        self.stop_told = False
        # Set by the queue manager: the log or a queue file is in an unknown state, which is the end (contract 4)
        self.fail: Callable[[str], None] = lambda why: None

    @contextmanager
    def on_behalf_of(self, context: EventContext) -> Iterator[None]:
        """What is done in this block is done for somebody: configuration events name him."""
        before, self.context = self.context, context
        try:
            yield
        finally:
            self.context = before
