"""`libremq runmqsc`: commands of MQSC from a terminal, a file or a pipe.

What a command means is the queue manager's business: here lines become commands, answers are printed, and in the end
they are counted. The exit codes are MQ's: 0 all done, 10 some not, 20 nothing was run. The session itself is in
`shared/runmqsc_session`.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from libremq.commands.queue_manager_folders import Refused, add_data_argument, complain
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

NOT_RUN = 20
SOME_FAILED = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", nargs="?", default="", help="the queue manager; by default the default one")
    parser.add_argument("-e", action="store_true", dest="no_echo", help="do not repeat the commands in the report")
    parser.add_argument("-v", action="store_true", dest="verify", help="check the commands, run none")
    parser.add_argument("-c", action="store_true", dest="client", help="connect as a client, to MQSERVER or by a CCDT")
    parser.add_argument("-u", metavar="USER", dest="user", help="the user; its password is asked for or the first line")
    parser.add_argument(
        "-w",
        metavar="SECONDS",
        type=_wait,
        dest="wait",
        help="send the commands to the command server of the queue manager, and wait so long for each answer",
    )
    parser.add_argument("-m", metavar="QMGR", dest="through", help="with -w: the queue manager to connect to")
    parser.add_argument("-x", action="store_true", dest="zos", help=argparse.SUPPRESS)
    parser.add_argument("-f", metavar="FILE", dest="file", help="read the commands from a file")
    parser.add_argument("--json", action="store_true", help="print one JSON object for each command")
    add_data_argument(parser, "--data")


def _wait(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 999999:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 1 to 999999")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    try:
        return _run(arguments)
    except Refused as error:
        complain("runmqsc", error)
        return error.code
    except MQError as error:
        complain("runmqsc", refusal(arguments.qmgr, error))
        return NOT_RUN
    except BrokenPipeError:
        raise
    except OSError as error:
        complain("runmqsc", f"{error.filename or 'input or output'}: {error.strerror}")
        return NOT_RUN


def _run(arguments: argparse.Namespace) -> int:
    from libremq.commands.shared import runmqsc_session

    if (arguments.through or arguments.zos) and not arguments.wait:
        raise Refused(NOT_RUN, "-m and -x go with -w")
    if arguments.zos:
        raise Refused(NOT_RUN, amq(8124, "-x"))
    if arguments.verify and arguments.wait:
        raise Refused(NOT_RUN, "-v and -w do not go together")
    with _opened(arguments.file) as source:
        return runmqsc_session.run_from(source, arguments)


@contextmanager
def _opened(path: str | None) -> Iterator[TextIO]:
    """Where the commands are. What is no UTF-8 there is no reason to stop: the command that has it says so."""
    if path:
        with open(path, encoding="utf-8", errors="replace") as file:
            yield file
        return
    if isinstance(sys.stdin, io.TextIOWrapper) and not sys.stdin.isatty():
        sys.stdin.reconfigure(errors="replace")
    yield sys.stdin


def refusal(name: str, error: MQError) -> str:
    if error.reason in (C.MQRC_Q_MGR_NOT_AVAILABLE, C.MQRC_HOST_NOT_AVAILABLE):
        return amq(8146, name or error.object_name, error.detail or "it does not answer")
    if error.reason == C.MQRC_CONNECTION_BROKEN:
        return amq(8145)
    if error.reason == C.MQRC_NOT_AUTHORIZED:
        return amq(8135, f": {error.detail}")
    return str(error)
