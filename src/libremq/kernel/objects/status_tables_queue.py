"""What DISPLAY QSTATUS and DISPLAY CONN show, each for the thing itself and for its handles. Data only."""

from __future__ import annotations

from libremq.kernel.objects.attribute_rows import NO_SELECTOR, choice, choices, number, numbers, octets, text
from libremq.mqi import constants as mq

_CONNECT_OPTIONS = {
    name: getattr(mq, name)
    for name in (
        "MQCNO_STANDARD_BINDING",
        "MQCNO_FASTPATH_BINDING",
        "MQCNO_HANDLE_SHARE_NONE",
        "MQCNO_HANDLE_SHARE_BLOCK",
        "MQCNO_HANDLE_SHARE_NO_BLOCK",
        "MQCNO_SHARED_BINDING",
        "MQCNO_ISOLATED_BINDING",
        "MQCNO_LOCAL_BINDING",
        "MQCNO_CLIENT_BINDING",
        "MQCNO_ACCOUNTING_MQI_ENABLED",
        "MQCNO_ACCOUNTING_MQI_DISABLED",
        "MQCNO_ACCOUNTING_Q_ENABLED",
        "MQCNO_ACCOUNTING_Q_DISABLED",
        "MQCNO_NO_CONV_SHARING",
        "MQCNO_ALL_CONVS_SHARE",
        "MQCNO_CD_FOR_OUTPUT_ONLY",
        "MQCNO_USE_CD_SELECTION",
        "MQCNO_GENERATE_CONN_TAG",
        "MQCNO_RECONNECT_AS_DEF",
        "MQCNO_RECONNECT",
        "MQCNO_RECONNECT_DISABLED",
        "MQCNO_RECONNECT_Q_MGR",
        "MQCNO_ACTIVITY_TRACE_ENABLED",
        "MQCNO_ACTIVITY_TRACE_DISABLED",
    )
}
_OPEN_OPTIONS = {
    name: getattr(mq, name)
    for name in (
        "MQOO_INPUT_AS_Q_DEF",
        "MQOO_INPUT_SHARED",
        "MQOO_INPUT_EXCLUSIVE",
        "MQOO_BROWSE",
        "MQOO_OUTPUT",
        "MQOO_INQUIRE",
        "MQOO_SET",
        "MQOO_SAVE_ALL_CONTEXT",
        "MQOO_PASS_IDENTITY_CONTEXT",
        "MQOO_PASS_ALL_CONTEXT",
        "MQOO_SET_IDENTITY_CONTEXT",
        "MQOO_SET_ALL_CONTEXT",
        "MQOO_ALTERNATE_USER_AUTHORITY",
        "MQOO_FAIL_IF_QUIESCING",
        "MQOO_BIND_ON_OPEN",
        "MQOO_BIND_NOT_FIXED",
        "MQOO_BIND_ON_GROUP",
        "MQOO_RESOLVE_NAMES",
        "MQOO_CO_OP",
        "MQOO_RESOLVE_LOCAL_Q",
        "MQOO_NO_READ_AHEAD",
        "MQOO_READ_AHEAD",
        "MQOO_NO_MULTICAST",
    )
}

QSTATUS = (
    text("QUEUE", mq.MQCA_Q_NAME, mq.MQ_Q_NAME_LENGTH, "name of the queue"),
    choice(
        "TYPE", mq.MQIACF_Q_STATUS_TYPE, mq.MQIACF_Q_STATUS,
        {"QUEUE": mq.MQIACF_Q_STATUS, "HANDLE": mq.MQIACF_Q_HANDLE}, "kind of status",
    ),
    number("CURDEPTH", mq.MQIA_CURRENT_Q_DEPTH, 0, 0, 999999999, "messages on the queue, uncommitted ones among them"),
    number(
        "CURFSIZE", mq.MQIACF_CUR_Q_FILE_SIZE, 0, 0, 999999999, "size of the queue's files in megabytes, rounded up",
    ),
    number("CURMAXFS", mq.MQIACF_CUR_MAX_FILE_SIZE, 0, 0, 999999999, "megabytes that the files may grow to"),
    number("IPPROCS", mq.MQIA_OPEN_INPUT_COUNT, 0, 0, 999999999, "handles that get"),
    text("LGETDATE", mq.MQCACF_LAST_GET_DATE, mq.MQ_DATE_LENGTH, "date of the last get"),
    text("LGETTIME", mq.MQCACF_LAST_GET_TIME, mq.MQ_TIME_LENGTH, "time of the last get"),
    text("LPUTDATE", mq.MQCACF_LAST_PUT_DATE, mq.MQ_DATE_LENGTH, "date of the last put"),
    text("LPUTTIME", mq.MQCACF_LAST_PUT_TIME, mq.MQ_TIME_LENGTH, "time of the last put"),
    text(
        "MEDIALOG", mq.MQCACF_MEDIA_LOG_EXTENT_NAME, mq.MQ_LOG_EXTENT_NAME_LENGTH,
        "oldest extent that media recovery needs; blank with a circular log",
    ),
    choice(
        "MONQ", mq.MQIA_MONITORING_Q, mq.MQMON_OFF,
        {"OFF": mq.MQMON_OFF, "LOW": mq.MQMON_LOW, "MEDIUM": mq.MQMON_MEDIUM, "HIGH": mq.MQMON_HIGH},
        "online monitoring in force",
    ),
    number("MSGAGE", mq.MQIACF_OLDEST_MSG_AGE, 0, 0, 999999999, "age of the oldest message in seconds"),
    number("OPPROCS", mq.MQIA_OPEN_OUTPUT_COUNT, 0, 0, 999999999, "handles that put"),
    numbers("QTIME", mq.MQIACF_Q_TIME_INDICATOR, 2, "microseconds that messages stay: lately, and on the whole"),
    choice(
        "UNCOM", mq.MQIACF_UNCOMMITTED_MSGS, mq.MQQSUM_NO, {"NO": mq.MQQSUM_NO, "YES": mq.MQQSUM_YES},
        "whether there are uncommitted messages",
    ),
)  # fmt: skip

QSTATUS_HANDLE = (
    text("QUEUE", mq.MQCA_Q_NAME, mq.MQ_Q_NAME_LENGTH, "name of the queue"),
    choice("TYPE", mq.MQIACF_Q_STATUS_TYPE, mq.MQIACF_Q_HANDLE, {"HANDLE": mq.MQIACF_Q_HANDLE}, "kind of status"),
    text("APPLDESC", mq.MQCACF_APPL_DESC, mq.MQ_APPL_DESC_LENGTH, "what the application is"),
    text("APPLTAG", mq.MQCACF_APPL_TAG, mq.MQ_APPL_TAG_LENGTH, "name of the application"),
    choice(
        "APPLTYPE", mq.MQIA_APPL_TYPE, mq.MQAT_QMGR,
        {
            "QMGR": mq.MQAT_QMGR,
            "CHINIT": mq.MQAT_CHANNEL_INITIATOR,
            "USER": mq.MQAT_USER,
            "SYSTEM": mq.MQAT_SYSTEM_EXTENSION,
            "BATCH": mq.MQAT_BATCH,
            "RRSBATCH": mq.MQAT_RRS_BATCH,
            "CICS": mq.MQAT_CICS,
            "IMS": mq.MQAT_IMS,
        },
        "kind of application",
    ),
    choice("BROWSE", mq.MQIACF_OPEN_BROWSE, mq.MQQSO_NO, {"NO": mq.MQQSO_NO, "YES": mq.MQQSO_YES}, "open to browse"),
    text("CHANNEL", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH, "name of the channel"),
    text("CONNAME", mq.MQCACH_CONNECTION_NAME, mq.MQ_CONN_NAME_LENGTH, "address of the partner"),
    choice(
        "ASTATE", mq.MQIACF_ASYNC_STATE, mq.MQAS_NONE,
        {
            "NONE": mq.MQAS_NONE,
            "STARTED": mq.MQAS_STARTED,
            "STARTWAIT": mq.MQAS_START_WAIT,
            "STOPPED": mq.MQAS_STOPPED,
            "SUSPENDED": mq.MQAS_SUSPENDED,
            "SUSPTEMP": mq.MQAS_SUSPENDED_TEMPORARY,
            "ACTIVE": mq.MQAS_ACTIVE,
            "INACTIVE": mq.MQAS_INACTIVE,
        },
        "state of asynchronous consumption",
    ),
    choice(
        "HSTATE", mq.MQIACF_HANDLE_STATE, mq.MQHSTATE_ACTIVE,
        {"ACTIVE": mq.MQHSTATE_ACTIVE, "INACTIVE": mq.MQHSTATE_INACTIVE}, "ACTIVE while a call uses the handle",
    ),
    choice(
        "INPUT", mq.MQIACF_OPEN_INPUT_TYPE, mq.MQQSO_NO,
        {"NO": mq.MQQSO_NO, "SHARED": mq.MQQSO_SHARED, "EXCL": mq.MQQSO_EXCLUSIVE}, "open to get, and how",
    ),
    choice("INQUIRE", mq.MQIACF_OPEN_INQUIRE, mq.MQQSO_NO, {"NO": mq.MQQSO_NO, "YES": mq.MQQSO_YES}, "open to inquire"),
    choice("OUTPUT", mq.MQIACF_OPEN_OUTPUT, mq.MQQSO_NO, {"NO": mq.MQQSO_NO, "YES": mq.MQQSO_YES}, "open to put"),
    number("PID", mq.MQIACF_PROCESS_ID, 0, 0, 999999999, "process"),
    octets("QMURID", mq.MQBACF_Q_MGR_UOW_ID, mq.MQ_UOW_ID_LENGTH, "unit of work in the queue manager"),
    choice("SET", mq.MQIACF_OPEN_SET, mq.MQQSO_NO, {"NO": mq.MQQSO_NO, "YES": mq.MQQSO_YES}, "open to set"),
    number("TID", mq.MQIACF_THREAD_ID, 0, 0, 999999999, "thread; 0 is any"),
    octets("URID", mq.MQBACF_EXTERNAL_UOW_ID, mq.MQ_UOW_ID_LENGTH, "unit of work of the transaction manager"),
    choice(
        "URTYPE", mq.MQIACF_UOW_TYPE, mq.MQUOWT_Q_MGR,
        {
            "QMGR": mq.MQUOWT_Q_MGR,
            "CICS": mq.MQUOWT_CICS,
            "IMS": mq.MQUOWT_IMS,
            "RRS": mq.MQUOWT_RRS,
            "XA": mq.MQUOWT_XA,
        },
        "who coordinates the unit of work",
    ),
    text("USERID", mq.MQCACF_USER_IDENTIFIER, mq.MQ_MAX_USER_ID_LENGTH, "user"),
)  # fmt: skip

CONN = (
    octets(
        "CONN", mq.MQBACF_CONNECTION_ID, mq.MQ_CONNECTION_ID_LENGTH, "identifier of the connection: its last 8 bytes",
    ),
    text("EXTCONN", NO_SELECTOR, 32, "first 16 bytes of the identifier, which tell the queue manager"),
    choice(
        "TYPE", mq.MQIACF_CONN_INFO_TYPE, mq.MQIACF_CONN_INFO_CONN,
        {"CONN": mq.MQIACF_CONN_INFO_CONN, "HANDLE": mq.MQIACF_CONN_INFO_HANDLE}, "kind of status",
    ),
    number("PID", mq.MQIACF_PROCESS_ID, 0, 0, 999999999, "process"),
    number("TID", mq.MQIACF_THREAD_ID, 0, 0, 999999999, "thread; 0 is any"),
    text("APPLDESC", mq.MQCACF_APPL_DESC, mq.MQ_APPL_DESC_LENGTH, "what the application is"),
    text("APPLTAG", mq.MQCACF_APPL_TAG, mq.MQ_APPL_TAG_LENGTH, "name of the application"),
    choice(
        "APPLTYPE", mq.MQIA_APPL_TYPE, mq.MQAT_QMGR,
        {
            "QMGR": mq.MQAT_QMGR,
            "CHINIT": mq.MQAT_CHANNEL_INITIATOR,
            "USER": mq.MQAT_USER,
            "SYSTEM": mq.MQAT_SYSTEM_EXTENSION,
            "BATCH": mq.MQAT_BATCH,
            "RRSBATCH": mq.MQAT_RRS_BATCH,
            "CICS": mq.MQAT_CICS,
            "IMS": mq.MQAT_IMS,
        },
        "kind of application",
    ),
    choice(
        "ASTATE", mq.MQIACF_ASYNC_STATE, mq.MQAS_NONE,
        {
            "NONE": mq.MQAS_NONE,
            "STARTED": mq.MQAS_STARTED,
            "STARTWAIT": mq.MQAS_START_WAIT,
            "STOPPED": mq.MQAS_STOPPED,
            "SUSPENDED": mq.MQAS_SUSPENDED,
            "SUSPTEMP": mq.MQAS_SUSPENDED_TEMPORARY,
            "ACTIVE": mq.MQAS_ACTIVE,
            "INACTIVE": mq.MQAS_INACTIVE,
        },
        "state of asynchronous consumption",
    ),
    text("CHANNEL", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH, "name of the channel"),
    text("CLIENTID", mq.MQCACF_AMQP_CLIENT_ID, mq.MQ_AMQP_CLIENT_ID_LENGTH, "client identifier of an AMQP client"),
    text("CONNAME", mq.MQCACH_CONNECTION_NAME, mq.MQ_CONN_NAME_LENGTH, "address of the partner"),
    choices("CONNOPTS", mq.MQIACF_CONNECT_OPTIONS, (), _CONNECT_OPTIONS, 32, "options of the connect"),
    text("USERID", mq.MQCACF_USER_IDENTIFIER, mq.MQ_MAX_USER_ID_LENGTH, "user"),
    text("UOWLOG", mq.MQCACF_UOW_LOG_EXTENT_NAME, mq.MQ_LOG_EXTENT_NAME_LENGTH, "extent where the unit of work begins"),
    text("UOWSTDA", mq.MQCACF_UOW_START_DATE, mq.MQ_DATE_LENGTH, "date of its first operation"),
    text("UOWSTTI", mq.MQCACF_UOW_START_TIME, mq.MQ_TIME_LENGTH, "time of its first operation"),
    text("UOWLOGDA", mq.MQCACF_UOW_LOG_START_DATE, mq.MQ_DATE_LENGTH, "date of its first log record"),
    text("UOWLOGTI", mq.MQCACF_UOW_LOG_START_TIME, mq.MQ_TIME_LENGTH, "time of its first log record"),
    choice(
        "URTYPE", mq.MQIACF_UOW_TYPE, mq.MQUOWT_Q_MGR,
        {
            "QMGR": mq.MQUOWT_Q_MGR,
            "CICS": mq.MQUOWT_CICS,
            "IMS": mq.MQUOWT_IMS,
            "RRS": mq.MQUOWT_RRS,
            "XA": mq.MQUOWT_XA,
        },
        "who coordinates the unit of work",
    ),
    octets("EXTURID", mq.MQBACF_EXTERNAL_UOW_ID, mq.MQ_UOW_ID_LENGTH, "unit of work of the transaction manager"),
    octets("QMURID", mq.MQBACF_Q_MGR_UOW_ID, mq.MQ_UOW_ID_LENGTH, "unit of work in the queue manager"),
    choice(
        "UOWSTATE", mq.MQIACF_UOW_STATE, mq.MQUOWST_NONE,
        {
            "NONE": mq.MQUOWST_NONE,
            "ACTIVE": mq.MQUOWST_ACTIVE,
            "PREPARED": mq.MQUOWST_PREPARED,
            "UNRESOLVED": mq.MQUOWST_UNRESOLVED,
        },
        "state of the unit of work",
    ),
    octets("CONNTAG", mq.MQBACF_CONN_TAG, mq.MQ_CONN_TAG_LENGTH, "tag of the connection"),
)  # fmt: skip

CONN_HANDLE = (
    octets(
        "CONN", mq.MQBACF_CONNECTION_ID, mq.MQ_CONNECTION_ID_LENGTH, "identifier of the connection: its last 8 bytes",
    ),
    text("EXTCONN", NO_SELECTOR, 32, "first 16 bytes of the identifier, which tell the queue manager"),
    choice(
        "TYPE", mq.MQIACF_CONN_INFO_TYPE, mq.MQIACF_CONN_INFO_HANDLE,
        {"CONN": mq.MQIACF_CONN_INFO_CONN, "HANDLE": mq.MQIACF_CONN_INFO_HANDLE}, "kind of status",
    ),
    choice(
        "ASTATE", mq.MQIACF_ASYNC_STATE, mq.MQAS_NONE,
        {
            "NONE": mq.MQAS_NONE,
            "STARTED": mq.MQAS_STARTED,
            "STARTWAIT": mq.MQAS_START_WAIT,
            "STOPPED": mq.MQAS_STOPPED,
            "SUSPENDED": mq.MQAS_SUSPENDED,
            "SUSPTEMP": mq.MQAS_SUSPENDED_TEMPORARY,
            "ACTIVE": mq.MQAS_ACTIVE,
            "INACTIVE": mq.MQAS_INACTIVE,
        },
        "state of asynchronous consumption",
    ),
    text("OBJNAME", mq.MQCACF_OBJECT_NAME, mq.MQ_OBJECT_NAME_LENGTH, "name of the object"),
    choice(
        "OBJTYPE", mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q,
        {
            "QUEUE": mq.MQOT_Q,
            "QMGR": mq.MQOT_Q_MGR,
            "PROCESS": mq.MQOT_PROCESS,
            "NAMELIST": mq.MQOT_NAMELIST,
            "TOPIC": mq.MQOT_TOPIC,
            "CHANNEL": mq.MQOT_CHANNEL,
            "AUTHINFO": mq.MQOT_AUTH_INFO,
            "STGCLASS": mq.MQOT_STORAGE_CLASS,
        },
        "type of the object",
    ),
    choices("OPENOPTS", mq.MQIACF_OPEN_OPTIONS, (), _OPEN_OPTIONS, 32, "options of the open"),
    choice(
        "HSTATE", mq.MQIACF_HANDLE_STATE, mq.MQHSTATE_ACTIVE,
        {"ACTIVE": mq.MQHSTATE_ACTIVE, "INACTIVE": mq.MQHSTATE_INACTIVE}, "ACTIVE while a call uses the handle",
    ),
    choice(
        "READA", mq.MQIA_READ_AHEAD, mq.MQREADA_NO,
        {"NO": mq.MQREADA_NO, "YES": mq.MQREADA_YES, "INHIBITED": mq.MQREADA_INHIBITED, "BACKLOG": mq.MQREADA_BACKLOG},
        "read ahead in force",
    ),
    text("DEST", mq.MQCACF_DESTINATION, mq.MQ_OBJECT_NAME_LENGTH, "queue that publications go to"),
    text("DESTQMGR", mq.MQCACF_DESTINATION_Q_MGR, mq.MQ_Q_MGR_NAME_LENGTH, "its queue manager"),
    octets("SUBID", mq.MQBACF_SUB_ID, mq.MQ_CORREL_ID_LENGTH, "identifier of the subscription"),
    text("SUBNAME", mq.MQCACF_SUB_NAME, mq.MQ_SUB_NAME_LENGTH, "name of the subscription"),
    text("TOPICSTR", mq.MQCA_TOPIC_STRING, mq.MQ_TOPIC_STR_LENGTH, "topic string"),
)  # fmt: skip

QSTATS = (
    text("QUEUE", mq.MQCA_Q_NAME, mq.MQ_Q_NAME_LENGTH, "name of the queue"),
    number("RESETINT", mq.MQIA_TIME_SINCE_RESET, 0, 0, 999999999, "seconds since the counts began"),
    number("HIQDEPTH", mq.MQIA_HIGH_Q_DEPTH, 0, 0, 999999999, "most messages on it since then"),
    number("MSGSIN", mq.MQIA_MSG_ENQ_COUNT, 0, 0, 999999999, "messages put since then"),
    number("MSGSOUT", mq.MQIA_MSG_DEQ_COUNT, 0, 0, 999999999, "messages got since then"),
)  # fmt: skip
