"""The dead-letter queue handler on real queues: every action, retries, rivals, faults, and messages kept whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.client.queue_manager import QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDLH, MQMD, MQPMO
from libremq.testing.serving import served_queue_manager
from libremq.tools.dead_letter_handler import DeadLetterHandler, Outcome
from libremq.tools.dead_letter_rules import parse_rules

DEAD = "DEAD"


@pytest.fixture(params=["local", "embedded"])
def qm(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[QueueManager]:
    if request.param == "embedded":
        with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as manager:
            yield prepared(manager)
        return
    with served_queue_manager(folder=tmp_path) as served, libremq.connect(served.url("local")) as manager:
        yield prepared(manager)


def prepared(manager: QueueManager) -> QueueManager:
    for name in (DEAD, "WORK", "ARCHIVE", "SMALL"):
        manager.define_local(name, defpsist="yes", maxdepth=1 if name == "SMALL" else 5000)
    manager.alter("qmgr", deadq=DEAD)
    return manager


def bury(qm: QueueManager, text: str, queue: str = "WORK", reason: int = C.MQRC_Q_FULL, **md: object) -> bytes:
    """A message on the dead-letter queue, as if it had failed to reach a queue."""
    header = MQDLH(
        Reason=reason, DestQName=queue, DestQMgrName=qm.name, Format="MQSTR", CodedCharSetId=1208, Encoding=546
    )
    fields = {"UserIdentifier": "alice", "PutApplName": "orders", "ApplIdentityData": "id", "PutApplType": 6, **md}
    descriptor = MQMD(Version=2, Format=C.MQFMT_DEAD_LETTER_HEADER, CodedCharSetId=819, **fields)
    pmo = MQPMO(Version=3, Options=C.MQPMO_SET_ALL_CONTEXT)
    with qm.queue(DEAD, open_options=C.MQOO_SET_ALL_CONTEXT) as dead:
        data = header.pack() + text.encode()
        return dead.put(data, md=descriptor, pmo=pmo, properties={"colour": "red", "n": 7})


def handle(qm: QueueManager, rules: str, control: str = "WAIT(NO) RETRYINT(1)") -> tuple[Outcome, list[str]]:
    said: list[str] = []
    outcome = DeadLetterHandler(qm, parse_rules(f"{control}\n{rules}"), say=said.append).run()
    return outcome, said


def test_retry_puts_the_message_back_as_it_was(qm: QueueManager) -> None:
    number = bury(qm, "tea", CorrelId=b"c" * 24, ReplyToQ="REPLIES", Priority=3, Persistence=1)
    outcome, said = handle(qm, "REASON(MQRC_Q_FULL) ACTION(RETRY)")
    assert outcome == Outcome(retried=1)
    assert [line[:8] for line in said] == ["AMQ8708I", "AMQ8709I"]
    message = qm.queue("WORK").get()
    assert (message.text, message.format, message.message_id) == ("tea", "MQSTR", number)
    assert (message.correlation_id, message.priority, message.reply_to) == (b"c" * 24, 3, "REPLIES")
    assert (message.user, message.application, message.md.ApplIdentityData) == ("alice", "orders", "id")
    assert message.properties == {"colour": "red", "n": 7}
    assert message.persistent
    assert (qm.queue(DEAD).depth, message.backout_count) == (0, 0)


@pytest.mark.parametrize("header", ["YES", "NO"])
def test_forward_with_and_without_header(qm: QueueManager, header: str) -> None:
    bury(qm, "tea")
    outcome, _ = handle(qm, f"ACTION(FWD) FWDQ(ARCHIVE) HEADER({header})")
    assert outcome == Outcome(forwarded=1)
    message = qm.queue("ARCHIVE").get()
    if header == "YES":
        dlh, message = message.without_dead_letter_header()
        assert (dlh.Reason, dlh.DestQName) == (C.MQRC_Q_FULL, "WORK")
    assert (message.text, message.format, message.properties["colour"]) == ("tea", "MQSTR", "red")


def test_forward_to_the_reply_queue_and_to_where_it_should_have_gone(qm: QueueManager) -> None:
    bury(qm, "one", ReplyToQ="ARCHIVE", ReplyToQMgr=qm.name)
    handle(qm, "ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&REPLYQM) HEADER(NO)")
    assert qm.queue("ARCHIVE").get().text == "one"
    bury(qm, "two")
    handle(qm, "ACTION(FWD) FWDQ(&DESTQ) FWDQM(&DESTQM) HEADER(NO)")
    assert qm.queue("WORK").get().text == "two"


def test_discard_and_ignore_and_what_no_rule_fits(qm: QueueManager) -> None:
    for text, reason in (("a", 2053), ("b", 2085), ("c", 2035)):
        bury(qm, text, reason=reason)
    rules = "REASON(2053) ACTION(DISCARD)\nREASON(2085) ACTION(IGNORE)\nREASON(2035) DESTQ(X) ACTION(DISCARD)"
    outcome, _ = handle(qm, rules)
    assert outcome == Outcome(discarded=1, left=2)
    assert [message.without_dead_letter_header()[1].text for message in qm.queue(DEAD)] == ["b", "c"]


def test_the_first_rule_that_fits_counts(qm: QueueManager) -> None:
    bury(qm, "tea")
    assert handle(qm, "ACTION(IGNORE)\nACTION(DISCARD)")[0] == Outcome(left=1)


def test_a_message_without_header_stays(qm: QueueManager) -> None:
    qm.put(DEAD, "no header")
    qm.put(DEAD, b"short", format="MQDEAD")
    outcome, said = handle(qm, "ACTION(DISCARD)")
    assert outcome == Outcome(left=2)
    assert [line[:8] for line in said].count("AMQ8721W") == 2
    assert qm.queue(DEAD).depth == 2


def test_a_rule_that_fails_is_tried_again_and_then_the_next_one(qm: QueueManager) -> None:
    bury(qm, "tea", queue="NOPE", reason=2085)
    outcome, said = handle(qm, "DESTQ(NOPE) ACTION(RETRY) RETRY(2)\nACTION(FWD) FWDQ(ARCHIVE) HEADER(NO)")
    assert outcome == Outcome(forwarded=1)
    failures = [line for line in said if line.startswith("AMQ8722W")]
    assert len(failures) == 2
    assert "line 2, reason 2085, queue 'NOPE'" in failures[0]
    message = qm.queue("ARCHIVE").get()
    assert (message.text, message.backout_count) == ("tea", 0)


def test_when_all_rules_have_failed_it_stays_untouched(qm: QueueManager) -> None:
    bury(qm, "tea", queue="NOPE")
    outcome, _ = handle(qm, "ACTION(RETRY)\nACTION(FWD) FWDQ(NOPE.TOO)")
    assert outcome == Outcome(left=1)
    message = qm.queue(DEAD).get()
    assert (message.without_dead_letter_header()[1].text, message.backout_count) == ("tea", 0)


def test_a_full_queue_takes_the_rest_when_there_is_room(qm: QueueManager) -> None:
    for number in range(2):
        bury(qm, str(number), queue="SMALL")
    found: list[str] = []

    def say(text: str) -> None:
        if text.startswith("AMQ8722W"):  # the second did not fit: room for it, before the next try
            with libremq.connect(qm.url) as other:
                found.append(other.queue("SMALL").get().text)

    table = parse_rules("WAIT(NO) RETRYINT(1)\nACTION(RETRY) RETRY(5)")
    outcome = DeadLetterHandler(qm, table, say=say).run()
    found.append(qm.queue("SMALL").get().text)
    assert (outcome, found) == (Outcome(retried=2), ["0", "1"])


def test_what_waits_for_another_try_when_it_is_stopped_is_left(qm: QueueManager) -> None:
    bury(qm, "tea", queue="NOWHERE")

    def say(text: str) -> None:
        if text.startswith("AMQ8722W"):
            handler.stop()

    table = parse_rules("WAIT(NO) RETRYINT(3600)\nACTION(RETRY) RETRY(5)")
    handler = DeadLetterHandler(qm, table, say=say)
    assert handler.run() == Outcome(left=1)
    assert qm.queue(DEAD).depth == 1


def test_a_message_that_somebody_else_takes_meanwhile_is_not_doubled(qm: QueueManager) -> None:
    bury(qm, "tea", queue="NOPE")

    def say(text: str) -> None:
        if text.startswith("AMQ8722W"):
            with libremq.connect(qm.url) as other:
                other.queue(DEAD).get()

    table = parse_rules("WAIT(NO) RETRYINT(1)\nACTION(RETRY) RETRY(3)")
    assert DeadLetterHandler(qm, table, say=say).run() == Outcome()
    assert qm.queue(DEAD).depth == 0


def test_messages_of_every_priority_that_come_while_it_waits(qm: QueueManager) -> None:
    table = parse_rules("INPUTQ(DEAD) WAIT(YES)\nUSERID(stop) ACTION(IGNORE)\nACTION(RETRY)")
    started: list[DeadLetterHandler] = []
    results: list[Outcome] = []
    with libremq.connect(qm.url) as other:

        def run() -> None:
            started.append(DeadLetterHandler(other, table))  # in its thread, which has the connection
            results.append(started[0].run())

        thread = threading.Thread(target=run)
        thread.start()
        work = qm.queue("WORK")
        bury(qm, "low", Priority=0, UserIdentifier="stop")
        for number, priority in enumerate((1, 9, 5, 9)):
            bury(qm, str(number), Priority=priority)
            assert work.get(30).text == str(number)
        started[0].stop()
        thread.join(120)
        assert not thread.is_alive()
    assert results == [Outcome(retried=4, left=1)]


def test_wait_ends_by_itself(qm: QueueManager) -> None:
    assert handle(qm, "ACTION(RETRY)", "WAIT(1)")[0] == Outcome()


def test_the_queue_comes_from_the_call_the_table_or_the_queue_manager(qm: QueueManager) -> None:
    table = parse_rules("INPUTQ(ARCHIVE) WAIT(NO)\nACTION(IGNORE)")
    assert DeadLetterHandler(qm, table, "WORK").queue == "WORK"
    assert DeadLetterHandler(qm, table).queue == "ARCHIVE"
    table = parse_rules("ACTION(IGNORE)")
    assert DeadLetterHandler(qm, table).queue == DEAD
    qm.alter("qmgr", deadq="")
    with pytest.raises(libremq.MQError) as caught:
        DeadLetterHandler(qm, table)
    assert caught.value.reason == C.MQRC_UNKNOWN_OBJECT_NAME


def test_put_with_the_authority_of_the_user_in_the_message(tmp_path: Path) -> None:
    """PUTAUT(CTX) asks what that user may do, PUTAUT(DEF) what the handler may."""
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as qm:
        prepared(qm)
        granted = qm.mqsc(
            "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('daemon') AUTHADD(CONNECT, ALTUSR, SETALL, INQ, DSP)\n"
            "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('daemon') AUTHADD(PUT, GET, BROWSE, SETALL, INQ)\n"
            "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('bin') AUTHADD(SETALL)\n"
            "SET AUTHREC PROFILE(WORK) OBJTYPE(QUEUE) PRINCIPAL('bin') AUTHADD(PUT, SETALL)\n"
        )
        assert [answer.state for answer in granted] == ["done"] * 4, granted
        for user in ("nobody", "bin"):
            bury(qm, user, UserIdentifier=user)
        with libremq.connect(f"embedded:QM1?data={tmp_path}&authority=1", user="daemon") as handler:
            rules = "ACTION(RETRY) PUTAUT(CTX)\nACTION(FWD) FWDQ(ARCHIVE) PUTAUT(DEF) HEADER(NO)"
            outcome, said = handle(handler, rules)
        assert outcome == Outcome(retried=1, forwarded=1)
        assert "reason 2035, queue 'WORK'" in next(line for line in said if line.startswith("AMQ8722W"))
        assert [message.text for message in qm.queue("WORK")] == ["bin"]
        assert [message.text for message in qm.queue("ARCHIVE")] == ["nobody"]
