"""Where the Unix-domain socket of a queue manager is: both ends work it out from its folder, without asking anyone.

It is `sock/qm` in the folder of the queue manager. The path of a socket may have only some hundred bytes, so for a
folder deeper than that it is under /tmp, in a folder that belongs to the owner of the queue manager alone, named
after its path. That place depends on nothing in the environment: a server started at boot and a program started in a
session must come to the same one. Whoever can write to a folder can put another socket there, so a folder that is not
the owner's is refused.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

PATH_BYTES_MAX = 107 if sys.platform.startswith("linux") else 103
"""sun_path without its final NUL."""

_SHARED_FOLDER = "/tmp"


def socket_path(folder: str) -> str:
    """The path of the socket of the queue manager in a folder. Nothing is made or looked for."""
    real = os.path.realpath(folder)
    path = os.path.join(real, "sock", "qm")
    if len(os.fsencode(path)) <= PATH_BYTES_MAX:
        return path
    import hashlib

    name = hashlib.sha256(os.fsencode(real)).hexdigest()[:32]
    return os.path.join(f"{_SHARED_FOLDER}/libremq-{owner_of(real)}", name)


def owner_of(folder: str) -> int:
    """Whose queue manager it is: not who asks, or root and the owner would look in different places."""
    try:
        return os.stat(folder).st_uid
    except OSError:
        return os.getuid()


def make_socket_folder(path: str) -> None:
    """For the server, before it binds: make the folder of a socket, for its owner only, or refuse what is there."""
    folder = os.path.dirname(path)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise mq_error(
            C.MQRC_Q_MGR_NOT_AVAILABLE, "", f"the folder {folder} of its socket cannot be made: {error.strerror}"
        ) from error
    check_socket_folder(path)
    found = os.lstat(folder)
    if found.st_mode & 0o077 and found.st_uid == os.getuid():
        os.chmod(folder, 0o700)


def check_socket_folder(path: str, owner: int | None = None) -> None:
    """For both ends: refuse a folder in which someone else could have put the socket.

    It must be a folder (not a link to one) of this user, of `owner`, or of root, and writable to no one else.
    """
    folder = os.path.dirname(path)
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return  # then there is no socket either, which is for the caller to say
    except OSError as error:
        raise mq_error(
            C.MQRC_Q_MGR_NOT_AVAILABLE, "", f"the folder {folder} of its socket cannot be read: {error.strerror}"
        ) from error
    allowed = {0, os.getuid()} | ({owner} if owner is not None else set())
    if not stat.S_ISDIR(found.st_mode):
        why = "is no folder"
    elif found.st_uid not in allowed:
        why = f"belongs to user number {found.st_uid}, who could read along"
    elif found.st_mode & 0o022:
        why = f"can be written to by others (mode {stat.S_IMODE(found.st_mode):o})"
    else:
        return
    raise mq_error(
        C.MQRC_Q_MGR_NOT_AVAILABLE,
        "",
        f"its socket is not used, because {folder} {why}: remove it, or make it yours with mode 700",
    )


def answers(path: str, timeout_s: float = 5.0) -> bool:
    """Does a server listen on a socket? One that is too busy to take the connection now does, too."""
    import socket

    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(timeout_s)
            probe.connect(path)
    except TimeoutError:
        return True
    except OSError as error:
        return error.errno == errno.EAGAIN
    return True
