"""One opener at a time, also when somebody removes what says so; and nothing is written to files that were replaced."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from libremq.common.files.file_layer import RealFiles
from libremq.host import deletion
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

_SECOND = """
import sys
from libremq.host.embedded import EmbeddedQueueManager
from libremq.mqi.errors import MQError
try:
    EmbeddedQueueManager.start(sys.argv[1], "QM1").end()
    print("started")
except MQError as error:
    print(error)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "qm"


@pytest.fixture
def embedded(folder: Path) -> Iterator[EmbeddedQueueManager]:
    found = EmbeddedQueueManager.start(str(folder), "QM1", create=True, log_config=LogConfig(file_pages=64))
    with found.locked():
        found.manager.define("QLOCAL", "Q", {})
    app = EmbeddedConnection(found)
    md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
    app.put1(MQOD(ObjectName="Q"), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"precious")
    yield found
    found.end()


def _second(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _SECOND, str(folder)], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout


def _content(folder: Path) -> str:
    again = EmbeddedQueueManager.start(str(folder), "QM1")
    app = EmbeddedConnection(again)
    hobj = app.open(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    data = app.get(hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT)).data
    again.end()
    return data.decode()


@pytest.mark.parametrize(
    "removed",
    [("qm.lock",), ("qm.lock", "amqalchk.fil")],
    ids=["the lock file", "the checkpoint file too"],
)
def test_a_second_one_is_kept_out_whatever_was_removed(
    embedded: EmbeddedQueueManager, folder: Path, removed: tuple[str, ...]
) -> None:
    content = {name: (folder / name).read_bytes() for name in removed}
    for name, data in content.items():
        (folder / name).unlink()
        (folder / name).write_bytes(data)
    said = _second(folder)
    assert "another process" in said and "amq" in said and "has the queue manager in" in said


def test_nor_can_it_be_deleted(embedded: EmbeddedQueueManager, folder: Path) -> None:
    (folder / "qm.lock").unlink()
    code = "from libremq.host import deletion; from libremq.common.files.file_layer import RealFiles\n"
    code += "import sys\ndeletion.delete(RealFiles(), sys.argv[1], 'QM1')"
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode and "has the queue manager in" in done.stderr
    assert (folder / "amqalchk.fil").exists()
    with pytest.raises(MQError, match="has the queue manager in"):
        deletion.delete(RealFiles(), str(folder), "QM1")


def _remove_lock(folder: Path) -> None:
    (folder / "qm.lock").unlink()


def _replace_control_file(folder: Path) -> None:
    control = folder / "log" / "amqhlctl.lfh"
    copy = control.read_bytes()
    control.unlink()
    control.write_bytes(copy)


def _replace_log_folder(folder: Path) -> None:
    (folder / "log").rename(folder / "log.aside")
    (folder / "log").mkdir()


@pytest.mark.parametrize("change", [_remove_lock, _replace_control_file, _replace_log_folder])
@pytest.mark.parametrize("moment", ["checkpoint", "end"])
def test_what_was_replaced_ends_the_queue_manager_before_it_writes(
    embedded: EmbeddedQueueManager, folder: Path, change: Callable[[Path], None], moment: str
) -> None:
    said: list[str] = []
    embedded.manager.say = said.append
    change(folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    if moment == "checkpoint":
        with pytest.raises(MQError) as caught:
            embedded.checkpoint()
        assert caught.value.reason == C.MQRC_CONNECTION_BROKEN and "AMQ7494" in str(caught.value)
    embedded.end()
    assert embedded.manager.failure is not None and "AMQ7494" in embedded.manager.failure
    assert any("AMQ7494" in text for text in said)
    assert {path: path.read_bytes() for path in before} == before
    if (folder / "log.aside").exists():
        (folder / "log").rmdir()
        (folder / "log.aside").rename(folder / "log")
    assert _content(folder) == "precious"


def test_a_checkpoint_of_files_that_are_in_place_goes_on(embedded: EmbeddedQueueManager, folder: Path) -> None:
    embedded.checkpoint()
    assert embedded.manager.failure is None
    embedded.end()
    assert _content(folder) == "precious"
