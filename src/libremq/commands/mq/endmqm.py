"""The `libremq endmqm` command: end a queue manager that serves.

Three ways, each harsher than the one before: quiesced waits for applications to disconnect, immediate finishes calls
that are under way, preemptive waits for nobody. A queue manager that does not answer can only be ended preemptively:
its process is then told to stop by a signal, and killed if that does not help. Nothing acknowledged is lost either way.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from typing import TYPE_CHECKING

from libremq.client.urls import Address
from libremq.commands.exit_codes import ExitCode
from libremq.commands.mq.strmqm import seconds
from libremq.commands.queue_manager_folders import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    existing,
    guarded,
    say,
)
from libremq.common.files.file_layer import RealFiles
from libremq.common.files.lock_state import locked_by
from libremq.common.files.queue_manager_files import LOCK
from libremq.common.messages.amq_messages import amq
from libremq.server.process.run_state import (
    ENDED,
    EndMode,
    EndState,
    RunState,
    current_run,
    load_end,
    save_end,
)

if TYPE_CHECKING:
    from libremq.server.process.control_socket import ControlClient

COMMAND = "endmqm"
_ANSWER_S = 30.0
_ANSWER_PREEMPTIVE_S = 3.0
_END_PREEMPTIVE_S = 15.0
_TERM_S = 3.0
_SAY_S = 5.0
_LOOK_S = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", metavar="QM", help="the queue manager")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-c", action="store_const", const="c", dest="how", help="quiesced: return at once (default)")
    how.add_argument("-w", action="store_const", const="w", dest="how", help="quiesced: return when it has ended")
    how.add_argument("-i", action="store_const", const="i", dest="how", help="immediate: calls under way are finished")
    how.add_argument("-p", action="store_const", const="p", dest="how", help="preemptive: if nothing else helps")
    parser.set_defaults(how="c")
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "-t", metavar="SECONDS", dest="target", type=seconds, help="the end becomes immediate after half of this time"
    )
    target.add_argument(
        "-tp", metavar="SECONDS", dest="hard_target", type=seconds, help="the same, and preemptive after all of it"
    )
    parser.add_argument("-r", action="store_true", dest="reconnect", help="tell clients that can to reconnect")
    add_data_argument(parser)
    add_quiet_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from libremq.server.process.control_socket import ControlClient, ControlError

    address = existing(RealFiles(), arguments)
    running = _running(address)
    mode: EndMode = {"c": "quiesce", "w": "quiesce", "i": "immediate", "p": "preemptive"}[arguments.how]  # type: ignore[assignment]
    try:
        client = ControlClient(running.control, _ANSWER_PREEMPTIVE_S if mode == "preemptive" else _ANSWER_S)
    except (OSError, ControlError) as error:
        return _no_answer(address, running, mode, error)
    try:
        answer = client.ask(
            "end",
            mode=mode,
            reconnect=arguments.reconnect,
            seconds=arguments.hard_target or arguments.target or 0,
            preemptive=arguments.hard_target is not None,
        )
        if not answer.get("ok"):
            raise Refused(ExitCode.NOT_AUTHORIZED, amq(7077, f"{answer.get('text')}."))
        if arguments.how == "c":
            return _accepted(address, answer.get("before", ""))
        if answer.get("before") == answer.get("mode") != mode:
            raise Refused(ExitCode.STOPPING, amq(5005, address.name, " already"))
        say(f"LibreMQ queue manager '{address.name}' ending.")
        return _wait(address, running, client, mode)
    except (OSError, ControlError) as error:
        return _no_answer(address, running, mode, error)
    finally:
        client.close()


def _running(address: Address) -> RunState:
    holder, running = locked_by(f"{address.folder}/{LOCK}"), current_run(address.folder)
    if not holder and running is None:
        raise Refused(ExitCode.NOT_AVAILABLE, amq(8146, address.name, "it is not running."))
    running = running or _asked(address)
    if running is None:
        raise Refused(
            ExitCode.NOT_AVAILABLE,
            amq(8146, address.name, f"{holder} has it embedded. It ends with that process."),
        )
    return running


def _asked(address: Address) -> RunState | None:
    """What a queue manager says of itself if its file is damaged, or could not be written on a full disk."""
    from libremq.server.process.control_socket import ControlClient, ControlError, control_path

    path = control_path(address.folder)
    try:
        client = ControlClient(path, _ANSWER_PREEMPTIVE_S)
        try:
            found = client.ask("status")["run"]
        finally:
            client.close()
        process, controller = int(found["process_id"]), int(found["controller_id"])
        state, started = str(found["state"]), float(found["started"])
        running = RunState(address.name, process, controller, state, started, control=path)
    except (OSError, ControlError, KeyError, TypeError, ValueError):
        return None
    return running if _has_lock(address, running) else None


def _accepted(address: Address, before: str) -> int:
    if before:
        raise Refused(ExitCode.STOPPING, amq(5005, address.name, " already"))
    say(f"Quiesce request accepted: queue manager '{address.name}' ends when its applications have disconnected.")
    return ExitCode.OK


def _wait(address: Address, running: RunState, client: ControlClient, mode: EndMode) -> int:
    """Until it has ended. Whether it has is known by its lock."""
    began = time.monotonic()
    while not client.wait_closed(_SAY_S):
        if mode == "preemptive" and time.monotonic() - began > _END_PREEMPTIVE_S:
            _kill(address, running)
        else:
            say(f"Waiting for queue manager '{address.name}' to end.")
    while current_run(address.folder) == running or _has_lock(address, running):
        time.sleep(_LOOK_S)
    farewell, end = client.farewell(), load_end(address.folder)
    if not farewell.get("ended") and (end is None or end.process_id != running.process_id):
        raise Refused(
            ExitCode.UNEXPECTED,
            amq(6109, address.name, "it failed while it ended, and its error log says why."),
        )
    if farewell.get("note"):
        say(str(farewell["note"]))
    say(f"LibreMQ queue manager '{address.name}' ended.")
    return ExitCode.OK


def _no_answer(address: Address, running: RunState, mode: EndMode, error: Exception) -> int:
    if not _has_lock(address, running):
        raise Refused(ExitCode.NOT_AVAILABLE, amq(8146, address.name, "it has ended meanwhile."))
    if mode != "preemptive":
        raise Refused(
            ExitCode.UNEXPECTED,
            amq(
                6109,
                address.name,
                f"its process {running.process_id} does not answer: {error}. Try again, or end it with -p.",
            ),
        )
    say(f"LibreMQ queue manager '{address.name}' ending.")
    _kill(address, running)
    say(f"LibreMQ queue manager '{address.name}' ended.")
    return ExitCode.OK


def _has_lock(address: Address, running: RunState) -> bool:
    holder = locked_by(f"{address.folder}/{LOCK}")
    if not holder:
        return current_run(address.folder) == running  # its qm.lock was removed
    return f"{holder} ".startswith(f"process {running.process_id} ")


def _kill(address: Address, running: RunState) -> None:
    """Tell the process to stop, then make it. The number is its own as long as it has the lock."""
    save_end(address.folder, EndState(running.process_id, ENDED["preemptive"], time.time()))
    for number, limit_s in ((signal.SIGTERM, _TERM_S), (signal.SIGKILL, _END_PREEMPTIVE_S)):
        if not _has_lock(address, running):
            return
        try:
            os.kill(running.process_id, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + limit_s
        while _has_lock(address, running) and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
    if _has_lock(address, running):
        raise Refused(
            ExitCode.UNEXPECTED,
            amq(6109, address.name, f"its process {running.process_id} cannot be killed."),
        )
