"""A message that is still its image is the same message."""

from __future__ import annotations

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
    assert (len(image), image[4]) == (message.weight, 2)
    read, stored = from_image(image), StoredMessage(image)
    assert (read.origin, stored.origin) == (origin, origin)
    assert (read.properties, read.data, read.md.UserIdentifier) == (properties, data, "alice")
    assert read.to_image() == image


def test_a_message_that_was_put_here_is_stored_as_it_always_was() -> None:
    image = Message(MQMD(Version=2), b"", b"x").to_image()
    assert image[4:8] == bytes((1, 0, 0, 0))
    assert from_image(image).origin is None


@pytest.mark.parametrize(("at", "value"), [(4, 3), (6, 2)], ids=["version", "flags"])
def test_an_image_of_a_later_release_is_not_read(at: int, value: int) -> None:
    image = bytearray(Message(MQMD(Version=2), b"", b"x", Origin("", False)).to_image())
    image[at] = value
    image[:4] = crc32(image[4:]).to_bytes(4, "little")
    with pytest.raises(ImageDamaged, match="this release"):
        from_image(bytes(image))
