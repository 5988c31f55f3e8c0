"""The `amqsech` sample: a server that answers each request with its own data. `request_server.py` has the loop."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from libremq.commands.samples.request_server import add_server_arguments, reply, run_server
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD

if TYPE_CHECKING:
    from libremq.client.message import Message
    from libremq.client.queue_manager import QueueManager


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_server_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return run_server("amqsech", "AMQSECHA", arguments, _echo)


def _echo(qm: QueueManager, request: Message) -> None:
    original = request.md
    md = MQMD(
        Version=C.MQMD_VERSION_2,
        Encoding=original.Encoding,
        CodedCharSetId=original.CodedCharSetId,
        Format=original.Format,
    )
    reply(request, request.data, md, properties=request.properties)
