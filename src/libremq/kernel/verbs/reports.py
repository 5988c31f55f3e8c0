"""Report messages: what becomes of a message, told to the queue that its sender named.

The Report field of a message says which events its sender wants to hear of, how much of the data to send along, and
how the ids of the report are made. A report is a message like any other, put by the queue manager in the unit of
work of the event that it reports; one that cannot be delivered goes to the dead-letter queue. So does one to a queue
where the sender of the message, or the channel that brought it, could not put it: it has the sender's
data, and the queue manager's name on it.
"""

from __future__ import annotations

from libremq.kernel.authority import message_origin, object_authority
from libremq.kernel.conversion.convert_headers import HEADERS
from libremq.kernel.conversion.convert_text import NotConverted, Part, Representation
from libremq.kernel.messages import own_messages, transmission
from libremq.kernel.messages.time_to_live import time_left
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import GET, UnitOfWork
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD
from libremq.store.stored_message import Message, Origin

COA_MASK = C.MQRO_COA_WITH_FULL_DATA
COD_MASK = C.MQRO_COD_WITH_FULL_DATA
EXPIRATION_MASK = C.MQRO_EXPIRATION_WITH_FULL_DATA
EXCEPTION_MASK = C.MQRO_EXCEPTION_WITH_FULL_DATA

DATA_LENGTH = 100  # of application data in a report "with data"; headers come on top
EXPIRATION_REPORT_EXPIRY = 600  # tenths of a second, where the report inherits the expiry of what has expired

_REPORTS = (
    COA_MASK | COD_MASK | EXPIRATION_MASK | EXCEPTION_MASK | C.MQRO_PAN | C.MQRO_NAN | C.MQRO_ACTIVITY
)  # fmt: skip
_KNOWN = (
    _REPORTS | C.MQRO_PASS_MSG_ID | C.MQRO_PASS_CORREL_ID | C.MQRO_DISCARD_MSG | C.MQRO_PASS_DISCARD_AND_EXPIRY
)  # fmt: skip
# Each of the four has three options, of which one may be given: the lowest bit, the lower two, or all three
_LOWEST_BITS = (C.MQRO_COA, C.MQRO_COD, C.MQRO_EXPIRATION, C.MQRO_EXCEPTION)
_CHOICES = (0, 1, 3, 7)
_OPTION_OF = {C.MQFB_COA: C.MQRO_COA, C.MQFB_COD: C.MQRO_COD, C.MQFB_EXPIRATION: C.MQRO_EXPIRATION}
_DEAD = C.MQFMT_DEAD_LETTER_HEADER.strip()


# What an application may ask for


def check_options(md: MQMD, name: str, *, remote: bool = False) -> int:
    """Refuse a Report field that means nothing; MQRC_UNKNOWN_REPORT_OPTION or MQRC_NONE for one that is taken.

    Bits that this release does not know are of three sorts: some are refused, some only if the message stays
    here, and some are taken with a warning.
    """
    report = md.Report
    unknown = report & ~_KNOWN & 0xFFFFFFFF
    refused = C.MQRO_REJECT_UNSUP_MASK if remote else C.MQRO_REJECT_UNSUP_MASK | C.MQRO_ACCEPT_UNSUP_IF_XMIT_MASK
    if unknown & refused:
        raise mq_error(C.MQRC_REPORT_OPTIONS_ERROR, name, f"unknown report options {unknown & refused:#x}")
    for lowest in _LOWEST_BITS:
        if report // lowest & 7 not in _CHOICES:
            raise mq_error(
                C.MQRC_REPORT_OPTIONS_ERROR, name, "give one of an option, its _WITH_DATA and its _WITH_FULL_DATA"
            )
    return C.MQRC_UNKNOWN_REPORT_OPTION if unknown else C.MQRC_NONE


def wants_any(report: int) -> bool:
    """Whether somebody may have to send a report, and so has to know where to."""
    return bool(report & _REPORTS)


def is_feedback(feedback: int) -> bool:
    """Whether a report may carry this feedback: none, or a code of the system or of an application."""
    return (
        feedback == C.MQFB_NONE
        or C.MQFB_SYSTEM_FIRST <= feedback <= C.MQFB_SYSTEM_LAST
        or C.MQFB_APPL_FIRST <= feedback <= C.MQFB_APPL_LAST
    )


# The events that the queue manager reports


def confirm_arrival(
    core: Core,
    message: Message,
    queue: QueueState,
    unit: UnitOfWork | None,
    now: float,
    by: Connection | None = None,
) -> None:
    """COA: the message is on its queue. A message on its way to the dead-letter queue has not arrived.

    `by` is a channel's agent, whose authority counts: the other end has written the user in the message, at will.
    """
    if message.md.Report & C.MQRO_COA and message.md.Format.strip() != _DEAD:
        _send(core, message.md, message, C.MQFB_COA, unit, now, by)


def confirm_delivery(core: Core, message: Message, queue: QueueState, unit: UnitOfWork | None, now: float) -> None:
    """COD: the message was taken from its queue, as the last operation of `unit` if there is one."""
    md = message.md
    if not md.Report & C.MQRO_COD or md.Format.strip() == _DEAD:
        return
    if md.Report & C.MQRO_PASS_DISCARD_AND_EXPIRY and unit is not None and unit.operations:
        last = unit.operations[-1]
        if last.kind == GET and last.queue is queue:
            md = md.copy()
            md.Expiry = time_left(queue.store.handles.expiry_ms[last.slot], now, md.Expiry)
    _send(core, md, message, C.MQFB_COD, unit, now)


def expired(core: Core, message: Message, unit: UnitOfWork | None, now: float, *, in_transit: bool) -> None:
    """The message was discarded because its time was over, here or, `in_transit`, on its way from here."""
    if not message.md.Report & C.MQRO_EXPIRATION:
        return
    if in_transit and message.md.Format.strip() == transmission.FORMAT:
        try:
            _, inner = transmission.unwrap(message.data, message.md)
            message = Message(inner.md, b"", inner.data, message.origin)
        except MQError:
            pass  # an application put something of this format that is none: report on what is there
    _send(core, message.md, message, C.MQFB_EXPIRATION, unit, now)


def exception(
    core: Core, message: Message, reason: int, unit: UnitOfWork | None, now: float, by: Connection | None = None
) -> None:
    """The message could not be put on its queue; `reason` is the feedback.

    `by` is a channel's agent: its authority counts for the report, for the message's user may not be known here.
    """
    if message.md.Report & C.MQRO_EXCEPTION:
        _send(core, message.md, message, reason, unit, now, by)


def _send(
    core: Core,
    md: MQMD,
    message: Message,
    feedback: int,
    unit: UnitOfWork | None,
    now: float,
    by: Connection | None = None,
) -> None:
    if not md.ReplyToQ:
        return
    report, (queue, qmgr) = make_report(core, md, message.data, message.properties, feedback, now, message.origin)
    send_back(core, message, report, queue, qmgr, unit, now, by)


def send_back(
    core: Core,
    message: Message,
    report: Message,
    queue: str,
    qmgr: str,
    unit: UnitOfWork | None,
    now: float,
    by: Connection | None = None,
) -> None:
    """Put a report on a message; on the dead-letter queue if its sender could not put there."""
    try:
        object_authority.check_reply(core, by or message_origin.answerable(core, message), queue, qmgr)
    except MQError as error:
        if not report.md.Report & C.MQRO_DISCARD_MSG:
            own_messages.bury(core, report, queue, qmgr, error.reason, unit, now)
        return
    own_messages.put(core, report, queue, qmgr, unit, now)


# The report itself


def make_report(
    core: Core,
    md: MQMD,
    data: bytes,
    properties: bytes,
    feedback: int,
    now: float,
    origin: Origin | None = None,
) -> tuple[Message, tuple[str, str]]:
    """The report on a message, and the names of the queue and queue manager it goes to.

    For the feedback of the queue manager the message's own options say how much data goes along; a report that
    an application decides on (MQFB_PAN, MQFB_NAN, its own codes) has none. `md.Expiry` is the time still left.
    """
    report = MQMD(
        Version=C.MQMD_VERSION_2, MsgType=C.MQMT_REPORT, Feedback=feedback,
        Encoding=md.Encoding, CodedCharSetId=md.CodedCharSetId, Format=md.Format,
        Priority=md.Priority, Persistence=md.Persistence,
        MsgId=md.MsgId if md.Report & C.MQRO_PASS_MSG_ID else core.identifiers.next_id(),
        CorrelId=md.CorrelId if md.Report & C.MQRO_PASS_CORREL_ID else md.MsgId,
        ReplyToQMgr=core.qmgr_name, UserIdentifier=md.UserIdentifier, AccountingToken=md.AccountingToken,
        ApplIdentityData=md.ApplIdentityData, GroupId=md.GroupId, MsgSeqNumber=md.MsgSeqNumber, Offset=md.Offset,
        MsgFlags=md.MsgFlags, OriginalLength=md.OriginalLength,
    )  # fmt: skip
    own_messages.sign(core, report, now)
    if md.Report & C.MQRO_PASS_DISCARD_AND_EXPIRY:
        report.Report = md.Report & C.MQRO_DISCARD_MSG
        report.Expiry = md.Expiry
        if feedback == C.MQFB_EXPIRATION:
            report.Expiry = EXPIRATION_REPORT_EXPIRY
    if md.MsgFlags & (C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT) and md.OriginalLength == C.MQOL_UNDEFINED:
        report.OriginalLength = len(data)  # so that whoever reassembles the reports knows what they are about
    if properties:
        properties = Properties.decode(properties).for_copy(C.MQCOPY_REPORT).encode()
    return Message(report, properties, _data_for(md, data, feedback), origin), (md.ReplyToQ, md.ReplyToQMgr)


def _data_for(md: MQMD, data: bytes, feedback: int) -> bytes:
    if feedback in (C.MQFB_PAN, C.MQFB_NAN) or feedback >= C.MQFB_APPL_FIRST:
        return b""
    choice = md.Report // _OPTION_OF.get(feedback, C.MQRO_EXCEPTION) & 7
    if choice == 7:
        return data
    return data[: _headers_length(md, data) + DATA_LENGTH] if choice == 3 else b""


def _headers_length(md: MQMD, data: bytes) -> int:
    """The bytes that MQ headers take at the front of the data."""
    at = 0
    data_format, source = md.Format.strip(), Representation(md.CodedCharSetId, md.Encoding)
    try:
        while data_format in HEADERS:
            header, part = HEADERS[data_format], Part(source, source)
            _, cut = header.measure(part, data, at, False)
            at += len(cut.data)
            describes = header.describes
            if describes is None:
                break
            data_format = part.text.read(cut.data[describes + 8 : describes + 16]).strip()
            if not header.describes_format_only:
                encoding, ccsid = part.read_integer(cut.data, describes), part.read_integer(cut.data, describes + 4)
                source = Representation(ccsid if ccsid > 0 else source.ccsid, encoding or source.encoding)
    except NotConverted:
        pass  # what is no header is application data
    return at
