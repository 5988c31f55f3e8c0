"""What the samples share that serve requests (amqsech, amqsinq, amqsset): a loop of get, answer, commit.

They are started by a trigger monitor, with an MQTMC2 as the only argument, or by hand with the name of a queue. A
request and its answer are one unit of work. A request whose answer cannot be delivered goes to the dead-letter queue.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from libremq.commands.queue_manager_folders import complain
from libremq.commands.samples.sample_program import (
    USAGE_CODE,
    UTF8,
    Sample,
    add_queue_arguments,
    add_wait_argument,
    line,
)
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, NoMessageAvailable
from libremq.mqi.structs import MQMD, MQTMC2

if TYPE_CHECKING:
    from libremq.client.message import Message
    from libremq.client.queue import Queue
    from libremq.client.queue_manager import QueueManager

TRIGGERED_WAIT_S = 5.0  # then it ends, and the next request calls for a new one

Answer = Callable[["QueueManager", "Message"], None]
"""Puts the reply to a request, or a report that there is none. MQError if that cannot be delivered."""


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    add_queue_arguments(parser, "the queue to serve, or an MQTMC2 from a trigger monitor")
    add_wait_argument(
        parser,
        None,
        f"end when no request came for so long; by default {TRIGGERED_WAIT_S:g} if it was triggered, else never",
    )


def run_server(command: str, program: str, arguments: argparse.Namespace, answer: Answer) -> int:
    """Serve until no request comes any more; the exit code."""
    triggered = arguments.queue.startswith(C.MQTMC_STRUC_ID)
    wait = arguments.wait
    if wait is None:
        wait = TRIGGERED_WAIT_S if triggered else -1.0
    sample = Sample(command, arguments, f"Sample {program} start", f"Sample {program} end")
    if triggered:
        try:
            arguments.queue, arguments.qmgr = trigger_message(arguments.queue, arguments.qmgr)
        except (MQError, ValueError) as error:
            complain(sample.command, f"the trigger message (MQTMC2) is not valid: {error}")
            return USAGE_CODE
    return sample.run(lambda qm: _serve(sample, qm, qm.queue(arguments.queue), wait, answer))


def trigger_message(text: str, qmgr: str = "") -> tuple[str, str]:
    """The queue and the queue manager that an MQTMC2 names. Blanks at its end may be missing: shells drop them."""
    data = os.fsencode(text)
    length = 684 if data[4:8] == C.MQTMC_VERSION_1.encode() else 732
    found = MQTMC2.unpack(data.ljust(length))
    return found.QName, (found.QMgrName if length == 732 else "") or qmgr


def _serve(sample: Sample, qm: QueueManager, queue: Queue, wait: float, answer: Answer) -> None:
    with sample.verb("MQOPEN", "unable to open queue for input"):
        queue.handle("input")
    while True:
        with qm.transaction():
            with sample.verb("MQGET"):
                try:
                    request = queue.get(float("inf") if wait < 0 else wait)
                except NoMessageAvailable:
                    line("no more requests")
                    return
            line(request.data)
            _answer(sample, qm, request, answer)


def _answer(sample: Sample, qm: QueueManager, request: Message, answer: Answer) -> None:
    if request.message_type != C.MQMT_REQUEST:
        line("  not a request: no reply")
        return
    try:
        answer(qm, request)
        return
    except MQError as error:
        sample.told("MQPUT1", error)
        reason = error.reason
    request.md.Report &= ~C.MQRO_EXCEPTION_WITH_FULL_DATA  # the report would go where the reply could not
    with sample.verb("MQPUT1", "the request stays on its queue"):
        buried = qm.dead_letter(request, reason)
    line("  request discarded, as it asks" if buried is None else "  request put on the dead-letter queue")


def reply(request: Message, data: bytes, md: MQMD, **properties: object) -> None:
    """As persistent as the request, if the queue for replies takes that: a temporary one does not."""
    original = request.md
    if original.Report & C.MQRO_PASS_DISCARD_AND_EXPIRY:
        md.Report, md.Expiry = original.Report & C.MQRO_DISCARD_MSG, original.Expiry
    try:
        request.reply(data, md=md, **properties)  # type: ignore[arg-type]
    except MQError as error:
        if error.reason != C.MQRC_PERSISTENT_NOT_ALLOWED:
            raise
        request.reply(data, md=md, persistent=False, **properties)  # type: ignore[arg-type]


def answer_about_queue(work: Callable[[Queue], str]) -> Answer:
    """For servers whose requests name a queue: the reply says what `work` found, a report why there is nothing."""

    def answer(qm: QueueManager, request: Message) -> None:
        name = request.text.strip(" \0\r\n")
        try:
            queue = qm.queue(name)
            text = work(queue)
        except MQError as error:
            line(f"  {name}: reason code {error.reason}")
            request.report(error.reason)
            return
        queue.close()
        reply(request, text.encode(), MQMD(Version=C.MQMD_VERSION_2, Format=C.MQFMT_STRING, CodedCharSetId=UTF8))

    return answer
