"""What a field of a descriptor cannot hold is refused at the put, and nothing of it reaches the queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import libremq
from libremq import MQError, QueueManager
from libremq.kernel.messages.field_checks import _MD_BYTES, _MD_INTEGERS, _MD_TEXTS, fitting_text
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO


def refused(qm: QueueManager, **fields: Any) -> int:
    """The reason; it is the same for a new descriptor and for one that has all fields set."""
    reasons = set()
    all_fields = {name: getattr(MQMD(), name) for name in MQMD._names}
    for others in ({}, all_fields):
        with pytest.raises(MQError) as caught:
            qm.put("Q", b"x", md=MQMD(**{**others, "Version": C.MQMD_VERSION_2, **fields}))
        assert str(caught.value)
        reasons.add(caught.value.reason)
    (reason,) = reasons
    return reason


@pytest.fixture
def qm(queue_manager: QueueManager) -> QueueManager:
    queue_manager.define_local("Q", npmclass="high")
    return queue_manager


def test_every_field_of_the_descriptor_is_checked() -> None:
    assert _MD_INTEGERS.keys() | _MD_TEXTS.keys() | _MD_BYTES.keys() == MQMD._names
    lengths = {name: MQMD._current.fields[name].length for name in MQMD._names}
    assert {**_MD_TEXTS, **_MD_BYTES, **dict.fromkeys(_MD_INTEGERS, 4)} == lengths


@pytest.mark.parametrize(
    "value", [2**31, -(2**31) - 1, 2**40, 10**5000, "1", 1.5, None], ids=lambda value: type(value).__name__
)
@pytest.mark.parametrize("field", sorted(_MD_INTEGERS))
def test_an_integer_has_32_bits(qm: QueueManager, field: str, value: Any) -> None:
    assert refused(qm, **{field: value}) == _MD_INTEGERS[field]
    assert qm.queue("Q").depth == 0


@pytest.mark.parametrize("field", sorted(_MD_TEXTS.keys() - {"StrucId"}))
def test_text_fits_its_field(qm: QueueManager, field: str) -> None:
    for wrong in ("X" * (_MD_TEXTS[field] + 1), "日", b"X", 5):
        assert refused(qm, **{field: wrong}) == C.MQRC_MD_ERROR
    for right in ("X" * _MD_TEXTS[field], "é" * _MD_TEXTS[field], "X" + " " * 60):
        given: dict[str, Any] = {field: right}
        qm.put("Q", b"x", md=MQMD(**given))


@pytest.mark.parametrize("field", sorted(_MD_BYTES))
def test_bytes_have_exactly_their_length(qm: QueueManager, field: str) -> None:
    length = _MD_BYTES[field]
    for wrong in (b"", bytes(length - 1), bytes(length + 1), bytearray(length), "x" * length, None):
        assert refused(qm, **{field: wrong}) == C.MQRC_MD_ERROR


def test_a_refused_put_hurts_nobody(tmp_path: Path) -> None:
    url = f"embedded:QM1?create=1&data={tmp_path}"
    with libremq.connect(url) as qm:
        qm.define_local("Q", npmclass="high")
        queue = qm.queue("Q")
        poison: list[dict[str, Any]] = [{"priority": 2**31}, {"report": 2**40}, {"priority": 2**31, "persistent": True}]
        for options in poison:
            with pytest.raises(MQError):
                queue.put(b"poison", **options)
        for _ in range(3):
            queue.put(b"x" * 1_000_000)
        qm.checkpoint()
    with libremq.connect(url) as qm:
        assert qm.queue("Q").depth == 3


def test_names_of_user_and_application_are_the_same_after_a_restart(tmp_path: Path) -> None:
    url = f"embedded:QM1?create=1&data={tmp_path}"
    with libremq.connect(url, user="日本語", application="é" * 30) as qm:
        qm.define_local("Q")
        for _ in range(2):
            qm.put("Q", b"x", persistent=True)
        before = qm.queue("Q").get()
    with libremq.connect(url) as qm:
        after = qm.queue("Q").get()
    assert (before.user, before.application) == (after.user, after.application) == ("???", "é" * 28)


def test_fitting_text() -> None:
    assert fitting_text("aé日\ud800") == "aé??"


@pytest.mark.parametrize(
    "fields", [{"ObjectName": 5}, {"ObjectName": b"Q"}, {"ObjectQMgrName": None}, {"ObjectType": "x"}, {"Version": "1"}]
)
def test_the_object_descriptor_holds_names_and_numbers(qm: QueueManager, fields: dict[str, Any]) -> None:
    od = MQOD(**{"ObjectName": "Q", **fields})
    with pytest.raises(MQError) as opened:
        qm.mqi.MQOPEN(od, C.MQOO_OUTPUT)
    with pytest.raises(MQError) as put:
        qm.mqi.MQPUT1(od, MQMD(), MQPMO(), b"")
    assert opened.value.reason == put.value.reason == C.MQRC_OD_ERROR
