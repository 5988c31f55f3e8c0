"""A live queue manager beside the model of what it promised, and a backup of it on a disk that can lose power.

What a backup must show when it is activated is what the live one would show after a crash at the place where the log
ends that was shipped. The live one notes how far its log was when it acknowledged something, so a log that is cut
anywhere says which operations are in it.
"""

from __future__ import annotations

import random

from crash_driver import FOLDER, NAME, Life, Operation
from crash_matrix import LINEAR, PAGE, put_and_get
from crash_model import Model

from libremq.common.files import queue_manager_files
from libremq.host import lifecycle
from libremq.host.backup_state import load_state
from libremq.log import CONTROL_FILE, ShippedLog
from libremq.testing import FaultyFiles

STANDBY = "standby"
LIVE_LOG = f"{FOLDER}/log"
LOG = f"{STANDBY}/log"


class Live(Life):
    """Notes what was promised up to which LSN."""

    def __init__(self, files: FaultyFiles, model: Model, now: float) -> None:
        self.history: list[tuple[int, Model]] = [(0, model)]
        super().__init__(files, model, now)

    def acknowledge(self, after: Model) -> None:
        super().acknowledge(after)
        self._note()

    def check(self, models: list[Model]) -> None:
        super().check(models)
        self._note()

    def _note(self) -> None:
        self.history.append((self.qm.core.log.tail, self.model))

    def expected(self, end_lsn: int) -> list[Model]:
        """What a log may show that ends there: an operation that is in it only by part may be done or not."""
        last = max(index for index, (tail, _) in enumerate(self.history) if tail <= end_lsn)
        return [model.crashed() for _, model in self.history[last : last + 2]]


def make_live() -> Live:
    """The second extent is nearly full, and there are messages."""
    template, model = LINEAR.template()
    return Live(template.copy(), model, 1_700_000_000.0)


def fill(life: Life, rng: random.Random | None) -> None:
    """Half an extent."""
    for _ in range(12):
        put_and_get(life, 9000)


def lose_power(life: Life, rng: random.Random | None) -> None:
    """On the live one's machine: what it had not synced may be gone."""
    after = life.model.crashed()
    life.qm.abandon()
    life.files = (rng or random.Random(1)).choice(list(life.files.disk_states(rng, 6)))
    life.start()
    life.check([after])


OPERATIONS: tuple[Operation, ...] = (*LINEAR.operations, fill, fill, lose_power)


class Standby:
    """The backup's machine."""

    def __init__(self, live: Live, *, hot: bool) -> None:
        if hot:
            lifecycle.copy_to_backup(live.qm, STANDBY)
        else:
            live.qm.abandon()
            lifecycle.create_backup(live.files, FOLDER, STANDBY, NAME)
            live.start()
            live.check([live.model.crashed()])
        self.files = next(live.files.disk_states())
        self.live = live
        self.said: list[str] = []
        self._old = live.files.copy()
        live.files.remove_folder(STANDBY)

    def place(self, name: str, content: bytes) -> None:
        file = self.files.open(f"{LOG}/{name}", create=True)
        file.truncate(0)
        file.write(0, content)

    def ship(self, rng: random.Random, how: str) -> None:
        """Not synced. `how`: all, extents (only), some (of them), torn (while written to), stale (the last one)."""
        disk = self.live.files
        names = [name for name in disk.list(LIVE_LOG) if name != CONTROL_FILE]
        extents = [name for name in names if name.endswith(".LOG")]
        if how == "all":
            for name in names:
                self.place(name, disk.content(f"{LIVE_LOG}/{name}"))
        else:
            number = rng.randrange(1, len(extents) + 1) if how == "some" else len(extents)
            for name in extents[:number]:
                content = disk.content(f"{LIVE_LOG}/{name}")
                if how in ("torn", "stale") and self._old.exists(f"{LIVE_LOG}/{name}"):
                    before = self._old.content(f"{LIVE_LOG}/{name}")
                    if how == "stale":
                        content = before
                    else:
                        cut = rng.randrange(0, len(content), PAGE)
                        content = before[:cut] + content[cut:]
                self.place(name, content)
        self._old = disk.copy()

    def log_end(self) -> int:
        """Where the log ends that is there."""
        log_id, config = self.live.qm.core.log.log_id, self.live.qm.core.log.config
        redo = load_state(self.files, STANDBY).checkpoint.redo
        log = ShippedLog.open(self.files, LOG, log_id, config.extent_bytes, from_lsn=redo)
        log.close()
        return log.end_lsn

    def replay(self) -> int:
        return lifecycle.replay_backup(self.files, STANDBY, NAME, self.live.clock, self.said.append)

    def activate(self) -> Activated:
        life = Activated(self.files, self.live.model, self.live.now, self.said)
        life.next_number, life.next_xid = self.live.next_number, self.live.next_xid
        return life


class Activated(Life):
    """An activated backup; where its activation was cut short it goes on, as an administrator would see to."""

    def __init__(self, files: FaultyFiles, model: Model, now: float, said: list[str]) -> None:
        self.said = said
        super().__init__(files, model, now)

    def start(self) -> None:
        self.qm = lifecycle.start(
            self.files, STANDBY, NAME, self.clock,
            limits=self.limits, say=self.said.append, activate=queue_manager_files.is_backup(self.files, STANDBY),
        )  # fmt: skip
        self._connect()

    def check(self, models: list[Model]) -> None:
        super().check(models)
        # Media recovery would make good what should not have gone wrong
        assert not any(text.startswith("AMQ7472E") for text in self.said), self.said
