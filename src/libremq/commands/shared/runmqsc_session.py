"""A session of runmqsc: the commands of a source go to a queue manager one by one, the answers to a report."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TextIO

from libremq.admin import command_lookup
from libremq.admin.mqsc_lines import CommandText, LineReader
from libremq.admin.mqsc_session import DONE, FAILED, SYNTAX, Answer, check_text
from libremq.client import connecting
from libremq.client.escape import EscapeSession
from libremq.client.urls import Address
from libremq.commands.mq.runmqsc import NOT_RUN, SOME_FAILED, refusal
from libremq.commands.queue_manager_folders import Refused, complain, tell
from libremq.commands.samples.sample_program import ask_password
from libremq.commands.shared import runmqsc_terminal as terminal
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import check_queue_manager_name
from libremq.common.release import release
from libremq.kernel.events.masked_text import MASK, has_secrets, mask_passwords
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

_ENDS = ("END", "EXIT", "QUIT")


def run_from(source: TextIO, arguments: argparse.Namespace) -> int:
    interactive = not arguments.file and source.isatty()
    password = None
    if arguments.user:
        prompt_on = sys.stderr if arguments.json else None
        password = ask_password(prompt_on) if interactive or arguments.file else source.readline().rstrip("\r\n")
    name = arguments.qmgr or ("" if arguments.verify else _default_name(arguments))
    if arguments.verify:
        return _session(arguments, Report(not arguments.no_echo, arguments.json, name), source, interactive, _checked)
    with _commander(arguments, name, password) as (connected, execute):
        report = Report(not arguments.no_echo, arguments.json, connected)
        return _session(arguments, report, source, interactive, execute)


def _checked(given: CommandText) -> Answer:
    return check_text(given)[1]


def _session(
    arguments: argparse.Namespace,
    report: Report,
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
                complain("runmqsc", refusal(report.name, error))
                code = NOT_RUN
                break
    report.summary(arguments.verify, bool(arguments.wait))
    return code or report.exit_code


def _commands(reader: LineReader, lines: Iterable[str]) -> Iterator[CommandText]:
    for number, line in enumerate(lines):
        yield from reader.take(line if number else line.removeprefix("\ufeff"))  # some editors begin a file with it
    yield from reader.end()


# What is printed


@dataclass
class Report:
    """What is printed, and how often what happened."""

    echo: bool
    json: bool
    name: str
    counts: dict[str, int] = field(default_factory=lambda: {DONE: 0, FAILED: 0, SYNTAX: 0})
    responses: int = 0
    """How often a command server has answered."""
    _secret: SecretOverLines = field(default_factory=lambda: SecretOverLines())

    def banner(self, interactive: bool) -> None:
        if not self.json:
            tell(f"LibreMQ V{release()}. Not affiliated with IBM.")
            tell(f"Starting MQSC for queue manager {self.name}.")
            print("\n" if not interactive else "", flush=True)

    def typed(self, given: CommandText, *, counted: bool) -> None:
        self._secret.see(given)
        if not self.echo or self.json:
            return
        for number, line in enumerate([MASK] if self._secret.goes_on else _without_passwords(given)):
            head = f"{self.read + 1:6}" if counted and number == 0 else " " * 6
            tell(f"{head} : {line}")

    def answered(self, answer: Answer) -> None:
        self.counts[answer.state] += 1
        self.responses += answer.state != SYNTAX and answer.reason != C.MQRC_NO_MSG_AVAILABLE
        if self._secret.goes_on:
            answer = replace(answer, command=MASK, lines=[amq(8405).line, MASK])
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
        tell("\n".join(lines))

    @property
    def exit_code(self) -> int:
        return SOME_FAILED if self.counts[FAILED] or self.counts[SYNTAX] else 0


class SecretOverLines:
    """A password whose quote or parenthesis is not closed, without a sign that the next line belongs to it.

    Then the next lines are taken for commands, and may be the rest of the password, until one begins as commands do.
    """

    def __init__(self) -> None:
        self._is_open = False
        self.goes_on = False
        """Is the command that was seen last, or what was taken for one, a part of it?"""

    def see(self, given: CommandText) -> None:
        self.goes_on = False
        text = (given.text or given.whole).strip()
        if not text or text.upper() in _ENDS:
            return
        word = re.match(r"[A-Za-z]+(?=\s|$)", text)
        self.goes_on = self._is_open and (word is None or command_lookup.verb(word[0]) is None)
        self._is_open = self.goes_on or (
            has_secrets(text) and (text.count("'") % 2 == 1 or text.count("(") > text.count(")"))
        )


def _counted(number: int, none: str, one: str, many: str) -> str:
    return none if number == 0 else one if number == 1 else many.format(number)


def _without_passwords(given: CommandText) -> list[str]:
    """The lines of a command for the report, which people keep. One with a password is shown as one line."""
    whole = given.whole or " ".join(given.lines if given.problem else ())
    masked = mask_passwords(whole)
    return list(given.lines) if masked == whole or not given.lines else [masked]


def _messages(answer: Answer) -> list[str]:
    return [line for line in answer.lines if not line.startswith("   ")] if not answer.rows else []


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
