"""The end of an embedded queue manager beside a checkpoint, and in the child of a fork."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from libremq.host.embedded import EmbeddedQueueManager
from libremq.kernel.recovery.checkpoint import Checkpoint
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

pytestmark = pytest.mark.embedded  # the thread that takes checkpoints, seen from inside

SMALL = LogConfig(primary_files=2, secondary_files=1, file_pages=64)


def test_a_failed_one_keeps_its_folder_while_a_checkpoint_is_still_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next start reads files that change under it."""
    embedded = EmbeddedQueueManager.start(str(tmp_path / "qm"), "QM1", create=True, log_config=SMALL)
    manager = embedded.manager
    begun, let_go = threading.Event(), threading.Event()
    free: list[bool] = []
    write, release = Checkpoint.write, manager._let_go

    def slow_write(self: Checkpoint, *args: object) -> None:
        begun.set()
        free.append(let_go.wait(0.5))
        write(self)

    def watched() -> None:
        let_go.set()
        release()

    monkeypatch.setattr(Checkpoint, "write", slow_write)
    monkeypatch.setattr(manager, "_let_go", watched)
    with embedded.lock:
        embedded.admin(lambda: manager.define("QLOCAL", "Q", {}))
        manager.checkpoint_due()
    assert begun.wait(120)
    with embedded.lock:
        manager.fail("as after a failed sync")
    embedded.end()
    assert free == [False] and let_go.is_set()
    monkeypatch.undo()
    EmbeddedQueueManager.start(str(tmp_path / "qm"), "QM1").end()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_the_copy_in_the_child_of_a_fork_is_refused_and_ends_quietly(tmp_path: Path) -> None:
    """Also if a thread of the parent held a lock of the log at that moment."""
    embedded = EmbeddedQueueManager.start(str(tmp_path / "qm"), "QM1", create=True, log_config=SMALL)
    with embedded.manager.core.log._gather:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                try:
                    embedded.checkpoint()
                except MQError as error:
                    status = 0 if error.reason == C.MQRC_CONNECTION_BROKEN else 2
                embedded.end()
            except BaseException:
                status = 3
            finally:
                os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    embedded.checkpoint()
    embedded.end()
