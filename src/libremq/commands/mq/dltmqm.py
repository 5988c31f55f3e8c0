"""The `libremq dltmqm` command: delete a queue manager that has ended, with its messages and its log."""

from __future__ import annotations

import argparse
import os

from libremq.client.urls import Address, default_data_folder
from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    check_not_running,
    code_of,
    existing,
    guarded,
    tell,
)
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.host.default_queue_manager import forget_default

COMMAND = "dltmqm"
_STILL_DEFAULT = 112


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", metavar="QM", help="the queue manager")
    add_data_argument(parser)
    add_quiet_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from libremq.host import deletion

    files = RealFiles()
    address = existing(files, arguments)
    if not deletion.can_be_deleted(files, address.folder):
        raise Refused(
            ExitCode.DOES_NOT_EXIST,
            amq(8118, address.name, f": {address.folder} is not the folder of one. Remove by hand what is left of it"),
        )
    check_not_running(address)
    try:
        kept = deletion.delete(files, address.folder, address.name)
    except OSError as error:
        code = code_of(error)
        if code == ExitCode.UNEXPECTED:
            code = ExitCode.NOT_DELETED
        raise Refused(
            code, f"not all files of '{address.name}' could be deleted: {error}; repeat the command"
        ) from error
    tell(f"LibreMQ queue manager '{address.name}' deleted.")
    _forget_default(address)
    for folder in kept:
        tell(f"The folder {folder} holds other files than those of its log and stays.")
    return ExitCode.OK


def _forget_default(address: Address) -> None:
    """If it was the default queue manager, there is none now."""
    try:
        forget_default(RealFiles(), os.path.abspath(address.data or default_data_folder()), address.name)
    except OSError as error:
        raise Refused(
            _STILL_DEFAULT, f"'{address.name}' is deleted, but still named as the default queue manager: {error}"
        ) from error
