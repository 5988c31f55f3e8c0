"""Work that waits for the disk, in several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from libremq.common.files.file_layer import RealFile, RealFiles
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.host.side_by_side import side_by_side
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

_QUEUES = 200


def test_everything_is_done_once_and_some_of_it_at_the_same_time() -> None:
    together = threading.Barrier(4)
    done: list[int] = []

    def task(number: int) -> None:
        if number < 4:
            together.wait(60)
        done.append(number)

    side_by_side([partial(task, number) for number in range(50)])
    assert sorted(done) == list(range(50))


def test_what_goes_wrong_is_told_when_nothing_is_under_way_any_more() -> None:
    begun, ended = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        assert failed.wait(60)
        ended.set()

    failed = threading.Event()

    def failing() -> None:
        assert begun.wait(60)
        failed.set()
        raise OSError("the disk")

    later: list[int] = []
    tasks: list[Callable[[], None]] = [slow, failing]
    with pytest.raises(OSError, match="the disk"):
        side_by_side([*tasks, *(partial(later.append, number) for number in range(10_000))])
    assert ended.is_set() and not [thread for thread in threading.enumerate() if thread.name == "libremq-disk"]
    assert len(later) < 10_000


class _FailingFile(RealFile):
    """The disk fails under the queue file of one queue."""

    fails = False

    def sync(self) -> None:
        if self.fails and self.path.endswith("/Q77/q"):
            raise OSError(5, "Input/output error", self.path)
        super().sync()


class _FailingFiles(RealFiles):
    file_type = _FailingFile


@pytest.mark.parametrize("fails", [False, True], ids=["all is well", "a sync fails"])
def test_a_checkpoint_of_many_queues_is_as_good_as_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    folder = str(tmp_path / "qm")
    embedded = EmbeddedQueueManager.start(
        folder, "QM1", create=True, files=_FailingFiles(), log_config=LogConfig(file_pages=1024)
    )
    app = EmbeddedConnection(embedded)
    with embedded.locked():
        for number in range(_QUEUES):
            embedded.manager.define("QLOCAL", f"Q{number}", {})
    for number in range(_QUEUES):
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
        app.put1(MQOD(ObjectName=f"Q{number}"), md, MQPMO(Options=C.MQPMO_SYNCPOINT), b"%d" % number)
    app.commit()
    monkeypatch.setattr(_FailingFile, "fails", fails)
    if fails:
        with pytest.raises(Exception, match="sync failed"):
            embedded.checkpoint()
        assert embedded.manager.failure is not None
    else:
        embedded.checkpoint()
        assert len(embedded.manager.core.positions) >= _QUEUES
    monkeypatch.setattr(_FailingFile, "fails", False)
    embedded.manager.abandon()
    again = EmbeddedQueueManager.start(folder, "QM1")
    app = EmbeddedConnection(again)
    for number in range(_QUEUES):
        hobj = app.open(MQOD(ObjectName=f"Q{number}"), C.MQOO_INPUT_SHARED)
        assert app.get(hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT)).data == b"%d" % number
        app.close(hobj)
    again.end()
