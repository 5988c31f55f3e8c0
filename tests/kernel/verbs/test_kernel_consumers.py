"""Asynchronous consumers whose wait interval runs out: who is told, and when, whatever happened since."""

from __future__ import annotations

import math
import random
from contextlib import suppress

import pytest
from helper_qmgr import Session

from libremq.kernel.state.connection import Connection
from libremq.kernel.verbs.consumers import Consumer
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBD, MQGMO, MQMD


def nothing(*args: object) -> None:
    """A consumer that no binding calls."""


class Consuming(Session):
    """Some connections with consumers."""

    def __init__(self) -> None:
        super().__init__()
        self.queue("Q")
        self.hconns = [self.qm.connect("alice", f"app {number}") for number in range(3)]
        self.handles = {hconn: [self._open(hconn) for _ in range(3)] for hconn in self.hconns}

    def _open(self, hconn: int) -> int:
        self.hconn, own = hconn, self.hconn
        hobj = self.open_input("Q")
        self.hconn = own
        return hobj

    def register(self, hconn: int, hobj: int, interval_ms: int, options: int = C.MQGMO_WAIT) -> None:
        gmo = MQGMO(Options=options | C.MQGMO_NO_SYNCPOINT, WaitInterval=interval_ms)
        self.qm.callback(hconn, C.MQOP_REGISTER, MQCBD(), nothing, hobj, MQMD(), gmo)

    def told(self, hconn: int) -> list[int]:
        """The handles whose consumers are told that no message came, and never of anything else."""
        calls = self.qm.connection(hconn).calls
        found = [call.cbc.Hobj for call in calls if call.cbc.Reason == C.MQRC_NO_MSG_AVAILABLE]
        calls.clear()
        return found

    def waiting(self) -> list[tuple[Connection, Consumer, float]]:
        """Everybody who waits, and until when: by looking at all of them."""
        return [
            (connection, consumer, consumer.idle_since + consumer.gmo.WaitInterval / 1000)
            for connection in self.core.connections.values()
            if connection.consuming and not connection.suspended
            for consumer in connection.consumers.values()
            if consumer.gmo.Options & C.MQGMO_WAIT and consumer.gmo.WaitInterval > 0 and not consumer.suspended
        ]

    def check_tick(self) -> None:
        """Exactly those hear of it whose time is over."""
        now = self.clock.monotonic()
        waiting = self.waiting()
        assert self.qm.next_deadline() <= min((until for _, _, until in waiting), default=math.inf)
        due = {
            (connection.hconn, consumer.handle.hobj)
            for connection, consumer, until in waiting
            if until <= now and consumer.handle is not None
        }
        for hconn in self.hconns:
            self.told(hconn)
        self.qm.tick()
        assert {(hconn, hobj) for hconn in self.hconns for hobj in self.told(hconn)} == due


class Applications:
    """What applications do to their consumers, in any order."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.session = Consuming()

    def step(self) -> None:
        session, choose = self.session, self.random.choice
        hconn = choose(session.hconns)
        hobj = choose(session.handles[hconn])
        action = self.random.randrange(9)
        with suppress(MQError):
            if action == 0:
                session.register(hconn, hobj, choose((0, 1, 50, 100, 700)), choose((0, C.MQGMO_WAIT, C.MQGMO_WAIT)))
            elif action == 1:
                session.qm.callback(hconn, C.MQOP_DEREGISTER, MQCBD(), None, hobj)
            elif action == 2:
                session.qm.callback(hconn, choose((C.MQOP_SUSPEND, C.MQOP_RESUME)), MQCBD(), None, hobj)
            elif action == 3:
                operations = C.MQOP_START, C.MQOP_START, C.MQOP_STOP, C.MQOP_SUSPEND, C.MQOP_RESUME
                session.qm.control(hconn, choose(operations))
            elif action == 4:
                session.put("Q", b"message")
                session.qm.next_delivery(hconn)
            elif action == 5:
                session.qm.close(hconn, hobj)
                session.handles[hconn].remove(hobj)
                session.handles[hconn].append(session._open(hconn))
            else:
                session.clock.advance(choose((0.001, 0.05, 0.06, 0.3)))


@pytest.mark.parametrize("seed", range(10))
def test_those_are_told_whose_interval_is_over(seed: int) -> None:
    applications = Applications(seed)
    for _ in range(400):
        applications.step()
        applications.session.check_tick()
    session = applications.session
    for hconn in session.hconns:
        session.qm.disconnect(hconn)
    assert len(session.core.wait_clock) == 2, "the expiry scan and the timed checkpoint are left"


def test_a_message_begins_the_interval_anew() -> None:
    session = Consuming()
    (hconn, *_), hobj = session.hconns, session.handles[session.hconns[0]][0]
    session.register(hconn, hobj, 1000)
    session.qm.control(hconn, C.MQOP_START)
    session.clock.advance(0.9)
    session.put("Q", b"message")
    assert session.qm.next_delivery(hconn) is not None
    session.clock.advance(0.9)
    session.qm.tick()
    assert session.told(hconn) == []
    session.clock.advance(0.1)
    session.qm.tick()
    assert session.told(hconn) == [hobj]
    session.clock.advance(0.999)
    session.qm.tick()
    assert session.told(hconn) == []
