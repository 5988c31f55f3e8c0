"""The `libremq amqldmpa` command: the logger's counters, under the names that the service aid of MQ gives them.

They live in the process of the queue manager, which writes them to a file at each checkpoint and at its end; this
command shows that file and says of which moment it is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from libremq.commands.queue_manager_folders import add_data_argument, complain, queue_manager_folder, tell
from libremq.common.files.file_layer import RealFiles
from libremq.common.files.read_only_files import ReadOnlyFiles
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.log.log_statistics import LogStatistics
    from libremq.log.statistics_file import SavedStatistics

COMMAND = "amqldmpa"
_EVENTS = {"checkpoint": "at a checkpoint", "end": "when the queue manager ended"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", required=True, help="the queue manager")
    parser.add_argument("-c", metavar="COMPONENT", dest="component", required=True, help="H, the logger")
    parser.add_argument("-f", metavar="FILE", dest="output", help="write to this file instead of standard output")
    parser.add_argument("--json", action="store_true", help="as JSON, with every figure there is")
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from libremq.log.log_errors import LogError
    from libremq.log.statistics_file import load_statistics

    files = ReadOnlyFiles()
    try:
        if arguments.component.upper() != "H":
            raise ValueError(f"there is no component {arguments.component[:60]!r}: -c H shows the logger")
        saved = load_statistics(files, queue_manager_folder(files, arguments.qmgr, arguments.data_folder))
        if arguments.json:
            moment = {"queue_manager": arguments.qmgr, "at": saved.at, "event": saved.event}
            text = json.dumps(moment | saved.figures, indent=1)
        else:
            text = "\n".join(report(arguments.qmgr, saved))
        if arguments.output is None:
            tell(text)
        else:
            _write(arguments.output, text + "\n")
    except BrokenPipeError:
        raise
    except (LogError, MQError, ValueError, TypeError, OSError) as error:
        complain(COMMAND, error)
        return 1
    return 0


def report(name: str, saved: SavedStatistics) -> Iterator[str]:
    """The counters for people. Sizes in bytes, times in microseconds."""
    from libremq.log.advice import findings
    from libremq.log.extents import extent_name

    figures = saved.statistics()
    yield f"Logger of queue manager {name}, as of {_moment(saved.at)}, written {_EVENTS.get(saved.event, saved.event)}"
    for label, value in _rows(figures):
        yield f"  {label:<20} {value}"
    yield from (f"  {label:<20} {value}" for label, value in _more(figures))
    yield "  Latest extents, and the longest write to each (microseconds), the latest last:"
    for number, time_us in figures.extent_write_times_us:
        yield f"    {extent_name(number)}       {time_us}"
    advice = findings(figures)
    if advice:
        yield "  Advice:"
        yield from (f"    {finding.id}: {finding.text}" for finding in advice)


def _rows(figures: LogStatistics) -> Iterator[tuple[str, object]]:
    yield "logactive", figures.primary_files
    yield "loginactive", figures.secondary_files
    yield "FileCount", figures.file_count
    yield "filenum", " ".join(map(str, figures.file_numbers))
    yield "logBufSz", figures.buffer_bytes
    yield "WriteSizeShort", figures.write_size_short
    yield "WriteSizeLong", figures.write_size_long
    yield "WriteSizeMax", figures.write_size_max
    yield "WriteTimeShort", f"{figures.write_time_short_us} (highest {figures.write_time_short_high_us})"
    yield "WriteTimeLong", f"{figures.write_time_long_us} (highest {figures.write_time_long_high_us})"
    when = f" ({_moment(figures.write_time_max_at)})" if figures.write_time_max_at else ""
    yield "WriteTimeMax", f"{figures.write_time_max_us}{when}"
    yield "staLogicalBytes", figures.logical_bytes
    yield "staPhysicalBytes", figures.physical_bytes
    yield "staLogicalWrites", figures.logical_writes
    yield "staPhysicalWrites", figures.physical_writes


def _more(figures: LogStatistics) -> Iterator[tuple[str, object]]:
    """What the service aid of MQ does not tell."""
    copies = f" in {figures.copies} copies" if figures.copies > 1 else ""
    yield "LogType", f"{figures.log_type}{copies}"
    yield "LogWriteIntegrity", figures.write_integrity
    yield "useful bytes", f"{figures.useful_share:.0%}"
    yield "records", figures.records
    yield "forces", f"{figures.forces} ({figures.forces_shared} shared)"
    yield "slow writes", figures.traps
    yield "head LSN", f"{figures.head} {figures.restart_extent}".rstrip()
    if figures.media:
        yield "media LSN", f"{figures.media} {figures.media_extent}".rstrip()
    yield "checkpoint LSN", figures.checkpoint
    yield "tail LSN", f"{figures.tail} {figures.current_extent}".rstrip()


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"{seconds} seconds after 1970"


def _write(path: str, text: str) -> None:
    file = RealFiles().open(path, create=True)
    try:
        file.truncate(0)
        file.write(0, text.encode("utf-8", "surrogateescape"))
    finally:
        file.close()
