"""Power cuts in batches of message channels, at every write and sync boundary of what agents do, and in restarts.

After each restart a batch is in doubt with its messages out of sight, or committed with its sync record, or backed out
with its messages in their places: never something between. Receiving, messages and record are both there or neither.
Then everything in doubt is ended, one way or the other, and one more batch is sent and received.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import pytest
from crash_driver import FOLDER, NAME, NOW, SMALL_BUFFERS, Recorder, fingerprint
from crash_matrix import (
    AUTOMATIC,
    CIRCULAR,
    DUAL_LINEAR_SPOILT,
    DUAL_SPOILT,
    LINEAR,
    PAGE,
    SINGLE,
    TURNING,
    Configuration,
)
from crash_points import LEVEL, STATES_MAX, Record, Tally, by_level, key_of

from libremq.host import lifecycle
from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER, ChannelSync
from libremq.kernel.recovery import catalogue_file, log_room, media_recovery
from libremq.kernel.state import journal, media_image
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.state.waiting_gets import Got
from libremq.kernel.units import channel_batches
from libremq.kernel.units.channel_batches import Batch
from libremq.log import RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles, VirtualClock

XMITQ, IN = "A", "B"  # what the template has
CHANNEL, PARTNER = "A.TO.QM2", "QM2"
FLEETING = 1_000_000
"""Added to the number of a message that is not persistent: after a crash it may be there or not."""

FILLER_BYTES = len(b"".join(journal.media_parts({"kind": "QLOCAL", "name": "FILLER", "first": 1, "pad": ""}))) + 28
"""Of a record that fills a page, without the filler."""

RANDOM_RUNS = by_level(1, 12, 60)
RANDOM_LENGTH = by_level(10, 30, 30)
COMMIT_STEP = by_level(20, 10, 1)  # the shortest record has 28 bytes
CUT_EVERY = by_level(40, 12, 4)
CONFIGURATIONS = (CIRCULAR, TURNING, SINGLE, LINEAR, AUTOMATIC, DUAL_SPOILT, DUAL_LINEAR_SPOILT)

Last = tuple[str, int] | None  # LUWID and sequence number of a sync record


@dataclass(frozen=True)
class State:
    """What was promised: messages by number, in order."""

    queued: tuple[int, ...]
    arrived: tuple[int, ...]
    doubt: tuple[tuple[BatchIdentity, tuple[int, ...]], ...] = ()
    sent: Last = None
    received: Last = None

    def numbers(self) -> Iterator[int]:
        yield from (*self.queued, *self.arrived, *(number for _, batch in self.doubt for number in batch))

    def luwids(self) -> Iterator[str]:
        yield "0"
        yield from (identity.luwid for identity, _ in self.doubt)
        yield from (last[0] for last in (self.sent, self.received) if last is not None)

    def mismatch(self, seen: State) -> str:
        """Why this is not what is seen; what is seen of batches in doubt is their names."""
        for wanted, found, what in ((self.queued, seen.queued, XMITQ), (self.arrived, seen.arrived, IN)):
            if [one for one in wanted if one < FLEETING] != [one for one in found if one < FLEETING]:
                return f"{what} has {found}, not {wanted}"
            if not set(found) <= set(wanted) or list(found) != sorted(found, key=order):
                return f"{what} has {found} of {wanted}"
        names = [identity for identity, _ in self.doubt], [identity for identity, _ in seen.doubt]
        if names[0] != names[1]:
            return f"in doubt is {names[1]}, not {names[0]}"
        if (self.sent, self.received) != (seen.sent, seen.received):
            return f"the records are {seen.sent}, {seen.received}, not {self.sent}, {self.received}"
        return ""


def order(number: int) -> int:
    return number % FLEETING


@dataclass
class Point:
    disk: FaultyFiles
    what: str
    acceptable: tuple[State, ...]
    key: bytes


class Agents:
    """A queue manager with an agent that sends and one that receives, beside what was promised to their partners."""

    def __init__(self, files: FaultyFiles, states: tuple[State, ...]) -> None:
        """One of the states must be there, see `check`; numbers and LUWIDs go on behind those of all."""
        self.files = files
        self.clock = VirtualClock(NOW)
        self.state = states[0]
        self.acceptable = states
        self.next_number = 1 + max((order(number) for state in states for number in state.numbers()), default=0)
        self.next_luwid = 1 + max(int(luwid, 16) for state in states for luwid in state.luwids())
        self.aligned = self.left = 0
        self.start()

    def start(self) -> None:
        self.qm = lifecycle.start(self.files, FOLDER, NAME, self.clock, limits=SMALL_BUFFERS)
        self.application, self.sender, self.receiver = (
            self.qm.connection(self.qm.connect("mca", name)) for name in ("application", "sender", "receiver")
        )
        self.waiting: list[Batch] = []
        self.active: tuple[Batch, list[int]] | None = None

    def do(self, after: State, verbs: Callable[[], object]) -> None:
        """Both states may be found as long as the log is not forced; then it counts as promised."""
        if after != self.state:
            self.aligned += 1
            self._align(self.left or 40 + self.aligned * 97 % 700)
        self.acceptable = self.state, after
        verbs()
        self.qm.force(self.qm.core.log.tail - 1)
        self.state = after
        self.acceptable = (after,)

    def _align(self, wanted: int) -> None:
        """Have so many bytes left of a page of the log, so that what comes is in two: a cut may part them.

        Not forced, since the log begins a new page for what would not fit in one that is on disk.
        """
        log = self.qm.core.log
        header = {"kind": "QLOCAL", "name": "FILLER", "first": 1}  # a part of an image that nobody looks at
        while (left := PAGE - log.tail % PAGE) > wanted:
            header["pad"] = "." * max(0, left - wanted - FILLER_BYTES)
            log.append(RecordType.MEDIA_IMAGE, 0, 0, journal.media_parts(header))

    # Verbs

    def put(self, queue: str, numbers: list[int], hconn: int = 0, size: int = 60) -> None:
        for number in numbers:
            fleeting = number >= FLEETING
            md = MQMD(
                Version=2, CorrelId=number.to_bytes(24, "big"), Priority=4,
                Persistence=C.MQPER_NOT_PERSISTENT if fleeting else C.MQPER_PERSISTENT,
            )  # fmt: skip
            options = C.MQPMO_SYNCPOINT if hconn else C.MQPMO_NO_SYNCPOINT
            self.qm.put1(
                hconn or self.application.hconn, MQOD(ObjectName=queue), md, MQPMO(Options=options), bytes(size)
            )

    def numbers(self, *fleeting: bool) -> list[int]:
        self.next_number += len(fleeting)
        first = self.next_number - len(fleeting)
        return [first + index + FLEETING * one for index, one in enumerate(fleeting)]

    def luwid(self) -> str:
        self.next_luwid += 1
        return f"{self.next_luwid - 1:016x}"

    def _get(self, hconn: int, hobj: int, options: int) -> int | None:
        md = MQMD(Version=2)
        try:
            got = self.qm.get(hconn, hobj, md, MQGMO(Options=options))
        except MQError as error:
            if error.reason != C.MQRC_NO_MSG_AVAILABLE:
                raise
            return None
        assert isinstance(got, Got)
        return int.from_bytes(md.CorrelId, "big")

    def _all(self, queue: str, options: int, most: int = 1 << 30, hconn: int = 0) -> Iterator[int]:
        hconn = hconn or self.application.hconn
        browse = options == C.MQGMO_BROWSE_NEXT
        hobj = self.qm.open(hconn, MQOD(ObjectName=queue), C.MQOO_BROWSE if browse else C.MQOO_INPUT_SHARED)
        while most and (number := self._get(hconn, hobj, options)) is not None:
            most -= 1
            yield number
        self.qm.close(hconn, hobj)

    def observe(self) -> State:
        core = self.qm.core
        sent = channel_batches.sync_of(core, SENDER, CHANNEL, PARTNER, XMITQ)
        received = channel_batches.sync_of(core, RECEIVER, CHANNEL, PARTNER)
        doubt = channel_batches.in_doubt(core, CHANNEL)
        assert len(core.units) == len(doubt) + (self.active is not None)
        assert self.qm.xa_recover(self.application.hconn) == []
        return State(
            tuple(self._all(XMITQ, C.MQGMO_BROWSE_NEXT)),
            tuple(self._all(IN, C.MQGMO_BROWSE_NEXT)),
            tuple((one, ()) for one in doubt),
            None if sent is None else (sent.luwid, sent.sequence),
            None if received is None else (received.luwid, received.sequence),
        )

    def check(self, models: tuple[State, ...]) -> None:
        seen = self.observe()
        whys = [model.mismatch(seen) for model in models]
        assert "" in whys, whys
        found = models[whys.index("")]
        self.state = replace(found, queued=seen.queued, arrived=seen.arrived)
        self.acceptable = (self.state,)


# What agents and applications do


Operation = Callable[[Agents], None]


def put(agents: Agents) -> None:
    for fleeting in (False, True, False):
        numbers = agents.numbers(fleeting)
        after = replace(agents.state, queued=(*agents.state.queued, *numbers))
        agents.do(after, partial(agents.put, XMITQ, numbers))


def put_fleeting(agents: Agents) -> None:
    numbers = agents.numbers(True, True)
    agents.do(replace(agents.state, queued=(*agents.state.queued, *numbers)), lambda: agents.put(XMITQ, numbers))


def get(agents: Agents) -> None:
    """A batch of up to three messages."""
    if agents.active is not None:
        return
    first = agents.state.sent[1] + 1 if agents.state.sent else 1
    for identity, _ in agents.state.doubt:
        first = identity.last + 1
    identity = BatchIdentity(CHANNEL, PARTNER, XMITQ, agents.luwid(), first, first - 1)
    got: list[int] = []

    def verbs() -> None:
        batch = channel_batches.begin(agents.qm, agents.sender, identity)
        for number in agents._all(XMITQ, C.MQGMO_SYNCPOINT, 3, agents.sender.hconn):
            got.append(number)
            batch.sent(first + len(got) - 1)
        agents.active = batch, got

    agents.do(agents.state, verbs)


def prepare(agents: Agents) -> None:
    """Also of an empty batch, and of one without persistent messages."""
    if agents.active is None:
        get(agents)
    assert agents.active is not None
    batch, got = agents.active
    state = agents.state
    after = replace(
        state,
        queued=tuple(one for one in state.queued if one not in got),
        doubt=(*state.doubt, (batch.identity, tuple(got))),
    )

    def verbs() -> None:
        channel_batches.prepare(agents.qm, batch)
        agents.active = None
        agents.waiting.append(batch)

    agents.do(after, verbs)


def _end(agents: Agents, index: int, commits: bool) -> None:
    """As the agent does that has the batch, or as one that finds it after a restart."""
    state = agents.state
    if not state.doubt:
        return
    identity, numbers = state.doubt[index]
    doubt = tuple(one for one in state.doubt if one[0] != identity)
    if commits:
        after = replace(state, doubt=doubt, sent=(identity.luwid, identity.last))
    else:
        queued = [*state.queued, *numbers]
        after = replace(state, doubt=doubt, queued=tuple(sorted(queued, key=order)))
    batches = [one for one in agents.waiting if one.identity == identity]

    def verbs() -> None:
        if not batches:
            channel_batches.resolve(agents.qm, identity, commits)
        elif commits:
            channel_batches.commit(agents.qm, batches[0], identity.sync("host", agents.clock.now()))
        else:
            channel_batches.back_out(agents.qm, batches[0])

    agents.do(after, verbs)
    agents.waiting = [one for one in agents.waiting if one.identity != identity]


def commit(agents: Agents) -> None:
    _end(agents, 0, True)


def back_out(agents: Agents) -> None:
    """The latest, while an earlier one may wait for its answer."""
    _end(agents, -1, False)


def drop(agents: Agents) -> None:
    """The channel ends in the middle of a batch."""
    if agents.active is not None:
        batch, _ = agents.active

        def verbs() -> None:
            channel_batches.back_out(agents.qm, batch)
            agents.active = None

        agents.do(agents.state, verbs)


def _receive(agents: Agents, *fleeting: bool) -> None:
    numbers = agents.numbers(*fleeting)
    last = (agents.state.received[1] if agents.state.received else 0) + len(numbers)
    luwid = agents.luwid()
    after = replace(agents.state, arrived=(*agents.state.arrived, *numbers), received=(luwid, last))

    def verbs() -> None:
        agents.put(IN, numbers, agents.receiver.hconn)
        sync = ChannelSync.make(RECEIVER, CHANNEL, PARTNER, luwid=luwid, sequence=last, now=NOW, conname="host")
        channel_batches.commit_received(agents.qm, agents.receiver, sync)

    agents.do(after, verbs)


def receive(agents: Agents) -> None:
    _receive(agents, False, True, False)


def receive_fleeting(agents: Agents) -> None:
    _receive(agents, True)


def receive_and_stop(agents: Agents) -> None:
    """Puts whose batch is never confirmed."""
    numbers = agents.numbers(False, False)

    def verbs() -> None:
        agents.put(IN, numbers, agents.receiver.hconn)
        agents.qm.force(agents.qm.core.log.tail - 1)
        agents.qm.backout(agents.receiver.hconn)

    agents.do(agents.state, verbs)


def reset(agents: Agents) -> None:
    luwid, last = agents.state.received or ("0" * 16, 0)
    after = replace(agents.state, received=(luwid, last + 100))
    agents.do(
        after,
        lambda: channel_batches.reset_sequence(agents.qm, RECEIVER, CHANNEL, PARTNER, next_sequence=last + 101),
    )


def checkpoint(agents: Agents) -> None:
    agents.do(agents.state, agents.qm.checkpoint)


class _Beside:
    """The lock of a checkpoint: whenever it is free, an agent goes on."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._operations = [prepare, receive, commit, put, get, prepare]

    def __enter__(self) -> None:
        self._run()

    def __exit__(self, *error: object) -> None:
        if error == (None, None, None):
            self._run()

    def _run(self) -> None:
        if self._operations and self._agents.files.powered:
            self._operations.pop(0)(self._agents)


def checkpoint_meanwhile(agents: Agents) -> None:
    agents.qm.run_checkpoint(_Beside(agents))
    agents.do(agents.state, lambda: None)


def roll_forward(agents: Agents) -> None:
    """As in a log that fills: what is in doubt is logged once more."""

    def verbs() -> None:
        for unit in log_room.logged_units(agents.qm.core):
            log_room.soft_image(agents.qm.core, unit)

    agents.do(agents.state, verbs)


def next_extent(agents: Agents) -> None:
    log = agents.qm.core.log
    size = log.config.extent_bytes
    current = log.tail // size
    while log.tail // size == current:
        agents.put(IN, agents.numbers(False), agents.application.hconn, 30_000)
        agents.qm.backout(agents.application.hconn)
    agents.do(agents.state, lambda: None)


def images(agents: Agents) -> None:
    if agents.qm.core.log.config.linear:
        agents.do(agents.state, lambda: media_image.record_images(agents.qm))


def recover(agents: Agents) -> None:
    """Media recovery of the transmission queue, and of the records: what is not persistent is gone."""
    if agents.qm.core.log.config.linear and agents.active is None:

        def verbs() -> None:
            for kind, name in (("ql", XMITQ), ("syncfile", "*")):
                results = media_recovery.recover_objects(agents.qm, kind, name)
                assert not any(result.problem for result in results), results

        agents.do(agents.state, verbs)


def end_and_start(agents: Agents) -> None:
    agents.acceptable = (agents.state,)
    agents.qm.end()
    agents.start()
    agents.check((agents.state,))


def kill_and_start(agents: Agents) -> None:
    agents.acceptable = (agents.state,)
    agents.qm.abandon()
    agents.start()
    agents.check((agents.state,))


SCENARIOS: tuple[tuple[Operation, ...], ...] = (
    # Two batches at a time, then one end after the other stops where it is
    (put, put, get, prepare, put, get, commit, prepare, checkpoint, get, prepare, commit, commit, put, get, drop),
    (put, get, prepare, put, get, prepare, back_out, commit, get, prepare, back_out, receive, receive_fleeting, reset),
    (put, prepare, kill_and_start, commit, prepare, end_and_start, back_out, receive, kill_and_start, receive, prepare),
    (prepare, commit, put_fleeting, prepare, commit, put_fleeting, prepare, kill_and_start, checkpoint, commit,
     put_fleeting, get, put, prepare, roll_forward, checkpoint, back_out),
    (put, prepare, next_extent, roll_forward, put, get, next_extent, checkpoint, commit, receive, next_extent, prepare,
     checkpoint, images, commit, receive_and_stop, next_extent, checkpoint, recover, receive),
    (put, put, get, checkpoint_meanwhile, commit, receive, checkpoint, back_out, put, get, checkpoint_meanwhile),
)  # fmt: skip

OPERATIONS: dict[Operation, int] = {
    put: 4, put_fleeting: 2, get: 6, prepare: 8, commit: 6, back_out: 3, drop: 2, receive: 6, receive_fleeting: 3,
    receive_and_stop: 1, reset: 1, checkpoint: 3, checkpoint_meanwhile: 2, roll_forward: 2, next_extent: 1, images: 1,
    recover: 1, end_and_start: 1, kill_and_start: 1,
}  # fmt: skip


def run(configuration: Configuration, workload: tuple[Operation, ...], *, left: int = 0) -> list[Point]:
    """Do it all once; a point for each boundary, and one for the end. A long fill of the log gives no points.

    `left`: only those of the last operation, which begins with so many bytes left of a page.
    """
    template, model = configuration.template()
    points: list[Point] = []
    agents: Agents | None = None
    history = blake2b(f"channel batches {configuration} {left}".encode(), digest_size=8)
    recording = True

    def boundary(what: str) -> None:
        history.update(what.encode())
        if agents is not None and recording:
            key = key_of(history.digest(), agents.acceptable)
            points.append(Point(files.copy(), what, agents.acceptable, key))

    files = Recorder(template, boundary)
    state = State(*(tuple(held.number for held in model.visible(queue, NOW)) for queue in (XMITQ, IN)))
    agents = Agents(files, (state,))
    for operation in workload:
        recording = operation is not next_extent and (not left or operation is workload[-1])
        agents.left = left if recording else 0
        operation(agents)
        if agents.active is None:
            agents.check((agents.state,))
    recording = True
    boundary("the end")
    return points


def try_points(points: list[Point], label: str, tally: Tally, *, between_pages: bool = False) -> None:
    """`between_pages`: every disk whose last write ended between two pages, and no others."""
    configuration = tally.configuration
    tried: dict[int, set[tuple[State, ...]]] = {}
    for index, point in enumerate(points):
        if point.key in tally.points:
            continue
        tally.points.add(point.key)
        rng = random.Random(f"{label} {index}")
        for disk in configuration.states(point.disk, rng, None if between_pages else STATES_MAX):
            if between_pages:
                torn = re.search(r"torn at (\d+)", disk.label)
                if torn is None or int(torn[1]) % PAGE:
                    continue
            tally.states += 1
            known = tried.setdefault(fingerprint(disk), set())
            if point.acceptable in known:
                continue
            known.add(point.acceptable)
            try:
                _try_disk(disk, point, tally, rng)
            except BaseException as error:
                where = f"{configuration}: {label}; power cut at boundary {index} ({point.what}); {disk.label}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error


def _try_disk(disk: FaultyFiles, point: Point, tally: Tally, rng: random.Random) -> None:
    tally.restarts += 1
    number = tally.restarts
    if number % CUT_EVERY == 0:
        _cut_restart(disk.copy(), point, tally, rng)
    if tally.configuration.log.linear and number % 5 == 0:
        lose_catalogue(disk)
    _restart(disk, point.acceptable, number)


def lose_catalogue(disk: FaultyFiles) -> None:
    """It is made anew from the log, with the sync records."""
    for name in disk.list(FOLDER):
        if name.startswith(catalogue_file.NAME + "."):
            disk.remove(f"{FOLDER}/{name}")
    disk.sync_folder(FOLDER)


def _restart(disk: FaultyFiles, acceptable: tuple[State, ...], number: int) -> None:
    agents = Agents(disk, acceptable)
    agents.check(acceptable)
    # The oldest is decided first; what is behind a batch that is backed out is backed out too
    commits = number % 3
    while agents.state.doubt:
        _end(agents, 0 if commits else -1, bool(commits))
        commits = max(0, commits - 1)
        agents.check((agents.state,))
    if number % 4 == 0:
        for operation in (put, get, prepare, receive, commit):
            operation(agents)
        kill_and_start(agents)
    agents.qm.abandon()


def _cut_restart(disk: FaultyFiles, point: Point, tally: Tally, rng: random.Random) -> None:
    """The power fails again while the restart is under way."""
    cuts: list[tuple[FaultyFiles, str]] = []
    files = Recorder(disk, lambda what: cuts.append((files.copy(), what)))
    Agents(files, point.acceptable).qm.abandon()
    for index, (cut, what) in rng.sample(list(enumerate(cuts)), min(4, len(cuts))):
        key = key_of(point.key, index, what, disk.label)
        tally.points.add(key)
        tally.cut_points.add(key)
        for state in tally.configuration.states(cut, rng, STATES_MAX, damaged=False):
            tally.states += 1
            tally.restarts += 1
            _restart(state, point.acceptable, tally.restarts)


# Where a copy of the log is spoilt every disk is different, and is restarted
CASES = [
    (configuration, number)
    for configuration in CONFIGURATIONS
    for number in range(len(SCENARIOS))
    if configuration.damage is None or LEVEL or number in (1, 3)
]


@pytest.mark.parametrize(("configuration", "scenario"), CASES, ids=str)
def test_agents_of_channels(configuration: Configuration, scenario: int, record_property: Record) -> None:
    tally = Tally(configuration)
    try_points(run(configuration, SCENARIOS[scenario]), f"scenario {scenario}", tally)
    tally.report(record_property)
    assert len(tally.points) > 20


@pytest.mark.parametrize(("last", "most"), [(commit, 530), (receive, 1630)])
def test_a_commit_anywhere_in_a_page(last: Operation, most: int, record_property: Record) -> None:
    """Two records in place of one would be told from it by a page that ends between them."""
    tally = Tally(CIRCULAR)
    for left in range(30, most, COMMIT_STEP):
        points = run(CIRCULAR, (put, prepare, last), left=left)
        try_points(points, f"{last.__name__}, {left} bytes left", tally, between_pages=True)
    tally.report(record_property)
    assert tally.restarts > 20


@pytest.mark.parametrize("seed", range(RANDOM_RUNS))
@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_random_work_of_agents(configuration: Configuration, seed: int, record_property: Record) -> None:
    tally = Tally(configuration)
    rng = random.Random(f"channel batches {configuration} {seed}")
    workload = tuple(rng.choices(list(OPERATIONS), list(OPERATIONS.values()), k=RANDOM_LENGTH))
    label = ", ".join(operation.__name__ for operation in workload)
    try_points(run(configuration, (put, *workload)), f"seed {seed}: {label}", tally)
    tally.report(record_property)
    assert tally.points
