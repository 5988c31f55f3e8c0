"""MOVE QLOCAL is no put, but a queue takes no more from it than it can hold."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.units.moving_messages import move_messages
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError


def _move(session: Session) -> None:
    source, target = (session.core.catalogue.find_queue(name) for name in ("FROM", "TO"))
    assert isinstance(source, LocalQueue)
    assert isinstance(target, LocalQueue)
    move_messages(session.core, source, target, add=False)


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
