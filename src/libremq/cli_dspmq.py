"""The `libremq dspmq` command: the queue managers of this user or machine, and whether they run.

A queue manager runs if a process has it open; which one is shown. One that serves also says what it is about to do, and
how it ended. Whether one ended in good order at all is told by the figures that it leaves when it ends.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import NamedTuple

from libremq.cli_common import Refused, add_data_argument, guarded, tell
from libremq.cli_exit import ExitCode
from libremq.client.urls import Address
from libremq.common import configuration
from libremq.common.configuration import ConfigurationError
from libremq.common.files import Files
from libremq.common.lock_state import locked_by
from libremq.common.names import is_object_name, unfold
from libremq.common.read_only_files import ReadOnlyFiles
from libremq.kernel import backup, creation
from libremq.log import LogError
from libremq.log.statistics_file import load_statistics
from libremq.server.run_state import ENDED, RUNNING, RunState, current_run, load_end

COMMAND = "dspmq"
_STATUS_COLUMN = 58


class QueueManagerState(NamedTuple):
    name: str
    folder: str
    status: str
    process: str = ""
    """Who has it open: number and program."""
    run: RunState | None = None
    """What it says about itself, if it serves."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="this one only")
    parser.add_argument("-o", choices=("status", "all"), dest="shown", default="status", help="what to show")
    parser.add_argument("-s", action="store_const", const="status", dest="shown", help="the same as -o status")
    parser.add_argument(
        "-a", action="store_true", dest="active", help="those that run only; exit code 5 if there are any"
    )
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    files = ReadOnlyFiles()
    folder = os.path.dirname(Address("embedded", "QM", data=os.path.expanduser(arguments.data_folder)).folder)
    found = list(queue_managers(files, folder))
    if arguments.qmgr is not None:
        found = [one for one in found if one.name == arguments.qmgr]
        if not found:
            raise Refused(ExitCode.NAME, f"AMQ7048E: There is no queue manager '{arguments.qmgr[:64]}' in {folder}.")
    if arguments.active:
        found = [one for one in found if one.process]
    for one in found:
        tell(_line(files, one, arguments.shown == "all"))
    return ExitCode.RUNNING if arguments.active and found else ExitCode.OK


def queue_managers(files: Files, folder: str) -> Iterator[QueueManagerState]:
    """Every queue manager in a folder `qmgrs`, by name."""
    if not files.exists(folder):
        return
    for entry in files.list(folder):
        try:
            name = unfold(entry)
        except ValueError:
            continue
        path = f"{folder}/{entry}"
        if is_object_name(name) and (creation.exists(files, path) or files.exists(f"{path}/{creation.MARKER}")):
            yield _state(files, name, path)


def _state(files: Files, name: str, folder: str) -> QueueManagerState:
    holder = locked_by(f"{folder}/{creation.LOCK}")
    if holder:
        run = current_run(folder)
        status = run.state if run is not None else RUNNING
        return QueueManagerState(name, folder, status, holder.removeprefix("process "), run)
    if files.exists(f"{folder}/{creation.MARKER}"):
        return QueueManagerState(name, folder, "Being created or deleted")
    if backup.is_backup(files, folder):
        return QueueManagerState(name, folder, "Backup")
    return QueueManagerState(name, folder, _how_it_ended(files, folder))


def _how_it_ended(files: Files, folder: str) -> str:
    """The lock file is written when it starts, the figures when it has ended in good order, and how, if it served."""
    try:
        started = os.stat(f"{folder}/{creation.LOCK}").st_mtime
    except OSError:
        return ENDED["quiesce"]  # it never started
    end = load_end(folder)
    told = end.how if end is not None and end.at >= started else ""
    if told == ENDED["preemptive"]:
        return told  # it may have been killed, and somebody wanted that
    try:
        saved = load_statistics(files, folder)
    except LogError:
        return "Ended unexpectedly"
    if saved.event != "end" or saved.at < started:
        return "Ended unexpectedly"
    return told or ENDED["quiesce"]


def _line(files: Files, one: QueueManagerState, everything: bool) -> str:
    text = f"QMNAME({one.name})".ljust(_STATUS_COLUMN - 1) + f" STATUS({one.status})"
    if one.process:
        text += f" PROCESS({one.process})"
    if everything:
        if one.run is not None:
            text += f" CONTROLLER({one.run.controller_id or 'none'}) LISTENER({', '.join(one.run.listeners) or 'none'})"
            text += f" CONNECTIONS({one.run.connections_max})"
        try:
            text += f" LOGTYPE({configuration.load(files, one.folder).log.type})"
        except (ConfigurationError, OSError):
            text += " LOGTYPE(not known: qm.ini cannot be used)"
        text += f" FOLDER({one.folder})"
    return text
