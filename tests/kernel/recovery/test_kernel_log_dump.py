"""The log in words: what people read about puts, gets, units of work, objects and checkpoints, and what they do not."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from helper_media import Life
from helper_qmgr import Session

from libremq.kernel.recovery.log_dump import DATA_SHOWN_MAX, LogFormatter, queue_names
from libremq.kernel.state import journal
from libremq.log import Record, RecordType
from libremq.log.log_dump_reader import DumpEnd, DumpExtent, DumpGap, dump
from libremq.mqi import constants as C

PERSISTENT = C.MQPER_PERSISTENT
SECRET = b"the combination is 4711"


def facts_of(session: Session, *, show_data: bool = False, names: dict[int, str] | None = None) -> list[dict[str, Any]]:
    session.core.log.force()
    formatter = LogFormatter(queue_names(session.core.files, "qm") if names is None else names, show_data=show_data)
    return [formatter.describe(line) for line in dump(session.core.files, "qm/log")]


def records_of(session: Session, kind: str, **options: Any) -> list[dict[str, Any]]:
    return [facts for facts in facts_of(session, **options) if facts.get("type") == kind]


def text_of(session: Session, *, show_data: bool = False) -> str:
    session.core.log.force()
    formatter = LogFormatter(queue_names(session.core.files, "qm"), show_data=show_data)
    return "\n".join(formatter.render(line) for line in dump(session.core.files, "qm/log"))


@pytest.fixture
def session() -> Session:
    session = Session()
    session.queue("ORDERS")
    return session


def test_a_put_names_queue_slot_message_and_lengths(session: Session) -> None:
    md = session.put("ORDERS", SECRET, Persistence=PERSISTENT, Format="MQSTR", Priority=4)
    (put,) = records_of(session, "PUT")
    assert put["queue"] == "ORDERS"
    assert put["queue_id"] == session.core.queue_files["ORDERS"][0]
    assert (put["slot"], put["sequence"], put["priority"], put["transaction"]) == (0, 1, 4, 0)
    assert put["message_id"] == md.MsgId.hex()
    assert (put["format"], put["persistence"]) == ("MQSTR", "persistent")
    assert (put["data_bytes"], put["properties_bytes"]) == (len(SECRET), 0)


def test_data_is_hidden_unless_asked_for(session: Session) -> None:
    session.put("ORDERS", SECRET, Persistence=PERSISTENT)
    hidden = json.dumps(facts_of(session)) + text_of(session)
    assert SECRET.hex() not in hidden
    assert SECRET.decode() not in hidden
    (put,) = records_of(session, "PUT", show_data=True)
    assert (put["data_hex"], put["data_cut"]) == (SECRET.hex(), False)
    assert "74 68 65 20 63 6f 6d 62 69 6e 61 74 69 6f 6e 20  the combination " in text_of(session, show_data=True)


def test_of_long_data_only_the_first_bytes_are_shown(session: Session) -> None:
    session.put("ORDERS", bytes(range(256)) * 40, Persistence=PERSISTENT)
    (put,) = records_of(session, "PUT", show_data=True)
    assert put["data_bytes"] == 10240
    assert bytes.fromhex(put["data_hex"]) == (bytes(range(256)) * 40)[:DATA_SHOWN_MAX]
    assert put["data_cut"]
    assert "data, the first bytes:" in text_of(session, show_data=True)


def test_a_unit_of_work_is_a_chain(session: Session) -> None:
    session.put("ORDERS", b"1", Persistence=PERSISTENT, syncpoint=True)
    session.put("ORDERS", b"2", Persistence=PERSISTENT, syncpoint=True)
    session.qm.commit(session.hconn)
    lines = facts_of(session)
    chain = [facts for facts in lines if facts.get("transaction")]
    assert [facts["type"] for facts in chain] == ["PUT", "PUT", "COMMIT"]
    assert len({facts["transaction"] for facts in chain}) == 1
    assert [facts["previous_lsn"] for facts in chain] == [0, chain[0]["lsn"], chain[1]["lsn"]]
    text = text_of(session)
    assert f"RECORD COMMIT - LSN {chain[2]['lsn']}, next {chain[2]['next_lsn']}" in text
    assert f"transaction {chain[2]['transaction']}, previous LSN {chain[1]['lsn']}" in text


def test_gets_and_backouts_say_what_they_concern(session: Session) -> None:
    session.put("ORDERS", b"1", Persistence=PERSISTENT)
    session.get("ORDERS", syncpoint=True)
    session.qm.backout(session.hconn)
    session.get("ORDERS")
    gets = records_of(session, "GET")
    assert [(get["queue"], get["slot"], get["sequence"], get["why"]) for get in gets] == [("ORDERS", 0, 1, "got")] * 2
    (undo,) = records_of(session, "COMPENSATION")
    assert (undo["queue"], undo["undone"], undo["backout_count"]) == ("ORDERS", "GET", 1)
    assert undo["undoes_lsn"] == gets[0]["lsn"]
    assert len(records_of(session, "BACKOUT")) == 1


def test_object_changes_are_shown_and_teach_names(session: Session) -> None:
    session.queue("LATER", descr="made after the catalogue was written")
    session.put("LATER", b"1", Persistence=PERSISTENT)
    session.get("LATER")
    session.qm.delete("QLOCAL", "LATER")
    made, gone = (facts for facts in records_of(session, "OBJECT") if facts["object"] == "LATER")
    assert (made["operation"], made["object_type"], made["folder"]) == ("set", "QLOCAL", "LATER")
    assert made["attributes"]["DESCR"] == "made after the catalogue was written"
    assert (gone["operation"], gone["id"]) == ("delete", made["id"])
    assert records_of(session, "PUT", names={})[-1]["queue"] == "LATER"
    assert "delete QLOCAL LATER" in text_of(session)


def test_checkpoints_show_their_content(session: Session) -> None:
    session.put("ORDERS", b"kept", Persistence=PERSISTENT)
    session.put("ORDERS", b"1", Persistence=PERSISTENT, syncpoint=True)
    session.qm.take_checkpoint()
    checkpoint = records_of(session, "CHECKPOINT")[-1]
    (unit,) = checkpoint["transactions"]
    put = records_of(session, "PUT")[-1]
    assert unit == {
        "transaction": put["transaction"], "first_lsn": put["lsn"], "last_lsn": put["lsn"], "prepared_xid": "",
    }  # fmt: skip
    assert "ORDERS" in {queue["queue"] for queue in checkpoint["queues"]}
    assert checkpoint["checkpoint"]["catalogue"] == session.core.catalogue_generation
    assert f"transaction {put['transaction']}, first lsn {put['lsn']}" in text_of(session)


def test_a_prepared_unit_of_work_shows_its_xid(session: Session) -> None:
    session.qm.xa_start(session.hconn, b"\x01\x02branch")
    session.put("ORDERS", b"1", Persistence=PERSISTENT, syncpoint=True)
    session.qm.xa_end(session.hconn, b"\x01\x02branch")
    session.qm.xa_prepare(session.hconn, b"\x01\x02branch")
    (prepare,) = records_of(session, "PREPARE")
    assert prepare["xid"] == b"\x01\x02branch".hex()


def test_a_checkpoint_start_has_nothing_to_say_but_its_place(session: Session) -> None:
    session.qm.take_checkpoint()
    start = records_of(session, "CHECKPOINT_START")[-1]
    assert start["lsn"] == records_of(session, "CHECKPOINT")[-1]["checkpoint"]["redo"]
    assert "not_decoded" not in start
    assert f"RECORD CHECKPOINT_START - LSN {start['lsn']}" in text_of(session)


def test_a_soft_image_shows_the_operations_of_its_unit_of_work(session: Session) -> None:
    session.put("ORDERS", b"there", Persistence=PERSISTENT)
    session.put("ORDERS", b"new", Persistence=PERSISTENT, syncpoint=True)
    session.get("ORDERS", syncpoint=True)
    queue_id = session.core.queue_files["ORDERS"][0]
    parts = journal.soft_parts(b"\x01branch", True, [(queue_id, 1, 2, 0), (queue_id, 0, 1, 1)])
    session.core.log.append(RecordType.SOFT_IMAGE, 7, 0, parts, reserve=True)
    (image,) = records_of(session, "SOFT_IMAGE")
    assert (image["transaction"], image["prepared"], image["xid"]) == (7, True, b"\x01branch".hex())
    assert [(one["operation"], one["queue"], one["slot"], one["sequence"]) for one in image["operations"]] == [
        ("PUT", "ORDERS", 1, 2),
        ("GET", "ORDERS", 0, 1),
    ]
    assert "operation GET, queue ORDERS" in text_of(session)


def test_a_media_image_shows_whose_it_is_and_what_is_in_it() -> None:
    life = Life()
    life.define("ORDERS", descr="kept")
    life.put("ORDERS", SECRET)
    life.put("ORDERS", b"second")
    life.record("qlocal", "ORDERS")
    life.core.log.force()
    lines = list(dump(life.files, "qm/log", from_lsn=life.media("ORDERS")))
    facts = [LogFormatter().describe(line) for line in lines]
    image = next(line for line in facts if line.get("type") == "MEDIA_IMAGE")
    assert (image["object_type"], image["object"], image["messages"]) == ("QLOCAL", "ORDERS", 2)
    assert (image["first_part"], image["last_part"]) == (life.media("ORDERS"), True)
    assert (image["first_sequence"], image["last_sequence"]) == (1, 2)
    assert image["attributes"]["DESCR"] == "kept"
    text = "\n".join(LogFormatter(show_data=True).render(line) for line in lines)
    assert "image of QLOCAL ORDERS" in text
    assert SECRET.decode() not in text
    get = Record(40, 100, RecordType.GET, 0, 0, 0, journal.get_parts(image["id"], 0, 1)[0])
    formatter = LogFormatter()
    formatter.describe(next(line for line in lines if isinstance(line, Record)))
    assert formatter.describe(get)["queue"] == "ORDERS"  # images teach names, too


def test_words_from_a_file_cannot_steer_a_terminal() -> None:
    for steering in ("\x1b[2J", "\u202e", "\u2066", "a\nb"):
        payload = json.dumps({"op": steering, "kind": steering, "name": steering}).encode()
        text = LogFormatter().render(Record(40, 100, RecordType.OBJECT, 0, 0, 0, payload))
        assert steering not in text


def test_names_come_from_the_newest_catalogue_that_can_be_read(session: Session) -> None:
    files = session.core.files
    queue_id = session.core.queue_files["ORDERS"][0]
    session.qm.take_checkpoint()
    assert queue_names(files, "qm")[queue_id] == "ORDERS"
    files.open("qm/QMQMOBJCAT.999999", create=True).write(0, b"noise")
    files.open("qm/QMQMOBJCAT.x", create=True)
    assert queue_names(files, "qm")[queue_id] == "ORDERS"
    assert queue_names(files, "nowhere") == {}
    for name in files.list("qm"):
        if name.startswith("QMQMOBJCAT"):
            files.remove(f"qm/{name}")
    assert queue_names(files, "qm") == {}
    session.put("ORDERS", SECRET, Persistence=PERSISTENT)
    assert records_of(session, "PUT")[-1]["queue"] == ""  # the log from its head on has no definition of it
    assert f"queue name not known (id {queue_id})" in text_of(session)


def test_a_queue_without_a_name_is_shown_by_its_id() -> None:
    record = Record(40, 100, RecordType.GET, 0, 0, 0, journal.get_parts(17, 3, 4)[0])
    assert "queue name not known (id 17), slot 3, sequence 4" in LogFormatter().render(record)


def test_gaps_and_ends_are_lines_of_their_own() -> None:
    formatter = LogFormatter()
    gap = DumpGap(4136, 8232, "S0000000.LOG", "checksum error", True)
    assert formatter.render(gap) == "DAMAGE - LSN 4136 to 8232, S0000000.LOG: checksum error"
    assert formatter.render(DumpGap(1, 2, "", "gone", False)) == "GAP - LSN 1 to 2: gone"
    assert formatter.render(DumpExtent(0, "S0000000.LOG")) == "EXTENT S0000000.LOG - LSN 0"
    assert formatter.render(DumpEnd(9, "S0000000.LOG", "so", False)) == "END - LSN 9, S0000000.LOG: so"
    assert formatter.render(DumpEnd(9, "", "so", True)).startswith("DAMAGE - LSN 9: ")
    assert formatter.describe(gap)["line"] == "gap"


def test_every_line_is_json_and_text(session: Session) -> None:
    session.put("ORDERS", SECRET, Persistence=PERSISTENT)
    session.core.log.force()
    formatter = LogFormatter(show_data=True)
    for line in dump(session.core.files, "qm/log"):
        assert json.loads(json.dumps(formatter.describe(line)))["line"] in ("log", "extent", "record", "gap", "end")
        assert formatter.render(line).isascii()


@pytest.mark.parametrize("kind", [*RecordType, 15, 99, 255])
def test_payloads_that_make_no_sense_are_shown_by_their_length(kind: int) -> None:
    rng = random.Random(kind)
    payloads = [b"", b"{}", b"[]", b"null", b'{"op":"set"}', b'{"op":{},"kind":1,"name":[],"id":"x"}', b"[" * 5000]
    payloads += [b'{"queues":{"x":1}}', b'{"transactions":[1]}']
    payloads += [b'{"op":"set","object":{"kind":1,"name":"\\ud800","attributes":{}}}']
    payloads += [b'{"queue_id":1,"queues":{},"a_hex":1,"\\u001b[2J":"\\u001b[2J"}']
    payloads += [rng.randbytes(rng.randrange(1, 900)) for _ in range(200)]
    for payload in payloads:
        record = Record(40, 100, kind, rng.randrange(256), rng.randrange(3), 0, payload)
        for formatter in (LogFormatter(), LogFormatter({1: "A"}, show_data=True)):
            facts = formatter.describe(record)
            assert facts["payload_bytes"] == len(payload)
            json.dumps(facts).encode("ascii")
            text = formatter.render(record)
            text.encode()
            assert "\x1b" not in text


def test_a_put_with_a_damaged_image_is_still_a_put() -> None:
    parts = journal.put_parts(5, 1, 2, 3, 0, (b"no image",))
    facts = LogFormatter({5: "A"}).describe(Record(40, 100, RecordType.PUT, 0, 0, 0, b"".join(parts)))
    assert (facts["queue"], facts["slot"], facts["image_bytes"]) == ("A", 1, 8)
    assert "checksum" in facts["image_damaged"]
