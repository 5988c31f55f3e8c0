"""The `amqsreq` sample: put each line of standard input as a request, then print the replies.

Replies come to a dynamic queue made for this run, unless a local queue is named, which is then opened exclusively.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from libremq.client.options import REPLY_MODEL
from libremq.commands.samples.amqsget import print_message
from libremq.commands.samples.sample_program import (
    Sample,
    add_queue_arguments,
    add_wait_argument,
    character_set,
    input_lines,
    line,
)
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

_FIRST_WAIT_S = 60.0  # a server may have to be triggered first
_NEXT_WAIT_S = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_queue_arguments(parser, "the queue of the server")
    parser.add_argument(
        "reply_queue",
        nargs="?",
        default=REPLY_MODEL,
        metavar="REPLY",
        help=f"the queue for replies, or the model to make one from; by default {REPLY_MODEL}",
    )
    add_wait_argument(
        parser, None, f"how long to wait for a reply; by default {_FIRST_WAIT_S:g}, {_NEXT_WAIT_S:g} after the first"
    )
    parser.add_argument(
        "-e", action="store_true", dest="one_each", help="end when as many replies came as there were requests"
    )


def run(arguments: argparse.Namespace) -> int:
    sample = Sample("amqsreq", arguments, "Sample AMQSREQ0 start", "Sample AMQSREQ0 end")
    return sample.run(lambda qm: _request(sample, arguments, qm))


def _request(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> None:
    mqi = qm.mqi
    line(f"server queue is {arguments.queue}")
    server = MQOD(ObjectName=arguments.queue)
    replies = MQOD(ObjectName=arguments.reply_queue)
    with (
        sample.opened(mqi, server, C.MQOO_OUTPUT | C.MQOO_FAIL_IF_QUIESCING, "output") as requests_to,
        sample.opened(mqi, replies, C.MQOO_INPUT_EXCLUSIVE | C.MQOO_FAIL_IF_QUIESCING, "replies") as replies_from,
    ):
        line(f"replies to {replies.ObjectName}")
        requests = 0
        for data in input_lines():
            md = MQMD(
                MsgType=C.MQMT_REQUEST,
                Report=C.MQRO_EXCEPTION_WITH_DATA,
                Format=C.MQFMT_STRING,
                CodedCharSetId=character_set(data),
                ReplyToQ=replies.ObjectName,
            )
            pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT | C.MQPMO_FAIL_IF_QUIESCING)
            with sample.verb("MQPUT"):
                sample.warned("MQPUT", mqi.MQPUT(requests_to, md, pmo, data), arguments.queue)
            requests += 1
        wait = _FIRST_WAIT_S if arguments.wait is None else arguments.wait
        got = 0
        while not (arguments.one_each and got == requests) and print_message(
            sample, qm, replies_from, replies.ObjectName, wait, "response"
        ):
            got += 1
            wait = _NEXT_WAIT_S if arguments.wait is None else arguments.wait
        line("no more replies")
