"""Run a command line inside the test, and a queue manager in another process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from libremq.commands import main

SMALL = ("-lf", "64")


class Commands:
    """`libremq` on a data folder of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], data: Path) -> None:
        self._capsys = capsys
        self.data = data

    def __call__(self, *words: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        try:
            code = main.main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err

    def good(self, *words: str) -> list[str]:
        """The lines of a command that works and has no complaints."""
        code, out, err = self(*words)
        assert (code, err) == (0, ""), err
        return out.splitlines()

    def bad(self, *words: str) -> tuple[int, str]:
        """The exit code and the complaint of a command that does not work."""
        code, out, err = self(*words)
        assert code != 0, out
        assert err.startswith(("AMQ", "libremq", "usage: libremq")), err
        return code, err

    def folder(self, name: str = "QM1") -> Path:
        return self.data / "qmgrs" / name


@contextmanager
def other_process(name: str, data: Path) -> Iterator[int]:
    """Another process that has the queue manager open, killed at the end of the block; its number."""
    script = "import sys, libremq; libremq.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-c", script, f"embedded:{name}?data={data}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        assert child.stdout.readline() == b"open\n"
        yield child.pid
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()
