"""The `libremq setmqaut` command: give and take the authorities of users and groups.

The words +put and -put look like flags and are none, and -p is not the beginning of -put: so the words of this command
are read here, one after the other, as MQ reads them. A later word counts for more than an earlier one.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import Refused, guarded, tell
from libremq.commands.shared.authority_commands import (
    AUTHORITY_MISSING,
    AUTHORITY_NOT_VALID,
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
from libremq.mqi.errors import MQError
from libremq.security import authorities
from libremq.security.authorities import ObjectType

if TYPE_CHECKING:
    pass

COMMAND = "setmqaut"
_VALUES = {
    "-m": "qmgr", "-n": "profile", "-t": "type", "-s": "component", "-md": "data_folder", "--data": "data_folder",
}  # fmt: skip
_REMOVE = ("-remove", "-rem")


@dataclass
class _Given:
    """The words of a command line."""

    qmgr: str = ""
    profile: str = ""
    type: str = ""
    component: str = ""
    data_folder: str = ""
    principals: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    remove: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_common_arguments(parser, "an object, or a generic profile; not for qmgr")
    parser.add_argument("-p", metavar="USER", dest="principals", action="append", help="a user; may be repeated")
    parser.add_argument("-g", metavar="GROUP", dest="groups", action="append", help="a group; may be repeated")
    parser.add_argument("-remove", "-rem", action="store_true", dest="remove", help="remove the whole record")
    words = ", ".join([*(row.word for row in authorities.AUTHORITIES), *authorities.GROUPS])
    parser.add_argument("words", metavar="{+,-}AUTHORITY", nargs="*", default=[], help=f"give or take: {words}")
    # From here on nothing that begins with a dash is an option of the parser: what is above is for its help
    parser.prefix_chars = "\0"
    parser.set_defaults(usage=parser.format_help)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    if {"-h", "--help"}.intersection(arguments.words):
        tell(arguments.usage().rstrip())
        return ExitCode.OK
    given = _read(arguments.words)
    check_component(given.component)
    of = object_type(given.type)
    check_name(of, given.profile)
    entities = [("principal", name) for name in given.principals] + [("group", name) for name in given.groups]
    if not entities:
        raise Refused(ENTITY_MISSING, "Name a user (-p) or a group (-g).")
    if given.remove == bool(given.changes):
        raise Refused(
            AUTHORITY_MISSING,
            "Give +authority or -authority, or -remove, not both." if given.remove
            else "Say what to give or to take: +put, -get, ..., or -remove.",
        )  # fmt: skip
    change = _change(given.changes, of)
    with connected(argparse.Namespace(qmgr=given.qmgr, data_folder=given.data_folder), COMMAND) as qm:
        if not given.remove:
            check_object(qm, of, given.profile)
        for kind, name in entities:
            which = selection(of, given.profile or "self", **{kind: name})
            run_mqsc(qm, f"DELETE AUTHREC {which}" if given.remove else f"SET AUTHREC {which} {change}")
    tell("The setmqaut command completed successfully.")
    return ExitCode.OK


def _read(words: list[str]) -> _Given:
    given = _Given()
    rest = iter(words)
    for word in rest:
        if word in _VALUES or word in ("-p", "-g"):
            value = next(rest, None)
            if not value:
                raise Refused(ENTITY_MISSING if word in ("-p", "-g") else ExitCode.ARGUMENTS, f"{word} needs a value.")
            if word in ("-p", "-g"):
                (given.principals if word == "-p" else given.groups).append(value)
            elif getattr(given, _VALUES[word]):
                raise Refused(ExitCode.ARGUMENTS, f"{word} is given twice.")
            else:
                setattr(given, _VALUES[word], value)
        elif word in _REMOVE:
            given.remove = True
        elif word[:1] in ("+", "-"):
            given.changes.append(word)
        else:
            raise Refused(ExitCode.ARGUMENTS, f"{word[:64]!r} is neither a flag nor an authority with + or -.")
    return given


def _change(changes: list[str], of: ObjectType) -> str:
    """AUTHADD and AUTHRMV, with every authority in one of them at most."""
    give = take = 0
    for one in changes:
        try:
            mask = authorities.expand([one[1:]], of.value)
        except MQError as error:
            raise Refused(AUTHORITY_NOT_VALID, f"{one[:40]}: {error.detail}.") from None
        if one[0] == "+":
            give, take = give | mask, take & ~mask
        else:
            give, take = give & ~mask, take | mask
    parts = [f"AUTHADD({','.join(authorities.words(give) or ['none'])})"] if give or not take else []
    if take:
        parts.append(f"AUTHRMV({','.join(authorities.words(take))})")
    return " ".join(parts).upper()
