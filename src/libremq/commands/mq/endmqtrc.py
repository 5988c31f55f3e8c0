"""The `libremq endmqtrc` command: end the trace that strmqtrc began."""

from __future__ import annotations

import argparse

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import add_data_argument, guarded, tell
from libremq.commands.shared.trace_request import ask

COMMAND = "endmqtrc"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager; else the default one")
    parser.add_argument("-a", action="store_true", dest="all", help="accepted for scripts: there is one trace")
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from libremq.server.process.trace_commands import END_TRACE

    name, path = ask(arguments, END_TRACE)
    tell(f"The trace of queue manager '{name}' is off: {path}" if path else f"'{name}' was not traced.")
    return ExitCode.OK
