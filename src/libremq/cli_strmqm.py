"""The `libremq strmqm` command: replay and activate backups, and try whether a queue manager starts.

In this release a queue manager runs inside the application that connects to it, so nothing is left running here.
"""

from __future__ import annotations

import argparse

from libremq.cli_common import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    check_not_running,
    existing,
    guarded,
    say,
    tell,
)
from libremq.cli_exit import ExitCode
from libremq.client import backup
from libremq.client.embedded import EmbeddedQueueManager
from libremq.common.files import RealFiles

COMMAND = "strmqm"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", metavar="QM", help="the queue manager")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-r", action="store_true", dest="replay", help="replay the extents shipped to a backup, then end")
    what.add_argument("-a", action="store_true", dest="activate", help="activate a backup, for good; it is then ended")
    what.add_argument("--check", action="store_true", help="start it, recover what a crash left, and end it")
    add_data_argument(parser)
    add_quiet_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return ExitCode.UNEXPECTED if code == ExitCode.NOT_AVAILABLE else code


def _run(arguments: argparse.Namespace) -> int:
    address = existing(RealFiles(), arguments)
    name, folder = address.name, address.folder
    check_not_running(address)
    is_backup = backup.is_backup(folder)
    if (arguments.replay or arguments.activate) and not is_backup:
        raise Refused(
            ExitCode.PARAMETER, f"AMQ7027E: The queue manager '{name}' is no backup: -r and -a are for those."
        )
    if arguments.replay:
        records = backup.replay(folder, say=say)
        tell(f"LibreMQ backup queue manager '{name}': {records} log records replayed.")
    elif arguments.activate:
        backup.activate(folder, say=say)
        tell(f"LibreMQ queue manager '{name}' activated, and ended. It starts when an application connects to it.")
    elif is_backup:
        raise Refused(
            ExitCode.PARAMETER, f"AMQ7027E: '{name}' is a backup queue manager: use -r to replay, -a to activate."
        )
    elif arguments.check:
        EmbeddedQueueManager.start(folder, name, say=say).end()
        tell(f"LibreMQ queue manager '{name}' ended.")
    else:
        raise Refused(
            ExitCode.PARAMETER,
            f"The queue manager '{name}' was not started: in this release a queue manager runs inside the application "
            f'that connects to it (libremq.connect("embedded:{name}")), and starts with that. Use --check to start '
            "it, recover it and end it now.",
        )
    return ExitCode.OK
