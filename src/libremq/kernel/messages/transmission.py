"""Messages on a transmission queue: the application's message inside one of the queue manager's.

The inner message is an MQXQH with the destination and a version 1 descriptor, then what version 2 adds (an MQMDE, if
it says anything), the properties (in an MQRFH2) and the data. The outer descriptor is what transmission needs:
priority, persistence, expiry, and the message id of the inner message as correlation id.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from functools import lru_cache

from libremq.common.ccsid import charset_of
from libremq.kernel.messages import own_messages
from libremq.kernel.messages.descriptor_extension import with_extension, without_extension
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_delivery import insert
from libremq.kernel.state.connection import Destination
from libremq.kernel.state.core import Core
from libremq.mqi import constants as C
from libremq.mqi.descriptor_parts import DescriptorParts
from libremq.mqi.structs import MQMD, MQMD1, MQXQH
from libremq.store.stored_message import Message

FORMAT = C.MQFMT_XMIT_Q_HEADER.strip()
_XQH = struct.pack("<4si", b"XQH ", C.MQXQH_VERSION_1)
_MD = struct.pack("<4si", b"MD  ", C.MQMD_VERSION_1)
_NAMES = struct.Struct("8s48s48s8s")
_LIKE_ASCII = frozenset({"utf-8", "latin-1", "iso8859-1", "iso8859-15"})
_VERSION_1_FIELDS = frozenset(MQMD1.__annotations__) - {"StrucId", "Version"}
# Arrival on and removal from a transmission queue are not what COA and COD are about
_OUTER_REPORT = ~C.MQRO_ACCEPT_UNSUP_IF_XMIT_MASK


def wrap(core: Core, destination: Destination, message: Message) -> Message:
    """The message as it goes on the transmission queue to `destination`."""
    ccsid = core.catalogue.qmgr.ccsid
    inner = message.md.copy()
    if message.origin is not None and not message.origin.proven:
        inner.UserIdentifier = ""  # the next queue manager may trust this one
    data = message.data
    if message.properties:
        data, inner.Format, inner.CodedCharSetId, inner.Encoding = insert(
            Properties.decode(message.properties), data, inner.Format, inner.CodedCharSetId, inner.Encoding
        )
    framed = frame(destination.remote_queue, destination.remote_qmgr, inner, data, ccsid)
    return Message(_outer(core, inner), b"", framed, message.origin)


def frame(queue: str, qmgr: str, md: MQMD, data: bytes, ccsid: int) -> bytes:
    """Data behind a transmission header for these names, with the descriptor, which is changed if it takes an MQMDE."""
    data = with_extension(md, data, ccsid)
    charset = charset_of(ccsid)
    if charset in _LIKE_ASCII:
        with suppress(ValueError, TypeError, struct.error):  # what does not fit takes the way that bends it
            names = _NAMES.pack(_XQH, queue.encode("ascii").ljust(48), qmgr.encode("ascii").ljust(48), _MD)
            return b"".join((names, _parts(charset).pack(md.__dict__, version_1=True), data))
    descriptor = MQMD1(**{name: value for name, value in md.__dict__.items() if name in _VERSION_1_FIELDS})
    header = MQXQH(RemoteQName=queue, RemoteQMgrName=qmgr, MsgDesc=descriptor)
    return own_messages.header_bytes(header, ccsid) + data


@lru_cache(maxsize=8)
def _parts(charset: str) -> DescriptorParts:
    return DescriptorParts(b" ", exact=False, charset=charset)


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
    header = MQXQH.unpack(data, big_endian=big_endian, charset=charset_of(md.CodedCharSetId))
    inner = MQMD(**{name: value for name, value in header.MsgDesc.__dict__.items() if name in _VERSION_1_FIELDS})
    inner.Version = C.MQMD_VERSION_2
    rest = without_extension(inner, data[MQXQH.size() :])
    return header, Message(inner, b"", rest)
