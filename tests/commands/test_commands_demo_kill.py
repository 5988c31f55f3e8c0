"""The first part of `make demo`, as far as its other tests do not go: a terminal, and somebody who has seen enough."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from libremq.commands.demo import demo_kill


def test_control_c_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    """To the whole group of processes, as a terminal sends it, while a child is at work."""
    words = [sys.executable, "-u", "-m", "libremq.commands.demo.demo_kill"]
    demo = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert demo.stdout is not None
    for line in demo.stdout:
        if "kill -9 number 1" in line:
            break
    os.killpg(demo.pid, signal.SIGINT)
    out, err = demo.communicate(timeout=600)
    assert (demo.returncode, err) == (130, "")
    assert out.endswith("Stopped. What was started is ended, and its files are gone.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("columns", [20, 60, 80, 200])
def test_a_bar_never_fills_a_line(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(demo_kill, "PLAIN", False)
    for done in range(0, demo_kill.ORDERS + 1, 500):
        demo_kill._bar("put", done)
    lines = capsys.readouterr().out.replace("\r", "\n").split("\n")
    assert max(map(len, lines)) < max(columns, 27)
    assert "6000 of 6000" in lines[-2] and "#" in lines[-2] and "." not in lines[-2]
