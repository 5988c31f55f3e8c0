"""The fixture `queue_manager` and the context manager beneath it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import libremq
from libremq.testing import FaultyFiles, VirtualClock, temporary_queue_manager

A_TEST_OF_A_USER = """
def test_orders(queue_manager):
    queue_manager.define_local("ORDERS")
    queue_manager.queue("ORDERS").put("tea")
    assert queue_manager.queue("ORDERS").get().text == "tea"

def test_a_fresh_one_for_every_test(queue_manager):
    assert queue_manager.queue_names() == []
"""


def test_the_fixture_is_there_without_any_import(tmp_path: Path) -> None:
    (tmp_path / "test_shop.py").write_text(A_TEST_OF_A_USER)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout


def test_starting_pytest_loads_nothing_of_us_but_the_plugin() -> None:
    script = (
        "import pytest, sys; before = set(sys.modules); import libremq.testing.plugin\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=240, check=False)
    assert ran.stdout == "libremq libremq.testing libremq.testing.plugin\n", ran.stderr


def test_the_fixture_keeps_to_its_folder(queue_manager: libremq.QueueManager, tmp_path: Path) -> None:
    assert Path(queue_manager.folder).is_relative_to(tmp_path)


def test_a_second_connection_to_the_same_one(queue_manager: libremq.QueueManager) -> None:
    queue_manager.define_local("Q")
    with libremq.connect(queue_manager.url) as other:
        other.put("Q", "x")
    assert queue_manager.queue("Q").get().text == "x"


def test_a_temporary_folder_goes_with_the_queue_manager() -> None:
    with temporary_queue_manager("QM9") as qm:
        folder = Path(qm.folder)
        assert folder.is_dir()
        assert qm.name == "QM9"
    assert not folder.exists()
    with pytest.raises(libremq.HandleError):
        qm.queue_names()


def test_a_folder_that_is_given_stays(tmp_path: Path) -> None:
    for expected in ([], ["Q"]):
        with temporary_queue_manager(folder=tmp_path) as qm:
            assert qm.queue_names() == expected
            qm.define_local("Q", replace=True)


def test_the_largest_message_fits_the_small_log(queue_manager: libremq.QueueManager) -> None:
    queue_manager.define_local("Q")
    data = b"x" * 4 * 1024 * 1024
    queue_manager.put("Q", data, persistent=True)
    assert queue_manager.queue("Q").get().data == data


def test_data_in_memory_survives_a_power_cut() -> None:
    files = FaultyFiles()
    with temporary_queue_manager(files=files) as qm:
        qm.define_local("Q")
        qm.put("Q", "safe", persistent=True)
        survivors = list(files.disk_states(limit=3))
    assert survivors
    for disk in survivors:
        with temporary_queue_manager(files=disk) as qm:
            assert [message.text for message in qm.queue("Q")] == ["safe"]


def test_the_virtual_clock_expires_messages() -> None:
    clock = VirtualClock()
    with temporary_queue_manager(clock=clock) as qm:
        qm.define_local("Q")
        qm.put("Q", "x", expiry=10)
        clock.advance(3600)
        assert qm.queue("Q").depth == 0  # the scanner found it: nobody asked for it
