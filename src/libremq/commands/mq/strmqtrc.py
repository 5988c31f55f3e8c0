"""The `libremq strmqtrc` command: trace the flows and calls of a queue manager's connections, in words, to a file."""

from __future__ import annotations

import argparse

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import add_data_argument, guarded, tell
from libremq.commands.shared.trace_request import ask
from libremq.server.diagnostics.trace_options import ALL, DATA_BYTES, PROGRAMS_MAX, SIZE_MAX_MB, SIZE_MB, TYPES

COMMAND = "strmqtrc"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager; else the default one")
    parser.add_argument(
        "-t", metavar="TYPE", dest="types", action="append", choices=TYPES,
        help="what: all (default), api (calls of the MQI), comms (flows and their bytes); may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "-p", metavar="NAME", dest="programs", type=_programs, action="extend", default=[],
        help="only these applications (APPLTAG of DISPLAY CONN) and message channels, with commas between several",
    )  # fmt: skip
    parser.add_argument(
        "-d", metavar="BYTES", dest="data_bytes", type=_data_bytes, default=DATA_BYTES,
        help=f"bytes of each flow: {DATA_BYTES} unless said otherwise, 0 none, -1 all",
    )  # fmt: skip
    parser.add_argument(
        "-l", metavar="MB", dest="size_mb", type=_size, default=SIZE_MB,
        help=f"megabytes of the file ({SIZE_MB}); then it becomes the .TRS file, and a new one begins",
    )  # fmt: skip
    parser.add_argument("-e", action="store_true", dest="early", help="accepted for scripts: give -m all the same")
    add_data_argument(parser)


def _programs(text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    if not 0 < len(names) <= PROGRAMS_MAX:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: name 1 to {PROGRAMS_MAX} programs, with commas between them")
    return names


def _data_bytes(text: str) -> int:
    if text == "-1":
        return -1
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of bytes; -1 is all")
    return int(text)


def _size(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 0 < int(text) <= SIZE_MAX_MB):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of megabytes from 1 to {SIZE_MAX_MB}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from libremq.server.process.trace_commands import START_TRACE

    name, path = ask(
        arguments,
        START_TRACE,
        types=arguments.types or [ALL],
        programs=arguments.programs,
        data_bytes=arguments.data_bytes,
        size_mb=arguments.size_mb,
    )
    tell(f"The trace of queue manager '{name}' is on: {path}")
    return ExitCode.OK
