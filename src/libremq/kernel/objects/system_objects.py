"""The objects every queue manager has: a new one from the beginning, an older one from its next start on.

They are data: type, name, and the attributes that differ from the supplied defaults. They are defined once
for each process, as a template; a new queue manager gets copies, because tests make thousands of those.

A release that has more of them raises the level. The queue manager keeps the level of those it was given, so a start
completes them once, and what an administrator deletes afterwards stays deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from libremq.kernel.objects.attributes import GivenValue, Value
from libremq.kernel.objects.catalogue import Catalogue
from libremq.kernel.objects.object_types import ChannelAuthentication, MQObject, date_and_time, new_object
from libremq.mqi.constants import MQRCCF_OBJECT_WRONG_TYPE
from libremq.mqi.errors import mq_error

if TYPE_CHECKING:
    pass

# The default objects come first: the others are defined from them.
SYSTEM_OBJECTS: tuple[tuple[str, str, Mapping[str, GivenValue]], ...] = (
    ("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", {}),
    ("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE", {}),
    ("QALIAS", "SYSTEM.DEFAULT.ALIAS.QUEUE", {}),
    ("QREMOTE", "SYSTEM.DEFAULT.REMOTE.QUEUE", {}),
    ("PROCESS", "SYSTEM.DEFAULT.PROCESS", {}),
    ("NAMELIST", "SYSTEM.DEFAULT.NAMELIST", {}),
    ("SDR", "SYSTEM.DEF.SENDER", {}),
    ("SVR", "SYSTEM.DEF.SERVER", {}),
    ("RCVR", "SYSTEM.DEF.RECEIVER", {}),
    ("RQSTR", "SYSTEM.DEF.REQUESTER", {}),
    ("CLNTCONN", "SYSTEM.DEF.CLNTCONN", {}),
    ("SVRCONN", "SYSTEM.DEF.SVRCONN", {}),
    ("CLUSSDR", "SYSTEM.DEF.CLUSSDR", {}),
    ("CLUSRCVR", "SYSTEM.DEF.CLUSRCVR", {}),
    ("AMQP", "SYSTEM.DEF.AMQP", {}),
    ("LISTENER", "SYSTEM.DEFAULT.LISTENER.TCP", {}),
    ("SERVICE", "SYSTEM.DEFAULT.SERVICE", {}),
    ("TOPIC", "SYSTEM.DEFAULT.TOPIC", {}),
    ("CRLLDAP", "SYSTEM.DEFAULT.AUTHINFO.CRLLDAP", {}),
    ("OCSP", "SYSTEM.DEFAULT.AUTHINFO.OCSP", {}),
    ("IDPWOS", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS", {}),
    ("IDPWLDAP", "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP", {}),
    ("COMMINFO", "SYSTEM.DEFAULT.COMMINFO.MULTICAST", {}),
    ("QLOCAL", "SYSTEM.ADMIN.ACCOUNTING.QUEUE", {"DESCR": "Accounting messages", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.ACTIVITY.QUEUE", {"DESCR": "Activity reports", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.CHANNEL.EVENT", {"DESCR": "Channel events", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.COMMAND.EVENT", {"DESCR": "Command events", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.COMMAND.QUEUE", {"DESCR": "IBM MQ programs put PCF commands here", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.CONFIG.EVENT", {"DESCR": "Configuration events", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.LOGGER.EVENT", {"DESCR": "Logger events", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.PERFM.EVENT", {"DESCR": "Performance events", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.PUBSUB.EVENT", {"DESCR": "Publish/subscribe events", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.QMGR.EVENT", {"DESCR": "Queue manager events", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.ADMIN.STATISTICS.QUEUE", {"DESCR": "Statistics messages", "MAXDEPTH": 3000}),
    (
        "QLOCAL",
        "SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE",
        {"DESCR": "Application activity trace", "MAXDEPTH": 3000},
    ),
    ("QLOCAL", "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE", {"DESCR": "Trace-route replies", "MAXDEPTH": 3000}),
    ("QLOCAL", "SYSTEM.AMQP.COMMAND.QUEUE", {"DESCR": "Control of the AMQP service"}),
    (
        "QLOCAL",
        "SYSTEM.AUTH.DATA.QUEUE",
        {
            "DESCR": "Authority records",
            "DEFSOPT": "EXCL",
            "SHARE": "NOSHARE",
            "MSGDLVSQ": "FIFO",
            "MAXDEPTH": 999_999_999,
        },
    ),
    ("RCVR", "SYSTEM.AUTO.RECEIVER", {"DESCR": "Auto-defined by"}),
    ("SVRCONN", "SYSTEM.AUTO.SVRCONN", {"DESCR": "Auto-defined by"}),
    ("QLOCAL", "SYSTEM.BLUEMIX.REGISTRATION.QUEUE", {"DESCR": "Registration data"}),
    ("QLOCAL", "SYSTEM.BROKER.ADMIN.STREAM", {"DESCR": "Queued publish/subscribe: administration stream"}),
    ("QLOCAL", "SYSTEM.BROKER.CONTROL.QUEUE", {"DESCR": "Queued publish/subscribe: control"}),
    ("QLOCAL", "SYSTEM.BROKER.DEFAULT.STREAM", {"DESCR": "Queued publish/subscribe: default stream"}),
    (
        "QLOCAL",
        "SYSTEM.BROKER.INTER.BROKER.COMMUNICATIONS",
        {"DESCR": "Queued publish/subscribe: between queue managers"},
    ),
    (
        "QLOCAL",
        "SYSTEM.CHANNEL.INITQ",
        {"DESCR": "Initiation queue of the channel initiator", "MSGDLVSQ": "FIFO"},
    ),
    (
        "QLOCAL",
        "SYSTEM.CHANNEL.SYNCQ",
        {
            "DESCR": "Channel synchronisation",
            "DEFPSIST": "YES",
            "DEFSOPT": "EXCL",
            "SHARE": "NOSHARE",
            "MAXDEPTH": 999_999_999,
        },
    ),
    (
        "QLOCAL",
        "SYSTEM.CHLAUTH.DATA.QUEUE",
        {
            "DESCR": "Channel authentication records",
            "DEFSOPT": "EXCL",
            "SHARE": "NOSHARE",
            "MAXDEPTH": 999_999_999,
        },
    ),
    ("QLOCAL", "SYSTEM.CICS.INITIATION.QUEUE", {"DESCR": "Initiation queue for CICS"}),
    (
        "QLOCAL",
        "SYSTEM.CLUSTER.COMMAND.QUEUE",
        {
            "DESCR": "Commands to the repository manager",
            "DEFSOPT": "EXCL",
            "SHARE": "NOSHARE",
            "MAXDEPTH": 999_999_999,
            "MAXMSGL": 104_857_600,
        },
    ),
    ("QLOCAL", "SYSTEM.CLUSTER.HISTORY.QUEUE", {"DESCR": "Cluster state history", "DEFSOPT": "EXCL"}),
    (
        "QLOCAL",
        "SYSTEM.CLUSTER.REPOSITORY.QUEUE",
        {
            "DESCR": "Cluster repository",
            "DEFSOPT": "EXCL",
            "SHARE": "NOSHARE",
            "MAXDEPTH": 999_999_999,
            "MAXMSGL": 104_857_600,
        },
    ),
    (
        "QLOCAL",
        "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
        {
            "DESCR": "Transmission queue of clusters",
            "USAGE": "XMITQ",
            "MAXDEPTH": 999_999_999,
            "MAXMSGL": 104_857_600,
            "DEFPSIST": "YES",
        },
    ),
    (
        "QMODEL",
        "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE",
        {
            "DESCR": "Model of transmission queues of single cluster channels",
            "USAGE": "XMITQ",
            "DEFTYPE": "PERMDYN",
            "MAXDEPTH": 999_999_999,
            "MAXMSGL": 104_857_600,
            "DEFSOPT": "EXCL",
        },
    ),
    ("QLOCAL", "SYSTEM.DDELAY.LOCAL.QUEUE", {"DESCR": "Messages waiting for their delivery delay"}),
    ("QLOCAL", "SYSTEM.DEAD.LETTER.QUEUE", {"DESCR": "Dead-letter queue"}),
    ("QLOCAL", "SYSTEM.DEFAULT.INITIATION.QUEUE", {"DESCR": "Initiation queue of the trigger monitor"}),
    ("QLOCAL", "SYSTEM.DOTNET.XARECOVERY.QUEUE", {"DESCR": "Recovery of .NET global transactions"}),
    (
        "QMODEL",
        "SYSTEM.DURABLE.MODEL.QUEUE",
        {
            "DESCR": "Model for managed durable subscriptions",
            "DEFTYPE": "PERMDYN",
            "DEFSOPT": "SHARED",
            "SHARE": "SHARE",
            "MAXDEPTH": 999_999_999,
        },
    ),
    (
        "QLOCAL",
        "SYSTEM.DURABLE.SUBSCRIBER.QUEUE",
        {
            "DESCR": "Durable subscriptions",
            "DEFPSIST": "YES",
            "DEFSOPT": "EXCL",
            "SHARE": "NOSHARE",
            "MAXDEPTH": 999_999_999,
        },
    ),
    (
        "QLOCAL",
        "SYSTEM.HIERARCHY.STATE",
        {"DESCR": "Publish/subscribe hierarchy state", "DEFPSIST": "YES", "MAXDEPTH": 999_999_999},
    ),
    (
        "QLOCAL",
        "SYSTEM.INTER.QMGR.CONTROL",
        {"DESCR": "Publish/subscribe hierarchy: control", "MAXDEPTH": 999_999_999},
    ),
    (
        "QLOCAL",
        "SYSTEM.INTER.QMGR.FANREQ",
        {"DESCR": "Publish/subscribe hierarchy: proxy subscriptions", "MAXDEPTH": 999_999_999},
    ),
    (
        "QLOCAL",
        "SYSTEM.INTER.QMGR.PUBS",
        {"DESCR": "Publish/subscribe hierarchy: publications", "MAXDEPTH": 999_999_999},
    ),
    ("QLOCAL", "SYSTEM.INTERNAL.REPLY.QUEUE", {"DESCR": "Internal replies"}),
    (
        "QMODEL",
        "SYSTEM.JMS.TEMPQ.MODEL",
        {
            "DESCR": "Model for temporary queues of JMS",
            "DEFTYPE": "TEMPDYN",
            "DEFSOPT": "SHARED",
            "SHARE": "SHARE",
        },
    ),
    (
        "QMODEL",
        "SYSTEM.MQEXPLORER.REPLY.MODEL",
        {"DESCR": "Model for replies to graphical tools", "DEFTYPE": "TEMPDYN"},
    ),
    (
        "QMODEL",
        "SYSTEM.MQSC.REPLY.QUEUE",
        {"DESCR": "Model for replies to MQSC commands", "DEFTYPE": "TEMPDYN"},
    ),
    (
        "QMODEL",
        "SYSTEM.NDURABLE.MODEL.QUEUE",
        {
            "DESCR": "Model for managed non-durable subscriptions",
            "DEFTYPE": "TEMPDYN",
            "DEFSOPT": "SHARED",
            "SHARE": "SHARE",
            "MAXDEPTH": 999_999_999,
        },
    ),
    (
        "QLOCAL",
        "SYSTEM.PENDING.DATA.QUEUE",
        {"DESCR": "Deferred messages", "DEFSOPT": "EXCL", "MAXDEPTH": 999_999_999},
    ),
    ("QLOCAL", "SYSTEM.PROTECTION.ERROR.QUEUE", {"DESCR": "Messages refused by a protection policy"}),
    ("QLOCAL", "SYSTEM.PROTECTION.POLICY.QUEUE", {"DESCR": "Protection policies"}),
    ("QLOCAL", "SYSTEM.REST.REPLY.QUEUE", {"DESCR": "Replies to the REST door"}),
    (
        "QLOCAL",
        "SYSTEM.RETAINED.PUB.QUEUE",
        {
            "DESCR": "Retained publications",
            "DEFPSIST": "YES",
            "DEFSOPT": "EXCL",
            "SHARE": "NOSHARE",
            "MAXDEPTH": 999_999_999,
        },
    ),
    ("QLOCAL", "SYSTEM.SELECTION.EVALUATION.QUEUE", {"DESCR": "Selectors: evaluation"}),
    ("QLOCAL", "SYSTEM.SELECTION.VALIDATION.QUEUE", {"DESCR": "Selectors: validation"}),
    (
        "NAMELIST",
        "SYSTEM.QPUBSUB.QUEUE.NAMELIST",
        {
            "DESCR": "Streams of queued publish/subscribe",
            "NAMES": ("SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM"),
        },
    ),
    (
        "NAMELIST",
        "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST",
        {
            "DESCR": "Subscription points of queued publish/subscribe",
            "NAMES": ("SYSTEM.BROKER.DEFAULT.SUBPOINT",),
        },
    ),
    (
        "TOPIC",
        "SYSTEM.BASE.TOPIC",
        {
            "DESCR": "Root of the topic tree",
            "CAPEXPRY": "NOLIMIT",
            "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
            "DEFPRESP": "SYNC",
            "DEFPRTY": 0,
            "DEFPSIST": "NO",
            "DURSUB": "YES",
            "MCAST": "DISABLED",
            "MDURMDL": "SYSTEM.DURABLE.MODEL.QUEUE",
            "MNDURMDL": "SYSTEM.NDURABLE.MODEL.QUEUE",
            "NPMSGDLV": "ALLAVAIL",
            "PMSGDLV": "ALLDUR",
            "PUB": "ENABLED",
            "PUBSCOPE": "ALL",
            "SUB": "ENABLED",
            "SUBSCOPE": "ALL",
            "USEDLQ": "YES",
        },
    ),
    ("TOPIC", "SYSTEM.ADMIN.TOPIC", {"DESCR": "Monitoring of the queue manager", "TOPICSTR": "$SYS/MQ"}),
    (
        "TOPIC",
        "SYSTEM.BROKER.ADMIN.STREAM",
        {
            "DESCR": "Queued publish/subscribe: administration",
            "TOPICSTR": "SYSTEM.BROKER.ADMIN.STREAM",
            "WILDCARD": "BLOCK",
        },
    ),
    (
        "TOPIC",
        "SYSTEM.BROKER.DEFAULT.STREAM",
        {
            "DESCR": "Queued publish/subscribe: default stream",
            "TOPICSTR": "SYSTEM.BROKER.DEFAULT.STREAM",
            "WILDCARD": "BLOCK",
        },
    ),
    (
        "TOPIC",
        "SYSTEM.BROKER.DEFAULT.SUBPOINT",
        {
            "DESCR": "Queued publish/subscribe: default subscription point",
            "TOPICSTR": "SYSTEM.BROKER.DEFAULT.SUBPOINT",
            "WILDCARD": "BLOCK",
        },
    ),
)
# Not made, because what they are for does not exist here: the services SYSTEM.BROKER (queued publish/subscribe) and
# SYSTEM.AMQP.SERVICE, and the subscription SYSTEM.DEFAULT.SUB.

# The channel authentication rules that every queue manager begins with: nobody comes in by a SYSTEM channel, except
# by the one that remote administration is given, and no privileged user by any.
SYSTEM_RULES: tuple[tuple[str, str, Mapping[str, GivenValue]], ...] = (
    (
        "SYSTEM.ADMIN.SVRCONN",
        "ADDRESSMAP",
        {"DESCR": "Channel for remote administration", "ADDRESS": "*", "USERSRC": "CHANNEL"},
    ),
    ("SYSTEM.*", "ADDRESSMAP", {"DESCR": "No access by system channels", "ADDRESS": "*", "USERSRC": "NOACCESS"}),
    ("*", "BLOCKUSER", {"DESCR": "No privileged users by channels", "USERLIST": ("*MQADMIN",)}),
)

# Those that not every release had, by the level that brought them
RULES_LEVEL = 3
ADDED: dict[int, tuple[tuple[str, str], ...]] = {
    2: (
        ("SVRCONN", "SYSTEM.DEF.SVRCONN"),
        ("SVRCONN", "SYSTEM.AUTO.SVRCONN"),
        ("LISTENER", "SYSTEM.DEFAULT.LISTENER.TCP"),
    ),
    3: (
        ("SDR", "SYSTEM.DEF.SENDER"),
        ("SVR", "SYSTEM.DEF.SERVER"),
        ("RCVR", "SYSTEM.DEF.RECEIVER"),
        ("RCVR", "SYSTEM.AUTO.RECEIVER"),
        ("RQSTR", "SYSTEM.DEF.REQUESTER"),
        ("CLNTCONN", "SYSTEM.DEF.CLNTCONN"),
        ("CLUSSDR", "SYSTEM.DEF.CLUSSDR"),
        ("CLUSRCVR", "SYSTEM.DEF.CLUSRCVR"),
        ("AMQP", "SYSTEM.DEF.AMQP"),
        ("SERVICE", "SYSTEM.DEFAULT.SERVICE"),
        ("TOPIC", "SYSTEM.DEFAULT.TOPIC"),
        ("TOPIC", "SYSTEM.BASE.TOPIC"),
        ("TOPIC", "SYSTEM.ADMIN.TOPIC"),
        ("TOPIC", "SYSTEM.BROKER.ADMIN.STREAM"),
        ("TOPIC", "SYSTEM.BROKER.DEFAULT.STREAM"),
        ("TOPIC", "SYSTEM.BROKER.DEFAULT.SUBPOINT"),
        ("CRLLDAP", "SYSTEM.DEFAULT.AUTHINFO.CRLLDAP"),
        ("OCSP", "SYSTEM.DEFAULT.AUTHINFO.OCSP"),
        ("IDPWOS", "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"),
        ("IDPWLDAP", "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP"),
        ("COMMINFO", "SYSTEM.DEFAULT.COMMINFO.MULTICAST"),
    ),
}
SYSTEM_LEVEL = max(ADDED)


def supplied_rules(now: float) -> list[ChannelAuthentication]:
    return [ChannelAuthentication.make(*rule, now) for rule in SYSTEM_RULES]


@cache
def _template() -> tuple[tuple[type[MQObject], str, dict[str, Value]], ...]:
    catalogue = Catalogue("TEMPLATE", 0.0)
    made = [catalogue.define(kind, name, attributes, now=0.0) for kind, name, attributes in SYSTEM_OBJECTS]
    made += supplied_rules(0.0)
    return tuple((type(one), one.name, dict(one.__dict__)) for one in made)


def create_system_objects(catalogue: Catalogue, now: float) -> list[MQObject]:
    """Define all system objects; those that exist get their supplied definition back and keep what they hold.

    If a name is taken by an object of another type, nothing is changed.
    """
    template = _template()
    for cls, name, _ in template:
        existing = catalogue.holder(cls.kind, name)
        if existing is not None and existing.kind != cls.kind:
            raise mq_error(
                MQRCCF_OBJECT_WRONG_TYPE,
                object_name=name,
                detail=f"a {existing.kind} has the name of a system {cls.kind}; delete it first",
            )
    date, clock = date_and_time(now)
    created: list[MQObject] = []
    for cls, name, values in template:
        made = new_object(cls, name, values)
        there = catalogue.find(cls.kind, name)
        if "crdate" in values:
            if there is None:
                made.__dict__["crdate"], made.__dict__["crtime"] = date, clock
            else:
                made.__dict__["crdate"], made.__dict__["crtime"] = there.__dict__["crdate"], there.__dict__["crtime"]
        made.__dict__["altdate"], made.__dict__["alttime"] = date, clock
        created.append(catalogue.install(made))
    catalogue.qmgr.system_level = SYSTEM_LEVEL
    return created
