"""Silence on a line: who is asked, who is gone, and who was away himself."""

from __future__ import annotations

import socket

import pytest

from libremq.common.silence import Silence, patience, unacknowledged


def looks(silence: Silence, *times: float, interval: float = 1) -> list[float]:
    """When the other end counted as gone."""
    return [now for now in times if silence.is_gone(now, interval)]


@pytest.mark.parametrize(("interval", "expected"), [(1, 2), (2, 2), (5, 5), (60, 60), (300, 60)])
def test_patience_is_the_interval_within_limits(interval: float, expected: float) -> None:
    assert patience(interval) == expected


def test_an_end_that_was_not_asked_is_never_gone() -> None:
    assert looks(Silence(100.0), *range(101, 200)) == []


def test_an_end_that_does_not_answer_is_gone_after_a_while() -> None:
    silence = Silence(100.0)
    silence.ask(101.0)
    assert silence.is_asking
    assert looks(silence, 102.0, 103.0, 104.0) == [104.0]


def test_to_ask_again_gives_it_no_more_time() -> None:
    silence = Silence(100.0)
    silence.ask(101.0)
    silence.is_gone(102.0, 1)
    silence.ask(102.5)
    assert looks(silence, 103.2) == [103.2]


def test_whatever_is_heard_is_an_answer() -> None:
    silence = Silence(100.0)
    silence.ask(101.0)
    silence.heard = 103.5
    assert not silence.is_asking
    assert looks(silence, 104.0, 200.0) == []
    silence.ask(201.0)
    assert looks(silence, 202.0, 203.0, 204.0) == [204.0]


def test_time_in_which_this_end_was_away_hardly_counts() -> None:
    silence = Silence(100.0)
    silence.ask(101.0)
    assert looks(silence, 102.0, 500.0, 501.0) == [501.0]  # one second, the absence, and one more


def test_the_time_before_it_was_asked_does_not_count() -> None:
    silence = Silence(100.0)
    silence.ask(900.0)
    assert looks(silence, 901.0) == []


def test_an_end_that_is_always_late_loses_patience_too() -> None:
    silence = Silence(100.0)
    silence.ask(101.0)
    assert looks(silence, *(101.0 + 10 * number for number in range(1, 10))) == [191.0]


def test_an_end_that_takes_what_was_sent_is_there() -> None:
    silence = Silence(100.0)
    silence.note_untaken(9000, 101.0)
    silence.ask(101.0)
    for second in range(102, 120):
        silence.note_untaken(9000 - second, float(second))
        assert not silence.is_gone(float(second), 1)
        silence.ask(float(second))
    for second in (120.0, 121.0):
        silence.note_untaken(8881, second)
        assert not silence.is_gone(second, 1)
    silence.note_untaken(8881, 122.0)
    assert silence.is_gone(122.0, 1)


def test_more_that_was_sent_is_no_sign_of_life() -> None:
    silence = Silence(100.0)
    silence.ask(101.0)
    for second in (102.0, 103.0):
        silence.note_untaken(int(second), second)
        assert not silence.is_gone(second, 1)
    silence.note_untaken(999, 104.0)
    assert silence.is_gone(104.0, 1)


def test_what_a_socket_has_not_delivered() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as near:
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        near.connect(listener.getsockname())
        far, _ = listener.accept()
        with far:
            assert unacknowledged(near.fileno()) == 0
            near.setblocking(False)
            with pytest.raises(BlockingIOError):
                while True:
                    near.send(bytes(1 << 16))
            assert unacknowledged(near.fileno()) > 0
    assert unacknowledged(near.fileno()) == 0
