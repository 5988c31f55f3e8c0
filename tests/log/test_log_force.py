"""Shared forces between threads. The threads meet at gates in the file layer, never by the clock."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from libremq.common.files.file_layer import Buffer, RealFiles
from libremq.log import Log, LogConfig, LogFailed, RecordType
from libremq.testing import FaultyFiles
from libremq.testing.faulty_files import FaultyFile

FOLDER = "/log"


class GatedFile(FaultyFile):
    """A file whose writes wait for the gate to open."""

    def write(self, offset: int, data: Buffer) -> None:
        files = self._files
        assert isinstance(files, GatedFiles)
        files.arrived.release()
        files.gate.acquire()
        super().write(offset, data)


class GatedFiles(FaultyFiles):
    def __init__(self) -> None:
        super().__init__()
        self.arrived = threading.Semaphore(0)
        self.gate = threading.Semaphore(0)
        self.gated = False

    def open(self, path: str, *, create: bool = False) -> FaultyFile:
        file = super().open(path, create=create)
        return GatedFile(self, file._number, path) if self.gated and path.endswith((".LOG", "shd.lfh")) else file


def gated_log() -> tuple[GatedFiles, Log]:
    files = GatedFiles()
    Log.create(files, FOLDER, LogConfig(2, 1, 64)).abandon()
    files.gated = True
    return files, Log.open(files, FOLDER)


def put(log: Log, text: bytes = b"x") -> int:
    return log.append(RecordType.PUT, 1, 0, (text,))


class Forcer(threading.Thread):
    def __init__(self, log: Log, lsn: int) -> None:
        super().__init__(daemon=True)
        self.log = log
        self.lsn = lsn
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.log.force(self.lsn)
            assert self.log.durable > self.lsn
        except BaseException as error:
            self.error = error

    def ended(self) -> None:
        self.join(timeout=30)
        assert not self.is_alive()


class Announced(list[object]):
    """The list of those who wait behind the leader, which tells when one has joined it."""

    def __init__(self) -> None:
        super().__init__()
        self.joined = threading.Semaphore(0)

    def append(self, waiter: object) -> None:
        super().append(waiter)
        self.joined.release()


def followers_of(log: Log, count: int) -> list[Forcer]:
    """Start threads that force a record each; returns when all are queued behind the leader."""
    queue = Announced()
    log._force._waiters = queue  # type: ignore[assignment]
    followers = [Forcer(log, put(log)) for _ in range(count)]
    for _ in followers:
        assert queue.joined.acquire(timeout=30)
    return followers


def test_those_who_come_during_a_force_share_the_next() -> None:
    files, log = gated_log()
    leader = Forcer(log, put(log))
    files.arrived.acquire()
    followers = followers_of(log, 6)
    assert log.durable == 40
    files.gate.release()
    leader.ended()
    files.arrived.acquire()
    files.gate.release()
    for follower in followers:
        follower.ended()
        assert follower.error is None
    figures = log.statistics()
    assert (figures.forces, figures.forces_shared, figures.logical_writes) == (7, 5, 2)


def test_append_goes_on_during_a_force() -> None:
    files, log = gated_log()
    first = put(log)
    leader = Forcer(log, first)
    files.arrived.acquire()
    second = put(log)
    assert log.durable <= first < second < log.tail
    files.gate.release()
    leader.ended()
    assert first < log.durable <= second


def test_a_failure_reaches_everyone_who_waits() -> None:
    files, log = gated_log()
    files.fail("sync", "*.LOG")
    leader = Forcer(log, put(log))
    files.arrived.acquire()
    followers = followers_of(log, 4)
    files.gate.release()
    for thread in (leader, *followers):
        thread.ended()
        assert isinstance(thread.error, LogFailed)
    assert len({id(thread.error) for thread in (leader, *followers)}) == 5


def test_an_interrupted_leader_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt is not an I/O error: the next leader writes the same pages again."""
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 1, 64))
    write = FaultyFile.write

    def interrupted(self: FaultyFile, offset: int, data: Buffer) -> None:
        monkeypatch.setattr(FaultyFile, "write", write)
        raise KeyboardInterrupt

    monkeypatch.setattr(FaultyFile, "write", interrupted)
    first = put(log, b"first")
    with pytest.raises(KeyboardInterrupt):
        log.force(first)
    assert log.failed is None and log.durable <= first
    second = put(log, b"second")
    log.force(second)
    log.abandon()
    assert [record.payload for record in Log.open(files, FOLDER).scan(40)] == [b"first", b"second"]


def test_many_threads_on_a_real_disk(tmp_path: Path) -> None:
    log = Log.create(RealFiles(), str(tmp_path / "log"), LogConfig(3, 2, 1024))
    kernel_lock = threading.Lock()
    promised: list[tuple[int, bytes]] = []
    barrier = threading.Barrier(16)

    def work(number: int) -> None:
        for step in range(25):
            text = b"%d/%d " % (number, step) * (1 + step * 20)
            if step % 5 == 0:
                barrier.wait()
            with kernel_lock:
                lsn = log.append(RecordType.PUT, number, 0, (text,))
            log.force(lsn)
            assert log.durable > lsn
            promised.append((lsn, text))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.abandon()
    assert len(promised) == 400
    figures = log.statistics()
    assert figures.logical_writes < 400
    assert figures.forces == figures.forces_shared + figures.logical_writes
    log = Log.open(RealFiles(), str(tmp_path / "log"))
    assert [(r.lsn, r.payload) for r in log.scan(log.head)] == sorted(promised)
    log.close()
