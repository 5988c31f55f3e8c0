"""A message at rest: its descriptor, its encoded properties, its data; and the image of all that as bytes.

One that came over a message channel knows so (`Origin`), also when it is read back, moved, or laid aside: what it says
about its user was written at the other end.

The image is what the log and the queue file hold. It is made once, when a persistent message is logged or when
any message leaves the buffer, and carries its own checksum, so that a damaged block is found when it is read
rather than handed to an application. Layout: docs/internals/queue-file-format.md.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from libremq.common.checksum import crc32, crc32_joined
from libremq.mqi.descriptor_bytes import GROUP_ID_AT, MESSAGE_ID_AT, packed_body, read_body
from libremq.mqi.descriptor_parts import BODY_BYTES, DescriptorParts
from libremq.mqi.structs import MQMD
from libremq.speed import compiled

IMAGE_VERSION = 3
IMAGE_VERSION_WITH_ORIGIN = 4
"""Of messages that came over a channel: flags, and the user of the channel behind the data."""
_ZERO_FILLED = 1, 2
"""Versions of earlier releases: the same, but the text of the descriptor is filled with zeros."""
_WITH_ORIGIN = 2, IMAGE_VERSION_WITH_ORIGIN

# Version, length of the channel's user, flags, length of the properties, length of the data; then the descriptor
_START = struct.Struct("<BBHII")
_ZERO_FILLED_DESCRIPTOR = DescriptorParts(b"\0", exact=True)
_CRC_BYTES = 4
IMAGE_VERSION_AT = _CRC_BYTES
_DESCRIPTOR_AT = _CRC_BYTES + _START.size
IMAGE_OVERHEAD = _DESCRIPTOR_AT + BODY_BYTES
_MESSAGE_ID = _DESCRIPTOR_AT + MESSAGE_ID_AT
_GROUP_ID = _DESCRIPTOR_AT + GROUP_ID_AT
_DATA_LENGTH_AT = _DESCRIPTOR_AT - 4
_PLAIN_START = _START.pack(IMAGE_VERSION, 0, 0, 0, 0)[:-4]
"""Of an image without properties that was put here: what comes before the length of its data."""
_PROVEN = 1  # the only flag


class ImageDamaged(ValueError):
    """The bytes of a stored message do not agree with their checksum, or are of another format."""


class Origin(NamedTuple):
    """The channel over which a message came to this queue manager."""

    user: str
    """Whose authority counted for its put: MCAUSER, or with PUTAUT(CTX) the user in it. Blank: the queue manager."""
    proven: bool
    """Was the other end authenticated? Else the user in the message is what anybody may have written there."""


class Message:
    """One message: `properties` is the encoded form (b"" for none). The front of its image is kept once it is made.

    Its descriptor is bytes (`body`, see `descriptor_bytes`), or an MQMD, whichever it was made of; the other one is
    made when somebody asks for it. Who wants to change a descriptor makes another message.
    """

    __slots__ = ("_body", "_front", "_md", "data", "lsn", "origin", "properties", "weight")

    def __init__(self, md: MQMD, properties: bytes, data: bytes, origin: Origin | None = None) -> None:
        self._md: MQMD | None = md
        self._body: bytes | None = None
        self.properties = properties
        self.data = data
        self.origin = origin  # None: it was put here
        self._front: bytes | None = None
        self.lsn = 0  # of the log record that describes it; 0 if none does
        self.weight = len(data) + len(properties) + IMAGE_OVERHEAD  # bytes of its image, and in a buffer
        if origin is not None:
            self.weight += len(origin.user.encode())

    @classmethod
    def of_bytes(cls, body: bytes, data: bytes, origin: Origin | None = None) -> Message:
        """One without properties whose descriptor is there as bytes."""
        message = cls.__new__(cls)
        message._md = message._front = None
        message._body = body
        message.origin = origin
        message.properties = b""
        message.data = data
        message.lsn = 0
        message.weight = len(data) + IMAGE_OVERHEAD
        if origin is not None:
            message.weight += len(origin.user.encode())
        return message

    @classmethod
    def of_front(cls, front: bytes, data: bytes) -> Message:
        """The same, of the front of its image (see `fronts_of`)."""
        message = cls.__new__(cls)
        message._md = message._body = message.origin = None
        message._front = front
        message.properties = b""
        message.data = data
        message.lsn = 0
        message.weight = len(data) + IMAGE_OVERHEAD
        return message

    @property
    def md(self) -> MQMD:
        md = self._md
        if md is None:
            md = self._md = read_body(self.body)
        return md

    @property
    def is_packed(self) -> bool:
        """Is there no MQMD yet? Then its bytes are asked, where that will do."""
        return self._md is None

    @property
    def body(self) -> bytes:
        """Its descriptor as it is sent and stored."""
        body = self._body
        if body is None:
            front = self._front
            if front is not None:
                body = front[_DESCRIPTOR_AT:]
            else:
                assert self._md is not None
                body = packed_body(self._md)
            self._body = body
        return body

    def ids(self) -> tuple[bytes, bytes, bytes]:
        """MsgId, CorrelId and GroupId: what a queue finds it by."""
        body = self._body
        if body is None:
            if self._md is not None:
                md = self._md
                return md.MsgId, md.CorrelId, md.GroupId
            body = self.body
        return body[40:64], body[64:88], body[316:340]

    def image_parts(self) -> tuple[bytes, ...]:
        """The bytes that log and queue file hold, in parts, so that they are copied only where they are written."""
        front = self._front
        if front is None:
            front = self._front = self._made_front()
        if self.origin is not None:
            return front, self.properties, self.data, self.origin.user.encode()
        return (front, self.properties, self.data) if self.properties else (front, self.data)

    def to_image(self) -> bytes:
        return b"".join(self.image_parts())

    def _made_front(self) -> bytes:
        """Checksum of the whole image, lengths, descriptor."""
        properties, data = self.properties, self.data
        version, user, flags = IMAGE_VERSION, b"", 0
        if self.origin is not None:
            version, user = IMAGE_VERSION_WITH_ORIGIN, self.origin.user.encode()
            flags = _PROVEN if self.origin.proven else 0
        start = _START.pack(version, len(user), flags, len(properties), len(data))
        front = start + self.body
        checksum = crc32(user, crc32(data, crc32(properties, crc32(front))))
        return checksum.to_bytes(_CRC_BYTES, "little") + front


class LongMessage(Message):
    """One whose data is in the log already, in parts: its checksum is known, and nobody sums it again."""

    __slots__ = ("_data_checksum", "logged")

    def __init__(
        self, md: MQMD, properties: bytes, data: bytes, origin: Origin | None, checksum: int, logged: Any
    ) -> None:
        """`checksum` is that of the data; `logged`: where it is in the log."""
        super().__init__(md, properties, data, origin)
        self._data_checksum = checksum
        self.logged = logged

    def image_parts_without_data(self) -> tuple[bytes, ...]:
        front, *rest = self.image_parts()
        return front, *(part for part in rest if part is not self.data)

    def _made_front(self) -> bytes:
        properties, length = self.properties, len(self.data)
        version, user, flags = IMAGE_VERSION, b"", 0
        if self.origin is not None:
            version, user = IMAGE_VERSION_WITH_ORIGIN, self.origin.user.encode()
            flags = _PROVEN if self.origin.proven else 0
        front = _START.pack(version, len(user), flags, len(properties), length) + self.body
        checksum = crc32_joined(crc32(properties, crc32(front)), self._data_checksum, length)
        return crc32(user, checksum).to_bytes(_CRC_BYTES, "little") + front


@compiled
def fronts_of(head: bytes, ids: list[bytes], tail: bytes, data: list[bytes]) -> list[bytes]:
    """The fronts of images of messages that were put here, have no properties, and differ in ids and data only.

    `head` and `tail`: what their descriptors have before MsgId, and behind CorrelId.
    """
    fronts = []
    start, length, checksum_of_start = b"", -1, 0
    for both, content in zip(ids, data, strict=True):
        if len(content) != length:
            length = len(content)
            start = _START.pack(IMAGE_VERSION, 0, 0, 0, length) + head
            checksum_of_start = crc32(start)
        checksum = crc32(content, crc32(tail, crc32(both, checksum_of_start)))
        fronts.append(b"".join((checksum.to_bytes(_CRC_BYTES, "little"), start, both, tail)))
    return fronts


@compiled
def plain_images(
    data: bytes, offsets: list[int], lengths: list[int], message_hashes: list[int], correlation_hashes: list[int]
) -> list[tuple[bytes, bytes]]:
    """The descriptors and the data of images: up to one that `from_image` and whoever knows its ids have to look at.

    That is one whose checksum or ids are not what they should be, that has more than a descriptor and data, or that an
    earlier release has written.
    """
    found = []
    for offset, length, message_hash, correlation_hash in zip(
        offsets, lengths, message_hashes, correlation_hashes, strict=True
    ):
        image = data[offset : offset + length]
        if (
            not IMAGE_OVERHEAD <= length == len(image)
            or image[_CRC_BYTES:_DATA_LENGTH_AT] != _PLAIN_START
            or int.from_bytes(image[_DATA_LENGTH_AT:_DESCRIPTOR_AT], "little") != length - IMAGE_OVERHEAD
            or crc32(image[_CRC_BYTES:]) != int.from_bytes(image[:_CRC_BYTES], "little")
            or crc32(image[_MESSAGE_ID : _MESSAGE_ID + 24]) != message_hash
            or crc32(image[_MESSAGE_ID + 24 : _MESSAGE_ID + 48]) != correlation_hash
        ):
            break
        found.append((image[_DESCRIPTOR_AT:IMAGE_OVERHEAD], image[IMAGE_OVERHEAD:]))
    return found


def from_image(image: bytes) -> Message:
    """The message whose `to_image` gave these bytes; ImageDamaged if they have changed since."""
    if len(image) < IMAGE_OVERHEAD or int.from_bytes(image[:4], "little") != crc32(memoryview(image)[4:]):
        raise ImageDamaged("checksum of a stored message does not match")
    check_image(image)
    version, user_length, flags, properties_length, data_length = _START.unpack_from(image, _CRC_BYTES)
    middle = IMAGE_OVERHEAD + properties_length
    end = middle + data_length
    message = Message.of_bytes(_body_of(image), image[middle:end])
    message.weight = len(image)
    message.properties = image[IMAGE_OVERHEAD:middle]
    if version in _WITH_ORIGIN:
        message.origin = Origin(image[end : end + user_length].decode(), bool(flags & _PROVEN))
    message._front = image[:IMAGE_OVERHEAD]
    return message


def _body_of(image: bytes) -> bytes:
    """The descriptor in an image, as it is sent."""
    if image[_CRC_BYTES] not in _ZERO_FILLED:
        return image[_DESCRIPTOR_AT:IMAGE_OVERHEAD]
    md = MQMD.__new__(MQMD)
    _ZERO_FILLED_DESCRIPTOR.unpack(image, _DESCRIPTOR_AT, md.__dict__)
    return packed_body(md)


def check_image(image: bytes) -> None:
    """ImageDamaged if it is not one of the format that this release knows. The checksum is not looked at."""
    if len(image) < IMAGE_OVERHEAD:
        raise ImageDamaged(f"a stored message of {len(image)} bytes, of which there are at least {IMAGE_OVERHEAD}")
    version = image[IMAGE_VERSION_AT]
    if version not in (*_ZERO_FILLED, IMAGE_VERSION, IMAGE_VERSION_WITH_ORIGIN):
        known = f"{_ZERO_FILLED[0]} to {IMAGE_VERSION_WITH_ORIGIN}"
        raise ImageDamaged(f"stored message has format version {version}, this release knows {known}")
    if version in _WITH_ORIGIN and _START.unpack_from(image, _CRC_BYTES)[2] & ~_PROVEN:
        raise ImageDamaged("stored message has flags that this release does not know")


def without_data(rest: bytes) -> Message:
    """The message of an image whose data is elsewhere. The checksum is not looked at."""
    check_image(rest)
    properties_length = _START.unpack_from(rest, _CRC_BYTES)[3]
    message = Message.of_bytes(_body_of(rest), b"")
    message.properties = rest[IMAGE_OVERHEAD : IMAGE_OVERHEAD + properties_length]
    return message


def joined_image(rest: bytes, data: Sequence[bytes], length: int) -> bytes:
    """An image from all of it but the data, and pieces of the data; ImageDamaged if it is that of other data."""
    check_image(rest)
    _, _, _, properties_length, data_length = _START.unpack_from(rest, _CRC_BYTES)
    middle = IMAGE_OVERHEAD + properties_length
    if data_length != length or middle > len(rest):
        raise ImageDamaged(f"a stored message with {data_length} bytes of data, for which there are {length}")
    return b"".join((rest[:middle], *data, rest[middle:]))


class StoredMessage(Message):
    """A message as its image, which is read when somebody asks for the message: few of those a replay meets are.

    The checksum of the image is that of a log record's payload here, and has been checked with it.
    """

    __slots__ = ("_image", "_message")

    def __init__(self, image: bytes) -> None:
        self._image = image
        self._message: Message | None = None
        self.lsn = 0
        self.weight = len(image)

    def _decoded(self) -> Message:
        if self._message is None:
            self._message = from_image(self._image)
        return self._message

    @property
    def md(self) -> MQMD:
        return self._decoded().md

    @property
    def body(self) -> bytes:
        return self._decoded().body

    @property
    def properties(self) -> bytes:  # type: ignore[override]
        return self._decoded().properties

    @property
    def data(self) -> bytes:  # type: ignore[override]
        return self._decoded().data

    @property
    def origin(self) -> Origin | None:  # type: ignore[override]
        return self._decoded().origin

    def ids(self) -> tuple[bytes, bytes, bytes]:
        image = self._image
        return (
            image[_MESSAGE_ID : _MESSAGE_ID + 24],
            image[_MESSAGE_ID + 24 : _MESSAGE_ID + 48],
            image[_GROUP_ID : _GROUP_ID + 24],
        )

    def image_parts(self) -> tuple[bytes, ...]:
        return (self._image,)
