"""The `libremq setmqusr` command: give a user of a queue manager a password and groups, or take them away.

The password is asked for, or read from standard input or a file, never taken from the command line, where others on the
machine could see it. A running queue manager knows the change with the next login.
"""

from __future__ import annotations

import argparse
import getpass
import sys

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    existing,
    guarded,
    tell,
)
from libremq.common import users_file
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.common.users_file import UsersError

COMMAND = "setmqusr"
_LINE_BYTES_MAX = 4096


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", metavar="QM", help="the queue manager")
    parser.add_argument("user", metavar="USER", help="the user, 1 to 12 characters")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--remove", action="store_true", help="take the password away: the user can no longer log in")
    which.add_argument(
        "--password-file",
        metavar="FILE",
        dest="password_file",
        help="read the password from the first line of FILE; by default it is asked for, or read from standard input",
    )
    parser.add_argument(
        "--groups",
        metavar="GROUP,...",
        help="put the user into these groups and no others; '' for none. A user that is there keeps its password",
    )
    add_data_argument(parser)
    add_quiet_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    files = RealFiles()
    address = existing(files, arguments)
    if not queue_manager_files.exists(files, address.folder):
        raise Refused(
            ExitCode.DOES_NOT_EXIST,
            amq(8118, address.name, f": {address.folder} is not the folder of one"),
        )
    user: str = arguments.user
    try:
        users_file.check_user_name(user)
        if arguments.remove:
            if not users_file.remove_user(files, address.folder, user):
                raise Refused(ExitCode.NONE_PROCESSED, f"User '{user}' has no password in '{address.name}'.")
            tell(f"User '{user}' of queue manager '{address.name}' has no password any more.")
            return ExitCode.OK
        groups = _groups(arguments.groups)
        if groups is None or arguments.password_file or user not in users_file.user_names(files, address.folder):
            users_file.set_password(files, address.folder, user, _password(arguments.password_file, user))
            tell(f"The password of user '{user}' of queue manager '{address.name}' is set.")
        if groups is not None:
            users_file.set_groups(files, address.folder, user, groups)
            tell(f"User '{user}' of queue manager '{address.name}' is in {', '.join(groups) or 'no groups'}.")
    except UsersError as error:
        raise Refused(ExitCode.ARGUMENTS, str(error)) from None
    return ExitCode.OK


def _groups(given: str | None) -> list[str] | None:
    """The groups that are named, all of them checked before anything is done."""
    if given is None:
        return None
    return [users_file.check_group_name(name.strip()) for name in given.split(",")] if given.strip() else []


def _password(path: str | None, user: str) -> str:
    if path is not None:
        return password_from_file(path)
    if not sys.stdin.isatty():
        return _first_line(sys.stdin.buffer.readline(_LINE_BYTES_MAX))
    try:
        password = getpass.getpass(f"New password of {user}: ")
        again = getpass.getpass("The same again: ")
    except (EOFError, KeyboardInterrupt):
        raise UsersError("no password was given; nothing is changed") from None
    if password != again:
        raise UsersError("the two passwords are not the same; nothing is changed")
    return password


def password_from_file(path: str) -> str:
    """The first line of a file. UsersError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return _first_line(file.readline(_LINE_BYTES_MAX))
    except (OSError, ValueError) as error:
        raise UsersError(f"the password cannot be read from {path!r}: {error}") from None


def _first_line(line: bytes) -> str:
    try:
        return line.rstrip(b"\r\n").decode()
    except UnicodeDecodeError:
        raise UsersError("the password is not text in UTF-8") from None
