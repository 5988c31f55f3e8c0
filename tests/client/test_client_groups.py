"""Groups through the Python API: put together, got together."""

from __future__ import annotations

import pytest

import libremq
from libremq import Queue, QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO


@pytest.fixture
def queue(queue_manager: QueueManager) -> Queue:
    queue_manager.define_local("Q")
    return queue_manager.queue("Q")


def test_a_group_comes_out_as_it_went_in(queue: Queue) -> None:
    group_id = queue.put_group(["one", "two", "three"], priority=5, properties={"basket": 7})
    messages = queue.get_group()
    assert [message.text for message in messages] == ["one", "two", "three"]
    assert {message.group_id for message in messages} == {group_id}
    assert [message.md.MsgSeqNumber for message in messages] == [1, 2, 3]
    assert all(message.properties == {"basket": 7} and message.priority == 5 for message in messages)
    assert queue.depth == 0


def test_groups_do_not_mix(queue: Queue) -> None:
    first = queue.put_group(["a1", "a2"])
    second = queue.put_group(["b1", "b2"])
    assert [message.text for message in queue.get_group(group_id=second)] == ["b1", "b2"]
    assert [message.text for message in queue.get_group(group_id=first)] == ["a1", "a2"]


def test_a_message_outside_any_group_comes_alone(queue: Queue) -> None:
    queue.put("alone")
    assert [message.text for message in queue.get_group()] == ["alone"]


def test_an_incomplete_group_is_not_there_yet(queue: Queue) -> None:
    md = MQMD(Version=2, GroupId=b"G".ljust(24), MsgFlags=C.MQMF_MSG_IN_GROUP, MsgSeqNumber=1)
    queue.put("one", md=md)
    with pytest.raises(libremq.NoMessageAvailable):
        queue.get_group()
    queue.put("two", md=MQMD(Version=2, GroupId=b"G".ljust(24), MsgFlags=C.MQMF_LAST_MSG_IN_GROUP, MsgSeqNumber=2))
    assert [message.text for message in queue.get_group()] == ["one", "two"]


def test_a_group_is_put_all_or_none(queue_manager: QueueManager) -> None:
    queue_manager.define_local("TINY", maxdepth=2)
    tiny = queue_manager.queue("TINY")
    with pytest.raises(libremq.QueueFull):
        tiny.put_group(["1", "2", "3"])
    assert tiny.depth == 0
    with pytest.raises(libremq.BadValue):
        tiny.put_group([])


def test_a_group_in_a_transaction_follows_it(queue_manager: QueueManager, queue: Queue) -> None:
    with pytest.raises(KeyError), queue_manager.transaction():
        queue.put_group(["1", "2"])
        raise KeyError
    assert queue.depth == 0
    with queue_manager.transaction():
        queue.put_group(["1", "2"])
    with pytest.raises(KeyError), queue_manager.transaction():
        assert len(queue.get_group()) == 2
        raise KeyError
    assert queue.depth == 2


def test_segments_go_through_the_descriptor(queue_manager: QueueManager) -> None:
    queue_manager.define_local("SHORT", maxmsgl=64)
    short = queue_manager.queue("SHORT")
    data = bytes(range(200))
    short.put(data, md=MQMD(Version=2, MsgFlags=C.MQMF_SEGMENTATION_ALLOWED), pmo=MQPMO())
    assert short.depth == 4
    assert short.get(gmo=MQGMO(Version=2, Options=C.MQGMO_COMPLETE_MSG)).data == data
    assert short.depth == 0


def test_what_is_all_or_none_is_so_on_a_queue_whose_puts_have_no_answer(queue_manager: QueueManager) -> None:
    queue_manager.define_local("TINY", maxdepth=2, defpresp="async")
    tiny = queue_manager.queue("TINY")
    with pytest.raises(libremq.QueueFull):
        tiny.put_group(["1", "2", "3"])
    with pytest.raises(libremq.QueueFull):
        tiny.put_many(["1", "2", "3"])
    assert tiny.depth == 0
