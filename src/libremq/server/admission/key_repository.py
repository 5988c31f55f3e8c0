"""The queue manager's certificates: for those that come with TLS, and for channels that call others with it.

SSLKEYR names the key repository, as MQSSLKEYR does for a client: a folder with `cert.pem` (or the label of CERTLABL and
`.pem`), `trust.pem` and perhaps `crl.pem`, or one PEM file. If it is blank, or as it was at first, that is the folder
`ssl` of the queue manager. A channel with a CERTLABL shows that certificate to clients that name it in TLS (SNI). Files
that have changed are read again for the next connection; REFRESH SECURITY TYPE(SSL) reads them now and says what is
wrong. What cannot be used replaces nothing: a certificate that worked serves until there is a better one.
"""

from __future__ import annotations

import errno
import os
import ssl
import threading
from collections.abc import Callable

from libremq.common.files.queue_manager_files import KEY_REPOSITORY
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.common.tls import cipher_specs, tls_context
from libremq.common.tls.cipher_specs import ANY
from libremq.common.tls.tls_channel_names import from_server_name
from libremq.common.tls.tls_options import TLSOptions
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.channel_definitions import CallingChannel, Channel, ClientConnection
from libremq.kernel.objects.definition_checks import not_enforced
from libremq.kernel.objects.object_types import QueueManagerObject
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

DEFAULT_FOLDER = "ssl"
_DEFAULT_LABEL = "ibmwebspheremq"
_FILES_MAX = 100


def repository_path(sslkeyr: str, folder: str) -> str:
    """The folder or file that SSLKEYR means to the queue manager in `folder`.

    A stem `.../ssl/key` without files of its own, as a queue manager has it at first, is the folder that it is in; its
    own folder if that one is not there any more, because the queue manager has moved.
    """
    own, given = os.path.join(folder, DEFAULT_FOLDER), sslkeyr.strip()
    if not given.endswith(f"/{KEY_REPOSITORY}") or os.path.isdir(given) or os.path.exists(f"{given}.pem"):
        return given or own
    head = os.path.dirname(given)
    if os.path.realpath(head) == os.path.realpath(own):
        return own  # also if there is a file of that name: one with a key, beside that with the certificate
    if os.path.exists(given):
        return given
    return head if os.path.isdir(head) else own


class KeyRepository:
    """Makes the context for TLS when the first client asks for it."""

    def __init__(self, manager: QueueManager, folder: str, say: Callable[[str], None]) -> None:
        self._manager = manager
        self._folder = folder
        self._say = say
        self._lock = threading.Lock()
        self._state: object = None
        self._context: ssl.SSLContext | None = None
        self._by_label: dict[str, ssl.SSLContext] = {}  # for channels with a CERTLABL of their own
        self._load_label: Callable[[str], ssl.SSLContext] | None = None

    def context(self) -> ssl.SSLContext | None:
        """None if the queue manager has no certificate, or none that can be used, which the error log explains."""
        with self._lock:
            self._look(self._state)
            return self._context

    def refresh(self) -> str:
        """REFRESH SECURITY TYPE(SSL): read all anew; what is wrong, or nothing. Of connections it knows nothing."""
        with self._lock:
            return self._look(None)

    def _look(self, known: object) -> str:
        qmgr = self._manager.definitions.qmgr
        path = repository_path(qmgr.sslkeyr, self._folder)
        self._state = (path, qmgr.certlabl, qmgr.keyrpwd, _not_enforced(qmgr), _state_of(path))
        if self._state == known:
            return ""
        if wrong := _not_enforced(qmgr):
            self._context = None
            self._say(amq(9719, wrong))
            return wrong
        if path == os.path.join(self._folder, DEFAULT_FOLDER) and not os.path.isdir(path):
            self._context = None
            return ""
        try:
            password = qmgr.keyrpwd
            self._context = self._load(path, self._label(path, qmgr.certlabl.strip()), password)
            self._context.sni_callback = self._choose
            self._by_label = {}
            self._load_label = lambda label: self._load(path, label, password)
        except (MQError, OSError) as error:
            wrong = (error.detail if isinstance(error, MQError) else "") or str(error)
            if self._context is not None:
                wrong += "; the certificate of before stays in use"
            self._say(amq(9660, path, wrong))
            return wrong
        return ""

    def _choose(self, secured: ssl.SSLObject, name: str | None, default: ssl.SSLContext) -> int | None:
        """A client has named its channel: show the certificate of the channel, if it has a label."""
        found = self._manager.find("CHANNEL", from_server_name(name)) if from_server_name(name) else None
        label = _label_of(found) if isinstance(found, Channel) and not isinstance(found, ClientConnection) else ""
        if not label:
            return None
        try:
            with self._lock:
                if label not in self._by_label:
                    assert self._load_label is not None
                    self._by_label[label] = self._load_label(label)
                secured.context = self._by_label[label]
        except (MQError, OSError) as error:
            assert found is not None
            self._say(amq(9642, found.name, (error.detail if isinstance(error, MQError) else "") or str(error)))
            return ssl.AlertDescription.ALERT_DESCRIPTION_HANDSHAKE_FAILURE
        return None

    def _label(self, path: str, label: str) -> str:
        """The label that every queue manager has by default means `cert.pem`, unless there is a file of that name."""
        return _usable_label(self._manager.name, path, label)

    @staticmethod
    def _load(path: str, label: str, password: str) -> ssl.SSLContext:
        files = tls_context.from_key_repository(path, cipher=ANY, label=label, password=password, setting="SSLKEYR")
        trusted = files.ca if os.path.exists(files.ca) else ""
        return tls_context.server_context(
            files.certificate, ca=trusted, key_password=files.key_password, revoked=files.revoked
        )


class RepositoryError(Exception):
    """The key repository has not what a channel needs: with the message that says so."""

    def __init__(self, message: AmqMessage) -> None:
        super().__init__(str(message))
        self.message = message


def calling_options(manager: QueueManager, folder: str, channel: CallingChannel) -> TLSOptions:
    """How a channel secures a connection that it makes: its certificate, or that of the queue manager.

    RepositoryError if it cannot. Reads files.
    """
    qmgr = manager.definitions.qmgr
    path = repository_path(qmgr.sslkeyr, folder)
    if wrong := _not_enforced(qmgr):
        raise RepositoryError(amq(9719, wrong))
    cipher = channel.sslciph.strip()
    if cipher_specs.problem(cipher_specs.canonical(cipher)):
        raise RepositoryError(amq(9616, cipher, channel.name))
    own = _label_of(channel)
    label = own or _usable_label(manager.name, path, qmgr.certlabl.strip())
    try:
        if path == os.path.join(folder, DEFAULT_FOLDER) and not os.path.isdir(path):
            raise FileNotFoundError(errno.ENOENT, "there is none")
        return tls_context.from_key_repository(
            path, cipher=cipher, label=label, password=qmgr.keyrpwd, setting="SSLKEYR"
        )
    except (MQError, OSError) as error:
        wrong = (error.detail if isinstance(error, MQError) else error.strerror) or str(error)
        raise RepositoryError(amq(9642, channel.name, wrong) if own else amq(9660, path, wrong)) from None


def _not_enforced(qmgr: QueueManagerObject) -> str:
    """What the queue manager asks of TLS and cannot have: then there is none. An older release may have taken it."""
    if qmgr.sslfips == C.MQSSL_FIPS_YES and not tls_context.fips_mode():
        return f"SSLFIPS(YES) is set, and {ssl.OPENSSL_VERSION} of this Python does not run in FIPS mode"
    return not_enforced({"suiteb": qmgr.suiteb, "sslcrlnl": qmgr.sslcrlnl})


def _label_of(channel: Channel) -> str:
    """CERTLABL, which not every type of channel has."""
    return str(getattr(channel, "certlabl", "")).strip()


def _usable_label(name: str, path: str, label: str) -> str:
    is_default = label.lower() == f"{_DEFAULT_LABEL}{name.lower()}"
    return "" if is_default and not os.path.exists(os.path.join(path, f"{label}.pem")) else label


def _state_of(path: str) -> tuple[tuple[str, int, int], ...]:
    """Which files there are, and of when."""
    found = []
    for folder, names in ((path, _listed(path)), ("", [path, f"{path}.pem"])):
        for name in names:
            try:
                seen = os.stat(os.path.join(folder, name))
                found.append((name, seen.st_mtime_ns, seen.st_size))
            except OSError:
                continue
    return tuple(found)


def _listed(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))[:_FILES_MAX]
    except OSError:
        return []
