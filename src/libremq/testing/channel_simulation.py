"""Message channels between queue managers in one process, in simulated time, with faults at chosen moments.

Kernels, logs, channel initiators and agents are the real ones; files, network and clock are not. Each segment that
arrives and each write and sync of a queue manager is a moment at which a fault can happen, and the same seed makes the
same run. Applications keep books on what they have put, and `check` compares them with what has arrived.

>>> simulation = ChannelSimulation(line(2, trigger=True))
>>> application = Application(simulation, "QM1", "IN", "QM2")
>>> application.put(True, True)
>>> simulation.arm(Cut(5), Crash("QM2", 3))
>>> took_s = simulation.settle()
>>> check(simulation)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from libremq.channels.outgoing_call import OutgoingCall
from libremq.mqi import constants as C
from libremq.store.queue_store import StoreLimits
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.simulated_network import Arrival, Network, SimulatedConnection
from libremq.testing.simulated_operator import Operator
from libremq.testing.simulated_queue_manager import SimulatedQueueManager, Survivors
from libremq.testing.simulated_time import EventLoop

if TYPE_CHECKING:
    from libremq.testing.channel_ledger import Application

_LOOK_S = 60.0  # how often an operator looks after channels that were started by command
_SAME_MOMENT_MAX = 100_000


class SimulationFailure(AssertionError):
    """Something happened that must not; the message ends with what led to it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A connection breaks before the segment arrives that is the `number`th from now on, see `SimulatedConnection`.

    `torn`: half of it arrives.
    """

    number: int
    caller_hears_s: float = 0.0
    called_hears_s: float = 0.0
    straggles_s: float | None = None
    torn: bool = False


@dataclass(frozen=True, slots=True)
class Crash:
    """A queue manager loses power at a write or sync of its files, the `number`th from now on.

    `at_segment`: before a segment arrives instead, at whichever queue manager.
    """

    queue_manager: str
    number: int
    survivors: Survivors = "nothing"
    restart_s: float = 5.0
    partner_hears_s: float = 0.0
    at_segment: bool = False


@dataclass(frozen=True, slots=True)
class Stall:
    """A connection carries nothing for a while before a segment arrives, then it is alive again, if anybody is there.

    Long enough, and there is a new connection by then.
    """

    number: int
    lasts_s: float


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Before a segment arrives, the call that made its connection arrives a second time, see `SimulatedConnection`."""

    number: int
    lasts_s: float = 0.0


@dataclass(frozen=True, slots=True)
class FullLog:
    """The log of a queue manager is full when a segment arrives, at whichever, see `fill_log`."""

    queue_manager: str
    number: int
    lasts_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Visit:
    """When a segment arrives, an operator comes who stops the channel, and resolves and resets it, see `Operator`."""

    sender: str
    receiver: str
    channel: str
    number: int
    reset: int | None = None


Fault = Cut | Crash | Stall | Duplicate | FullLog | Visit


class ChannelSimulation:
    """Queue managers and what is between them."""

    def __init__(
        self,
        disks: Mapping[str, FaultyFiles],
        *,
        seed: object = 0,
        shuffled: bool = False,
        pipeline_length: int = 1,
        force_s: float = 0.0,
        limits: StoreLimits | None = None,
    ) -> None:
        """Start the queue managers from copies of the disks, see `made_on_disk`. CONNAME has their names.

        `shuffled`: what happens at the same moment happens in any order, by seed.
        """
        self.rng = random.Random(f"channels {seed}")
        self.events = EventLoop(rng=self.rng if shuffled else None)
        self.network = Network(self.events, self.rng)
        self.network.before_arrival = self._before_arrival
        self.cuts = 0
        self.applications: list[Application] = []
        self.on_fault: Callable[[], None] = lambda: None
        """Called when one of the armed faults has happened."""
        self._started: list[tuple[str, str]] = []
        self.stopped: set[tuple[str, str]] = set()
        """Queue managers and channels of theirs that were stopped by command."""
        self.attended: set[str] = set()
        """Channels that an operator sees to: nobody else starts them."""
        self.decided: Counter[str] = Counter()
        """What operators have done."""
        self._faults: list[Fault] = []
        self._next_segment: int | None = None  # before which the next fault happens
        self.queue_managers: dict[str, SimulatedQueueManager] = {}
        for name, disk in disks.items():
            manager = SimulatedQueueManager(
                name, disk, self.events, self.network, self._dial,
                rng=self.rng, pipeline_length=pipeline_length, force_s=force_s, limits=limits,
            )  # fmt: skip
            manager.on_crash = lambda name=name: self._crashed(name)  # type: ignore[misc]
            manager.on_end = lambda name=name: self._ended(name)  # type: ignore[misc]
            manager.on_start = lambda name=name: self._restarted(name)  # type: ignore[misc]
            self.queue_managers[name] = manager

    def __getitem__(self, name: str) -> SimulatedQueueManager:
        return self.queue_managers[name]

    @property
    def restarts(self) -> int:
        """How often queue managers were started again, after a crash or an orderly end."""
        return sum(manager.lives - 1 for manager in self.queue_managers.values())

    def fail(self, why: str) -> SimulationFailure:
        return SimulationFailure(f"{why}\n{self.events.story()}")

    # The network

    def _dial(self, caller: SimulatedQueueManager, call: OutgoingCall) -> None:
        life = caller.lives
        targets = [one.partition("(")[0].strip() for one in call.conname.split(",")]
        links = [self.network.link(caller.name, target) for target in targets]
        delay_s = max((2 * link.latency_s for link in links), default=0.0)

        def connect() -> None:
            if caller.lives != life or not caller.is_up:
                return
            for target, link in zip(targets, links, strict=True):
                called = self.queue_managers.get(target)
                if called is not None and called.is_up and not link.refuses:
                    self.events.note(f"{caller.name} calls {target} for {call.channel.name}")
                    connection = self.network.connect(caller, called)
                    called.connected(connection.called)
                    caller.connected(connection.caller, call)
                    return
            self.events.note(f"{caller.name} calls {call.conname} for {call.channel.name}: nobody answers")
            caller.run(lambda: call.failed("the connection was refused"))

        self.events.after(delay_s, connect)

    def connections(self, one: str, other: str) -> list[SimulatedConnection]:
        return [
            connection
            for connection in self.network.connections
            if {end.host.name for end in connection.ends} == {one, other}
        ]

    # Faults

    def arm(self, *faults: Fault) -> None:
        """Let these happen one after the other: each counts from the moment at which the one before has happened."""
        self._faults.extend(faults)
        self._arm_next()

    def _arm_next(self) -> None:
        if not self._faults:
            return
        fault = self._faults[0]
        if isinstance(fault, Crash):
            manager = self[fault.queue_manager]
            manager.survivors = fault.survivors
            manager.restart_s = fault.restart_s
            manager.partner_hears_s = fault.partner_hears_s
        if isinstance(fault, Crash) and not fault.at_segment:
            self[fault.queue_manager].crash_in(fault.number)
        else:
            self._next_segment = self.network.arrivals + fault.number

    def _before_arrival(self, arrival: Arrival) -> None:
        if self.network.arrivals != self._next_segment:
            return
        fault = self._faults[0]
        self._next_segment = None
        if not isinstance(fault, Crash):
            self._faults.pop(0)
            self.cuts += 1  # or something that may break a connection
            self._happen(fault, arrival)
            self._arm_next()
            self.on_fault()
        elif self[fault.queue_manager].is_up:
            self[fault.queue_manager].crash()
        else:
            self._next_segment = self.network.arrivals + 1  # it is down already

    def _happen(self, fault: Cut | Stall | Duplicate | FullLog | Visit, arrival: Arrival) -> None:
        connection = arrival.sender.connection
        match fault:
            case Cut():
                if fault.torn:
                    arrival.sender.other.take(arrival.data[: len(arrival.data) // 2])
                connection.cut(
                    caller_hears_s=fault.caller_hears_s,
                    called_hears_s=fault.called_hears_s,
                    straggles_s=fault.straggles_s,
                )
            case Stall():
                connection.stall(fault.lasts_s)
            case Duplicate():
                connection.duplicate(fault.lasts_s)
            case FullLog():
                self[fault.queue_manager].fill_log(fault.lasts_s)
            case Visit():
                self.visit(fault.sender, fault.receiver, fault.channel, reset=fault.reset)

    def _ended(self, name: str) -> None:
        for application in self.applications:
            application.forget_connection(name)

    def _crashed(self, name: str) -> None:
        self._ended(name)
        if self._faults and isinstance(self._faults[0], Crash) and self._faults[0].queue_manager == name:
            self._faults.pop(0)
            self._arm_next()
            self.on_fault()

    # An operator

    def start_channel(self, name: str, channel: str) -> None:
        """START CHANNEL. From then on an operator starts it again when it has become inactive.

        The operator is patient with a queue manager that is down, and with a channel that is about to stop.
        """
        if (name, channel) not in self._started:
            self._started.append((name, channel))
        manager = self[name]
        if channel in self.attended:
            self.events.after(1.0, lambda: self.start_channel(name, channel))
        elif manager.is_up and (manager.start_channel(channel) or (name, channel) not in self.stopped):
            self.stopped.discard((name, channel))
        else:
            self.events.after(1.0, lambda: self.start_channel(name, channel))

    def stop_channel(self, name: str, channel: str, mode: int = C.MQMODE_QUIESCE) -> None:
        """STOP CHANNEL; it stays so until it is started."""
        self.stopped.add((name, channel))
        if not self[name].stop_channel(channel, mode) and channel not in self.attended:
            self.stopped.discard((name, channel))

    def visit(self, sender: str, receiver: str, channel: str, *, reset: int | None = None) -> None:
        """An operator stops the channel, resolves what is in doubt, resets the number if asked to, and starts it."""
        Operator(self, channel, sender, receiver, reset=reset).visit()

    def _restarted(self, name: str) -> None:
        if not self[name].is_up:
            return
        for application in self.applications:
            application.host_started(name)
        for one, channel in self._started:
            if one == name and (one, channel) not in self.stopped:
                self[name].start_channel(channel)

    def _look_after_channels(self) -> None:
        for name, channel in self._started:
            manager = self[name]
            if manager.is_up and (name, channel) not in self.stopped and not manager.instances(channel):
                manager.start_channel(channel)
        for name, manager in self.queue_managers.items():
            for instance in manager.instances() if manager.is_up else ():
                if instance.status == C.MQCHS_STOPPED and (name, instance.channel) not in self.stopped:
                    raise self.fail(f"{name}: channel {instance.channel} is stopped, and nobody has stopped it")

    # Time

    def run(self, seconds: float, until: Callable[[], bool] | None = None) -> bool:
        """Let time pass; stop early when nothing is under way at this moment and `until` says so."""
        events = self.events
        clock = events.clock
        end = clock.now() + seconds
        steps = 0
        moment = clock.now()
        while True:
            now = clock.now()
            steps = steps + 1 if now == moment else 0
            moment = now
            if steps > _SAME_MOMENT_MAX:
                due = [one for manager in self.queue_managers.values() for one in manager.due()]
                raise self.fail(f"time stands still: {', '.join(due) or 'events'} again and again")
            when = events.next_time()
            if when is None or when > now:
                if until is not None and until():
                    return True
                deadline = self._next_deadline()
                if deadline is not None and (when is None or deadline < when):
                    when = deadline
                    if when <= end:
                        events.wait_until(when)
                        for manager in self.queue_managers.values():
                            manager.tick()
                        continue
                if when is None or when > end:
                    events.wait_until(end)
                    return False
            events.step()

    def _next_deadline(self) -> float | None:
        deadlines = [manager.next_deadline() for manager in self.queue_managers.values()]
        return min((one for one in deadlines if one is not None), default=None)

    def unfinished(self) -> str:
        """What is still to be done anywhere, in words."""
        for application in self.applications:
            if application.waits:
                return f"{application.name} has more to put"
        return next(filter(None, (manager.unfinished() for manager in self.queue_managers.values())), "")

    def is_settled(self) -> bool:
        """Is nothing under way, and nothing left to be done?"""
        return self.events.next_time() is None and not self.unfinished()

    def settle(self, limit_s: float = 3600.0) -> float:
        """Let time pass until all is done; how long that took. SimulationFailure if it takes too long."""
        began = self.events.elapsed_s
        while not self.run(_LOOK_S, self.is_settled):
            if self.events.elapsed_s - began > limit_s:
                raise self.fail(f"after {limit_s:g} s {self.unfinished() or 'there is still something under way'}")
            self._look_after_channels()
        self._look_after_channels()
        return self.events.elapsed_s - began
