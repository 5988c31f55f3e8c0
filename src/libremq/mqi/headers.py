"""Headers of fixed length that travel in front of the data of a message.

Their integers follow the encoding and their text the character set of the message, so they pack and unpack in
both byte orders and in any single-byte charset. Headers with a variable part are in `variable_headers`, the
command format in `pcf`.
"""

from __future__ import annotations

from libremq.mqi import constants as C
from libremq.mqi.descriptors import MQMD1
from libremq.mqi.layout import (
    MQBYTE8,
    MQBYTE16,
    MQBYTE24,
    MQCHAR,
    MQCHAR4,
    MQCHAR8,
    MQCHAR28,
    MQCHAR32,
    MQCHAR48,
    MQCHAR64,
    MQCHAR128,
    MQCHAR256,
    MQLONG,
    Structure,
    nested,
)


class MQMDE(Structure, error=C.MQRC_MDE_ERROR, versions={2: (72, "OriginalLength")}, computed=("StrucLength",)):
    """Extension of a version 1 message descriptor: the fields that version 2 added, as a message header."""

    StrucId: MQCHAR4 = C.MQMDE_STRUC_ID
    Version: MQLONG = C.MQMDE_VERSION_2
    StrucLength: MQLONG = C.MQMDE_LENGTH_2
    Encoding: MQLONG = C.MQENC_NATIVE
    CodedCharSetId: MQLONG = C.MQCCSI_UNDEFINED
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQMDEF_NONE
    GroupId: MQBYTE24 = C.MQGI_NONE
    MsgSeqNumber: MQLONG = 1
    Offset: MQLONG = 0
    MsgFlags: MQLONG = C.MQMF_NONE
    OriginalLength: MQLONG = C.MQOL_UNDEFINED


class MQDLH(Structure, error=C.MQRC_DLH_ERROR, versions={1: (172, "PutTime")}):
    """Dead-letter header: why a message was not delivered, and where it should have gone."""

    StrucId: MQCHAR4 = C.MQDLH_STRUC_ID
    Version: MQLONG = C.MQDLH_VERSION_1
    Reason: MQLONG = C.MQRC_NONE
    DestQName: MQCHAR48 = ""
    DestQMgrName: MQCHAR48 = ""
    Encoding: MQLONG = 0
    CodedCharSetId: MQLONG = C.MQCCSI_UNDEFINED
    Format: MQCHAR8 = C.MQFMT_NONE
    PutApplType: MQLONG = 0
    PutApplName: MQCHAR28 = ""
    PutDate: MQCHAR8 = ""
    PutTime: MQCHAR8 = ""


class MQXQH(Structure, error=C.MQRC_XQH_ERROR, versions={1: (428, "MsgDesc")}):
    """Transmission queue header: where a message goes, with its descriptor."""

    StrucId: MQCHAR4 = C.MQXQH_STRUC_ID
    Version: MQLONG = C.MQXQH_VERSION_1
    RemoteQName: MQCHAR48 = ""
    RemoteQMgrName: MQCHAR48 = ""
    MsgDesc: MQMD1 = nested(MQMD1)


class MQTM(Structure, error=C.MQRC_TM_ERROR, versions={1: (684, "UserData")}):
    """Trigger message: what the trigger monitor reads from an initiation queue."""

    StrucId: MQCHAR4 = C.MQTM_STRUC_ID
    Version: MQLONG = C.MQTM_VERSION_1
    QName: MQCHAR48 = ""
    ProcessName: MQCHAR48 = ""
    TriggerData: MQCHAR64 = ""
    ApplType: MQLONG = 0
    ApplId: MQCHAR256 = ""
    EnvData: MQCHAR128 = ""
    UserData: MQCHAR128 = ""


class MQTMC2(Structure, error=C.MQRC_TMC_ERROR, versions={1: (684, "UserData"), 2: (732, "QMgrName")}):
    """Trigger message in characters only, as a started program gets it on its command line."""

    StrucId: MQCHAR4 = C.MQTMC_STRUC_ID
    Version: MQCHAR4 = C.MQTMC_VERSION_2
    QName: MQCHAR48 = ""
    ProcessName: MQCHAR48 = ""
    TriggerData: MQCHAR64 = ""
    ApplType: MQCHAR4 = ""
    ApplId: MQCHAR256 = ""
    EnvData: MQCHAR128 = ""
    UserData: MQCHAR128 = ""
    QMgrName: MQCHAR48 = ""


class MQIIH(Structure, error=C.MQRC_IIH_ERROR, versions={1: (84, "Reserved")}, computed=("StrucLength",)):
    """Header for a message to or from IMS."""

    StrucId: MQCHAR4 = C.MQIIH_STRUC_ID
    Version: MQLONG = C.MQIIH_VERSION_1
    StrucLength: MQLONG = C.MQIIH_LENGTH_1
    Encoding: MQLONG = 0
    CodedCharSetId: MQLONG = 0
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQIIH_NONE
    LTermOverride: MQCHAR8 = "        "
    MFSMapName: MQCHAR8 = "        "
    ReplyToFormat: MQCHAR8 = C.MQFMT_NONE
    Authenticator: MQCHAR8 = C.MQIAUT_NONE
    TranInstanceId: MQBYTE16 = C.MQITII_NONE
    TranState: MQCHAR = C.MQITS_NOT_IN_CONVERSATION
    CommitMode: MQCHAR = C.MQICM_COMMIT_THEN_SEND
    SecurityScope: MQCHAR = C.MQISS_CHECK
    Reserved: MQCHAR = " "


class MQCIH(
    Structure,
    error=C.MQRC_HEADER_ERROR,
    versions={1: (164, "Reserved3"), 2: (180, "Reserved4")},
    computed=("StrucLength",),
):
    """Header for a message to or from CICS."""

    StrucId: MQCHAR4 = C.MQCIH_STRUC_ID
    Version: MQLONG = C.MQCIH_VERSION_2
    StrucLength: MQLONG = C.MQCIH_LENGTH_2
    Encoding: MQLONG = 0
    CodedCharSetId: MQLONG = 0
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQCIH_NONE
    ReturnCode: MQLONG = C.MQCRC_OK
    CompCode: MQLONG = C.MQCC_OK
    Reason: MQLONG = C.MQRC_NONE
    UOWControl: MQLONG = C.MQCUOWC_ONLY
    GetWaitInterval: MQLONG = C.MQCGWI_DEFAULT
    LinkType: MQLONG = C.MQCLT_PROGRAM
    OutputDataLength: MQLONG = C.MQCODL_AS_INPUT
    FacilityKeepTime: MQLONG = 0
    ADSDescriptor: MQLONG = C.MQCADSD_NONE
    ConversationalTask: MQLONG = C.MQCCT_NO
    TaskEndStatus: MQLONG = C.MQCTES_NOSYNC
    Facility: MQBYTE8 = C.MQCFAC_NONE
    Function: MQCHAR4 = C.MQCFUNC_NONE
    AbendCode: MQCHAR4 = "    "
    Authenticator: MQCHAR8 = "        "
    Reserved1: MQCHAR8 = "        "
    ReplyToFormat: MQCHAR8 = C.MQFMT_NONE
    RemoteSysId: MQCHAR4 = "    "
    RemoteTransId: MQCHAR4 = "    "
    TransactionId: MQCHAR4 = "    "
    FacilityLike: MQCHAR4 = "    "
    AttentionId: MQCHAR4 = "    "
    StartCode: MQCHAR4 = C.MQCSC_NONE
    CancelCode: MQCHAR4 = "    "
    NextTransactionId: MQCHAR4 = "    "
    Reserved2: MQCHAR8 = "        "
    Reserved3: MQCHAR8 = "        "
    CursorPosition: MQLONG = 0
    ErrorOffset: MQLONG = 0
    InputItem: MQLONG = 0
    Reserved4: MQLONG = 0


class MQWIH(Structure, error=C.MQRC_WIH_ERROR, versions={1: (120, "Reserved")}, computed=("StrucLength",)):
    """Work information header: which workload-manager service a message is for."""

    StrucId: MQCHAR4 = C.MQWIH_STRUC_ID
    Version: MQLONG = C.MQWIH_VERSION_1
    StrucLength: MQLONG = C.MQWIH_LENGTH_1
    Encoding: MQLONG = 0
    CodedCharSetId: MQLONG = C.MQCCSI_UNDEFINED
    Format: MQCHAR8 = C.MQFMT_NONE
    Flags: MQLONG = C.MQWIH_NONE
    ServiceName: MQCHAR32 = " " * 32
    ServiceStep: MQCHAR8 = "        "
    MsgToken: MQBYTE16 = C.MQMTOK_NONE
    Reserved: MQCHAR32 = " " * 32
