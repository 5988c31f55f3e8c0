"""The last word of a server whose TLS handshake failed.

In TLS 1.3 a client is done before the server has looked at its certificate: what the server thinks of it arrives as an
alert on the first read. Event loops drop that alert with the connection. Here a failed handshake hands it over with the
exception, for whoever still holds the socket.
"""

from __future__ import annotations

import ssl
from typing import Any

_HANDSHAKE_FAILURE = bytes.fromhex("15030300020228")


class NoCertificateError(OSError):
    """A client wants TLS, and there is no certificate to begin with."""

    last_words = _HANDSHAKE_FAILURE


class ServerContext(ssl.SSLContext):
    """A context whose connections keep the alert of a failed handshake."""

    def wrap_bio(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *args: Any, **kwargs: Any) -> ssl.SSLObject:
        made = super().wrap_bio(incoming, outgoing, *args, **kwargs)
        if isinstance(made, _Alerting):
            made.outgoing = outgoing
        return made


class _Alerting(ssl.SSLObject):
    outgoing: ssl.MemoryBIO | None = None

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            if self.outgoing is not None:
                error.last_words = self.outgoing.read()  # type: ignore[attr-defined]
            raise


ServerContext.sslobject_class = _Alerting


def last_words(error: BaseException) -> bytes:
    """What is still to be sent to the peer after this failure."""
    words = getattr(error, "last_words", b"")
    return words if isinstance(words, bytes) else b""
