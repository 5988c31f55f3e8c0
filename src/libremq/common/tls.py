"""TLS for both ends of a channel: from MQ's words (CipherSpec, key repository, SSLPEER) to an `ssl.SSLContext`.

Certificates and keys are PEM files. Nothing below TLS 1.2 is spoken. A cipher is named as MQ names it; the table here
says what OpenSSL calls it. Everything that is wrong with the files or the names is found when a context is made, with
the file named, and never by a prompt for a password on a terminal.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

ANY = "ANY_TLS12_OR_HIGHER"
VERIFY_FULL = "full"
VERIFY_CHAIN = "ca"
VERIFY_NONE = "no"
VERIFY = (VERIFY_FULL, VERIFY_CHAIN, VERIFY_NONE)

_Versions = tuple[ssl.TLSVersion, ssl.TLSVersion]
_12 = ssl.TLSVersion.TLSv1_2
_13 = ssl.TLSVersion.TLSv1_3

# CipherSpecs that stand for all of a version.
_ALIASES: dict[str, _Versions] = {
    "ANY": (_12, _13),
    "ANY_TLS12": (_12, _12),
    "ANY_TLS12_OR_HIGHER": (_12, _13),
    "ANY_TLS13": (_13, _13),
    "ANY_TLS13_OR_HIGHER": (_13, _13),
}
# TLS 1.2: CipherSpec to the name in OpenSSL.
_SUITES_12: dict[str, str] = {
    "ECDHE_ECDSA_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE_ECDSA_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE_ECDSA_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE_ECDSA_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE_RSA_AES_128_CBC_SHA256": "ECDHE-RSA-AES128-SHA256",
    "ECDHE_RSA_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE_RSA_AES_256_CBC_SHA384": "ECDHE-RSA-AES256-SHA384",
    "ECDHE_RSA_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_RSA_WITH_AES_128_CBC_SHA256": "AES128-SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256": "AES256-SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384": "AES256-GCM-SHA384",
}
_SUITES_13 = (
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
)
# Suites that MQ still names, for TLS 1.0, SSL 3.0 or without encryption.
_WEAK = re.compile(r"_SHA(?:_US)?\Z|_NULL_|NULL_|RC4|RC2|3DES|TRIPLE_DES|_DES_|DES_|MD5|EXPORT|FIPS_WITH")


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
    """SSLPEER: what the distinguished name in the server's certificate must be like. See `check_peer_name`."""


def client_context(options: TLSOptions, hostname: str) -> tuple[ssl.SSLContext, str]:
    """The context for a connection, and the server_hostname to wrap the socket with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if options.verify not in VERIFY:
        raise mq_error(C.MQRC_SSL_CONFIG_ERROR, hostname, f"verify is {_or(VERIFY)}, not {options.verify!r}")
    if options.peer_name:
        parse_peer_name(options.peer_name)
        if options.verify == VERIFY_NONE:
            raise mq_error(
                C.MQRC_SSL_CONFIG_ERROR, hostname, "a peer name is checked only in a certificate that is verified too"
            )
    context.check_hostname = options.verify == VERIFY_FULL
    context.verify_mode = ssl.CERT_NONE if options.verify == VERIFY_NONE else ssl.CERT_REQUIRED
    _use_cipher(context, options.cipher)
    if options.ca:
        _load_authorities(context, options.ca)
    elif options.verify != VERIFY_NONE:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    if options.certificate:
        _load_certificate(context, options.certificate, options.key, options.key_password)
    elif options.key:
        raise mq_error(C.MQRC_SSL_CONFIG_ERROR, hostname, f"there is a key, {options.key}, but no certificate")
    return context, options.server_name or hostname


def server_context(
    certificate: str,
    key: str = "",
    ca: str = "",
    require_client: bool = False,
    *,
    cipher: str = ANY,
    key_password: str = "",
) -> ssl.SSLContext:
    """The context of a listener or of a channel. With `ca`, a client that shows a certificate must be known to it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _use_cipher(context, cipher)
    if not certificate:
        raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", "a server needs a certificate: name its PEM file")
    _load_certificate(context, certificate, key, key_password)
    if ca:
        _load_authorities(context, ca)
        context.verify_mode = ssl.CERT_REQUIRED if require_client else ssl.CERT_OPTIONAL
    elif require_client:
        raise mq_error(
            C.MQRC_SSL_CONFIG_ERROR, "", "clients are to show certificates, but no file says which authorities count"
        )
    return context


# Ciphers


def cipher_names() -> list[str]:
    """Every CipherSpec that can be used."""
    return [*_ALIASES, *_SUITES_13, *_SUITES_12]


def check_cipher(name: str) -> str:
    """The CipherSpec for a name (that of MQ, or of the suite), in capitals; the error if it cannot be used."""
    spec = name.strip().upper()
    if spec.startswith("TLS_ECDHE_") and "_WITH_" in spec:  # as the standards and Java name it
        spec = spec.removeprefix("TLS_").replace("_WITH_", "_")
    if spec in _ALIASES or spec in _SUITES_12 or spec in _SUITES_13:
        return spec
    for ours, openssl in _SUITES_12.items():
        if spec == openssl:
            return ours
    if _WEAK.search(spec):
        detail = f"{name!r} is older than TLS 1.2 and not safe any more; use {ANY}"
    else:
        detail = f"{name!r} is no CipherSpec known here; use {ANY}, or one of {', '.join(cipher_names())}"
    raise mq_error(C.MQRC_UNSUPPORTED_CIPHER_SUITE, "", detail)


def _use_cipher(context: ssl.SSLContext, name: str) -> None:
    spec = check_cipher(name or ANY)
    if spec in _ALIASES:
        context.minimum_version, context.maximum_version = _ALIASES[spec]
    elif spec in _SUITES_12:
        context.minimum_version = context.maximum_version = _12
        try:
            context.set_ciphers(_SUITES_12[spec])
        except ssl.SSLError as error:
            raise mq_error(
                C.MQRC_UNSUPPORTED_CIPHER_SUITE, "", f"the OpenSSL of this Python has no {spec}; use {ANY}"
            ) from error
    else:
        context.minimum_version = context.maximum_version = _13
        # Python 3.15 can choose among the suites of TLS 1.3; before, all three are offered, and all are sound.
        choose = getattr(context, "set_ciphersuites", None)
        if choose is not None:
            choose(spec)


# Files


def _load_authorities(context: ssl.SSLContext, path: str) -> None:
    try:
        if os.path.isdir(path):
            context.load_verify_locations(capath=path)
        else:
            context.load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:
        raise _bad_file(path, "certificates of authorities", error) from error


def _load_certificate(context: ssl.SSLContext, certificate: str, key: str, password: str) -> None:
    for path in filter(None, (certificate, key)):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise _bad_file(path, "a certificate" if path == certificate else "a key", error) from error
    asked: list[bool] = []

    def answer() -> str:
        # Without this function OpenSSL would ask the terminal, and a service would hang.
        asked.append(True)
        return password

    try:
        context.load_cert_chain(certificate, key or None, password=answer)
    except (OSError, ValueError) as error:
        if asked:
            wrong = "the password is not that of the key" if password else "the key has a password, and none was given"
            raise mq_error(
                C.MQRC_KEY_REPOSITORY_ERROR, "", f"{key or certificate}: {wrong}; set MQKEYRPWD, or store the key bare"
            ) from error
        if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
            detail = f"the key in {key or certificate} is not that of the certificate in {certificate}"
            raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", detail) from error
        where = f"{certificate}, {key}" if key else certificate
        raise _bad_file(where, "a certificate and its key", error) from error


def _bad_file(path: str, what: str, error: Exception) -> MQError:
    if isinstance(error, ssl.SSLError) or not isinstance(error, OSError) or not error.strerror:
        why = f"it does not hold {what} in PEM"
    else:
        why = error.strerror
    return mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", f"{path}: {why}")


# SSLPEER

_ATTRIBUTES = {
    "CN": "commonName",
    "T": "title",
    "OU": "organizationalUnitName",
    "O": "organizationName",
    "L": "localityName",
    "ST": "stateOrProvinceName",
    "SP": "stateOrProvinceName",
    "S": "stateOrProvinceName",
    "C": "countryName",
    "PC": "postalCode",
    "STREET": "streetAddress",
    "MAIL": "emailAddress",
    "E": "emailAddress",
    "EMAILADDRESS": "emailAddress",
    "UID": "userId",
    "USERID": "userId",
    "DC": "domainComponent",
    "SERIALNUMBER": "serialNumber",
    "DNQ": "dnQualifier",
}
_PART = re.compile(r'\s*([A-Za-z]+)\s*=\s*(?:"([^"]*)"|((?:\\.|[^,;"\\])*))\s*(?:[,;]|\Z)')


def parse_peer_name(pattern: str) -> list[tuple[str, str]]:
    """The parts of an SSLPEER pattern such as `CN=QM*, O=Example`; the error MQ has for one that makes no sense."""
    parts: list[tuple[str, str]] = []
    at = 0
    while at < len(pattern.rstrip()):
        found = _PART.match(pattern, at)
        if found is None:
            raise mq_error(
                C.MQRC_SSL_PEER_NAME_ERROR, "", f"{pattern[:200]!r} is no list of parts such as 'CN=QM1, O=Example'"
            )
        name, quoted, bare = found.groups()
        if name.upper() not in _ATTRIBUTES:
            raise mq_error(
                C.MQRC_SSL_PEER_NAME_ERROR, "", f"{name[:40]!r} is no part of a name: use {', '.join(_ATTRIBUTES)}"
            )
        value = quoted if quoted is not None else re.sub(r"\\(.)", r"\1", bare).strip()
        if not value or "*" in value.strip("*"):
            raise mq_error(
                C.MQRC_SSL_PEER_NAME_ERROR,
                "",
                f"{name}={value[:200]} has no value, or an asterisk in the middle: one may be first or last",
            )
        parts.append((_ATTRIBUTES[name.upper()], value))
        at = found.end()
    if not parts:
        raise mq_error(C.MQRC_SSL_PEER_NAME_ERROR, "", "an empty pattern matches nothing: leave it out")
    return parts


def check_peer_name(pattern: str, certificate: Mapping[str, Any] | None, object_name: str = "") -> None:
    """Is the partner the one that SSLPEER asks for? `certificate` is what `getpeercert()` returns.

    Each part of the pattern must be found in the subject; a value may begin or end with an asterisk, and case does not
    count. Several OUs of a pattern must be found in that order.
    """
    wanted = parse_peer_name(pattern)
    subject: Sequence[Any] = (certificate or {}).get("subject", ())
    found = [(kind, value) for group in subject for kind, value in group]
    at: dict[str, int] = {}
    for kind, value in wanted:
        values = [text for name, text in found if name == kind]
        for index in range(at.get(kind, 0), len(values)):
            if _alike(value.casefold(), values[index].casefold()):
                at[kind] = index + 1
                break
        else:
            shown = ", ".join(f"{name}={text}" for name, text in found) or "no name"
            raise mq_error(
                C.MQRC_SSL_PEER_NAME_MISMATCH,
                object_name,
                f"the partner is {shown[:400]}, which is not like {pattern[:200]!r}",
            )


def _alike(pattern: str, value: str) -> bool:
    text = pattern.strip("*")
    if pattern.startswith("*"):
        return text in value if pattern.endswith("*") else value.endswith(text)
    return value.startswith(text) if pattern.endswith("*") else value == text


# Key repositories


def from_key_repository(path: str, *, cipher: str, label: str = "", peer_name: str = "") -> TLSOptions:
    """The options that a channel definition and MQSSLKEYR give together.

    The key repository is a folder with `trust.pem` (the authorities) and `cert.pem` (certificate and key of this
    client; or `LABEL.pem`, with a certificate label), or one PEM file with all of it. As in MQ the host name is not
    compared with the certificate, because only those authorities are trusted; without a repository the authorities of
    the system count, who vouch for host names only, so it is compared.
    """
    password = os.environ.get("MQKEYRPWD", "")
    if not path:
        if label:
            raise mq_error(
                C.MQRC_KEY_REPOSITORY_ERROR,
                "",
                f"the channel asks for the certificate {label!r}, but MQSSLKEYR does not say where certificates are",
            )
        return TLSOptions(verify=VERIFY_FULL, cipher=cipher, peer_name=peer_name)
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(path):
        own = os.path.join(path, f"{os.path.basename(label)}.pem" if label else "cert.pem")
        if label and not os.path.exists(own):
            raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", f"there is no {own} for the certificate label {label!r}")
        return TLSOptions(
            ca=os.path.join(path, "trust.pem"),
            certificate=own if os.path.exists(own) else "",
            key_password=password,
            verify=VERIFY_CHAIN,
            cipher=cipher,
            peer_name=peer_name,
        )
    if not os.path.exists(path):
        others = [ending for ending in (".kdb", ".p12", ".sth", ".pem") if os.path.exists(path + ending)]
        if ".pem" not in others:
            advice = "GSKit's and PKCS #12 files are not read here: export it to PEM" if others else "there is none"
            raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", f"MQSSLKEYR={path}: {advice}")
        path += ".pem"
    try:
        with open(path, "rb") as file:
            text = file.read(1 << 22)
    except OSError as error:
        raise _bad_file(path, "certificates", error) from error
    if b"-----BEGIN" not in text:
        raise mq_error(
            C.MQRC_KEY_REPOSITORY_ERROR, "", f"{path} is no PEM file; GSKit's and PKCS #12 files are not read here"
        )
    return TLSOptions(
        ca=path,
        certificate=path if b"PRIVATE KEY-----" in text else "",
        key_password=password,
        verify=VERIFY_CHAIN,
        cipher=cipher,
        peer_name=peer_name,
    )


def _or(words: Sequence[str]) -> str:
    return " or ".join(words)
