"""A queue manager on a disk in memory that is nearly full, with a reserve and an application."""

from __future__ import annotations

from collections.abc import Iterator

from libremq.host import lifecycle
from libremq.kernel.recovery.disk_room import LOOK_S
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

MIB = 1 << 20
BODY = bytes(20_000)


class Application:
    """Puts numbered messages until the disk is full, and gets them."""

    def __init__(self, files: FaultyFiles | None = None, *, reserve: bool = True, free: int | None = None) -> None:
        self.clock = VirtualClock()
        self.said: list[str] = []
        if files is None:
            files = FaultyFiles()
            lifecycle.create(files, "qm", "QM1", self.clock, LogConfig(3, 2, 4096))
        self.files = files
        self.start(reserve=reserve)
        files.set_free_space(free)

    def start(self, *, reserve: bool = False) -> None:
        self.clock.advance(1)
        self.qm = lifecycle.start(self.files, "qm", "QM1", self.clock, say=self.said.append)
        if reserve:
            self.qm.keep_reserve()
        self.core = self.qm.core
        self.hconn = self.qm.connect("alice", "teller")

    def define(self, *names: str) -> None:
        for name in names:
            self.qm.define("QLOCAL", name, {"MAXDEPTH": 100_000, "NPMCLASS": "HIGH"})

    def put(self, queue: str, number: int, *, persistent: bool = True) -> None:
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT if persistent else C.MQPER_NOT_PERSISTENT)
        self.qm.put1(
            self.hconn, MQOD(ObjectName=queue), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"%08d" % number + BODY
        )
        self.core.log.force()

    def fill(self, queue: str, most: int = 100_000, first: int = 0) -> int:
        """Put messages from this number on up to another, or until one is refused for lack of space: its number."""
        for number in range(first, most):
            try:
                self.put(queue, number)
            except MQError as error:
                assert error.reason == C.MQRC_STORAGE_MEDIUM_FULL, error
                return number
        return most

    def numbers(self, queue: str, most: int = 100_000) -> list[int]:
        """Get the messages, at most so many; their numbers."""
        hobj = self.qm.open(self.hconn, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED)
        try:
            return list(self._numbers(hobj, most))
        finally:
            self.qm.close(self.hconn, hobj)
            self.core.log.force()

    def _numbers(self, hobj: int, most: int) -> Iterator[int]:
        for _ in range(most):
            try:
                got = self.qm.get(self.hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
            except MQError as error:
                assert error.reason == C.MQRC_NO_MSG_AVAILABLE, error
                return
            assert isinstance(got, Got)
            yield int(got.data[:8])

    def wait(self) -> None:
        """Until the next put looks again whether there is room."""
        self.clock.advance(LOOK_S)

    def told(self, number: int) -> int:
        """How often a message was said."""
        return sum(text.startswith(f"AMQ{number}") for text in self.said)
