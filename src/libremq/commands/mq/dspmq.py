"""The `libremq dspmq` command: the queue managers of this user or machine, and whether they run.

A queue manager runs if a process has it open; which one is shown. One that serves also says what it is about to do, and
how it ended. Whether one ended in good order at all is told by the figures that it leaves when it ends.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from typing import NamedTuple

from libremq.client.urls import Address
from libremq.commands.exit_codes import ExitCode
from libremq.commands.installation import INSTALLATION, installation_path
from libremq.commands.output import Row, add_json_argument, show
from libremq.commands.queue_manager_folders import Refused, add_data_argument, guarded
from libremq.common.files.file_layer import Files
from libremq.common.files.lock_state import locked_by
from libremq.common.files.queue_manager_files import LOCK, MARKER, exists, is_backup
from libremq.common.files.read_only_files import ReadOnlyFiles
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import is_object_name, unfold
from libremq.common.release import release
from libremq.host.default_queue_manager import configured_default
from libremq.server.process.run_state import ENDED, RUNNING, RunState, current_run, load_end

COMMAND = "dspmq"
SHOWN = ("all", "default", "installation", "status", "standby", "ha", "dr", "nativeha")
_STATUS_COLUMN = 58
_NOT_TOLD = "Status not available"
# Kinds of high availability that this release does not have: the words are there, for scripts, and empty
_WITHOUT_VALUES = {
    "ha": ("HA",),
    "dr": ("DRROLE",),
    "nativeha": ("ROLE", "INSTANCE", "INSYNC", "QUORUM", "GRPLSN", "GRPNAME", "GRPROLE"),
}  # fmt: skip
_COLUMNS = (
    ("QMNAME", "Queue manager"), ("STATUS", "Status"), ("PROCESS", "Process"), ("LISTENER", "Listens on"),
    ("CONNECTIONS", "Connections"), ("LOGTYPE", "Log"), ("DEFAULT", "Default"), ("STANDBY", "Standby"),
    ("INSTNAME", "Installation"), ("INSTVER", "Version"), ("FOLDER", "Folder"),
)  # fmt: skip


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
    parser.add_argument(
        "-o", choices=SHOWN, action="append", dest="shown", metavar="WHAT", help=f"what to show: {', '.join(SHOWN)}"
    )
    parser.add_argument("-s", action="append_const", const="status", dest="shown", help="the same as -o status")
    parser.add_argument(
        "-a", action="store_true", dest="active", help="those that run only; exit code 5 if there are any"
    )
    parser.add_argument("-x", action="store_true", dest="instances", help="also where each runs")
    parser.add_argument("-c", action="store_true", dest="processes", help="also which processes are its own")
    parser.add_argument("-g", action="store_true", dest="groups", help="accepted for scripts: there are no groups")
    parser.add_argument("-n", action="store_true", dest="untranslated", help="states in capitals, for scripts")
    add_json_argument(parser)
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
            raise Refused(ExitCode.NAME, amq(7048, arguments.qmgr[:64], folder))
    if arguments.active:
        found = [one for one in found if one.process]
    data = os.path.dirname(folder)
    if arguments.untranslated:
        found = [one._replace(status=one.status.upper()) for one in found]
    rows = [_row(files, one, data, arguments) for one in found]
    show(rows, arguments, _line, _COLUMNS)
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
        if not is_object_name(name):
            continue
        try:
            if exists(files, path) or files.exists(f"{path}/{MARKER}"):
                yield _state(files, name, path)
        except OSError:
            yield QueueManagerState(name, path, _NOT_TOLD)  # somebody else's


def _state(files: Files, name: str, folder: str) -> QueueManagerState:
    holder, run = locked_by(f"{folder}/{LOCK}"), current_run(folder)
    if run is not None and not holder:
        holder = f"process {run.process_id}"  # its qm.lock was removed
    if holder:
        status = run.state if run is not None else RUNNING
        return QueueManagerState(name, folder, status, holder.removeprefix("process "), run)
    if files.exists(f"{folder}/{MARKER}"):
        return QueueManagerState(name, folder, "Being created or deleted")
    if is_backup(files, folder):
        return QueueManagerState(name, folder, "Backup")
    return QueueManagerState(name, folder, _how_it_ended(files, folder))


def _how_it_ended(files: Files, folder: str) -> str:
    """The lock file is written when it starts, the figures when it has ended in good order, and how, if it served."""
    from libremq.log import LogError
    from libremq.log.statistics_file import load_statistics

    try:
        started = os.stat(f"{folder}/{LOCK}").st_mtime
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


def _row(files: Files, one: QueueManagerState, data: str, arguments: argparse.Namespace) -> Row:
    """What is asked for of a queue manager, by MQ's words."""
    from libremq.common.configuration import ConfigurationError, load

    shown = tuple(arguments.shown or ("status",))
    everything = "all" in shown
    row: dict[str, object] = {"QMNAME": one.name}
    if everything or "status" in shown:
        row["STATUS"] = one.status
    if one.process and (everything or "status" in shown or arguments.processes):
        row["PROCESS"] = one.process
    if one.run is not None and (everything or arguments.processes):
        row["CONTROLLER"] = str(one.run.controller_id or "none")
    if everything:
        if one.run is not None:
            row["LISTENER"] = ", ".join(one.run.listeners) or "none"
            row["CONNECTIONS"] = str(one.run.connections_max)
        try:
            row["LOGTYPE"] = load(files, one.folder).log.type
        except (ConfigurationError, OSError):
            row["LOGTYPE"] = "not known: qm.ini cannot be used"
        row["FOLDER"] = one.folder
    if everything or "default" in shown:
        row["DEFAULT"] = "yes" if configured_default(data) == one.name else "no"
    if everything or "standby" in shown:
        row["STANDBY"] = "Not permitted"
    if everything or "installation" in shown:
        row["INSTNAME"] = INSTALLATION
        row["INSTPATH"] = installation_path()
        row["INSTVER"] = release()
    for what, words in _WITHOUT_VALUES.items():
        if what in shown:
            row.update(dict.fromkeys(words, ""))
    if arguments.instances and one.process:
        row["INSTANCES"] = [{"INSTANCE": platform.node(), "MODE": "Active"}]
    return row


def _line(row: Row) -> str:
    """MQ's line: the status stands in a column of its own."""
    words = [f"{word}({value})" for word, value in row.items() if word not in ("QMNAME", "INSTANCES")]
    text = f"QMNAME({row['QMNAME']})".ljust(_STATUS_COLUMN - 1) + " " + " ".join(words)
    found = row.get("INSTANCES", [])
    assert isinstance(found, list)
    return "\n".join([text, *(f"    INSTANCE({one['INSTANCE']}) MODE({one['MODE']})" for one in found)])
