"""What a start does for a queue does not depend on how many there are: counted in lines of Python that are run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import libremq
from libremq.common import configuration
from libremq.common.clock import SystemClock
from libremq.common.files.file_layer import RealFiles
from libremq.host import lifecycle
from libremq.host.log_settings import open_log
from libremq.kernel.objects.catalogue import Catalogue
from libremq.kernel.recovery.replay import read_checkpoint
from libremq.kernel.recovery.restart import Restart
from libremq.kernel.state.core import Core
from libremq.log import LogConfig, RecordFields, RecordType
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO

NAME = "QM1"
CLOCK = SystemClock()
OURS = str(Path(libremq.__file__).parent)
MEASURED = 20


def lines_of(call: Callable[[], object]) -> int:
    """Lines of ours that a call runs, with each turn of a loop: a search through all of something shows in them."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename.startswith(OURS) else None  # not what the collector of garbage calls

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return count


class Counted(Restart):
    """A restart that counts what records cost, from a place in the log on."""

    def __init__(self, core: Core, since: int) -> None:
        super().__init__(core, lambda text: None)
        self.since = since
        self.costs: dict[int, set[int]] = {}

    def redo(self, run: list[RecordFields]) -> None:
        for record in run:
            if record[0] < self.since:
                super().redo([record])
            else:
                self.costs.setdefault(record[2], set()).add(lines_of(partial(super().redo, [record])))


def write(folder: str, queues: int) -> int:
    """Have queues, each with something to repeat; the LSN from which on it is counted."""
    lifecycle.create(RealFiles(), folder, NAME, CLOCK, LogConfig(file_pages=1024, type="LINEAR"))
    manager = lifecycle.start(RealFiles(), folder, NAME, CLOCK)
    for number in range(queues):
        manager.define("QLOCAL", f"Q{number}", {})
    manager.take_checkpoint()
    hconn = manager.connect("alice", "teller")
    since = 0
    for number in range(queues):
        if number == queues - MEASURED:
            since = manager.core.log.tail
        md, pmo = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT), MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
        manager.put1(hconn, MQOD(ObjectName=f"Q{number}"), md, pmo, b"x")
        if since:
            manager.define("QLOCAL", f"NEW{number}", {})
            manager.delete("QLOCAL", f"NEW{number}")
    manager.core.log.force()
    manager.abandon()
    return since


def costs_of_a_start(folder: str, queues: int) -> dict[int, set[int]]:
    since = write(folder, queues)
    log = open_log(RealFiles(), folder, configuration.load(RealFiles(), folder), CLOCK, lambda text: None)
    core = Core(RealFiles(), folder, Catalogue(NAME, CLOCK.now()), log, CLOCK)
    restart = Counted(core, since)
    restart.replay(read_checkpoint(log.folder, log.read(log.checkpoint)))
    assert len(core.queue_files) >= queues
    restart.costs[0] = {lines_of(lambda: core.folder_for("ONE.MORE"))}
    for queue in core.queues.values():
        queue.store.close()
    log.abandon()
    return restart.costs


def test_a_record_costs_the_same_with_few_queues_and_with_many(tmp_path: Path) -> None:
    few = costs_of_a_start(str(tmp_path / "few"), 50)
    assert {RecordType.PUT, RecordType.OBJECT} <= few.keys()
    assert few == costs_of_a_start(str(tmp_path / "many"), 2000)
