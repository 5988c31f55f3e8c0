"""How the model tests reach a queue manager: any binding that can do this can be tested by them.

Calls go through `Binding`. What no application can do (define, move the clock, restart) and what would block (a get
that waits) goes through the harness, so that a test takes one step after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from libremq.host.binding import Binding
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.log import LogConfig
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.queue_store import StoreLimits
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

QMGR = "QM.MODEL"


class Pending(Protocol):
    """A get that waits."""

    def outcome(self) -> Got | MQError | None: ...


class Harness(Protocol):
    def connect(self) -> Binding: ...

    def start_get(self, binding: Binding, hobj: int, md: MQMD, gmo: MQGMO, buffer: int | None) -> Got | Pending: ...

    def define(self, name: str, attributes: Mapping[str, int | str]) -> None: ...

    def alter(self, kind: str, name: str, attributes: Mapping[str, int | str]) -> None: ...

    def now(self) -> float: ...

    def advance(self, seconds: float) -> None: ...

    def settle(self) -> None:
        """Let everybody finish who goes on in slices."""

    def scan_expired(self) -> None: ...

    def checkpoint(self) -> None: ...

    def restart(self, *, clean: bool) -> None: ...

    def end(self) -> None: ...


class EmbeddedPending:
    def __init__(self, waiter: Waiter) -> None:
        self._waiter = waiter

    def outcome(self) -> Got | MQError | None:
        return self._waiter.result or self._waiter.error


class EmbeddedHarness:
    """The embedded binding on files in memory, with buffers so small that most messages go to the queue files."""

    def __init__(self) -> None:
        self._files = FaultyFiles()
        self._clock = VirtualClock()
        self._start(create=True)

    def _start(self, *, create: bool) -> None:
        self.embedded = EmbeddedQueueManager.start(
            "qm",
            QMGR,
            create=create,
            files=self._files,
            clock=self._clock,
            limits=StoreLimits(nonpersistent_buffer_bytes=2048, persistent_buffer_bytes=2048),
            log_config=LogConfig(file_pages=64),
            background=False,
        )
        self.manager = self.embedded.manager

    def connect(self) -> Binding:
        return EmbeddedConnection(self.embedded, "model", "reference")

    def start_get(self, binding: Binding, hobj: int, md: MQMD, gmo: MQGMO, buffer: int | None) -> Got | Pending:
        assert isinstance(binding, EmbeddedConnection)
        result = self.manager.get(binding.hconn, hobj, md, gmo, buffer)
        self.settle()
        self.embedded.force(self.manager.connection(binding.hconn).lsn)
        if not isinstance(result, Waiter):
            return result
        if result.error is not None:
            raise result.error
        return result.result or EmbeddedPending(result)

    def define(self, name: str, attributes: Mapping[str, int | str]) -> None:
        self.embedded.admin(lambda: self.manager.define("QLOCAL", name, attributes))

    def alter(self, kind: str, name: str, attributes: Mapping[str, int | str]) -> None:
        self.embedded.admin(lambda: self.manager.alter(kind, name, attributes))

    def now(self) -> float:
        return self._clock.now()

    def advance(self, seconds: float) -> None:
        self._clock.advance(seconds)
        self.manager.tick()

    def settle(self) -> None:
        while self.manager.core.turns:
            self.manager.next_turn()

    def scan_expired(self) -> None:
        self.manager.scan_expired()
        self.manager.core.log.force()  # nobody waits for the scan, so nobody forces its records: a kill may undo it

    def checkpoint(self) -> None:
        self.manager.checkpoint()

    def restart(self, *, clean: bool) -> None:
        if clean:
            self.embedded.end()
        else:
            self.manager.abandon()
        self._start(create=False)

    def end(self) -> None:
        self.embedded.end()
