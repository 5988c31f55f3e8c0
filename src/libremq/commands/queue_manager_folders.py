"""What the commands on queue managers share: where those are, and how to say what went wrong.

An error is a line on standard error and an exit code, never a traceback. `Refused` carries both; other errors from
below get their code here. What knows those errors is loaded when there is one: every command line needs this module.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
import time
from collections.abc import Callable

from libremq.client.urls import Address, default_data_folder
from libremq.commands.exit_codes import ExitCode, without_passwords
from libremq.common.files import queue_manager_files
from libremq.common.files.file_layer import Files
from libremq.common.files.lock_state import locked_by
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import check_queue_manager_name
from libremq.common.printable_text import printable
from libremq.host.default_queue_manager import configured_default
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.server.process.run_state import current_run

_LOCK_TRIES, _LOCK_PAUSE_S = 10, 0.05
_ERRNO = re.compile(r"\[Errno \d+\] ")
"""What Python puts before the words of the system: the words are enough for people."""


class Refused(Exception):
    """A command that is not done, or not wholly."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


# Arguments


def add_data_argument(parser: argparse.ArgumentParser, *flags: str) -> None:
    parser.add_argument(
        *(flags or ("-md", "--data")),
        metavar="FOLDER",
        dest="data_folder",
        default="",
        help="the folder of all queue managers; by default $LIBREMQ_DATA, or .libremq in your home",
    )


def add_quiet_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-z", action="store_true", dest="quiet", help="no error messages; the exit code says it")


def address_of(arguments: argparse.Namespace) -> Address:
    """The queue manager that a command names, or the default one. Refused if none can have that name."""
    data = os.path.expanduser(arguments.data_folder)
    name = arguments.qmgr
    if name is None:
        name = configured_default(os.path.abspath(data or default_data_folder()))
        if not name:
            raise Refused(ExitCode.ARGUMENTS, amq(7027, "no queue manager is named, and none is the default"))
    try:
        check_queue_manager_name(name)
    except MQError as error:
        raise Refused(ExitCode.NAME, error.detail) from error
    return Address("embedded", name, data=data)


def existing(files: Files, arguments: argparse.Namespace) -> Address:
    """The queue manager that a command names. Refused if it is not there."""
    address = address_of(arguments)
    if not files.exists(address.folder):
        raise Refused(
            ExitCode.DOES_NOT_EXIST,
            amq(8118, address.name, f": there is no {address.folder}"),
        )
    return address


def check_not_running(address: Address, refusal: ExitCode = ExitCode.RUNNING, advice: str = "") -> None:
    """Refused, with who has it, if a process has the queue manager open. `advice` says what can be done there."""
    lock = f"{address.folder}/{queue_manager_files.LOCK}"
    holder = locked_by(lock)
    tries = _LOCK_TRIES
    while holder and tries and current_run(address.folder) is None:
        # Whoever tidies up after one that was killed has the lock for a moment
        tries -= 1
        time.sleep(_LOCK_PAUSE_S)
        holder = locked_by(lock)
    if not holder:
        return
    if current_run(address.folder) is not None:
        name = address.name
        todo = f"{advice} 'There' is local:{name}." if advice else f"End it first: libremq endmqm {name}."
        where = f"{holder} serves it. {todo}"
    else:
        where = f"{holder} has it open. {advice or 'Close it there first.'}"
    if refusal == ExitCode.NOT_AVAILABLE:
        raise Refused(refusal, amq(8146, address.name, where))
    raise Refused(refusal, amq(7005, address.name, where))


def queue_manager_folder(files: Files, name: str, data: str = "") -> str:
    """The folder of a queue manager, by the rule of `connect`. MQError for a bad name, ValueError if there is none."""
    check_queue_manager_name(name)
    folder = Address("embedded", name, data=os.path.expanduser(data)).folder
    if not files.exists(folder):
        raise ValueError(f"there is no queue manager {name} in {folder}; $LIBREMQ_DATA says where to look")
    return folder


# What is said


def tell(text: str) -> None:
    """A line on standard output."""
    print(printable(text))


def say(text: str) -> None:
    """`tell` for the queue manager itself, which must not fail because nobody reads what it says."""
    try:
        tell(text)
    except OSError:
        pass


def complain(command: str, error: object) -> None:
    """An error of a command, on standard error, after what it printed so far. A message id needs no introduction."""
    sys.stdout.flush()
    text = printable(without_passwords(_ERRNO.sub("", str(error))))
    print(text if text.startswith("AMQ") else f"libremq {command}: {text}", file=sys.stderr)


def is_routine(message: str) -> bool:
    """Is it a message that every start and end of a queue manager has?"""
    return message.startswith("LibreMQ queue manager '") or (message[:3] == "AMQ" and message[7:9] == "I:")


def guarded(command: str, arguments: argparse.Namespace, work: Callable[[], int]) -> int:
    """Do the work of a command; what goes wrong is told, and becomes the exit code."""
    try:
        return work()
    except BrokenPipeError:
        raise  # whoever read the output went away: no error of the queue manager
    except Refused as error:
        told: Exception = error
        code = error.code
    except Exception as error:
        if not _is_expected(error):
            raise
        told, code = error, code_of(error, command)
    if not getattr(arguments, "quiet", False):
        text = _words_of(told)
        if code == ExitCode.NOT_AUTHORIZED:
            text = amq(7077, text)
        complain(command, text)
    return code


def _words_of(error: Exception) -> str:
    """What is wrong, and with which object."""
    if not isinstance(error, MQError) or not error.detail:
        return str(error)
    name = error.object_name
    return error.detail if not name or name in error.detail else f"{name}: {error.detail}"


def _is_expected(error: Exception) -> bool:
    """May it happen, for what is asked for or what is on the disk? All else is a bug, with a traceback."""
    from libremq.common.configuration import ConfigurationError
    from libremq.kernel.state.failure_reasons import FAILURES

    return isinstance(error, (MQError, ConfigurationError, ValueError, *FAILURES))


def code_of(error: Exception, command: str = "") -> int:
    """The exit code for an error from below, where it depends on the command."""
    from libremq.kernel.state.failure_reasons import is_lack_of_space
    from libremq.log import LogError

    below = error.__cause__ if isinstance(error, MQError) and error.__cause__ is not None else error
    reason = error.reason if isinstance(error, MQError) else 0
    if isinstance(below, OSError) and below.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ExitCode.NOT_AUTHORIZED
    if reason == C.MQRC_STORAGE_MEDIUM_FULL or is_lack_of_space(below):
        return ExitCode.STORAGE
    if isinstance(below, LogError):
        return ExitCode.LOG_NOT_AVAILABLE
    if command.partition(" ")[0] in _NEED_A_LINEAR_LOG and reason in (
        C.MQRC_FUNCTION_NOT_SUPPORTED,
        C.MQRC_ENVIRONMENT_ERROR,
    ):
        return ExitCode.NOT_LINEAR  # that is what these cannot do otherwise
    return _CODES.get(reason, ExitCode.UNEXPECTED)


_NEED_A_LINEAR_LOG = ("rcdmqimg", "rcrmqobj", "log", "crtmqm", "strmqm")
_CODES = {
    C.MQRC_Q_MGR_NAME_ERROR: ExitCode.DOES_NOT_EXIST,  # bad names do not come this far
    C.MQRC_Q_MGR_NOT_AVAILABLE: ExitCode.NOT_AVAILABLE,
    C.MQRC_OBJECT_ALREADY_EXISTS: ExitCode.EXISTS,
    C.MQRC_OBJECT_TYPE_ERROR: ExitCode.ARGUMENTS,
    C.MQRC_OPTIONS_ERROR: ExitCode.ARGUMENTS,
}
