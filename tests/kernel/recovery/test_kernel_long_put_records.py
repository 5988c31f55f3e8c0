"""Messages that were logged in parts: restarts, media recovery and dumps of them, wherever they begin."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helper_long_puts import DATA, PART, Put, put_long, with_short_parts
from helper_media import FOLDER, LINEAR, Life

from libremq.kernel.recovery.log_dump import LogFormatter
from libremq.kernel.state import parts_of_puts
from libremq.log import LogConfig, Record, RecordType
from libremq.log.log_dump_reader import dump
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.stored_message import LongMessage

CIRCULAR = LogConfig(primary_files=3, secondary_files=2, file_pages=64)
CONFIGS = pytest.mark.parametrize("config", [CIRCULAR, LINEAR], ids=["circular", "linear"])


def living(config: LogConfig = LINEAR) -> Life:
    life = Life(config=config)
    life.define("A")
    life.define("B")
    with_short_parts(life.qm)
    return life


def records(life: Life, kind: RecordType, since: int | None = None) -> list[Record]:
    life.core.log.force()
    lines = dump(life.files, f"{FOLDER}/log", from_lsn=since)
    return [line for line in lines if isinstance(line, Record) and line.type == kind]


def _nothing(life: Life) -> None:
    pass


def _checkpoint(life: Life) -> None:
    life.qm.checkpoint()


def _extents(life: Life) -> None:
    for _ in range(2):
        life.next_extent()
        life.qm.checkpoint()


def _image(life: Life) -> None:
    life.record("ql", "A")


def _image_and_checkpoint(life: Life) -> None:
    life.record("ql", "A")
    _extents(life)


BETWEEN = pytest.mark.parametrize(
    "between", [_nothing, _checkpoint, _extents, _image, _image_and_checkpoint], ids=lambda what: what.__name__
)


@CONFIGS
@BETWEEN
@pytest.mark.parametrize("ends", ["commit", "backout", "neither", "own"])
def test_a_restart_after_whatever_came_between_parts_and_put(
    config: LogConfig, between: Callable[[Life], None], ends: str
) -> None:
    if config is CIRCULAR and "image" in between.__name__:
        pytest.skip("a circular log has no images")
    life = living(config)
    life.put("A", b"before")
    put_long(life.qm, life.application, "A", syncpoint=ends != "own", between=lambda: between(life))
    if ends in ("commit", "backout"):
        getattr(life, ends)()
    life.put("A", b"behind")
    life.restart(orderly=False)
    expected = [b"before", *([DATA] if ends in ("commit", "own") else []), b"behind"]
    assert [life.get("A") for _ in range(life.qm.depth("A"))] == expected
    assert not life.core.units


@BETWEEN
@pytest.mark.parametrize("behind", [_nothing, _checkpoint, _extents], ids=lambda what: what.__name__)
@pytest.mark.parametrize("got", [False, True], ids=["there", "got"])
def test_media_recovery_after_whatever_came_between(
    between: Callable[[Life], None], behind: Callable[[Life], None], got: bool
) -> None:
    life = living()
    life.put("A", b"before")
    put_long(life.qm, life.application, "A", between=lambda: between(life))
    if got:
        assert [life.get("A"), life.get("A")] == [b"before", DATA]
    put_long(life.qm, life.application, "A", DATA[::-1], syncpoint=True)
    behind(life)
    content = life.content("A")
    (result,) = life.recover("ql", "A")
    assert not result.problem
    assert life.content("A") == content
    life.commit()
    life.restart(orderly=False)
    expected = [DATA[::-1]] if got else [b"before", DATA, DATA[::-1]]
    assert [life.get("A") for _ in range(life.qm.depth("A"))] == expected


def test_a_put_does_not_name_parts_before_the_image_of_its_queue() -> None:
    life = living()
    life.put("A", b"before")
    since = life.media("A")
    put_long(life.qm, life.application, "A", between=lambda: life.record("ql", "A"))
    put_long(life.qm, life.application, "A", between=lambda: life.record("ql", "B"))
    _, *puts = records(life, RecordType.PUT, since)
    assert [len(record.payload) > len(DATA) for record in puts] == [True, False]
    assert life.media("A") > records(life, RecordType.PUT_PART, since)[0].lsn
    life.qm.checkpoint()
    life.restart()
    assert life.recover("ql", "A")[0].problem == ""
    assert [life.get("A") for _ in range(3)] == [b"before", DATA, DATA]


def test_nor_before_its_queue_was_made() -> None:
    life = living()
    put = Put(life.qm, life.application, "A")
    put.log()
    life.qm.delete("QLOCAL", "A")
    life.define("A")
    put.finish()
    (found,) = records(life, RecordType.PUT)
    assert len(found.payload) > len(DATA)
    assert not life.recover("ql", "A")[0].problem
    assert life.get("A") == DATA


def test_the_parts_of_a_message_that_was_got_are_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    life = living()
    put_long(life.qm, life.application, "A")
    put_long(life.qm, life.application, "A", DATA[::-1])
    life.get("A")
    read: list[int] = []
    whole_image = parts_of_puts.whole_image

    def noted(*args: object) -> bytes:
        read.append(1)
        return whole_image(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("libremq.kernel.recovery.replay.whole_image", noted)
    life.restart(orderly=False)
    assert read == [1]
    assert life.get("A") == DATA[::-1]


def test_a_prepared_unit_of_work_keeps_its_long_message() -> None:
    life = living()
    life.qm.xa_start(life.coordinator, b"X")
    put_long(life.qm, life.coordinator, "A", syncpoint=True)
    life.qm.xa_end(life.coordinator, b"X")
    life.qm.xa_prepare(life.coordinator, b"X")
    for _ in range(2):
        life.restart(orderly=False)
        assert len(life.core.prepared_units()) == 1
    life.qm.xa_commit(life.coordinator, b"X")
    life.restart(orderly=False)
    assert life.get("A") == DATA


def test_a_branch_that_is_prepared_while_its_put_is_under_way_goes_without_it() -> None:
    life = living()
    life.qm.xa_start(life.coordinator, b"X")
    life.put("A", b"first", syncpoint=True, hconn=life.coordinator)
    put = Put(life.qm, life.coordinator, "A", syncpoint=True)
    put.log(3)
    life.qm.xa_end(life.coordinator, b"X")
    life.qm.xa_prepare(life.coordinator, b"X")
    put.log(8)
    assert len(put.begun.logged.lsns) == 3
    put.finish()  # another thread's, in a unit of work that the connection has then
    life.restart(orderly=False)
    life.qm.xa_commit(life.coordinator, b"X")
    assert [life.get("A") for _ in range(life.qm.depth("A"))] == [b"first"]


# What is wrong with the parts


def _damage(life: Life, spoil: Callable[[parts_of_puts.LoggedData, parts_of_puts.LoggedData], None]) -> MQError:
    """A message whose put names what it should not: what the first call on its queue says after a restart."""
    life.put("B", b"of another queue")
    unit_mate = Put(life.qm, life.application, "A", DATA[::-1], syncpoint=True)
    unit_mate.log()
    put = Put(life.qm, life.application, "A", syncpoint=True)
    put.log()
    spoil(put.begun.logged, unit_mate.begun.logged)
    put.finish()
    life.commit()
    life.restart(orderly=False)
    assert b"of another queue" in [life.get("B") for _ in range(life.qm.depth("B"))]
    with pytest.raises(MQError) as caught:
        life.get("A")
    assert caught.value.reason == C.MQRC_OBJECT_DAMAGED
    return caught.value


Spoil = Callable[[parts_of_puts.LoggedData, parts_of_puts.LoggedData], None]


def _left_out(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
    del ours.lsns[4]


def _exchanged(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
    ours.lsns[4], ours.lsns[5] = ours.lsns[5], ours.lsns[4]


def _of_the_other(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
    ours.lsns[4] = other.lsns[4]


def _all_of_the_other(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
    ours.lsns[:] = other.lsns


def _last_left_out(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
    del ours.lsns[-1]


def _in_the_middle(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
    ours.lsns[4] += 1


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (_left_out, "another part than number 4"),
        (_exchanged, "another part than number 4"),
        (_of_the_other, "another part than number 4"),
        (_all_of_the_other, "or others"),
        (_last_left_out, "10 parts have 10000 bytes, not the 10240"),
        (_in_the_middle, "cannot be used"),
    ],
    ids=lambda what: what.__name__ if callable(what) else "",
)
def test_parts_that_are_not_those_of_the_put_damage_the_queue(spoil: Spoil, what: str) -> None:
    assert what in str(_damage(living(CIRCULAR), spoil))


def test_a_part_of_another_unit_of_work_is_not_taken() -> None:
    life = living(CIRCULAR)
    put_long(life.qm, life.coordinator, "B")
    theirs = records(life, RecordType.PUT_PART)[4].lsn

    def spoil(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
        ours.lsns[4] = theirs

    assert "is no part of a message of transaction" in str(_damage(life, spoil))


def test_nor_a_record_that_is_no_part() -> None:
    life = living(CIRCULAR)

    def spoil(ours: parts_of_puts.LoggedData, other: parts_of_puts.LoggedData) -> None:
        life.put("B", b"in between", syncpoint=True)
        ours.lsns[4] = life.core.connections[life.application].unit.last_lsn  # type: ignore[union-attr]

    assert "is no part of a message" in str(_damage(life, spoil))


# What the records look like


def test_a_shorter_message_is_logged_as_ever() -> None:
    life = living()
    life.put("A", DATA[: 4 * PART - 1])
    life.core.log.force()
    (put,) = records(life, RecordType.PUT)
    assert not records(life, RecordType.PUT_PART)
    assert put.txn == put.flags == put.payload[17] == put.payload[18] == 0


def test_what_the_parts_say() -> None:
    life = living()
    put_long(life.qm, life.application, "A")
    (put,) = records(life, RecordType.PUT)
    parts = records(life, RecordType.PUT_PART)
    assert b"".join(record.payload[12:] for record in parts) == DATA
    assert [int.from_bytes(record.payload[:8], "little") for record in parts] == [0] + 10 * [parts[0].lsn]
    assert [int.from_bytes(record.payload[8:12], "little") for record in parts] == list(range(11))
    assert [record.prev_lsn for record in [*parts, put]] == [0, *(record.lsn for record in parts)]
    assert len({record.txn for record in [*parts, put]}) == 1
    head = 28
    assert put.payload[17] == 1
    assert int.from_bytes(put.payload[head : head + 4], "little") == 11
    assert int.from_bytes(put.payload[head + 8 : head + 16], "little") == len(DATA)


def test_the_dump_shows_put_and_parts() -> None:
    life = living()
    put_long(life.qm, life.application, "A")
    formatter = LogFormatter({life.core.queue_files["A"][0]: "A"}, show_data=True)
    (put,) = records(life, RecordType.PUT)
    first, second, *_ = parts = records(life, RecordType.PUT_PART)
    shown = formatter.render(put)
    assert "queue A" in shown and "parts 11" in shown and f"data bytes {len(DATA)}" in shown, shown
    assert f"first part {first.lsn}" in shown and f"last part {parts[-1].lsn}" in shown
    assert "message id" in shown and "put application teller" in shown
    facts = formatter.describe(second)
    assert (facts["type"], facts["part"], facts["first_part"], facts["data_bytes"]) == ("PUT_PART", 1, first.lsn, PART)
    assert facts["data_hex"] == DATA[PART : PART + 256].hex()
    assert "data_hex" not in LogFormatter().describe(second)
    assert formatter.describe(first)["first_part"] == first.lsn


def test_an_image_has_one_checksum_however_it_was_summed() -> None:
    life = living()
    put_long(life.qm, life.application, "A")
    store = life.core.queues["A"].store
    message = store.message(next(iter(store.chains)))
    assert type(message) is LongMessage
    from libremq.store.stored_message import from_image

    assert from_image(message.to_image()).data == DATA
