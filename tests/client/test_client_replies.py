"""Requests and replies, reports of applications, the dead-letter queue."""

from __future__ import annotations

import threading

import pytest

import libremq
from libremq import Message, QueueManager
from libremq.mqi import constants as C

PATIENCE = 60


@pytest.fixture
def qm(queue_manager: QueueManager) -> QueueManager:
    queue_manager.define_local("SERVICE")
    queue_manager.define_local("ANSWERS")
    return queue_manager


def test_a_reply_finds_its_request(qm: QueueManager) -> None:
    first = qm.put("SERVICE", "one", reply_to="ANSWERS")
    second = qm.put("SERVICE", "two", reply_to=qm.queue("ANSWERS"))
    for message in qm.queue("SERVICE"):
        message.reply(message.text.upper())
    answers = qm.queue("ANSWERS")
    reply = answers.get(correlation_id=second)
    assert (reply.text, reply.message_type) == ("TWO", C.MQMT_REPLY)
    assert answers.get(correlation_id=first).text == "ONE"


def test_a_reply_is_as_persistent_and_urgent_as_its_request(qm: QueueManager) -> None:
    qm.put("SERVICE", "x", reply_to="ANSWERS", persistent=True, priority=6)
    qm.queue("SERVICE").get().reply("y", properties={"n": 1})
    reply = qm.queue("ANSWERS").get()
    assert (reply.persistent, reply.priority, reply.properties) == (True, 6, {"n": 1})


def test_the_sender_says_which_ids_a_reply_has(qm: QueueManager) -> None:
    report = C.MQRO_PASS_MSG_ID | C.MQRO_PASS_CORREL_ID
    message_id = qm.put("SERVICE", "x", reply_to="ANSWERS", correlation_id="mine", report=report)
    qm.queue("SERVICE").get().reply("y")
    reply = qm.queue("ANSWERS").get()
    assert reply.message_id == message_id
    assert reply.correlation_id.rstrip(b"\0") == b"mine"


def test_nobody_to_reply_to(qm: QueueManager) -> None:
    qm.put("SERVICE", "x")
    message = qm.queue("SERVICE").get()
    assert message.reply_to == ""
    with pytest.raises(libremq.MessageDescriptorError) as caught:
        message.reply("y")
    assert caught.value.reason == C.MQRC_MISSING_REPLY_TO_Q


def test_a_reply_belongs_to_the_transaction(qm: QueueManager) -> None:
    qm.put("SERVICE", "x", reply_to="ANSWERS")
    with pytest.raises(KeyError), qm.transaction():
        qm.queue("SERVICE").get().reply("y")
        raise KeyError
    assert qm.queue("ANSWERS").depth == 0
    assert qm.queue("SERVICE").depth == 1


def serve(qm: QueueManager, requests: int) -> threading.Thread:
    def work() -> None:
        service = qm.queue("SERVICE")
        for _ in range(requests):
            message = service.get(wait=PATIENCE)
            message.reply(message.text[::-1])

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_a_request_waits_for_its_reply_on_a_queue_of_its_own(qm: QueueManager) -> None:
    server = serve(qm, 2)
    service = qm.queue("SERVICE")
    assert service.request("abc", wait=PATIENCE).text == "cba"
    assert service.request("def", wait=PATIENCE, reply_to="ANSWERS", persistent=True).text == "fed"
    server.join(PATIENCE)
    assert qm.queue_names() == ["ANSWERS", "SERVICE"]


def test_a_request_without_an_answer(qm: QueueManager) -> None:
    with pytest.raises(libremq.NoMessageAvailable):
        qm.queue("SERVICE").request("anyone?", wait=0)
    request = qm.queue("SERVICE").get()
    assert request.message_type == C.MQMT_REQUEST


def test_a_request_in_a_transaction_would_wait_for_ever(qm: QueueManager) -> None:
    with pytest.raises(libremq.UnitOfWorkError, match="before the commit"), qm.transaction():
        qm.queue("SERVICE").request("x")


def test_a_persistent_request_needs_a_lasting_queue_for_its_reply(qm: QueueManager) -> None:
    with pytest.raises(libremq.BadValue, match="reply_to") as caught:
        qm.queue("SERVICE").request("x", persistent=True)
    assert caught.value.reason == C.MQRC_PERSISTENT_NOT_ALLOWED
    assert qm.queue("SERVICE").depth == 0


def test_reports_go_out_only_if_they_were_asked_for(qm: QueueManager) -> None:
    message_id = qm.put("SERVICE", "x", reply_to="ANSWERS", report=C.MQRO_PAN)
    message = qm.queue("SERVICE").get()
    assert message.report(C.MQFB_NAN) is None
    assert message.report(C.MQFB_PAN) is not None
    report = qm.queue("ANSWERS").get()
    assert (report.message_type, report.feedback, report.data) == (C.MQMT_REPORT, C.MQFB_PAN, b"")
    assert report.correlation_id == message_id
    assert qm.queue("ANSWERS").depth == 0


def test_an_application_may_report_what_it_likes(qm: QueueManager) -> None:
    qm.put("SERVICE", "x", reply_to="ANSWERS")
    qm.queue("SERVICE").get().report(C.MQFB_APPL_FIRST + 7)
    assert qm.queue("ANSWERS").get().feedback == C.MQFB_APPL_FIRST + 7


# The dead-letter queue


@pytest.fixture
def buried(qm: QueueManager) -> Message:
    qm.define_local("DEAD")
    qm.alter("qmgr", deadq="DEAD")
    qm.put("SERVICE", "Größe", persistent=True, properties={"colour": "red"}, reply_to="ANSWERS")
    with qm.transaction():
        message = qm.queue("SERVICE").get()
        qm.dead_letter(message, C.MQFB_APPL_FIRST + 1)
    return qm.queue("DEAD").get()


def test_a_dead_letter_says_why_and_where_it_should_have_gone(buried: Message) -> None:
    header, message = buried.without_dead_letter_header()
    assert buried.format == "MQDEAD"
    assert header.Reason == C.MQFB_APPL_FIRST + 1
    assert (header.DestQName, header.DestQMgrName) == ("SERVICE", "QM1")
    assert len(header.PutDate + header.PutTime) == 16
    assert (message.text, message.format, message.persistent) == ("Größe", "MQSTR", True)
    assert message.properties == {"colour": "red"}
    assert message.reply_to == "ANSWERS"


def test_a_dead_letter_keeps_the_context_of_its_sender(qm: QueueManager) -> None:
    qm.define_local("DEAD")
    qm.alter("qmgr", deadq="DEAD")
    with libremq.connect(qm.url, user="dave") as other:
        other.put("SERVICE", "x")
    message = qm.queue("SERVICE").get()
    assert message.user == "dave"
    qm.dead_letter(message, C.MQRC_Q_FULL, queue="ELSEWHERE", queue_manager="QM9")
    dead = qm.queue("DEAD").get()
    assert (dead.user, dead.put_time, dead.message_id) == (message.user, message.put_time, message.message_id)
    assert dead.without_dead_letter_header()[0].DestQMgrName == "QM9"


def test_the_sender_may_ask_for_its_message_to_be_dropped_and_for_a_report(qm: QueueManager) -> None:
    qm.put("SERVICE", "x", reply_to="ANSWERS", report=C.MQRO_DISCARD_MSG | C.MQRO_EXCEPTION)
    assert qm.dead_letter(qm.queue("SERVICE").get(), C.MQRC_Q_FULL) is None
    assert qm.queue("ANSWERS").get().feedback == C.MQRC_Q_FULL


def test_without_a_dead_letter_queue_the_transaction_keeps_the_message(qm: QueueManager) -> None:
    qm.alter("qmgr", deadq="")
    qm.put("SERVICE", "x")
    with pytest.raises(libremq.UnknownObject, match="deadq"), qm.transaction():
        qm.dead_letter(qm.queue("SERVICE").get(), C.MQRC_Q_FULL)
    assert qm.queue("SERVICE").depth == 1


def test_a_message_that_is_no_dead_letter(qm: QueueManager) -> None:
    qm.put("SERVICE", "x")
    with pytest.raises(libremq.StructureError) as caught:
        qm.queue("SERVICE").get().without_dead_letter_header()
    assert caught.value.reason == C.MQRC_DLH_ERROR
