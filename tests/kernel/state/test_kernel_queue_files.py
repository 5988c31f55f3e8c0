"""Where queues are kept: found by name and by id, and no folder twice."""

from __future__ import annotations

from pathlib import Path

from helper_qmgr import Session

from libremq.common.clock import SystemClock
from libremq.common.files.file_layer import RealFiles
from libremq.host import lifecycle
from libremq.kernel.state.queue_files import QueueFiles
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO


def test_a_queue_is_found_by_name_and_by_id() -> None:
    files = QueueFiles()
    files.place("A", 1, "A")
    files.place("B", 2, "B")
    assert files["A"] == (1, "A") and files.get("C") is None and list(files) == ["A", "B"] and len(files) == 2
    assert files.name_of(2) == "B" and files.name_of(3) is None
    assert files == {"A": (1, "A"), "B": (2, "B")}


def test_a_queue_that_moves_or_goes_leaves_its_folder() -> None:
    files = QueueFiles()
    files.place("A", 1, "A")
    files.place("A", 1, "A#")
    assert files.is_taken("A#") and not files.is_taken("A")
    assert files.name_of(1) == "A"
    files.place("A", 7, "A##")  # another of the same name
    assert files.name_of(1) is None and files.name_of(7) == "A"
    files.forget("A")
    assert not files and files.name_of(7) is None and not files.is_taken("A##")


def test_a_folder_is_free_when_nobody_has_it_any_more() -> None:
    files = QueueFiles()
    files.place("A", 1, "shared")
    files.place("B", 2, "shared")
    files.forget("A")
    assert files.is_taken("shared")
    files.forget("B")
    assert not files.is_taken("shared")


def test_a_new_queue_gets_a_folder_that_is_free() -> None:
    session = Session()
    core = session.core
    for folder in ("A", "A#"):
        session.queue("A")
        assert core.queue_files["A"][1] == folder
        session.qm.delete("QLOCAL", "A")
    number = core.next_queue_id + 1
    core.recovering[99] = f"A#{number}"
    session.queue("A")
    assert core.queue_files["A"][1] == f"A#{number + 1}"
    del core.recovering[99]
    session.qm.checkpoint()
    assert not core.dropped_folders
    session.qm.delete("QLOCAL", "A")
    session.queue("A")
    assert core.queue_files["A"][1] == "A"


def test_a_queue_that_is_made_again_and_again_has_a_folder_that_can_be_made(tmp_path: Path) -> None:
    """All of these folders wait for the next checkpoint, which must be able to write the last one."""
    folder, clock, name = str(tmp_path / "qm"), SystemClock(), "A" * 48
    lifecycle.create(RealFiles(), folder, "QM1", clock)
    manager = lifecycle.start(RealFiles(), folder, "QM1", clock)
    for _ in range(250):
        manager.define("QLOCAL", name, {})
        manager.delete("QLOCAL", name)
    manager.define("QLOCAL", name, {})
    assert len(manager.core.dropped_folders) == 250
    hconn = manager.connect("alice", "teller")
    md, pmo = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT), MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
    manager.put1(hconn, MQOD(ObjectName=name), md, pmo, b"kept")
    manager.checkpoint()
    assert not manager.core.dropped_folders
    manager.abandon()
    again = lifecycle.start(RealFiles(), folder, "QM1", clock)
    assert again.depth(name) == 1
    again.end()
