"""Damaged, missing and foreign files: refused with the file and what to do, or harmless; never wrong data.

Each damage is done to one file of a queue manager that was ended, or killed. A refusal must leave the other files as
good as they were: with the file put back, everything is there.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import crash_driver as driver
import pytest
from crash_driver import FOLDER, NAME, NOW, SMALL_LOG, Life, second_life
from crash_kinds import kind_of, report_outcomes
from crash_matrix import AUTOMATIC, CIRCULAR, DUAL, SINGLE, Configuration, remove_file, replace_file
from crash_points import Record
from crash_prepared import HARMLESS, LAST_FORCE, QUEUE_REFUSED, RECOVERED, REFUSED, Prepared, ended, killed, outcome_of

from libremq.host import lifecycle
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock


@pytest.fixture(scope="module", params=[ended, killed], ids=["ended", "killed"])
def prepared(request: pytest.FixtureRequest) -> Prepared:
    made: Prepared = request.param(CIRCULAR)
    return made


def _damages(prepared: Prepared, other: FaultyFiles, path: str) -> Iterator[tuple[str, Callable[[FaultyFiles], None]]]:
    """Ways to spoil one file, each with a name."""
    content = prepared.files.content(path)
    size = len(content)
    rng = random.Random(path)
    yield "is missing", lambda files: remove_file(files, path)
    yield "is garbage", lambda files: replace_file(files, path, random.Random(1).randbytes(max(size, 1)))
    yield "is zeros", lambda files: replace_file(files, path, bytes(size))
    yield "is text", lambda files: replace_file(files, path, b"Lorem ipsum dolor sit amet.\n" * 100)
    yield "is longer", lambda files: replace_file(files, path, content + rng.randbytes(5000))
    for cut in sorted({0, 1, 10, size // 2, max(0, size - 512), max(0, size - 1)}):
        yield f"is cut at {cut}", partial(replace_file, path=path, content=content[:cut])
    if path in other._names:
        foreign = other.content(path)
        yield "is another's", lambda files: replace_file(files, path, foreign)


@pytest.mark.parametrize("prepare", [ended, killed], ids=["ended", "killed"])
@pytest.mark.parametrize("configuration", (CIRCULAR, SINGLE, AUTOMATIC, DUAL), ids=str)
def test_every_file_damaged_in_turn(
    configuration: Configuration, prepare: Callable[..., Prepared], record_property: Record
) -> None:
    prepared = prepare(configuration)
    # A queue manager of the same shape with other content, for foreign files
    other = prepare(replace(configuration, name="another"), 3).files
    rows: dict[str, Counter[str]] = {}
    for path in prepared.paths():
        row = rows.setdefault(kind_of(path), Counter())
        for label, damage in _damages(prepared, other, path):
            files = prepared.files.copy()
            damage(files)
            try:
                # Of two files that do not belong together either may be the wrong one
                named = "" if label == "is another's" else path
                outcome, life = outcome_of(files, prepared, path, named)
                row[outcome] += 1
                if life is not None:
                    life.qm.abandon()
                if outcome == REFUSED:
                    replace_file(files, path, prepared.files.content(path))
                    assert outcome_of(files, prepared, path, path)[0] in (HARMLESS, RECOVERED)
            except Exception as error:
                raise AssertionError(f"{configuration}: {path} {label}: {type(error).__name__}: {error}") from error
    copies = "two copies" if configuration.log.second_folder else "one copy"
    report_outcomes(record_property, f"whole files damaged, log with {copies}", rows)
    refused = {kind for kind, found in rows.items() if found.keys() & {REFUSED, QUEUE_REFUSED}}
    assert "checkpoint file" in refused, rows
    if configuration.log.linear:
        # Media recovery makes anew what consists of messages and definitions
        assert all(rows[kind][RECOVERED] for kind in ("queue file", "handle file", "catalogue")), rows
    else:
        assert {"queue file", "handle file", "catalogue"} <= refused, rows
    if configuration.log.second_folder:
        assert not any(found[LAST_FORCE] for found in rows.values()), rows
    else:
        assert {"extent", "control file"} <= refused, rows


def test_strange_files_beside_ours_are_left_alone(prepared: Prepared) -> None:
    files = prepared.files.copy()
    for folder in (FOLDER, f"{FOLDER}/log"):
        replace_file(files, f"{folder}/notes.txt", b"do not delete")
    life = Life(files, prepared.model, prepared.now)
    life.check([prepared.model])
    driver.resolve_commit(life, None)
    second_life(life)
    for folder in (FOLDER, f"{FOLDER}/log"):
        assert files.content(f"{folder}/notes.txt") == b"do not delete"


def test_a_folder_with_foreign_files_is_not_made_a_queue_manager() -> None:
    files = FaultyFiles()
    files.make_folder(FOLDER)
    replace_file(files, f"{FOLDER}/precious.txt", b"mine")
    clock = VirtualClock(NOW)
    with pytest.raises(MQError, match="no queue manager") as refused:
        lifecycle.create(files, FOLDER, NAME, clock, SMALL_LOG)
    assert refused.value.reason == C.MQRC_OBJECT_ALREADY_EXISTS
    with pytest.raises(MQError, match="there is no queue manager in "):
        lifecycle.start(files, FOLDER, NAME, clock)
    assert files.list(FOLDER) == ["precious.txt"]
    assert files.content(f"{FOLDER}/precious.txt") == b"mine"


def test_a_queue_manager_without_its_checkpoint_file_is_not_created_over(prepared: Prepared) -> None:
    files = prepared.files.copy()
    files.remove(f"{FOLDER}/amqalchk.fil")
    clock = VirtualClock(NOW)
    before = sorted(files._names)
    with pytest.raises(MQError):
        lifecycle.create(files, FOLDER, NAME, clock, SMALL_LOG)
    assert sorted(files._names) == before


def test_a_log_of_an_earlier_moment_than_the_data_is_refused() -> None:
    """A log folder restored from an older backup than the queues: blocks were used again since."""
    prepared = killed(CIRCULAR)
    backup = prepared.files.copy()
    life = Life(prepared.files, prepared.model, prepared.now)
    for _ in range(4):
        driver.get(life, None)
        driver.put(life, None)
        driver.checkpoint(life, None)
    life.qm.end()
    files = life.files.copy()
    for path in backup._names:
        if path.startswith(f"{FOLDER}/log/"):
            replace_file(files, path, backup.content(path))
    with pytest.raises(MQError, match="backup") as refused:
        Life(files, life.model, life.now)
    assert refused.value.reason == C.MQRC_OBJECT_DAMAGED
