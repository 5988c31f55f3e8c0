"""PCF messages that are nearly right, and some that are not at all: each is answered, and a refusal changes nothing."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from helper_pcf import COMMAND_QUEUE, Sender, command
from hypothesis import given, settings
from hypothesis import strategies as st
from test_admin_pcf_commands import CASES, definitions, prepare

from libremq.admin.command_lookup import BY_PCF
from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C
from libremq.testing import temporary_queue_manager

GOOD = [command(case.code, case.good) for case in CASES]
# Integers that are likely to mean something somewhere
TELLING = [0, 1, 2, 3, 4, 5, 6, 9, 13, 14, 16, 20, 36, -1, 2**31 - 1, -(2**31), *BY_PCF, C.MQIACF_ALL, C.MQCA_Q_NAME]


@dataclass
class Rig:
    qm: QueueManager
    sender: Sender
    said: list[str]


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    said: list[str] = []
    with temporary_queue_manager(say=said.append) as qm:
        prepare(qm)
        with Sender(qm.mqi) as sender:
            yield Rig(qm, sender, said)


def check(rig: Rig, data: bytes) -> None:
    before = definitions(rig.qm)
    found = rig.sender.replies(rig.sender.put(data))
    assert rig.sender.nothing_more()
    assert not [line for line in rig.said if "AMQ8508" in line], rig.said[-1]
    if found[0].header.CompCode == C.MQCC_FAILED:
        assert found[0].reason and found[-1].reason == C.MQRCCF_COMMAND_FAILED
        assert definitions(rig.qm) == before
    (answer,) = rig.qm.mqsc(f"DISPLAY QSTATUS({COMMAND_QUEUE}) CURDEPTH UNCOM")
    assert answer.rows[0]["curdepth"] == 0


@settings(max_examples=120)
@given(st.sampled_from(GOOD), st.lists(st.tuples(st.integers(0, 60), st.sampled_from(TELLING)), min_size=1, max_size=3))
def test_integers_that_are_changed(rig: Rig, data: bytes, changes: list[tuple[int, int]]) -> None:
    mutated = bytearray(data)
    for place, value in changes:
        struct.pack_into("<i", mutated, 4 * (place % (len(data) // 4)), value)
    check(rig, bytes(mutated))


@settings(max_examples=80)
@given(st.sampled_from(GOOD), st.integers(0, 200), st.binary(max_size=12), st.integers(0, 12))
def test_bytes_that_are_cut_or_put_in(rig: Rig, data: bytes, place: int, more: bytes, fewer: int) -> None:
    at = place % len(data)
    check(rig, data[:at] + more + data[at + fewer :])


@settings(max_examples=40)
@given(st.binary(max_size=120))
def test_anything(rig: Rig, data: bytes) -> None:
    check(rig, data)


@settings(max_examples=60)
@given(st.sampled_from(CASES), st.sampled_from(CASES))
def test_parameters_of_one_command_in_another(rig: Rig, one: object, other: object) -> None:
    check(rig, command(one.code, other.good))  # type: ignore[attr-defined]


def test_every_code_without_a_parameter(rig: Rig) -> None:
    for code in range(-1, 260):
        if code not in BY_PCF:
            assert rig.sender.refused(code)[0] in (C.MQRCCF_CFH_COMMAND_ERROR, C.MQRCCF_PARM_COUNT_TOO_SMALL)
        elif code != C.MQCMD_REFRESH_SECURITY:
            check(rig, command(code))
