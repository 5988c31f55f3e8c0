"""What DISPLAY PUBSUB, TPSTATUS and SBSTATUS show. Data only."""

from __future__ import annotations

from libremq.kernel.objects.attribute_rows import choice, number, octets, text
from libremq.mqi import constants as mq

PUBSUB = (
    choice(
        "TYPE", mq.MQIACF_PS_STATUS_TYPE, mq.MQPSST_LOCAL,
        {"LOCAL": mq.MQPSST_LOCAL, "PARENT": mq.MQPSST_PARENT, "CHILD": mq.MQPSST_CHILD}, "kind of status",
    ),
    text("QMNAME", mq.MQCA_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH, "name of the queue manager"),
    choice(
        "STATUS", mq.MQIACF_PUBSUB_STATUS, mq.MQPS_STATUS_ACTIVE,
        {
            "ACTIVE": mq.MQPS_STATUS_ACTIVE,
            "COMPAT": mq.MQPS_STATUS_COMPAT,
            "ERROR": mq.MQPS_STATUS_ERROR,
            "INACTIVE": mq.MQPS_STATUS_INACTIVE,
            "STARTING": mq.MQPS_STATUS_STARTING,
            "STOPPING": mq.MQPS_STATUS_STOPPING,
            "REFUSED": mq.MQPS_STATUS_REFUSED,
        },
        "state",
    ),
    number("SUBCOUNT", mq.MQIA_SUB_COUNT, 0, 0, 999999999, "subscriptions"),
    number("TPCOUNT", mq.MQIA_TOPIC_NODE_COUNT, 0, 0, 999999999, "nodes of the topic tree"),
)  # fmt: skip

TPSTATUS = (
    text("TOPICSTR", mq.MQCA_TOPIC_STRING, mq.MQ_TOPIC_STR_LENGTH, "topic string"),
    text("ADMIN", mq.MQCA_ADMIN_TOPIC_NAME, mq.MQ_TOPIC_NAME_LENGTH, "topic object of this node, or blank"),
    number("CAPEXPRY", mq.MQIA_CAP_EXPIRY, 0, 0, 999999999, "most tenths of a second that a publication lives"),
    text("CLUSTER", mq.MQCA_CLUSTER_NAME, mq.MQ_CLUSTER_NAME_LENGTH, "cluster"),
    choice(
        "CLROUTE", mq.MQIA_CLUSTER_PUB_ROUTE, mq.MQCLROUTE_DIRECT,
        {"DIRECT": mq.MQCLROUTE_DIRECT, "TOPICHOST": mq.MQCLROUTE_TOPIC_HOST, "NONE": mq.MQCLROUTE_NONE},
        "way of publications in the cluster",
    ),
    text("COMMINFO", mq.MQCA_COMM_INFO_NAME, mq.MQ_COMM_INFO_NAME_LENGTH, "multicast settings"),
    choice(
        "DEFPRESP", mq.MQIA_DEF_PUT_RESPONSE_TYPE, mq.MQPRT_SYNC_RESPONSE,
        {"SYNC": mq.MQPRT_SYNC_RESPONSE, "ASYNC": mq.MQPRT_ASYNC_RESPONSE}, "default response to puts",
    ),
    number("DEFPRTY", mq.MQIA_DEF_PRIORITY, 0, 0, 999999999, "default priority"),
    choice(
        "DEFPSIST", mq.MQIA_TOPIC_DEF_PERSISTENCE, mq.MQPER_NOT_PERSISTENT,
        {"NO": mq.MQPER_NOT_PERSISTENT, "YES": mq.MQPER_PERSISTENT}, "default persistence",
    ),
    choice(
        "DURSUB", mq.MQIA_DURABLE_SUB, mq.MQSUB_DURABLE_INHIBITED,
        {"NO": mq.MQSUB_DURABLE_INHIBITED, "YES": mq.MQSUB_DURABLE_ALLOWED}, "durable subscriptions permitted",
    ),
    choice(
        "MCAST", mq.MQIA_MULTICAST, mq.MQMC_DISABLED,
        {"DISABLED": mq.MQMC_DISABLED, "ENABLED": mq.MQMC_ENABLED, "ONLY": mq.MQMC_ONLY}, "multicast",
    ),
    text("MDURMDL", mq.MQCA_MODEL_DURABLE_Q, mq.MQ_Q_NAME_LENGTH, "model for durable subscriptions"),
    text("MNDURMDL", mq.MQCA_MODEL_NON_DURABLE_Q, mq.MQ_Q_NAME_LENGTH, "model for nondurable subscriptions"),
    choice(
        "NPMSGDLV", mq.MQIA_NPM_DELIVERY, mq.MQDLV_ALL,
        {"ALL": mq.MQDLV_ALL, "ALLDUR": mq.MQDLV_ALL_DUR, "ALLAVAIL": mq.MQDLV_ALL_AVAIL},
        "delivery of nonpersistent publications",
    ),
    choice(
        "PMSGDLV", mq.MQIA_PM_DELIVERY, mq.MQDLV_ALL,
        {"ALL": mq.MQDLV_ALL, "ALLDUR": mq.MQDLV_ALL_DUR, "ALLAVAIL": mq.MQDLV_ALL_AVAIL},
        "delivery of persistent publications",
    ),
    choice(
        "PUB", mq.MQIA_INHIBIT_PUB, mq.MQTA_PUB_ALLOWED,
        {"ENABLED": mq.MQTA_PUB_ALLOWED, "DISABLED": mq.MQTA_PUB_INHIBITED}, "publishing permitted",
    ),
    number("PUBCOUNT", mq.MQIA_PUB_COUNT, 0, 0, 999999999, "handles open to publish"),
    choice(
        "PUBSCOPE", mq.MQIA_PUB_SCOPE, mq.MQSCOPE_ALL, {"ALL": mq.MQSCOPE_ALL, "QMGR": mq.MQSCOPE_QMGR},
        "whether publications go further",
    ),
    choice(
        "RETAINED", mq.MQIACF_RETAINED_PUBLICATION, mq.MQQSO_NO, {"NO": mq.MQQSO_NO, "YES": mq.MQQSO_YES},
        "whether a publication is retained",
    ),
    choice(
        "SUB", mq.MQIA_INHIBIT_SUB, mq.MQTA_SUB_ALLOWED,
        {"ENABLED": mq.MQTA_SUB_ALLOWED, "DISABLED": mq.MQTA_SUB_INHIBITED}, "subscribing permitted",
    ),
    number("SUBCOUNT", mq.MQIA_SUB_COUNT, 0, 0, 999999999, "subscriptions"),
    choice(
        "SUBSCOPE", mq.MQIA_SUB_SCOPE, mq.MQSCOPE_ALL, {"ALL": mq.MQSCOPE_ALL, "QMGR": mq.MQSCOPE_QMGR},
        "whether subscriptions go further",
    ),
    choice(
        "USEDLQ", mq.MQIA_USE_DEAD_LETTER_Q, mq.MQUSEDLQ_NO, {"NO": mq.MQUSEDLQ_NO, "YES": mq.MQUSEDLQ_YES},
        "dead-letter queue used",
    ),
)  # fmt: skip

TPSTATUS_SUB = (
    text("TOPICSTR", mq.MQCA_TOPIC_STRING, mq.MQ_TOPIC_STR_LENGTH, "topic string"),
    octets("SUBID", mq.MQBACF_SUB_ID, mq.MQ_CORREL_ID_LENGTH, "identifier of the subscription"),
    text("SUBUSER", mq.MQCACF_SUB_USER_ID, mq.MQ_USER_ID_LENGTH, "user of the subscription"),
    text("RESMDATE", mq.MQCA_RESUME_DATE, mq.MQ_DATE_LENGTH, "date of the last resume"),
    text("RESMTIME", mq.MQCA_RESUME_TIME, mq.MQ_TIME_LENGTH, "time of the last resume"),
    text("LMSGDATE", mq.MQCACF_LAST_MSG_DATE, mq.MQ_DATE_LENGTH, "date of the last message"),
    text("LMSGTIME", mq.MQCACF_LAST_MSG_TIME, mq.MQ_TIME_LENGTH, "time of the last message"),
    number("NUMMSGS", mq.MQIACF_MESSAGE_COUNT, 0, 0, 999999999, "messages put for the subscription"),
    octets("ACTCONN", mq.MQBACF_CONNECTION_ID, mq.MQ_CONNECTION_ID_LENGTH, "connection that uses it"),
    choice(
        "DURABLE", mq.MQIACF_DURABLE_SUBSCRIPTION, mq.MQSUB_DURABLE_NO,
        {"NO": mq.MQSUB_DURABLE_NO, "YES": mq.MQSUB_DURABLE_YES}, "durable",
    ),
    number("MCASTREL", mq.MQIACF_MCAST_REL_INDICATOR, 0, 0, 999999999, "reliability of multicast in percent"),
    choice(
        "SUBTYPE", mq.MQIACF_SUB_TYPE, mq.MQSUBTYPE_ADMIN,
        {"ADMIN": mq.MQSUBTYPE_ADMIN, "API": mq.MQSUBTYPE_API, "PROXY": mq.MQSUBTYPE_PROXY},
        "who made the subscription",
    ),
)  # fmt: skip

TPSTATUS_PUB = (
    text("TOPICSTR", mq.MQCA_TOPIC_STRING, mq.MQ_TOPIC_STR_LENGTH, "topic string"),
    text("LPUBDATE", mq.MQCACF_LAST_PUB_DATE, mq.MQ_DATE_LENGTH, "date of the last publication"),
    text("LPUBTIME", mq.MQCACF_LAST_PUB_TIME, mq.MQ_TIME_LENGTH, "time of the last publication"),
    number("NUMPUBS", mq.MQIACF_PUBLISH_COUNT, 0, 0, 999999999, "publications"),
    octets("ACTCONN", mq.MQBACF_CONNECTION_ID, mq.MQ_CONNECTION_ID_LENGTH, "connection that uses it"),
    number("MCASTREL", mq.MQIACF_MCAST_REL_INDICATOR, 0, 0, 999999999, "reliability of multicast in percent"),
)  # fmt: skip

SBSTATUS = (
    text("SUB", mq.MQCACF_SUB_NAME, mq.MQ_SUB_NAME_LENGTH, "name of the subscription"),
    octets("SUBID", mq.MQBACF_SUB_ID, mq.MQ_CORREL_ID_LENGTH, "identifier of the subscription"),
    text("SUBUSER", mq.MQCACF_SUB_USER_ID, mq.MQ_USER_ID_LENGTH, "user of the subscription"),
    text("RESMDATE", mq.MQCA_RESUME_DATE, mq.MQ_DATE_LENGTH, "date of the last resume"),
    text("RESMTIME", mq.MQCA_RESUME_TIME, mq.MQ_TIME_LENGTH, "time of the last resume"),
    text("LMSGDATE", mq.MQCACF_LAST_MSG_DATE, mq.MQ_DATE_LENGTH, "date of the last message"),
    text("LMSGTIME", mq.MQCACF_LAST_MSG_TIME, mq.MQ_TIME_LENGTH, "time of the last message"),
    octets("ACTCONN", mq.MQBACF_CONNECTION_ID, mq.MQ_CONNECTION_ID_LENGTH, "connection that uses it"),
    choice(
        "DURABLE", mq.MQIACF_DURABLE_SUBSCRIPTION, mq.MQSUB_DURABLE_NO,
        {"NO": mq.MQSUB_DURABLE_NO, "YES": mq.MQSUB_DURABLE_YES}, "durable",
    ),
    number("MCASTREL", mq.MQIACF_MCAST_REL_INDICATOR, 0, 0, 999999999, "reliability of multicast in percent"),
    number("NUMMSGS", mq.MQIACF_MESSAGE_COUNT, 0, 0, 999999999, "messages put for the subscription"),
    choice(
        "SUBTYPE", mq.MQIACF_SUB_TYPE, mq.MQSUBTYPE_ADMIN,
        {"ADMIN": mq.MQSUBTYPE_ADMIN, "API": mq.MQSUBTYPE_API, "PROXY": mq.MQSUBTYPE_PROXY},
        "who made the subscription",
    ),
    text("TOPICSTR", mq.MQCA_TOPIC_STRING, mq.MQ_TOPIC_STR_LENGTH, "topic string"),
)  # fmt: skip
