"""The queue manager's certificate for clients that come with TLS.

SSLKEYR names the key repository, as MQSSLKEYR does for a client: a folder with `cert.pem` (or the label of CERTLABL and
`.pem`) and perhaps `trust.pem`, or one PEM file. If it is blank, that is the folder `ssl` of the queue manager. Files
that have changed are read again for the next connection, so a certificate is renewed without a restart.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable

from libremq.common import tls
from libremq.kernel.manager import QueueManager
from libremq.mqi.errors import MQError

DEFAULT_FOLDER = "ssl"
_DEFAULT_LABEL = "ibmwebspheremq"


class KeyRepository:
    """Makes the context for TLS when the first client asks for it. For the thread of the event loop."""

    def __init__(self, manager: QueueManager, folder: str, say: Callable[[str], None]) -> None:
        self._manager = manager
        self._folder = folder
        self._say = say
        self._state: object = None
        self._context: ssl.SSLContext | None = None

    def context(self) -> ssl.SSLContext | None:
        """None if the queue manager has no certificate, or none that can be used, which the error log explains."""
        qmgr = self._manager.core.catalogue.qmgr
        path = qmgr.sslkeyr.strip() or os.path.join(self._folder, DEFAULT_FOLDER)
        state = (path, qmgr.certlabl, qmgr.keyrpwd, _state_of(path))
        if state != self._state:
            self._state, self._context = state, None
            if qmgr.sslkeyr.strip() or os.path.isdir(path):
                try:
                    self._context = self._load(path, self._label(path, qmgr.certlabl.strip()), qmgr.keyrpwd)
                except (MQError, OSError) as error:
                    self._say(f"AMQ9660E: The key repository {path} cannot be used: {error}")
        return self._context

    def _label(self, path: str, label: str) -> str:
        """The label that every queue manager has by default means `cert.pem`, unless there is a file of that name."""
        is_default = label.lower() == f"{_DEFAULT_LABEL}{self._manager.name.lower()}"
        return "" if is_default and not os.path.exists(os.path.join(path, f"{label}.pem")) else label

    @staticmethod
    def _load(path: str, label: str, password: str) -> ssl.SSLContext:
        files = tls.from_key_repository(path, cipher=tls.ANY, label=label)
        trusted = files.ca if os.path.exists(files.ca) else ""
        return tls.server_context(files.certificate, ca=trusted, key_password=password or files.key_password)


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
        return sorted(os.listdir(path))[:100]
    except OSError:
        return []
