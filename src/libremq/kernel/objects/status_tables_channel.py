"""What DISPLAY CHSTATUS, LSSTATUS, SVSTATUS and CLUSQMGR show. Data only."""

from __future__ import annotations

from libremq.kernel.objects.attribute_rows import choice, choices, number, numbers, text
from libremq.kernel.objects.attribute_tables_channel import AMQP, MESSAGE, SVRCONN
from libremq.mqi import constants as mq

CHSTATUS = (
    text(
        "CHANNEL", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH, "name of the channel",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    choice(
        "CHLTYPE", mq.MQIACH_CHANNEL_TYPE, mq.MQCHT_SENDER,
        {
            "SDR": mq.MQCHT_SENDER,
            "SVR": mq.MQCHT_SERVER,
            "RCVR": mq.MQCHT_RECEIVER,
            "RQSTR": mq.MQCHT_REQUESTER,
            "SVRCONN": mq.MQCHT_SVRCONN,
            "CLUSSDR": mq.MQCHT_CLUSSDR,
            "CLUSRCVR": mq.MQCHT_CLUSRCVR,
            "AMQP": mq.MQCHT_AMQP,
        },
        "type of the channel", types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number("BATCHES", mq.MQIACH_BATCHES, 0, 0, 999999999, "finished batches", types=MESSAGE),
    number("BATCHSZ", mq.MQIACH_BATCH_SIZE, 0, 0, 999999999, "batch size agreed on", types=MESSAGE),
    number(
        "BUFSRCVD", mq.MQIACH_BUFFERS_RCVD, 0, 0, 999999999, "transmissions received",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "BUFSSENT", mq.MQIACH_BUFFERS_SENT, 0, 0, 999999999, "transmissions sent",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "BYTSRCVD", mq.MQIACH_BYTES_RCVD, 0, 0, 999999999, "bytes received",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "BYTSSENT", mq.MQIACH_BYTES_SENT, 0, 0, 999999999, "bytes sent",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "CHSTADA", mq.MQCACH_CHANNEL_START_DATE, mq.MQ_CHANNEL_DATE_LENGTH, "date of the start",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "CHSTATI", mq.MQCACH_CHANNEL_START_TIME, mq.MQ_CHANNEL_TIME_LENGTH, "time of the start",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    choices(
        "COMPHDR", mq.MQIACH_HDR_COMPRESSION, (), {"NONE": mq.MQCOMPRESS_NONE, "SYSTEM": mq.MQCOMPRESS_SYSTEM}, 16,
        "compression of headers: agreed on, and of the last message",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    choices(
        "COMPMSG", mq.MQIACH_MSG_COMPRESSION, (),
        {
            "NONE": mq.MQCOMPRESS_NONE,
            "RLE": mq.MQCOMPRESS_RLE,
            "ZLIBFAST": mq.MQCOMPRESS_ZLIBFAST,
            "ZLIBHIGH": mq.MQCOMPRESS_ZLIBHIGH,
            "LZ4FAST": mq.MQCOMPRESS_LZ4FAST,
            "LZ4HIGH": mq.MQCOMPRESS_LZ4HIGH,
            "SYSTEM": mq.MQCOMPRESS_SYSTEM,
        },
        16, "compression of message data: agreed on, and of the last message",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    numbers(
        "COMPRATE", mq.MQIACH_COMPRESSION_RATE, 2, "percent saved by compression: lately, and on the whole",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    numbers(
        "COMPTIME", mq.MQIACH_COMPRESSION_TIME, 2, "microseconds for compression a message: lately, and on the whole",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "CONNAME", mq.MQCACH_CONNECTION_NAME, mq.MQ_CONN_NAME_LENGTH, "address of the partner",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text("CURLUWID", mq.MQCACH_CURRENT_LUWID, mq.MQ_LUWID_LENGTH, "identifier of the batch under way", types=MESSAGE),
    number("CURMSGS", mq.MQIACH_CURRENT_MSGS, 0, 0, 999999999, "messages in the batch under way", types=MESSAGE),
    choice(
        "CURRENT", mq.MQIACH_CHANNEL_INSTANCE_TYPE, mq.MQOT_CURRENT_CHANNEL,
        {"CURRENT": mq.MQOT_CURRENT_CHANNEL, "SAVED": mq.MQOT_SAVED_CHANNEL, "SHORT": mq.MQOT_SHORT_CHANNEL},
        "which instance: running, or saved of the last run",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "CURSEQNO", mq.MQIACH_CURRENT_SEQ_NUMBER, 0, 0, 999999999, "message sequence number of the last message",
        types=MESSAGE,
    ),
    numbers(
        "EXITTIME", mq.MQIACH_EXIT_TIME_INDICATOR, 2, "microseconds in exits a message: lately, and on the whole",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "HBINT", mq.MQIACH_HB_INTERVAL, 0, 0, 999999999, "heartbeat interval agreed on",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    choice(
        "INDOUBT", mq.MQIACH_INDOUBT_STATUS, mq.MQCHIDS_NOT_INDOUBT,
        {"NO": mq.MQCHIDS_NOT_INDOUBT, "YES": mq.MQCHIDS_INDOUBT},
        "whether the sender waits for the answer to a batch", types=MESSAGE,
    ),
    text(
        "JOBNAME", mq.MQCACH_MCA_JOB_NAME, mq.MQ_MCA_JOB_NAME_LENGTH, "process, in hexadecimal digits",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "LOCLADDR", mq.MQCACH_LOCAL_ADDRESS, mq.MQ_LOCAL_ADDRESS_LENGTH, "own address and port",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "LONGRTS", mq.MQIACH_LONG_RETRIES_LEFT, 0, 0, 999999999, "slow attempts left", types=("SDR", "SVR", "CLUSSDR"),
    ),
    text("LSTLUWID", mq.MQCACH_LAST_LUWID, mq.MQ_LUWID_LENGTH, "identifier of the last finished batch", types=MESSAGE),
    text(
        "LSTMSGDA", mq.MQCACH_LAST_MSG_DATE, mq.MQ_CHANNEL_DATE_LENGTH, "date of the last message or call",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "LSTMSGTI", mq.MQCACH_LAST_MSG_TIME, mq.MQ_CHANNEL_TIME_LENGTH, "time of the last message or call",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "LSTSEQNO", mq.MQIACH_LAST_SEQ_NUMBER, 0, 0, 999999999, "message sequence number of the last finished batch",
        types=MESSAGE,
    ),
    choice(
        "MCASTAT", mq.MQIACH_MCA_STATUS, mq.MQMCAS_RUNNING,
        {"RUNNING": mq.MQMCAS_RUNNING, "NOT RUNNING": mq.MQMCAS_STOPPED}, "whether the channel runs",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "MCAUSER", mq.MQCACH_MCA_USER_ID, mq.MQ_MCA_USER_ID_LENGTH, "user that the channel works as",
        types=("RCVR", "RQSTR", "SVRCONN", "CLUSRCVR"),
    ),
    choice(
        "MONCHL", mq.MQIA_MONITORING_CHANNEL, mq.MQMON_OFF,
        {"OFF": mq.MQMON_OFF, "LOW": mq.MQMON_LOW, "MEDIUM": mq.MQMON_MEDIUM, "HIGH": mq.MQMON_HIGH},
        "online monitoring in force", types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "MSGS", mq.MQIACH_MSGS, 0, 0, 999999999, "messages, or calls of a client",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    numbers(
        "NETTIME", mq.MQIACH_NETWORK_TIME_INDICATOR, 2,
        "microseconds on the network and back: lately, and on the whole", types=("SDR", "SVR", "CLUSSDR"),
    ),
    choice(
        "NPMSPEED", mq.MQIACH_NPM_SPEED, mq.MQNPMS_NORMAL, {"NORMAL": mq.MQNPMS_NORMAL, "FAST": mq.MQNPMS_FAST},
        "whether nonpersistent messages travel outside the batch", types=MESSAGE,
    ),
    text(
        "RAPPLTAG", mq.MQCACH_REMOTE_APPL_TAG, mq.MQ_APPL_TAG_LENGTH, "name of the application at the other end",
        types=SVRCONN,
    ),
    text(
        "RQMNAME", mq.MQCA_REMOTE_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH, "queue manager at the other end", types=MESSAGE,
    ),
    number(
        "SHORTRTS", mq.MQIACH_SHORT_RETRIES_LEFT, 0, 0, 999999999, "quick attempts left",
        types=("SDR", "SVR", "CLUSSDR"),
    ),
    choice(
        "SECPROT", mq.MQIACH_SECURITY_PROTOCOL, mq.MQSECPROT_NONE,
        {
            "NONE": mq.MQSECPROT_NONE,
            "SSLV3": mq.MQSECPROT_SSLV30,
            "TLSV1": mq.MQSECPROT_TLSV10,
            "TLSV12": mq.MQSECPROT_TLSV12,
            "TLSV13": mq.MQSECPROT_TLSV13,
        },
        "version of TLS", types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "SSLCERTI", mq.MQCACH_SSL_CERT_ISSUER_NAME, mq.MQ_SHORT_DNAME_LENGTH, "issuer of the partner's certificate",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "SSLCIPH", mq.MQCACH_SSL_CIPHER_SPEC, mq.MQ_SSL_CIPHER_SPEC_LENGTH, "CipherSpec in use",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "SSLKEYDA", mq.MQCACH_SSL_KEY_RESET_DATE, mq.MQ_DATE_LENGTH, "date of the last new key",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "SSLKEYTI", mq.MQCACH_SSL_KEY_RESET_TIME, mq.MQ_TIME_LENGTH, "time of the last new key",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "SSLPEER", mq.MQCACH_SSL_SHORT_PEER_NAME, mq.MQ_SSL_SHORT_PEER_NAME_LENGTH,
        "distinguished name of the partner's certificate",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number(
        "SSLRKEYS", mq.MQIACH_SSL_KEY_RESETS, 0, 0, 999999999, "new keys since the start",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    choice(
        "STATUS", mq.MQIACH_CHANNEL_STATUS, mq.MQCHS_BINDING,
        {
            "BINDING": mq.MQCHS_BINDING,
            "STARTING": mq.MQCHS_STARTING,
            "RUNNING": mq.MQCHS_RUNNING,
            "STOPPING": mq.MQCHS_STOPPING,
            "RETRYING": mq.MQCHS_RETRYING,
            "STOPPED": mq.MQCHS_STOPPED,
            "REQUESTING": mq.MQCHS_REQUESTING,
            "PAUSED": mq.MQCHS_PAUSED,
            "INITIALIZING": mq.MQCHS_INITIALIZING,
            "SWITCHING": mq.MQCHS_SWITCHING,
            "INACTIVE": mq.MQCHS_INACTIVE,
            "DISCONNECTED": mq.MQCHS_DISCONNECTED,
        },
        "state", types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    choice(
        "STOPREQ", mq.MQIACH_STOP_REQUESTED, mq.MQCHSR_STOP_NOT_REQUESTED,
        {"NO": mq.MQCHSR_STOP_NOT_REQUESTED, "YES": mq.MQCHSR_STOP_REQUESTED}, "whether the user asked it to stop",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    choice(
        "SUBSTATE", mq.MQIACH_CHANNEL_SUBSTATE, mq.MQCHSSTATE_IN_CHADEXIT,
        {
            "CHADEXIT": mq.MQCHSSTATE_IN_CHADEXIT,
            "COMPRESS": mq.MQCHSSTATE_COMPRESSING,
            "ENDBATCH": mq.MQCHSSTATE_END_OF_BATCH,
            "HEARTBEAT": mq.MQCHSSTATE_HEARTBEATING,
            "MQGET": mq.MQCHSSTATE_IN_MQGET,
            "MQICALL": mq.MQCHSSTATE_IN_MQI_CALL,
            "MQPUT": mq.MQCHSSTATE_IN_MQPUT,
            "MREXIT": mq.MQCHSSTATE_IN_MREXIT,
            "MSGEXIT": mq.MQCHSSTATE_IN_MSGEXIT,
            "NAMESERVER": mq.MQCHSSTATE_NAME_SERVER,
            "NETCONNECT": mq.MQCHSSTATE_NET_CONNECTING,
            "OTHER": mq.MQCHSSTATE_OTHER,
            "RCVEXIT": mq.MQCHSSTATE_IN_RCVEXIT,
            "RECEIVE": mq.MQCHSSTATE_RECEIVING,
            "RESYNCH": mq.MQCHSSTATE_RESYNCHING,
            "SCYEXIT": mq.MQCHSSTATE_IN_SCYEXIT,
            "SEND": mq.MQCHSSTATE_SENDING,
            "SENDEXIT": mq.MQCHSSTATE_IN_SENDEXIT,
            "SERIALIZE": mq.MQCHSSTATE_SERIALIZING,
            "SSLHANDSHK": mq.MQCHSSTATE_SSL_HANDSHAKING,
        },
        "what it does now", types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    number("CURSHCNV", mq.MQIACH_CURRENT_SHARING_CONVS, 0, 0, 999999999, "conversations on the socket", types=SVRCONN),
    number(
        "MAXSHCNV", mq.MQIACH_MAX_SHARING_CONVS, 0, 0, 999999999, "most conversations on the socket, as agreed on",
        types=SVRCONN,
    ),
    text(
        "RVERSION", mq.MQCACH_REMOTE_VERSION, mq.MQ_REMOTE_VERSION_LENGTH, "its version",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    text(
        "RPRODUCT", mq.MQCACH_REMOTE_PRODUCT, mq.MQ_REMOTE_PRODUCT_LENGTH, "product at the other end",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
    ),
    numbers(
        "XBATCHSZ", mq.MQIACH_BATCH_SIZE_INDICATOR, 2, "messages a batch: lately, and on the whole",
        types=("SDR", "SVR", "CLUSSDR"),
    ),
    text("XMITQ", mq.MQCACH_XMIT_Q_NAME, mq.MQ_Q_NAME_LENGTH, "transmission queue", types=("SDR", "SVR", "CLUSSDR")),
    number(
        "XQMSGSA", mq.MQIACH_XMITQ_MSGS_AVAILABLE, 0, 0, 999999999, "messages waiting on the transmission queue",
        types=("SDR", "SVR", "CLUSSDR"),
    ),
    numbers(
        "XQTIME", mq.MQIACH_XMITQ_TIME_INDICATOR, 2,
        "microseconds on the transmission queue: lately, and on the whole", types=("SDR", "SVR", "CLUSSDR"),
    ),
    number("AMQPKA", mq.MQIACH_AMQP_KEEP_ALIVE, 0, 0, 999999999, "keep-alive interval", types=AMQP),
    number("PORT", mq.MQIACH_PORT, 0, 0, 999999999, "port", types=AMQP),
    text(
        "TPROOT", mq.MQCACH_TOPIC_ROOT, mq.MQ_TOPIC_STR_LENGTH, "topic below which the clients' topics are", types=AMQP,
    ),
    choice(
        "USECLTID", mq.MQIACH_USE_CLIENT_ID, mq.MQUCI_NO, {"NO": mq.MQUCI_NO, "YES": mq.MQUCI_YES},
        "whether the client identifier is the user", types=AMQP,
    ),
)  # fmt: skip

SAVED = frozenset(
    {
        "CHANNEL",
        "CHLTYPE",
        "CONNAME",
        "CURLUWID",
        "CURMSGS",
        "CURRENT",
        "CURSEQNO",
        "INDOUBT",
        "LSTLUWID",
        "LSTSEQNO",
        "RQMNAME",
        "STATUS",
        "XMITQ",
    }
)  # fmt: skip
"""The fields that are kept when a channel does not run."""

MONITOR = frozenset({"COMPRATE", "COMPTIME", "EXITTIME", "MONCHL", "NETTIME", "XBATCHSZ", "XQMSGSA", "XQTIME"})
"""What the word MONITOR asks for."""

LSSTATUS = (
    text("LISTENER", mq.MQCACH_LISTENER_NAME, mq.MQ_LISTENER_NAME_LENGTH, "name of the listener"),
    choice(
        "STATUS", mq.MQIACH_LISTENER_STATUS, mq.MQSVC_STATUS_STARTING,
        {
            "STARTING": mq.MQSVC_STATUS_STARTING,
            "RUNNING": mq.MQSVC_STATUS_RUNNING,
            "STOPPING": mq.MQSVC_STATUS_STOPPING,
        },
        "state",
    ),
    number("PID", mq.MQIACF_PROCESS_ID, 0, 0, 999999999, "process"),
    text("STARTDA", mq.MQCACH_LISTENER_START_DATE, mq.MQ_DATE_LENGTH, "date of the start"),
    text("STARTTI", mq.MQCACH_LISTENER_START_TIME, mq.MQ_TIME_LENGTH, "time of the start"),
    text("DESCR", mq.MQCACH_LISTENER_DESC, mq.MQ_LISTENER_DESC_LENGTH, "free description"),
    choice(
        "TRPTYPE", mq.MQIACH_XMIT_PROTOCOL_TYPE, mq.MQXPT_TCP,
        {"TCP": mq.MQXPT_TCP, "LU62": mq.MQXPT_LU62, "NETBIOS": mq.MQXPT_NETBIOS, "SPX": mq.MQXPT_SPX}, "transport",
    ),
    choice(
        "CONTROL", mq.MQIACH_LISTENER_CONTROL, mq.MQSVC_CONTROL_MANUAL,
        {"MANUAL": mq.MQSVC_CONTROL_MANUAL, "QMGR": mq.MQSVC_CONTROL_Q_MGR, "STARTONLY": mq.MQSVC_CONTROL_Q_MGR_START},
        "who starts and ends it",
    ),
    text("IPADDR", mq.MQCACH_IP_ADDRESS, mq.MQ_IP_ADDRESS_LENGTH, "address; * is all"),
    number("PORT", mq.MQIACH_PORT, 0, 0, 999999999, "port"),
    number("BACKLOG", mq.MQIACH_BACKLOG, 0, 0, 999999999, "connections that may wait"),
)  # fmt: skip

SVSTATUS = (
    text("SERVICE", mq.MQCA_SERVICE_NAME, mq.MQ_OBJECT_NAME_LENGTH, "name of the service"),
    choice(
        "STATUS", mq.MQIACF_SERVICE_STATUS, mq.MQSVC_STATUS_STARTING,
        {
            "STARTING": mq.MQSVC_STATUS_STARTING,
            "RUNNING": mq.MQSVC_STATUS_RUNNING,
            "STOPPING": mq.MQSVC_STATUS_STOPPING,
        },
        "state",
    ),
    number("PID", mq.MQIACF_PROCESS_ID, 0, 0, 999999999, "process"),
    choice(
        "SERVTYPE", mq.MQIA_SERVICE_TYPE, mq.MQSVC_TYPE_COMMAND,
        {"COMMAND": mq.MQSVC_TYPE_COMMAND, "SERVER": mq.MQSVC_TYPE_SERVER}, "kind of service",
    ),
    choice(
        "CONTROL", mq.MQIA_SERVICE_CONTROL, mq.MQSVC_CONTROL_MANUAL,
        {"MANUAL": mq.MQSVC_CONTROL_MANUAL, "QMGR": mq.MQSVC_CONTROL_Q_MGR, "STARTONLY": mq.MQSVC_CONTROL_Q_MGR_START},
        "who starts and ends it",
    ),
    text("STARTCMD", mq.MQCA_SERVICE_START_COMMAND, mq.MQ_SERVICE_COMMAND_LENGTH, "program that was started"),
    text("STARTARG", mq.MQCA_SERVICE_START_ARGS, mq.MQ_SERVICE_ARGS_LENGTH, "its arguments"),
    text("STOPCMD", mq.MQCA_SERVICE_STOP_COMMAND, mq.MQ_SERVICE_COMMAND_LENGTH, "program that ends it"),
    text("STOPARG", mq.MQCA_SERVICE_STOP_ARGS, mq.MQ_SERVICE_ARGS_LENGTH, "its arguments"),
    text("DESCR", mq.MQCA_SERVICE_DESC, mq.MQ_SERVICE_DESC_LENGTH, "free description"),
    text("STARTDA", mq.MQCACF_SERVICE_START_DATE, mq.MQ_DATE_LENGTH, "date of the start"),
    text("STARTTI", mq.MQCACF_SERVICE_START_TIME, mq.MQ_TIME_LENGTH, "time of the start"),
    text("STDOUT", mq.MQCA_STDOUT_DESTINATION, mq.MQ_SERVICE_PATH_LENGTH, "file for output"),
    text("STDERR", mq.MQCA_STDERR_DESTINATION, mq.MQ_SERVICE_PATH_LENGTH, "file for errors"),
)  # fmt: skip

CLUSQMGR = (
    text("CLUSQMGR", mq.MQCA_CLUSTER_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH, "name of the queue manager"),
    text("CHANNEL", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH, "name of the channel"),
    text("CLUSTER", mq.MQCA_CLUSTER_NAME, mq.MQ_CLUSTER_NAME_LENGTH, "cluster"),
    text("CLUSDATE", mq.MQCA_CLUSTER_DATE, mq.MQ_DATE_LENGTH, "date when it became known"),
    text("CLUSTIME", mq.MQCA_CLUSTER_TIME, mq.MQ_TIME_LENGTH, "time when it became known"),
    choice(
        "DEFTYPE", mq.MQIACF_Q_MGR_DEFINITION_TYPE, mq.MQQMDT_EXPLICIT_CLUSTER_SENDER,
        {
            "CLUSSDR": mq.MQQMDT_EXPLICIT_CLUSTER_SENDER,
            "CLUSSDRA": mq.MQQMDT_AUTO_CLUSTER_SENDER,
            "CLUSSDRB": mq.MQQMDT_AUTO_EXP_CLUSTER_SENDER,
            "CLUSRCVR": mq.MQQMDT_CLUSTER_RECEIVER,
        },
        "how its channel was defined",
    ),
    text("QMID", mq.MQCA_Q_MGR_IDENTIFIER, mq.MQ_Q_MGR_IDENTIFIER_LENGTH, "identifier of the queue manager"),
    choice(
        "QMTYPE", mq.MQIACF_Q_MGR_TYPE, mq.MQQMT_NORMAL, {"NORMAL": mq.MQQMT_NORMAL, "REPOS": mq.MQQMT_REPOSITORY},
        "whether it holds a full repository",
    ),
    choice(
        "STATUS", mq.MQIACH_CHANNEL_STATUS, mq.MQCHS_BINDING,
        {
            "BINDING": mq.MQCHS_BINDING,
            "STARTING": mq.MQCHS_STARTING,
            "RUNNING": mq.MQCHS_RUNNING,
            "STOPPING": mq.MQCHS_STOPPING,
            "RETRYING": mq.MQCHS_RETRYING,
            "STOPPED": mq.MQCHS_STOPPED,
            "REQUESTING": mq.MQCHS_REQUESTING,
            "PAUSED": mq.MQCHS_PAUSED,
            "INITIALIZING": mq.MQCHS_INITIALIZING,
            "SWITCHING": mq.MQCHS_SWITCHING,
            "INACTIVE": mq.MQCHS_INACTIVE,
            "DISCONNECTED": mq.MQCHS_DISCONNECTED,
        },
        "state",
    ),
    choice(
        "SUSPEND", mq.MQIACF_SUSPEND, mq.MQSUS_NO, {"NO": mq.MQSUS_NO, "YES": mq.MQSUS_YES},
        "whether it is suspended from the cluster",
    ),
    text("VERSION", mq.MQCA_VERSION, mq.MQ_VERSION_LENGTH, "version of its product"),
    text("XMITQ", mq.MQCA_XMIT_Q_NAME, mq.MQ_Q_NAME_LENGTH, "transmission queue"),
)  # fmt: skip
