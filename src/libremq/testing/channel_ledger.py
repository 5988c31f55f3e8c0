"""The books of a simulation: what applications have put, and whether it arrived once, and in order.

An application whose queue manager dies before a commit was answered does not know what became of it: those messages may
be there, all of a unit of work or none. All others must be, once. Order is that of one application's messages to one
queue; messages outside of batches (NPMSPEED FAST) may overtake others, and get lost with a connection. What is not
persistent is lost when the queue manager that has it ends.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.channel_simulation import ChannelSimulation
from libremq.testing.simulated_queue_manager import SimulatedQueueManager

_NO_ROOM = (C.MQRC_BACKED_OUT, C.MQRC_RESOURCE_PROBLEM, C.MQRC_STORAGE_MEDIUM_FULL)
_AGAIN_S = 1.0


@dataclass(slots=True)
class Unit:
    """One unit of work of an application."""

    numbers: tuple[int, ...]
    persistent: tuple[bool, ...]
    committed: bool = False
    """The application knows that it was."""


class Application:
    """Puts numbered messages on one queue, a unit of work after the other."""

    def __init__(self, simulation: ChannelSimulation, host: str, queue: str, target: str, *, size: int = 60) -> None:
        """It runs on `host`, and its messages go to the queue of this name at `target`, of `size` bytes."""
        self.name = f"{host}.{len(simulation.applications) + 1}"
        self.host = host
        self.queue = queue
        self.target = target
        self.size = size
        self.units: list[Unit] = []
        self._simulation = simulation
        self._numbers = itertools.count(1)
        self._plan: deque[tuple[bool, ...]] = deque()
        self._open: Unit | None = None
        self._hconn = 0
        simulation.applications.append(self)

    @property
    def waits(self) -> bool:
        """Has it more to put, or is it waiting for the answer to a commit?"""
        return bool(self._plan) or self._open is not None

    def put(self, *persistent: bool) -> None:
        """A unit of work with so many messages, persistent or not, as soon as the one before is committed."""
        self._plan.append(persistent)
        if self._open is None:
            self._next()

    def _next(self) -> None:
        manager = self._simulation[self.host]
        if self._plan and manager.is_up:
            persistent = self._plan.popleft()
            self._open = Unit(tuple(itertools.islice(self._numbers, len(persistent))), persistent)
            self.units.append(self._open)
            manager.run(lambda: self._try_put(manager))

    def _try_put(self, host: SimulatedQueueManager) -> None:
        unit = self._open
        try:
            self._put(host)
        except MQError as error:
            if error.reason not in _NO_ROOM:
                raise
            host.manager.backout(self._hconn)
            host.say(f"to {self.name}: {error}")
            self._simulation.events.after(_AGAIN_S, lambda: self._again(host, unit))

    def _again(self, host: SimulatedQueueManager, unit: Unit | None) -> None:
        """The log was full: the same unit of work, unless the queue manager was gone meanwhile."""
        if self._open is unit:
            host.run(lambda: self._try_put(host))

    def _put(self, host: SimulatedQueueManager) -> None:
        manager, unit = host.manager, self._open
        assert unit is not None
        if not self._hconn:
            self._hconn = manager.connect("app", self.name)
        for number, persistent in zip(unit.numbers, unit.persistent, strict=True):
            md = MQMD(
                Version=C.MQMD_VERSION_2, Format=C.MQFMT_STRING,
                Persistence=C.MQPER_PERSISTENT if persistent else C.MQPER_NOT_PERSISTENT,
            )  # fmt: skip
            od = MQOD(ObjectName=self.queue, ObjectQMgrName=self.target)
            data = f"{self.name} {number} ".encode().ljust(self.size, b".")
            manager.put1(self._hconn, od, md, MQPMO(Options=C.MQPMO_SYNCPOINT), data)
        manager.commit(self._hconn)
        host.when_durable(manager.connection(self._hconn).lsn, self._committed)

    def _committed(self) -> None:
        assert self._open is not None
        self._open.committed = True
        self._open = None
        self._next()

    def forget_connection(self, host: str) -> None:
        """Its queue manager is gone: if a commit was under way, nobody can tell what became of it."""
        if host == self.host:
            self._hconn = 0
            self._open = None

    def host_started(self, host: str) -> None:
        if host == self.host:
            self._next()


def check(simulation: ChannelSimulation, *, fast: bool = False) -> None:
    """Everything arrived, once, in order, both ends of all channels know it, and nothing was left behind.

    `fast`: non-persistent messages travel outside of batches. SimulationFailure with what is wrong.
    """
    if simulation.unfinished():
        raise simulation.fail(simulation.unfinished())
    for manager in simulation.queue_managers.values():
        if left := manager.left_behind():
            raise simulation.fail(left)
    arrived: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for application in simulation.applications:
        where = application.target, application.queue
        if where not in arrived:
            arrived[where] = _taken(simulation[application.target], application.queue)
        found = [number for name, number in arrived[where] if name == application.name]
        if wrong := _wrong(simulation, application, found, fast):
            raise simulation.fail(f"{application.name} to {application.queue} of {application.target}: {wrong}")
    _check_ends(simulation)
    _check_shown(simulation)
    for manager in simulation.queue_managers.values():
        deadq = manager.manager.definitions.qmgr.deadq
        if deadq and (dead := _taken(manager, deadq)):
            raise simulation.fail(f"{manager.name} has {dead} on {deadq}")


def _wrong(simulation: ChannelSimulation, application: Application, found: Sequence[int], fast: bool) -> str:
    persistent = {number: one for unit in application.units for number, one in zip(unit.numbers, unit.persistent)}
    twice = sorted({number for number in found if found.count(number) > 1})
    if twice:
        return f"{twice} arrived more than once: {list(found)}"
    if strangers := [number for number in found if number not in persistent]:
        return f"{strangers} were never put"
    there = set(found)
    calm = not simulation.restarts and (not fast or not simulation.cuts)
    for unit in application.units:
        sure = [number for number in unit.numbers if persistent[number] or calm]
        missing = [number for number in sure if number not in there]
        if missing and (unit.committed or there.intersection(unit.numbers)):
            return f"{missing} of the unit of work {unit.numbers} did not arrive: {list(found)}"
    kinds = (True, False) if fast else (None,)
    for kind in kinds:
        numbers = [number for number in found if kind is None or persistent[number] is kind]
        if numbers != sorted(numbers):
            return f"out of order: {list(found)}"
    return ""


def _taken(host: SimulatedQueueManager, queue: str) -> list[tuple[str, int]]:
    """Get all messages of a queue: who put them, and their numbers."""
    manager = host.manager
    hconn = manager.connect("app", "checker")
    hobj = manager.open(hconn, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED)
    found = []
    while True:
        try:
            got = manager.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
        except MQError as error:
            if error.reason != C.MQRC_NO_MSG_AVAILABLE:
                raise
            break
        assert isinstance(got, Got)
        words = got.data.decode("latin-1").split(" ")
        found.append((words[0], int(words[1])) if len(words) > 1 and words[1].isdigit() else (repr(got.data), 0))
    manager.disconnect(hconn)
    return found


_SHOWN = ("lstluwid", "lstseqno", "curluwid", "curseqno", "indoubt")


def _check_shown(simulation: ChannelSimulation) -> None:
    """DISPLAY CHSTATUS(*) SAVED shows the same at both ends, and nothing in doubt."""
    ends: tuple[dict[tuple[str, str, str], list[object]], ...] = {}, {}
    for manager in simulation.queue_managers.values():
        (answer,) = manager.commanded("DISPLAY CHSTATUS(*) SAVED ALL")
        for row in answer.rows:
            sends = row["chltype"] in ("SDR", "SVR")
            names = (manager.name, row["rqmname"]) if sends else (row["rqmname"], manager.name)
            ends[not sends][row["channel"], *names] = [row[keyword] for keyword in _SHOWN]
    if ends[0] != ends[1] or any(values[-1] != "NO" for values in ends[0].values()):
        raise simulation.fail(f"the sending ends show {ends[0]}, the receiving ends {ends[1]}")


def _check_ends(simulation: ChannelSimulation) -> None:
    """What is kept of the last batch is the same at both ends."""
    ends: dict[str, dict[tuple[str, str, str], tuple[str, int]]] = {SENDER: {}, RECEIVER: {}}
    for manager in simulation.queue_managers.values():
        if doubt := manager.manager.channel_records.in_doubt():
            raise simulation.fail(f"{manager.name} has {doubt[0]} in doubt")
        for sync in manager.manager.definitions.channel_syncs.values():
            names = (manager.name, sync.partner) if sync.role == SENDER else (sync.partner, manager.name)
            ends[sync.role][sync.channel, *names] = sync.luwid, sync.sequence
    for key in sorted({*ends[SENDER], *ends[RECEIVER]}):
        sent, received = ends[SENDER].get(key), ends[RECEIVER].get(key)
        if sent != received:
            raise simulation.fail(f"channel {key[0]} from {key[1]} to {key[2]}: {sent} here, {received} there")
