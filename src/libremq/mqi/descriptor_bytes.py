"""A message descriptor as bytes: the form in which it is sent, logged and stored.

These are the fields of a version 2 MQMD but StrucId and Version, as a client sends them: little endian, text in ISO
8859-1 filled with blanks. What a put or a get has to look at, or to fill, is read and placed at its offset; an MQMD is
made only when somebody asks for one.
"""

from __future__ import annotations

import struct

from libremq.mqi import constants as C
from libremq.mqi.descriptor_parts import BODY_BYTES, DescriptorParts
from libremq.mqi.structs import MQMD

REPORT_END = 4
EXPIRY_AT, EXPIRY_END = 8, 12
FORMAT_AT, FORMAT_END = 24, 32
PERSISTENCE_AT = 36
MESSAGE_ID_AT = 40
IDS_END = 88
BACKOUT_COUNT_AT = 88
STAMP_AT = 296
"""PutDate and PutTime."""
STAMP_END = 312
GROUP_ID_AT = 316
FLAGS_AT, FLAGS_END = 348, 352

_PARTS = DescriptorParts(b" ", exact=False, errors="replace")


packed_integer = struct.Struct("<i").pack


def packed_body(md: MQMD) -> bytes:
    """Of a message: version 2, whatever the version of the descriptor. ValueError for a field that does not fit."""
    return _PARTS.pack(md.__dict__)


def read_body(body: bytes, offset: int = 0) -> MQMD:
    """The version 2 descriptor whose body is there."""
    md = MQMD.__new__(MQMD)
    fields = md.__dict__
    fields["Version"] = C.MQMD_VERSION_2
    _PARTS.unpack(body, offset, fields)
    return md


assert BODY_BYTES == 356
