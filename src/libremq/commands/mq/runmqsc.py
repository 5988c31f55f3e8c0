"""`libremq runmqsc`: commands of MQSC from a terminal, a file or a pipe.

What a command means is the queue manager's business: here lines become commands, answers are printed, and in the end
they are counted. The exit codes are MQ's: 0 all done, 10 some not, 20 nothing was run.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from libremq.admin.mqsc_lines import CommandText, LineReader
from libremq.admin.mqsc_session import DONE, FAILED, SYNTAX, Answer, check_text
from libremq.client import connecting
from libremq.client.escape import EscapeSession
from libremq.client.urls import Address
from libremq.commands.mq import runmqsc_terminal as terminal
from libremq.commands.queue_manager_folders import Refused, add_data_argument, complain, tell
from libremq.commands.samples.sample_program import ask_password
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import check_queue_manager_name
from libremq.kernel.events.command_events import mask_passwords
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.diagnostics.error_entry import release

NOT_RUN = 20
SOME_FAILED = 10
_ENDS = ("END", "EXIT", "QUIT")


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


@dataclass
class _Report:
    """What is printed, and how often what happened."""

    echo: bool
    json: bool
    name: str
    counts: dict[str, int] = field(default_factory=lambda: {DONE: 0, FAILED: 0, SYNTAX: 0})
    responses: int = 0
    """How often a command server has answered."""

    def banner(self, interactive: bool) -> None:
        if not self.json:
            print(f"LibreMQ V{release()}. Not affiliated with IBM.")
            print(f"Starting MQSC for queue manager {self.name}.")
            print("\n" if not interactive else "", flush=True)

    def typed(self, given: CommandText, *, counted: bool) -> None:
        if not self.echo or self.json:
            return
        for number, line in enumerate(_without_passwords(given)):
            head = f"{self.read + 1:6}" if counted and number == 0 else " " * 6
            tell(f"{head} : {line}")

    def answered(self, answer: Answer) -> None:
        self.counts[answer.state] += 1
        self.responses += answer.state != SYNTAX and answer.reason != C.MQRC_NO_MSG_AVAILABLE
        if self.json:
            shown = {"command": mask_passwords(answer.command), "state": answer.state, "reason": answer.reason}
            tell(json.dumps({**shown, "messages": _messages(answer), "rows": answer.rows}))
        else:
            tell("\n".join(answer.lines))
        sys.stdout.flush()  # whoever talks with us through pipes waits for it

    @property
    def read(self) -> int:
        return sum(self.counts.values())

    def summary(self, verify: bool, responses: bool) -> None:
        if self.json:
            return
        lines = [
            _counted(self.read, "No MQSC commands read.", "One MQSC command read.", "{} MQSC commands read."),
            _counted(
                self.counts[SYNTAX],
                "No commands have a syntax error.",
                "One command has a syntax error.",
                "{} commands have a syntax error.",
            ),
        ]
        if not verify:
            lines.append(
                _counted(
                    self.counts[FAILED],
                    "All valid MQSC commands were processed.",
                    "One valid MQSC command could not be processed.",
                    "{} valid MQSC commands could not be processed.",
                )
            )
        if responses:
            lines.append(f"{self.responses} command {'response' if self.responses == 1 else 'responses'} received.")
        print("\n".join(lines))

    @property
    def exit_code(self) -> int:
        return SOME_FAILED if self.counts[FAILED] or self.counts[SYNTAX] else 0


def _counted(number: int, none: str, one: str, many: str) -> str:
    return none if number == 0 else one if number == 1 else many.format(number)


def _without_passwords(given: CommandText) -> list[str]:
    """The lines of a command for the report, which people keep. One with a password is shown as one line."""
    masked = mask_passwords(given.text)
    return list(given.lines) if masked == given.text else [masked]


def _messages(answer: Answer) -> list[str]:
    return [line for line in answer.lines if not line.startswith("   ")] if not answer.rows else []


def run(arguments: argparse.Namespace) -> int:
    try:
        return _run(arguments)
    except Refused as error:
        complain("runmqsc", error)
        return error.code
    except MQError as error:
        complain("runmqsc", _refusal(arguments.qmgr, error))
        return NOT_RUN
    except BrokenPipeError:
        raise
    except OSError as error:
        complain("runmqsc", f"{error.filename or 'input or output'}: {error.strerror}")
        return NOT_RUN


def _run(arguments: argparse.Namespace) -> int:
    if (arguments.through or arguments.zos) and not arguments.wait:
        raise Refused(NOT_RUN, "-m and -x go with -w")
    if arguments.zos:
        raise Refused(NOT_RUN, amq(8124, "-x"))
    if arguments.verify and arguments.wait:
        raise Refused(NOT_RUN, "-v and -w do not go together")
    with _opened(arguments.file) as source:
        return _run_from(source, arguments)


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


def _run_from(source: TextIO, arguments: argparse.Namespace) -> int:
    interactive = not arguments.file and source.isatty()
    password = None
    if arguments.user:
        password = ask_password() if interactive or arguments.file else source.readline().rstrip("\r\n")
    name = arguments.qmgr or ("" if arguments.verify else _default_name(arguments))
    if arguments.verify:
        return _session(arguments, _Report(not arguments.no_echo, arguments.json, name), source, interactive, _checked)
    with _commander(arguments, name, password) as (connected, execute):
        report = _Report(not arguments.no_echo, arguments.json, connected)
        return _session(arguments, report, source, interactive, execute)


def _checked(given: CommandText) -> Answer:
    return check_text(given)[1]


def _session(
    arguments: argparse.Namespace,
    report: _Report,
    source: TextIO,
    interactive: bool,
    execute: Callable[[CommandText], Answer],
) -> int:
    report.banner(interactive)
    reader = LineReader()
    lines: Iterable[str] = terminal.lines(report.name, lambda: reader.pending, execute) if interactive else source
    code = 0
    for given in _commands(reader, lines):
        word = given.text.strip().upper()
        if word in _ENDS and not given.problem:
            report.typed(given, counted=False)
            break
        report.typed(given, counted=bool(given.text or given.problem))
        if given.text or given.problem:
            try:
                report.answered(execute(given))
            except MQError as error:  # the queue manager is gone: nothing more can be run, what was answered is done
                complain("runmqsc", _refusal(report.name, error))
                code = NOT_RUN
                break
    report.summary(arguments.verify, bool(arguments.wait))
    return code or report.exit_code


def _commands(reader: LineReader, lines: Iterable[str]) -> Iterator[CommandText]:
    for number, line in enumerate(lines):
        yield from reader.take(line if number else line.removeprefix("\ufeff"))  # some editors begin a file with it
    yield from reader.end()


# Whom the commands go to


def _default_name(arguments: argparse.Namespace) -> str:
    if arguments.client:
        return ""
    return connecting.default_name(os.path.expanduser(arguments.data_folder))


class _commander:
    """A queue manager that takes commands: its name, and a function that runs one."""

    def __init__(self, arguments: argparse.Namespace, name: str, password: str | None) -> None:
        self._arguments = arguments
        self._name = name
        self._password = password

    def __enter__(self) -> tuple[str, Callable[[CommandText], Answer]]:
        arguments = self._arguments
        target = arguments.through or self._name
        url = connecting.url_for(target) if arguments.client else self._local_url(target)
        self._manager = connecting.connect(url, user=arguments.user, password=self._password)
        if arguments.wait:
            session = EscapeSession(self._manager, self._name, arguments.wait)
            return self._name, session.run
        return self._manager.name, self._execute

    def _local_url(self, name: str) -> str:
        check_queue_manager_name(name)
        data = os.path.expanduser(self._arguments.data_folder)
        folder = Address("embedded", name, data=data).folder
        if not RealFiles().exists(folder):
            raise Refused(NOT_RUN, amq(8118, name, f": there is no {folder}"))
        return f"local:{name}" + (f"?data={data}" if data else "")

    def _execute(self, given: CommandText) -> Answer:
        command, answer = check_text(given)
        if command is None:
            return answer
        return self._manager.mqsc(given.text)[0]

    def __exit__(self, *error: object) -> None:
        self._manager.close()


def _refusal(name: str, error: MQError) -> str:
    if error.reason in (C.MQRC_Q_MGR_NOT_AVAILABLE, C.MQRC_HOST_NOT_AVAILABLE):
        return amq(8146, name or error.object_name, error.detail or "it does not answer")
    if error.reason == C.MQRC_CONNECTION_BROKEN:
        return amq(8145)
    if error.reason == C.MQRC_NOT_AUTHORIZED:
        return amq(8135, f": {error.detail}")
    return str(error)
