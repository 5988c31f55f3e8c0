"""MOVE QLOCAL is no put, but a queue takes no more from it than it can hold. It works in steps, all or none."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from helper_qmgr import Session

from libremq.kernel.objects.object_types import LocalQueue
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD


def _steps(session: Session) -> Generator[None, None, int]:
    source, target = (session.core.catalogue.find_queue(name) for name in ("FROM", "TO"))
    assert isinstance(source, LocalQueue)
    assert isinstance(target, LocalQueue)
    return session.qm.move(source, target, add=False)


def _move(session: Session) -> int:
    """How many steps it takes."""
    return sum(1 for _ in _steps(session)) + 1


def _session(**attributes: str) -> Session:
    session = Session()
    session.queue("FROM")
    session.queue("TO", **attributes)
    return session


def test_a_priority_above_the_highest_is_moved_as_it_was_put() -> None:
    session = _session()
    for priority in (3, 12, 9):
        session.put("FROM", b"%d" % priority, Priority=priority)
    _move(session)
    moved = [session.get("TO") for _ in range(3)]
    assert [(md.Priority, data) for md, data in moved] == [(12, b"12"), (9, b"9"), (3, b"3")]


def test_what_is_left_of_an_expiry_moves_along() -> None:
    session = _session()
    session.put("FROM", b"short-lived", Expiry=100)
    session.clock.advance(4)
    _move(session)
    assert session.get("TO")[0].Expiry == 60
    session.put("FROM", b"short-lived", Expiry=100)
    _move(session)
    session.clock.advance(11)
    with pytest.raises(MQError, match="2033"):
        session.get("TO")


def test_put_disabled_does_not_count() -> None:
    session = _session(PUT="DISABLED")
    session.put("FROM", b"moved")
    _move(session)
    assert session.depth("TO") == 1


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [({"MAXMSGL": "4"}, C.MQRC_MSG_TOO_BIG_FOR_Q), ({"MAXDEPTH": "1"}, C.MQRC_Q_FULL)],
)
def test_what_the_queue_cannot_hold_stays_where_it_is(attributes: dict[str, str], reason: int) -> None:
    session = _session(**attributes)
    session.put("FROM", b"1234")
    session.put("FROM", b"12345")
    with pytest.raises(MQError) as refused:
        _move(session)
    assert refused.value.reason == reason
    assert (session.depth("FROM"), session.depth("TO")) == (2, 0)


def _filled(count: int = 100, **attributes: str) -> Session:
    session = _session(**attributes)
    for number in range(count):
        session.put("FROM", b"%d" % number, Persistence=number % 2)
    return session


def _all(session: Session, name: str) -> list[bytes]:
    return [session.get(name)[1] for _ in range(session.depth(name))]


def test_many_messages_are_moved_in_steps() -> None:
    session = _filled()
    assert _move(session) >= 4
    assert session.depth("FROM") == 0
    assert _all(session, "TO") == [b"%d" % number for number in range(100)]
    assert not session.core.units


def test_a_few_long_ones_too() -> None:
    session = _session()
    for _ in range(6):
        session.put("FROM", bytes(200_000))
    assert _move(session) == 3


def test_between_two_steps_nobody_gets_what_is_moved_nor_sees_it_moved() -> None:
    session = _filled()
    steps = _steps(session)
    next(steps)
    session.put("FROM", b"new")
    for refused in (session.open_input, session.qm.clear, lambda name: _move(session)):
        with pytest.raises(MQError):
            refused("FROM")
    target = session.open_input("TO")
    with pytest.raises(MQError, match="2033"):
        session.get(target)
    session.close(target)
    for _ in steps:
        pass
    assert _all(session, "FROM") == [b"new"]
    assert len(_all(session, "TO")) == 100


def test_a_lock_of_a_browse_in_between_ends_it_and_nothing_is_moved() -> None:
    session = _filled()
    steps = _steps(session)
    next(steps)
    hobj = session.open("FROM", C.MQOO_BROWSE)
    session.qm.get(session.hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK))
    with pytest.raises(MQError, match="2042"):
        for _ in steps:
            pass
    session.close(hobj)
    assert (session.depth("FROM"), session.depth("TO")) == (100, 0)
    left = [session.get("FROM") for _ in range(100)]
    assert [data for _, data in left] == [b"%d" % number for number in range(100)]
    assert {md.BackoutCount for md, _ in left} == {0}  # no application has failed at them


def test_if_the_target_becomes_full_in_between_nothing_is_moved() -> None:
    session = _filled(MAXDEPTH="100")
    steps = _steps(session)
    next(steps)
    session.put("TO", b"in between")
    with pytest.raises(MQError, match="2053"):
        for _ in steps:
            pass
    assert (session.depth("FROM"), session.depth("TO")) == (100, 1)
    session.open_input("FROM")


def test_a_move_that_nobody_goes_on_with_is_backed_out_by_the_clock() -> None:
    session = _filled()
    steps = _steps(session)
    next(steps)
    steps.close()
    session.clock.advance(1)
    session.qm.tick()
    assert (session.depth("FROM"), session.depth("TO")) == (100, 0)
    assert _move(session) >= 4


def test_a_move_that_gave_way_for_log_room_says_so() -> None:
    session = _filled()
    steps = _steps(session)
    next(steps)
    (unit,) = session.core.units.values()
    session.core.backout(unit, counted=False)
    with pytest.raises(MQError, match="2003"):
        next(steps)
    assert (session.depth("FROM"), session.depth("TO")) == (100, 0)
    assert _move(session) >= 4


def test_a_crash_in_between_leaves_all_where_it_was() -> None:
    session = _filled()
    steps = _steps(session)
    next(steps)
    session.kill_and_start()
    assert _all(session, "FROM") == [b"%d" % number for number in range(100) if number % 2]
    assert session.depth("TO") == 0
