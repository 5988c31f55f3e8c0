"""The index of triggered queues agrees with a walk through all definitions, whatever happens to them."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest
from helper_qmgr import Session

from libremq.host import lifecycle
from libremq.kernel.objects.object_types import LocalQueue
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQOD

NAMES = [f"Q{number}" for number in range(6)]
INITQS = ["", "INIT.A", "INIT.B", "Q0"]
SETTINGS: list[dict[str, Any]] = [
    {"TRIGGER": "TRIGGER"}, {"TRIGGER": "NOTRIGGER"}, {"PROCESS": "SERVE"}, {"TRIGTYPE": "DEPTH", "TRIGDPTH": 1},
    *({"INITQ": name} for name in INITQS), *({"TRIGGER": "TRIGGER", "INITQ": name} for name in INITQS),
]  # fmt: skip


def walked(session: Session, initiation_queue: str) -> list[LocalQueue]:
    """What the index must have, by looking at every definition."""
    return [
        one
        for one in session.core.catalogue.queues.values()
        if isinstance(one, LocalQueue) and one.trigger == C.MQTC_ON and one.initq == initiation_queue
    ]


def check(session: Session) -> None:
    triggered = session.core.catalogue.triggered
    for name in (*INITQS[1:], "NOBODY"):
        expected = {one.name: one for one in walked(session, name)}
        found = {one.name: one for one in triggered.served_by(name)}
        assert found.keys() == expected.keys(), name
        assert all(found[name] is expected[name] for name in found), "the definition itself, not a copy of it"
    # Nothing is kept of what is gone
    assert sum(map(len, triggered._served.values())) == len(triggered._where)
    assert all(triggered._served.values())


class Changes:
    """Random changes of definitions, some of which are refused."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.session = Session(LogConfig(file_pages=128))
        for name in ("INIT.A", "INIT.B"):
            self.session.queue(name)
        self.session.qm.define("PROCESS", "SERVE", {})
        self.session.qm.define("QMODEL", "MODEL", {"TRIGGER": "TRIGGER", "INITQ": "INIT.A", "DEFTYPE": "PERMDYN"})

    def step(self) -> None:
        with suppress(MQError):
            self.random.choice([
                self.define, self.define, self.alter, self.alter, self.alter, self.alias, self.delete,
                self.delete_initq, self.set, self.dynamic, self.refused, self.restart, self.message,
            ])()  # fmt: skip

    def _name(self) -> str:
        return self.random.choice(NAMES)

    def define(self) -> None:
        replace = self.random.random() < 0.5
        self.session.qm.define("QLOCAL", self._name(), self.random.choice(SETTINGS), replace=replace)

    def alter(self) -> None:
        self.session.qm.alter("QLOCAL", self._name(), self.random.choice(SETTINGS))

    def alias(self) -> None:
        self.session.qm.define("QALIAS", self._name(), {"TARGQ": "Q1"}, replace=True)

    def delete(self) -> None:
        self.session.qm.delete("QUEUE", self._name(), purge=True)

    def delete_initq(self) -> None:
        name = self.random.choice(("INIT.A", "INIT.B"))
        self.session.qm.delete("QLOCAL", name, purge=True)
        self.session.queue(name)

    def set(self) -> None:
        hobj = self.session.open(self._name(), C.MQOO_SET)
        value = self.random.choice((C.MQTC_ON, C.MQTC_OFF))
        self.session.qm.set(self.session.hconn, hobj, {C.MQIA_TRIGGER_CONTROL: value})
        self.session.close(hobj)

    def dynamic(self) -> None:
        hobj = self.session.qm.open(
            self.session.hconn, MQOD(ObjectName="MODEL", DynamicQName=self._name()), C.MQOO_INPUT_SHARED
        )
        self.session.qm.close(self.session.hconn, hobj, self.random.choice((C.MQCO_NONE, C.MQCO_DELETE_PURGE)))

    def refused(self) -> None:
        """A change that finds no room in the log: the old definition is put back."""
        core = self.session.core
        kept, core.checkpoint_bytes = core.checkpoint_bytes, 1 << 40
        try:
            self.random.choice([self.define, self.alter, self.alias, self.delete, self.set])()
        finally:
            core.checkpoint_bytes = kept

    def message(self) -> None:
        """A trigger of type DEPTH turns itself off."""
        monitor = self.session.open_input("INIT.A")
        self.session.put(self._name(), b"work")
        self.session.close(monitor)

    def restart(self) -> None:
        session = self.session
        if self.random.random() < 0.5:
            session.qm.end()
        else:
            session.core.log.force(session.core.log.tail - 1)
            session.qm.abandon()
        session.qm = lifecycle.start(session.core.files, "qm", "QM1", session.clock)
        session.core = session.qm.core
        session.hconn = session.qm.connect("alice", "teller")


@pytest.mark.parametrize("seed", range(12))
def test_the_index_is_what_a_walk_finds(seed: int) -> None:
    changes = Changes(seed)
    for _ in range(150):
        changes.step()
        check(changes.session)


def test_a_monitor_that_comes_hears_of_queues_in_the_order_of_their_definition() -> None:
    session = Session()
    session.queue("INIT")
    session.qm.define("PROCESS", "SERVE", {})
    for name in ("Z", "A", "M"):
        session.queue(name, PROCESS="SERVE")
    for name in ("A", "M", "Z"):
        session.qm.alter("QLOCAL", name, {"TRIGGER": "TRIGGER", "INITQ": "INIT"})
        session.put(name, b"work")
    monitor = session.open_input("INIT")
    told = [session.get(monitor)[1][8:9] for _ in range(session.depth("INIT"))]
    assert told == [b"Z", b"A", b"M"]
