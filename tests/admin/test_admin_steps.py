"""Commands over many objects: in steps, between which applications have their turn and objects come and go."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from helper_pcf import COMMAND_QUEUE, Sender, command

from libremq.admin.command import Issuer, Outcome
from libremq.admin.command_server import CommandServer
from libremq.admin.executor import Executor
from libremq.admin.mqsc_reading import read_command
from libremq.admin.steps import LOOKED_AT, Steps, run_through
from libremq.client.queue_manager import QueueManager
from libremq.host import lifecycle
from libremq.host.embedded import EmbeddedQueueManager
from libremq.kernel.manager import QueueManager as Kernel
from libremq.kernel.recovery import log_room
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFH, unpack_message
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing import temporary_queue_manager
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

MANY = 5 * LOOKED_AT


class Life:
    """A kernel with many queues, its executor, and an application; nothing happens by itself."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        files = FaultyFiles()
        lifecycle.create(files, "qm", "QM1", self.clock, LogConfig(file_pages=1024))
        self.qm = lifecycle.start(files, "qm", "QM1", self.clock)
        self.executor = Executor(self.qm)
        self.hconn = self.qm.connect("alice", "teller")
        for number in range(MANY):
            self.qm.define("QLOCAL", f"Q{number:04}", {"DESCR": "old"})
        self.qm.define("QLOCAL", "OTHER", {})
        self.qm.define("QLOCAL", "ANSWERS", {"MAXDEPTH": 100_000})

    def begin(self, text: str) -> Steps[Outcome]:
        """A command after its first step."""
        steps = self.executor.steps(read_command(text), Issuer())
        next(steps)
        return steps

    def put(self, queue: str, data: bytes = b"x", **fields: Any) -> None:
        self.qm.put1(self.hconn, MQOD(ObjectName=queue), MQMD(Version=2, **fields), MQPMO(), data)

    def ask(self, code: int, given: dict[int, Any], persistence: int = C.MQPER_NOT_PERSISTENT) -> None:
        self.put(
            COMMAND_QUEUE, command(code, given), MsgType=C.MQMT_REQUEST, Format=C.MQFMT_ADMIN, ReplyToQ="ANSWERS",
            CodedCharSetId=1208, Persistence=persistence,
        )  # fmt: skip

    def answers(self) -> list[tuple[MQCFH, dict[int, Any]]]:
        found = []
        hobj = self.qm.open(self.hconn, MQOD(ObjectName="ANSWERS"), C.MQOO_INPUT_SHARED)
        for _ in range(self.qm.depth("ANSWERS")):
            got = self.qm.get(self.hconn, hobj, MQMD(), MQGMO())
            assert isinstance(got, Got)
            header, parameters = unpack_message(got.data, charset="utf-8")
            values: dict[int, Any] = {}
            for one in parameters:
                values[one.Parameter] = getattr(one, "String", None) or getattr(one, "Value", None)
            found.append((header, values))
        self.qm.close(self.hconn, hobj)
        return found


@pytest.fixture
def life() -> Life:
    return Life()


def names(outcome: Outcome) -> list[str]:
    return [str(row.values[0][1]) for row in outcome.rows]


# MQSC


def test_others_have_their_turn_while_a_queue_is_moved() -> None:
    life = Life()
    for _ in range(200):
        life.put("Q0000")
    steps = life.begin("MOVE QLOCAL(Q0000) TOQLOCAL(Q0001)")
    life.put("OTHER")
    outcome = run_through(steps)
    assert (outcome.failed, life.qm.depth("Q0000"), life.qm.depth("Q0001")) == (False, 0, 200)


def test_what_is_deleted_meanwhile_is_not_shown_and_what_is_altered_is_shown_as_it_is(life: Life) -> None:
    steps = life.begin("DISPLAY QUEUE(Q*) DESCR")
    life.qm.delete("QLOCAL", "Q0490")
    life.qm.alter("QLOCAL", "Q0491", {"DESCR": "new"})
    life.qm.delete("QLOCAL", "Q0492")
    life.qm.define("QALIAS", "Q0492", {"TARGET": "OTHER"})  # another kind of object by now
    life.qm.delete("QLOCAL", "Q0493")
    life.qm.define("QLOCAL", "Q0493", {"DESCR": "another"})
    outcome = run_through(steps)
    assert not outcome.failed
    shown = {str(row.get("QUEUE")): row.get("DESCR") for row in outcome.rows}
    assert len(shown) == MANY - 2 and not {"Q0490", "Q0492"} & shown.keys()
    assert (shown["Q0000"], shown["Q0491"], shown["Q0493"], shown["Q0499"]) == ("old", "new", "another", "old")


def test_a_filter_sees_the_object_of_the_same_moment_as_what_is_shown(life: Life) -> None:
    steps = life.begin("DISPLAY QLOCAL(Q*) WHERE(CURDEPTH GT 0) DESCR")
    life.put("Q0499")
    life.qm.alter("QLOCAL", "Q0499", {"DESCR": "with one message"})
    (row,) = run_through(steps).rows
    assert (row.get("QLOCAL") or row.get("QUEUE"), row.get("CURDEPTH"), row.get("DESCR")) == (
        "Q0499", 1, "with one message",
    )  # fmt: skip


def test_all_that_is_left_may_go_meanwhile(life: Life) -> None:
    steps = life.begin("DISPLAY QUEUE(Q*) WHERE(DESCR EQ none)")
    for number in range(MANY):
        life.qm.delete("QLOCAL", f"Q{number:04}")
    outcome = run_through(steps)
    assert outcome.failed and outcome.reason == C.MQRC_UNKNOWN_OBJECT_NAME


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("DISPLAY QUEUE(*) TYPE(QALIAS)", False), ("DISPLAY QSTATUS(Q*) ALL", True), ("RESET QSTATS(Q*)", True),
        ("DISPLAY QSTATUS(Q*) TYPE(HANDLE)", False), ("DISPLAY QUEUE(*) WHERE(MAXDEPTH LT 0)", False),
    ],
)  # fmt: skip
def test_steps_are_made_whether_anything_is_shown_or_not(life: Life, text: str, every: bool) -> None:
    count = 1
    steps = life.begin(text)
    life.qm.delete("QLOCAL", "Q0499")
    while True:
        try:
            next(steps)
            count += 1
        except StopIteration as end:
            assert names(end.value) == ([f"Q{number:04}" for number in range(MANY - 1)] if every else names(end.value))
            break
    assert count >= MANY // LOOKED_AT


def test_connections_that_end_meanwhile(life: Life) -> None:
    hconns = [life.qm.connect("bob", f"app {number}") for number in range(2 * LOOKED_AT)]
    steps = life.begin("DISPLAY CONN(*) ALL")
    for hconn in hconns[LOOKED_AT:]:
        life.qm.disconnect(hconn)
    assert LOOKED_AT - 1 <= len(run_through(steps).rows) <= LOOKED_AT + 1


def test_others_have_the_lock_between_two_steps() -> None:
    files, clock = FaultyFiles(), VirtualClock()
    lifecycle.create(files, "qm", "QM1", clock, LogConfig(file_pages=64))
    embedded = EmbeddedQueueManager(lifecycle.start(files, "qm", "QM1", clock), background=False)
    begun, had_it = threading.Event(), threading.Event()

    def other() -> None:
        begun.wait()
        with embedded.locked():
            had_it.set()

    def steps() -> Steps[bool]:
        for _ in range(10_000):
            if had_it.is_set():
                return True
            begun.set()
            yield
        return False

    thread = threading.Thread(target=other)
    thread.start()
    assert embedded.run_steps(steps())
    thread.join()
    embedded.end()


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with temporary_queue_manager() as made:
        yield made


def test_the_python_api_and_mqsc_show_all_of_many(qm: QueueManager) -> None:
    for number in range(2 * LOOKED_AT + 1):
        qm.define_local(f"Q{number:04}")
    expected = [f"Q{number:04}" for number in range(2 * LOOKED_AT + 1)]
    assert [str(row["queue"]) for row in qm.mqsc("DISPLAY QUEUE(Q*)")[0].rows] == expected
    assert [str(row["queue"]) for row in qm.display("QLOCAL", "Q*")] == expected


# The command server


def serve(life: Life) -> CommandServer:
    made = CommandServer(life.qm, life.executor)
    made.start()
    return made


def finish(qm: Kernel) -> int:
    """Turns of the clock until nothing is left to do."""
    turns = 0
    while qm.commands_wait:
        qm.tick()
        turns += 1
    return turns


def test_an_inquiry_of_many_goes_on_in_later_turns(life: Life) -> None:
    serve(life)
    life.ask(C.MQCMD_INQUIRE_Q, {C.MQCA_Q_NAME: "Q*"})
    life.ask(C.MQCMD_PING_Q_MGR, {})
    assert life.qm.commands_wait and life.qm.depth("ANSWERS") == 0
    life.put("OTHER")  # applications go on, and change what the inquiry has not seen yet
    life.qm.delete("QLOCAL", "Q0499")
    assert finish(life.qm) > MANY // LOOKED_AT
    *found, ping = life.answers()
    assert [values[C.MQCA_Q_NAME].rstrip() for _, values in found] == [f"Q{number:04}" for number in range(MANY - 1)]
    assert [header.MsgSeqNumber for header, _ in found] == list(range(1, MANY))
    assert [header.Control for header, _ in found] == [C.MQCFC_NOT_LAST] * (MANY - 2) + [C.MQCFC_LAST]
    assert ping[0].Command == C.MQCMD_PING_Q_MGR and life.qm.depth(COMMAND_QUEUE) == 0


def test_what_others_do_meanwhile_pays_for_no_step_of_it(life: Life) -> None:
    """A link runs many verbs in its turn: had each to run a step, all would wait for an inquiry of one."""
    server = serve(life)
    steps: list[bool] = []

    def counted() -> bool:
        steps.append(server.serve())
        return steps[-1]

    life.qm.set_command_server(counted)
    finish(life.qm)
    steps.clear()
    given = {C.MQIACF_ESCAPE_TYPE: C.MQET_MQSC, C.MQCACF_ESCAPE_TEXT: "DISPLAY QUEUE(*) ALL WHERE(CURDEPTH GE 0)"}
    life.ask(C.MQCMD_ESCAPE, given)
    assert steps == [True]
    for _ in range(64):
        life.put("OTHER")
    life.ask(C.MQCMD_PING_Q_MGR, {})  # nor does a command behind it
    assert steps == [True]
    life.qm.tick()
    assert steps == [True, True]
    finish(life.qm)
    *_, ping = life.answers()
    assert ping[0].Command == C.MQCMD_PING_Q_MGR
    steps.clear()
    life.ask(C.MQCMD_PING_Q_MGR, {})
    assert steps and len(life.answers()) == 1  # by the verb itself, as before


def test_who_waits_for_the_answer_goes_on_with_it_where_no_thread_runs_the_clock(life: Life) -> None:
    embedded = EmbeddedQueueManager(life.qm, background=False)
    embedded.serve_commands(trusting=True)
    hobj = life.qm.open(life.hconn, MQOD(ObjectName="ANSWERS"), C.MQOO_INPUT_SHARED)
    for number, await_answer in enumerate((_by_a_get, _by_news)):
        life.ask(C.MQCMD_INQUIRE_Q, {C.MQCA_Q_NAME: "Q*"})
        assert life.qm.commands_wait and life.qm.depth("ANSWERS") == number * MANY - number
        await_answer(embedded, life, hobj)
    embedded.end()


def _by_a_get(embedded: EmbeddedQueueManager, life: Life, hobj: int) -> None:
    gmo = MQGMO(Options=C.MQGMO_WAIT, WaitInterval=60_000)
    assert embedded.get(life.hconn, hobj, MQMD(), gmo, None).data


def _by_news(embedded: EmbeddedQueueManager, life: Life, hobj: int) -> None:
    news = threading.Condition(embedded.lock)
    with embedded.lock:
        while life.qm.commands_wait:
            embedded.await_news(news)
    assert life.qm.depth("ANSWERS") == 2 * MANY - 1


def test_mqsc_in_a_message_goes_on_in_later_turns(life: Life) -> None:
    serve(life)
    given = {C.MQIACF_ESCAPE_TYPE: C.MQET_MQSC, C.MQCACF_ESCAPE_TEXT: "DISPLAY QUEUE(Q*)"}
    life.ask(C.MQCMD_ESCAPE, given)
    assert life.qm.depth("ANSWERS") == 0
    finish(life.qm)
    lines = [values[C.MQCACF_ESCAPE_TEXT] for _, values in life.answers()]
    assert sum("QUEUE(Q" in line for line in lines) == MANY


@pytest.mark.parametrize("turns", [1, MANY // LOOKED_AT + 3, 40])
def test_an_inquiry_that_has_to_give_way_for_a_full_log_is_answered_once_and_whole(life: Life, turns: int) -> None:
    serve(life)
    life.ask(C.MQCMD_INQUIRE_Q, {C.MQCA_Q_NAME: "Q*"}, C.MQPER_PERSISTENT)
    for _ in range(turns):
        life.qm.tick()
    log_room.give_way(life.qm.core)
    finish(life.qm)
    assert len(life.answers()) == MANY and life.qm.depth(COMMAND_QUEUE) == 0
    assert not life.qm.core.units


def test_what_is_under_way_is_ended_when_the_command_server_stops(life: Life) -> None:
    server = serve(life)
    life.ask(C.MQCMD_INQUIRE_Q, {C.MQCA_Q_NAME: "Q*"})
    life.ask(C.MQCMD_PING_Q_MGR, {})
    server.stop()
    assert len(life.answers()) == MANY and life.qm.depth(COMMAND_QUEUE) == 1
    assert not life.qm.core.units


def test_answers_for_which_there_is_no_room_are_none_at_all(life: Life) -> None:
    """All or nothing, also over several turns: whoever asked does not take a part for the whole."""
    serve(life)
    life.ask(C.MQCMD_INQUIRE_Q, {C.MQCA_Q_NAME: "Q*"})
    while not life.qm.depth("ANSWERS"):
        life.qm.tick()
    life.qm.core.disk_full = "the disk is full, for this test"
    life.ask(C.MQCMD_PING_Q_MGR, {})
    finish(life.qm)
    life.qm.core.disk_full = ""
    assert not life.qm.core.units
    found = life.answers()
    assert not found or found[-1][0].Control == C.MQCFC_LAST


def test_a_queue_that_nobody_uses_is_not_loaded_to_be_shown(life: Life) -> None:
    life.put("Q0001", Persistence=C.MQPER_PERSISTENT)
    for _ in range(3):
        life.qm.checkpoint()  # which unloads what is idle
    assert "Q0000" not in life.qm.core.queues and "Q0001" not in life.qm.core.queues
    outcome = life.executor.run(read_command("DISPLAY QLOCAL(Q000*) CURDEPTH"), Issuer())
    assert [row.get("CURDEPTH") for row in outcome.rows][:3] == [0, 1, 0]
    assert "Q0000" not in life.qm.core.queues and "Q0001" in life.qm.core.queues


def test_over_a_connection_an_inquiry_of_many_needs_nobody_to_call(qm: QueueManager) -> None:
    for number in range(2 * LOOKED_AT):
        qm.define_local(f"Q{number:04}")
    with Sender(qm.mqi) as sender:
        found = sender.done(C.MQCMD_INQUIRE_Q, {C.MQCA_Q_NAME: "Q*"})
    assert len(found) == 2 * LOOKED_AT


def test_a_wrong_attribute_is_refused_at_once(life: Life) -> None:
    with pytest.raises(StopIteration) as end:
        next(life.executor.steps(read_command("DISPLAY QUEUE(*) WHERE(DESCR CT x)"), Issuer()))
    outcome: Outcome = end.value.value
    assert outcome.failed and outcome.reason == C.MQRCCF_FILTER_ERROR
