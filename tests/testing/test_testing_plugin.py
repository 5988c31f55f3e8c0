"""The fixture `queue_manager` and the context manager beneath it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import libremq
from libremq.common.files import durable_sync
from libremq.testing import FaultyFiles, VirtualClock, temporary_queue_manager

A_TEST_OF_A_USER = """
def test_orders(queue_manager):
    queue_manager.define_local("ORDERS")
    queue_manager.queue("ORDERS").put("tea")
    assert queue_manager.queue("ORDERS").get().text == "tea"

def test_a_fresh_one_for_every_test(queue_manager):
    assert queue_manager.queue_names() == []
"""


A_TEST_WITHOUT_UNIX = """
import pytest

def test_that_has_nothing_to_do_with_us():
    assert 1 + 1 == 2

def test_that_wants_a_queue_manager(request):
    with pytest.raises(Exception) as caught:
        request.getfixturevalue("queue_manager")
    assert str(caught.value).startswith("MQRC_ENVIRONMENT_ERROR (2012) QM1: a queue manager needs Linux or macOS, and ")
"""
A_TEST_OF_HOW_WE_ARE_LOADED = """
import sys

def test_modules_are_loaded_as_without_pytest(queue_manager):
    names = [name for name in sys.modules if name.startswith("libremq.") and not name.startswith("libremq.testing")]
    loaders = {type(sys.modules[name].__spec__.loader).__name__ for name in names}
    assert len(names) > 100 and loaders == {"SourceFileLoader"}
"""
_ROOT = Path(__file__).parents[2]


def run_pytest(test: str, folder: Path, *, first: str = "", path: str = "") -> str:
    """What pytest prints about a test of a user that passes; `first` is run before it starts."""
    (folder / "test_shop.py").write_text(test)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    words = ["-q", "-p", "no:cacheprovider", str(folder / "test_shop.py")]
    ran = subprocess.run(
        [sys.executable, "-c", f"{first}\nimport sys, pytest\nsys.exit(pytest.main({words!r}))"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**environment, "PYTHONPATH": path},
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_fixture_is_there_without_any_import(tmp_path: Path) -> None:
    assert "2 passed" in run_pytest(A_TEST_OF_A_USER, tmp_path)


def test_without_fcntl_and_the_like_no_test_is_disturbed(tmp_path: Path) -> None:
    first = f"import sys; sys.path.insert(0, {str(_ROOT / 'tests')!r})\n"
    first += "import pytest, helper_other_system; helper_other_system.without_modules()"
    assert "2 passed" in run_pytest(A_TEST_WITHOUT_UNIX, tmp_path, first=first)


def test_asserts_of_ours_are_not_rewritten(tmp_path: Path) -> None:
    """As a wheel leaves it: pytest knows which modules came with the plugin."""
    site = tmp_path / "site"
    about = site / "libremq-0.1.0.dist-info"
    about.mkdir(parents=True)
    (site / "libremq").symlink_to(_ROOT / "src" / "libremq")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: libremq\nVersion: 0.1.0\n")
    (about / "entry_points.txt").write_text("[pytest11]\nlibremq = libremq.testing.plugin\n")
    (about / "RECORD").write_text("libremq/__init__.py,,\nlibremq/testing/plugin.py,,\n")
    assert "1 passed" in run_pytest(A_TEST_OF_HOW_WE_ARE_LOADED, tmp_path, path=str(site))


def test_a_queue_manager_for_tests_does_not_wait_for_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    synced: list[int] = []
    monkeypatch.setattr(durable_sync, "_content", synced.append)
    monkeypatch.setattr(os, "fsync", synced.append)
    for clock in (None, VirtualClock()):
        with temporary_queue_manager(clock=clock) as qm:
            qm.define_local("Q")
            qm.put("Q", "x", persistent=True)
    assert synced == []
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}"):
        assert len(synced) > 10


def test_what_was_put_survives_the_end_of_the_process(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\nfrom libremq.testing import temporary_queue_manager\n"
        "with temporary_queue_manager(folder=sys.argv[1]) as qm:\n"
        "    qm.define_local('Q')\n    qm.put('Q', 'safe', persistent=True)\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(tmp_path)], timeout=240, check=False)
    assert ran.returncode == -signal.SIGKILL
    with libremq.connect(f"embedded:QM1?data={tmp_path}") as qm:
        assert qm.queue("Q").get().text == "safe"


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
