"""The `amqsget` sample: get the messages of a queue and print them.

A message is got in a unit of work that is committed when its line is written: if nobody reads the output any more,
the message stays on the queue.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from libremq.commands.samples.sample_program import (
    UTF8,
    Sample,
    add_queue_arguments,
    add_wait_argument,
    line,
    options_number,
    wait_options,
)
from libremq.mqi import constants as C
from libremq.mqi.errors import NoMessageAvailable
from libremq.mqi.structs import MQMD, MQOD

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

_OPEN_OPTIONS = C.MQOO_INPUT_AS_Q_DEF | C.MQOO_FAIL_IF_QUIESCING
_GET_OPTIONS = C.MQGMO_SYNCPOINT | C.MQGMO_CONVERT | C.MQGMO_FAIL_IF_QUIESCING
_WAIT_S = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_queue_arguments(parser, "the queue to get from")
    parser.add_argument(
        "open_options", nargs="?", type=options_number, metavar="OPEN", help=f"open options; by default {_OPEN_OPTIONS}"
    )
    parser.add_argument(
        "close_options", nargs="?", type=options_number, metavar="CLOSE", help="close options; by default 0"
    )
    add_wait_argument(parser, _WAIT_S, f"how long to wait for a message; by default {_WAIT_S:g}, -1 for ever")


def run(arguments: argparse.Namespace) -> int:
    sample = Sample("amqsget", arguments, "Sample AMQSGET0 start", "Sample AMQSGET0 end")
    return sample.run(lambda qm: _get(sample, arguments, qm))


def _get(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> None:
    od = MQOD(ObjectName=arguments.queue)
    options = _OPEN_OPTIONS
    if arguments.open_options is not None:
        options = arguments.open_options
        line(f"open  options are {options}")
    if arguments.close_options is not None:
        line(f"close options are {arguments.close_options}")
    with sample.opened(qm.mqi, od, options, "input", arguments.close_options or 0) as hobj:
        while print_message(sample, qm, hobj, arguments.queue, arguments.wait, "message"):
            pass
        line("no more messages")


def print_message(sample: Sample, qm: QueueManager, hobj: int, queue: str, wait: float, word: str) -> bool:
    """Get a message, print it after a word, and only then let it go. False if there was none in time."""
    mqi = qm.mqi
    md = MQMD(Encoding=C.MQENC_NATIVE, CodedCharSetId=UTF8)
    with sample.verb("MQGET"):
        try:
            got = mqi.MQGET(hobj, md, wait_options(wait, _GET_OPTIONS))
        except NoMessageAvailable:
            return False
        sample.warned("MQGET", got.reason, queue)
    line(f"{word} <".encode() + got.data + b">")
    if md.MsgType == C.MQMT_REPORT:
        line(f"  report with feedback = {md.Feedback}")
    with sample.verb("MQCMIT"):
        mqi.MQCMIT()
    return True
