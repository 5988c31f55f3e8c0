"""The `libremq link-commands` command: small scripts named dspmq, runmqsc, ... that run this very installation.

A script is known by its second line. What is there under one of the names and has no such line is not ours: then
nothing at all is changed. `--remove` takes the scripts away again.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from libremq.commands import main
from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import Refused, guarded, tell

COMMAND = "link-commands"
MARK = "# Made by libremq link-commands"
OWN_WORDS = frozenset({"log", "pipeline", "plan", "load", "unload", "tls", "link-commands", "completion"})
"""Commands that make no sense without `libremq` before them."""
_BYTES = 4096


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="a folder in your PATH, such as ~/bin; it is made if need be")
    parser.add_argument("names", metavar="NAME", nargs="*", default=[], help="only these commands")
    parser.add_argument("--remove", action="store_true", help="remove the scripts instead")


def linked_names() -> list[str]:
    """The commands that MQ people know by their bare names."""
    return [command.name for command in main.COMMANDS if command.name not in OWN_WORDS]


def script(name: str) -> str:
    """A script that runs a command of this installation, wherever it was loaded from."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(main.__file__))))
    code = f"import sys; sys.path.insert(0, {here!r}); from libremq.commands import main; sys.exit(main.main())"
    return f'#!/bin/sh\n{MARK}\nexec {shlex.quote(sys.executable)} -P -c {shlex.quote(code)} {name} "$@"\n'


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return int(code != ExitCode.OK)


def _run(arguments: argparse.Namespace) -> int:
    known = linked_names()
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        raise Refused(1, f"there is no command {unknown[0][:40]!r} to be linked; there are {', '.join(known)}")
    folder = os.path.abspath(os.path.expanduser(arguments.folder))
    paths = {name: os.path.join(folder, name) for name in arguments.names or known}
    foreign = [path for path in paths.values() if os.path.lexists(path) and not _is_ours(path)]
    if foreign:
        raise Refused(
            1, f"nothing is changed: {foreign[0]} is there already, and not from here ({len(foreign)} in all)"
        )
    if arguments.remove:
        for path in paths.values():
            if os.path.lexists(path):
                os.unlink(path)
        tell(f"Removed from {folder}.")
        return ExitCode.OK
    try:
        os.makedirs(folder, exist_ok=True)
        for name, path in paths.items():
            _write(path, script(name))
    except OSError as error:
        raise Refused(1, f"cannot write to {folder}: {error.strerror}; choose a folder that is yours") from error
    tell(f"{len(paths)} commands in {folder}.")
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        tell(f"The folder is not in your PATH: export PATH={shlex.quote(folder)}:$PATH")
    return ExitCode.OK


def _is_ours(path: str) -> bool:
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return MARK.encode() in file.read(_BYTES).split(b"\n")[1:2]


def _write(path: str, text: str) -> None:
    """As a whole or not at all."""
    temporary = f"{path}.{os.getpid()}.new"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
    os.replace(temporary, path)
