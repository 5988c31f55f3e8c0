"""The `libremq dspmqtrn` command: the units of work that are prepared and not decided.

All of them are coordinated by transaction managers outside (-e): this queue manager coordinates none itself, so -i and
-a show none. -h shows those that rsvmqtrn has decided, until their transaction managers have heard of that.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from libremq.commands.command_connection import connect
from libremq.commands.exit_codes import ExitCode
from libremq.commands.output import Row, add_json_argument, show, show_json
from libremq.commands.queue_manager_folders import Refused, add_data_argument, guarded
from libremq.common.messages.amq_messages import amq

if TYPE_CHECKING:
    from libremq.kernel.recovery.inspection import DecidedUnit, UnitInDoubt

COMMAND = "dspmqtrn"
NONE_FOUND = 102
_COLUMNS = (("transaction", "Transaction"), ("xid", "XID"), ("puts", "Puts"), ("gets", "Gets"), ("queues", "Queues"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager; else the default one")
    parser.add_argument("-e", action="store_true", dest="external", help="those of transaction managers outside")
    parser.add_argument("-i", action="store_true", dest="internal", help="those that the queue manager coordinates")
    parser.add_argument("-h", action="store_true", dest="heuristic", help="those decided without their manager")
    parser.add_argument("-a", action="store_true", dest="asynchronous", help="those that are being backed out")
    parser.add_argument("-q", action="store_true", dest="detail", help="with XID, counts and queues")
    add_json_argument(parser)
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return connected_code(guarded(COMMAND, arguments, lambda: _run(arguments)))


def connected_code(code: int) -> int:
    """These commands have no code of its own for a queue manager that does not exist."""
    return ExitCode.NAME if code == ExitCode.DOES_NOT_EXIST else code


def shown_number(unit: UnitInDoubt | DecidedUnit) -> str:
    return f"{unit.number >> 32},{unit.number & 0xFFFFFFFF}"


def _run(arguments: argparse.Namespace) -> int:
    others = arguments.internal or arguments.heuristic or arguments.asynchronous
    with connect(arguments, COMMAND) as manager:
        units = manager.units_in_doubt() if arguments.external or not others else []
        decided = manager.decided_units() if arguments.heuristic else []
        name = manager.name
    rows: list[Row] = [
        {
            "transaction": shown_number(unit),
            "state": "in-doubt",
            "xid": unit.xid.upper(),
            "puts": unit.puts,
            "gets": unit.gets,
            "queues": list(unit.queues),
        }
        for unit in units
    ]
    rows += [
        {
            "transaction": shown_number(unit),
            "state": "committed" if unit.committed else "backed out",
            "xid": unit.xid.upper(),
            "puts": 0,
            "gets": 0,
            "queues": [],
        }
        for unit in decided
    ]
    if arguments.json and not rows:
        show_json([])
    elif rows:
        show(rows, arguments, _detailed if arguments.detail else _line, _COLUMNS)
    if not rows:
        raise Refused(NONE_FOUND, amq(7110, f"queue manager '{name}' has none"))
    return ExitCode.OK


def _line(row: Row) -> str:
    if row["state"] == "in-doubt":
        return amq(7056, row["transaction"])
    return amq(7058, row["transaction"], row["state"])


def _detailed(row: Row) -> str:
    queues = row["queues"]
    assert isinstance(queues, list)
    lines = [_line(row), f"    XID: {row['xid']}"]
    if row["state"] == "in-doubt":
        lines.append(f"    {row['puts']} puts, {row['gets']} gets")
    return "\n".join([*lines, *(f"    Queue: {queue}" for queue in queues)])
