"""Messages that repeat themselves: which are written, which are counted, and when the count is told.

They are counted by message and address: one machine that provokes thousands of them leaves room for those of others.
Whose they are says who is served at the moment (`spoken_of`), else the first address in the text. All together have a
limit too, as there may be many addresses. How many were left out is told when their time has passed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from libremq.common.messages.amq_messages import AmqMessage
from libremq.common.messages.spoken_of import spoken_of
from libremq.security.address_patterns import network

SAME_MAX = 100
SAME_WINDOW_S = 60
"""So many entries of one message id and address in so many seconds; more are counted."""
ALL_MAX = 1000
"""And so many of one message id, whatever the address."""

_KEYS_MAX = 2000
_ADDRESS = re.compile(
    r"(?<![\w.:])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:])"
)
_ANYWHERE = "*"


class LeftOut(NamedTuple):
    """So many of a message were not written."""

    message: str
    times: int
    window_s: int


class _Window:
    """One message and address, since the first of them was written."""

    __slots__ = ("count", "most", "seconds", "since")

    def __init__(self, since: float, seconds: int, most: int) -> None:
        self.since = since
        self.seconds = seconds
        self.most = most
        self.count = 0

    def is_over(self, now: float) -> bool:
        return not 0 <= now - self.since < self.seconds  # a clock that was set back ends it, too


def address_in(text: str) -> str:
    """Whom a message is about: an address, or the network that it counts for; "" if there is none."""
    if served := network(spoken_of()):
        return served
    inserts = text.inserts if isinstance(text, AmqMessage) else ()
    for insert in inserts:
        if isinstance(insert, str):
            for found in _ADDRESS.finditer(insert):
                if counted := network(found[0]):
                    return counted
    return ""


class RepeatedMessages:
    """What was written of late. Not for several threads at a time."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, str], _Window] = {}
        self._looked = 0.0

    def ended(self, now: float) -> list[LeftOut]:
        """Of all whose time has passed, how many were left out. They begin anew. There is a look once a second."""
        if 0 <= now - self._looked < 1:
            return []
        self._looked = now
        over = [key for key, window in self._windows.items() if window.is_over(now)]
        return self._end(over)

    def all(self) -> list[LeftOut]:
        """Of all, how many were left out so far: nothing more is written."""
        return self._end(list(self._windows))

    def _end(self, keys: list[tuple[str, str]]) -> list[LeftOut]:
        left_out = []
        for message, address in keys:
            window = self._windows.pop((message, address))
            if window.count > window.most:
                where = f" about {address}" if address not in ("", _ANYWHERE) else ""
                left_out.append(LeftOut(message + where, window.count - window.most, window.seconds))
        return left_out

    def is_written(self, message: str, address: str, now: float, window_s: int, most: int) -> bool:
        """Is one more of this message written, or only counted?"""
        if address:
            known = self._windows.get((message, address))
            if known is not None and known.count >= known.most:
                known.count += 1  # and not for all: what one repeats takes nothing from the others
                return False
            if not self._counts(message, _ANYWHERE, now, SAME_WINDOW_S, ALL_MAX):
                return False
        return self._counts(message, address, now, window_s, most)

    def _counts(self, message: str, address: str, now: float, window_s: int, most: int) -> bool:
        window = self._windows.get((message, address))
        if window is None:
            window = self._windows[message, address] = _Window(now, window_s, most)
        window.count += 1
        return window.count <= window.most

    def make_room(self) -> list[LeftOut]:
        """Keep no more than some: those that go are told as if their time had passed.

        Those of all addresses together stay: else some hundred addresses would undo that limit.
        """
        if len(self._windows) <= _KEYS_MAX:
            return []
        return self._end([key for key in self._windows if key[1] != _ANYWHERE] or list(self._windows))
