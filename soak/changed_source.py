"""Tests that run against a copy of the source in which one module is another: which of them notices?

`soak.mutants` makes its changes by seed, `soak.planted` has a table of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HOME = Path(__file__).parents[1]
SOURCE = HOME / "src" / "libremq"
_TEST_S = 60  # one test: those that hang are found too
_RUN_S = 600
_TIMEOUT = "+ Timeout +"  # pytest-timeout, which ends the whole run
_NOTHING_RAN = (4, 5)  # of pytest: a file that is not there, no test in it


class NoTests(Exception):
    """pytest has found nothing to run: that nobody noticed says nothing."""


def source_of(module: str) -> str:
    return (SOURCE / module).read_text(encoding="utf-8")


def first_failure(module: str, content: str, tests: Sequence[str]) -> str:
    """The first test that fails with this for the content of the module; empty if all go well."""
    with tempfile.TemporaryDirectory(prefix="libremq-changed-") as folder:
        copy = Path(folder) / "libremq"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / module).write_text(content, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-n", "0", f"--timeout={_TEST_S}", *tests]
        environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        environment["LIBREMQ_HYPOTHESIS"] = "notice"  # the first example that fails is as good as the smallest
        try:
            done = subprocess.run(command, cwd=HOME, env=environment, capture_output=True, text=True, timeout=_RUN_S)
        except subprocess.TimeoutExpired:
            return "no end"
    if done.returncode == 0:
        return ""
    if done.returncode in _NOTHING_RAN:
        raise NoTests(done.stdout + done.stderr)
    if _TIMEOUT in done.stdout + done.stderr:
        return "a test without end"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED tests/", "ERROR tests/"))]
    return failed[0].split(" - ")[0] if failed else f"pytest ended with {done.returncode}"
