"""Where the time of a running Python process goes, sampled from outside by py-spy: functions by their own time.

A sample counts for the function that holds the interpreter at that moment, and for all its callers together with it.
So what is shown is the interpreter's time: a thread in a system call (a force, a send, a wait) is not in it. How many
of all samples found the interpreter busy is the first line. The process is not stopped for a sample, as that would
change what is measured; samples that went wrong for that are left out, so the process was at least as busy.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

_RATE = 250
_TOP = 30


def sampler() -> str | None:
    """The py-spy program: of this environment, or any."""
    return shutil.which("py-spy", path=str(Path(sys.executable).parent)) or shutil.which("py-spy")


class Profile:
    """Samples a process for so long, beside what the caller does; `text` then has the summary."""

    def __init__(self, pid: int, seconds: float, folder: str) -> None:
        program = sampler()
        assert program is not None
        self._stacks = Path(folder, f"stacks-{pid}.txt")
        self._samples = max(1, round(seconds)) * _RATE
        self._process = subprocess.Popen(
            [
                program, "record", "--pid", str(pid), "--duration", str(max(1, round(seconds))), "--rate", str(_RATE),
                "--format", "raw", "--output", str(self._stacks), "--gil", "--nonblocking",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def text(self) -> str:
        _, said = self._process.communicate()
        if self._process.returncode or not self._stacks.exists():
            return f"  py-spy failed: {said.strip()[-300:]}\n"
        found = summary(self._stacks.read_text(), self._samples)
        self._stacks.unlink()
        return found


def summary(stacks: str, samples: int) -> str:
    """The functions with the most samples of their own, out of collapsed stacks (`frame;frame;frame count`)."""
    own: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for line in stacks.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [_function(frame) for frame in stack.split(";") if " (" in frame and not frame.startswith("process ")]
        if frames:
            own[frames[-1]] += int(count)
            for frame in set(frames):
                within[frame] += int(count)
    total = sum(own.values())
    if not total:
        return "  no samples: the interpreter was never busy\n"
    lines = [
        f"  interpreter busy in at least {total / samples:.0%} of the time",
        f"  {'own':>6}  {'with callees':>12}  function",
    ]
    for function, times in own.most_common(_TOP):
        lines.append(f"  {times / total:6.1%}  {within[function] / total:12.1%}  {function}")
    return "\n".join(lines) + "\n"


def _function(frame: str) -> str:
    """`name (path/file.py:12)` without the line, and only the end of the path."""
    name, _, place = frame.rpartition(" (")
    path = place.rstrip(")").rpartition(":")[0] or place.rstrip(")")
    return f"{name} ({'/'.join(path.split('/')[-2:])})"
