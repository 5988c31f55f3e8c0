"""What a call costs does not grow with what it does not touch: queues, waiting gets, connections, consumers.

The measure is how many instructions of the interpreter a call takes. That is the same on every machine and every day.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Waiter
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQPMO

FEW, MANY = 50, 4000


def instructions(call: Callable[[], object]) -> int:
    """How many the call takes, when it has been made before."""
    call()
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        elif event == "opcode":
            count += 1
        return step

    before = sys.gettrace()
    gc.disable()  # what others have left may have a last word to say
    sys.settrace(step)
    try:
        call()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def equal(few: Callable[[], object], many: Callable[[], object]) -> None:
    cost = instructions(few)
    assert cost > 0 and instructions(many) == cost


class Crowd(Session):
    """Many of everything, on other queues than the one that is used."""

    def __init__(
        self, size: int, *, queues: bool = False, waiting: bool = False, consuming: bool = False, busy: bool = False
    ) -> None:
        super().__init__(LogConfig(file_pages=4096))
        self.queue("Q")
        self.queue("BUSY")
        self.qm.define("QMODEL", "MODEL", {"DEFTYPE": "TEMPDYN"})
        self.qm.define("QMODEL", "KEPT", {"DEFTYPE": "PERMDYN"})
        self.hobj, self.out = self.open_input("Q"), self.open("Q", C.MQOO_OUTPUT)
        for number in range(size):
            if queues:
                self.queue(f"Q{number}", TRIGGER="TRIGGER", INITQ="ELSEWHERE")
            if waiting:
                self.wait(self.hobj, 60_000 + number, number.to_bytes(24, "big") if number % 2 else b"")
            if consuming:
                self.consume()
            if busy:
                hconn = self.qm.connect("alice", "busy")
                self.qm.put1(hconn, MQOD(ObjectName="BUSY"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"data")

    def wait(self, hobj: int, interval_ms: int, correl_id: bytes = b"") -> Waiter:
        gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_NO_SYNCPOINT, WaitInterval=interval_ms)
        waiter = self.qm.get(self.hconn, hobj, MQMD(Version=2, CorrelId=correl_id or bytes(24)), gmo)
        assert isinstance(waiter, Waiter)
        return waiter

    def consume(self) -> None:
        hconn = self.qm.connect("alice", "consumer")
        hobj = self.qm.open(hconn, MQOD(ObjectName="BUSY"), C.MQOO_INPUT_SHARED)
        gmo = MQGMO(Options=C.MQGMO_WAIT, WaitInterval=60_000)
        self.qm.callback(hconn, C.MQOP_REGISTER, MQCBD(), lambda *args: None, hobj, MQMD(), gmo)
        self.qm.control(hconn, C.MQOP_START)

    # Calls that leave everything as it was

    def open_and_close(self) -> None:
        self.close(self.open_input("Q"))

    def dynamic_queue(self) -> None:
        self.close(self.open("MODEL", C.MQOO_INPUT_EXCLUSIVE))

    def alter(self) -> None:
        self.qm.alter("QLOCAL", "Q", {"DESCR": "as before"})

    def put_to_a_taker(self) -> None:
        self.qm.put(self.hconn, self.out, MQMD(Version=2), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"data")
        self.wait(self.hobj, 60_000)

    def put_by_way_of_the_queue(self) -> None:
        """To the one who waits for this correlation id, in a unit of work."""
        md = MQMD(Version=2, CorrelId=(21).to_bytes(24, "big"), Persistence=C.MQPER_NOT_PERSISTENT)
        self.qm.put(self.hconn, self.out, md, MQPMO(Options=C.MQPMO_SYNCPOINT), b"data")
        self.qm.commit(self.hconn)
        self.wait(self.hobj, 60_021, (21).to_bytes(24, "big"))

    def delete_when_empty(self) -> None:
        """A permanent dynamic queue: refused while units of work have messages on it."""
        hobj = self.open("KEPT", C.MQOO_INPUT_EXCLUSIVE)
        self.qm.close(self.hconn, hobj, C.MQCO_DELETE)

    def branch(self) -> None:
        self.qm.xa_start(self.hconn, b"XID")
        self.qm.xa_end(self.hconn, b"XID")
        self.qm.xa_start(self.hconn, b"XID")
        self.qm.xa_end(self.hconn, b"XID")
        self.qm.xa_prepare(self.hconn, b"XID")
        self.qm.xa_commit(self.hconn, b"XID")

    def tick(self) -> None:
        self.qm.next_deadline()
        self.qm.tick()


@pytest.fixture(scope="module")
def with_queues() -> tuple[Crowd, Crowd]:
    return Crowd(FEW, queues=True), Crowd(MANY, queues=True)


@pytest.mark.parametrize("call", [Crowd.open_and_close, Crowd.dynamic_queue, Crowd.alter, Crowd.tick])
def test_queues_that_are_not_used_cost_nothing(with_queues: tuple[Crowd, Crowd], call: Callable[[Crowd], None]) -> None:
    few, many = with_queues
    equal(lambda: call(few), lambda: call(many))


@pytest.mark.parametrize("call", [Crowd.put_to_a_taker, Crowd.put_by_way_of_the_queue, Crowd.tick])
def test_waiting_gets_that_are_not_served_cost_nothing(call: Callable[[Crowd], None]) -> None:
    few, many = Crowd(FEW, waiting=True), Crowd(MANY // 4, waiting=True)
    equal(lambda: call(few), lambda: call(many))


@pytest.mark.parametrize("call", [Crowd.open_and_close, Crowd.alter, Crowd.put_to_a_taker, Crowd.tick])
def test_consumers_of_other_queues_cost_nothing(call: Callable[[Crowd], None]) -> None:
    few, many = Crowd(FEW, consuming=True), Crowd(MANY // 8, consuming=True)
    if call is Crowd.put_to_a_taker:
        few.wait(few.hobj, 60_000)
        many.wait(many.hobj, 60_000)
    equal(lambda: call(few), lambda: call(many))


@pytest.mark.parametrize("call", [Crowd.delete_when_empty, Crowd.branch])
def test_units_of_work_of_other_connections_cost_nothing(call: Callable[[Crowd], None]) -> None:
    few, many = Crowd(FEW, busy=True), Crowd(MANY // 4, busy=True)
    equal(lambda: call(few), lambda: call(many))
