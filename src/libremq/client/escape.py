"""MQSC by way of the command server: each command in a PCF Escape message, its answer from a queue of our own.

That reaches any queue manager to which a message can go, this one or one behind a channel.
"""

from __future__ import annotations

from libremq.admin.mqsc_lines import CommandText
from libremq.admin.mqsc_session import DONE, FAILED, Answer, check_text
from libremq.client.queue_manager import QueueManager
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.errors import NoMessageAvailable
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST, PCFParameter, pack_message, unpack_message

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"
UTF_8 = 1208


class EscapeSession:
    """Commands to the command server of a queue manager, one at a time."""

    def __init__(self, through: QueueManager, target: str, wait_s: int) -> None:
        self._wait_s = wait_s
        self._commands = through.queue(COMMAND_QUEUE, manager=target)
        self._replies = through.dynamic_queue(name="LIBREMQ.MQSC.*")

    def run(self, given: CommandText) -> Answer:
        """Send it, and wait for the answer."""
        command, answer = check_text(given)
        if command is None:
            return answer
        parameters: list[PCFParameter] = [
            MQCFIN(Parameter=C.MQIACF_ESCAPE_TYPE, Value=C.MQET_MQSC),
            MQCFST(Parameter=C.MQCACF_ESCAPE_TEXT, CodedCharSetId=UTF_8, String=given.text),
        ]
        identifier = self._commands.put(
            pack_message(MQCFH(Command=C.MQCMD_ESCAPE), parameters),
            message_type=C.MQMT_REQUEST,
            format=C.MQFMT_ADMIN,
            reply_to=self._replies.name,
            persistent=False,
            expiry=self._wait_s,
        )
        return self._received(answer, identifier)

    def _received(self, answer: Answer, identifier: bytes) -> Answer:
        answer.state, last = DONE, False
        while not last:
            try:
                message = self._replies.get(wait=self._wait_s, correlation_id=identifier, convert=True)
            except NoMessageAvailable:
                answer.lines.append(amq(8416).line)
                answer.state, answer.reason = FAILED, C.MQRC_NO_MSG_AVAILABLE
                return answer
            header, parameters = unpack_message(message.data, charset="utf-8")
            answer.lines += [
                one.String for one in parameters if isinstance(one, MQCFST) and one.Parameter == C.MQCACF_ESCAPE_TEXT
            ]
            if header.CompCode == C.MQCC_FAILED:
                answer.state, answer.reason = FAILED, answer.reason or header.Reason
            last = header.Control == C.MQCFC_LAST
        return answer
