"""Puts that are like one before go by its form: it must notice whatever makes them unlike.

Puts that nobody waits for, and puts that are answered, go on while something is altered: what becomes of them, and what
lies on the queue afterwards, must be the same both ways, and other than it was before the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

import pytest

import libremq
from libremq import MQError, QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQMD, MQOD, MQPMO, MQSTS
from libremq.testing.serving import served_queue_manager

_UNANSWERED = C.MQPMO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE
_ANSWERED = C.MQPMO_SYNCPOINT | C.MQPMO_SYNC_RESPONSE
_BEFORE, _BEHIND = 3, 2
_SIZE = 33_000
_numbers = count(1)


class Outcome(NamedTuple):
    """What became of the puts behind the change: the reason of the first failure, and what can be got."""

    reason: int
    failures: int
    messages: tuple[tuple[object, ...], ...]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_queue_manager(folder=tmp_path_factory.mktemp("served")) as served:
        yield served.url()


@pytest.fixture(scope="module")
def qm(url: str) -> Iterator[QueueManager]:
    with libremq.connect(url) as found:
        yield found


@pytest.fixture(scope="module")
def operator(url: str) -> Iterator[QueueManager]:
    with libremq.connect(url) as found:
        yield found


Change = Callable[[QueueManager, str, str], object]


def _status(qm: QueueManager) -> MQSTS:
    """Of the puts since it was asked last: its answer comes after all of them."""
    sts = MQSTS()
    qm.mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
    return sts


def _puts(qm: QueueManager, operator: QueueManager, options: int, change: Change) -> Outcome:
    """Put some through an alias, change something, put some more; then commit, and get them all."""
    number = next(_numbers)
    local, alias = f"LOCAL.{number}", f"ALIAS.{number}"
    qm.define_local(local, MAXMSGL=100_000)
    qm.define_alias(alias, local)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=alias), C.MQOO_OUTPUT | C.MQOO_SET)
    reasons: list[int] = []

    def put(how_many: int) -> None:
        for _ in range(how_many):
            try:
                qm.mqi.MQPUT(hobj, MQMD(Version=2), MQPMO(Version=3, Options=options), bytes(_SIZE))
            except MQError as error:
                reasons.append(error.reason)

    put(_BEFORE)
    assert _status(qm).Reason == C.MQRC_NONE and not reasons
    change(operator, local, alias)
    try:
        put(_BEHIND)
        sts = _status(qm)
    finally:
        operator.alter("QMGR", MAXMSGL=4_194_304, MAXUMSGS=10_000)
    qm.mqi.MQCMIT()
    qm.mqi.MQCLOSE(hobj)
    messages = []
    with qm.queue(local) as queue:
        for message in iter(queue.get_or_none, None):
            md = message.md
            messages.append((len(message.data), md.Persistence, md.Priority, md.Expiry != C.MQEI_UNLIMITED))
    reason, failures = (reasons[0], len(reasons)) if reasons else (sts.Reason, sts.PutFailureCount)
    return Outcome(reason, failures, tuple(messages))


def _mqset(operator: QueueManager, local: str, alias: str) -> None:
    hobj = operator.mqi.MQOPEN(MQOD(ObjectName=local), C.MQOO_SET)
    operator.mqi.MQSET(hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED})
    operator.mqi.MQCLOSE(hobj)


_PLAIN = (_SIZE, C.MQPER_NOT_PERSISTENT, 0, False)
REFUSING: dict[str, tuple[Change, int]] = {
    "PUT(DISABLED)": (lambda qm, local, _: qm.alter("QLOCAL", local, PUT="DISABLED"), C.MQRC_PUT_INHIBITED),
    "PUT(DISABLED) of the alias": (
        lambda qm, _, alias: qm.alter("QALIAS", alias, PUT="DISABLED"),
        C.MQRC_PUT_INHIBITED,
    ),
    "MQSET": (_mqset, C.MQRC_PUT_INHIBITED),
    "MAXMSGL": (lambda qm, local, _: qm.alter("QLOCAL", local, MAXMSGL=_SIZE - 1), C.MQRC_MSG_TOO_BIG_FOR_Q),
    "MAXMSGL of the queue manager": (lambda qm, *_: qm.alter("QMGR", MAXMSGL=32_768), C.MQRC_MSG_TOO_BIG_FOR_Q_MGR),
    "MAXDEPTH": (lambda qm, local, _: qm.alter("QLOCAL", local, MAXDEPTH=_BEFORE), C.MQRC_Q_FULL),
    "MAXUMSGS": (lambda qm, *_: qm.alter("QMGR", MAXUMSGS=_BEFORE), C.MQRC_SYNCPOINT_LIMIT_REACHED),
}
"""Changes that refuse the puts behind them, and with which reason."""

FILLING: dict[str, tuple[Change, tuple[object, ...]]] = {
    "nothing": (lambda qm, *_: None, _PLAIN),
    "something else": (lambda qm, local, _: qm.alter("QLOCAL", local, DESCR="other"), _PLAIN),
    "DEFPSIST": (lambda qm, _, alias: qm.alter("QALIAS", alias, DEFPSIST="YES"), (_SIZE, 1, 0, False)),
    "DEFPSIST of the target": (lambda qm, local, _: qm.alter("QLOCAL", local, DEFPSIST="YES"), _PLAIN),
    "DEFPRTY": (lambda qm, _, alias: qm.alter("QALIAS", alias, DEFPRTY=7), (_SIZE, 0, 7, False)),
    "CAPEXPRY": (lambda qm, local, _: qm.alter("QLOCAL", local, CAPEXPRY=9_000), (_SIZE, 0, 0, True)),
}
"""Changes that the messages put behind them show, and how."""


@pytest.mark.parametrize("options", [_UNANSWERED, _ANSWERED], ids=["unanswered", "answered"])
@pytest.mark.parametrize(("change", "reason"), REFUSING.values(), ids=list(REFUSING))
def test_puts_behind_a_change_are_refused(
    qm: QueueManager, operator: QueueManager, options: int, change: Change, reason: int
) -> None:
    assert _puts(qm, operator, options, change) == (reason, _BEHIND, (_PLAIN,) * _BEFORE)


@pytest.mark.parametrize("options", [_UNANSWERED, _ANSWERED], ids=["unanswered", "answered"])
@pytest.mark.parametrize(("change", "shown"), FILLING.values(), ids=list(FILLING))
def test_messages_behind_a_change_are_as_it_says(
    qm: QueueManager, operator: QueueManager, options: int, change: Change, shown: tuple[object, ...]
) -> None:
    outcome = _puts(qm, operator, options, change)
    assert (outcome.reason, outcome.failures) == (C.MQRC_NONE, 0)
    assert sorted(outcome.messages) == sorted([_PLAIN] * _BEFORE + [shown] * _BEHIND)


def _put_unanswered(qm: QueueManager, hobj: int, how_many: int) -> None:
    for _ in range(how_many):
        qm.mqi.MQPUT(hobj, MQMD(Version=2), MQPMO(Version=3, Options=_UNANSWERED), b"x")


def _make_known(qm: QueueManager, hobj: int) -> None:
    """What comes in the same read as the first put of a kind goes the ordinary way with it."""
    _put_unanswered(qm, hobj, 1)
    _status(qm)
    qm.mqi.MQBACK()


def test_a_handle_that_was_closed_is_no_more(qm: QueueManager) -> None:
    """What was worked out for it goes with it."""
    qm.define_local("CLOSED")
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName="CLOSED"), C.MQOO_OUTPUT)
    _put_unanswered(qm, hobj, 2)
    qm.mqi.MQCLOSE(hobj)
    with pytest.raises(MQError) as caught:
        _put_unanswered(qm, hobj, 1)
        raise mq_error(_status(qm).Reason)
    assert caught.value.reason == C.MQRC_HOBJ_ERROR
    qm.mqi.MQBACK()
    _status(qm)


def test_a_dynamic_queue_may_be_inhibited_meanwhile(qm: QueueManager) -> None:
    """No definition is logged then: the queue is temporary."""
    od = MQOD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE")
    hobj = qm.mqi.MQOPEN(od, C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED | C.MQOO_SET)
    _put_unanswered(qm, hobj, 2)
    qm.mqi.MQSET(hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED})
    _put_unanswered(qm, hobj, 2)
    sts = _status(qm)
    assert (sts.Reason, sts.PutSuccessCount, sts.PutFailureCount) == (C.MQRC_PUT_INHIBITED, 2, 2)
    qm.mqi.MQBACK()


def test_a_queue_that_fills_on_the_way_is_full(qm: QueueManager) -> None:
    qm.define_local("SHALLOW", MAXDEPTH=4)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName="SHALLOW"), C.MQOO_OUTPUT)
    _make_known(qm, hobj)
    _put_unanswered(qm, hobj, 6)
    sts = _status(qm)
    assert (sts.Reason, sts.PutSuccessCount, sts.PutFailureCount) == (C.MQRC_Q_FULL, 4, 2)
    qm.mqi.MQBACK()
    _put_unanswered(qm, hobj, 4)
    sts = _status(qm)
    assert (sts.Reason, sts.PutSuccessCount, sts.PutFailureCount) == (C.MQRC_NONE, 4, 0)
    qm.mqi.MQBACK()


def test_a_unit_of_work_that_fills_on_the_way_is_full(qm: QueueManager, operator: QueueManager) -> None:
    qm.define_local("UNIT")
    operator.alter("QMGR", MAXUMSGS=4)
    try:
        hobj = qm.mqi.MQOPEN(MQOD(ObjectName="UNIT"), C.MQOO_OUTPUT)
        _make_known(qm, hobj)
        _put_unanswered(qm, hobj, 6)
        sts = _status(qm)
    finally:
        operator.alter("QMGR", MAXUMSGS=10_000)
    assert (sts.Reason, sts.PutSuccessCount, sts.PutFailureCount) == (C.MQRC_SYNCPOINT_LIMIT_REACHED, 4, 2)
    qm.mqi.MQBACK()


@pytest.mark.parametrize("end", ["MQCMIT", "MQBACK"])
def test_puts_behind_the_end_of_a_unit_are_in_the_next(qm: QueueManager, end: str) -> None:
    name = f"UNITS.{end}"
    qm.define_local(name)
    hobj = qm.mqi.MQOPEN(MQOD(ObjectName=name), C.MQOO_OUTPUT)

    _put_unanswered(qm, hobj, 3)
    getattr(qm.mqi, end)()
    _put_unanswered(qm, hobj, 3)
    qm.mqi.MQBACK()
    qm.mqi.MQCLOSE(hobj)
    with qm.queue(name) as queue:
        assert len(list(iter(queue.get_or_none, None))) == (3 if end == "MQCMIT" else 0)
