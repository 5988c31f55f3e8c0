"""A queue manager on files in memory, and one application with verbs short enough for a test."""

from __future__ import annotations

from typing import Any

from libremq.host import lifecycle
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock


class Session:
    def __init__(self, log_config: LogConfig | None = None) -> None:
        self.clock = VirtualClock()
        self.files = FaultyFiles()
        lifecycle.create(self.files, "qm", "QM1", self.clock, log_config or LogConfig(file_pages=64))
        self._start()

    def _start(self) -> None:
        self.qm = lifecycle.start(self.files, "qm", "QM1", self.clock)
        self.core = self.qm.core
        self.hconn = self.qm.connect("alice", "teller")

    def kill_and_start(self) -> None:
        """All that was logged so far is on disk; nothing was ended."""
        self.core.log.force()
        self.qm.abandon()
        self._start()

    def queue(self, name: str, **attributes: Any) -> None:
        self.qm.define("QLOCAL", name, attributes)

    def put(self, queue: str, data: bytes = b"", *, qmgr: str = "", syncpoint: bool = False, **fields: Any) -> MQMD:
        md = MQMD(Version=2, **fields)
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT)
        self.qm.put1(self.hconn, MQOD(ObjectName=queue, ObjectQMgrName=qmgr), md, pmo, data)
        return md

    def open(self, queue: str, options: int) -> int:
        return self.qm.open(self.hconn, MQOD(ObjectName=queue), options)

    def open_input(self, queue: str) -> int:
        return self.open(queue, C.MQOO_INPUT_SHARED)

    def close(self, hobj: int) -> None:
        self.qm.close(self.hconn, hobj)

    def get(self, queue: str | int, *, syncpoint: bool = False) -> tuple[MQMD, bytes]:
        hobj = self.open_input(queue) if isinstance(queue, str) else queue
        md = MQMD(Version=2)
        got = self.qm.get(self.hconn, hobj, md, MQGMO(Options=C.MQGMO_SYNCPOINT if syncpoint else C.MQGMO_NO_SYNCPOINT))
        assert isinstance(got, Got)
        if isinstance(queue, str):
            self.close(hobj)
        return md, got.data

    def depth(self, queue: str) -> int:
        return self.qm.depth(queue)
