"""The `libremq unload` command: write the messages of a queue to a file. They stay on it unless they are moved."""

from __future__ import annotations

import argparse

from libremq.commands.mq import dmpmqmsg
from libremq.commands.queue_manager_folders import add_data_argument, guarded

COMMAND = "unload"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", metavar="QUEUE", help="the queue")
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the file; else standard output")
    parser.add_argument("-m", metavar="QM", dest="qmgr", default="", help="the queue manager; else the default one")
    parser.add_argument("--move", action="store_true", help="the messages leave the queue once they are on disk")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--overwrite", action="store_true", help="a file that is there is overwritten")
    how.add_argument("--append", action="store_true", help="append to a file that is there")
    dmpmqmsg.add_common_arguments(parser)
    add_data_argument(parser, "-md")


def run(arguments: argparse.Namespace) -> int:
    arguments.get, arguments.browse = (arguments.queue, None) if arguments.move else (None, arguments.queue)
    arguments.put = None
    arguments.overwrite = arguments.file if arguments.overwrite else None
    arguments.append = "a" if arguments.append else None
    return dmpmqmsg.exit_code(guarded(COMMAND, arguments, lambda: dmpmqmsg.perform(COMMAND, arguments)))
