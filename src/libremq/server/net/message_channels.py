"""The message channels of a queue manager that serves: the initiator, the sockets of its agents, and time for both.

The initiator decides which channels run; here is what it needs from the event loop. It is told when a deadline of its
own has come, connections that it asks for are made, and at the end of the queue manager channels have a while to come
to the end of their batches.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.initiator import ChannelRules, Initiator
from libremq.common.files.queue_manager_files import EXITS
from libremq.mqi import constants as C
from libremq.server.net.deadline_timer import DeadlineTimer
from libremq.server.net.dialing import Dialer
from libremq.server.net.message_link import MessageLink
from libremq.server.net.server_connection_channels import ALL_CLIENTS

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

_BATCHES_S = 5.0  # for channels to come to the end of their batches
_LAST_WORDS_S = 0.5  # for the sockets to take what was written when they are closed


class MessageChannels:
    """All methods are for the loop's thread, but for those that say otherwise."""

    def __init__(self, event_loop: EventLoop, pipeline_length: int, rules: ChannelRules | None) -> None:
        self._event_loop = event_loop
        self.links: set[MessageLink] = set()
        self._dialer = Dialer(event_loop)
        exit_path = os.path.join(event_loop.folder, EXITS)
        self.initiator = Initiator(
            ChannelEnvironment(event_loop.manager, event_loop.say, pipeline_length, exit_path),
            self._dialer.dial,
            rules=rules,
            soon=self._soon,
            clients=self._clients,
        )
        self._timer = DeadlineTimer(event_loop, self._ring)
        self._last_call: asyncio.TimerHandle | None = None

    def _clients(self) -> int:
        """How many channels of applications there are. From whatever thread."""
        return self._event_loop.instances.get(ALL_CLIENTS, 0)

    def start(self) -> None:
        """All is there that channels need: take up those that were at work when the queue manager ended."""
        with self._event_loop.lock:
            self.initiator.resume()
        self._event_loop.settle()
        self.look()

    # Time

    def _soon(self) -> None:
        """The next deadline of the initiator has changed. From whatever thread, under the lock."""
        if self._event_loop.is_prepared:
            self._event_loop.soon(self._due)

    def look(self) -> None:
        """See that the initiator is told when its next deadline comes."""
        with self._event_loop.lock:
            deadline = self.initiator.next_deadline()
        self._timer.set(deadline)

    def _ring(self, _late_s: float) -> None:
        self._due()

    def _due(self) -> None:
        event_loop = self._event_loop
        try:
            with event_loop.lock:
                deadline = self.initiator.next_deadline()
                if deadline is not None and deadline <= event_loop.manager.clock.monotonic():
                    self.initiator.tick()
        except Exception as error:
            event_loop.note_unexpected("the channel initiator", error)
        event_loop.settle()
        self.look()

    def tick(self, now: float) -> None:
        """Once a second: what no timer sees."""
        for link in list(self.links):
            link.tick(now)
        self._due()

    # The end

    def end(self, *, quiesce: bool) -> None:
        """Channels end when their batches do; if that is not to be waited for, or takes too long, now."""
        event_loop = self._event_loop
        if quiesce:
            with event_loop.lock:
                self.initiator.quiesce()
            event_loop.settle()
            self._last_call = event_loop.loop.call_later(_BATCHES_S, lambda: self.end(quiesce=False))
            return
        if self._last_call is not None:
            self._last_call.cancel()
        with event_loop.lock:
            self.initiator.end(C.MQMODE_FORCE)
        for link in [link for link in self.links if link.agent is None]:
            link.end()
        event_loop.settle()
        self._last_call = event_loop.loop.call_later(_LAST_WORDS_S, self.abort)

    def abort(self) -> None:
        """Close all sockets, whatever is on them."""
        for link in list(self.links):
            link.end()

    def close(self) -> None:
        """Let go of everything."""
        self.abort()
        self._dialer.close()
        self._timer.cancel()
        if self._last_call is not None:
            self._last_call.cancel()
