"""Netting makes no difference: a replay leaves what one does that repeats each record in the store of its queue.

Histories are those of the crash tests, of any operations in any order, ended by a kill or a power cut; then the restart
is cut short, too. Each disk that may be left is replayed in the plain way and in that of a start, with much room for
what waits and with nearly none.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import crash_driver as driver
import pytest
from crash_background import record_images
from crash_driver import FOLDER, NAME, NOW, SMALL_BUFFERS, Life
from crash_matrix import CIRCULAR, LINEAR, Configuration
from crash_points import by_level
from helper_qmgr import Session
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_replay import PlainRestart, state_of
from test_crash_random import USUAL

from libremq.common import configuration as settings_files
from libremq.host import lifecycle
from libremq.host.log_settings import open_log
from libremq.kernel.objects.catalogue import Catalogue
from libremq.kernel.recovery.replay import read_checkpoint
from libremq.kernel.recovery.restart import Restart
from libremq.kernel.state.core import Core
from libremq.log import LogConfig, RecordFields
from libremq.mqi import constants as C
from libremq.store.queue_store import StoreLimits
from libremq.store.stored_message import IMAGE_OVERHEAD
from libremq.testing import FaultyFiles, PowerCut, VirtualClock

EXAMPLES = by_level(20, 100, 1000)
CUTS = by_level(2, 3, 8)
OPERATIONS = [
    *driver.OPERATIONS, *4 * [driver.put, driver.unit_put, driver.get, driver.unit_get], *2 * [driver.commit],
    *3 * [driver.begin_branch, driver.prepare_branch],
]  # fmt: skip
seen: Counter[str] = Counter()


class Crowded(Restart):
    """One that has little room: a few messages that wait are too many."""

    waiting_bytes_max = 3 * IMAGE_OVERHEAD


class Cramped(Restart):
    """One that has none: every message enters the store at once, those of one page aside."""

    waiting_bytes_max = 0


def replayed(kind: type[Restart], disk: FaultyFiles, limits: StoreLimits = SMALL_BUFFERS) -> tuple[Any, Any]:
    """What a restart has made of a disk, before and after it has undone what nobody will finish."""
    files, clock = disk.copy(), VirtualClock(NOW)
    log = open_log(files, FOLDER, settings_files.load(files, FOLDER), clock, lambda text: None)
    try:
        core = Core(files, FOLDER, Catalogue(NAME, clock.now()), log, clock, limits)
        restart = kind(core, lambda text: None)
        restart.replay(read_checkpoint(log.folder, log.read(log.checkpoint)))
        before = state_of(core)
        restart.undo()
        after = state_of(core)
        note(restart, before)
        for queue in core.queues.values():
            queue.store.close()
    finally:
        log.abandon()
    return before, after


def note(restart: Restart, state: dict[str, Any]) -> None:
    seen["records"] += restart.progress.records
    seen["backed out"] += restart.backed_out
    seen["prepared"] += sum(unit[0] == "prepared" for unit in state["units"].values())
    seen["messages"] += sum(len(queue["messages"]) for queue in state["queues"].values())


def compare(disk: FaultyFiles) -> None:
    expected = replayed(PlainRestart, disk)
    for kind in (Restart, Crowded, Cramped):
        assert replayed(kind, disk) == expected, (kind.__name__, disk.label)


def cut_short(disk: FaultyFiles, rng: random.Random) -> FaultyFiles | None:
    """What is left of it when a start ends in a power cut; None if the start was faster."""
    disk = disk.copy()
    disk.crash_at = disk.operations + rng.randrange(1, 40)
    try:
        lifecycle.start(disk, FOLDER, NAME, VirtualClock(NOW), limits=SMALL_BUFFERS).abandon()
    except PowerCut:
        return rng.choice(list(disk.disk_states(rng, 3)))
    return None


@pytest.mark.parametrize("linear", [False, True], ids=["circular", "linear"])
def test_histories(linear: bool) -> None:
    configuration: Configuration = LINEAR if linear else CIRCULAR
    operations = [*OPERATIONS, *configuration.more, *([record_images] if linear else [])]

    @settings(max_examples=EXAMPLES)
    @given(st.lists(st.sampled_from(operations), min_size=30, max_size=90), st.integers(0, 2**32), st.integers(50, 900))
    def lives(steps: list[driver.Operation], seed: int, until: int) -> None:
        rng = random.Random(seed)
        files, model = configuration.template()
        life = Life(files.copy(), model, NOW)
        life.files.crash_at = life.files.operations + until
        try:
            for step in steps:
                step(life, rng)
        except PowerCut:
            seen["cut"] += 1
        else:
            life.files.crash_at = None
            compare(life.files)
        for disk in configuration.states(life.files, rng, CUTS):
            compare(disk)
            again = cut_short(disk, rng)
            if again is not None:
                seen["cut again"] += 1
                compare(again)

    seen.clear()
    lives()
    assert all(seen[what] for what in ("records", "backed out", "prepared", "messages", "cut", "cut again")), seen


@pytest.mark.parametrize("seed", range(by_level(3, 6, 30)))
def test_a_long_life_without_a_checkpoint(seed: int) -> None:
    """So long that slots are used many times, and messages wait through the end of many units of work."""
    rng = random.Random(seed)
    weights = {operation: weight for operation, weight in USUAL.items() if operation not in _TAKE_CHECKPOINTS}
    files, model = LINEAR.template()
    life = Life(files.copy(), model, NOW)
    for number in range(4):
        for step in rng.choices(list(weights), list(weights.values()), k=150):
            step(life, rng)
        if number == 1:
            driver.checkpoint(life, rng)
        compare(life.files)


_TAKE_CHECKPOINTS = (driver.checkpoint, driver.end_and_start, driver.kill_and_start)


def session_of_many(puts: int) -> Session:
    session = Session(LogConfig(file_pages=1024))
    session.queue("A", MAXDEPTH=99_999)
    for number in range(puts):
        session.put("A", b"%d" % number, syncpoint=True, Persistence=C.MQPER_PERSISTENT, Priority=number % 3)
        if number % 100 == 99:
            session.qm.commit(session.hconn)
    return session


class Watched(Restart):
    """One that looks how much waits."""

    waiting_bytes_max = 100_000

    def redo(self, run: list[RecordFields]) -> None:
        super().redo(run)
        assert sum(net.size for net in self.nets.values()) <= self.waiting_bytes_max


def test_no_more_waits_than_may() -> None:
    """However many puts without gets there are: the log holds ten times as much."""
    session = session_of_many(3000)
    session.core.log.force()
    disk = session.core.files
    assert isinstance(disk, FaultyFiles)
    expected = replayed(PlainRestart, disk)
    assert len(expected[0]["queues"]["A"]["messages"]) == 3000
    assert replayed(Watched, disk) == expected
