"""Who may come in, and who may administer, until there are authorities.

Over the Unix-domain socket the system says who it is, and only the owner of the queue manager and root can open it.
Over TCP a client shows user id and password. It may come without only where that was decided: on a channel that gives
it a user without a password (MCAUSER), or from this machine while the queue manager has no users at all.
"""

from __future__ import annotations

import ipaddress
import os
import pwd
from typing import TYPE_CHECKING

from libremq.common import users
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

if TYPE_CHECKING:
    from libremq.server.engine import Engine
    from libremq.server.link import Link

ADMINISTRATORS = frozenset({"admin", "mqm"})
_ON_THIS_MACHINE = frozenset({"archive_log", "copy_to_backup"})
"""Commands with paths of files: for those who could touch the files themselves."""


def is_loopback(peer: str) -> bool:
    try:
        return ipaddress.ip_address(peer.partition("(")[0].partition("%")[0]).is_loopback
    except ValueError:
        return False


def needs_password(engine: Engine, link: Link) -> bool:
    """Must a TCP client show credentials?"""
    files, folder = engine.manager.core.files, engine.folder
    mca_user = link.channel.mca_user if link.channel is not None else ""
    try:
        if mca_user:
            return mca_user in users.user_names(files, folder)
        return users.has_users(files, folder) or not is_loopback(link.peer)
    except users.UsersError:
        return True


def check(engine: Engine, link: Link, user: str, password: str) -> None:
    """MQError if these credentials are not right. It takes some fifty milliseconds, whoever it is."""
    try:
        right = bool(user) and users.check_password(engine.manager.core.files, engine.folder, user, password)
    except users.UsersError as error:
        engine.say(f"AMQ9557E: Users cannot be authenticated: {error}.")
        right = False
    if not right:
        engine.say(f"AMQ9557E: User {user[:64]!r} from {link.peer} could not be authenticated.")
        detail = "the user id or the password is wrong" if user else "this channel needs a user id and a password"
        raise mq_error(C.MQRC_NOT_AUTHORIZED, engine.manager.name, detail)


def check_administrator(engine: Engine, link: Link, user: str, authenticated: bool, command: str) -> None:
    """MQError if this connection may not give a command."""
    if link.local:
        return  # the socket is its owner's
    name = engine.manager.name
    if command in _ON_THIS_MACHINE:
        raise _refused(name, command, "it names files of the queue manager's machine: connect with local: there")
    if authenticated:
        if user in ADMINISTRATORS or user == _owner():
            return
    elif not needs_password(engine, link) and not (link.channel is not None and link.channel.mca_user):
        return  # on this machine, and nobody has set up users
    raise _refused(name, command, f"user {user!r} is no administrator ({', '.join(sorted(ADMINISTRATORS))})")


def _refused(name: str, command: str, detail: str) -> MQError:
    return mq_error(C.MQRC_NOT_AUTHORIZED, name, f"{command} is refused: {detail}")


def _owner() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""
