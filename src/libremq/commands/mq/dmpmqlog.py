"""The `libremq dmpmqlog` command: show the records of a queue manager's log, whether it runs, has ended or has died.

It opens files for reading only. Exit codes as MQ people know them: 0 all was read, 10 some of it is damaged and the
rest was shown, 20 nothing could be shown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from libremq.commands.output import Progress
from libremq.commands.queue_manager_folders import add_data_argument, complain, queue_manager_folder, tell
from libremq.common.files.file_layer import Files
from libremq.common.files.queue_manager_files import log_folder_of
from libremq.common.files.read_only_files import ReadOnlyFiles
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.log.log_dump_reader import DumpLine

COMMAND = "dmpmqlog"
OK, DAMAGED, ERROR = 0, 10, 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager")
    parser.add_argument("-f", metavar="FOLDER", dest="folder", help="the folder of the log, if it is not the usual one")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("-b", action="store_true", dest="base", help="start with the extent that holds the head")
    start.add_argument("-s", metavar="LSN", dest="start", type=lsn, help="start with the record at this LSN or after")
    start.add_argument("-n", metavar="EXTENT", dest="extent", type=extent, help="start with extent file S<EXTENT>.LOG")
    parser.add_argument("-e", metavar="LSN", dest="end", type=lsn, help="end with the record at this LSN or before")
    parser.add_argument("--only", action="store_true", help="with -n: the records of that extent only")
    parser.add_argument("--data", action="store_true", help="show the first bytes of messages, hidden otherwise")
    parser.add_argument("--json", action="store_true", help="a JSON object a line")
    add_data_argument(parser, "-md")
    parser.epilog = (
        "Without -b, -s or -n the dump starts at the head of the log: the oldest record a restart needs. Of a log in "
        "two copies the first is shown; -f shows the other."
    )


def lsn(text: str) -> int:
    """A log sequence number: decimal, hexadecimal with 0x, or the four 16-bit groups a:b:c:d."""
    parts = text.split(":")
    try:
        numbers = [_whole(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and numbers[0] < 1 << 64:
        return numbers[0]
    if len(numbers) == 4 and all(number < 1 << 16 for number in numbers):
        return numbers[0] << 48 | numbers[1] << 32 | numbers[2] << 16 | numbers[3]
    raise argparse.ArgumentTypeError(f"{text[:60]!r} is no LSN: write 4136, 0x1028 or 0:0:0:4136")


def extent(text: str) -> int:
    """The number in the name of an extent file."""
    if len(text) <= 7 and text.isascii() and text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:60]!r} is no extent number: write 3 for S0000003.LOG")


def _whole(text: str) -> int:
    if len(text) > 20 or not text.isascii() or not text.isalnum():
        raise ValueError(text)
    return int(text, 16) if text[:2] in ("0x", "0X") else int(text)


def run(arguments: argparse.Namespace) -> int:
    from libremq.kernel.recovery.log_dump import LogFormatter, queue_names
    from libremq.log.log_dump_reader import DumpEnd, DumpGap
    from libremq.log.log_errors import LogError

    files = ReadOnlyFiles()
    try:
        if arguments.qmgr is None and arguments.folder is None:
            raise ValueError("which log? Name a queue manager with -m, or a folder with -f")
        if arguments.only and arguments.extent is None:
            raise ValueError("--only goes with -n")
        folder = "" if arguments.qmgr is None else _queue_manager_folder(files, arguments)
        formatter = LogFormatter(queue_names(files, folder) if folder else None, show_data=arguments.data)
        if arguments.folder:
            lines = _lines(files, arguments.folder, arguments)
        else:
            lines = _lines_of_first(files, _log_folders(files, folder), arguments)
    except (LogError, MQError, ValueError) as error:
        complain(COMMAND, error)
        return ERROR
    damaged = False
    with Progress("Reading the log", output_is_shown=True) as bar:
        for line in lines:
            damaged = damaged or (isinstance(line, (DumpGap, DumpEnd)) and line.damaged)
            tell(json.dumps(formatter.describe(line)) if arguments.json else formatter.render(line))
            bar.advance()
    return DAMAGED if damaged else OK


def _queue_manager_folder(files: Files, arguments: argparse.Namespace) -> str:
    try:
        return queue_manager_folder(files, arguments.qmgr, arguments.data_folder)
    except ValueError:
        if arguments.folder is None:
            raise
        return ""  # only the names of queues are lost


def _log_folders(files: Files, folder: str) -> list[str]:
    """Where the queue manager keeps its log, in one copy or two.

    A qm.ini with faults must not stand in the way of a look at the log.
    """
    from libremq.common import configuration

    try:
        log = configuration.load(files, folder).log
    except (configuration.ConfigurationError, OSError) as error:
        complain(COMMAND, f"{error}. Looking for the log in {folder}/log")
        return [f"{folder}/log"]
    return [log_folder_of(folder, log), *([log.second_folder] if log.second_folder else [])]


def _lines_of_first(files: Files, folders: list[str], arguments: argparse.Namespace) -> Iterator[DumpLine]:
    """The dump of the first copy of the log in which there is anything."""
    from libremq.log.log_errors import LogError

    for folder in folders[:-1]:
        try:
            return _lines(files, folder, arguments)
        except LogError as error:
            complain(COMMAND, f"{error}. Looking at the second copy")
    return _lines(files, folders[-1], arguments)


def _lines(files: Files, folder: str, arguments: argparse.Namespace) -> Iterator[DumpLine]:
    from libremq.log.log_dump_reader import base_lsn, dump, start_of_extent

    if arguments.only:
        return dump(files, folder, to_lsn=arguments.end, extent=arguments.extent)
    start = arguments.start
    if arguments.extent is not None:
        start = start_of_extent(files, folder, arguments.extent)
    elif arguments.base:
        start = base_lsn(files, folder)
    return dump(files, folder, from_lsn=start, to_lsn=arguments.end)
