"""An image that is logged in parts, with the work of others between them; and objects that have none."""

from __future__ import annotations

import errno

import pytest
from helper_media import Life

from libremq.kernel.objects.object_types import MQObject
from libremq.kernel.state import image_in_parts
from libremq.kernel.state.image_in_parts import ImageGivenUp, ImageInParts
from libremq.mqi import constants as C


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_in_parts, "PART_BYTES", 2000)


def the_object(life: Life, name: str, kind: str = "QLOCAL") -> MQObject:
    found = life.core.catalogue.find(kind, name)
    assert found is not None
    return found


def deep(count: int = 10) -> Life:
    life = Life()
    life.define("Q")
    for number in range(count):
        life.put("Q", b"%d" % number + bytes(900))
    return life


def test_what_happens_between_two_parts_is_recovered_too() -> None:
    life = deep()
    before = life.media("Q")
    image = ImageInParts(life.core, the_object(life, "Q"))
    assert not image.log_part()
    assert life.get("Q")[:1] == b"0"  # it is described
    life.put("Q", b"new")
    for number in range(1, 6):
        assert life.get("Q")[:1] == b"%d" % number  # the last of these are not yet
    life.put("Q", b"last", syncpoint=True)
    assert life.get("Q", syncpoint=True)[:1] == b"6"
    assert life.media("Q") == before
    while not image.log_part():
        pass
    assert life.media("Q") > before
    wanted = life.content("Q")
    assert [row[0][:3] for row in wanted[:-1]] == [b"7\0\0", b"8\0\0", b"9\0\0", b"new", b"6\0\0", b"las"]
    (result,) = life.recover("ql", "Q")
    assert not result.problem and life.content("Q") == wanted
    life.backout()
    assert life.get("Q")[:1] == b"6"


def test_what_happens_before_the_first_part_is_in_it() -> None:
    """rcdmqimg lets others go on there, and a full log may make an image wait."""
    life = deep()
    image = ImageInParts(life.core, the_object(life, "Q"))
    life.put("Q", b"acknowledged")
    life.get("Q")
    life.qm.alter("QLOCAL", "Q", {"maxdepth": 77})
    while not image.log_part():
        pass
    wanted = life.content("Q")
    (result,) = life.recover("ql", "Q")
    assert not result.problem and life.content("Q") == wanted
    assert any(row[0] == b"acknowledged" for row in wanted[:-1])


@pytest.mark.parametrize("kind", ["PROCESS", "NAMELIST"])
def test_a_definition_that_changes_before_its_image_is_logged_is_recovered_as_it_is(kind: str) -> None:
    life = deep()
    life.qm.define(kind, "Q", {})  # the queue of that name is not in the way
    image = ImageInParts(life.core, the_object(life, "Q", kind))
    life.qm.alter(kind, "Q", {"descr": "later"})
    assert image.log_part()
    life.recover(kind.lower(), "Q")
    assert the_object(life, "Q", kind).descr == "later"  # type: ignore[attr-defined]


def test_an_image_of_which_the_queue_is_gone_is_given_up() -> None:
    life = deep()
    image = ImageInParts(life.core, the_object(life, "Q"))
    image.log_part()
    life.qm.delete("QLOCAL", "Q", purge=True)
    life.define("Q")
    made = life.media("Q")
    with pytest.raises(ImageGivenUp):
        image.log_part()
    assert life.media("Q") == made


def test_an_image_of_a_queue_that_is_gone_before_it_is_begun_is_given_up() -> None:
    life = deep()
    queue = the_object(life, "Q")
    life.qm.delete("QLOCAL", "Q", purge=True)
    with pytest.raises(ImageGivenUp):
        ImageInParts(life.core, queue).log_part()


def test_one_object_that_cannot_be_read_does_not_stop_the_images_of_others() -> None:
    life = deep()
    life.define("R")
    life.restart()
    life.files.fail("open", f"{life.folder_of('Q')}/*", OSError(errno.EMFILE, "too many open files"), times=None)
    results = {result.name: result.problem for result in life.record("ql", "*")}
    assert results["Q"] and not results["R"]


def test_of_two_images_at_a_time_only_the_one_that_ends_first_counts() -> None:
    life = deep()
    image = ImageInParts(life.core, the_object(life, "Q"))
    image.log_part()
    (result,) = life.record("ql", "Q")
    assert not result.problem
    with pytest.raises(ImageGivenUp):
        while not image.log_part():
            pass
    assert life.media("Q") == result.lsn
    life.restart(orderly=False)
    assert life.media("Q") == result.lsn


def test_a_definition_that_changes_meanwhile_is_not_taken_back_by_the_image() -> None:
    life = deep()
    image = ImageInParts(life.core, the_object(life, "Q"))
    image.log_part()
    life.qm.alter("QLOCAL", "Q", {"maxdepth": 77})
    while not image.log_part():
        pass
    life.qm.checkpoint()
    life.stop()
    for name in life.files.list("qm"):
        if name.startswith("QMQMOBJCAT"):
            life.files.overwrite(f"qm/{name}", 40, b"\xff" * 40)
    life.start()
    assert any("AMQ7475" in text for text in life.said)
    assert the_object(life, "Q").maxdepth == 77  # type: ignore[attr-defined]


# IMGRCOVQ and IMGRCOVO


def test_a_queue_that_is_not_recoverable_is_neither_recorded_nor_recovered_nor_in_the_way() -> None:
    life = deep()
    life.qm.alter("QLOCAL", "Q", {"imgrcovq": C.MQIMGRCOV_NO})
    for result in (*life.record("ql", "Q"), *life.recover("ql", "Q")):
        assert "IMGRCOVQ(NO)" in result.problem
    assert "Q" not in {result.name for result in life.record("all", "*")}
    wanted = life.content("Q")
    life.next_extent()
    life.record("all", "*")
    assert life.extent(life.media("Q")) == life.extent(life.core.log.tail)  # its definition only, for the catalogue
    assert life.content("Q") == wanted
    life.restart(orderly=False)
    assert life.content("Q") == wanted


def test_an_image_without_messages_never_makes_a_queue_empty() -> None:
    life = deep()
    life.qm.alter("QLOCAL", "Q", {"imgrcovq": C.MQIMGRCOV_NO})
    life.record("all", "*")
    life.core.catalogue.alter("QLOCAL", "Q", {"imgrcovq": C.MQIMGRCOV_YES}, 0.0)  # and nobody records one
    (result,) = life.recover("ql", "Q")
    assert "without messages" in result.problem
    assert len(life.content("Q")) == 11


def test_a_queue_that_becomes_recoverable_is_recorded() -> None:
    life = deep()
    life.qm.alter("QLOCAL", "Q", {"imgrcovq": C.MQIMGRCOV_NO})
    life.record("all", "*")
    life.qm.alter("QLOCAL", "Q", {"imgrcovq": C.MQIMGRCOV_AS_Q_MGR})
    for _ in range(40):
        life.qm.tick()
    (result,) = life.recover("ql", "Q")
    assert not result.problem
    assert len(life.content("Q")) == 11


def test_imgrcovo_is_about_all_definitions_but_those_of_queues_with_messages_and_topics() -> None:
    life = Life()
    life.qm.alter("QMGR", life.qm.name, {"imgrcovo": C.MQIMGRCOV_NO})
    concerned = {obj.kind for obj in life.core.catalogue if not image_in_parts.is_recoverable(life.core, obj)}
    assert {obj.kind for obj in life.core.catalogue} - concerned == {
        "QMGR", "QLOCAL", "QMODEL", "TOPIC", "COMMINFO", "CHLAUTH",
    }  # fmt: skip


def test_definitions_that_are_not_recoverable() -> None:
    life = Life()
    life.qm.define("NAMELIST", "N", {})
    life.qm.alter("QMGR", life.qm.name, {"imgrcovo": C.MQIMGRCOV_NO})
    (result,) = life.recover("nl", "N")
    assert "IMGRCOVO(NO)" in result.problem
    (result,) = life.record("nl", "N")
    assert "IMGRCOVO(NO)" in result.problem
    assert not any(result.problem for result in life.record("top", "*"))
