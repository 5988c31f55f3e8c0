"""A command of MQSC from text to text: what the command server, the Python API and runmqsc all use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from libremq.admin import model
from libremq.admin.command import Command, Issuer, Outcome
from libremq.admin.command_spec import CommandSpec
from libremq.admin.command_table import VERB_ABBREVIATIONS
from libremq.admin.executor import Executor
from libremq.admin.mqsc_lines import CommandText, commands_in
from libremq.admin.mqsc_reading import MqscSyntaxError, read_command
from libremq.admin.mqsc_writing import outcome_lines
from libremq.admin.plain_values import plain_row
from libremq.common.amq_messages import amq
from libremq.kernel.events_command import mask_passwords
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
    words = [row.keyword for row in model.parameters(spec).values()]
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


def run_command(executor: Executor, given: CommandText, issuer: Issuer) -> Answer:
    """Read and run one command."""
    command, answer = check_text(given)
    if command is None:
        return answer
    outcome = executor.run(command, issuer)
    answer.lines = outcome_lines(outcome)
    answer.rows = [plain_row(row) for row in outcome.rows]
    answer.reason, answer.lsn = outcome.reason, outcome.lsn
    answer.state = FAILED if _counts_as_failed(outcome) else DONE
    return answer


def _counts_as_failed(outcome: Outcome) -> bool:
    return outcome.comp_code == C.MQCC_FAILED


def run_text(executor: Executor, text: str, issuer: Issuer) -> list[Answer]:
    """Run all commands of a text, one after the other; a failure does not keep the others from running."""
    return [run_command(executor, given, issuer) for given in commands_in(text) if given.text or given.problem]
