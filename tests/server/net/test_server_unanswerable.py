"""A message whose reply cannot be made stays on its queue: however it was asked for, over the socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

import libremq
from libremq import ConnectionBroken, QueueManager
from libremq.kernel.verbs.put_forms import PutForm
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.server.net import deliveries
from libremq.testing.serving import Served, served_queue_manager
from libremq.testing.virtual_clock import VirtualClock
from libremq.wire import calls

_20_YEARS = 20 * 366 * 86400.0


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def served(tmp_path: Path, clock: VirtualClock) -> Iterator[Served]:
    with served_queue_manager(folder=tmp_path / "libremq", clock=clock) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("Q")
        yield served


@pytest.fixture
def qm(served: Served) -> Iterator[QueueManager]:
    with libremq.connect(served.url("mq")) as found:
        yield found


def _broken(*arguments: Any, **named: Any) -> NoReturn:
    raise ValueError("planted")


def _depth(served: Served) -> int:
    return served.in_loop(lambda: served.embedded.manager.depth("Q"))


def test_a_get_after_the_clock_was_set_back(served: Served, qm: QueueManager, clock: VirtualClock) -> None:
    with qm.queue("Q") as queue:
        queue.put("precious", persistent=True, expiry=60)
        clock.set_back(_20_YEARS)
        message = queue.get()
        assert message.text == "precious" and message.md.Expiry == 600


def test_a_get(served: Served, qm: QueueManager, monkeypatch: pytest.MonkeyPatch) -> None:
    with qm.queue("Q") as queue:
        queue.put("precious", persistent=True)
        with monkeypatch.context() as planted:
            planted.setattr(calls, "pack_get_reply", _broken)
            with pytest.raises(MQError) as caught:
                queue.get()
        assert caught.value.reason == C.MQRC_UNEXPECTED_ERROR and "planted" in str(caught.value)
        assert _depth(served) == 1
        assert queue.get().text == "precious", "the connection goes on"


@pytest.mark.parametrize("packs", ["pack_message", "message_frames"])
def test_a_batch(served: Served, qm: QueueManager, monkeypatch: pytest.MonkeyPatch, packs: str) -> None:
    """What was packed before the trouble is handed out; the rest is still there."""
    with qm.queue("Q") as queue:
        properties: dict[str, object] | None = {"looked": "at"} if packs == "pack_message" else None
        for number in range(3):
            queue.put(str(number), persistent=True, properties=properties)
        got: list[str] = []
        with monkeypatch.context() as planted:
            planted.setattr(deliveries, packs, _broken)
            try:
                got = [message.text for message in queue.get_many(3)]
            except MQError as error:
                assert error.reason == C.MQRC_UNEXPECTED_ERROR
        assert _depth(served) == 3 - len(got)
        if packs == "message_frames":
            assert got == ["0", "1", "2"], "what cannot be sent as a run goes message by message"
            return
        assert len(got) < 3
        assert got + [message.text for message in queue.get_many(3)] == ["0", "1", "2"]


def test_a_known_put_that_fails_ends_the_connection(
    served: Served, qm: QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot: what may fail is left to the ordinary way. Should it all the same, nobody waits for an answer."""

    def fails(*arguments: Any) -> NoReturn:
        raise mq_error(C.MQRC_UNEXPECTED_ERROR, "Q", "planted")

    with qm.queue("Q") as queue:
        queue.put("known", persistent=True)
        with monkeypatch.context() as planted:
            planted.setattr(PutForm, "put", fails)
            with pytest.raises(ConnectionBroken):
                queue.put("not put", persistent=True)
    assert _depth(served) == 1


def test_a_put_is_not_done_twice_when_what_follows_fails(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any) -> NoReturn:
        raise mq_error(C.MQRC_UNEXPECTED_ERROR, "Q", "planted")

    with libremq.connect(served.url("mq")) as qm:
        queue = qm.queue("Q")
        queue.put("known")
        served.in_loop(lambda: served.embedded.manager.alter("QMGR", "", {"PERFMEV": "ENABLED"}))
        queue.put("known anew")
        with monkeypatch.context() as planted:
            planted.setattr(served.embedded.manager.core, "on_put", fails)
            with pytest.raises(MQError):
                queue.put("once")
    assert _depth(served) == 3


def test_a_message_that_is_taken_is_handed_out_when_what_follows_fails(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*arguments: Any) -> NoReturn:
        raise mq_error(C.MQRC_UNEXPECTED_ERROR, "Q", "planted")

    with libremq.connect(served.url("mq")) as qm:
        served.in_loop(lambda: served.embedded.manager.alter("QMGR", "", {"PERFMEV": "ENABLED"}))
        queue = qm.queue("Q")
        for number in range(2):
            queue.put(str(number), persistent=True)
        assert queue.get().text == "0"
        with monkeypatch.context() as planted:
            planted.setattr(served.embedded.manager.core, "on_get", fails)
            assert queue.get().text == "1"
    assert _depth(served) == 0
