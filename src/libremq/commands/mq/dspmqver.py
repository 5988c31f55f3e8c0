"""The `libremq dspmqver` command: what is installed here, in MQ's fields.

The fields are a table; -f chooses them by the sum of their numbers, -p chooses components. LibreMQ is one component:
the others that MQ counts (JMS, .NET, GSKit, Java) are not part of it, and asking for them alone shows nothing.
Exit codes: 0, 10 if only a part of what was asked for is there, 20 for an error.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable

from libremq.client.urls import default_data_folder
from libremq.commands.installation import INSTALLATION, installation_path
from libremq.commands.output import add_json_argument, is_terminal, show_json, show_table
from libremq.commands.queue_manager_folders import complain, tell
from libremq.common.release import release
from libremq.mqi import constants as C

COMMAND = "dspmqver"
OK, PARTLY, ERROR = 0, 10, 20
_SERVER = 1
_COMPONENTS = {
    1: "server", 2: "JMS classes", 4: ".NET classes", 8: "GSKit", 16: "Java classes", 32: "JRE", 64: "bridges",
    128: "REST API",
}  # fmt: skip
_LABEL_WIDTH = 13


# Number for -f, label, and what it is
FIELDS: tuple[tuple[int, str, Callable[[], str]], ...] = (
    (1, "Name", lambda: "LibreMQ"),
    (2, "Version", release),
    (4, "Level", lambda: f"p{release()}"),
    (8, "BuildType", lambda: "Production"),
    (16, "Platform", lambda: f"LibreMQ for {platform.system()} ({platform.machine()} platform)"),
    (32, "Mode", lambda: f"{64 if sys.maxsize > 2**32 else 32}-bit"),
    (64, "O/S", lambda: f"{platform.system()} {platform.release()}"),
    (128, "InstName", lambda: INSTALLATION),
    (256, "InstDesc", lambda: f"Python {platform.python_version()}"),
    (512, "InstPath", installation_path),
    (1024, "DataPath", lambda: os.path.abspath(default_data_folder())),
    (2048, "Primary", lambda: "N/A"),
    (4096, "MaxCmdLevel", lambda: str(C.MQCMDL_CURRENT_LEVEL)),
    (8192, "LicenseType", lambda: "Apache-2.0"),
    (16384, "ReleaseType", lambda: "Open source"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    components = ", ".join(f"{number} {name}" for number, name in _COMPONENTS.items())
    parser.add_argument("-a", action="store_true", dest="everything", help="all fields of all components")
    parser.add_argument(
        "-p", metavar="N", dest="components", type=_sum, default=_SERVER, help=f"the sum of {components}"
    )
    parser.add_argument(
        "-f",
        metavar="N",
        dest="fields",
        type=_sum,
        help="the sum of " + ", ".join(f"{number} {label}" for number, label, *_ in FIELDS),
    )
    parser.add_argument("-b", action="store_true", dest="bare", help="without labels")
    parser.add_argument("-i", action="store_true", dest="installations", help="all installations: there is this one")
    parser.add_argument("-v", action="store_true", dest="verbose", help="also say what is not there")
    add_json_argument(parser)


def _sum(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no sum of numbers")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    highest = sum(number for number, *_ in FIELDS)
    if arguments.fields is not None and arguments.fields > highest:
        complain(COMMAND, f"-f takes a sum of field numbers, {highest} at most")
        return ERROR
    missing = [
        name
        for number, name in _COMPONENTS.items()
        if number != _SERVER and arguments.components & number and not arguments.everything
    ]
    if arguments.components & _SERVER or arguments.everything:
        _show(arguments)
    if missing and (arguments.verbose or not arguments.components & _SERVER):
        complain(COMMAND, f"LibreMQ has no {', no '.join(missing)}.")
    return PARTLY if missing else OK


def _show(arguments: argparse.Namespace) -> None:
    wanted = None if arguments.everything else arguments.fields
    rows = [(label, value()) for number, label, value in FIELDS if wanted is None or wanted & number]
    if arguments.json:
        show_json(dict(rows))
    elif arguments.bare:
        for _, value in rows:
            tell(value)
    elif is_terminal(sys.stdout):
        shown = [{"field": label, "value": value} for label, value in rows]
        show_table(shown, (("field", "Field"), ("value", "Value")))
    else:
        for label, value in rows:
            tell(f"{label + ':':<{_LABEL_WIDTH}}{value}")
