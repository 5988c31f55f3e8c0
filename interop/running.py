"""Processes that run somebody's tests and programs, with our modules on their path and a limit in time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import lark

from interop.outcomes import PASSED, SKIPPED, Outcome, failure, last_line, passed
from interop.packages import Packages
from interop.server import Server

ROOT = Path(__file__).resolve().parent.parent
TESTS_TIMEOUT_S = 300
_EMPTY_INI = "[pytest]\n"


def environment(packages: Packages, server: Server, **more: str) -> dict[str, str]:
    """For a process that uses the packages: their place, the data of the queue manager, and where it listens."""
    parser = str(Path(lark.__file__).parent.parent)  # last on the path: for another Python than this one
    path = os.pathsep.join([str(packages.site), str(ROOT / "src"), str(ROOT), parser])
    values = {key: value for key, value in os.environ.items() if not key.startswith(("MQ", "PY_IBMMQ", "PYTEST"))}
    return {
        **values,
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "LIBREMQ_DATA": str(server.data),
        "PY_IBMMQ_TEST_QM_NAME": server.name,
        "PY_IBMMQ_TEST_QM_HOST": server.host,
        "PY_IBMMQ_TEST_QM_PORT": str(server.port),
        "PY_IBMMQ_TEST_TLS_SKIP": "1",
        **more,
    }


def run_tests(group: str, file: Path, folder: Path, values: dict[str, str]) -> list[Outcome]:
    """One file of tests, in one process."""
    lines = folder / f"{file.stem}.jsonl"
    lines.unlink(missing_ok=True)
    ini = folder / "pytest.ini"
    ini.write_text(_EMPTY_INI)
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "interop.recorder", "-c", str(ini),
        f"--rootdir={file.parent}", str(file),
    ]  # fmt: skip
    ended = run(command, file.parent, {**values, "INTEROP_OUTCOMES": str(lines)}, TESTS_TIMEOUT_S)
    states: dict[str, tuple[str, str]] = {}
    for line in lines.read_text().splitlines() if lines.exists() else []:
        entry = json.loads(line)
        name, state = entry["name"], entry["state"]
        if state == "begun" or states.get(name, ("begun",))[0] in ("begun", PASSED):  # a teardown may fail yet
            states[name] = state, entry.get("why", "")
    if not states:
        return [failure(group, file.name, ended.output or "no test ran")]
    return [_outcome(group, name, state, why or ended.output) for name, (state, why) in states.items()]


def _outcome(group: str, name: str, state: str, why: str) -> Outcome:
    if state == PASSED:
        return passed(group, name)
    if state == SKIPPED:
        return Outcome(group, name, SKIPPED, last_line(why).removeprefix("Skipped: "))
    return failure(group, name, why if state == "failed" else f"{why}\nit did not end in {TESTS_TIMEOUT_S} s")


class Ended:
    """How a process ended."""

    def __init__(self, code: int | None, output: str) -> None:
        self.code = code
        """None: it was stopped when its time was over."""
        self.output = output


def run(command: list[str], folder: Path, values: dict[str, str], timeout_s: float) -> Ended:
    """Run a process to its end, or until its time is over: then it is interrupted, and killed if that does not help."""
    process = subprocess.Popen(
        command, cwd=folder, env=values, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=timeout_s)
        return Ended(process.returncode, output)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        output, _ = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return Ended(None, output)
