"""Which AMQ message tells of a reason code."""

from __future__ import annotations

from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

# Those whose one insert is the name of the object
_NAMED: dict[int, int] = {
    C.MQRC_UNKNOWN_OBJECT_NAME: 8147,
    C.MQRC_UNKNOWN_ALIAS_BASE_Q: 8147,
    C.MQRC_NO_SUBSCRIPTION: 8147,
    C.MQRC_OBJECT_IN_USE: 8148,
    C.MQRC_OBJECT_DAMAGED: 8149,
    C.MQRCCF_OBJECT_ALREADY_EXISTS: 8150,
    C.MQRC_OBJECT_ALREADY_EXISTS: 8150,
    C.MQRCCF_OBJECT_WRONG_TYPE: 8151,
    C.MQRC_Q_NOT_EMPTY: 8143,
    C.MQRCCF_CHANNEL_ALREADY_EXISTS: 8226,
    C.MQRCCF_CHANNEL_NOT_FOUND: 8227,
    C.MQRCCF_WRONG_CHANNEL_TYPE: 8229,
    C.MQRCCF_CHL_STATUS_NOT_FOUND: 8420,
    C.MQRCCF_CONNECTION_ID_ERROR: 8461,
    C.MQRCCF_LISTENER_RUNNING: 8730,
    C.MQRCCF_LISTENER_STOPPED: 8731,
    C.MQRCCF_SERVICE_RUNNING: 8736,
    C.MQRCCF_SERVICE_STOPPED: 8732,
    C.MQRC_UNKNOWN_ENTITY: 8871,
    C.MQRCCF_CHANNEL_IN_USE: 9514,
    C.MQRCCF_CHANNEL_NOT_ACTIVE: 9533,
    C.MQRCCF_NONE_FOUND: 8865,
}
# Those whose one insert is what went wrong
_DETAILED: dict[int, int] = {
    C.MQRCCF_PARM_MISSING: 8421,
    C.MQRCCF_OBJECT_NAME_ERROR: 8424,
    C.MQRCCF_CHANNEL_NAME_ERROR: 8424,
    C.MQRCCF_WRONG_CHLAUTH_TYPE: 8886,
    C.MQRCCF_WRONG_CHLAUTH_ACTION: 8885,
    C.MQRC_RESOURCE_PROBLEM: 8140,
    C.MQRC_NOT_AUTHORIZED: 8135,
    C.MQRC_SECURITY_ERROR: 8157,
    C.MQRCCF_SSL_CIPHER_SPEC_ERROR: 8242,
    C.MQRCCF_MISSING_CONN_NAME: 8214,
}
# Those that have both
_NAMED_AND_DETAILED: dict[int, int] = {
    C.MQRCCF_CHANNEL_INDOUBT: 9507,
    C.MQRCCF_CHANNEL_TYPE_ERROR: 9502,
    C.MQRCCF_PING_ERROR: 9512,
}
_PLAIN: dict[int, int] = {
    C.MQRC_CONNECTION_BROKEN: 8145,
    C.MQRC_Q_MGR_QUIESCING: 8156,
    C.MQRC_STORAGE_MEDIUM_FULL: 8153,
    C.MQRC_STORAGE_NOT_AVAILABLE: 8139,
    C.MQRCCF_CHLAUTH_NOT_FOUND: 8884,
}

# Those that are about no parameter
_PLAINLY = frozenset(
    {
        C.MQRC_ENVIRONMENT_ERROR, C.MQRCCF_COMMAND_FAILED, C.MQRCCF_NO_START_CMD, C.MQRC_FUNCTION_NOT_SUPPORTED,
        C.MQRCCF_LOG_TYPE_ERROR, C.MQRC_UNEXPECTED_ERROR, C.MQRCCF_CHANNEL_INITIATOR_ERROR,
        C.MQRCCF_LISTENER_CONFLICT, C.MQRCCF_EVENTS_DISABLED,
    }
)  # fmt: skip


def failure_message(error: MQError) -> AmqMessage:
    """What MQSC prints, with what the error itself has to say where the message has no room for it."""
    number = _NAMED.get(error.reason)
    if number is not None:
        return amq(number, error.object_name)
    number = _PLAIN.get(error.reason)
    if number is not None:
        return amq(number)
    detail = error.detail or str(error)
    number = _NAMED_AND_DETAILED.get(error.reason)
    if number is not None:
        return amq(number, error.object_name, detail)
    number = _DETAILED.get(error.reason)
    if number == 8135:
        return amq(number, f": {detail}")
    if number in (8140, 8157):
        return amq(number, f": {detail}")
    if number is not None:
        return amq(number, detail)
    if error.reason in _PLAINLY:
        return amq(8498, detail)
    return amq(8425, detail)
