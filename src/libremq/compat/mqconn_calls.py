"""MQCONN and MQCONNX: from the structures of C to the URL of a binding.

An MQCD means a client connection, to the hosts of its ConnectionName in turn; a CipherSpec in it means TLS. Without
one the name decides, as `libremq.client.connecting` says: MQSERVER, a CCDT, a server on this machine, or a queue
manager inside this process.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import quote

from libremq.client import connecting, urls
from libremq.client.verbs import MQI
from libremq.common.names.connection_name import connection_name
from libremq.common.tls import tls_context
from libremq.compat import connection_handles, outcome
from libremq.compat.packed_structures import bytes_at, name_of
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQCD, MQCSP, MQSCO

_RECONNECT = {
    C.MQCNO_RECONNECT: urls.RECONNECT_YES,
    C.MQCNO_RECONNECT_Q_MGR: urls.RECONNECT_QMGR,
    C.MQCNO_RECONNECT_DISABLED: urls.RECONNECT_DISABLED,
}
_RECONNECT_MASK = C.MQCNO_RECONNECT | C.MQCNO_RECONNECT_Q_MGR | C.MQCNO_RECONNECT_DISABLED
_DEFAULT_RECONNECT = {C.MQRCN_YES: urls.RECONNECT_YES, C.MQRCN_Q_MGR: urls.RECONNECT_QMGR}


@dataclass
class Request:
    """What a caller of MQCONNX asks for."""

    name: str
    options: int = C.MQCNO_NONE
    cd: MQCD | None = None
    sco: MQSCO | None = None
    user: str = ""
    password: str = field(default="", repr=False)
    application: str = ""
    table: str = ""
    """The URL of a CCDT."""


def MQCONN(name: bytes | str) -> tuple[int, int, int]:
    """(hconn, cc, rc)."""
    request = Request(name_of(name))
    return outcome.run(lambda: connect(request), C.MQHC_UNUSABLE_HCONN)


def connect(request: Request) -> int:
    """A new connection; its handle."""
    access = connecting.reach(
        url_of(request),
        user=request.user or None,
        password=request.password if request.user else None,
        reconnect=_RECONNECT.get(request.options & _RECONNECT_MASK),
    )
    try:
        application = request.application or connecting.current_application()
        binding = access.connect(connecting.current_user(), application)
    except BaseException:
        access.close()
        raise
    return connection_handles.add(MQI(binding, access, close=True))


def url_of(request: Request) -> str:
    """Where the queue manager is, and how to get there."""
    if request.cd is not None:
        return _channel_url(request, request.cd)
    if request.table:
        _check_enforced(request.sco or MQSCO())
        return f"ccdt:{quote(request.name, safe='*')}?table={quote(request.table, safe='')}"
    url = connecting.url_for(request.name)
    if url.startswith(("mqs:", "ccdt:")):
        _check_enforced(request.sco or MQSCO())
    if request.options & C.MQCNO_CLIENT_BINDING and not url.startswith(("mq:", "mqs:", "ccdt:")):
        raise mq_error(
            C.MQRC_Q_MGR_NAME_ERROR,
            request.name,
            "a client connection needs a channel: give an MQCD, or set MQSERVER or MQCCDTURL",
        )
    return url


def _channel_url(request: Request, cd: MQCD) -> str:
    if cd.TransportType != C.MQXPT_TCP:
        raise mq_error(C.MQRC_CD_ERROR, request.name, f"transport type {cd.TransportType} of the MQCD is not TCP")
    hosts = connection_name(cd.ConnectionName, "the ConnectionName of the MQCD")
    keys = _settings(cd)
    if not cd.SSLCipherSpec:
        return urls.client_url(hosts, request.name, cd.ChannelName, **keys)
    url = urls.client_url(hosts, request.name, cd.ChannelName, **keys, **_tls(request.sco or MQSCO(), cd))
    return "mqs" + url.removeprefix("mq")


def _settings(cd: MQCD) -> dict[str, str]:
    """What a channel definition says about the connection; what cannot be is left to the defaults."""
    keys = {}
    if 0 <= cd.HeartbeatInterval <= urls.SECONDS_MAX:
        keys["heartbeat"] = str(cd.HeartbeatInterval)
    if 0 < cd.MaxMsgLength <= urls.MESSAGE_BYTES_MAX:
        keys["max_message"] = str(cd.MaxMsgLength)
    if cd.Version >= C.MQCD_VERSION_9 and 0 <= cd.SharingConversations <= urls.SHARING_MAX:
        keys["sharing"] = str(cd.SharingConversations)
    if cd.Version >= C.MQCD_VERSION_10 and cd.DefReconnect in _DEFAULT_RECONNECT:
        keys["reconnect"] = _DEFAULT_RECONNECT[cd.DefReconnect]
    return keys


def _tls(sco: MQSCO, cd: MQCD) -> dict[str, str]:
    """The keys of TLS. A key repository is a folder or file with PEM, as for MQSSLKEYR."""
    _check_enforced(sco)
    label = sco.CertificateLabel if sco.Version >= C.MQSCO_VERSION_5 else ""
    if not label and cd.Version >= C.MQCD_VERSION_11:
        label = cd.CertificateLabel
    peer_name = bytes_at(cd.SSLPeerNamePtr, cd.SSLPeerNameLength).decode("utf-8", "replace").strip(" \0")
    options = tls_context.from_key_repository(
        sco.KeyRepository or os.environ.get("MQSSLKEYR", ""),
        cipher=cd.SSLCipherSpec,
        label=label,
        peer_name=peer_name,
    )
    return {
        "ca": options.ca,
        "cert": options.certificate,
        "key": options.key,
        "verify": options.verify,
        "cipher": options.cipher,
        "server_name": options.server_name,
        "peer_name": options.peer_name,
        "crl": options.revoked,
    }


def _check_enforced(sco: MQSCO) -> None:
    """Refuse what would protect if it were done, and is not."""
    if sco.AuthInfoRecCount:
        why = "revocation is not looked up by LDAP or OCSP; put revocation lists in crl.pem of the key repository"
        raise mq_error(C.MQRC_AUTH_INFO_REC_COUNT_ERROR, detail=f"AuthInfoRecCount of the MQSCO: {why}")
    if sco.Version >= C.MQSCO_VERSION_2 and sco.FipsRequired == C.MQSSL_FIPS_YES and not tls_context.fips_mode():
        why = "OpenSSL of this Python does not run in FIPS mode"
        raise mq_error(C.MQRC_SSL_INITIALIZATION_ERROR, detail=f"FipsRequired of the MQSCO: {why}")
    if sco.Version >= C.MQSCO_VERSION_3 and sco.EncryptionPolicySuiteB[0] != C.MQ_SUITE_B_NONE:
        raise mq_error(C.MQRC_SUITE_B_ERROR, detail="EncryptionPolicySuiteB of the MQSCO: Suite B is not enforced here")


def credentials(csp: MQCSP) -> tuple[str, str]:
    """User and password of an MQCSP; nothing if it has none."""
    if csp.AuthenticationType == C.MQCSP_AUTH_NONE:
        return "", ""
    if csp.AuthenticationType != C.MQCSP_AUTH_USER_ID_AND_PWD:
        raise mq_error(
            C.MQRC_CSP_ERROR, detail=f"authentication type {csp.AuthenticationType}: only user and password are known"
        )
    user = bytes_at(csp.CSPUserIdPtr, csp.CSPUserIdLength)
    password = bytes_at(csp.CSPPasswordPtr, csp.CSPPasswordLength)
    return user.decode("utf-8", "replace"), password.decode("utf-8", "replace")
