"""A command of MQSC from text to text: what the command server, the Python API and runmqsc all use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from libremq.admin import command_lookup
from libremq.admin.command import Command, Issuer, Outcome
from libremq.admin.command_spec import CommandSpec
from libremq.admin.command_table import VERB_ABBREVIATIONS
from libremq.admin.mqsc_lines import CommandText, commands_in
from libremq.admin.mqsc_reading import MqscSyntaxError, read_command
from libremq.admin.mqsc_writing import outcome_lines
from libremq.admin.pending_outcome import Pending, there
from libremq.admin.plain_values import plain_row
from libremq.admin.steps import MADE, Steps, run_through
from libremq.common.messages.amq_messages import amq
from libremq.kernel.events.masked_text import mask_passwords, secret_astray
from libremq.mqi import constants as C

if TYPE_CHECKING:
    from libremq.admin.executor import Executor

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
    keyword = secret_astray(error.segment, error.problem)
    problem = f"{keyword} takes its value in parentheses and quotes: {keyword}('...')" if keyword else error.problem
    return [amq(8405).line, mask_passwords(error.segment), "", problem]


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


def begin_command(executor: Executor, given: CommandText, issuer: Issuer) -> Steps[tuple[Answer, Outcome | None]]:
    """Read and run one command: the answer, to be filled with the outcome; None if it could not even be read."""
    command, answer = check_text(given)
    if command is None:
        return answer, None
    return answer, (yield from executor.steps(command, issuer))


def fill(answer: Answer, outcome: Outcome) -> Steps[None]:
    """Say in the answer what became of the command. That needs no lock."""
    for number, lines in enumerate(outcome_lines(outcome), 1):
        answer.lines += lines
        if number % MADE == 0:
            yield
    for number, row in enumerate(outcome.rows, 1):
        answer.rows.append(plain_row(row))
        if number % MADE == 0:
            yield
    answer.reason, answer.lsn = outcome.reason, outcome.lsn
    answer.state = FAILED if outcome.failed else DONE


def run_text(executor: Executor, text: str, issuer: Issuer) -> list[Answer]:
    """Run all commands of a text that need no network, one after the other; a failure does not stop the others."""
    return run_through(text_steps(executor, text, issuer)).value


def text_steps(executor: Executor, text: str, issuer: Issuer) -> Steps[Pending[list[Answer]]]:
    """Run all commands of a text, each when the one before has its outcome; the answers when all are done."""
    left = (given for given in commands_in(text) if given.text or given.problem)
    return (yield from _run_all(executor, left, issuer, []))


def _run_all(
    executor: Executor, left: Iterator[CommandText], issuer: Issuer, answers: list[Answer]
) -> Steps[Pending[list[Answer]]]:
    for given in left:
        answer, outcome = yield from begin_command(executor, given, issuer)
        answers.append(answer)
        if outcome is not None and outcome.pending is not None:
            return outcome.pending.chain(partial(_go_on, executor, left, issuer, answers))
        if outcome is not None:
            yield from fill(answer, outcome)
    return there(answers)


def _go_on(
    executor: Executor, left: Iterator[CommandText], issuer: Issuer, answers: list[Answer], outcome: Outcome
) -> Pending[list[Answer]]:
    """The outcome has come over the network; whoever ran the text does not wait for the rest in steps any more."""
    run_through(fill(answers[-1], outcome))
    return run_through(_run_all(executor, left, issuer, answers))
