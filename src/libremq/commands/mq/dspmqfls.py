"""The `libremq dspmqfls` command: the files in which the objects of a queue manager are kept."""

from __future__ import annotations

import argparse

from libremq.commands.command_connection import connect
from libremq.commands.exit_codes import ExitCode
from libremq.commands.mq.dspmqtrn import connected_code
from libremq.commands.output import Row, add_json_argument, show, show_json
from libremq.commands.queue_manager_folders import Refused, add_data_argument, guarded, tell
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import is_generic_name, is_object_name

COMMAND = "dspmqfls"
_COLUMNS = (("type", "Type"), ("name", "Name"), ("paths", "Kept in"))
_INDENT = " " * 11


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager; else the default one")
    parser.add_argument(
        "-t", metavar="TYPE", dest="type", default="all", help="all (default), queue, qlocal (ql), qmgr, process, ..."
    )
    parser.add_argument("object", metavar="NAME", nargs="?", default="*", help="an object, or several: ORDERS* or *")
    add_json_argument(parser)
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return connected_code(guarded(COMMAND, arguments, lambda: _run(arguments)))


def _run(arguments: argparse.Namespace) -> int:
    pattern = arguments.object
    if not (is_object_name(pattern) or is_generic_name(pattern)):
        raise Refused(ExitCode.ARGUMENTS, amq(7027, f"{pattern[:64]!r} is no name of an object"))
    with connect(arguments, COMMAND) as manager:
        found = manager.object_files(arguments.type, pattern)
    rows: list[Row] = [{"type": one.kind, "name": one.name, "paths": list(one.paths)} for one in found]
    if arguments.json:
        show_json(rows)
    else:
        tell("LibreMQ Display MQ Files")
        tell("")
        show(rows, arguments, _entry, _COLUMNS)
    return ExitCode.OK if rows else 10


def _entry(row: Row) -> str:
    paths = row["paths"]
    assert isinstance(paths, list)
    return "\n".join([f"{row['type']!s:<11}{row['name']}".rstrip(), *(f"{_INDENT}{path}" for path in paths)])
