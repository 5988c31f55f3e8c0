"""The attributes of what decides who gets in: AUTHINFO, CHLAUTH and AUTHREC. Data only, in display order.

The rows of AUTHINFO belong to the types of the object, those of CHLAUTH to the types of the rule. All rules are of one
kind of object, so its table has every row; `CHLAUTH_TABLES` has those of each type.
"""

from __future__ import annotations

from dataclasses import replace

from libremq.kernel.objects.attribute_rows import ALTDATE, ALTTIME, choice, choices, identity, number, text, texts
from libremq.kernel.objects.attributes import Attribute, AttributeTable, Effect, Source
from libremq.mqi import constants as mq
from libremq.security.authorities import AUTHORITY_WORDS, OBJECT_TYPE_WORDS

AUTHINFO_TYPES = ("CRLLDAP", "OCSP", "IDPWOS", "IDPWLDAP")
LDAP = ("CRLLDAP", "IDPWLDAP")
PASSWORDS = ("IDPWOS", "IDPWLDAP")
IDPWOS = ("IDPWOS",)
IDPWLDAP = ("IDPWLDAP",)
OCSP = ("OCSP",)

AUTHINFO_ATTRIBUTES: tuple[Attribute, ...] = (
    identity("AUTHINFO", mq.MQCA_AUTH_INFO_NAME, mq.MQ_AUTH_INFO_NAME_LENGTH, "name of the object"),
    choice(
        "AUTHTYPE", mq.MQIA_AUTH_INFO_TYPE, mq.MQAIT_IDPW_OS,
        {
            "CRLLDAP": mq.MQAIT_CRL_LDAP,
            "OCSP": mq.MQAIT_OCSP,
            "IDPWOS": mq.MQAIT_IDPW_OS,
            "IDPWLDAP": mq.MQAIT_IDPW_LDAP,
        },
        "what it is for; DEFINE AUTHINFO needs it", source=Source.FIXED,
    ),
    choice(
        "ADOPTCTX", mq.MQIA_ADOPT_CONTEXT, mq.MQADPCTX_YES, {"YES": mq.MQADPCTX_YES, "NO": mq.MQADPCTX_NO},
        "whether the checked user is the one that the connection acts as", types=PASSWORDS,
    ),
    text("DESCR", mq.MQCA_AUTH_INFO_DESC, mq.MQ_AUTH_INFO_DESC_LENGTH, "free description", effect=Effect.FOR_OTHERS),
    text(
        "CONNAME", mq.MQCA_AUTH_INFO_CONN_NAME, mq.MQ_AUTH_INFO_CONN_NAME_LENGTH,
        "LDAP servers: host(port), several with commas", types=LDAP, value_reason=mq.MQRCCF_CONN_NAME_ERROR,
    ),
    choice(
        "CHCKCLNT", mq.MQIA_CHECK_CLIENT_BINDING, mq.MQCHK_REQUIRED_ADMIN,
        {
            "NONE": mq.MQCHK_NONE,
            "OPTIONAL": mq.MQCHK_OPTIONAL,
            "REQUIRED": mq.MQCHK_REQUIRED,
            "REQDADM": mq.MQCHK_REQUIRED_ADMIN,
        },
        "which client connections need a user and password", types=PASSWORDS,
    ),
    choice(
        "CHCKLOCL", mq.MQIA_CHECK_LOCAL_BINDING, mq.MQCHK_OPTIONAL,
        {
            "NONE": mq.MQCHK_NONE,
            "OPTIONAL": mq.MQCHK_OPTIONAL,
            "REQUIRED": mq.MQCHK_REQUIRED,
            "REQDADM": mq.MQCHK_REQUIRED_ADMIN,
        },
        "which local connections need a user and password", types=PASSWORDS,
    ),
    text(
        "CLASSGRP", mq.MQCA_LDAP_GROUP_OBJECT_CLASS, mq.MQ_LDAP_CLASS_LENGTH,
        "LDAP object class of groups; blank is groupOfNames", types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    text(
        "CLASSUSR", mq.MQCA_LDAP_USER_OBJECT_CLASS, mq.MQ_LDAP_CLASS_LENGTH,
        "LDAP object class of users; blank is inetOrgPerson", types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    number(
        "FAILDLAY", mq.MQIA_AUTHENTICATION_FAIL_DELAY, 1, 0, 60, "seconds that a refusal waits if a password was shown",
        types=PASSWORDS,
    ),
    text(
        "FINDGRP", mq.MQCA_LDAP_FIND_GROUP_FIELD, mq.MQ_LDAP_FIELD_LENGTH,
        "LDAP attribute that tells the members of a group, or the groups of a user", types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    choice(
        "AUTHENMD", mq.MQIA_AUTHENTICATION_METHOD, mq.MQAUTHENTICATE_OS,
        {"OS": mq.MQAUTHENTICATE_OS, "PAM": mq.MQAUTHENTICATE_PAM}, "how passwords are checked", types=IDPWOS,
    ),
    text(
        "BASEDNG", mq.MQCA_LDAP_BASE_DN_GROUPS, mq.MQ_LDAP_BASE_DN_LENGTH, "where groups are in the LDAP tree",
        types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    text(
        "BASEDNU", mq.MQCA_LDAP_BASE_DN_USERS, mq.MQ_LDAP_BASE_DN_LENGTH, "where users are in the LDAP tree",
        types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    text(
        "LDAPUSER", mq.MQCA_LDAP_USER_NAME, mq.MQ_DISTINGUISHED_NAME_LENGTH, "user at the LDAP server", types=LDAP,
        effect=Effect.NOT_YET,
    ),
    text(
        "LDAPPWD", mq.MQCA_LDAP_PASSWORD, mq.MQ_LDAP_PASSWORD_LENGTH, "its password; kept but never shown",
        types=LDAP, secret=True,
        effect=Effect.NOT_YET,
    ),
    text(
        "SHORTUSR", mq.MQCA_LDAP_SHORT_USER_FIELD, mq.MQ_LDAP_FIELD_LENGTH,
        "LDAP attribute with the short name of a user", types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    text(
        "GRPFIELD", mq.MQCA_LDAP_GROUP_ATTR_FIELD, mq.MQ_LDAP_FIELD_LENGTH, "LDAP attribute that names a group",
        types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    text(
        "USRFIELD", mq.MQCA_LDAP_USER_ATTR_FIELD, mq.MQ_LDAP_FIELD_LENGTH,
        "LDAP attribute that a user name without attribute means", types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    choice(
        "AUTHORMD", mq.MQIA_LDAP_AUTHORMD, mq.MQLDAP_AUTHORMD_OS,
        {
            "OS": mq.MQLDAP_AUTHORMD_OS,
            "SEARCHGRP": mq.MQLDAP_AUTHORMD_SEARCHGRP,
            "SEARCHUSR": mq.MQLDAP_AUTHORMD_SEARCHUSR,
            "SRCHGRPSN": mq.MQLDAP_AUTHORMD_SRCHGRPSN,
        },
        "where groups come from", types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    choice(
        "NESTGRP", mq.MQIA_LDAP_NESTGRP, mq.MQLDAP_NESTGRP_NO,
        {"NO": mq.MQLDAP_NESTGRP_NO, "YES": mq.MQLDAP_NESTGRP_YES}, "whether groups of groups count", types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    choice(
        "SECCOMM", mq.MQIA_LDAP_SECURE_COMM, mq.MQSECCOMM_NO,
        {"NO": mq.MQSECCOMM_NO, "YES": mq.MQSECCOMM_YES, "ANON": mq.MQSECCOMM_ANON}, "TLS to the LDAP server",
        types=IDPWLDAP,
        effect=Effect.NOT_YET,
    ),
    text(
        "OCSPURL", mq.MQCA_AUTH_INFO_OCSP_URL, mq.MQ_AUTH_INFO_OCSP_URL_LENGTH, "address of the OCSP responder",
        types=OCSP,
        effect=Effect.NOT_YET,
    ),
    ALTDATE,
    ALTTIME,
)  # fmt: skip

CHLAUTH_TYPES = ("BLOCKUSER", "BLOCKADDR", "SSLPEERMAP", "ADDRESSMAP", "USERMAP", "QMGRMAP")
MAPS = CHLAUTH_TYPES[2:]

_CHLAUTH_ROWS: tuple[Attribute, ...] = (
    text(
        "CHLAUTH", mq.MQCACH_CHANNEL_NAME, mq.MQ_CHANNEL_NAME_LENGTH,
        "channels that the rule is for, * in it is anything", value_reason=mq.MQRCCF_CHLAUTH_NAME_ERROR,
    ),
    choice(
        "TYPE", mq.MQIACF_CHLAUTH_TYPE, mq.MQCAUT_ADDRESSMAP,
        {
            "BLOCKUSER": mq.MQCAUT_BLOCKUSER,
            "BLOCKADDR": mq.MQCAUT_BLOCKADDR,
            "SSLPEERMAP": mq.MQCAUT_SSLPEERMAP,
            "ADDRESSMAP": mq.MQCAUT_ADDRESSMAP,
            "USERMAP": mq.MQCAUT_USERMAP,
            "QMGRMAP": mq.MQCAUT_QMGRMAP,
        },
        "what the rule looks at", value_reason=mq.MQRCCF_CHLAUTH_TYPE_ERROR,
    ),
    text("DESCR", mq.MQCA_CHLAUTH_DESC, mq.MQ_CHLAUTH_DESC_LENGTH, "free description", effect=Effect.FOR_OTHERS),
    text(
        "CUSTOM", mq.MQCA_CUSTOM, mq.MQ_CUSTOM_LENGTH, "features without attribute of their own",
        effect=Effect.NOT_YET,
    ),
    text(
        "SSLPEER", mq.MQCACH_SSL_PEER_NAME, mq.MQ_DISTINGUISHED_NAME_LENGTH,
        "distinguished name of the partner's certificate", types=("SSLPEERMAP",),
        value_reason=mq.MQRCCF_SSL_PEER_NAME_ERROR,
    ),
    text(
        "SSLCERTI", mq.MQCA_SSL_CERT_ISSUER_NAME, mq.MQ_DISTINGUISHED_NAME_LENGTH,
        "distinguished name of the certificate's issuer", types=("SSLPEERMAP",),
    ),
    text(
        "ADDRESS", mq.MQCACH_CONNECTION_NAME, mq.MQ_CONN_NAME_LENGTH,
        "address of the partner: a pattern, a range, or a host name", types=MAPS,
    ),
    texts(
        "ADDRLIST", mq.MQCACH_CONNECTION_NAME_LIST, mq.MQ_CONN_NAME_LENGTH, 256, "addresses that are refused",
        types=("BLOCKADDR",),
    ),
    text(
        "CLNTUSER", mq.MQCACH_CLIENT_USER_ID, mq.MQ_CLIENT_USER_ID_LENGTH, "user that the client asserts",
        types=("USERMAP",), value_reason=mq.MQRCCF_CHLAUTH_CLNTUSER_ERROR,
    ),
    text(
        "QMNAME", mq.MQCA_REMOTE_Q_MGR_NAME, mq.MQ_Q_MGR_NAME_LENGTH,
        "queue manager at the other end, * in it is anything", types=("QMGRMAP",),
    ),
    text(
        "MCAUSER", mq.MQCACH_MCA_USER_ID, mq.MQ_MCA_USER_ID_LENGTH,
        "user that the channel works as, with USERSRC(MAP)", types=MAPS,
    ),
    texts(
        "USERLIST", mq.MQCACH_MCA_USER_ID_LIST, mq.MQ_MCA_USER_ID_LENGTH, 100,
        "users that are refused; *MQADMIN is every privileged one", types=("BLOCKUSER",),
    ),
    choice(
        "USERSRC", mq.MQIACH_USER_SOURCE, mq.MQUSRC_MAP,
        {"MAP": mq.MQUSRC_MAP, "NOACCESS": mq.MQUSRC_NOACCESS, "CHANNEL": mq.MQUSRC_CHANNEL},
        "MAP takes MCAUSER, CHANNEL the user that the channel has anyway, NOACCESS refuses", types=MAPS,
        value_reason=mq.MQRCCF_CHLAUTH_USERSRC_ERROR,
    ),
    choice(
        "CHCKCLNT", mq.MQIA_CHECK_CLIENT_BINDING, mq.MQCHK_AS_Q_MGR,
        {"ASQMGR": mq.MQCHK_AS_Q_MGR, "REQUIRED": mq.MQCHK_REQUIRED, "REQDADM": mq.MQCHK_REQUIRED_ADMIN},
        "whether a client needs a user and password here", types=MAPS, value_reason=mq.MQRCCF_CHLAUTH_CHKCLI_ERROR,
    ),
    choice(
        "WARN", mq.MQIACH_WARNING, mq.MQWARN_NO, {"NO": mq.MQWARN_NO, "YES": mq.MQWARN_YES},
        "YES lets in what the rule would refuse, and says so", value_reason=mq.MQRCCF_CHLAUTH_WARN_ERROR,
    ),
    ALTDATE,
    ALTTIME,
)  # fmt: skip

CHLAUTH_ATTRIBUTES: tuple[Attribute, ...] = tuple(replace(row, types=()) for row in _CHLAUTH_ROWS)
CHLAUTH_TABLES: dict[str, AttributeTable] = {kind: AttributeTable(kind, _CHLAUTH_ROWS) for kind in CHLAUTH_TYPES}

AUTHREC_ATTRIBUTES: tuple[Attribute, ...] = (
    text(
        "PROFILE", mq.MQCACF_AUTH_PROFILE_NAME, mq.MQ_AUTH_PROFILE_NAME_LENGTH,
        "object name or generic profile; self for the queue manager itself",
        value_reason=mq.MQRCCF_PROFILE_NAME_ERROR,
    ),
    text("ENTITY", mq.MQCACF_ENTITY_NAME, mq.MQ_ENTITY_NAME_LENGTH, "user or group"),
    choice(
        "ENTTYPE", mq.MQIACF_ENTITY_TYPE, mq.MQZAET_PRINCIPAL,
        {"PRINCIPAL": mq.MQZAET_PRINCIPAL, "GROUP": mq.MQZAET_GROUP}, "which of the two",
    ),
    choice(
        "OBJTYPE", mq.MQIACF_OBJECT_TYPE, mq.MQOT_Q,
        OBJECT_TYPE_WORDS,
        "type of the objects that the profile is for",
    ),
    choices(
        "AUTHLIST", mq.MQIACF_AUTHORIZATION_LIST, (mq.MQAUTH_NONE,),
        AUTHORITY_WORDS,
        32, "authorities, in the order of the words", value_reason=mq.MQRCCF_AUTH_VALUE_ERROR,
    ),
)  # fmt: skip
