"""Segments in front of receive exits: one by one, so many in a turn, whatever the reads were."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.server.net.receive_exits import RawSegments
from libremq.server.net.turn_budget import FLOWS_A_TURN
from libremq.wire import message_channel
from libremq.wire.protocol import MAX_SEGMENT, ProtocolError, Status
from libremq.wire.segments import Flow, SegmentReader

ONE = message_channel.status(Status.CHANNEL_UNAVAILABLE)


def reader() -> SegmentReader:
    return SegmentReader(MAX_SEGMENT, MAX_SEGMENT)


@given(st.lists(st.integers(1, 3 * len(ONE)), max_size=20))
def test_exits_see_whole_segments_however_they_were_read(sizes: list[int]) -> None:
    seen: list[bytes] = []
    flows: deque[Flow] = deque()
    raw, segments = RawSegments(), reader()
    data = ONE * 10
    for size in [*sizes, len(data)]:
        raw.feed(data[:size], lambda segment: seen.append(segment) or segment, segments, flows)  # type: ignore[func-returns-value]
        data = data[size:]
        assert raw.held_bytes < len(ONE)
    assert seen == [ONE] * 10
    assert len(flows) == 10


def test_more_than_a_turn_stays_for_the_next_one() -> None:
    flows: deque[Flow] = deque()
    raw, segments = RawSegments(), reader()
    raw.feed(ONE * (FLOWS_A_TURN + 3), lambda segment: segment, segments, flows)
    assert (len(flows), raw.has_more, raw.held_bytes) == (FLOWS_A_TURN, True, 3 * len(ONE))
    raw.feed(b"", lambda segment: segment, segments, flows)
    assert (len(flows), raw.has_more, raw.held_bytes) == (FLOWS_A_TURN + 3, False, 0)


def test_what_comes_behind_the_end_of_the_channel_is_not_looked_at() -> None:
    flows: deque[Flow] = deque()
    seen: list[bytes] = []

    def ends(segment: bytes) -> bytes | None:
        seen.append(segment)
        return segment if len(seen) < 2 else None

    RawSegments().feed(ONE * 5, ends, reader(), flows)
    assert (len(seen), len(flows)) == (2, 1)


@pytest.mark.parametrize("length", [0, 27, MAX_SEGMENT + 1])
def test_a_length_that_no_segment_has_is_refused_without_the_exits(length: int) -> None:
    broken = ONE[:4] + length.to_bytes(4, "big") + ONE[8:]
    with pytest.raises(ProtocolError):
        RawSegments().feed(broken, lambda _: pytest.fail("an exit was called"), reader(), deque())


def test_what_was_begun_can_be_given_up() -> None:
    raw = RawSegments()
    raw.feed(ONE[:-1], lambda segment: segment, reader(), deque())
    assert raw.held_bytes == len(ONE) - 1
    raw.clear()
    assert (raw.held_bytes, raw.has_more) == (0, False)
