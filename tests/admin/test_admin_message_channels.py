"""Commands on message channels, as far as they need the kernel alone, and commands whose outcome comes later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helper_pcf import Sender, failure
from helper_pcf import command as pcf

from libremq.admin.command import Issuer
from libremq.admin.operations import ChannelInstance, NoOperations
from libremq.client.queue_manager import QueueManager
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_access import EmbeddedAccess
from libremq.kernel.objects.channel_state_record import ChannelState
from libremq.kernel.objects.channel_sync_record import RECEIVER, ChannelSync
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.units import channel_batches, channel_state_changes
from libremq.kernel.units.channel_batches import Batch
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD

CHANNEL = "QM1.TO.QM2"


class House(NoOperations):
    """What a server would do: the test says which channels run, and when a ping ends."""

    def __init__(self) -> None:
        super().__init__("QM1")
        self.running: list[ChannelInstance] = []
        self.pings: list[tuple[str, bytes, Callable[[AmqMessage | None], None]]] = []
        self.requests: list[tuple[Any, ...]] = []
        self.stopped = 1
        self.pinged = threading.Event()

    def channel_instances(self) -> list[ChannelInstance]:
        return self.running

    def start_channel(self, name: str) -> None:
        self.requests.append(("start", name))

    def stop_channel(self, name: str, mode: int, *, after: int, connection_name: str = "", partner: str = "") -> int:
        self.requests.append(("stop", name, mode, after, connection_name, partner))
        return self.stopped

    def ping_channel(self, name: str, data: bytes, done: Callable[[AmqMessage | None], None]) -> None:
        self.pings.append((name, data, done))
        self.pinged.set()

    def start_initiator(self, queue: str) -> None:
        self.requests.append(("initiator", queue))

    def initiator_status(self) -> int:
        return C.MQSVC_STATUS_RUNNING


class Ends:
    """A queue manager with a sender and a receiver, and one agent that sends."""

    def __init__(self, folder: Path) -> None:
        self.embedded = EmbeddedQueueManager.start(str(folder), "QM1", create=True)
        self.embedded.serve_commands(trusting=True)
        self.house = House()
        self.embedded.executor.operations = self.house
        self.manager = QueueManager(EmbeddedAccess(self.embedded, str(folder)))
        self.done("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
        self.done(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) CONNAME('far(1414)') XMITQ(QM2)")
        self.done("DEFINE CHANNEL(QM2.TO.QM1) CHLTYPE(RCVR)")
        kernel = self.embedded.manager
        self.hconn = kernel.connect("mca", "agent")
        self.hobj = kernel.open(self.hconn, MQOD(ObjectName="QM2"), C.MQOO_INPUT_EXCLUSIVE)

    def answer(self, command: str) -> Any:
        (answer,) = self.manager.mqsc(command)
        return answer

    def done(self, command: str) -> list[dict[str, Any]]:
        answer = self.answer(command)
        assert answer.state == "done", answer.lines
        rows: list[dict[str, Any]] = answer.rows
        return rows

    def refused(self, command: str, reason: int) -> str:
        answer = self.answer(command)
        assert (answer.state, answer.reason) == ("failed", reason), answer.lines
        return str(answer.lines[0])

    def batch(self, number: int, first: int, messages: int) -> Batch:
        """A batch that was sent, and waits for its answer."""
        kernel = self.embedded.manager
        for _ in range(messages):
            self.manager.put("QM2", b"data", persistent=True)
        with self.embedded.lock:
            identity = BatchIdentity(CHANNEL, "QM2", "QM2", f"{number:016x}", first, first - 1)
            batch = channel_batches.begin(kernel, kernel.connection(self.hconn), identity)
            for sequence in range(first, first + messages):
                kernel.get(self.hconn, self.hobj, MQMD(), MQGMO(Options=C.MQGMO_SYNCPOINT), None)
                batch.sent(sequence)
            channel_batches.prepare(kernel, batch)
        return batch

    def commit(self, batch: Batch) -> None:
        with self.embedded.lock:
            channel_batches.commit(self.embedded.manager, batch, batch.identity.sync("far(1414)", 1e9))

    def depth(self) -> int:
        (row,) = self.done("DISPLAY QSTATUS(QM2) CURDEPTH UNCOM")
        assert row["uncom"] == "NO"
        return int(row["curdepth"])

    def saved(self, name: str = CHANNEL) -> list[dict[str, Any]]:
        return self.done(f"DISPLAY CHSTATUS({name}) SAVED ALL")


@pytest.fixture
def ends(tmp_path: Path) -> Iterator[Ends]:
    made = Ends(tmp_path)
    yield made
    with made.manager:
        pass


# What is kept


def test_saved_status_of_a_channel_whose_batches_are_certain(ends: Ends) -> None:
    assert ends.refused(f"DISPLAY CHSTATUS({CHANNEL}) SAVED", C.MQRCCF_CHL_STATUS_NOT_FOUND).startswith("AMQ8420")
    ends.commit(ends.batch(0xAB, 1, 3))
    (row,) = ends.saved()
    assert row == {
        "channel": CHANNEL, "chltype": "SDR", "conname": "far(1414)", "current": "SAVED", "status": "INACTIVE",
        "rqmname": "QM2", "xmitq": "QM2", "indoubt": "NO", "curluwid": "00000000000000AB", "curmsgs": 0, "curseqno": 3,
        "lstluwid": "00000000000000AB", "lstseqno": 3,
    }  # fmt: skip
    # The other end shows the same
    sync = ChannelSync.make(
        RECEIVER, "QM2.TO.QM1", "QM2", luwid="ab".zfill(16), sequence=3, now=1e9, conname="10.0.0.7"
    )
    with ends.embedded.lock:
        kernel = ends.embedded.manager
        channel_batches.commit_received(kernel, kernel.connection(ends.hconn), sync)
    (other,) = ends.saved("QM2.TO.QM1")
    assert "xmitq" not in other
    assert other["conname"] == "10.0.0.7"
    for field in ("rqmname", "indoubt", "curmsgs", "curseqno", "lstluwid", "lstseqno"):
        assert other[field] == row[field]


def test_saved_status_is_chosen_by_address_queue_and_filter(ends: Ends) -> None:
    ends.commit(ends.batch(1, 1, 3))
    for good in ("CONNAME('far(1414)')", "XMITQ(QM2)", "WHERE(LSTSEQNO EQ 3)", "LSTLUWID"):
        assert len(ends.done(f"DISPLAY CHSTATUS(*) SAVED {good}")) == 1
    for bad in ("CONNAME('far')", "XMITQ(OTHER)", "WHERE(LSTSEQNO GT 3)"):
        ends.refused(f"DISPLAY CHSTATUS(*) SAVED {bad}", C.MQRCCF_CHL_STATUS_NOT_FOUND)


@pytest.mark.parametrize(("action", "depth", "last"), [("COMMIT", 0, 5), ("BACKOUT", 2, 3)])
def test_resolve(ends: Ends, action: str, depth: int, last: int) -> None:
    assert "not in doubt" in ends.refused(f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})", C.MQRCCF_COMMAND_FAILED)
    ends.commit(ends.batch(1, 1, 3))
    ends.batch(2, 4, 2)
    (row,) = ends.saved()
    assert (row["indoubt"], row["curluwid"], row["curmsgs"], row["curseqno"]) == ("YES", "2".zfill(16), 2, 5)
    assert (row["lstluwid"], row["lstseqno"]) == ("1".zfill(16), 3)
    (queue,) = ends.done("DISPLAY QSTATUS(QM2) UNCOM")
    assert queue["uncom"] == "YES"
    ends.done(f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})")
    (row,) = ends.saved()
    assert (row["indoubt"], row["curmsgs"], row["lstseqno"], row["conname"]) == ("NO", 0, last, "far(1414)")
    assert ends.depth() == depth
    ends.refused(f"RESOLVE CHANNEL({CHANNEL}) ACTION({action})", C.MQRCCF_COMMAND_FAILED)


def test_resolve_the_first_batch_of_a_channel(ends: Ends) -> None:
    ends.batch(1, 1, 3)
    (row,) = ends.saved()
    assert (row["indoubt"], row["lstluwid"], row["lstseqno"], row["curseqno"]) == ("YES", "0" * 16, 0, 3)
    ends.done(f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)")
    assert ends.saved()[0]["lstseqno"] == 3


def test_two_batches_in_doubt_are_shown_and_resolved_in_their_order(ends: Ends) -> None:
    ends.batch(1, 1, 3)
    ends.batch(2, 4, 2)
    assert [(row["curluwid"][-1], row["curmsgs"]) for row in ends.saved()] == [("1", 3), ("2", 2)]
    ends.done(f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)")
    assert [(row["curluwid"][-1], row["lstluwid"][-1]) for row in ends.saved()] == [("2", "1")]
    ends.batch(3, 6, 1)
    ends.done(f"RESOLVE CHANNEL({CHANNEL}) ACTION(BACKOUT)")
    assert ends.depth() == 3
    assert ends.saved()[0]["indoubt"] == "NO"


def test_a_channel_in_doubt_is_neither_reset_nor_deleted(ends: Ends) -> None:
    ends.batch(1, 1, 3)
    for command in (f"RESET CHANNEL({CHANNEL})", f"DELETE CHANNEL({CHANNEL})"):
        said = ends.refused(command, C.MQRCCF_CHANNEL_INDOUBT)
        assert said.startswith("AMQ9507E") and "RESOLVE CHANNEL" in said
    ends.done(f"RESOLVE CHANNEL({CHANNEL}) ACTION(COMMIT)")
    ends.done(f"RESET CHANNEL({CHANNEL})")
    ends.done(f"DELETE CHANNEL({CHANNEL})")


def test_reset_of_a_channel_that_ran(ends: Ends) -> None:
    ends.commit(ends.batch(1, 1, 3))
    ends.done(f"RESET CHANNEL({CHANNEL}) SEQNUM(100)")
    assert ends.done(f"DISPLAY CHANNEL({CHANNEL}) RESETSEQ")[0]["resetseq"] == 100
    (row,) = ends.saved()
    assert (row["lstseqno"], row["lstluwid"], row["rqmname"]) == (99, "0" * 16, "QM2")
    ends.commit(ends.batch(2, 100, 1))
    assert ends.done(f"DISPLAY CHANNEL({CHANNEL}) RESETSEQ")[0]["resetseq"] == "NO"
    # What belongs to another transmission queue stays
    ends.done("DEFINE QLOCAL(OTHER) USAGE(XMITQ)")
    ends.done(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) XMITQ(OTHER)")
    ends.done(f"RESET CHANNEL({CHANNEL}) SEQNUM(7)")
    assert [row["lstseqno"] for row in ends.saved()] == [100]
    assert ends.done(f"DISPLAY CHANNEL({CHANNEL}) RESETSEQ")[0]["resetseq"] == 7


def test_reset_of_a_receiving_end_is_for_all_its_partners(ends: Ends) -> None:
    kernel = ends.embedded.manager
    for number, partner in enumerate(("QM2", "QM3"), 1):
        sync = ChannelSync.make(RECEIVER, "QM2.TO.QM1", partner, luwid=f"{number:016x}", sequence=number, now=1e9)
        with ends.embedded.lock:
            channel_batches.commit_received(kernel, kernel.connection(ends.hconn), sync)
    ends.done("RESET CHANNEL(QM2.TO.QM1) SEQNUM(50)")
    rows = ends.saved("QM2.TO.QM1")
    assert [(row["rqmname"], row["lstseqno"], row["lstluwid"][-1]) for row in rows] == [
        ("QM2", 49, "1"),
        ("QM3", 49, "2"),
    ]


@pytest.mark.parametrize(("channel", "kind"), [(CHANNEL, "SDR"), ("QM2.TO.QM1", "RCVR")])
def test_reset_to_a_number_that_the_channel_never_has(ends: Ends, channel: str, kind: str) -> None:
    ends.done(f"ALTER CHANNEL({channel}) CHLTYPE({kind}) SEQWRAP(1000)")
    said = ends.refused(f"RESET CHANNEL({channel}) SEQNUM(1001)", C.MQRCCF_MSG_SEQ_NUMBER_ERROR)
    assert "SEQNUM(1001)" in said and "SEQWRAP(1000)" in said
    with Sender(ends.manager.mqi) as sender:
        given = {C.MQCACH_CHANNEL_NAME: channel, C.MQIACH_MSG_SEQUENCE_NUMBER: 999_999_999}
        assert failure(sender.send(C.MQCMD_RESET_CHANNEL, given))[0] == C.MQRCCF_MSG_SEQ_NUMBER_ERROR
    assert ends.done(f"DISPLAY CHANNEL({channel}) RESETSEQ")[0]["resetseq"] == "NO"
    assert not ends.embedded.manager.core.catalogue.channel_syncs
    ends.done(f"RESET CHANNEL({channel}) SEQNUM(1000)")
    (sync,) = ends.embedded.manager.core.catalogue.channel_syncs.values()
    assert sync.sequence == 999


@pytest.mark.parametrize("status", [C.MQCHS_RUNNING, C.MQCHS_BINDING, C.MQCHS_STARTING, C.MQCHS_STOPPING])
def test_a_channel_that_runs_is_left_alone(ends: Ends, status: int) -> None:
    ends.house.running = [ChannelInstance(CHANNEL, "far", C.MQCHT_SENDER, status)]
    for command in (
        "RESET CHANNEL({})",
        "RESOLVE CHANNEL({}) ACTION(COMMIT)",
        "PING CHANNEL({})",
        "DELETE CHANNEL({})",
    ):
        assert ends.refused(command.format(CHANNEL), C.MQRCCF_CHANNEL_IN_USE).startswith("AMQ9514E")
    ends.done(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHSZ(7)")


def test_a_deleted_channel_leaves_nothing_behind(ends: Ends) -> None:
    kernel = ends.embedded.manager
    ends.commit(ends.batch(1, 1, 3))
    with ends.embedded.lock:
        channel_state_changes.keep(kernel, ChannelState.make(CHANNEL, C.MQCHS_STOPPED))
    ends.house.running = [ChannelInstance(CHANNEL, "", C.MQCHT_SENDER, C.MQCHS_STOPPED)]
    ends.done(f"DELETE CHANNEL({CHANNEL})")
    assert channel_batches.syncs_of(kernel.core, CHANNEL) == []
    assert channel_state_changes.state_of(kernel.core, CHANNEL) is None


# What runs


def test_requests_to_the_initiator(ends: Ends) -> None:
    ends.done(f"START CHANNEL({CHANNEL})")
    ends.done("START CHANNEL(QM2.TO.QM1)")
    ends.done(f"STOP CHANNEL({CHANNEL})")
    ends.done(f"STOP CHANNEL({CHANNEL}) MODE(FORCE) STATUS(INACTIVE)")
    ends.done("STOP CHANNEL(QM2.TO.QM1) CONNAME('10.0.0.7') QMNAME(QM2) MODE(TERMINATE)")
    ends.done("START CHINIT")
    ends.done("START CHINIT INITQ(OTHER)")
    assert ends.house.requests == [
        ("start", CHANNEL),
        ("start", "QM2.TO.QM1"),
        ("stop", CHANNEL, C.MQMODE_QUIESCE, C.MQCHS_STOPPED, "", ""),
        ("stop", CHANNEL, C.MQMODE_FORCE, C.MQCHS_INACTIVE, "", ""),
        ("stop", "QM2.TO.QM1", C.MQMODE_TERMINATE, C.MQCHS_INACTIVE, "10.0.0.7", "QM2"),
        ("initiator", ""),
        ("initiator", "OTHER"),
    ]
    assert ends.done("DISPLAY QMSTATUS CHINIT")[0]["chinit"] == "RUNNING"


def test_a_stop_that_finds_nothing(ends: Ends) -> None:
    ends.house.stopped = 0
    ends.done(f"STOP CHANNEL({CHANNEL})")
    ends.refused(f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE)", C.MQRCCF_CHANNEL_NOT_ACTIVE)
    ends.done(f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE) IGNSTATE(YES)")


RUNNING = ChannelInstance(
    CHANNEL, "far(1414)", C.MQCHT_SENDER, C.MQCHS_RUNNING, started=1e9, messages=12, batches=3, batch_size=50,
    partner="QM2", xmitq="QM2", substate=C.MQCHSSTATE_IN_MQGET, current_luwid="ab".zfill(16), current_messages=2,
    current_sequence=14, last_luwid="aa".zfill(16), last_sequence=12, in_doubt=True, batch_sizes=(4, 5),
    queue_time=(100, 200), network_time=(7, 8), exit_time=(1, 2), compression_rate=(50, 60), compression_time=(3, 4),
    header_compression=(C.MQCOMPRESS_NONE, C.MQCOMPRESS_SYSTEM),
    message_compression=(C.MQCOMPRESS_ZLIBFAST, C.MQCOMPRESS_NONE), queued=9, short_retries=10, long_retries=99,
    heartbeat_s=300, monitoring=C.MQMON_MEDIUM, protocol="TLSV13", cipher="TLS_AES_128_GCM_SHA256",
)  # fmt: skip


def test_current_status_of_a_sender(ends: Ends) -> None:
    ends.house.running = [RUNNING]
    (row,) = ends.done(f"DISPLAY CHSTATUS({CHANNEL}) ALL")
    expected = {
        "channel": CHANNEL, "chltype": "SDR", "conname": "far(1414)", "current": "CURRENT", "status": "RUNNING",
        "substate": "MQGET", "rqmname": "QM2", "xmitq": "QM2", "mcastat": "RUNNING", "msgs": 12, "batches": 3,
        "batchsz": 50, "indoubt": "YES", "curluwid": "00000000000000AB", "curmsgs": 2, "curseqno": 14,
        "lstluwid": "00000000000000AA", "lstseqno": 12, "xbatchsz": [4, 5], "xqtime": [100, 200], "nettime": [7, 8],
        "exittime": [1, 2], "comprate": [50, 60], "comptime": [3, 4], "comphdr": ["NONE", "SYSTEM"],
        "compmsg": ["ZLIBFAST", "NONE"], "xqmsgsa": 9, "shortrts": 10, "longrts": 99, "hbint": 300, "monchl": "MEDIUM",
        "npmspeed": "FAST", "secprot": "TLSV13", "sslciph": "TLS_AES_128_GCM_SHA256", "stopreq": "NO",
    }  # fmt: skip
    assert {name: row.get(name) for name in expected} == expected
    assert row["chstada"] and row["jobname"] and not row["lstmsgda"]
    assert not {"mcauser", "rappltag", "curshcnv", "amqpka"} & set(row)


def test_saved_status_tells_the_state_with_that_partner(ends: Ends) -> None:
    ends.commit(ends.batch(1, 1, 1))
    (row,) = ends.saved()
    assert (row["rqmname"], row["status"]) == ("QM2", "INACTIVE")
    for partner, shown in (("QM2", "RUNNING"), ("QM3", "INACTIVE"), ("", "RUNNING")):
        ends.house.running = [replace(RUNNING, partner=partner)]
        assert ends.saved()[0]["status"] == shown, partner


@pytest.mark.parametrize("kind", ["SDR", "SVR", "CLUSSDR", "CLUSRCVR", "CLNTCONN", "RCVR", "RQSTR", "SVRCONN"])
def test_any_compression_is_for_those_that_are_asked(ends: Ends, kind: str) -> None:
    more = {"SDR": "XMITQ(QM2) CONNAME(a)", "SVR": "XMITQ(QM2)", "RCVR": "", "SVRCONN": ""}.get(kind, "CONNAME(a)")
    command = f"DEFINE CHANNEL(ANYHOW) CHLTYPE({kind}) {more} COMPMSG(ANY)"
    if kind in ("RCVR", "RQSTR", "SVRCONN"):
        ends.done(command)
    else:
        assert "COMPMSG" in ends.refused(command, C.MQRCCF_ATTR_VALUE_ERROR)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("NETTIME GT 6", True), ("NETTIME GT 7", False), ("NETTIME EQ 7", True), ("NETTIME EQ 8", False),
        ("NETTIME NE 7", False), ("XBATCHSZ GE 4", True), ("XBATCHSZ LT 4", False), ("XQTIME LE 100", True),
        ("XQTIME GT 999999999", False), ("COMPHDR CT SYSTEM", True), ("COMPMSG EX NONE", False),
    ],
)  # fmt: skip
def test_a_filter_on_an_indicator_looks_at_its_recent_figure(ends: Ends, condition: str, found: bool) -> None:
    ends.house.running = [RUNNING]
    command = f"DISPLAY CHSTATUS({CHANNEL}) WHERE({condition})"
    if found:
        assert len(ends.done(command)) == 1
    else:
        ends.refused(command, C.MQRCCF_CHL_STATUS_NOT_FOUND)


def test_a_filter_on_an_indicator_says_what_it_takes(ends: Ends) -> None:
    words = ends.refused(f"DISPLAY CHSTATUS({CHANNEL}) WHERE(EXITTIME NE 'abc')", C.MQRCCF_ATTR_VALUE_ERROR)
    assert "EXITTIME(abc): permitted is 0 to 999999999" in words


def test_a_receiver_has_no_transmission_queue(ends: Ends) -> None:
    ends.house.running = [replace(RUNNING, channel="QM2.TO.QM1", channel_type=C.MQCHT_RECEIVER, user="mca", xmitq="")]
    (row,) = ends.done("DISPLAY CHSTATUS(QM2.TO.QM1) ALL")
    assert row["mcauser"] == "mca"
    assert not {"xmitq", "xqtime", "nettime", "xbatchsz", "xqmsgsa", "shortrts", "longrts"} & set(row)
    assert ends.done("DISPLAY CHSTATUS(QM2.TO.QM1)") == [
        {
            "channel": "QM2.TO.QM1", "chltype": "RCVR", "conname": "far(1414)", "current": "CURRENT",
            "status": "RUNNING", "rqmname": "QM2", "substate": "MQGET",
        }
    ]  # fmt: skip


def test_figures_are_blank_where_nobody_watches(ends: Ends) -> None:
    ends.house.running = [replace(RUNNING, monitoring=C.MQMON_OFF)]
    answer = ends.answer(f"DISPLAY CHSTATUS({CHANNEL}) MONITOR")
    (row,) = answer.rows
    names = {"monchl", "comprate", "comptime", "exittime", "nettime", "xbatchsz", "xqmsgsa", "xqtime"}
    assert names <= set(row) and "msgs" not in row
    assert (row["monchl"], row["xqtime"], row["xqmsgsa"]) == ("OFF", [-1, -1], -1)
    shown = "\n".join(answer.lines)
    assert "XQTIME( , )" in shown and "XQMSGSA( )" in shown


def test_current_status_is_chosen(ends: Ends) -> None:
    ends.house.running = [RUNNING, replace(RUNNING, channel="QM2.TO.QM1", channel_type=C.MQCHT_RECEIVER, xmitq="")]
    assert len(ends.done("DISPLAY CHSTATUS(*)")) == 2
    assert len(ends.done("DISPLAY CHSTATUS(*) XMITQ(QM2)")) == 1
    assert len(ends.done("DISPLAY CHSTATUS(*) WHERE(INDOUBT EQ YES) STATUS")) == 2
    ends.refused("DISPLAY CHSTATUS(*) XMITQ(OTHER)", C.MQRCCF_CHL_STATUS_NOT_FOUND)


def test_a_batch_under_way_is_a_unit_of_work_of_the_queue_manager(ends: Ends) -> None:
    kernel = ends.embedded.manager
    ends.manager.put("QM2", b"data", persistent=True)
    with ends.embedded.lock:
        identity = BatchIdentity(CHANNEL, "QM2", "QM2", "1".zfill(16), 1, 0)
        batch = channel_batches.begin(kernel, kernel.connection(ends.hconn), identity)
        kernel.get(ends.hconn, ends.hobj, MQMD(), MQGMO(Options=C.MQGMO_SYNCPOINT), None)
    (row,) = ends.done("DISPLAY CONN(*) WHERE(APPLTAG EQ 'agent') URTYPE UOWSTATE")
    assert (row["urtype"], row["uowstate"]) == ("QMGR", "ACTIVE")
    with ends.embedded.lock:
        channel_batches.back_out(kernel, batch)


# Outcomes that come later


def test_a_ping_is_answered_when_the_other_end_has_answered(ends: Ends) -> None:
    answers: list[Any] = []
    text = f"PING CHANNEL({CHANNEL}) DATALEN(300)\nDISPLAY QMGR DEADQ"
    thread = threading.Thread(target=lambda: answers.extend(ends.manager.mqsc(text)))
    thread.start()
    assert ends.house.pinged.wait(120)
    ends.done("DISPLAY QMGR DEADQ")  # nobody is kept from working meanwhile
    assert answers == []
    (name, data, done) = ends.house.pings[0]
    assert (name, len(data), len(set(data))) == (CHANNEL, 300, 256)
    with ends.embedded.lock:
        done(None)
        done(amq(9209, "late"))  # only the first counts
    thread.join(120)
    ping, display = answers
    assert (ping.state, ping.lines) == ("done", [f"AMQ8020I: Ping of channel {CHANNEL} complete."])
    assert display.state == "done"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (amq(9202, "far(1414)", "refused"), C.MQRCCF_HOST_NOT_AVAILABLE),
        (amq(9520, CHANNEL, "far"), C.MQRCCF_UNKNOWN_REMOTE_CHANNEL),
        (amq(9546, CHANNEL, "far", "closed"), C.MQRCCF_PING_ERROR),
    ],
)
def test_a_ping_that_fails(ends: Ends, message: AmqMessage, reason: int) -> None:
    def fail() -> None:
        assert ends.house.pinged.wait(120)
        with ends.embedded.lock:
            ends.house.pings[0][2](message)

    thread = threading.Thread(target=fail)
    thread.start()
    assert ends.refused(f"PING CHANNEL({CHANNEL})", reason) == message.line
    thread.join(120)


def test_a_ping_ends_with_the_queue_manager(ends: Ends) -> None:
    def end() -> None:
        assert ends.house.pinged.wait(120)
        with ends.embedded.lock:
            ends.embedded.manager.core.quiescing = True

    thread = threading.Thread(target=end)
    thread.start()
    ends.refused(f"PING CHANNEL({CHANNEL})", C.MQRC_Q_MGR_QUIESCING)
    thread.join(120)


def test_a_ping_by_pcf_keeps_nobody_waiting(ends: Ends) -> None:
    with Sender(ends.manager.mqi) as sender:
        asked = sender.put(pcf(C.MQCMD_PING_CHANNEL, {C.MQCACH_CHANNEL_NAME: CHANNEL}))
        sender.done(C.MQCMD_PING_Q_MGR)
        assert sender.nothing_more()
        (unit,) = ends.embedded.manager.core.active_units()
        with ends.embedded.lock:
            ends.house.pings[0][2](None)
        (reply,) = sender.replies(asked)
        assert (reply.header.Command, reply.reason) == (C.MQCMD_PING_CHANNEL, C.MQRC_NONE)
        assert unit.id not in ends.embedded.manager.core.units
        asked = sender.put(pcf(C.MQCMD_PING_CHANNEL, {C.MQCACH_CHANNEL_NAME: CHANNEL}))
        with ends.embedded.lock:
            ends.house.pings[1][2](amq(9202, "far(1414)", "refused"))
        assert failure(sender.replies(asked))[0] == C.MQRCCF_HOST_NOT_AVAILABLE
    assert ends.manager.queue("SYSTEM.ADMIN.COMMAND.QUEUE").depth == 0


def test_pings_in_an_escape(ends: Ends) -> None:
    text = f"PING CHANNEL({CHANNEL})\nPING CHANNEL({CHANNEL})\nPING CHANNEL(NONE)"
    with Sender(ends.manager.mqi) as sender:
        asked = sender.put(pcf(C.MQCMD_ESCAPE, {C.MQIACF_ESCAPE_TYPE: C.MQET_MQSC, C.MQCACF_ESCAPE_TEXT: text}))
        for turn in range(2):
            assert len(ends.house.pings) == turn + 1
            assert sender.nothing_more()
            with ends.embedded.lock:
                ends.house.pings[turn][2](None)
        replies = sender.replies(asked)
        lines = [reply[C.MQCACF_ESCAPE_TEXT] for reply in replies if C.MQCACF_ESCAPE_TEXT in reply]
        assert [line[:8] for line in lines] == ["AMQ8020I", "AMQ8020I", "AMQ8227E"]
        assert replies[-1].reason == C.MQRCCF_COMMAND_FAILED


def test_a_ping_whose_answer_does_not_come_is_a_command_again_after_a_restart(tmp_path: Path) -> None:
    ends = Ends(tmp_path)
    with ends.manager, Sender(ends.manager.mqi) as sender:
        ping = pcf(C.MQCMD_PING_CHANNEL, {C.MQCACH_CHANNEL_NAME: CHANNEL})
        sender.put(ping, Persistence=C.MQPER_PERSISTENT)
        assert len(ends.house.pings) == 1
    with ends.embedded.lock:
        ends.house.pings[0][2](None)  # too late: nobody is there
    again = EmbeddedQueueManager.start(str(tmp_path), "QM1")
    with QueueManager(EmbeddedAccess(again, str(tmp_path))) as manager:
        assert manager.queue("SYSTEM.ADMIN.COMMAND.QUEUE").depth == 1


# Who may, and what is told


def test_control_is_not_enough_to_change_what_is_kept(ends: Ends) -> None:
    nobody = Issuer("nobody", frozenset(), privileged=False)
    access = EmbeddedAccess(ends.embedded, "")

    def reasons() -> list[int]:
        commands = ("START CHANNEL({})", "STOP CHANNEL({})", "RESET CHANNEL({})", "RESOLVE CHANNEL({}) ACTION(BACKOUT)")
        return [access.mqsc(one.format(CHANNEL), nobody)[0].reason for one in commands]

    refused = C.MQRC_NOT_AUTHORIZED
    assert reasons() == [refused] * 4
    ends.done(f"SET AUTHREC PROFILE({CHANNEL}) OBJTYPE(CHANNEL) PRINCIPAL('nobody') AUTHADD(CTRL)")
    assert reasons() == [0, 0, refused, refused]
    ends.done(f"SET AUTHREC PROFILE({CHANNEL}) OBJTYPE(CHANNEL) PRINCIPAL('nobody') AUTHADD(CTRLX)")
    assert reasons() == [0, 0, 0, C.MQRCCF_COMMAND_FAILED]  # the last one finds nothing in doubt


def test_a_ping_is_an_event_when_it_is_done(ends: Ends) -> None:
    ends.done("ALTER QMGR CMDEV(ENABLED)")
    events = ends.manager.queue("SYSTEM.ADMIN.COMMAND.EVENT")
    before = events.depth
    with Sender(ends.manager.mqi) as sender:
        for message, told in ((amq(9209, "far"), 0), (None, 1)):
            asked = sender.put(pcf(C.MQCMD_PING_CHANNEL, {C.MQCACH_CHANNEL_NAME: CHANNEL}))
            assert events.depth == before
            with ends.embedded.lock:
                ends.house.pings[-1][2](message)
            sender.replies(asked)
            assert events.depth == before + told
