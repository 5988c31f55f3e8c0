"""The message descriptor seen as properties: Root.MQMD.* and the header fields of JMS.

Selectors and MQINQMP ask for the same names and must get the same answers, so both come here. A JMS header
field is read from the jms or mcd folder where the message has one, else from the descriptor; None is the NULL
of a selector. One difference stays with the selectors: there JMSDeliveryMode is a word, as JMS wants it.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable

from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_names import MD_PREFIX
from libremq.kernel.properties.property_types import infer_type
from libremq.mqi.constants import (
    MQEI_UNLIMITED,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
    MQPER_PERSISTENT,
    MQTYPE_BOOLEAN,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_STRING,
)
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQMD

HeaderValue = Callable[[MQMD, Properties | None], PropertyValue]

MD_FIELDS = (
    "Report",
    "MsgType",
    "Expiry",
    "Feedback",
    "Encoding",
    "CodedCharSetId",
    "Format",
    "Priority",
    "Persistence",
    "MsgId",
    "CorrelId",
    "BackoutCount",
    "ReplyToQ",
    "ReplyToQMgr",
    "UserIdentifier",
    "AccountingToken",
    "ApplIdentityData",
    "PutApplType",
    "PutApplName",
    "PutDate",
    "PutTime",
    "ApplOriginData",
    "GroupId",
    "MsgSeqNumber",
    "Offset",
    "MsgFlags",
    "OriginalLength",
)
"""The fields an application can name behind Root.MQMD, in the order of the structure."""

MD_TYPES = {field: infer_type(getattr(MQMD(), field)) for field in MD_FIELDS}

JMS_TYPES = {
    "JMSCorrelationID": MQTYPE_STRING,
    "JMSDeliveryMode": MQTYPE_INT32,
    "JMSDestination": MQTYPE_STRING,
    "JMSExpiration": MQTYPE_INT64,
    "JMSMessageID": MQTYPE_STRING,
    "JMSPriority": MQTYPE_INT32,
    "JMSRedelivered": MQTYPE_BOOLEAN,
    "JMSReplyTo": MQTYPE_STRING,
    "JMSTimestamp": MQTYPE_INT64,
    "JMSType": MQTYPE_STRING,
    "JMSXAppID": MQTYPE_STRING,
    "JMSXDeliveryCount": MQTYPE_INT32,
    "JMSXGroupID": MQTYPE_STRING,
    "JMSXGroupSeq": MQTYPE_INT32,
    "JMSXUserID": MQTYPE_STRING,
}


def md_value(md: MQMD, field: str) -> PropertyValue:
    """The value of one field of the descriptor; text without its padding."""
    value: PropertyValue = getattr(md, field)
    return value.rstrip(" \0") if isinstance(value, str) else value


def md_field(name: str) -> str | None:
    """The field behind a name `Root.MQMD.field`, None if the name is not one of those."""
    field = name.removeprefix(MD_PREFIX)
    return field if field != name and field in MD_TYPES else None


def put_timestamp_ms(md: MQMD) -> int | None:
    """PutDate and PutTime as milliseconds since 1970, None when they do not say."""
    digits = md.PutDate + md.PutTime
    if len(digits) != 16 or not (digits.isascii() and digits.isdigit()):
        return None
    year, month, day = int(digits[:4]), int(digits[4:6]), int(digits[6:8])
    hour, minute, second = int(digits[8:10]), int(digits[10:12]), int(digits[12:14])
    if not (1 <= month <= 12 and 1 <= day <= 31 and year >= 1):
        return None
    seconds = calendar.timegm((year, month, 1, hour, minute, second)) + (day - 1) * 86400
    return seconds * 1000 + int(digits[14:]) * 10


def _identifier(value: bytes) -> str | None:
    return "ID:" + value.hex() if any(value) else None


def _text(value: str) -> str | None:
    return value.rstrip(" \0") or None


def _folder(properties: Properties | None, name: str) -> PropertyValue:
    return None if properties is None else properties.value(name)


def _correlation_id(md: MQMD, properties: Properties | None) -> PropertyValue:
    # An identifier in the folder is only a copy of CorrelId; any other text is what the application set.
    text = _folder(properties, "jms.Cid")
    if text is None or (isinstance(text, str) and text.startswith("ID:")):
        return _identifier(md.CorrelId)
    return text


def _message_id(md: MQMD, properties: Properties | None) -> PropertyValue:
    return _identifier(md.MsgId)


def _delivery_mode(md: MQMD, properties: Properties | None) -> PropertyValue:
    return 2 if md.Persistence == MQPER_PERSISTENT else 1


def _delivery_mode_word(md: MQMD, properties: Properties | None) -> PropertyValue:
    return "PERSISTENT" if md.Persistence == MQPER_PERSISTENT else "NON_PERSISTENT"


def _destination(md: MQMD, properties: Properties | None) -> PropertyValue:
    return _folder(properties, "jms.Dst")


def _expiration(md: MQMD, properties: Properties | None) -> PropertyValue:
    value = _folder(properties, "jms.Exp")
    if value is not None:
        return value
    if md.Expiry == MQEI_UNLIMITED:
        return 0
    put_ms = put_timestamp_ms(md)
    return None if put_ms is None else put_ms + md.Expiry * 100


def _priority(md: MQMD, properties: Properties | None) -> PropertyValue:
    return md.Priority


def _redelivered(md: MQMD, properties: Properties | None) -> PropertyValue:
    return md.BackoutCount > 0


def _delivery_count(md: MQMD, properties: Properties | None) -> PropertyValue:
    return md.BackoutCount + 1


def _reply_to(md: MQMD, properties: Properties | None) -> PropertyValue:
    value = _folder(properties, "jms.Rto")
    if value is not None:
        return value
    queue = _text(md.ReplyToQ)
    return f"queue://{_text(md.ReplyToQMgr) or ''}/{queue}" if queue else None


def _timestamp(md: MQMD, properties: Properties | None) -> PropertyValue:
    value = _folder(properties, "jms.Tms")
    return put_timestamp_ms(md) if value is None else value


def _type(md: MQMD, properties: Properties | None) -> PropertyValue:
    return _folder(properties, "mcd.Type")


def _app_id(md: MQMD, properties: Properties | None) -> PropertyValue:
    return _text(md.PutApplName)


def _user_id(md: MQMD, properties: Properties | None) -> PropertyValue:
    return _text(md.UserIdentifier)


def _group_id(md: MQMD, properties: Properties | None) -> PropertyValue:
    value = _folder(properties, "jms.Gid")
    return _identifier(md.GroupId) if value is None else value


def _group_seq(md: MQMD, properties: Properties | None) -> PropertyValue:
    value = _folder(properties, "jms.Seq")
    if value is not None:
        return value
    return md.MsgSeqNumber if md.MsgFlags & (MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP) else None


JMS_VALUES: dict[str, HeaderValue] = {
    "JMSCorrelationID": _correlation_id,
    "JMSDeliveryMode": _delivery_mode,
    "JMSDestination": _destination,
    "JMSExpiration": _expiration,
    "JMSMessageID": _message_id,
    "JMSPriority": _priority,
    "JMSRedelivered": _redelivered,
    "JMSReplyTo": _reply_to,
    "JMSTimestamp": _timestamp,
    "JMSType": _type,
    "JMSXAppID": _app_id,
    "JMSXDeliveryCount": _delivery_count,
    "JMSXGroupID": _group_id,
    "JMSXGroupSeq": _group_seq,
    "JMSXUserID": _user_id,
}
"""How MQINQMP reads each JMS header field."""

JMS_SELECTOR_VALUES: dict[str, HeaderValue] = {**JMS_VALUES, "JMSDeliveryMode": _delivery_mode_word}
"""How a selector reads each JMS header field."""

JMS_WITHOUT_FOLDER = frozenset(
    {
        "JMSDeliveryMode",
        "JMSMessageID",
        "JMSPriority",
        "JMSRedelivered",
        "JMSXAppID",
        "JMSXDeliveryCount",
        "JMSXUserID",
    }
)
"""The ones that the descriptor alone answers."""
