"""The messages of LibreMQ: everything that a command prints or an error log holds under an AMQ id comes from here.

The tables have, for each number, its severity, its text with places for inserts, why it comes and what to do. An
`AmqMessage` is the line itself, a `str`, so that it goes wherever text goes (a callback, an exception, a pipe); what
the error log needs beyond the line it carries along. What is inserted may come from anybody: it is cut, and nothing
in it can begin a new line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from libremq.common.messages.amq_message_table_commands import COMMAND_ROWS
from libremq.common.messages.amq_message_table_connections import CONNECTION_ROWS
from libremq.common.messages.amq_message_table_message_channels import MESSAGE_CHANNEL_ROWS
from libremq.common.messages.amq_message_table_programs import PROGRAM_ROWS
from libremq.common.messages.amq_message_table_queue_manager import QUEUE_MANAGER_ROWS
from libremq.common.printable_text import STEERING

INSERT_MAX = 512
SEVERITIES = {"I": "Information", "W": "Warning", "E": "Error", "S": "Severe error", "T": "Termination"}

_UNPRINTABLE = re.compile(rf"[{STEERING}\t\n\ufeff]+")  # what could end a line, or show it other than it is
_ID = re.compile(r"AMQ(\d{4})[IWEST]?", re.IGNORECASE)
_PLACE = re.compile(r"\{(\d)\}")


class Row(NamedTuple):
    """What the tables say about a number."""

    severity: str
    template: str
    explanation: str
    action: str


TABLES = (QUEUE_MANAGER_ROWS, COMMAND_ROWS, PROGRAM_ROWS, CONNECTION_ROWS, MESSAGE_CHANNEL_ROWS)
ROWS: dict[int, Row] = {number: Row(*row) for table in TABLES for number, row in table.items()}


class AmqMessage(str):
    """A message with its inserts in place: `AMQ8006I: LibreMQ queue created.`"""

    number: int
    inserts: tuple[str | int, ...]

    __slots__ = ("inserts", "number")

    @property
    def line(self) -> str:
        return str.__str__(self)

    @property
    def id(self) -> str:
        return f"AMQ{self.number:04}{self.severity}"

    @property
    def text(self) -> str:
        return self.line.partition(": ")[2]

    @property
    def severity(self) -> str:
        return ROWS[self.number].severity

    @property
    def explanation(self) -> str:
        return ROWS[self.number].explanation

    @property
    def action(self) -> str:
        return ROWS[self.number].action

    def __reduce__(self) -> tuple[object, ...]:
        return amq, (self.number, *self.inserts)


def amq(number: int, *inserts: object) -> AmqMessage:
    """The message with this number. KeyError if the tables do not have it, which is an error of the caller."""
    row = ROWS[number]
    cleaned = tuple(_clean(insert) for insert in inserts)
    shown = _PLACE.sub(lambda place: str(cleaned[int(place[1])]) if int(place[1]) < len(cleaned) else "", row.template)
    if shown.endswith("..") and not shown.endswith("..."):
        shown = shown[:-1]  # the last insert is a sentence
    message = AmqMessage(f"AMQ{number:04}{row.severity}: {shown}")
    message.number, message.inserts = number, cleaned
    return message


def places(number: int) -> int:
    """How many inserts the message has."""
    return max((int(place) + 1 for place in _PLACE.findall(ROWS[number].template)), default=0)


def find_number(text: str) -> int | None:
    """The number in `AMQ8006`, `amq8006i`; None if it is no message id, or one that is not known."""
    found = _ID.fullmatch(text)
    return int(found[1]) if found and int(found[1]) in ROWS else None


def one_line(text: str, longest: int = INSERT_MAX) -> str:
    """Text of any origin as a part of a line: printable in every encoding, and not too long."""
    text = _UNPRINTABLE.sub(" ", text[: 2 * longest])
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _clean(insert: object) -> str | int:
    if isinstance(insert, int) and not isinstance(insert, bool):
        return int(insert)
    return one_line(str(insert))
