"""The `libremq dltmqm` command: delete a queue manager that has ended, with its messages and its log."""

from __future__ import annotations

import argparse

from libremq.cli_common import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    check_not_running,
    code_of,
    existing,
    guarded,
    tell,
)
from libremq.cli_exit import ExitCode
from libremq.common.files import RealFiles
from libremq.kernel import deletion

COMMAND = "dltmqm"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", metavar="QM", help="the queue manager")
    add_data_argument(parser)
    add_quiet_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    files = RealFiles()
    address = existing(files, arguments)
    if not deletion.can_be_deleted(files, address.folder):
        raise Refused(
            ExitCode.DOES_NOT_EXIST,
            f"AMQ8118E: The queue manager '{address.name}' does not exist: {address.folder} is not the folder of one. "
            "If it is what is left of one, remove it by hand.",
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
    for folder in kept:
        tell(f"The folder {folder} holds other files than those of its log and stays.")
    return ExitCode.OK
