"""Batches of message channels: in doubt, committed with their sync record, or backed out; also after a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from helper_backup import Standby, everything, killed, make_live
from helper_media import FOLDER, LINEAR, Life

from libremq.kernel.objects.catalogue import from_record, to_record
from libremq.kernel.objects.channel_sync_record import NO_LUWID, RECEIVER, SENDER
from libremq.kernel.objects.object_types import ChannelSync
from libremq.kernel.recovery import catalogue_file, inspection, log_room
from libremq.kernel.recovery.log_dump import LogFormatter
from libremq.kernel.state import journal
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.unit_of_work import BATCH_XID
from libremq.kernel.units import channel_batches
from libremq.kernel.units.channel_batches import Batch
from libremq.log import LogConfig, LogFull, Record, RecordType
from libremq.log.log_dump_reader import dump
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

CIRCULAR = LogConfig(primary_files=3, secondary_files=2, file_pages=64)
CHANNEL, PARTNER, XMITQ = "QM1.TO.QM2", "QM2", "XMIT"
END = (SENDER, CHANNEL, PARTNER, XMITQ)


class Ends(Life):
    """A queue manager with a transmission queue and a queue that things are received on; one agent."""

    def start(self) -> None:
        super().start()
        self.agent: Connection = self.qm.connection(self.qm.connect("mca", "agent"))

    def send(self, number: int, first: int, messages: int, *, persistent: bool = True) -> Batch:
        """Put so many messages and get them in a batch, which is not prepared yet."""
        for sequence in range(first, first + messages):
            self.put(XMITQ, b"%d" % sequence, persistent=persistent)
        return self.get_batch(number, first, messages)

    def get_batch(self, number: int, first: int, messages: int) -> Batch:
        batch = channel_batches.begin(self.qm, self.agent, identity(number, first))
        for sequence in range(first, first + messages):
            assert self.get(XMITQ, syncpoint=True, hconn=self.agent.hconn) == b"%d" % sequence
            batch.sent(sequence)
        return batch

    def commit_batch(self, batch: Batch) -> int:
        return channel_batches.commit(self.qm, batch, batch.identity.sync("host(1414)", self.clock.now()))

    def last(self) -> tuple[str, int] | None:
        found = channel_batches.sync_of(self.core, *END)
        return None if found is None else (found.luwid, found.sequence)

    def in_doubt(self) -> list[BatchIdentity]:
        return channel_batches.in_doubt(self.core)

    def waiting(self) -> list[bytes]:
        """What is to be seen on the transmission queue, in order."""
        definition = self.core.catalogue.queues[XMITQ]
        store = self.core.local_queue(definition).store  # type: ignore[arg-type]
        return [store.message(slot).data for slot in store.chains]

    def crash(self) -> None:
        self.restart(orderly=False)


def luwid(number: int) -> str:
    return f"{number:016x}"


def identity(number: int, first: int = 1, last: int | None = None) -> BatchIdentity:
    return BatchIdentity(CHANNEL, PARTNER, XMITQ, luwid(number), first, first - 1 if last is None else last)


def received(number: int, sequence: int, **fields: Any) -> ChannelSync:
    values = {"conname": "10.0.0.7", "now": 1e9, **fields}
    return ChannelSync.make(RECEIVER, "QM2.TO.QM1", PARTNER, luwid=luwid(number), sequence=sequence, **values)


def refused(reason: int) -> pytest.RaisesExc[MQError]:
    return pytest.raises(MQError, match=f"\\({reason}\\)")


@pytest.fixture(params=[CIRCULAR, LINEAR], ids=["circular", "linear"])
def ends(request: pytest.FixtureRequest) -> Ends:
    made = Ends(config=request.param)
    made.define(XMITQ, USAGE="XMITQ")
    made.define("IN")
    return made


# The sending end


def test_the_xid_says_all_about_the_batch() -> None:
    longest = BatchIdentity("C" * 20, "P" * 48, "X" * 48, "f" * 16, 999_999_999, 999_999_998)
    for one in (identity(7, 3, 9), longest):
        assert BatchIdentity.of_xid(one.xid) == one
        assert one.xid.startswith(BATCH_XID)
    sync = longest.sync('"' * 264, 1e9)
    sync.check()
    (payload,) = journal.commit_parts(to_record(sync))
    assert len(payload) + len(longest.xid) <= journal.SYNC_BYTES
    assert len(longest.xid) < 256  # a soft image has its length in one byte


def test_a_batch_is_in_doubt_until_the_answer_comes(ends: Ends) -> None:
    batch = ends.send(1, 1, 3)
    ends.put(XMITQ, b"4")
    assert ends.in_doubt() == []
    lsn = channel_batches.prepare(ends.qm, batch)
    assert lsn and ends.agent.lsn >= lsn
    assert ends.in_doubt() == [identity(1, 1, 3)] == [batch.identity]
    assert ends.waiting() == [b"4"] and ends.last() is None
    lsn = ends.commit_batch(batch)
    assert lsn and ends.agent.lsn >= lsn
    assert ends.in_doubt() == [] and ends.last() == (luwid(1), 3)
    for _ in range(2):
        ends.crash()
        assert ends.in_doubt() == [] and ends.last() == (luwid(1), 3)
        assert ends.waiting() == [b"4"] and not ends.core.units
    found = channel_batches.sync_of(ends.core, *END)
    assert found is not None and found.conname == "host(1414)" and found.date and found.time


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("orderly", [True, False])
def test_what_is_in_doubt_survives_restarts(ends: Ends, orderly: bool, commit: bool) -> None:
    ends.commit_batch(prepared(ends, ends.send(1, 1, 2)))
    prepared(ends, ends.send(2, 3, 2))
    ends.put(XMITQ, b"5")
    for _ in range(3):
        ends.restart(orderly=orderly)
        assert ends.in_doubt() == [identity(2, 3, 4)]
        assert ends.waiting() == [b"5"] and ends.last() == (luwid(1), 2)
    assert channel_batches.in_doubt(ends.core, CHANNEL, PARTNER, XMITQ) == ends.in_doubt()
    assert channel_batches.in_doubt(ends.core, "ANOTHER") == channel_batches.in_doubt(ends.core, xmitq="OTHER") == []
    channel_batches.resolve(ends.qm, identity(2, 3, 4), commit)
    outcome = ([b"5"], (luwid(2), 4)) if commit else ([b"3", b"4", b"5"], (luwid(1), 2))
    assert (ends.waiting(), ends.last()) == outcome
    ends.crash()
    assert (ends.waiting(), ends.last(), ends.in_doubt()) == (*outcome, [])
    with refused(C.MQRC_UOW_NOT_AVAILABLE):
        channel_batches.resolve(ends.qm, identity(2, 3, 4), commit)
    found = channel_batches.sync_of(ends.core, *END)
    assert found is not None and found.conname == "host(1414)"


def prepared(ends: Ends, batch: Batch) -> Batch:
    channel_batches.prepare(ends.qm, batch)
    return batch


def test_what_was_not_prepared_is_on_the_queue_again_after_a_crash(ends: Ends) -> None:
    ends.send(1, 1, 3)
    ends.put(XMITQ, b"4")
    ends.crash()
    assert ends.waiting() == [b"1", b"2", b"3", b"4"]
    assert ends.in_doubt() == [] and ends.last() is None and not ends.core.units


def test_a_batch_begins_while_another_waits(ends: Ends) -> None:
    one = prepared(ends, ends.send(1, 1, 2))
    two = ends.send(2, 3, 2)
    with refused(C.MQRC_UOW_IN_PROGRESS):
        channel_batches.begin(ends.qm, ends.agent, identity(3, 5))
    prepared(ends, two)
    ends.put(XMITQ, b"5")
    assert ends.in_doubt() == [identity(1, 1, 2), identity(2, 3, 4)]
    ends.commit_batch(one)
    assert ends.last() == (luwid(1), 2)
    channel_batches.back_out(ends.qm, two)
    assert ends.waiting() == [b"3", b"4", b"5"] and ends.in_doubt() == [] and ends.last() == (luwid(1), 2)
    ends.crash()
    assert ends.waiting() == [b"3", b"4", b"5"] and ends.in_doubt() == [] and ends.last() == (luwid(1), 2)


def test_two_batches_in_doubt_are_ended_one_by_one_after_a_crash(ends: Ends) -> None:
    prepared(ends, ends.send(1, 1, 2))
    prepared(ends, ends.send(2, 3, 2))
    ends.crash()
    first, second = ends.in_doubt()
    assert (first, second) == (identity(1, 1, 2), identity(2, 3, 4))
    channel_batches.resolve(ends.qm, second, False)
    channel_batches.resolve(ends.qm, first, False)
    assert ends.waiting() == [b"1", b"2", b"3", b"4"] and ends.last() is None


def test_batches_are_none_of_a_transaction_managers_business(ends: Ends) -> None:
    batch = prepared(ends, ends.send(1, 1, 1))
    xid = batch.identity.xid
    ends.qm.xa_start(ends.coordinator, b"own")
    ends.put("IN", b"", syncpoint=True, hconn=ends.coordinator)
    ends.qm.xa_end(ends.coordinator, b"own")
    ends.qm.xa_prepare(ends.coordinator, b"own")
    assert ends.qm.xa_recover(ends.coordinator) == [b"own"]
    assert [unit.xid for unit in inspection.units_in_doubt(ends.core)] == [b"own".hex()]
    calls: list[Callable[[int, bytes], None]] = [
        ends.qm.xa_start, ends.qm.xa_prepare, ends.qm.xa_commit, ends.qm.xa_rollback,
    ]  # fmt: skip
    for call in calls:
        with refused(C.MQRC_UOW_NOT_AVAILABLE):
            call(ends.coordinator, xid)
    ends.qm.xa_forget(ends.coordinator, xid)
    assert ends.in_doubt() == [identity(1, 1, 1)]


def test_non_persistent_messages_alone_keep_their_numbers_over_a_crash(ends: Ends) -> None:
    batch = ends.send(1, 1, 2, persistent=False)
    assert not batch.unit.is_logged
    assert channel_batches.prepare(ends.qm, batch)
    ends.crash()
    # The messages are lost, but not that the partner may have counted them
    assert ends.in_doubt() == [identity(1, 1, 2)] and ends.waiting() == []
    channel_batches.resolve(ends.qm, identity(1, 1, 2), True)
    assert ends.commit_batch(prepared(ends, ends.send(2, 3, 2, persistent=False)))
    ends.crash()
    assert ends.last() == (luwid(2), 4) and not ends.core.units


def test_non_persistent_messages_in_doubt_do_not_come_back_with_an_orderly_end(ends: Ends) -> None:
    ends.qm.alter("QLOCAL", XMITQ, {"NPMCLASS": "HIGH"})
    prepared(ends, ends.send(1, 1, 2, persistent=False))
    ends.put(XMITQ, b"3", persistent=False)
    ends.restart()
    assert ends.in_doubt() == [identity(1, 1, 2)] and ends.waiting() == [b"3"]
    channel_batches.resolve(ends.qm, identity(1, 1, 2), False)
    assert ends.waiting() == [b"3"]


def test_a_connection_that_ends_leaves_only_what_is_in_doubt(ends: Ends) -> None:
    one = prepared(ends, ends.send(1, 1, 2))
    two = ends.send(2, 3, 2)
    ends.qm.disconnect(ends.agent.hconn)
    assert ends.in_doubt() == [identity(1, 1, 2)] and ends.waiting() == [b"3", b"4"]
    with refused(C.MQRC_BACKED_OUT):
        channel_batches.prepare(ends.qm, two)
    assert channel_batches.back_out(ends.qm, two) == 0
    ends.commit_batch(one)
    assert ends.last() == (luwid(1), 2)


def test_a_batch_that_was_resolved_meanwhile(ends: Ends) -> None:
    batch = prepared(ends, ends.send(1, 1, 2))
    channel_batches.resolve(ends.qm, identity(1, 1, 2), True)
    with refused(C.MQRC_UOW_NOT_AVAILABLE):
        ends.commit_batch(batch)
    with refused(C.MQRC_UOW_NOT_AVAILABLE):
        channel_batches.back_out(ends.qm, batch)
    assert ends.last() == (luwid(1), 2)


def test_calls_in_the_wrong_order(ends: Ends) -> None:
    batch = ends.send(1, 1, 2)
    with refused(C.MQRC_UOW_NOT_AVAILABLE):
        ends.commit_batch(batch)
    prepared(ends, batch)
    with refused(C.MQRC_UOW_NOT_AVAILABLE):
        channel_batches.prepare(ends.qm, batch)
    with refused(C.MQRC_UOW_NOT_AVAILABLE):
        channel_batches.begin(ends.qm, ends.agent, identity(1, 3))
    with pytest.raises(ValueError, match="is not the sync record"):
        channel_batches.commit(ends.qm, batch, identity(2, 1, 2).sync("", 0))
    assert ends.in_doubt() == [identity(1, 1, 2)]
    with refused(C.MQRC_UOW_IN_PROGRESS):
        ends.put("IN", b"", syncpoint=True, hconn=ends.agent.hconn)
        channel_batches.begin(ends.qm, ends.agent, identity(3, 3))


@pytest.mark.parametrize(
    "wrong",
    [
        {"channel": "C" * 21}, {"channel": ""}, {"partner": ""}, {"partner": "Q M"}, {"partner": "ÄÖ"}, {"xmitq": ""},
        {"luwid": "12"}, {"luwid": "x" * 16}, {"first": -1, "last": 1}, {"last": 1_000_000_000}, {"role": "BOTH"},
    ],
)  # fmt: skip
def test_batches_with_names_that_cannot_be_kept_are_refused(wrong: dict[str, Any]) -> None:
    ends = Ends(config=CIRCULAR)
    with refused(C.MQRCCF_ATTR_VALUE_ERROR):
        channel_batches.begin(ends.qm, ends.agent, replace(identity(1), **wrong))
    assert ends.agent.xa_unit is None and not ends.core.units


# The log is full


def test_a_batch_that_gave_way_is_told_and_sent_again(ends: Ends) -> None:
    batch = ends.send(1, 1, 3)
    log_room.give_way(ends.core)
    assert ends.waiting() == [b"1", b"2", b"3"]
    with refused(C.MQRC_BACKED_OUT):
        channel_batches.prepare(ends.qm, batch)
    assert channel_batches.back_out(ends.qm, batch) == 0
    ends.commit_batch(prepared(ends, ends.get_batch(2, 1, 3)))
    assert ends.waiting() == [] and ends.last() == (luwid(2), 3)


def test_begin_tells_of_a_batch_that_gave_way(ends: Ends) -> None:
    ends.send(1, 1, 3)
    log_room.give_way(ends.core)
    with refused(C.MQRC_BACKED_OUT):
        channel_batches.begin(ends.qm, ends.agent, identity(2))
    assert channel_batches.back_out(ends.qm, ends.get_batch(2, 1, 3))


def test_batches_in_doubt_let_the_log_go_on(ends: Ends) -> None:
    """They are rolled forward; one of them has no record but its PREPARE."""
    prepared(ends, ends.send(1, 1, 2))
    prepared(ends, ends.send(2, 3, 2, persistent=False))
    first = ends.extent(ends.core.log.tail)
    while ends.extent(ends.core.log.tail) < first + 8:
        ends.next_extent()
    ends.crash()
    assert ends.in_doubt() == [identity(1, 1, 2), identity(2, 3, 4)]
    assert ends.extent(ends.core.log.head) > first
    channel_batches.resolve(ends.qm, identity(1, 1, 2), True)
    channel_batches.resolve(ends.qm, identity(2, 3, 4), True)
    ends.crash()
    assert ends.last() == (luwid(2), 4) and not ends.core.units


@pytest.mark.parametrize("persistent", [True, False])
def test_a_batch_in_doubt_can_be_ended_in_a_log_without_any_room(persistent: bool) -> None:
    """What that takes was kept free from its beginning; the record is as long as one can be."""
    ends = Ends(config=CIRCULAR)
    ends.define(XMITQ)
    batch = ends.send(1, 1, 40, persistent=persistent)
    channel_batches.prepare(ends.qm, batch)
    ends.core.log.force()
    filler = (bytes(20),)
    with pytest.raises(LogFull):
        while True:  # parts of an image without an end: no restart looks at them
            ends.core.log.append(RecordType.MEDIA_IMAGE, 0, 0, filler, reserve=True, keep=ends.core.kept_bytes)
    with pytest.raises(LogFull):
        ends.core.commit(ends.core.begin_unit(), received(1, 1))
    ends.core.log.force(ends.core.commit(batch.unit, batch.identity.sync('"' * 264, 1e9)))
    ends.crash()
    assert ends.last() == (luwid(1), 40) and ends.in_doubt() == []


# The receiving end


@pytest.mark.parametrize("persistent", [True, False])
def test_messages_and_record_are_received_together(ends: Ends, persistent: bool) -> None:
    def last() -> tuple[str, int]:
        (found,) = channel_batches.syncs_of(ends.core, "QM2.TO.QM1", RECEIVER)
        return found.luwid, found.sequence

    for sequence in (1, 2):
        ends.put("IN", b"%d" % sequence, syncpoint=True, persistent=persistent, hconn=ends.agent.hconn)
    assert channel_batches.commit_received(ends.qm, ends.agent, received(1, 2))
    assert ends.qm.depth("IN") == 2 and last() == (luwid(1), 2) and not ends.core.units
    ends.put("IN", b"3", syncpoint=True, persistent=persistent, hconn=ends.agent.hconn)
    ends.crash()
    assert ends.qm.depth("IN") == (2 if persistent else 0) and last() == (luwid(1), 2)
    # Nothing but the record
    assert channel_batches.commit_received(ends.qm, ends.agent, received(2, 3))
    ends.crash()
    assert last() == (luwid(2), 3) and not ends.core.units and ends.core.next_unit > 1


def test_a_record_that_cannot_be_kept_commits_nothing(ends: Ends) -> None:
    ends.put("IN", b"1", syncpoint=True, hconn=ends.agent.hconn)
    for wrong in (received(1, -1), received(1, 1, conname="x" * 265), received(1, 1, conname="ä\n")):
        with refused(C.MQRCCF_ATTR_VALUE_ERROR):
            channel_batches.commit_received(ends.qm, ends.agent, wrong)
    assert not ends.core.catalogue.channel_syncs
    ends.qm.backout(ends.agent.hconn)
    with refused(C.MQRCCF_ATTR_VALUE_ERROR):
        channel_batches.commit_received(ends.qm, ends.agent, received(1, -1))
    assert not ends.core.units and ends.agent.unit is None
    assert ends.qm.depth("IN") == 0


def test_puts_that_gave_way_are_not_committed(ends: Ends) -> None:
    ends.put("IN", b"1", syncpoint=True, hconn=ends.agent.hconn)
    log_room.give_way(ends.core)
    with refused(C.MQRC_BACKED_OUT):
        channel_batches.commit_received(ends.qm, ends.agent, received(1, 1))
    assert ends.qm.depth("IN") == 0 and not ends.core.catalogue.channel_syncs
    channel_batches.begin(ends.qm, ends.agent, identity(1))
    with refused(C.MQRC_UOW_IN_PROGRESS):
        channel_batches.commit_received(ends.qm, ends.agent, received(1, 1))


# Commands


def test_reset_channel(ends: Ends) -> None:
    channel_batches.reset_sequence(ends.qm, *END, next_sequence=8)
    assert ends.last() == (NO_LUWID, 7)
    ends.commit_batch(prepared(ends, ends.send(1, 8, 2)))
    channel_batches.reset_sequence(ends.qm, *END, next_sequence=1)
    ends.crash()
    assert ends.last() == (NO_LUWID, 0)  # the partner has to follow
    prepared(ends, ends.send(2, 1, 2))
    with refused(C.MQRCCF_CHANNEL_INDOUBT):
        channel_batches.reset_sequence(ends.qm, *END, next_sequence=5)
    for wrong in (0, 1_000_000_000):
        with refused(C.MQRCCF_ATTR_VALUE_ERROR):
            channel_batches.reset_sequence(ends.qm, RECEIVER, CHANNEL, PARTNER, next_sequence=wrong)
    assert ends.last() == (NO_LUWID, 0)
    channel_batches.reset_sequence(ends.qm, RECEIVER, CHANNEL, PARTNER, next_sequence=5)
    assert [one.role for one in channel_batches.syncs_of(ends.core, CHANNEL)] == [SENDER, RECEIVER]


def test_a_reset_and_an_end_by_command_keep_what_is_known_of_the_partner(ends: Ends) -> None:
    """Where it was, which DISPLAY CHSTATUS SAVED shows, and that it proves that it is there: no older one is let in."""

    def known() -> tuple[str, int]:
        found = channel_batches.sync_of(ends.core, *END)
        assert found is not None
        return found.conname, found.fresh

    batch = prepared(ends, ends.send(1, 1, 2))
    channel_batches.commit(ends.qm, batch, batch.identity.sync("host(1414)", ends.clock.now(), fresh=True))
    prepared(ends, ends.send(2, 3, 1))
    channel_batches.resolve(ends.qm, identity(2, 3, 3), True)
    assert ends.last() == (luwid(2), 3)
    assert known() == ("host(1414)", 1)
    channel_batches.reset_sequence(ends.qm, *END, next_sequence=8)
    assert known() == ("host(1414)", 0)  # the command forgets it
    channel_batches.reset_sequence(ends.qm, *END, next_sequence=9, conname="other(1414)", fresh=True)
    assert known() == ("other(1414)", 1)


def test_a_receiving_end_that_is_reset_keeps_its_last_batch(ends: Ends) -> None:
    channel_batches.commit_received(ends.qm, ends.agent, received(9, 5))
    channel_batches.reset_sequence(ends.qm, RECEIVER, "QM2.TO.QM1", PARTNER, next_sequence=3)
    (found,) = channel_batches.syncs_of(ends.core, "QM2.TO.QM1")
    assert (found.luwid, found.sequence) == (luwid(9), 2)


def test_a_reset_before_the_first_start_is_for_the_first_partner(ends: Ends) -> None:
    role, channel, _, xmitq = END
    channel_batches.reset_sequence(ends.qm, role, channel, "", xmitq, next_sequence=8)
    ends.crash()
    found = channel_batches.sync_of(ends.core, *END)
    assert found is not None and (found.partner, found.luwid, found.sequence) == ("", NO_LUWID, 7)
    assert channel_batches.pending_reset(ends.core, channel, xmitq) is found
    assert channel_batches.pending_reset(ends.core, channel, "OTHER") is None
    ends.commit_batch(prepared(ends, ends.send(1, 8, 2)))
    ends.crash()
    assert channel_batches.sync_of(ends.core, role, channel, "QM3", xmitq) is None
    assert channel_batches.pending_reset(ends.core, channel, xmitq) is None
    assert ends.last() == (luwid(1), 9)


def test_a_reset_of_a_receiving_end_before_the_first_start(ends: Ends) -> None:
    channel_batches.reset_sequence(ends.qm, RECEIVER, "QM2.TO.QM1", "", next_sequence=5)
    ends.crash()
    found = channel_batches.sync_of(ends.core, RECEIVER, "QM2.TO.QM1", PARTNER)
    assert found is not None and found.sequence == 4
    channel_batches.commit_received(ends.qm, ends.agent, received(9, 5))
    ends.crash()
    (found,) = channel_batches.syncs_of(ends.core, "QM2.TO.QM1")
    assert (found.partner, found.luwid) == (PARTNER, luwid(9))


def test_a_record_is_forgotten_unless_in_doubt(ends: Ends) -> None:
    ends.commit_batch(prepared(ends, ends.send(1, 1, 2)))
    prepared(ends, ends.send(2, 3, 1))
    found = channel_batches.sync_of(ends.core, *END)
    assert found is not None
    with refused(C.MQRCCF_CHANNEL_INDOUBT):
        channel_batches.forget(ends.qm, found)
    channel_batches.resolve(ends.qm, identity(2, 3, 3), False)
    channel_batches.forget(ends.qm, found)
    ends.crash()
    assert ends.last() is None and ends.waiting() == [b"3"]
    with refused(C.MQRC_UNKNOWN_OBJECT_NAME):
        channel_batches.forget(ends.qm, found)


def test_no_command_makes_sync_records(ends: Ends) -> None:
    with pytest.raises(MQError):
        ends.qm.define("CHSYNC", "X", {})
    ends.commit_batch(prepared(ends, ends.send(1, 1, 1)))
    with pytest.raises(MQError):
        ends.qm.alter("CHSYNC", " ".join(END), {"LSTSEQNO": 7})
    assert ends.last() == (luwid(1), 1)


# Log, checkpoints, media recovery, backups


def logged(ends: Ends, kind: RecordType) -> list[Record]:
    ends.core.log.force()
    lines = [line for line in dump(ends.files, f"{FOLDER}/log") if isinstance(line, Record)]
    return [record for record in lines if record.type == kind]


def test_commits_of_others_are_as_they_were(ends: Ends) -> None:
    ends.put("IN", b"", syncpoint=True)
    ends.commit()
    assert logged(ends, RecordType.COMMIT)[-1].payload == b""
    ends.commit_batch(prepared(ends, ends.send(1, 1, 2)))
    record = logged(ends, RecordType.COMMIT)[-1]
    entry = journal.read_commit(record.payload)
    assert entry is not None and from_record(entry["object"]).name == f"SENDER {CHANNEL} QM2 XMIT"
    text = LogFormatter().render(record)
    assert f"set CHSYNC SENDER {CHANNEL} QM2 XMIT" in text and luwid(1) in text and "LSTSEQNO 2" in text
    broken = record._replace(payload=b"{")
    assert "not decoded" in LogFormatter().render(broken)


def test_a_dump_of_the_log_names_batches_in_doubt(ends: Ends) -> None:
    batch = prepared(ends, ends.send(7, 1, 2))
    log_room.soft_image(ends.core, batch.unit)
    for kind in (RecordType.PREPARE, RecordType.SOFT_IMAGE):
        text = LogFormatter().render(logged(ends, kind)[-1])
        assert f"channel {CHANNEL}, partner QM2, xmitq XMIT, luwid {luwid(7)}, first 1, last 2" in text
    cut = logged(ends, RecordType.PREPARE)[-1]._replace(payload=BATCH_XID)
    assert "not decoded" in LogFormatter().render(cut)


def test_records_are_in_checkpoints(ends: Ends) -> None:
    ends.commit_batch(prepared(ends, ends.send(1, 1, 2)))
    channel_batches.commit_received(ends.qm, ends.agent, received(9, 5))
    for _ in range(2):
        ends.qm.checkpoint()
        for _ in range(8):
            ends.next_extent()
        ends.crash()
        assert ends.last() == (luwid(1), 2)
        (found,) = channel_batches.syncs_of(ends.core, "QM2.TO.QM1")
        assert (found.luwid, found.sequence) == (luwid(9), 5)


@pytest.mark.parametrize("management", ["Automatic", "Manual"])
def test_a_lost_catalogue_is_made_anew_with_its_sync_records(management: str) -> None:
    ends = Ends(config=replace(LINEAR, log_management=management))
    ends.define(XMITQ)
    channel_batches.reset_sequence(ends.qm, RECEIVER, "RESET", PARTNER, next_sequence=3)
    channel_batches.commit_received(ends.qm, ends.agent, received(9, 5))
    for number in range(3):
        ends.commit_batch(prepared(ends, ends.send(number, 1 + number, 1)))
        ends.next_extent()
        ends.qm.checkpoint()
    ends.commit_batch(prepared(ends, ends.send(7, 4, 1)))
    prepared(ends, ends.send(8, 5, 1))
    wanted = {name: to_record(one) for name, one in ends.core.catalogue.channel_syncs.items()}
    assert len(wanted) == 3
    ends.core.log.force()
    ends.qm.abandon()
    ends.files.remove(catalogue_file.path_of(FOLDER, ends.core.catalogue_generation))
    ends.start()
    assert any("made anew" in text for text in ends.said)
    assert {name: to_record(one) for name, one in ends.core.catalogue.channel_syncs.items()} == wanted
    assert ends.in_doubt() == [identity(8, 5, 5)]
    ends.crash()
    assert {name: to_record(one) for name, one in ends.core.catalogue.channel_syncs.items()} == wanted


def test_an_idle_channel_does_not_keep_the_log_and_images_restore_its_record() -> None:
    ends = Ends(config=LINEAR)
    ends.define(XMITQ)
    ends.commit_batch(prepared(ends, ends.send(1, 1, 1)))
    ends.commit_batch(prepared(ends, ends.send(2, 2, 1)))
    key = "CHSYNC", " ".join(END)
    began = ends.core.media[key]
    for _ in range(4):
        ends.next_extent()
        ends.qm.checkpoint()
    assert ends.core.media[key] > began
    (result,) = ends.record("syncfile")
    assert (result.kind, result.name, result.problem) == (*key, "")
    found = channel_batches.sync_of(ends.core, *END)
    assert found is not None
    found.sequence = 99
    (result,) = ends.recover("syncfile", "*")
    assert not result.problem and ends.last() == (luwid(2), 2)
    ends.crash()
    assert ends.last() == (luwid(2), 2)


def test_a_transmission_queue_made_anew_knows_what_is_in_doubt() -> None:
    ends = Ends(config=LINEAR)
    ends.define(XMITQ)
    ends.commit_batch(prepared(ends, ends.send(1, 1, 2)))
    prepared(ends, ends.send(2, 3, 2))
    ends.put(XMITQ, b"5")
    (result,) = ends.recover("ql", XMITQ)
    assert not result.problem
    assert ends.waiting() == [b"5"] and ends.in_doubt() == [identity(2, 3, 4)]
    channel_batches.resolve(ends.qm, identity(2, 3, 4), False)
    assert ends.waiting() == [b"3", b"4", b"5"]


def test_a_batch_cannot_end_with_a_number_that_no_message_can_have(ends: Ends) -> None:
    batch = ends.send(1, 1, 2)
    batch.sent(1_000_000_000)
    with refused(C.MQRCCF_ATTR_VALUE_ERROR):
        channel_batches.prepare(ends.qm, batch)
    assert not batch.is_prepared
    batch.sent(2)
    prepared(ends, batch)
    assert ends.in_doubt() == [identity(1, 1, 2)]


@pytest.mark.parametrize("hot", [True, False])
def test_a_backup_has_records_and_what_is_in_doubt(hot: bool) -> None:
    live = make_live()
    sender = live.qm.connection(live.qm.connect("mca", "agent"))

    def send(number: int, *, commit: bool) -> None:
        batch = channel_batches.begin(live.qm, sender, replace(identity(number, number), xmitq="A"))
        live.get("A", syncpoint=True, hconn=sender.hconn)
        batch.sent(number)
        channel_batches.prepare(live.qm, batch)
        if commit:
            channel_batches.commit(live.qm, batch, batch.identity.sync("there", 1e9))

    send(1, commit=True)
    standby = Standby(live, hot=hot)
    sender = live.qm.connection(live.qm.connect("mca", "agent"))
    send(2, commit=True)
    live.core.log.force()
    standby.ship(live.files)
    standby.replay()
    channel_batches.commit_received(live.qm, sender, received(3, 4))
    send(5, commit=False)
    live.core.log.force()
    standby.ship(live.files)
    standby.start()
    assert everything(standby) == everything(killed(live))
    wanted = {"SENDER QM1.TO.QM2 QM2 A": 2, "RECEIVER QM2.TO.QM1 QM2": 4}
    assert {name: one.sequence for name, one in standby.core.catalogue.channel_syncs.items()} == wanted
    assert [one.luwid for one in channel_batches.in_doubt(standby.core)] == [luwid(5)]
    before = len(standby.content("A"))
    channel_batches.resolve(standby.qm, channel_batches.in_doubt(standby.core)[0], True)
    assert len(standby.content("A")) == before - 1
