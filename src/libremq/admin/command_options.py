"""Parameters of commands that are no attributes of objects: MQSC keyword and PCF id side by side. Data only."""

from __future__ import annotations

from collections.abc import Mapping

from libremq.kernel.objects.attributes import Attribute, Kind
from libremq.mqi import constants as mq
from libremq.security.authorities import AUTHORITY_WORDS, GROUP_WORDS, OBJECT_TYPE_WORDS


def words(
    keyword: str, selector: int, permitted: Mapping[str, int], *synonyms: str, reason: int = mq.MQRCCF_ATTR_VALUE_ERROR
) -> Attribute:
    return Attribute(keyword, selector, Kind.ENUM, 0, words=permitted, synonyms=synonyms, value_reason=reason)


def text(keyword: str, selector: int, length: int = mq.MQ_OBJECT_NAME_LENGTH) -> Attribute:
    return Attribute(keyword, selector, Kind.STRING, "", max_length=length)


def texts(keyword: str, selector: int, length: int, items: int) -> Attribute:
    return Attribute(keyword, selector, Kind.TEXT_LIST, (), max_length=length, max_items=items)


def number(
    keyword: str, selector: int, low: int, high: int, permitted: Mapping[str, int] | None = None,
    *, reason: int = mq.MQRCCF_ATTR_VALUE_ERROR,
) -> Attribute:  # fmt: skip
    return Attribute(
        keyword, selector, Kind.INTEGER, low, low=low, high=high, words=permitted or {}, value_reason=reason
    )


# A keyword that is among its own words is written bare: REPLACE, NOREPLACE
REPLACE = words("REPLACE", mq.MQIACF_REPLACE, {"REPLACE": mq.MQRP_YES, "NOREPLACE": mq.MQRP_NO})
FORCE = words("FORCE", mq.MQIACF_FORCE, {"FORCE": mq.MQFC_YES, "NOFORCE": mq.MQFC_NO})
PURGE = words("PURGE", mq.MQIACF_PURGE, {"PURGE": mq.MQPO_YES, "NOPURGE": mq.MQPO_NO})
IGNSTATE = words("IGNSTATE", mq.MQIACF_IGNORE_STATE, {"NO": mq.MQIS_NO, "YES": mq.MQIS_YES})
AUTHREC = words("AUTHREC", mq.MQIACF_REMOVE_AUTHREC, {"YES": mq.MQRAR_YES, "NO": mq.MQRAR_NO})
MODE = words(
    "MODE", mq.MQIACF_MODE,
    {"QUIESCE": mq.MQMODE_QUIESCE, "FORCE": mq.MQMODE_FORCE, "TERMINATE": mq.MQMODE_TERMINATE},
    reason=mq.MQRCCF_MODE_VALUE_ERROR,
)  # fmt: skip
CHLTABLE = words(
    "CHLTABLE", mq.MQIACH_CHANNEL_TABLE, {"QMGRTBL": mq.MQCHTAB_Q_MGR, "CLNTTBL": mq.MQCHTAB_CLNTCONN},
    reason=mq.MQRCCF_CHANNEL_TABLE_ERROR,
)  # fmt: skip
STATUS_AFTER = words("STATUS", mq.MQIACH_CHANNEL_STATUS, {"STOPPED": mq.MQCHS_STOPPED, "INACTIVE": mq.MQCHS_INACTIVE})
QUEUE_TYPE = words(
    "TYPE", mq.MQIA_Q_TYPE,
    {
        "QLOCAL": mq.MQQT_LOCAL, "QMODEL": mq.MQQT_MODEL, "QALIAS": mq.MQQT_ALIAS, "QREMOTE": mq.MQQT_REMOTE,
        "QCLUSTER": mq.MQQT_CLUSTER, "ALL": mq.MQQT_ALL,
    },
    "QTYPE",
)  # fmt: skip
CHANNEL_TYPE_WORDS: Mapping[str, int] = {
    "SDR": mq.MQCHT_SENDER, "SVR": mq.MQCHT_SERVER, "RCVR": mq.MQCHT_RECEIVER, "RQSTR": mq.MQCHT_REQUESTER,
    "CLNTCONN": mq.MQCHT_CLNTCONN, "SVRCONN": mq.MQCHT_SVRCONN, "CLUSSDR": mq.MQCHT_CLUSSDR,
    "CLUSRCVR": mq.MQCHT_CLUSRCVR, "AMQP": mq.MQCHT_AMQP, "ALL": mq.MQCHT_ALL,
}  # fmt: skip
SHOWN_CHANNEL_TYPE = words("TYPE", mq.MQIACH_CHANNEL_TYPE, CHANNEL_TYPE_WORDS, "CHLTYPE")
AUTHINFO_TYPE = words(
    "AUTHTYPE", mq.MQIA_AUTH_INFO_TYPE,
    {
        "ALL": mq.MQAIT_ALL, "CRLLDAP": mq.MQAIT_CRL_LDAP, "OCSP": mq.MQAIT_OCSP, "IDPWOS": mq.MQAIT_IDPW_OS,
        "IDPWLDAP": mq.MQAIT_IDPW_LDAP,
    },
)  # fmt: skip
QUEUE_STATUS_TYPE = words("TYPE", mq.MQIACF_Q_STATUS_TYPE, {"QUEUE": mq.MQIACF_Q_STATUS, "HANDLE": mq.MQIACF_Q_HANDLE})
OPEN_TYPE = words(
    "OPENTYPE", mq.MQIACF_OPEN_TYPE,
    {"ALL": mq.MQQSOT_ALL, "INPUT": mq.MQQSOT_INPUT, "OUTPUT": mq.MQQSOT_OUTPUT},
)  # fmt: skip
CONNECTION_TYPE = words(
    "TYPE", mq.MQIACF_CONN_INFO_TYPE,
    {
        "CONN": mq.MQIACF_CONN_INFO_CONN, "HANDLE": mq.MQIACF_CONN_INFO_HANDLE, "ALL": mq.MQIACF_CONN_INFO_ALL,
        "*": mq.MQIACF_CONN_INFO_ALL,
    },
)  # fmt: skip
EXTCONN = text("EXTCONN", mq.MQBACF_EXTERNAL_UOW_ID)
INSTANCE_TYPE = words(
    "CURRENT", mq.MQIACH_CHANNEL_INSTANCE_TYPE, {"CURRENT": mq.MQOT_CURRENT_CHANNEL, "SAVED": mq.MQOT_SAVED_CHANNEL},
    reason=mq.MQRCCF_CHL_INST_TYPE_ERROR,
)  # fmt: skip
CONNAME = text("CONNAME", mq.MQCACH_CONNECTION_NAME, mq.MQ_CONN_NAME_LENGTH)
XMITQ = text("XMITQ", mq.MQCACH_XMIT_Q_NAME)
QMNAME = text("QMNAME", mq.MQCA_REMOTE_Q_MGR_NAME)
STATUS_TYPE = words(
    "TYPE", mq.MQIACF_Q_MGR_STATUS_INFO_TYPE,
    {"QMGR": mq.MQIACF_Q_MGR_STATUS_INFO_Q_MGR, "NATIVEHA": mq.MQIACF_Q_MGR_STATUS_INFO_NHA},
)  # fmt: skip
REFRESH_TYPE = words("TYPE", mq.MQIACF_REFRESH_TYPE, {"CONFIGEV": mq.MQRT_CONFIGURATION, "PROXYSUB": mq.MQRT_PROXYSUB})
REFRESH_OBJECT = words(
    "OBJECT", mq.MQIACF_OBJECT_TYPE,
    {
        "ALL": mq.MQOT_ALL, "QUEUE": mq.MQOT_Q, "QLOCAL": mq.MQOT_LOCAL_Q, "QMODEL": mq.MQOT_MODEL_Q,
        "QALIAS": mq.MQOT_ALIAS_Q, "QREMOTE": mq.MQOT_REMOTE_Q, "QMGR": mq.MQOT_Q_MGR, "CHANNEL": mq.MQOT_CHANNEL,
        "NAMELIST": mq.MQOT_NAMELIST, "PROCESS": mq.MQOT_PROCESS, "AUTHINFO": mq.MQOT_AUTH_INFO,
        "LISTENER": mq.MQOT_LISTENER, "SERVICE": mq.MQOT_SERVICE, "TOPIC": mq.MQOT_TOPIC,
        "COMMINFO": mq.MQOT_COMM_INFO, "CHLAUTH": mq.MQOT_CHLAUTH, "AUTHREC": mq.MQOT_AUTH_REC,
    },
)  # fmt: skip
REFRESH_NAME = text("NAME", mq.MQCACF_OBJECT_NAME)
INCLINT = number("INCLINT", mq.MQIACF_REFRESH_INTERVAL, 0, 999999)
RESET_TYPE = words(
    "TYPE", mq.MQIACF_ACTION,
    {
        "ADVANCELOG": mq.MQACT_ADVANCE_LOG, "STATISTICS": mq.MQACT_COLLECT_STATISTICS, "PUBSUB": mq.MQACT_PUBSUB,
        "REDUCELOG": mq.MQACT_REDUCE_LOG, "ARCHLOG": mq.MQACT_ARCHIVE_LOG,
    },
)  # fmt: skip
ARCHIVED = text("ARCHIVED", mq.MQCACF_ARCHIVE_LOG_EXTENT_NAME, 24)
REDUCE = number(
    "REDUCE", mq.MQIACF_LOG_REDUCTION, 1, 999, {"AUTO": mq.MQLR_AUTO, "ONE": mq.MQLR_ONE, "MAX": mq.MQLR_MAX}
)
SECURITY_TYPE = words(
    "TYPE", mq.MQIACF_SECURITY_TYPE,
    {
        "AUTHSERV": mq.MQSECTYPE_AUTHSERV, "SSL": mq.MQSECTYPE_SSL, "CLASSES": mq.MQSECTYPE_CLASSES,
        "CONNAUTH": mq.MQSECTYPE_CONNAUTH,
    },
)  # fmt: skip
MOVE_TYPE = words("TYPE", mq.MQIACF_MOVE_TYPE, {"MOVE": mq.MQIACF_MOVE_TYPE_MOVE, "ADD": mq.MQIACF_MOVE_TYPE_ADD})
TOQLOCAL = text("TOQLOCAL", mq.MQCACF_TO_Q_NAME)
DATALEN = number("DATALEN", mq.MQIACH_DATA_COUNT, 16, 32768, reason=mq.MQRCCF_PING_DATA_COUNT_ERROR)
SEQNUM = number("SEQNUM", mq.MQIACH_MSG_SEQUENCE_NUMBER, 1, 999999999, reason=mq.MQRCCF_MSG_SEQ_NUMBER_ERROR)
RESOLVE_ACTION = words(
    "ACTION", mq.MQIACH_IN_DOUBT, {"COMMIT": mq.MQIDO_COMMIT, "BACKOUT": mq.MQIDO_BACKOUT},
    reason=mq.MQRCCF_INDOUBT_VALUE_ERROR,
)  # fmt: skip
INITQ = text("INITQ", mq.MQCA_INITIATION_Q_NAME)
PUBSUB_TYPE = words(
    "TYPE", mq.MQIACF_PS_STATUS_TYPE,
    {"ALL": mq.MQPSST_ALL, "LOCAL": mq.MQPSST_LOCAL, "PARENT": mq.MQPSST_PARENT, "CHILD": mq.MQPSST_CHILD},
)  # fmt: skip
TOPIC_STATUS_TYPE = words(
    "TYPE", mq.MQIACF_TOPIC_STATUS_TYPE,
    {"TOPIC": mq.MQIACF_TOPIC_STATUS, "SUB": mq.MQIACF_TOPIC_SUB, "PUB": mq.MQIACF_TOPIC_PUB},
)  # fmt: skip
CLEAR_TYPE = words("CLRTYPE", mq.MQIACF_CLEAR_TYPE, {"RETAINED": mq.MQCLRT_RETAINED})
CLEAR_SCOPE = words("SCOPE", mq.MQIACF_CLEAR_SCOPE, {"LOCAL": mq.MQCLRS_LOCAL, "GLOBAL": mq.MQCLRS_GLOBAL})
TOPIC_TYPE = words(
    "TYPE", mq.MQIA_TOPIC_TYPE, {"LOCAL": mq.MQTOPT_LOCAL, "CLUSTER": mq.MQTOPT_CLUSTER, "ALL": mq.MQTOPT_ALL}
)
SUB_TYPE = words(
    "SUBTYPE", mq.MQIACF_SUB_TYPE,
    {
        "USER": mq.MQSUBTYPE_USER, "ADMIN": mq.MQSUBTYPE_ADMIN, "API": mq.MQSUBTYPE_API, "PROXY": mq.MQSUBTYPE_PROXY,
        "ALL": mq.MQSUBTYPE_ALL,
    },
)  # fmt: skip
SUB_ID = text("SUBID", mq.MQBACF_SUB_ID)
DURABLE = words(
    "DURABLE", mq.MQIACF_DURABLE_SUBSCRIPTION,
    {"YES": mq.MQSUB_DURABLE_YES, "NO": mq.MQSUB_DURABLE_NO, "ALL": mq.MQSUB_DURABLE_ALL},
)  # fmt: skip
CLUSTER = text("CLUSTER", mq.MQCA_CLUSTER_NAME)
CLUSTER_NAMELIST = text("CLUSNL", mq.MQCA_CLUSTER_NAMELIST)
CLUSTER_ACTION = words("ACTION", mq.MQIACF_ACTION, {"FORCEREMOVE": mq.MQACT_FORCE_REMOVE})
CLUSTER_QMNAME = text("QMNAME", mq.MQCA_CLUSTER_Q_MGR_NAME)
CLUSTER_QMID = text("QMID", mq.MQCA_Q_MGR_IDENTIFIER)
CLUSTER_QUEUES = words(
    "QUEUES", mq.MQIACF_REMOVE_QUEUES, {"NO": mq.MQCFO_REMOVE_QUEUES_NO, "YES": mq.MQCFO_REMOVE_QUEUES_YES}
)
CLUSTER_REPOS = words(
    "REPOS", mq.MQIACF_REFRESH_REPOSITORY,
    {"NO": mq.MQCFO_REFRESH_REPOSITORY_NO, "YES": mq.MQCFO_REFRESH_REPOSITORY_YES},
)  # fmt: skip
# Records of authorities and of channel authentication
AUTHORITY_OBJECT = words("OBJTYPE", mq.MQIACF_OBJECT_TYPE, {**OBJECT_TYPE_WORDS, "ALL": mq.MQOT_ALL})
PROFILE = text("PROFILE", mq.MQCACF_AUTH_PROFILE_NAME, mq.MQ_AUTH_PROFILE_NAME_LENGTH)
OBJNAME = text("OBJNAME", mq.MQCACF_OBJECT_NAME)
PRINCIPALS = texts("PRINCIPAL", mq.MQCACF_PRINCIPAL_ENTITY_NAMES, mq.MQ_ENTITY_NAME_LENGTH, 100)
GROUPS = texts("GROUP", mq.MQCACF_GROUP_ENTITY_NAMES, mq.MQ_ENTITY_NAME_LENGTH, 100)
ENTITY = text("ENTITY", mq.MQCACF_ENTITY_NAME, mq.MQ_ENTITY_NAME_LENGTH)
ENTITY_TYPE = words("ENTTYPE", mq.MQIACF_ENTITY_TYPE, {"PRINCIPAL": mq.MQZAET_PRINCIPAL, "GROUP": mq.MQZAET_GROUP})
_GIVEN = {**GROUP_WORDS, **AUTHORITY_WORDS}
AUTHADD = Attribute("AUTHADD", mq.MQIACF_AUTH_ADD_AUTHS, Kind.ENUM_LIST, (), words=_GIVEN, max_items=30, alone="")
AUTHRMV = Attribute("AUTHRMV", mq.MQIACF_AUTH_REMOVE_AUTHS, Kind.ENUM_LIST, (), words=_GIVEN, max_items=30, alone="")
SERVCOMP = text("SERVCOMP", mq.MQCACF_SERVICE_COMPONENT, 48)
AUTHORITY_MATCH = words(
    "MATCH", mq.MQIACF_AUTH_OPTIONS,
    {
        "PROFILE": mq.MQAUTHOPT_NAME_ALL_MATCHING, "MEMBERSHIP": mq.MQAUTHOPT_ENTITY_SET,
        "MEMBER": mq.MQAUTHOPT_ENTITY_SET, "EXACT": mq.MQAUTHOPT_NAME_EXPLICIT,
    },
)  # fmt: skip
CHLAUTH_ACTION = words(
    "ACTION", mq.MQIACF_ACTION,
    {
        "ADD": mq.MQACT_ADD, "REPLACE": mq.MQACT_REPLACE, "REMOVE": mq.MQACT_REMOVE, "REMOVEALL": mq.MQACT_REMOVEALL,
    },
)  # fmt: skip
CHLAUTH_MATCH = words(
    "MATCH", mq.MQIACH_MATCH,
    {
        "GENERIC": mq.MQMATCH_GENERIC, "RUNCHECK": mq.MQMATCH_RUNCHECK, "EXACT": mq.MQMATCH_EXACT,
        "ALL": mq.MQMATCH_ALL,
    },
)  # fmt: skip


def like(selector: int) -> Attribute:
    return text("LIKE", selector)
