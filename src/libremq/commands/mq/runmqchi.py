"""The `libremq runmqchi` command: have a queue manager that serves start channels by the triggers of a queue.

The channel initiator is a part of the queue manager and starts with it, unless SCHINIT(MANUAL) says otherwise; so this
command asks for it and ends, as START CHINIT does. Exit codes: 0 it runs, 10 refused, 20 it could not be asked for.
"""

from __future__ import annotations

import argparse

from libremq.commands.mq.runmqchl import add_queue_manager, ask

COMMAND = "runmqchi"
_QUEUE = "SYSTEM.CHANNEL.INITQ"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-q", metavar="QUEUE", dest="queue", default=_QUEUE, help=f"the initiation queue; else {_QUEUE}"
    )
    add_queue_manager(parser)


def run(arguments: argparse.Namespace) -> int:
    return ask(COMMAND, arguments, "START CHINIT INITQ({})", arguments.queue)
