"""What rcdmqimg and rcrmqobj share: they choose objects by type and name, and say what became of each.

A queue manager that serves is asked to do it; one that does not run is started for it, and ended. One that another
process has embedded is left alone: that process does the same with `record_images` and `recover_object`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

from libremq.client import connecting
from libremq.client.urls import Address, default_data_folder
from libremq.commands.exit_codes import ExitCode
from libremq.commands.output import Progress
from libremq.commands.queue_manager_folders import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    check_not_running,
    complain,
    existing,
    is_routine,
    tell,
)
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import is_generic_name, is_object_name
from libremq.server.process.run_state import current_run

if TYPE_CHECKING:
    from libremq.host.binding import Access
    from libremq.kernel.state.media_image import MediaResult

    Work = Callable[[Access, str, str], list[MediaResult]]

_WITHOUT_NAME = ("all", "*", "qmgr", "catalog", "ctlg", "syncfile", "clchltab")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager; else the default one")
    parser.add_argument(
        "-t", metavar="TYPE", dest="type", required=True, help="all, queue, qlocal (ql), qmgr, process, namelist, ..."
    )
    parser.add_argument("object", metavar="NAME", nargs="?", help="an object, or several: ORDERS* or *")
    add_data_argument(parser)
    add_quiet_argument(parser)


def _access(address: Address, api: str, said: list[str]) -> Access:
    from libremq.host.embedded_access import attach

    if current_run(address.folder) is not None:
        return connecting.reach(f"local:{quote(address.name, safe='')}?data={quote(_data_of(address), safe='')}")
    check_not_running(address, ExitCode.NOT_AVAILABLE, f"Call {api} there, or close it first.")
    return attach(address.folder, address.name, say=said.append)


def _data_of(address: Address) -> str:
    return os.path.abspath(address.data or default_data_folder())


def process(
    command: str, arguments: argparse.Namespace, work: Work, done: str, api: str, failure: ExitCode
) -> list[str]:
    """Do the work on the objects that are meant; the messages of the queue manager. Refused if not all went well."""
    from libremq.host.embedded_access import EmbeddedAccess

    pattern = arguments.object
    if pattern is None and arguments.type.lower() in _WITHOUT_NAME:
        pattern = "*"
    if pattern is None or not (is_object_name(pattern) or is_generic_name(pattern)):
        raise Refused(
            ExitCode.ARGUMENTS,
            amq(
                7027,
                "The name of an object, or the beginning of one and an asterisk, is needed"
                + ("." if pattern is None else f", not {pattern[:64]!r}."),
            ),
        )
    address = existing(RealFiles(), arguments)
    said: list[str] = []
    access = _access(address, api, said)
    try:
        with Progress("Working on objects"):
            results = work(access, arguments.type, pattern)
        if not isinstance(access, EmbeddedAccess):  # what it says goes to its error log; this is of interest here
            log = access.statistics().log
            said += [amq(7467, address.name, log.restart_extent), amq(7468, address.name, log.media_extent)]
    finally:
        access.close()
        if not arguments.quiet:
            for message in said:
                if not is_routine(message):
                    complain(command, message)
    for result in results:
        if not result.problem:
            tell(f"Object {result.name}, type {result.kind.lower()}: {done}.")
        elif not arguments.quiet:
            complain(command, f"Object {result.name}, type {result.kind.lower()}: not {done}: {result.problem}")
    if not results:
        raise Refused(ExitCode.NONE_PROCESSED, f"No objects processed: there is no {arguments.type} {pattern}.")
    failed = sum(1 for result in results if result.problem)
    if failed:
        raise Refused(failure, f"{failed} of {len(results)} objects were not {done}.")
    return said
