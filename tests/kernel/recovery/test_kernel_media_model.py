"""Two queue managers live the same life; the queues of one are damaged and recovered, those of the other are not.

Whatever is done to them in whatever order, before and after the recovery both hold the same messages in the same state.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from helper_media import TO_FILES, Life, damage

from libremq.kernel.recovery import log_room
from libremq.kernel.state import image_in_parts
from libremq.kernel.state.image_in_parts import ImageGivenUp, ImageInParts
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.store_errors import StoreDamaged

QUEUES = ("A", "B", "C")
SEEDS = 40
STEPS = 110


class Pair:
    """The life that is damaged, its twin, and who has what under way."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lives = (Life(), Life())
        self.number = 0
        self.branch = b""  # the one that is open
        self.branches: list[bytes] = []  # prepared ones
        self.unusable = ""  # the queue whose files are damaged
        self.recoveries = self.by_itself = self.whole_images = 0
        self.image: ImageInParts | None = None  # in the first life: one that is under way
        self.trace: list[str] = []
        for life in self.lives:
            for name in QUEUES:
                life.define(name)

    def both(self, act: Callable[[Life], Any]) -> Any:
        """Do it in both lives; they must answer the same."""
        answers = []
        for life in self.lives:
            try:
                answers.append(act(life))
            except MQError as error:
                answers.append(error.reason)
        assert answers[0] == answers[1], self.trace
        return answers[0]

    def usable(self) -> str:
        return self.rng.choice([name for name in QUEUES if name != self.unusable])

    def hconn(self, life: Life, branch: bool) -> int:
        return life.coordinator if branch else life.application

    # Steps

    def step(self) -> None:
        names = list(WEIGHTS)
        name = self.rng.choices(names, [WEIGHTS[name] for name in names])[0]
        self.trace.append(name)
        getattr(self, name)()

    def put(self) -> None:
        queue, size = self.usable(), self.rng.choice((0, 10, 300, 300, 900, 2500, 20_000))
        self.number += 1
        number = self.number
        fields: dict[str, Any] = {"MsgId": b"M%23d" % number, "Priority": self.rng.randrange(3)}
        if number % 4 == 0:
            fields |= {"GroupId": b"G%23d" % (number // 12), "MsgSeqNumber": 1, "MsgFlags": C.MQMF_MSG_IN_GROUP}
        if number % 5 == 0:
            fields["Expiry"] = 300
        branch = bool(self.branch) and self.rng.random() < 0.5
        syncpoint = branch or self.rng.random() < 0.5
        self.both(
            lambda life: life.put(
                queue, b"%d" % number + bytes(size), syncpoint=syncpoint, hconn=self.hconn(life, branch), **fields
            )
        )

    def get(self) -> None:
        queue = self.usable()
        branch = bool(self.branch) and self.rng.random() < 0.5
        syncpoint = branch or self.rng.random() < 0.5
        self.both(lambda life: life.get(queue, syncpoint=syncpoint, hconn=self.hconn(life, branch)))

    def commit(self) -> None:
        self.both(Life.commit)

    def backout(self) -> None:
        self.both(Life.backout)

    def begin_branch(self) -> None:
        if not self.branch:
            self.number += 1
            self.branch = xid = b"X%d" % self.number
            self.both(lambda life: life.qm.xa_start(life.coordinator, xid))

    def end_branch(self) -> None:
        xid, self.branch = self.branch, b""
        if xid:
            self.both(lambda life: life.qm.xa_end(life.coordinator, xid))
            self.both(lambda life: life.qm.xa_prepare(life.coordinator, xid))
            self.branches.append(xid)

    def decide_branch(self) -> None:
        if self.branches:
            xid = self.branches.pop(self.rng.randrange(len(self.branches)))
            if self.rng.random() < 0.5:
                self.both(lambda life: life.qm.xa_commit(life.coordinator, xid))
            else:
                self.both(lambda life: life.qm.xa_rollback(life.coordinator, xid))

    def clear(self) -> None:
        queue = self.usable()
        self.both(lambda life: life.qm.clear(queue) and None)

    def delete_and_define(self) -> None:
        queue = self.usable()
        if self.both(lambda life: life.qm.delete("QLOCAL", queue, purge=True) and None) is None:
            self.both(lambda life: life.define(queue))

    def alter(self) -> None:
        queue, depth = self.usable(), self.rng.randrange(1000, 2000)
        self.both(lambda life: life.qm.alter("QLOCAL", queue, {"maxdepth": depth}) and None)

    def expire(self) -> None:
        for life in self.lives:
            life.clock.advance(20)
        if not self.unusable:
            self.compare()  # and load all queues: what is not in memory is not scanned
            self.both(lambda life: life.qm.scan_expired())

    def checkpoint(self) -> None:
        self.both(lambda life: life.qm.checkpoint())

    def unload(self) -> None:
        """Queues that nobody uses go from memory with the second checkpoint, and are loaded anew when somebody does."""
        for _ in range(2):
            self.checkpoint()

    def pass_through(self) -> None:
        """A message that is not persistent takes a number of which no file knows."""
        queue = self.usable()
        self.both(lambda life: life.put(queue, b"passing", persistent=False, Priority=9))
        self.both(lambda life: life.get(queue))

    def soft_image(self) -> None:
        chosen = self.rng.random()

        def image(life: Life) -> None:
            units = [unit for unit in life.core.units.values() if unit.is_logged]
            if units:
                log_room.soft_image(life.core, units[int(chosen * len(units))])

        self.both(image)

    def record_image(self) -> None:
        pattern = self.rng.choice((*QUEUES, "*"))
        for life in self.lives[: self.rng.choice((1, 2))]:
            for result in life.record("ql", pattern):
                assert not result.problem or result.name == self.unusable

    def image_part(self) -> None:
        """Another part of an image, with whatever happened since the one before."""
        life = self.lives[0]
        try:
            if self.image is None:
                definition = life.core.catalogue.find("QLOCAL", self.usable())
                assert definition is not None
                self.image = ImageInParts(life.core, definition)
            elif self.image.log_part():
                self.image = None
                self.whole_images += 1
        except (ImageGivenUp, StoreDamaged):
            self.image = None

    def restart(self) -> None:
        orderly = self.rng.random() < 0.5
        self.image = None
        self.branch = ""  # type: ignore[assignment]
        for life in self.lives:
            life.said.clear()
            life.stop(orderly=orderly)
        if self.rng.random() < 0.3:
            self.damage((*TO_FILES, "folder"))
        for life in self.lives:
            life.start()
        if any("is recreated" in text for text in self.lives[0].said):
            self.by_itself += 1

    def damage(self, kinds: tuple[str, ...] = TO_FILES) -> None:
        """To one queue at a time, which nobody may use until it is recovered."""
        if not self.unusable:
            self.unusable = self.usable()
            life = self.lives[0]
            self.trace.append(damage(life.files, life.folder_of(self.unusable), self.rng, kinds))

    def notice(self) -> None:
        """Somebody finds out that the queue is damaged."""
        life = self.lives[0]
        queue = life.core.queues.get(self.unusable)
        if queue is not None:
            life.core.note_damage(queue, StoreDamaged(queue.name, queue.store.folder, "for this test", "Recover it"))

    def recover(self) -> None:
        """Also if nothing is damaged."""
        queue = self.unusable or self.usable()
        (result,) = self.lives[0].recover("ql", queue)
        assert not result.problem, (result, self.trace)
        self.unusable = ""
        self.recoveries += 1
        self.compare()

    def compare(self) -> None:
        for queue in QUEUES:
            if queue != self.unusable:
                one, other = (life.content(queue) for life in self.lives)
                assert one == other, (queue, self.trace)
        self.both(lambda life: life.qm.xa_recover(life.application))


WEIGHTS = {
    "put": 40, "get": 26, "commit": 6, "backout": 4, "begin_branch": 4, "end_branch": 4, "decide_branch": 4,
    "clear": 1, "delete_and_define": 1, "alter": 1, "expire": 1, "checkpoint": 5, "unload": 4, "pass_through": 6,
    "soft_image": 3, "record_image": 3, "restart": 3, "damage": 4, "notice": 1, "recover": 3, "image_part": 12,
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_in_parts, "PART_BYTES", 2000)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_recovered_queue_is_that_of_a_queue_manager_without_damage(seed: int) -> None:
    pair = Pair(seed)
    for _ in range(STEPS):
        pair.step()
    pair.recover()
    while pair.branches:
        pair.decide_branch()
    pair.both(Life.commit)
    pair.restart()
    pair.compare()


def test_the_seeds_reach_what_they_are_meant_to_reach() -> None:
    recoveries = by_itself = whole_images = 0
    for seed in range(1000, 1012):
        pair = Pair(seed)
        for _ in range(STEPS):
            pair.step()
        recoveries += pair.recoveries
        by_itself += pair.by_itself
        whole_images += pair.whole_images
    assert recoveries > 12 and by_itself > 3 and whole_images > 12
