"""The `libremq strmqm` command: start a queue manager that serves, in the background or in the foreground.

And what else begins with a start: replay or activate a backup, or try whether a queue manager starts.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from libremq.client.urls import Address
from libremq.commands.exit_codes import ExitCode
from libremq.commands.output import Progress
from libremq.commands.queue_manager_folders import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    check_not_running,
    code_of,
    complain,
    existing,
    guarded,
    say,
    tell,
)
from libremq.common.clock import SystemClock
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.mqi.errors import MQError, mq_error
from libremq.server.process.run_state import ENDING, current_run
from libremq.server.process.start_options import LOOPBACK, HostPort, ServerOptions, parse_host_port, parse_port
from libremq.server.process.start_progress import LOCKED, StartFailure

COMMAND = "strmqm"
_NOT_STARTED = "AMQ8041E"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", metavar="QM", nargs="?", help="the queue manager; else the default one")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-r", action="store_true", dest="replay", help="replay the extents shipped to a backup, then end")
    what.add_argument("-a", action="store_true", dest="activate", help="activate a backup, for good; it is then ended")
    what.add_argument(
        "-c", action="store_true", dest="redefine", help="define the system objects again as they were first, then end"
    )
    what.add_argument("--check", action="store_true", help="start it, recover what a crash left, and end it")
    what.add_argument(
        "--foreground", action="store_true", help="run it here until it ends: for containers and service managers"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "-p",
        metavar="PORT",
        dest="port",
        type=_port,
        help="listen on this port, loopback address only; 0: a free one. Default: as LISTENER objects say, else 1414",
    )
    where.add_argument(
        "--listen",
        metavar="HOST:PORT",
        action="append",
        default=[],
        type=_host_port,
        help="listen there, *:PORT for every address; may be repeated",
    )
    where.add_argument(
        "-ns", "--no-listener", action="store_true", dest="no_listener", help="for applications on this machine only"
    )
    parser.add_argument(
        "-d",
        choices=("all", "minimal", "none"),
        default="all",
        dest="detail",
        help="how much it says while it starts in the background; errors are always told",
    )
    parser.add_argument(
        "-tp",
        metavar="SECONDS",
        dest="seconds",
        type=seconds,
        default=0.0,
        help="how long an end by a signal may take: after half of it, it is immediate, after all of it preemptive",
    )
    add_data_argument(parser)
    add_quiet_argument(parser)


def _port(text: str) -> HostPort:
    try:
        return HostPort(LOOPBACK, parse_port(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _host_port(text: str) -> HostPort:
    try:
        return parse_host_port(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def seconds(text: str) -> float:
    """A target time in an argument."""
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of seconds")
    return float(text)


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    if code == ExitCode.NOT_AVAILABLE:
        return ExitCode.UNEXPECTED
    return ExitCode.PARAMETER if code == ExitCode.ARGUMENTS else code


def _run(arguments: argparse.Namespace) -> int:
    from libremq.client import backup
    from libremq.host.embedded import EmbeddedQueueManager

    address = existing(RealFiles(), arguments)
    name, folder = address.name, address.folder
    _check_not_ending(address)
    check_not_running(address)
    is_backup = backup.is_backup(folder)
    if (arguments.replay or arguments.activate) and not is_backup:
        raise Refused(ExitCode.PARAMETER, amq(7027, f"'{name}' is no backup: -r and -a are for those."))
    if arguments.replay:
        with Progress(f"Replaying the log of {name}") as bar:
            records = backup.replay(folder, say=lambda text: _say_over(bar, text))
        tell(f"LibreMQ backup queue manager '{name}': {records} log records replayed.")
    elif arguments.activate:
        backup.activate(folder, say=say)
        tell(f"LibreMQ queue manager '{name}' activated, and ended. Start it with libremq strmqm {name}.")
    elif is_backup:
        raise Refused(
            ExitCode.PARAMETER, amq(7027, f"'{name}' is a backup queue manager: use -r to replay, -a to activate.")
        )
    elif arguments.redefine:
        _redefine(folder, name)
        tell(f"LibreMQ queue manager '{name}' ended.")
    elif arguments.check:
        EmbeddedQueueManager.start(folder, name, say=say).end()
        tell(f"LibreMQ queue manager '{name}' ended.")
    else:
        return _serve(address, arguments)
    return ExitCode.OK


def _redefine(folder: str, name: str) -> None:
    """The objects that every queue manager has, as crtmqm makes them; messages on them, and rules, stay as they are."""
    from libremq.host.embedded import EmbeddedQueueManager
    from libremq.kernel.objects.catalogue import Catalogue
    from libremq.kernel.objects.object_types import KeyedRecord
    from libremq.kernel.objects.system_objects import create_system_objects

    embedded = EmbeddedQueueManager.start(folder, name, say=say)
    counts = {"created": 0, "replaced": 0, "failed": 0}
    try:
        manager, now = embedded.manager, SystemClock().now()
        for one in create_system_objects(Catalogue(name, now), now):
            if isinstance(one, KeyedRecord):
                continue
            rows = [row for row in one.table if row.alterable and row.slot != "name"]
            attributes = {row.keyword: getattr(one, row.slot) for row in rows}
            how = "replaced" if manager.find(one.kind, one.name) is not None else "created"
            try:
                embedded.admin(partial(manager.define, one.kind, one.name, attributes, replace=True))
            except MQError as error:
                how = "failed"
                complain(COMMAND, f"{one.kind} {one.name}: {error.detail or error}")
            counts[how] += 1
    finally:
        embedded.end()
    tell(f"Default objects of '{name}': {', '.join(f'{number} {how}' for how, number in counts.items())}.")


def _check_not_ending(address: Address) -> None:
    running = current_run(address.folder)
    if running is not None and running.state in ENDING.values():
        raise Refused(ExitCode.STOPPING, amq(5005, address.name, f": {running.state}"))


def _serve(address: Address, arguments: argparse.Namespace) -> int:
    from libremq.server.process.controller import run_in_foreground, start_in_background

    options = ServerOptions(
        address.name,
        address.folder,
        listen=(arguments.port,) if arguments.port is not None else tuple(arguments.listen),
        no_listener=arguments.no_listener,
        end_after_s=arguments.seconds,
    )
    if arguments.foreground:
        outcome = run_in_foreground(options, _say_at_once)
    else:
        try:
            with Progress(f"Starting queue manager {address.name}") as bar:
                outcome = start_in_background(options, lambda text: _say_over(bar, text, arguments.detail))
        except KeyboardInterrupt:
            if current_run(address.folder) is not None:
                name = address.name
                complain(COMMAND, f"'{name}' goes on starting in the background; libremq endmqm {name} ends it")
            raise
    if outcome.failure is not None:
        raise Refused(_code_of(outcome.failure), _text_of(outcome.failure, address.name))
    if not outcome.in_good_order:
        raise Refused(ExitCode.UNEXPECTED, amq(5073, address.name, outcome.how))
    return ExitCode.OK


def _say_over(bar: Progress, text: str, detail: str = "all") -> None:
    """As much as -d asks for; minimal is that it starts, and that it has."""
    if detail == "none" or (detail == "minimal" and text.startswith("AMQ")):
        return
    with bar.hidden():
        _say_at_once(text)


def _say_at_once(text: str) -> None:
    """What a queue manager says while it starts is of interest in that moment, also in a pipe."""
    if text.startswith(_NOT_STARTED):
        return  # the command says it, on standard error
    say(text)
    try:
        sys.stdout.flush()
    except OSError:
        pass


def _code_of(failure: StartFailure) -> int:
    """The exit code for what went wrong in the other process."""
    from libremq.log import LogError

    if failure.cause == LOCKED:
        return ExitCode.RUNNING
    below: Exception = LogError(failure.text) if failure.cause == "LogError" else ValueError(failure.text)
    if failure.cause == "OSError":
        below = OSError(failure.errno, failure.text)
    if not failure.reason:
        return code_of(below)
    error = mq_error(failure.reason, "", failure.text)
    error.__cause__ = below
    return code_of(error)


def _text_of(failure: StartFailure, name: str) -> str:
    if failure.text.startswith("AMQ"):
        # It is about a listener, or whatever else it was
        return failure.text if failure.cause == LOCKED else f"{failure.text}\n{_not_started(name)}"
    return amq(8041, name, failure.text)


def _not_started(name: str) -> str:
    return f"LibreMQ queue manager '{name}' was not started."
