"""The `amqsgbr` sample: browse a queue and print the data of each message. Nothing is taken from it."""

from __future__ import annotations

import argparse
import itertools
from typing import TYPE_CHECKING

from libremq.commands.samples.sample_program import UTF8, Sample, add_queue_arguments, line
from libremq.mqi import constants as C
from libremq.mqi.errors import NoMessageAvailable
from libremq.mqi.structs import MQGMO, MQMD, MQOD

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_queue_arguments(parser, "the queue to browse")


def run(arguments: argparse.Namespace) -> int:
    sample = Sample("amqsgbr", arguments, "Sample AMQSGBR0 (browse) start", "Sample AMQSGBR0 (browse) end")
    return sample.run(lambda qm: _browse(sample, arguments, qm))


def _browse(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> None:
    mqi = qm.mqi
    line(f"Messages for {arguments.queue}")
    od = MQOD(ObjectName=arguments.queue)
    with sample.opened(mqi, od, C.MQOO_BROWSE | C.MQOO_FAIL_IF_QUIESCING, "browse") as hobj:
        for number in itertools.count(1):
            gmo = MQGMO(Options=C.MQGMO_BROWSE_NEXT | C.MQGMO_CONVERT | C.MQGMO_FAIL_IF_QUIESCING)
            with sample.verb("MQGET"):
                try:
                    got = mqi.MQGET(hobj, MQMD(Encoding=C.MQENC_NATIVE, CodedCharSetId=UTF8), gmo)
                except NoMessageAvailable:
                    break
                sample.warned("MQGET", got.reason, arguments.queue)
            line(f"{number} <".encode() + got.data + b">")
        line("No more messages")
