"""What TLS says about the other end, and whether the channel accepts that.

The handshake is the same for all channels of a queue manager, because the client names its channel only afterwards.
Whether a certificate was needed, whose, and with which CipherSpec is looked at then, and whoever is refused hears it in
words. A handshake that fails is explained in the error log, and to the client with an alert.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.common.tls import cipher_specs
from libremq.common.tls.tls_errors import NOT_ACCEPTED, SAID, explained, is_alert
from libremq.mqi import constants as C
from libremq.security import distinguished_names
from libremq.security.distinguished_names import DistinguishedNameError
from libremq.wire.protocol import Status

if TYPE_CHECKING:
    from libremq.kernel.objects.channel_definitions import CallingChannel, Channel
    from libremq.server.net.event_loop import EventLoop

_FAREWELL_S = 2.0
_UNREAD_MAX = 256 << 10  # of what a peer had still to say: the longest handshake, several times over


@dataclass(frozen=True, slots=True)
class TlsPeer:
    """A client after its handshake. Without a certificate the names are empty."""

    suite: str
    version: str
    subject: str = ""
    """Its distinguished name, with the serial number of the certificate: what SSLPEER is compared with."""
    issuer: str = ""
    """That of the authority: what SSLCERTI is compared with."""
    serial_number: str = ""

    @property
    def cipher_spec(self) -> str:
        return cipher_specs.spec_of(self.suite)

    @property
    def protocol(self) -> str:
        """As channel status shows it: TLSV12 or TLSV13."""
        return self.version.upper().replace(".", "")


def peer_of(transport: asyncio.BaseTransport) -> TlsPeer | None:
    """None if the connection is not secured."""
    secured: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
    if secured is None:
        return None
    names = distinguished_names.of_certificate(secured.getpeercert())
    return TlsPeer((secured.cipher() or ("",))[0], secured.version() or "", *names)


def refusal(channel: Channel, peer: TlsPeer | None, where: str) -> tuple[Status, AmqMessage] | None:
    """Why the channel does not take this peer; None if it does. `where` is its address.

    A sender has no SSLCAUTH: whoever calls it is only asked to be called back.
    """
    spec = channel.sslciph.strip().upper()
    if not spec:
        return None if peer is None else (Status.CIPHER_SPEC, amq(9641, where, channel.name))
    if peer is None:
        return Status.CIPHER_SPEC, amq(9639, where, channel.name)
    if cipher_specs.problem(spec):
        return Status.CIPHER_SPEC, amq(9616, spec, channel.name)
    if not cipher_specs.accepts(spec, peer.suite, peer.version):
        return Status.CIPHER_SPEC, amq(9631, peer.cipher_spec, where, spec, channel.name)
    if getattr(channel, "sslcauth", C.MQSCA_OPTIONAL) == C.MQSCA_REQUIRED and not peer.subject:
        return Status.CLIENT_CERTIFICATE, amq(9637, channel.name, where)
    if channel.sslpeer.strip():
        try:
            accepted = bool(peer.subject) and distinguished_names.matches(channel.sslpeer, peer.subject)
        except DistinguishedNameError as error:
            return Status.PEER_NAME, amq(9640, channel.sslpeer, error)
        if not accepted:
            return Status.PEER_NAME, amq(9636, where, channel.name, peer.subject or "it has shown no certificate")
    return None


def handshake_failure(error: BaseException, where: str) -> AmqMessage:
    """The line for the error log about a handshake that failed."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return amq(9654, where, explained(error).removeprefix(NOT_ACCEPTED))
    if isinstance(error, ssl.SSLError) and not is_alert(error):
        return amq(9633, f"{where}: {explained(error)}")
    if isinstance(error, TimeoutError | ConnectionAbortedError):
        return amq(9633, f"{where} did not complete it in time")
    said = explained(error).removeprefix(SAID) if isinstance(error, ssl.SSLError) else "it closed the connection"
    return amq(9665, where, said)


_QUALIFIERS = {
    Status.CIPHER_SPEC: C.MQRQ_SSL_CIPHER_SPEC_ERROR,
    Status.CLIENT_CERTIFICATE: C.MQRQ_SSL_CLIENT_AUTH_ERROR,
    Status.PEER_NAME: C.MQRQ_SSL_PEER_NAME_ERROR,
}


def refusal_event(
    event_loop: EventLoop,
    status: Status,
    channel: str,
    peer: TlsPeer | None,
    where: str,
    *,
    xmitq: str = "",
    called: bool = True,
) -> None:
    """A channel SSL error event about a peer that its channel has refused: one that has called, or was called."""
    with event_loop.lock:
        event_loop.manager.events.channel(
            C.MQRC_CHANNEL_SSL_ERROR,
            qualifier=_QUALIFIERS[status],
            channel=channel,
            connection_name=_host(where) if called else where,
            xmitq=xmitq,
            peer_name=peer.subject if peer is not None else "",
            issuer_name=peer.issuer if peer is not None else "",
        )


def handshake_event(
    event_loop: EventLoop, error: BaseException, where: str, *, calling: CallingChannel | None = None
) -> None:
    """A channel SSL error event about a handshake that failed: only the end that calls knows its channel yet."""
    code = error.verify_code if isinstance(error, ssl.SSLCertVerificationError) else getattr(error, "errno", None)
    reason = error.reason if isinstance(error, ssl.SSLError) else getattr(error, "strerror", None) or "CONNECTION_LOST"
    with event_loop.lock:
        event_loop.manager.events.channel(
            C.MQRC_CHANNEL_SSL_ERROR,
            channel=calling.name if calling is not None else "",
            connection_name=where if calling is not None else _host(where),
            xmitq=getattr(calling, "xmitq", ""),
            handshake_stage=reason or "",
            return_code=code or 0,
        )
    event_loop.settle()


def _host(where: str) -> str:
    """The address of a peer that has called: its port means nothing."""
    return where.partition("(")[0]


async def farewell(last: socket.socket, words: bytes) -> None:
    """Send the alert, and wait for the peer to go: a socket that is closed with data unread takes the alert with it.

    One that goes on sending is not waited for: while data is there at once, nobody else would have a turn.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_FAREWELL_S):
            if words:
                await loop.sock_sendall(last, words)
            last.shutdown(socket.SHUT_WR)
            left = _UNREAD_MAX
            while left > 0 and (read := await loop.sock_recv(last, 1 << 16)):
                left -= len(read)
    except (OSError, TimeoutError):
        pass
    finally:
        last.close()
