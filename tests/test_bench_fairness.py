"""The benchmark of fairness, as small as it goes: all of its parts run, and every row has a number."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

_BENCH = Path(__file__).parent.parent / "bench"


@pytest.mark.skipif(sys.platform != "linux", reason="the benchmark asks Linux what its folder is on")
def test_the_fairness_benchmark_runs(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(_BENCH / "fairness.py"), "--tiny", "--folder", str(tmp_path)],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    if "is in memory" in run.stderr:
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0, run.stderr
    number = r" +\d+\.\d +\d+\.\d times the quiet one, of [\d ]+ calls; goal 50: "
    for row in (
        r"quiet +\d+\.\d +median \d", rf"heartbeats without end{number}",
        rf"selector, 20 messages of 40 properties{number}", rf"get that meets 200 expired messages{number}",
        rf"DISPLAY QUEUE\(\*\) WHERE, 50 queues{number}",
        rf"checkpoint, 10 queues{number}", rf"persistent put of 1 MB{number}",
    ):  # fmt: skip
        assert re.search(row, run.stdout), f"{row} is not in\n{run.stdout}"
    assert not list(tmp_path.iterdir())  # it leaves nothing behind
