"""Arguments of a wrong type or value are MQErrors of the API, and nothing has happened when they are told."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import libremq
from libremq import MQError, QueueManager
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import BadValue, WrongType


@pytest.fixture
def qm(queue_manager: QueueManager) -> Any:
    queue_manager.define_local("Q")
    return queue_manager


WRONG_TYPES: dict[str, Callable[[Any], object]] = {
    "property name": lambda qm: qm.put("Q", b"", properties={5: 1}),
    "define int": lambda qm: qm.define_local(5),
    "define None": lambda qm: qm.define_local(None),
    "define bytes": lambda qm: qm.define_local(b"Q"),
    "define kind": lambda qm: qm.define(5, "X"),
    "define like": lambda qm: qm.define_local("X", like=5),
    "delete": lambda qm: qm.delete("qlocal", 5),
    "clear": lambda qm: qm.clear(5),
    "display": lambda qm: qm.display("qlocal", 5),
    "queue names": lambda qm: qm.queue_names(5),
    "inquire": lambda qm: qm.queue("Q").inquire(1.5),
    "queue name": lambda qm: qm.queue(None),
    "selector": lambda qm: qm.queue("Q", selector=5),
    "open options": lambda qm: qm.queue("Q", open_options="x"),
    "alternate user": lambda qm: qm.queue("Q", alternate_user=5),
    "manager": lambda qm: qm.queue("Q", manager=5),
    "exclusive": lambda qm: qm.queue("Q", exclusive="x"),
    "dynamic name": lambda qm: qm.dynamic_queue(name=5),
    "resolve": lambda qm: qm.resolve("nix", commit=True),
    "dead letter": lambda qm: qm.dead_letter(None, 5),
    "group of None": lambda qm: qm.queue("Q").put_group(None),
    "group of text": lambda qm: qm.queue("Q").put_group("abc"),
    "group md": lambda qm: qm.queue("Q").put_group([b"a"], md=5),
    "convert": lambda qm: qm.queue("Q").get(convert="x"),
    "max_length text": lambda qm: qm.queue("Q").get(max_length="x"),
    "max_length float": lambda qm: qm.queue("Q").get(max_length=1.5),
    "request": lambda qm: qm.queue("Q").request(b"", reply_to=5),
}
BAD_VALUES: dict[str, Callable[[Any], object]] = {
    "surrogate id": lambda qm: qm.put("Q", b"", correlation_id="\ud800"),
    "expiry": lambda qm: qm.put("Q", b"", expiry=10**400),
    "wait": lambda qm: qm.queue("Q").get(10**5000),
    "convert": lambda qm: qm.queue("Q").get(convert=-5),
    "max_length": lambda qm: qm.queue("Q").get(max_length=-1),
    "no model": lambda qm: qm.dynamic_queue("Q"),
    "mode": lambda qm: qm.queue("Q").handle([]),
}


@pytest.mark.parametrize("what", WRONG_TYPES)
def test_wrong_type(qm: Any, what: str) -> None:
    with pytest.raises(WrongType) as caught:
        WRONG_TYPES[what](qm)
    assert "PCF" not in str(caught.value)
    assert "blank" not in str(caught.value)
    assert qm.queue("Q").depth == 0


@pytest.mark.parametrize("what", BAD_VALUES)
def test_bad_value(qm: Any, what: str) -> None:
    with pytest.raises(BadValue) as caught:
        BAD_VALUES[what](qm)
    assert str(caught.value)
    assert qm.queue("Q").depth == 0


def test_a_queue_that_is_no_model_is_not_left_open(qm: Any) -> None:
    with pytest.raises(BadValue):
        qm.dynamic_queue("Q")
    assert qm.queue("Q").statistics().opens_for_input == 0


@pytest.mark.parametrize("argument", ["user", "password", "application", "say", "log_config", "limits"])
def test_wrong_arguments_of_connect_make_nothing(tmp_path: Path, argument: str) -> None:
    with pytest.raises(WrongType):
        libremq.connect(f"embedded:QM1?create=1&data={tmp_path}", **{argument: 5})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_group_of_whatever_can_be_iterated(qm: Any) -> None:
    queue = qm.queue("Q")
    queue.put_group(data for data in (b"a", b"b"))
    assert [message.data for message in queue.get_group()] == [b"a", b"b"]
    with pytest.raises(BadValue):
        queue.put_group(iter(()))


def test_a_message_can_be_pickled(qm: Any) -> None:
    qm.put("Q", "text", properties={"colour": "red"}, reply_to="Q", expiry=100)
    message = qm.queue("Q").get()
    again = pickle.loads(pickle.dumps(message))
    assert (again.text, again.properties, again.queue, again.length) == ("text", {"colour": "red"}, "Q", 4)
    assert again.md == message.md
    assert again.expires == message.expires
    with pytest.raises(libremq.HandleError):
        again.reply(b"")
    copy.copy(message).reply(b"answer")
    assert qm.queue("Q").get().data == b"answer"


@pytest.mark.parametrize(
    "attributes", [{"maxdepth": -1}, {"maxdepth": "x"}, {"nonsense": 1}, {"get": "maybe"}, {"descr": "x" * 65}]
)
def test_errors_of_definitions_speak_to_a_program(qm: Any, attributes: dict[str, Any]) -> None:
    for change in (qm.define_local, lambda name, **given: qm.alter("qlocal", "Q", **given)):
        with pytest.raises(libremq.InvalidAttribute) as caught:
            change("D", **attributes)
        assert next(iter(attributes)).upper() in str(caught.value)
        assert "PCF" not in str(caught.value)


@pytest.mark.parametrize("verb", ["MQSUB", "MQSUBRQ"])
def test_publish_subscribe_says_that_it_is_not_here(qm: Any, verb: str) -> None:
    with pytest.raises(MQError, match="publish/subscribe") as caught:
        getattr(qm.mqi, verb)(object(), 1)
    assert caught.value.reason == C.MQRC_FUNCTION_NOT_SUPPORTED
