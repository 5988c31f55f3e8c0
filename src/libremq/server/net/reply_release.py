"""Replies wait here until the log is forced as far as they depend on it (contract 2), and are released then.

One force serves all that gathered while the one before was under way: a thread does it, and the loop goes on. On a
quick device the loop forces by itself when all who are at work wait for that force anyway: nobody is held up then, and
two changes of thread would cost more than the rest of a call. Never if much is gathered: to write that takes long on
any device, and the loop has others. Nor does it stay gathered when no reply depends on it, as with puts under
syncpoint: the next put, whoever's it is, would find the buffer of the log full and write it out first.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from typing import Protocol

from libremq.log import Log, LogError

_QUICK_FORCE_S = 0.001  # a device slower than that is never waited for by the loop
_ALONE = 8  # messages of one link, with none of any other between them


class Holder(Protocol):
    """Somebody with data for a socket that waits for a force of the log."""

    def release(self, durable: int) -> bool:
        """Write what is durable; True if something still has to wait."""


class ReplyRelease:
    """All methods are for the loop's thread."""

    def __init__(self, log: Log, failed: Callable[[str], None]) -> None:
        """`failed` is told if the log cannot be forced: then no reply leaves any more (contract 4)."""
        self.log = log
        self.answered = 0  # replies since the last force that depended on none
        self._failed = failed
        self._loop: asyncio.AbstractEventLoop
        self._waiting: dict[Holder, None] = {}  # links with replies that wait for a force
        self._wanted = 0  # the LSN that the latest of them depends on
        self._forcing = False  # a force is under way, or about to be
        self._force_at_once = False  # and it begins when the link that is being served is done
        self._serving = False
        self._latest: Holder | None = None
        self._in_a_row = 0
        self._force_s = 0.0  # how long one takes, of late
        self._forces: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._logger: threading.Thread | None = None

    def start(self, loop: asyncio.AbstractEventLoop, name: str) -> None:
        """Begin the logger thread of the queue manager with this name."""
        self._loop = loop
        self._logger = threading.Thread(target=self._run_forces, name=f"libremq-logger-{name}", daemon=True)
        self._logger.start()

    def stop(self) -> None:
        """The logger thread ends when it is done with the force that it is at."""
        self._forces.put(None)

    def join(self) -> None:
        """Wait for the end of the logger thread, within reason. From another thread than the loop's."""
        if self._logger is not None:
            self._logger.join(5)

    # The links

    def hold(self, link: Holder, lsn: int) -> None:
        """The link has a reply that depends on this record."""
        self._waiting[link] = None
        if lsn > self._wanted:
            self._wanted = lsn
        if not self._forcing:
            self._forcing = True
            if self._serving and self._in_a_row > _ALONE and self._force_s < _QUICK_FORCE_S and not self.log.pressure:
                self._force_at_once = True  # nobody else is at work: no need to look for others first
            else:
                self._loop.call_soon(self._force)

    def heard_of(self, link: Holder) -> None:
        """A link has something to say. How often it was the same one in a row tells whether it is alone."""
        self._serving = True
        if link is self._latest:
            self._in_a_row += 1
        else:
            self._latest = link
            self._in_a_row = 0

    def served(self) -> None:
        """What the link had to say is done."""
        self._serving = False
        if self._force_at_once:
            self._force_at_once = False
            self._force()

    def forget(self, link: Holder) -> None:
        """The link is gone, and what it had to say with it."""
        if self._latest is link:
            self._latest = None
        self._waiting.pop(link, None)

    def drop_all(self) -> None:
        """No reply leaves any more."""
        self._waiting.clear()

    # Forces

    def relieve(self) -> None:
        """If more is gathered than the buffer of the log should hold, the logger thread takes it to disk."""
        if self.log.pressure and not self._forcing:
            self._forcing = True
            self._forces.put(self.log.tail - 1)

    def _force(self) -> None:
        """All that was ready in this turn of the loop has been run: make it durable."""
        if self._wanted < self.log.durable:
            self._forced(None)
        elif (
            self._force_s < _QUICK_FORCE_S and (len(self._waiting) == 1 or not self.answered) and not self.log.pressure
        ):
            self._forced(self._force_now(self._wanted))
        else:
            self._forces.put(self._wanted)
        self.answered = 0

    def _force_now(self, lsn: int) -> str | None:
        """Force, and say what went wrong. In the loop's thread or in the logger's."""
        began = time.perf_counter()
        try:
            self.log.force(lsn)
        except LogError as error:
            return str(error)
        except Exception as error:
            return f"the log could not be forced: {error}"
        self._force_s += 0.1 * (time.perf_counter() - began - self._force_s)
        return None

    def _run_forces(self) -> None:
        """The logger thread."""
        while (lsn := self._forces.get()) is not None:
            failure = self._force_now(lsn)
            try:
                self._loop.call_soon_threadsafe(self._forced, failure)
            except RuntimeError:
                return  # the loop was closed

    def _forced(self, failure: str | None) -> None:
        """Let go of the replies whose records are on disk; force on for the rest."""
        self._forcing = False
        if failure is not None:
            self._failed(failure)
            return
        durable = self.log.durable
        for link in list(self._waiting):
            if not link.release(durable):
                del self._waiting[link]
        if self._waiting:
            self._forcing = True
            self._loop.call_soon(self._force)
