"""A read that brings something else than the disk holds, once: a start reads again and finds all that was promised."""

from __future__ import annotations

import pytest

from libremq.host import lifecycle
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles, VirtualClock

_MESSAGES = 25
_PAGE = 4096


class MisreadingFiles(FaultyFiles):
    """One bit of a file is read wrong, so often, after it was read right so often."""

    path = ""
    position = 0
    rights = 0
    times = 0

    def _read(self, number: int, path: str, offset: int, length: int) -> bytes:
        data = super()._read(number, path, offset, length)
        at = self.position - offset
        if not self.times or not path.startswith(self.path) or not 0 <= at < len(data):
            return data
        if self.rights:
            self.rights -= 1
            return data
        self.times -= 1
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def ended(config: LogConfig) -> tuple[FaultyFiles, VirtualClock, int]:
    """A queue manager that was killed, and how far its log was used."""
    files, clock = FaultyFiles(), VirtualClock()
    lifecycle.create(files, "qm", "QM1", clock, config)
    manager = lifecycle.start(files, "qm", "QM1", clock)
    manager.define("QLOCAL", "Q", {})
    hconn = manager.connect()
    for number in range(_MESSAGES):
        if number == 5:
            manager.checkpoint()
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
        manager.put1(hconn, MQOD(ObjectName="Q"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"%d" % number * 300)
        manager.force(manager.core.log.tail - 1)
    tail = manager.core.log.tail
    manager.abandon()
    return files, clock, tail


@pytest.mark.parametrize("place", [2, 4, 6, 8, 10, 20, 100, 1000], ids=lambda place: f"byte {place} of a page")
@pytest.mark.parametrize("rights", [0, 1, 2, 3])
@pytest.mark.parametrize("kind", ["CIRCULAR", "LINEAR"])
def test_every_page_of_the_log_may_be_read_wrong_once(kind: str, rights: int, place: int) -> None:
    """When the end of the log is looked for, and also when a record of it, or all of them, are read."""
    files, clock, tail = ended(LogConfig(file_pages=64, type=kind))
    for position in range(place, tail + 2 * _PAGE, _PAGE):
        disk = files.copy()
        disk.__class__ = MisreadingFiles
        assert isinstance(disk, MisreadingFiles)
        disk.path, disk.position, disk.rights, disk.times = "qm/log/S0000000", position, rights, 1
        manager = lifecycle.start(disk, "qm", "QM1", clock)
        assert manager.depth("Q") == _MESSAGES, position
        manager.abandon()


def test_and_so_may_the_catalogue() -> None:
    files, clock, _ = ended(LogConfig(file_pages=64))
    for position in (2, 100):
        disk = files.copy()
        disk.__class__ = MisreadingFiles
        assert isinstance(disk, MisreadingFiles)
        disk.path, disk.position, disk.times = "qm/QMQMOBJCAT", position, 1
        manager = lifecycle.start(disk, "qm", "QM1", clock)
        assert manager.depth("Q") == _MESSAGES and not disk.times
        manager.abandon()
