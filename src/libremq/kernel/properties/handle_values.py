"""Values on their way into a message handle: raw bytes of a buffer, fields of the descriptor.

MQSETMP takes a value as bytes with a type, an encoding and a CCSID; here it becomes the Python value. Setting
Root.MQMD.* changes the descriptor of the handle, if the value suits the field.
"""

from __future__ import annotations

import struct

from libremq.common.ccsid import codec
from libremq.kernel.properties.header_properties import MD_TYPES, md_field
from libremq.kernel.properties.property_types import FLOAT_TYPES, INTEGER_TYPES, check_value
from libremq.mqi.constants import (
    MQCCSI_APPL,
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_TYPE_ERROR,
    MQRC_SOURCE_CCSID_ERROR,
    MQTYPE_BOOLEAN,
    MQTYPE_STRING,
)
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQMD


def read_raw(raw: bytes, mqtype: int, encoding: int, ccsid: int) -> object:
    """The Python value of the bytes that an application passed in a buffer."""
    if mqtype == MQTYPE_STRING:
        name = text_codec(ccsid, encoding)
        if name is None:
            raise mq_error(MQRC_SOURCE_CCSID_ERROR, detail=f"CCSID {ccsid} is not supported for property values")
        try:
            return raw.decode(name)
        except UnicodeDecodeError:
            raise mq_error(
                MQRC_PROP_VALUE_NOT_CONVERTED, detail=f"the value is not valid text in CCSID {ccsid}"
            ) from None
    code = "i" if mqtype == MQTYPE_BOOLEAN else {**INTEGER_TYPES, **FLOAT_TYPES}.get(mqtype)
    if code is None:
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, detail=f"{mqtype} is not an MQTYPE of a property")
    order = ">" if encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_NORMAL else "<"
    try:
        return struct.unpack(order + code, raw)[0]
    except struct.error:
        raise mq_error(MQRC_BUFFER_LENGTH_ERROR, detail=f"MQTYPE {mqtype} does not take {len(raw)} bytes") from None


def text_codec(ccsid: int, encoding: int) -> str | None:
    """The name of the codec for text in a CCSID, None if there is none. The special values mean UTF-8 here."""
    if ccsid in (0, MQCCSI_APPL):
        return "utf-8"
    found = codec(ccsid)
    if found is None:
        return None
    return found.name if encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_NORMAL else found.name_little_endian


def correl_id_of(text: str) -> bytes:
    """The CorrelId that goes with a JMSCorrelationID: the identifier, or the first bytes of the text."""
    if text.startswith("ID:"):
        try:
            return bytes.fromhex(text[3:]).ljust(24, b"\0")[:24]
        except ValueError:
            pass
    return text.encode()[:24].ljust(24, b"\0")


def set_md_field(md: MQMD, name: str, mqtype: int, value: object) -> None:
    field = md_field(name)
    if field is None:
        raise mq_error(MQRC_PROPERTY_NAME_ERROR, object_name=name[:100], detail="not a field of the descriptor")
    if mqtype != MD_TYPES[field]:
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, object_name=name, detail=f"{name} is of MQTYPE {MD_TYPES[field]}")
    checked = check_value(value, mqtype)
    initial: PropertyValue = getattr(MQMD(), field)
    if isinstance(checked, bytes) and isinstance(initial, bytes):
        if len(checked) > len(initial):
            raise mq_error(MQRC_PROPERTY_TYPE_ERROR, object_name=name, detail=f"{field} has {len(initial)} bytes")
        checked = checked.ljust(len(initial), b"\0")
    changed = md.copy()
    setattr(changed, field, checked)
    try:
        changed.pack()
    except (ValueError, MQError):
        raise mq_error(MQRC_PROPERTY_TYPE_ERROR, object_name=name, detail=f"the value does not fit {field}") from None
    setattr(md, field, checked)
