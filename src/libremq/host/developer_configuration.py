"""The developer configuration: the objects and users that tutorials for MQ take for granted.

Queues, a dead-letter queue, a model queue, a topic, one channel for applications and one for administrators, the rules
and authorities that let the users `app` and `admin` in by them and nobody else, and a listener on MQ's port. What is
there already stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.attributes import GivenValue
from libremq.kernel.objects.object_types import MQ_PORT, AuthorityRecord, ChannelAuthentication, KeyedRecord
from libremq.mqi import constants as mq
from libremq.mqi.errors import mq_error

DEAD_LETTER_QUEUE = "DEV.DEAD.LETTER.QUEUE"
AUTHENTICATION = "DEV.AUTHINFO"
_SUPPLIED_AUTHENTICATION = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"


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
        Definition("TOPIC", "DEV.BASE.TOPIC", {"TOPICSTR": "dev/"}),
        Definition(
            "AUTHINFO",
            AUTHENTICATION,
            {"AUTHTYPE": "IDPWOS", "CHCKCLNT": "REQDADM", "CHCKLOCL": "OPTIONAL", "ADOPTCTX": "YES"},
        ),
        Definition("CHANNEL", "DEV.ADMIN.SVRCONN", {"CHLTYPE": "SVRCONN"}),
        Definition("CHANNEL", "DEV.APP.SVRCONN", {"CHLTYPE": "SVRCONN", "MCAUSER": "app"}),
        listener(),
    )


def records(now: float, *, app_password: bool = False) -> tuple[KeyedRecord, ...]:
    """Who comes in, and what the user `app` may do. With a password of its own, `app` has to give it."""
    rules: tuple[tuple[str, str, Mapping[str, GivenValue]], ...] = (
        ("*", "ADDRESSMAP", {"DESCR": "Back-stop: nobody else", "ADDRESS": "*", "USERSRC": "NOACCESS"}),
        (
            "DEV.APP.SVRCONN",
            "ADDRESSMAP",
            {
                "DESCR": "Applications, as the user of the channel",
                "ADDRESS": "*",
                "USERSRC": "CHANNEL",
                "CHCKCLNT": "REQUIRED" if app_password else "ASQMGR",
            },
        ),
        # In place of the rule for all channels, which keeps privileged users out
        ("DEV.ADMIN.SVRCONN", "BLOCKUSER", {"DESCR": "Administrators may come in", "USERLIST": ("nobody",)}),
        ("DEV.ADMIN.SVRCONN", "USERMAP", {"DESCR": "The user admin", "CLNTUSER": "admin", "USERSRC": "CHANNEL"}),
    )
    read_and_write = (mq.MQAUTH_BROWSE, mq.MQAUTH_INPUT, mq.MQAUTH_INQUIRE, mq.MQAUTH_OUTPUT)
    authorities: tuple[tuple[str, int, tuple[int, ...]], ...] = (
        ("", mq.MQOT_Q_MGR, (mq.MQAUTH_CONNECT, mq.MQAUTH_INQUIRE)),
        ("DEV.**", mq.MQOT_Q, read_and_write),
        ("DEV.**", mq.MQOT_TOPIC, (mq.MQAUTH_PUBLISH, mq.MQAUTH_SUBSCRIBE)),
        ("DEV.APP.MODEL.QUEUE", mq.MQOT_Q, (*read_and_write, mq.MQAUTH_DISPLAY)),
    )
    return (
        *(ChannelAuthentication.make(*rule, now) for rule in rules),
        *(
            AuthorityRecord.make(profile, object_type, mq.MQZAET_PRINCIPAL, "app", given)
            for profile, object_type, given in authorities
        ),
    )


def configure(
    manager: QueueManager,
    definitions: tuple[Definition, ...] | None = None,
    security: Sequence[KeyedRecord] | None = None,
) -> int:
    """Define what is not there yet, and set DEADQ and CONNAUTH if they are as supplied.

    Returns the log position that the answer depends on. An object of another type in the place of one of them is an
    error, before anything is defined. `security` is `records()` if `definitions` is not given either, else nothing.
    """
    chosen = objects() if definitions is None else definitions
    if security is None:
        security = records(manager.core.clock.now()) if definitions is None else ()
    catalogue = manager.core.catalogue
    for kind, name, _ in chosen:
        holder = catalogue.holder(kind, name)
        if holder is not None and catalogue.find(kind, name) is None:
            raise mq_error(
                mq.MQRCCF_OBJECT_WRONG_TYPE,
                name,
                f"a {holder.kind} has the name of a {kind} of the developer configuration; delete it first",
            )
    lsn = 0
    for kind, name, attributes in chosen:
        if catalogue.holder(kind, name) is None:
            lsn = manager.define(kind, name, attributes)
    for record in security:
        if catalogue.find(record.kind, record.name) is None:
            lsn = manager.install_record(record)
    qmgr = catalogue.qmgr
    if qmgr.connauth == _SUPPLIED_AUTHENTICATION and catalogue.find("AUTHINFO", AUTHENTICATION) is not None:
        lsn = manager.alter("QMGR", "", {"CONNAUTH": AUTHENTICATION})
    if not qmgr.deadq and catalogue.find("QLOCAL", DEAD_LETTER_QUEUE) is not None:
        lsn = manager.alter("QMGR", "", {"DEADQ": DEAD_LETTER_QUEUE})
    return lsn
