"""The queue manager that a transcript runs on: here the embedded one, on files in memory and a clock that stands still.

The verbs go through the Binding; what a transcript needs beyond it is the `Host`: administration, time, restart, and
waiting gets and consumers taken step by step. Another binding runs the same scripts with a Host of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from libremq.host.binding import Binding
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

DELIVERIES_MAX = 1000
_FOLDER, NAME = "qm", "QM1"


class Pending(Protocol):
    """A get that waits."""

    @property
    def done(self) -> bool: ...
    @property
    def result(self) -> Got | None: ...
    @property
    def error(self) -> MQError | None: ...


class Host(Protocol):
    def connect(self, user: str, application: str) -> Binding: ...
    def define(self, kind: str, name: str, values: Mapping[str, str], like: str | None, replace: bool) -> None: ...
    def alter(self, kind: str, name: str, values: Mapping[str, str]) -> None: ...
    def delete(self, kind: str, name: str, purge: bool) -> None: ...
    def clear(self, name: str) -> None: ...
    def attribute(self, kind: str, name: str, keyword: str) -> str | None: ...
    def depth(self, name: str) -> int: ...
    def advance(self, seconds: float) -> None: ...
    def restart(self) -> None: ...
    def kill(self) -> None: ...
    def get(self, binding: Any, hobj: int, md: MQMD, gmo: MQGMO, length: int | None) -> Got | Pending: ...
    def callback(
        self, binding: Any, operation: int, cbd: MQCBD, function: Callable[..., Any], hobj: int, md: MQMD, gmo: MQGMO
    ) -> None: ...
    def control(self, binding: Any, operation: int) -> None: ...
    def deliver(self, binding: Any) -> None: ...


class EmbeddedHost:
    """An embedded queue manager without threads of its own."""

    def __init__(self) -> None:
        self.files = FaultyFiles()
        self.clock = VirtualClock()
        self.qmgr = self._start(create=True)

    def _start(self, create: bool = False) -> EmbeddedQueueManager:
        return EmbeddedQueueManager.start(
            _FOLDER, NAME, create=create, files=self.files, clock=self.clock,
            log_config=LogConfig(file_pages=64), background=False,
        )  # fmt: skip

    def connect(self, user: str, application: str) -> EmbeddedConnection:
        return EmbeddedConnection(self.qmgr, user, application)

    # Administration

    def define(self, kind: str, name: str, values: Mapping[str, str], like: str | None, replace: bool) -> None:
        self.qmgr.admin(lambda: self.qmgr.manager.define(kind, name, values, like=like, replace=replace))

    def alter(self, kind: str, name: str, values: Mapping[str, str]) -> None:
        self.qmgr.admin(lambda: self.qmgr.manager.alter(kind, name, values))

    def delete(self, kind: str, name: str, purge: bool) -> None:
        self.qmgr.admin(lambda: self.qmgr.manager.delete(kind, name, purge=purge))

    def clear(self, name: str) -> None:
        self.qmgr.admin(lambda: self.qmgr.manager.clear(name))

    def attribute(self, kind: str, name: str, keyword: str) -> str | None:
        """The value in its MQSC form; None if there is no such object."""
        obj = self.qmgr.manager.find(kind, name)
        if obj is None:
            return None
        row = obj.table.find(keyword)
        value = getattr(obj, row.slot)
        return row.word(value) if isinstance(value, int) else str(value)

    def depth(self, name: str) -> int:
        return self.qmgr.manager.depth(name)

    # Time and restart

    def advance(self, seconds: float) -> None:
        """Let time pass; whatever falls due on the way happens in its moment."""
        end = self.clock.now() + seconds
        while (due := self.qmgr.manager.next_deadline()) <= end:
            self.clock.advance(max(0.0, due - self.clock.now()))
            self.qmgr.manager.tick()
        self.clock.advance(end - self.clock.now())
        self.qmgr.manager.tick()

    def restart(self) -> None:
        self.qmgr.end()
        self.qmgr = self._start()

    def kill(self) -> None:
        """Power off: everything that was not forced to disk is lost."""
        self.files = next(self.files.disk_states())
        self.qmgr.manager.fail("the power went off")
        self.qmgr = self._start()

    # Step by step

    def get(self, binding: EmbeddedConnection, hobj: int, md: MQMD, gmo: MQGMO, length: int | None) -> Got | Waiter:
        """MQGET that does not block: a get that waits is returned as it is."""
        if not gmo.Options & C.MQGMO_WAIT:
            return binding.get(hobj, md, gmo, length)
        return self.qmgr.manager.get(binding.hconn, hobj, md, gmo, length)

    def callback(
        self,
        binding: EmbeddedConnection,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any],
        hobj: int,
        md: MQMD,
        gmo: MQGMO,
    ) -> None:
        binding.callback(operation, cbd, function, hobj, md, gmo)

    def control(self, binding: EmbeddedConnection, operation: int) -> None:
        """MQCTL without the consumer thread: `deliver` makes its calls."""
        self.qmgr.manager.control(binding.hconn, operation)

    def deliver(self, binding: EmbeddedConnection) -> None:
        """Make every call to consumers that is due. The consumer may use the connection, as in its own thread."""
        if not binding.connected:
            return
        for _ in range(DELIVERIES_MAX):
            delivery = self.qmgr.manager.next_delivery(binding.hconn)
            if delivery is None:
                return
            binding._dispatcher = threading.current_thread()
            try:
                delivery.consumer.callback(delivery.md, delivery.gmo, delivery.data, delivery.cbc)
            finally:
                binding._dispatcher = None
        raise AssertionError("consumers are called without end")
