"""Work that has used up its slice: the rest goes on when the others had their turn.

The kernel runs one call at a time, so a long call is everybody's wait. Whatever may have to look at many messages (a
get with a selector, messages whose time is over) does one slice of that in the call and leaves the rest here. The
clock goes on with it (`QueueManager.tick`), one slice at a time and each in its turn; whoever runs the clock lets the
others have the kernel in between.

The kernel has no time of its own for this (contract 1): work is counted, in units that are worth about a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from libremq.mqi.errors import MQError

SLICE = 2000
"""The work of one slice, unless somebody wants others."""
LOOK = 8
"""What it costs to look at the descriptor of a message."""
DISCARD = 60
"""What it costs to discard an expired one."""


class Turn(Protocol):
    """Something that goes on in slices."""

    def go_on(self) -> bool:
        """Do a slice; True if there is more to do. It may be called again for the same slice, if that has failed."""

    def fail(self, error: MQError) -> None:
        """It cannot go on."""


class Turns:
    """Those who have more to do, in their order."""

    __slots__ = ("_turns", "begun", "slice")

    def __init__(self) -> None:
        self.slice = SLICE  # the work of one
        self._turns: dict[Turn, None] = {}
        self.begun: Callable[[], object] = lambda: None
        """Called when there is something to go on with, and there was nothing."""

    def __bool__(self) -> bool:
        return bool(self._turns)

    def __contains__(self, turn: Turn) -> bool:
        return turn in self._turns

    def add(self, turn: Turn) -> None:
        """It goes on behind those who are here."""
        if turn not in self._turns:
            self._turns[turn] = None
            if len(self._turns) == 1:
                self.begun()

    def discard(self, turn: Turn) -> None:
        self._turns.pop(turn, None)

    def first(self) -> Turn:
        """Whose turn it is."""
        return next(iter(self._turns))

    def end(self, turn: Turn, *, more: bool) -> None:
        """Its slice is over; with more to do it goes to the end. One that has left meanwhile stays away."""
        if turn in self._turns:
            del self._turns[turn]
            if more:
                self._turns[turn] = None
