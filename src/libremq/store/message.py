"""A message at rest: its descriptor, its encoded properties, its data; and the image of all three as bytes.

The image is what the log and the queue file hold. It is made once, when a persistent message is logged or when
any message leaves the buffer, and carries its own checksum, so that a damaged block is found when it is read
rather than handed to an application. Layout: docs/internals/queue-file-format.md.
"""

from __future__ import annotations

import struct
import zlib

from libremq.mqi.structs import MQMD

IMAGE_VERSION = 1

# version, reserved, flags, length of the properties, length of the data
_HEAD = struct.Struct("<BBHII")
# Every field of a version 2 descriptor but StrucId and Version, in the order of the MQMD
_MD = struct.Struct("<6i8s2i24s24si48s48s12s32s32si28s8s8s4s24s4i")
_CRC = struct.Struct("<I")
_PREFIX = _HEAD.size + _MD.size
IMAGE_OVERHEAD = _CRC.size + _PREFIX


class ImageDamaged(Exception):
    """The bytes of a stored message do not agree with their checksum."""


class Message:
    """One message: `properties` is the encoded form (b"" for none), `image` is kept once it has been made."""

    __slots__ = ("data", "image", "lsn", "md", "properties")

    def __init__(self, md: MQMD, properties: bytes, data: bytes) -> None:
        self.md = md
        self.properties = properties
        self.data = data
        self.image: bytes | None = None
        self.lsn = 0  # of the log record that describes it; 0 if none does

    def weight(self) -> int:
        """Bytes that it takes in a buffer, for the buffer's limit."""
        return len(self.data) + len(self.properties) + IMAGE_OVERHEAD

    def to_image(self) -> bytes:
        """The bytes that log and queue file hold; made once."""
        image = self.image
        if image is not None:
            return image
        md = self.md
        body = (
            _HEAD.pack(IMAGE_VERSION, 0, 0, len(self.properties), len(self.data))
            + _MD.pack(
                md.Report, md.MsgType, md.Expiry, md.Feedback, md.Encoding, md.CodedCharSetId,
                md.Format.encode("latin-1", "replace"), md.Priority, md.Persistence, md.MsgId, md.CorrelId,
                md.BackoutCount, md.ReplyToQ.encode("latin-1", "replace"), md.ReplyToQMgr.encode("latin-1", "replace"),
                md.UserIdentifier.encode("latin-1", "replace"), md.AccountingToken,
                md.ApplIdentityData.encode("latin-1", "replace"), md.PutApplType,
                md.PutApplName.encode("latin-1", "replace"), md.PutDate.encode("latin-1", "replace"),
                md.PutTime.encode("latin-1", "replace"), md.ApplOriginData.encode("latin-1", "replace"),
                md.GroupId, md.MsgSeqNumber, md.Offset, md.MsgFlags, md.OriginalLength,
            )
            + self.properties
            + self.data
        )  # fmt: skip
        self.image = image = _CRC.pack(zlib.crc32(body)) + body
        return image


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("latin-1")


def from_image(image: bytes) -> Message:
    """The message whose `to_image` gave these bytes; ImageDamaged if they have changed since."""
    if len(image) < IMAGE_OVERHEAD or _CRC.unpack_from(image)[0] != zlib.crc32(memoryview(image)[4:]):
        raise ImageDamaged("checksum of a stored message does not match")
    version, _, _, properties_length, data_length = _HEAD.unpack_from(image, 4)
    if version != IMAGE_VERSION:
        raise ImageDamaged(f"stored message has format version {version}, this release knows {IMAGE_VERSION}")
    md = MQMD()
    (
        md.Report, md.MsgType, md.Expiry, md.Feedback, md.Encoding, md.CodedCharSetId, name, md.Priority,
        md.Persistence, md.MsgId, md.CorrelId, md.BackoutCount, reply_to_q, reply_to_qmgr, user, md.AccountingToken,
        identity, md.PutApplType, put_appl, put_date, put_time, origin, md.GroupId, md.MsgSeqNumber, md.Offset,
        md.MsgFlags, md.OriginalLength,
    ) = _MD.unpack_from(image, 4 + _HEAD.size)  # fmt: skip
    md.Version = 2
    md.Format = _text(name)
    md.ReplyToQ = _text(reply_to_q)
    md.ReplyToQMgr = _text(reply_to_qmgr)
    md.UserIdentifier = _text(user)
    md.ApplIdentityData = _text(identity)
    md.PutApplName = _text(put_appl)
    md.PutDate = _text(put_date)
    md.PutTime = _text(put_time)
    md.ApplOriginData = _text(origin)
    start = 4 + _PREFIX
    middle = start + properties_length
    message = Message(md, image[start:middle], image[middle : middle + data_length])
    message.image = image
    return message
