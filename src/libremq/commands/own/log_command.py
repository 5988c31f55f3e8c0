"""The `libremq log` command: which extents a log has and what they are needed for; archive and delete the others.

`list` only reads files, and so works while the queue manager runs. The others start the queue manager, do their work
and end it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from libremq.commands.exit_codes import ExitCode, Parser
from libremq.commands.queue_manager_folders import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    check_not_running,
    complain,
    existing,
    guarded,
    is_routine,
    tell,
)
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files, RealFiles
from libremq.common.files.read_only_files import ReadOnlyFiles
from libremq.common.messages.amq_messages import amq

if TYPE_CHECKING:
    from libremq.host.embedded_access import EmbeddedAccess
    from libremq.log import ExtentState

COMMAND = "log"
_MEANING = {
    "active": "needed for restart",
    "media": "needed for media recovery",
    "unneeded": "not needed",
    "free": "to be written",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in (
        ("list", "show the extents and what they are needed for"),
        ("archive", "copy the extents that nothing needs to a folder"),
        ("archived", "take note that extents were archived by other means"),
        ("delete", "delete the extents that nothing needs"),
    ):
        action = actions.add_parser(name, help=text, description=text.capitalize() + ".", allow_abbrev=False)
        if isinstance(action, Parser):
            action.usage_code = ExitCode.ARGUMENTS
        action.add_argument("-m", metavar="QM", dest="qmgr", required=True, help="the queue manager")
        if name == "list":
            action.add_argument("--json", action="store_true", help="as JSON")
        elif name == "archive":
            action.add_argument("folder", metavar="FOLDER", help="where the copies go")
        elif name == "archived":
            action.add_argument("names", metavar="NAME", nargs="+", help="an extent, such as S0000003.LOG")
        add_data_argument(action)
        add_quiet_argument(action)


def run(arguments: argparse.Namespace) -> int:
    actions: dict[str, Callable[[argparse.Namespace], int]] = {
        "list": _list,
        "archive": _archive,
        "archived": _archived,
        "delete": _delete,
    }
    return guarded(f"{COMMAND} {arguments.action}", arguments, lambda: actions[arguments.action](arguments))


def _list(arguments: argparse.Namespace) -> int:
    from libremq.common import configuration
    from libremq.log import LogError

    files = ReadOnlyFiles()
    folder = existing(files, arguments).folder
    log = configuration.load(files, folder).log
    try:
        found = extents(files, queue_manager_files.log_folder_of(folder, log))
    except LogError as error:
        if not log.second_folder:
            raise
        complain(COMMAND, f"{error}. Looking at the second copy")
        found = extents(files, log.second_folder)
    if arguments.json:
        tell(json.dumps([extent._asdict() for extent in found], indent=1))
        return ExitCode.OK
    for extent in found:
        archived = ", archived" if extent.archived else ""
        tell(f"{extent.name}  {extent.state:<8}  from LSN {extent.first_lsn}, {_MEANING[extent.state]}{archived}")
    return ExitCode.OK


def extents(files: Files, folder: str) -> list[ExtentState]:
    """What `Log.extents` tells, from the files of a log that is perhaps in use."""
    from libremq.log import ExtentState, LogError
    from libremq.log.dump_source import DumpSource, Page
    from libremq.log.extents import extent_name

    source = DumpSource(files, folder)
    try:
        control = source.control
        if control is None:
            raise LogError(f"{folder}: the control file cannot be used: {source.control_problem}")
        size, linear = source.extent_bytes, control.config.linear
        written = [extent for extent in source.extents if isinstance(source.page(extent * size), Page)]
        current = max([control.durable // size, *written])
        numbers = dict(source.extents)
        if linear:  # those that are formatted ahead hold nothing that says where they belong, but have their names
            placed = set(numbers.values())
            ahead = (number for number in range(current + 1, 10_000_000) if number not in placed)
            for number in ahead:
                if not files.exists(source.path(number)):
                    break
                numbers[number] = number
        found = []
        for extent, number in sorted(numbers.items()):
            if extent > current or (not linear and extent < control.head // size):
                state = "free"
            elif extent >= control.head // size:
                state = "active"
            else:
                state = "media" if extent >= control.media // size else "unneeded"
            archived = linear and extent < control.archived
            found.append(ExtentState(extent_name(number), source.path(number), extent, extent * size, state, archived))
        return found
    finally:
        source.close()


def _with(arguments: argparse.Namespace, work: Callable[[EmbeddedAccess], None]) -> int:
    """Do something with the queue manager, which must not be open elsewhere."""
    from libremq.host.embedded_access import attach

    address = existing(RealFiles(), arguments)
    advice = "The same can be done there, with archive_log, mark_log_archived and delete_log_extents."
    check_not_running(address, ExitCode.NOT_AVAILABLE, advice)
    said: list[str] = []
    access = attach(address.folder, address.name, say=said.append)
    try:
        work(access)
    finally:
        access.close()
        if not arguments.quiet:
            for message in said:
                if not is_routine(message):
                    complain(COMMAND, message)
    return ExitCode.OK


def _archive(arguments: argparse.Namespace) -> int:
    if not arguments.folder or "\0" in arguments.folder:
        raise Refused(ExitCode.ARGUMENTS, amq(7027, f"{arguments.folder!r} is not the path of a folder."))
    folder = os.path.abspath(os.path.expanduser(arguments.folder))

    def archive(access: EmbeddedAccess) -> None:
        _report(access.archive_log(folder), f"archived to {folder}", "to be archived")

    return _with(arguments, archive)


def _archived(arguments: argparse.Namespace) -> int:
    def mark(access: EmbeddedAccess) -> None:
        for name in arguments.names:
            access.mark_log_archived(name)
            tell(f"{name} is archived.")

    return _with(arguments, mark)


def _delete(arguments: argparse.Namespace) -> int:
    return _with(arguments, lambda access: _report(access.delete_log_extents(), "deleted", "that can be deleted"))


def _report(names: list[str], done: str, otherwise: str) -> None:
    for name in names:
        tell(f"{name} {done}.")
    if not names:
        tell(f"There are no extents {otherwise}.")
