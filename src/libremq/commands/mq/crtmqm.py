"""The `libremq crtmqm` command: create a queue manager, or a backup of one that exists.

Everything is checked before the first file is made, so a refusal leaves nothing behind. A log size that is too low
gives way to the default with a warning; one that is too high is refused.

`--dev` adds the developer configuration. Its users get their passwords from the environment, or from files that the
environment names. One without gets a password that is made here and shown once: it is stored nowhere but as a hash.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from libremq.client.urls import Address, default_data_folder
from libremq.commands.exit_codes import ExitCode
from libremq.commands.mq.setmqusr import password_from_file
from libremq.commands.output import Progress
from libremq.commands.queue_manager_folders import (
    Refused,
    add_data_argument,
    add_quiet_argument,
    address_of,
    complain,
    guarded,
    tell,
)
from libremq.common.clock import SystemClock
from libremq.common.files import lock_state, queue_manager_files
from libremq.common.files.file_layer import RealFiles
from libremq.common.log_stanza import LOG_SETTINGS, LogSettings, stanza_values
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import fold
from libremq.host.default_queue_manager import configured_default, make_default
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.common.setting import Setting
    from libremq.host.developer_configuration import Definition
    from libremq.kernel.objects.attributes import GivenValue

COMMAND = "crtmqm"
PORT_LISTENER = "SYSTEM.LISTENER.TCP.1"
_ADMINISTRATOR = "admin"
"""The developer's user who may do everything: AdminUsers of qm.ini."""
_PASSWORD_BYTES = 12

# Flag, attribute of the queue manager, metavar, help
_ATTRIBUTES = (
    ("-c", "descr", "TEXT", "a description, up to 64 characters"),
    ("-d", "defxmitq", "QUEUE", "the default transmission queue"),
    ("-u", "deadq", "QUEUE", "the dead-letter queue"),
    ("-h", "maxhands", "N", "handles that an application may have open at most (MAXHANDS)"),
    ("-x", "maxumsgs", "N", "messages in a unit of work at most (MAXUMSGS)"),
    ("-t", "trigint", "MS", "the trigger interval in milliseconds (TRIGINT)"),
)
_LOG_TYPES = (
    ("-lc", ("CIRCULAR", "Manual"), "circular log: extents are used again (default)"),
    ("-ll", ("LINEAR", "Manual"), "linear log: extents are kept for media recovery until you delete them"),
    ("-lla", ("LINEAR", "Automatic"), "linear log: extents that nothing needs are deleted"),
    ("-lln", ("LINEAR", "Archive"), "linear log: extents that nothing needs are deleted once they are archived"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("qmgr", metavar="QM", help="the name of the queue manager")
    kinds = parser.add_mutually_exclusive_group()
    for flag, kind, text in _LOG_TYPES:
        kinds.add_argument(flag, action="store_const", const=kind, dest="log_kind", help=text)
    for row in _log_rows():
        is_size = isinstance(row.default, int)
        parser.add_argument(
            row.flag,
            metavar="N" if is_size else "PATH",
            dest=row.field,
            type=int if is_size else str,
            help=row.flag_help.format(range=row.range),
        )
    for flag, attribute, metavar, text in _ATTRIBUTES:
        parser.add_argument(flag, metavar=metavar, dest=attribute, help=text)
    parser.add_argument(
        "-p",
        metavar="PORT",
        dest="port",
        type=int,
        help=f"define the listener {PORT_LISTENER} on this TCP port of this machine; IPADDR opens it to others",
    )
    parser.add_argument(
        "--dev",
        action="store_true",
        help="add the developer configuration: DEV.QUEUE.1 to 3, DEV.APP.SVRCONN, DEV.ADMIN.SVRCONN and so on, a "
        "listener on 1414 unless -p is given, and users admin and app with the passwords in MQ_ADMIN_PASSWORD and "
        "MQ_APP_PASSWORD, or in the files that MQ_ADMIN_PASSWORD_FILE and MQ_APP_PASSWORD_FILE name, or with new "
        "ones that are shown once",
    )
    parser.add_argument(
        "-q", action="store_true", dest="default", help="make it the default, which a command without a name means"
    )
    parser.add_argument(
        "--backup-of",
        metavar="FOLDER",
        dest="backup_of",
        help="make it a backup of the queue manager of this name in FOLDER, its own folder or the folder of all",
    )
    add_data_argument(parser)
    add_quiet_argument(parser)


def _log_rows() -> list[Setting]:
    """The settings of the log that have flags, those of sizes first."""
    rows = [row for row in LOG_SETTINGS if row.flag]
    return sorted(rows, key=lambda row: not isinstance(row.default, int))


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return ExitCode.QUEUE_SPACE if code == ExitCode.STORAGE else code


def _run(arguments: argparse.Namespace) -> int:
    from libremq.host import lifecycle

    address = address_of(arguments)
    if lifecycle.exists(RealFiles(), address.folder):
        raise Refused(ExitCode.EXISTS, amq(7008, address.name, address.folder))
    if arguments.backup_of is not None:
        _back_up(arguments, address)
    else:
        _create(arguments, address)
    if arguments.default:
        _make_default(address)
    return ExitCode.OK


def _make_default(address: Address) -> None:
    """It is created whatever comes of this."""
    data = os.path.abspath(address.data or default_data_folder())
    before = configured_default(data)
    try:
        make_default(RealFiles(), data, address.name)
    except OSError as error:
        raise Refused(
            ExitCode.NOT_MADE_DEFAULT, f"The queue manager '{address.name}' is created, but not the default: {error}."
        ) from error
    if before and before != address.name:
        tell(f"'{address.name}' is the default queue manager now, and '{before}' no longer.")


def _create(arguments: argparse.Namespace, address: Address) -> None:
    import secrets

    from libremq.common import configuration, users_file
    from libremq.common.configuration import SecuritySettings
    from libremq.host import developer_configuration, lifecycle
    from libremq.host.embedded import EmbeddedQueueManager
    from libremq.kernel.objects.system_objects import SYSTEM_OBJECTS
    from libremq.log import LogConfig

    files, name = RealFiles(), address.name
    settings = _log_settings(arguments, name)
    attributes = _attributes(arguments, name)
    definitions = _definitions(arguments)
    given = _passwords(os.environ) if arguments.dev else {}
    made = {
        one.name: secrets.token_urlsafe(_PASSWORD_BYTES)
        for one in developer_configuration.USERS
        if one.name not in given
    }
    passwords = {**made, **given} if arguments.dev else {}
    config = LogConfig(**stanza_values(settings))
    try:
        config.checked()
    except ValueError as error:
        raise Refused(ExitCode.LOG_LOCATION, str(error)) from error
    is_made = False
    try:
        with Progress(f"Creating queue manager {name}"):
            lifecycle.create(files, address.folder, name, SystemClock(), config, log_folder=settings.path)
            is_made = True
    except BaseException as error:
        (_remove if is_made else _remove_unfinished)(files, address)
        if isinstance(error, MQError) and _concerns_log(error, settings):
            raise Refused(ExitCode.LOG_LOCATION, f"log location not valid: {error.__cause__}") from error
        raise
    try:
        if attributes or definitions:
            embedded = EmbeddedQueueManager.start(address.folder, name, say=lambda text: None)
            manager = embedded.manager
            try:
                if attributes:
                    embedded.admin(lambda: manager.alter("QMGR", "", attributes))
                if definitions:
                    now = manager.clock.now()
                    security = (
                        developer_configuration.records(now, app_password="app" in passwords) if arguments.dev else ()
                    )
                    embedded.admin(lambda: developer_configuration.configure(manager, definitions, security))
            finally:
                embedded.end()
        for user, password in passwords.items():
            users_file.set_password(files, address.folder, user, password)
        if arguments.dev:
            ours = replace(configuration.load(files, address.folder), security=SecuritySettings(_ADMINISTRATOR))
            configuration.save(files, address.folder, ours)
    except BaseException:
        _remove(files, address)  # half of what was asked for is in the way of another try
        raise
    tell(f"LibreMQ queue manager '{name}' created.")
    tell(f"Directory '{address.folder}' created.")
    megabytes = config.extent_bytes / (1 << 20)
    tell(
        f"Log: {config.type}, {config.primary_files} primary and {config.secondary_files} secondary extents of "
        f"{megabytes:g} MiB in {queue_manager_files.log_folder_of(address.folder, settings)}"
        + (f" and {settings.second_folder}." if settings.second_folder else ".")
    )
    tell(f"Default objects of '{name}': {len(SYSTEM_OBJECTS)} created, 0 replaced, 0 failed.")
    if definitions:
        tell(f"Also defined: {', '.join(definition.name for definition in definitions)}.")
    if arguments.dev:
        for one in developer_configuration.USERS:
            if one.name in given:
                tell(f"User '{one.name}' has the password of the environment.")
            else:
                tell(f"User '{one.name}' has the password {made[one.name]} which is shown only now.")
    tell("Setup completed.")


def _definitions(arguments: argparse.Namespace) -> tuple[Definition, ...]:
    """What is to be defined beside the system objects."""
    from libremq.host import developer_configuration

    own: tuple[Definition, ...] = ()
    if arguments.port is not None:
        if not 1 <= arguments.port <= 65535:
            raise Refused(ExitCode.PARAMETER, amq(7027, "-p takes a port, 1 to 65535"))
        own = (developer_configuration.listener(PORT_LISTENER, arguments.port, ""),)
    if not arguments.dev:
        return own
    return (*(one for one in developer_configuration.objects() if one.kind != "LISTENER" or not own), *own)


def _passwords(environment: Mapping[str, str]) -> dict[str, str]:
    """The passwords of the developer's users, as far as the environment has them. Refused if one cannot be used."""
    from libremq.common import users_file
    from libremq.common.users_file import UsersError
    from libremq.host import developer_configuration

    passwords: dict[str, str] = {}
    for user in developer_configuration.USERS:
        password, path = environment.get(user.password_variable), environment.get(user.file_variable)
        try:
            if password:
                passwords[user.name] = users_file.check_new_password(password)
            elif path:
                passwords[user.name] = users_file.check_new_password(password_from_file(path))
        except UsersError as error:
            variable = user.password_variable if password else user.file_variable
            raise Refused(ExitCode.PARAMETER, amq(7027, f"{variable} is not valid: {error}")) from None
    return passwords


def _remove_unfinished(files: RealFiles, address: Address) -> None:
    """Remove what a creation that failed, or was interrupted, has left; of one that is under way elsewhere nothing."""
    if files.exists(f"{address.folder}/{queue_manager_files.MARKER}"):
        _remove(files, address)


def _remove(files: RealFiles, address: Address) -> None:
    """As far as that is possible; the next creation, or dltmqm, does the rest."""
    from libremq.host import deletion

    try:
        deletion.delete(files, address.folder, address.name)
    except (MQError, OSError):
        pass


def _concerns_log(error: MQError, settings: LogSettings) -> bool:
    """Was it the place for the log, given by the user, in which nothing can be made?"""
    from libremq.kernel.state.failure_reasons import is_lack_of_space

    cause = error.__cause__
    path = cause.filename if isinstance(cause, OSError) and not is_lack_of_space(cause) else None
    return isinstance(path, str) and any(
        f"{path}/".startswith(f"{folder}/") or f"{folder}/".startswith(f"{path}/")
        for folder in (settings.path, settings.second_folder)
        if folder
    )


def _log_settings(arguments: argparse.Namespace, name: str) -> LogSettings:
    """The settings of the log; warnings are told. Refused if they cannot be used."""
    from libremq.common.configuration import Configuration, ConfigurationError

    kind, management = arguments.log_kind or _LOG_TYPES[0][1]
    given = {row: value for row in _log_rows() if (value := getattr(arguments, row.field)) is not None}
    values: dict[str, Any] = {
        row.field: _log_folder(value, name) if isinstance(value, str) else value for row, value in given.items()
    }
    settings = LogSettings(type=kind, log_management=management, **values)
    try:
        checked = Configuration(settings).checked()
    except ConfigurationError as error:
        wrong_size = any(problem.startswith("log size not valid") for problem in error.problems)
        raise Refused(ExitCode.LOG_SIZE if wrong_size else ExitCode.LOG_LOCATION, str(error)) from error
    if not arguments.quiet:
        for warning in checked.warnings:
            complain(COMMAND, f"warning: {warning}")
    return checked.log


def _log_folder(path: str | None, name: str) -> str:
    """A folder for the log of this queue manager under a path. Refused if it cannot be used."""
    if path is None:
        return ""
    if not path:
        raise Refused(ExitCode.LOG_LOCATION, "log location not valid: the path is empty")
    folder = os.path.join(os.path.abspath(os.path.expanduser(path)), fold(name))
    problem = ""
    try:
        if os.path.lexists(folder) and os.listdir(folder):
            problem = "it is not empty"
    except (OSError, ValueError) as error:
        problem = str(error)
    there = folder
    while not os.path.lexists(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        problem = f"{there} is not a folder"
    elif not problem and not os.access(there, os.W_OK | os.X_OK):
        problem = f"you may not write to {there}"
    if problem:
        raise Refused(ExitCode.LOG_LOCATION, f"log location not valid: {folder}: {problem}")
    return folder


def _attributes(arguments: argparse.Namespace, name: str) -> dict[str, GivenValue]:
    """The attributes that are given, tried on a queue manager that is never made."""
    from libremq.kernel.objects.catalogue import Catalogue

    given: dict[str, GivenValue] = {
        attribute: value for _, attribute, _, _ in _ATTRIBUTES if (value := getattr(arguments, attribute)) is not None
    }
    try:
        for attribute in ("maxhands", "maxumsgs", "trigint"):
            if attribute in given:
                given[attribute] = int(str(given[attribute]))
        Catalogue(name, 0.0).alter("QMGR", "", given, 0.0)
    except (MQError, ValueError) as error:
        text = error.detail if isinstance(error, MQError) else str(error)
        raise Refused(ExitCode.PARAMETER, amq(7027, text)) from error
    return given


def _back_up(arguments: argparse.Namespace, address: Address) -> None:
    from libremq.client import backup
    from libremq.host import lifecycle

    own = [row.flag for row in _log_rows() if row.field != "path" and getattr(arguments, row.field) is not None]
    own += [flag for flag, attribute, _, _ in _ATTRIBUTES if getattr(arguments, attribute) is not None]
    own += ["--dev"] if arguments.dev else []
    own += ["-p"] if arguments.port is not None else []
    own += ["-l*"] if arguments.log_kind else []
    if own:
        raise Refused(
            ExitCode.PARAMETER, amq(7027, f"A backup is as its original is: {', '.join(own)} cannot be given.")
        )
    files = RealFiles()
    given = os.path.abspath(os.path.expanduser(arguments.backup_of))
    candidates = (given, Address("embedded", address.name, data=given).folder)
    source = next((folder for folder in candidates if lifecycle.exists(files, folder)), None)
    if source is None:
        raise Refused(
            ExitCode.DOES_NOT_EXIST,
            amq(8118, address.name, f" in {given}, so no backup of it can be made"),
        )
    holder = lock_state.locked_by(f"{source}/{queue_manager_files.LOCK}")
    if holder:
        raise Refused(
            ExitCode.RUNNING,
            amq(7005, address.name, f"{holder} has it open, in {source}. End it, or call copy_to_backup there."),
        )
    backup.copy(source, address.folder, address.name, _log_folder(arguments.path, address.name))
    tell(f"LibreMQ backup queue manager '{address.name}' created from {source}.")
    tell(f"Directory '{address.folder}' created.")
    tell("Ship extents of the live log to its log folder, then replay them: libremq strmqm -r")
