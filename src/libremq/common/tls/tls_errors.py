"""What a failure of TLS means, in words: from OpenSSL's reasons and verification codes to a sentence with advice.

OpenSSL says `TLSV1_ALERT_UNKNOWN_CA`; a person wants to know whose certificate it is about and what to do. An alert is
what the other end said; everything else was found at this end.
"""

from __future__ import annotations

import ssl

_VERIFY = {
    3: "there is no revocation list of its issuer; put it into the key repository too",
    9: "it is not valid yet; look at the clocks of both machines",
    10: "it has expired",
    11: "the revocation list of its issuer is not valid yet",
    12: "the revocation list of its issuer has expired; get a new one",
    18: "it is signed by itself, and not trusted",
    19: "its authority is not trusted",
    20: "its authority is not trusted",
    21: "its issuer is not known",
    23: "it was revoked",
    24: "its authority may not issue certificates",
    26: "it is for another purpose (look at its extended key usage)",
    62: "it is for another host",
    64: "it is for another address",
    66: "its key is too short",
    68: "its signature is too weak",
}
REVOKED = 23
NOT_ACCEPTED = "the certificate of the other end is not accepted: "
SAID = "the other end ended TLS: "

_ALERTS = {
    "TLSV1_ALERT_UNKNOWN_CA": "it does not trust the authority of our certificate",
    "SSLV3_ALERT_BAD_CERTIFICATE": "it does not accept our certificate (not valid yet, for another host, or damaged)",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "our certificate has expired",
    "SSLV3_ALERT_CERTIFICATE_REVOKED": "our certificate was revoked",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "it does not accept our certificate",
    "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE": "it cannot use our certificate (look at its extended key usage)",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "it wants a certificate of ours",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "it has no cipher in common with us, or no certificate",
    "TLSV1_ALERT_INSUFFICIENT_SECURITY": "our ciphers are too weak for it",
    "TLSV1_ALERT_PROTOCOL_VERSION": "it does not speak a version of TLS that we do",
    "TLSV1_ALERT_ACCESS_DENIED": "it denies access",
    "TLSV1_ALERT_DECRYPT_ERROR": "it found a signature that is wrong",
    "TLSV1_ALERT_INTERNAL_ERROR": "it had an internal error",
    "TLSV1_UNRECOGNIZED_NAME": "it does not know the host name that it was asked for",
}
_OLD = "the other end speaks only a version of TLS that is not safe any more; TLS 1.2 is the least"
_FOUND = {
    "NO_SHARED_CIPHER": "there is no cipher that both ends have",
    "NO_CIPHERS_AVAILABLE": "there is no cipher that could be offered",
    "UNSUPPORTED_PROTOCOL": _OLD,
    "VERSION_TOO_LOW": _OLD,
    "NO_PROTOCOLS_AVAILABLE": "the two ends have no version of TLS in common",
    "WRONG_VERSION_NUMBER": "the other end does not speak TLS",
    "RECORD_LAYER_FAILURE": "the other end does not speak TLS",
    "PACKET_LENGTH_TOO_LONG": "the other end does not speak TLS",
    "HTTP_REQUEST": "the other end does not speak TLS, but HTTP",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "the other end has shown no certificate",
    "UNEXPECTED_EOF_WHILE_READING": "the other end closed the connection",
    "NO_SUITABLE_SIGNATURE_ALGORITHM": "the key of the certificate does not fit the ciphers that both ends have",
    "EE_KEY_TOO_SMALL": "the key of the certificate is too short",
    "CA_KEY_TOO_SMALL": "the key of an authority is too short",
    "CA_MD_TOO_WEAK": "the signature of an authority is too weak",
}


def explained(error: ssl.SSLError) -> str:
    """What went wrong, for whoever reads it at this end."""
    if isinstance(error, ssl.SSLCertVerificationError):
        why = _VERIFY.get(error.verify_code, error.verify_message)
        if error.verify_code in (62, 64):
            why = f"{why} ({error.verify_message.rstrip('.')})"
        return f"{NOT_ACCEPTED}{why}"
    reason = error.reason or ""
    if reason in _ALERTS:
        return f"{SAID}{_ALERTS[reason]}"
    if reason in _FOUND:
        return _FOUND[reason]
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return "the other end closed the connection"
    return reason.replace("_", " ").lower() or str(error)


def is_alert(error: ssl.SSLError) -> bool:
    """Did the other end refuse, and say so?"""
    return "_ALERT_" in (error.reason or "") or (error.reason or "") in _ALERTS
