"""The counters in a file: whole or not there, and never in the way of the queue manager."""

from __future__ import annotations

import errno
import json
import os
import random

import pytest

from libremq.log import Log, LogConfig, LogError, LogStatistics, RecordType
from libremq.log.statistics_file import FILE_NAME, load_statistics, save_statistics
from libremq.testing import FaultyFiles, PowerCut

PATH = f"/qm/{FILE_NAME}"


def made() -> tuple[FaultyFiles, LogStatistics]:
    files = FaultyFiles()
    files.make_folder("/qm")
    log = Log.create(files, "/qm/log", LogConfig(2, 1, 64))
    for number in range(10):
        log.append(RecordType.PUT, number, 0, (bytes(1000),))
        log.force()
    statistics = log.statistics()
    log.close()
    return files, statistics


def test_what_is_saved_is_loaded() -> None:
    files, statistics = made()
    assert save_statistics(files, "/qm", statistics, queue_manager="QM1", at=1700000000.5, event="end")
    saved = load_statistics(files, "/qm")
    assert (saved.queue_manager, saved.at, saved.event) == ("QM1", 1700000000.5, "end")
    assert saved.statistics() == statistics
    assert saved.figures["records"] == 10
    assert files.list("/qm") == ["log", FILE_NAME]


def test_the_latest_replaces_the_one_before() -> None:
    files, statistics = made()
    for at in (1.0, 2.0):
        assert save_statistics(files, "/qm", statistics, at=at)
    assert load_statistics(files, "/qm").at == 2.0


@pytest.mark.parametrize("kind", ["write", "open"])
def test_a_disk_that_refuses_is_told_and_harms_nobody(kind: str) -> None:
    files, statistics = made()
    assert save_statistics(files, "/qm", statistics, at=1.0)
    files.fail(kind, PATH + "*", OSError(errno.EIO, os.strerror(errno.EIO)), times=None)
    assert not save_statistics(files, "/qm", statistics, at=2.0)
    files.heal()
    assert load_statistics(files, "/qm").at == 1.0
    assert save_statistics(files, "/qm", statistics, at=3.0)
    assert load_statistics(files, "/qm").at == 3.0


@pytest.mark.parametrize("kind", ["create", "truncate", "write", "rename"])
def test_a_disk_without_room_for_another_takes_it_in_place_of_the_one_before(kind: str) -> None:
    files, statistics = made()
    assert save_statistics(files, "/qm", statistics, at=1000.5)
    files.fail(kind, PATH + ".new", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), times=None)
    assert save_statistics(files, "/qm", statistics, at=2.0)
    assert load_statistics(files, "/qm").at == 2.0
    assert files.list("/qm") == ["log", FILE_NAME], "half a file takes room that others need"


def test_after_a_power_cut_it_is_whole_or_an_error_in_words() -> None:
    files, statistics = made()
    assert save_statistics(files, "/qm", statistics, at=1.0)
    start = files.operations
    seen = set()
    for n in range(1, 5):
        disk = files.copy()
        disk.crash_at = n
        try:
            save_statistics(disk, "/qm", statistics, at=2.0)
        except PowerCut:
            pass
        for left in disk.disk_states(random.Random(n)):
            try:
                seen.add(load_statistics(left, "/qm").at)
            except LogError:
                seen.add(0.0)
    assert {1.0, 2.0} <= seen
    assert start > 0


def test_no_file_is_an_error_in_words() -> None:
    with pytest.raises(LogError, match="no statistics yet"):
        load_statistics(FaultyFiles(), "/qm")
    files, statistics = made()
    save_statistics(files, "/qm", statistics)
    files.fail("open", PATH)
    with pytest.raises(LogError, match="cannot be read"):
        load_statistics(files, "/qm")
    files.heal()
    files.fail("read", PATH)
    with pytest.raises(LogError, match="cannot be read"):
        load_statistics(files, "/qm")


@pytest.mark.parametrize("seed", range(30))
def test_nonsense_in_the_file_is_an_error_in_words(seed: int) -> None:
    rng = random.Random(seed)
    files, statistics = made()
    save_statistics(files, "/qm", statistics)
    content = bytearray(files.content(PATH))
    for _ in range(rng.randrange(1, 20)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    del content[rng.randrange(len(content)) :]
    files.open(PATH).truncate(0)
    files.open(PATH).write(0, bytes(content))
    with pytest.raises(LogError, match="cannot be used"):
        load_statistics(files, "/qm")


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[" * 5000, '{"format":"x"}'])
def test_other_json_is_an_error_in_words(text: str) -> None:
    files, _ = made()
    files.open(PATH, create=True).write(0, text.encode())
    with pytest.raises(LogError, match="cannot be used"):
        load_statistics(files, "/qm")


def test_figures_of_another_release_are_not_taken_for_ours() -> None:
    files, statistics = made()
    save_statistics(files, "/qm", statistics)
    content = json.loads(files.content(PATH))
    del content["figures"]["records"]
    content["figures"]["news"] = 1
    files.open(PATH).truncate(0)
    files.open(PATH).write(0, json.dumps(content).encode())
    saved = load_statistics(files, "/qm")
    assert saved.figures["news"] == 1
    with pytest.raises(LogError, match="another release: they lack records"):
        saved.statistics()
