"""The catalogue file: what a start makes of it, also of one whose content was seen before."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helper_media import FOLDER, NAME, Life

from libremq.host import lifecycle
from libremq.kernel.objects.object_types import MQObject
from libremq.kernel.recovery import catalogue_file
from libremq.log import LogConfig
from libremq.store.store_errors import StoreDamaged
from libremq.testing import FaultyFiles, VirtualClock

CIRCULAR = LogConfig(primary_files=2, secondary_files=1, file_pages=64)


@pytest.fixture
def files() -> FaultyFiles:
    """Those of a queue manager that was never started, with generation 1 of the catalogue."""
    made = FaultyFiles()
    lifecycle.create(made, FOLDER, NAME, VirtualClock(), CIRCULAR)
    return made


def objects(files: FaultyFiles) -> dict[tuple[str, str], MQObject]:
    return {(one.made.kind, one.made.name): one.made for one in catalogue_file.load(files, FOLDER, 1).entries}


def values(files: FaultyFiles) -> dict[tuple[str, str], dict[str, Any]]:
    return {key: dict(made.__dict__) for key, made in objects(files).items()}


def rewrite(files: FaultyFiles, old: str, new: str) -> None:
    """Change every such text of the content, which stays a good one."""
    text = json.dumps(catalogue_file.read(files, FOLDER, 1))
    assert old in text
    catalogue_file.write(files, FOLDER, 1, json.loads(text.replace(old, new)))


def test_it_says_what_was_written(files: FaultyFiles) -> None:
    content, said = catalogue_file.load(files, FOLDER, 1), catalogue_file.read(files, FOLDER, 1)
    assert (content.log_id, content.next_queue_id) == (said["log_id"], said["next_queue_id"])
    assert [(one.made.name, one.queue_id, one.folder) for one in content.entries] == [
        (one["object"]["name"], one.get("id", 0), one.get("folder", "")) for one in said["objects"]
    ]


def test_who_loads_it_may_change_the_objects(files: FaultyFiles) -> None:
    before = values(files)
    for made in objects(files).values():
        made.__dict__.update(dict.fromkeys(made.__dict__, "changed"))
        made.__dict__["more"] = 1
    assert values(files) == before


def test_another_content_of_the_same_length_is_read_anew(files: FaultyFiles) -> None:
    key = "QLOCAL", "SYSTEM.DEAD.LETTER.QUEUE"
    assert values(files)[key]["descr"] == "Dead-letter queue"
    rewrite(files, "Dead-letter queue", "Dead letters here")
    assert values(files)[key]["descr"] == "Dead letters here"


def test_damage_to_a_content_that_was_seen_before_is_found(files: FaultyFiles) -> None:
    values(files)
    path = catalogue_file.path_of(FOLDER, 1)
    files.overwrite(path, 500, bytes([files.content(path)[500] ^ 1]))
    with pytest.raises(StoreDamaged, match="does not match its checksum"):
        catalogue_file.load(files, FOLDER, 1)


def test_one_that_cannot_be_read_is_refused_each_time(files: FaultyFiles) -> None:
    rewrite(files, '"MAXDEPTH"', '"COLOUR"')
    for _ in range(2):
        with pytest.raises(catalogue_file.OtherVersion, match="COLOUR"):
            catalogue_file.load(files, FOLDER, 1)


def test_a_large_one_is_not_remembered(files: FaultyFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = values(files)
    monkeypatch.setattr(catalogue_file, "_REMEMBERED_BYTES", 1000)
    before = catalogue_file._remembered.cache_info()
    assert values(files) == expected
    assert catalogue_file._remembered.cache_info() == before


def test_what_one_life_alters_and_loses_is_not_in_the_next(files: FaultyFiles) -> None:
    for _ in range(2):
        life = Life(files.copy(), CIRCULAR)
        queue = life.core.catalogue.find_queue("SYSTEM.DEAD.LETTER.QUEUE")
        assert queue is not None and queue.descr == "Dead-letter queue"
        life.qm.alter("QLOCAL", queue.name, {"DESCR": "Mine"})
        assert queue.descr == "Mine"
