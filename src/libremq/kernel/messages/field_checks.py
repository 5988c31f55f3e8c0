"""Does every field that an application set fit the place it has in bytes?

A Python attribute takes anything; a field of a message descriptor is 32 bits, so many characters, or exactly 24
bytes. What does not fit is refused when it is put: else a message would change on its way through the log, or stop
the checkpoint of a queue that others use. Only fields that differ from the initial values are looked at.
"""

from __future__ import annotations

import struct

from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQMD, MQOD

_MIN, _MAX = -(2**31), 2**31 - 1
# Fields by type. 4-byte integers are in the tables by the reason that MQ has for a bad one
_MD_INTEGERS = {
    "Version": C.MQRC_MD_ERROR,
    "Report": C.MQRC_REPORT_OPTIONS_ERROR,
    "MsgType": C.MQRC_MSG_TYPE_ERROR,
    "Expiry": C.MQRC_EXPIRY_ERROR,
    "Feedback": C.MQRC_FEEDBACK_ERROR,
    "Encoding": C.MQRC_MD_ERROR,
    "CodedCharSetId": C.MQRC_MD_ERROR,
    "Priority": C.MQRC_PRIORITY_ERROR,
    "Persistence": C.MQRC_PERSISTENCE_ERROR,
    "BackoutCount": C.MQRC_MD_ERROR,
    "PutApplType": C.MQRC_MD_ERROR,
    "MsgSeqNumber": C.MQRC_MSG_SEQ_NUMBER_ERROR,
    "Offset": C.MQRC_OFFSET_ERROR,
    "MsgFlags": C.MQRC_MSG_FLAGS_ERROR,
    "OriginalLength": C.MQRC_ORIGINAL_LENGTH_ERROR,
}
_MD_TEXTS = {
    "StrucId": 4,
    "Format": 8,
    "ReplyToQ": 48,
    "ReplyToQMgr": 48,
    "UserIdentifier": 12,
    "ApplIdentityData": 32,
    "PutApplName": 28,
    "PutDate": 8,
    "PutTime": 8,
    "ApplOriginData": 4,
}
_MD_BYTES = {"MsgId": 24, "CorrelId": 24, "AccountingToken": 32, "GroupId": 24}
_OD_TEXTS = ("ObjectName", "ObjectQMgrName", "DynamicQName", "AlternateUserId", "SelectionString")
_OD_INTEGERS = ("Version", "ObjectType")

# How long what is set may be, for the quick look at the usual types; anything odd gets the thorough one
_LENGTHS = {**_MD_TEXTS, **_MD_BYTES}
_MANY = 7  # with more fields than this, looking at all at once is faster than at one after the other
_pack_integers = struct.Struct("14i").pack


def check_descriptor(md: MQMD, queue: str) -> None:
    """Refuse an MQMD with a value that its field cannot hold."""
    if len(md.__dict__) > _MANY and _plainly_fits(md):
        return
    for name, value in md.__dict__.items():
        kind = type(value)
        if kind is int:
            if _MIN <= value <= _MAX and name in _MD_INTEGERS:
                continue
        elif kind is bytes:
            if name in _MD_BYTES and len(value) == _LENGTHS[name]:
                continue
        elif kind is str and name in _MD_TEXTS and len(value) <= _LENGTHS[name] and value.isascii():
            continue
        _check_field(name, value, queue)


def _plainly_fits(md: MQMD) -> bool:
    """A quick yes for a descriptor with many fields set, such as one that is used again; a no says nothing."""
    try:
        _pack_integers(
            md.Report, md.MsgType, md.Expiry, md.Feedback, md.Encoding, md.CodedCharSetId, md.Priority, md.Persistence,
            md.BackoutCount, md.PutApplType, md.MsgSeqNumber, md.Offset, md.MsgFlags, md.OriginalLength,
        )  # fmt: skip
        one, two, three = md.MsgId, md.CorrelId, md.GroupId
        token = md.AccountingToken
        if not (
            type(one) is type(two) is type(three) is type(token) is bytes
            and len(one) == len(two) == len(three) == 24
            and len(token) == 32
        ):
            return False
        texts = (
            md.Format, md.ReplyToQ, md.ReplyToQMgr, md.UserIdentifier, md.ApplIdentityData, md.PutApplName, md.PutDate,
            md.PutTime, md.ApplOriginData,
        )  # fmt: skip
        form, queue, manager, user, identity, application, date, time, origin = texts
        return (
            len(form) <= 8 and len(queue) <= 48 and len(manager) <= 48 and len(user) <= 12 and len(identity) <= 32
            and len(application) <= 28 and len(date) <= 8 and len(time) <= 8 and len(origin) <= 4
            and "".join(texts).isascii()
        )  # fmt: skip
    except (struct.error, TypeError):
        return False


def _check_field(name: str, value: object, queue: str) -> None:
    if name in _MD_INTEGERS:
        if not isinstance(value, int):
            raise mq_error(_MD_INTEGERS[name], queue, f"{name} is an int, not {_shown(value)}")
        if not _MIN <= value <= _MAX:
            raise mq_error(_MD_INTEGERS[name], queue, f"{name} is {_shown(value)}; it has 32 bits, with a sign")
    elif name in _MD_BYTES:
        length = _MD_BYTES[name]
        if not isinstance(value, bytes):
            raise mq_error(C.MQRC_MD_ERROR, queue, f"{name} is {length} bytes, not {_shown(value)}")
        if len(value) != length:
            raise mq_error(C.MQRC_MD_ERROR, queue, f"{name} has {len(value)} bytes; it takes exactly {length}")
    elif name in _MD_TEXTS:
        length = _MD_TEXTS[name]
        if not isinstance(value, str):
            raise mq_error(C.MQRC_MD_ERROR, queue, f"{name} is a str, not {_shown(value)}")
        if len(value.rstrip(" \0")) > length:
            raise mq_error(C.MQRC_MD_ERROR, queue, f"{name} has {len(value)} characters; the most is {length}")
        if fitting_text(value) != value:
            raise mq_error(C.MQRC_MD_ERROR, queue, f"{name} is {_shown(value)}; it takes characters of ISO 8859-1 only")


def check_object_descriptor(od: MQOD) -> None:
    """Refuse an MQOD whose names are no text or whose numbers are none; whether they exist is looked up later."""
    for name in _OD_TEXTS:
        value = getattr(od, name)
        if not isinstance(value, str):
            raise mq_error(C.MQRC_OD_ERROR, "", f"{name} is a str, not {_shown(value)}")
    for name in _OD_INTEGERS:
        value = getattr(od, name)
        if not isinstance(value, int):
            raise mq_error(C.MQRC_OD_ERROR, od.ObjectName, f"{name} is an int, not {_shown(value)}")


def fitting_text(text: str) -> str:
    """The text with a question mark for what a field of a descriptor cannot hold."""
    return text if text.isascii() else text.encode("latin-1", "replace").decode("latin-1")


def _shown(value: object) -> str:
    if isinstance(value, int) and not _MIN * 2**32 <= value <= _MAX * 2**32:
        return "a number of more than 64 bits"  # one with thousands of digits cannot even be shown
    shown = repr(value)
    return shown if len(shown) <= 64 else shown[:61] + "..."
