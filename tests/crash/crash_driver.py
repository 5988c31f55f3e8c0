"""One life of a queue manager on files that can lose power, driven step by step beside the model of what it promised.

Each operation first says what may be found if the power fails while it runs (`acceptable`), then runs the verbs and
forces the log as the embedded binding does, and only then counts as acknowledged. What somebody was shown counts as
well: a writer's answers never leave, but as soon as the application has read his message, that must survive. `Recorder`
keeps a copy of the disk at every write and sync boundary, so that one run of a workload gives all its crash points.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from crash_model import COMMITTED, UNIT, Held, Model, Observed, Seen, match

from libremq.host import lifecycle
from libremq.kernel.state.unit_of_work import UNDOING
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig, LogError
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.security.entities import Entities
from libremq.store.queue_store import StoreLimits
from libremq.testing import FaultyFiles, VirtualClock

FOLDER = "qm"
NAME = "QM1"
NOW = 1_700_000_000.0
SMALL_LOG = LogConfig(primary_files=3, secondary_files=1, file_pages=64)
# Three small messages fill a buffer, so that nearly every workload reaches the queue file
LONG_BYTES, PART_BYTES = 3000, 1000  # every other message of that length is put in parts
SMALL_BUFFERS = StoreLimits(nonpersistent_buffer_bytes=1100, persistent_buffer_bytes=1100)


class Recorder(FaultyFiles):
    """Calls back at every boundary; a copy made there is the disk of a power cut at that boundary."""

    def __init__(self, template: FaultyFiles, on_boundary: Callable[[str], None]) -> None:
        super().__init__()
        self.__dict__.update(template.copy().__dict__)
        self._on_boundary = on_boundary

    def _count(self, what: str) -> None:
        self._on_boundary(what)
        super()._count(what)


def fingerprint(disk: FaultyFiles) -> int:
    """Equal for equal disks: the same content need not be restarted twice."""
    files = []
    for name, number in disk._names.items():
        content = disk._inodes[number].current
        files.append((name, content.size, frozenset(content.chunks.items())))
    return hash(frozenset(files))


@dataclass
class CrashPoint:
    """The disk at a boundary, and what a restart from it may show."""

    disk: FaultyFiles
    what: str
    acceptable: list[Model]
    now: float
    key: bytes = b""  # names the moment, see crash_points


class NoUsers:
    """A system without users."""

    def groups_of(self, user: str) -> frozenset[str] | None:
        return None

    def has_group(self, group: str) -> bool:
        return False

    def number_of(self, user: str) -> int | None:
        return None


class Life:
    """A started queue manager, an application, a transaction manager, and the model of what they were promised."""

    def __init__(self, files: FaultyFiles, model: Model, now: float, *, limits: StoreLimits = SMALL_BUFFERS) -> None:
        self.files = files
        self.clock = VirtualClock(now)
        self.limits = limits
        self.model = model
        self.acceptable = [model, model.crashed()]
        self.next_number = 1 + max(model.held, default=0)
        self.said: list[str] = []
        self.next_xid = 1 + max((int(xid[1:]) for xid in (*model.prepared, *model.active)), default=0)
        self.start()

    def start(self) -> None:
        self.qm = lifecycle.start(self.files, FOLDER, NAME, self.clock, limits=self.limits, say=self.said.append)
        self._connect()

    def _connect(self) -> None:
        # The system takes longer to say that it does not know them than for many a step of a restart
        self.qm.core.authorities.entities = Entities(self.files, FOLDER, NoUsers())
        self.qm.core.long_bytes, self.qm.core.part_bytes = LONG_BYTES, PART_BYTES
        self.application = self.qm.connect("alice", "teller")
        self.coordinator = self.qm.connect("bob", "coordinator")
        self.writer = self.qm.connect("carol", "writer")  # nobody forces the log for it

    @property
    def now(self) -> float:
        return self.clock.now()

    # One operation: plan, run, acknowledge

    def plan(self) -> Model:
        """A model to be changed to what the operation will have done."""
        return self.model.copy()

    def do(self, after: Model, verbs: Callable[[], Any], *between: Model) -> None:
        """`between`: what else may be found while the verbs run."""
        self.acceptable = [after.crashed(), self.model.crashed(), *[model.crashed() for model in between]]
        try:
            verbs()
        except MQError as error:
            if error.reason != C.MQRC_BACKED_OUT:
                raise
            # The log was full and this unit of work the oldest: nothing of it is left
            after = self.model.copy()
            after.back_out(UNIT)
        self.acknowledge(after)

    def acknowledge(self, after: Model) -> None:
        for hconn in (self.application, self.coordinator):
            self.force(self.qm.connection(hconn).lsn)
        if self.qm.connection(self.application).backed_out:
            # The log was full and somebody else had to have room; the application hears of it with its next call
            refused(C.MQRC_BACKED_OUT, lambda: self.qm.commit(self.application))
            after = after.copy()
            after.back_out(UNIT)
        self.model = after
        self.acceptable = [after.crashed()]

    def administer(self, after: Model, command: Callable[[], int]) -> None:
        self.do(after, lambda: self.force(command()))

    def force(self, lsn: int) -> None:
        """As the embedded binding does before an answer leaves."""
        if lsn >= self.qm.durable_lsn:
            try:
                self.qm.force(lsn)
            except LogError as error:
                self.qm.fail(str(error))
                raise mq_error(C.MQRC_CONNECTION_BROKEN, NAME, str(error)) from error

    # Verbs, short enough for a test

    def new_message(self, queue: str, *, size: int, persistent: bool, priority: int, expiry: float, owner: str) -> Held:
        held = Held(
            self.next_number, queue, size, persistent, priority, self.now + expiry if expiry else 0.0, put_by=owner
        )
        self.next_number += 1
        return held

    def send(self, held: Held, expiry: float = 0, by: int | None = None) -> None:
        """MQPUT1 of a message; in the unit of work of its owner, if it has one."""
        md = MQMD(
            Version=2,
            MsgId=b"M" + held.number.to_bytes(23, "big"),
            CorrelId=held.number.to_bytes(24, "big"),
            Persistence=C.MQPER_PERSISTENT if held.persistent else C.MQPER_NOT_PERSISTENT,
            Priority=held.priority,
            Expiry=int(expiry * 10) if expiry else C.MQEI_UNLIMITED,
        )
        if held.number % 3 == 0:  # every third one in a group, which queues keep a table of
            md.GroupId = b"G" + (held.number // 9).to_bytes(23, "big")
            md.MsgSeqNumber = 1 + held.number // 3 % 3
            md.MsgFlags = C.MQMF_MSG_IN_GROUP
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT if held.put_by else C.MQPMO_NO_SYNCPOINT)
        hconn = by or (self.application if held.put_by in (COMMITTED, UNIT) else self.coordinator)
        od = MQOD(ObjectName=held.queue)
        long_put = self.qm.begin_long_put1(hconn, od, md, pmo, held.data) if held.number % 2 else None
        if long_put is None:
            self.qm.put1(hconn, od, md, pmo, held.data)
            return
        try:
            while not long_put.is_ready:
                self.qm.go_on_with_put(long_put)
                self.between_parts(len(long_put.logged.lsns))
            self.qm.put1(hconn, od, md, pmo, held.data, long_put=long_put)
        except MQError:
            if self.qm.failure is None:
                self.qm.end_long_put(long_put)
            raise
        self.qm.end_long_put(long_put)

    def between_parts(self, logged: int) -> None:
        """So many parts of a long message are logged: the log is forced now and then, as for others."""
        if logged % 2:
            self.force(self.qm.core.log.tail - 1)

    def receive(self, held: Held, owner: str) -> None:
        """MQGET, which must give exactly this message."""
        hconn = self.application if owner in (COMMITTED, UNIT) else self.coordinator
        hobj = self.qm.open(hconn, MQOD(ObjectName=held.queue), C.MQOO_INPUT_SHARED)
        try:
            gmo = MQGMO(Options=C.MQGMO_SYNCPOINT if owner else C.MQGMO_NO_SYNCPOINT)
            md = MQMD(Version=2)
            got = self.qm.get(hconn, hobj, md, gmo)
        finally:
            if self.qm.failure is None:
                self.qm.close(hconn, hobj)
        assert isinstance(got, Got)
        assert (md.CorrelId, got.data) == (held.number.to_bytes(24, "big"), held.data), f"got {md.CorrelId.hex()}"

    def observe(self) -> Observed:
        """What the verbs show: every message of every queue, in order."""
        qm = self.qm
        in_doubt = {xid.decode() for xid in qm.xa_recover(self.application)}
        units = [connection.unit for connection in qm.core.connections.values() if connection.unit is not None]
        # That of a long put, which only waits for room to be backed out
        waiting = sum(unit.state is UNDOING and unit not in units for unit in qm.core.units.values())
        observed = Observed({}, {}, {}, in_doubt, len(qm.core.units) - waiting, len(units))
        for obj in qm.core.catalogue:
            if obj.kind != "QLOCAL":
                continue
            observed.attributes[obj.name] = obj.maxdepth  # type: ignore[attr-defined]
            observed.queues[obj.name] = list(self._browse(obj.name))
            observed.depths[obj.name] = qm.depth(obj.name)
        return observed

    def _browse(self, queue: str) -> Iterator[Seen]:
        qm, hconn = self.qm, self.application
        hobj = qm.open(hconn, MQOD(ObjectName=queue), C.MQOO_BROWSE)
        while True:
            md = MQMD(Version=2)
            try:
                got = qm.get(hconn, hobj, md, MQGMO(Options=C.MQGMO_BROWSE_NEXT))
            except MQError as error:
                if qm.failure is None:
                    qm.close(hconn, hobj)
                if error.reason != C.MQRC_NO_MSG_AVAILABLE:
                    raise
                return
            assert isinstance(got, Got)
            number = int.from_bytes(md.CorrelId, "big")
            assert md.MsgId == b"M" + number.to_bytes(23, "big")
            persistent = md.Persistence == C.MQPER_PERSISTENT
            yield Seen(number, got.data, persistent, md.Priority, md.BackoutCount)

    def check(self, models: list[Model]) -> None:
        """Compare with the models of which one must be right; it is the model from now on."""
        observed = self.observed = self.observe()
        found, why = match(models, observed, self.now)
        assert found is not None, why
        self.model = found.settled(observed)
        self.acceptable = [self.model.crashed()]


def refused(reason: int, verb: Callable[[], Any]) -> None:
    """The verb must fail with this reason, and change nothing."""
    try:
        verb()
    except MQError as error:
        assert error.reason == reason, error
    else:
        raise AssertionError(f"reason {reason} was expected")


# Operations. Each takes the life and the random generator of a random workload; None: the fixed form.

Rng = random.Random | None


def _put(
    life: Life, queue: str, *, size: int = 60, persistent: bool = True, priority: int = 4, expiry: float = 0
) -> None:
    after = life.plan()
    held = life.new_message(queue, size=size, persistent=persistent, priority=priority, expiry=expiry, owner=COMMITTED)
    if queue not in after.high:
        life.do(after, lambda: refused(C.MQRC_UNKNOWN_OBJECT_NAME, lambda: life.send(held, expiry)))
        return
    after.put(held)
    life.do(after, lambda: life.send(held, expiry))


# What a reader was shown, of puts that were never answered


def _written(life: Life, rng: Rng, owner: str) -> list[Held]:
    """Messages for the writer, of the highest priority: they are what a reader finds first."""
    sizes = (60, 60) if rng is None else (rng.choice((0, 60, 600)), rng.choice((60, 5000)))
    return [
        life.new_message(queue, size=size, persistent=True, priority=9, expiry=0, owner=owner)
        for queue, size in zip("AB", sizes, strict=True)
    ]


def browse_new(life: Life, rng: Rng) -> None:
    """Two puts outside syncpoint, and a browse that shows the second: the first is before it in the log."""
    after = life.plan()
    first, second = _written(life, rng, COMMITTED)
    after.put(first)
    between = after.copy()
    after.put(second)

    def verbs() -> None:
        life.send(first, by=life.writer)
        life.send(second, by=life.writer)
        assert second.number in [one.number for one in life._browse(second.queue)]

    life.do(after, verbs, between)


def get_new(life: Life, rng: Rng) -> None:
    """A put outside syncpoint, and a get outside syncpoint that finds it: it is neither lost nor does it come back."""
    after = life.plan()
    held = _written(life, rng, COMMITTED)[0]
    between = after.copy()
    between.put(held)
    taken = between.visible(held.queue, life.now)[0]
    after = between.copy()
    after.get(taken, COMMITTED)

    def verbs() -> None:
        life.send(held, by=life.writer)
        life.receive(taken, COMMITTED)

    life.do(after, verbs, between)


def get_committed(life: Life, rng: Rng) -> None:
    """A commit of two puts, and a get in the application's unit of work that finds one: the other is there, too."""
    after = life.plan()
    messages = _written(life, rng, COMMITTED)
    for held in messages:
        after.put(held)
    between = after.copy()
    taken = after.visible("B", life.now)[0]
    after.get(taken, UNIT)

    def verbs() -> None:
        for held in messages:
            life.send(replace(held, put_by=UNIT), by=life.writer)
        life.qm.commit(life.writer)
        life.receive(taken, UNIT)

    life.do(after, verbs, between)


def _queue(rng: Rng, fixed: str) -> str:
    return fixed if rng is None else rng.choice("AAAABBC")


def put(life: Life, rng: Rng) -> None:
    if rng is None:
        _put(life, "A")
    else:
        size = rng.choice((0, 1, 60, 60, 300, 700, 1500))
        _put(life, _queue(rng, "A"), size=size, priority=rng.choice((4, 4, 4, 4, 0, 9)))


def put_nonpersistent(life: Life, rng: Rng) -> None:
    size = 60 if rng is None else rng.choice((0, 60, 500, 3000))
    _put(life, _queue(rng, "A"), size=size, persistent=False)


def put_large(life: Life, rng: Rng) -> None:
    """Several log pages, many blocks, and a buffer that overflows at once."""
    _put(life, _queue(rng, "B"), size=9000 if rng is None else rng.randrange(3000, 20000))


def put_expiring(life: Life, rng: Rng) -> None:
    _put(life, _queue(rng, "A"), expiry=5)


def put_to_new(life: Life, rng: Rng) -> None:
    _put(life, "C")


def unit_put(life: Life, rng: Rng) -> None:
    """Two messages on two queues in the unit of work."""
    after = life.plan()
    messages = []
    for queue in ("A", "B"):
        persistent = rng is None or rng.random() < 0.8
        size = 60 if rng is None else rng.choice((0, 60, 600, 5000))
        held = life.new_message(queue, size=size, persistent=persistent, priority=4, expiry=0, owner=UNIT)
        after.put(held)
        messages.append(held)

    def verbs() -> None:
        for held in messages:
            life.send(held)

    life.do(after, verbs)


def _get(life: Life, queue: str, owner: str) -> None:
    after = life.plan()
    visible = after.visible(queue, life.now)
    if visible:
        after.get(visible[0], owner)
        life.do(after, lambda: life.receive(visible[0], owner))
        return
    nothing = Held(0, queue, 0, True, 0, 0)
    reason = C.MQRC_NO_MSG_AVAILABLE if queue in after.high else C.MQRC_UNKNOWN_OBJECT_NAME
    life.do(after, lambda: refused(reason, lambda: life.receive(nothing, owner)))


def get(life: Life, rng: Rng) -> None:
    _get(life, _queue(rng, "A"), COMMITTED)


def unit_get(life: Life, rng: Rng) -> None:
    _get(life, _queue(rng, "A"), UNIT)


def commit(life: Life, rng: Rng) -> None:
    after = life.plan()
    after.commit(UNIT)
    life.do(after, lambda: life.qm.commit(life.application))


def back_out(life: Life, rng: Rng) -> None:
    after = life.plan()
    after.back_out(UNIT)
    life.do(after, lambda: life.qm.backout(life.application))


def checkpoint(life: Life, rng: Rng) -> None:
    life.do(life.plan(), life.qm.checkpoint)


def browse(life: Life, rng: Rng) -> None:
    """Also compares all that is visible with the model, in the middle of life."""

    def verbs() -> None:
        for queue in life.model.high:
            seen = [one.number for one in life._browse(queue)]
            assert seen == [held.number for held in life.model.visible(queue, life.now)], queue

    life.do(life.plan(), verbs)


def clear(life: Life, rng: Rng) -> None:
    after = life.plan()
    queue = "B" if rng is None else rng.choice("AB")
    if after.has_uncommitted(queue):
        life.do(after, lambda: refused(C.MQRC_Q_NOT_EMPTY, lambda: life.qm.clear(queue)))
    else:
        after.drop_queue(queue)
        life.administer(after, lambda: life.qm.clear(queue))


def define(life: Life, rng: Rng) -> None:
    after = life.plan()
    if "C" in after.high:
        again = lambda: life.qm.define("QLOCAL", "C", {})  # noqa: E731
        life.do(after, lambda: refused(C.MQRCCF_OBJECT_ALREADY_EXISTS, again))
    else:
        after.high["C"] = False
        after.attributes["C"] = 70
        life.administer(after, lambda: life.qm.define("QLOCAL", "C", {"MAXDEPTH": 70}))


def delete(life: Life, rng: Rng) -> None:
    after = life.plan()
    remove = lambda: life.qm.delete("QLOCAL", "C", purge=True)  # noqa: E731
    if "C" not in after.high:
        life.do(after, lambda: refused(C.MQRC_UNKNOWN_OBJECT_NAME, remove))
    elif after.has_uncommitted("C"):
        life.do(after, lambda: refused(C.MQRC_Q_NOT_EMPTY, remove))
    else:
        after.drop_queue("C")
        del after.high["C"], after.attributes["C"]
        life.administer(after, remove)


def alter(life: Life, rng: Rng) -> None:
    after = life.plan()
    after.attributes["A"] += 1
    life.administer(after, lambda: life.qm.alter("QLOCAL", "A", {"MAXDEPTH": after.attributes["A"]}))


def _branch(life: Life, rng: Rng, prepare: bool) -> None:
    after = life.plan()
    xid = f"X{life.next_xid}"
    life.next_xid += 1
    persistent = rng is None or rng.random() < 0.8
    held = life.new_message("A", size=60, persistent=persistent, priority=4, expiry=0, owner=xid)
    visible = after.visible("B", life.now)[:1]
    after.put(held)
    for one in visible:
        after.get(one, xid)
    (after.prepared if prepare else after.active).add(xid)

    def verbs() -> None:
        life.qm.xa_start(life.coordinator, xid.encode())
        life.send(held)
        for one in visible:
            life.receive(one, xid)
        life.qm.xa_end(life.coordinator, xid.encode())
        if prepare:
            life.qm.xa_prepare(life.coordinator, xid.encode())

    life.do(after, verbs)


def begin_branch(life: Life, rng: Rng) -> None:
    """A branch with a put and a get that is never prepared: a crash undoes it."""
    _branch(life, rng, False)


def prepare_branch(life: Life, rng: Rng) -> None:
    _branch(life, rng, True)


def _resolve(life: Life, xid: str, commits: bool) -> None:
    after = life.plan()
    if commits:
        after.commit(xid)
        life.do(after, lambda: life.qm.xa_commit(life.coordinator, xid.encode()))
    else:
        after.back_out(xid)
        life.do(after, lambda: life.qm.xa_rollback(life.coordinator, xid.encode()))


def resolve_commit(life: Life, rng: Rng) -> None:
    for xid in sorted(life.model.prepared)[:1]:
        _resolve(life, xid, True)


def resolve_back_out(life: Life, rng: Rng) -> None:
    for xid in sorted(life.model.prepared | life.model.active)[:1]:
        _resolve(life, xid, False)


def scan_expired(life: Life, rng: Rng) -> None:
    life.clock.advance(10)
    life.do(life.model.without_expired(life.now), life.qm.scan_expired)


def end_and_start(life: Life, rng: Rng) -> None:
    """An orderly end. What is not persistent is there once more if the power stays until the next start is over."""
    after = life.model.ended()
    life.acceptable = [after, life.model.crashed(), after.crashed()]
    life.qm.end()
    saved = life.qm.failure is None and not life.qm.end_note
    life.start()
    life.check([after] if saved else life.acceptable)


def kill_and_start(life: Life, rng: Rng) -> None:
    """kill -9: all that was written is there for the restart, all that was not is gone."""
    after = life.model.crashed()
    life.acceptable = [after]
    life.qm.abandon()
    life.start()
    life.check([after])


Operation = Callable[[Life, Rng], None]

OPERATIONS: tuple[Operation, ...] = (
    put, put_nonpersistent, put_large, put_expiring, put_to_new, unit_put, get, unit_get, commit, back_out, checkpoint,
    browse, clear, define, delete, alter, begin_branch, prepare_branch, resolve_commit, resolve_back_out, scan_expired,
    end_and_start, kill_and_start, browse_new, get_new, get_committed,
)  # fmt: skip


# Where a workload starts from, and what happens after its crash


def create(log: LogConfig = SMALL_LOG, *, atom_bytes: int = 0, direct: bool = False) -> tuple[FaultyFiles, Model]:
    """A queue manager that was ended in good order, with two queues that hold messages, and nothing else."""
    files, clock = FaultyFiles(atom_bytes=atom_bytes, direct=direct), VirtualClock(NOW)
    lifecycle.create(files, FOLDER, NAME, clock, log)
    qm = lifecycle.start(files, FOLDER, NAME, clock)
    for obj in list(qm.core.catalogue):
        if obj.name.startswith("SYSTEM."):
            qm.delete(obj.kind, obj.name, purge=True)  # they only make every restart slower
    qm.define("QLOCAL", "A", {"MAXDEPTH": 5000, "NPMCLASS": "HIGH"})
    qm.define("QLOCAL", "B", {"MAXDEPTH": 6000})
    qm.end()
    life = Life(files, Model({"A": True, "B": False}, {"A": 5000, "B": 6000}), clock.now())
    _put(life, "A")
    _put(life, "A")
    _put(life, "B", size=1500)
    life.qm.end()
    assert not files.unsynced() or all("remove" in one for one in files.unsynced()), files.unsynced()
    return next(files.disk_states()), life.model


def restart(disk: FaultyFiles, acceptable: list[Model], now: float) -> Life:
    """Start from what a crash left; what is there must be one of the acceptable states."""
    life = Life(disk, acceptable[0], now)
    life.next_number = 1 + max(number for model in acceptable for number in (*model.held, 0))
    life.check(acceptable)
    return life


def resolve_all(life: Life, commits: bool) -> None:
    """Decide what is in doubt, one way or the other, and see that it is so."""
    for xid in sorted(life.model.prepared):
        _resolve(life, xid, commits)
        life.check([life.model])


def second_life(life: Life) -> None:
    """After a crash all goes on: units of work, branches, an orderly end, and a crash after that."""
    for operation in (unit_put, unit_get, commit, put, get, unit_get, back_out, checkpoint, put_large):
        operation(life, None)
    life.check([life.model])
    end_and_start(life, None)
    put(life, None)
    kill_and_start(life, None)
    life.qm.end()
