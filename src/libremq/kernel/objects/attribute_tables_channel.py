"""The attributes of channels: one row each, for every type of channel it applies to.

Data only, in the order DISPLAY uses. A type of channel is a word in `CHANNEL_TYPES` and in the row of CHLTYPE, the
types in the rows that not all channels have, and a class in `channel_definitions.py`: nothing else knows how many there
are. No application can open these objects, so MQINQ knows none of the attributes.
"""

from __future__ import annotations

from libremq.kernel.objects.attribute_rows import ALTDATE, ALTTIME, choice, choices, identity, name, number, text, texts
from libremq.kernel.objects.attributes import Attribute, Effect, Source
from libremq.mqi import constants as mq

CHANNEL_TYPES = ("SDR", "SVR", "RCVR", "RQSTR", "CLNTCONN", "SVRCONN", "CLUSSDR", "CLUSRCVR", "AMQP")

SENDERS = ("SDR", "SVR", "CLUSSDR", "CLUSRCVR")
RECEIVERS = ("RCVR", "RQSTR", "CLUSRCVR")
MESSAGE = ("SDR", "SVR", "RCVR", "RQSTR", "CLUSSDR", "CLUSRCVR")
CLUSTER = ("CLUSSDR", "CLUSRCVR")
CLNTCONN = ("CLNTCONN",)
SVRCONN = ("SVRCONN",)
AMQP = ("AMQP",)
MQI_AND_MESSAGE = ("SDR", "SVR", "RCVR", "RQSTR", "CLNTCONN", "SVRCONN", "CLUSSDR", "CLUSRCVR")
CALLERS = ("SDR", "SVR", "RQSTR", "CLNTCONN", "CLUSSDR", "CLUSRCVR")

_EXITS_MAX = 8  # in one list

CHANNEL_ATTRIBUTES: tuple[Attribute, ...] = (
    identity("CHANNEL", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH, "name of the channel"),
    choice(
        "CHLTYPE", mq.MQIACH_CHANNEL_TYPE, mq.MQCHT_SVRCONN,
        {
            "SDR": mq.MQCHT_SENDER,
            "SVR": mq.MQCHT_SERVER,
            "RCVR": mq.MQCHT_RECEIVER,
            "RQSTR": mq.MQCHT_REQUESTER,
            "CLNTCONN": mq.MQCHT_CLNTCONN,
            "SVRCONN": mq.MQCHT_SVRCONN,
            "CLUSSDR": mq.MQCHT_CLUSSDR,
            "CLUSRCVR": mq.MQCHT_CLUSRCVR,
            "AMQP": mq.MQCHT_AMQP,
        },
        "type of the channel; DEFINE CHANNEL needs it", source=Source.FIXED,
        value_reason=mq.MQRCCF_CHANNEL_TYPE_ERROR,
    ),
    choice(
        "AFFINITY", mq.MQIACH_CONNECTION_AFFINITY, mq.MQCAFTY_PREFERRED,
        {"PREFERRED": mq.MQCAFTY_PREFERRED, "NONE": mq.MQCAFTY_NONE},
        "whether a client that connects again keeps to the channel that it used first", types=CLNTCONN,
        effect=Effect.NOT_YET,
    ),
    ALTDATE,
    ALTTIME,
    number(
        "BATCHHB", mq.MQIACH_BATCH_HB, 0, 0, 999999,
        "milliseconds without an answer after which the partner is asked for before a batch ends; 0 is never",
        types=SENDERS,
    ),
    number(
        "BATCHINT", mq.MQIACH_BATCH_INTERVAL, 0, 0, 999999999,
        "milliseconds that a batch waits for more messages; 0 ends it when the transmission queue is empty",
        types=SENDERS, value_reason=mq.MQRCCF_BATCH_INT_ERROR,
    ),
    number(
        "BATCHLIM", mq.MQIACH_BATCH_DATA_LIMIT, 5000, 0, 999999, "kilobytes after which a batch ends; 0 is no limit",
        types=SENDERS,
    ),
    number(
        "BATCHSZ", mq.MQIACH_BATCH_SIZE, 50, 1, 9999,
        "most messages in a batch; the smaller value of both ends counts", types=MESSAGE,
        value_reason=mq.MQRCCF_BATCH_SIZE_ERROR,
    ),
    text(
        "CERTLABL", mq.MQCA_CERT_LABEL, mq.MQ_CERT_LABEL_LENGTH,
        "label of the certificate; blank is the one of the queue manager",
        types=("SDR", "SVR", "RCVR", "RQSTR", "CLNTCONN", "SVRCONN", "CLUSRCVR", "AMQP"),
    ),
    number(
        "CLNTWGHT", mq.MQIACH_CLIENT_CHANNEL_WEIGHT, 0, 0, 99,
        "share of the connections that a client table gives to the channel; 0 takes them in order of name",
        types=CLNTCONN,
        effect=Effect.NOT_YET,
    ),
    name(
        "CLUSNL", mq.MQCA_CLUSTER_NAMELIST, mq.MQ_NAMELIST_NAME_LENGTH,
        "namelist of the clusters that the channel belongs to", types=CLUSTER,
        effect=Effect.NOT_YET,
    ),
    name(
        "CLUSTER", mq.MQCA_CLUSTER_NAME, mq.MQ_CLUSTER_NAME_LENGTH, "cluster that the channel belongs to",
        types=CLUSTER,
        effect=Effect.NOT_YET,
    ),
    number(
        "CLWLPRTY", mq.MQIACH_CLWL_CHANNEL_PRIORITY, 0, 0, 9,
        "priority in the choice of a cluster channel, 9 is highest", types=CLUSTER,
        effect=Effect.NOT_YET,
    ),
    number(
        "CLWLRANK", mq.MQIACH_CLWL_CHANNEL_RANK, 0, 0, 9,
        "rank in the choice of a cluster channel, before its state is looked at", types=CLUSTER,
        effect=Effect.NOT_YET,
    ),
    number(
        "CLWLWGHT", mq.MQIACH_CLWL_CHANNEL_WEIGHT, 50, 1, 99,
        "share of the messages of a cluster that take the channel", types=CLUSTER,
        effect=Effect.NOT_YET,
    ),
    choices(
        "COMPHDR", mq.MQIACH_HDR_COMPRESSION, (mq.MQCOMPRESS_NONE,),
        {"NONE": mq.MQCOMPRESS_NONE, "SYSTEM": mq.MQCOMPRESS_SYSTEM}, 2, "compression of headers, best first",
        types=MQI_AND_MESSAGE, alone="", idle_types=SVRCONN,
    ),
    choices(
        "COMPMSG", mq.MQIACH_MSG_COMPRESSION, (mq.MQCOMPRESS_NONE,),
        {
            "NONE": mq.MQCOMPRESS_NONE,
            "RLE": mq.MQCOMPRESS_RLE,
            "ZLIBFAST": mq.MQCOMPRESS_ZLIBFAST,
            "ZLIBHIGH": mq.MQCOMPRESS_ZLIBHIGH,
            "LZ4FAST": mq.MQCOMPRESS_LZ4FAST,
            "LZ4HIGH": mq.MQCOMPRESS_LZ4HIGH,
            "ANY": mq.MQCOMPRESS_ANY,
        },
        16, "compression of message data, best first", types=MQI_AND_MESSAGE, alone="ANY",
        idle_types=SVRCONN,
    ),
    text(
        "CONNAME", mq.MQCACH_CONNECTION_NAME, mq.MQ_CONN_NAME_LENGTH,
        "address of the partner: host(port), several with commas", types=CALLERS,
        value_reason=mq.MQRCCF_CONN_NAME_ERROR,
    ),
    choice(
        "CONVERT", mq.MQIACH_DATA_CONVERSION, mq.MQCDC_NO_SENDER_CONVERSION,
        {"NO": mq.MQCDC_NO_SENDER_CONVERSION, "YES": mq.MQCDC_SENDER_CONVERSION},
        "whether the sending end converts message data for the partner", types=SENDERS,
        value_reason=mq.MQRCCF_DATA_CONV_VALUE_ERROR,
    ),
    choice(
        "DEFRECON", mq.MQIACH_DEF_RECONNECT, mq.MQRCN_NO,
        {"NO": mq.MQRCN_NO, "YES": mq.MQRCN_YES, "QMGR": mq.MQRCN_Q_MGR, "DISABLED": mq.MQRCN_DISABLED},
        "whether clients connect again by themselves if their program does not say", types=CLNTCONN,
        effect=Effect.NOT_YET,
    ),
    text("DESCR", mq.MQCACH_DESC, mq.MQ_CHANNEL_DESC_LENGTH, "free description", effect=Effect.FOR_OTHERS),
    number(
        "AMQPKA", mq.MQIACH_AMQP_KEEP_ALIVE, mq.MQKAI_AUTO, 0, 99999,
        "milliseconds between keep-alive frames; AUTO takes the interval of the client",
        words={"AUTO": mq.MQKAI_AUTO}, types=AMQP,
        effect=Effect.NOT_YET,
    ),
    number(
        "DISCINT", mq.MQIACH_DISC_INTERVAL, 6000, 0, 999999,
        "seconds without a message (of a client: without a call) after which the channel ends; 0 is never",
        types=("SDR", "SVR", "SVRCONN", "CLUSSDR", "CLUSRCVR"), value_reason=mq.MQRCCF_DISC_INT_ERROR,
        default_by_type={"SVRCONN": 0},
    ),
    number(
        "HBINT", mq.MQIACH_HB_INTERVAL, 300, 0, 999999,
        "seconds between heartbeats; the larger value of both ends counts, 0 at both ends is none",
        types=MQI_AND_MESSAGE, value_reason=mq.MQRCCF_HB_INTERVAL_ERROR,
    ),
    number(
        "KAINT", mq.MQIACH_KEEP_ALIVE_INTERVAL, mq.MQKAI_AUTO, 0, 99999,
        "seconds between TCP keep-alive packets; AUTO follows HBINT, 0 is none", words={"AUTO": mq.MQKAI_AUTO},
        types=MQI_AND_MESSAGE, value_reason=mq.MQRCCF_KEEP_ALIVE_INT_ERROR,
    ),
    text(
        "LOCLADDR", mq.MQCACH_LOCAL_ADDRESS, mq.MQ_LOCAL_ADDRESS_LENGTH,
        "own address and ports to connect from: address(low,high)",
        types=("SDR", "SVR", "RQSTR", "CLNTCONN", "CLUSSDR", "CLUSRCVR", "AMQP"),
    ),
    number(
        "LONGRTY", mq.MQIACH_LONG_RETRY, 999999999, 0, 999999999, "attempts to connect after those of SHORTRTY",
        types=SENDERS, value_reason=mq.MQRCCF_LONG_RETRY_ERROR,
    ),
    number(
        "LONGTMR", mq.MQIACH_LONG_TIMER, 1200, 0, 999999999, "seconds between these attempts", types=SENDERS,
        value_reason=mq.MQRCCF_LONG_TIMER_ERROR,
    ),
    number(
        "MAXINST", mq.MQIACH_MAX_INSTANCES, 999999999, 0, 999999999,
        "most instances of the channel at a time; 0 refuses all", types=("SVRCONN", "AMQP"),
        value_reason=mq.MQRCCF_MAX_INSTANCES_ERROR,
    ),
    number(
        "MAXINSTC", mq.MQIACH_MAX_INSTS_PER_CLIENT, 999999999, 0, 999999999,
        "most instances from one client address at a time; 0 refuses all", types=SVRCONN,
        value_reason=mq.MQRCCF_MAX_INSTS_PER_CLNT_ERR,
    ),
    number(
        "MAXMSGL", mq.MQIACH_MAX_MSG_LENGTH, 4194304, 0, 104857600,
        "longest message in bytes; 0 is the MAXMSGL of the queue manager",
        value_reason=mq.MQRCCF_MAX_MSG_LENGTH_ERROR,
    ),
    text(
        "MCANAME", mq.MQCACH_MCA_NAME, mq.MQ_MCA_NAME_LENGTH, "kept for old definitions; only blank",
        types=("SDR", "SVR", "RQSTR", "CLUSSDR", "CLUSRCVR"), value_reason=mq.MQRCCF_MCA_NAME_ERROR,
        effect=Effect.FOR_OTHERS,
    ),
    choice(
        "MCATYPE", mq.MQIACH_MCA_TYPE, mq.MQMCAT_PROCESS, {"PROCESS": mq.MQMCAT_PROCESS, "THREAD": mq.MQMCAT_THREAD},
        "whether the channel runs as a process or as a thread", types=("SDR", "SVR", "RQSTR", "CLUSSDR", "CLUSRCVR"),
        value_reason=mq.MQRCCF_MCA_TYPE_ERROR,
        default_by_type={"CLUSSDR": mq.MQMCAT_THREAD, "CLUSRCVR": mq.MQMCAT_THREAD},
        effect=Effect.NOT_YET,
    ),
    text(
        "MCAUSER", mq.MQCACH_MCA_USER_ID, mq.MQ_MCA_USER_ID_LENGTH,
        "user that the channel works as; blank is the one that a client asserts, or the queue manager itself",
        types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR", "AMQP"), idle_types=("SDR", "SVR"),
    ),
    text(
        "MODENAME", mq.MQCACH_MODE_NAME, mq.MQ_MODE_NAME_LENGTH, "LU 6.2 mode; without meaning over TCP", types=CALLERS,
        effect=Effect.NOT_YET,
    ),
    choice(
        "MONCHL", mq.MQIA_MONITORING_CHANNEL, mq.MQMON_Q_MGR,
        {
            "QMGR": mq.MQMON_Q_MGR,
            "OFF": mq.MQMON_OFF,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        "online monitoring of the channel", types=("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR"),
        idle_types=SVRCONN,
    ),
    text(
        "MRDATA", mq.MQCACH_MR_EXIT_USER_DATA, mq.MQ_EXIT_DATA_LENGTH, "data for the message-retry exit",
        types=RECEIVERS,
    ),
    text(
        "MREXIT", mq.MQCACH_MR_EXIT_NAME, mq.MQ_EXIT_NAME_LENGTH, "message-retry exit: library(function)",
        types=RECEIVERS, value_reason=mq.MQRCCF_MR_EXIT_NAME_ERROR,
    ),
    number(
        "MRRTY", mq.MQIACH_MR_COUNT, 10, 0, 999999999,
        "attempts to put a message that cannot be put before it goes to the dead-letter queue", types=RECEIVERS,
        value_reason=mq.MQRCCF_MR_COUNT_ERROR,
    ),
    number(
        "MRTMR", mq.MQIACH_MR_INTERVAL, 1000, 0, 999999999, "milliseconds between these attempts", types=RECEIVERS,
        value_reason=mq.MQRCCF_MR_INTERVAL_ERROR,
    ),
    texts(
        "MSGDATA", mq.MQCACH_MSG_EXIT_USER_DATA, mq.MQ_EXIT_DATA_LENGTH, _EXITS_MAX, "data for the message exits",
        types=MESSAGE,
    ),
    texts(
        "MSGEXIT", mq.MQCACH_MSG_EXIT_NAME, mq.MQ_EXIT_NAME_LENGTH, _EXITS_MAX, "message exits: library(function)",
        types=MESSAGE, value_reason=mq.MQRCCF_MSG_EXIT_NAME_ERROR,
    ),
    number(
        "NETPRTY", mq.MQIACH_NETWORK_PRIORITY, 0, 0, 9,
        "priority of this network connection, of several that a cluster queue manager offers", types=("CLUSRCVR",),
        value_reason=mq.MQRCCF_NET_PRIORITY_ERROR,
        effect=Effect.NOT_YET,
    ),
    choice(
        "NPMSPEED", mq.MQIACH_NPM_SPEED, mq.MQNPMS_FAST, {"FAST": mq.MQNPMS_FAST, "NORMAL": mq.MQNPMS_NORMAL},
        "FAST lets nonpersistent messages travel outside the batch: sooner, and lost if the channel breaks",
        types=MESSAGE, value_reason=mq.MQRCCF_NPM_SPEED_ERROR,
    ),
    text(
        "PASSWORD", mq.MQCACH_PASSWORD, mq.MQ_PASSWORD_LENGTH, "LU 6.2 password; kept but never shown",
        types=("SDR", "SVR", "RQSTR", "CLNTCONN", "CLUSSDR"), secret=True,
        effect=Effect.NOT_YET,
    ),
    number(
        "PORT", mq.MQIACH_PORT, 5672, 1, 65535, "port to listen on", types=AMQP,
        value_reason=mq.MQRCCF_PORT_NUMBER_ERROR,
    ),
    choice(
        "PROPCTL", mq.MQIA_PROPERTY_CONTROL, mq.MQPROP_COMPATIBILITY,
        {"COMPAT": mq.MQPROP_COMPATIBILITY, "NONE": mq.MQPROP_NONE, "ALL": mq.MQPROP_ALL},
        "what happens to message properties when the partner is older than they are", types=SENDERS,
    ),
    choice(
        "PUTAUT", mq.MQIACH_PUT_AUTHORITY, mq.MQPA_DEFAULT,
        {
            "DEF": mq.MQPA_DEFAULT,
            "CTX": mq.MQPA_CONTEXT,
            "ONLYMCA": mq.MQPA_ONLY_MCA,
            "ALTMCA": mq.MQPA_ALTERNATE_OR_MCA,
        },
        "user whose authority counts for puts: that of the channel, or the one in the message", types=RECEIVERS,
        value_reason=mq.MQRCCF_PUT_AUTH_ERROR,
    ),
    text(
        "QMNAME", mq.MQCA_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH,
        "queue manager, or group of queue managers, that a client asks for", types=CLNTCONN,
    ),
    texts(
        "RCVDATA", mq.MQCACH_RCV_EXIT_USER_DATA, mq.MQ_EXIT_DATA_LENGTH, _EXITS_MAX, "data for the receive exits",
        types=MQI_AND_MESSAGE,
    ),
    texts(
        "RCVEXIT", mq.MQCACH_RCV_EXIT_NAME, mq.MQ_EXIT_NAME_LENGTH, _EXITS_MAX, "receive exits: library(function)",
        types=MQI_AND_MESSAGE, value_reason=mq.MQRCCF_RCV_EXIT_NAME_ERROR,
    ),
    number(
        "RESETSEQ", mq.MQIACH_RESET_REQUESTED, mq.MQCHRR_RESET_NOT_REQUESTED, 1, 999999999,
        "message sequence number of a RESET CHANNEL that the partner has not heard of yet",
        words={"NO": mq.MQCHRR_RESET_NOT_REQUESTED}, types=MESSAGE, source=Source.LIVE,
    ),
    text(
        "SCYDATA", mq.MQCACH_SEC_EXIT_USER_DATA, mq.MQ_EXIT_DATA_LENGTH, "data for the security exit",
        types=MQI_AND_MESSAGE,
    ),
    text(
        "SCYEXIT", mq.MQCACH_SEC_EXIT_NAME, mq.MQ_EXIT_NAME_LENGTH, "security exit: library(function)",
        types=MQI_AND_MESSAGE, value_reason=mq.MQRCCF_SEC_EXIT_NAME_ERROR,
    ),
    texts(
        "SENDDATA", mq.MQCACH_SEND_EXIT_USER_DATA, mq.MQ_EXIT_DATA_LENGTH, _EXITS_MAX, "data for the send exits",
        types=MQI_AND_MESSAGE,
    ),
    texts(
        "SENDEXIT", mq.MQCACH_SEND_EXIT_NAME, mq.MQ_EXIT_NAME_LENGTH, _EXITS_MAX, "send exits: library(function)",
        types=MQI_AND_MESSAGE, value_reason=mq.MQRCCF_SEND_EXIT_NAME_ERROR,
    ),
    number(
        "SEQWRAP", mq.MQIACH_SEQUENCE_NUMBER_WRAP, 999999999, 100, 999999999,
        "highest message sequence number; the next is 1 again. Equal at both ends", types=MESSAGE,
        value_reason=mq.MQRCCF_SEQ_NUMBER_WRAP_ERROR,
    ),
    number(
        "SHARECNV", mq.MQIACH_SHARING_CONVERSATIONS, 10, 0, 999999999,
        "most conversations on one socket; 0 is one, without heartbeats both ways and read ahead",
        types=("CLNTCONN", "SVRCONN"), value_reason=mq.MQRCCF_SHARING_CONVS_ERROR,
    ),
    number(
        "SHORTRTY", mq.MQIACH_SHORT_RETRY, 10, 0, 999999999, "quick attempts to connect", types=SENDERS,
        value_reason=mq.MQRCCF_SHORT_RETRY_ERROR,
    ),
    number(
        "SHORTTMR", mq.MQIACH_SHORT_TIMER, 60, 0, 999999999, "seconds between these attempts", types=SENDERS,
        value_reason=mq.MQRCCF_SHORT_TIMER_ERROR,
    ),
    choice(
        "SSLCAUTH", mq.MQIACH_SSL_CLIENT_AUTH, mq.MQSCA_REQUIRED,
        {"REQUIRED": mq.MQSCA_REQUIRED, "OPTIONAL": mq.MQSCA_OPTIONAL},
        "whether a TLS partner that connects needs a certificate",
        types=("SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSRCVR", "AMQP"), value_reason=mq.MQRCCF_SSL_CLIENT_AUTH_ERROR,
    ),
    text(
        "SSLCIPH", mq.MQCACH_SSL_CIPHER_SPEC, mq.MQ_SSL_CIPHER_SPEC_LENGTH,
        "CipherSpec, or ANY_TLS12_OR_HIGHER and the like; blank is a channel without TLS",
        value_reason=mq.MQRCCF_SSL_CIPHER_SPEC_ERROR,
    ),
    text(
        "SSLPEER", mq.MQCACH_SSL_PEER_NAME, mq.MQ_SSL_PEER_NAME_LENGTH,
        "distinguished names that certificates of the partner may have; blank is any",
        value_reason=mq.MQRCCF_SSL_PEER_NAME_ERROR,
    ),
    choice(
        "STATCHL", mq.MQIA_STATISTICS_CHANNEL, mq.MQMON_Q_MGR,
        {
            "QMGR": mq.MQMON_Q_MGR,
            "OFF": mq.MQMON_OFF,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        "statistics of the channel", types=MESSAGE,
        effect=Effect.NOT_YET,
    ),
    text(
        "TPROOT", mq.MQCACH_TOPIC_ROOT, mq.MQ_TOPIC_STR_LENGTH, "topic below which the clients' topics are",
        "SYSTEM.BASE.TOPIC", types=AMQP,
        effect=Effect.NOT_YET,
    ),
    name(
        "TMPMODEL", mq.MQCACH_TEMPORARY_MODEL_Q, mq.MQ_Q_NAME_LENGTH, "model of the temporary queues of clients",
        "SYSTEM.DEFAULT.MODEL.QUEUE", types=AMQP,
        effect=Effect.NOT_YET,
    ),
    text(
        "TMPQPRFX", mq.MQCACH_TEMPORARY_Q_PREFIX, mq.MQ_TEMPORARY_Q_PREFIX_LENGTH,
        "beginning of the names of temporary queues", "AMQP.*", types=AMQP,
        effect=Effect.NOT_YET,
    ),
    text(
        "TPNAME", mq.MQCACH_TP_NAME, mq.MQ_TP_NAME_LENGTH, "LU 6.2 transaction program; without meaning over TCP",
        types=CALLERS,
        effect=Effect.NOT_YET,
    ),
    choice(
        "TRPTYPE", mq.MQIACH_XMIT_PROTOCOL_TYPE, mq.MQXPT_TCP, {"TCP": mq.MQXPT_TCP}, "transport",
        types=MQI_AND_MESSAGE, value_reason=mq.MQRCCF_XMIT_PROTOCOL_TYPE_ERR,
    ),
    choice(
        "USECLTID", mq.MQIACH_USE_CLIENT_ID, mq.MQUCI_NO, {"NO": mq.MQUCI_NO, "YES": mq.MQUCI_YES},
        "whether the client identifier is the user; if not, MCAUSER or the user of the client is", types=AMQP,
        value_reason=mq.MQRCCF_USE_CLIENT_ID_ERROR,
        effect=Effect.NOT_YET,
    ),
    choice(
        "USEDLQ", mq.MQIA_USE_DEAD_LETTER_Q, mq.MQUSEDLQ_YES, {"YES": mq.MQUSEDLQ_YES, "NO": mq.MQUSEDLQ_NO},
        "whether messages that cannot be delivered go to the dead-letter queue; NO ends the channel instead",
        types=MESSAGE,
    ),
    text(
        "USERID", mq.MQCACH_USER_ID, mq.MQ_USER_ID_LENGTH, "LU 6.2 user",
        types=("SDR", "SVR", "RQSTR", "CLNTCONN", "CLUSSDR"),
        effect=Effect.NOT_YET,
    ),
    name(
        "XMITQ", mq.MQCACH_XMIT_Q_NAME, mq.MQ_Q_NAME_LENGTH, "transmission queue that the channel empties",
        types=("SDR", "SVR"), value_reason=mq.MQRCCF_XMIT_Q_NAME_ERROR,
    ),
)  # fmt: skip
