"""MQSC sessions: what is typed, and under it what runmqsc prints. One file for each subject, good commands and bad.

Each is played on a fresh queue manager. LIBREMQ_TRANSCRIPTS=update writes the answers of this run into the files; then
read the difference as prose. What differs from run to run (dates, times, processes, sizes of disks) is masked.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

import pytest

import libremq

_UPDATE = os.environ.get("LIBREMQ_TRANSCRIPTS") == "update"
_SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.txt"))
_MASKED = re.compile(
    r"\b(ALTDATE|ALTTIME|CRDATE|CRTIME|STARTDA|STARTTI|LOGSTRDA|LOGSTRTI|QMID|PID|TID|HOSTNAME|DATPATH|LOGPATH|DATFSSZ|"
    r"DATFSUSE|LOGFSSZ|LOGFSUSE|DISKLSN|LOGINUSE|LOGUTIL|APPLTAG|USERID|MSGAGE|VERSION|SSLKEYR|CHKPTCNT|RESETINT|CURFSIZE)\([^)]*\)"
)


def commands_of(text: str) -> list[tuple[str, str]]:
    """Comments as they are, and commands: a command begins with `> `, its further lines with `. `."""
    parts: list[tuple[str, str]] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.splitlines()
        if lines[0].startswith("> "):
            typed = [line for line in lines if line.startswith(("> ", ". "))]
            parts.append(("command", "\n".join(typed)))
        else:
            parts.append(("comment", paragraph))
    return parts


def masked(line: str) -> str:
    """With the second column where it was."""

    def mask(found: re.Match[str]) -> str:
        return f"{found.group(1)}(...)"

    first, second = line[:43], line[43:]
    if _MASKED.search(first) and second:
        return _MASKED.sub(mask, first.rstrip()).ljust(43) + _MASKED.sub(mask, second)
    return _MASKED.sub(mask, line)


def play(text: str, folder: Path) -> str:
    played: list[str] = []
    with libremq.connect(f"embedded:QM1?create=1&data={folder}", user="admin", application="session") as manager:
        for kind, part in commands_of(text):
            if kind == "comment":
                played.append(part)
                continue
            typed = "\n".join(line[2:] for line in part.splitlines())
            lines = [part]
            for answer in manager.mqsc(typed):
                lines += [masked(line) if line else "-" for line in answer.lines]
            played.append("\n".join(lines))
    return "\n\n".join(played) + "\n"


@pytest.mark.parametrize("session", _SESSIONS, ids=lambda path: path.stem)
def test_session(session: Path, tmp_path: Path) -> None:
    text = session.read_text()
    played = play(text, tmp_path)
    if _UPDATE:
        session.write_text(played)
    compared = difflib.unified_diff(text.splitlines(), played.splitlines(), "expected", "played", lineterm="")
    difference = "\n".join(compared)
    assert not difference, difference


def test_every_command_is_in_a_session() -> None:
    """A command that nobody has typed in a session is a command that nobody has looked at."""
    from libremq.admin.command_table import COMMANDS
    from libremq.admin.mqsc_reading import MqscSyntaxError, read_command

    typed: set[str] = set()
    for session in _SESSIONS:
        for kind, part in commands_of(session.read_text()):
            if kind == "command":
                try:
                    typed.add(read_command(" ".join(line[2:].rstrip("+") for line in part.splitlines())).spec.words)
                except MqscSyntaxError:
                    pass
    assert {spec.words for spec in COMMANDS} == typed
