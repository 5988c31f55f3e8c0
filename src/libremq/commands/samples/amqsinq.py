"""The `amqsinq` sample: a server that tells of the queues that requests name: MQINQ.

`request_server.py` has the loop.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from libremq.commands.samples.request_server import add_server_arguments, answer_about_queue, run_server
from libremq.mqi import constants as C

if TYPE_CHECKING:
    from libremq.client.queue import Queue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return run_server("amqsinq", "AMQSINQA", arguments, answer_about_queue(_inquired))


def _inquired(queue: Queue) -> str:
    inhibited, depth, inputs = queue.inquire(C.MQIA_INHIBIT_GET, C.MQIA_CURRENT_Q_DEPTH, C.MQIA_OPEN_INPUT_COUNT)
    gets = "GET inhibited" if inhibited == C.MQQA_GET_INHIBITED else "GET allowed"
    return f"{queue.name} has {depth} messages, used by {inputs} jobs; {gets}"
