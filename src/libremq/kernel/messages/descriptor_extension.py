"""MQMDE: the version 2 part of a descriptor, carried in the data for applications that use version 1."""

from __future__ import annotations

from libremq.common.ccsid import charset_of
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQMDE

_FIELDS = ("GroupId", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength")


def with_extension(md: MQMD, data: bytes, ccsid: int) -> bytes:
    """For a get with a version 1 descriptor: the data, with an MQMDE in front if version 2 says anything."""
    if all(getattr(md, field) == getattr(MQMD, field) for field in _FIELDS):
        return data
    extension = MQMDE(Encoding=md.Encoding, CodedCharSetId=md.CodedCharSetId, Format=md.Format)
    for field in _FIELDS:
        setattr(extension, field, getattr(md, field))
    md.Format, md.Encoding, md.CodedCharSetId = C.MQFMT_MD_EXTENSION.strip(), C.MQENC_NATIVE, ccsid
    return extension.pack() + data


def without_extension(md: MQMD, data: bytes) -> bytes:
    """For a put with a version 1 descriptor and an MQMDE in front of the data: its fields go into the descriptor."""
    if md.Format.strip() != C.MQFMT_MD_EXTENSION.strip() or len(data) < MQMDE.size():
        return data
    big_endian = md.Encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
    extension = MQMDE.unpack(data, big_endian=big_endian, charset=charset_of(md.CodedCharSetId))
    for field in _FIELDS:
        setattr(md, field, getattr(extension, field))
    md.Format, md.Encoding, md.CodedCharSetId = extension.Format, extension.Encoding, extension.CodedCharSetId
    return data[MQMDE.size() :]
