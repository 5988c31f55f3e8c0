"""The `amqsput` sample: put each line of standard input on a queue as a message of text.

An empty line, or the end of the input, ends it. A message is on the queue when the next line is read.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from libremq.commands.samples.sample_program import (
    Sample,
    add_queue_arguments,
    character_set,
    input_lines,
    line,
    options_number,
)
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

_OPEN_OPTIONS = C.MQOO_OUTPUT | C.MQOO_FAIL_IF_QUIESCING


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_queue_arguments(parser, "the queue to put on")
    parser.add_argument(
        "open_options", nargs="?", type=options_number, metavar="OPEN", help=f"open options; by default {_OPEN_OPTIONS}"
    )
    parser.add_argument(
        "close_options", nargs="?", type=options_number, metavar="CLOSE", help="close options; by default 0"
    )
    parser.add_argument(
        "target_qmgr", nargs="?", default="", metavar="TARGET_QM", help="the queue manager that the queue belongs to"
    )
    parser.add_argument(
        "dynamic_queue", nargs="?", default="", metavar="DYNAMIC", help="the name of a queue to make from a model"
    )


def run(arguments: argparse.Namespace) -> int:
    sample = Sample("amqsput", arguments, "Sample AMQSPUT0 start", "Sample AMQSPUT0 end")
    return sample.run(lambda qm: _put(sample, arguments, qm))


def _put(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> None:
    od = MQOD(ObjectName=arguments.queue)
    line(f"target queue is {arguments.queue}")
    options = _OPEN_OPTIONS
    if arguments.open_options is not None:
        options = arguments.open_options
        line(f"open  options are {options}")
    if arguments.close_options is not None:
        line(f"close options are {arguments.close_options}")
    if arguments.target_qmgr:
        od.ObjectQMgrName = arguments.target_qmgr
        line(f"target queue manager is {arguments.target_qmgr}")
    if arguments.dynamic_queue:
        od.DynamicQName = arguments.dynamic_queue
        line(f"dynamic queue name is {arguments.dynamic_queue}")
    mqi = qm.mqi
    md: MQMD | None = None
    with sample.opened(mqi, od, options, "output", arguments.close_options or 0) as hobj:
        for data in input_lines():
            md = MQMD(Format=C.MQFMT_STRING, CodedCharSetId=character_set(data))
            pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT | C.MQPMO_FAIL_IF_QUIESCING)
            with sample.verb("MQPUT"):
                sample.warned("MQPUT", mqi.MQPUT(hobj, md, pmo, data), arguments.queue)
    if md is not None:
        sample.note_loss(qm, md)
