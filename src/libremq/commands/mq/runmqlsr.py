"""The `libremq runmqlsr` command: have a queue manager listen on an address, as long as this command runs.

The listener is one of the queue manager's own; this command asks for it and waits. It ends with this command (SIGTERM,
Ctrl-C, or killed), with `endmqlsr`, or with the queue manager. Those who are connected stay.
Exit codes: 0 ended, 10 unexpected, 20 it did not start.
"""

from __future__ import annotations

import argparse
import sys
import threading

from libremq.commands.mq.runmqtrm import ended_by_signal
from libremq.commands.queue_manager_folders import Refused, add_data_argument, existing, guarded, say
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.server.process.run_state import RunState, current_run
from libremq.server.process.start_options import LOOPBACK, PORT, parse_port

COMMAND = "runmqlsr"
OK, UNEXPECTED, NOT_STARTED = 0, 10, 20
_ANSWER_S = 30.0
_LOOK_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager; else the default one")
    parser.add_argument("-t", metavar="tcp", dest="protocol", type=str.lower, required=True, help="the protocol: tcp")
    parser.add_argument("-p", metavar="PORT", dest="port", type=_port, default=PORT, help=f"the port; else {PORT}")
    parser.add_argument(
        "-i", metavar="ADDRESS", dest="address", default=LOOPBACK, help=f"else {LOOPBACK}; * is every address"
    )
    parser.add_argument("-b", metavar="N", dest="backlog", type=int, help="accepted for scripts; 512 may wait")
    add_data_argument(parser)


def _port(text: str) -> int:
    try:
        return parse_port(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return code if code in (OK, UNEXPECTED) else NOT_STARTED


def serving(arguments: argparse.Namespace) -> RunState:
    """The queue manager that the arguments name, which serves. Refused if it does not."""
    address = existing(RealFiles(), arguments)
    running = current_run(address.folder)
    if running is None:
        todo = f"It does not run. Start it: libremq strmqm {address.name}."
        raise Refused(NOT_STARTED, amq(8146, address.name, todo))
    return running


def _run(arguments: argparse.Namespace) -> int:
    from libremq.server.process.control_socket import ControlClient, ControlError
    from libremq.server.process.listener_commands import LISTEN

    if arguments.protocol != "tcp":
        raise Refused(NOT_STARTED, amq(7027, f"-t takes tcp, not {arguments.protocol[:20]!r}"))
    running = serving(arguments)
    try:
        client = ControlClient(running.control, _ANSWER_S)
        host = "" if arguments.address == "*" else arguments.address
        answer = client.ask(LISTEN, host=host, port=arguments.port)
    except (OSError, ControlError) as error:
        raise Refused(NOT_STARTED, amq(8146, running.queue_manager, error)) from error
    try:
        if not answer.get("ok"):
            raise Refused(NOT_STARTED, str(answer.get("text")))
        stopped = threading.Event()
        with ended_by_signal(stopped.set):  # before it says so: whoever reads it may end it at once
            say(amq(5026, answer.get("address")))
            sys.stdout.flush()
            while not stopped.is_set() and not client.wait_closed(_LOOK_S):
                pass
        say(amq(5027, answer.get("address")))
        return OK
    finally:
        client.close()
