"""Messages made from messages: replies, reports of applications, and what goes to the dead-letter queue.

All of it is done with ordinary puts, so it works the same through every binding. What to put is made here for the
blocking and the asyncio API alike.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from libremq.client.message import MessageContent
from libremq.client.options import Data, PutOptions
from libremq.common.dead_letter_header import strip
from libremq.kernel.messages.field_checks import fitting_text
from libremq.kernel.messages.own_messages import header_bytes
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import wrong_type
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQDLH, MQMD, MQOD, MQPMO

if TYPE_CHECKING:
    from libremq.client.message import Message
    from libremq.client.queue_manager import QueueManager

_LATIN1 = 819  # of the headers made here: one byte a character, and every name fits
_DEAD = C.MQFMT_DEAD_LETTER_HEADER.strip()
_ASKED_BY = {C.MQFB_PAN: C.MQRO_PAN, C.MQFB_NAN: C.MQRO_NAN}


def _ids(message: MessageContent) -> tuple[bytes, bytes]:
    """Message id and correlation id of what answers a message, as its Report options ask."""
    original = message.md
    return (
        original.MsgId if original.Report & C.MQRO_PASS_MSG_ID else C.MQMI_NONE,
        original.CorrelId if original.Report & C.MQRO_PASS_CORREL_ID else original.MsgId,
    )


def _answer_to(message: MessageContent) -> MQOD:
    if not message.reply_to:
        raise mq_error(C.MQRC_MISSING_REPLY_TO_Q, message.queue, "the sender named no queue to reply to")
    return MQOD(ObjectName=message.reply_to, ObjectQMgrName=message.reply_to_manager)


class Put(NamedTuple):
    """A put that is to be done."""

    od: MQOD
    data: Data
    options: PutOptions


def reply_to(message: MessageContent, data: Data, options: PutOptions) -> Put:
    od = _answer_to(message)
    message_id, correlation_id = _ids(message)
    given: PutOptions = {"persistent": message.persistent, "priority": message.priority, **options}
    given.setdefault("message_type", C.MQMT_REPLY)
    given.setdefault("correlation_id", correlation_id)
    given.setdefault("message_id", message_id)
    return Put(od, data, given)


def reply(manager: QueueManager, message: Message, data: Data, options: PutOptions) -> bytes:
    return manager._put1(*reply_to(message, data, options))


def report_on(manager_name: str, message: MessageContent, feedback: int) -> Put | None:
    """The report of an application; None if the sender did not ask for it."""
    asked = _ASKED_BY.get(feedback)
    if asked is not None and not message.md.Report & asked:
        return None
    return _report(manager_name, message, feedback)


def report(manager: QueueManager, message: Message, feedback: int) -> bytes | None:
    put = report_on(manager.name, message, feedback)
    return None if put is None else manager._put1(*put)


def _report(manager_name: str, message: MessageContent, feedback: int) -> Put:
    od = _answer_to(message)
    original = message.md
    message_id, correlation_id = _ids(message)
    md = MQMD(
        Version=C.MQMD_VERSION_2, MsgType=C.MQMT_REPORT, Feedback=feedback,
        Encoding=original.Encoding, CodedCharSetId=original.CodedCharSetId, Format=original.Format,
        Priority=original.Priority, Persistence=original.Persistence, MsgId=message_id, CorrelId=correlation_id,
        ReplyToQMgr=manager_name,
    )  # fmt: skip
    if original.Report & C.MQRO_PASS_DISCARD_AND_EXPIRY:
        md.Report, md.Expiry = original.Report & C.MQRO_DISCARD_MSG, original.Expiry
    return Put(od, b"", {"md": md})


class DeadLetter(NamedTuple):
    """What is to be done with a message that cannot be handled, as its sender asked."""

    bury: bool
    report: Put | None

    def burial(
        self, dead_letter_queue: str, application: str, message: MessageContent, reason: int, where: tuple[str, str]
    ) -> Put:
        """The put on the dead-letter queue; `where` are the queue and queue manager it should have gone to."""
        if not dead_letter_queue:
            raise mq_error(
                C.MQRC_UNKNOWN_OBJECT_NAME, "DEADQ", "no dead-letter queue is set: alter('qmgr', deadq='NAME') sets one"
            )
        md = message.md.copy()
        now = datetime.now(UTC)
        header = MQDLH(
            Reason=reason, DestQName=where[0], DestQMgrName=where[1],
            Encoding=md.Encoding, CodedCharSetId=md.CodedCharSetId, Format=md.Format,
            PutApplType=C.MQAT_UNIX, PutApplName=fitting_text(application)[-28:],
            PutDate=now.strftime("%Y%m%d"), PutTime=now.strftime("%H%M%S%f")[:8],
        )  # fmt: skip
        md.Format, md.Encoding, md.CodedCharSetId, md.Report = _DEAD, C.MQENC_NATIVE, _LATIN1, C.MQRO_NONE
        # The context stays that of the first sender, as a queue manager would leave it
        pmo = MQPMO(Version=C.MQPMO_VERSION_3, Options=C.MQPMO_SET_ALL_CONTEXT | C.MQPMO_FAIL_IF_QUIESCING)
        given: PutOptions = {"md": md, "pmo": pmo, "properties": message.properties}
        return Put(MQOD(ObjectName=dead_letter_queue), header_bytes(header, _LATIN1) + message.data, given)


def dead_letter_plan(
    manager_name: str, message: MessageContent, reason: int, queue: str, queue_manager: str
) -> DeadLetter:
    """Discard it, or bury it, and report that."""
    if not isinstance(message, MessageContent):
        raise wrong_type(C.MQRC_BUFFER_ERROR, manager_name, f"what was got is asked for, a Message, not {message!r}")
    if isinstance(reason, bool) or not isinstance(reason, int):
        raise wrong_type(C.MQRC_FEEDBACK_ERROR, message.queue, f"reason is an MQRC or MQFB code, not {reason!r}")
    for given_name in (queue, queue_manager):
        if not isinstance(given_name, str):
            raise wrong_type(C.MQRC_DLH_ERROR, message.queue, f"a name is a str, not {given_name!r}")
    wants_report = message.md.Report & C.MQRO_EXCEPTION and message.reply_to
    return DeadLetter(
        bury=not message.md.Report & C.MQRO_DISCARD_MSG,
        report=_report(manager_name, message, reason) if wants_report else None,
    )


def dead_letter(manager: QueueManager, message: Message, reason: int, queue: str, queue_manager: str) -> bytes | None:
    plan = dead_letter_plan(manager.name, message, reason, queue, queue_manager)
    message_id: bytes | None = None
    if plan.bury:
        where = (queue or message.queue, queue_manager or manager.name)
        message_id = manager._put1(
            *plan.burial(str(manager.attributes["deadq"]), manager.application, message, reason, where)
        )
    if plan.report is not None:
        manager._put1(*plan.report)
    return message_id


def without_dead_letter_header(message: MessageContent) -> tuple[MQDLH, bytes, MQMD]:
    """The header, and data and descriptor as they were before."""
    if message.format != _DEAD:
        raise mq_error(
            C.MQRC_DLH_ERROR, message.queue, f"the message has no dead-letter header; its format is {message.format!r}"
        )
    header, data = strip(message.data, message.md.CodedCharSetId, message.md.Encoding)
    md = message.md.copy()
    md.Format, md.Encoding, md.CodedCharSetId = header.Format, header.Encoding, header.CodedCharSetId
    return header, data, md
