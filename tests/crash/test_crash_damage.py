"""Damaged, missing and foreign files: refused with the file and what to do, or harmless; never wrong data.

Each damage is done to one file of a queue manager that was ended, or killed. A refusal must leave the other files as
good as they were: with the file put back, everything is there.
"""

from __future__ import annotations

import posixpath
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import crash_driver as driver
import pytest
from crash_driver import FOLDER, NAME, SMALL_LOG, Life, Operation, create, second_life
from crash_model import Model
from crash_points import FULL, Tally

from libremq.kernel.manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock

NOW = 1_700_000_000.0
FLIPS = 2000 if FULL else 60

Record = Callable[[str, object], None]

PREPARATION: tuple[Operation, ...] = (
    driver.put, driver.put_large, driver.define, driver.put_to_new, driver.unit_put, driver.commit, driver.get,
    driver.prepare_branch, driver.checkpoint, driver.put_large, driver.unit_get, driver.commit, driver.alter,
    driver.put, driver.put_to_new, driver.get,
)  # fmt: skip


@dataclass
class Prepared:
    files: FaultyFiles
    model: Model
    earlier: Model  # without the last operation: nothing on disk says that its log page was promised
    now: float
    other: FaultyFiles  # a queue manager of the same shape with other content, for foreign files

    def paths(self) -> list[str]:
        return sorted(path for path in self.files._names if path.startswith(FOLDER) and not path.endswith(".lock"))


def _prepare(seed: int) -> tuple[Life, Model]:
    files, model = create()
    life = Life(files, model, NOW + seed)
    for number in range(seed):
        driver._put(life, "B", size=700 + number)
    for operation in PREPARATION:
        earlier = life.model
        operation(life, None)
    return life, earlier


def _killed(seed: int) -> Prepared:
    life, earlier = _prepare(seed)
    life.qm.abandon()
    return Prepared(life.files, life.model.crashed(), earlier.crashed(), life.now, life.files)


def _ended(seed: int) -> Prepared:
    life, _ = _prepare(seed)
    model = life.model.ended()
    life.qm.end()
    return Prepared(life.files, model, model, life.now, life.files)


@pytest.fixture(scope="module", params=[_ended, _killed], ids=["ended", "killed"])
def prepared(request: pytest.FixtureRequest) -> Prepared:
    made: Prepared = request.param(0)
    made.other = request.param(3).files
    return made


def _replace(files: FaultyFiles, path: str, content: bytes) -> None:
    file = files.open(path, create=True)
    file.truncate(0)
    file.write(0, content)
    file.sync()
    files.sync_folder(posixpath.dirname(path))


def _damages(prepared: Prepared, path: str) -> Iterator[tuple[str, Callable[[FaultyFiles], None]]]:
    """Ways to spoil one file, each with a name."""
    content = prepared.files.content(path)
    size = len(content)
    rng = random.Random(path)
    yield "is missing", lambda files: (files.remove(path), files.sync_folder(posixpath.dirname(path)))[0]
    yield "is garbage", lambda files: _replace(files, path, random.Random(1).randbytes(max(size, 1)))
    yield "is zeros", lambda files: _replace(files, path, bytes(size))
    yield "is text", lambda files: _replace(files, path, b"Lorem ipsum dolor sit amet.\n" * 100)
    yield "is longer", lambda files: _replace(files, path, content + rng.randbytes(5000))
    for cut in sorted({0, 1, 10, size // 2, max(0, size - 512), max(0, size - 1)}):
        yield f"is cut at {cut}", lambda files, cut=cut: _replace(files, path, content[:cut])
    if path in prepared.other._names:
        foreign = prepared.other.content(path)
        yield "is another's", lambda files: _replace(files, path, foreign)
    used = [position for position in range(0, size, 512) if any(content[position : position + 512])] or [0]
    positions = {*range(min(size, 48)), *(rng.choice(used) + rng.randrange(512) for _ in range(FLIPS))}
    for position in sorted(positions):
        if position < size:
            bit = 1 << rng.randrange(8)
            flipped = bytes([content[position] ^ bit])
            label = f"has bit {bit:#x} flipped at {position}"
            yield label, lambda files, position=position, flipped=flipped: files.overwrite(path, position, flipped)


def _check_refusal(error: MQError, named: str) -> None:
    assert error.reason in (C.MQRC_OBJECT_DAMAGED, C.MQRC_Q_MGR_NOT_AVAILABLE), error
    assert named in str(error), f"the file is not named: {error}"
    assert re.search("Restore|Put back|Open it|Use a|orrect the|Check", error.detail), f"nothing to do: {error}"


def _observe(files: FaultyFiles, prepared: Prepared, path: str, named: str) -> str:
    """Start and look at everything: refused, or exactly what was there."""
    try:
        life = Life(files, prepared.model, prepared.now)
    except MQError as error:
        _check_refusal(error, named)
        return "refused"
    outcome = "harmless"
    try:
        observed = life.observe()
        wrong = prepared.model.mismatch(observed, prepared.now)
        if wrong:
            # The last pages of the log alone may be taken for a write that never finished
            assert path.endswith(".LOG"), wrong
            assert not prepared.earlier.mismatch(observed, prepared.now), wrong
            outcome = "taken for torn"
    except MQError as error:
        _check_refusal(error, named)
        for queue in prepared.model.high:
            if f"/{queue}/" not in path:
                seen = [one.number for one in life._browse(queue)]
                assert seen == [held.number for held in prepared.model.visible(queue, prepared.now)], queue
        outcome = "refused in use"
    life.qm.abandon()
    return outcome


def test_every_file_damaged_in_turn(prepared: Prepared, record_property: Record) -> None:
    tally = Tally()
    outcomes: dict[str, dict[str, int]] = {}
    for path in prepared.paths():
        name = posixpath.basename(path)
        for label, damage in _damages(prepared, path):
            tally.restarts += 1
            files = prepared.files.copy()
            damage(files)
            try:
                # Of two files that do not belong together either may be the wrong one
                named = FOLDER + "/" if label == "is another's" else path
                outcome = _observe(files, prepared, path, named)
                outcomes.setdefault(name, {}).setdefault(outcome, 0)
                outcomes[name][outcome] += 1
                if outcome == "refused":
                    _replace(files, path, prepared.files.content(path))
                    assert _observe(files, prepared, path, path) == "harmless"
            except Exception as error:
                raise AssertionError(f"{path} {label}: {type(error).__name__}: {error}") from error
    record_property("restarts", tally.restarts)
    refused = {name for name, found in outcomes.items() if found.keys() & {"refused", "refused in use"}}
    assert {"amqalchk.fil", "amqhlctl.lfh", "q", "handles.000001", "S0000000.LOG"} <= refused, outcomes
    assert any(name.startswith("QMQMOBJCAT") for name in refused), outcomes


def test_strange_files_beside_ours_are_left_alone(prepared: Prepared) -> None:
    files = prepared.files.copy()
    for folder in (FOLDER, f"{FOLDER}/log"):
        _replace(files, f"{folder}/notes.txt", b"do not delete")
    life = Life(files, prepared.model, prepared.now)
    life.check([prepared.model])
    driver.resolve_commit(life, None)
    second_life(life)
    for folder in (FOLDER, f"{FOLDER}/log"):
        assert files.content(f"{folder}/notes.txt") == b"do not delete"


def test_a_folder_with_foreign_files_is_not_made_a_queue_manager() -> None:
    files = FaultyFiles()
    files.make_folder(FOLDER)
    _replace(files, f"{FOLDER}/precious.txt", b"mine")
    clock = VirtualClock(NOW)
    with pytest.raises(MQError, match="no queue manager") as refused:
        QueueManager.create(files, FOLDER, NAME, clock, SMALL_LOG)
    assert refused.value.reason == C.MQRC_OBJECT_ALREADY_EXISTS
    with pytest.raises(MQError, match="create it first"):
        QueueManager.start(files, FOLDER, NAME, clock)
    assert files.list(FOLDER) == ["precious.txt"]
    assert files.content(f"{FOLDER}/precious.txt") == b"mine"


def test_a_queue_manager_without_its_checkpoint_file_is_not_created_over(prepared: Prepared) -> None:
    files = prepared.files.copy()
    files.remove(f"{FOLDER}/amqalchk.fil")
    clock = VirtualClock(NOW)
    before = sorted(files._names)
    with pytest.raises(MQError):
        QueueManager.create(files, FOLDER, NAME, clock, SMALL_LOG)
    assert sorted(files._names) == before


def test_a_log_of_an_earlier_moment_than_the_data_is_refused() -> None:
    """A log folder restored from an older backup than the queues: blocks were used again since."""
    life, _ = _prepare(0)
    driver.checkpoint(life, None)
    life.qm.abandon()
    backup = life.files.copy()
    life = Life(life.files, life.model.crashed(), life.now)
    for _ in range(4):
        driver.get(life, None)
        driver.put(life, None)
        driver.checkpoint(life, None)
    life.qm.end()
    files = life.files.copy()
    for path in backup._names:
        if path.startswith(f"{FOLDER}/log/"):
            _replace(files, path, backup.content(path))
    with pytest.raises(MQError, match="backup") as refused:
        Life(files, life.model, life.now)
    assert refused.value.reason == C.MQRC_OBJECT_DAMAGED
