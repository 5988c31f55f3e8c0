"""The `libremq rcrmqobj` command: recreate objects from their media images and the log since."""

from __future__ import annotations

import argparse

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import guarded
from libremq.commands.shared import media_commands

COMMAND = "rcrmqobj"
add_arguments = media_commands.add_arguments


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    media_commands.process(
        COMMAND,
        arguments,
        lambda access, type_name, pattern: access.recover_objects(type_name, pattern),
        "recreated",
        "recover_object",
        ExitCode.NO_MEDIA_IMAGE,
    )
    return ExitCode.OK
