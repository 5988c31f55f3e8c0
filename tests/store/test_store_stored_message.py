"""A message that is still its image is the same message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi.structs import MQMD
from libremq.store.stored_message import ImageDamaged, Message, StoredMessage, from_image

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
