"""Messages made from messages: replies, reports of applications, and what goes to the dead-letter queue.

All of it is done with ordinary puts, so it works the same through every binding.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from libremq.client.errors import wrong_type
from libremq.client.message import Message
from libremq.client.options import Data, PutOptions
from libremq.kernel.dead_letter import strip
from libremq.kernel.field_checks import fitting_text
from libremq.kernel.own_messages import header_bytes
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQDLH, MQMD, MQOD, MQPMO

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

_LATIN1 = 819  # of the headers made here: one byte a character, and every name fits
_DEAD = C.MQFMT_DEAD_LETTER_HEADER.strip()
_ASKED_BY = {C.MQFB_PAN: C.MQRO_PAN, C.MQFB_NAN: C.MQRO_NAN}


def _ids(message: Message) -> tuple[bytes, bytes]:
    """Message id and correlation id of what answers a message, as its Report options ask."""
    original = message.md
    return (
        original.MsgId if original.Report & C.MQRO_PASS_MSG_ID else C.MQMI_NONE,
        original.CorrelId if original.Report & C.MQRO_PASS_CORREL_ID else original.MsgId,
    )


def _answer_to(message: Message) -> MQOD:
    if not message.reply_to:
        raise mq_error(C.MQRC_MISSING_REPLY_TO_Q, message.queue, "the sender named no queue to reply to")
    return MQOD(ObjectName=message.reply_to, ObjectQMgrName=message.reply_to_manager)


def reply(manager: QueueManager, message: Message, data: Data, options: PutOptions) -> bytes:
    od = _answer_to(message)
    message_id, correlation_id = _ids(message)
    given: PutOptions = {"persistent": message.persistent, "priority": message.priority, **options}
    given.setdefault("message_type", C.MQMT_REPLY)
    given.setdefault("correlation_id", correlation_id)
    given.setdefault("message_id", message_id)
    return manager._put1(od, data, given)


def report(manager: QueueManager, message: Message, feedback: int) -> bytes | None:
    asked = _ASKED_BY.get(feedback)
    if asked is not None and not message.md.Report & asked:
        return None
    return _send_report(manager, message, feedback)


def _send_report(manager: QueueManager, message: Message, feedback: int) -> bytes:
    od = _answer_to(message)
    original = message.md
    message_id, correlation_id = _ids(message)
    md = MQMD(
        Version=C.MQMD_VERSION_2, MsgType=C.MQMT_REPORT, Feedback=feedback,
        Encoding=original.Encoding, CodedCharSetId=original.CodedCharSetId, Format=original.Format,
        Priority=original.Priority, Persistence=original.Persistence, MsgId=message_id, CorrelId=correlation_id,
        ReplyToQMgr=manager.name,
    )  # fmt: skip
    if original.Report & C.MQRO_PASS_DISCARD_AND_EXPIRY:
        md.Report, md.Expiry = original.Report & C.MQRO_DISCARD_MSG, original.Expiry
    return manager._put1(od, b"", {"md": md})


def dead_letter(manager: QueueManager, message: Message, reason: int, queue: str, queue_manager: str) -> bytes | None:
    """Deal with a message that cannot be handled as its sender asked: discard it, or bury it, and report that."""
    if not isinstance(message, Message):
        raise wrong_type(C.MQRC_BUFFER_ERROR, manager.name, f"what was got is asked for, a Message, not {message!r}")
    if isinstance(reason, bool) or not isinstance(reason, int):
        raise wrong_type(C.MQRC_FEEDBACK_ERROR, message.queue, f"reason is an MQRC or MQFB code, not {reason!r}")
    for given_name in (queue, queue_manager):
        if not isinstance(given_name, str):
            raise wrong_type(C.MQRC_DLH_ERROR, message.queue, f"a name is a str, not {given_name!r}")
    message_id: bytes | None = None
    if not message.md.Report & C.MQRO_DISCARD_MSG:
        message_id = _bury(manager, message, reason, queue or message.queue, queue_manager or manager.name)
    if message.md.Report & C.MQRO_EXCEPTION and message.reply_to:
        _send_report(manager, message, reason)
    return message_id


def _bury(manager: QueueManager, message: Message, reason: int, queue: str, queue_manager: str) -> bytes:
    dead_letter_queue = str(manager.attributes["deadq"])
    if not dead_letter_queue:
        raise mq_error(
            C.MQRC_UNKNOWN_OBJECT_NAME, "DEADQ", "no dead-letter queue is set: alter('qmgr', deadq='NAME') sets one"
        )
    md = message.md.copy()
    now = datetime.now(UTC)
    header = MQDLH(
        Reason=reason, DestQName=queue, DestQMgrName=queue_manager,
        Encoding=md.Encoding, CodedCharSetId=md.CodedCharSetId, Format=md.Format,
        PutApplType=C.MQAT_UNIX, PutApplName=fitting_text(manager.application)[-28:],
        PutDate=now.strftime("%Y%m%d"), PutTime=now.strftime("%H%M%S%f")[:8],
    )  # fmt: skip
    md.Format, md.Encoding, md.CodedCharSetId, md.Report = _DEAD, C.MQENC_NATIVE, _LATIN1, C.MQRO_NONE
    # The context stays that of the first sender, as a queue manager would leave it
    pmo = MQPMO(Version=C.MQPMO_VERSION_3, Options=C.MQPMO_SET_ALL_CONTEXT | C.MQPMO_FAIL_IF_QUIESCING)
    given: PutOptions = {"md": md, "pmo": pmo, "properties": message.properties}
    return manager._put1(MQOD(ObjectName=dead_letter_queue), header_bytes(header, _LATIN1) + message.data, given)


def without_dead_letter_header(manager: QueueManager | None, message: Message) -> tuple[MQDLH, Message]:
    if message.format != _DEAD:
        raise mq_error(
            C.MQRC_DLH_ERROR, message.queue, f"the message has no dead-letter header; its format is {message.format!r}"
        )
    header, data = strip(message.data, message.md.CodedCharSetId, message.md.Encoding)
    md = message.md.copy()
    md.Format, md.Encoding, md.CodedCharSetId = header.Format, header.Encoding, header.CodedCharSetId
    return header, Message(data, md, message.gmo, message.properties, manager)


