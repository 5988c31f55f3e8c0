"""`libremq dmpmqcfg`: the configuration of a queue manager as MQSC that makes it again: `... | runmqsc QM2`.

It is asked for on the connection itself, or, with -r or -q, by messages to the command server: that of another queue
manager, or of this one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import quote

from libremq.client import connecting
from libremq.commands.queue_manager_folders import Refused, add_data_argument, complain, tell
from libremq.commands.samples.sample_program import ask_password
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.tools.configuration_dump import Definition, TakesCommands

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
_FORMS = ("mqsc", "1line", "2line", "setmqaut", "grtmqmaut")
_EXPORTS = ("all", "object", "authrec", "chlauth", "sub", "policy")
_DEFAULT_CHANNEL = "default"
_SECURITY = {"SSLCIPH": "cipherSpecification", "SSLPEER": "certificatePeerName", "CERTLABL": "certificateLabel"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QMGR", dest="qmgr", default="", help="the queue manager; else the default one")
    parser.add_argument("-n", metavar="NAME", dest="name", default="*", help="only objects of this name, or ABC*")
    parser.add_argument("-t", metavar="TYPE", dest="type", default="all", choices=_CHOICES, help=", ".join(_CHOICES))
    parser.add_argument(
        "-x", metavar="FILTER", dest="export", default="all", choices=_EXPORTS, help=", ".join(_EXPORTS),
    )  # fmt: skip
    parser.add_argument("-a", action="store_true", dest="every", help="all attributes, not only those that differ")
    parser.add_argument("-o", metavar="FORM", dest="form", default="mqsc", choices=_FORMS, help=", ".join(_FORMS))
    parser.add_argument(
        "-c", metavar="CHANNEL", dest="client", nargs="?", const=_DEFAULT_CHANNEL, default="",
        help="connect as a client: to MQSERVER or by a CCDT (default), or over the channel of a DEFINE CHANNEL command",
    )  # fmt: skip
    parser.add_argument(
        "-r", metavar="QMGR", dest="remote", default="", help="dump this one, by messages through the one of -m"
    )
    parser.add_argument(
        "-q", metavar="MODEL", dest="reply_model", default="", help="ask by messages; replies go to a queue made of it"
    )
    parser.add_argument(
        "-w", metavar="SECONDS", dest="wait_s", type=_seconds,
        help="how long to wait for each answer, where they are asked for by messages; 60 unless given",
    )  # fmt: skip
    parser.add_argument(
        "-s", metavar="NUMBER", dest="sequence", type=_sequence_number,
        help="also RESET CHANNEL SEQNUM(NUMBER) for each channel that sends",
    )  # fmt: skip
    parser.add_argument("-u", metavar="USER", dest="user", help="the user; the password is asked for")
    parser.add_argument("-z", action="store_true", dest="quiet", help="no error messages; the exit code says it")
    parser.add_argument("--json", action="store_true", help="one JSON object for each command")
    add_data_argument(parser, "--data")


def _number(text: str, highest: int, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 0 < int(text) <= highest):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no {what} from 1 to {highest}")
    return int(text)


def _seconds(text: str) -> int:
    return _number(text, 999999, "number of seconds")


def _sequence_number(text: str) -> int:
    return _number(text, 999999999, "sequence number")


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
    from libremq.tools.configuration_dump import grtmqmaut_lines, setmqaut_lines

    password = ask_password(sys.stderr) if arguments.user else None
    with ExitStack() as stack:
        url = _url(arguments, stack)
        manager = stack.enter_context(connecting.connect(url, user=arguments.user, password=password))
        asked = _asked(arguments, manager)
        name = arguments.remote or manager.name
        if arguments.form in ("setmqaut", "grtmqmaut"):
            lines = setmqaut_lines if arguments.form == "setmqaut" else grtmqmaut_lines
            for line in lines(asked, name, arguments.name):
                tell(line)
            return 0
        if not arguments.json:
            _head(arguments, asked, name)
        for definition in _definitions(arguments, asked):
            if arguments.json:
                tell(json.dumps({"command": definition.one_line()}))
            elif arguments.form == "1line":
                tell(definition.one_line())
            else:
                for line in definition.two_lines() if arguments.form == "2line" else definition.lines():
                    tell(line)
    return 0


def _url(arguments: argparse.Namespace, stack: ExitStack) -> str:
    data = os.path.expanduser(arguments.data_folder)
    if not arguments.client:
        name = arguments.qmgr or connecting.default_name(data)
        return f"local:{name}" + (f"?data={data}" if data else "")
    if arguments.client.lower() == _DEFAULT_CHANNEL:
        return connecting.url_for(arguments.qmgr)
    return _channel_url(arguments.client, arguments.qmgr, stack)


def _channel_url(definition: str, name: str, stack: ExitStack) -> str:
    """The URL of a client-connection channel that is given as the command that would define it."""
    from libremq.admin.mqsc_reading import MqscSyntaxError, read_command
    from libremq.client import urls
    from libremq.common.names.connection_name import connection_name

    try:
        command = read_command(definition)
    except MqscSyntaxError as error:
        raise Refused(FAILED, f"-c: {error.problem}") from None
    given = {keyword: str(value) for keyword, value in command.parameters.items()}
    if command.spec.words != "DEFINE CHANNEL" or given.pop("CHLTYPE", "") != "CLNTCONN" or "CONNAME" not in given:
        raise Refused(FAILED, "-c takes DEFINE CHANNEL(name) CHLTYPE(CLNTCONN) CONNAME('host(port)'), or default")
    hosts = connection_name(given.pop("CONNAME"), "CONNAME")
    if others := [keyword for keyword in given if keyword not in ("TRPTYPE", "QMNAME", "DESCR", *_SECURITY)]:
        raise Refused(
            FAILED, f"-c: {', '.join(others)}: a channel that needs more than CONNAME and TLS goes into a CCDT"
        )
    name = name or given.get("QMNAME", "")
    security = {word: given[keyword] for keyword, word in _SECURITY.items() if given.get(keyword)}
    if not security:
        return urls.client_url(hosts, name, command.name)
    return _table_url(command.name, hosts, name, security, stack)


def _table_url(
    channel: str, hosts: Sequence[tuple[str, int]], name: str, security: dict[str, str], stack: ExitStack
) -> str:
    """A client channel with TLS, as a table of this one: keys come from MQSSLKEYR, as with every table."""
    places = [{"host": host, "port": port} for host, port in hosts]
    entry = {
        "name": channel,
        "type": "clientConnection",
        "clientConnection": {"connection": places, "queueManager": name},
        "transmissionSecurity": security,
    }
    path = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()), "ccdt.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"channel": [entry]}, file)
    return f"ccdt:{quote(name, safe='*')}?table={quote(path, safe='')}"


def _asked(arguments: argparse.Namespace, manager: QueueManager) -> TakesCommands:
    """Who answers: the connection, or a command server by messages."""
    from libremq.tools.inquiries import REPLY_MODEL, WAIT_S, InquiringSession

    if not arguments.remote and not arguments.reply_model:
        return manager
    model = arguments.reply_model or REPLY_MODEL
    return InquiringSession(manager, arguments.remote or manager.name, model=model, wait_s=arguments.wait_s or WAIT_S)


def _head(arguments: argparse.Namespace, asked: TakesCommands, name: str) -> None:
    from libremq.tools.configuration_dump import command_level

    stars = "*" * 79
    for line in (
        stars,
        f"* Script generated on {time.strftime('%Y-%m-%d at %H.%M.%S')}",
        f"* Queue manager name: {name}",
        f"* Queue manager command level: {command_level(asked)}",
        f"* Options: -x {arguments.export} -t {arguments.type} -n {arguments.name}{' -a' if arguments.every else ''}",
        stars,
    ):
        tell(line)


def _definitions(arguments: argparse.Namespace, manager: TakesCommands) -> Iterator[Definition]:
    from libremq.tools import configuration_dump as dump

    wanted, name = arguments.export, arguments.name
    if wanted in ("all", "object"):
        kinds = _TYPES.get(arguments.type, dump.OBJECT_KINDS)
        yield from dump.definitions(manager, name=name, kinds=kinds, every=arguments.every)
        if arguments.sequence is not None and "CHANNEL" in kinds:
            yield from dump.sequence_resets(manager, arguments.sequence, name=name)
    if arguments.type != "all" and wanted == "all":
        return
    if wanted in ("all", "chlauth"):
        yield from dump.channel_rules(manager, name)
    if wanted in ("all", "authrec"):
        yield from dump.authority_records(manager, name)
