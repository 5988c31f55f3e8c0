"""Ctrl-C while a queue manager is being made or started: what is there then, and what is said of it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helper_cli import Commands

from libremq.common.files import queue_manager_files

COMMAND = [sys.executable, "-m", "libremq.commands.main"]
LIMIT_S = 240


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path))
    return Commands(capsys, tmp_path)


def interrupted(*words: str, when: Callable[[], bool]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command that got SIGINT when that was so, or has ended."""
    child = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + LIMIT_S
    while child.poll() is None and not when():
        assert time.monotonic() < deadline
        time.sleep(0.001)
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=LIMIT_S)
    return child.returncode, out, err


@pytest.mark.parametrize("there", [queue_manager_files.MARKER, "log/S0000001.LOG", queue_manager_files.CHECKPOINT])
def test_a_queue_manager_is_made_whole_or_not_at_all(mq: Commands, there: str) -> None:
    path = mq.folder() / there
    code, out, err = interrupted("crtmqm", "--dev", "-lf", "4096", "QM1", when=path.exists)
    assert err == ""
    if code == 0:  # it was quicker
        assert out.endswith("Setup completed.\n")
        assert (mq.folder() / "users.json").exists()
    else:
        assert (code, out) == (130, "")
        assert not mq.folder().exists()
        mq.good("crtmqm", "-lf", "64", "QM1")


def test_a_queue_manager_that_is_being_started_goes_on_and_that_is_said(mq: Commands) -> None:
    mq.good("crtmqm", "-lf", "64", "QM1")
    run_file = mq.folder() / "run.json"
    code, _, err = interrupted("strmqm", "-ns", "QM1", when=lambda: run_file.exists())
    try:
        if code != 0:
            assert code == 130
            assert err == "libremq strmqm: 'QM1' goes on starting in the background; libremq endmqm QM1 ends it\n"
    finally:
        mq("endmqm", "-p", "QM1")
