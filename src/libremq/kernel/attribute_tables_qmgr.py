"""The attributes of the queue manager object, in the order of DISPLAY QMGR. Data only.

Defaults are those of a new queue manager on Linux. Attributes that answer for features outside a message
queue manager's kernel (TLS, clusters, channels, publish/subscribe) are kept and shown like the others.
"""

from __future__ import annotations

from libremq.kernel.attributes import Attribute, Kind, Source
from libremq.mqi import constants as mq

QMGR_ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "QMNAME", mq.MQCA_Q_MGR_NAME, Kind.NAME, "",
        max_length=mq.MQ_Q_MGR_NAME_LENGTH,
        source=Source.FIXED,
        python_name="name",
        about="name of the queue manager",
    ),
    Attribute(
        "ACCTCONO", mq.MQIA_ACCOUNTING_CONN_OVERRIDE, Kind.ENUM, mq.MQMON_DISABLED,
        words={"DISABLED": mq.MQMON_DISABLED, "ENABLED": mq.MQMON_ENABLED},
        about="applications may override accounting",
    ),
    Attribute(
        "ACCTINT", mq.MQIA_ACCOUNTING_INTERVAL, Kind.INTEGER, 1800,
        low=1,
        high=604800,
        about="seconds between accounting records",
    ),
    Attribute(
        "ACCTMQI", mq.MQIA_ACCOUNTING_MQI, Kind.ENUM, mq.MQMON_OFF,
        words={"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON},
        about="MQI accounting",
    ),
    Attribute(
        "ACCTQ", mq.MQIA_ACCOUNTING_Q, Kind.ENUM, mq.MQMON_OFF,
        words={"NONE": mq.MQMON_NONE, "OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON},
        about="accounting of queues",
    ),
    Attribute(
        "ACTIVREC", mq.MQIA_ACTIVITY_RECORDING, Kind.ENUM, mq.MQRECORDING_MSG,
        words={"DISABLED": mq.MQRECORDING_DISABLED, "MSG": mq.MQRECORDING_MSG, "QUEUE": mq.MQRECORDING_Q},
        about="activity reports",
    ),
    Attribute(
        "ACTVCONO", mq.MQIA_ACTIVITY_CONN_OVERRIDE, Kind.ENUM, mq.MQMON_DISABLED,
        words={"DISABLED": mq.MQMON_DISABLED, "ENABLED": mq.MQMON_ENABLED},
        about="applications may override activity trace",
    ),
    Attribute(
        "ACTVTRC", mq.MQIA_ACTIVITY_TRACE, Kind.ENUM, mq.MQMON_OFF,
        words={"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON},
        about="activity trace",
    ),
    Attribute(
        "ADVCAP", mq.MQIA_ADVANCED_CAPABILITY, Kind.ENUM, mq.MQCAP_NOT_SUPPORTED,
        words={"ENABLED": mq.MQCAP_SUPPORTED, "DISABLED": mq.MQCAP_NOT_SUPPORTED},
        source=Source.SYSTEM,
        about="advanced capabilities",
    ),
    Attribute(
        "ALTDATE", mq.MQCA_ALTERATION_DATE, Kind.STRING, "",
        max_length=mq.MQ_DATE_LENGTH,
        source=Source.SYSTEM,
        about="date of the last change",
    ),
    Attribute(
        "ALTTIME", mq.MQCA_ALTERATION_TIME, Kind.STRING, "",
        max_length=mq.MQ_TIME_LENGTH,
        source=Source.SYSTEM,
        about="time of the last change",
    ),
    Attribute(
        "AMQPCAP", mq.MQIA_AMQP_CAPABILITY, Kind.ENUM, mq.MQCAP_NOT_SUPPORTED,
        words={"NO": mq.MQCAP_NOT_SUPPORTED, "YES": mq.MQCAP_SUPPORTED},
        source=Source.SYSTEM,
        about="AMQP door present",
    ),
    Attribute(
        "AUTHEVSC", mq.MQIA_AUTHOREV_SCOPE, Kind.ENUM, mq.MQAUSC_FAILURES,
        words={
            "FAILURES": mq.MQAUSC_FAILURES,
            "ALLCONNS": mq.MQAUSC_ALLCONNS,
            "ALLCHECKS": mq.MQAUSC_ALLCHECKS,
        },
        about="which authority checks make events",
    ),
    Attribute(
        "AUTHOREV", mq.MQIA_AUTHORITY_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="authority events",
    ),
    Attribute(
        "CCSID", mq.MQIA_CODED_CHAR_SET_ID, Kind.INTEGER, 1208,
        low=1,
        high=65535,
        about="code page of the queue manager; a change needs a restart",
    ),
    Attribute(
        "CERTLABL", mq.MQCA_CERT_LABEL, Kind.STRING, "",
        max_length=mq.MQ_CERT_LABEL_LENGTH,
        about="label of the certificate",
    ),
    Attribute(
        "CERTVPOL", mq.MQIA_CERT_VAL_POLICY, Kind.ENUM, mq.MQ_CERT_VAL_POLICY_ANY,
        words={"ANY": mq.MQ_CERT_VAL_POLICY_ANY, "RFC5280": mq.MQ_CERT_VAL_POLICY_RFC5280},
        about="certificate validation policy",
    ),
    Attribute(
        "CHAD", mq.MQIA_CHANNEL_AUTO_DEF, Kind.ENUM, mq.MQCHAD_DISABLED,
        words={"DISABLED": mq.MQCHAD_DISABLED, "ENABLED": mq.MQCHAD_ENABLED},
        about="automatic definition of channels",
    ),
    Attribute(
        "CHADEV", mq.MQIA_CHANNEL_AUTO_DEF_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="events of automatic definition",
    ),
    Attribute(
        "CHADEXIT", mq.MQCA_CHANNEL_AUTO_DEF_EXIT, Kind.STRING, "",
        max_length=mq.MQ_EXIT_NAME_LENGTH,
        about="exit of automatic definition",
    ),
    Attribute(
        "CHLEV", mq.MQIA_CHANNEL_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED, "EXCEPTION": mq.MQEVR_EXCEPTION},
        about="channel events",
    ),
    Attribute(
        "CHLAUTH", mq.MQIA_CHLAUTH_RECORDS, Kind.ENUM, mq.MQCHLA_ENABLED,
        words={"ENABLED": mq.MQCHLA_ENABLED, "DISABLED": mq.MQCHLA_DISABLED},
        about="channel authentication rules in force",
    ),
    Attribute(
        "CLWLDATA", mq.MQCA_CLUSTER_WORKLOAD_DATA, Kind.STRING, "",
        max_length=mq.MQ_EXIT_DATA_LENGTH,
        about="data of the cluster workload exit",
    ),
    Attribute(
        "CLWLEXIT", mq.MQCA_CLUSTER_WORKLOAD_EXIT, Kind.STRING, "",
        max_length=mq.MQ_EXIT_NAME_LENGTH,
        about="cluster workload exit",
    ),
    Attribute(
        "CLWLLEN", mq.MQIA_CLUSTER_WORKLOAD_LENGTH, Kind.INTEGER, 100,
        high=999999999,
        about="message bytes passed to the cluster workload exit",
    ),
    Attribute(
        "CLWLMRUC", mq.MQIA_CLWL_MRU_CHANNELS, Kind.INTEGER, 999999999,
        low=1,
        high=999999999,
        about="most cluster channels used at once",
    ),
    Attribute(
        "CLWLUSEQ", mq.MQIA_CLWL_USEQ, Kind.ENUM, mq.MQCLWL_USEQ_LOCAL,
        words={"LOCAL": mq.MQCLWL_USEQ_LOCAL, "ANY": mq.MQCLWL_USEQ_ANY},
        about="whether puts may leave the local instance of cluster queues",
    ),
    Attribute(
        "CMDEV", mq.MQIA_COMMAND_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED, "NODISPLAY": mq.MQEVR_NO_DISPLAY},
        about="command events",
    ),
    Attribute(
        "CMDLEVEL", mq.MQIA_COMMAND_LEVEL, Kind.INTEGER, mq.MQCMDL_CURRENT_LEVEL,
        high=999999999,
        source=Source.SYSTEM,
        about="level of commands supported",
    ),
    Attribute(
        "COMMANDQ", mq.MQCA_COMMAND_INPUT_Q_NAME, Kind.NAME, "SYSTEM.ADMIN.COMMAND.QUEUE",
        max_length=mq.MQ_Q_NAME_LENGTH,
        source=Source.SYSTEM,
        about="queue of the command server",
    ),
    Attribute(
        "CONFIGEV", mq.MQIA_CONFIGURATION_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="configuration events",
    ),
    Attribute(
        "CONNAUTH", mq.MQCA_CONN_AUTH, Kind.NAME, "SYSTEM.DEFAULT.AUTHINFO.IDPWOS",
        max_length=mq.MQ_AUTH_INFO_NAME_LENGTH,
        about="authentication object of connections",
    ),
    Attribute(
        "CRDATE", mq.MQCA_CREATION_DATE, Kind.STRING, "",
        max_length=mq.MQ_CREATION_DATE_LENGTH,
        source=Source.SYSTEM,
        about="date of creation",
    ),
    Attribute(
        "CRTIME", mq.MQCA_CREATION_TIME, Kind.STRING, "",
        max_length=mq.MQ_CREATION_TIME_LENGTH,
        source=Source.SYSTEM,
        about="time of creation",
    ),
    Attribute(
        "CUSTOM", mq.MQCA_CUSTOM, Kind.STRING, "",
        max_length=mq.MQ_CUSTOM_LENGTH,
        about="NAME(VALUE) pairs kept for later features",
    ),
    Attribute(
        "DEADQ", mq.MQCA_DEAD_LETTER_Q_NAME, Kind.NAME, "",
        max_length=mq.MQ_Q_NAME_LENGTH,
        about="dead-letter queue",
    ),
    Attribute(
        "DEFCLXQ", mq.MQIA_DEF_CLUSTER_XMIT_Q_TYPE, Kind.ENUM, mq.MQCLXQ_SCTQ,
        words={"SCTQ": mq.MQCLXQ_SCTQ, "CHANNEL": mq.MQCLXQ_CHANNEL},
        about="default transmission queue of cluster-sender channels",
    ),
    Attribute(
        "DEFXMITQ", mq.MQCA_DEF_XMIT_Q_NAME, Kind.NAME, "",
        max_length=mq.MQ_Q_NAME_LENGTH,
        about="default transmission queue",
    ),
    Attribute(
        "DESCR", mq.MQCA_Q_MGR_DESC, Kind.STRING, "",
        max_length=mq.MQ_Q_MGR_DESC_LENGTH,
        about="free description",
    ),
    Attribute(
        "DISTL", mq.MQIA_DIST_LISTS, Kind.ENUM, mq.MQDL_SUPPORTED,
        words={"YES": mq.MQDL_SUPPORTED, "NO": mq.MQDL_NOT_SUPPORTED},
        source=Source.SYSTEM,
        about="distribution lists supported",
    ),
    Attribute(
        "IMGINTVL", mq.MQIA_MEDIA_IMAGE_INTERVAL, Kind.INTEGER, 60,
        low=1,
        high=999999999,
        words={"OFF": mq.MQMEDIMGINTVL_OFF},
        about="minutes between media images",
    ),
    Attribute(
        "IMGLOGLN", mq.MQIA_MEDIA_IMAGE_LOG_LENGTH, Kind.INTEGER, mq.MQMEDIMGLOGLN_OFF,
        low=1,
        high=999999999,
        words={"OFF": mq.MQMEDIMGLOGLN_OFF},
        about="megabytes of log between media images",
    ),
    Attribute(
        "IMGRCOVO", mq.MQIA_MEDIA_IMAGE_RECOVER_OBJ, Kind.ENUM, mq.MQIMGRCOV_YES,
        words={"NO": mq.MQIMGRCOV_NO, "YES": mq.MQIMGRCOV_YES},
        about="objects recoverable from media images",
    ),
    Attribute(
        "IMGRCOVQ", mq.MQIA_MEDIA_IMAGE_RECOVER_Q, Kind.ENUM, mq.MQIMGRCOV_YES,
        words={"NO": mq.MQIMGRCOV_NO, "YES": mq.MQIMGRCOV_YES},
        about="queues recoverable from media images",
    ),
    Attribute(
        "IMGSCHED", mq.MQIA_MEDIA_IMAGE_SCHEDULING, Kind.ENUM, mq.MQMEDIMGSCHED_MANUAL,
        words={"AUTO": mq.MQMEDIMGSCHED_AUTO, "MANUAL": mq.MQMEDIMGSCHED_MANUAL},
        about="media images scheduled",
    ),
    Attribute(
        "INHIBTEV", mq.MQIA_INHIBIT_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="inhibit events",
    ),
    Attribute(
        "INITKEY", mq.MQCA_INITIAL_KEY, Kind.STRING, "",
        max_length=mq.MQ_INITIAL_KEY_LENGTH,
        inquirable=False,
        secret=True,
        about="key that protects stored passwords",
    ),
    Attribute(
        "IPADDRV", mq.MQIA_IP_ADDRESS_VERSION, Kind.ENUM, mq.MQIPADDR_IPV4,
        words={"IPV4": mq.MQIPADDR_IPV4, "IPV6": mq.MQIPADDR_IPV6},
        about="preferred IP version",
    ),
    Attribute(
        "LOCALEV", mq.MQIA_LOCAL_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="local error events",
    ),
    Attribute(
        "LOGGEREV", mq.MQIA_LOGGER_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="logger events; needs linear logging",
    ),
    Attribute(
        "MARKINT", mq.MQIA_MSG_MARK_BROWSE_INTERVAL, Kind.INTEGER, 5000,
        high=999999999,
        words={"NOLIMIT": mq.MQMMBI_UNLIMITED},
        about="milliseconds a browsed message stays marked",
    ),
    Attribute(
        "MAXHANDS", mq.MQIA_MAX_HANDLES, Kind.INTEGER, 256,
        high=999999999,
        about="most handles of a connection",
    ),
    Attribute(
        "MAXMSGL", mq.MQIA_MAX_MSG_LENGTH, Kind.INTEGER, 4194304,
        low=32768,
        high=104857600,
        about="longest message in bytes",
    ),
    Attribute(
        "MAXPROPL", mq.MQIA_MAX_PROPERTIES_LENGTH, Kind.INTEGER, mq.MQPROP_UNRESTRICTED_LENGTH,
        high=104857600,
        words={"NOLIMIT": mq.MQPROP_UNRESTRICTED_LENGTH},
        about="longest message properties in bytes",
    ),
    Attribute(
        "MAXPRTY", mq.MQIA_MAX_PRIORITY, Kind.INTEGER, 9,
        low=9,
        high=9,
        source=Source.SYSTEM,
        about="highest priority",
    ),
    Attribute(
        "MAXUMSGS", mq.MQIA_MAX_UNCOMMITTED_MSGS, Kind.INTEGER, 10000,
        low=1,
        high=999999999,
        about="most uncommitted messages of a unit of work",
    ),
    Attribute(
        "MONACLS", mq.MQIA_MONITORING_AUTO_CLUSSDR, Kind.ENUM, mq.MQMON_Q_MGR,
        words={
            "QMGR": mq.MQMON_Q_MGR,
            "NONE": mq.MQMON_NONE,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        about="monitoring of automatic cluster-sender channels",
    ),
    Attribute(
        "MONCHL", mq.MQIA_MONITORING_CHANNEL, Kind.ENUM, mq.MQMON_OFF,
        words={
            "NONE": mq.MQMON_NONE,
            "OFF": mq.MQMON_OFF,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        about="monitoring of channels",
    ),
    Attribute(
        "MONQ", mq.MQIA_MONITORING_Q, Kind.ENUM, mq.MQMON_OFF,
        words={
            "NONE": mq.MQMON_NONE,
            "OFF": mq.MQMON_OFF,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        about="monitoring of queues",
    ),
    Attribute(
        "PARENT", mq.MQCA_PARENT, Kind.NAME, "",
        max_length=mq.MQ_Q_MGR_NAME_LENGTH,
        about="parent in a publish/subscribe hierarchy",
    ),
    Attribute(
        "PERFMEV", mq.MQIA_PERFORMANCE_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="performance events",
    ),
    Attribute(
        "PLATFORM", mq.MQIA_PLATFORM, Kind.ENUM, mq.MQPL_UNIX,
        words={
            "UNIX": mq.MQPL_UNIX,
            "WINDOWSNT": mq.MQPL_WINDOWS_NT,
            "OS400": mq.MQPL_OS400,
            "MVS": mq.MQPL_MVS,
            "APPLIANCE": mq.MQPL_APPLIANCE,
        },
        source=Source.SYSTEM,
        about="platform",
    ),
    Attribute(
        "PSMODE", mq.MQIA_PUBSUB_MODE, Kind.ENUM, mq.MQPSM_ENABLED,
        words={"ENABLED": mq.MQPSM_ENABLED, "COMPAT": mq.MQPSM_COMPAT, "DISABLED": mq.MQPSM_DISABLED},
        about="publish/subscribe engine",
    ),
    Attribute(
        "PSCLUS", mq.MQIA_PUBSUB_CLUSTER, Kind.ENUM, mq.MQPSCLUS_ENABLED,
        words={"ENABLED": mq.MQPSCLUS_ENABLED, "DISABLED": mq.MQPSCLUS_DISABLED},
        about="publish/subscribe clusters",
    ),
    Attribute(
        "PSNPMSG", mq.MQIA_PUBSUB_NP_MSG, Kind.ENUM, mq.MQUNDELIVERED_DISCARD,
        words={"DISCARD": mq.MQUNDELIVERED_DISCARD, "KEEP": mq.MQUNDELIVERED_KEEP},
        about="non-persistent publications that cannot be processed",
    ),
    Attribute(
        "PSNPRES", mq.MQIA_PUBSUB_NP_RESP, Kind.ENUM, mq.MQUNDELIVERED_NORMAL,
        words={
            "NORMAL": mq.MQUNDELIVERED_NORMAL,
            "SAFE": mq.MQUNDELIVERED_SAFE,
            "DISCARD": mq.MQUNDELIVERED_DISCARD,
            "KEEP": mq.MQUNDELIVERED_KEEP,
        },
        about="non-persistent responses that cannot be delivered",
    ),
    Attribute(
        "PSRTYCNT", mq.MQIA_PUBSUB_MAXMSG_RETRY_COUNT, Kind.INTEGER, 5,
        high=999999999,
        about="tries for a failed command message",
    ),
    Attribute(
        "PSSYNCPT", mq.MQIA_PUBSUB_SYNC_PT, Kind.ENUM, mq.MQSYNCPOINT_IFPER,
        words={"IFPER": mq.MQSYNCPOINT_IFPER, "YES": mq.MQSYNCPOINT_YES},
        about="publish/subscribe under syncpoint",
    ),
    Attribute(
        "QMID", mq.MQCA_Q_MGR_IDENTIFIER, Kind.STRING, "",
        max_length=mq.MQ_Q_MGR_IDENTIFIER_LENGTH,
        source=Source.SYSTEM,
        about="identifier of the queue manager",
    ),
    Attribute(
        "REMOTEEV", mq.MQIA_REMOTE_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="remote error events",
    ),
    Attribute(
        "REPOS", mq.MQCA_REPOSITORY_NAME, Kind.NAME, "",
        max_length=mq.MQ_CLUSTER_NAME_LENGTH,
        about="cluster this is a full repository for",
    ),
    Attribute(
        "REPOSNL", mq.MQCA_REPOSITORY_NAMELIST, Kind.NAME, "",
        max_length=mq.MQ_NAMELIST_NAME_LENGTH,
        about="namelist of clusters this is a full repository for",
    ),
    Attribute(
        "REVDNS", mq.MQIA_REVERSE_DNS_LOOKUP, Kind.ENUM, mq.MQRDNS_ENABLED,
        words={"ENABLED": mq.MQRDNS_ENABLED, "DISABLED": mq.MQRDNS_DISABLED},
        about="reverse name lookup",
    ),
    Attribute(
        "ROUTEREC", mq.MQIA_TRACE_ROUTE_RECORDING, Kind.ENUM, mq.MQRECORDING_MSG,
        words={"DISABLED": mq.MQRECORDING_DISABLED, "MSG": mq.MQRECORDING_MSG, "QUEUE": mq.MQRECORDING_Q},
        about="trace-route recording",
    ),
    Attribute(
        "SCHINIT", mq.MQIA_CHINIT_CONTROL, Kind.ENUM, mq.MQSVC_CONTROL_Q_MGR,
        words={"QMGR": mq.MQSVC_CONTROL_Q_MGR, "MANUAL": mq.MQSVC_CONTROL_MANUAL},
        about="start of the channel initiator",
    ),
    Attribute(
        "SCMDSERV", mq.MQIA_CMD_SERVER_CONTROL, Kind.ENUM, mq.MQSVC_CONTROL_Q_MGR,
        words={"QMGR": mq.MQSVC_CONTROL_Q_MGR, "MANUAL": mq.MQSVC_CONTROL_MANUAL},
        about="start of the command server",
    ),
    Attribute(
        "SPLCAP", mq.MQIA_PROT_POLICY_CAPABILITY, Kind.ENUM, mq.MQCAP_NOT_SUPPORTED,
        words={"ENABLED": mq.MQCAP_SUPPORTED, "DISABLED": mq.MQCAP_NOT_SUPPORTED},
        source=Source.SYSTEM,
        about="message protection present",
    ),
    Attribute(
        "SSLCRLNL", mq.MQCA_SSL_CRL_NAMELIST, Kind.NAME, "",
        max_length=mq.MQ_NAMELIST_NAME_LENGTH,
        about="namelist of revocation servers",
    ),
    Attribute(
        "SSLCRYP", mq.MQCA_SSL_CRYPTO_HARDWARE, Kind.STRING, "",
        max_length=mq.MQ_SSL_CRYPTO_HARDWARE_LENGTH,
        about="cryptographic hardware",
    ),
    Attribute(
        "SSLEV", mq.MQIA_SSL_EVENT, Kind.ENUM, mq.MQEVR_DISABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="TLS events",
    ),
    Attribute(
        "SSLFIPS", mq.MQIA_SSL_FIPS_REQUIRED, Kind.ENUM, mq.MQSSL_FIPS_NO,
        words={"NO": mq.MQSSL_FIPS_NO, "YES": mq.MQSSL_FIPS_YES},
        about="only certified cryptography",
    ),
    Attribute(
        "KEYRPWD", mq.MQCA_SSL_KEY_REPO_PASSWORD, Kind.STRING, "",
        max_length=mq.MQ_SSL_KEY_PASSPHRASE_LENGTH,
        inquirable=False,
        secret=True,
        about="password of the key repository",
    ),
    Attribute(
        "SSLKEYR", mq.MQCA_SSL_KEY_REPOSITORY, Kind.STRING, "",
        max_length=mq.MQ_SSL_KEY_REPOSITORY_LENGTH,
        about="key repository",
    ),
    Attribute(
        "SSLRKEYC", mq.MQIA_SSL_RESET_COUNT, Kind.INTEGER, 0,
        high=999999999,
        about="bytes until a new secret key; 0 is never",
    ),
    Attribute(
        "STATACLS", mq.MQIA_STATISTICS_AUTO_CLUSSDR, Kind.ENUM, mq.MQMON_Q_MGR,
        words={
            "QMGR": mq.MQMON_Q_MGR,
            "NONE": mq.MQMON_NONE,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        about="statistics of automatic cluster-sender channels",
    ),
    Attribute(
        "STATCHL", mq.MQIA_STATISTICS_CHANNEL, Kind.ENUM, mq.MQMON_OFF,
        words={
            "NONE": mq.MQMON_NONE,
            "OFF": mq.MQMON_OFF,
            "LOW": mq.MQMON_LOW,
            "MEDIUM": mq.MQMON_MEDIUM,
            "HIGH": mq.MQMON_HIGH,
        },
        about="statistics of channels",
    ),
    Attribute(
        "STATINT", mq.MQIA_STATISTICS_INTERVAL, Kind.INTEGER, 1800,
        low=1,
        high=604800,
        about="seconds between statistics records",
    ),
    Attribute(
        "STATMQI", mq.MQIA_STATISTICS_MQI, Kind.ENUM, mq.MQMON_OFF,
        words={"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON},
        about="MQI statistics",
    ),
    Attribute(
        "STATQ", mq.MQIA_STATISTICS_Q, Kind.ENUM, mq.MQMON_OFF,
        words={"NONE": mq.MQMON_NONE, "OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON},
        about="statistics of queues",
    ),
    Attribute(
        "STRSTPEV", mq.MQIA_START_STOP_EVENT, Kind.ENUM, mq.MQEVR_ENABLED,
        words={"DISABLED": mq.MQEVR_DISABLED, "ENABLED": mq.MQEVR_ENABLED},
        about="start and stop events",
    ),
    Attribute(
        "SUITEB", mq.MQIA_SUITE_B_STRENGTH, Kind.ENUM_LIST, (mq.MQ_SUITE_B_NONE,),
        words={
            "NONE": mq.MQ_SUITE_B_NONE,
            "128_BIT": mq.MQ_SUITE_B_128_BIT,
            "192_BIT": mq.MQ_SUITE_B_192_BIT,
        },
        max_items=2,
        inquirable=False,
        about="Suite B strength",
    ),
    Attribute(
        "SYNCPT", mq.MQIA_SYNCPOINT, Kind.ENUM, mq.MQSP_AVAILABLE,
        words={"SYNCPT": mq.MQSP_AVAILABLE},
        source=Source.SYSTEM,
        about="units of work supported",
    ),
    Attribute(
        "TREELIFE", mq.MQIA_TREE_LIFE_TIME, Kind.INTEGER, 1800,
        high=604000,
        about="seconds an unused topic node lives; 0 is for ever",
    ),
    Attribute(
        "TRIGINT", mq.MQIA_TRIGGER_INTERVAL, Kind.INTEGER, 999999999,
        high=999999999,
        about="milliseconds after which TRIGTYPE(FIRST) may trigger again",
    ),
    Attribute(
        "VERSION", mq.MQCA_VERSION, Kind.STRING, "10000100",
        max_length=mq.MQ_VERSION_LENGTH,
        source=Source.SYSTEM,
        about="version",
    ),
    Attribute(
        "XRCAP", mq.MQIA_XR_CAPABILITY, Kind.ENUM, mq.MQCAP_NOT_SUPPORTED,
        words={"NO": mq.MQCAP_NOT_SUPPORTED, "YES": mq.MQCAP_SUPPORTED},
        source=Source.SYSTEM,
        about="telemetry present",
    ),
)
