"""The `libremq rcdmqimg` command: record media images of objects in a linear log."""

from __future__ import annotations

import argparse

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import guarded, tell
from libremq.commands.shared import media_commands

COMMAND = "rcdmqimg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    media_commands.add_arguments(parser)
    parser.add_argument(
        "-l", action="store_true", dest="extents", help="tell which extents are still needed, for restart and media"
    )


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    said = media_commands.process(
        COMMAND,
        arguments,
        lambda access, type_name, pattern: access.record_images(type_name, pattern),
        "recorded",
        "record_images",
        ExitCode.DAMAGED,
    )
    if arguments.extents:
        for number in ("AMQ7467I", "AMQ7468I"):
            tell([message for message in said if message.startswith(number)][-1])  # those of its end
    return ExitCode.OK
