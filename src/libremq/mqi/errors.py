"""Errors of the MQI: one exception class, with subclasses named after what went wrong.

Every error carries `.reason`, the MQRC number a program may test, and `.comp_code`. Its text is made only when
someone asks for it, because a getter that polls an empty queue makes many errors nobody reads. `mq_error` picks
the class for a reason.
"""

from __future__ import annotations

from libremq.mqi import constants as C


class MQError(Exception):
    """A call ended with a warning or failed; `reason` says why, `object_name` on which object."""

    def __init__(self, reason: int, comp_code: int = C.MQCC_FAILED, object_name: str = "", detail: str = "") -> None:
        # All four in args: that is what pickle and copy rebuild the error from.
        super().__init__(reason, comp_code, object_name, detail)
        self.reason = reason
        self.comp_code = comp_code
        self.object_name = object_name
        self.detail = detail

    @property
    def name(self) -> str:
        """The name of the reason, such as "MQRC_NO_MSG_AVAILABLE"."""
        from libremq.mqi.constant_names import names_of

        tables = (names_of("MQRC"), names_of("MQRCCF"), names_of("MQFB"))  # feedback: why a message went no further
        return next((table[self.reason] for table in tables if self.reason in table), "MQRC")

    def __str__(self) -> str:
        from libremq.mqi.reasons import find_reason

        explained = find_reason(self.reason)
        head = f"{self.name} ({self.reason})"
        if self.object_name:
            head += f" {self.object_name}"
        means = self.detail or (explained.means if explained else "")
        if not means:
            return head
        if means[-1] not in ".!?":
            means += "."
        return f"{head}: {means} {explained.do}" if explained else f"{head}: {means}"

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(reason={self.reason}, comp_code={self.comp_code}, "
            f"object_name={self.object_name!r}, detail={self.detail!r})"
        )


class NoMessageAvailable(MQError):
    """No message matches, or none came before the wait ended."""


class UnknownObject(MQError):
    """The object, queue manager, model or base queue that was named does not exist."""


class ObjectExists(MQError):
    """An object of that name exists already."""


class ObjectInUse(MQError):
    """Someone has the object open in a way that does not go with what was asked."""


class ObjectChanged(MQError):
    """The object was changed or deleted after it was opened; open it again."""


class ObjectDamaged(MQError):
    """The object cannot be read any more; recover or delete it."""


class ObjectTypeError(MQError):
    """The object is not of the kind this call, or the definition that leads to it, needs."""


class InvalidName(MQError):
    """A name has characters or a length that MQ does not allow."""


class InvalidAttribute(MQError):
    """An attribute of an object is unknown, cannot be changed, or has a value that is not permitted."""


class NotAuthorized(MQError):
    """The user has not the authority, or the credentials were refused."""


class QueueFull(MQError):
    """The queue holds as many messages as it may."""


class QueueNotEmpty(MQError):
    """The queue still has messages or uncommitted work, so it cannot be deleted."""


class MessageTooBig(MQError):
    """The message is longer than a limit allows."""


class TruncatedMessage(MQError):
    """The message is longer than the buffer."""


class ConversionFailed(MQError):
    """The message is there, but its data could not be converted."""


class PutInhibited(MQError):
    """Puts are switched off for the queue."""


class GetInhibited(MQError):
    """Gets are switched off for the queue."""


class ConnectionBroken(MQError):
    """The connection to the queue manager is lost."""


class QueueManagerNotAvailable(MQError):
    """There is no running queue manager of that name here, or it takes no connections."""


class QueueManagerStopping(MQError):
    """The queue manager is quiescing or stopping."""


class UnitOfWorkBackedOut(MQError):
    """The unit of work could not be committed and was undone."""


class UnitOfWorkError(MQError):
    """The call does not fit the state of the unit of work, or its outcome is mixed or open."""


class StorageFull(MQError):
    """Disk, log, memory or another resource is used up."""


class SelectorError(MQError):
    """The selection string is not valid, or not allowed here."""


class PropertyError(MQError):
    """A message property has a name, type or value that is not valid."""


class PropertyNotFound(PropertyError):
    """The message has no such property."""


class HandleError(MQError):
    """A connection, object, subscription or message handle is not valid (any more)."""


class NotOpenFor(HandleError):
    """The object was opened without the option this call needs."""


class OptionsError(MQError):
    """Options are unknown, contradict each other, or do not suit the object."""


class StructureError(MQError):
    """A structure passed to a call, or found in a message, is not valid."""


class MessageDescriptorError(MQError):
    """A value in the message descriptor is not valid."""


class GroupError(MQError):
    """Messages in groups or segments are incomplete or out of step."""


class LimitReached(MQError):
    """A limit on connections, handles or uncommitted messages is reached."""


class CallInProgress(MQError):
    """Another call, or asynchronous consumption, has the connection."""


_REASONS_OF: dict[type[MQError], tuple[int, ...]] = {
    NoMessageAvailable: (
        C.MQRC_NO_MSG_AVAILABLE,
        C.MQRC_NO_MSG_UNDER_CURSOR,
        C.MQRC_HOBJ_QUIESCED_NO_MSGS,
    ),
    UnknownObject: (
        C.MQRC_UNKNOWN_ALIAS_BASE_Q,
        C.MQRC_UNKNOWN_OBJECT_NAME,
        C.MQRC_UNKNOWN_OBJECT_Q_MGR,
        C.MQRC_UNKNOWN_REMOTE_Q_MGR,
        C.MQRC_UNKNOWN_XMIT_Q,
        C.MQRC_UNKNOWN_DEF_XMIT_Q,
        C.MQRC_UNKNOWN_Q_NAME,
        C.MQRC_UNKNOWN_CHANNEL_NAME,
        C.MQRCCF_CHANNEL_NOT_FOUND,
        C.MQRC_NO_SUBSCRIPTION,
        C.MQRC_Q_DELETED,
    ),
    ObjectExists: (
        C.MQRC_OBJECT_ALREADY_EXISTS,
        C.MQRC_Q_ALREADY_EXISTS,
        C.MQRC_SUB_ALREADY_EXISTS,
        C.MQRC_NAME_IN_USE,
        C.MQRCCF_OBJECT_ALREADY_EXISTS,
        C.MQRCCF_CHANNEL_ALREADY_EXISTS,
    ),
    ObjectInUse: (
        C.MQRC_OBJECT_IN_USE,
        C.MQRC_SUBSCRIPTION_IN_USE,
    ),
    ObjectChanged: (
        C.MQRC_OBJECT_CHANGED,
        C.MQRC_ALIAS_TARGTYPE_CHANGED,
    ),
    ObjectDamaged: (C.MQRC_OBJECT_DAMAGED,),
    ObjectTypeError: (
        C.MQRC_OBJECT_TYPE_ERROR,
        C.MQRC_Q_TYPE_ERROR,
        C.MQRC_ALIAS_BASE_Q_TYPE_ERROR,
        C.MQRC_XMIT_Q_TYPE_ERROR,
        C.MQRC_XMIT_Q_USAGE_ERROR,
        C.MQRC_DEF_XMIT_Q_TYPE_ERROR,
        C.MQRC_DEF_XMIT_Q_USAGE_ERROR,
        C.MQRC_NAME_NOT_VALID_FOR_TYPE,
        C.MQRCCF_OBJECT_WRONG_TYPE,
        C.MQRCCF_LIKE_OBJECT_WRONG_TYPE,
        C.MQRCCF_WRONG_CHANNEL_TYPE,
    ),
    InvalidName: (
        C.MQRC_OBJECT_NAME_ERROR,
        C.MQRC_OBJECT_Q_MGR_NAME_ERROR,
        C.MQRC_REMOTE_Q_NAME_ERROR,
        C.MQRC_DYNAMIC_Q_NAME_ERROR,
        C.MQRC_OBJECT_STRING_ERROR,
        C.MQRC_TOPIC_STRING_ERROR,
        C.MQRC_SUB_NAME_ERROR,
        C.MQRCCF_OBJECT_NAME_ERROR,
        C.MQRCCF_CHANNEL_NAME_ERROR,
    ),
    InvalidAttribute: (
        C.MQRC_SELECTOR_ERROR,
        C.MQRC_SELECTOR_NOT_FOR_TYPE,
        C.MQRCCF_ATTR_VALUE_ERROR,
        C.MQRCCF_ATTR_VALUE_FIXED,
        C.MQRCCF_CFIN_PARM_ID_ERROR,
        C.MQRCCF_CFIN_DUPLICATE_PARM,
        C.MQRCCF_CFST_DUPLICATE_PARM,
        C.MQRCCF_CFST_STRING_LENGTH_ERR,
        C.MQRCCF_CFSL_COUNT_ERROR,
        C.MQRCCF_CLUSTER_NAME_CONFLICT,
        C.MQRCCF_REPOS_NAME_CONFLICT,
        C.MQRCCF_CLUSTER_Q_USAGE_ERROR,
        C.MQRCCF_CLUS_XMIT_Q_USAGE_ERROR,
        C.MQRCCF_CELL_DIR_NOT_AVAILABLE,
        C.MQRCCF_DEF_XMIT_Q_CLUS_ERROR,
        C.MQRCCF_CHANNEL_TYPE_ERROR,
        C.MQRCCF_CHANNEL_TABLE_ERROR,
        C.MQRCCF_CHL_INST_TYPE_ERROR,
        C.MQRCCF_INDOUBT_VALUE_ERROR,
        C.MQRCCF_MODE_VALUE_ERROR,
        C.MQRCCF_MSG_SEQ_NUMBER_ERROR,
        C.MQRCCF_PING_DATA_COUNT_ERROR,
        C.MQRCCF_XMIT_PROTOCOL_TYPE_ERR,
        C.MQRCCF_DISC_INT_ERROR,
        C.MQRCCF_HB_INTERVAL_ERROR,
        C.MQRCCF_KEEP_ALIVE_INT_ERROR,
        C.MQRCCF_MAX_INSTANCES_ERROR,
        C.MQRCCF_MAX_INSTS_PER_CLNT_ERR,
        C.MQRCCF_MAX_MSG_LENGTH_ERROR,
        C.MQRCCF_RCV_EXIT_NAME_ERROR,
        C.MQRCCF_SEC_EXIT_NAME_ERROR,
        C.MQRCCF_SEND_EXIT_NAME_ERROR,
        C.MQRCCF_SHARING_CONVS_ERROR,
        C.MQRCCF_SSL_CIPHER_SPEC_ERROR,
        C.MQRCCF_SSL_CLIENT_AUTH_ERROR,
        C.MQRCCF_SSL_PEER_NAME_ERROR,
        C.MQRCCF_PORT_NUMBER_ERROR,
        C.MQRCCF_BACKLOG_OUT_OF_RANGE,
        C.MQRCCF_MISSING_CONN_NAME,
        C.MQRCCF_CONN_NAME_ERROR,
        C.MQRCCF_XMIT_Q_NAME_ERROR,
        C.MQRCCF_PARM_MISSING,
        C.MQRCCF_TOPICSTR_ALREADY_EXISTS,
        C.MQRCCF_TOPIC_TYPE_ERROR,
        C.MQRCCF_COMM_INFO_TYPE_ERROR,
        C.MQRCCF_BATCH_INT_ERROR,
        C.MQRCCF_BATCH_SIZE_ERROR,
        C.MQRCCF_DATA_CONV_VALUE_ERROR,
        C.MQRCCF_LONG_RETRY_ERROR,
        C.MQRCCF_LONG_TIMER_ERROR,
        C.MQRCCF_MCA_NAME_ERROR,
        C.MQRCCF_MCA_TYPE_ERROR,
        C.MQRCCF_MR_EXIT_NAME_ERROR,
        C.MQRCCF_MR_COUNT_ERROR,
        C.MQRCCF_MR_INTERVAL_ERROR,
        C.MQRCCF_MSG_EXIT_NAME_ERROR,
        C.MQRCCF_NET_PRIORITY_ERROR,
        C.MQRCCF_NPM_SPEED_ERROR,
        C.MQRCCF_PUT_AUTH_ERROR,
        C.MQRCCF_SEQ_NUMBER_WRAP_ERROR,
        C.MQRCCF_SHORT_RETRY_ERROR,
        C.MQRCCF_SHORT_TIMER_ERROR,
        C.MQRCCF_USE_CLIENT_ID_ERROR,
        C.MQRCCF_CCSID_ERROR,
        C.MQRCCF_ENCODING_ERROR,
        C.MQRCCF_CHLAUTH_NAME_ERROR,
        C.MQRCCF_CHLAUTH_TYPE_ERROR,
        C.MQRCCF_CHLAUTH_CLNTUSER_ERROR,
        C.MQRCCF_CHLAUTH_USERSRC_ERROR,
        C.MQRCCF_CHLAUTH_CHKCLI_ERROR,
        C.MQRCCF_CHLAUTH_WARN_ERROR,
        C.MQRCCF_PROFILE_NAME_ERROR,
        C.MQRCCF_AUTH_VALUE_ERROR,
        C.MQRCCF_CFBS_STRING_LENGTH_ERR,
    ),
    NotAuthorized: (
        C.MQRC_NOT_AUTHORIZED,
        C.MQRC_SECURITY_ERROR,
        C.MQRC_CONNECTION_NOT_AUTHORIZED,
        C.MQRC_NOT_PRIVILEGED,
    ),
    QueueFull: (C.MQRC_Q_FULL,),
    QueueNotEmpty: (C.MQRC_Q_NOT_EMPTY,),
    MessageTooBig: (
        C.MQRC_MSG_TOO_BIG_FOR_Q,
        C.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
        C.MQRC_MSG_TOO_BIG_FOR_CHANNEL,
        C.MQRC_DATA_LENGTH_ERROR,
    ),
    TruncatedMessage: (
        C.MQRC_TRUNCATED_MSG_ACCEPTED,
        C.MQRC_TRUNCATED_MSG_FAILED,
    ),
    ConversionFailed: (
        C.MQRC_FORMAT_ERROR,
        C.MQRC_SOURCE_CCSID_ERROR,
        C.MQRC_SOURCE_INTEGER_ENC_ERROR,
        C.MQRC_SOURCE_DECIMAL_ENC_ERROR,
        C.MQRC_SOURCE_FLOAT_ENC_ERROR,
        C.MQRC_TARGET_CCSID_ERROR,
        C.MQRC_TARGET_INTEGER_ENC_ERROR,
        C.MQRC_TARGET_DECIMAL_ENC_ERROR,
        C.MQRC_TARGET_FLOAT_ENC_ERROR,
        C.MQRC_NOT_CONVERTED,
        C.MQRC_CONVERTED_MSG_TOO_BIG,
        C.MQRC_CONVERTED_STRING_TOO_BIG,
        C.MQRC_PARTIALLY_CONVERTED,
        C.MQRC_CHAR_CONVERSION_ERROR,
        C.MQRC_UCS2_CONVERSION_ERROR,
        C.MQRC_DBCS_ERROR,
    ),
    PutInhibited: (
        C.MQRC_PUT_INHIBITED,
        C.MQRC_CLUSTER_PUT_INHIBITED,
    ),
    GetInhibited: (C.MQRC_GET_INHIBITED,),
    ConnectionBroken: (
        C.MQRC_CONNECTION_BROKEN,
        C.MQRC_CONNECTION_ERROR,
        C.MQRC_RECONNECT_FAILED,
        C.MQRC_RECONNECT_TIMED_OUT,
        C.MQRC_CALL_INTERRUPTED,
    ),
    QueueManagerNotAvailable: (
        C.MQRC_Q_MGR_NOT_AVAILABLE,
        C.MQRC_Q_MGR_NAME_ERROR,
        C.MQRC_HOST_NOT_AVAILABLE,
        C.MQRC_CHANNEL_NOT_AVAILABLE,
        C.MQRC_CONNECTION_NOT_AVAILABLE,
        C.MQRC_STANDBY_Q_MGR,
    ),
    QueueManagerStopping: (
        C.MQRC_Q_MGR_QUIESCING,
        C.MQRC_Q_MGR_STOPPING,
        C.MQRC_CONNECTION_QUIESCING,
        C.MQRC_CONNECTION_STOPPING,
    ),
    UnitOfWorkBackedOut: (C.MQRC_BACKED_OUT,),
    UnitOfWorkError: (
        C.MQRC_SYNCPOINT_NOT_AVAILABLE,
        C.MQRC_NO_EXTERNAL_PARTICIPANTS,
        C.MQRC_PARTICIPANT_NOT_AVAILABLE,
        C.MQRC_OUTCOME_MIXED,
        C.MQRC_OUTCOME_PENDING,
        C.MQRC_UOW_IN_PROGRESS,
        C.MQRC_INCONSISTENT_UOW,
        C.MQRC_UOW_NOT_AVAILABLE,
        C.MQRC_GLOBAL_UOW_CONFLICT,
        C.MQRC_LOCAL_UOW_CONFLICT,
        C.MQRC_HANDLE_IN_USE_FOR_UOW,
        C.MQRC_UOW_ENLISTMENT_ERROR,
        C.MQRC_UOW_MIX_NOT_SUPPORTED,
        C.MQRC_ASYNC_UOW_CONFLICT,
        C.MQRC_ASYNC_XA_CONFLICT,
        C.MQRC_UNIT_OF_WORK_NOT_STARTED,
    ),
    StorageFull: (
        C.MQRC_Q_SPACE_NOT_AVAILABLE,
        C.MQRC_STORAGE_NOT_AVAILABLE,
        C.MQRC_RESOURCE_PROBLEM,
        C.MQRC_STORAGE_MEDIUM_FULL,
    ),
    SelectorError: (
        C.MQRC_SELECTOR_SYNTAX_ERROR,
        C.MQRC_SELECTOR_ALWAYS_FALSE,
        C.MQRC_SELECTOR_INVALID_FOR_TYPE,
        C.MQRC_SELECTION_STRING_ERROR,
        C.MQRC_SELECTION_NOT_AVAILABLE,
    ),
    PropertyError: (
        C.MQRC_PROPERTY_NAME_ERROR,
        C.MQRC_PROPERTY_NAME_TOO_BIG,
        C.MQRC_PROPERTY_NAME_LENGTH_ERR,
        C.MQRC_PROPERTY_VALUE_TOO_BIG,
        C.MQRC_PROP_VALUE_NOT_CONVERTED,
        C.MQRC_PROP_NAME_NOT_CONVERTED,
        C.MQRC_PROP_TYPE_NOT_SUPPORTED,
        C.MQRC_PROP_CONV_NOT_SUPPORTED,
        C.MQRC_PROP_NUMBER_FORMAT_ERROR,
        C.MQRC_PROPERTY_TYPE_ERROR,
        C.MQRC_PROPERTIES_TOO_BIG,
        C.MQRC_UNSUPPORTED_PROPERTY,
        C.MQRC_MIXED_CONTENT_NOT_ALLOWED,
        C.MQRC_PROPERTIES_DISABLED,
    ),
    PropertyNotFound: (C.MQRC_PROPERTY_NOT_AVAILABLE,),
    HandleError: (
        C.MQRC_HCONN_ERROR,
        C.MQRC_HOBJ_ERROR,
        C.MQRC_HMSG_ERROR,
        C.MQRC_CONTEXT_HANDLE_ERROR,
        C.MQRC_MSG_HANDLE_IN_USE,
    ),
    NotOpenFor: (
        C.MQRC_NOT_OPEN_FOR_BROWSE,
        C.MQRC_NOT_OPEN_FOR_INPUT,
        C.MQRC_NOT_OPEN_FOR_INQUIRE,
        C.MQRC_NOT_OPEN_FOR_OUTPUT,
        C.MQRC_NOT_OPEN_FOR_SET,
        C.MQRC_NOT_OPEN_FOR_PASS_ALL,
        C.MQRC_NOT_OPEN_FOR_PASS_IDENT,
        C.MQRC_NOT_OPEN_FOR_SET_ALL,
        C.MQRC_NOT_OPEN_FOR_SET_IDENT,
    ),
    OptionsError: (
        C.MQRC_OPTION_NOT_VALID_FOR_TYPE,
        C.MQRC_OPTIONS_ERROR,
        C.MQRC_REPORT_OPTIONS_ERROR,
        C.MQRC_MATCH_OPTIONS_ERROR,
        C.MQRC_OPTION_ENVIRONMENT_ERROR,
        C.MQRC_CBD_OPTIONS_ERROR,
        C.MQRC_WAIT_INTERVAL_ERROR,
        C.MQRC_INCONSISTENT_BROWSE,
        C.MQRC_OPTIONS_CHANGED,
    ),
    GroupError: (
        C.MQRC_INCOMPLETE_GROUP,
        C.MQRC_INCOMPLETE_MSG,
        C.MQRC_INCONSISTENT_CCSIDS,
        C.MQRC_INCONSISTENT_ENCODINGS,
        C.MQRC_INCONSISTENT_PERSISTENCE,
        C.MQRC_GROUP_ID_ERROR,
        C.MQRC_MSG_FLAGS_ERROR,
        C.MQRC_MSG_SEQ_NUMBER_ERROR,
        C.MQRC_OFFSET_ERROR,
        C.MQRC_ORIGINAL_LENGTH_ERROR,
        C.MQRC_SEGMENT_LENGTH_ZERO,
        C.MQRC_SEGMENTATION_NOT_ALLOWED,
        C.MQRC_INVALID_MSG_UNDER_CURSOR,
        C.MQRC_MSG_NOT_ALLOWED_IN_GROUP,
    ),
    MessageDescriptorError: (
        C.MQRC_EXPIRY_ERROR,
        C.MQRC_FEEDBACK_ERROR,
        C.MQRC_MSG_TYPE_ERROR,
        C.MQRC_MISSING_REPLY_TO_Q,
        C.MQRC_PERSISTENCE_ERROR,
        C.MQRC_PERSISTENT_NOT_ALLOWED,
        C.MQRC_PRIORITY_ERROR,
        C.MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    ),
    StructureError: (
        C.MQRC_MD_ERROR,
        C.MQRC_OD_ERROR,
        C.MQRC_GMO_ERROR,
        C.MQRC_PMO_ERROR,
        C.MQRC_BO_ERROR,
        C.MQRC_CNO_ERROR,
        C.MQRC_CD_ERROR,
        C.MQRC_CSP_ERROR,
        C.MQRC_SCO_ERROR,
        C.MQRC_BNO_ERROR,
        C.MQRC_AIR_ERROR,
        C.MQRC_SD_ERROR,
        C.MQRC_SRO_ERROR,
        C.MQRC_STS_ERROR,
        C.MQRC_CBD_ERROR,
        C.MQRC_CTLO_ERROR,
        C.MQRC_CMHO_ERROR,
        C.MQRC_DMHO_ERROR,
        C.MQRC_SMPO_ERROR,
        C.MQRC_IMPO_ERROR,
        C.MQRC_DMPO_ERROR,
        C.MQRC_PD_ERROR,
        C.MQRC_BMHO_ERROR,
        C.MQRC_MHBO_ERROR,
        C.MQRC_WRONG_GMO_VERSION,
        C.MQRC_WRONG_MD_VERSION,
        C.MQRC_WRONG_VERSION,
        C.MQRC_OBJECT_RECORDS_ERROR,
        C.MQRC_RESPONSE_RECORDS_ERROR,
        C.MQRC_PUT_MSG_RECORDS_ERROR,
        C.MQRC_RECS_PRESENT_ERROR,
        C.MQRC_HEADER_ERROR,
        C.MQRC_MDE_ERROR,
        C.MQRC_DLH_ERROR,
        C.MQRC_XQH_ERROR,
        C.MQRC_DH_ERROR,
        C.MQRC_RFH_ERROR,
        C.MQRC_RFH_STRING_ERROR,
        C.MQRC_RFH_FORMAT_ERROR,
        C.MQRC_IIH_ERROR,
        C.MQRC_WIH_ERROR,
        C.MQRC_RMH_ERROR,
        C.MQRC_TM_ERROR,
        C.MQRC_TMC_ERROR,
        C.MQRC_EPH_ERROR,
        C.MQRC_PCF_ERROR,
        C.MQRC_CFH_ERROR,
        C.MQRC_CFIN_ERROR,
        C.MQRC_CFST_ERROR,
        C.MQRC_CFIL_ERROR,
        C.MQRC_CFSL_ERROR,
        C.MQRC_CFBS_ERROR,
        C.MQRC_CFGR_ERROR,
        C.MQRC_CFIF_ERROR,
        C.MQRC_CFSF_ERROR,
        C.MQRC_CFBF_ERROR,
        C.MQRC_STRUC_ID_ERROR,
        C.MQRC_STRUC_LENGTH_ERROR,
    ),
    LimitReached: (
        C.MQRC_HANDLE_NOT_AVAILABLE,
        C.MQRC_SYNCPOINT_LIMIT_REACHED,
        C.MQRC_MAX_CONNS_LIMIT_REACHED,
        C.MQRC_SELECTOR_LIMIT_EXCEEDED,
    ),
    CallInProgress: (
        C.MQRC_CALL_IN_PROGRESS,
        C.MQRC_HCONN_ASYNC_ACTIVE,
        C.MQRC_OPERATION_NOT_ALLOWED,
        C.MQRC_CONNECTION_SUSPENDED,
        C.MQRC_CONNECTION_STOPPED,
    ),
}
_CLASS_OF = {reason: error for error, reasons in _REASONS_OF.items() for reason in reasons}


def mq_error(reason: int, object_name: str = "", detail: str = "", comp_code: int = C.MQCC_FAILED) -> MQError:
    """The error for a reason code, as an instance of the subclass named after what went wrong."""
    return _CLASS_OF.get(reason, MQError)(reason, comp_code, object_name, detail)
