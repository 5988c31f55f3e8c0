"""The `libremq dmpmqaut` command: the authority records themselves, as a list, as names, or as setmqaut commands."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from libremq.commands.exit_codes import ExitCode
from libremq.commands.output import add_json_argument, show_json
from libremq.commands.queue_manager_folders import Refused, guarded, tell
from libremq.commands.shared.authority_commands import (
    add_common_arguments,
    check_component,
    connected,
    object_type,
    run_mqsc,
    selection,
)
from libremq.mqi import constants as C
from libremq.security import authorities

COMMAND = "dmpmqaut"
_BETWEEN = "- - - - - - - -"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_common_arguments(parser, "an object: the profiles that mean it; or a generic profile: the records of that one")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("-p", metavar="USER", dest="principal", default="", help="the records of a user")
    who.add_argument("-g", metavar="GROUP", dest="group", default="", help="the records of a group")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("-l", action="store_true", dest="names", help="names and types of the profiles only")
    how.add_argument("-a", action="store_true", dest="commands", help="as setmqaut commands")
    match = parser.add_mutually_exclusive_group()
    match.add_argument("-e", action="store_true", dest="effective", help="with -p and -n: also those of its groups")
    match.add_argument("-x", action="store_true", dest="exact", help="records with exactly the profile of -n only")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    check_component(arguments.component)
    of = object_type(arguments.type) if arguments.type else None
    if arguments.effective and not arguments.principal:
        raise Refused(ExitCode.ARGUMENTS, "-e needs the user (-p) whose authority is asked for.")
    profile = arguments.profile
    match = "MEMBERSHIP" if arguments.effective else "EXACT" if arguments.exact else "PROFILE"
    with connected(arguments, COMMAND) as qm:
        which = selection(of, profile, arguments.principal, arguments.group)
        answer = run_mqsc(qm, f"DISPLAY AUTHREC {which} MATCH({match}) ALL", nothing=C.MQRCCF_NONE_FOUND)
        records = [_record(row) for row in answer.rows]
        name = qm.name
    if arguments.names:
        shown = {(record["profile"], record["type"]): None for record in records}
        records = [{"profile": profile, "type": kind} for profile, kind in shown]
    if arguments.json:
        show_json(records)
    elif arguments.names:
        for record in records:
            tell(f"profile: {record['profile']}, type: {record['type']}")
    elif arguments.commands:
        for record in records:
            tell(_command(record, name))
    else:
        tell(f"\n{_BETWEEN}\n".join(map(_block, records)) or "There are no such authority records.")
    return ExitCode.OK


def _record(row: dict[str, Any]) -> dict[str, Any]:
    of = authorities.object_type(row["objtype"])
    return {
        "profile": row["profile"],
        "type": of.name,
        "entity": row["entity"],
        "entity_type": row["enttype"].lower(),
        "authorities": authorities.words(authorities.expand(row["authlist"], of.value)),
    }


def _block(record: dict[str, Any]) -> str:
    return (
        f"profile:     {record['profile']}\n"
        f"object type: {record['type']}\n"
        f"entity:      {record['entity']}\n"
        f"entity type: {record['entity_type']}\n"
        f"authority:   {' '.join(record['authorities']) or 'none'}"
    )


def _command(record: dict[str, Any], name: str) -> str:
    words = ["setmqaut", "-m", name]
    if record["type"] != "qmgr":
        words += ["-n", record["profile"]]
    words += ["-t", record["type"], "-p" if record["entity_type"] == "principal" else "-g", record["entity"]]
    return shlex.join(words + [f"+{word}" for word in record["authorities"] or ["none"]])
