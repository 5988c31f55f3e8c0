"""Whole messages over the embedded binding: by a form and as bytes, they are what the verbs make of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from libremq import MQError, QueueManager
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_connection import EmbeddedConnection
from libremq.host.message_calls import MessageCalls
from libremq.kernel.verbs.put_forms import PutForm
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
        if chance.random() < 0.3 and "properties" not in options:
            texts = [data, *(chance.choice(("text", data)) for _ in range(chance.randrange(150)))]
            with _maybe_undone(qm, chance):
                return queue.put_many(texts, **options)
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
        if chance.random() < 0.3:
            match = {"correlation_id": b"c" * 24} if chance.random() < 0.2 else {}
            with _maybe_undone(qm, chance):
                return [_seen(message) for message in queue.get_many(chance.randrange(1, 150), **match)]
        return _seen(queue.get(**chance.choice(_GETS)))
    if what < 0.95:
        qm.alter("QLOCAL", "Q", **chance.choice(_ALTERS))
        return None
    clock.advance(chance.choice((0.01, 1.7)))
    return None


class _BackOut(Exception):
    pass


@contextmanager
def _maybe_undone(qm: QueueManager, chance: random.Random) -> Iterator[None]:
    """In a transaction, perhaps one that is backed out; or in none."""
    kind = chance.choice(("none", "committed", "backed out"))
    if kind == "none":
        yield
        return
    with suppress(_BackOut), qm.transaction():
        yield
        if kind == "backed out":
            raise _BackOut


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
    monkeypatch.setattr(EmbeddedConnection, "put_messages", MessageCalls.put_messages)
    monkeypatch.setattr(EmbeddedConnection, "get_messages", MessageCalls.get_messages)
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


def test_many_puts_of_one_kind_are_one_record_each_in_few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    ordinary = PutForm.put_run

    def counted(form: PutForm, ids: list[bytes], data: list[bytes]) -> object:
        runs.append(len(data))
        return ordinary(form, ids, data)

    monkeypatch.setattr(PutForm, "put_run", counted)
    with temporary_queue_manager() as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        texts = [b"%d" % number for number in range(200)]
        ids = queue.put_many(texts, persistent=True)
        assert runs == [64, 64, 64, 7]  # the first is the one that the others are like
        messages = queue.get_many(200)
        assert [message.data for message in messages] == texts
        assert [message.md.MsgId for message in messages] == ids


def test_a_put_of_many_that_is_too_long_is_counted_and_nothing_is_put() -> None:
    with temporary_queue_manager() as qm:
        qm.define_local("Q", MAXMSGL=10, DEFPRESP="ASYNC")
        queue = qm.queue("Q")
        with pytest.raises(MQError, match="2 of 5 messages could not be put") as failed:
            queue.put_many([b"a", b"b", b"x" * 11, b"c", b"y" * 12])
        assert failed.value.reason == C.MQRC_MSG_TOO_BIG_FOR_Q
        assert queue.depth == 0


def test_an_interrupt_between_runs_of_a_get_loses_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with temporary_queue_manager() as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        texts = [b"%d" % number for number in range(150)]
        queue.put_many(texts, persistent=True)
        ordinary, forces = EmbeddedQueueManager.force, list[int]()

        def force(embedded: EmbeddedQueueManager, lsn: int) -> None:
            ordinary(embedded, lsn)
            forces.append(lsn)
            if len(forces) == 3:  # the open, the first get, and this
                raise KeyboardInterrupt

        monkeypatch.setattr(EmbeddedQueueManager, "force", force)
        found = queue.get_many(150)
        with pytest.raises(KeyboardInterrupt):
            queue.get_many(1)
        found += queue.get_many(150)
        assert [message.data for message in found] == texts
