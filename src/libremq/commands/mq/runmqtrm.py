"""The `libremq runmqtrm` command: the trigger monitor, in the foreground until it is told to end.

Exit codes as in MQ: 0 it was told to end or its queue manager ends, 10 it was interrupted by an error, 20 it did not
run at all.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType

from libremq.commands.command_connection import connect
from libremq.commands.queue_manager_folders import add_data_argument, complain, guarded, say
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.tools.trigger_monitor import DEFAULT_QUEUE, TriggerMonitor

COMMAND = "runmqtrm"
OK, INTERRUPTED, NOT_RUN = 0, 10, 20
_BROKEN = (C.MQRC_CONNECTION_BROKEN, C.MQRC_Q_MGR_STOPPING, C.MQRC_CONNECTION_STOPPING, C.MQRC_Q_MGR_NOT_AVAILABLE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m", metavar="QM", dest="qmgr", default="", help="the queue manager, by name or URL; else the default one"
    )
    parser.add_argument(
        "-q", metavar="QUEUE", dest="queue", default=DEFAULT_QUEUE, help=f"the initiation queue; else {DEFAULT_QUEUE}"
    )
    add_data_argument(parser)
    parser.epilog = (
        "For each trigger message the line 'APPLICID MQTMC2 ENVRDATA' of the PROCESS is run by the shell. The monitor "
        "waits for the program to end unless ENVRDATA ends with '&'. SIGTERM or Ctrl-C ends the monitor; a program "
        "that runs goes on."
    )


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return code if code in (OK, INTERRUPTED, NOT_RUN) else NOT_RUN


def _run(arguments: argparse.Namespace) -> int:
    try:
        manager = connect(arguments, COMMAND, must_serve=True)
    except MQError as error:
        complain(COMMAND, amq(8607, arguments.qmgr, error.detail or error))
        return NOT_RUN
    with manager:
        monitor = TriggerMonitor(manager, arguments.queue, say=_note)
        with ended_by_signal(monitor.stop):
            try:
                monitor.run()
            except MQError as error:
                began = monitor.started or monitor.refused
                if error.reason in _BROKEN:
                    complain(COMMAND, amq(8608, manager.name, error.detail or error))
                    return INTERRUPTED
                number = 8615 if began else 8611
                complain(COMMAND, amq(number, arguments.queue, error.detail or error))
                return INTERRUPTED if began else NOT_RUN
    return OK


def _note(text: str) -> None:
    """With the time, at once: somebody may read it over a pipe, and programs that are started write there too."""
    say(f"{datetime.now():%Y-%m-%d %H:%M:%S}  {text}")
    try:
        sys.stdout.flush()
    except OSError:
        pass


@contextmanager
def ended_by_signal(stop: Callable[[], None]) -> Iterator[threading.Event]:
    """SIGTERM, SIGINT and SIGHUP call `stop` in a thread of its own, as a handler must not use the queue manager."""
    asked = threading.Event()
    done = threading.Event()

    def wait() -> None:
        asked.wait()
        if not done.is_set():
            stop()

    def handle(number: int, frame: FrameType | None) -> None:
        asked.set()

    watcher = threading.Thread(target=wait, name="libremq-signals", daemon=True)
    watcher.start()
    names = ("SIGTERM", "SIGINT", "SIGHUP")  # the last one is not on Windows
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, handle) for number in numbers} if main else {}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        done.set()
        asked.set()
        watcher.join()
