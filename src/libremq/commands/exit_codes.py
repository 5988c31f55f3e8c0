"""The exit codes of the control commands, with MQ's numbers, and a parser that ends with the one of its command.

It imports next to nothing of LibreMQ, because every command line needs it.
"""

from __future__ import annotations

import argparse
import re
import sys
from enum import IntEnum
from typing import NoReturn

from libremq.common.printable_text import printable


class ExitCode(IntEnum):
    """The numbers mean the same in all commands that have them."""

    OK = 0
    RUNNING = 5
    EXISTS = 8
    DOES_NOT_EXIST = 16
    LOG_NOT_AVAILABLE = 23
    NOT_DELETED = 33
    ARGUMENTS = 36
    PARAMETER = 39
    NOT_AVAILABLE = 40
    STOPPING = 49
    NO_MEDIA_IMAGE = 66
    NOT_LINEAR = 68
    STORAGE = 69
    QUEUE_SPACE = 70
    UNEXPECTED = 71
    NAME = 72
    LOG_LOCATION = 100
    NOT_MADE_DEFAULT = 111
    LOG_SIZE = 115
    NOT_AUTHORIZED = 119
    NONE_PROCESSED = 128
    DAMAGED = 132


_URL_PASSWORD = re.compile(r"(\bmqs?://[^\s/:@']*):[^\s']*@|([?&]password=)[^&\s']*", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """An error that quotes what was typed, for everybody to see: the passwords of URLs in it are left out."""
    return _URL_PASSWORD.sub(lambda found: f"{found[1]}@" if found[1] else f"{found[2]}***", text)


class Parser(argparse.ArgumentParser):
    """A parser for which arguments that make no sense end in the exit code that its command has for them."""

    usage_code = 2
    command: Parser | None = None
    """That of the command that was chosen: the parser of the whole line finds words too many, and cannot explain."""

    def error(self, message: str) -> NoReturn:
        if self.command is not None:
            self.command.error(message)
        self.print_usage(sys.stderr)
        text = f"{self.prog}: error: {printable(without_passwords(message))}\n{self.prog} --help says more.\n"
        self.exit(self.usage_code, text)
