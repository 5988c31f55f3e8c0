"""The benchmark of message channels, as small as it goes: all of its parts run, and every row has a number."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

_BENCH = Path(__file__).parent.parent / "bench"


@pytest.mark.skipif(sys.platform != "linux", reason="the benchmark reads processor times from /proc")
def test_the_channel_benchmark_runs(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(_BENCH / "channels.py"), "--tiny", "--folder", str(tmp_path)],
        capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip
    if "is in memory" in run.stderr:
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0, run.stderr
    for row in (
        r"round trip of the far link +\d", r"BATCHSZ\(1\), PipeLineLength=1 +\d",
        r"BATCHSZ\(50\), PipeLineLength=2 +\d.* times BATCHSZ\(1\)", r"persistent, two hops +\d", r"FAST, two hops +\d",
        r"local client, one put at a time +\d", r"local client, units of work of 50 +\d", r"at the receiver",
    ):  # fmt: skip
        assert re.search(row, run.stdout), f"{row} is not in\n{run.stdout}"
    assert not list(tmp_path.iterdir())  # it leaves nothing behind
