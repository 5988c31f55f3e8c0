"""The `libremq load` command: put the messages of a file on a queue, with ids, context and properties as they were."""

from __future__ import annotations

import argparse

from libremq.commands.mq import dmpmqmsg
from libremq.commands.queue_manager_folders import add_data_argument, guarded

COMMAND = "load"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", metavar="QUEUE", help="the queue")
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the file; else standard input")
    parser.add_argument("-m", metavar="QM", dest="qmgr", default="", help="the queue manager; else the default one")
    dmpmqmsg.add_common_arguments(parser)
    add_data_argument(parser, "-md")


def run(arguments: argparse.Namespace) -> int:
    arguments.browse = arguments.get = arguments.overwrite = arguments.append = None
    arguments.put = arguments.queue
    return dmpmqmsg.exit_code(guarded(COMMAND, arguments, lambda: dmpmqmsg.perform(COMMAND, arguments)))
