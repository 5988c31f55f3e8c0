"""The `amqsevt` sample: the messages of event queues in words, or as JSON for other programs.

A message is got in a unit of work that is committed when it is written, or only browsed; one that is no event stays
where it is, and ends the sample. Of several queues each is
looked at in turn; where all are empty it waits, on the first of them and never long, so that no other is kept waiting.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from libremq.client import connecting
from libremq.commands.queue_manager_folders import complain
from libremq.commands.samples.sample_program import (
    Failed,
    NotConnected,
    Sample,
    add_wait_argument,
    ask_password,
    exit_code,
    line,
    lines,
    wait_options,
)
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, NoMessageAvailable, mq_error
from libremq.mqi.structs import MQMD, MQOD

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager

QUEUES = tuple(
    f"SYSTEM.ADMIN.{word}.EVENT" for word in ("QMGR", "PERFM", "CHANNEL", "CONFIG", "COMMAND", "LOGGER", "PUBSUB")
)
_FORMS = ("text", "json", "json_compact")
_TURN_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", default="", help="the queue manager; else the default one")
    parser.add_argument(
        "-q", metavar="QUEUE", dest="queues", action="append", default=[],
        help="a queue; may be repeated. Without it the event queues of the queue manager",
    )  # fmt: skip
    parser.add_argument("-b", action="store_true", dest="browse", help="leave the messages on their queues")
    parser.add_argument("-c", action="store_true", dest="client", help="connect as a client, to MQSERVER or by a CCDT")
    parser.add_argument("-u", metavar="USER", dest="user", help="the user; the password is asked for")
    parser.add_argument("-o", metavar="FORM", dest="form", choices=_FORMS, default="text", help=", ".join(_FORMS))
    add_wait_argument(parser, -1.0, "end when no event came for so long; by default never")


class _Events(Sample):
    """It has several queues, and flags where the other samples have a variable of the environment."""

    def need_queue(self) -> None:
        pass

    def _connect(self, name: str) -> QueueManager:
        arguments = self.arguments
        user = arguments.user or os.environ.get("MQSAMP_USER_ID") or None
        password = ask_password(sys.stderr) if user else None
        url = connecting.url_for(name)
        if arguments.client and url.startswith(("local:", "embedded:")):
            raise mq_error(C.MQRC_Q_MGR_NAME_ERROR, name, "-c needs a client channel: set MQSERVER or MQCCDTURL")
        return connecting.connect(url, user=user, password=password, application=self.command)


def run(arguments: argparse.Namespace) -> int:
    sample = _Events("amqsevt", arguments, "")
    return sample.run(lambda qm: _show(sample, arguments, qm))


def _show(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> None:
    handles = _opened(sample, arguments, qm)
    numbers = dict.fromkeys(handles, 0)
    quiet_since = time.monotonic()
    while True:
        found = sum(_next(sample, arguments, qm, queue, hobj, numbers, 0.0) for queue, hobj in handles.items())
        if not found:
            left = arguments.wait - (time.monotonic() - quiet_since) if arguments.wait >= 0 else _TURN_S
            if left <= 0:
                return
            queue, hobj = next(iter(handles.items()))
            found = _next(sample, arguments, qm, queue, hobj, numbers, min(left, _TURN_S))
        if found:
            quiet_since = time.monotonic()


def _opened(sample: Sample, arguments: argparse.Namespace, qm: QueueManager) -> dict[str, int]:
    """The queues. Those that nobody named need not be there."""
    options = C.MQOO_FAIL_IF_QUIESCING | (C.MQOO_BROWSE if arguments.browse else C.MQOO_INPUT_SHARED)
    handles: dict[str, int] = {}
    for queue in dict.fromkeys(arguments.queues or QUEUES):
        try:
            handles[queue] = qm.mqi.MQOPEN(MQOD(ObjectName=queue), options)
        except MQError as error:
            if arguments.queues or error.reason != C.MQRC_UNKNOWN_OBJECT_NAME:
                raise NotConnected(sample.told(f"MQOPEN of {queue}", error)) from error
    if not handles:
        raise NotConnected(sample.told("MQOPEN", mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, "", "there are no event queues")))
    return handles


def _next(
    sample: Sample,
    arguments: argparse.Namespace,
    qm: QueueManager,
    queue: str,
    hobj: int,
    numbers: dict[str, int],
    wait: float,
) -> int:
    """Print the next event of a queue; how many there were."""
    options = C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_CONVERT
    options |= C.MQGMO_BROWSE_NEXT if arguments.browse else C.MQGMO_SYNCPOINT
    md = MQMD(Version=C.MQMD_VERSION_2, Encoding=C.MQENC_NATIVE)
    with sample.verb("MQGET"):
        try:
            got = qm.mqi.MQGET(hobj, md, wait_options(wait, options))
        except NoMessageAvailable:
            return 0
    numbers[queue] += 1
    is_event = _print(arguments, qm.name, queue, md, got.data, numbers[queue])
    if not is_event and not arguments.browse:
        # Somebody named the wrong queue: what is on it is not ours to take
        with sample.verb("MQBACK"):
            qm.mqi.MQBACK()
        complain(sample.command, f"the message stays on {queue}; take it off there, or look at the others with -b")
        raise Failed(exit_code(C.MQRC_FORMAT_ERROR))
    if not arguments.browse:
        with sample.verb("MQCMIT"):
            qm.mqi.MQCMIT()
    return 1


def _print(arguments: argparse.Namespace, name: str, queue: str, md: MQMD, data: bytes, number: int) -> bool:
    """Print an event; False if it is none, which is told."""
    from libremq.tools.event_formatting import json_text, read_event, text_lines

    try:
        event = read_event(data, md)
    except (MQError, ValueError) as error:
        told = f"Message #{number} ({len(data)} Bytes) on Queue {queue} is no event: {error}"
        if arguments.form == "text":
            line(f"**** {told} ****")
        else:
            complain("amqsevt", told)  # whoever reads JSON reads nothing else
        return False
    if arguments.form == "text":
        lines(text_lines(event, number, len(data), queue))
    else:
        line(json_text(event, queue, name, compact=arguments.form == "json_compact"))
    return True
