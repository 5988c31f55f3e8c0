"""DISPLAY by way of a command server: an Inquire command of PCF on its queue, the answers from a queue of our own.

It reaches any queue manager to which a message can go, and what comes back is the same as from one that is connected:
rows by keyword, with the words of MQSC. What a command asks for, and what an answer means, the command model says.
"""

from __future__ import annotations

from typing import Any

from libremq.admin import command_lookup
from libremq.admin.command import Command
from libremq.admin.mqsc_reading import read_command
from libremq.admin.mqsc_session import DONE, FAILED, Answer
from libremq.admin.plain_values import plain
from libremq.client.escape import COMMAND_QUEUE
from libremq.client.queue_manager import QueueManager
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.attributes import Attribute, Value, clean_text
from libremq.mqi import constants as C
from libremq.mqi.errors import NoMessageAvailable
from libremq.mqi.pcf import (
    MQCFBS,
    MQCFH,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSL,
    MQCFST,
    PCFParameter,
    pack_message,
    unpack_message,
)

REPLY_MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"
WAIT_S = 60
# Not every server takes silence for "all of them"
_AUTHORITY_OPTIONS: tuple[PCFParameter, ...] = (
    MQCFIN(Parameter=C.MQIACF_AUTH_OPTIONS, Value=C.MQAUTHOPT_NAME_ALL_MATCHING | C.MQAUTHOPT_ENTITY_EXPLICIT),
    MQCFIN(Parameter=C.MQIACF_OBJECT_TYPE, Value=C.MQOT_ALL),
)


class InquiringSession:
    """Takes DISPLAY commands for the queue manager `target`, which is reached through another one, or is that one."""

    def __init__(self, through: QueueManager, target: str, *, model: str = REPLY_MODEL, wait_s: int = WAIT_S) -> None:
        self._wait_s = wait_s
        self._commands = through.queue(COMMAND_QUEUE, manager=target)
        self._replies = through.dynamic_queue(model, name="LIBREMQ.PCF.*")

    def mqsc(self, commands: str) -> list[Answer]:
        """The answer to one command. MqscSyntaxError if it is none."""
        command = read_command(commands)
        answer = Answer(commands, DONE)
        identifier = self._commands.put(
            pack_message(MQCFH(Command=command.spec.pcf[0]), _parameters(command)),
            message_type=C.MQMT_REQUEST,
            format=C.MQFMT_ADMIN,
            reply_to=self._replies.name,
            persistent=False,
            expiry=self._wait_s,
        )
        rows = {row.selector: row for row in reversed(command_lookup.attributes(command.spec.table))}
        last = False
        while not last:
            try:
                message = self._replies.get(wait=self._wait_s, correlation_id=identifier, convert=True)
            except NoMessageAvailable:
                answer.lines.append(amq(8416).line)
                answer.state, answer.reason = FAILED, C.MQRC_NO_MSG_AVAILABLE
                break
            header, parameters = unpack_message(message.data, charset="utf-8")
            last = header.Control == C.MQCFC_LAST
            if header.CompCode == C.MQCC_FAILED:
                answer.state, answer.reason = FAILED, answer.reason or header.Reason
                answer.lines.append(f"reason {header.Reason}")
            elif parameters:
                answer.rows.append(_row(parameters, rows))
        return [answer]


def _parameters(command: Command) -> list[PCFParameter]:
    spec = command.spec
    made: list[PCFParameter] = []
    if command.name:
        selector = spec.name_selector or command_lookup.attributes(spec.table)[0].selector
        made.append(MQCFST(Parameter=selector, String=command.name))
    if spec.object == "AUTHREC":
        made += _AUTHORITY_OPTIONS
    return made


def _row(parameters: list[PCFParameter], rows: dict[int, Attribute]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in parameters:
        row = rows.get(one.Parameter)
        if row is not None:
            found[row.keyword.lower()] = plain(row, _value(one))
    return found


def _value(one: PCFParameter) -> Value:
    if isinstance(one, MQCFIN | MQCFIN64):
        return one.Value
    if isinstance(one, MQCFIL | MQCFIL64):
        return tuple(one.Values)
    if isinstance(one, MQCFST):
        return clean_text(one.String)
    if isinstance(one, MQCFSL):
        return tuple(clean_text(text) for text in one.Strings)
    return one.String if isinstance(one, MQCFBS) else ""
