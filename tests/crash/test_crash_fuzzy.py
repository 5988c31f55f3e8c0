"""Checkpoints taken step by step with long lives between the steps, on a log so small that units of work have to move.

A driver by seed: several branches and a unit of work that stay open, soft images of them, verbs that fail half-way,
queues that come and go, a full log at any moment, and the power cut in the middle of it. What a restart shows is
compared with the model; at the end of a life every block, every kept byte of the log and every queue must be free.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import crash_driver as driver
import pytest
from crash_driver import NOW, Life, Operation, refused, resolve_all
from crash_model import COMMITTED, UNIT, Held, Model
from crash_points import by_level

from libremq.kernel.recovery import checkpoint, log_room
from libremq.kernel.recovery.checkpoint import Checkpoint
from libremq.kernel.state.failure_reasons import PASSING
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig, LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles, PowerCut

TINY = LogConfig(primary_files=2, secondary_files=1, file_pages=64)
SEEDS = by_level(6, 200, 2000)
LIVES = by_level(4, 8, 8)
STEPS = 120
STATES_MAX = by_level(2, 6, 20)
BRANCHES_MAX = 6


@pytest.fixture(autouse=True)
def one_queue_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each capture of a queue is a step of its own, and most queues are used before their turn comes."""
    monkeypatch.setattr(checkpoint, "QUEUES_AT_ONCE", 1)


class FuzzyLife(Life):
    """A life with a checkpoint under way at most times, of which each step is an operation of its own."""

    current: Checkpoint | None = None
    steps: tuple[str, ...] = ()
    instead: Model | None = None  # what a get has done, if not what was planned

    def start(self) -> None:
        super().start()
        self.qm.checkpoints = self
        self.current = None

    # The binding's side of checkpoints

    def request(self) -> None:
        if self.current is None:
            self.begin()

    def wait(self) -> bool:
        """A verb found the log full: the checkpoint under way is finished while it waits."""
        was = self.current is not None
        while self.current is not None:
            self.step()
        return was

    def begin(self) -> None:
        self.current = self.qm._begin_checkpoint()
        self.steps = ("capture_some", "write", "record", "settle", "complete")

    def step(self, *, fails: bool = False) -> None:
        current = self.current
        assert current is not None
        step, *rest = self.steps
        try:
            if fails and step != "complete":
                raise LogFull("as a full disk would")
            if getattr(current, step)() and step == "capture_some":
                rest = list(self.steps)
        except PASSING:
            current.give_up()
            rest = []
        self.steps = tuple(rest)
        if not rest:
            self.current = None
            self.qm._plan_checkpoint()

    def between_parts(self, logged: int) -> None:
        """The checkpoint under way goes on, or one begins."""
        super().between_parts(logged)
        if self.current is not None:
            self.step()
        elif logged == 2:
            self.begin()

    # Verbs beside a queue manager that may roll units of work back

    def do(self, after: Model, verbs: Callable[[], Any], *between: Model) -> None:
        """One verb: it happens, or it is refused since the log is full, or a unit of work had to give way for it."""
        self.instead = None
        self.acceptable = [after.crashed(), self.model.crashed(), *[model.crashed() for model in between]]
        try:
            verbs()
        except MQError as error:
            if error.reason not in (C.MQRC_BACKED_OUT, C.MQRC_RESOURCE_PROBLEM):
                raise
            after = self.model.copy()
        after = self._without_rolled_back(self.instead or after)
        if self.qm.connection(self.application).backed_out:
            refused(C.MQRC_BACKED_OUT, lambda: self.qm.commit(self.application))
        for xid in [f"X{number}".encode() for number in range(self.next_xid)]:
            if self.qm.core.branches.who_was_rolled_back(xid) is not None:
                refused(C.MQRC_BACKED_OUT, lambda xid=xid: self.qm.xa_prepare(self.coordinator, xid))  # type: ignore[misc]
        self.acknowledge(after)

    def _without_rolled_back(self, model: Model) -> Model:
        """The model without the units of work that the queue manager has no more."""
        after = model.copy()
        there = {unit.xid.decode() for unit in self.qm.core.units.values()}
        for xid in self.model.active & after.active - there:
            after.back_out(xid)
        unit = self.qm.connection(self.application).unit
        if any(UNIT in (held.put_by, held.got_by) for held in after.held.values()) and unit is None:
            after.back_out(UNIT)
        return after

    def receive(self, held: Held, owner: str) -> None:
        """If somebody was rolled back to make room for the get, it gives what is first then."""
        before = self.model
        hconn = self.application if owner in (COMMITTED, UNIT) else self.coordinator
        hobj = self.qm.open(hconn, MQOD(ObjectName=held.queue), C.MQOO_INPUT_SHARED)
        md = MQMD(Version=2)
        try:
            gmo = MQGMO(Options=C.MQGMO_SYNCPOINT if owner else C.MQGMO_NO_SYNCPOINT)
            got = self.qm.get(hconn, hobj, md, gmo)
        finally:
            if self.files.powered:
                self.qm.close(hconn, hobj)
        assert isinstance(got, Got)
        number = int.from_bytes(md.CorrelId, "big")
        if number != held.number:
            after = self._without_rolled_back(before)
            held = after.visible(held.queue, self.now)[0]
            after.get(held, owner)
            after.active.update({owner} - {COMMITTED, UNIT})
            self.instead = after
            self.acceptable = [after.crashed(), before.crashed()]
        assert (number, got.data) == (held.number, held.data)


# Operations


def step(life: Life, rng: driver.Rng) -> None:
    assert isinstance(life, FuzzyLife) and rng is not None
    if life.current is None:
        life.do(life.plan(), life.begin)
    else:
        fails = rng.random() < 0.08
        life.do(life.plan(), lambda: life.step(fails=fails))


def soft_image(life: Life, rng: driver.Rng) -> None:
    """Of a unit of work that is not in the way yet."""
    assert rng is not None
    core = life.qm.core
    units = [unit for unit in core.units.values() if unit.is_logged]
    if units:
        unit = rng.choice(units)

        def verbs() -> None:
            try:
                log_room.soft_image(core, unit)
            except LogFull:
                pass

        life.do(life.plan(), verbs)


def unit_put(life: Life, rng: driver.Rng) -> None:
    assert rng is not None
    after = life.plan()
    size = rng.choice((0, 60, 600, 5000, 20000))
    held = life.new_message(
        rng.choice("AB"), size=size, persistent=rng.random() < 0.8, priority=4, expiry=0, owner=UNIT
    )
    after.put(held)
    life.do(after, lambda: life.send(held))


def put_huge(life: Life, rng: driver.Rng) -> None:
    """A tenth of the log and more: the ring turns."""
    assert rng is not None
    driver._put(life, "B", size=rng.randrange(40_000, 120_000), priority=9)


def get_huge(life: Life, rng: driver.Rng) -> None:
    driver._get(life, "B", COMMITTED)


def in_branch(life: Life, rng: driver.Rng) -> None:
    """One more put or get in a branch that is open, or in a new one."""
    assert rng is not None
    after = life.plan()
    xids = sorted(after.active)
    if xids and (rng.random() < 0.7 or len(xids) + len(after.prepared) >= BRANCHES_MAX):
        xid = rng.choice(xids)
    elif len(xids) + len(after.prepared) < BRANCHES_MAX:
        xid = f"X{life.next_xid}"
        life.next_xid += 1
        after.active.add(xid)
    else:
        return
    queue = rng.choice("AB")
    visible = after.visible(queue, life.now)
    held: Held | None = None
    if visible and rng.random() < 0.5:
        after.get(visible[0], xid)
    else:
        held = life.new_message(
            queue, size=rng.choice((0, 60, 3000)), persistent=rng.random() < 0.8, priority=4, expiry=0, owner=xid
        )
        after.put(held)
    qm, hconn = life.qm, life.coordinator
    began = xid not in life.model.active

    def verbs() -> None:
        qm.xa_start(hconn, xid.encode())
        try:
            if held is not None:
                life.send(held)
            else:
                life.receive(visible[0], xid)
        except MQError as error:
            if error.reason == C.MQRC_RESOURCE_PROBLEM:
                qm.xa_end(hconn, xid.encode())
                if began:
                    qm.xa_rollback(hconn, xid.encode())
            raise
        qm.xa_end(hconn, xid.encode())

    life.do(after, verbs)


def prepare(life: Life, rng: driver.Rng) -> None:
    assert rng is not None
    after = life.plan()
    if after.active:
        xid = rng.choice(sorted(after.active))
        after.active.remove(xid)
        after.prepared.add(xid)
        life.do(after, lambda: life.qm.xa_prepare(life.coordinator, xid.encode()))


def resolve(life: Life, rng: driver.Rng) -> None:
    assert rng is not None
    if life.model.prepared and rng.random() < 0.6:
        driver._resolve(life, rng.choice(sorted(life.model.prepared)), rng.random() < 0.6)
    elif life.model.active:
        driver._resolve(life, rng.choice(sorted(life.model.active)), False)


class _Abandon(Exception):
    pass


def half_a_verb(life: Life, rng: driver.Rng) -> None:
    """A verb of several operations that fails at the last: nothing of it is left in the unit of work, nor counted."""
    assert rng is not None
    core = life.qm.core
    connection = life.qm.connection(life.application)
    # If the power fails before it is undone, the restart undoes it, and counts
    undone = life.plan()
    for queue in "AB":
        for held in undone.visible(queue, life.now):
            undone.put(replace(held, backouts_max=held.backouts_max + 1))
    life.acceptable = [undone.crashed()]
    try:
        with core.all_or_nothing(core.syncpoint_unit(connection) if rng.random() < 0.8 else None) as unit:
            for name in rng.sample("AABB", 3):
                state = core.queues.get(name)
                if state is not None and len(state.store.chains):
                    core.take(state, next(iter(state.store.chains)), unit)
            raise _Abandon
    except (_Abandon, LogFull):
        core.log.force()
    life.acknowledge(life.model)


def dynamic_queue(life: Life, rng: driver.Rng) -> None:
    """A permanent dynamic queue: made, used, deleted with what is on it."""
    after = life.plan()
    qm, hconn = life.qm, life.application
    if "D" in after.high:
        if after.has_uncommitted("D"):
            return
        after.drop_queue("D")
        del after.high["D"], after.attributes["D"]

        def verbs() -> None:
            hobj = qm.open(hconn, MQOD(ObjectName="D"), C.MQOO_OUTPUT)
            try:
                qm.close(hconn, hobj, C.MQCO_DELETE_PURGE)
            except MQError:
                if hobj in qm.connection(hconn).handles:
                    qm.close(hconn, hobj)
                raise
    else:
        after.high["D"], after.attributes["D"] = False, 90

        def verbs() -> None:
            od = MQOD(ObjectName="MODEL", DynamicQName="D")
            qm.close(hconn, qm.open(hconn, od, C.MQOO_OUTPUT))

    life.do(after, verbs)


def put_to_dynamic(life: Life, rng: driver.Rng) -> None:
    driver._put(life, "D", size=700)


def temporary_queue(life: Life, rng: driver.Rng) -> None:
    """Gone with its handle, although the unit of work has a message on it."""
    qm, hconn = life.qm, life.application

    def verbs() -> None:
        hobj = qm.open(hconn, MQOD(ObjectName="PASSING", DynamicQName="T*"), C.MQOO_OUTPUT)
        try:
            pmo = MQPMO(Options=C.MQPMO_SYNCPOINT)
            qm.put(hconn, hobj, MQMD(Version=2, Persistence=C.MQPER_NOT_PERSISTENT), pmo, b"passing")
        finally:
            qm.close(hconn, hobj)

    life.do(life.plan(), verbs)


WEIGHTS: dict[Operation, int] = {
    step: 30, soft_image: 5, unit_put: 8, driver.unit_get: 10, driver.commit: 3, driver.back_out: 3, in_branch: 22,
    prepare: 4, resolve: 5, half_a_verb: 5, driver.put: 8, driver.put_nonpersistent: 3, driver.get: 8, put_huge: 6,
    get_huge: 6, driver.define: 2, driver.put_to_new: 2, driver.delete: 2, driver.clear: 1, driver.alter: 1,
    dynamic_queue: 2, put_to_dynamic: 2, temporary_queue: 1, driver.browse: 1, driver.kill_and_start: 1,
    driver.end_and_start: 1,
}  # fmt: skip
# The log fills again and again, and those who hold it have to give way
FILLING: dict[Operation, int] = {
    **WEIGHTS, step: 8, put_huge: 40, get_huge: 40, unit_put: 10, in_branch: 20, driver.commit: 1, driver.back_out: 1,
    resolve: 2, driver.end_and_start: 0,
}  # fmt: skip
ENDS = (driver.end_and_start, driver.kill_and_start)


@cache
def template() -> tuple[FaultyFiles, Model]:
    files, model = driver.create(TINY)
    life = Life(files, model, NOW)
    life.force(life.qm.define("QMODEL", "MODEL", {"DEFTYPE": "PERMDYN", "MAXDEPTH": 90}))
    life.force(life.qm.define("QMODEL", "PASSING", {"DEFTYPE": "TEMPDYN"}))
    life.qm.end()
    return files, life.model


def live(life: FuzzyLife, rng: random.Random, weights: dict[Operation, int]) -> None:
    for operation in rng.choices(list(weights), list(weights.values()), k=STEPS):
        if operation in ENDS:
            life.wait()
        operation(life, rng)


def check_nothing_is_held(life: FuzzyLife) -> None:
    """All ended and all got: no block, no part of the log, no queue is kept for anything."""
    life.wait()
    core = life.qm.core
    for xid in sorted(life.model.active):
        driver._resolve(life, xid, False)
    resolve_all(life, True)
    driver.commit(life, None)
    life.check([life.model])
    for queue in life.model.high:
        while life.model.visible(queue, life.now):
            driver._get(life, queue, COMMITTED)
    assert not [unit for unit in core.units.values() if unit.operations or unit.is_logged] and not core.undo_bytes
    life.wait()
    life.qm.take_checkpoint()
    life.qm.take_checkpoint()
    for state in core.queues.values():
        store = state.store
        assert store.space.used_blocks() == 1 and not store._release_later and not store._fragments, state.name
        assert store.is_empty and not any(store._buffer_bytes) and not store._in_flight, state.name
    assert not core.dropped_folders
    life.qm.take_checkpoint()
    assert not core.queues  # unloaded, as nobody has used them since
    driver._put(life, "A")
    life.check([life.model])


def restarted(files: FaultyFiles, acceptable: list[Model], now: float) -> FuzzyLife:
    life = FuzzyLife(files, acceptable[0], now)
    life.next_number = 1 + max(number for model in acceptable for number in (*model.held, 0))
    life.next_xid = 1 + max(int(xid[1:]) for model in acceptable for xid in (*model.prepared, *model.active, "X0"))
    life.check(acceptable)
    return life


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("weights", [WEIGHTS, FILLING], ids=["usual", "filling"])
def test_checkpoints_in_steps(seed: int, weights: dict[Operation, int], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    if weights is FILLING:
        monkeypatch.setattr(log_room, "PULL_UP_OPERATIONS", seed % 3)
    files, model = template()
    files, acceptable, now = files.copy(), [model], NOW
    for number in range(LIVES):
        where = f"seed {seed}, life {number} from [{files.label}]"
        try:
            life = restarted(files, acceptable, now)
            last = number == LIVES - 1
            if not last:
                files.crash_at = files.operations + rng.randrange(1, (8 if weights is WEIGHTS else 20) * STEPS)
            try:
                live(life, rng, weights)
                files.crash_at = None
            except PowerCut:
                pass
            if last:
                check_nothing_is_held(life)
            acceptable, now = life.acceptable, life.now
            where = f"{where}; power cut at {files.operations} ({files.crashed_in})"
            disks = list(files.disk_states(rng, STATES_MAX))
            for disk in disks:
                again = restarted(disk.copy(), acceptable, now)
                if rng.random() < 0.2:
                    check_nothing_is_held(again)
                else:
                    resolve_all(again, rng.random() < 0.5)
            files = rng.choice(disks)
        except BaseException as error:
            raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
