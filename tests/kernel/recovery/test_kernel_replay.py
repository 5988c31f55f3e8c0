"""The replay table: every type of record has a row and a writer, and what is not understood is never left out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from helper_long_puts import put_long
from helper_media import FOLDER, LINEAR, Life

from libremq.kernel.recovery import catalogue_file, log_room, replay
from libremq.kernel.recovery.log_dump import LogFormatter
from libremq.kernel.recovery.netting import ReplayedUnit
from libremq.kernel.recovery.record_contents import UnknownRecord
from libremq.kernel.recovery.replay import ROWS, Purpose, read_checkpoint
from libremq.kernel.state import journal, object_changes
from libremq.kernel.state.journal import CheckpointState
from libremq.log import LogConfig, Record, RecordType
from libremq.log.log_dump_reader import dump
from libremq.log.records import RESERVED_TYPES
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.stored_message import IMAGE_OVERHEAD

CIRCULAR = LogConfig(file_pages=64)
LATER = 99
"""A type that no release has yet."""


def with_messages(config: LogConfig = LINEAR) -> Life:
    life = Life(config=config)
    life.define("A")
    life.define("B")
    for number in range(3):
        life.put("A", b"%d" % number)
    return life


def written(life: Life, since: int) -> set[int]:
    life.core.log.force()
    return {line.type for line in dump(life.files, f"{FOLDER}/log", from_lsn=since) if isinstance(line, Record)}


# The table


def test_every_type_has_a_row_and_somebody_who_writes_it() -> None:
    life = with_messages()
    since = life.media("A")
    life.get("A")
    life.get("A", syncpoint=True)
    life.backout()
    life.put("A", b"", syncpoint=True)
    life.commit()
    life.qm.xa_start(life.coordinator, b"X")
    life.put("B", b"", syncpoint=True, hconn=life.coordinator)
    life.qm.xa_end(life.coordinator, b"X")
    life.qm.xa_prepare(life.coordinator, b"X")
    log_room.soft_image(life.core, next(iter(life.core.units.values())))
    life.record("ql", "A")
    put_long(life.qm, life.application, "B")
    life.qm.advance_log()
    assert written(life, since) == set(RecordType) == set(ROWS)
    assert [ROWS[number].type for number in ROWS] == list(ROWS)
    life.restart(orderly=False)  # and all of it is understood
    assert life.qm.depth("A") == 3 and len(life.core.units) == 1


def test_reserved_numbers_are_nobodys() -> None:
    assert not RESERVED_TYPES & ROWS.keys()


def test_a_dump_has_words_for_every_type() -> None:
    assert set(LogFormatter()._decoders) == set(ROWS)


def test_every_purpose_is_somebodys_and_every_row_somebodys() -> None:
    assert all(any(purpose & row.counts for row in ROWS.values()) for purpose in Purpose)
    assert {row.type for row in ROWS.values() if not row.counts} == {RecordType.FILLER}


# Records by hand that this release does not understand


def plant(life: Life, kind: int, payload: bytes | Sequence[bytes] = b"", txn: int = 0, flags: int = 0) -> int:
    parts = (payload,) if isinstance(payload, bytes) else tuple(payload)
    lsn = life.core.log.append(kind, txn, 0, parts, flags=flags)
    life.core.log.force()
    return lsn


def as_json(**value: Any) -> bytes:
    return json.dumps(value).encode()


def a_queue(life: Life, **changes: Any) -> dict[str, Any]:
    """The record that would make queue A."""
    queue_id, folder = life.core.queue_files["A"]
    return {"op": "set", "object": {"version": 1, "kind": "QLOCAL", "name": "A", "attributes": {}}, "id": queue_id,
            "folder": folder} | changes  # fmt: skip


def queue_id(life: Life) -> int:
    return life.core.queue_files["A"][0]


def of_queue(life: Life) -> bytes:
    return queue_id(life).to_bytes(4, "little")


IMAGE = bytes(IMAGE_OVERHEAD)
UNKNOWN: dict[str, tuple[str, Callable[[Life], int]]] = {
    "a later type": ("has type 99, which this release does not know", lambda life: plant(life, LATER, b"?")),
    "a reserved type": ("has type 7", lambda life: plant(life, 7)),
    "a flag of a put": ("(PUT) has flags 4", lambda life: plant(life, RecordType.PUT, b"", flags=4)),
    "a flag of an image": ("(MEDIA_IMAGE) has flags 5", lambda life: plant(life, RecordType.MEDIA_IMAGE, b"", flags=5)),
    "a put cut off": ("(PUT) says what", lambda life: plant(life, RecordType.PUT, of_queue(life))),
    "a message in another format": (
        "stored message has format version 0, this release knows 1",
        lambda life: plant(life, RecordType.PUT, journal.put_parts(queue_id(life), 9, 9, 0, 0, (IMAGE,))),
    ),
    "a flag of a message": (
        "flags 2 of the message",
        lambda life: plant(life, RecordType.PUT, of_queue(life) + bytes(13) + b"\x02" + bytes(200)),
    ),
    "a message in parts that are not there": (
        "0 parts are named in",
        lambda life: plant(life, RecordType.PUT, of_queue(life) + bytes(13) + b"\x01" + bytes(200), 7),
    ),
    "a message in more parts than there is room for": (
        "9 parts are named in 60 bytes",
        lambda life: plant(
            life, RecordType.PUT, of_queue(life) + bytes(13) + b"\x01" + bytes(10) + b"\x09" + bytes(59), 7
        ),
    ),
    "a message in parts, in no unit of work": (
        "was put in no unit of work",
        lambda life: plant(life, RecordType.PUT, of_queue(life) + bytes(13) + b"\x01" + bytes(200)),
    ),
    "a reason of a get": (
        "reason 7; known are 0, 1",
        lambda life: plant(life, RecordType.GET, journal.get_parts(queue_id(life), 0, 1, 7)),
    ),
    "an operation undone": (
        "operation undone 2; known are 0, 1",
        lambda life: plant(life, RecordType.COMPENSATION, journal.undo_parts(queue_id(life), 0, 1, 2, 0, 1), txn=77),
    ),
    "an operation on an object": (
        "operation 'rename'; known are 'set', 'delete', 'clear'",
        lambda life: plant(life, RecordType.OBJECT, as_json(op="rename", kind="QLOCAL", name="A", id=queue_id(life))),
    ),
    "a word about an object": ("'colour'", lambda life: plant(life, RecordType.OBJECT, as_json(op="clear", colour=3))),
    "an object that is no text": (
        "an object that cannot be",
        lambda life: plant(life, RecordType.OBJECT, as_json(op="delete", kind=3, name=[], id=0)),
    ),
    "a queue without a folder": (
        "folder '' of a QLOCAL",
        lambda life: plant(life, RecordType.OBJECT, as_json(**a_queue(life, folder=""))),
    ),
    "no JSON": ("(OBJECT) says what", lambda life: plant(life, RecordType.OBJECT, b"{")),
    "a commit with something else": (
        "kind 'QLOCAL'; known are 'CHSYNC'",
        lambda life: plant(life, RecordType.COMMIT, as_json(object={"kind": "QLOCAL"}), txn=77),
    ),
}  # fmt: skip
OF_RESTART: dict[str, tuple[str, Callable[[Life], int]]] = {
    "a part in no unit of work": ("in transaction 0", lambda life: plant(life, RecordType.PUT_PART, bytes(20))),
    "a part behind none": (
        "part 3 of a message, behind 0",
        lambda life: plant(life, RecordType.PUT_PART, bytes(8) + b"\x03" + bytes(20), txn=7),
    ),
    "a part cut off": ("(PUT_PART) says what", lambda life: plant(life, RecordType.PUT_PART, bytes(5), txn=7)),
    "a flag of a part": ("(PUT_PART) has flags 2", lambda life: plant(life, 18, bytes(20), 7, 2)),
    "an operation of a soft image": (
        "operation 3; known are 0, 1",
        lambda life: plant(life, RecordType.SOFT_IMAGE, b"\0\0" + journal.get_parts(queue_id(life), 0, 1, 3)[0], 77),
    ),
    "an object of a later kind": (
        "not the definition of an object that this release knows",
        lambda life: plant(
            life, RecordType.OBJECT,
            as_json(op="set", object={"version": 1, "kind": "GARDEN", "name": "G", "attributes": {}}),
        ),
    ),
    "an attribute of a later release": (
        "attributes this release does not know: COLOUR",
        lambda life: plant(
            life, RecordType.OBJECT,
            as_json(**a_queue(life, object={"version": 1, "kind": "QLOCAL", "name": "A", "attributes": {"COLOUR": 1}})),
        ),
    ),
    "the last part of an image of nothing": (
        "(MEDIA_IMAGE) says what",
        lambda life: plant(life, RecordType.MEDIA_IMAGE, bytes(20), flags=journal.MEDIA_LAST),
    ),
    "a checkpoint start with a word": (
        "3 bytes where there should be none", lambda life: plant(life, RecordType.CHECKPOINT_START, b"now"),
    ),
    "a backout with a word": (
        "3 bytes where there should be none", lambda life: plant(life, RecordType.BACKOUT, b"now", txn=77),
    ),
}  # fmt: skip
EVERYWHERE = [pytest.param(*case, id=name) for name, case in UNKNOWN.items()]
AT_RESTART = [pytest.param(*case, id=name) for name, case in (UNKNOWN | OF_RESTART).items()]


def refused(life: Life) -> str:
    with pytest.raises(MQError) as caught:
        life.start()
    assert caught.value.reason == C.MQRC_OBJECT_DAMAGED
    return str(caught.value)


@pytest.mark.parametrize("config", [CIRCULAR, LINEAR], ids=["circular", "linear"])
@pytest.mark.parametrize(("what", "write"), AT_RESTART)
def test_a_start_is_refused(what: str, write: Callable[[Life], int], config: LogConfig) -> None:
    life = with_messages(config)
    lsn = write(life)
    life.put("A", b"behind it")
    life.stop(orderly=False)
    text = refused(life)
    assert f"the record at LSN {lsn} " in text and what in text, text
    assert f"{FOLDER}/log" in text and "use that one" in text and "dmpmqlog" in text
    assert refused(life) == text  # nothing was changed, so whoever understands it can start it still


@pytest.mark.parametrize("kind", [RecordType.COMMIT, RecordType.BACKOUT])
def test_the_end_of_what_never_began_is_refused(kind: RecordType) -> None:
    life = with_messages()
    lsn = plant(life, kind, txn=77)
    life.stop(orderly=False)
    assert f"the record at LSN {lsn} ends transaction 77, which has not begun" in refused(life)


def test_the_deletion_of_what_is_not_there_is_refused() -> None:
    life = with_messages()
    lsn = plant(life, RecordType.OBJECT, journal.delete_parts("TOPIC", "T", 0))
    life.stop(orderly=False)
    assert f"the record at LSN {lsn} deletes TOPIC T" in refused(life)


@pytest.mark.parametrize(
    ("kind", "what"),
    [(LATER, "has type 99"), (RecordType.CHECKPOINT, "(CHECKPOINT) cannot be part of what is not ended")],
)
def test_what_is_not_understood_in_the_chain_of_a_unit_of_work_is_refused(kind: int, what: str) -> None:
    life = with_messages()
    life.put("A", b"unfinished", syncpoint=True)
    (unit,) = life.core.units.values()
    lsn = life.core.log.append(kind, unit.id, unit.last_lsn, (), reserve=True)
    unit.logged(lsn)
    life.qm.checkpoint()
    life.stop(orderly=False)
    text = refused(life)
    assert f"the record at LSN {lsn} {what}" in text


def test_what_a_unit_of_work_has_undone_may_be_on_a_queue_that_is_gone() -> None:
    life = with_messages(CIRCULAR)
    life.define("C", MAXDEPTH=1, MAXMSGL=1000)
    life.put("B", b"kept", syncpoint=True)
    with pytest.raises(MQError, match="MQRC_Q_FULL"):  # the first segment had room, and was taken back
        life.put("C", bytes(1500), syncpoint=True, MsgFlags=C.MQMF_SEGMENTATION_ALLOWED)
    life.qm.delete("QLOCAL", "C")
    life.qm.checkpoint()
    life.restart(orderly=False)
    assert (life.qm.depth("A"), life.qm.depth("B"), len(life.core.units)) == (3, 0, 0)


def test_an_undo_of_what_was_not_done_damages_one_queue_only() -> None:
    life = with_messages(CIRCULAR)
    life.put("B", b"kept")
    life.get("A", syncpoint=True)
    (unit,) = life.core.units.values()
    parts = journal.undo_parts(queue_id(life), 0, 1, journal.UNDO_PUT, 0, unit.last_lsn)
    life.core.log.append(RecordType.COMPENSATION, unit.id, unit.last_lsn, parts)
    life.stop(orderly=False)
    life.start()
    assert life.get("B") == b"kept"
    with pytest.raises(MQError) as caught:
        life.get("A")
    assert "undoes what transaction" in str(caught.value)


def test_a_long_unit_of_work_is_undone_in_steps_that_do_not_grow() -> None:
    """Each compensation takes out the operation at the end: none is searched for from the beginning."""
    unit = ReplayedUnit()
    queue: Any = object()
    unit.operations = [(0, queue, slot, slot + 1) for slot in range(50)]
    for slot in reversed(range(50)):
        found = replay._take_back(unit, queue, slot)
        assert found is not None and (found[2], len(unit.operations)) == (slot, slot)
    assert replay._take_back(unit, queue, 0) is None


@pytest.mark.parametrize(
    ("record", "what"),
    [
        (Record(40, 80, LATER, 0, 0, 0, b""), "has type 99"),
        (Record(40, 80, RecordType.PUT, 0, 0, 0, b""), "type 'PUT'; known are 'CHECKPOINT'"),
        (Record(40, 80, RecordType.CHECKPOINT, 1, 0, 0, b"{}"), "has flags 1"),
        (Record(40, 80, RecordType.CHECKPOINT, 0, 0, 0, b"{}"), "KeyError: 'redo'"),
        (
            Record(40, 80, RecordType.CHECKPOINT, 0, 0, 0,
                   CheckpointState(40, 1, 1, 1).parts()[0][:-1] + b',"subscriptions":{}}'),
            "subscriptions in a checkpoint",
        ),
    ],
)  # fmt: skip
def test_a_checkpoint_that_is_none_is_refused(record: Record, what: str) -> None:
    with pytest.raises(UnknownRecord) as caught:
        read_checkpoint("log", record)
    assert what in str(caught.value) and "LSN 40" in str(caught.value)


def test_a_catalogue_with_a_later_definition_is_refused() -> None:
    life = with_messages(CIRCULAR)
    life.qm.end()
    (file,) = (name for name in life.files.list(FOLDER) if name.startswith(catalogue_file.NAME))
    generation = int(file.partition(".")[2])
    content = catalogue_file.read(life.files, FOLDER, generation)
    content["objects"][-1]["object"]["attributes"]["COLOUR"] = 1
    catalogue_file.write(life.files, FOLDER, generation, content)
    text = refused(life)
    assert "COLOUR" in text and f"{FOLDER}/{file}" in text and "Use the release that wrote it" in text


# Media recovery


@pytest.mark.parametrize(("what", "write"), EVERYWHERE)
def test_a_queue_is_not_made_anew_over_it(what: str, write: Callable[[Life], int]) -> None:
    life = with_messages()
    content = life.content("A")
    lsn = write(life)
    (result,) = life.recover("ql", "A")
    assert f"LSN {lsn} " in result.problem and what in result.problem, result
    assert life.content("A") == content and not life.core.recovering
    life.put("A", b"it goes on")


@pytest.mark.parametrize("name", ["a later type", "an operation on an object", "a flag of an image"])
def test_a_definition_is_not_read_back_over_it(name: str) -> None:
    what, write = UNKNOWN[name]
    life = with_messages()
    life.qm.define("PROCESS", "P", {"APPLICID": "one"})
    lsn = write(life)
    (result,) = life.recover("process", "P")
    assert f"LSN {lsn} " in result.problem and what in result.problem, result


def test_a_definition_of_a_later_release_is_not_taken() -> None:
    life = with_messages()
    life.qm.define("PROCESS", "P", {"APPLICID": "one"})
    made = {"version": 1, "kind": "PROCESS", "name": "P", "attributes": {"COLOUR": 1}}
    lsn = plant(life, RecordType.OBJECT, as_json(op="set", object=made))
    (result,) = life.recover("process", "P")
    assert f"LSN {lsn} " in result.problem and "COLOUR" in result.problem


def test_a_damaged_queue_whose_log_is_not_understood_stays_damaged_and_the_others_go_on() -> None:
    life = with_messages()
    lsn = plant(life, LATER)
    life.qm.checkpoint()  # a restart does not come across it any more
    life.put("A", b"so that the start looks at the queue")
    life.stop(orderly=False)
    life.files.remove_folder(life.folder_of("A"))
    life.start()
    assert any(text.startswith("AMQ7473") and f"LSN {lsn} has type 99" in text for text in life.said), life.said
    life.put("B", b"works")
    with pytest.raises(MQError):
        life.get("A")


def test_a_catalogue_is_not_made_anew_over_it() -> None:
    life = with_messages()
    lsn = plant(life, LATER)
    life.qm.checkpoint()
    life.stop(orderly=False)
    for name in life.files.list(FOLDER):
        if name.startswith("QMQMOBJCAT"):
            life.files.remove(f"{FOLDER}/{name}")
    assert f"the record at LSN {lsn} has type 99" in refused(life)


# Inspection


@pytest.mark.parametrize(("what", "write"), AT_RESTART)
def test_a_dump_shows_it(what: str, write: Callable[[Life], int]) -> None:
    life = with_messages()
    lsn = write(life)
    formatter = LogFormatter()
    lines = [line for line in dump(life.files, f"{FOLDER}/log") if isinstance(line, Record)]
    (record,) = (line for line in lines if line.lsn == lsn)
    assert f"LSN {lsn}, next {record.next_lsn}" in formatter.render(record)
    assert formatter.describe(record)["flags"] == record.flags
    if record.type not in ROWS:
        assert formatter.describe(record)["type"] == f"TYPE {record.type}"


def test_a_dump_shows_which_queue_was_cleared() -> None:
    life = with_messages()
    object_changes.clear_queue(life.core, life.core.queues["A"])
    life.core.log.force()
    formatter = LogFormatter()
    text = "\n".join(formatter.render(line) for line in dump(life.files, f"{FOLDER}/log"))
    assert "clear QLOCAL A" in text and "not decoded" not in text


# Documentation


def test_the_page_says_the_same_as_the_table() -> None:
    page = Path(__file__).parents[3] / "docs/internals/log-format.md"
    text = page.read_text(encoding="utf-8").partition("<!-- table: replay -->")[2]
    rows = [line.strip("|").split("|") for line in text.split("\n\n")[1].splitlines()[2:]]
    told = {name.strip(): [cell.strip().partition(",")[0] != "no" for cell in cells] for name, *cells in rows}
    assert told == {
        row.type.name: [*(bool(purpose & row.counts) for purpose in Purpose), row.read_back is not None]
        for row in ROWS.values()
    }
    assert {row[0].strip() for row in rows if row[3].strip() == "its own"} == {
        ROWS[number].type.name for number in replay.OF_ONE_QUEUE
    }
    reserved = re.search(r"The numbers ([\d, and]+) are reserved", page.read_text(encoding="utf-8"))
    assert reserved is not None and {int(one) for one in re.findall(r"\d+", reserved[1])} == RESERVED_TYPES
