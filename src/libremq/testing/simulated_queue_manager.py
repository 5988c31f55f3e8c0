"""A queue manager of a simulation: the real kernel, log and channel initiator on files that lose power.

It dies where its files lose power: all of its memory is gone, and its connections with it. It starts again from what
the files may hold then: all that was not synced, nothing of it, or some, by seed, with torn pages.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from libremq.admin.command import Issuer
from libremq.admin.executor import Executor
from libremq.admin.mqsc_session import DONE, Answer, run_text
from libremq.admin.operations import ChannelInstance, NoOperations
from libremq.channels.agent import Agent
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.channel_refusal import ChannelRefusal
from libremq.channels.initiator import Initiator
from libremq.channels.outgoing_call import OutgoingCall
from libremq.host import lifecycle
from libremq.kernel.objects.attributes import GivenValue
from libremq.kernel.objects.channel_definitions import Sender, Server
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.unit_of_work import PREPARED
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.store.queue_store import StoreLimits
from libremq.testing.faulty_files import FaultyFiles, PowerCut
from libremq.testing.simulated_network import Network, SimulatedTransport
from libremq.testing.simulated_time import EventLoop
from libremq.testing.virtual_clock import VirtualClock
from libremq.wire import message_channel
from libremq.wire.protocol import Status, Type
from libremq.wire.segments import Flow
from libremq.wire.session_flows import unpack_initial

FOLDER = "qm"
SMALL_LOG = LogConfig(primary_files=3, secondary_files=1, file_pages=64)
FILLED = "SYSTEM.DEFAULT.LOCAL.QUEUE"
"""Where the one puts who fills the log; nothing stays there."""
_FILLER_BYTES = (20_000, 1_000, 100)  # up to the brim
_STATES_MAX = 12

Survivors = Literal["nothing", "everything", "something"]
"""What the files hold after a power cut of what was not synced."""


def made_on_disk(name: str, mqsc: str, *, log_config: LogConfig = SMALL_LOG) -> FaultyFiles:
    """The files of a new queue manager with the objects that the commands define, after an orderly end.

    ValueError if a command fails. Simulations begin with copies of it.
    """
    files, clock = FaultyFiles(), VirtualClock()
    lifecycle.create(files, FOLDER, name, clock, log_config)
    manager = lifecycle.start(files, FOLDER, name, clock)
    for answer in run_text(Executor(manager), mqsc, Issuer()):
        if answer.state != DONE:
            raise ValueError(f"{name}: {answer.command}: {' '.join(answer.lines)}")
    manager.end()
    return next(files.disk_states())


class SimulatedQueueManager:
    """One machine with one queue manager."""

    def __init__(
        self,
        name: str,
        disk: FaultyFiles,
        events: EventLoop,
        network: Network,
        dial: Callable[[SimulatedQueueManager, OutgoingCall], None],
        *,
        rng: random.Random,
        pipeline_length: int = 1,
        force_s: float = 0.0,
        limits: StoreLimits | None = None,
    ) -> None:
        """`force_s`: how long a sync of the log takes."""
        self.name = name
        self.files = disk.copy()
        self.is_up = False
        self.lives = 0
        """How often it was started."""
        self.crashes = 0
        self.survivors: Survivors = "nothing"
        self.restart_s: float | None = 5.0
        """How long it is down after a crash; None for ever."""
        self.partner_hears_s = 0.0
        """How long its partners believe in their connections when it is down; 0 if its system closes them."""
        self.on_crash: Callable[[], None] = lambda: None
        self.on_end: Callable[[], None] = lambda: None
        self.on_start: Callable[[], None] = lambda: None
        self.force_s = force_s
        self._events = events
        self._network = network
        self._dial = dial
        self._rng = rng
        self._pipeline_length = pipeline_length
        self._limits = limits
        self._transports: list[SimulatedTransport] = []
        self._waiting: list[tuple[int, Callable[[], None]]] = []
        self._on_death: list[Callable[[], None]] = []
        self._forcing = False
        self._xmitqs: list[LocalQueue] | None = None
        self._crash_in: int | None = None
        self.start()

    def say(self, text: str) -> None:
        self._events.note(f"{self.name} says {text.splitlines()[0] if text else ''}")

    # Life and death

    def start(self) -> None:
        self._events.note(f"{self.name} starts")
        self.is_up = True
        self.lives += 1
        if self._crash_in is not None:
            self.crash_in(self._crash_in)
        self.run(self._start)

    def _start(self) -> None:
        self.manager = lifecycle.start(self.files, FOLDER, self.name, self._events.clock, limits=self._limits)
        self.environment = ChannelEnvironment(self.manager, say=self.say, pipeline_length=self._pipeline_length)
        self.initiator = Initiator(self.environment, lambda call: self._dial(self, call))
        self.initiator.resume()
        self._xmitqs = None
        self._events.after(0.0, self.on_start)

    def run(self, action: Callable[[], None]) -> None:
        """Do something in this queue manager; if the power goes, it is down when this returns."""
        if not self.is_up:
            return
        try:
            action()
        except PowerCut:
            self._die()

    def crash_in(self, operations: int) -> None:
        """Lose power at this write or sync from now on, 1 for the next; in its next life if it is down."""
        if self.is_up:
            self.files.crash_at = self.files.operations + operations
            self._crash_in = None
        else:
            self._crash_in = operations

    def crash(self) -> None:
        """Lose power now."""
        if self.is_up:
            self.files.powered = False
            self._die()

    def _die(self) -> None:
        self.is_up = False
        self.crashes += 1
        files = self.files
        self.files = self._after_power_cut(files)
        self._events.note(
            f"{self.name} loses power at operation {files.operations}: {files.crashed_in}; {self.files.label}"
        )
        transports, self._transports = self._transports, []
        for transport in transports:
            if not transport.is_over:
                transport.die(self.partner_hears_s)
        self._waiting.clear()
        self._forcing = False
        if self.restart_s is not None:
            self._events.after(self.restart_s, self.start)
        self._tell_death()
        self.on_crash()

    def _after_power_cut(self, files: FaultyFiles) -> FaultyFiles:
        files.powered = True  # for looking at it
        if self.survivors == "something":
            return self._rng.choice(list(files.disk_states(self._rng, _STATES_MAX)))
        *_, state = islice(files.disk_states(), 1 if self.survivors == "nothing" else 2)
        return state

    def quiesce(self) -> None:
        """Ask the channels to end with their batches, as the beginning of an orderly end."""
        if self.is_up:
            self._events.note(f"{self.name} is ending")
            self.run(self.initiator.quiesce)

    def end(self) -> None:
        """An orderly end, whatever is under way; it is started again later."""
        if self.is_up:
            self.run(self.initiator.end)
        if self.is_up:
            self.run(self.manager.end)
        if self.is_up:
            self._events.note(f"{self.name} ends")
            self.is_up = False
            for transport in self._transports:
                if not transport.is_over:
                    transport.die(0.0)
            self._transports.clear()
            self._waiting.clear()
            self._forcing = False
            self.files = next(self.files.disk_states())
            if self.restart_s is not None:
                self._events.after(self.restart_s, self.start)
            self._tell_death()
            self.on_end()

    def _tell_death(self) -> None:
        actions, self._on_death = self._on_death, []
        for action in actions:
            action()

    # The log

    @property
    def durable_lsn(self) -> int:
        return self.manager.durable_lsn

    def force_soon(self) -> None:
        if not self._forcing and self.is_up:
            self._forcing = True
            life = self.lives
            self._events.after(self.force_s, lambda: self._force(life))

    def _force(self, life: int) -> None:
        if life != self.lives or not self.is_up:
            return
        self._forcing = False
        self.run(lambda: self.manager.force(self.manager.last_lsn))
        if not self.is_up:
            return
        self._transports = [transport for transport in self._transports if not transport.is_over]
        for transport in list(self._transports):
            transport.release()
        durable = self.durable_lsn
        due = [action for lsn, action in self._waiting if lsn < durable]
        self._waiting = [one for one in self._waiting if one[0] >= durable]
        for action in due:
            action()

    def when_durable(self, lsn: int, action: Callable[[], None]) -> None:
        """Do something once the log is on disk up to there; never, if the queue manager dies before."""
        if lsn < self.durable_lsn:
            action()
        else:
            self._waiting.append((lsn, action))
            self.force_soon()

    # Connections

    def connected(self, transport: SimulatedTransport, call: OutgoingCall | None = None) -> None:
        """A connection was made, for a call of this end or by the other end."""
        if not self.is_up:
            transport.is_over = True
            return
        self._transports.append(transport)
        if call is not None:
            self.run(lambda: self._adopt(transport, call.build(transport, transport.peer)))

    def accept(self, flow: Flow, transport: SimulatedTransport) -> None:
        if flow.kind != Type.INITIAL_DATA:
            transport.send(message_channel.status(Status.PROTOCOL_SEGMENT_TYPE))
            transport.close()
            return
        offered = unpack_initial(flow.body, big_endian=flow.big_endian, charset=flow.charset)
        try:
            agent = self.initiator.called(offered, transport, transport.peer)
        except ChannelRefusal as refusal:
            transport.send(refusal.segment)
            transport.close()
        else:
            self._adopt(transport, agent)

    @staticmethod
    def _adopt(transport: SimulatedTransport, agent: Agent | None) -> None:
        if agent is None:
            transport.close()  # nobody wants it any more
            return
        transport.agent = agent
        agent.begin()

    # Time

    def _agents(self) -> Iterator[Agent]:
        for transport in list(self._transports):
            if transport.agent is not None and not transport.is_over:
                yield transport.agent

    def _clocks(self) -> list[tuple[str, float | None, Callable[[], None]]]:
        """What has deadlines, in words, when the next one is, and what is to be done then."""
        if not self.is_up:
            return []
        manager, initiator = self.manager, self.initiator
        return [
            *((f"{type(one).__name__} of {one.name}", one.next_deadline(), one.tick) for one in self._agents()),
            ("initiator", initiator.next_deadline(), initiator.tick),
            ("queue manager", manager.next_deadline(), manager.tick),
        ]

    def next_deadline(self) -> float | None:
        return min((deadline for _, deadline, _ in self._clocks() if deadline is not None), default=None)

    def due(self) -> list[str]:
        """Whose deadline it is, in words."""
        now = self._events.clock.monotonic()
        return [f"{self.name}: {words}" for words, deadline, _ in self._clocks() if _is_due(deadline, now)]

    def tick(self) -> None:
        """Do what is due."""
        now = self._events.clock.monotonic()
        for _, deadline, tick in self._clocks():
            if _is_due(deadline, now):
                self.run(tick)

    # What it has

    def transmission_queues(self) -> list[LocalQueue]:
        """Those of its channels."""
        definitions = self.manager.definitions
        if self._xmitqs is None:
            channels = [one for one in definitions if isinstance(one, Sender | Server)]
            queues = [definitions.find("QLOCAL", channel.xmitq) for channel in channels]
            self._xmitqs = [queue for queue in queues if isinstance(queue, LocalQueue)]
        return self._xmitqs

    def unfinished(self) -> str:
        """What is still to be done here, in words: messages to be sent, batches without an end."""
        if not self.is_up:
            return f"{self.name} is down"
        if self._waiting:
            return f"{self.name} has {len(self._waiting)} commits that are not on disk"
        if left := self.environment.manager.not_given_back:
            return f"{self.name} has {len(left)} agents that could not give back what they had"
        for unit in self.manager.units.values():
            if unit.state == PREPARED:
                return f"{self.name} has a batch in doubt"
            if unit.operations:
                return f"{self.name} has a unit of work"
        for queue in self.transmission_queues():
            if depth := self.manager.available_on(queue):
                return f"{self.name} has {depth} messages on {queue.name}"
        return ""

    def left_behind(self) -> str:
        """What agents that have ended should have closed, in words."""
        running = list(self._agents())
        for transport in self._transports:
            if not transport.is_over and (transport.agent is None or transport.agent.ended is not None):
                return f"{self.name} has a connection with {transport.peer.address} that nobody uses"
        channels = self.manager.definitions.channels
        held = Counter(one.application for one in self.manager.connections.values() if one.application in channels)
        for channel, count in (held - Counter(agent.name for agent in running)).items():
            return f"{self.name} has {count} connections of channel {channel} for agents that have ended"
        return ""

    def alter(self, kind: str, name: str, attributes: Mapping[str, GivenValue]) -> None:
        """ALTER an object; later, if the queue manager is down."""
        if not self.is_up:
            self._events.after(1.0, lambda: self.alter(kind, name, attributes))
            return
        self._events.note(f"{self.name}: ALTER {kind}({name}) {dict(attributes)}")
        life = self.lives

        def alter() -> None:
            try:
                self.manager.force(self.manager.alter(kind, name, attributes))
            except MQError as error:
                self.say(str(error))
                self._events.after(1.0, lambda: self.alter(kind, name, attributes))

        self.run(alter)
        if self.lives == life and not self.is_up:
            self.alter(kind, name, attributes)

    def command(self, mqsc: str, answered: Callable[[Answer | None], None]) -> None:
        """Run a command, as a server does: nobody hears of the outcome before the log is on disk as far as it says.

        None if the queue manager is down, or goes down before that: then nobody knows what became of it.
        """
        if not self.is_up:
            self._events.after(0.0, lambda: answered(None))
            return
        self._events.note(f"{self.name}: {mqsc}")
        life = self.lives
        open_answer = [answered]

        def answer(outcome: Answer | None) -> None:
            if open_answer:
                open_answer.pop()(outcome)

        def run() -> None:
            (outcome,) = self.commanded(mqsc)
            if outcome.state != DONE:
                self.say(" ".join(outcome.lines))
            self.when_durable(outcome.lsn, lambda: answer(outcome))

        self.run(run)
        self._on_death.append(lambda: answer(None))
        if self.lives != life or not self.is_up:
            answer(None)

    def commanded(self, mqsc: str) -> list[Answer]:
        """Run commands, whether what they say is on disk or not."""
        return run_text(Executor(self.manager, SimulatedOperations(self)), mqsc, Issuer())

    def fill_log(self, lasts_s: float = 0.0) -> None:
        """An application writes until the log is full, and somebody has to give way.

        `lasts_s`: the disk is full, too, so that no checkpoint makes room before that has passed.
        """
        if not self.is_up:
            return
        self._events.note(f"{self.name}: the log is full{f' for {lasts_s:g} s' if lasts_s else ''}")
        files = self.files
        if lasts_s:
            files.set_free_space(0)
            self._events.after(lasts_s, lambda: files.set_free_space(None))
        self.run(lambda: self._fill_log(_FILLER_BYTES if lasts_s else _FILLER_BYTES[:1]))

    def _fill_log(self, sizes: Sequence[int]) -> None:
        manager = self.manager
        hconn = manager.connect("app", "filler")
        for size in sizes:
            try:
                while True:
                    md = MQMD(Version=C.MQMD_VERSION_2, Persistence=C.MQPER_PERSISTENT)
                    manager.put1(hconn, MQOD(ObjectName=FILLED), md, MQPMO(Options=C.MQPMO_SYNCPOINT), bytes(size))
            except MQError as error:
                self.say(str(error))
        self._leave(self.lives, hconn)

    def _leave(self, life: int, hconn: int) -> None:
        """Disconnect; a log that is made no larger, since the disk is full, may even have no room for that."""
        if life != self.lives or not self.is_up:
            return
        try:
            self.manager.disconnect(hconn, back_out=True)
        except MQError as error:
            self.say(str(error))
            self._events.after(1.0, lambda: self.run(lambda: self._leave(life, hconn)))

    def start_channel(self, channel: str) -> bool:
        """START CHANNEL; False if that was refused, as for a channel that runs or is about to stop."""
        refused: list[MQError] = []

        def start() -> None:
            try:
                self.initiator.start(channel)
            except MQError as error:
                refused.append(error)
                self.say(str(error))

        self._events.note(f"{self.name}: START CHANNEL({channel})")
        self.run(start)
        return not refused

    def stop_channel(self, channel: str, mode: int) -> bool:
        """STOP CHANNEL; False if that was refused, as for want of room in the log."""
        refused: list[MQError] = []

        def stop() -> None:
            try:
                self.initiator.stop(channel, mode)
            except MQError as error:
                refused.append(error)
                self.say(str(error))

        self._events.note(f"{self.name}: STOP CHANNEL({channel})")
        self.run(stop)
        return not refused

    def instances(self, channel: str = "") -> list[ChannelInstance]:
        """What DISPLAY CHSTATUS shows, of one channel or of all."""
        return [one for one in self.initiator.instances() if channel in ("", one.channel)]


class SimulatedOperations(NoOperations):
    """What commands about channels ask of a server."""

    def __init__(self, host: SimulatedQueueManager) -> None:
        super().__init__(host.name)
        self._initiator = host.initiator

    def channel_instances(self) -> Sequence[ChannelInstance]:
        return self._initiator.instances()

    def start_channel(self, name: str) -> None:
        self._initiator.start(name)

    def stop_channel(self, name: str, mode: int, *, after: int, connection_name: str = "", partner: str = "") -> int:
        return self._initiator.stop(name, mode, after=after, connection_name=connection_name, partner=partner)


def _is_due(deadline: float | None, now: float) -> bool:
    return deadline is not None and deadline <= now
