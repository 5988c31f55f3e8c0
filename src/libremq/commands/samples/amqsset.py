"""The `amqsset` sample: a server that inhibits puts on the queues that requests name: MQSET.

`request_server.py` has the loop.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from libremq.commands.samples.request_server import add_server_arguments, answer_about_queue, run_server

if TYPE_CHECKING:
    from libremq.client.queue import Queue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return run_server("amqsset", "AMQSSETA", arguments, answer_about_queue(_inhibited))


def _inhibited(queue: Queue) -> str:
    queue.set(put="disabled")
    return f"{queue.name} PUT inhibited"
