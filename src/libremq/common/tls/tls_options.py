"""How a client secures its connection, as its URL or its table says: words only, `ssl` is not loaded for them."""

from __future__ import annotations

from dataclasses import dataclass, field

from libremq.common.tls import cipher_specs
from libremq.common.tls.cipher_specs import ANY
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

VERIFY_FULL = "full"
VERIFY_CHAIN = "ca"
VERIFY_NONE = "no"
VERIFY = (VERIFY_FULL, VERIFY_CHAIN, VERIFY_NONE)


@dataclass(frozen=True, slots=True)
class TLSOptions:
    """How a client secures its connection. Paths name PEM files; empty ones are left out."""

    ca: str = ""
    """Who is trusted; empty: those whom the system trusts."""
    certificate: str = ""
    """The certificate of this client, with those between it and the authority."""
    key: str = ""
    """Its key; empty: it is in the file of the certificate."""
    key_password: str = field(default="", repr=False)
    verify: str = VERIFY_FULL
    """"full": the server's certificate and the host name in it; "ca": the certificate only; "no": nothing."""
    cipher: str = ANY
    """A CipherSpec, or the name of a cipher suite."""
    server_name: str = ""
    """The name to find in the certificate (and to ask for), if not that of the host."""
    peer_name: str = ""
    """SSLPEER: what the distinguished name in the server's certificate must be like."""
    revoked: str = ""
    """Revocation lists of the authorities. With them, a certificate whose issuer has none there is refused too."""


def check_cipher(name: str) -> str:
    """The CipherSpec for a name (that of MQ, or of the suite), in capitals; the error if it cannot be used."""
    spec = cipher_specs.canonical(name)
    if trouble := cipher_specs.problem(spec):
        raise mq_error(C.MQRC_UNSUPPORTED_CIPHER_SUITE, "", trouble)
    return spec
