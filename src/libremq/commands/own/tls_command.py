"""The `libremq tls` command: a local certificate authority, and certificates for queue managers and clients.

`tls init` makes a folder with the authority and one key repository (`cert.pem`, `trust.pem`) for each certificate; what
is there already stays, so that running it again with another `--client` adds one. `tls revoke` puts a certificate on
the revocation list of every key repository in the folder. Keys are readable by their owner only.
"""

from __future__ import annotations

import argparse
import os
import re
import urllib.parse
from typing import TYPE_CHECKING

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import Refused, guarded, tell
from libremq.common.files.durable_sync import sync_all
from libremq.common.names.object_names import check_queue_manager_name
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.common.tls.tls_authority import Authority, Issued

COMMAND = "tls"
AUTHORITY, CERTIFICATE, TRUSTED, REVOKED = "authority", "cert.pem", "trust.pem", "crl.pem"
_CHANNEL = "APP.TLS"
_KEY_REPOSITORY_MAX = 256  # bytes of SSLKEYR
_CLIENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_HOST = re.compile(r"[A-Za-z0-9*][A-Za-z0-9.:_-]{0,252}")
_DAYS_MAX = 3650


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    init = actions.add_parser("init", help="make an authority and certificates", allow_abbrev=False)
    _add_folder(init)
    init.add_argument("--qmgr", metavar="NAME", default="", help="make a certificate for this queue manager")
    init.add_argument(
        "--name", metavar="HOST", nargs="+", action="extend", default=[], dest="hosts",
        help="host names and addresses under which clients reach it; localhost and its addresses by default",
    )  # fmt: skip
    init.add_argument(
        "--client", metavar="NAME", nargs="+", action="extend", default=[], dest="clients",
        help="make certificates for clients: the name is the CN",
    )  # fmt: skip
    init.add_argument("--days", type=int, default=825, help="how long they are valid (825)")
    init.add_argument("--rsa", action="store_true", help="RSA keys, for CipherSpecs with RSA in their names")
    init.add_argument("--renew", action="store_true", help="make certificates anew that are there already")
    revoke = actions.add_parser("revoke", help="put certificates on the revocation list", allow_abbrev=False)
    _add_folder(revoke)
    revoke.add_argument(
        "names", metavar="NAME", nargs="*", default=[], help="whose; without any, the list is made anew"
    )
    revoke.add_argument("--days", type=int, default=30, help="until a new list is due (30)")


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", metavar="F", default="tls", help="where everything is kept (./tls)")


def run(arguments: argparse.Namespace) -> int:
    return guarded(COMMAND, arguments, lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    try:
        import libremq.common.tls.tls_authority  # noqa: F401
    except ImportError as error:
        raise Refused(
            ExitCode.UNEXPECTED,
            f"certificates are made with the package cryptography, which is not here ({error}): "
            "pip install 'libremq[tls]'. Certificates that you have can be used without it.",
        ) from None
    if not 1 <= arguments.days <= _DAYS_MAX:
        raise Refused(ExitCode.ARGUMENTS, f"--days is 1 to {_DAYS_MAX}, not {arguments.days}")
    folder = os.path.abspath(os.path.expanduser(arguments.folder))
    try:
        return _init(folder, arguments) if arguments.action == "init" else _revoke(folder, arguments)
    except OSError as error:
        raise Refused(ExitCode.UNEXPECTED, f"{error.filename or folder}: {error.strerror}") from error


# init


def _init(folder: str, arguments: argparse.Namespace) -> int:
    qmgr, clients = str(arguments.qmgr), list(dict.fromkeys(arguments.clients))
    hosts = arguments.hosts or ["localhost", "127.0.0.1", "::1"]
    _check_names(qmgr, clients, hosts)
    repository = os.path.join(folder, qmgr)
    if qmgr and len(repository.encode()) > _KEY_REPOSITORY_MAX:
        raise Refused(ExitCode.ARGUMENTS, f"{repository} is too long for SSLKEYR ({_KEY_REPOSITORY_MAX} bytes)")
    _make_folder(folder)
    authority = _authority(folder)
    if qmgr:
        _give(authority, folder, qmgr, arguments, hosts)
    for client in clients:
        _give(authority, folder, client, arguments, [])
    if not qmgr and not clients:
        tell("No certificates yet: name a queue manager with --qmgr, and clients with --client.")
    if qmgr:
        _show_commands(repository, clients)
        _show_client(folder, qmgr, clients, hosts[0])
    return ExitCode.OK


def _check_names(qmgr: str, clients: list[str], hosts: list[str]) -> None:
    """Names become parts of paths and of certificates."""
    if qmgr:
        try:
            check_queue_manager_name(qmgr)
        except MQError as error:
            raise Refused(ExitCode.NAME, error.detail) from error
        if "/" in qmgr or qmgr.strip(".") == "":
            raise Refused(ExitCode.NAME, f"{qmgr!r} cannot be the name of a folder")
    for client in clients:
        if not _CLIENT.fullmatch(client):
            allowed = "up to 64 letters, digits and . _ - @, a letter or digit first"
            raise Refused(ExitCode.ARGUMENTS, f"--client {client[:80]!r}: use {allowed}")
    for host in hosts:
        if not _HOST.fullmatch(host) and host != "::1":
            raise Refused(ExitCode.ARGUMENTS, f"--name {host[:80]!r} is no host name and no address")
    for name in (qmgr, *clients):
        if name.lower() == AUTHORITY or (qmgr and qmgr in clients):
            raise Refused(ExitCode.ARGUMENTS, f"the name {name!r} is taken")


def _authority(folder: str) -> Authority:
    """That of the folder; a new one if it has none."""
    from libremq.common.tls.tls_authority import Authority

    own = os.path.join(folder, AUTHORITY)
    certificate, key = os.path.join(own, "ca.pem"), os.path.join(own, "ca.key")
    if os.path.exists(certificate) or os.path.exists(key):
        try:
            made = Authority.load(_read(certificate), _read(key))
        except ValueError as error:
            raise Refused(ExitCode.UNEXPECTED, f"the authority in {own} cannot be used: {error}") from None
        tell(f"Authority: {certificate} (was there)")
        return made
    made = Authority.create()
    _make_folder(own)
    _write(key, made.own.key_pem())
    _write(certificate, made.own.certificate_pem)
    tell(f"Authority: {certificate}. Its key, {key}, signs whatever you like: keep it safe.")
    return made


def _give(authority: Authority, folder: str, name: str, arguments: argparse.Namespace, hosts: list[str]) -> None:
    own = os.path.join(folder, name)
    path = os.path.join(own, CERTIFICATE)
    what = f"Queue manager {name}" if hosts else f"Client {name}"
    if os.path.exists(path) and not arguments.renew:
        tell(f"{what}: {path} (was there; --renew makes it anew)")
        return
    issued: Issued = authority.issue([("CN", name)], hosts=hosts, days=arguments.days, use_rsa=arguments.rsa)
    _make_folder(own)
    _write(os.path.join(own, TRUSTED), authority.own.certificate_pem)
    _write(path, issued.pem)
    lists = os.path.join(folder, AUTHORITY, REVOKED)
    if os.path.exists(lists):
        _write(os.path.join(own, REVOKED), _read(lists))
    until = issued.certificate.not_valid_after_utc.date()
    tell(f"{what}: {path}, valid until {until}" + (f", for {', '.join(hosts)}" if hosts else ""))


def _show_commands(repository: str, clients: list[str]) -> None:
    qmgr = os.path.basename(repository)
    quoted = repository.replace("'", "''")
    wanted = "REQUIRED" if clients else "OPTIONAL"
    if clients:
        tell("\nUsers that this system does not know need a password first:\n")
        for client in clients:
            tell(f"libremq setmqusr {qmgr} {client}")
    tell("\nMQSC for the queue manager:\n")
    tell(f"ALTER QMGR SSLKEYR('{quoted}')")
    tell("REFRESH SECURITY TYPE(SSL)")
    tell(f"DEFINE CHANNEL({_CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH({wanted}) REPLACE")
    for client in clients:
        tell(
            f"SET CHLAUTH({_CHANNEL}) TYPE(SSLPEERMAP) SSLPEER('CN={client}') USERSRC(MAP) MCAUSER('{client}') "
            "ACTION(REPLACE)"
        )
        tell(f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{client}') AUTHADD(CONNECT,INQ)")
        tell(f"* SET AUTHREC PROFILE(QUEUE.NAME) OBJTYPE(QUEUE) PRINCIPAL('{client}') AUTHADD(PUT,GET,BROWSE,INQ)")


def _show_client(folder: str, qmgr: str, clients: list[str], host: str) -> None:
    own = os.path.join(folder, clients[0] if clients else qmgr)
    keys = {"channel": _CHANNEL, "ca": os.path.join(own, TRUSTED)}
    if clients:
        keys["cert"] = os.path.join(own, CERTIFICATE)
    shown = f"[{host}]" if ":" in host else host
    query = urllib.parse.urlencode(keys, safe="/", quote_via=urllib.parse.quote)
    tell(f"\nA client URL to try:\n\nmqs://{shown}:1414/{urllib.parse.quote(qmgr)}?{query}")


# revoke


def _revoke(folder: str, arguments: argparse.Namespace) -> int:
    from cryptography import x509

    from libremq.common.tls.tls_authority import Authority

    own = os.path.join(folder, AUTHORITY)
    try:
        authority = Authority.load(_read(os.path.join(own, "ca.pem")), _read(os.path.join(own, "ca.key")))
    except ValueError as error:
        raise Refused(ExitCode.UNEXPECTED, f"the authority in {own} cannot be used: {error}") from None
    revoked_folder = os.path.join(own, "revoked")
    _make_folder(revoked_folder)
    for name in arguments.names:
        if not _CLIENT.fullmatch(name):
            raise Refused(ExitCode.ARGUMENTS, f"{name[:80]!r} is none of the certificates in {folder}")
        certificate = x509.load_pem_x509_certificate(_read(os.path.join(folder, name, CERTIFICATE)))
        pem = b"".join(_certificates_of(_read(os.path.join(folder, name, CERTIFICATE))))
        _write(os.path.join(revoked_folder, f"{certificate.serial_number:x}.pem"), pem)
        tell(f"{name}: the certificate with serial number {certificate.serial_number:X} is revoked.")
    every = [
        x509.load_pem_x509_certificate(_read(os.path.join(revoked_folder, entry)))
        for entry in sorted(os.listdir(revoked_folder))
    ]
    pem = authority.revocation_list(every, days=arguments.days)
    places = [own, *(os.path.dirname(path) for path in _repositories(folder))]
    for place in places:
        _write(os.path.join(place, REVOKED), pem)
    tell(f"{REVOKED} with {len(every)} certificates is in {len(places)} folders of {folder}; it is due in "
         f"{arguments.days} days. Then: REFRESH SECURITY TYPE(SSL)")  # fmt: skip
    return ExitCode.OK


def _certificates_of(pem: bytes) -> list[bytes]:
    return re.findall(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", pem, re.DOTALL)


def _repositories(folder: str) -> list[str]:
    found = (os.path.join(folder, entry, CERTIFICATE) for entry in sorted(os.listdir(folder)))
    return [path for path in found if os.path.exists(path)]


# Files


def _make_folder(path: str) -> None:
    if not os.path.isdir(path):
        os.makedirs(path, mode=0o700)
        os.chmod(path, 0o700)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(1 << 20)


def _write(path: str, data: bytes) -> None:
    """Whole or not at all, and never readable by others."""
    draft = f"{path}.new"
    try:
        os.unlink(draft)
    except FileNotFoundError:
        pass
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        sync_all(descriptor)
    os.replace(draft, path)
