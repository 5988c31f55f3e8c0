"""The commands there are: one row each. Data only.

What differs between the types of one sort of object (the four queues, the channels) is in their attribute tables; here
they share their codes. z/OS-only commands are not there at all: the reader says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from libremq.admin import command_options as option
from libremq.admin.command_spec import CommandSpec, Naming
from libremq.kernel.objects.attributes import Attribute
from libremq.mqi import constants as mq

PUBLISH_SUBSCRIBE = "publish/subscribe"
CLUSTERS = "clusters"
DONE = 8999
"""For commands whose message in MQ is not known: ours says which command was done."""

_Codes = tuple[int, ...]


def _definable(
    word: str,
    *,
    messages: tuple[int, int, int, int],
    create: _Codes,
    change: int,
    delete: int,
    inquire: _Codes,
    names: tuple[int, int],
    listed: int,
    required: tuple[str, ...] = (),
    alter_options: tuple[Attribute, ...] = (),
    alter_required: tuple[str, ...] = (),
    delete_options: tuple[Attribute, ...] = (option.IGNSTATE,),
    display_options: tuple[Attribute, ...] = (),
    table: str = "",
    part: str = "",
) -> Iterator[CommandSpec]:
    """DEFINE, ALTER, DELETE, DISPLAY of a type of object, with messages in this order; `names`: PCF ids for a copy."""
    table = table or word
    yield CommandSpec(
        "DEFINE", word, create, messages[0], table=table, required=required, name_selector=0,
        options=(option.like(names[0]), option.REPLACE), part=part,
    )  # fmt: skip
    yield CommandSpec(
        "ALTER", word, (change,), messages[1], table=table, options=alter_options, required=alter_required, part=part
    )
    yield CommandSpec("DELETE", word, (delete,), messages[2], options=delete_options, table=table, part=part)
    yield CommandSpec(
        "DISPLAY", word, inquire, messages[3], Naming.GENERIC, table, display_options, list_selector=listed
    )


def _queues() -> Iterator[CommandSpec]:
    for word in ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE"):
        purge = (option.PURGE,) if word == "QLOCAL" else ()
        yield from _definable(
            word,
            messages=(8006, 8008, 8007, 8409),
            create=(mq.MQCMD_CREATE_Q, mq.MQCMD_COPY_Q),
            change=mq.MQCMD_CHANGE_Q,
            delete=mq.MQCMD_DELETE_Q,
            inquire=(mq.MQCMD_INQUIRE_Q,),
            names=(mq.MQCACF_FROM_Q_NAME, mq.MQCACF_TO_Q_NAME),
            listed=mq.MQIACF_Q_ATTRS,
            alter_options=(option.FORCE,),
            delete_options=(*purge, option.AUTHREC, option.IGNSTATE),
        )
    yield CommandSpec(
        "DISPLAY", "QUEUE", (mq.MQCMD_INQUIRE_Q, mq.MQCMD_INQUIRE_Q_NAMES), 8409, Naming.GENERIC, "QUEUE",
        (option.QUEUE_TYPE,), groups=("CLUSINFO",), list_selector=mq.MQIACF_Q_ATTRS,
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "QCLUSTER", (mq.MQCMD_INQUIRE_Q,), 8409, Naming.GENERIC, "QUEUE", (), list_selector=mq.MQIACF_Q_ATTRS
    )
    yield CommandSpec("CLEAR", "QLOCAL", (mq.MQCMD_CLEAR_Q,), 8022, table="QLOCAL")
    yield CommandSpec(
        "MOVE", "QLOCAL", (mq.MQCMD_MOVE_Q,), DONE, table="QLOCAL", options=(option.TOQLOCAL, option.MOVE_TYPE),
        required=("TOQLOCAL",), name_selector=mq.MQCACF_FROM_Q_NAME,
    )  # fmt: skip
    yield CommandSpec(
        "RESET", "QSTATS", (mq.MQCMD_RESET_Q_STATS,), DONE, Naming.GENERIC, table="QSTATS",
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "QSTATUS", (mq.MQCMD_INQUIRE_Q_STATUS,), 8450, Naming.GENERIC, "QSTATUS",
        (option.QUEUE_STATUS_TYPE, option.OPEN_TYPE), groups=("MONITOR",), list_selector=mq.MQIACF_Q_STATUS_ATTRS,
    )  # fmt: skip


def _queue_manager() -> Iterator[CommandSpec]:
    none = Naming.NONE
    yield CommandSpec("ALTER", "QMGR", (mq.MQCMD_CHANGE_Q_MGR,), 8005, none, "QMGR", (option.FORCE,))
    yield CommandSpec(
        "DISPLAY", "QMGR", (mq.MQCMD_INQUIRE_Q_MGR,), 8408, none, "QMGR",
        groups=("SYSTEM", "EVENT", "CHINIT", "CLUSTER", "PUBSUB"), list_selector=mq.MQIACF_Q_MGR_ATTRS,
    )  # fmt: skip
    yield CommandSpec("PING", "QMGR", (mq.MQCMD_PING_Q_MGR,), 8415, none)
    yield CommandSpec(
        "REFRESH", "QMGR", (mq.MQCMD_REFRESH_Q_MGR,), DONE, none, required=("TYPE",),
        options=(option.REFRESH_TYPE, option.REFRESH_OBJECT, option.REFRESH_NAME, option.INCLINT),
    )  # fmt: skip
    yield CommandSpec(
        "RESET", "QMGR", (mq.MQCMD_RESET_Q_MGR,), DONE, none, required=("TYPE",),
        options=(option.RESET_TYPE, option.ARCHIVED, option.REDUCE),
    )  # fmt: skip
    for verb, code in (("SUSPEND", mq.MQCMD_SUSPEND_Q_MGR_CLUSTER), ("RESUME", mq.MQCMD_RESUME_Q_MGR_CLUSTER)):
        yield CommandSpec(
            verb, "QMGR", (code,), DONE, none, options=(option.CLUSTER, option.CLUSTER_NAMELIST, option.MODE),
            part=CLUSTERS,
        )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "QMSTATUS", (mq.MQCMD_INQUIRE_Q_MGR_STATUS,), 8705, none, "QMSTATUS", (option.STATUS_TYPE,),
        groups=("LOG",), list_selector=mq.MQIACF_Q_MGR_STATUS_ATTRS,
    )  # fmt: skip
    yield CommandSpec(
        "REFRESH", "SECURITY", (mq.MQCMD_REFRESH_SECURITY,), 8560, Naming.OPTIONAL, options=(option.SECURITY_TYPE,)
    )
    yield CommandSpec(
        "DISPLAY", "CONN", (mq.MQCMD_INQUIRE_CONNECTION,), 8276, Naming.GENERIC, "CONN",
        (option.CONNECTION_TYPE, option.EXTCONN), list_selector=mq.MQIACF_CONNECTION_ATTRS,
        name_selector=mq.MQBACF_CONNECTION_ID,
    )  # fmt: skip
    yield CommandSpec(
        "STOP", "CONN", (mq.MQCMD_STOP_CONNECTION,), 8457, options=(option.EXTCONN,),
        name_selector=mq.MQBACF_CONNECTION_ID, table="CONN",
    )  # fmt: skip


def _channels() -> Iterator[CommandSpec]:
    yield from _definable(
        "CHANNEL",
        messages=(8014, 8016, 8015, 8414),
        create=(mq.MQCMD_CREATE_CHANNEL, mq.MQCMD_COPY_CHANNEL),
        change=mq.MQCMD_CHANGE_CHANNEL,
        delete=mq.MQCMD_DELETE_CHANNEL,
        inquire=(mq.MQCMD_INQUIRE_CHANNEL, mq.MQCMD_INQUIRE_CHANNEL_NAMES),
        names=(mq.MQCACF_FROM_CHANNEL_NAME, mq.MQCACF_TO_CHANNEL_NAME),
        listed=mq.MQIACF_CHANNEL_ATTRS,
        required=("CHLTYPE",),
        alter_required=("CHLTYPE",),
        delete_options=(option.CHLTABLE, option.AUTHREC, option.IGNSTATE),
        display_options=(option.SHOWN_CHANNEL_TYPE,),
    )
    yield CommandSpec(
        "DISPLAY", "CHSTATUS", (mq.MQCMD_INQUIRE_CHANNEL_STATUS,), 8417, Naming.GENERIC, "CHSTATUS",
        (option.INSTANCE_TYPE, option.CONNAME, option.XMITQ), groups=("MONITOR",),
        list_selector=mq.MQIACH_CHANNEL_INSTANCE_ATTRS,
    )  # fmt: skip
    yield CommandSpec("START", "CHANNEL", (mq.MQCMD_START_CHANNEL,), 8018, options=(option.IGNSTATE,), table="CHANNEL")
    yield CommandSpec(
        "STOP", "CHANNEL", (mq.MQCMD_STOP_CHANNEL,), 8019, table="CHANNEL",
        options=(option.MODE, option.STATUS_AFTER, option.CONNAME, option.QMNAME, option.IGNSTATE),
    )  # fmt: skip
    for verb, code, message, options, required in (
        ("PING", mq.MQCMD_PING_CHANNEL, 8020, (option.DATALEN,), ()),
        ("RESET", mq.MQCMD_RESET_CHANNEL, 8023, (option.SEQNUM,), ()),
        ("RESOLVE", mq.MQCMD_RESOLVE_CHANNEL, 8025, (option.RESOLVE_ACTION,), ("ACTION",)),
    ):
        yield CommandSpec(verb, "CHANNEL", (code,), message, options=options, required=required, table="CHANNEL")
    yield CommandSpec("START", "CHINIT", (mq.MQCMD_START_CHANNEL_INIT,), 8024, Naming.NONE, options=(option.INITQ,))
    yield from _definable(
        "LISTENER",
        messages=(8626, 8623, 8628, 8630),
        create=(mq.MQCMD_CREATE_LISTENER, mq.MQCMD_COPY_LISTENER),
        change=mq.MQCMD_CHANGE_LISTENER,
        delete=mq.MQCMD_DELETE_LISTENER,
        inquire=(mq.MQCMD_INQUIRE_LISTENER,),
        names=(mq.MQCACF_FROM_LISTENER_NAME, mq.MQCACF_TO_LISTENER_NAME),
        listed=mq.MQIACF_LISTENER_ATTRS,
        required=("TRPTYPE",),
    )
    yield CommandSpec(
        "START", "LISTENER", (mq.MQCMD_START_CHANNEL_LISTENER,), 8021, Naming.OPTIONAL, "LISTENER", (option.IGNSTATE,)
    )
    yield CommandSpec(
        "STOP", "LISTENER", (mq.MQCMD_STOP_CHANNEL_LISTENER,), 8706, Naming.OPTIONAL, "LISTENER", (option.IGNSTATE,)
    )
    yield CommandSpec(
        "DISPLAY", "LSSTATUS", (mq.MQCMD_INQUIRE_LISTENER_STATUS,), 8631, Naming.GENERIC, "LSSTATUS",
        list_selector=mq.MQIACF_LISTENER_STATUS_ATTRS,
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "CLUSQMGR", (mq.MQCMD_INQUIRE_CLUSTER_Q_MGR,), 8441, Naming.GENERIC, "CLUSQMGR",
        (option.CLUSTER,), list_selector=mq.MQIACF_CLUSTER_Q_MGR_ATTRS,
    )  # fmt: skip
    yield CommandSpec(
        "REFRESH", "CLUSTER", (mq.MQCMD_REFRESH_CLUSTER,), DONE, Naming.GENERIC, options=(option.CLUSTER_REPOS,),
        name_selector=mq.MQCA_CLUSTER_NAME, part=CLUSTERS,
    )  # fmt: skip
    yield CommandSpec(
        "RESET", "CLUSTER", (mq.MQCMD_RESET_CLUSTER,), DONE, name_selector=mq.MQCA_CLUSTER_NAME, part=CLUSTERS,
        options=(option.CLUSTER_ACTION, option.CLUSTER_QMNAME, option.CLUSTER_QMID, option.CLUSTER_QUEUES),
    )  # fmt: skip


def _others() -> Iterator[CommandSpec]:
    yield from _definable(
        "SERVICE",
        messages=(8625, 8622, 8627, 8629),
        create=(mq.MQCMD_CREATE_SERVICE, mq.MQCMD_COPY_SERVICE),
        change=mq.MQCMD_CHANGE_SERVICE,
        delete=mq.MQCMD_DELETE_SERVICE,
        inquire=(mq.MQCMD_INQUIRE_SERVICE,),
        names=(mq.MQCACF_FROM_SERVICE_NAME, mq.MQCACF_TO_SERVICE_NAME),
        listed=mq.MQIACF_SERVICE_ATTRS,
    )
    for verb, code, message in (("START", mq.MQCMD_START_SERVICE, 8733), ("STOP", mq.MQCMD_STOP_SERVICE, 8734)):
        yield CommandSpec(verb, "SERVICE", (code,), message, options=(option.IGNSTATE,), table="SERVICE")
    yield CommandSpec(
        "DISPLAY", "SVSTATUS", (mq.MQCMD_INQUIRE_SERVICE_STATUS,), 8632, Naming.GENERIC, "SVSTATUS",
        list_selector=mq.MQIACF_SERVICE_STATUS_ATTRS,
    )  # fmt: skip
    yield from _definable(
        "PROCESS",
        messages=(8010, 8012, 8011, 8407),
        create=(mq.MQCMD_CREATE_PROCESS, mq.MQCMD_COPY_PROCESS),
        change=mq.MQCMD_CHANGE_PROCESS,
        delete=mq.MQCMD_DELETE_PROCESS,
        inquire=(mq.MQCMD_INQUIRE_PROCESS, mq.MQCMD_INQUIRE_PROCESS_NAMES),
        names=(mq.MQCACF_FROM_PROCESS_NAME, mq.MQCACF_TO_PROCESS_NAME),
        listed=mq.MQIACF_PROCESS_ATTRS,
        delete_options=(option.AUTHREC, option.IGNSTATE),
    )
    yield from _definable(
        "NAMELIST",
        messages=(8552, 8551, 8553, 8550),
        create=(mq.MQCMD_CREATE_NAMELIST, mq.MQCMD_COPY_NAMELIST),
        change=mq.MQCMD_CHANGE_NAMELIST,
        delete=mq.MQCMD_DELETE_NAMELIST,
        inquire=(mq.MQCMD_INQUIRE_NAMELIST, mq.MQCMD_INQUIRE_NAMELIST_NAMES),
        names=(mq.MQCACF_FROM_NAMELIST_NAME, mq.MQCACF_TO_NAMELIST_NAME),
        listed=mq.MQIACF_NAMELIST_ATTRS,
        delete_options=(option.AUTHREC, option.IGNSTATE),
    )
    yield from _definable(
        "TOPIC",
        messages=(8690, 8691, 8692, 8633),
        create=(mq.MQCMD_CREATE_TOPIC, mq.MQCMD_COPY_TOPIC),
        change=mq.MQCMD_CHANGE_TOPIC,
        delete=mq.MQCMD_DELETE_TOPIC,
        inquire=(mq.MQCMD_INQUIRE_TOPIC, mq.MQCMD_INQUIRE_TOPIC_NAMES),
        names=(mq.MQCACF_FROM_TOPIC_NAME, mq.MQCACF_TO_TOPIC_NAME),
        listed=mq.MQIACF_TOPIC_ATTRS,
        delete_options=(option.AUTHREC, option.IGNSTATE),
        display_options=(option.TOPIC_TYPE,),
    )
    yield from _definable(
        "AUTHINFO",
        messages=(8563, 8567, 8564, 8566),
        create=(mq.MQCMD_CREATE_AUTH_INFO, mq.MQCMD_COPY_AUTH_INFO),
        change=mq.MQCMD_CHANGE_AUTH_INFO,
        delete=mq.MQCMD_DELETE_AUTH_INFO,
        inquire=(mq.MQCMD_INQUIRE_AUTH_INFO, mq.MQCMD_INQUIRE_AUTH_INFO_NAMES),
        names=(mq.MQCACF_FROM_AUTH_INFO_NAME, mq.MQCACF_TO_AUTH_INFO_NAME),
        listed=mq.MQIACF_AUTH_INFO_ATTRS,
        required=("AUTHTYPE",),
        alter_required=("AUTHTYPE",),
        delete_options=(option.AUTHREC, option.IGNSTATE),
        display_options=(option.AUTHINFO_TYPE,),
    )
    yield from _definable(
        "COMMINFO",
        messages=(8858, 8861, 8859, 8860),
        create=(mq.MQCMD_CREATE_COMM_INFO, mq.MQCMD_COPY_COMM_INFO),
        change=mq.MQCMD_CHANGE_COMM_INFO,
        delete=mq.MQCMD_DELETE_COMM_INFO,
        inquire=(mq.MQCMD_INQUIRE_COMM_INFO,),
        names=(mq.MQCACF_FROM_COMM_INFO_NAME, mq.MQCACF_TO_COMM_INFO_NAME),
        listed=mq.MQIACF_COMM_INFO_ATTRS,
    )


def _publish_subscribe() -> Iterator[CommandSpec]:
    yield from _definable(
        "SUB",
        messages=(8094, 8095, 8091, 8096),
        create=(mq.MQCMD_CREATE_SUBSCRIPTION, mq.MQCMD_COPY_SUBSCRIPTION),
        change=mq.MQCMD_CHANGE_SUBSCRIPTION,
        delete=mq.MQCMD_DELETE_SUBSCRIPTION,
        inquire=(mq.MQCMD_INQUIRE_SUBSCRIPTION,),
        names=(mq.MQCACF_FROM_SUB_NAME, mq.MQCACF_TO_SUB_NAME),
        listed=mq.MQIACF_SUB_ATTRS,
        part=PUBLISH_SUBSCRIBE,
        display_options=(option.SUB_TYPE, option.DURABLE, option.SUB_ID),
    )
    yield CommandSpec(
        "DISPLAY", "SBSTATUS", (mq.MQCMD_INQUIRE_SUB_STATUS,), 8099, Naming.GENERIC, "SBSTATUS",
        (option.SUB_TYPE, option.DURABLE, option.SUB_ID), list_selector=mq.MQIACF_SUB_STATUS_ATTRS,
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "TPSTATUS", (mq.MQCMD_INQUIRE_TOPIC_STATUS,), 8754, Naming.GENERIC, "TPSTATUS",
        (option.TOPIC_STATUS_TYPE,), list_selector=mq.MQIACF_TOPIC_STATUS_ATTRS, part=PUBLISH_SUBSCRIBE,
    )  # fmt: skip
    yield CommandSpec(
        "CLEAR", "TOPICSTR", (mq.MQCMD_CLEAR_TOPIC_STRING,), DONE, options=(option.CLEAR_TYPE, option.CLEAR_SCOPE),
        required=("CLRTYPE",), name_selector=mq.MQCA_TOPIC_STRING, part=PUBLISH_SUBSCRIBE,
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "PUBSUB", (mq.MQCMD_INQUIRE_PUBSUB_STATUS,), 8723, Naming.NONE, "PUBSUB",
        (option.PUBSUB_TYPE,), list_selector=mq.MQIACF_PUBSUB_STATUS_ATTRS,
    )  # fmt: skip


def _security() -> Iterator[CommandSpec]:
    none = Naming.NONE
    yield CommandSpec(
        "SET", "AUTHREC", (mq.MQCMD_SET_AUTH_REC,), 8862, none, required=("OBJTYPE",),
        options=(
            option.PROFILE, option.AUTHORITY_OBJECT, option.PRINCIPALS, option.GROUPS, option.AUTHADD, option.AUTHRMV,
            option.SERVCOMP,
        ),
    )  # fmt: skip
    yield CommandSpec(
        "DELETE", "AUTHREC", (mq.MQCMD_DELETE_AUTH_REC,), 8863, none, required=("OBJTYPE",),
        options=(option.PROFILE, option.AUTHORITY_OBJECT, option.PRINCIPALS, option.GROUPS, option.IGNSTATE),
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "AUTHREC", (mq.MQCMD_INQUIRE_AUTH_RECS,), 8864, none, "AUTHREC",
        list_selector=mq.MQIACF_AUTH_PROFILE_ATTRS,
        options=(
            option.PROFILE, option.AUTHORITY_OBJECT, option.PRINCIPALS, option.GROUPS, option.AUTHORITY_MATCH,
            option.SERVCOMP, option.ENTITY, option.ENTITY_TYPE,
        ),
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "ENTAUTH", (mq.MQCMD_INQUIRE_ENTITY_AUTH,), 8866, none, "ENTAUTH", required=("OBJTYPE",),
        options=(
            option.AUTHORITY_OBJECT, option.OBJNAME, option.PRINCIPALS, option.GROUPS, option.SERVCOMP, option.ENTITY,
            option.ENTITY_TYPE,
        ),
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "AUTHSERV", (mq.MQCMD_INQUIRE_AUTH_SERVICE,), DONE, none, "AUTHSERV", (option.SERVCOMP,),
        list_selector=mq.MQIACF_AUTH_SERVICE_ATTRS,
    )  # fmt: skip
    yield CommandSpec(
        "SET", "CHLAUTH", (mq.MQCMD_SET_CHLAUTH_REC,), 8877, Naming.GENERIC, "CHLAUTH", (option.CHLAUTH_ACTION,),
        required=("TYPE",),
    )  # fmt: skip
    yield CommandSpec(
        "DISPLAY", "CHLAUTH", (mq.MQCMD_INQUIRE_CHLAUTH_RECS,), 8878, Naming.GENERIC, "CHLAUTH",
        (option.CHLAUTH_MATCH,), list_selector=mq.MQIACF_CHLAUTH_ATTRS,
    )  # fmt: skip


COMMANDS: tuple[CommandSpec, ...] = (
    *_queues(), *_queue_manager(), *_channels(), *_others(), *_publish_subscribe(), *_security(),
)  # fmt: skip

VERB_ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    "ALTER": ("ALT",), "DEFINE": ("DEF",), "DISPLAY": ("DIS",), "REFRESH": ("REF",), "RESUME": ("RES",),
    "START": ("STA",), "DELETE": ("DEL",), "CLEAR": (), "STOP": (), "RESET": (), "RESOLVE": (), "SET": (),
    "PING": (), "MOVE": (), "SUSPEND": (),
}  # fmt: skip

OBJECT_ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    "QLOCAL": ("QL",), "QMODEL": ("QM",), "QALIAS": ("QA",), "QREMOTE": ("QR",), "QCLUSTER": ("QC",),
    "QUEUE": ("Q",), "CHANNEL": ("CHL",), "CHSTATUS": ("CHS",), "LISTENER": ("LSTR",), "LSSTATUS": ("LS",),
    "NAMELIST": ("NL",), "PROCESS": ("PRO",), "QSTATUS": ("QS",), "CHINIT": ("CHI",), "SECURITY": ("SEC",),
    "TPSTATUS": ("TPS",), "SBSTATUS": ("SBS",),
}  # fmt: skip

# Words of commands that only MQ for z/OS has
ZOS_VERBS = frozenset({"ARCHIVE", "BACKUP", "RECOVER", "RVERIFY", "ARC", "REC", "REV", "REVERIFY"})
ZOS_OBJECTS = frozenset(
    {
        "ARCHIVE", "BSDS", "BUFFPOOL", "CFSTATUS", "CFSTRUCT", "CMDSERV", "GROUP", "INDOUBT", "LOG", "MAXSMSGS", "PSID",
        "SMDS", "SMDSCONN", "STGCLASS", "SYSTEM", "THREAD", "TPIPE", "TRACE", "USAGE",
    }
)  # fmt: skip
