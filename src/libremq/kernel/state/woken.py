"""Whom a call has woken: gets that have their message, connections with something for a consumer, channels.

They are told when the call is over, in the order in which they were woken, by the boundary that every call goes through
(`verb_calls`). So nobody acts on half a verb, and no verb has to think of telling. What happens outside a call (a wait
that is given up, a queue manager that fails) is told at once: there is no later moment, and a wait that is never told
of its end lasts for ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class Woken:
    """Those who are to be told."""

    __slots__ = ("in_call", "to_tell")

    def __init__(self) -> None:
        self.in_call = False
        self.to_tell: deque[Callable[[], object]] = deque()

    def add(self, tell: Callable[[], object] | None) -> None:
        """Have this called at the end of the call; None: nobody listens."""
        if tell is None:
            return
        if self.in_call:
            self.to_tell.append(tell)
        else:
            tell()

    def end_call(self, failed: Callable[[Exception], None] | None = None) -> None:
        """The outermost call is over. `failed` hears of those who could not be told; the others are."""
        self.in_call = False
        if self.to_tell:
            self.tell(failed)

    def tell(self, failed: Callable[[Exception], None] | None = None) -> None:
        """Tell them now, in the middle of a call too: the queue manager has failed."""
        while self.to_tell:
            try:
                self.to_tell.popleft()()
            except Exception as error:
                if failed is None:
                    raise  # the others are told with the next call
                failed(error)
