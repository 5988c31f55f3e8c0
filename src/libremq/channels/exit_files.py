"""Where channel exits come from: Python files in one folder, and nothing else.

An exit is named `module(function)`: the function of `module.py` in the folder `exits` of the queue manager. Whoever can
write there runs code as the queue manager, so the folder and the file must belong to the user who runs it (or to root),
and nobody else may be able to write to them. A definition can name no other place: a name is an identifier, a link is
not followed, and what is installed is not looked at.
"""

from __future__ import annotations

import errno
import inspect
import os
import re
import stat
import sys
from collections.abc import Callable
from types import ModuleType

from libremq.channels.exit_calls import ExitCall

ExitFunction = Callable[[ExitCall], object]
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,63})\(([A-Za-z_][A-Za-z0-9_]{0,63})\)")
_FILE_BYTES_MAX = 1 << 20
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class ExitNotValid(Exception):
    """There is no such exit, or it may not be used: the words say why."""


class ExitFiles:
    """The exits of one start of a channel: each file is read once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._modules: dict[str, ModuleType] = {}

    def function(self, name: str) -> ExitFunction:
        """The exit of that name. ExitNotValid if it cannot be had."""
        found = _NAME.fullmatch(name)
        if found is None:
            raise ExitNotValid(f"an exit is named module(function), of a file module.py in {self._folder}")
        file, wanted = found.groups()
        module = self._modules.get(file)
        if module is None:
            module = self._modules[file] = self._load(file)
        function = getattr(module, wanted, None)
        if function is None:
            raise ExitNotValid(f"{file}.py has no {wanted}")
        if not callable(function):
            raise ExitNotValid(f"{wanted} in {file}.py is no function")
        if inspect.iscoroutinefunction(function):
            raise ExitNotValid(f"{wanted} in {file}.py is a coroutine function, which nobody would wait for")
        return function  # type: ignore[no-any-return]

    def _load(self, file: str) -> ModuleType:
        path = os.path.join(self._folder, file + ".py")
        try:
            self._check_folder()
            source = _read(path)
        except OSError as error:
            raise ExitNotValid(_in_words(error, path)) from None
        module = ModuleType(f"libremq_exit_{file}")
        module.__file__ = path
        # Dataclasses and the like look their module up by its name
        before = sys.modules.get(module.__name__)
        sys.modules[module.__name__] = module
        try:
            exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
        except BaseException as error:  # SystemExit too: a file must not be able to end the queue manager
            if before is None:
                del sys.modules[module.__name__]
            else:
                sys.modules[module.__name__] = before
            raise ExitNotValid(describe(error, path)) from None
        return module

    def _check_folder(self) -> None:
        found = os.stat(self._folder)
        if not stat.S_ISDIR(found.st_mode):
            raise ExitNotValid(f"{self._folder} is no folder")
        _check_owner(found, self._folder)


def _read(path: str) -> bytes:
    """The bytes of a file, after a look at just this file."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise ExitNotValid(f"{path} is no file")
        _check_owner(found, path)
        source = file.read(_FILE_BYTES_MAX + 1)
    if len(source) > _FILE_BYTES_MAX:
        raise ExitNotValid(f"{path} has more than {_FILE_BYTES_MAX} bytes")
    return source


def _check_owner(found: os.stat_result, path: str) -> None:
    if found.st_mode & _OTHERS_WRITE:
        raise ExitNotValid(f"others can write to {path}; chmod go-w mends that")
    if found.st_uid not in (os.geteuid(), 0):
        raise ExitNotValid(f"{path} belongs to another user than the one who runs the queue manager")


def _in_words(error: OSError, path: str) -> str:
    if error.errno == errno.ELOOP:
        return f"{path} is a link; put the file itself there"
    return f"{error.filename or path}: {error.strerror or error}"


def describe(error: BaseException, path: str = "") -> str:
    """An exception of an exit in one line: what, and where in its file."""
    name = type(error).__name__
    syntax = isinstance(error, SyntaxError) and error.filename == path
    line = error.lineno if syntax else None  # type: ignore[attr-defined]
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f" ({os.path.basename(path)}, line {line})" if line else ""
    try:
        words = str(error.msg if syntax else error)  # type: ignore[attr-defined]
        return f"{name}: {words}{where}" if words else name + where
    except BaseException:  # whoever wrote the exit may have written this, too
        return name + where
