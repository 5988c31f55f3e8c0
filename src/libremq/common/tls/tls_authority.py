"""A certificate authority of one's own: certificates for queue managers and clients, and revocation lists.

For a quick start and for tests. Keys are of the curve P-256, which every CipherSpec of TLS 1.3 and those with ECDSA can
use, or RSA, for CipherSpecs that want it. Needs the package `cryptography` (the extra `tls`): nothing else imports this
module, so that a queue manager that only uses certificates does without it. Nothing here writes files.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_TYPES = {
    "CN": NameOID.COMMON_NAME,
    "T": NameOID.TITLE,
    "OU": NameOID.ORGANIZATIONAL_UNIT_NAME,
    "DC": NameOID.DOMAIN_COMPONENT,
    "O": NameOID.ORGANIZATION_NAME,
    "STREET": NameOID.STREET_ADDRESS,
    "L": NameOID.LOCALITY_NAME,
    "ST": NameOID.STATE_OR_PROVINCE_NAME,
    "PC": NameOID.POSTAL_CODE,
    "C": NameOID.COUNTRY_NAME,
    "UID": NameOID.USER_ID,
    "MAIL": NameOID.EMAIL_ADDRESS,
    "DNQ": NameOID.DN_QUALIFIER,
    "SERIALNUMBER": NameOID.SERIAL_NUMBER,
}
_RSA_BITS = 3072
_CLOCK_SKEW = datetime.timedelta(minutes=5)

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
Name = Sequence[tuple[str, str]]
"""Types and values, from the top of the hierarchy down: `[("O", "Example"), ("CN", "alice")]`."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: PrivateKey

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    def key_pem(self, password: str = "") -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption(),
        )

    @property
    def pem(self) -> bytes:
        """Both, as `cert.pem` of a key repository has them."""
        return self.certificate_pem + self.key_pem()


class Authority:
    """Signs certificates with a key that it holds."""

    def __init__(self, own: Issued) -> None:
        self.own = own

    @classmethod
    def create(cls, name: Name = (("CN", "LibreMQ local authority"),), *, days: int = 3650) -> Authority:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(name)
        begins, ends = _validity(days)
        built = _builder(subject, subject, key, begins, ends)
        built = built.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        built = built.add_extension(_usage(signs_certificates=True), critical=True)
        return cls(Issued(built.sign(key, hashes.SHA256()), key))

    @classmethod
    def load(cls, certificate_pem: bytes, key_pem: bytes) -> Authority:
        """ValueError if they are no certificate and key of an authority."""
        certificate = x509.load_pem_x509_certificate(certificate_pem)
        key = serialization.load_pem_private_key(key_pem, None)
        if not isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
            raise ValueError("the key of the authority is neither of a curve nor RSA")
        if key.public_key() != certificate.public_key():
            raise ValueError("the key is not that of the certificate")
        return cls(Issued(certificate, key))

    def issue(
        self,
        name: Name,
        *,
        hosts: Iterable[str] = (),
        days: int = 825,
        begins: datetime.datetime | None = None,
        use_rsa: bool = False,
    ) -> Issued:
        """A certificate; with `hosts`, for a queue manager that clients reach under these names and addresses."""
        key: PrivateKey = (
            rsa.generate_private_key(65537, _RSA_BITS) if use_rsa else ec.generate_private_key(ec.SECP256R1())
        )
        names = list(hosts)
        since, until = _validity(days, begins)
        built = _builder(_name(name), self.own.certificate.subject, key, since, until)
        built = built.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        built = built.add_extension(_usage(signs_certificates=False), critical=True)
        # A queue manager is a client too, when it calls another one
        uses = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] if names else [])]
        built = built.add_extension(x509.ExtendedKeyUsage(uses), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.own.key.public_key())
        built = built.add_extension(issuer, critical=False)
        if names:
            built = built.add_extension(x509.SubjectAlternativeName([_host(each) for each in names]), critical=False)
        return Issued(built.sign(self.own.key, hashes.SHA256()), key)

    def revocation_list(self, revoked: Iterable[x509.Certificate] = (), *, days: int = 30) -> bytes:
        """A list of the certificates that do not count any more, in PEM."""
        now = datetime.datetime.now(datetime.UTC)
        built = x509.CertificateRevocationListBuilder().issuer_name(self.own.certificate.subject)
        built = built.last_update(now - _CLOCK_SKEW).next_update(now + datetime.timedelta(days=days))
        for certificate in revoked:
            entry = x509.RevokedCertificateBuilder().serial_number(certificate.serial_number).revocation_date(now)
            built = built.add_revoked_certificate(entry.build())
        return built.sign(self.own.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _name(name: Name) -> x509.Name:
    return x509.Name([x509.NameAttribute(_TYPES[kind], value) for kind, value in name])


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _validity(days: int, begins: datetime.datetime | None = None) -> tuple[datetime.datetime, datetime.datetime]:
    since = begins or datetime.datetime.now(datetime.UTC) - _CLOCK_SKEW
    return since, since + datetime.timedelta(days=days)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: PrivateKey, begins: datetime.datetime, ends: datetime.datetime
) -> x509.CertificateBuilder:
    built = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    built = built.serial_number(x509.random_serial_number()).not_valid_before(begins).not_valid_after(ends)
    return built.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=not signs_certificates,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
