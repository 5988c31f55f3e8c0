"""Commands on queue managers that serve, as processes of their own, for a test."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helper_cli import SMALL, Commands

LIMIT_S = 240.0


@contextmanager
def serving(commands: Commands, name: str = "QM1", *flags: str) -> Iterator[str]:
    """Create and start a queue manager without a listener, and end it; its URL."""
    commands.good("crtmqm", *flags, *SMALL, name)
    commands.good("strmqm", "-ns", name)
    try:
        yield f"local:{name}"
    finally:
        commands("endmqm", "-i", name)


class Process:
    """`libremq` as a process whose lines can be waited for. What it starts may outlive it, so its files are ours."""

    def __init__(self, *words: str, given: bytes = b"") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "libremq.commands.main", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdin is not None
        self.process.stdin.write(given)
        self.process.stdin.close()
        self.text = ""

    def until(self, wanted: str) -> None:
        """Read until a text has come."""
        deadline = time.monotonic() + LIMIT_S
        assert self.process.stdout is not None
        while wanted not in self.text:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, self.text
            part = os.read(self.process.stdout.fileno(), 65536)
            assert part, self.text
            self.text += part.decode()

    def end(self, number: int | None = None) -> int:
        """Send a signal, if one is given, and wait for the end; the exit code.

        What it started may still have its standard output, so that need not come to an end.
        """
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(LIMIT_S)
        assert self.process.stdout is not None
        while select.select([self.process.stdout], [], [], 0)[0]:
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                break
            self.text += part.decode()
        self.process.stdout.close()
        return code


def until_there(path: Path) -> str:
    """The text of a file that another process writes in one go."""
    deadline = time.monotonic() + LIMIT_S
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.01)
    return path.read_text()
