"""What DISPLAY QMSTATUS, APSTATUS, ENTAUTH and AUTHSERV show. Data only.

The fields of Native HA are left out: there is none here.
"""

from __future__ import annotations

from libremq.kernel.objects.attribute_rows import choice, choices, number, octets, text
from libremq.mqi import constants as mq
from libremq.security.authorities import AUTHORITY_WORDS, OBJECT_TYPE_WORDS

QMSTATUS = (
    text("QMNAME", mq.MQCA_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH, "name of the queue manager"),
    choice(
        "TYPE", mq.MQIACF_Q_MGR_STATUS_INFO_TYPE, mq.MQIACF_Q_MGR_STATUS_INFO_Q_MGR,
        {"QMGR": mq.MQIACF_Q_MGR_STATUS_INFO_Q_MGR, "NATIVEHA": mq.MQIACF_Q_MGR_STATUS_INFO_NHA}, "kind of status",
    ),
    choice(
        "STATUS", mq.MQIACF_Q_MGR_STATUS, mq.MQQMSTA_STARTING,
        {
            "STARTING": mq.MQQMSTA_STARTING,
            "RUNNING": mq.MQQMSTA_RUNNING,
            "QUIESCING": mq.MQQMSTA_QUIESCING,
            "STANDBY": mq.MQQMSTA_STANDBY,
        },
        "state",
    ),
    text(
        "ARCHLOG", mq.MQCACF_ARCHIVE_LOG_EXTENT_NAME, mq.MQ_LOG_EXTENT_NAME_LENGTH,
        "oldest extent that waits to be archived",
    ),
    number("ARCHSZ", mq.MQIACF_ARCHIVE_LOG_SIZE, 0, 0, 999999999, "megabytes that wait to be archived"),
    choice(
        "AUTOCLUS", mq.MQIACF_AUTO_CLUSTER_TYPE, mq.MQAUTOCLUS_TYPE_NONE,
        {"NONE": mq.MQAUTOCLUS_TYPE_NONE, "UNIFORM": mq.MQAUTOCLUS_TYPE_UNIFORM}, "kind of automatic cluster",
    ),
    choice(
        "CHINIT", mq.MQIACF_CHINIT_STATUS, mq.MQSVC_STATUS_STOPPED,
        {
            "STOPPED": mq.MQSVC_STATUS_STOPPED,
            "STARTING": mq.MQSVC_STATUS_STARTING,
            "RUNNING": mq.MQSVC_STATUS_RUNNING,
            "STOPPING": mq.MQSVC_STATUS_STOPPING,
        },
        "state of the channel initiator",
    ),
    number("CHKPTCNT", mq.MQIACF_CHECKPOINT_COUNT, 0, 0, 999999999, "checkpoints since the start"),
    number("CHKPTOPS", mq.MQIACF_CHECKPOINT_OPERATIONS, 0, 0, 999999999, "operations since the last checkpoint"),
    number("CHKPTSZ", mq.MQIACF_CHECKPOINT_SIZE, 0, 0, 999999999, "megabytes of log since the last checkpoint"),
    choice(
        "CMDSERV", mq.MQIACF_CMD_SERVER_STATUS, mq.MQSVC_STATUS_STOPPED,
        {
            "STOPPED": mq.MQSVC_STATUS_STOPPED,
            "STARTING": mq.MQSVC_STATUS_STARTING,
            "RUNNING": mq.MQSVC_STATUS_RUNNING,
            "STOPPING": mq.MQSVC_STATUS_STOPPING,
        },
        "state of the command server",
    ),
    number("CONNS", mq.MQIACF_CONNECTION_COUNT, 0, 0, 999999999, "connections"),
    text(
        "CURRLOG", mq.MQCACF_CURRENT_LOG_EXTENT_NAME, mq.MQ_LOG_EXTENT_NAME_LENGTH,
        "extent that is written now; blank with a circular log",
    ),
    number(
        "DATFSSZ", mq.MQIACF_DATA_FS_SIZE, 0, 0, 999999999, "size of the file system of the data in megabytes",
        words={"SHARED": mq.MQFS_SHARED},
    ),
    number(
        "DATFSUSE", mq.MQIACF_DATA_FS_IN_USE, 0, 0, 999999999, "percent of it in use", words={"SHARED": mq.MQFS_SHARED},
    ),
    text("DATPATH", mq.MQCACF_Q_MGR_DATA_PATH, mq.MQ_Q_MGR_DATA_PATH_LENGTH, "folder of the data"),
    text("DISKLSN", mq.MQCACF_DISK_WRITTEN_LSN, mq.MQ_LSN_LENGTH, "last log position on disk"),
    text("HOSTNAME", mq.MQCACF_HOST_NAME, mq.MQ_HOST_NAME_LENGTH, "host"),
    text("INSTDESC", mq.MQCA_INSTALLATION_DESC, mq.MQ_INSTALLATION_DESC_LENGTH, "description of the installation"),
    text("INSTNAME", mq.MQCA_INSTALLATION_NAME, mq.MQ_INSTALLATION_NAME_LENGTH, "name of the installation"),
    text("INSTPATH", mq.MQCA_INSTALLATION_PATH, mq.MQ_INSTALLATION_PATH_LENGTH, "folder of the installation"),
    choice(
        "LDAPCONN", mq.MQIACF_LDAP_CONNECTION_STATUS, mq.MQLDAPC_INACTIVE,
        {"INACTIVE": mq.MQLDAPC_INACTIVE, "CONNECTED": mq.MQLDAPC_CONNECTED, "ERROR": mq.MQLDAPC_ERROR},
        "connection to the LDAP server",
    ),
    number("LOGEXTSZ", mq.MQIACF_LOG_EXTENT_SIZE, 0, 0, 999999999, "size of an extent in kilobytes"),
    number(
        "LOGFSSZ", mq.MQIACF_LOG_FS_SIZE, 0, 0, 999999999, "size of the file system of the log in megabytes",
        words={"SHARED": mq.MQFS_SHARED},
    ),
    number(
        "LOGFSUSE", mq.MQIACF_LOG_FS_IN_USE, 0, 0, 999999999, "percent of it in use", words={"SHARED": mq.MQFS_SHARED},
    ),
    number("LOGINUSE", mq.MQIACF_LOG_IN_USE, 0, 0, 999999999, "percent of the primary log that restart needs"),
    text("LOGPATH", mq.MQCACF_LOG_PATH, mq.MQ_LOG_PATH_LENGTH, "folder of the log"),
    number("LOGPRIM", mq.MQIACF_LOG_PRIMARIES, 0, 0, 999999999, "primary extents"),
    number("LOGSEC", mq.MQIACF_LOG_SECONDARIES, 0, 0, 999999999, "secondary extents"),
    text("LOGSTRDA", mq.MQCACF_LOG_START_DATE, mq.MQ_DATE_LENGTH, "date of the oldest record that restart needs"),
    text("LOGSTRL", mq.MQCACF_LOG_START_LSN, mq.MQ_LSN_LENGTH, "log position of that record"),
    text("LOGSTRTI", mq.MQCACF_LOG_START_TIME, mq.MQ_TIME_LENGTH, "time of that record"),
    choice(
        "LOGTYPE", mq.MQIACF_LOG_TYPE, mq.MQLOGTYPE_CIRCULAR,
        {"CIRCULAR": mq.MQLOGTYPE_CIRCULAR, "LINEAR": mq.MQLOGTYPE_LINEAR, "REPLICATED": mq.MQLOGTYPE_REPLICATED},
        "kind of log",
    ),
    number("LOGUTIL", mq.MQIACF_LOG_UTILIZATION, 0, 0, 999999999, "how far the primary log suffices, in percent"),
    text(
        "MEDIALOG", mq.MQCACF_MEDIA_LOG_EXTENT_NAME, mq.MQ_LOG_EXTENT_NAME_LENGTH,
        "oldest extent that media recovery needs; blank with a circular log",
    ),
    number("MEDIASZ", mq.MQIACF_MEDIA_LOG_SIZE, 0, 0, 999999999, "megabytes of log that media recovery needs"),
    choice(
        "QMFSENC", mq.MQIACF_Q_MGR_FS_ENCRYPTED, mq.MQFSENC_NO,
        {"NO": mq.MQFSENC_NO, "YES": mq.MQFSENC_YES, "UNKNOWN": mq.MQFSENC_UNKNOWN},
        "whether the file system is encrypted",
    ),
    number(
        "QMFSSZ", mq.MQIACF_Q_MGR_FS_SIZE, 0, 0, 999999999, "size of the file system of the queue manager in megabytes",
    ),
    number("QMFSUSE", mq.MQIACF_Q_MGR_FS_IN_USE, 0, 0, 999999999, "percent of it in use"),
    text("RECLOG", mq.MQCACF_RESTART_LOG_EXTENT_NAME, mq.MQ_LOG_EXTENT_NAME_LENGTH, "oldest extent that restart needs"),
    number("RECSZ", mq.MQIACF_RESTART_LOG_SIZE, 0, 0, 999999999, "megabytes of log that restart needs"),
    number("REUSESZ", mq.MQIACF_REUSABLE_LOG_SIZE, 0, 0, 999999999, "megabytes of extents to be used again"),
    choice(
        "STANDBY", mq.MQIACF_PERMIT_STANDBY, mq.MQSTDBY_NOT_PERMITTED,
        {"NOPERMIT": mq.MQSTDBY_NOT_PERMITTED, "PERMIT": mq.MQSTDBY_PERMITTED}, "whether a standby instance may run",
    ),
    text("STARTDA", mq.MQCACF_Q_MGR_START_DATE, mq.MQ_DATE_LENGTH, "date of the start"),
    text("STARTTI", mq.MQCACF_Q_MGR_START_TIME, mq.MQ_TIME_LENGTH, "time of the start"),
    text("UNICLUS", mq.MQCACF_UNIFORM_CLUSTER_NAME, mq.MQ_CLUSTER_NAME_LENGTH, "uniform cluster"),
)  # fmt: skip

APSTATUS = (
    text("APPLNAME", mq.MQCACF_APPL_NAME, mq.MQ_APPL_NAME_LENGTH, "name of the application"),
    choice(
        "TYPE", mq.MQIACF_APPL_INFO_TYPE, mq.MQIACF_APPL_INFO_APPL,
        {"APPL": mq.MQIACF_APPL_INFO_APPL, "QMGR": mq.MQIACF_APPL_INFO_QMGR, "LOCAL": mq.MQIACF_APPL_INFO_LOCAL},
        "kind of status",
    ),
    choice(
        "BALANCED", mq.MQIACF_BALANCED, mq.MQBALANCED_NO,
        {
            "NO": mq.MQBALANCED_NO,
            "YES": mq.MQBALANCED_YES,
            "NOTAPPLIC": mq.MQBALANCED_NOT_APPLICABLE,
            "UNKNOWN": mq.MQBALANCED_UNKNOWN,
        },
        "whether the application is spread evenly",
    ),
    text("CLUSTER", mq.MQCA_CLUSTER_NAME, mq.MQ_CLUSTER_NAME_LENGTH, "cluster"),
    number("COUNT", mq.MQIACF_APPL_COUNT, 0, 0, 999999999, "instances"),
    number("MOVCOUNT", mq.MQIACF_MOVABLE_APPL_COUNT, 0, 0, 999999999, "instances that can move"),
)  # fmt: skip

APSTATUS_QMGR = (
    text("APPLNAME", mq.MQCACF_APPL_NAME, mq.MQ_APPL_NAME_LENGTH, "name of the application"),
    choice(
        "ACTIVE", mq.MQIACF_REMOTE_QMGR_ACTIVE, mq.MQACTIVE_NO, {"NO": mq.MQACTIVE_NO, "YES": mq.MQACTIVE_YES},
        "whether the queue manager is there",
    ),
    choice(
        "BALSTATE", mq.MQIACF_BALSTATE, mq.MQBALSTATE_NOT_APPLICABLE,
        {
            "NOTAPPLIC": mq.MQBALSTATE_NOT_APPLICABLE,
            "LOW": mq.MQBALSTATE_LOW,
            "OK": mq.MQBALSTATE_OK,
            "HIGH": mq.MQBALSTATE_HIGH,
            "UNKNOWN": mq.MQBALSTATE_UNKNOWN,
        },
        "share of the instances",
    ),
    number("COUNT", mq.MQIACF_APPL_COUNT, 0, 0, 999999999, "instances"),
    text("LMSGDATE", mq.MQCACF_LAST_MSG_DATE, mq.MQ_DATE_LENGTH, "date of the last message"),
    text("LMSGTIME", mq.MQCACF_LAST_MSG_TIME, mq.MQ_TIME_LENGTH, "time of the last message"),
    number("MOVCOUNT", mq.MQIACF_MOVABLE_APPL_COUNT, 0, 0, 999999999, "instances that can move"),
    text("QMID", mq.MQCA_Q_MGR_IDENTIFIER, mq.MQ_Q_MGR_IDENTIFIER_LENGTH, "identifier of the queue manager"),
    text("QMNAME", mq.MQCA_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH, "name of the queue manager"),
)  # fmt: skip

APSTATUS_LOCAL = (
    text("APPLNAME", mq.MQCACF_APPL_NAME, mq.MQ_APPL_NAME_LENGTH, "name of the application"),
    octets("CONNTAG", mq.MQBACF_CONN_TAG, mq.MQ_CONN_TAG_LENGTH, "tag of the connection"),
    number("CONNS", mq.MQIACF_CONNECTION_COUNT, 0, 0, 999999999, "connections"),
    choice(
        "BALTYPE", mq.MQIACF_BALANCING_TYPE, mq.MQBNO_BALTYPE_SIMPLE,
        {
            "SIMPLE": mq.MQBNO_BALTYPE_SIMPLE,
            "REQREP": mq.MQBNO_BALTYPE_REQREP,
            "RAMANAGED": mq.MQBNO_BALTYPE_RA_MANAGED,
        },
        "how the application balances",
    ),
    choice(
        "BALOPTS", mq.MQIACF_BALANCING_OPTIONS, mq.MQBNO_OPTIONS_NONE,
        {"NONE": mq.MQBNO_OPTIONS_NONE, "IGNTRANS": mq.MQBNO_OPTIONS_IGNORE_TRANS}, "options of balancing",
    ),
    number(
        "BALTMOUT", mq.MQIACF_BALANCING_TIMEOUT, 0, 0, 999999999, "seconds until it is moved in any case",
        words={
            "NEVER": mq.MQBNO_TIMEOUT_NEVER,
            "DEFAULT": mq.MQBNO_TIMEOUT_AS_DEFAULT,
            "IMMED": mq.MQBNO_TIMEOUT_IMMEDIATE,
        },
    ),
    number("IMMCOUNT", mq.MQIACF_APPL_IMMOVABLE_COUNT, 0, 0, 999999999, "how often it could not be moved"),
    text("IMMDATE", mq.MQCACF_APPL_IMMOVABLE_DATE, mq.MQ_DATE_LENGTH, "date until which it cannot be moved"),
    text("IMMTIME", mq.MQCACF_APPL_IMMOVABLE_TIME, mq.MQ_TIME_LENGTH, "time until which it cannot be moved"),
    choice(
        "IMMREASN", mq.MQIACF_APPL_IMMOVABLE_REASON, mq.MQIMMREASON_NONE,
        {
            "NONE": mq.MQIMMREASON_NONE,
            "NOTCLIENT": mq.MQIMMREASON_NOT_CLIENT,
            "NOTRECONN": mq.MQIMMREASON_NOT_RECONNECTABLE,
            "MOVING": mq.MQIMMREASON_MOVING,
            "APPNAMECHG": mq.MQIMMREASON_APPLNAME_CHANGED,
            "INTRANS": mq.MQIMMREASON_IN_TRANSACTION,
            "REPLY": mq.MQIMMREASON_AWAITS_REPLY,
            "NOREDIRECT": mq.MQIMMREASON_NO_REDIRECT,
        },
        "why it cannot be moved",
    ),
    choice(
        "MOVABLE", mq.MQIACF_APPL_MOVABLE, mq.MQAPPL_IMMOVABLE, {"NO": mq.MQAPPL_IMMOVABLE, "YES": mq.MQAPPL_MOVABLE},
        "whether it can be moved",
    ),
)  # fmt: skip

ENTAUTH = (
    text("ENTITY", mq.MQCACF_ENTITY_NAME, mq.MQ_ENTITY_NAME_LENGTH, "user or group"),
    choice(
        "ENTTYPE", mq.MQIACF_ENTITY_TYPE, mq.MQZAET_PRINCIPAL,
        {"PRINCIPAL": mq.MQZAET_PRINCIPAL, "GROUP": mq.MQZAET_GROUP}, "which of the two",
    ),
    choices(
        "AUTHLIST", mq.MQIACF_AUTHORIZATION_LIST, (), AUTHORITY_WORDS, 32, "authorities, in the order of the words",
    ),
    choice("OBJTYPE", mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q, OBJECT_TYPE_WORDS, "type of the object"),
    text("OBJNAME", mq.MQCACF_OBJECT_NAME, mq.MQ_OBJECT_NAME_LENGTH, "name of the object"),
)  # fmt: skip

AUTHSERV = (
    number("IFVER", mq.MQIACF_INTERFACE_VERSION, 0, 0, 999999999, "version of the authorization interface"),
    choice(
        "UIDSUPP", mq.MQIACF_USER_ID_SUPPORT, mq.MQUIDSUPP_NO, {"NO": mq.MQUIDSUPP_NO, "YES": mq.MQUIDSUPP_YES},
        "whether authorities are for users, not only for groups",
    ),
)  # fmt: skip
