"""`libremq dmpmqcfg`: the configuration of a queue manager as MQSC that makes it again: `... | runmqsc QM2`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from libremq.client import connecting
from libremq.commands.queue_manager_folders import Refused, add_data_argument, complain, tell
from libremq.commands.samples.sample_program import ask_password
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.tools.configuration_dump import Definition

FAILED = 20
_TYPES: dict[str, tuple[str, ...]] = {
    "authinfo": ("AUTHINFO",),
    "channel": ("CHANNEL",), "chl": ("CHANNEL",),
    "comminfo": ("COMMINFO",),
    "listener": ("LISTENER",), "lstr": ("LISTENER",),
    "namelist": ("NAMELIST",), "nl": ("NAMELIST",),
    "process": ("PROCESS",), "prcs": ("PROCESS",),
    "queue": ("QUEUE",), "q": ("QUEUE",),
    "qmgr": ("QMGR",),
    "service": ("SERVICE",), "srvc": ("SERVICE",),
    "topic": ("TOPIC",), "top": ("TOPIC",),
    "sub": (),
}  # fmt: skip
_CHOICES = ["all", *_TYPES]
_FORMS = ("mqsc", "1line", "setmqaut")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QMGR", dest="qmgr", default="", help="the queue manager; else the default one")
    parser.add_argument("-n", metavar="NAME", dest="name", default="*", help="only objects of this name, or ABC*")
    parser.add_argument("-t", metavar="TYPE", dest="type", default="all", choices=_CHOICES, help=", ".join(_CHOICES))
    parser.add_argument(
        "-x", metavar="FILTER", dest="export", default="all", choices=["all", "object", "authrec", "chlauth", "sub"],
        help="all, object, authrec, chlauth, sub",
    )  # fmt: skip
    parser.add_argument("-a", action="store_true", dest="every", help="all attributes, not only those that differ")
    parser.add_argument("-o", metavar="FORM", dest="form", default="mqsc", choices=_FORMS, help=", ".join(_FORMS))
    parser.add_argument("-c", action="store_true", dest="client", help="connect as a client, to MQSERVER or by a CCDT")
    parser.add_argument("-u", metavar="USER", dest="user", help="the user; the password is asked for")
    parser.add_argument("-z", action="store_true", dest="quiet", help="no error messages; the exit code says it")
    parser.add_argument("--json", action="store_true", help="one JSON object for each command")
    add_data_argument(parser, "--data")


def run(arguments: argparse.Namespace) -> int:
    from libremq.tools.configuration_dump import DumpError

    try:
        code = _run(arguments)
        sys.stdout.flush()  # a dump that is not on its disk is none
        return code
    except BrokenPipeError:
        raise
    except (MQError, Refused, DumpError, OSError) as error:
        if not arguments.quiet:
            complain("dmpmqcfg", error)
        return FAILED


def _run(arguments: argparse.Namespace) -> int:
    from libremq.tools.configuration_dump import setmqaut_lines

    data = os.path.expanduser(arguments.data_folder)
    name = arguments.qmgr or ("" if arguments.client else connecting.default_name(data))
    url = connecting.url_for(name) if arguments.client else f"local:{name}" + (f"?data={data}" if data else "")
    password = ask_password() if arguments.user else None
    with connecting.connect(url, user=arguments.user, password=password) as manager:
        if arguments.form == "setmqaut":
            for line in setmqaut_lines(manager, manager.name, arguments.name):
                tell(line)
            return 0
        if not arguments.json:
            _head(arguments, manager)
        for definition in _definitions(arguments, manager):
            if arguments.json:
                tell(json.dumps({"command": definition.one_line()}))
            elif arguments.form == "1line":
                tell(definition.one_line())
            else:
                for line in definition.lines():
                    tell(line)
    return 0


def _head(arguments: argparse.Namespace, manager: QueueManager) -> None:
    stars = "*" * 79
    for line in (
        stars,
        f"* Script generated on {time.strftime('%Y-%m-%d at %H.%M.%S')}",
        f"* Queue manager name: {manager.name}",
        f"* Queue manager command level: {manager.attributes['cmdlevel']}",
        f"* Options: -x {arguments.export} -t {arguments.type} -n {arguments.name}{' -a' if arguments.every else ''}",
        stars,
    ):
        tell(line)


def _definitions(arguments: argparse.Namespace, manager: QueueManager) -> Iterator[Definition]:
    from libremq.tools import configuration_dump as dump

    wanted, name = arguments.export, arguments.name
    if wanted in ("all", "object"):
        kinds = _TYPES.get(arguments.type, dump.OBJECT_KINDS)
        yield from dump.definitions(manager, name=name, kinds=kinds, every=arguments.every)
    if arguments.type != "all" and wanted == "all":
        return
    if wanted in ("all", "chlauth"):
        yield from dump.channel_rules(manager, name)
    if wanted in ("all", "authrec"):
        yield from dump.authority_records(manager, name)
