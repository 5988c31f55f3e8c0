"""What setmqaut, dspmqaut and dmpmqaut share: their flags, their exit codes, and the way to the queue manager.

They run the commands of MQSC on authority records, so a rule that holds there holds here. As in MQ the queue manager
must be running.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from libremq.commands.command_connection import connect
from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import Refused, add_data_argument, code_of
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.security import authorities, profiles
from libremq.security.authorities import OBJECT_TYPES, ObjectType

if TYPE_CHECKING:
    from libremq.admin.mqsc_session import Answer
    from libremq.client.queue_manager import QueueManager

# Beside the codes that all commands have
UNKNOWN_OBJECT = 133
NAME_NOT_EXPECTED = 145
NAME_MISSING = 146
TYPE_MISSING = 147
TYPE_NOT_VALID = 148
ENTITY_MISSING = 149
AUTHORITY_MISSING = 150
AUTHORITY_NOT_VALID = 151

SERVICE = "MQSeries.UNIX.auth.service"
_CODES = {
    C.MQRC_UNKNOWN_OBJECT_NAME: UNKNOWN_OBJECT,
    C.MQRCCF_AUTH_VALUE_ERROR: AUTHORITY_NOT_VALID,
    C.MQRCCF_PROFILE_NAME_ERROR: ExitCode.ARGUMENTS,
    C.MQRC_UNKNOWN_ENTITY: ExitCode.ARGUMENTS,
    C.MQRC_NOT_AUTHORIZED: ExitCode.NOT_AUTHORIZED,
    C.MQRC_Q_MGR_QUIESCING: ExitCode.STOPPING,
    C.MQRC_CONNECTION_QUIESCING: ExitCode.STOPPING,
}
_TYPE_NAMES = ", ".join(dict.fromkeys(name for row in OBJECT_TYPES for name in (row.name, row.short_name)))


def add_common_arguments(parser: argparse.ArgumentParser, name_help: str) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", default="", help="the queue manager; else the default one")
    parser.add_argument("-n", metavar="PROFILE", dest="profile", default="", help=name_help)
    parser.add_argument("-t", metavar="TYPE", dest="type", default="", help=f"the type of object: {_TYPE_NAMES}")
    parser.add_argument("-s", metavar="COMPONENT", dest="component", default="", help="the authorisation service")
    add_data_argument(parser)


def check_component(given: str) -> None:
    if given not in ("", SERVICE):
        raise Refused(ExitCode.ARGUMENTS, f"There is no authorisation service {given[:64]!r}; leave -s out.")


def object_type(given: str) -> ObjectType:
    if not given:
        raise Refused(TYPE_MISSING, "The type of object (-t) is missing.")
    try:
        return authorities.object_type(given)
    except MQError as error:
        raise Refused(TYPE_NOT_VALID, f"-t {given[:40]}: {error.detail}.") from None


def check_name(of: ObjectType, profile: str) -> None:
    if of.word == "QMGR" and profile:
        raise Refused(NAME_NOT_EXPECTED, "-n is not for -t qmgr: -m says which queue manager.")
    if of.word != "QMGR" and not profile:
        raise Refused(NAME_MISSING, f"The name of a {of.text} or a profile (-n) is missing.")


def connected(arguments: argparse.Namespace, command: str) -> QueueManager:
    """The queue manager that runs. Refused if it does not."""
    try:
        return connect(arguments, command, must_serve=True)
    except MQError as error:
        code = _CODES.get(error.reason) or code_of(error)
        if code == ExitCode.DOES_NOT_EXIST:
            code = ExitCode.NAME
        name = arguments.qmgr or error.object_name
        if code == ExitCode.NOT_AVAILABLE:
            raise Refused(code, amq(8146, name, "it is not running; strmqm starts it")) from error
        raise Refused(code, error.detail or str(error)) from error


def quoted(value: str) -> str:
    """As a value of MQSC, whatever is in it. Refused if no command could carry it."""
    if not value.isprintable():
        raise Refused(ExitCode.ARGUMENTS, f"{value[:64]!r} has characters that no name has.")
    return "'" + value.replace("'", "''") + "'"


def selection(
    of: ObjectType | None, profile: str, principal: str = "", group: str = "", keyword: str = "PROFILE"
) -> str:
    """The part of a command that says which records are meant."""
    parts = []
    if profile:
        parts.append(f"{keyword}({quoted(profile)})")
    if of is not None:
        parts.append(f"OBJTYPE({of.word})")
    if principal:
        parts.append(f"PRINCIPAL({quoted(principal)})")
    if group:
        parts.append(f"GROUP({quoted(group)})")
    return " ".join(parts)


def run_mqsc(qm: QueueManager, command: str, nothing: int = 0) -> Answer:
    """The answer to a command that was done, or that failed for the reason `nothing`. Refused if it failed else."""
    from libremq.admin.mqsc_session import DONE

    (answer,) = qm.mqsc(command)
    if answer.state != DONE and not (nothing and answer.reason == nothing):
        fail(answer)
    return answer


def fail(answer: Answer) -> NoReturn:
    raise Refused(_CODES.get(answer.reason, ExitCode.UNEXPECTED), " ".join(answer.lines) or f"reason {answer.reason}")


def check_object(qm: QueueManager, of: ObjectType, profile: str) -> None:
    """A profile that is not generic must be an object, as in MQ: a name that was mistyped is noticed."""
    if of.value in (C.MQOT_Q_MGR, C.MQOT_REMOTE_Q_MGR_NAME) or profiles.is_generic(profile) or profile[:1] == "@":
        return
    profiles.check_profile(profile)
    if not qm.display(of.word, profile):
        raise Refused(UNKNOWN_OBJECT, amq(7085, profile, of.name))
