"""Settings of qm.ini that would protect if they were done, and are not: whoever sets one must not believe that it is.

They are of MQ's SSL stanza. With the values that ask for nothing they are kept like all others that mean nothing here.
"""

from __future__ import annotations

_STANZA = "ssl"
_LISTS = "put revocation lists in crl.pem of the key repository (SSLKEYR) instead"
_CIPHERS = "name a CipherSpec in SSLCIPH of the channels instead"
# The values that promise nothing, and what to do instead
_UNKEPT: dict[str, tuple[frozenset[str], str]] = {
    "ocspauthentication": (frozenset({"OPTIONAL", "WARN"}), f"OCSP is not asked; {_LISTS}"),
    "cdpcheckextensions": (frozenset({"NO"}), f"lists are not fetched from where certificates say; {_LISTS}"),
    "encryptionpolicysuiteb": (frozenset({"NONE"}), f"Suite B is not enforced; {_CIPHERS}"),
    "sslfipsrequired": (frozenset({"NO"}), "use SSLFIPS of the queue manager instead"),
    "minimumrsakeysize": (frozenset({"0", "1"}), "how long keys have to be is left to OpenSSL"),
    "allowedcipherspecs": (frozenset({""}), _CIPHERS),
}


def unkept(stanza: str, key: str, value: str) -> str:
    """Why a setting cannot be kept to; nothing if it can, or if it asks for nothing."""
    promises_nothing, instead = _UNKEPT.get(key.casefold(), (frozenset(), ""))
    if stanza.casefold() != _STANZA or not instead or value.strip().upper() in promises_nothing:
        return ""
    return f"{key}={value.strip()[:40]} cannot be kept to: {instead}"
