"""What the operating system must have, and for what.

A client connection (mq://, mqs://) needs sockets and nothing else, so it works on Windows, too. A queue manager in
this process, a server and the Unix-domain socket need Unix: locks on files, writes at a position, users and groups.
Whoever is about to need that asks here first, and its user reads one sentence instead of an ImportError.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from importlib import import_module

_NEEDED = (
    ("fcntl", "flock"), ("grp", "getgrnam"), ("pwd", "getpwuid"), ("resource", "getrlimit"),
    ("os", "pread"), ("os", "pwritev"), ("os", "O_CLOEXEC"), ("os", "O_DIRECTORY"), ("os", "getuid"),
    ("socket", "AF_UNIX"),
)  # fmt: skip


REMEDY = "run the queue manager on such a machine, and connect to it with mq://host:1414/QM1"


class NotOnThisSystem(OSError):
    """The system lacks what a queue manager needs; the text says what to do instead."""

    def __str__(self) -> str:
        return str(self.strerror)


def lacks() -> str:
    """What this system does not have of all that a queue manager needs: the first of it, such as "fcntl", or ""."""
    for module, name in _NEEDED:
        try:
            if not hasattr(import_module(module), name):
                return f"{module}.{name}"
        except ImportError:
            return module
    return ""


def why_not(what: str = "a queue manager") -> str:
    """Why that cannot be had here; "" if it can."""
    lacking = lacks()
    if not lacking:
        return ""
    import platform

    return f"{what} needs Linux or macOS, and Python for {platform.system() or 'this system'} has no {lacking}"


def check() -> None:
    """NotOnThisSystem if no queue manager can be run, or looked after, here."""
    why = why_not()
    if why:
        raise NotOnThisSystem(errno.ENOSYS, f"{why}: {REMEDY}")


def is_of_unix(error: ImportError) -> bool:
    """Did an import fail for a module that other systems do not have?"""
    return error.name == "termios" or any(error.name == module for module, _ in _NEEDED)


def in_child_after_fork(action: Callable[[], None]) -> None:
    """Have something done in the child of every fork, where there are any."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)
