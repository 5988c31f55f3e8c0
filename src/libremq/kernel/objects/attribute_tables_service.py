"""The attributes of what the queue manager starts and ends: listeners and services. Data only, in display order."""

from __future__ import annotations

from libremq.kernel.objects.attribute_rows import ALTDATE, ALTTIME, choice, identity, number, text
from libremq.kernel.objects.attributes import Attribute, Effect
from libremq.mqi import constants as mq

LISTENER_ATTRIBUTES: tuple[Attribute, ...] = (
    identity("LISTENER", mq.MQCACH_LISTENER_NAME, mq.MQ_LISTENER_NAME_LENGTH, "name of the listener"),
    choice(
        "CONTROL",
        mq.MQIACH_LISTENER_CONTROL,
        mq.MQSVC_CONTROL_MANUAL,
        {"MANUAL": mq.MQSVC_CONTROL_MANUAL, "QMGR": mq.MQSVC_CONTROL_Q_MGR, "STARTONLY": mq.MQSVC_CONTROL_Q_MGR_START},
        "QMGR starts and ends with the queue manager, STARTONLY only starts with it, MANUAL neither",
    ),
    choice(
        "TRPTYPE",
        mq.MQIACH_XMIT_PROTOCOL_TYPE,
        mq.MQXPT_TCP,
        {"TCP": mq.MQXPT_TCP},
        "transport",
        value_reason=mq.MQRCCF_XMIT_PROTOCOL_TYPE_ERR,
    ),
    number(
        "PORT", mq.MQIACH_PORT, 0, 0, 65535, "port to listen on; 0 is 1414", value_reason=mq.MQRCCF_PORT_NUMBER_ERROR
    ),
    text(
        "IPADDR",
        mq.MQCACH_IP_ADDRESS,
        mq.MQ_IP_ADDRESS_LENGTH,
        "address or host name to listen on; blank is this machine only, * is all addresses",
    ),
    number(
        "BACKLOG",
        mq.MQIACH_BACKLOG,
        0,
        0,
        999999999,
        "connections that may wait to be accepted; 0 is 100",
        value_reason=mq.MQRCCF_BACKLOG_OUT_OF_RANGE,
    ),
    text("DESCR", mq.MQCACH_LISTENER_DESC, mq.MQ_LISTENER_DESC_LENGTH, "free description", effect=Effect.FOR_OTHERS),
    ALTDATE,
    ALTTIME,
)

SERVICE_ATTRIBUTES: tuple[Attribute, ...] = (
    identity("SERVICE", mq.MQCA_SERVICE_NAME, mq.MQ_OBJECT_NAME_LENGTH, "name of the service"),
    choice(
        "CONTROL",
        mq.MQIA_SERVICE_CONTROL,
        mq.MQSVC_CONTROL_MANUAL,
        {"MANUAL": mq.MQSVC_CONTROL_MANUAL, "QMGR": mq.MQSVC_CONTROL_Q_MGR, "STARTONLY": mq.MQSVC_CONTROL_Q_MGR_START},
        "QMGR starts and ends with the queue manager, STARTONLY only starts with it, MANUAL neither",
    ),
    choice(
        "SERVTYPE",
        mq.MQIA_SERVICE_TYPE,
        mq.MQSVC_TYPE_COMMAND,
        {"COMMAND": mq.MQSVC_TYPE_COMMAND, "SERVER": mq.MQSVC_TYPE_SERVER},
        "SERVER runs once at a time and has a status; COMMAND may run many times and has none",
    ),
    text(
        "STARTCMD", mq.MQCA_SERVICE_START_COMMAND, mq.MQ_SERVICE_COMMAND_LENGTH, "program to start, with its full path"
    ),
    text("STARTARG", mq.MQCA_SERVICE_START_ARGS, mq.MQ_SERVICE_ARGS_LENGTH, "its arguments"),
    text(
        "STOPCMD",
        mq.MQCA_SERVICE_STOP_COMMAND,
        mq.MQ_SERVICE_COMMAND_LENGTH,
        "program that ends the service; blank ends the process itself",
    ),
    text("STOPARG", mq.MQCA_SERVICE_STOP_ARGS, mq.MQ_SERVICE_ARGS_LENGTH, "its arguments"),
    text("STDOUT", mq.MQCA_STDOUT_DESTINATION, mq.MQ_SERVICE_PATH_LENGTH, "file for what the programs print"),
    text("STDERR", mq.MQCA_STDERR_DESTINATION, mq.MQ_SERVICE_PATH_LENGTH, "file for what the programs print as errors"),
    text("DESCR", mq.MQCA_SERVICE_DESC, mq.MQ_SERVICE_DESC_LENGTH, "free description", effect=Effect.FOR_OTHERS),
    ALTDATE,
    ALTTIME,
)
