"""Transcripts: scripts of commands with the expected replies under them, in tests/transcripts/*.txt.

A script is paragraphs. `#` lines are prose; command lines follow, then `----`, then the replies in order, up to the
next empty line; one ok stands for all if every reply is ok. `run` plays a script on a fresh queue manager and returns
its text with the replies of this run: equal to the script if all is as it was written down.
"""

from __future__ import annotations

from pathlib import Path

from transcript_host import EmbeddedHost, Host
from transcript_values import TranscriptError
from transcript_verbs import Interpreter

SEPARATOR = "----"


def scripts() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*.txt"))


def run(text: str, host: Host | None = None) -> str:
    """The script again, with the replies that its commands get now."""
    interpreter = Interpreter(host or EmbeddedHost())
    return "\n\n".join(_paragraph(interpreter, lines) for lines in _paragraphs(text)) + "\n"


def _paragraphs(text: str) -> list[list[str]]:
    return [lines for part in text.split("\n\n") if (lines := [line.rstrip() for line in part.splitlines() if line])]


def _paragraph(interpreter: Interpreter, lines: list[str]) -> str:
    script = lines[: lines.index(SEPARATOR)] if SEPARATOR in lines else lines
    commands = [line for line in script if not line.startswith("#")]
    if not commands:
        return "\n".join(script)
    replies: list[str] = []
    for command in commands:
        try:
            replies += interpreter.run(command)
        except TranscriptError as error:
            raise TranscriptError(f"in {command!r}: {error}") from error
        except Exception as error:
            error.add_note(f"in the transcript command: {command}")
            raise
    if all(reply == "ok" for reply in replies):
        replies = ["ok"]
    return "\n".join([*script, SEPARATOR, *replies])
