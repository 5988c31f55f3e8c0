"""What a command is once its syntax is gone, and what comes back from it.

MQSC text, PCF messages and the Python API all become a `Command`; the executor turns it into an `Outcome`, which the
syntaxes turn into text, messages or values. A parameter is kept by its MQSC keyword, whichever syntax it came from; its
value is as it was given (MQSC: text, PCF: MQI values) and is checked by the attribute row that declares it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from libremq.admin.command_spec import CommandSpec
from libremq.admin.pending_outcome import Pending
from libremq.common.messages.amq_messages import AmqMessage
from libremq.kernel.objects.attributes import Attribute, GivenValue, Value
from libremq.mqi import constants as C
from libremq.mqi.pcf import PCFParameter

ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Filter:
    """WHERE: show only what has this attribute in this relation to the value."""

    keyword: str
    operator: int  # MQCFOP_*
    value: GivenValue


@dataclass(frozen=True, slots=True)
class Command:
    spec: CommandSpec
    name: str = ""
    parameters: Mapping[str, GivenValue] = field(default_factory=dict)
    """Attributes and options by MQSC keyword in upper case. A bare word such as NOSHARE is the value of SHARE."""
    requested: tuple[str, ...] = ()
    """DISPLAY: the attributes asked for, or ALL, or a group of attributes such as EVENT."""
    where: Filter | None = None
    source_text: str = ""
    """As it was typed: what a command event tells."""
    source_parameters: Sequence[PCFParameter] = ()
    """As it came in a PCF message."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """Who gives a command: what authorities are checked against, and what command events tell."""

    user: str = ""
    groups: frozenset[str] = frozenset()
    privileged: bool = True
    origin: int = C.MQEVO_CONSOLE
    application: str = ""
    application_type: int = C.MQAT_UNKNOWN
    accounting_token: bytes = b""
    identity_data: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that DISPLAY shows: its attributes with MQI values, in the order in which they are shown."""

    kind: str
    values: tuple[tuple[Attribute, Value], ...]
    hidden: tuple[tuple[Attribute, Value], ...] = ()
    """What was not asked for, but a filter may look at."""

    def get(self, keyword: str) -> Value | None:
        for row, value in (*self.values, *self.hidden):
            if row.keyword == keyword:
                return value
        return None

    def __iter__(self) -> Iterator[tuple[Attribute, Value]]:
        return iter(self.values)


@dataclass(slots=True)
class Outcome:
    """What became of a command. With a reason it has failed, and nothing was changed."""

    messages: list[AmqMessage] = field(default_factory=list)
    """What MQSC prints: the success, the heading of each row, or the failure."""
    rows: list[Row] = field(default_factory=list)
    reason: int = C.MQRC_NONE
    comp_code: int = C.MQCC_OK
    lsn: int = 0
    """No answer before the log is on disk up to here."""
    pending: Pending[Outcome] | None = None
    """It is not known yet how the command ended: this outcome says nothing, and the one to come says all."""

    @property
    def warnings(self) -> list[AmqMessage]:
        """What a command that has done its work says besides."""
        return [] if self.failed or self.rows else self.messages[1:]

    @property
    def failed(self) -> bool:
        return self.comp_code == C.MQCC_FAILED
