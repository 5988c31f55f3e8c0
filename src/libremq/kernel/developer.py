"""The developer configuration: the objects and users that tutorials for MQ take for granted.

Queues, a dead-letter queue, a model queue, one channel for applications and one for administrators, and a listener on
MQ's port. What is there already stays as it is, so it can be given to a queue manager that is in use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from libremq.kernel.attributes import GivenValue
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects import MQ_PORT
from libremq.mqi.constants import MQRCCF_OBJECT_WRONG_TYPE
from libremq.mqi.errors import mq_error

DEAD_LETTER_QUEUE = "DEV.DEAD.LETTER.QUEUE"


class Definition(NamedTuple):
    kind: str
    name: str
    attributes: Mapping[str, GivenValue] = {}


class User(NamedTuple):
    """A user with a password, and the variables of the environment that say which."""

    name: str
    password_variable: str
    file_variable: str


USERS: tuple[User, ...] = (
    User("admin", "MQ_ADMIN_PASSWORD", "MQ_ADMIN_PASSWORD_FILE"),
    User("app", "MQ_APP_PASSWORD", "MQ_APP_PASSWORD_FILE"),
)


LOOPBACK = "127.0.0.1"


def listener(name: str = "DEV.LISTENER.TCP", port: int = MQ_PORT, address: str = LOOPBACK) -> Definition:
    """A listener that starts and ends with the queue manager, by default for this machine only.

    Its application channel lets everybody in until the user `app` has a password.
    """
    return Definition("LISTENER", name, {"TRPTYPE": "TCP", "PORT": port, "IPADDR": address, "CONTROL": "QMGR"})


def objects() -> tuple[Definition, ...]:
    """The objects, in the order in which they are to be defined."""
    return (
        Definition("QLOCAL", "DEV.QUEUE.1"),
        Definition("QLOCAL", "DEV.QUEUE.2"),
        Definition("QLOCAL", "DEV.QUEUE.3"),
        Definition("QLOCAL", DEAD_LETTER_QUEUE),
        Definition("QMODEL", "DEV.APP.MODEL.QUEUE"),
        Definition("CHANNEL", "DEV.ADMIN.SVRCONN", {"CHLTYPE": "SVRCONN"}),
        Definition("CHANNEL", "DEV.APP.SVRCONN", {"CHLTYPE": "SVRCONN", "MCAUSER": "app"}),
        listener(),
    )


def configure(manager: QueueManager, definitions: tuple[Definition, ...] | None = None) -> int:
    """Define what is not there yet, and set DEADQ if it is blank. The log position that the answer depends on.

    An object of another type in the place of one of them is an error, before anything is defined.
    """
    chosen = objects() if definitions is None else definitions
    catalogue = manager.core.catalogue
    for kind, name, _ in chosen:
        holder = catalogue.holder(kind, name)
        if holder is not None and catalogue.find(kind, name) is None:
            raise mq_error(
                MQRCCF_OBJECT_WRONG_TYPE,
                name,
                f"a {holder.kind} has the name of a {kind} of the developer configuration; delete it first",
            )
    lsn = 0
    for kind, name, attributes in chosen:
        if catalogue.holder(kind, name) is None:
            lsn = manager.define(kind, name, attributes)
    if not catalogue.qmgr.deadq and catalogue.find("QLOCAL", DEAD_LETTER_QUEUE) is not None:
        lsn = manager.alter("QMGR", "", {"DEADQ": DEAD_LETTER_QUEUE})
    return lsn
