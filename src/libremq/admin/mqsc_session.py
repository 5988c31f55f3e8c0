"""A command of MQSC from text to text: what the command server, the Python API and runmqsc all use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from libremq.admin import command_lookup
from libremq.admin.command import Command, Issuer, Outcome
from libremq.admin.command_spec import CommandSpec
from libremq.admin.command_table import VERB_ABBREVIATIONS
from libremq.admin.executor import Executor
from libremq.admin.mqsc_lines import CommandText, commands_in
from libremq.admin.mqsc_reading import MqscSyntaxError, read_command
from libremq.admin.mqsc_writing import outcome_lines
from libremq.admin.pending_outcome import Pending
from libremq.admin.plain_values import plain_row
from libremq.common.messages.amq_messages import amq
from libremq.kernel.events.command_events import mask_passwords
from libremq.mqi import constants as C

DONE, FAILED, SYNTAX = "done", "failed", "syntax"


@dataclass(slots=True)
class Answer:
    """What became of one command of MQSC."""

    command: str
    state: str
    lines: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    """What DISPLAY found: by keyword in lower case, words where MQSC has words."""
    reason: int = 0
    lsn: int = 0


def syntax_lines(error: MqscSyntaxError) -> list[str]:
    """The message, how much of the command could be read, and what is wrong with the rest."""
    if error.unknown_command:
        return [amq(8426, ", ".join(VERB_ABBREVIATIONS)).line, error.problem]
    return [amq(8405).line, mask_passwords(error.segment), "", error.problem]


def usage(spec: CommandSpec) -> str:
    """All that a command takes, in a line."""
    words = [row.keyword for row in command_lookup.parameters(spec).values()]
    return f"{spec.words}: {' '.join(dict.fromkeys(words))}"


def check_text(given: CommandText) -> tuple[Command | None, Answer]:
    """Read a command without running it: the command, or the answer that says what is wrong."""
    text = given.text
    if given.problem:
        return None, Answer(text, SYNTAX, [amq(8405).line, "", given.problem], reason=C.MQRCCF_PARM_SYNTAX_ERROR)
    try:
        command = read_command(text)
    except MqscSyntaxError as error:
        return None, Answer(text, SYNTAX, syntax_lines(error), reason=C.MQRCCF_PARM_SYNTAX_ERROR)
    return command, Answer(text, DONE)


def run_command(executor: Executor, given: CommandText, issuer: Issuer) -> tuple[Answer, Pending[Outcome] | None]:
    """Read and run one command. If its outcome is still to come, the answer says so once that has come."""
    command, answer = check_text(given)
    if command is None:
        return answer, None
    outcome = executor.run(command, issuer)
    if outcome.pending is None:
        _fill(answer, outcome)
    else:
        outcome.pending.then(lambda found: _fill(answer, found))
    return answer, outcome.pending


def _fill(answer: Answer, outcome: Outcome) -> None:
    answer.lines = outcome_lines(outcome)
    answer.rows = [plain_row(row) for row in outcome.rows]
    answer.reason, answer.lsn = outcome.reason, outcome.lsn
    answer.state = FAILED if outcome.failed else DONE


def run_text(executor: Executor, text: str, issuer: Issuer) -> list[Answer]:
    """Run all commands of a text that need no network, one after the other; a failure does not stop the others."""
    return begin_text(executor, text, issuer).value


def begin_text(executor: Executor, text: str, issuer: Issuer) -> Pending[list[Answer]]:
    """Run all commands of a text, one after the other; the answers when all are done."""
    return _TextRun(executor, text, issuer).done


class _TextRun:
    """Each command begins when the one before has its outcome: all within the call, unless one needs the network."""

    def __init__(self, executor: Executor, text: str, issuer: Issuer) -> None:
        self.done: Pending[list[Answer]] = Pending()
        self._executor = executor
        self._issuer = issuer
        self._left = (given for given in commands_in(text) if given.text or given.problem)
        self._answers: list[Answer] = []
        self._go_on()

    def _go_on(self) -> None:
        for given in self._left:
            answer, pending = run_command(self._executor, given, self._issuer)
            self._answers.append(answer)
            if pending is not None and not pending.is_there:
                pending.then(lambda outcome: self._go_on())
                return
        self.done.complete(self._answers)
