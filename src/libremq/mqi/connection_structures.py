"""The structures that go with connecting and with asynchronous consumption.

Field names, order and initial values are those of the C headers; see `layout` for how a declaration becomes bytes.
"""

from __future__ import annotations

from libremq.mqi import constants as C
from libremq.mqi.layout import (
    MQBYTE4,
    MQBYTE8,
    MQBYTE24,
    MQBYTE40,
    MQBYTE128,
    MQCHAR4,
    MQCHAR8,
    MQCHAR12,
    MQCHAR20,
    MQCHAR28,
    MQCHAR32,
    MQCHAR48,
    MQCHAR64,
    MQCHAR128,
    MQCHAR256,
    MQCHAR264,
    MQLONG,
    MQPTR,
    MQLONGx2,
    MQLONGx4,
    MQLONGx16,
    Structure,
)


class MQCNO(
    Structure,
    error=C.MQRC_CNO_ERROR,
    versions={
        1: (12, "Options"),
        2: (24, "ClientConnPtr"),
        3: (152, "ConnTag"),
        4: (168, "SSLConfigOffset"),
        5: (200, "SecurityParmsPtr"),
        6: (224, "Reserved"),
        7: (256, "Reserved2"),
        8: (272, "Reserved3"),
    },
):
    """Connect options: how to bind, and the structures that go with it."""

    StrucId: MQCHAR4 = C.MQCNO_STRUC_ID
    Version: MQLONG = C.MQCNO_VERSION_1
    Options: MQLONG = C.MQCNO_NONE
    ClientConnOffset: MQLONG = 0
    ClientConnPtr: MQPTR = 0
    ConnTag: MQBYTE128 = C.MQCT_NONE
    SSLConfigPtr: MQPTR = 0
    SSLConfigOffset: MQLONG = 0
    ConnectionId: MQBYTE24 = C.MQCONNID_NONE
    SecurityParmsOffset: MQLONG = 0
    SecurityParmsPtr: MQPTR = 0
    CCDTUrlPtr: MQPTR = 0
    CCDTUrlOffset: MQLONG = 0
    CCDTUrlLength: MQLONG = 0
    Reserved: MQBYTE8 = bytes(8)
    ApplName: MQCHAR28 = C.MQAN_NONE
    Reserved2: MQBYTE4 = bytes(4)
    BalanceParmsPtr: MQPTR = 0
    BalanceParmsOffset: MQLONG = 0
    Reserved3: MQBYTE4 = bytes(4)


class MQCSP(
    Structure,
    error=C.MQRC_CSP_ERROR,
    versions={1: (56, "CSPPasswordLength"), 2: (80, "InitialKeyLength"), 3: (104, "TokenLength")},
):
    """Credentials: user id and password, or a token."""

    StrucId: MQCHAR4 = C.MQCSP_STRUC_ID
    Version: MQLONG = C.MQCSP_VERSION_1
    AuthenticationType: MQLONG = C.MQCSP_AUTH_NONE
    Reserved1: MQBYTE4 = bytes(4)
    CSPUserIdPtr: MQPTR = 0
    CSPUserIdOffset: MQLONG = 0
    CSPUserIdLength: MQLONG = 0
    Reserved2: MQBYTE8 = bytes(8)
    CSPPasswordPtr: MQPTR = 0
    CSPPasswordOffset: MQLONG = 0
    CSPPasswordLength: MQLONG = 0
    Reserved3: MQBYTE8 = bytes(8)
    InitialKeyPtr: MQPTR = 0
    InitialKeyOffset: MQLONG = 0
    InitialKeyLength: MQLONG = 0
    Reserved4: MQBYTE8 = bytes(8)
    TokenPtr: MQPTR = 0
    TokenOffset: MQLONG = 0
    TokenLength: MQLONG = 0


class MQSCO(
    Structure,
    error=C.MQRC_SCO_ERROR,
    versions={
        1: (536, "AuthInfoRecPtr"),
        2: (544, "FipsRequired"),
        3: (560, "EncryptionPolicySuiteB"),
        4: (568, "CertificateValPolicy"),
        5: (632, "CertificateLabel"),
        6: (648, "KeyRepoPasswordLength"),
        7: (672, "HTTPSKeyStoreLength"),
    },
):
    """TLS configuration of a client connection."""

    StrucId: MQCHAR4 = C.MQSCO_STRUC_ID
    Version: MQLONG = C.MQSCO_VERSION_1
    KeyRepository: MQCHAR256 = ""
    CryptoHardware: MQCHAR256 = ""
    AuthInfoRecCount: MQLONG = 0
    AuthInfoRecOffset: MQLONG = 0
    AuthInfoRecPtr: MQPTR = 0
    KeyResetCount: MQLONG = C.MQSCO_RESET_COUNT_DEFAULT
    FipsRequired: MQLONG = C.MQSSL_FIPS_NO
    EncryptionPolicySuiteB: MQLONGx4 = (C.MQ_SUITE_B_NONE,) + (C.MQ_SUITE_B_NOT_AVAILABLE,) * 3
    CertificateValPolicy: MQLONG = C.MQ_CERT_VAL_POLICY_DEFAULT
    CertificateLabel: MQCHAR64 = ""
    KeyRepoPasswordPtr: MQPTR = 0
    KeyRepoPasswordOffset: MQLONG = 0
    KeyRepoPasswordLength: MQLONG = 0
    HTTPSCertValidation: MQLONG = 0
    HTTPSCertRevocation: MQLONG = 0
    HTTPSKeyStorePtr: MQPTR = 0
    HTTPSKeyStoreOffset: MQLONG = 0
    HTTPSKeyStoreLength: MQLONG = 0


class MQAIR(Structure, error=C.MQRC_AIR_ERROR, versions={1: (328, "LDAPPassword"), 2: (584, "OCSPResponderURL")}):
    """Where a client looks up revoked certificates."""

    StrucId: MQCHAR4 = C.MQAIR_STRUC_ID
    Version: MQLONG = C.MQAIR_VERSION_1
    AuthInfoType: MQLONG = C.MQAIT_CRL_LDAP
    AuthInfoConnName: MQCHAR264 = ""
    LDAPUserNamePtr: MQPTR = 0
    LDAPUserNameOffset: MQLONG = 0
    LDAPUserNameLength: MQLONG = 0
    LDAPPassword: MQCHAR32 = ""
    OCSPResponderURL: MQCHAR256 = ""


class MQBNO(Structure, error=C.MQRC_BNO_ERROR, versions={1: (20, "Options")}):
    """Balancing options: how an application may be moved between queue managers."""

    StrucId: MQCHAR4 = C.MQBNO_STRUC_ID
    Version: MQLONG = C.MQBNO_VERSION_1
    ApplType: MQLONG = C.MQBNO_BALTYPE_SIMPLE
    Timeout: MQLONG = C.MQBNO_TIMEOUT_AS_DEFAULT
    Options: MQLONG = C.MQBNO_OPTIONS_NONE


class MQCBD(Structure, error=C.MQRC_CBD_ERROR, versions={1: (168, "MaxMsgLength")}):
    """Callback descriptor: the consumer to register."""

    StrucId: MQCHAR4 = C.MQCBD_STRUC_ID
    Version: MQLONG = C.MQCBD_VERSION_1
    CallbackType: MQLONG = C.MQCBT_MESSAGE_CONSUMER
    Options: MQLONG = C.MQCBDO_NONE
    CallbackArea: MQPTR = 0
    CallbackFunction: MQPTR = 0
    CallbackName: MQCHAR128 = ""
    MaxMsgLength: MQLONG = C.MQCBD_FULL_MSG_LENGTH


class MQCBC(Structure, error=C.MQRC_CBD_ERROR, versions={1: (56, "Flags"), 2: (64, "ReconnectDelay")}):
    """Callback context: why a consumer is called. C gives it no initial values."""

    StrucId: MQCHAR4 = C.MQCBC_STRUC_ID
    Version: MQLONG = C.MQCBC_CURRENT_VERSION
    CallType: MQLONG = 0
    Hobj: MQLONG = 0
    CallbackArea: MQPTR = 0
    ConnectionArea: MQPTR = 0
    CompCode: MQLONG = 0
    Reason: MQLONG = 0
    State: MQLONG = 0
    DataLength: MQLONG = 0
    BufferLength: MQLONG = 0
    Flags: MQLONG = 0
    ReconnectDelay: MQLONG = 0


class MQCTLO(Structure, error=C.MQRC_CTLO_ERROR, versions={1: (24, "ConnectionArea")}):
    """Options for starting and stopping consumers."""

    StrucId: MQCHAR4 = C.MQCTLO_STRUC_ID
    Version: MQLONG = C.MQCTLO_VERSION_1
    Options: MQLONG = C.MQCTLO_NONE
    Reserved: MQLONG = C.MQWI_UNLIMITED
    ConnectionArea: MQPTR = 0


class MQCD(
    Structure,
    error=C.MQRC_CD_ERROR,
    versions={
        1: (984, "ReceiveUserData"),
        2: (1312, "RemotePassword"),
        3: (1480, "MsgRetryInterval"),
        4: (1568, "ReceiveUserDataPtr"),
        5: (1584, "NetworkPriority"),
        6: (1688, "RemoteSecurityId"),
        7: (1792, "BatchHeartbeat"),
        8: (1888, "ChannelStatistics"),
        9: (1912, "ConnectionAffinity"),
        10: (1920, "DefReconnect"),
        11: (1984, "CertificateLabel"),
        12: (1992, "SPLProtection"),
        13: (2000, "QuantumSafeRequired"),
    },
):
    """Channel definition: one end of a channel as exits and clients see it."""

    ChannelName: MQCHAR20 = ""
    Version: MQLONG = C.MQCD_VERSION_6
    ChannelType: MQLONG = C.MQCHT_SENDER
    TransportType: MQLONG = C.MQXPT_LU62
    Desc: MQCHAR64 = ""
    QMgrName: MQCHAR48 = ""
    XmitQName: MQCHAR48 = ""
    ShortConnectionName: MQCHAR20 = ""
    MCAName: MQCHAR20 = ""
    ModeName: MQCHAR8 = ""
    TpName: MQCHAR64 = ""
    BatchSize: MQLONG = 50
    DiscInterval: MQLONG = 6000
    ShortRetryCount: MQLONG = 10
    ShortRetryInterval: MQLONG = 60
    LongRetryCount: MQLONG = 999999999
    LongRetryInterval: MQLONG = 1200
    SecurityExit: MQCHAR128 = ""
    MsgExit: MQCHAR128 = ""
    SendExit: MQCHAR128 = ""
    ReceiveExit: MQCHAR128 = ""
    SeqNumberWrap: MQLONG = 999999999
    MaxMsgLength: MQLONG = 4194304
    PutAuthority: MQLONG = C.MQPA_DEFAULT
    DataConversion: MQLONG = C.MQCDC_NO_SENDER_CONVERSION
    SecurityUserData: MQCHAR32 = ""
    MsgUserData: MQCHAR32 = ""
    SendUserData: MQCHAR32 = ""
    ReceiveUserData: MQCHAR32 = ""
    UserIdentifier: MQCHAR12 = ""
    Password: MQCHAR12 = ""
    MCAUserIdentifier: MQCHAR12 = ""
    MCAType: MQLONG = C.MQMCAT_PROCESS
    ConnectionName: MQCHAR264 = ""
    RemoteUserIdentifier: MQCHAR12 = ""
    RemotePassword: MQCHAR12 = ""
    MsgRetryExit: MQCHAR128 = ""
    MsgRetryUserData: MQCHAR32 = ""
    MsgRetryCount: MQLONG = 10
    MsgRetryInterval: MQLONG = 1000
    HeartbeatInterval: MQLONG = 300
    BatchInterval: MQLONG = 0
    NonPersistentMsgSpeed: MQLONG = C.MQNPMS_FAST
    StrucLength: MQLONG = C.MQCD_CURRENT_LENGTH
    ExitNameLength: MQLONG = C.MQ_EXIT_NAME_LENGTH
    ExitDataLength: MQLONG = C.MQ_EXIT_DATA_LENGTH
    MsgExitsDefined: MQLONG = 0
    SendExitsDefined: MQLONG = 0
    ReceiveExitsDefined: MQLONG = 0
    MsgExitPtr: MQPTR = 0
    MsgUserDataPtr: MQPTR = 0
    SendExitPtr: MQPTR = 0
    SendUserDataPtr: MQPTR = 0
    ReceiveExitPtr: MQPTR = 0
    ReceiveUserDataPtr: MQPTR = 0
    ClusterPtr: MQPTR = 0
    ClustersDefined: MQLONG = 0
    NetworkPriority: MQLONG = 0
    LongMCAUserIdLength: MQLONG = 0
    LongRemoteUserIdLength: MQLONG = 0
    LongMCAUserIdPtr: MQPTR = 0
    LongRemoteUserIdPtr: MQPTR = 0
    MCASecurityId: MQBYTE40 = C.MQSID_NONE
    RemoteSecurityId: MQBYTE40 = C.MQSID_NONE
    SSLCipherSpec: MQCHAR32 = ""
    SSLPeerNamePtr: MQPTR = 0
    SSLPeerNameLength: MQLONG = 0
    SSLClientAuth: MQLONG = C.MQSCA_REQUIRED
    KeepAliveInterval: MQLONG = C.MQKAI_AUTO
    LocalAddress: MQCHAR48 = ""
    BatchHeartbeat: MQLONG = 0
    HdrCompList: MQLONGx2 = (C.MQCOMPRESS_NONE, C.MQCOMPRESS_NOT_AVAILABLE)
    MsgCompList: MQLONGx16 = (C.MQCOMPRESS_NONE,) + (C.MQCOMPRESS_NOT_AVAILABLE,) * 15
    CLWLChannelRank: MQLONG = 0
    CLWLChannelPriority: MQLONG = 0
    CLWLChannelWeight: MQLONG = 50
    ChannelMonitoring: MQLONG = C.MQMON_OFF
    ChannelStatistics: MQLONG = C.MQMON_OFF
    SharingConversations: MQLONG = 10
    PropertyControl: MQLONG = C.MQPROP_COMPATIBILITY
    MaxInstances: MQLONG = 999999999
    MaxInstancesPerClient: MQLONG = 999999999
    ClientChannelWeight: MQLONG = 0
    ConnectionAffinity: MQLONG = C.MQCAFTY_PREFERRED
    BatchDataLimit: MQLONG = 5000
    UseDLQ: MQLONG = C.MQUSEDLQ_YES
    DefReconnect: MQLONG = C.MQRCN_NO
    CertificateLabel: MQCHAR64 = ""
    SPLProtection: MQLONG = C.MQSPL_PASSTHRU
    QuantumSafeAlgorithm: MQLONG = C.MQQS_UNPROTECTED
    QuantumSafeRequired: MQLONG = C.MQQSR_OPTIONAL
