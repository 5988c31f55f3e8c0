"""The structures that go with the message verbs: what to open, what to put or get, and how.

Field names, order and initial values are those of the C headers; see `layout` for how a declaration becomes bytes.
"""

from __future__ import annotations

from libremq.mqi import constants as C
from libremq.mqi.layout import (
    MQBYTE16,
    MQBYTE24,
    MQBYTE32,
    MQBYTE40,
    MQCHAR,
    MQCHAR4,
    MQCHAR8,
    MQCHAR12,
    MQCHAR28,
    MQCHAR32,
    MQCHAR48,
    MQINT64,
    MQLONG,
    MQPTR,
    VSTRING,
    Structure,
)


class MQMD1(Structure, error=C.MQRC_MD_ERROR, versions={1: (324, "ApplOriginData")}):
    """The version 1 part of a message descriptor, as it stands in a transmission queue header."""

    StrucId: MQCHAR4 = C.MQMD_STRUC_ID
    Version: MQLONG = C.MQMD_VERSION_1
    Report: MQLONG = C.MQRO_NONE
    MsgType: MQLONG = C.MQMT_DATAGRAM
    Expiry: MQLONG = C.MQEI_UNLIMITED
    Feedback: MQLONG = C.MQFB_NONE
    Encoding: MQLONG = C.MQENC_NATIVE
    CodedCharSetId: MQLONG = C.MQCCSI_Q_MGR
    Format: MQCHAR8 = C.MQFMT_NONE
    Priority: MQLONG = C.MQPRI_PRIORITY_AS_Q_DEF
    Persistence: MQLONG = C.MQPER_PERSISTENCE_AS_Q_DEF
    MsgId: MQBYTE24 = C.MQMI_NONE
    CorrelId: MQBYTE24 = C.MQCI_NONE
    BackoutCount: MQLONG = 0
    ReplyToQ: MQCHAR48 = ""
    ReplyToQMgr: MQCHAR48 = ""
    UserIdentifier: MQCHAR12 = ""
    AccountingToken: MQBYTE32 = C.MQACT_NONE
    ApplIdentityData: MQCHAR32 = ""
    PutApplType: MQLONG = C.MQAT_NO_CONTEXT
    PutApplName: MQCHAR28 = ""
    PutDate: MQCHAR8 = ""
    PutTime: MQCHAR8 = ""
    ApplOriginData: MQCHAR4 = ""


class MQMD(Structure, error=C.MQRC_MD_ERROR, versions={1: (324, "ApplOriginData"), 2: (364, "OriginalLength")}):
    """Message descriptor: what travels with every message besides its data."""

    StrucId: MQCHAR4 = C.MQMD_STRUC_ID
    Version: MQLONG = C.MQMD_VERSION_1
    Report: MQLONG = C.MQRO_NONE
    MsgType: MQLONG = C.MQMT_DATAGRAM
    Expiry: MQLONG = C.MQEI_UNLIMITED
    Feedback: MQLONG = C.MQFB_NONE
    Encoding: MQLONG = C.MQENC_NATIVE
    CodedCharSetId: MQLONG = C.MQCCSI_Q_MGR
    Format: MQCHAR8 = C.MQFMT_NONE
    Priority: MQLONG = C.MQPRI_PRIORITY_AS_Q_DEF
    Persistence: MQLONG = C.MQPER_PERSISTENCE_AS_Q_DEF
    MsgId: MQBYTE24 = C.MQMI_NONE
    CorrelId: MQBYTE24 = C.MQCI_NONE
    BackoutCount: MQLONG = 0
    ReplyToQ: MQCHAR48 = ""
    ReplyToQMgr: MQCHAR48 = ""
    UserIdentifier: MQCHAR12 = ""
    AccountingToken: MQBYTE32 = C.MQACT_NONE
    ApplIdentityData: MQCHAR32 = ""
    PutApplType: MQLONG = C.MQAT_NO_CONTEXT
    PutApplName: MQCHAR28 = ""
    PutDate: MQCHAR8 = ""
    PutTime: MQCHAR8 = ""
    ApplOriginData: MQCHAR4 = ""
    GroupId: MQBYTE24 = C.MQGI_NONE
    MsgSeqNumber: MQLONG = 1
    Offset: MQLONG = 0
    MsgFlags: MQLONG = C.MQMF_NONE
    OriginalLength: MQLONG = C.MQOL_UNDEFINED


class MQOD(
    Structure,
    error=C.MQRC_OD_ERROR,
    versions={
        1: (168, "AlternateUserId"),
        2: (208, "ResponseRecPtr"),
        3: (344, "ResolvedQMgrName"),
        4: (424, "ResolvedType"),
    },
):
    """Object descriptor: names the object to open, and after the open what it resolved to."""

    StrucId: MQCHAR4 = C.MQOD_STRUC_ID
    Version: MQLONG = C.MQOD_VERSION_1
    ObjectType: MQLONG = C.MQOT_Q
    ObjectName: MQCHAR48 = ""
    ObjectQMgrName: MQCHAR48 = ""
    DynamicQName: MQCHAR48 = "AMQ.*"
    AlternateUserId: MQCHAR12 = ""
    RecsPresent: MQLONG = 0
    KnownDestCount: MQLONG = 0
    UnknownDestCount: MQLONG = 0
    InvalidDestCount: MQLONG = 0
    ObjectRecOffset: MQLONG = 0
    ResponseRecOffset: MQLONG = 0
    ObjectRecPtr: MQPTR = 0
    ResponseRecPtr: MQPTR = 0
    AlternateSecurityId: MQBYTE40 = C.MQSID_NONE
    ResolvedQName: MQCHAR48 = ""
    ResolvedQMgrName: MQCHAR48 = ""
    ObjectString: VSTRING = ""
    SelectionString: VSTRING = ""
    ResObjectString: VSTRING = ""
    ResolvedType: MQLONG = C.MQOT_NONE


class MQOR(Structure, error=C.MQRC_OBJECT_RECORDS_ERROR):
    """One destination of a distribution list."""

    ObjectName: MQCHAR48 = ""
    ObjectQMgrName: MQCHAR48 = ""


class MQRR(Structure, error=C.MQRC_RESPONSE_RECORDS_ERROR):
    """The outcome for one destination of a distribution list."""

    CompCode: MQLONG = C.MQCC_OK
    Reason: MQLONG = C.MQRC_NONE


class MQGMO(
    Structure,
    error=C.MQRC_GMO_ERROR,
    versions={1: (72, "ResolvedQName"), 2: (80, "Reserved1"), 3: (100, "ReturnedLength"), 4: (112, "MsgHandle")},
):
    """Options of a get, and what the get found out about the message."""

    StrucId: MQCHAR4 = C.MQGMO_STRUC_ID
    Version: MQLONG = C.MQGMO_VERSION_1
    Options: MQLONG = C.MQGMO_NO_WAIT + C.MQGMO_PROPERTIES_AS_Q_DEF
    WaitInterval: MQLONG = 0
    Signal1: MQLONG = 0
    Signal2: MQLONG = 0
    ResolvedQName: MQCHAR48 = ""
    MatchOptions: MQLONG = C.MQMO_MATCH_MSG_ID + C.MQMO_MATCH_CORREL_ID
    GroupStatus: MQCHAR = C.MQGS_NOT_IN_GROUP
    SegmentStatus: MQCHAR = C.MQSS_NOT_A_SEGMENT
    Segmentation: MQCHAR = C.MQSEG_INHIBITED
    Reserved1: MQCHAR = " "
    MsgToken: MQBYTE16 = C.MQMTOK_NONE
    ReturnedLength: MQLONG = C.MQRL_UNDEFINED
    Reserved2: MQLONG = 0
    MsgHandle: MQINT64 = C.MQHM_NONE


class MQPMO(
    Structure,
    error=C.MQRC_PMO_ERROR,
    versions={1: (128, "ResolvedQMgrName"), 2: (160, "ResponseRecPtr"), 3: (184, "PubLevel")},
):
    """Options of a put, and where the message went."""

    StrucId: MQCHAR4 = C.MQPMO_STRUC_ID
    Version: MQLONG = C.MQPMO_VERSION_1
    Options: MQLONG = C.MQPMO_NONE
    Timeout: MQLONG = -1
    Context: MQLONG = 0
    KnownDestCount: MQLONG = 0
    UnknownDestCount: MQLONG = 0
    InvalidDestCount: MQLONG = 0
    ResolvedQName: MQCHAR48 = ""
    ResolvedQMgrName: MQCHAR48 = ""
    RecsPresent: MQLONG = 0
    PutMsgRecFields: MQLONG = C.MQPMRF_NONE
    PutMsgRecOffset: MQLONG = 0
    ResponseRecOffset: MQLONG = 0
    PutMsgRecPtr: MQPTR = 0
    ResponseRecPtr: MQPTR = 0
    OriginalMsgHandle: MQINT64 = C.MQHM_NONE
    NewMsgHandle: MQINT64 = C.MQHM_NONE
    Action: MQLONG = C.MQACTP_NEW
    PubLevel: MQLONG = 9


class MQBO(Structure, error=C.MQRC_BO_ERROR, versions={1: (12, "Options")}):
    """Options of MQBEGIN."""

    StrucId: MQCHAR4 = C.MQBO_STRUC_ID
    Version: MQLONG = C.MQBO_VERSION_1
    Options: MQLONG = C.MQBO_NONE


class MQSD(Structure, error=C.MQRC_SD_ERROR, versions={1: (344, "ResObjectString")}):
    """Subscription descriptor: what to subscribe to and how."""

    StrucId: MQCHAR4 = C.MQSD_STRUC_ID
    Version: MQLONG = C.MQSD_VERSION_1
    Options: MQLONG = 0
    ObjectName: MQCHAR48 = ""
    AlternateUserId: MQCHAR12 = ""
    AlternateSecurityId: MQBYTE40 = C.MQSID_NONE
    SubExpiry: MQLONG = C.MQEI_UNLIMITED
    ObjectString: VSTRING = ""
    SubName: VSTRING = ""
    SubUserData: VSTRING = ""
    SubCorrelId: MQBYTE24 = C.MQCI_NONE
    PubPriority: MQLONG = C.MQPRI_PRIORITY_AS_PUBLISHED
    PubAccountingToken: MQBYTE32 = C.MQACT_NONE
    PubApplIdentityData: MQCHAR32 = ""
    SelectionString: VSTRING = ""
    SubLevel: MQLONG = 1
    ResObjectString: VSTRING = ""


class MQSRO(Structure, error=C.MQRC_SRO_ERROR, versions={1: (16, "NumPubs")}):
    """Options of a subscription request."""

    StrucId: MQCHAR4 = C.MQSRO_STRUC_ID
    Version: MQLONG = C.MQSRO_VERSION_1
    Options: MQLONG = 0
    NumPubs: MQLONG = 0


class MQSTS(Structure, error=C.MQRC_STS_ERROR, versions={1: (224, "ResolvedQMgrName"), 2: (280, "SubOptions")}):
    """Status that MQSTAT reports: asynchronous puts and reconnection."""

    StrucId: MQCHAR4 = C.MQSTS_STRUC_ID
    Version: MQLONG = C.MQSTS_VERSION_1
    CompCode: MQLONG = 0
    Reason: MQLONG = 0
    PutSuccessCount: MQLONG = 0
    PutWarningCount: MQLONG = C.MQCC_OK
    PutFailureCount: MQLONG = C.MQRC_NONE
    ObjectType: MQLONG = C.MQOT_Q
    ObjectName: MQCHAR48 = ""
    ObjectQMgrName: MQCHAR48 = ""
    ResolvedObjectName: MQCHAR48 = ""
    ResolvedQMgrName: MQCHAR48 = ""
    ObjectString: VSTRING = ""
    SubName: VSTRING = ""
    OpenOptions: MQLONG = 0
    SubOptions: MQLONG = 0


class MQCMHO(Structure, error=C.MQRC_CMHO_ERROR, versions={1: (12, "Options")}):
    """Options for creating a message handle."""

    StrucId: MQCHAR4 = C.MQCMHO_STRUC_ID
    Version: MQLONG = C.MQCMHO_VERSION_1
    Options: MQLONG = C.MQCMHO_DEFAULT_VALIDATION


class MQDMHO(Structure, error=C.MQRC_DMHO_ERROR, versions={1: (12, "Options")}):
    """Options for deleting a message handle."""

    StrucId: MQCHAR4 = C.MQDMHO_STRUC_ID
    Version: MQLONG = C.MQDMHO_VERSION_1
    Options: MQLONG = C.MQDMHO_NONE


class MQSMPO(Structure, error=C.MQRC_SMPO_ERROR, versions={1: (20, "ValueCCSID")}):
    """Options for setting a message property."""

    StrucId: MQCHAR4 = C.MQSMPO_STRUC_ID
    Version: MQLONG = C.MQSMPO_VERSION_1
    Options: MQLONG = C.MQSMPO_SET_FIRST
    ValueEncoding: MQLONG = C.MQENC_NATIVE
    ValueCCSID: MQLONG = C.MQCCSI_APPL


class MQIMPO(Structure, error=C.MQRC_IMPO_ERROR, versions={1: (64, "TypeString")}):
    """Options for inquiring a message property, and what was returned."""

    StrucId: MQCHAR4 = C.MQIMPO_STRUC_ID
    Version: MQLONG = C.MQIMPO_VERSION_1
    Options: MQLONG = C.MQIMPO_INQ_FIRST
    RequestedEncoding: MQLONG = C.MQENC_NATIVE
    RequestedCCSID: MQLONG = C.MQCCSI_APPL
    ReturnedEncoding: MQLONG = C.MQENC_NATIVE
    ReturnedCCSID: MQLONG = 0
    Reserved1: MQLONG = 0
    ReturnedName: VSTRING = ""
    TypeString: MQCHAR8 = ""


class MQDMPO(Structure, error=C.MQRC_DMPO_ERROR, versions={1: (12, "Options")}):
    """Options for deleting a message property."""

    StrucId: MQCHAR4 = C.MQDMPO_STRUC_ID
    Version: MQLONG = C.MQDMPO_VERSION_1
    Options: MQLONG = C.MQDMPO_DEL_FIRST


class MQPD(Structure, error=C.MQRC_PD_ERROR, versions={1: (24, "CopyOptions")}):
    """Property descriptor: attributes of one message property."""

    StrucId: MQCHAR4 = C.MQPD_STRUC_ID
    Version: MQLONG = C.MQPD_VERSION_1
    Options: MQLONG = C.MQPD_NONE
    Support: MQLONG = C.MQPD_SUPPORT_OPTIONAL
    Context: MQLONG = C.MQPD_NO_CONTEXT
    CopyOptions: MQLONG = C.MQCOPY_DEFAULT


class MQBMHO(Structure, error=C.MQRC_BMHO_ERROR, versions={1: (12, "Options")}):
    """Options for turning a buffer into a message handle."""

    StrucId: MQCHAR4 = C.MQBMHO_STRUC_ID
    Version: MQLONG = C.MQBMHO_VERSION_1
    Options: MQLONG = C.MQBMHO_DELETE_PROPERTIES


class MQMHBO(Structure, error=C.MQRC_MHBO_ERROR, versions={1: (12, "Options")}):
    """Options for turning a message handle into a buffer."""

    StrucId: MQCHAR4 = C.MQMHBO_STRUC_ID
    Version: MQLONG = C.MQMHBO_VERSION_1
    Options: MQLONG = C.MQMHBO_PROPERTIES_IN_MQRFH2
