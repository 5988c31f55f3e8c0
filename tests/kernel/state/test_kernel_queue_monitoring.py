"""QTIME: how long messages stay on a queue, while MONQ wants to know."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.queue_monitoring import QueueMonitoring
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD


def times(session: Session) -> tuple[int, ...]:
    definition = session.qm.find("QLOCAL", "ONE")
    assert isinstance(definition, LocalQueue)
    return session.qm.queue_status(definition).times_on_queue


def monitored(**attributes: int) -> Session:
    session = Session()
    session.queue("ONE", **{"monq": C.MQMON_LOW, **attributes})
    return session


@pytest.mark.parametrize("persistence", [C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT])
def test_the_time_between_put_and_get(persistence: int) -> None:
    session = monitored()
    session.put("ONE", b"x", Persistence=persistence)
    session.clock.advance(0.25)
    assert times(session) == ()
    session.get("ONE")
    assert times(session) == (250_000, 250_000)


def test_lately_counts_for_more_in_the_first_figure() -> None:
    session = monitored()
    for seconds in (1, 1, 1, 1, 9):
        session.put("ONE", b"x")
        session.clock.advance(seconds)
        session.get("ONE")
    short, long = times(session)
    assert short == 5_000_000 and 2_000_000 < long < 3_000_000


@pytest.mark.parametrize(
    ("queue", "manager", "counts"),
    [
        (C.MQMON_Q_MGR, C.MQMON_OFF, False),
        (C.MQMON_Q_MGR, C.MQMON_HIGH, True),
        (C.MQMON_OFF, C.MQMON_HIGH, False),
        (C.MQMON_HIGH, C.MQMON_OFF, True),
        (C.MQMON_HIGH, C.MQMON_NONE, False),
    ],
)
def test_who_decides_whether_it_is_counted(queue: int, manager: int, counts: bool) -> None:
    session = monitored(monq=queue)
    session.qm.alter("QMGR", "QM1", {"monq": manager})
    session.put("ONE", b"x")
    session.clock.advance(1)
    session.get("ONE")
    assert times(session) == ((1_000_000, 1_000_000) if counts else ())


def test_a_message_of_a_time_without_monitoring_does_not_count_nor_does_an_expired_one() -> None:
    session = monitored()
    session.put("ONE", b"old")  # its slot is used again below
    session.get("ONE")
    session.qm.alter("QLOCAL", "ONE", {"monq": C.MQMON_OFF})
    session.put("ONE", b"while nobody looks")
    session.qm.alter("QLOCAL", "ONE", {"monq": C.MQMON_HIGH})
    session.clock.advance(50)
    session.get("ONE")
    assert times(session) == (0, 0)
    session.put("ONE", b"short-lived", Expiry=10)
    session.clock.advance(5)
    session.qm.scan_expired()
    assert times(session) == (0, 0)


def test_a_get_that_was_backed_out_counts_again() -> None:
    session = monitored()
    session.put("ONE", b"x")
    session.clock.advance(1)
    session.get("ONE", syncpoint=True)
    session.qm.backout(session.hconn)
    session.clock.advance(2)
    session.get("ONE")
    assert times(session)[0] == 2_000_000  # between one second and three


def test_a_message_that_goes_from_hand_to_hand_stays_no_time() -> None:
    session = monitored()
    hobj = session.open_input("ONE")
    gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=60_000)
    session.qm.get(session.hconn, hobj, MQMD(Version=2), gmo)
    session.clock.advance(3)
    session.put("ONE", b"x")
    assert times(session) == (0, 0)


def test_the_figures_are_no_larger_than_status_can_show() -> None:
    monitoring = QueueMonitoring()
    monitoring.came(3, 1.0)
    monitoring.left(3, 1e6)
    assert monitoring.times == (999_999_999, 999_999_999)
