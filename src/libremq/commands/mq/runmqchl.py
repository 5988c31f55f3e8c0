"""The `libremq runmqchl` command: have a queue manager that serves start a channel.

Channels run inside the queue manager, so this command asks for the start and ends, as START CHANNEL does; DISPLAY
CHSTATUS shows what becomes of it. Exit codes: 0 accepted, 10 refused, 20 it could not be asked for.
"""

from __future__ import annotations

import argparse

from libremq.commands.command_connection import connect
from libremq.commands.queue_manager_folders import add_data_argument, complain, guarded, tell
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import is_object_name
from libremq.mqi.errors import MQError

COMMAND = "runmqchl"
OK, REFUSED, NOT_RUN = 0, 10, 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-c", metavar="CHANNEL", dest="channel", required=True, help="the channel to start")
    add_queue_manager(parser)


def add_queue_manager(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m", metavar="QM", dest="qmgr", default="", help="the queue manager, by name or URL; else the default one"
    )
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return ask(COMMAND, arguments, "START CHANNEL({})", arguments.channel)


def ask(command: str, arguments: argparse.Namespace, mqsc: str, name: str) -> int:
    """Have the queue manager run a command of MQSC on a name, and say what it says."""
    code = guarded(command, arguments, lambda: _ask(command, arguments, mqsc, name))
    return code if code in (OK, REFUSED) else NOT_RUN


def _ask(command: str, arguments: argparse.Namespace, mqsc: str, name: str) -> int:
    if not is_object_name(name):
        complain(command, amq(7027, f"{name[:60]!r} cannot be a name"))
        return NOT_RUN
    try:
        with connect(arguments, command, must_serve=True) as manager:
            (answer,) = manager.mqsc(mqsc.format(f"'{name}'"))
    except MQError as error:
        complain(command, amq(8146, arguments.qmgr, error.detail or error))
        return NOT_RUN
    for line in answer.lines:
        if answer.state == "done":
            tell(line)
        else:
            complain(command, line)
    return OK if answer.state == "done" else REFUSED
