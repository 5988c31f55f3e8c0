"""What rcdmqimg and rcrmqobj share: they choose objects by type and name, and say what became of each.

They start the queue manager, do the work, and end it. One that is open in another process is left alone: that process
does the same with `record_images` and `recover_object`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from libremq.cli_common import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    check_not_running,
    complain,
    existing,
    is_routine,
    tell,
)
from libremq.cli_exit import ExitCode
from libremq.client.embedded_access import EmbeddedAccess, attach
from libremq.common.files import RealFiles
from libremq.common.names import is_generic_name, is_object_name
from libremq.kernel.media_image import MediaResult

_WITHOUT_NAME = ("all", "*", "qmgr", "catalog", "ctlg", "syncfile", "clchltab")
Work = Callable[[EmbeddedAccess, str, str], list[MediaResult]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", required=True, help="the queue manager")
    parser.add_argument(
        "-t", metavar="TYPE", dest="type", required=True, help="all, queue, qlocal (ql), qmgr, process, namelist, ..."
    )
    parser.add_argument("object", metavar="NAME", nargs="?", help="an object, or several: ORDERS* or *")
    add_data_argument(parser)
    add_quiet_argument(parser)


def process(
    command: str, arguments: argparse.Namespace, work: Work, done: str, api: str, failure: ExitCode
) -> list[str]:
    """Do the work on the objects that are meant; the messages of the queue manager. Refused if not all went well."""
    pattern = arguments.object
    if pattern is None and arguments.type.lower() in _WITHOUT_NAME:
        pattern = "*"
    if pattern is None or not (is_object_name(pattern) or is_generic_name(pattern)):
        raise Refused(
            ExitCode.ARGUMENTS,
            "AMQ7027E: The name of an object, or the beginning of one and an asterisk, is needed"
            + ("." if pattern is None else f", not {pattern[:64]!r}."),
        )
    address = existing(RealFiles(), arguments)
    check_not_running(address, ExitCode.NOT_AVAILABLE, f"Call {api} there, or close it first.")
    said: list[str] = []
    access = attach(address.folder, address.name, say=said.append)
    try:
        results = work(access, arguments.type, pattern)
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
