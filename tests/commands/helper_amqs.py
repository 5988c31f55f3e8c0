"""Run the samples inside the test, with standard input, or as processes of their own."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from libremq.commands import main

ROWS = tuple(
    main.Command(name, name, f"libremq.commands.samples.{name}", 99)
    for name in ("amqsput", "amqsget", "amqsbcg", "amqsblst", "amqsreq", "amqsech")
)


class Samples:
    """The samples on queue managers in a data folder of their own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        self.data = data
        monkeypatch.setenv("LIBREMQ_DATA", str(data))
        for name in ("MQSERVER", "MQSAMP_USER_ID", "MQCHLLIB", "MQCHLTAB", "MQCCDTURL"):
            monkeypatch.delenv(name, raising=False)
        known = {command.name for command in main.COMMANDS}
        monkeypatch.setattr(main, "COMMANDS", main.COMMANDS + tuple(row for row in ROWS if row.name not in known))

    def __call__(self, *words: str, given: bytes | None = b"") -> tuple[int, list[str], str]:
        """Exit code, lines of standard output, standard error. Nothing given: standard input is closed."""
        self._monkeypatch.setattr(sys, "stdin", None if given is None else io.TextIOWrapper(io.BytesIO(given)))
        self._capsys.readouterr()
        try:
            code = main.main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = self._capsys.readouterr()
        return code, captured.out.splitlines(), captured.err

    def good(self, *words: str, given: bytes | None = b"") -> list[str]:
        code, lines, err = self(*words, given=given)
        assert (code, err) == (0, ""), (lines, err)
        return lines


_SCRIPT = """
import sys
from libremq.commands import main
main.COMMANDS = (main.Command(sys.argv[1], "a sample", f"libremq.commands.samples.{sys.argv[1]}", 99),)
sys.exit(main.main())
"""


def start(*words: str) -> subprocess.Popen[bytes]:
    """A sample as a process; the environment says where its queue managers are."""
    return subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
