"""The `libremq runmqdlq` command: the dead-letter queue handler, with its rules table from standard input or a file.

Exit codes: 0 it ended as it was told to, 10 it was interrupted by an error, 20 it did not run. A rules table with a
fault does nothing to any message; every fault is told with its line.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from libremq.commands.command_connection import connect
from libremq.commands.mq.runmqtrm import ended_by_signal
from libremq.commands.output import add_json_argument, show_json
from libremq.commands.queue_manager_folders import Refused, add_data_argument, complain, guarded, say
from libremq.commands.samples.sample_program import ask_password
from libremq.common.messages.amq_messages import amq
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.tools.dead_letter_rules import RulesTable

COMMAND = "runmqdlq"
OK, INTERRUPTED, NOT_RUN = 0, 10, 20
_BYTES_MAX = 16 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "queue", nargs="?", default="", metavar="QUEUE", help="the dead-letter queue; else INPUTQ, else DEADQ of QM"
    )
    parser.add_argument(
        "qmgr", nargs="?", default="", metavar="QM", help="the queue manager; else INPUTQM, else the default one"
    )
    parser.add_argument("-u", metavar="USER", dest="user", default="", help="connect as this user; asks for a password")
    parser.add_argument("--rules", metavar="FILE", help="read the rules from a file instead of standard input")
    parser.add_argument("--check", action="store_true", help="only check the rules table")
    add_json_argument(parser)
    add_data_argument(parser)
    parser.epilog = (
        "Example of a rules table: INPUTQ(DEAD) WAIT(NO) on the first line, then a rule a line: "
        "REASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(5), or DESTQ(OLD.*) ACTION(FWD) FWDQ(ARCHIVE) HEADER(NO)."
    )


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return code if code in (OK, INTERRUPTED, NOT_RUN) else NOT_RUN


def _run(arguments: argparse.Namespace) -> int:
    from libremq.tools.dead_letter_rules import RulesError, parse_rules

    password = ask_password() if arguments.user else None
    try:
        table = parse_rules(_read(arguments.rules))
    except RulesError as error:
        for problem in error.problems:
            complain(COMMAND, problem)
        complain(COMMAND, amq(8758, len(error.problems)))
        return NOT_RUN
    if arguments.check:
        say(f"The rules table has {len(table.rules)} rules and no errors.")
        return OK
    return _handle(arguments, table, password)


def _read(path: str | None) -> str:
    """The rules table. A byte that is no UTF-8 is kept as a character, which at most fits nothing."""
    if path is not None:
        try:
            with open(os.path.expanduser(path), "rb") as file:
                data = file.read(_BYTES_MAX)
        except (OSError, ValueError) as error:
            raise Refused(NOT_RUN, f"the rules cannot be read: {error}") from error
    else:
        data = b"" if sys.stdin is None else sys.stdin.buffer.read(_BYTES_MAX)
    return data.decode("utf-8", "replace")


def _handle(arguments: argparse.Namespace, table: RulesTable, password: str | None) -> int:
    from libremq.tools.dead_letter_handler import DeadLetterHandler

    arguments.qmgr = arguments.qmgr or table.control.input_manager
    try:
        # Nobody is asked for authorities by a queue manager in one's own process, also not on behalf of another user
        must_serve = any(rule.as_context_user for rule in table.rules)
        manager = connect(arguments, COMMAND, must_serve=must_serve, user=arguments.user, password=password)
    except MQError as error:
        complain(COMMAND, amq(8741, arguments.qmgr, error.detail or error))
        return NOT_RUN
    with manager:
        queue = arguments.queue or table.control.input_queue
        try:
            handler = DeadLetterHandler(manager, table, queue, say=lambda text: _say(text, arguments))
            queue = handler.queue
            with ended_by_signal(handler.stop):
                outcome = handler.run()
        except MQError as error:
            complain(COMMAND, amq(8742, queue or "DEADQ", error.detail or error))
            return INTERRUPTED
    if arguments.json:
        show_json(vars(outcome))
    return OK


def _say(text: str, arguments: argparse.Namespace) -> None:
    """Warnings and errors to standard error, the rest to standard output unless that has JSON."""
    if text[7:8] != "I":
        complain(COMMAND, text)
    elif not arguments.json:
        say(text)
        try:
            sys.stdout.flush()
        except OSError:
            pass
