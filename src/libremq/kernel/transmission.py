"""Messages on a transmission queue: the application's message inside one of the queue manager's.

The inner message is an MQXQH with the destination and a version 1 descriptor, then what version 2 adds (an MQMDE, if
it says anything), the properties (in an MQRFH2) and the data. The outer descriptor is what transmission needs:
priority, persistence, expiry, and the message id of the inner message as correlation id.
"""

from __future__ import annotations

from libremq.kernel import own_messages
from libremq.kernel.connection import Destination
from libremq.kernel.core import Core
from libremq.kernel.descriptor_extension import with_extension, without_extension
from libremq.kernel.properties import Properties
from libremq.kernel.property_delivery import insert
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQMD1, MQXQH
from libremq.store.message import Message

FORMAT = C.MQFMT_XMIT_Q_HEADER.strip()
_VERSION_1_FIELDS = frozenset(MQMD1.__annotations__) - {"StrucId", "Version"}
# Arrival on and removal from a transmission queue are not what COA and COD are about
_OUTER_REPORT = ~C.MQRO_ACCEPT_UNSUP_IF_XMIT_MASK


def wrap(core: Core, destination: Destination, message: Message) -> Message:
    """The message as it goes on the transmission queue to `destination`."""
    ccsid = core.catalogue.qmgr.ccsid
    inner = message.md.copy()
    data = message.data
    if message.properties:
        data, inner.Format, inner.CodedCharSetId, inner.Encoding = insert(
            Properties.decode(message.properties), data, inner.Format, inner.CodedCharSetId, inner.Encoding
        )
    data = with_extension(inner, data, ccsid)
    descriptor = MQMD1(**{name: value for name, value in inner.__dict__.items() if name in _VERSION_1_FIELDS})
    header = MQXQH(RemoteQName=destination.remote_queue, RemoteQMgrName=destination.remote_qmgr, MsgDesc=descriptor)
    return Message(_outer(core, message.md), b"", own_messages.header_bytes(header, ccsid) + data)


def _outer(core: Core, inner: MQMD) -> MQMD:
    outer = MQMD(
        Version=C.MQMD_VERSION_2, Report=inner.Report & _OUTER_REPORT, MsgType=inner.MsgType, Expiry=inner.Expiry,
        Feedback=inner.Feedback, CodedCharSetId=core.catalogue.qmgr.ccsid, Format=FORMAT,
        Priority=inner.Priority, Persistence=inner.Persistence, MsgId=core.identifiers.next_id(), CorrelId=inner.MsgId,
        ReplyToQ=inner.ReplyToQ, ReplyToQMgr=inner.ReplyToQMgr, UserIdentifier=inner.UserIdentifier,
        AccountingToken=inner.AccountingToken, ApplIdentityData=inner.ApplIdentityData,
    )  # fmt: skip
    own_messages.sign(core, outer, core.clock.now())
    return outer


def unwrap(data: bytes, md: MQMD) -> tuple[MQXQH, Message]:
    """The header of a message from a transmission queue, and the message inside. MQRC_XQH_ERROR if there is none.

    `md` is the outer descriptor. Properties stay in their MQRFH2, where every get finds them.
    """
    big_endian = md.Encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
    header = MQXQH.unpack(data, big_endian=big_endian, charset=own_messages.charset_of(md.CodedCharSetId))
    inner = MQMD(**{name: value for name, value in header.MsgDesc.__dict__.items() if name in _VERSION_1_FIELDS})
    inner.Version = C.MQMD_VERSION_2
    rest = without_extension(inner, data[MQXQH.size() :])
    return header, Message(inner, b"", rest)
