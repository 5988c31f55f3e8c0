"""More queues than a process may have files open: a queue manager goes on, ends and starts again."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from libremq.host import lifecycle
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

_MANY = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

QUEUES = 300

def connected(folder, create):
    embedded = EmbeddedQueueManager.start(folder, "QM1", create=create)
    return embedded, EmbeddedConnection(embedded)

def get(app, name):
    hobj = app.open(MQOD(ObjectName=name), C.MQOO_INPUT_SHARED)
    data = app.get(hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT)).data
    app.close(hobj)
    return data

embedded, app = connected(sys.argv[1], True)
names = [f"Q{number}" for number in range(QUEUES)]
with embedded.locked():
    for name in names:
        embedded.manager.define("QLOCAL", name, {})
apps = [EmbeddedConnection(embedded) for _ in range(2)]
handles = [apps[number % 2].open(MQOD(ObjectName=name), C.MQOO_OUTPUT) for number, name in enumerate(names)]
for turn in range(2):
    for number, hobj in enumerate(handles):
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
        apps[number % 2].put(hobj, md, MQPMO(Options=C.MQPMO_SYNCPOINT), b"%d.%d" % (number, turn))
        if number % 50 == 49:
            apps[0].commit()
            apps[1].commit()
    embedded.checkpoint()
assert all(get(app, name) == b"%d.0" % number for number, name in enumerate(names))
embedded.checkpoint()
assert len(os.listdir("/proc/self/fd")) < 100 if os.path.isdir("/proc/self/fd") else True
assert embedded.manager.failure is None
embedded.manager.abandon()

embedded, app = connected(sys.argv[1], False)
assert all(get(app, name) == b"%d.1" % number for number, name in enumerate(names))
embedded.end()
assert embedded.manager.failure is None
print("all there")
"""


def test_300_queues_with_messages_under_a_limit_of_128_open_files(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MANY, str(tmp_path / "qm")], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout == "all there\n", done.stderr


@pytest.mark.parametrize("kind", ["open", "sync_folder"])
def test_too_many_open_files_postpone_a_checkpoint_and_end_nothing(kind: str) -> None:
    """It is no failed sync: what was written is still to be synced, and is, as soon as there is a file to be had."""
    files, clock, said = FaultyFiles(), VirtualClock(), list[str]()
    lifecycle.create(files, "qm", "QM1", clock, LogConfig(file_pages=64))
    manager = lifecycle.start(files, "qm", "QM1", clock, say=said.append)
    manager.define("QLOCAL", "Q", {})
    hconn = manager.connect()
    md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
    manager.put1(hconn, MQOD(ObjectName="Q"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"data")
    manager.force(manager.core.log.tail - 1)
    for path in ("qm", "qm/queues*"):
        files.fail(kind, path if kind == "sync_folder" else path + "*", OSError(errno.EMFILE, "Too many open files"))
        manager.checkpoint()
        assert manager.failure is None
        files.heal()
    assert any("AMQ7233" in text and "Too many open files" in text for text in said)
    manager.checkpoint()
    manager.abandon()
    for state in files.disk_states():
        again = lifecycle.start(state, "qm", "QM1", clock)
        hconn = again.connect()
        hobj = again.open(hconn, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
        got = again.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
        assert got.data == b"data"  # type: ignore[union-attr]
