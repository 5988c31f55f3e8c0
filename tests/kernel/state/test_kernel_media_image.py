"""Media images: what records them, how far they move the oldest extent that media recovery needs, and when not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from helper_media import LINEAR, Life

from libremq.host import lifecycle
from libremq.kernel.recovery.checkpoint import Checkpoint
from libremq.kernel.state import journal, media_image
from libremq.log import LogConfig, RecordType
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock


def images(life: Life) -> list[tuple[str, str, bool]]:
    life.core.log.force()
    found = []
    for record in life.core.log.scan(life.core.log.media):
        if record.type == RecordType.MEDIA_IMAGE:
            header = journal.read_media_header(record.payload)
            found.append((header["kind"], header["name"], bool(record.flags & journal.MEDIA_LAST)))
    return found


def test_a_circular_log_has_no_images() -> None:
    life = Life(config=LogConfig(file_pages=64))
    commands: tuple[Callable[[], object], ...] = (life.record, lambda: life.recover("ql", "*"))
    for command in commands:
        with pytest.raises(MQError, match=r"AMQ7044E.*circular.*LINEAR") as caught:
            command()
        assert caught.value.reason == C.MQRC_ENVIRONMENT_ERROR
    assert life.core.media == {}


def test_creation_records_every_system_object() -> None:
    life = Life()
    assert {(obj.kind, obj.name) for obj in life.core.catalogue} == set(life.core.media)
    assert min(life.core.media.values()) == life.core.log.media


def test_a_new_object_begins_with_the_record_that_makes_it() -> None:
    life = Life()
    life.define("Q")
    life.core.log.force()
    record = life.core.log.read(life.media("Q"))
    assert record.type == RecordType.OBJECT
    life.qm.alter("QLOCAL", "Q", {"maxdepth": 7})
    assert life.media("Q") == record.lsn
    life.qm.delete("QLOCAL", "Q")
    assert ("QLOCAL", "Q") not in life.core.media
    life.define("Q")
    assert life.media("Q") > record.lsn


@pytest.mark.parametrize("orderly", [True, False])
def test_a_restart_knows_where_media_recovery_begins(orderly: bool) -> None:
    life = Life()
    life.define("A")
    life.qm.checkpoint()
    life.record("ql", "A")
    life.define("B")
    life.qm.define("NAMELIST", "N", {"names": ["A"]})
    life.put("A", b"stays")
    media_image.record(life.core, life.core.catalogue.queues["B"])
    before = dict(life.core.media)
    life.restart(orderly=orderly)
    assert life.core.media == before


@pytest.mark.parametrize(
    ("type_name", "pattern", "expected"),
    [
        ("ql", "A*", [("QLOCAL", "A1"), ("QLOCAL", "A2")]),
        ("q", "A*", [("QLOCAL", "A1"), ("QLOCAL", "A2"), ("QALIAS", "AX")]),
        ("qalias", "*X", []),
        ("QALIAS", "AX", [("QALIAS", "AX")]),
        ("nl", "A*", [("NAMELIST", "AN")]),
        ("prcs", "A", [("PROCESS", "A")]),
        ("qmgr", "*", [("QMGR", "QM1")]),
        ("ctlg", "*", [("CATALOG", "QM1")]),
        ("chl", "A*", [("SVRCONN", "AC")]),
        ("LSTR", "A*", [("LISTENER", "AL")]),
        ("topic", "A*", [("TOPIC", "AT")]),
        ("clntconn", "*", [("CLNTCONN", "SYSTEM.DEF.CLNTCONN")]),
        ("authinfo", "*.OCSP", []),
        ("authinfo", "SYSTEM.DEFAULT.AUTHINFO.OCSP", [("OCSP", "SYSTEM.DEFAULT.AUTHINFO.OCSP")]),
        ("syncfile", "*", []),
        (
            "all",
            "A*",
            [
                ("QLOCAL", "A1"),
                ("QLOCAL", "A2"),
                ("QALIAS", "AX"),
                ("PROCESS", "A"),
                ("NAMELIST", "AN"),
                ("SVRCONN", "AC"),
                ("LISTENER", "AL"),
                ("TOPIC", "AT"),
            ],
        ),
    ],
)
def test_selection(type_name: str, pattern: str, expected: list[tuple[str, str]]) -> None:
    life = Life()
    for name in ("A1", "A2", "B"):
        life.define(name)
    life.qm.define("QALIAS", "AX", {"target": "A1"})
    life.qm.define("PROCESS", "A", {})
    life.qm.define("TOPIC", "AT", {"topicstr": "a"})
    life.qm.define("NAMELIST", "AN", {})
    life.qm.define("CHANNEL", "AC", {"chltype": "svrconn"})
    life.qm.define("LISTENER", "AL", {})
    results = life.record(type_name, pattern)
    assert [(one.kind, one.name) for one in results] == expected
    assert not any(one.problem for one in results)
    if type_name != "ctlg":
        assert all(life.core.media[one.kind, one.name] == one.lsn for one in results)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(MQError) as caught:
        Life().record("queues", "*")
    assert caught.value.reason == C.MQRC_OBJECT_TYPE_ERROR


MANUAL = replace(LINEAR, log_management="Manual")


def test_images_of_all_move_the_oldest_extent_forward() -> None:
    life = Life(config=MANUAL)
    life.next_extent()
    life.next_extent()
    assert life.core.log.media_extent == "S0000000.LOG"
    life.record()
    assert life.core.log.media_extent == life.core.log.current_extent == "S0000002.LOG"
    life.core.log.delete_extents()
    assert [name for name in life.files.list("qm/log") if name < "S0000002.LOG" and name.startswith("S")] == []
    life.restart(orderly=False)
    assert life.core.log.media_extent == "S0000002.LOG"


def test_where_extents_are_removed_by_themselves_images_are_recorded_by_themselves() -> None:
    """All but queues with messages: an object that nobody touches must not keep every extent."""
    life = Life()
    for _ in range(4):
        life.next_extent()
    life.qm.checkpoint()
    assert life.core.log.media_extent == life.core.log.current_extent == "S0000004.LOG"
    assert [name for name in life.files.list("qm/log") if name < "S0000004.LOG" and name.startswith("S")] == []


def test_one_queue_without_an_image_holds_the_extents() -> None:
    life = Life()
    life.define("DEEP")
    life.put("DEEP", b"stays")
    life.next_extent()
    for type_name in ("qmgr", "qm", "qa", "qr", "nl", "prcs"):
        life.record(type_name)
    life.record("ql", "S*")
    assert life.core.log.media_extent == "S0000000.LOG"
    life.record("ql", "*")
    assert life.core.log.media_extent == "S0000001.LOG"


def test_an_orderly_end_records_all_but_queues_with_messages() -> None:
    life = Life()
    life.define("DEEP")
    life.define("EMPTY")
    life.define("LOST")  # a non-persistent message is none, as far as the log goes
    life.put("DEEP", b"stays")
    life.put("LOST", b"goes", persistent=False)
    life.next_extent()
    life.restart()
    current = life.extent(life.core.log.tail)
    old = {key for key, lsn in life.core.media.items() if life.extent(lsn) < current}
    assert old == {("QLOCAL", "DEEP")}


def test_an_orderly_end_records_nothing_that_is_in_the_current_extent() -> None:
    life = Life()
    life.restart()
    tail = life.core.log.tail
    life.restart()
    pages = (life.core.log.tail - tail) // 4096
    assert pages < 12  # checkpoints only: the images of the system objects take more than that


def test_an_idle_empty_queue_is_recorded_at_an_orderly_end_although_it_is_not_loaded() -> None:
    life = Life()
    life.define("IDLE")
    life.put("IDLE", b"once")
    life.qm.checkpoint()
    life.get("IDLE")
    for _ in range(3):
        life.qm.checkpoint()
    assert "IDLE" not in life.core.queues
    life.next_extent()
    life.restart()
    assert life.extent(life.media("IDLE")) >= 1


@pytest.mark.parametrize("how", ["get", "commit", "clear", "expiry"])
def test_a_queue_that_goes_empty_is_recorded_once_an_extent(how: str) -> None:
    life = Life()
    life.define("Q")
    life.put("Q", b"1")
    life.put("Q", b"2", Expiry=10)
    life.next_extent()
    began = life.media("Q")
    assert life.get("Q") == b"1"
    assert life.media("Q") == began, "it has a message left"
    if how == "get":
        life.get("Q")
    elif how == "commit":
        life.get("Q", syncpoint=True)
        assert life.media("Q") == began, "the message may come back"
        life.commit()
    elif how == "clear":
        life.qm.clear("Q")
    else:
        life.clock.advance(5)
        life.qm.scan_expired()
    recorded = life.media("Q")
    assert life.extent(recorded) == life.extent(life.core.log.tail)
    life.put("Q", b"3")
    life.get("Q")
    assert life.media("Q") == recorded


def test_a_deep_queue_takes_several_parts_and_more_than_the_log() -> None:
    life = Life()
    life.define("Q")
    capacity = life.core.log.space().capacity_bytes
    data = bytes(60_000)
    count = 2 * capacity // len(data)
    for number in range(count):
        life.put("Q", b"%6d" % number + data)
    content = life.content("Q")
    (result,) = life.record("ql", "Q")
    assert not result.problem
    assert sum(1 for kind, name, _ in images(life) if (kind, name) == ("QLOCAL", "Q")) > 5
    assert life.core.log.tail - result.lsn > capacity
    life.files.remove_folder(life.folder_of("Q"))
    (recovered,) = life.recover("ql", "Q")
    assert not recovered.problem
    assert life.content("Q") == content


def test_an_image_that_finds_no_room_leaves_the_one_before() -> None:
    life = Life()
    life.define("Q")
    life.define("HELD")
    for number in range(80):
        life.put("Q", b"%d" % number + bytes(20_000))
    began = life.media("Q")
    # A unit of work that is too large to be pulled up holds the log
    for number in range(40):
        life.put("HELD", b"%d" % number, syncpoint=True)
    (result,) = life.record("ql", "Q")
    assert "the log is full" in result.problem
    assert (result.lsn, life.media("Q")) == (began, began)
    life.commit()
    (result,) = life.record("ql", "Q")
    assert not result.problem and life.media("Q") > began


def test_a_damaged_queue_is_named_and_the_others_are_recorded() -> None:
    life = Life()
    for name in ("A", "BAD", "C"):
        life.define(name)
        life.put(name, bytes(5000))
    life.restart()
    for name in life.files.list(life.folder_of("BAD")):
        life.files.remove(f"{life.folder_of('BAD')}/{name}")
    results = {one.name: one.problem for one in life.record("ql", "*") if len(one.name) < 4}
    assert list(results) == ["A", "BAD", "C"]
    assert "rcrmqobj" in results["BAD"] and not results["A"] and not results["C"]


def test_a_crash_between_the_parts_of_an_image_leaves_the_one_before() -> None:
    life = Life(config=MANUAL)
    life.define("Q")
    for number in range(12):
        life.put("Q", b"%d" % number + bytes(53_000))
    began, content = life.media("Q"), life.content("Q")
    append, calls = life.core.log.append, []

    class Cut(BaseException):
        pass

    def cut(*args, **kwargs):  # type: ignore[no-untyped-def]
        calls.append(args)
        if len(calls) == 3:
            raise Cut
        return append(*args, **kwargs)

    class CutLog:
        """The log up to the third part."""

        def __getattr__(self, name: str) -> object:
            return cut if name == "append" else getattr(log, name)

    log = life.core.log
    life.core.log = CutLog()  # type: ignore[assignment]
    with pytest.raises(Cut):
        media_image.record(life.core, life.core.catalogue.queues["Q"])
    life.core.log = log
    life.restart(orderly=False)
    assert life.media("Q") == began
    life.files.remove_folder(life.folder_of("Q"))
    assert not life.recover("ql", "Q")[0].problem
    assert life.content("Q") == content


def test_an_image_of_the_time_after_a_checkpoint_began_counts_with_the_next_one() -> None:
    """Until then its last part may be lost, and what it replaces is needed."""
    life = Life()
    life.define("Q")
    life.put("Q", b"stays")
    life.next_extent()
    life.qm.checkpoint()
    content, before = life.content("Q"), dict(life.core.media)
    current = Checkpoint.begin(life.core, life.qm._checkpoint_file)
    current.write()
    current.record()
    current.settle()
    for obj in life.core.catalogue:
        media_image.record(life.core, obj)
    current.complete()
    assert life.core.log.media == min(before.values())
    life.qm.abandon()  # the images are not on disk
    life.start()
    assert life.core.media == before
    assert not life.recover("ql", "Q")[0].problem
    assert life.content("Q") == content


def test_creation_needs_room_for_the_images_in_the_smallest_log() -> None:
    files, clock = FaultyFiles(), VirtualClock()
    smallest = LogConfig(primary_files=2, secondary_files=1, file_pages=64, type="LINEAR")
    lifecycle.create(files, "qm", "QM1", clock, smallest)
    manager = lifecycle.start(files, "qm", "QM1", clock)
    assert manager.core.media
    manager.end()
