"""Make this process look like one on another system: without the modules, functions and constants that are not there.

Python's own modules are loaded before that happens, as on that system they do not need what is taken away. What is
loaded afterwards, all of LibreMQ, finds only what is left.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import fcntl
import getpass
import os
import platform
import select
import selectors
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_LOADED = (concurrent.futures, getpass, platform, selectors, shutil, ssl, subprocess, tempfile, urllib.request)
NOT_ON_WINDOWS = ("fcntl", "grp", "pwd", "pty", "readline", "resource", "syslog", "termios", "tty", "uvloop")
_WINDOWS: dict[ModuleType, Sequence[str]] = {
    os: (
        "fork", "register_at_fork", "forkpty", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getgrouplist",
        "pread", "preadv", "pwrite", "pwritev", "fdatasync", "posix_fallocate", "statvfs", "fstatvfs", "uname",
        "sysconf", "killpg", "setsid", "chown", "fchown", "fchmod", "mkfifo", "sched_getaffinity", "sendfile", "waitid",
        "wait3", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC", "O_DSYNC", "WNOHANG",
    ),
    socket: (
        "AF_UNIX", "SO_PEERCRED", "SO_REUSEPORT", "SCM_RIGHTS", "MSG_DONTWAIT", "SOCK_CLOEXEC", "SOCK_NONBLOCK",
    ),
    select: ("poll", "epoll", "POLLIN", "POLLOUT", "POLLERR", "POLLHUP", "EPOLLIN", "EPOLLOUT"),
    signal: (
        "SIGKILL", "SIGHUP", "SIGCHLD", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGPIPE", "pthread_kill", "setitimer",
    ),
}  # fmt: skip
_MACOS: dict[ModuleType, Sequence[str]] = {
    os: (
        "fdatasync", "posix_fallocate", "posix_fadvise", "sched_getaffinity", "pipe2", "memfd_create", "eventfd",
        "O_DSYNC", "O_DIRECT", "O_TMPFILE",
    ),
    socket: ("SO_PEERCRED", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "TCP_KEEPIDLE", "TCP_USER_TIMEOUT", "MSG_NOSIGNAL"),
    select: ("epoll", "EPOLLIN", "EPOLLOUT"),
    signal: ("sigtimedwait", "sigwaitinfo", "SIGPOLL"),
}  # fmt: skip


class _NotThere(MetaPathFinder):
    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def without_modules(names: Sequence[str] = NOT_ON_WINDOWS) -> None:
    assert not any(name.startswith("libremq.common") for name in sys.modules), "too late"
    for name in names:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _NotThere(names))


def windows() -> asyncio.AbstractEventLoop:
    """From here on it looks like Windows; an event loop that was made before, as there it would not need a pipe."""
    loop = asyncio.SelectorEventLoop(selectors.SelectSelector())
    without_modules()
    sys.platform = "win32"
    platform.uname.__globals__["_uname_cache"] = None
    _take_away(_WINDOWS)
    return loop


def macos() -> asyncio.AbstractEventLoop:
    """From here on it looks like macOS, whose fcntl knows how to write through the cache of a drive."""
    loop = asyncio.SelectorEventLoop(selectors.SelectSelector())
    without_modules(("uvloop",))
    sys.platform = "darwin"
    _take_away(_MACOS)
    real = fcntl.fcntl
    full = 51
    vars(fcntl).update(
        F_FULLFSYNC=full, fcntl=lambda fd, *given: os.fsync(fd) if given == (full,) else real(fd, *given)
    )
    return loop


def _take_away(everything: dict[ModuleType, Sequence[str]]) -> None:
    for module, names in everything.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
