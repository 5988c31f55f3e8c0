"""An operator who decides a batch in doubt by hand, and resets a channel, as the manual says.

Both ends are stopped first, so that neither changes its mind. Then the LUWID that is in doubt at the sending end is
compared with the last one at the receiving end: RESOLVE CHANNEL commits if they are the same, and backs out if not.
RESET CHANNEL comes behind that. Whatever gets no answer, because a queue manager is down or its log is full, is asked
again, from the look at both ends on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from libremq.admin.mqsc_session import DONE, Answer
from libremq.mqi import constants as C

if TYPE_CHECKING:
    from libremq.testing.channel_simulation import ChannelSimulation

_AGAIN_S = 1.0
Rows = list[dict[str, Any]]


class Operator:
    """One visit to both ends of a channel."""

    def __init__(
        self, simulation: ChannelSimulation, channel: str, sender: str, receiver: str, *, reset: int | None = None
    ) -> None:
        """`reset`: the number that RESET CHANNEL sets."""
        self._simulation = simulation
        self._channel = channel
        self._sender = sender
        self._receiver = receiver
        self._reset = reset

    def visit(self) -> None:
        """Stop both ends, see to them, and start them again; time has to pass for that."""
        if self._channel in self._simulation.attended:
            return  # by another one
        self._simulation.attended.add(self._channel)
        self._stop([self._sender, self._receiver])

    def _command(self, name: str, mqsc: str, then: Callable[[Answer], None], again: Callable[[], None]) -> None:
        def answered(answer: Answer | None) -> None:
            if answer is None or (answer.state != DONE and answer.reason != C.MQRCCF_CHL_STATUS_NOT_FOUND):
                self._simulation.events.after(_AGAIN_S, again)
            else:
                then(answer)

        self._simulation[name].command(mqsc, answered)

    def _stop(self, left: list[str]) -> None:
        if not left:
            self._look()
            return
        name, rest = left[0], left[1:]
        self._simulation.stopped.add((name, self._channel))
        stop = f"STOP CHANNEL({self._channel}) MODE(FORCE)"
        self._command(name, stop, lambda answer: self._stop(rest), lambda: self._stop(left))

    def _look(self) -> None:
        """At the receiving end first: it is stopped, and whatever it says now stays so."""
        show = f"DISPLAY CHSTATUS({self._channel}) SAVED ALL"
        self._command(
            self._receiver,
            show,
            lambda there: self._command(
                self._sender, show, lambda here: self._decide(here.rows, there.rows), self._look
            ),
            self._look,
        )

    def _decide(self, here: Rows, there: Rows) -> None:
        doubt = [row["curluwid"] for row in here if row["indoubt"] == "YES"]
        if len(doubt) > 1:
            raise self._simulation.fail(f"channel {self._channel} has {len(doubt)} batches in doubt")
        if not doubt:
            self._set_number()
            return
        last = [row["lstluwid"] for row in there if row["rqmname"] == self._sender]
        action = "COMMIT" if last == doubt else "BACKOUT"
        self._simulation.decided[action] += 1
        resolve = f"RESOLVE CHANNEL({self._channel}) ACTION({action})"
        self._command(self._sender, resolve, lambda answer: self._set_number(), self._look)

    def _set_number(self) -> None:
        if self._reset is None:
            self._start()
            return
        self._simulation.decided["RESET"] += 1
        reset = f"RESET CHANNEL({self._channel}) SEQNUM({self._reset})"
        self._command(self._sender, reset, lambda answer: self._start(), self._look)

    def _start(self) -> None:
        self._simulation.attended.discard(self._channel)
        for name in (self._receiver, self._sender):
            self._simulation.start_channel(name, self._channel)
