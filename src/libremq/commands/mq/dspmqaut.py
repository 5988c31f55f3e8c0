"""The `libremq dspmqaut` command: what one user or group may do with one object, all its records together."""

from __future__ import annotations

import argparse

from libremq.commands.exit_codes import ExitCode
from libremq.commands.output import add_json_argument, show_json
from libremq.commands.queue_manager_folders import Refused, guarded, tell
from libremq.commands.shared.authority_commands import (
    ENTITY_MISSING,
    add_common_arguments,
    check_component,
    check_name,
    check_object,
    connected,
    object_type,
    run_mqsc,
    selection,
)
from libremq.security import authorities

COMMAND = "dspmqaut"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_common_arguments(parser, "the object; not for qmgr")
    who = parser.add_mutually_exclusive_group()
    who.add_argument("-p", metavar="USER", dest="principal", default="", help="a user, with all its groups")
    who.add_argument("-g", metavar="GROUP", dest="group", default="", help="a group")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    check_component(arguments.component)
    of = object_type(arguments.type)
    check_name(of, arguments.profile)
    entity = arguments.principal or arguments.group
    if not entity:
        raise Refused(ENTITY_MISSING, "Name a user (-p) or a group (-g).")
    with connected(arguments, COMMAND) as qm:
        name = arguments.profile or qm.name
        check_object(qm, of, arguments.profile)
        which = selection(of, arguments.profile, arguments.principal, arguments.group, "OBJNAME")
        (row,) = run_mqsc(qm, f"DISPLAY ENTAUTH {which}").rows
    words = authorities.words(authorities.expand(row["authlist"], of.value))
    if arguments.json:
        kind = "principal" if arguments.principal else "group"
        show_json({"entity": entity, "entity_type": kind, "object": name, "type": of.name, "authorities": words})
        return ExitCode.OK
    tell(f"Entity {entity} has the following authorizations for object {name}:")
    for word in words:
        tell(f"\t{word}")
    return ExitCode.OK
