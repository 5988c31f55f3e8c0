"""A message that is still its image is the same message."""

from __future__ import annotations

import struct
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi.structs import MQMD
from libremq.store.stored_message import ImageDamaged, Message, Origin, StoredMessage, from_image

IDS = st.binary(min_size=24, max_size=24)


@given(IDS, IDS, IDS, st.binary(max_size=40), st.binary(max_size=300), st.text("ABC.", max_size=48))
def test_an_image_answers_as_the_message_does(
    message_id: bytes, correlation_id: bytes, group_id: bytes, properties: bytes, data: bytes, reply_to: str
) -> None:
    md = MQMD(Version=2, MsgId=message_id, CorrelId=correlation_id, GroupId=group_id, ReplyToQ=reply_to, Priority=3)
    message = Message(md, properties, data)
    stored = StoredMessage(message.to_image())
    assert stored.ids() == message.ids() == (message_id, correlation_id, group_id)
    assert (stored.weight, stored.to_image()) == (message.weight, message.to_image())
    assert (stored.properties, stored.data, stored.md.ReplyToQ, stored.md.Priority) == (properties, data, reply_to, 3)
    assert from_image(stored.to_image()).ids() == message.ids()


@given(st.integers(0, 8 * 420 - 1))
def test_any_bit_that_changes_is_noticed(bit: int) -> None:
    image = bytearray(Message(MQMD(Version=2), b"", b"x" * 100).to_image())
    bit %= 8 * len(image)
    image[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ImageDamaged):
        from_image(bytes(image))


ORIGINS = st.builds(Origin, st.text("abcdé", max_size=12), st.booleans())


@given(ORIGINS, st.binary(max_size=40), st.binary(max_size=100))
def test_a_message_remembers_the_channel_that_brought_it(origin: Origin, properties: bytes, data: bytes) -> None:
    message = Message(MQMD(Version=2, UserIdentifier="alice"), properties, data, origin)
    image = message.to_image()
    assert (len(image), image[4]) == (message.weight, 4)
    read, stored = from_image(image), StoredMessage(image)
    assert (read.origin, stored.origin) == (origin, origin)
    assert (read.properties, read.data, read.md.UserIdentifier) == (properties, data, "alice")
    assert read.to_image() == image


def test_a_message_that_was_put_here_has_no_origin() -> None:
    image = Message(MQMD(Version=2), b"", b"x").to_image()
    assert image[4:8] == bytes((3, 0, 0, 0))
    assert from_image(image).origin is None


def _of_an_earlier_release(*, origin: bool) -> bytes:
    """An image as releases wrote it that filled text with zeros: laid out here by hand."""
    user = b"alice" if origin else b""
    start = struct.pack("<BBHII", 2 if origin else 1, len(user), 1 if origin else 0, 3, 4)
    body = struct.pack(
        "<6i8s2i24s24si48s48s12s32s32si28s8s8s4s24s4i",
        0, 8, -1, 0, 546, 1208, b"MQSTR", 5, 1, b"M" * 24, b"C" * 24, 0, b"REPLIES", b"QM2", b"bob", b"T" * 32, b"",
        6, b"an app", b"20260101", b"12300000", b"", bytes(24), 1, 0, 0, -1,
    )  # fmt: skip
    rest = start + body + b"prp" + b"data" + user
    return crc32(rest).to_bytes(4, "little") + rest


@pytest.mark.parametrize("origin", [False, True], ids=["put here", "over a channel"])
def test_an_image_of_an_earlier_release_is_read(origin: bool) -> None:
    image = _of_an_earlier_release(origin=origin)
    for message in (from_image(image), StoredMessage(image)):
        md = message.md
        assert (md.Format, md.ReplyToQ, md.ReplyToQMgr, md.UserIdentifier) == ("MQSTR", "REPLIES", "QM2", "bob")
        assert (md.PutApplName, md.PutDate, md.PutTime, md.Priority) == ("an app", "20260101", "12300000", 5)
        assert message.ids() == (b"M" * 24, b"C" * 24, bytes(24))
        assert (message.properties, message.data) == (b"prp", b"data")
        assert message.origin == (Origin("alice", True) if origin else None)
        assert message.body[24:32] == b"MQSTR   ", "as it is sent: filled with blanks"
        assert message.to_image() == image, "and left as it is where it is only moved"


@pytest.mark.parametrize(("at", "value"), [(4, 5), (6, 2)], ids=["version", "flags"])
def test_an_image_of_a_later_release_is_not_read(at: int, value: int) -> None:
    image = bytearray(Message(MQMD(Version=2), b"", b"x", Origin("", False)).to_image())
    image[at] = value
    image[:4] = crc32(image[4:]).to_bytes(4, "little")
    with pytest.raises(ImageDamaged, match="this release"):
        from_image(bytes(image))
