"""The attributes of topics, of subscriptions and of multicast settings. Data only, in display order.

Publish/subscribe itself does not exist yet: topic and communication information objects can be kept, but nothing uses
them, and there are no subscriptions, so their table only says what DISPLAY SUB would show.
"""

from __future__ import annotations

from libremq.kernel.objects.attribute_rows import (
    ALTDATE,
    ALTTIME,
    choice,
    choices,
    identity,
    name,
    number,
    octets,
    text,
)
from libremq.kernel.objects.attributes import Attribute, Effect, Source
from libremq.mqi import constants as mq

TOPIC_ATTRIBUTES: tuple[Attribute, ...] = (
    identity("TOPIC", mq.MQCA_TOPIC_NAME, mq.MQ_TOPIC_NAME_LENGTH, "name of the topic object"),
    choice(
        "TYPE", mq.MQIA_TOPIC_TYPE, mq.MQTOPT_LOCAL, {"LOCAL": mq.MQTOPT_LOCAL}, "LOCAL: defined here",
        source=Source.FIXED, value_reason=mq.MQRCCF_TOPIC_TYPE_ERROR,
    ),
    text(
        "TOPICSTR", mq.MQCA_TOPIC_STRING, mq.MQ_TOPIC_STR_LENGTH,
        "node of the topic tree that the object describes; cannot be changed, and no two objects have the same",
    ),
    text("DESCR", mq.MQCA_TOPIC_DESC, mq.MQ_TOPIC_DESC_LENGTH, "free description", effect=Effect.FOR_OTHERS),
    choice(
        "CLROUTE", mq.MQIA_CLUSTER_PUB_ROUTE, mq.MQCLROUTE_DIRECT,
        {"DIRECT": mq.MQCLROUTE_DIRECT, "TOPICHOST": mq.MQCLROUTE_TOPIC_HOST, "NONE": mq.MQCLROUTE_NONE},
        "way of publications between the queue managers of the cluster",
        effect=Effect.NOT_YET,
    ),
    name(
        "CLUSTER", mq.MQCA_CLUSTER_NAME, mq.MQ_CLUSTER_NAME_LENGTH,
        "cluster that shares the topic; blank is as the parent",
        effect=Effect.NOT_YET,
    ),
    choice(
        "DURSUB", mq.MQIA_DURABLE_SUB, mq.MQSUB_DURABLE_AS_PARENT,
        {"ASPARENT": mq.MQSUB_DURABLE_AS_PARENT, "NO": mq.MQSUB_DURABLE_INHIBITED, "YES": mq.MQSUB_DURABLE_ALLOWED},
        "durable subscriptions permitted",
        effect=Effect.NOT_YET,
    ),
    choice(
        "PUB", mq.MQIA_INHIBIT_PUB, mq.MQTA_PUB_AS_PARENT,
        {"ASPARENT": mq.MQTA_PUB_AS_PARENT, "ENABLED": mq.MQTA_PUB_ALLOWED, "DISABLED": mq.MQTA_PUB_INHIBITED},
        "publishing permitted",
        effect=Effect.NOT_YET,
    ),
    choice(
        "SUB", mq.MQIA_INHIBIT_SUB, mq.MQTA_SUB_AS_PARENT,
        {"ASPARENT": mq.MQTA_SUB_AS_PARENT, "ENABLED": mq.MQTA_SUB_ALLOWED, "DISABLED": mq.MQTA_SUB_INHIBITED},
        "subscribing permitted",
        effect=Effect.NOT_YET,
    ),
    choice(
        "DEFPSIST", mq.MQIA_TOPIC_DEF_PERSISTENCE, mq.MQPER_PERSISTENCE_AS_PARENT,
        {"ASPARENT": mq.MQPER_PERSISTENCE_AS_PARENT, "NO": mq.MQPER_NOT_PERSISTENT, "YES": mq.MQPER_PERSISTENT},
        "persistence of publications that ask for the default",
        effect=Effect.NOT_YET,
    ),
    number(
        "DEFPRTY", mq.MQIA_DEF_PRIORITY, mq.MQPRI_PRIORITY_AS_PARENT, 0, 9,
        "priority of publications that ask for the default", words={"ASPARENT": mq.MQPRI_PRIORITY_AS_PARENT},
        effect=Effect.NOT_YET,
    ),
    choice(
        "DEFPRESP", mq.MQIA_DEF_PUT_RESPONSE_TYPE, mq.MQPRT_RESPONSE_AS_PARENT,
        {"ASPARENT": mq.MQPRT_RESPONSE_AS_PARENT, "SYNC": mq.MQPRT_SYNC_RESPONSE, "ASYNC": mq.MQPRT_ASYNC_RESPONSE},
        "response to puts that ask for the default",
        effect=Effect.NOT_YET,
    ),
    ALTDATE,
    ALTTIME,
    choice(
        "PMSGDLV", mq.MQIA_PM_DELIVERY, mq.MQDLV_AS_PARENT,
        {
            "ASPARENT": mq.MQDLV_AS_PARENT,
            "ALL": mq.MQDLV_ALL,
            "ALLDUR": mq.MQDLV_ALL_DUR,
            "ALLAVAIL": mq.MQDLV_ALL_AVAIL,
        },
        "subscribers that a persistent publication must reach to succeed",
        effect=Effect.NOT_YET,
    ),
    choice(
        "NPMSGDLV", mq.MQIA_NPM_DELIVERY, mq.MQDLV_AS_PARENT,
        {
            "ASPARENT": mq.MQDLV_AS_PARENT,
            "ALL": mq.MQDLV_ALL,
            "ALLDUR": mq.MQDLV_ALL_DUR,
            "ALLAVAIL": mq.MQDLV_ALL_AVAIL,
        },
        "subscribers that a nonpersistent publication must reach to succeed",
        effect=Effect.NOT_YET,
    ),
    choice(
        "PUBSCOPE", mq.MQIA_PUB_SCOPE, mq.MQSCOPE_AS_PARENT,
        {"ASPARENT": mq.MQSCOPE_AS_PARENT, "ALL": mq.MQSCOPE_ALL, "QMGR": mq.MQSCOPE_QMGR},
        "whether publications go to other queue managers",
        effect=Effect.NOT_YET,
    ),
    choice(
        "SUBSCOPE", mq.MQIA_SUB_SCOPE, mq.MQSCOPE_AS_PARENT,
        {"ASPARENT": mq.MQSCOPE_AS_PARENT, "ALL": mq.MQSCOPE_ALL, "QMGR": mq.MQSCOPE_QMGR},
        "whether subscriptions reach other queue managers",
        effect=Effect.NOT_YET,
    ),
    choice(
        "PROXYSUB", mq.MQIA_PROXY_SUB, mq.MQTA_PROXY_SUB_FIRSTUSE,
        {"FIRSTUSE": mq.MQTA_PROXY_SUB_FIRSTUSE, "FORCE": mq.MQTA_PROXY_SUB_FORCE},
        "FORCE asks connected queue managers for publications without any subscription here",
        effect=Effect.NOT_YET,
    ),
    choice(
        "WILDCARD", mq.MQIA_WILDCARD_OPERATION, mq.MQTA_PASSTHRU,
        {"PASSTHRU": mq.MQTA_PASSTHRU, "BLOCK": mq.MQTA_BLOCK},
        "BLOCK keeps wildcards of subscriptions above from matching here",
        effect=Effect.NOT_YET,
    ),
    name(
        "MDURMDL", mq.MQCA_MODEL_DURABLE_Q, mq.MQ_Q_NAME_LENGTH,
        "model of queues for managed durable subscriptions; blank is as the parent",
        effect=Effect.NOT_YET,
    ),
    name(
        "MNDURMDL", mq.MQCA_MODEL_NON_DURABLE_Q, mq.MQ_Q_NAME_LENGTH,
        "model of queues for managed nondurable subscriptions; blank is as the parent",
        effect=Effect.NOT_YET,
    ),
    choice(
        "MCAST", mq.MQIA_MULTICAST, mq.MQMC_AS_PARENT,
        {"ASPARENT": mq.MQMC_AS_PARENT, "DISABLED": mq.MQMC_DISABLED, "ENABLED": mq.MQMC_ENABLED, "ONLY": mq.MQMC_ONLY},
        "publications by multicast",
        effect=Effect.NOT_YET,
    ),
    name(
        "COMMINFO", mq.MQCA_COMM_INFO_NAME, mq.MQ_COMM_INFO_NAME_LENGTH, "multicast settings; blank is as the parent",
        effect=Effect.NOT_YET,
    ),
    choice(
        "USEDLQ", mq.MQIA_USE_DEAD_LETTER_Q, mq.MQUSEDLQ_AS_PARENT,
        {"ASPARENT": mq.MQUSEDLQ_AS_PARENT, "YES": mq.MQUSEDLQ_YES, "NO": mq.MQUSEDLQ_NO},
        "publications that cannot be delivered go to the dead-letter queue",
        effect=Effect.NOT_YET,
    ),
    text(
        "CUSTOM", mq.MQCA_CUSTOM, mq.MQ_CUSTOM_LENGTH, "features without attribute of their own",
        effect=Effect.NOT_YET,
    ),
    number(
        "CAPEXPRY", mq.MQIA_CAP_EXPIRY, mq.MQCEX_AS_PARENT, 1, 999999999,
        "most tenths of a second that a publication lives",
        words={"ASPARENT": mq.MQCEX_AS_PARENT, "NOLIMIT": mq.MQCEX_NOLIMIT},
        effect=Effect.NOT_YET,
    ),
)  # fmt: skip

SUB_ATTRIBUTES: tuple[Attribute, ...] = (
    text(
        "SUB", mq.MQCACF_SUB_NAME, mq.MQ_SUB_NAME_LENGTH, "name of the subscription", source=Source.FIXED,
        python_name="name",
    ),
    octets(
        "SUBID", mq.MQBACF_SUB_ID, mq.MQ_CORREL_ID_LENGTH, "identifier that the queue manager gave it",
        source=Source.FIXED,
    ),
    name(
        "TOPICOBJ", mq.MQCA_TOPIC_NAME, mq.MQ_TOPIC_NAME_LENGTH, "topic object that the topic string begins with",
        source=Source.FIXED,
    ),
    text("TOPICSTR", mq.MQCA_TOPIC_STRING, mq.MQ_TOPIC_STR_LENGTH, "topic string", source=Source.FIXED),
    name("DEST", mq.MQCACF_DESTINATION, mq.MQ_OBJECT_NAME_LENGTH, "queue that publications go to"),
    name("DESTQMGR", mq.MQCACF_DESTINATION_Q_MGR, mq.MQ_Q_MGR_NAME_LENGTH, "its queue manager; blank is this one"),
    choice(
        "DESTCLAS", mq.MQIACF_DESTINATION_CLASS, mq.MQDC_PROVIDED,
        {"PROVIDED": mq.MQDC_PROVIDED, "MANAGED": mq.MQDC_MANAGED},
        "whether the queue is given or made by the queue manager", source=Source.FIXED,
    ),
    octets(
        "DESTCORL", mq.MQBACF_DESTINATION_CORREL_ID, mq.MQ_CORREL_ID_LENGTH,
        "correlation identifier of publications; zero is the SUBID",
    ),
    choice(
        "DURABLE", mq.MQIACF_DURABLE_SUBSCRIPTION, mq.MQSUB_DURABLE_YES,
        {"YES": mq.MQSUB_DURABLE_YES, "NO": mq.MQSUB_DURABLE_NO}, "whether it outlives its maker's connection",
        source=Source.FIXED,
    ),
    number(
        "EXPIRY", mq.MQIACF_EXPIRY, mq.MQEI_UNLIMITED, 1, 999999999, "tenths of a second that it lives",
        words={"UNLIMITED": mq.MQEI_UNLIMITED},
    ),
    choice(
        "PSPROP", mq.MQIACF_PUBSUB_PROPERTIES, mq.MQPSPROP_MSGPROP,
        {
            "MSGPROP": mq.MQPSPROP_MSGPROP,
            "COMPAT": mq.MQPSPROP_COMPAT,
            "NONE": mq.MQPSPROP_NONE,
            "RFH2": mq.MQPSPROP_RFH2,
        },
        "how publish/subscribe properties come with publications",
    ),
    octets("PUBACCT", mq.MQBACF_ACCOUNTING_TOKEN, mq.MQ_ACCOUNTING_TOKEN_LENGTH, "accounting token of publications"),
    text(
        "PUBAPPID", mq.MQCACF_APPL_IDENTITY_DATA, mq.MQ_APPL_IDENTITY_DATA_LENGTH,
        "application identity data of publications",
    ),
    number(
        "PUBPRTY", mq.MQIACF_PUB_PRIORITY, mq.MQPRI_PRIORITY_AS_PUBLISHED, 0, 9, "priority of publications",
        words={"ASPUB": mq.MQPRI_PRIORITY_AS_PUBLISHED, "ASQDEF": mq.MQPRI_PRIORITY_AS_Q_DEF},
    ),
    choice(
        "REQONLY", mq.MQIACF_REQUEST_ONLY, mq.MQRU_PUBLISH_ALL,
        {"NO": mq.MQRU_PUBLISH_ALL, "YES": mq.MQRU_PUBLISH_ON_REQUEST}, "publications come only when asked for",
    ),
    text(
        "SELECTOR", mq.MQCACF_SUB_SELECTOR, mq.MQ_SELECTOR_LENGTH, "selector that publications must match",
        source=Source.FIXED,
    ),
    choice(
        "SELTYPE", mq.MQIACF_SELECTOR_TYPE, mq.MQSELTYPE_NONE,
        {"NONE": mq.MQSELTYPE_NONE, "STANDARD": mq.MQSELTYPE_STANDARD, "EXTENDED": mq.MQSELTYPE_EXTENDED},
        "kind of the selector", source=Source.FIXED,
    ),
    number(
        "SUBLEVEL", mq.MQIACF_SUB_LEVEL, 1, 0, 9,
        "level among intercepting subscriptions, 9 sees a publication first", source=Source.FIXED,
    ),
    choice(
        "SUBSCOPE", mq.MQIACF_SUBSCRIPTION_SCOPE, mq.MQTSCOPE_ALL, {"ALL": mq.MQTSCOPE_ALL, "QMGR": mq.MQTSCOPE_QMGR},
        "whether publications of other queue managers are wanted", source=Source.FIXED,
    ),
    choice(
        "SUBTYPE", mq.MQIACF_SUB_TYPE, mq.MQSUBTYPE_ADMIN,
        {"ADMIN": mq.MQSUBTYPE_ADMIN, "API": mq.MQSUBTYPE_API, "PROXY": mq.MQSUBTYPE_PROXY},
        "who made it: a command, a program, or another queue manager", source=Source.FIXED,
    ),
    text("SUBUSER", mq.MQCACF_SUB_USER_ID, mq.MQ_USER_ID_LENGTH, "user whose authority counts"),
    text("USERDATA", mq.MQCACF_SUB_USER_DATA, mq.MQ_USER_DATA_LENGTH, "text that comes with publications"),
    choice(
        "VARUSER", mq.MQIACF_VARIABLE_USER_ID, mq.MQVU_ANY_USER,
        {"ANY": mq.MQVU_ANY_USER, "FIXED": mq.MQVU_FIXED_USER}, "whether other users may resume or change it",
    ),
    choice(
        "WSCHEMA", mq.MQIACF_WILDCARD_SCHEMA, mq.MQWS_TOPIC, {"TOPIC": mq.MQWS_TOPIC, "CHAR": mq.MQWS_CHAR},
        "what wildcards in the topic string stand for", source=Source.FIXED,
    ),
    text("CRDATE", mq.MQCA_CREATION_DATE, mq.MQ_CREATION_DATE_LENGTH, "date of creation", source=Source.SYSTEM),
    text("CRTIME", mq.MQCA_CREATION_TIME, mq.MQ_CREATION_TIME_LENGTH, "time of creation", source=Source.SYSTEM),
    ALTDATE,
    ALTTIME,
)  # fmt: skip

COMMINFO_ATTRIBUTES: tuple[Attribute, ...] = (
    identity("COMMINFO", mq.MQCA_COMM_INFO_NAME, mq.MQ_COMM_INFO_NAME_LENGTH, "name of the object"),
    choice(
        "TYPE", mq.MQIA_COMM_INFO_TYPE, mq.MQCIT_MULTICAST, {"MULTICAST": mq.MQCIT_MULTICAST},
        "kind of communication", source=Source.FIXED, value_reason=mq.MQRCCF_COMM_INFO_TYPE_ERROR,
    ),
    choice(
        "BRIDGE", mq.MQIA_MCAST_BRIDGE, mq.MQMCB_ENABLED,
        {"ENABLED": mq.MQMCB_ENABLED, "DISABLED": mq.MQMCB_DISABLED},
        "publications of programs that do not use multicast are sent by multicast too",
        effect=Effect.NOT_YET,
    ),
    number(
        "CCSID", mq.MQIA_CODED_CHAR_SET_ID, mq.MQCCSI_AS_PUBLISHED, 1, 65535, "character set of messages on the wire",
        words={"ASPUB": mq.MQCCSI_AS_PUBLISHED}, value_reason=mq.MQRCCF_CCSID_ERROR,
        effect=Effect.NOT_YET,
    ),
    choice(
        "COMMEV", mq.MQIA_COMM_EVENT, mq.MQEVR_DISABLED,
        {"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED, "EXCEPTION": mq.MQEVR_EXCEPTION},
        "events about multicast",
        effect=Effect.NOT_YET,
    ),
    text("DESCR", mq.MQCA_COMM_INFO_DESC, mq.MQ_COMM_INFO_DESC_LENGTH, "free description", effect=Effect.FOR_OTHERS),
    choice(
        "ENCODING", mq.MQIACF_ENCODING, mq.MQENC_AS_PUBLISHED,
        {
            "ASPUB": mq.MQENC_AS_PUBLISHED,
            "NORMAL": mq.MQENC_NORMAL,
            "REVERSED": mq.MQENC_REVERSED,
            "S390": mq.MQENC_S390,
            "TNS": mq.MQENC_TNS,
        },
        "encoding of messages on the wire", value_reason=mq.MQRCCF_ENCODING_ERROR,
        effect=Effect.NOT_YET,
    ),
    text(
        "GRPADDR", mq.MQCACH_GROUP_ADDRESS, mq.MQ_GROUP_ADDRESS_LENGTH, "group address", "239.0.0.0",
        effect=Effect.NOT_YET,
    ),
    number(
        "MCHBINT", mq.MQIACH_MC_HB_INTERVAL, 20000, 0, 999999, "milliseconds between heartbeats to receivers",
        effect=Effect.NOT_YET,
    ),
    choices(
        "MCPROP", mq.MQIACH_MULTICAST_PROPERTIES, (mq.MQMCP_ALL,),
        {
            "ALL": mq.MQMCP_ALL,
            "REPLY": mq.MQMCP_REPLY,
            "USER": mq.MQMCP_USER,
            "NONE": mq.MQMCP_NONE,
            "COMPAT": mq.MQMCP_COMPAT,
        },
        2, "which properties of messages travel along", alone="ALL",
        effect=Effect.NOT_YET,
    ),
    number(
        "MONINT", mq.MQIA_MONITOR_INTERVAL, 60, 0, 999999, "seconds between monitoring reports; 0 is none",
        effect=Effect.NOT_YET,
    ),
    number(
        "MSGHIST", mq.MQIACH_MSG_HISTORY, 100, 0, 999999999, "kilobytes of sent messages kept to be sent again",
        effect=Effect.NOT_YET,
    ),
    choice(
        "NSUBHIST", mq.MQIACH_NEW_SUBSCRIBER_HISTORY, mq.MQNSH_NONE, {"NONE": mq.MQNSH_NONE, "ALL": mq.MQNSH_ALL},
        "whether a new subscriber gets what was sent before",
        effect=Effect.NOT_YET,
    ),
    number(
        "PORT", mq.MQIACH_PORT, 1414, 0, 65535, "UDP port", value_reason=mq.MQRCCF_PORT_NUMBER_ERROR,
        effect=Effect.NOT_YET,
    ),
    ALTDATE,
    ALTTIME,
)  # fmt: skip
