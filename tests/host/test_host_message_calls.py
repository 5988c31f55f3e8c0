"""Whole messages over the embedded binding: by a form and as bytes, they are what the verbs make of them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from libremq import MQError, QueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.host.message_calls import MessageCalls
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQSTS
from libremq.testing import temporary_queue_manager
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

_PUTS: list[dict[str, Any]] = [
    {},
    {},
    {"persistent": True},
    {"persistent": False, "priority": 7},
    {"expiry": 3},
    {"correlation_id": b"c" * 24},
    {"message_id": "mine"},
    {"reply_to": "REPLIES", "message_type": C.MQMT_REQUEST},
    {"reply_to": "ALIAS", "report": C.MQRO_COA},
    {"reply_to": "REMOTE"},
    {"properties": {"colour": "red"}},
    {"format": "MQHRF2"},
]
_ALTERS: list[dict[str, Any]] = [
    {"PUT": "DISABLED"}, {"PUT": "ENABLED"}, {"GET": "DISABLED"}, {"GET": "ENABLED"}, {"DEFPSIST": "YES"},
    {"DEFPRTY": 3}, {"MAXDEPTH": 3}, {"MAXDEPTH": 5000}, {"CAPEXPRY": 20}, {"DEFPRESP": "ASYNC"}, {"MAXMSGL": 50},
]  # fmt: skip

_GETS: list[dict[str, Any]] = [
    {},
    {},
    {"correlation_id": b"c" * 24},
    {"max_length": 5},
    {"md": MQMD(Version=2, CorrelId=b"c" * 24)},
]


def _fields(structure: MQMD | MQGMO) -> dict[str, Any]:
    return {name: getattr(structure, name) for name in type(structure).__annotations__ if name != "StrucId"}


def _played(seed: int) -> list[object]:
    """What an application sees of a random play."""
    chance, seen = random.Random(seed), list[object]()
    clock = VirtualClock()
    with temporary_queue_manager(files=FaultyFiles(), clock=clock) as qm:
        for name in ("Q", "REPLIES"):
            qm.define_local(name)
        qm.define_alias("ALIAS", "REPLIES")
        qm.mqsc("DEFINE QREMOTE(REMOTE) RNAME(FAR) RQMNAME(AWAY)")
        queue = qm.queue("Q")
        for _ in range(60):
            try:
                seen.append(_step(qm, queue, chance, clock))
            except MQError as error:
                seen.append((error.reason, error.object_name, str(error)))
        sts = MQSTS()
        qm.mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
        seen.append((sts.PutSuccessCount, sts.PutFailureCount, sts.Reason))
    return seen


def _step(qm: QueueManager, queue: Any, chance: random.Random, clock: VirtualClock) -> object:
    what = chance.random()
    if what < 0.55:
        options = chance.choice(_PUTS)
        data = chance.choice(("text", b"x" * chance.choice((0, 10, 60))))
        return [queue.put(data, **options) for _ in range(chance.randrange(1, 4))]
    if what < 0.85:
        if chance.random() < 0.3:
            try:
                with qm.transaction():
                    got = _seen(queue.get(wait=chance.choice((None, 0))))
                    if chance.random() < 0.5:
                        raise _BackOut
            except _BackOut:
                pass
            return got
        return _seen(queue.get(**chance.choice(_GETS)))
    if what < 0.95:
        qm.alter("QLOCAL", "Q", **chance.choice(_ALTERS))
        return None
    clock.advance(chance.choice((0.01, 1.7)))
    return None


class _BackOut(Exception):
    pass


def _seen(message: Any) -> object:
    return (
        message.data, message.length, message.warning, message.queue, _fields(message.md), _fields(message.gmo),
        message.properties,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_both_ways_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    short = _played(seed)
    monkeypatch.setattr(EmbeddedConnection, "put_message", MessageCalls.put_message)
    monkeypatch.setattr(EmbeddedConnection, "get_message", MessageCalls.get_message)
    assert _played(seed) == short


def test_what_was_got_in_a_transaction_may_be_changed_and_comes_back_as_it_was() -> None:
    with temporary_queue_manager() as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        queue.put(b"one", priority=4)
        with pytest.raises(_BackOut), qm.transaction():
            message = queue.get()
            message.md.Priority = 9
            message.properties["colour"] = "red"
            assert message.properties == {"colour": "red"}
            raise _BackOut
        assert queue.get().md.Priority == 4


def test_an_asynchronous_put_that_fails_leaves_no_form() -> None:
    with temporary_queue_manager() as qm:
        qm.define_local("Q", DEFPRESP="ASYNC", DEFPRTY=3, MAXDEPTH=1)
        queue = qm.queue("Q")
        for data in (b"one", b"refused: the queue is full"):
            queue.put(data)
        assert queue.get().data == b"one"
        queue.put(b"two")
        message = queue.get()
        assert (message.data, message.md.Priority, message.md.Persistence) == (b"two", 3, C.MQPER_NOT_PERSISTENT)
