"""Read ahead: messages that are not persistent come before they are asked for, and what an application sees of that."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD
from libremq.testing.serving import Served, served_queue_manager

QUEUE, AHEAD, NEVER, ALIAS = "PLAIN.Q", "AHEAD.Q", "NEVER.Q", "AHEAD.ALIAS"
INPUT = C.MQOO_INPUT_SHARED


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local(QUEUE)
            qm.define_local(AHEAD, DEFREADA="YES")
            qm.define_local(NEVER, DEFREADA="DISABLED")
            qm.define_alias(ALIAS, QUEUE, DEFREADA="YES")
        yield served


@pytest.fixture(params=["mq", "local"])
def qm(served: Served, request: pytest.FixtureRequest) -> Iterator[QueueManager]:
    with libremq.connect(served.url(request.param)) as found:
        yield found


def fill(served: Served, name: str, *kinds: bool) -> None:
    """One message each: persistent or not."""
    with libremq.connect(served.url("local")) as qm, qm.queue(name) as queue:
        for number, persistent in enumerate(kinds):
            queue.put(f"{number}", persistent=persistent)


def depth(served: Served, name: str) -> int:
    with libremq.connect(served.url("local")) as qm, qm.queue(name) as queue:
        return queue.depth


def get(qm: QueueManager, hobj: int, options: int = C.MQGMO_NO_SYNCPOINT, **md: bytes) -> bytes:
    return qm.mqi.MQGET(hobj, MQMD(**md), MQGMO(Options=options), 100).data


@pytest.mark.parametrize(
    ("name", "options", "ahead"),
    [
        (QUEUE, C.MQOO_READ_AHEAD, True),
        (QUEUE, 0, False),
        (AHEAD, 0, True),
        (AHEAD, C.MQOO_NO_READ_AHEAD, False),
        (NEVER, C.MQOO_READ_AHEAD, False),
        (ALIAS, 0, True),
    ],
)
def test_who_reads_ahead(served: Served, qm: QueueManager, name: str, options: int, ahead: bool) -> None:
    """By the options of the open, else by DEFREADA of the queue; DISABLED allows nobody to."""
    filled = QUEUE if name == ALIAS else name
    fill(served, filled, *[False] * 10)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=name), INPUT | options)
    assert get(qm, hobj) == b"0"
    assert depth(served, filled) == (0 if ahead else 9)
    assert [get(qm, hobj) for _ in range(9)] == [b"%d" % number for number in range(1, 10)]
    with pytest.raises(MQError) as caught:
        get(qm, hobj)
    assert caught.value.reason == C.MQRC_NO_MSG_AVAILABLE


def test_persistent_messages_come_one_at_a_time(served: Served, qm: QueueManager) -> None:
    """They would be lost with the application: those behind one wait until they are asked for."""
    fill(served, AHEAD, False, False, True, True, False)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), INPUT)
    left = []
    for number in range(5):
        assert get(qm, hobj) == b"%d" % number
        left.append(depth(served, AHEAD))
    assert left == [3, 3, 2, 0, 0]


def test_only_gets_outside_a_unit_of_work_read_ahead(served: Served, qm: QueueManager) -> None:
    fill(served, AHEAD, *[False] * 5)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), INPUT)
    assert get(qm, hobj, C.MQGMO_SYNCPOINT) == b"0"
    assert depth(served, AHEAD) == 4
    qm.mqi.MQBACK()
    assert depth(served, AHEAD) == 5


def test_a_close_warns_of_messages_that_nobody_has_got(served: Served, qm: QueueManager) -> None:
    fill(served, AHEAD, *[False] * 3)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), INPUT)
    assert get(qm, hobj) == b"0"
    assert qm.mqi.MQCLOSE(hobj, C.MQCO_QUIESCE) == C.MQRC_READ_AHEAD_MSGS
    fill(served, AHEAD, False)  # comes no more: the handle is about to be closed
    assert [get(qm, hobj), get(qm, hobj)] == [b"1", b"2"]
    assert qm.mqi.MQCLOSE(hobj, C.MQCO_QUIESCE) == C.MQRC_NONE
    assert depth(served, AHEAD) == 1


def test_a_close_at_once_gives_up_what_was_read_ahead(served: Served, qm: QueueManager) -> None:
    fill(served, AHEAD, *[False] * 3)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), INPUT)
    assert get(qm, hobj) == b"0"
    assert qm.mqi.MQCLOSE(hobj, C.MQCO_IMMEDIATE) == C.MQRC_NONE
    assert depth(served, AHEAD) == 0


def test_other_messages_cannot_be_asked_for_in_between(served: Served, qm: QueueManager) -> None:
    fill(served, AHEAD, *[False] * 3)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), INPUT)
    assert get(qm, hobj) == b"0"
    with pytest.raises(MQError) as caught:
        get(qm, hobj, MsgId=b"\1" * 24)
    assert caught.value.reason == C.MQRC_OPTIONS_CHANGED
    assert [get(qm, hobj), get(qm, hobj)] == [b"1", b"2"]
    with pytest.raises(MQError) as caught:
        get(qm, hobj, MsgId=b"\1" * 24)
    assert caught.value.reason == C.MQRC_NO_MSG_AVAILABLE


def test_a_get_with_a_handle_that_is_gone_takes_nothing_of_what_was_read_ahead(
    served: Served, qm: QueueManager
) -> None:
    fill(served, AHEAD, *[False] * 3)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), INPUT)
    assert get(qm, hobj) == b"0"
    gmo = MQGMO(Version=C.MQGMO_VERSION_4, Options=C.MQGMO_NO_SYNCPOINT, MsgHandle=4711)
    with pytest.raises(MQError) as caught:
        qm.mqi.MQGET(hobj, MQMD(), gmo, 100)
    assert caught.value.reason == C.MQRC_HMSG_ERROR
    assert [get(qm, hobj), get(qm, hobj)] == [b"1", b"2"]


def test_the_order_and_the_number_are_right_for_many(served: Served, qm: QueueManager) -> None:
    with libremq.connect(served.url("local")) as other, other.queue(AHEAD) as queue:
        queue.put_many([b"%d" % number for number in range(1000)], persistent=False)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), INPUT)
    assert [get(qm, hobj, C.MQGMO_NO_SYNCPOINT | C.MQGMO_WAIT) for _ in range(1000)] == [b"%d" % n for n in range(1000)]


def test_a_queue_that_is_opened_for_output_only_reads_nothing(served: Served, qm: QueueManager) -> None:
    fill(served, AHEAD, False)
    qm.mqi.MQOPEN(MQOD(ObjectName=AHEAD), C.MQOO_OUTPUT)
    assert depth(served, AHEAD) == 1


# What is browsed


def test_a_browse_reads_ahead_where_its_open_asks_for_it(served: Served, qm: QueueManager) -> None:
    """It is a handle for browse alone. What is persistent comes, too: nothing is taken off the queue."""
    fill(served, QUEUE, *[True, False] * 60)
    with qm.queue(QUEUE, open_options=C.MQOO_READ_AHEAD) as queue, queue.browse() as browser:
        found = [next(browser).data, next(browser).data]
        with libremq.connect(served.url("local")) as other, other.queue(QUEUE) as emptied:
            assert len(emptied.get_many(200)) == 120
        found += [message.data for message in browser]
    assert found == [b"%d" % number for number in range(101)]  # the first, and a hundred that came with the second


def test_a_browse_sees_the_queue_as_it_is_unless_it_is_asked_to_read_ahead(served: Served, qm: QueueManager) -> None:
    fill(served, AHEAD, *[False] * 4)  # DEFREADA is for those who get
    with qm.queue(AHEAD) as queue, queue.browse() as browser:
        assert [next(browser).data, next(browser).data] == [b"0", b"1"]
        with libremq.connect(served.url("local")) as other, other.queue(AHEAD) as emptied:
            emptied.get_many(10)
        assert [message.data for message in browser] == []


@pytest.mark.parametrize("how", ["lock", "mark", "take"])
def test_a_browse_for_more_than_looking_does_not_read_ahead(served: Served, qm: QueueManager, how: str) -> None:
    fill(served, QUEUE, *[False] * 4)
    with qm.queue(QUEUE, open_options=C.MQOO_READ_AHEAD) as queue, queue.browse(**{how: True}) as browser:
        assert [next(browser).data, next(browser).data] == [b"0", b"1"]
        if how == "take":
            assert browser.take().data == b"1"
        with libremq.connect(served.url("local")) as other, other.queue(QUEUE) as others, others.browse() as second:
            assert [message.data for message in second][-1] == b"3"
        assert [message.data for message in browser] == [b"2", b"3"]


def test_a_browse_that_begins_anew_forgets_what_was_read_ahead(served: Served, qm: QueueManager) -> None:
    fill(served, QUEUE, *[False] * 4)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=QUEUE), C.MQOO_BROWSE | C.MQOO_READ_AHEAD)
    first, following = C.MQGMO_BROWSE_FIRST, C.MQGMO_BROWSE_NEXT
    assert [get(qm, hobj, first), get(qm, hobj, following)] == [b"0", b"1"]
    with libremq.connect(served.url("local")) as other, other.queue(QUEUE) as taken:
        taken.get()
    assert [get(qm, hobj, first), get(qm, hobj, following)] == [b"1", b"2"]
    with pytest.raises(MQError) as caught:
        get(qm, hobj, C.MQGMO_BROWSE_MSG_UNDER_CURSOR)
    assert caught.value.reason == C.MQRC_OPTIONS_CHANGED
    assert get(qm, hobj, following) == b"3"
    assert qm.mqi.MQCLOSE(hobj, C.MQCO_QUIESCE) == C.MQRC_NONE


def test_a_browse_that_has_read_all_ahead_waits_for_more(served: Served, qm: QueueManager) -> None:
    fill(served, QUEUE, False, False)
    with qm.queue(QUEUE, open_options=C.MQOO_READ_AHEAD) as queue, queue.browse(wait=30) as browser:
        assert [next(browser).data, next(browser).data] == [b"0", b"1"]
        timer = threading.Timer(0.05, fill, (served, QUEUE, False))
        timer.start()
        assert next(browser).data == b"0"
        timer.join()
