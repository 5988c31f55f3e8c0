"""TLS for both ends of a channel: from MQ's words (CipherSpec, key repository, SSLPEER) to an `ssl.SSLContext`.

Certificates and keys are PEM files. Nothing below TLS 1.2 is spoken. A cipher is named as MQ names it; the table here
says what OpenSSL calls it. Everything that is wrong with the files or the names is found when a context is made, with
the file named, and never by a prompt for a password on a terminal.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Sequence

from libremq.common.tls import cipher_specs
from libremq.common.tls.cipher_specs import ANY
from libremq.common.tls.tls_alerts import ServerContext
from libremq.common.tls.tls_channel_names import to_server_name
from libremq.common.tls.tls_options import VERIFY, VERIFY_CHAIN, VERIFY_FULL, VERIFY_NONE, TLSOptions, check_cipher
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error


def client_context(options: TLSOptions, hostname: str, channel: str = "") -> tuple[ssl.SSLContext, str]:
    """The context for a connection, and the server_hostname to wrap the socket with.

    Where the host name is not compared with the certificate, the channel is named instead, as MQ's clients do.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if options.verify not in VERIFY:
        raise mq_error(C.MQRC_SSL_CONFIG_ERROR, hostname, f"verify is {_or(VERIFY)}, not {options.verify!r}")
    if options.peer_name and options.verify == VERIFY_NONE:
        raise mq_error(
            C.MQRC_SSL_CONFIG_ERROR, hostname, "a peer name is checked only in a certificate that is verified too"
        )
    context.check_hostname = options.verify == VERIFY_FULL
    context.verify_mode = ssl.CERT_NONE if options.verify == VERIFY_NONE else ssl.CERT_REQUIRED
    cipher_specs.use(context, check_cipher(options.cipher or ANY))
    if options.ca:
        _load_authorities(context, options.ca)
    elif options.verify != VERIFY_NONE:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    if options.verify != VERIFY_NONE:
        _load_revoked(context, options.revoked)
    if options.certificate:
        _load_certificate(context, options.certificate, options.key, options.key_password)
    elif options.key:
        raise mq_error(C.MQRC_SSL_CONFIG_ERROR, hostname, f"there is a key, {options.key}, but no certificate")
    if channel and options.verify != VERIFY_FULL and not options.server_name:
        return context, to_server_name(channel)
    return context, options.server_name or hostname


def server_context(
    certificate: str,
    key: str = "",
    ca: str = "",
    require_client: bool = False,
    *,
    cipher: str = ANY,
    key_password: str = "",
    revoked: str = "",
) -> ssl.SSLContext:
    """The context of a listener or of a channel. With `ca`, a client that shows a certificate must be known to it."""
    context = ServerContext(ssl.PROTOCOL_TLS_SERVER)
    cipher_specs.use(context, check_cipher(cipher or ANY))
    if not certificate:
        raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", "a server needs a certificate: name its PEM file")
    _load_certificate(context, certificate, key, key_password)
    if ca:
        _load_authorities(context, ca)
        _load_revoked(context, revoked)
        context.verify_mode = ssl.CERT_REQUIRED if require_client else ssl.CERT_OPTIONAL
    elif require_client:
        raise mq_error(
            C.MQRC_SSL_CONFIG_ERROR, "", "clients are to show certificates, but no file says which authorities count"
        )
    return context


# Ciphers


def check_agreed(options: TLSOptions, secured: ssl.SSLSocket | ssl.SSLObject, hostname: str) -> None:
    """Was the CipherSpec that a client asks for agreed on? Not every Python can offer just one suite of TLS 1.3."""
    spec = check_cipher(options.cipher or ANY)
    suite, version = (secured.cipher() or ("",))[0], secured.version() or ""
    if not cipher_specs.accepts(spec, suite, version):
        raise mq_error(
            C.MQRC_SSL_INITIALIZATION_ERROR,
            hostname,
            f"{cipher_specs.spec_of(suite)} was agreed on instead of {spec}; "
            "from 3.15 on Python can choose among the suites of TLS 1.3, with this one use ANY_TLS13",
        )


def fips_mode() -> bool:
    """Does the OpenSSL of this Python run in FIPS mode? The system's settings can switch it on, Python cannot."""
    try:
        from _hashlib import get_fips_mode
    except ImportError:
        return False
    return bool(get_fips_mode())


# Files


def _load_authorities(context: ssl.SSLContext, path: str) -> None:
    try:
        if os.path.isdir(path):
            context.load_verify_locations(capath=path)
        else:
            context.load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:
        raise _bad_file(path, "certificates of authorities", error) from error


def _load_revoked(context: ssl.SSLContext, path: str) -> None:
    if not path:
        return
    before = context.cert_store_stats()["crl"]
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:
        raise _bad_file(path, "revocation lists", error) from error
    if context.cert_store_stats()["crl"] == before:
        raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", f"{path}: it does not hold revocation lists in PEM")
    context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF


def _load_certificate(context: ssl.SSLContext, certificate: str, key: str, password: str) -> None:
    for path in filter(None, (certificate, key)):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise _bad_file(path, "a certificate" if path == certificate else "a key", error) from error
    asked: list[str] = []

    def answer() -> str:
        # Without this function OpenSSL would ask the terminal, and a service would hang.
        asked.append(password or _password_beside(key or certificate))
        return asked[0]

    try:
        context.load_cert_chain(certificate, key or None, password=answer)
    except (OSError, ValueError) as error:
        if asked:
            wrong = "the password is not that of the key" if asked[0] else "the key has a password, and none was given"
            advice = "give it with KEYRPWD or MQKEYRPWD, or in a .pwd file"
            raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", f"{key or certificate}: {wrong}; {advice}") from error
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


# Key repositories


def from_key_repository(
    path: str, *, cipher: str, label: str = "", peer_name: str = "", password: str = "", setting: str = "MQSSLKEYR"
) -> TLSOptions:
    """The options that a channel definition and a key repository (MQSSLKEYR, SSLKEYR) give together.

    The key repository is a folder with `trust.pem` (the authorities), `cert.pem` (the own certificate and its key; or
    `LABEL.pem`, with a certificate label) and perhaps `crl.pem` (revocation lists), or one PEM file with all of it. The
    password of the key is the one given, that of MQKEYRPWD, or in a file beside the certificate that ends in `.pwd`. As
    in MQ the host name is not compared with the certificate, because only those authorities are trusted; without a
    repository the authorities of the system count, who vouch for host names only, so it is compared.
    """
    if not path:
        if label:
            raise mq_error(
                C.MQRC_KEY_REPOSITORY_ERROR,
                "",
                f"the channel asks for the certificate {label!r}, but {setting} does not say where certificates are",
            )
        return TLSOptions(verify=VERIFY_FULL, cipher=cipher, peer_name=peer_name)
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(path):
        trusted = os.path.join(path, "trust.pem")
        revoked = os.path.join(path, "crl.pem")
        own = os.path.join(path, f"{os.path.basename(label)}.pem" if label else "cert.pem")
        if label and not os.path.exists(own):
            raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", f"there is no {own} for the certificate label {label!r}")
        has_own, has_revoked = os.path.exists(own), os.path.exists(revoked)
    else:
        trusted = revoked = own = path if os.path.exists(path) else _with_ending(path, setting)
        text = _pem(path=own)
        has_own, has_revoked = b"PRIVATE KEY-----" in text, b"-----BEGIN X509 CRL-----" in text
    return TLSOptions(
        ca=trusted,
        certificate=own if has_own else "",
        key_password=password or os.environ.get("MQKEYRPWD", ""),
        verify=VERIFY_CHAIN,
        cipher=cipher,
        peer_name=peer_name,
        revoked=revoked if has_revoked else "",
    )


def _with_ending(path: str, setting: str) -> str:
    """MQ names a key repository without the ending of its file."""
    if os.path.exists(f"{path}.pem"):
        return f"{path}.pem"
    others = any(os.path.exists(path + ending) for ending in (".kdb", ".p12", ".sth"))
    advice = "GSKit's and PKCS #12 files are not read here: export it to PEM" if others else "there is none"
    raise mq_error(C.MQRC_KEY_REPOSITORY_ERROR, "", f"{setting}={path}: {advice}")


def _pem(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            text = file.read(1 << 22)
    except OSError as error:
        raise _bad_file(path, "certificates", error) from error
    if b"-----BEGIN" not in text:
        raise mq_error(
            C.MQRC_KEY_REPOSITORY_ERROR, "", f"{path} is no PEM file; GSKit's and PKCS #12 files are not read here"
        )
    return text


def _password_beside(key: str) -> str:
    path = f"{os.path.splitext(key)[0]}.pwd"
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline(1025).rstrip("\r\n")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise _bad_file(path, "a password", error) from error


def _or(words: Sequence[str]) -> str:
    return " or ".join(words)
