"""The `libremq rcrmqobj` command: recreate objects from their media images and the log since."""

from __future__ import annotations

import argparse

from libremq import cli_media
from libremq.cli_common import guarded
from libremq.cli_exit import ExitCode

COMMAND = "rcrmqobj"
add_arguments = cli_media.add_arguments


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    cli_media.process(
        COMMAND,
        arguments,
        lambda access, type_name, pattern: access.recover_objects(type_name, pattern),
        "recreated",
        "recover_object",
        ExitCode.NO_MEDIA_IMAGE,
    )
    return ExitCode.OK
