"""Media recovery: queues, definitions and the catalogue made anew from the log, by command and at a start."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest
from helper_media import FOLDER, LINEAR, NAME, Life

from libremq.host import lifecycle
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.recovery import catalogue_file, media_recovery
from libremq.kernel.state.image_in_parts import ImageInParts
from libremq.log import Log, LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQOD
from libremq.store.store_errors import StoreDamaged
from libremq.testing import FaultyFiles, VirtualClock
from libremq.testing.faulty_files import PowerCut


def filled() -> Life:
    """Two queues with messages in every state."""
    life = Life()
    for name in ("A", "B"):
        life.define(name)
        for number in range(6):
            life.put(name, b"%s %d " % (name.encode(), number) + bytes(700), Priority=number % 3, Expiry=6000)
        life.get(name, syncpoint=True)
        life.backout()
    life.qm.checkpoint()
    for name in ("A", "B"):
        life.put(name, b"of the unit of work", syncpoint=True)
        life.get(name, syncpoint=True)
    return life


def in_doubt(life: Life, xid: bytes, *queues: str) -> None:
    """A prepared branch with a put and a get on each queue."""
    life.qm.xa_start(life.coordinator, xid)
    for queue in queues:
        life.put(queue, b"put by " + xid, syncpoint=True, hconn=life.coordinator)
        life.get(queue, syncpoint=True, hconn=life.coordinator)
    life.qm.xa_end(life.coordinator, xid)
    life.qm.xa_prepare(life.coordinator, xid)


def but_for_ids(content: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(row[0], *row[2:]) for row in content[:-1]]


@pytest.mark.parametrize("image", ["none", "before", "after"])
@pytest.mark.parametrize("end", ["commit", "backout"])
def test_a_queue_is_recovered_while_a_unit_of_work_is_open(image: str, end: str) -> None:
    life = Life()
    life.define("A")
    for number in range(6):
        life.put("A", b"%d" % number)
    if image == "before":
        life.record("ql", "A")
    life.put("A", b"new", syncpoint=True)
    life.get("A", syncpoint=True)
    if image == "after":
        life.record("ql", "A")
    content = life.content("A")
    assert life.recover("ql", "A") == [("QLOCAL", "A", life.media("A"), "")]
    assert life.content("A") == content
    if end == "commit":
        life.commit()
        assert [life.get("A") for _ in range(6)] == [b"1", b"2", b"3", b"4", b"5", b"new"]
    else:
        life.backout()
        assert [life.get("A") for _ in range(6)] == [b"0", b"1", b"2", b"3", b"4", b"5"]
    assert life.qm.depth("A") == 0


@pytest.mark.parametrize("seed", range(12))
def test_whatever_was_damaged_the_queue_comes_back_at_the_next_start_or_by_command(seed: int) -> None:
    rng = random.Random(seed)
    life = filled()
    in_doubt(life, b"X1", "A", "B")
    life.commit()
    if rng.random() < 0.5:
        life.record("ql", "A")
    contents = {name: life.content(name) for name in ("A", "B")}
    life.qm.end()
    what = life.damage("A", rng)
    life.start()
    assert life.content("B") == contents["B"]
    results = life.recover("ql", "A")
    assert not results[0].problem, what
    assert life.content("A") == contents["A"], what
    life.qm.xa_commit(life.coordinator, b"X1")
    life.restart(orderly=rng.random() < 0.5)
    assert len(life.content("A")) == len(contents["A"]) - 1  # the get of the branch is one less
    assert life.core.damaged == {}


def test_a_start_recovers_damaged_queues_by_itself_and_says_so() -> None:
    life = filled()
    life.commit()
    content = life.content("A")
    life.core.log.force()
    life.qm.abandon()
    life.files.remove_folder(life.folder_of("A"))
    life.start()
    assert any("Object A, type queue damaged" in text for text in life.said)
    assert any("Queue A was damaged and is recreated" in text for text in life.said)
    assert life.content("A") == content
    assert life.folder_of("A") != f"{FOLDER}/queues/A"
    life.restart(orderly=False)
    assert life.content("A") == content
    assert sum("is recreated" in text for text in life.said) == 1


def test_a_recovered_queue_moves_back_the_next_time() -> None:
    life = filled()
    life.commit()
    content = life.content("A")
    for folder in ("A#", "A", "A#"):
        assert not life.recover("ql", "A")[0].problem
        assert life.core.queue_files["A"][1] == folder
        assert [name for name in life.files.list("qm/queues") if name.startswith("A")] == [folder]
        assert life.content("A") == content
    life.qm.alter("QLOCAL", "A", {"maxdepth": 99})
    life.restart(orderly=False)
    assert life.content("A") == content


def test_a_crash_before_the_checkpoint_finds_the_queue_where_it_was() -> None:
    life = filled()
    life.commit()
    life.qm.checkpoint()
    definition = life.core.catalogue.queues["A"]
    assert isinstance(definition, LocalQueue)
    recovery = media_recovery.QueueRecovery(life.core, definition)
    recovery.finish()
    life.qm.alter("QLOCAL", "A", {"maxdepth": 99})  # the record names the new folder
    life.put("A", bytes(3000))
    life.put("A", b"late")
    content = life.content("A")
    life.restart(orderly=False)
    assert life.folder_of("A") == "qm/queues/A"
    assert life.content("A") == content
    assert not any("damaged" in text for text in life.said)


def test_an_open_queue_is_refused() -> None:
    life = filled()
    hobj = life.qm.open(life.application, MQOD(ObjectName="A"), C.MQOO_INPUT_SHARED)
    (result,) = life.recover("ql", "A")
    assert "it is open" in result.problem
    assert not life.core.recovering
    life.qm.close(life.application, hobj)
    assert not life.recover("ql", "A")[0].problem


def test_nonpersistent_messages_are_gone_also_from_units_of_work() -> None:
    life = Life()
    life.define("A")
    life.put("A", b"stays")
    life.put("A", b"goes", persistent=False)
    life.put("A", b"goes too", persistent=False, syncpoint=True)
    life.put("A", b"comes", syncpoint=True)
    assert not life.recover("ql", "A")[0].problem
    life.commit()
    assert [life.get("A"), life.get("A")] == [b"stays", b"comes"]
    assert life.qm.depth("A") == 0


def test_units_of_work_that_ended_while_the_queue_was_damaged() -> None:
    """One committed, one backed out, one still in doubt, by a queue manager that could not look at the queue."""
    life = Life()
    for name in ("A", "B"):
        life.define(name)
        for number in range(5):
            life.put(name, b"%d" % number)
    in_doubt(life, b"X1", "A", "B")
    in_doubt(life, b"X2", "A", "B")
    in_doubt(life, b"X3", "A", "B")
    queue = life.core.queues["A"]
    life.core.note_damage(queue, StoreDamaged("A", queue.store.folder, "for this test", "Recover it"))
    life.qm.xa_commit(life.coordinator, b"X1")
    life.qm.xa_rollback(life.coordinator, b"X2")
    with pytest.raises(MQError) as caught:
        life.get("A")
    assert caught.value.reason == C.MQRC_OBJECT_DAMAGED
    life.qm.checkpoint()
    life.core.log.force()
    assert not life.recover("ql", "A")[0].problem
    assert but_for_ids(life.content("A")) == but_for_ids(life.content("B"))
    life.qm.xa_rollback(life.coordinator, b"X3")
    assert but_for_ids(life.content("A")) == but_for_ids(life.content("B"))


def test_a_part_of_a_unit_of_work_that_was_undone_while_the_queue_was_damaged() -> None:
    life = Life()
    for name in ("A", "B"):
        life.define(name)
        life.put(name, b"got")
    life.put("A", b"comes", syncpoint=True)
    unit = life.core.connections[life.application].unit
    queue = life.core.queues["A"]
    with pytest.raises(RuntimeError), life.core.all_or_nothing(unit):
        life.put("A", b"undone", syncpoint=True)
        life.get("A", syncpoint=True)
        life.core.note_damage(queue, StoreDamaged("A", queue.store.folder, "for this test", "Recover it"))
        raise RuntimeError
    life.commit()
    assert not life.recover("ql", "A")[0].problem
    assert [row[5] for row in life.content("A")[:-1]] == [1, 0]
    assert [life.get("A"), life.get("A")] == [b"got", b"comes"]
    assert life.qm.depth("A") == 0


@pytest.mark.parametrize("checkpoint", [True, False])
def test_a_damaged_queue_whose_units_of_work_a_restart_backs_out(checkpoint: bool) -> None:
    life = filled()
    queue = life.core.queues["A"]
    life.core.note_damage(queue, StoreDamaged("A", queue.store.folder, "for this test", "Recover it"))
    life.backout()
    if checkpoint:
        life.qm.checkpoint()
    life.restart(orderly=False)  # without the checkpoint the files are all right, and nobody knows of damage
    assert [row[0][1:] for row in life.content("A")[:-1]] == [row[0][1:] for row in life.content("B")[:-1]]
    assert [row[5] for row in life.content("A")[:-1]] == [row[5] for row in life.content("B")[:-1]]
    seen = life.content("A")
    assert not life.recover("ql", "A")[0].problem
    assert life.content("A") == seen


def test_a_queue_noted_as_damaged_is_not_loaded_by_a_later_start() -> None:
    """What a checkpoint could not write is of an earlier moment, however readable it is."""
    life = Life(config=LogConfig(file_pages=64))
    life.define("A")
    life.put("A", b"1")
    life.qm.checkpoint()
    queue = life.core.queues["A"]
    life.core.note_damage(queue, StoreDamaged("A", queue.store.folder, "for this test", "Recover it"))
    life.restart()
    with pytest.raises(MQError) as caught:
        life.qm.depth("A")
    assert caught.value.reason == C.MQRC_OBJECT_DAMAGED


@pytest.mark.parametrize("seed", range(4))
def test_a_queue_that_was_deleted_and_defined_again(seed: int) -> None:
    life = filled()
    life.commit()
    life.qm.delete("QLOCAL", "A", purge=True)
    life.define("A", maxdepth=77)
    life.put("A", b"of the new one")
    content = life.content("A")
    life.qm.end()
    life.damage("A", random.Random(seed))
    life.start()
    assert not life.recover("ql", "A")[0].problem
    assert life.content("A") == content


def test_a_missing_extent_is_named_and_nothing_is_changed() -> None:
    life = Life(config=LogConfig(file_pages=64, type="LINEAR"))
    life.define("A")
    life.put("A", b"stays")
    for _ in range(6):
        life.next_extent()
    life.qm.checkpoint()
    content = life.content("A")
    kept = life.files.content("qm/log/S0000001.LOG")
    life.qm.abandon()
    life.files.remove("qm/log/S0000001.LOG")
    life.start()
    (result,) = life.recover("ql", "A")
    assert "S0000001.LOG" in result.problem and "archive" in result.problem
    assert life.content("A") == content
    assert life.qm.failure is None
    life.files.open("qm/log/S0000001.LOG", create=True).write(0, kept)
    assert not life.recover("ql", "A")[0].problem
    assert life.content("A") == content


def test_a_queue_that_cannot_be_recovered_at_a_start_stays_damaged_and_the_others_go_on() -> None:
    life = Life(config=LogConfig(file_pages=64, type="LINEAR"))
    life.define("A")
    life.define("B")
    life.put("A", b"a")
    for _ in range(6):
        life.next_extent()
    life.qm.checkpoint()
    life.put("A", b"more")
    life.put("B", b"b")
    life.core.log.force()
    life.qm.abandon()
    kept = life.files.content("qm/log/S0000000.LOG")
    life.files.remove("qm/log/S0000000.LOG")
    life.files.remove_folder("qm/queues/A")
    life.start()
    assert any("Queue A stays damaged" in text and "S0000000.LOG" in text for text in life.said)
    assert life.get("B") == b"b"
    life.files.open("qm/log/S0000000.LOG", create=True).write(0, kept)
    assert not life.recover("ql", "A")[0].problem
    assert [life.get("A"), life.get("A")] == [b"a", b"more"]


def test_a_full_disk_leaves_all_as_it_was() -> None:
    life = filled()
    life.commit()
    content = life.content("A")
    life.core.log.force()
    life.files.set_free_space(100)
    (result,) = life.recover("ql", "A")
    assert result.problem
    life.files.heal()
    assert life.core.recovering == {}
    assert life.content("A") == content
    assert not life.recover("ql", "A")[0].problem
    assert life.content("A") == content


def test_definitions_are_read_back_from_the_log() -> None:
    life = Life()
    life.qm.define("QALIAS", "AX", {"target": "A"})
    life.qm.define("NAMELIST", "N", {"names": ["A", "B"]})
    life.record("nl", "N")
    life.qm.alter("QALIAS", "AX", {"target": "B"})
    life.qm.alter("NAMELIST", "N", {"names": ["C"]})
    life.qm.alter("QMGR", "", {"descr": "altered"})
    wanted = {(obj.kind, obj.name): to_record(obj) for obj in life.core.catalogue}
    for key, attribute in ((("QALIAS", "AX"), "target"), (("NAMELIST", "N"), "names"), (("QMGR", NAME), "descr")):
        obj = life.core.catalogue.find(*key)
        assert obj is not None
        obj.__dict__[attribute] = "wrong"
    results = life.recover("all", "*")
    assert not any(result.problem for result in results)
    assert len(results) == len(life.core.catalogue)
    assert {(obj.kind, obj.name): to_record(obj) for obj in life.core.catalogue} == wanted


@pytest.mark.parametrize("kind", ["flip", "gone", "empty"])
def test_a_damaged_catalogue_is_made_anew_at_a_start(kind: str) -> None:
    life = filled()
    life.commit()
    life.qm.define("NAMELIST", "N", {"names": ["A"]})
    life.record("all", "*")
    life.qm.alter("NAMELIST", "N", {"names": ["A", "B"]})
    life.recover("ql", "A")  # it is in another folder now
    life.define("GONE")
    life.qm.delete("QLOCAL", "GONE")
    life.qm.checkpoint()
    life.define("LATE")  # behind the checkpoint
    wanted = {(obj.kind, obj.name): to_record(obj) for obj in life.core.catalogue}
    media, places = dict(life.core.media), dict(life.core.queue_files)
    contents = {name: life.content(name) for name in ("A", "B")}
    path = catalogue_file.path_of(FOLDER, life.core.catalogue_generation)
    life.core.log.force()
    life.qm.abandon()
    if kind == "flip":
        life.files.overwrite(path, 100, bytes([life.files.content(path)[100] ^ 4]))
    elif kind == "gone":
        life.files.remove(path)
    else:
        life.files.open(path).truncate(0)
    life.start()
    assert any("catalogue" in text and "made anew" in text and path in text for text in life.said)
    assert {(obj.kind, obj.name): to_record(obj) for obj in life.core.catalogue} == wanted
    assert (life.core.media, dict(life.core.queue_files)) == (media, places)
    assert {name: life.content(name) for name in ("A", "B")} == contents
    life.restart()
    assert {name: life.content(name) for name in ("A", "B")} == contents


def test_a_damaged_catalogue_of_a_circular_log_and_one_of_another_release_are_refused() -> None:
    for config, offset in ((LogConfig(file_pages=64), 100), (LINEAR, 4)):
        files, clock = FaultyFiles(), VirtualClock()
        lifecycle.create(files, "qm", "QM1", clock, config)
        path = catalogue_file.path_of("qm", 1)
        files.overwrite(path, offset, bytes([files.content(path)[offset] ^ 8]))
        with pytest.raises(MQError) as caught:
            lifecycle.start(files, "qm", "QM1", clock)
        assert caught.value.reason == C.MQRC_OBJECT_DAMAGED
        assert path in str(caught.value)


class Watched(AbstractContextManager[object]):
    """A lock that lets somebody else in whenever it is let go."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.between: list[Callable[[], object]] = []

    def __enter__(self) -> object:
        return self.lock.__enter__()

    def __exit__(self, *exc: object) -> None:
        self.lock.__exit__(None, None, None)
        if self.between:
            self.between.pop(0)()


def test_the_queue_is_used_while_the_log_is_read() -> None:
    life = filled()
    life.commit()
    lock = Watched()
    # After the selection, and after the start of the recovery
    lock.between = [partial(life.put, "A", b"one"), partial(life.put, "A", b"two"), partial(life.get, "A")]
    before = len(life.content("A"))
    (result,) = media_recovery.recover_objects(life.qm, "ql", "A", lock)
    assert not result.problem
    assert len(life.content("A")) == before + 1
    assert life.content("A")[-2][0] == b"two"


def test_the_queue_is_deleted_while_the_log_is_read() -> None:
    life = filled()
    life.commit()
    lock = Watched()
    lock.between = [lambda: None, lambda: life.qm.delete("QLOCAL", "A", purge=True)]
    (result,) = media_recovery.recover_objects(life.qm, "ql", "A", lock)
    assert "deleted" in result.problem
    life.define("A")
    life.put("A", b"new")
    life.restart()
    assert life.get("A") == b"new"


def damaged_disk(seed: int) -> tuple[FaultyFiles, dict[str, list[tuple[Any, ...]]]]:
    """A disk with a damaged queue that a start has to recover, and what must be there afterwards."""
    life = filled()
    in_doubt(life, b"X1", "A")
    life.commit()
    if seed % 2:
        life.record("ql", "A")
    life.put("A", b"late")
    contents = {name: life.content(name) for name in ("A", "B")}
    life.core.log.force()
    life.qm.abandon()
    life.damage("A", random.Random(seed))
    return life.files, contents


@pytest.mark.parametrize("seed", range(2))
def test_the_power_fails_at_every_operation_of_a_recovery(seed: int) -> None:
    """Damaged or recovered, never anything else."""
    template, contents = damaged_disk(seed)
    rng = random.Random(seed)
    at = restarts = 0
    while True:
        at += 1
        disk = template.copy()
        disk.crash_at = at
        try:
            life = Life(disk)
            life.recover("ql", "A")
        except PowerCut:
            pass
        else:
            break
        for after in disk.disk_states(rng, 2):
            restarts += 1
            life = Life(after)
            assert life.content("B") == contents["B"]
            try:
                found = life.content("A")
            except StoreDamaged:
                assert not life.recover("ql", "A")[0].problem
                found = life.content("A")
            assert found == contents["A"], f"operation {at}, {after.label}"
            life.qm.abandon()
    assert life.content("A") == contents["A"]
    assert restarts > 60


def test_a_queue_that_is_unloaded_between_two_parts_of_its_image_goes_on_counting() -> None:
    """Else a message gets a number from before the image began: its put is repeated then, and its get is not."""
    life = Life()
    life.define("A")
    for _ in range(40):
        life.put("A", bytes(20_000))
    life.qm.checkpoint()
    for _ in range(5):
        life.put("A", b"passing", persistent=False, Priority=9)
        life.get("A")
    definition = life.core.catalogue.find("QLOCAL", "A")
    assert isinstance(definition, LocalQueue)
    image = ImageInParts(life.core, definition)
    assert not image.log_part()
    life.qm.checkpoint()
    assert "A" not in life.core.queues
    life.put("A", b"once only", Priority=9)
    assert life.get("A") == b"once only"
    while not image.log_part():
        pass
    expected = life.content("A")
    assert not life.recover("ql", "A")[0].problem
    assert life.content("A") == expected


def test_a_recovery_that_cannot_begin_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    life = filled()
    life.qm.commit(life.application)
    definition = life.core.catalogue.find_queue("A")
    assert isinstance(definition, LocalQueue)
    before = life.files.list(f"{FOLDER}/queues")

    def interrupted(log: Log, lsn: int | None = None) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Log, "force", interrupted)
        media_recovery.QueueRecovery(life.core, definition)
    assert not life.core.recovering and life.files.list(f"{FOLDER}/queues") == before
    assert life.recover("ql", "A")[0].problem == ""
