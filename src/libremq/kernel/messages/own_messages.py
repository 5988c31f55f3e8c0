"""Messages that the queue manager makes itself: how they are signed and put.

Nobody waits for the outcome of such a put, so it never fails: what cannot go where it should goes to the
dead-letter queue, and where there is none it is dropped. Headers made here are in the queue manager's own character
set and byte order.
"""

from __future__ import annotations

from libremq.common.ccsid import charset_of
from libremq.kernel.messages import name_resolution
from libremq.kernel.messages.message_context import put_date_time
from libremq.kernel.state.connection import Connection, Destination
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQDLH, MQMD, Structure
from libremq.store.stored_message import Message

PUT_APPL_NAME_LENGTH = 28


def header_bytes(header: Structure, ccsid: int) -> bytes:
    """The header in native byte order. Characters that the set or a field has no room for become question marks."""
    try:
        return header.pack(charset=charset_of(ccsid))
    except MQError:
        return _plain(header).pack(charset=charset_of(ccsid))


def _plain(header: Structure) -> Structure:
    plain = header.copy()
    for name, value in plain.__dict__.items():
        if isinstance(value, str):
            plain.__dict__[name] = value.encode("ascii", "replace").decode("ascii")
        elif isinstance(value, Structure):
            plain.__dict__[name] = _plain(value)
    return plain


def sign(core: Core, md: MQMD, now: float) -> None:
    """Origin context: put by this queue manager, now."""
    md.PutApplType = C.MQAT_QMGR
    md.PutApplName = core.qmgr_name[:PUT_APPL_NAME_LENGTH]
    md.PutDate, md.PutTime = put_date_time(now)
    md.ApplOriginData = ""


def put(core: Core, message: Message, queue: str, qmgr: str, unit: UnitOfWork | None, now: float) -> bool:
    """Put a message of the queue manager's own, on the dead-letter queue if need be; False if it was dropped."""
    try:
        destination = name_resolution.destination_of(core, queue, qmgr)
        core.deliver(destination, message, unit, now)
    except MQError as error:
        if message.md.Report & C.MQRO_DISCARD_MSG:
            return False
        return bury(core, message, queue, qmgr, error.reason, unit, now) is None
    return True


def bury(
    core: Core,
    message: Message,
    queue: str,
    qmgr: str,
    reason: int,
    unit: UnitOfWork | None,
    now: float,
    by: Connection | None = None,
) -> MQError | None:
    """Put a message on the dead-letter queue behind an MQDLH. If that does not take it: why, and nothing has happened.

    `by` signs the header: an agent that could not deliver, or else the queue manager itself.
    """
    ccsid = core.catalogue.qmgr.ccsid
    md = message.md.copy()
    header = MQDLH(
        Reason=reason, DestQName=queue, DestQMgrName=qmgr or core.qmgr_name,
        Encoding=md.Encoding, CodedCharSetId=md.CodedCharSetId, Format=md.Format,
        PutApplType=by.application_type if by else C.MQAT_QMGR,
        PutApplName=(by.application if by else core.qmgr_name)[:PUT_APPL_NAME_LENGTH],
    )  # fmt: skip
    header.PutDate, header.PutTime = put_date_time(now)
    md.Format, md.Encoding, md.CodedCharSetId = C.MQFMT_DEAD_LETTER_HEADER.strip(), C.MQENC_NATIVE, ccsid
    dead = Message(md, message.properties, header_bytes(header, ccsid) + message.data, message.origin)
    try:
        destination = _dead_letter_queue(core)
        core.deliver(destination, dead, unit, now)
    except MQError as refusal:
        return refusal
    return None


def _dead_letter_queue(core: Core) -> Destination:
    name = core.catalogue.qmgr.deadq
    if not name:
        raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, "DEADQ", "the queue manager has no dead-letter queue")
    destination = name_resolution.destination_of(core, name, "")
    if destination.is_remote:
        raise mq_error(C.MQRC_OBJECT_TYPE_ERROR, name, "the dead-letter queue must be a local queue")
    return destination
